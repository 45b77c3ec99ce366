"""Conversions of scans to frames: an index, and lazy frames."""

import datetime
import decimal

import polars
import pyarrow
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


def test_dates_and_decimals(table):
    days = [datetime.date(1969, 12, 31), datetime.date(2024, 2, 29), None]
    amounts = [decimal.Decimal("-12.50"), decimal.Decimal("9999999999.99"), decimal.Decimal("0.00")]
    frame = polars.DataFrame(
        {"id": ["a", "b", "c"], "day": days, "amount": amounts},
        schema_overrides={"amount": polars.Decimal(12, 2)},
    )
    assert table.load_arrow(frame, row="id", family="f") == 3
    # The bytes of HBase's Bytes.toBytes(BigDecimal): the scale, then the unscaled number.
    assert table.row(b"a")[b"f:amount"] == bytes.fromhex("00000002fb1e")
    assert table.row(b"c")[b"f:amount"] == bytes.fromhex("0000000200")
    assert table.row(b"a")[b"f:day"] == (-86_400_000).to_bytes(8, "big", signed=True)
    columns = {"f:day": "date", "f:amount": "decimal(14, 3)"}
    read = table.scan_arrow(columns, row_stop=b"d", row_type="utf8").to_polars()
    assert read.schema["f:day"] == polars.Date and read.schema["f:amount"] == polars.Decimal(14, 3)
    assert read["f:day"].to_list() == days and read["f:amount"].to_list() == amounts
    same = {"f:day": datetime.date, "f:amount": polars.Decimal(12, 2)}
    assert table.scan_arrow(same, row_stop=b"d").to_polars()["f:amount"].to_list() == amounts
    for narrow in ("decimal(5, 2)", "decimal(12, 1)"):
        with pytest.raises(hjall.DecodeError, match=r"f:amount"):
            table.scan_arrow({"f:amount": narrow}, row_stop=b"d").collect()
    table.put(b"a", {b"f:amount": b"\0\0"})
    nulls = table.scan_arrow({"f:amount": "decimal(12, 2)"}, row_stop=b"d", errors="null").to_polars()
    assert nulls["f:amount"].to_list() == [None, *amounts[1:]]
    for wrong in ("decimal", "decimal(39, 2)", "decimal(2, 3)", "decimal(x, 1)"):
        with pytest.raises(ValueError, match="decimal"):
            table.scan_arrow({"f:amount": wrong})


def test_columns_that_are_not_named_take_one_pass(table):
    """The first use of a scan reads each row once; the next one knows the columns."""
    table.put(b"s", {b"f:other": b"x"})

    def rows_read():
        return table.connection.table_statistics("t")["reads"]

    scan = table.scan_arrow(row_type="utf8")
    before = rows_read()
    frame = scan.to_polars()
    assert frame.height == 1001 and frame.columns == ["row", "f:n", "f:other", "f:s"]
    assert rows_read() - before == 1001
    assert scan.to_polars().equals(frame) and rows_read() - before == 2002
    assert pyarrow.table(table.scan_arrow()).num_rows == 1001
    assert sum(batch.num_rows for batch in map(pyarrow.table, table.scan_arrow(batch_rows=100))) == 1001
    assert table.scan_arrow(row_prefix=b"none").to_polars().height == 0
