"""Conversions of scans to frames: an index, and lazy frames."""

import polars
import pytest

import hjall


@pytest.fixture
def table():
    with hjall.memory() as db:
        db.create_table("t", {"f": {}})
        table = db.table("t")
        with table.batch() as batch:
            for n in range(1000):
                batch.put(b"r%04d" % n, {b"f:n": n.to_bytes(8, "big"), b"f:s": b"%d" % (n % 7)})
        yield table


def scanned(table, **options):
    return table.scan_arrow({"f:n": "int64", "f:s": "utf8"}, row_type="utf8", batch_rows=100, **options)


def test_pandas_with_an_index(table):
    frame = scanned(table, limit=3).to_pandas(index="row")
    assert frame.index.name == "row" and list(frame.index) == ["r0000", "r0001", "r0002"]
    assert list(frame.columns) == ["f:n", "f:s"] and frame.loc["r0002", "f:n"] == 2
    with pytest.raises(KeyError):
        scanned(table, limit=3).to_pandas(index="none")


def test_lazy_frames(table):
    lazy = scanned(table).to_lazy()
    assert isinstance(lazy, polars.LazyFrame)
    found = lazy.filter(polars.col("f:s") == "3").select("row", "f:n").head(2).collect()
    assert found.rows() == [("r0003", 3), ("r0010", 10)]
    assert lazy.select(polars.len()).collect().item() == 1000
    assert lazy.head(3).collect().height == 3
    table.put(b"r9999", {b"f:n": (5).to_bytes(8, "big"), b"f:s": b"x"})
    assert lazy.collect().equals(scanned(table).to_polars())
