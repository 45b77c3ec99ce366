"""Values that are taken as HappyBase takes them, and values that are refused because they would be stored wrongly."""

import array
import os
import pickle
import re
import struct

import numpy
import polars
import pytest

import hjall


@pytest.fixture
def table():
    with hjall.memory() as db:
        db.create_table("t", {"f": {}})
        yield db.table("t")


@pytest.mark.parametrize(
    "value",
    [
        numpy.int64(5),
        numpy.int32(5),
        numpy.float64(5),
        numpy.uint8(5),
        numpy.bool_(True),
        numpy.datetime64("2024-01-01"),
        numpy.array([1, 2]),
        array.array("d", [1.0]),
        memoryview(array.array("i", [1])),
    ],
    ids=lambda value: type(value).__name__,
)
def test_numbers_in_the_order_of_the_machine_are_refused(table, value):
    for call in (
        lambda: table.put(b"r", {b"f:a": value}),
        lambda: table.put(b"r", [(b"f:a", value, 5)]),
        lambda: table.row(value),
        lambda: table.batch().put(value, {b"f:a": b"x"}),
    ):
        with pytest.raises(TypeError, match=r"bytes"):
            call()
    assert table.row(b"r") == {}


def test_bytes_of_other_types_are_taken(table):
    values = {
        b"f:a": numpy.bytes_(b"n"),
        b"f:b": bytearray(b"b"),
        b"f:c": memoryview(b"-m-")[1:2],
        b"f:d": numpy.frombuffer(b"xy", dtype="u1"),
        b"f:e": array.array("B", b"z"),
    }
    table.put(b"r", values)
    assert list(table.row(b"r").values()) == [b"n", b"b", b"m", b"xy", b"z"]


WRITES = {
    "put": lambda table, data: table.put(b"r", data),
    "put_many": lambda table, data: table.put_many([(b"r", data)]),
    "batch": lambda table, data: table.batch().put(b"r", data),
    "mutate_row": lambda table, data: table.mutate_row(b"r", [hjall.Put(data)]),
    "check_and_put": lambda table, data: table.check_and_put(b"r", b"f:a", None, data),
    "bulk_load": lambda table, data: table.bulk_load([(b"r", data)]),
}


@pytest.mark.parametrize("write", WRITES.values(), ids=WRITES)
def test_none_is_no_value(table, write):
    message = (
        r"^the value of b'f:b' in row b'r' must be bytes, not None: leave the column out, or delete the cell with "
        r"delete$"
    )
    for data in ({b"f:a": b"x", b"f:b": None}, [(b"f:b", None)], [(b"f:b", None, 5)]):
        with pytest.raises(TypeError, match=message):
            write(table, data)
    assert table.count() == 0


def test_sets_of_rows_and_of_columns_to_delete(table):
    for key in b"a", b"b":
        table.put(key, {b"f:x": b"1", b"f:y": b"2", b"f:z": b"3"})
    assert {key for key, _ in table.rows({b"a", b"b"})} == {b"a", b"b"}
    table.delete(b"a", {b"f:x", b"f:y"})
    table.delete(b"b", (column for column in (b"f:x",)))
    with table.batch() as batch:
        batch.delete(b"b", {b"f:y"})
    assert table.row(b"a") == table.row(b"b") == {b"f:z": b"3"}
    for wrong in (b"f:z", "f:z"):
        with pytest.raises(TypeError, match=r"write \["):
            table.delete(b"a", wrong)


def test_too_large_cells_and_rows(tmp_path):
    with hjall.memory(cell_bytes_max=1000) as db:
        db.create_table("t", {"f": {}})
        table = db.table("t")
        with pytest.raises(hjall.TooLarge, match=r"put: table t, row b'r': .*f:a has 2000 bytes.*1000"):
            table.put(b"r", {b"f:a": b"x" * 2000})
        with pytest.raises(hjall.TooLarge), table.batch() as batch:
            batch.put(b"r", {b"f:a": b"x" * 2000})
        table.put(b"r", {b"f:a": b"x" * 900})
        with pytest.raises(hjall.TooLarge):
            table.append(b"r", {b"f:a": b"x" * 900})


def test_storage_errors_have_the_number_of_the_operating_system(tmp_path):
    occupied = tmp_path / "file"
    occupied.write_bytes(b"")
    with pytest.raises(hjall.StorageError) as caught:
        hjall.open(occupied / "below")
    assert caught.value.errno in (20, 17), (caught.value.errno, os.strerror(caught.value.errno or 0), caught.value)


def test_messages_name_the_method_the_table_and_the_row(table):
    with pytest.raises(hjall.FamilyNotFound, match=r"^put: row b'r\\x00': table t has no column family no"):
        table.put(b"r\0", {b"no:a": b"x"})
    with pytest.raises(hjall.InvalidArgument, match=r"^row: table t, row b'': Row length is 0: .*1 to 32767"):
        table.row(b"")
    with pytest.raises(hjall.InvalidArgument, match=r"^exists: table t, row b'k{64}'… \(40000 bytes\): .*32767"):
        table.exists(b"k" * 40_000)
    table.put(b"r", {b"f:a": b"x"})
    with pytest.raises(hjall.NotACounter, match=r"^counter_inc: table t, row b'r': .*exactly 8 bytes") as caught:
        table.counter_inc(b"r", b"f:a")
    assert caught.value.hbase_message == "Field is not a long, it's 1 bytes wide"
    assert caught.value.hbase_class == "org.apache.hadoop.hbase.DoNotRetryIOException"
    none = table.connection.table("none")
    with pytest.raises(hjall.TableNotFound, match=r"^row: row b'r': table none does not exist: create it"):
        none.row(b"r")
    for method, call in {
        "scan": lambda: next(none.scan()),
        "scan_cells": lambda: next(none.scan_cells()),
        "count": none.count,
        "delete_rows": lambda: none.delete_rows(row_prefix=b"a"),
        "scan_arrow": lambda: none.scan_arrow().collect(),
        "compact_table": lambda: table.connection.compact_table("none"),
    }.items():
        with pytest.raises(hjall.TableNotFound, match=rf"^{method}: table none does not exist: create it"):
            call()


@pytest.mark.parametrize("value", [5, 1.5, "x", [b"x"]], ids=lambda value: type(value).__name__)
def test_messages_name_the_column_of_a_value(table, value):
    named = r"^the value of b'f:a' in row b'r' must be bytes.*: (encode it|write 'x'\.encode)|not list$"
    for call in (
        lambda: table.put(b"r", {b"f:b": b"x", b"f:a": value}),
        lambda: table.put(b"r", [(b"f:a", (value, 5))]),
        lambda: table.put_many([(b"q", {b"f:a": b"x"}), (b"r", {b"f:a": value})]),
        lambda: table.batch().put(b"r", {b"f:a": value}),
        lambda: table.mutate_row(b"r", [hjall.Put({b"f:a": value})]),
        lambda: table.append(b"r", {b"f:a": value}),
    ):
        with pytest.raises(TypeError, match=named):
            call()
    with pytest.raises(TypeError, match=r"^a column of row b'r' must be bytes.* not (int|builtins\.int)"):
        table.put(b"r", {5: b"x"})
    assert table.count() == 0


def test_messages_name_the_argument(table):
    for call, message in (
        (lambda: table.increment(b"r", {b"f:n": "x"}), r"^the amount for b'f:n' must be an integer, not str$"),
        (lambda: next(table.scan(batch_size="x")), "^scan: table t: batch_size must be an integer, not str$"),
        (lambda: next(table.scan(limit=1.5)), "^scan: table t: limit must be an integer, not float$"),
    ):
        with pytest.raises(TypeError, match=message):
            call()
    with pytest.raises(TypeError, match=r"^scan: table t: batch_size must be an integer, not NoneType$"):
        next(table.scan(batch_size=None))
    with pytest.raises(hjall.InvalidArgument, match=r"^create_table: Maximum versions must be positive"):
        table.connection.create_table("u", {"f": {"max_versions": 0}})


INTEGERS = [
    ("timestamp", lambda table, number: table.put(b"r", {b"f:a": b"x"}, timestamp=number)),
    ("timestamp", lambda table, number: table.row(b"r", timestamp=number)),
    ("timestamp", lambda table, number: table.batch(timestamp=number)),
    ("ttl_ms", lambda table, number: table.put(b"r", {b"f:a": b"x"}, ttl_ms=number)),
    ("ttl_ms", lambda table, number: table.batch(ttl_ms=number)),
    ("ttl_ms", lambda table, number: table.mutate_row(b"r", [hjall.Put({b"f:a": b"x"}, ttl_ms=number)])),
    ("ttl_ms", lambda table, number: table.bulk_load([], ttl_ms=number)),
    ("value", lambda table, number: table.counter_inc(b"r", b"f:n", number)),
    ("value", lambda table, number: table.counter_dec(b"r", b"f:n", number)),
    ("value", lambda table, number: table.counter_set(b"r", b"f:n", number)),
    ("the amount for b'f:n'", lambda table, number: table.increment(b"r", {b"f:n": number})),
    ("versions", lambda table, number: table.cells(b"r", b"f:a", versions=number)),
    ("versions", lambda table, number: table.row_cells(b"r", versions=number)),
    ("versions", lambda table, number: list(table.scan_cells(versions=number))),
    ("batch_size", lambda table, number: table.batch(batch_size=number)),
    ("batch_size", lambda table, number: list(table.scan(batch_size=number))),
    ("limit", lambda table, number: list(table.scan(limit=number))),
    ("max_versions", lambda table, number: table.connection.create_table("u", {"f": {"max_versions": number}})),
]


@pytest.mark.parametrize(("name", "call"), INTEGERS)
def test_messages_name_the_integer_that_is_none_or_does_not_fit(table, name, call):
    name = rf"(scan(_cells)?: table t: )?{re.escape(name)}"
    for number, kinds, message in (
        ("x", (TypeError, struct.error), f"^{name} must be an integer(, not str|: milliseconds|, or None)"),
        (1.5, (TypeError, struct.error), f"^{name} must be an integer(, not float|: milliseconds|, or None)"),
        (
            2**64,
            (OverflowError, struct.error),
            rf"^{name} must be an integer from -2\*\*(31|63) to 2\*\*(31|63) - 1",
        ),
    ):
        with pytest.raises(kinds, match=message):
            call(table, number)
    assert table.count() == 0


def test_messages_of_invalid_columns_and_timestamps_name_the_call(table):
    no_colon = rb'a column must be b"family:qualifier", but b"f" has no colon.* is b"f:"'.decode()
    negative = r"Timestamp cannot be negative.*-5.*milliseconds since 1970"
    for method, call in {
        "put": lambda **given: table.put(b"r", **given),
        "mutate_row": lambda **given: table.mutate_row(b"r", [hjall.Put(**given)]),
        "check_and_mutate": lambda **given: table.check_and_mutate(b"r", b"f:a", None, [hjall.Put(**given)]),
    }.items():
        with pytest.raises(hjall.InvalidArgument, match=rf"^{method}: table t, row b'r': {no_colon}"):
            call(data={b"f": b"x"})
        with pytest.raises(hjall.InvalidArgument, match=rf"^{method}: table t, row b'r': {negative}"):
            call(data={b"f:a": b"x"}, timestamp=-5)
    with pytest.raises(hjall.InvalidArgument, match=rf"^put_many: table t, row b'r': {no_colon}"):
        table.put_many([(b"q", {b"f:a": b"x"}), (b"r", {b"f": b"x"})])
    with pytest.raises(hjall.InvalidArgument, match=rf"^put_many: table t: {negative}"):
        table.put_many([(b"r", {b"f:a": b"x"})], timestamp=-5)
    with pytest.raises(hjall.InvalidArgument, match=rf"^delete: table t, row b'r': {negative}"):
        table.delete(b"r", timestamp=-5)
    with pytest.raises(hjall.Refused, match=rf"^put: table t, row b'r': {negative}"):
        table.put(b"r", {b"f:a": (b"x", -5)})
    assert table.count() == 0


def test_messages_of_batches_name_the_row_that_failed(table):
    batch = table.batch()
    batch.put(b"good", {b"f:a": b"x"})
    batch.put(b"bad", {b"no:a": b"x"})
    one = r"^Batch\.send: row b'bad': table t has no column family no"
    with pytest.raises(hjall.FamilyNotFound, match=one) as caught:
        batch.send()
    assert "more row" not in str(caught.value) and caught.value.hbase_message.startswith("Column family no")
    assert str(caught.value).endswith(" (the puts of 1 other row were written)")
    batch.put(b"worse", {b"no:a": b"x"})
    more = r"and 1 more row of the batch failed, see the attribute failures"
    with pytest.raises(hjall.FamilyNotFound, match=rf"{one}.* \({more}; the puts of 1 other row were written\)$"):
        batch.send()
    batch.put(b"worst", {b"no:a": b"x"})
    batch.delete(b"bad", [b"f:b"])
    with pytest.raises(hjall.FamilyNotFound, match=r" \(and 2 more rows of .*; no delete was sent\)$"):
        batch.send()
    with (
        pytest.raises(hjall.InvalidArgument, match=r"^Batch\.send: table t, row b'': Row length is 0"),
        table.batch() as b,
    ):
        b.put(b"", {b"f:a": b"x"})
    with pytest.raises(hjall.InvalidArgument, match=r"^Batch\.send: table t, row b'q': a column must be b\"fam"):
        with table.batch() as batch:
            batch.put(b"q", {b"f": b"x"})


def test_the_failures_of_a_batch_are_listed(table):
    batch = table.batch()
    for row, column in [(b"a", b"no:a"), (b"b", b"f:a"), (b"c", b"no:a")]:
        batch.put(row, {column: b"x"})
    with pytest.raises(hjall.FamilyNotFound) as caught:
        batch.send()
    failures = caught.value.failures
    assert [row for row, _ in failures] == [b"a", b"c"]
    for row, error in failures:
        assert type(error) is type(caught.value) and error.failures == ()
        assert str(error).startswith(f"Batch.send: row {row!r}: table t has no column family no")
        assert "more row" not in str(error) and error.kind == "FamilyNotFound"
    assert table.row(b"b") == {b"f:a": b"x"}, "the other rows are written"
    copied = pickle.loads(pickle.dumps(caught.value))
    assert [(row, str(error)) for row, error in copied.failures] == [(row, str(error)) for row, error in failures]


def test_the_failures_of_the_deletes_of_a_batch_are_listed(table):
    table.put(b"c", {b"f:a": b"x"})
    batch = table.batch()
    batch.put(b"a", {b"f:a": b"x"})
    for row, column in [(b"b", b"no:a"), (b"c", b"f:a")]:
        batch.delete(row, [column])
    outcome = r" \(all puts were written; the deletes of 1 other row were applied\)$"
    with pytest.raises(hjall.FamilyNotFound, match=outcome) as caught:
        batch.send()
    assert [row for row, _ in caught.value.failures] == [b"b"]
    assert [row for row, _ in table.scan()] == [b"a"]


def test_a_batch_that_is_refused_as_a_whole_has_no_failures(table):
    batch = table.batch()
    batch.put(b"a", {b"f:a": b"x"})
    batch.put(b"", {b"f:a": b"x"})
    with pytest.raises(hjall.InvalidArgument) as caught:
        batch.send()
    assert caught.value.failures == () and table.count() == 0


def test_an_unknown_compression_is_shown_as_it_was_written():
    with hjall.memory() as db:
        for name in ("FOO", "Foo"):
            with pytest.raises(hjall.InvalidArgument, match=f"unknown compression {name}: use NONE"):
                db.create_table("t", {"f": {"compression": name}})
            with pytest.raises(hjall.InvalidDescriptor, match=f": COMPRESSION of family f is {name}, which") as caught:
                db.create_table("t", {"f": {"COMPRESSION": name}})
            assert "Compression.Algorithm.FOO " in caught.value.hbase_message


def test_messages_of_loads_name_the_row_that_failed(table):
    data = polars.DataFrame({"row": ["a", "b"], "f:a": ["x", "y" * 2000]})
    with hjall.memory(cell_bytes_max=1000) as db:
        db.create_table("t", {"f": {}})
        expected = r"^load_arrow: table t, row b'b': .*2000 bytes.*\(at least 1 row of the data was written\)$"
        with pytest.raises(hjall.TooLarge, match=expected):
            db.table("t").load_arrow(data)
