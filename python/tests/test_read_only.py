"""Openings for reading only, while another process writes."""

import asyncio
import os
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
    with pytest.raises(
        hjall.Locked, match=r"or open it with read_only=True.* is a server, connect to it with HappyBase"
    ):
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


WITHOUT_LINKS = """
import ctypes, errno, os, pathlib, struct, sys, tempfile
import hjall

# A seccomp filter with which link and linkat fail as they do on file systems without hard links.
numbers = {"x86_64": (86, 265), "aarch64": (37,)}[os.uname().machine]
load, equal, give, refuse, allow = 0x20, 0x15, 0x06, 0x0005_0000 | errno.EPERM, 0x7FFF_0000
program = [(load, 0, 0, 0)]
program += [(equal, len(numbers) - n, 0, number) for n, number in enumerate(numbers)]
program += [(give, 0, 0, allow), (give, 0, 0, refuse)]
code = ctypes.create_string_buffer(b"".join(struct.pack("=HBBI", *line) for line in program))
libc = ctypes.CDLL(None, use_errno=True)
assert libc.prctl(38, 1, 0, 0, 0) == 0  # PR_SET_NO_NEW_PRIVS, without which a filter needs privileges
filter = ctypes.create_string_buffer(struct.pack("HL", len(program), ctypes.addressof(code)))
if libc.prctl(22, 2, filter, 0, 0) != 0:  # PR_SET_SECCOMP, SECCOMP_MODE_FILTER
    sys.exit(77)
try:
    os.link(__file__, tempfile.mkdtemp() + "/link")
except PermissionError:
    pass
else:
    raise AssertionError("links can be made")

with hjall.open(sys.argv[1], read_only=True) as db:
    assert db.table("t").row(b"row") == {b"a:n": b"1", b"b:n": b"1"}
    assert db.table("t").count() == 2
    copies = list(pathlib.Path(tempfile.gettempdir()).glob(".hjall-read-*/data/keyspaces/*/tables/*"))
    assert copies and all(copy.stat().st_nlink == 1 for copy in copies)
"""


@pytest.mark.skipif(
    sys.platform != "linux" or os.uname().machine not in ("x86_64", "aarch64"), reason="needs seccomp filters"
)
def test_files_are_copied_where_they_cannot_be_linked(tmp_path):
    with hjall.open(tmp_path / "db") as db:
        db.create_table("t", {"a": {}, "b": {}})
        table = db.table("t")
        table.put(b"row", {b"a:n": b"1", b"b:n": b"1"})
        table.put(b"1", {b"a:n": b"1"})
        db.flush_table("t")
        temporary = tmp_path / "temporary"
        temporary.mkdir()
        (tmp_path / "program.py").write_text(WITHOUT_LINKS)
        command = [sys.executable, str(tmp_path / "program.py"), str(tmp_path / "db")]
        run = subprocess.run(command, env={**os.environ, "TMPDIR": str(temporary)})
        if run.returncode == 77:
            pytest.skip("this kernel, or a container, allows no seccomp filters")
        assert run.returncode == 0
        assert not list(temporary.glob(".hjall-read-*"))
