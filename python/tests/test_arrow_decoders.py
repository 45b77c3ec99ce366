"""Decoders and encoders: the values they read, and that each encoder writes what its decoder reads."""

import datetime
import decimal
import struct

import polars
import pyarrow
import pytest

import hjall

UTC = datetime.timezone.utc
LEAP = datetime.datetime(2024, 2, 29, 12, 30, tzinfo=UTC)
SECONDS = int(LEAP.timestamp())

# Decoder, stored bytes, decoded value, type.
READ = [
    ("binary", b"\xff\x00", b"\xff\x00", pyarrow.binary()),
    ("utf8", "é".encode(), "é", pyarrow.string()),
    ("bool", b"\x00", False, pyarrow.bool_()),
    ("bool", b"\xff", True, pyarrow.bool_()),
    ("int64", struct.pack(">q", -(2**63)), -(2**63), pyarrow.int64()),
    ("counter", struct.pack(">q", 41), 41, pyarrow.int64()),
    ("int32", struct.pack(">i", -5), -5, pyarrow.int32()),
    ("int16", struct.pack(">h", -5), -5, pyarrow.int16()),
    ("int8", b"\xfb", -5, pyarrow.int8()),
    ("uint64", b"\xff" * 8, 2**64 - 1, pyarrow.uint64()),
    ("uint32", b"\xff" * 4, 2**32 - 1, pyarrow.uint32()),
    ("uint16", b"\xff" * 2, 2**16 - 1, pyarrow.uint16()),
    ("uint8", b"\xff", 255, pyarrow.uint8()),
    ("int", b"\xff", -1, pyarrow.int64()),
    ("int", struct.pack(">h", 300), 300, pyarrow.int64()),
    ("int", struct.pack(">i", 70_000), 70_000, pyarrow.int64()),
    ("int", struct.pack(">q", 2**40), 2**40, pyarrow.int64()),
    ("float32", struct.pack(">f", 1.5), 1.5, pyarrow.float32()),
    ("float64", bytes.fromhex("3ff199999999999a"), 1.1, pyarrow.float64()),
    ("timestamp", struct.pack(">q", SECONDS * 1000), LEAP, pyarrow.timestamp("ms", "UTC")),
    ("timestamp_s", struct.pack(">q", SECONDS), LEAP, pyarrow.timestamp("s", "UTC")),
    ("timestamp_us", struct.pack(">q", SECONDS * 10**6), LEAP, pyarrow.timestamp("us", "UTC")),
    ("timestamp_ns", struct.pack(">q", SECONDS * 10**9), LEAP, pyarrow.timestamp("ns", "UTC")),
    ("int_text", b"-42", -42, pyarrow.int64()),
    ("float_text", b"1e3", 1000.0, pyarrow.float64()),
    ("cell_timestamp", b"anything", datetime.datetime.fromtimestamp(7, UTC), pyarrow.timestamp("ms", "UTC")),
]

UNREADABLE = [
    ("utf8", b"\xff"),
    ("bool", b""),
    ("bool", b"\x00\x01"),
    ("int64", b"1234567"),
    ("int32", b"12345"),
    ("int16", b"1"),
    ("int8", b""),
    ("int", b"123"),
    ("int", b""),
    ("float32", b"12345678"),
    ("float64", b"1234"),
    ("timestamp", b"123"),
    ("int_text", b"1.5"),
    ("int_text", b"9223372036854775808"),
    ("float_text", b"one"),
    ("uint64", b"123456789"),
]

# Types of Python, pyarrow and polars in place of names.
TYPES = [
    (bytes, "binary"),
    (str, "utf8"),
    (int, "int"),
    (float, "float64"),
    (bool, "bool"),
    (pyarrow.int32(), "int32"),
    (pyarrow.string(), "utf8"),
    (pyarrow.float64(), "float64"),
    (pyarrow.float32(), "float32"),
    (pyarrow.large_binary(), "binary"),
    (pyarrow.timestamp("us", "UTC"), "timestamp_us"),
    (polars.Int64, "int64"),
    (polars.UInt8, "uint8"),
    (polars.String, "utf8"),
    (polars.Float64, "float64"),
    (polars.Boolean, "bool"),
    (polars.Binary, "binary"),
    (polars.Datetime("ms"), "timestamp"),
    (polars.Datetime, "timestamp_us"),
    (polars.Datetime(), "timestamp_us"),
    (polars.Date, "date"),
    (polars.Decimal(9, 2), "decimal(9, 2)"),
    (polars.List(polars.Date), "list(date)"),
    (pyarrow.date32(), "date"),
    (pyarrow.date64(), "date"),
    (pyarrow.timestamp("s"), "timestamp_s"),
    (pyarrow.decimal128(9, 2), "decimal(9, 2)"),
    (pyarrow.string_view(), "utf8"),
    (pyarrow.binary_view(), "binary"),
    (pyarrow.list_(pyarrow.date64()), "list(date)"),
    (datetime.date, "date"),
    (datetime.datetime, "timestamp"),
    (polars.Datetime("ns", "UTC"), "timestamp_ns"),
]


@pytest.fixture
def table():
    """An empty table with the family `f`."""
    with hjall.memory() as db:
        db.create_table("t", {"f": {}})
        yield db.table("t")


@pytest.mark.parametrize("decoder, stored, value, kind", READ)
def test_a_decoder_reads(table, decoder, stored, value, kind):
    table.put(b"r", {b"f:q": stored}, timestamp=7000)
    result = table.scan_arrow({"f:q": decoder}).to_pyarrow()
    assert result.schema.field("f:q").type == kind
    assert result["f:q"].to_pylist() == [value]


@pytest.mark.parametrize("decoder, stored", UNREADABLE)
def test_a_decoder_rejects(table, decoder, stored):
    table.put(b"r", {b"f:q": stored})
    with pytest.raises(hjall.errors.DecodeError, match="cannot be read as " + decoder):
        table.scan_arrow({"f:q": decoder}).collect()
    assert table.scan_arrow({"f:q": decoder}, errors="null").to_pyarrow()["f:q"].to_pylist() == [None]


@pytest.mark.parametrize("given, decoder", TYPES, ids=str)
def test_types_of_other_libraries_name_decoders(table, given, decoder):
    as_given, as_named = (pyarrow.schema(table.scan_arrow({"f:q": d})) for d in (given, decoder))
    assert as_given == as_named


@pytest.mark.parametrize("given", [decimal.Decimal, polars.Decimal], ids=str)
def test_a_decimal_needs_a_precision(table, given):
    with pytest.raises(hjall.InvalidArgument, match=r"a precision and a scale: write \"decimal\(18, 2\)\""):
        table.scan_arrow({"f:q": given})


def test_the_schema_of_a_result_describes_another_scan(table):
    decoders = {
        "f:bool": "bool",
        "f:date": "date",
        "f:decimal": "decimal(9, 2)",
        "f:float": "float32",
        "f:int": "int16",
        "f:list": "list(timestamp_ns)",
        "f:text": "utf8",
        "f:time": "timestamp",
        "f:time_us": "timestamp_us",
        "f:value": "binary",
    }
    scan = table.scan_arrow(decoders, row=None)
    schema = scan.to_pyarrow().schema
    assert scan.to_polars().schema and len(schema) == len(decoders)
    for types in (dict(zip(schema.names, schema.types, strict=True)), dict(scan.to_polars().schema)):
        assert table.scan_arrow(types, row=None).to_pyarrow().schema == schema


@pytest.mark.parametrize(
    "decoder, stored, value, kind", [r for r in READ if r[0] not in ("int", "cell_timestamp", "float_text")]
)
def test_an_encoder_writes_what_its_decoder_reads(table, decoder, stored, value, kind):
    data = pyarrow.table({"row": [b"r"], "v": pyarrow.array([value], type=kind)})
    assert table.load_arrow(data, columns={"v": ("f:q", decoder)}) == 1
    assert table.row(b"r") == {b"f:q": stored}


LISTS = [
    ("list(float32)", struct.pack(">3f", 1.5, -2, 0), [1.5, -2.0, 0.0], pyarrow.float32()),
    (polars.List(polars.Float64), struct.pack(">2d", 1.1, 2), [1.1, 2.0], pyarrow.float64()),
    (pyarrow.list_(pyarrow.int32()), struct.pack(">2i", -1, 2**31 - 1), [-1, 2**31 - 1], pyarrow.int32()),
    (pyarrow.large_list(pyarrow.uint16()), b"\xff\xff", [65535], pyarrow.uint16()),
    (pyarrow.list_(pyarrow.bool_(), 2), b"\x00\xff", [False, True], pyarrow.bool_()),
    ("list(int64)", b"", [], pyarrow.int64()),
    ("list(date)", struct.pack(">q", 86_400_000), [datetime.date(1970, 1, 2)], pyarrow.date32()),
    (
        pyarrow.list_(pyarrow.timestamp("ms", "UTC")),
        struct.pack(">q", SECONDS * 1000),
        [LEAP],
        pyarrow.timestamp("ms", "UTC"),
    ),
]


@pytest.mark.parametrize(("decoder", "stored", "value", "item"), LISTS)
def test_lists(decoder, stored, value, item):
    with hjall.memory() as db:
        db.create_table("t", {"f": {}})
        table = db.table("t")
        table.put(b"a", {b"f:x": stored})
        table.put(b"b", {b"f:y": b"not x"})
        table.put(b"c", {b"f:x": stored * 2})
        read = table.scan_arrow({"f:x": decoder, "f:y": "binary"}).to_pyarrow()
        assert read.schema.field("f:x").type == pyarrow.list_(item)
        assert read.column("f:x").to_pylist() == [value, None, value * 2]
        for type_ in (pyarrow.list_(item), pyarrow.large_list(item), pyarrow.list_(item, len(value))):
            data = pyarrow.table({"row": ["d", "e"], "x": pyarrow.array([value, None], type_)})
            for columns in ({"x": "f:x"}, {"x": ("f:x", decoder)}):
                table.delete(b"d")
                assert table.load_arrow(data, row="row", columns=columns) >= 1
                assert table.row(b"d") == {b"f:x": stored}
                assert table.row(b"e") == {}


def test_lists_that_cannot_be_read_or_written():
    with hjall.memory() as db:
        db.create_table("t", {"f": {}})
        table = db.table("t")
        table.put(b"a", {b"f:x": b"12345"})
        with pytest.raises(hjall.DecodeError, match=r"\(5 bytes\) cannot be read as list\(item\).*items of one width"):
            table.scan_arrow({"f:x": "list(int32)"}).to_pyarrow()
        table.put(b"a", {b"f:x": struct.pack(">2q", 0, 2**62)})
        with pytest.raises(hjall.DecodeError):
            table.scan_arrow({"f:x": "list(date)"}).to_pyarrow()
        for unknown in ("list(utf8)", "list(int)", "list(decimal(3, 1))", "list(list(int8))", "list()"):
            with pytest.raises(ValueError, match=r"the decoders are: .*list\(item\)"):
                table.scan_arrow({"f:x": unknown})
        for items, type_, why in (
            ([1, None], pyarrow.list_(pyarrow.int32()), "contains a null"),
            (["x"], pyarrow.list_(pyarrow.string()), "lists of items of one width"),
            ([[1]], pyarrow.list_(pyarrow.list_(pyarrow.int32())), "lists of items of one width"),
        ):
            data = pyarrow.table({"row": ["d"], "x": pyarrow.array([items], type_)})
            with pytest.raises(ValueError, match=why):
                table.load_arrow(data, row="row", family="f")
        data = pyarrow.table({"row": ["d"], "x": pyarrow.array([[300]], pyarrow.list_(pyarrow.int32()))})
        with pytest.raises(ValueError, match="out of range"):
            table.load_arrow(data, row="row", columns={"x": ("f:x", "list(int8)")})
