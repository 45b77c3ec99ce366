"""`hjall.happybase`: HappyBase's names, so that only the import of a program changes."""

import contextlib
import pickle

import happybase as stock
import Hbase_thrift
import pytest

import hjall
from hjall import happybase


@pytest.fixture
def db():
    with hjall.memory() as database, happybase.redirect(database):
        yield database


@pytest.fixture
def connection(db):
    connection = happybase.Connection("hbase.example.com", 9090, table_prefix="app")
    connection.create_table("t", {"f": {}, "g": {"max_versions": 1}})
    return connection


def test_a_connection_needs_a_database():
    with pytest.raises(TypeError, match=r"hbase\.example\.com.*path=.*database=.*redirect.*happybase\.Connection"):
        happybase.Connection("hbase.example.com")
    with pytest.raises(TypeError, match="localhost"):
        happybase.ConnectionPool(2, host="localhost")
    with pytest.raises(TypeError, match="not both"):
        happybase.Connection(path="x", database=hjall.memory())


def test_a_folder(tmp_path):
    with happybase.Connection(path=tmp_path) as connection:
        connection.create_table("t", {"f": {}})
        connection.table("t").put("r", {"f:a": "x"})
    with happybase.Connection(path=tmp_path) as connection:
        assert connection.table("t").row("r") == {b"f:a": b"x"}


def test_text_is_utf_8_everywhere(connection):
    table = connection.table("t")
    table.put("zoë", {"f:é": "ü", b"f:b": b"x"})
    assert table.row("zoë") == {"f:é".encode(): "ü".encode(), b"f:b": b"x"}
    assert table.row("zoë", columns=["f:é"]) == table.row("zoë".encode(), columns=("f:é".encode(),))
    assert table.rows(["zoë"])[0][0] == "zoë".encode()
    assert table.cells("zoë", "f:é") == ["ü".encode()]
    assert [key for key, _ in table.scan(row_prefix="zo", columns=["f"])] == ["zoë".encode()]
    assert table.counter_inc("n", "g:n") == table.counter_get(b"n", b"g:n") == 1
    with table.batch() as batch:
        batch.put("a", {"f:x": "1"})
        batch.delete("zoë", ["f:é"])
    table.delete("a", ["f:x"])
    assert list(table.scan(row_stop="n")) == []


def test_connections_close_alone(db, connection):
    other = happybase.Connection("elsewhere", 1, timeout=5)
    assert (other.host, other.port, other.timeout) == ("elsewhere", 1, 5)
    assert connection.transport.is_open()
    connection.close()
    assert not connection.transport.is_open()
    with pytest.raises(hjall.Closed):
        connection.tables()
    assert other.tables() == [b"app_t"] == db.tables()
    connection.open()
    assert connection.tables() == [b"t"]
    other.transport.close()
    assert not other.is_open and db.is_open


def test_pools(db):
    pool = happybase.ConnectionPool(size=2, host="h", port=9090, table_prefix="p")
    with pool.connection() as connection:
        connection.create_table("t", {"f": {}})
        connection.transport.close()
        with pool.connection() as same:
            assert same is connection
    with pool.connection() as connection:
        connection.table("t").put("r", {"f:a": "x"})
    assert db.tables() == [b"p_t"]


def test_stock_pools_take_the_connection(db):
    happybase._replace_instances(stock.Connection, happybase.Connection)
    pool = stock.pool.ConnectionPool(2, host="h")
    with pytest.raises(Hbase_thrift.IOError), pool.connection() as connection:
        connection.table("none").row("r")
    with pool.connection() as connection:
        assert connection.tables() == []


def test_exceptions_are_those_of_thrift(connection):
    table = connection.table("t")
    with pytest.raises(Hbase_thrift.AlreadyExists) as caught:
        connection.create_table("t", {"f": {}})
    assert isinstance(caught.value, hjall.TableExists) and isinstance(caught.value, ValueError)
    assert type(caught.value).__name__ == "TableExists" and "already exists" in caught.value.message
    assert "already exists" in str(caught.value) and repr(caught.value).startswith("TableExists(")
    with pytest.raises(Hbase_thrift.IOError) as caught:
        connection.table("none").put("r", {"f:a": "x"})
    assert isinstance(caught.value, LookupError)
    with pytest.raises(Hbase_thrift.IOError):
        table.put("r", {"no:a": "x"})
    with pytest.raises(Hbase_thrift.IllegalArgument):
        table.put("", {"f:a": "x"})
    with pytest.raises(Hbase_thrift.IOError):
        table.counter_inc("r", "f:a") if not table.put("r", {"f:a": "x"}) else None
    copy = pickle.loads(pickle.dumps(caught.value))
    assert isinstance(copy, hjall.TableNotFound) and str(copy) == str(caught.value) and copy.kind == caught.value.kind


def test_the_attributes_that_programs_use(connection):
    table = connection.table("t")
    assert sorted(table._column_family_names()) == [b"f", b"g"]
    assert table.connection is connection
    batch = table.batch(batch_size=3, timestamp=5, wal=False)
    assert (batch._table, batch._batch_size, batch._timestamp, batch._wal) == (table, 3, 5, False)
    batch.put("r", {"f:a": "1", "f:b": "2"})
    assert batch._mutation_count == 2 and table.row("r") == {}
    batch.delete("s")
    assert batch._mutation_count == 0 and table.row("r") == {b"f:a": b"1", b"f:b": b"2"}
    assert connection._table_name("x") == b"app_x"
    assert repr(table.batch()) == "<hjall.happybase.Batch of b'app_t': 0 mutations>"
    pool = happybase.ConnectionPool(size=2, host="h")
    taken = pool._acquire_connection()
    assert pool._queue.qsize() == 1 and isinstance(taken, happybase.Connection)
    pool._return_connection(taken)
    assert pool._queue.qsize() == 2


def test_the_thrift_client(connection):
    assert connection.client.getTableNames() == [b"app_t"]
    connection.table("t").put("r", {"f:a": "1"})
    (row,) = connection.client.getRow(b"app_t", b"r", {})
    assert row.columns[b"f:a"].value == b"1"
    connection.close()


def test_a_value_of_none_is_an_empty_one_as_in_happybase(connection):
    table = connection.table("t")
    table.put("a", {"f:a": None, "f:b": "x"})
    table.put("b", [("f:a", None), ("f:b", None, 7)])
    with table.batch() as batch:
        batch.put("c", {"f:a": None, "f:b": "x"})
        batch.put("d", [("f:a", None)])
    assert dict(table.scan()) == {
        b"a": {b"f:a": b"", b"f:b": b"x"},
        b"b": {b"f:a": b"", b"f:b": b""},
        b"c": {b"f:a": b"", b"f:b": b"x"},
        b"d": {b"f:a": b""},
    }
    assert table.row("b", include_timestamp=True)[b"f:b"] == (b"", 7)
    with pytest.raises(TypeError, match="data must be a dict"):
        table.put("e", 5)


@pytest.mark.parametrize("side", ["hjall", "stock"])
def test_a_reversed_scan_of_a_prefix_is_as_in_happybase(connection, side, tmp_path):
    with contextlib.ExitStack() as stack:
        if side == "stock":
            server = stack.enter_context(connection.serve(port=0))
            connection = stock.Connection(*server.address, table_prefix="app")
            stack.callback(connection.close)
        table = connection.table("t")
        for row in (b"q", b"r", b"r1", b"r2", b"s", b"s1", b"\xff", b"\xff1"):
            table.put(row, {b"f:a": b"1"})
        for prefix, rows in (
            (b"r", [b"s", b"r2", b"r1"]),
            (b"r1", [b"r2"]),
            (b"\xff", [b"\xff1"]),
            (b"t", []),
        ):
            assert [key for key, _ in table.scan(row_prefix=prefix, reverse=True)] == rows, prefix
    if side == "hjall":
        assert [key for key, _ in table.scan(row_prefix="r", reverse=True, limit=1)] == [b"s"]


def test_batches_can_be_subclassed(connection):
    class Counting(happybase.Batch):
        def __init__(self, table, label):
            super().__init__(table, batch_size=2)
            self.label, self.sent = label, 0

        def send(self):
            self.sent += 1
            super().send()

    table = connection.table("t")
    with Counting(table, "mine") as batch:
        for n in range(5):
            batch.put(f"r{n}", {"f:n": str(n)})
    assert (batch.sent, batch.label) == (3, "mine") and table.count() == 5


def test_a_failed_batch_keeps_its_mutations(connection):
    table = connection.table("t")
    batch = table.batch()
    batch.put("a", {"no:x": "1"})
    with pytest.raises(Hbase_thrift.IOError):
        batch.send()
    assert batch._mutation_count == 1
    with pytest.raises(RuntimeError), table.batch(transaction=True) as batch:
        batch.put("b", {"f:x": "1"})
        raise RuntimeError
    assert table.count() == 0
    for wrong in (dict(batch_size=0), dict(batch_size=1, transaction=True)):
        with pytest.raises((TypeError, ValueError)):
            table.batch(**wrong)


def test_the_modules_of_happybase():
    from hjall.happybase.connection import DEFAULT_PROTOCOL, DEFAULT_TRANSPORT

    assert (DEFAULT_PROTOCOL, DEFAULT_TRANSPORT) == ("binary", "buffered")
    for name in ("batch", "connection", "pool", "table"):
        theirs, ours = getattr(stock, name), getattr(happybase, name)
        for public in ("Batch", "Connection", "ConnectionPool", "NoConnectionsAvailable", "Table"):
            if public in vars(theirs) and vars(theirs)[public].__module__ == theirs.__name__:
                assert getattr(ours, public) is getattr(happybase, public)
