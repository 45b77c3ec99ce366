"""HappyBase: scans."""
import pytest


@pytest.fixture
def hundred(table):
    """Rows a00 to a49 with f:a and g:b, and b00 to b49 with f:a only."""
    with table.batch() as b:
        for i in range(50):
            b.put(b"a%02d" % i, {b"f:a": b"%d" % i, b"g:b": b"-"})
            b.put(b"b%02d" % i, {b"f:a": b"%d" % i})
    return table


def keys(scan):
    return [key for key, _ in scan]


def test_all_rows_in_order(hundred):
    assert keys(hundred.scan()) == [b"a%02d" % i for i in range(50)] + [b"b%02d" % i for i in range(50)]


def test_a_range_includes_its_start_and_excludes_its_stop(hundred):
    assert keys(hundred.scan(row_start=b"a48", row_stop=b"b01")) == [b"a48", b"a49", b"b00"]
    assert keys(hundred.scan(row_start=b"b49")) == [b"b49"]
    assert keys(hundred.scan(row_stop=b"a00\x00")) == [b"a00"]
    assert keys(hundred.scan(row_start=b"c")) == []


def test_a_prefix(hundred):
    assert keys(hundred.scan(row_prefix=b"b1")) == [b"b%02d" % i for i in range(10, 20)]
    hundred.put(b"b\xff\xff", {b"f:a": b"1"})
    assert keys(hundred.scan(row_prefix=b"b\xff")) == [b"b\xff\xff"]


def test_a_limit_and_any_batch_size(hundred):
    for batch_size in (1, 3, 10, 1000):
        assert keys(hundred.scan(row_prefix=b"a", limit=7, batch_size=batch_size)) == [b"a%02d" % i for i in range(7)]
        assert len(keys(hundred.scan(batch_size=batch_size))) == 100


def test_columns(hundred):
    assert list(hundred.scan(row_start=b"a49", row_stop=b"b01", columns=[b"g"])) == [(b"a49", {b"g:b": b"-"})]
    assert next(hundred.scan(columns=[b"f:a", b"g:absent"])) == (b"a00", {b"f:a": b"0"})
    assert keys(hundred.scan(columns=[b"f:absent"])) == []


def test_reverse(hundred):
    assert keys(hundred.scan(reverse=True, limit=3)) == [b"b49", b"b48", b"b47"]
    assert keys(hundred.scan(reverse=True, row_start=b"a02", row_stop=b"a00")) == [b"a02", b"a01"]
    assert keys(hundred.scan(reverse=True, row_prefix=b"a4")) == [b"a%02d" % i for i in range(49, 39, -1)]


def test_sorted_columns(table):
    row = {b"f:%03d" % i: b"%d" % i for i in range(100)}
    table.put(b"r", row)
    (key, cells), = table.scan(sorted_columns=True)
    assert key == b"r" and list(cells.items()) == sorted(row.items())


def test_a_scan_with_a_timestamp_returns_older_cells(table):
    table.put(b"r", {b"f:a": b"old"}, timestamp=10)
    table.put(b"r", {b"f:a": b"new"}, timestamp=20)
    assert list(table.scan(timestamp=20)) == [(b"r", {b"f:a": b"old"})]
    assert list(table.scan(timestamp=21, include_timestamp=True)) == [(b"r", {b"f:a": (b"new", 20)})]
    assert list(table.scan(timestamp=10)) == []


def test_a_scan_over_several_regions(db, table_name):
    # HappyBase cannot create a table with several regions, so another client creates it. Scans must not be affected.
    db.create_table(table_name, {"f": {}})
    table = db.table(table_name)
    with table.batch() as b:
        for i in range(5000):
            b.put(b"%05d" % i, {b"f:a": b"x" * 100})
    assert sum(1 for _ in table.scan(batch_size=777)) == 5000


def test_an_abandoned_scan_leaves_the_connection_usable(hundred):
    scan = hundred.scan(batch_size=5)
    next(scan)
    scan.close()
    assert hundred.row(b"a00", columns=[b"f"]) == {b"f:a": b"0"}
