"""Arguments: the accepted types, and the errors for all others."""

import re

import pytest

import hjall
from hjall import filters, happybase


@pytest.fixture
def table():
    """A table with the family `f`."""
    with hjall.memory() as db:
        db.create_table("t", {"f": {"max_versions": 3}})
        yield db.table("t")


@pytest.mark.parametrize("kind", [bytes, bytearray, memoryview])
def test_bytes_like_objects_are_accepted(table, kind):
    row, column, value = kind(b"row"), kind(b"f:a"), kind(b"value")
    table.put(row, [(column, value)])
    assert table.row(row, [column]) == {b"f:a": b"value"}
    assert table.rows([row]) == [(b"row", {b"f:a": b"value"})]
    assert table.cells(row, column) == [b"value"]
    assert list(table.scan(row_prefix=row)) == [(b"row", {b"f:a": b"value"})]
    assert table.check_and_put(row, column, value, [(column, kind(b"next"))])
    assert table.counter_inc(row, kind(b"f:n")) == 1
    with table.batch() as batch:
        batch.delete(row, [column])
    assert table.row(row, [column]) == {}


def test_a_strided_memoryview_is_accepted(table):
    table.put(b"r", {b"f:a": memoryview(b"abcdef")[::2]})
    assert table.row(b"r") == {b"f:a": b"ace"}


@pytest.mark.parametrize(
    "use",
    [
        lambda t: t.row("r"),
        lambda t: t.rows(["r"]),
        lambda t: t.row(b"r", ["f:a"]),
        lambda t: t.cells("r", b"f:a"),
        lambda t: t.cells(b"r", "f:a"),
        lambda t: t.put("r", {b"f:a": b"1"}),
        lambda t: t.put(b"r", {"f:a": b"1"}),
        lambda t: t.put(b"r", {b"f:a": "1"}),
        lambda t: t.delete("r"),
        lambda t: t.delete(b"r", ["f:a"]),
        lambda t: list(t.scan(row_start="r")),
        lambda t: list(t.scan(row_prefix="r")),
        lambda t: t.counter_inc("r", b"f:a"),
        lambda t: t.counter_inc(b"r", "f:a"),
        lambda t: t.batch().put("r", {b"f:a": b"1"}),
        lambda t: t.check_and_put(b"r", b"f:a", "1", {b"f:a": b"1"}),
        lambda t: t.append("r", {b"f:a": b"1"}),
        lambda t: t.mutate_row(b"r", [hjall.Put({"f:a": b"1"})]),
        lambda t: t.exists("r"),
        lambda t: t.row_cells("r"),
    ],
)
def test_str_is_rejected_with_the_remedy(table, use):
    with pytest.raises(TypeError, match=r"must be bytes, not str: write '[a-z0-9:]+'\.encode\(\)"):
        use(table)


def test_str_is_encoded_if_the_database_has_an_encoding():
    with hjall.memory(encoding="latin-1") as db:
        db.create_table("t", {"f": {}})
        table = db.table("t")
        table.put("é", {"f:ü": "ö"})
        assert table.row("é") == {b"f:\xfc": b"\xf6"} == table.row(b"\xe9")
        with table.batch() as batch:
            batch.put("a", {"f:b": "c"})
        assert list(table.scan(row_prefix="a")) == [(b"a", {b"f:b": b"c"})]
        assert table.counter_inc("a", "f:n") == 1


@pytest.mark.parametrize(
    "use, error",
    [
        (lambda t: t.row(b"r", 5), TypeError),
        (lambda t: t.row(b"r", b"f:a"), TypeError),
        (lambda t: t.row(b"r", timestamp="1"), TypeError),
        (lambda t: t.row(b"r", timestamp=1.5), TypeError),
        (lambda t: t.row(b"r", timestamp=2**63), OverflowError),
        (lambda t: t.row(b""), ValueError),
        (lambda t: t.row(b"x" * 32_768), ValueError),
        (lambda t: t.row(5), TypeError),
        (lambda t: t.row(None), TypeError),
        (lambda t: t.row(b"r", timestamp=1, time_range=(0, 1)), TypeError),
        (lambda t: t.row(b"r", time_range=(5, 1)), ValueError),
        (lambda t: t.cells(b"r", b"f:a", 0), ValueError),
        (lambda t: t.cells(b"r", b"f:a", "1"), TypeError),
        (lambda t: t.put(b"r", 5), TypeError),
        (lambda t: t.put(b"r", [b"f:a"]), TypeError),
        (lambda t: t.put(b"r", {b"f": b"1"}), ValueError),
        (lambda t: t.put(b"r", {None: b"1"}), TypeError),
        (lambda t: t.put(b"r", {b"f:a": b"1"}, durability="NOW"), ValueError),
        (lambda t: t.batch(timestamp="1"), TypeError),
        (lambda t: t.batch(batch_size=0), ValueError),
        (lambda t: t.batch(batch_size=1, transaction=True), TypeError),
        (lambda t: t.delete(b"r", b"f:a"), TypeError),
        (lambda t: t.delete(b"r", [hjall.Marker("cell", b"f:a")]), ValueError),
        (lambda t: t.mutate_row(b"r", [5]), TypeError),
        (lambda t: t.check_and_put(b"r", b"f:a", b"1", {b"f:a": b"1"}, compare="<>"), ValueError),
        (lambda t: list(t.scan(batch_size=0)), ValueError),
        (lambda t: list(t.scan(limit=0)), ValueError),
        (lambda t: list(t.scan(row_prefix=b"a", row_stop=b"b")), TypeError),
        (lambda t: list(t.scan(filter="NoFilter()")), ValueError),
        (lambda t: list(t.scan(filter=5)), TypeError),
        (lambda t: t.counter_inc(b"r", b"f:a", "1"), TypeError),
        (lambda t: t.counter_inc(b"r", b"f:a", 2**63), OverflowError),
        (lambda t: t.put(b"r", {b"f:a": b"x" * (11 << 20)}), ValueError),
    ],
)
def test_invalid_arguments_are_rejected(table, use, error):
    with pytest.raises(error) as raised:
        use(table)
    assert len(str(raised.value)) > 10, "the error has no message"


@pytest.mark.parametrize(
    "use, error, builtin",
    [
        (lambda db: db.table("none").row(b"r"), hjall.TableNotFound, LookupError),
        (lambda db: db.delete_table("t"), hjall.TableNotDisabled, RuntimeError),
        (lambda db: db.create_table("t", {"f": {}}), hjall.TableExists, ValueError),
        (lambda db: db.create_table("no:t", {"f": {}}), hjall.NamespaceNotFound, LookupError),
        (lambda db: db.table("t").row(b"r", [b"g"]), hjall.FamilyNotFound, LookupError),
        (lambda db: db.table("off").row(b"r"), hjall.TableDisabled, RuntimeError),
        (lambda db: db.create_namespace("default"), hjall.NamespaceExists, ValueError),
        (lambda db: db.delete_namespace("default"), hjall.Refused, ValueError),
        (lambda db: db.delete_family("t", "g"), hjall.FamilyError, ValueError),
        (lambda db: db.table("t").counter_inc(b"r", b"f:text"), hjall.NotACounter, ValueError),
        (lambda db: db.create_table("u", {"f": {"ttl": 1}}), TypeError, TypeError),
        (lambda db: db.create_table("u", {"f": {"max_versions": 0}}), hjall.InvalidArgument, ValueError),
        (lambda db: db.create_table("u", {}), ValueError, ValueError),
        (lambda db: db.create_table("u", []), TypeError, TypeError),
        (lambda db: db.create_table("u", {"f": 5}), TypeError, TypeError),
        (lambda db: db.create_table("u v", {"f": {}}), hjall.InvalidArgument, ValueError),
        (lambda db: db.create_table("u", {"f": {}}, num_regions=4), TypeError, TypeError),
        (lambda db: db.create_table("u", {"f": {}}, num_regions=4, split_algo="Even"), ValueError, ValueError),
    ],
)
def test_exceptions_are_subclasses_of_error_and_of_a_builtin(use, error, builtin):
    with hjall.memory() as db:
        db.create_table("t", {"f": {}})
        db.table("t").put(b"r", {b"f:text": b"text"})
        db.create_table("off", {"f": {}})
        db.disable_table("off")
        with pytest.raises(error) as raised:
            use(db)
    assert isinstance(raised.value, builtin)
    assert error.__module__ == "builtins" or isinstance(raised.value, hjall.Error)


VERSIONS = [0, -1, "0", b"-5"]
FAMILIES = {
    "option": lambda db, versions: db.create_table("u", {"f": {"VERSIONS": versions}}),
    "Family": lambda db, versions: db.create_table("u", {"f": hjall.Family(VERSIONS=versions)}),
    "add_family": lambda db, versions: db.add_family("t", "g", {"VERSIONS": versions}),
    "modify_family": lambda db, versions: db.modify_family("t", "f", hjall.Family({b"VERSIONS": versions})),
    "alter_table": lambda db, versions: db.alter_table("t", families={"f": {"VERSIONS": versions}}),
}


@pytest.mark.parametrize("describe", FAMILIES.values(), ids=FAMILIES)
@pytest.mark.parametrize("versions", VERSIONS)
def test_a_family_without_versions_is_refused(describe, versions):
    with hjall.memory() as db:
        db.create_table("t", {"f": {}})
        expected = r"Maximum versions must be positive.*VERSIONS of family [fg] is (0|-1|-5); use 1 or more"
        with pytest.raises(hjall.InvalidArgument, match=expected):
            describe(db, versions)
        assert db.tables() == [b"t"] and list(db.table("t").families()) == [b"f"]
        describe(db, 2)


LEVELS = "USE_DEFAULT, SKIP_WAL, ASYNC_WAL, SYNC_WAL, FSYNC_WAL"
DURABILITIES = {
    "create_table": lambda db, level: db.create_table("u", {"f": {}}, attributes={"DURABILITY": level}),
    "alter_table": lambda db, level: db.alter_table("t", attributes={b"DURABILITY": level}),
    "alter_table with families": lambda db, level: db.alter_table(
        "t", attributes={"DURABILITY": level}, families={"f": {}}
    ),
}


@pytest.mark.parametrize("change", DURABILITIES.values(), ids=DURABILITIES)
def test_an_unknown_durability_of_a_table_is_refused(change):
    with hjall.memory() as db:
        db.create_table("t", {"f": {}})
        for level, meant in (("FSYNC", "FSYNC_WAL"), (b"fsync", "FSYNC_WAL"), ("sync", "SYNC_WAL"), ("fast", None)):
            hint = f': did you mean "{meant}"?' if meant else ""
            shown = level if isinstance(level, str) else level.decode()
            message = f'the attribute DURABILITY must be one of {LEVELS}, not "{shown}"{hint}'
            with pytest.raises(hjall.InvalidArgument, match=rf"^(create|alter)_table: {re.escape(message)}$"):
                change(db, level)
        assert db.tables() == [b"t"] and b"DURABILITY" not in db.describe_table("t").attributes
        change(db, "FSYNC_WAL")
        db.alter_table("t", attributes={"DURABILITY": ""})
        assert b"DURABILITY" not in db.describe_table("t").attributes


@pytest.mark.parametrize(
    "use",
    [
        lambda t: list(t.scan(limit=0)),
        lambda t: list(t.scan(batch_size=0)),
        lambda t: t.scan_arrow(limit=0),
        lambda t: t.scan_arrow({"f:a": "int99"}),
        lambda t: t.scan_arrow(layout="table"),
        lambda t: t.put(b"r", {b"f:a": b"1"}, durability="FSYNC"),
        lambda t: t.put(b"r", {b"f:a": b"1"}, ttl_ms=0),
        lambda t: t.batch(durability="FSYNC"),
        lambda t: t.batch(batch_size=0),
        lambda t: t.check_and_put(b"r", b"f:a", b"1", {b"f:a": b"1"}, compare="foo"),
        lambda t: t.cells(b"r", b"f:a", versions=0),
        lambda t: t.delete(b"r", [hjall.Marker("cell", b"f:a")]),
        lambda t: t.connection.create_table("u", {"f": {}}, num_regions=4, split_algo="Even"),
        lambda t: t.connection.serve(port=70_000),
        lambda t: filters.FilterList("ANY", []),
        lambda t: filters.BitComparator(b"1", "not"),
        lambda t: hjall.memory(cache_bytes=-1),
        lambda t: hjall.open("localhost"),
        lambda t: hjall.open("db", durability="SKIP_WAL"),
        lambda t: hjall.ConnectionPool(0, database=t.connection),
    ],
)
def test_invalid_values_are_errors_of_the_package(table, use):
    with pytest.raises(hjall.InvalidArgument) as raised:
        use(table)
    assert isinstance(raised.value, ValueError)


def test_an_unknown_durability_names_the_one_that_was_meant(table):
    with pytest.raises(hjall.InvalidArgument, match=rf'must be one of {LEVELS}, not "FSYNC": did you mean "FSYNC_WAL"'):
        table.put(b"r", {b"f:a": b"1"}, durability="FSYNC")


READS = {
    "row": lambda t, **given: t.row(b"r", **given),
    "rows": lambda t, **given: t.rows([b"r"], **given),
    "cells": lambda t, **given: t.cells(b"r", b"f:a", **given),
    "row_cells": lambda t, **given: t.row_cells(b"r", **given),
    "exists": lambda t, **given: t.exists(b"r", **given),
    "scan": lambda t, **given: list(t.scan(**given)),
    "scan_cells": lambda t, **given: list(t.scan_cells(**given)),
    "scan_arrow": lambda t, **given: t.scan_arrow(**given),
    "count": lambda t, **given: t.count(**given),
}


@pytest.mark.parametrize("method", READS)
def test_messages_about_filters_and_time_ranges_name_the_call(table, method):
    read = READS[method]
    row = "" if method in ("rows", "scan", "scan_cells", "scan_arrow", "count") else ", row b'r'"
    for given in ({"filter": "NoFilter()"}, {"filter": "PrefixFilter('a"}, {"time_range": (5, 1)}):
        with pytest.raises(hjall.InvalidArgument, match=rf"^{method}: table t{row}: "):
            read(table, **given)
    for wrong in (5, "ab", (1,), (1, 2, 3), (1, 2.5), (None, 1), {1, 2}):
        with pytest.raises(TypeError, match=r"^time_range must be \(min, max\): two integers, in milliseconds"):
            read(table, time_range=wrong)
    with pytest.raises(OverflowError, match=r"^time_range must be an integer from"):
        read(table, time_range=(0, 2**64))
    for right in ((0, 10), [0, 10], range(0, 20, 10)):
        read(table, time_range=right)


@pytest.mark.parametrize("method", ["scan", "scan_cells", "scan_arrow"])
def test_messages_about_limits_name_the_call(table, method):
    with pytest.raises(hjall.InvalidArgument, match=rf"^{method}: table t: limit must be at least 1, not 0$"):
        READS[method](table, limit=0)


def test_messages_about_options_of_families_name_the_option():
    with hjall.memory() as db:
        for option in ("time_to_live", "max_versions", "bloom_filter_vector_size"):
            with pytest.raises(TypeError, match=f"^{option} must be an integer, not float$"):
                db.create_table("u", {"f": {option: 0.5}})
        for option in ("min_versions", "block_size", "compression", "bloom_filter_type", "VERSIONS"):
            with pytest.raises(TypeError, match=f"^{option} must be an integer, a bool, str or bytes, not float$"):
                db.create_table("u", {"f": {option: 0.5}})


@pytest.mark.parametrize("algorithm", ["HexStringSplit", "DecimalStringSplit", "UniformSplit", "Even"])
@pytest.mark.parametrize("regions", [-1, 0, 1, 100_001, 2**31 - 1, 2**40])
def test_the_number_of_regions_has_bounds(algorithm, regions):
    with hjall.memory() as db:
        for connection in (db, happybase.Connection(database=db)):
            with pytest.raises(
                hjall.InvalidArgument, match=f"^create_table: num_regions must be from 2 to 100000, not {regions}$"
            ):
                connection.create_table("t", {"f": {}}, num_regions=regions, split_algo=algorithm)
            with pytest.raises(TypeError, match=r"^num_regions must be an integer, not str$"):
                connection.create_table("t", {"f": {}}, num_regions="4", split_algo=algorithm)
            with pytest.raises(OverflowError, match=r"^num_regions must be an integer from "):
                connection.create_table("t", {"f": {}}, num_regions=2**70, split_algo=algorithm)
        assert db.tables() == []


# Calls that consist of several others, and the errors of those.
CALLS_OF_SEVERAL = {
    "delete_table": lambda db: db.delete_table("none", disable=True),
    "alter_table": lambda db: db.alter_table("none", families={"f": {}}),
    "delete_rows": lambda db: db.table("t").delete_rows(row_prefix=b"r"),
}


@pytest.mark.parametrize("method", CALLS_OF_SEVERAL)
def test_messages_name_the_method_that_the_program_calls(method):
    with hjall.memory() as db:
        db.create_table("t", {"f": {}})
        db.table("t").put(b"r1", {b"f:a": b"1"})
        db.table("t").put(b"r2", {b"f:a": b"1"})
        db.alter_table("t", attributes={"READONLY": True})
        with pytest.raises(hjall.Error, match=f"^{method}: "):
            CALLS_OF_SEVERAL[method](db)


def test_delete_rows_reports_the_first_failure_and_the_number_of_the_others():
    with hjall.memory() as db:
        db.create_table("t", {"f": {}})
        table = db.table("t")
        for key in (b"r1", b"r2", b"r3"):
            table.put(key, {b"f:a": b"1"})
        db.alter_table("t", attributes={"READONLY": True})
        with pytest.raises(hjall.ReadOnly, match=r"^delete_rows: row b'r1': table t .*\(and 2 more rows failed, see "):
            table._delete_rows([b"r1", b"r2", b"r3"], None)
        with pytest.raises(hjall.ReadOnly, match=r"\(and 1 more row failed, see the attribute failures\)$") as caught:
            table._delete_rows([b"r1", b"r2"], None)
        assert [row for row, _ in caught.value.failures] == [b"r1", b"r2"]
        with pytest.raises(hjall.ReadOnly, match=r"^delete_rows: row b'r1': table t is read only"):
            table.delete_rows(row_prefix=b"r")
        assert table.count() == 3


@pytest.mark.parametrize(
    ("given", "meant"),
    [
        ("versions", "max_versions"),
        ("ttl", "time_to_live"),
        ("ttl_seconds", "time_to_live"),
        ("bloom_filter", "bloom_filter_type"),
        ("block_cache", "block_cache_enabled"),
    ],
)
def test_an_option_by_another_name_gets_a_suggestion(given, meant):
    with hjall.memory() as db:
        with pytest.raises(TypeError, match=rf'unknown family option "{given}" \(did you mean {meant}\?\)'):
            db.create_table("t", {"f": {given: 3}})


@pytest.mark.parametrize("families", [["f"], {"f"}, "f", [("f", {})]])
def test_families_that_are_no_mapping_are_refused(families):
    with hjall.memory() as db:
        db.create_table("t", {"f": {}})
        given = type(families).__name__
        for call in (db.create_table, db.alter_table):
            with pytest.raises(
                TypeError, match=f'^families must be a dict from names to options, such as {{"f": {{}}}}, not {given}$'
            ):
                call("t", families=families)
        assert list(db.table("t").families()) == [b"f"]


CLOCKS = {
    "ManualClock": (hjall.ManualClock, "now_ms"),
    "set": (hjall.ManualClock(0).set, "now_ms"),
    "advance": (hjall.ManualClock(0).advance, "the step of a clock"),
}


@pytest.mark.parametrize("call, name", CLOCKS.values(), ids=CLOCKS)
def test_times_of_clocks_name_their_range(call, name):
    for wrong in (2**70, -(2**70)):
        with pytest.raises(OverflowError, match=rf"^{name} must be an integer from -2\*\*63 to"):
            call(wrong)
    with pytest.raises(TypeError, match=f"^{name} must be an integer.*, not str$"):
        call("5")


def test_split_keys_may_be_text_if_the_database_has_an_encoding():
    with hjall.memory(encoding="utf-8") as db:
        db.create_table("t", {"f": {}}, split_keys=["é", b"z"])
        connection = happybase.Connection(database=db)
        connection.create_table("u", {"f": {}}, split_keys=["é", "z"])
        for table in (db.table("t"), connection.table("u")):
            assert [region["start_key"] for region in table.regions()] == [b"", b"z", "é".encode()]
    with hjall.memory() as db, pytest.raises(TypeError, match=r"a split key must be bytes.*open the database with enc"):
        db.create_table("t", {"f": {}}, split_keys=["m"])


@pytest.mark.parametrize(
    "make",
    [
        lambda: filters.PrefixFilter("a"),
        lambda: filters.ValueFilter("=", "a"),
        lambda: filters.BinaryComparator("a"),
        lambda: filters.MultipleColumnPrefixFilter([b"x", "a"]),
    ],
)
def test_filters_take_bytes(make):
    with pytest.raises(
        TypeError, match=r"^\w+: a (filter|comparator) argument must be bytes, not str: write 'a'.encode\(\)$"
    ):
        make()


def test_happybases_connection_options_are_checked():
    with hjall.memory() as db, happybase.redirect(db):
        options = {"host": "localhost", "port": 9090, "timeout": 5}
        happybase.Connection(**options, transport="framed", protocol="compact", compat="0.96").close()
        for wrong in ({"compat": "1"}, {"transport": "http"}, {"protocol": "json"}):
            with pytest.raises(ValueError, match="must be one of"):
                happybase.Connection(**wrong)
    with pytest.raises(TypeError):
        hjall.memory(table_prefix=5)
