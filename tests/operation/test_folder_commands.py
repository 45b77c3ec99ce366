"""Exit codes and texts of the commands for data folders, when tables change meanwhile or the disk is full."""
import datetime
import os
import re
import resource
import subprocess
import sys
import threading

import happybase
import pytest

from certificates import self_signed
from serving import ROOT, Hjall, binary

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="Windows has neither limits on file sizes nor the control socket")


def run(*arguments, **options):
    """(exit code, standard error) of a command."""
    done = subprocess.run([binary(), *map(str, arguments)], capture_output=True, text=True, timeout=120, **options)
    return done.returncode, done.stderr


def no_file_grows():
    """For the child: every write to a file fails, as on a full disk."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))


def with_rows(folder, rows=100):
    with Hjall(folder) as server:
        database = happybase.Connection("127.0.0.1", server.port)
        database.create_table("t", {"f": {}})
        with database.table("t").batch() as batch:
            for row in range(rows):
                batch.put(b"%d" % row, {b"f:q": b"v"})
        database.close()
        server.stop()


@pytest.mark.parametrize("command", [["verify"], ["compact"], ["backup", "copy"], ["serve", "--listen", "127.0.0.1:0", "--info-listen", "off"]])
def test_a_full_disk_has_an_exit_code_of_its_own(tmp_path, command):
    with_rows(tmp_path / "data")
    code, said = run(*command, "--data", tmp_path / "data", preexec_fn=no_file_grows, cwd=tmp_path)
    assert code == 10 and "free space" in said, (code, said)
    code, said = run("verify", "--data", tmp_path / "data")
    assert code == 0, said


def test_a_limit_on_the_size_of_files_is_reported(tmp_path):
    """Not by the signal, which ends a process without a message."""
    limit = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 20, 1 << 20))
    for command in (["serve", "--listen", "127.0.0.1:0", "--info-listen", "off"], ["shell", "-n", "-e", "list"]):
        code, said = run(*command, "--data", tmp_path / command[0], preexec_fn=limit)
        assert code == 10 and str(tmp_path / command[0]) in said and "a limit on file sizes was reached" in said, (code, said)


@pytest.mark.skipif(not hasattr(resource, "prlimit"), reason="the limits of another process are Linux's")
@pytest.mark.parametrize("extent", [[], ["--incremental"]], ids=["full", "incremental"])
def test_a_backup_to_a_full_disk_names_that_disk(tmp_path, extent):
    with_rows(tmp_path / "data")
    with Hjall(tmp_path / "data") as server:
        server.limit_file_size(10)
        code, said = run("backup", *extent, tmp_path / "copy", "--data", tmp_path / "data")
        server.limit_file_size()
        # The limit is that of the database, too, which may write meanwhile.
        named = (f"the disk is that of {tmp_path / 'copy'}", f"the database in {tmp_path / 'data'} refuses writes")
        assert code == 10 and any(name in said for name in named) and "disk of the data folder" not in said, (code, said)
        assert run("backup", *extent, tmp_path / "copy", "--data", tmp_path / "data")[0] == 0


def test_a_backup_onto_the_folder_of_an_open_database(tmp_path):
    with_rows(tmp_path / "data")
    with Hjall(tmp_path / "data"):
        code, said = run("backup", "--incremental", tmp_path / "data", "--data", tmp_path / "data")
    assert code == 2 and "is the folder of an open database, or is being restored" in said, (code, said)
    assert "name another destination" in said


def test_a_backup_beside_tables_that_come_and_go(tmp_path):
    with Hjall(tmp_path / "data") as server:
        database = happybase.Connection("127.0.0.1", server.port, timeout=60_000)
        database.create_table("kept", {"f": {}})
        database.table("kept").put(b"r", {b"f:q": b"v"})
        over = threading.Event()

        def churn():
            own = happybase.Connection("127.0.0.1", server.port, timeout=60_000)
            while not over.is_set():
                own.create_table("gone", {"f": {}, "g": {}})
                own.table("gone").put(b"r", {b"f:q": b"v"})
                own.delete_table("gone", disable=True)
            own.close()

        thread = threading.Thread(target=churn)
        thread.start()
        try:
            for attempt in range(8):
                code, said = run("backup", tmp_path / f"copy-{attempt}", "--data", tmp_path / "data")
                assert code == 0 or (code == 1 and "try again when no tables are being changed" in said), (code, said)
                if code == 0:
                    code, said = run("verify", "--data", tmp_path / f"copy-{attempt}")
                    assert code == 0, said
        finally:
            over.set()
            thread.join()
        database.close()


def test_many_backups_are_asked_for_at_once(tmp_path):
    with_rows(tmp_path / "data")
    with Hjall(tmp_path / "data"):
        asking = [subprocess.Popen([binary(), "backup", tmp_path / f"copy-{n}", "--data", tmp_path / "data"],
                                   stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) for n in range(40)]
        ended = [(process.communicate(timeout=120)[1], process.returncode) for process in asking]
    assert any(code == 0 for _, code in ended)
    for said, code in ended:
        assert code == 0 or (code == 1 and "one backup is running and 3 wait for it" in said), (code, said)


def test_memory_and_a_folder_are_not_combined(tmp_path):
    code, said = run("serve", "--memory", "--data", tmp_path / "data", "--listen", "127.0.0.1:0")
    assert code == 2 and "--memory: server.memory cannot be combined with server.data (--data)" in said, said
    file = tmp_path / "hjall.toml"
    file.write_text("[server]\nmemory = true\n")
    with_flag = subprocess.run([binary(), "verify", "--config", file, "--data", tmp_path / "absent"], capture_output=True, text=True)
    assert with_flag.returncode == 2 and f"{file}:2: server.memory cannot be combined" in with_flag.stderr
    file.write_text(f'[server]\ndata = "{tmp_path / "data"}"\n')
    code, said = run("verify", "--config", file, "--set", "server.memory=true")
    assert code == 2 and "needs a data folder" in said, "a later layer decides"
    file.write_text(subprocess.run([binary(), "config", "--memory"], capture_output=True, text=True, check=True).stdout)
    code, said = run("verify", "--config", file)
    assert code == 2 and "needs a data folder" in said, said


def test_users_that_are_added_at_once_are_all_in_the_file(tmp_path):
    users = tmp_path / "users.toml"
    adding = [subprocess.Popen([binary(), "user", "add", f"user{n}", "--users", users, "--no-password", "--token", "--read", "*"],
                               stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) for n in range(25)]
    for process in adding:
        _, said = process.communicate(timeout=120)
        assert process.returncode == 0, said
    listed = subprocess.run([binary(), "user", "check", "--users", users], capture_output=True, text=True, check=True).stdout
    assert sorted(line.split()[0] for line in listed.splitlines()) == sorted(f"user{n}" for n in range(25))
    assert os.listdir(tmp_path) == ["users.toml"]


# A user of whom the machine has no name.
OWNER = 12345


def owners(folder):
    return {entry.stat().st_uid for entry in [folder, *folder.rglob("*")]}


def owned(folder, by=OWNER):
    """Gives a folder to a user."""
    for entry in [folder, *folder.rglob("*")]:
        os.chown(entry, by, by)


@pytest.mark.skipif(sys.platform == "win32" or os.geteuid() != 0, reason="only root may give files away")
@pytest.mark.parametrize("command", [["verify"], ["compact"], ["backup", "copy"], ["repair"], ["shell", "-n", "-e", "list"], ["restore", "backup"]], ids=lambda c: c[0])
def test_commands_of_root_leave_folders_of_others_alone(tmp_path, command):
    """Otherwise a server that runs as the owner could not open the folder any more."""
    data = tmp_path / "data"
    with_rows(data)
    subprocess.run([binary(), "backup", tmp_path / "backup", "--data", data], check=True, capture_output=True)
    if command[0] == "restore":
        data = tmp_path / "other"
        data.mkdir()
    owned(data)
    before = sorted((path, path.stat().st_mtime_ns) for path in data.rglob("*"))
    code, said = run(*command, "--data", data, cwd=tmp_path)
    assert code == 2 and str(data) in said and f"sudo -u '#{OWNER}' hjall {command[0]}" in said, (code, said)
    assert sorted((path, path.stat().st_mtime_ns) for path in data.rglob("*")) == before, "nothing was changed"
    assert owners(data) == {OWNER}
    if command[0] == "restore":
        # The backup of another user, which opening it changes.
        owned(tmp_path / "backup")
        code, said = run(*command, "--data", tmp_path / "new", cwd=tmp_path)
        assert code == 2 and "data folder backup belongs to the user" in said, (code, said)
        owned(tmp_path / "backup", by=0)
    owned(data, by=0)
    code, said = run(*command, "--data", data, cwd=tmp_path)
    assert code == 0, said


@pytest.mark.skipif(sys.platform == "win32" or os.geteuid() != 0, reason="only root may give files away")
def test_a_server_of_root_warns_of_a_folder_of_another_user(tmp_path):
    """It starts, because a container may run as root over a volume of another user."""
    data = tmp_path / "data"
    with_rows(data)
    with Hjall(data) as server:
        assert not any("runs as root" in line for line in server.said), server.said
        server.kill()
    owned(data)
    with Hjall(data) as server:
        assert any("runs as root" in line for line in server.said), server.said
        assert {path.stat().st_uid for path in data.glob("data/*.jnl")} == {OWNER}, "copies of journals keep the owner"
        server.stop()


def test_a_start_that_cannot_listen_creates_no_database(tmp_path):
    with Hjall() as other:
        code, said = run("serve", "--data", tmp_path / "data", "--listen", other.address, "--info-listen", "off")
    assert code == 3 and other.address in said, said
    code, said = run("serve", "--data", tmp_path / "data", "--listen", "127.0.0.1:0", "--users", tmp_path / "absent.toml")
    assert code == 2 and "absent.toml" in said, said
    assert not (tmp_path / "data").exists()


def test_the_error_for_a_folder_in_use_names_it_once_and_the_server(tmp_path):
    with Hjall(tmp_path / "data") as server:
        code, said = run("serve", "--data", "./data", "--listen", "127.0.0.1:0", "--info-listen", "off", cwd=tmp_path)
        assert code == 4 and said.splitlines()[-1].startswith(f"hjall: the data folder {tmp_path / 'data'} is in use"), said
        code, said = run("compact", "--data", tmp_path / "data")
        assert code == 4 and f"hjall shell --server {server.address} -e \"major_compact 'TABLE'\"" in said, said


@pytest.mark.parametrize("listen, host, shown", [("0.0.0.0", None, "127.0.0.1"), ("[::]", None, "[::1]"), ("0.0.0.0", "db.example", "db.example")])
def test_the_error_for_a_folder_in_use_names_an_address_that_clients_can_use(tmp_path, listen, host, shown):
    named = ("--set", f"server.host={host}") if host else ()
    with Hjall(tmp_path / "data", "--listen", f"{listen}:0", *named) as server:
        code, said = run("compact", "--data", tmp_path / "data")
        assert code == 4 and re.search(rf"hjall shell --server {server.address} or {re.escape(shown)}:[1-9]\d* -e ", said), said


def test_the_error_for_a_folder_in_use_names_the_options_for_tls_and_users(tmp_path):
    pem, key = self_signed(tmp_path)
    subprocess.run([binary(), "user", "add", "ann", "--users", tmp_path / "users.toml"], input="secret\n", text=True, check=True, capture_output=True)
    with Hjall(tmp_path / "data", "--tls-cert", pem, "--tls-key", key, "--users", tmp_path / "users.toml") as server:
        code, said = run("compact", "--data", tmp_path / "data")
        assert code == 4 and f"hjall shell --server {server.address} --tls --tls-ca FILE --user NAME -e " in said, said


def test_commands_say_what_they_have_done(tmp_path):
    with Hjall(tmp_path / "data"):
        pass

    def printed(*arguments):
        return subprocess.run([binary(), *arguments], cwd=tmp_path, capture_output=True, text=True, timeout=60, check=True).stdout.splitlines()

    assert printed("backup", "copy", "--data", "data") == [f"backup completed: {tmp_path / 'copy'}"]
    assert printed("verify", "--data", "copy")[-1] == "no damage found"
    assert printed("restore", "copy") == [f"restored to {tmp_path / 'hjall-data'}"]


@pytest.mark.parametrize("command", [("backup", "to"), ("verify",), ("compact",)])
def test_an_empty_folder_is_no_database(tmp_path, command):
    """Such as the mount point of a disk that is not mounted."""
    (tmp_path / "empty").mkdir()
    done = subprocess.run([binary(), *command, "--data", tmp_path / "empty"], cwd=tmp_path, capture_output=True, text=True, timeout=60)
    assert done.returncode == 2 and "is empty" in done.stderr and "mounted" in done.stderr, done.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["empty"] and not list((tmp_path / "empty").iterdir())


@pytest.mark.skipif(not hasattr(resource, "prlimit"), reason="the limits of another process are Linux's")
def test_an_incremental_backup_of_a_full_disk_names_that_disk(tmp_path):
    """The destination could be on another disk, so it is not named."""
    with Hjall(tmp_path / "data") as server:
        database = happybase.Connection("127.0.0.1", server.port)
        database.create_table("t", {"f": {}})
        server.limit_file_size(10)
        with pytest.raises(Exception, match="the disk is full"):
            database.table("t").put(b"r", {b"f:q": b"v"})
        code, said = run("backup", "--incremental", tmp_path / "copy", "--data", tmp_path / "data")
        server.limit_file_size()
        database.close()
    assert code == 10 and f"the database in {tmp_path / 'data'} refuses writes" in said, (code, said)
    assert "the disk is that of" not in said, said
    assert any("a write failed" in line and f"folder={tmp_path / 'data'} " in line for line in server.said), server.said


@pytest.mark.skipif(os.geteuid() != 0 or sys.platform != "linux", reason="only root can mount a small file system")
def test_a_backup_and_a_check_of_a_full_disk_end_with_their_results(tmp_path):
    """The data in the journals cannot be written to files."""
    disk = tmp_path / "disk"
    disk.mkdir()
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=8m", "tmpfs", disk], capture_output=True, timeout=60).returncode != 0:
        pytest.skip("this process may not mount file systems")
    try:
        with Hjall(disk / "data") as server:
            database = happybase.Connection("127.0.0.1", server.port)
            database.create_table("t", {"f": {}})
            for row in range(4):
                database.table("t").put(b"%d" % row, {b"f:q": os.urandom(100_000)})
            database.close()
            server.kill()
        with open(disk / "filler", "wb", buffering=0) as filler, pytest.raises(OSError):
            while True:
                filler.write(bytes(4096))
        data = ("--data", disk / "data")
        for extent in ([], ["--incremental"]):
            copy = tmp_path / f"copy{len(extent)}"
            code, said = run("backup", *extent, copy, *data)
            assert code == 0 and "the backup is complete, but closing the data folder failed" in said, (code, said)
            assert run("verify", "--data", copy) == (0, "")
        done = subprocess.run([binary(), "verify", *data], capture_output=True, text=True, timeout=60)
        assert done.returncode == 10 and done.stdout.endswith("no damage found\n") and "the disk is full" in done.stderr, done
        code, said = run("restore", disk / "data", "--data", tmp_path / "restored")
        assert code == 0, said
    finally:
        subprocess.run(["umount", disk], check=True, timeout=60)


def test_a_new_database_is_logged_once(tmp_path):
    for expected in (1, 0):
        with Hjall(tmp_path / "data") as server:
            pass
        lines = [line for line in server.said if "a new database was created" in line]
        assert len(lines) == expected and all(f"folder={tmp_path / 'data'}\n" in line for line in lines), server.said


def test_a_backup_that_is_in_use_is_not_restored(tmp_path):
    with Hjall(tmp_path / "backup"):
        code, said = run("restore", tmp_path / "backup", "--data", tmp_path / "new")
    assert code == 4 and f"the data folder {tmp_path / 'backup'} is in use" in said and "(--data)" not in said, said
    assert "hjall backup DEST --data" in said


def test_a_link_to_nothing_is_named(tmp_path):
    (tmp_path / "link").symlink_to("absent")
    code, said = run("serve", "--data", tmp_path / "link", "--listen", "127.0.0.1:0", "--info-listen", "off")
    assert code == 6 and f"{tmp_path / 'link'} is a symbolic link to absent, which does not exist" in said, said


@pytest.mark.skipif(sys.platform != "linux", reason="the line is for GNU date")
def test_the_documented_line_removes_old_backups_by_their_names(tmp_path):
    guide = (ROOT / "docs" / "running.md").read_text()
    line = next(line for line in guide.splitlines() if "14 days ago" in line).split(" hjall ", 1)[1]
    today = datetime.datetime.now().date()  # noqa: DTZ005
    names = {days: (today - datetime.timedelta(days=days)).isoformat() for days in (0, 13, 15, 400)}
    for name in [*names.values(), "2020-01-01.part", "restored"]:
        (tmp_path / name).mkdir()
        (tmp_path / name / "FORMAT").write_text("")
    for _ in range(2):
        # cron replaces the backslash before the percent sign.
        subprocess.run(["sh", "-c", line.replace("\\%", "%").replace("/var/backups/hjall", str(tmp_path))], timeout=60, check=False)
    assert {path.name for path in tmp_path.iterdir()} == {names[0], names[13], "2020-01-01.part", "restored"}
