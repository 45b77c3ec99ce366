"""A backup of a running server has each row as it was at one moment of the backup, and all rows at the same moment."""

import random
import subprocess
import threading
import time

import pytest

from calls import Thrift1, one
from checker import Operation
from client import read_all
from rounds import ROWS, Rounds, start
from serving import Hjall, binary

LADDER = [(b"plain", b"ladder"), (b"ordered", b"ladder")]


def hjall(*arguments):
    """Runs a command of the binary."""
    done = subprocess.run([binary(), *arguments], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, f"{arguments}: {done.stderr}"


class Ladder(threading.Thread):
    """Writes each number to one table, and then to the other, until `enough` is set."""

    def __init__(self, port):
        super().__init__(daemon=True)
        self.port, self.enough, self.begun = port, threading.Event(), threading.Event()

    def run(self):
        with Thrift1(self.port) as client:
            number = 0
            while not self.enough.is_set():
                number += 1
                for table, row in LADDER:
                    client.one.mutateRow(table, row, [one.Mutation(column=b"f:a", value=b"%d" % number)], {})
                self.begun.set()


def steps(port):
    """The numbers that a ladder has come to."""
    with Thrift1(port) as client:
        return [int(client.one.get(table, row, b"f:a", {})[0].value) for table, row in LADDER]


@pytest.mark.parametrize("extent", [[], ["--incremental"]], ids=["full", "incremental"])
@pytest.mark.parametrize("end", ["go on", "kill"])
def test_a_backup_under_load_is_one_moment_of_the_database(end, extent, tmp_path):
    data, copy, back = (tmp_path / name for name in ("data", "copy", "back"))
    with start(data) as server:
        rounds = Rounds(server, "1", tmp_path / "kept", ends={end: 1})
        rounds.run()

        def back_up():
            ladder = Ladder(server.port)
            ladder.start()
            assert ladder.begun.wait(timeout=60)
            called = time.monotonic_ns()
            hjall("backup", *extent, copy, "--data", data)
            ended = time.monotonic_ns()
            ladder.enough.set()
            ladder.join()
            hjall("restore", copy, "--data", back)
            hjall("verify", "--data", back)
            with Hjall(back) as restored:
                first, second = steps(restored.port)
                assert first - second in (0, 1), f"one row is of step {first}, another of step {second}"
                found = read_all(restored.port, ROWS, random.Random("1"))
            return {
                key: [Operation(called, ended, read.what, read.result) for read in reads]
                for key, reads in found.items()
            }

        rounds.run(back_up)
        rounds.run()


def test_a_backup_ends_when_its_server_is_stopped(tmp_path):
    data, copy = tmp_path / "data", tmp_path / "copy"
    part = tmp_path / "copy.part"
    with Hjall(data) as server:
        with Thrift1(server.port) as client:
            client.one.createTable(b"t", [one.ColumnDescriptor(name=b"f:")])
            for number in range(600):
                value = random.Random(number).randbytes(100_000)
                client.one.mutateRow(b"t", b"%04d" % number, [one.Mutation(column=b"f:a", value=value)], {})
        command = subprocess.Popen([binary(), "backup", copy, "--data", data], stderr=subprocess.PIPE, text=True)
        while not part.exists():
            assert command.poll() is None, command.communicate()
        assert server.stop() == 0
        said = command.communicate(timeout=300)[1]
        assert command.returncode != 0, "the backup was complete before the server was stopped"
        assert "stop" in said or "clos" in said, said
        assert not part.exists() and not copy.exists()
    hjall("verify", "--data", data)
    hjall("backup", copy, "--data", data)


def test_a_backup_ends_with_its_server_or_its_command(tmp_path):
    data, copy = tmp_path / "data", tmp_path / "copy"
    with Hjall(data) as server, Thrift1(server.port) as client:
        client.one.createTable(b"t", [one.ColumnDescriptor(name=b"f:")])
        client.one.mutateRow(b"t", b"r", [one.Mutation(column=b"f:a", value=b"x")], {})
        assert (data / "control").stat().st_mode & 0o777 == 0o600
        server.kill()
        # A killed server leaves its socket behind. The command opens the folder itself then.
        assert (data / "control").is_socket()
        hjall("backup", copy, "--data", data)
        server.start()
        refused = subprocess.run(
            [binary(), "backup", copy, "--data", data], capture_output=True, text=True, timeout=300
        )
        assert refused.returncode == 2 and str(copy) in refused.stderr, refused
        assert server.stop() == 0
        assert not (data / "control").exists()
