"""Features that HappyBase does not have. The scripts of `tests/scripts` test the engine's rules in detail."""

import functools
import operator
import re
import struct

import pytest

import hjall
from hjall import filters


@pytest.fixture
def clock():
    """A clock that only the test moves."""
    return hjall.ManualClock(1_000_000)


@pytest.fixture
def db(clock):
    """A database in memory that uses the clock."""
    with hjall.memory(clock=clock) as database:
        database.create_table("t", {"f": {"max_versions": 5}, "g": None})
        yield database


@pytest.fixture
def table(db):
    """The table of the database."""
    return db.table("t")


def test_time_ranges(table):
    table.put(b"r", [(b"f:a", b"%d" % n, n) for n in range(1, 6)])
    assert table.row(b"r", time_range=(2, 4)) == {b"f:a": b"3"}
    assert table.cells(b"r", b"f:a", time_range=(2, 4)) == [b"3", b"2"]
    assert list(table.scan(time_range=(0, 2))) == [(b"r", {b"f:a": b"1"})]
    assert table.rows([b"r"], time_range=(9, 10)) == []
    assert not table.exists(b"r", time_range=(9, 10))


def test_put_takes_the_result_of_row(table):
    table.put(b"r", {b"f:a": b"1", b"g:b": b"2"}, timestamp=7)
    table.put(b"copy", table.row(b"r", include_timestamp=True))
    assert table.row(b"copy", include_timestamp=True) == {b"f:a": (b"1", 7), b"g:b": (b"2", 7)}


@pytest.mark.parametrize(
    "compare, value, holds",
    [
        ("=", b"5", True),
        ("=", b"6", False),
        ("!=", b"6", True),
        ("<", b"4", True),
        ("<", b"5", False),
        ("<=", b"5", True),
        (">", b"6", True),
        (">", b"5", False),
        (">=", b"5", True),
        ("GREATER", b"6", True),
        ("EQUAL", b"5", True),
        ("=", None, False),
        ("!=", None, True),
    ],
)
def test_comparisons_have_the_given_value_on_the_left(table, compare, value, holds):
    table.put(b"r", {b"f:a": b"5"})
    assert table.check_and_put(b"r", b"f:a", value, {b"f:done": b"1"}, compare=compare) is holds
    assert table.exists(b"r", [b"f:done"]) is holds


def test_check_and_mutate_deletes_and_puts(table):
    table.put(b"r", {b"f:a": b"1", b"f:b": b"2"}, timestamp=1)
    assert table.check_and_mutate(b"r", b"f:a", b"1", [hjall.Put({b"f:c": b"3"}), hjall.Delete([b"f:b"])])
    assert table.row(b"r") == {b"f:a": b"1", b"f:c": b"3"}


def test_markers_delete_single_versions(table):
    table.put(b"r", [(b"f:a", b"%d" % n, n) for n in range(1, 5)])
    table.delete(b"r", [hjall.Marker("version", b"f:a", 2)])
    table.delete(b"r", [hjall.Marker("version", b"f:a")])
    assert table.cells(b"r", b"f:a") == [b"3", b"1"]
    table.delete(b"r", [hjall.Marker("family-version", b"f", 3)])
    assert [cell.kind for cell in table.row_cells(b"r", versions=None, raw=True) if cell.kind != "Put"] == [
        "DeleteFamilyVersion",
        "Delete",
        "Delete",
    ]


def test_mutations_have_a_ttl(table, clock):
    table.put(b"r", {b"f:a": b"1"}, ttl_ms=1000)
    with table.batch(ttl_ms=2000) as batch:
        batch.put(b"r", {b"f:b": b"2"})
    table.mutate_row(b"r", [hjall.Put({b"f:c": b"3"}, ttl_ms=3000)])
    clock.advance(1001)
    assert table.row(b"r") == {b"f:b": b"2", b"f:c": b"3"}
    clock.advance(1000)
    assert table.row(b"r") == {b"f:c": b"3"}
    clock.advance(1000)
    assert table.row(b"r") == {}


@pytest.mark.parametrize("ttl_ms", [0, -1])
def test_a_ttl_that_is_not_positive_is_refused(table, ttl_ms):
    """Cells with such a TTL would expire before anyone could read them."""
    calls = [
        lambda: table.put(b"r", {b"f:a": b"1"}, ttl_ms=ttl_ms),
        lambda: table.put_many([(b"r", {b"f:a": b"1"})], ttl_ms=ttl_ms),
        lambda: table.delete(b"r", ttl_ms=ttl_ms),
        lambda: table.append(b"r", {b"f:a": b"1"}, ttl_ms=ttl_ms),
        lambda: table.increment(b"r", {b"f:n": 1}, ttl_ms=ttl_ms),
        lambda: table.mutate_row(b"r", [hjall.Put({b"f:a": b"1"}, ttl_ms=ttl_ms)]),
        lambda: table.batch(ttl_ms=ttl_ms),
    ]
    for call in calls:
        with pytest.raises(ValueError, match=f"ttl_ms must be at least 1 .milliseconds., not {ttl_ms}: leave it out"):
            call()
    assert table.row(b"r") == {}


@pytest.mark.parametrize("durability", ["USE_DEFAULT", "SKIP_WAL", "ASYNC_WAL", "SYNC_WAL", "FSYNC_WAL"])
def test_every_level_of_durability(tmp_path, durability):
    with hjall.open(tmp_path) as db:
        db.create_table("t", {"f": {}}, attributes={"DURABILITY": "ASYNC_WAL"})
        db.table("t").put(b"r", {b"f:a": b"1"}, durability=durability)
        db.table("t").put(b"s", {b"f:a": b"1"}, wal=False)
    with hjall.open(tmp_path) as db:
        assert [key for key, _ in db.table("t").scan()] == [b"r", b"s"]
        assert db.describe_table("t").attributes[b"DURABILITY"] == b"ASYNC_WAL"


def test_appends_and_increments_of_several_columns(table):
    assert table.append(b"r", {b"f:a": b"x", b"g:b": b"y"}) == {b"f:a": b"x", b"g:b": b"y"}
    assert table.append(b"r", {b"f:a": b"z"}) == {b"f:a": b"xz"}
    assert table.increment(b"r", {b"f:n": 5, b"g:n": -5}) == {b"f:n": 5, b"g:n": -5}
    assert table.row(b"r", [b"f:n"]) == {b"f:n": struct.pack(">q", 5)}


def test_wide_rows_are_split(table):
    table.put(b"r", [(b"f:%d" % n, b"v", n) for n in range(5)])
    pieces = list(table.scan_cells(scan_batching=2))
    assert [(len(piece.cells), piece.partial) for piece in pieces] == [(2, True), (2, True), (1, False)]
    assert [cell.qualifier for cell in table.row_cells(b"r", limit=2, offset=1)] == [b"1", b"2"]


def test_namespaces_are_created_altered_and_deleted(db):
    db.create_namespace("n", {"owner": "ann"})
    assert db.namespaces() == ["default", "hbase", "n"] and db.describe_namespace("n") == {"owner": "ann"}
    db.alter_namespace("n", {"owner": "bob"})
    assert db.describe_namespace("n") == {"owner": "bob"}
    db.create_table("n:t", {"f": {}})
    db.table("n:t").put(b"r", {b"f:a": b"1"})
    assert db.tables() == [b"t", b"n:t"]
    with pytest.raises(hjall.Refused, match="1 tables"):
        db.delete_namespace("n")
    db.delete_table("n:t", disable=True)
    db.delete_namespace("n")
    assert db.namespaces() == ["default", "hbase"]


def test_tables_are_altered(db, table):
    table.put(b"r", {b"f:a": b"1", b"g:a": b"2"})
    db.add_family("t", "h", {"max_versions": 2, "time_to_live": 60, "min_versions": 1})
    assert db.describe_table("t").families[b"h"].attributes[b"MIN_VERSIONS"] == b"1"
    db.modify_family("t", "h", hjall.Family(VERSIONS=9, configuration={"k": "v"}))
    described = db.describe_table("t").families[b"h"]
    assert (described.attributes[b"VERSIONS"], described.configuration) == (b"9", {b"k": b"v"})
    db.delete_family("t", "g")
    assert table.row(b"r") == {b"f:a": b"1"} and set(table.families()) == {b"f", b"h"}
    db.alter_table("t", attributes={"READONLY": True})
    with pytest.raises(hjall.ReadOnly):
        table.put(b"r", {b"f:a": b"2"})
    db.alter_table("t", attributes={"READONLY": ""}, families={"f": {"max_versions": 1}})
    table.put(b"r", {b"f:a": b"2"})
    assert set(table.families()) == {b"f"}


def test_create_table_takes_the_result_of_describe_table(db):
    described = db.describe_table("t")
    db.create_table("copy", described.families, attributes=described.attributes)
    assert db.describe_table("copy").families == described.families


@pytest.mark.parametrize(
    "options, starts",
    [
        ({"split_keys": [b"d", b"m"]}, [b"", b"d", b"m"]),
        ({"num_regions": 4, "split_algo": "HexStringSplit"}, [b"", b"40000000", b"80000000", b"c0000000"]),
        ({"num_regions": 2, "split_algo": "DecimalStringSplit"}, [b"", b"50000000"]),
        ({"num_regions": 2, "split_algo": "UniformSplit"}, [b"", b"\x80" + bytes(7)]),
    ],
)
def test_tables_are_split_when_they_are_created(db, options, starts):
    db.create_table("split", {"f": {}}, **options)
    table = db.table("split")
    assert [region["start_key"] for region in table.regions()] == starts
    table.put(b"r", {b"f:a": b"1"})
    db.disable_table("split")
    db.truncate_table("split", preserve_splits=True)
    assert [region["start_key"] for region in table.regions()] == starts and list(table.scan()) == []
    db.disable_table("split")
    db.truncate_table("split")
    assert len(table.regions()) == 1


def test_filters_compose(table):
    with table.batch() as batch:
        for n in range(10):
            batch.put(b"row-%d" % n, {b"f:n": b"%d" % n, b"g:even": b"yes" if n % 2 == 0 else b"no"})

    def keys(filter):
        return [int(key[-1:]) for key, _ in table.scan(filter=filter)]

    even = filters.SingleColumnValueFilter(b"g", b"even", "=", b"yes")
    small = filters.SingleColumnValueFilter(b"f", b"n", "<", b"4")
    assert keys(even & small) == [0, 2] and keys(even | small) == [0, 1, 2, 3, 4, 6, 8]
    assert keys((even & small) | filters.PrefixFilter(b"row-9")) == [0, 2, 9]
    assert keys(filters.parse("PrefixFilter('row-7')")) == [7] and keys(
        filters.from_bytes((even & small).to_bytes())
    ) == [0, 2]
    assert keys(filters.FilterList("MUST_PASS_ALL", [even, small])) == [0, 2]
    assert keys(filters.RowFilter("=", filters.RegexStringComparator("[13]$"))) == [1, 3]
    assert keys(filters.FuzzyRowFilter([(b"row-5", b"\x00\x00\x00\x00\x00")])) == [5]
    assert keys(filters.MultiRowRangeFilter([(b"row-1", b"row-3"), (b"row-8", b"row-9", False, True)])) == [1, 2, 9]
    assert keys(filters.WhileMatchFilter(small)) == [0, 1, 2, 3]
    assert table.row(b"row-1", filter=filters.ColumnRangeFilter(b"a", True, b"f", True)) == {b"g:even": b"no"}
    assert filters.PageFilter(2) == filters.PageFilter(2) != filters.PageFilter(3)
    with pytest.raises(TypeError):
        even & b"PageFilter(1)"
    with pytest.raises(ValueError, match="100"):
        deep = even
        for _ in range(200):
            deep = filters.SkipFilter(deep)


CHAINS = {"MUST_PASS_ALL": ("&", operator.and_), "MUST_PASS_ONE": ("|", operator.or_)}


@pytest.mark.parametrize("name", CHAINS)
def test_chains_of_filters_are_lists(name):
    """Chains with a common beginning do not affect each other, whichever is made first."""
    sign, join = CHAINS[name]
    other_sign, other = CHAINS["MUST_PASS_ONE" if sign == "&" else "MUST_PASS_ALL"]
    a, b, c, d = (filters.PrefixFilter(key) for key in (b"a", b"b", b"c", b"d"))
    text = {id(one): f"PrefixFilter({key!r})" for one, key in ((a, b"a"), (b, b"b"), (c, b"c"), (d, b"d"))}
    both = join(a, b)
    chains = [
        (both, [a, b]),
        (join(both, c), [a, b, c]),
        (join(both, d), [a, b, d]),
        (join(join(both, c), d), [a, b, c, d]),
        (join(both, c), [a, b, c]),
    ]
    for chain, members in [*chains, *reversed(chains)]:
        assert chain == filters.FilterList(name, members)
        assert repr(chain) == f" {sign} ".join(text[id(one)] for one in members)
    assert repr(other(both, c)) == f"({both!r}) {other_sign} {text[id(c)]}"
    assert join(both, both) == filters.FilterList(name, [a, b, both])
    listed = filters.FilterList(name, [a, b])
    assert join(listed, c) == filters.FilterList(name, [a, b, c]) != listed == both
    assert repr(join(listed, c)) == f"{listed!r} {sign} {text[id(c)]}"
    long = functools.reduce(join, [a] * 20_000)
    assert long == filters.FilterList(name, [a] * 20_000) and repr(long).count(sign) == 19_999


def test_chains_of_filters_are_nested_at_most_100_levels_deep():
    nested, one = filters.PrefixFilter(b"a"), filters.PrefixFilter(b"b")
    for _ in range(99):
        nested = one & nested
    for deeper in (lambda: one & nested, lambda: one | nested, lambda: nested | one):
        with pytest.raises(hjall.InvalidArgument, match="101 levels deep, the maximum is 100"):
            deeper()
    assert (nested & one) == (nested & one) != nested


def test_every_filter_can_be_used(table):
    """Calls every function that creates a filter or comparator."""
    table.put(b"r", {b"f:a": b"12345678"})
    all_filters = [
        filters.KeyOnlyFilter(True),
        filters.FirstKeyOnlyFilter(),
        filters.FirstKeyValueMatchingQualifiersFilter([b"a"]),
        filters.ColumnPrefixFilter(b"a"),
        filters.MultipleColumnPrefixFilter([b"a", b"b"]),
        filters.ColumnCountGetFilter(1),
        filters.PageFilter(1),
        filters.ColumnPaginationFilter(1, 0),
        filters.ColumnPaginationFilter(1, column_offset=b"a"),
        filters.InclusiveStopFilter(b"r"),
        filters.TimestampsFilter([1_000_000]),
        filters.FamilyFilter("=", b"f"),
        filters.QualifierFilter("=", filters.BinaryPrefixComparator(b"a")),
        filters.ValueFilter("=", filters.BinaryComponentComparator(b"3", 2)),
        filters.SingleColumnValueExcludeFilter(b"f", b"none", "=", b"x"),
        filters.ColumnValueFilter(b"f", b"a", "!=", filters.LongComparator(1)),
        filters.DependentColumnFilter(b"f", b"a"),
        filters.RandomRowFilter(1.0),
        filters.SkipFilter(filters.ValueFilter("!=", filters.NullComparator())),
        filters.ValueFilter("=", filters.BitComparator(b"12345678", "and")),
        filters.ValueFilter("=", filters.SubstringComparator("234")),
        filters.ValueFilter("=", filters.BinaryComparator(b"12345678")),
    ]
    for one in all_filters:
        assert len(list(table.scan(filter=one))) == 1, one
        assert repr(one) and filters.from_bytes(one.to_bytes()) == one


def test_table_prefixes(tmp_path):
    with hjall.open(tmp_path, table_prefix="app", table_prefix_separator=b".") as db:
        db.create_table("t", {"f": {}})
        assert (
            db.tables() == [b"t"] and db.table("t").name == b"app.t" and db.table(b"t", use_prefix=False).name == b"t"
        )
        with hjall.open(tmp_path) as whole:
            whole.create_table("other", {"f": {}})
            assert whole.tables() == [b"app.t", b"other"] and db.tables() == [b"t"]


def test_a_database_can_be_opened_explicitly(tmp_path):
    db = hjall.open(tmp_path, autoconnect=False)
    with pytest.raises(hjall.Closed, match=r"open\(\)"):
        db.tables()
    db.open()
    db.open()
    assert db.is_open and db.tables() == [] and len(db.cluster_id) == 36
    db.close()
    assert not db.is_open


def test_a_delete_of_no_columns_deletes_nothing(table):
    data = {b"f:a": b"1", b"f:b": b"2"}
    table.put(b"r", data)
    table.delete(b"r", [])
    table.mutate_row(b"r", [hjall.Put({b"f:c": b"3"}), hjall.Delete([]), hjall.Delete(iter(()))])
    data[b"f:c"] = b"3"
    assert table.row(b"r") == data
    assert table.check_and_mutate(b"r", b"f:a", b"1", [hjall.Put({b"f:d": b"4"}), hjall.Delete(columns=())])
    data[b"f:d"] = b"4"
    assert table.row(b"r") == data
    table.mutate_row(b"r", [hjall.Delete()])
    assert table.row(b"r") == {}


def test_a_mutation_can_be_used_again(table):
    put = hjall.Put(pair for pair in [(b"f:a", b"1"), (b"f:b", b"2")])
    delete = hjall.Delete(column for column in [b"f:a"])
    for row in b"r", b"s":
        table.mutate_row(row, [put])
        table.mutate_row(row, [delete])
        assert table.row(row) == {b"f:b": b"2"}


@pytest.mark.parametrize("columns", ["f", b"f:a"])
def test_a_column_in_place_of_columns_is_refused(columns):
    with pytest.raises(TypeError, match=re.escape(f"columns must be an iterable of columns: write [{columns!r}]")):
        hjall.Delete(columns)


def test_a_table_in_the_requested_state_is_named_without_a_remedy(table):
    database = table.connection
    with pytest.raises(hjall.TableNotDisabled, match="is enabled already") as enabled:
        database.enable_table("t")
    database.disable_table("t")
    with pytest.raises(hjall.TableDisabled, match="is disabled already") as disabled:
        database.disable_table("t")
    assert "enable it" not in str(disabled.value) and "disable it" not in str(enabled.value)
