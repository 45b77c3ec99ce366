"""Arguments: the accepted types, and the errors for all others."""

import pytest

import hjall
from hjall import happybase


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


def test_happybases_connection_options_are_checked():
    with hjall.memory() as db, happybase.redirect(db):
        options = {"host": "localhost", "port": 9090, "timeout": 5}
        happybase.Connection(**options, transport="framed", protocol="compact", compat="0.96").close()
        for wrong in ({"compat": "1"}, {"transport": "http"}, {"protocol": "json"}):
            with pytest.raises(ValueError, match="must be one of"):
                happybase.Connection(**wrong)
    with pytest.raises(TypeError):
        hjall.memory(table_prefix=5)
