"""`Table.load_arrow`: bulk writes of Arrow data."""

import datetime
import re
import struct

import pandas
import polars
import pyarrow
import pytest

import hjall


@pytest.fixture
def table():
    """An empty table with the families `f` and `g`."""
    with hjall.memory() as db:
        db.create_table("t", {"f": {}, "g": {}})
        yield db.table("t")


def cells(table):
    """All rows of a table, with timestamps."""
    return [(key, data) for key, data in table.scan(include_timestamp=True)]


FORMS = {
    "polars": polars.DataFrame,
    "pandas": pandas.DataFrame,
    "pyarrow table": pyarrow.table,
    "pyarrow batch": pyarrow.RecordBatch.from_pydict,
    "pyarrow reader": lambda data: pyarrow.table(data).to_reader(max_chunksize=2),
}


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
def test_every_library_is_read(table, form):
    data = form({"row": [b"a", b"b", b"c"], "f:n": [1, 2, 3], "g:s": ["x", None, "z"]})
    assert table.load_arrow(data) == 3
    rows = dict(table.scan())
    assert rows[b"a"] == {b"f:n": struct.pack(">q", 1), b"g:s": b"x"}
    assert rows[b"c"][b"g:s"] == b"z"
    assert b"g:s" not in rows[b"b"], "a null was written as a cell"


def test_the_result_of_a_scan_can_be_loaded(table):
    for i in range(2500):
        table.put(b"%05d" % i, {b"f:n": struct.pack(">q", i), b"g:s": b"%d" % i})
    with hjall.memory() as other:
        other.create_table("copy", {"f": {}, "g": {}})
        assert other.table("copy").load_arrow(table.scan_arrow({"f:n": int, "g:s": str}, batch_rows=999)) == 2500
        assert dict(other.table("copy").scan()) == dict(table.scan())


def test_each_type_has_an_encoding(table):
    columns = {
        "f:i8": pyarrow.array([-1], pyarrow.int8()),
        "f:i16": pyarrow.array([-1], pyarrow.int16()),
        "f:i32": pyarrow.array([-1], pyarrow.int32()),
        "f:u8": pyarrow.array([255], pyarrow.uint8()),
        "f:u64": pyarrow.array([2**64 - 1], pyarrow.uint64()),
        "f:f32": pyarrow.array([1.5], pyarrow.float32()),
        "f:f64": pyarrow.array([1.1]),
        "f:t": pyarrow.array([True]),
        "f:time": pyarrow.array([datetime.datetime(1970, 1, 1, 0, 0, 1)], pyarrow.timestamp("us")),
        "f:text": pyarrow.array(["é"]),
        "f:large": pyarrow.array(["é"], pyarrow.large_string()),
        "f:view": pyarrow.array(["é"], pyarrow.string_view()),
        "f:bytes": pyarrow.array([b"\xff"]),
        "f:fixed": pyarrow.array([b"ab"], pyarrow.binary(2)),
        "f:large_bytes": pyarrow.array([b""], pyarrow.large_binary()),
        "f:dictionary": pyarrow.array(["word"]).dictionary_encode(),
        "f:null": pyarrow.nulls(1),
    }
    assert table.load_arrow(pyarrow.table({"row": ["r"], **columns})) == 1
    assert table.row(b"r") == {
        b"f:i8": b"\xff",
        b"f:i16": b"\xff\xff",
        b"f:i32": b"\xff" * 4,
        b"f:u8": b"\xff",
        b"f:u64": b"\xff" * 8,
        b"f:f32": struct.pack(">f", 1.5),
        b"f:f64": bytes.fromhex("3ff199999999999a"),
        b"f:t": b"\xff",
        b"f:time": struct.pack(">q", 1000),
        b"f:text": "é".encode(),
        b"f:large": "é".encode(),
        b"f:view": "é".encode(),
        b"f:bytes": b"\xff",
        b"f:fixed": b"ab",
        b"f:large_bytes": b"",
        b"f:dictionary": b"word",
    }


def test_nulls_inside_dictionaries_are_nulls(table):
    dictionary = pyarrow.DictionaryArray.from_arrays(pyarrow.array([0, 1, None]), pyarrow.array(["a", None]))
    assert table.load_arrow(pyarrow.table({"row": ["1", "2", "3"], "f:q": dictionary})) == 1
    assert dict(table.scan()) == {b"1": {b"f:q": b"a"}}


def test_columns_are_written_where_the_mapping_says(table):
    data = {"id": [7], "age": [41], "note": ["left out"], "score": [2.5]}
    assert (
        table.load_arrow(
            polars.DataFrame(data), "id", columns={"age": ("f:age", "int32"), "score": (b"g:s", "float_text")}
        )
        == 1
    )
    assert dict(table.scan()) == {struct.pack(">q", 7): {b"f:age": struct.pack(">i", 41), b"g:s": b"2.5"}}


def test_all_columns_are_written_to_one_family(table):
    data = polars.DataFrame({"id": ["a"], "when": [5], "age": [41], "x:y": ["z"]})
    assert table.load_arrow(data, "id", family="f", timestamp="when") == 1
    assert cells(table) == [(b"a", {b"f:age": (struct.pack(">q", 41), 5), b"f:x:y": (b"z", 5)})]


@pytest.mark.parametrize(
    "column",
    [
        pyarrow.array([5, 6]),
        pyarrow.array([5, 6], pyarrow.timestamp("ms")),
        pyarrow.array([5_000_000, 6_000_000], pyarrow.timestamp("ns")),
    ],
)
def test_timestamps_come_from_a_column(table, column):
    table.load_arrow(pyarrow.table({"row": ["a", "b"], "f:q": ["1", "2"], "at": column}), timestamp="at")
    assert cells(table) == [(b"a", {b"f:q": (b"1", 5)}), (b"b", {b"f:q": (b"2", 6)})]


def test_one_timestamp_is_for_all(table):
    table.load_arrow(pyarrow.table({"row": ["a"], "f:q": ["1"]}), timestamp=77)
    assert cells(table) == [(b"a", {b"f:q": (b"1", 77)})]


def test_cells_expire_after_the_ttl(table):
    table.load_arrow(
        pyarrow.table({"row": ["old", "new"], "f:q": ["1", "2"], "at": [1000, 2**62]}), timestamp="at", ttl_ms=1000
    )
    assert [key for key, _ in table.scan()] == [b"new"]


def test_rows_without_values_are_not_counted(table):
    data = pyarrow.table({"row": ["a", "b"], "f:q": pyarrow.array([None, "1"])})
    assert table.load_arrow(data) == 1
    assert table.load_arrow(data.slice(0, 0)) == 0


def test_a_slice_is_read_from_where_it_begins(table):
    data = pyarrow.table({"row": ["a", "b", "c"], "f:q": ["1", None, "3"], "f:t": [True, False, True]}).slice(1)
    assert table.load_arrow(data) == 2
    assert dict(table.scan()) == {b"b": {b"f:t": b"\x00"}, b"c": {b"f:q": b"3", b"f:t": b"\xff"}}


def one(**columns):
    """Data with one row `r` and these columns."""
    return pyarrow.table({"row": ["r"], **columns})


@pytest.mark.parametrize(
    "data, arguments, error, message",
    [
        ([1, 2], {}, TypeError, "__arrow_c_stream__"),
        (pyarrow.array([1]), {}, (TypeError, ValueError), "column|struct|Struct"),
        (one(q=["1"]), {}, ValueError, 'column "q" is not of the form family:qualifier.*columns=.*family='),
        (
            one(q=["1"]),
            {"row": "id", "columns": {"q": "f:q"}},
            ValueError,
            'no column "id" \\(its columns are: row, q\\)',
        ),
        (one(q=["1"]), {"columns": {"p": "f:p"}}, ValueError, 'no column "p"'),
        (one(q=["1"]), {"columns": {"q": "f"}}, ValueError, "family:qualifier"),
        (one(q=["1"]), {"columns": {"q": ("f:q", "int63")}}, ValueError, "the decoders are: binary"),
        (one(q=["1"]), {"columns": {"q": ("f:q", "int32")}}, ValueError, 'row 0 of the data, column "q".*int32'),
        (one(q=[300]), {"columns": {"q": ("f:q", "int8")}}, ValueError, "out of range"),
        (one(q=[-1]), {"columns": {"q": ("f:q", "uint64")}}, ValueError, "out of range"),
        (
            one(q=pyarrow.array([1], pyarrow.timestamp("ns"))),
            {"columns": {"q": "f:q"}},
            ValueError,
            "not a whole number",
        ),
        (one(q=[{"a": 1}]), {"columns": {"q": "f:q"}}, ValueError, "cannot be encoded: cast it"),
        (one(q=["1"]), {"columns": {"q": "f:q"}, "family": "f"}, TypeError, "family cannot be combined"),
        (one(q=["1"]), {"family": "none"}, hjall.errors.FamilyNotFound, "none"),
        (one(q=["1"]), {"family": "f", "timestamp": "at"}, ValueError, 'no column "at"'),
        (one(q=["1"], at=["now"]), {"family": "f", "timestamp": "at"}, ValueError, "an integer"),
        (one(q=["1"], at=pyarrow.nulls(1)), {"family": "f", "timestamp": "at"}, ValueError, "null"),
        (one(q=["1"]), {"family": "f", "timestamp": b"at"}, TypeError, "timestamp"),
        (one(q=["1"]), {"family": "f", "durability": "NEVER"}, ValueError, "SKIP_WAL"),
        (one(q=["1"]), {"family": "f", "batch_rows": 0}, ValueError, "batch_rows"),
        (pyarrow.table({"row": [None], "f:q": ["1"]}), {}, ValueError, "row 0 of the data has no row key"),
        (pyarrow.table({"row": [""], "f:q": ["1"]}), {}, hjall.errors.InvalidArgument, "Row length is 0"),
    ],
)
def test_data_that_cannot_be_written_is_rejected_with_the_remedy(table, data, arguments, error, message):
    with pytest.raises(error, match=message):
        table.load_arrow(data, **arguments)
    assert cells(table) == []


@pytest.mark.parametrize(
    ("columns", "form"),
    [
        ({"w": "f:w"}, "a timestamp in milliseconds, the default"),
        ({"w": ("f:w", "timestamp")}, "timestamp"),
        ({"w": ("f:w", "timestamp_s")}, "timestamp_s"),
    ],
)
@pytest.mark.parametrize("unit", ["us", "ns"])
def test_a_time_that_is_finer_than_its_encoder_names_the_encoder_of_its_unit(table, columns, form, unit):
    data = one(w=pyarrow.array([1_000_001], pyarrow.timestamp(unit)))
    message = (
        rf'load_arrow: table t: row 0 of the data, column "w": the value cannot be encoded as {form}: the time is not '
        rf'a whole number in this unit: name the encoder of its unit, columns={{"w": ("f:w", "timestamp_{unit}")}}, '
        "or round it"
    )
    with pytest.raises(hjall.InvalidArgument, match=f"^{re.escape(message)}$"):
        table.load_arrow(data, columns=columns)
    assert table.load_arrow(data, columns={"w": ("f:w", f"timestamp_{unit}")}) == 1
    assert table.row(b"r") == {b"f:w": struct.pack(">q", 1_000_001)}


def test_messages_name_the_call(table):
    for data, arguments in (
        (one(q=["1"]), {}),
        (one(q=["1"]), {"columns": {"p": "f:p"}}),
        (one(q=[300]), {"columns": {"q": ("f:q", "int8")}}),
        (pyarrow.table({"row": [None], "f:q": ["1"]}), {}),
    ):
        for bulk in (False, True):
            with pytest.raises(hjall.InvalidArgument, match=r"^load_arrow: table t: "):
                table.load_arrow(data, **arguments, bulk=bulk)


def structs(rows, null):
    """A struct array of rows, of which one is null."""
    fields = [pyarrow.array([b"%03d" % n for n in range(rows)]), pyarrow.array(range(rows))]
    return pyarrow.StructArray.from_arrays(
        fields, names=["row", "f:n"], mask=pyarrow.array([n == null for n in range(rows)])
    )


class Stream:
    """Exports a stream of struct arrays."""

    def __init__(self, *arrays):
        self.arrays = pyarrow.chunked_array(arrays)

    def __arrow_c_stream__(self, requested_schema=None):
        return self.arrays.__arrow_c_stream__(requested_schema)


NULL_STRUCTS = {
    "array": (lambda: structs(5, null=3), 3),
    "slice": (lambda: structs(5, null=3)[2:], 1),
    "chunked array": (lambda: pyarrow.chunked_array([structs(5, null=-1), structs(5, null=3)]), 8),
    "stream": (lambda: Stream(structs(5, null=-1), structs(5, null=0)), 5),
}


@pytest.mark.parametrize("bulk", [False, True])
@pytest.mark.parametrize("make, row", NULL_STRUCTS.values(), ids=NULL_STRUCTS)
def test_null_rows_are_refused(table, make, row, bulk):
    message = f"load_arrow: table t: row {row} of the data is null: leave it out, for example with drop_null()"
    with pytest.raises(hjall.InvalidArgument, match=f"^{re.escape(message)}$"):
        table.load_arrow(make(), bulk=bulk)
    assert len(cells(table)) == (0 if bulk or row < 5 else 5)


@pytest.mark.parametrize("make", [lambda data: data, lambda data: data[1:], lambda data: Stream(data, data[:2])])
def test_structs_without_nulls_are_rows(table, make):
    data = make(structs(5, null=-1))
    rows = sum(map(len, data.arrays.chunks)) if isinstance(data, Stream) else len(data)
    assert table.load_arrow(data) == rows
    assert table.row(b"004") == {b"f:n": struct.pack(">q", 4)}


class Again:
    """Exports the same capsules each time, as no exporter may. They can be consumed once."""

    def __init__(self, data, method):
        capsules = getattr(data, method)()
        setattr(self, method, lambda requested_schema=None: capsules)


@pytest.mark.parametrize("method", ["__arrow_c_stream__", "__arrow_c_array__"])
@pytest.mark.parametrize("consumer", ["hjall", "pyarrow"])
def test_data_that_was_consumed_is_refused(table, method, consumer):
    batch = pyarrow.record_batch({"row": ["a"], "f:n": [1]})
    again = Again(pyarrow.Table.from_batches([batch]) if "stream" in method else batch, method)
    if consumer == "hjall":
        assert table.load_arrow(again) == 1
    else:
        consume = pyarrow.table if "stream" in method else pyarrow.record_batch
        assert consume(again).num_rows == 1
    with pytest.raises(hjall.InvalidArgument, match=r"^load_arrow: table t: .*already"):
        table.load_arrow(again)


@pytest.mark.parametrize("columns", [{"f:n"}, ["f:n"], "f:n", [("n", "f:n")]])
def test_columns_that_are_no_mapping_are_refused(table, columns):
    with pytest.raises(
        TypeError, match=r"^columns must be a mapping from names in the data to columns, .* not (set|list|str)"
    ):
        table.load_arrow(one(**{"f:n": ["1"]}), columns=columns)


def test_a_lazy_frame_is_refused_with_the_remedy(table):
    class Lazy:
        def collect(self):
            """Does not return Arrow data here."""

    with pytest.raises(TypeError, match=r"not Lazy: call its method collect\(\) first$"):
        table.load_arrow(Lazy())
    frame = polars.LazyFrame({"row": ["a"], "f:q": ["1"]})
    if not hasattr(frame, "__arrow_c_stream__"):
        with pytest.raises(TypeError, match=r"not LazyFrame: call its method collect\(\) first$"):
            table.load_arrow(frame)
    assert table.load_arrow(frame.collect()) == 1


def test_progress(table):
    data, seen = polars.DataFrame({"row": [b"%04d" % n for n in range(2500)], "f:n": range(2500)}), []
    assert table.load_arrow(data, progress=seen.append) == 2500
    assert seen == [1000, 2000, 2500]
    with pytest.raises(ZeroDivisionError):
        table.load_arrow(data, progress=lambda rows: 1 / 0)


def test_rows_before_a_bad_one_stay_and_are_counted(table):
    with pytest.raises(hjall.errors.InvalidArgument, match="at least 2 rows of the data were written"):
        table.load_arrow(pyarrow.table({"row": ["a", "b", ""], "f:q": ["1", "2", "3"]}), batch_rows=1)
    assert [key for key, _ in table.scan()] == [b"a", b"b"]
    with pytest.raises(hjall.errors.InvalidArgument, match="at least 1 row of the data was written"):
        table.load_arrow(pyarrow.table({"row": ["a", ""], "f:q": ["1", "2"]}), batch_rows=1)
    with pytest.raises(hjall.errors.InvalidArgument, match="it is the first row of the data; rows after it may have"):
        table.load_arrow(pyarrow.table({"row": ["", "c"], "f:q": ["1", "2"]}))


def test_the_error_of_a_failing_stream_is_reported(table):
    schema = pyarrow.schema([("row", pyarrow.string()), ("f:q", pyarrow.string())])

    def batches():
        yield pyarrow.record_batch({"row": ["a"], "f:q": ["1"]}, schema=schema)
        raise RuntimeError("the source failed")

    with pytest.raises(ValueError, match="the source failed"):
        table.load_arrow(pyarrow.RecordBatchReader.from_batches(schema, batches()))
    assert [key for key, _ in table.scan()] == [b"a"]
