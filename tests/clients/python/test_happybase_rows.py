"""HappyBase: one row at a time."""
import pytest
from Hbase_thrift import IOError as HBaseError
from thriftpy2.thrift import TApplicationException


def test_a_row_is_read_as_it_was_put(table):
    table.put(b"r", {b"f:a": b"1", b"f:b": b"2", b"g:": b"no qualifier"})
    assert table.row(b"r") == {b"f:a": b"1", b"f:b": b"2", b"g:": b"no qualifier"}
    assert table.row(b"r", columns=[b"f:a", b"g"]) == {b"f:a": b"1", b"g:": b"no qualifier"}
    assert table.row(b"absent") == {}


def test_any_bytes_are_legal_in_rows_qualifiers_and_values(table):
    every = bytes(range(256))
    table.put(every, {b"f:" + every: every})
    table.put(b"\x00", {b"f:\x00": b""})
    assert table.row(every) == {b"f:" + every: every}
    assert table.row(b"\x00") == {b"f:\x00": b""}
    assert [key for key, _ in table.scan()] == [b"\x00", every]


def test_versions_are_returned_newest_first_up_to_the_familys_limit(table):
    for ts in (10, 30, 20, 40):
        table.put(b"r", {b"f:a": b"v%d" % ts, b"g:a": b"v%d" % ts}, timestamp=ts)
    assert table.cells(b"r", b"f:a", versions=9, include_timestamp=True) == [(b"v40", 40), (b"v30", 30), (b"v20", 20)]
    assert table.cells(b"r", b"f:a", versions=2) == [b"v40", b"v30"]
    assert table.cells(b"r", b"f:a", timestamp=40, versions=2) == [b"v30", b"v20"]
    assert table.cells(b"r", b"g:a", versions=9) == [b"v40"]
    assert table.row(b"r", columns=[b"f"], timestamp=31) == {b"f:a": b"v30"}
    assert table.row(b"r", include_timestamp=True) == {b"f:a": (b"v40", 40), b"g:a": (b"v40", 40)}


def test_several_rows_in_one_call(table):
    for i in range(5):
        table.put(b"r%d" % i, {b"f:n": b"%d" % i, b"g:n": b"-"})
    rows = table.rows([b"r3", b"absent", b"r0"], columns=[b"f"])
    assert rows == [(b"r3", {b"f:n": b"3"}), (b"r0", {b"f:n": b"0"})]


def test_deleting_columns_versions_and_rows(table):
    for ts in (1, 2, 3):
        table.put(b"r", {b"f:a": b"%d" % ts, b"f:b": b"%d" % ts}, timestamp=ts)
    table.delete(b"r", columns=[b"f:a"], timestamp=2)
    assert table.cells(b"r", b"f:a", versions=9) == [b"3"]
    table.delete(b"r", columns=[b"f:a"])
    assert table.row(b"r") == {b"f:b": b"3"}
    table.delete(b"r")
    assert table.row(b"r") == {}


def test_a_put_right_after_a_delete_is_visible(table):
    # Both fall into the same millisecond, and in HBase a delete hides a put with the same timestamp.
    for i in range(300):
        table.put(b"r", {b"f:a": b"%d" % i})
        table.delete(b"r")
        assert table.row(b"r") == {}
        table.put(b"r", {b"f:a": b"again"})
        assert table.row(b"r") == {b"f:a": b"again"}


def test_errors_name_hbases_class(db, table):
    with pytest.raises(HBaseError, match="NoSuchColumnFamilyException"):
        table.put(b"r", {b"nope:a": b"1"})
    with pytest.raises(HBaseError, match="TableNotFoundException"):
        db.table("absent").row(b"r")
    table.put(b"k" * 30_000, {b"f:a": b"long"})
    assert table.row(b"k" * 30_000) == {b"f:a": b"long"}
    with pytest.raises(TApplicationException):  # HBase's mutateRows, which HappyBase's puts use, fails like this
        table.put(b"k" * 32_768, {b"f:a": b"1"})
    assert [len(key) for key, _ in table.scan()] == [30_000]
