"""Messages of errors about arguments: each names the method or the argument, and the remedy."""

import errno
import os
import re

import pytest
from programs import run

import hjall
from hjall import filters


@pytest.fixture
def table():
    """A table with the family `f` and the row `a`."""
    with hjall.memory() as db:
        db.create_table("t", {"f": {}})
        db.table("t").put(b"a", {b"f:x": b"1"})
        yield db.table("t")


PUT = hjall.Put({b"f:x": b"1"})
WRONG_TYPES = {
    "bulk_load, dict": (
        lambda t: t.bulk_load({b"a": {b"f:x": b"1"}}),
        "bulk_load: table t: rows must be an iterable of (row, data) tuples, not dict: write sorted(rows.items())",
    ),
    "bulk_load, int": (
        lambda t: t.bulk_load(5),
        "bulk_load: table t: rows must be an iterable of (row, data) tuples, not int",
    ),
    "bulk_load, list": (
        lambda t: t.bulk_load([(b"a", {b"f:x": b"1"}), [b"b", {}]]),
        "bulk_load: table t: item 2 of rows must be a tuple (row, data), not list",
    ),
    "bulk_load, 3-tuple": (
        lambda t: t.bulk_load([(b"a", {b"f:x": b"1"}, 5)]),
        "bulk_load: table t: item 1 of rows must be a tuple (row, data), not a tuple of 3",
    ),
    "put_many, dict": (
        lambda t: t.put_many({b"a": {b"f:x": b"1"}}),
        "put_many: table t: rows must be an iterable of (row, data) tuples, not dict: write rows.items()",
    ),
    "put_many, None": (
        lambda t: t.put_many([None]),
        "put_many: table t: item 1 of rows must be a tuple (row, data), not None",
    ),
    "append": (
        lambda t: t.append(b"a", b"f:x"),
        "append: data must be a dict from columns to bytes, or an iterable of pairs of them, not bytes",
    ),
    "append, item": (
        lambda t: t.append(b"a", [5]),
        "append: data must be a dict from columns to bytes, or an iterable of pairs of them, without 5",
    ),
    "increment": (
        lambda t: t.increment(b"a", b"f:n"),
        "increment: data must be a dict from columns to amounts, or an iterable of pairs of them, not bytes",
    ),
    "mutate_row": (
        lambda t: t.mutate_row(b"a", PUT),
        f"mutations must be an iterable of hjall.Put and hjall.Delete: write [{PUT}]",
    ),
    "mutate_row, None": (
        lambda t: t.mutate_row(b"a", None),
        "mutations must be an iterable of hjall.Put and hjall.Delete, not None",
    ),
    "rows": (lambda t: t.rows(5), "rows must be an iterable of row keys, not int"),
    "rows, str": (lambda t: t.rows("ab"), "rows must be an iterable of row keys, not str: write ['ab']"),
    "delete": (
        lambda t: t.delete(b"a", 5),
        "columns must be an iterable of columns, families and hjall.Marker, not int",
    ),
    "durability": (
        lambda t: t.put(b"a", {b"f:x": b"1"}, durability=True),
        "durability must be str, not bool",
    ),
    "durability of a Put": (
        lambda t: t.mutate_row(b"a", [hjall.Put({b"f:x": b"1"}, durability=5)]),
        "durability must be str, not int",
    ),
    "durability of a batch": (lambda t: t.batch(durability=1), "durability must be str, not int"),
    "durability of a database": (
        lambda t: hjall.open("d", durability=1),
        "hjall.open: durability must be str, not int",
    ),
    "read_only": (lambda t: hjall.memory(read_only=1), "hjall.memory: read_only must be True or False, not int"),
    "encoding": (lambda t: hjall.memory(encoding=8), "hjall.memory: encoding must be str, not int"),
    "wal": (lambda t: t.put(b"a", {b"f:x": b"1"}, wal="no"), "wal must be True or False, not str"),
    "wal of a batch": (lambda t: t.batch(wal="no"), "wal must be True or False, not str"),
    "transaction": (lambda t: t.batch(transaction=1), "transaction must be True or False, not int"),
    "include_timestamp": (
        lambda t: t.row(b"a", include_timestamp=1),
        "include_timestamp must be True or False, not int",
    ),
    "include_timestamp of a scan": (
        lambda t: list(t.scan(include_timestamp=1)),
        "include_timestamp must be True or False, not int",
    ),
    "raw": (lambda t: t.row_cells(b"a", raw=1), "raw must be True or False, not int"),
    "compare": (
        lambda t: t.check_and_mutate(b"a", b"f:x", None, [PUT], compare=None),
        "compare must be str, not None",
    ),
    "major": (lambda t: t.connection.compact_table("t", major=1), "major must be True or False, not int"),
    "progress": (lambda t: t.count(progress=5), "progress must be a function, or None, not int"),
    "backup": (
        lambda t: t.connection.backup(5),
        "backup: folder must be str or os.PathLike, not int",
    ),
    "restore": (
        lambda t: hjall.restore(5, "folder"),
        "restore: backup must be str or os.PathLike, not int",
    ),
    "serve": (lambda t: t.connection.serve(port="9090"), "serve: port must be an integer, not str"),
    "table": (lambda t: t.connection.table(None), "the name of a table must be str or bytes, not NoneType"),
    "split_algo": (
        lambda t: t.connection.create_table("u", {"f": {}}, num_regions=4, split_algo=1),
        "split_algo must be str, not int",
    ),
    "split_keys": (
        lambda t: t.connection.create_table("u", {"f": {}}, split_keys=b"m"),
        "split_keys must be an iterable of row keys, not bytes",
    ),
    "attributes": (
        lambda t: t.connection.alter_table("t", attributes=5),
        "attributes must be a dict, not int",
    ),
    "name of a namespace": (
        lambda t: t.connection.delete_namespace(5),
        "delete_namespace: the name of a namespace must be str, not int",
    ),
    "value of a namespace": (
        lambda t: t.connection.create_namespace("n", {"k": 5}),
        'create_namespace: the value of "k" in configuration must be str, not int',
    ),
    "filter": (lambda t: filters.PageFilter("1"), "PageFilter: "),
    "marker of one": (
        lambda t: t.delete(b"a", [("version",)]),
        "a marker must be hjall.Marker(kind, column, timestamp), not ('version',): the timestamp may be left out",
    ),
    "marker, kind": (lambda t: t.delete(b"a", [(1, b"f:x", 3)]), "the kind of a marker must be str, not int"),
    "marker, timestamp": (
        lambda t: t.delete(b"a", [("version", b"f:x", 1.5)]),
        "the timestamp of the marker for b'f:x' must be an integer, not float",
    ),
}


@pytest.mark.parametrize("call, message", WRONG_TYPES.values(), ids=WRONG_TYPES)
def test_an_argument_of_a_wrong_type_is_named(table, call, message):
    with pytest.raises(TypeError) as raised:
        call(table)
    assert str(raised.value) == message or (message.endswith(": ") and str(raised.value).startswith(message))


@pytest.mark.parametrize(
    "call, name",
    [
        (lambda t: t.row(b"a", filter="\ud800"), "filter"),
        (lambda t: filters.SubstringComparator("\ud800"), "SubstringComparator:"),
        (lambda t: t.connection.table("\ud800"), "the name of a table"),
        (lambda t: t.connection.describe_namespace("\ud800"), "describe_namespace: the name of a namespace"),
        (lambda t: t.put(b"a", {b"f:x": b"1"}, durability="\ud800"), "durability"),
        (lambda t: hjall.memory(encoding="utf-8").table("t").row("\ud800"), "the row key"),
        (lambda t: hjall.memory(encoding="ascii").table("t").row("ä"), "the row key"),
    ],
)
def test_text_that_cannot_be_encoded_is_named(table, call, name):
    with pytest.raises(hjall.InvalidArgument, match=f"^{name}.* can't encode character.*(not allowed|ordinal)"):
        call(table)


@pytest.mark.parametrize(
    "call, error, message",
    [
        (lambda t: t.counter_get(b"a", b"f:x"), hjall.NotACounter, "counter_get: table t, row b'a': "),
        (lambda t: t.counter_dec(b"a", b"f:x"), hjall.NotACounter, "counter_dec: table t, row b'a': "),
        (lambda t: t.counter_set(b"a", b"g:x", 1), hjall.FamilyNotFound, "counter_set: row b'a': "),
        (
            lambda t: t.check_and_put(b"a", b"f:x", b"1", {b"f:x": b"2"}, timestamp=-1),
            hjall.InvalidArgument,
            "check_and_put: table t, row b'a': ",
        ),
        (
            lambda t: t.check_and_put(b"a", b"g:x", b"1", {b"f:x": b"2"}),
            hjall.FamilyNotFound,
            "check_and_put: row b'a': ",
        ),
    ],
)
def test_messages_name_the_method_that_was_called(table, call, error, message):
    with pytest.raises(error, match=f"^{re.escape(message)}"):
        call(table)


MARKERS = {
    "version of a family": (("version", b"f", 1), 'b"f" has no colon'),
    "column of a family": (hjall.Marker("column", b"f"), 'b"f" has no colon'),
    "family of a column": (("family", b"f:a", 1), "b'f:a' is a column: write b'f'"),
    "family-version of a column": (("family-version", b"f:a", 1), "b'f:a' is a column: write b'f'"),
}


@pytest.mark.parametrize("marker, message", MARKERS.values(), ids=MARKERS)
def test_markers_for_something_else_are_refused(table, marker, message):
    for delete in (table.delete, table.batch().delete, lambda row, it: table.mutate_row(row, [hjall.Delete(it)])):
        with pytest.raises(hjall.InvalidArgument, match=message):
            delete(b"a", [marker])
    assert table.row(b"a") == {b"f:x": b"1"}


def test_markers_may_be_tuples_and_families_may_have_their_colon(table):
    table.delete(b"a", [("version", b"f:x")])
    assert table.row(b"a") == {}
    table.put(b"a", {b"f:": b"1"}, timestamp=5)
    table.delete(b"a", [("family-version", b"f:", 5)])
    assert table.row(b"a") == {}
    with pytest.raises(OverflowError, match=r"^the timestamp of the marker for b'f:x' must be an integer from "):
        table.delete(b"a", [("version", b"f:x", 2**70)])


def test_a_batch_takes_a_generator_of_columns(table):
    table.put(b"a", {b"f:y": b"2", b"f:z": b"3"})
    batch = table.batch(batch_size=2)
    batch.delete(b"a", (column for column in (b"f:x", b"f:y")))
    assert table.row(b"a") == {b"f:z": b"3"}, "two columns fill the batch"


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the platform has no limit on the size of files")
def test_every_error_of_a_full_disk_has_a_number(tmp_path):
    output, _ = run(
        """
        import resource, sys, hjall
        db = hjall.open(sys.argv[1])
        db.create_table("t", {"f": {}})
        resource.setrlimit(resource.RLIMIT_FSIZE, (2 << 20, resource.RLIM_INFINITY))
        refused = 0
        for n in range(1000):
            try:
                db.table("t").put(b"%d" % n, {b"f:a": bytes(100_000)})
            except hjall.DiskFull as error:
                print(error.errno)
                refused += 1
            if refused == 3:
                break
        resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    """,
        tmp_path,
    )
    assert set(output.split()) <= {str(errno.EFBIG), str(errno.ENOSPC)} and len(output.split()) == 3, output
