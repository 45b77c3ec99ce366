"""The threads of a server, as docs/operations.md lists them: their names, and their priorities relative to the
process."""

import os
import pathlib
import re
import sys
import time

import happybase
import pytest
from serving import Hjall

OPERATIONS = pathlib.Path(__file__).resolve().parents[2] / "docs" / "operations.md"


def documented():
    """By how much the nice value of each thread is greater than that of the process, by its name."""
    section = OPERATIONS.read_text().split("\n## Threads\n")[1].split("\n## ")[0]
    nicer = {}
    for names, values in re.findall(r"^\| (`.*?) \| .* \| ([\d, ]+) \|$", section, re.M):
        names, values = re.findall(r"`(.*?)`", names), [int(value) for value in values.split(",")]
        nicer.update(zip(names, values * len(names) if len(values) == 1 else values, strict=True))
    return nicer


def threads(process):
    """Name and nice value of each thread."""
    found = set()
    for folder in pathlib.Path(f"/proc/{process}/task").iterdir():
        try:
            # The first thread has the name of the binary's file.
            name = "hjall" if folder.name == str(process) else (folder / "comm").read_text().strip()
            stat = (folder / "stat").read_text()
        except FileNotFoundError:
            continue
        found.add((re.sub(r"-\d+$", "-N", name), int(stat.rsplit(")", 1)[1].split()[16])))
    return found


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux has priorities of threads")
@pytest.mark.parametrize(("nice", "ratio", "lanes"), [(0, "0.5", {"hjall-read-N", "hjall-write-N"}),
                                                       (3, "0.5", {"hjall-read-N", "hjall-write-N"}), (0, "0", {"hjall-general-N"})])
def test_threads_have_the_documented_names_and_priorities(nice, ratio, lanes):
    command = ["nice", "-n", str(nice)]
    with Hjall(None, "--info-listen", "127.0.0.1:0", "--set", f"queues.read_ratio={ratio}", prefix=command) as server:
        connection = happybase.Connection("127.0.0.1", server.port)
        connection.create_table("t", {"f": {}})
        table = connection.table("t")
        with table.batch() as batch:
            for n in range(1000):
                batch.put(b"%d" % n, {b"f:q": b"v"})
        assert len(list(table.scan())) == 1000
        usual, nicer = os.nice(0) + nice, documented()
        # A thread lowers its priority when it has begun to run.
        until = time.monotonic() + 60
        while wrong := {(name, value) for name, value in threads(server.process.pid) if nicer.get(name) != value - usual}:
            assert time.monotonic() < until, wrong
        assert {name for name, _ in threads(server.process.pid)} >= {"hjall", "hjall-io-N", *lanes}
        connection.close()
