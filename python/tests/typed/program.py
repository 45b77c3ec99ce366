"""A typed program: mypy --strict checks it, and a test runs it."""

from __future__ import annotations

import asyncio

import polars
from typing_extensions import assert_type

import hjall
from hjall import aio
from hjall.arrow import ArrowScan, ArrowTable, decimal
from hjall.filters import ColumnPrefixFilter, Filter, PrefixFilter


def rows_and_batches(db: hjall.Database) -> list[bytes]:
    """Writes rows and reads them back."""
    db.create_table("users", {"info": {"max_versions": 3, "time_to_live": 3600}}, split_keys=[b"m"])
    users: hjall.Table = db.table("users")
    users.put(b"ann", {b"info:name": b"Ann", b"info:n": (7).to_bytes(8, "big")})
    with users.batch(batch_size=100) as batch:
        batch.put(bytearray(b"bob"), {b"info:name": memoryview(b"Bob")})
        batch.delete(b"nobody")
    row = users.row(b"ann", columns=[b"info:name"], time_range=(0, 2**60))
    assert row[b"info:name"] == b"Ann"
    assert_type(users.counter_inc(b"ann", b"info:n"), int)
    assert_type(users.exists(b"bob"), bool)
    assert_type(users.row(b"ann"), dict[bytes, bytes])
    assert_type(users.row(b"ann", include_timestamp=True), dict[bytes, tuple[bytes, int]])
    assert_type(next(users.scan())[1], dict[bytes, bytes])
    assert_type(next(users.scan(include_timestamp=True))[1], dict[bytes, tuple[bytes, int]])
    name_filter: Filter = PrefixFilter(b"a") & ColumnPrefixFilter(b"na")
    return [key for key, _ in users.scan(filter=name_filter, limit=10)]


def frames(db: hjall.Database) -> polars.DataFrame:
    """Writes a frame and reads one."""
    users = db.table("users")
    written = users.load_arrow(polars.DataFrame({"id": ["eve"], "age": [33]}), row="id", family="info")
    assert_type(written, int)
    scan = users.scan_arrow({"info:name": "utf8", b"info:age": int}, row_type=str, errors="null")
    assert_type(scan, ArrowScan)
    assert_type(scan.collect(), ArrowTable)
    return scan.to_polars()


def text(db: hjall.Database) -> dict[bytes, bytes]:
    """Passes `str` to a database with an encoding."""
    db.create_table("text", {"f": {}})
    table = db.table("text")
    table.put("a", {"f:x": "1", "f:y": b"2"})
    table.put("a", {"f:z": ("3", 5), b"f:v": memoryview(b"4")})
    table.put("b", [("f:x", "1"), (b"f:y", b"2", 5)])
    table.append("a", {"f:x": "0"})
    table.increment("a", {"f:n": 1})
    table.bulk_load([("c", {"f:x": "1"})])
    table.put_many([(b"d", {b"f:x": b"1"}), (b"e", {b"f:x": b"1"})])
    table.check_and_put("a", "f:x", None, {"f:x": "1"})
    table.mutate_row("a", [hjall.Put({"f:w": "1"}), hjall.Delete(["f:y", hjall.Marker("version", "f:z")])])
    table.delete("b", ["f:x"])
    with table.batch(durability="SKIP_WAL") as batch:
        batch.put("f", {"f:x": "1"})
        batch.delete("c")
    columns: list[bytes] = [b"f:x"]
    assert_type(table.rows(["a"], columns=columns), list[tuple[bytes, dict[bytes, bytes]]])
    assert_type(table.cells("a", "f:x"), list[bytes])
    decoders = table.scan_arrow(
        {"f:x": "utf8", "f:d": decimal(18, 2), "f:l": "list(int64)", "f:p": polars.Decimal(9, 2)}
    )
    assert_type(decoders, ArrowScan)
    return table.row("a", columns=["f:x", "f:w"])


def refused(table: hjall.Table) -> None:
    """Mistakes that a type checker finds. `mypy --strict` refuses a comment that is not needed."""
    table.put(b"a", {b"f:x": 1})  # type: ignore[dict-item]
    table.put(b"a", {b"f:x": None})  # type: ignore[dict-item]
    table.put(b"a", {b"f:x": b"1"}, durability="FSYNC")  # type: ignore[arg-type]
    table.increment(b"a", {b"f:n": b"1"})  # type: ignore[dict-item]
    table.row(b"a", columns="f:x")  # type: ignore[arg-type]
    table.delete(b"a", b"f:x")  # type: ignore[arg-type]
    table.scan_arrow({"f:x": "flot"})  # type: ignore[dict-item]
    table.scan_arrow(values="flot")  # type: ignore[arg-type]
    hjall.Marker("cell", b"f:x")  # type: ignore[arg-type]
    hjall.open("d", durability="SKIP_WAL")  # type: ignore[arg-type]


async def awaited(path: str) -> int:
    """Uses `hjall.aio`."""
    async with aio.open(path, threads=2) as db:
        await db.create_table("t", {"f": {}})
        table = db.table("t")
        await table.put(b"r", {b"f:q": b"1"}, timestamp=5)
        assert_type(await table.counter_inc(b"c", b"f:n", 2), int)
        assert_type(await table.exists(b"r"), bool)
        assert_type(await table.row(b"r"), dict[bytes, bytes])
        assert_type(await table.row(b"r", include_timestamp=True), dict[bytes, tuple[bytes, int]])
        assert_type(await table.rows([b"r"]), list[tuple[bytes, dict[bytes, bytes]]])
        assert_type(await table.cells(b"r", b"f:q", include_timestamp=True), list[tuple[bytes, int]])
        async for _, stamped in table.scan(include_timestamp=True):
            assert_type(stamped, dict[bytes, tuple[bytes, int]])
        assert_type(table.scan_arrow(["f:q"], limit=1), aio.ArrowScan)
        async with db.serve(port=0) as server:
            assert_type(server, aio.Server)
        assert_type(await db.serve(port=0), aio.Server)
        return len([key async for key, _ in table.scan(limit=5)])


def main(path: str) -> None:
    """Runs all parts."""
    clock = hjall.ManualClock()
    with hjall.memory(clock=clock) as db:
        assert rows_and_batches(db) == [b"ann"]
        assert frames(db).height == 3
        clock.advance(3601 * 1000)
        assert list(db.table("users").scan()) == []
        try:
            db.table("none").row(b"r")
        except hjall.TableNotFound as error:
            assert isinstance(error, LookupError)
            assert_type(error.failures, tuple[tuple[bytes, hjall.Error], ...])
    with hjall.memory(encoding="utf-8") as db:
        assert text(db) == {b"f:w": b"1", b"f:x": b"10"}
    assert asyncio.run(awaited(path)) == 2
