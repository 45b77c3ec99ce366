"""`hjall user add` changes the contents of a users file, and neither its place nor who can read it."""
import os
import pathlib
import shutil
import subprocess
import tempfile

import pytest

from serving import ROOT, binary

# A user and a group that the tests do not run as.
OTHER, GROUP = 61234, 61235


def add(name, path, **options):
    return subprocess.run([binary(), "user", "add", name, "--users", path, "--read", "*"], input="secret\n",
                          capture_output=True, text=True, timeout=60, **options)


@pytest.fixture
def open_folder():
    """A folder that every user can write to."""
    folder = pathlib.Path(tempfile.mkdtemp(prefix="hjall-test-"))
    folder.chmod(0o777)
    yield folder
    shutil.rmtree(folder)


def test_a_file_is_changed_through_links(tmp_path):
    (tmp_path / "real").mkdir()
    real, near, far = tmp_path / "real" / "users.toml", tmp_path / "near.toml", tmp_path / "far.toml"
    assert add("alice", real).returncode == 0
    real.chmod(0o640)
    near.symlink_to("real/users.toml")
    far.symlink_to(near)
    done = add("bob", far)
    assert done.returncode == 0, done.stderr
    assert near.is_symlink() and far.is_symlink() and not real.is_symlink()
    assert "[users.\"bob\"]" in real.read_text() and real.stat().st_mode & 0o777 == 0o640
    assert sorted(path.name for path in real.parent.iterdir()) == ["users.toml"]


def test_the_form_of_a_file_stays(tmp_path):
    path = tmp_path / "users.toml"
    before = b'\xef\xbb\xbf# a comment\r\n[users.old]\r\npassword = "x"\r\n'
    assert add("first", tmp_path / "hashed").returncode == 0
    hashed = (tmp_path / "hashed").read_text().split("password = ")[1].split("\n")[0].encode()
    path.write_bytes(before.replace(b'"x"', hashed))
    for command in (["add", "bob", "--read", "*"], ["passwd", "old"], ["remove", "bob"]):
        done = subprocess.run([binary(), "user", *command, "--users", path], input="secret\n", capture_output=True,
                              text=True, timeout=60)
        assert done.returncode == 0, done.stderr
        text = path.read_bytes()
        assert text.startswith(b"\xef\xbb\xbf# a comment\r\n") and text.count(b"\r\n") == text.count(b"\n"), text
        assert text.count(b"\xef\xbb\xbf") == 1


def test_a_password_that_a_login_cannot_carry_is_refused(tmp_path):
    done = subprocess.run([binary(), "user", "add", "a", "--users", tmp_path / "u", "--read", "*"], input="a\0b\n",
                          capture_output=True, text=True, timeout=60)
    assert done.returncode == 2 and "NUL" in done.stderr
    assert not (tmp_path / "u").exists()


def test_no_user_of_the_documents_can_log_in(tmp_path):
    """The hashes of the sample in docs/security.md are refused, so that it cannot be used as it is."""
    sample = (ROOT / "docs" / "security.md").read_text().split("```toml\n")[1].split("```")[0]
    path = tmp_path / "users.toml"
    path.write_text(sample)
    done = subprocess.run([binary(), "user", "check", "--users", path], capture_output=True, text=True, timeout=60)
    assert done.returncode == 2
    assert "users.alice.password " in done.stderr and "users.service@example.com.tokens " in done.stderr, done.stderr
    for line in done.stderr.splitlines():
        assert ".password" in line or ".tokens" in line, line


def test_what_cannot_be_replaced_is_refused_and_stays(tmp_path):
    dangling, pipe = tmp_path / "dangling.toml", tmp_path / "pipe"
    dangling.symlink_to("missing.toml")
    os.mkfifo(pipe)
    for path, why in ((dangling, "a symbolic link to a file that does not exist"), (pipe, "not a regular file"),
                      (tmp_path / "missing" / "users.toml", "No such file")):
        done = add("alice", path)
        assert done.returncode == 2 and why in done.stderr, done.stderr
    assert dangling.is_symlink() and sorted(path.name for path in tmp_path.iterdir()) == ["dangling.toml", "pipe"]


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files to others")
def test_root_leaves_the_file_to_its_owner(tmp_path):
    path = tmp_path / "users.toml"
    done = add("alice", path)
    assert f"{path} belongs to root" in done.stderr and f"chown USER {path}" in done.stderr
    os.chown(path, OTHER, GROUP)
    path.chmod(0o640)
    done = add("bob", path)
    now = path.stat()
    assert done.returncode == 0 and (now.st_uid, now.st_gid, now.st_mode & 0o777) == (OTHER, GROUP, 0o640)
    assert done.stderr == "" and "bob" in path.read_text()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can run commands as others")
def test_a_file_of_another_user_is_refused_before_the_password(open_folder):
    path = open_folder / "users.toml"
    assert add("alice", path).returncode == 0
    path.chmod(0o644)
    # Where every user can run it.
    program = shutil.copy(binary(), open_folder / "hjall")
    before = path.read_text()
    done = subprocess.run([program, "user", "add", "bob", "--users", path], stdin=subprocess.DEVNULL, capture_output=True,
                          text=True, timeout=60, user=OTHER, group=OTHER, extra_groups=[])
    assert done.returncode == 2 and "its owner and group (0:0)" in done.stderr and "as root" in done.stderr, done.stderr
    assert path.read_text() == before and path.stat().st_uid == 0
    assert sorted(each.name for each in open_folder.iterdir()) == ["hjall", "users.toml"]


def test_a_user_without_roles_and_a_list_of_tables_in_one_role_are_explained(tmp_path):
    def added(*roles):
        done = subprocess.run([binary(), "user", "add", "ann", "--users", tmp_path / "users.toml", *roles], input="secret\n",
                              capture_output=True, text=True, timeout=60)
        return done.returncode, done.stderr.strip()

    code, said = added("--read", "a,b")
    assert code != 0 and said.endswith('--read "a,b" names several tables: repeat --read for each of them'), said
    assert not (tmp_path / "users.toml").exists()
    code, said = added()
    assert code == 0 and "hjall: ann has no role, so it may do nothing yet; --read, --write and --admin give roles" in said, said


def test_users_are_removed_and_get_new_passwords(tmp_path):
    path = tmp_path / "users.toml"
    for name in ("alice", "bob", "svc@example.com"):
        assert add(name, path).returncode == 0
    path.write_text("# people\n" + path.read_text().replace('[users."bob"]', '# the second\n[users."bob"]'))
    path.chmod(0o640)

    def user(*arguments, given=""):
        done = subprocess.run([binary(), "user", *arguments, "--users", path], input=given, capture_output=True, text=True, timeout=60)
        return done.returncode, done.stdout + done.stderr

    before = path.read_text()
    code, said = user("passwd", "alice", given="other\n")
    assert (code, said) == (0, f"changed the password of alice in {path}; a running server reads it on SIGHUP\n")
    changed = [pair for pair in zip(before.splitlines(), path.read_text().splitlines(), strict=True) if pair[0] != pair[1]]
    assert len(changed) == 1 and changed[0][1].startswith('password = "$argon2id$')
    assert user("check", "alice", given="other\n")[0] == 0 and user("check", "bob", given="secret\n")[0] == 0
    assert user("remove", "svc@example.com")[0] == user("remove", "alice")[0] == 0
    left = path.read_text()
    assert "alice" not in left and "svc" not in left and '# the second\n[users."bob"]' in left and path.stat().st_mode & 0o777 == 0o640
    for command in ("remove", "passwd"):
        code, said = user(command, "alice", given="x\n")
        assert code == 2 and f"{path}: there is no user alice" in said
    assert path.read_text() == left
    assert "has no user left who can log in" in user("remove", "bob")[1]
