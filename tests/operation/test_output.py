"""Output that cannot be written: a full disk is reported, and a reader that has gone is not."""
import pathlib
import subprocess

import pytest

from serving import Hjall, binary

FULL = pathlib.Path("/dev/full")

pytestmark = pytest.mark.skipif(not FULL.exists(), reason="only Linux has /dev/full")

COMMANDS = [
    ["--version"],
    ["--help"],
    ["help", "backup"],
    ["serve", "--help"],
    ["config"],
    ["config", "--default"],
    ["config", "--json"],
    ["user", "hash"],
    ["user", "token"],
    ["user", "check", "--users", "users.toml"],
    ["user", "add", "carol", "--users", "users.toml"],
    ["user", "add", "dave", "--users", "users.toml", "--no-password", "--token"],
    ["verify", "--data", "data"],
    ["repair", "--data", "data"],
    ["compact", "--data", "data"],
    ["backup", "copy", "--data", "data"],
    ["restore", "data", "--data", "restored"],
    ["shell", "-n", "-e", "list", "--data", "data"],
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with a database in `data` and a file of users."""
    folder = tmp_path_factory.mktemp("output")
    with Hjall(folder / "data") as server:
        subprocess.run([binary(), "shell", "-n", "--server", server.address, "-e", "create 't', 'f'"], check=True, capture_output=True, timeout=60)
    subprocess.run([binary(), "user", "add", "alice", "--users", folder / "users.toml"], input="secret\n", text=True, check=True,
                   capture_output=True, timeout=60)
    return folder


def run(command, folder, out):
    done = subprocess.run([binary(), *command], cwd=folder, input="secret\n", text=True, stdout=out, stderr=subprocess.PIPE, timeout=60)
    return done.returncode, done.stderr


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_output_that_cannot_be_written_is_a_failure(folder, command):
    with FULL.open("w") as full:
        code, said = run(command, folder, full)
    assert code == 1 if command[:2] != ["user", "add"] else code in (1, 2), (code, said)
    assert said.count("standard output cannot be written: No space left on device") == 1, said


def test_a_user_whose_token_was_not_shown_is_not_added(folder):
    before = (folder / "users.toml").read_text()
    with FULL.open("w") as full:
        code, said = run(["user", "add", "bob", "--users", "users.toml", "--no-password", "--token"], folder, full)
    assert code != 0 and "the user was not added" in said, said
    assert (folder / "users.toml").read_text() == before


@pytest.mark.parametrize("command", [["--help"], ["config", "--default"], ["verify", "--data", "data"]], ids=" ".join)
def test_a_reader_that_has_gone_is_no_failure(folder, command):
    reader = subprocess.Popen(["true"], stdin=subprocess.PIPE)
    reader.wait()
    code, said = run(command, folder, reader.stdin)
    reader.stdin.close()
    assert code == 0 and not said, (code, said)


def test_a_server_without_output_serves_and_warns(tmp_path):
    with FULL.open("w") as full:
        process = subprocess.Popen([binary(), "serve", "--memory", "--listen", "127.0.0.1:0", "--info-listen", "off"], stdout=full,
                                   stderr=subprocess.PIPE, text=True)
        # It writes to standard output after this line.
        for line in process.stderr:
            if "hjall is serving" in line:
                break
        process.terminate()
        rest = process.stderr.read()
        assert process.wait(timeout=60) == 0 and "standard output cannot be written" in rest, rest
        process.stderr.close()
