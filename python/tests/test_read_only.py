"""Openings for reading only, while another process writes."""

import asyncio
import pickle
import subprocess
import sys

import pytest

import hjall
from hjall import aio

WRITER = """
import sys, hjall
db = hjall.open(sys.argv[1])
db.create_table("t", {"a": {}, "b": {}})
table = db.table("t")
for line in sys.stdin:
    number = line.strip().encode()
    table.put(b"row", {b"a:n": number, b"b:n": number})
    table.put(number, {b"a:n": number})
    print("done", flush=True)
"""


@pytest.fixture
def writer(tmp_path):
    """Another process that has a folder open, as a function that makes it write a number."""
    command = [sys.executable, "-c", WRITER, str(tmp_path / "db")]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:

        def write(number):
            process.stdin.write(f"{number}\n")
            process.stdin.flush()
            assert process.stdout.readline() == "done\n"

        yield write


def test_a_second_process_reads(writer, tmp_path):
    folder = tmp_path / "db"
    writer(1)
    with pytest.raises(hjall.Locked):
        hjall.open(folder)
    with hjall.open(folder, read_only=True) as db:
        table = db.table("t")
        writer(2)
        assert table.row(b"row") == {b"a:n": b"1", b"b:n": b"1"}
        assert [row for row, _ in table.scan()] == [b"1", b"row"]
        db.close()
        db.open()
        assert table.row(b"row") == {b"a:n": b"2", b"b:n": b"2"}
        with hjall.open(folder, read_only=True) as later:
            writer(3)
            assert later.table("t").row(b"row") == {b"a:n": b"2", b"b:n": b"2"}
    for number in range(4, 20):
        writer(number)
        with hjall.open(folder, read_only=True) as db:
            assert db.table("t").row(b"row") == {b"a:n": b"%d" % number, b"b:n": b"%d" % number}
            assert db.table("t").count() == number + 1
    assert sorted(path.name for path in tmp_path.iterdir()) == ["db"]


def test_asynchronously(writer, tmp_path):
    async def read():
        async with aio.open(tmp_path / "db", read_only=True) as db:
            assert await db.table("t").row(b"row", columns=[b"a"]) == {b"a:n": b"1"}
            with pytest.raises(hjall.ReadOnly):
                await db.table("t").put(b"r", {b"a:n": b"x"})

    writer(1)
    asyncio.run(read())


def test_changes_are_refused(writer, tmp_path):
    writer(1)
    with hjall.open(tmp_path / "db", read_only=True) as db:
        table = db.table("t")

        def batch():
            with table.batch() as batch:
                batch.put(b"r", {b"a:n": b"x"})

        for change in (
            lambda: table.put(b"r", {b"a:n": b"x"}),
            lambda: table.delete(b"row"),
            lambda: table.counter_inc(b"r", b"a:c"),
            batch,
            lambda: db.create_table("new", {"f": {}}),
            lambda: db.disable_table("t"),
            lambda: db.delete_table("t", disable=True),
            lambda: db.compact_table("t"),
        ):
            with pytest.raises(hjall.ReadOnly, match=r"was opened for reading only.*opening for writing") as raised:
                change()
            assert isinstance(raised.value, PermissionError)
            assert str(pickle.loads(pickle.dumps(raised.value))) == str(raised.value)
        assert table.row(b"row") == {b"a:n": b"1", b"b:n": b"1"}
        db.backup(tmp_path / "copy")
    with hjall.open(tmp_path / "copy") as db:
        assert db.table("t").count() == 2


def test_there_must_be_a_database(tmp_path):
    with pytest.raises(hjall.InvalidArgument, match=r"there is no database in .*missing.*create it"):
        hjall.open(tmp_path / "missing", read_only=True)
    with pytest.raises(hjall.InvalidArgument, match="there is no database in"):
        hjall.open(tmp_path, read_only=True)
    assert not list(tmp_path.iterdir())
    with pytest.raises(hjall.InvalidArgument, match="in memory cannot be opened for reading only"):
        hjall.memory(read_only=True)
    with pytest.raises(TypeError, match="read_only"):
        hjall.open(tmp_path, read_only="no")
