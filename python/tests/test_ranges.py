"""Counting and deleting ranges of rows, tables that may exist, figures, and the progress of long calls."""

import asyncio
import datetime

import pytest

import hjall
from hjall import aio
from hjall.filters import PrefixFilter


@pytest.fixture
def db(tmp_path):
    with hjall.open(tmp_path / "db") as database:
        database.create_table("t", {"f": {}, "g": {}})
        yield database


@pytest.fixture
def table(db):
    table = db.table("t")
    with table.batch() as batch:
        for n in range(25_000):
            batch.put(b"%05d" % n, {b"f:n": b"%d" % (n % 10)})
        batch.put(b"a", {b"g:x": b"1", b"f:n": b"1"})
    return table


def test_count(table):
    assert table.count() == 25_001
    assert table.count(row_prefix=b"0") == 10_000
    assert table.count(b"24990", b"a") == 10
    assert table.count(columns=[b"g"]) == 1
    assert table.count(filter="ValueFilter(=, 'binary:3')") == 2500
    assert table.count(filter=PrefixFilter(b"1")) == 10_000
    seen = []
    table.count(progress=seen.append)
    assert seen == [10_000, 20_000, 25_001]
    with pytest.raises(ZeroDivisionError):
        table.count(progress=lambda rows: 1 / 0)
    with pytest.raises(hjall.TableNotFound):
        table.connection.table("none").count()


def test_delete_rows(table):
    seen = []
    assert table.delete_rows(row_prefix=b"0", progress=seen.append) == 10_000 == seen[-1]
    assert table.delete_rows(row_start=b"10000", row_stop=b"11000", filter="ValueFilter(=, 'binary:3')") == 100
    assert table.count() == 14_901
    assert table.delete_rows(row_start=b"2") == 5001 and table.count() == 9900
    with pytest.raises(TypeError, match="truncate_table"):
        table.delete_rows()
    with pytest.raises(TypeError, match="row_prefix cannot be combined"):
        table.delete_rows(row_start=b"a", row_prefix=b"b")
    # A key computed from an empty identifier must not delete all rows. Neither must `delete_rows(key)`.
    for empty in {"row_prefix": b""}, {"row_start": b""}, {"row_start": b"", "row_stop": b""}:
        with pytest.raises(hjall.InvalidArgument, match="truncate_table"):
            table.delete_rows(**empty)
    with pytest.raises(TypeError, match="positional"):
        table.delete_rows(b"0001")
    assert table.count() == 9900
    assert table.delete_rows(row_start=b"", row_stop=b"11500") == 1400


PREFIXES = [b"r", b"r1", b"q", b"s", b"", b"\xff", b"\xff\xff", b"none"]
PREFIX_SCANS = {
    "scan": lambda table, **given: [key for key, _ in table.scan(**given)],
    "scan_cells": lambda table, **given: [found.row for found in table.scan_cells(**given)],
    "scan_arrow": lambda table, **given: table.scan_arrow(["f:n"], **given).to_polars()["row"].to_list(),
    "aio scan": lambda table, **given: asyncio.run(keys_of(aio_table(table).scan(**given))),
    "aio scan_cells": lambda table, **given: asyncio.run(keys_of(aio_table(table).scan_cells(**given))),
}


def aio_table(table):
    """The table for asyncio."""
    return aio.Database.sharing(table.connection, threads=1).table(table.name)


async def keys_of(scan):
    """The row keys of a scan."""
    return [found[0] async for found in scan]


@pytest.mark.parametrize("scan", PREFIX_SCANS.values(), ids=PREFIX_SCANS)
@pytest.mark.parametrize("reverse", [False, True])
def test_a_prefix_selects_the_same_rows_in_both_directions(db, scan, reverse):
    table = db.table("t")
    rows = [b"q", b"r", b"r1", b"r2", b"s", b"s1", b"\xff", b"\xff\xff", b"\xff\xff1"]
    for row in rows:
        table.put(row, {b"f:n": b"1", b"g:n": row})
    for prefix in PREFIXES:
        expected = [row for row in rows if row.startswith(prefix)][:: -1 if reverse else 1]
        assert scan(table, row_prefix=prefix, reverse=reverse) == expected, prefix
        assert scan(table, row_prefix=prefix, reverse=reverse, limit=2) == expected[:2], prefix
    if not reverse:
        return
    for filter, expected in (
        ("PageFilter(2)", [b"r2", b"r1"]),
        ("FamilyFilter(=, 'binary:f') AND RowFilter(!=, 'binary:r2')", [b"r1", b"r"]),
        ("RowFilter(=, 'binary:r') OR RowFilter(=, 'binary:s')", [b"r"]),
        (PrefixFilter(b"r1"), [b"r1"]),
    ):
        assert scan(table, row_prefix=b"r", reverse=True, filter=filter) == expected


def test_if_not_exists(db, table):
    db.create_table("t", {"other": {}}, if_not_exists=True)
    assert sorted(table.families()) == [b"f", b"g"] and table.count() == 25_001
    db.create_table("u", {"f": {}}, if_not_exists=True)
    with pytest.raises(hjall.TableExists, match=r"table u already exists: .* if_not_exists=True"):
        db.create_table("u", {"f": {}})
    with pytest.raises(hjall.NamespaceNotFound):
        db.create_table("no:t", {"f": {}}, if_not_exists=True)


def test_figures(db, table):
    assert db.table_statistics("t")["writes"] >= 25_001
    db.flush_table("t")
    figures = db.table_statistics("t")
    assert figures["file_bytes"] > 1000 and figures["files"] >= 1 and figures["regions"] == 1
    table.row(b"a")
    assert db.table_statistics("t")["reads"] == figures["reads"] + 1
    assert db.statistics()["disk_bytes"] >= figures["file_bytes"]
    with pytest.raises(hjall.TableNotFound):
        db.table_statistics("none")


def test_progress_of_copies(db, table, tmp_path):
    seen = []
    db.backup(tmp_path / "copy", progress=lambda *state: seen.append(state))
    assert seen[-1][:2] == (b"t", b"g") and seen[-1][2] == 25_002 and seen[-1][3] > 25_000
    assert [state[2] for state in seen] == sorted(state[2] for state in seen)
    seen.clear()
    hjall.restore(tmp_path / "copy", tmp_path / "again", progress=lambda *state: seen.append(state))
    assert seen[-1][2] == 25_002

    def stop(*_):
        raise InterruptedError

    with pytest.raises(InterruptedError):
        db.backup(tmp_path / "stopped", progress=stop)


@pytest.mark.parametrize("incremental", [False, True])
def test_a_copy_has_ended_when_an_exception_from_progress_is_raised(db, table, tmp_path, incremental):
    """Nothing runs on behind the program's back: no files appear, and the call can be repeated."""

    def stop(*_):
        raise InterruptedError

    def backup(**options):
        db.backup(tmp_path / "copy", incremental=incremental, **options)

    with pytest.raises(InterruptedError):
        backup(progress=stop)
    assert not list(tmp_path.glob("*.part"))
    # The last call of `progress` is made when the copy is complete.
    if not (tmp_path / "copy").exists():
        backup()
    with pytest.raises(InterruptedError):
        hjall.restore(tmp_path / "copy", tmp_path / "again", progress=stop)
    if not (tmp_path / "again").exists() or not list((tmp_path / "again").iterdir()):
        hjall.restore(tmp_path / "copy", tmp_path / "again")
    with hjall.open(tmp_path / "again") as again:
        assert again.table("t").count() == table.count()


def test_progress_of_compactions(tmp_path):
    with hjall.open(tmp_path / "db") as db:
        db.create_table("t", {"f": {}})
        with db.table("t").batch(batch_size=1000) as batch:
            for n in range(3000):
                batch.put(b"%05d" % n, {b"f:a": b"x" * 500})
        db.flush_table("t")
        seen = []
        db.compact_table("t", major=True, progress=seen.append)
        assert seen and seen == sorted(set(seen)) and 1_000_000 < seen[-1] < 3_000_000, seen

        def stop(_):
            raise InterruptedError

        with pytest.raises(InterruptedError):
            db.compact_table("t", major=True, progress=stop)
        db.compact_table("t", major=True, progress=None)
        assert db.table("t").count() == 3000


def test_a_clock_takes_a_timedelta():
    clock = hjall.ManualClock(1000)
    clock.advance(datetime.timedelta(minutes=2, milliseconds=3))
    assert clock.now_ms == 121_003
    clock.advance(datetime.timedelta(milliseconds=-3))
    assert clock.now_ms == 121_000
    with pytest.raises(TypeError, match="timedelta"):
        clock.advance("1 minute")


def test_representations(db, table):
    from hjall.filters import SubstringComparator, ValueFilter

    scan = table.scan(row_prefix=b"a", limit=2)
    assert repr(scan) == "<scan of b't': row_prefix=b'a', limit=2>"
    assert repr(table.scan()) == "<scan of b't'>"
    assert repr(table.scan(batch_size=5, reverse=True)) == "<scan of b't': batch_size=5, reverse=True>"
    assert repr(table.batch()).startswith("<hjall.batch.Batch of b't'")
    assert repr(table.scan_cells(versions=None)) == "<scan of b't': versions=None>"
    frame = table.scan_arrow({"f:n": "int_text"}, row_prefix=b"a", row_type="utf8")
    assert repr(frame) == "<Arrow scan of b't': columns={'f:n': 'int_text'}, row_prefix=b'a'>"
    assert repr(table.scan_arrow(layout="cells", limit=1)) == "<Arrow scan of b't': layout=\"cells\", limit=1>"
    assert "&#x27;f:n&#x27;" in frame._repr_html_() and "<table" in frame._repr_html_()
    pool = hjall.ConnectionPool(2, database=db)
    with pool.connection():
        assert repr(pool) == "<hjall.pool.ConnectionPool: 1 of 2 connections are free>"
    either = PrefixFilter(b"a") | ValueFilter("=", SubstringComparator("x"))
    assert repr(either & PrefixFilter(prefix=b"b")) == (
        "(PrefixFilter(b'a') | ValueFilter('=', SubstringComparator('x'))) & PrefixFilter(prefix=b'b')"
    )
    table.put(b"html", {b"f:<b>": b"<i>", b"f:raw": b"\xff"})
    html = table.scan(row_prefix=b"html")._repr_html_()
    assert "&lt;i&gt;" in html and "<i>" not in html and "f:&lt;b&gt;" in html and "\\xff" in html
    assert "<table>" in table._repr_html_() and "@" in table.scan_cells(row_prefix=b"html")._repr_html_()
    assert list(scan) == [(b"a", {b"f:n": b"1", b"g:x": b"1"})]


def test_representations_show_the_error_of_a_preview(db, table):
    none = db.table("none")
    broken = (none, none.scan(), none.scan_cells(), none.scan_arrow(["f:n"]), none.scan_arrow())
    for shown in broken:
        assert "table none does not exist" in shown._repr_html_() and "none" in repr(shown)
    assert "limit must be at least 1" in table.scan(limit=0)._repr_html_()
    assert "(1 byte) cannot be read as int64" in table.scan_arrow({"f:n": "int64"})._repr_html_()
    db.close()
    for shown in (table, table.scan(), table.scan_arrow(["f:n"])):
        assert "the database is closed" in shown._repr_html_()


def test_a_scan_is_a_generator(table):
    scan = table.scan()
    assert next(scan)[0] == b"00000" and next(scan)[0] == b"00001"
    assert next(iter(scan))[0] == b"00002"
    scan.close()
    assert list(scan) == []
    broken = table.scan(limit=0)
    with pytest.raises(ValueError, match="limit must be at least 1"):
        next(broken)
