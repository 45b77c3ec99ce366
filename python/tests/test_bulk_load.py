"""Bulk loads: sorted rows that are written to files directly."""

import asyncio
import os
import pathlib
import tracemalloc

import pyarrow
import pytest

import hjall
import hjall.aio


@pytest.fixture(params=["memory", "folder"])
def table(request, tmp_path):
    database = hjall.memory() if request.param == "memory" else hjall.open(tmp_path / "data")
    with database as db:
        db.create_table("t", {"f": {}, "g": {}})
        yield db.table("t")


def files(folder):
    return sorted(path for path in pathlib.Path(folder).glob("data/keyspaces/*/tables/*") if path.parts[-3] not in "01")


def test_loaded_rows_are_read_as_put_ones_are(table):
    rows = [(b"a", {b"f:b": b"2", b"g:": b"3", b"f:a": (b"1", 7)}), (b"b", [(b"f:x", b"y"), (b"f:x", b"z")])]
    assert table.bulk_load(rows) == 2
    assert table.row(b"a", include_timestamp=True)[b"f:a"] == (b"1", 7)
    assert list(table.scan()) == [(b"a", {b"f:a": b"1", b"f:b": b"2", b"g:": b"3"}), (b"b", {b"f:x": b"z"})]
    assert table.bulk_load(iter(rows), timestamp=9, ttl_ms=10**15) == 2
    assert table.bulk_load([]) == 0


def test_unsorted_rows_are_refused_and_leave_nothing(table):
    table.put(b"k", {b"f:q": b"kept"})
    with pytest.raises(ValueError, match=r'row "a" follows row "b"'):
        table.bulk_load([(b"b", {b"f:q": b"1"}), (b"a", {b"f:q": b"1"})])
    assert list(table.scan()) == [(b"k", {b"f:q": b"kept"})]


@pytest.mark.parametrize(
    "rows, error",
    [
        ([(b"a", {b"x:q": b"1"})], hjall.FamilyNotFound),
        ([(b"", {b"f:q": b"1"})], ValueError),
        ([(b"a", {})], ValueError),
        ([(b"a", {b"f:q": 1})], TypeError),
        ([b"a"], (TypeError, ValueError)),
        (5, TypeError),
    ],
)
def test_bad_rows_are_refused_as_in_puts(table, rows, error):
    with pytest.raises(error):
        table.bulk_load(rows)
    assert list(table.scan()) == []


def test_an_exception_of_the_iterable_ends_the_load_and_removes_its_files(tmp_path):
    with hjall.open(tmp_path) as db:
        db.create_table("t", {"f": {}})
        table = db.table("t")

        def failing():
            for n in range(20_000):
                yield b"%06d" % n, {b"f:q": b"v" * 500}
            raise RuntimeError("no more")

        with pytest.raises(RuntimeError, match="no more"):
            table.bulk_load(failing())
        assert files(tmp_path) == []
        with pytest.raises(ZeroDivisionError):
            table.bulk_load(((b"%06d" % n, {b"f:q": b"v"}) for n in range(5_000)), progress=lambda rows: 1 // 0)
        assert list(table.scan()) == [] and files(tmp_path) == []


def test_many_rows_take_little_memory_and_progress_is_reported(tmp_path):
    with hjall.open(tmp_path) as db:
        db.create_table("t", {"f": {}})
        table, reports = db.table("t"), []
        tracemalloc.start()
        try:
            assert (
                table.bulk_load(((b"%08d" % n, {b"f:q": b"v" * 100}) for n in range(50_000)), progress=reports.append)
                == 50_000
            )
            assert tracemalloc.get_traced_memory()[1] < 4 << 20
        finally:
            tracemalloc.stop()
        assert reports == sorted(reports) and len(reports) == 50
        assert table.count() == 50_000
    with hjall.open(tmp_path) as db:
        assert db.table("t").count() == 50_000


def test_a_table_can_be_used_and_the_database_closed_while_rows_are_read(tmp_path):
    db = hjall.open(tmp_path)
    db.create_table("t", {"f": {}})
    table = db.table("t")

    def rows():
        table.put(b"z", {b"f:q": b"put"})
        yield b"a", {b"f:q": b"1"}
        db.close()
        for n in range(5_000):
            yield b"b%04d" % n, {b"f:q": b"1"}

    with pytest.raises(hjall.Closed):
        table.bulk_load(rows())
    with hjall.open(tmp_path) as db:
        assert list(db.table("t").scan()) == [(b"z", {b"f:q": b"put"})]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_fork_during_a_load_does_not_hang(tmp_path):
    with hjall.open(tmp_path) as db:
        db.create_table("t", {"f": {}})

        def rows():
            yield b"a", {b"f:q": b"1"}
            child = os.fork()
            if child == 0:
                raise KeyboardInterrupt
            assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
            yield b"b", {b"f:q": b"1"}

        parent = os.getpid()
        try:
            assert db.table("t").bulk_load(rows()) == 2
        finally:
            if os.getpid() != parent:
                os._exit(0)
        assert db.table("t").count() == 2


def test_loads_are_awaitable():
    async def load():
        async with hjall.aio.memory() as db:
            await db.create_table("t", {"f": {}})
            assert await db.table("t").bulk_load([(b"a", {b"f:q": b"1"})]) == 1
            return await db.table("t").row(b"a")

    assert asyncio.run(load()) == {b"f:q": b"1"}


def test_arrow_data_is_loaded_in_bulk(table):
    data = pyarrow.table({"id": [b"a", b"b", b"c"], "f:n": pyarrow.array([1, None, 3], pyarrow.int32())})
    assert table.load_arrow(data, "id", bulk=True, batch_rows=1) == 2
    assert dict(table.scan()) == {b"a": {b"f:n": b"\0\0\0\1"}, b"c": {b"f:n": b"\0\0\0\3"}}
    with pytest.raises(ValueError, match='row "a" follows row "c"'):
        table.load_arrow(data.take([2, 0]), "id", bulk=True, timestamp=99)
    with pytest.raises(hjall.FamilyNotFound):
        table.load_arrow(data.append_column("x:q", [[b"1", b"2", b"3"]]), "id", bulk=True, timestamp=99)
    assert table.count() == 2 and table.row(b"a", include_timestamp=True)[b"f:n"][1] != 99
    with pytest.raises(TypeError, match="durability"):
        table.load_arrow(data, "id", bulk=True, durability="SYNC_WAL")
