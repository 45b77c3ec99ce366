"""`Table.scan_arrow`: scans that return Arrow data, read with each library."""

import datetime
import re
import struct
import threading

import pandas
import polars
import pyarrow
import pytest

import hjall

TIME = datetime.datetime(2024, 2, 29, 12, 30, tzinfo=datetime.timezone.utc)
TIME_MS = int(TIME.timestamp() * 1000)


@pytest.fixture(params=["memory", "folder"])
def table(request, tmp_path):
    """Ten rows `r0` … `r9` in two families; only odd ones have `g:x`."""
    with hjall.memory() if request.param == "memory" else hjall.open(tmp_path) as db:
        db.create_table("t", {"f": {}, "g": {}})
        table = db.table("t")
        for i in range(10):
            data = {b"f:n": struct.pack(">q", i - 5), b"f:s": b"name %d" % i}
            if i % 2:
                data[b"g:x"] = struct.pack(">d", i / 2)
            table.put(b"r%d" % i, data, timestamp=TIME_MS + i)
        yield table


WHOLE = {
    "row": [f"r{i}" for i in range(10)],
    "f:n": [i - 5 for i in range(10)],
    "f:s": [f"name {i}" for i in range(10)],
    "g:x": [i / 2 if i % 2 else None for i in range(10)],
}
DECODERS = {"f:n": "int64", "f:s": "utf8", "g:x": "float64"}


def test_every_library_gets_the_same_rows(table):
    scan = table.scan_arrow(DECODERS, row_type="utf8")
    assert scan.column_names == list(WHOLE)
    assert scan.to_polars().to_dict(as_series=False) == WHOLE
    assert polars.DataFrame(scan).to_dict(as_series=False) == WHOLE
    assert scan.to_pyarrow().to_pydict() == WHOLE
    assert pyarrow.table(scan).to_pydict() == WHOLE
    assert scan.to_reader().read_all().to_pydict() == WHOLE
    frame = scan.to_pandas()
    assert isinstance(frame, pandas.DataFrame)
    assert frame.astype(object).where(frame.notna(), None).to_dict("list") == WHOLE


def test_the_schema_is_known_before_the_rows(table):
    schema = pyarrow.schema(table.scan_arrow(DECODERS, include_timestamp=True))
    time = pyarrow.timestamp("ms", "UTC")
    assert schema == pyarrow.schema(
        [
            pyarrow.field("row", pyarrow.binary(), nullable=False),
            ("f:n", pyarrow.int64()),
            ("f:n.timestamp", time),
            ("f:s", pyarrow.string()),
            ("f:s.timestamp", time),
            ("g:x", pyarrow.float64()),
            ("g:x.timestamp", time),
        ]
    )


def test_timestamps_follow_their_values(table):
    rows = table.scan_arrow(["g:x"], include_timestamp=True, row=None).to_pyarrow().to_pydict()
    expected = [TIME + datetime.timedelta(milliseconds=i) for i in range(1, 10, 2)]
    assert rows["g:x.timestamp"] == expected
    both = table.scan_arrow(["g:x", "f:s"], include_timestamp=True).to_pyarrow().to_pydict()
    assert both["g:x.timestamp"][:2] == [None, expected[0]]


def test_columns_keep_the_order_in_which_they_were_named(table):
    assert table.scan_arrow(["g:x", "f:s", "f:none", "f:n"]).column_names == ["row", "g:x", "f:s", "f:none", "f:n"]
    assert table.scan_arrow(["g:x", "f:s", "f:none", "f:n"]).to_polars()["f:none"].null_count() == 10


def test_columns_that_are_not_named_are_discovered(table):
    assert table.scan_arrow().column_names == ["row", "f:n", "f:s", "g:x"]
    assert table.scan_arrow(["g:", "f:s"]).column_names == ["row", "g:x", "f:s"]
    assert table.scan_arrow({"f:n": "int64", "f:": "utf8"}).to_polars().row(0) == (b"r0", -5, "name 0")
    assert table.scan_arrow(row_prefix=b"r2").column_names == ["row", "f:n", "f:s"]
    assert table.scan_arrow(values="utf8", row_prefix=b"r2", columns=["f:s"]).to_polars().row(0) == (b"r2", "name 2")


@pytest.mark.parametrize("batch_rows", [1, 3, 100])
def test_columns_that_later_rows_add(table, batch_rows):
    """Rows before a column is met, in its batch and in earlier ones, have nulls in it."""
    for i in range(20):
        table.put(b"s%02d" % i, {b"f:%02d" % (i * 7 % 20): struct.pack(">q", i)}, timestamp=TIME_MS + i)
    table.put(b"s03", {b"g:x": struct.pack(">q", 3)}, timestamp=TIME_MS)

    def scan(**options):
        return table.scan_arrow(
            {"f:": "int64", "f:07": "utf8", "g:x": "int64"}, row_prefix=b"s", errors="null", **options
        )

    names = [f"f:{i:02d}" for i in range(20) if i != 7] + ["f:07", "g:x"]
    found = scan(batch_rows=batch_rows).to_polars()
    assert found.columns == ["row", *names]
    for i in range(20):
        column = found[f"f:{i * 7 % 20:02d}"]
        assert column.null_count() == 19 and column[i] is not None
    assert found["g:x"].to_list() == [3 if i == 3 else None for i in range(20)]
    timed = scan(batch_rows=batch_rows, include_timestamp=True)
    times = timed.to_polars()["f:14.timestamp"]
    assert times[2] == TIME + datetime.timedelta(milliseconds=2) and times.null_count() == 19
    # As a stream, batch by batch, and after the columns have become known.
    known = scan(batch_rows=batch_rows)
    assert known.column_names == found.columns
    for other in (polars.DataFrame(scan(batch_rows=batch_rows)), known.to_polars(), polars.DataFrame(known)):
        assert other.equals(found)
    assert polars.concat([polars.DataFrame(batch) for batch in scan(batch_rows=batch_rows)]).equals(found)


def test_an_empty_result_has_no_discovered_columns(table):
    scan = table.scan_arrow(row_prefix=b"none")
    assert (scan.collect().column_names, scan.to_polars().height) == (["row"], 0)
    assert table.scan_arrow(["f:", "g:x"], row_prefix=b"none").to_polars().columns == ["row", "g:x"]


@pytest.mark.parametrize(
    "qualifier, name",
    [
        (b"\xff", "\\xFF"),
        (b"a\xffb\xfe\xe9", "a\\xFFb\\xFE\\xE9"),
        (struct.pack(">q", 1), r"\x00\x00\x00\x00\x00\x00\x00\x01"),
        (b"a\tb\nc\x7f", r"a\x09b\x0Ac\x7F"),
        ("é ☃\u0085".encode(), "é ☃\u0085"),
        (b"\\x00", r"\x00"),
    ],
)
def test_names_that_are_no_text_are_escaped(table, qualifier, name):
    column = b"f:" + qualifier
    table.put(b"r0", {column: b"1"})
    scan = table.scan_arrow([column], limit=1)
    assert scan.column_names == ["row", f"f:{name}"]
    expected = {"row": [b"r0"], f"f:{name}": [b"1"]}
    assert scan.to_pyarrow().to_pydict() == expected
    assert scan.to_reader().read_all().to_pydict() == expected
    assert scan.to_polars().to_dict(as_series=False) == expected
    assert f"f:{name}" in table.scan_arrow(row_prefix=b"r0").column_names
    assert f"f:{name}" in table.scan_arrow(row_prefix=b"r0", layout="cells").to_polars()["column"].to_list()


@pytest.mark.parametrize(
    "columns, arguments, name",
    [
        ([b"f:\xff", b"f:\\xFF"], {}, "f:\\xFF"),
        ([b"f:x", b"f:x.timestamp"], {"include_timestamp": True}, "f:x.timestamp"),
    ],
)
def test_two_columns_with_one_name_are_refused_with_the_remedy(table, columns, arguments, name):
    table.put(b"q", dict.fromkeys(columns, b"1"))
    quoted = name.replace("\\", "\\\\")
    message = f'two columns of the result are named "{quoted}": leave one out with columns=, or use layout="cells"'
    for given in ({}, {"columns": columns}):
        with pytest.raises(hjall.InvalidArgument, match=f"{re.escape(message)}$"):
            table.scan_arrow(row_prefix=b"q", **given, **arguments).collect()
    assert table.scan_arrow(row_prefix=b"q", layout="cells").to_polars().height == 2
    table.scan_arrow(columns[:1], row_prefix=b"q", **arguments).collect()


@pytest.mark.parametrize(
    "arguments, rows",
    [
        ({"row_start": b"r3"}, "3456789"),
        ({"row_stop": b"r3"}, "012"),
        ({"row_start": b"r3", "row_stop": b"r5"}, "34"),
        ({"row_prefix": b"r7"}, "7"),
        ({"row_prefix": b"r", "reverse": True}, "9876543210"),
        ({"row_start": b"r4", "reverse": True}, "43210"),
        ({"limit": 3}, "012"),
        ({"limit": 3, "reverse": True}, "987"),
        ({"timestamp": TIME_MS + 2}, "01"),
        ({"time_range": (TIME_MS + 2, TIME_MS + 4)}, "23"),
        ({"filter": b"PrefixFilter('r8')"}, "8"),
        ({"row_prefix": b""}, "0123456789"),
    ],
)
def test_the_arguments_of_a_scan_apply(table, arguments, rows):
    assert table.scan_arrow(["f:s"], **arguments).to_polars()["row"].to_list() == [b"r" + n.encode() for n in rows]


def test_a_prefix_of_0xff_bytes_is_unbounded(table):
    table.put(b"\xff\xff1", {b"f:s": b""})
    for reverse in (False, True):
        assert table.scan_arrow(["f:s"], row_prefix=b"\xff\xff", reverse=reverse).to_polars()["row"].to_list() == [
            b"\xff\xff1"
        ]


def test_batches_have_the_requested_size(table):
    assert [len(batch) for batch in table.scan_arrow(["f:s"], batch_rows=4)] == [4, 4, 2]
    assert [batch.num_rows for batch in table.scan_arrow(["f:s"], batch_rows=5).to_reader()] == [5, 5]


def test_each_use_of_a_scan_reads_the_current_rows(table):
    scan = table.scan_arrow(["f:s"])
    kept = scan.collect()
    assert len(kept) == 10
    table.put(b"r999", {b"f:s": b"new"})
    assert len(scan.collect()) == 11
    assert polars.DataFrame(kept).height == pyarrow.table(kept).num_rows == 10


def test_an_empty_result_has_its_columns(table):
    frame = table.scan_arrow(DECODERS, row_prefix=b"none").to_polars()
    assert frame.height == 0 and frame.columns == list(WHOLE)
    assert table.scan_arrow(row_prefix=b"none").to_polars().columns == ["row"]


def test_cells_as_rows(table):
    table.put(b"r0", {b"f:s": b"newer"})
    frame = table.scan_arrow(
        layout="cells", values="utf8", columns=None, limit=1, errors="null", row_type=str
    ).to_polars()
    assert frame.columns == ["row", "column", "timestamp", "value"]
    assert frame.select("row", "column", "value").rows() == [("r0", "f:n", None), ("r0", "f:s", "newer")]
    assert frame["timestamp"][0] == TIME


def test_cells_as_rows_with_versions(tmp_path):
    with hjall.memory() as db:
        db.create_table("t", {"f": {"max_versions": 3}})
        table = db.table("t")
        for time in range(1, 5):
            table.put(b"r", {b"f:q": b"%d" % time}, timestamp=time)
        cells = table.scan_arrow(layout="cells", versions=2).to_polars()
        assert cells["value"].to_list() == [b"4", b"3"]


def test_an_unreadable_value_is_an_error_or_a_null(table):
    scan = table.scan_arrow({"f:s": "int64"})
    with pytest.raises(
        hjall.errors.DecodeError, match=r'column f:s of row b"r0": b"name 0" \(6 bytes\).*int64.*8 bytes.*errors="null"'
    ) as raised:
        scan.to_polars()
    assert isinstance(raised.value, (hjall.Error, ValueError))
    with pytest.raises(pyarrow.ArrowException, match="name 0"):
        scan.to_reader().read_all()
    assert table.scan_arrow({"f:s": "int64"}, errors="null").to_polars()["f:s"].null_count() == 10


def test_an_unreadable_row_key_is_an_error_with_the_remedy(table):
    table.put(b"\xff", {b"f:s": b"1"})
    with pytest.raises(hjall.errors.DecodeError, match="row_type"):
        table.scan_arrow(["f:s"], row_type="utf8").collect()


@pytest.mark.parametrize(
    "arguments, error, message",
    [
        ({"columns": {"f:s": "int63"}}, ValueError, 'unknown decoder "int63"; the decoders are: binary, utf8'),
        (
            {"columns": {"f:s": "int63"}},
            ValueError,
            " int64, counter, int32, .* timestamp, timestamp_ms, timestamp_s, ",
        ),
        ({"columns": "f:s"}, TypeError, r"\['f:s'\]"),
        ({"columns": []}, ValueError, "empty"),
        ({"columns": [":q"]}, ValueError, "family:qualifier"),
        ({"columns": ["f:s", "f:s"]}, ValueError, "f:s"),
        ({"columns": ["f:s"], "row": "f:s"}, ValueError, "rename the column of row keys"),
        ({"layout": "wide"}, ValueError, "layout"),
        ({"errors": "ignore"}, ValueError, "errors"),
        ({"batch_rows": 0}, ValueError, "batch_rows"),
        ({"limit": 0}, ValueError, "limit"),
        ({"row_prefix": b"r", "row_start": b"r"}, TypeError, "row_prefix"),
        ({"timestamp": 1, "time_range": (0, 1)}, TypeError, "time_range"),
        ({"versions": 2}, TypeError, "cells"),
        ({"layout": "cells", "columns": ["f:s"]}, TypeError, "columns"),
        ({"layout": "cells", "include_timestamp": True}, TypeError, "include_timestamp"),
        ({"columns": ["none:q"]}, hjall.errors.FamilyNotFound, "none"),
    ],
)
def test_invalid_arguments_are_rejected(table, arguments, error, message):
    with pytest.raises(error, match=message):
        table.scan_arrow(**arguments).collect()


def test_a_missing_table_is_reported_when_the_scan_is_used():
    with hjall.memory() as db:
        scan = db.table("none").scan_arrow(["f:q"])
        with pytest.raises(hjall.errors.TableNotFound):
            scan.to_polars()


def test_a_closed_database_ends_a_stream(table):
    batches = iter(table.scan_arrow(["f:s"], batch_rows=1))
    reader = table.scan_arrow(["f:s"]).to_reader()
    assert len(next(batches)) == 1
    table.connection.close()
    with pytest.raises(pyarrow.ArrowException, match="closed"):
        reader.read_all()


def test_a_capsule_without_a_consumer_is_released(table):
    for _ in range(100):
        table.scan_arrow(["f:s"]).__arrow_c_stream__()
        table.scan_arrow(["f:s"]).__arrow_c_schema__()


def test_threads_share_a_scan(table):
    scan = table.scan_arrow(DECODERS, row_type=str)
    results = []
    threads = [
        threading.Thread(target=lambda: results.append(scan.to_polars().to_dict(as_series=False))) for _ in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [WHOLE] * 8
