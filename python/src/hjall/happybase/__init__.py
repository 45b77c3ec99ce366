"""HappyBase's names over an embedded database, for programs whose import is replaced.

``import hjall.happybase as happybase`` takes the place of ``import happybase``. `Connection` opens a folder (`path`),
uses an open database (`database`), or, where the program passes the address of a server, uses the database that
`redirect` has named:

>>> import hjall
>>> from hjall import happybase
>>> with happybase.redirect(hjall.memory()):
...     connection = happybase.Connection("hbase.example.com", 9090)
...     connection.create_table("users", {"info": {}})
...     connection.table("users").put("ann", {"info:city": "Oslo"})
...     connection.table("users").row("ann")
{b'info:city': b'Oslo'}

As in HappyBase, a `str` is encoded as UTF-8 in place of bytes, and results are bytes. Also as in HappyBase, a value of
`None` is stored as an empty one, and a reversed scan with `row_prefix` leaves out the row that equals the prefix and
returns the row that equals the end of the prefix; `hjall.Table` does neither.
"""

from __future__ import annotations

import contextlib
import importlib
from collections.abc import Generator, Iterable, Iterator, Mapping
from dataclasses import replace
from types import TracebackType
from typing import TYPE_CHECKING, Any

from hjall import _native
from hjall import database as _database
from hjall import pool as _pool
from hjall import table as _table
from hjall.errors import NoConnectionsAvailable
from hjall.options import check_folder
from hjall.scan import ScanArguments
from hjall.types import Data, Durability, Items, Name, Path, Text

__all__ = ["Batch", "Connection", "ConnectionPool", "NoConnectionsAvailable", "Table", "redirect"]

DEFAULT_HOST = "localhost"
DEFAULT_PORT = 9090
DEFAULT_TRANSPORT = "buffered"
DEFAULT_COMPAT = "0.98"
DEFAULT_PROTOCOL = "binary"

COMPAT_MODES = ("0.90", "0.92", "0.94", "0.96", "0.98")
THRIFT_TRANSPORTS = ("buffered", "framed")
THRIFT_PROTOCOLS = ("binary", "compact")

# Data with values of `None`, which stand for empty ones.
_NoneValue = Text | tuple[Text, int] | None
NoneData = Mapping[Any, _NoneValue] | Items[tuple[Text, _NoneValue] | tuple[Text, Text | None, int]]

# The database that connections to any address use, set by `redirect`.
_target: _database.Database | None = None


@contextlib.contextmanager
def redirect(database: _database.Database) -> Iterator[_database.Database]:
    """Returns a context manager. In its ``with`` block, `Connection` and `ConnectionPool` use `database` for every host
    and port. It is not closed with the connections. The setting is that of the process, not of the thread."""
    global _target  # noqa: PLW0603
    before, _target = _target, database
    try:
        yield database
    finally:
        _target = before


class Connection(_database.Database):
    """A connection with the arguments of ``happybase.Connection``, to a folder or an open database.

    `path`: the folder of a database. `database`: an open `hjall.Database`, which stays open when the connection is
    closed. Without them, the connection uses the database that `redirect` has named. `table_prefix`,
    `table_prefix_separator` and `autoconnect` are HappyBase's. `host`, `port`, `timeout`, `compat`, `transport` and
    `protocol` are checked as in HappyBase and have no effect, because nothing is sent over a network.

    `client` is a Thrift client of the database, for programs that use HBase's Thrift calls; it needs HappyBase to be
    installed.

    Raises `TypeError` if no database is named.
    """

    def __init__(
        self,
        host: str | None = DEFAULT_HOST,
        port: int | None = DEFAULT_PORT,
        timeout: float | None = None,
        autoconnect: bool = True,
        table_prefix: Name | None = None,
        table_prefix_separator: Name = b"_",
        compat: str = DEFAULT_COMPAT,
        transport: str = DEFAULT_TRANSPORT,
        protocol: str = DEFAULT_PROTOCOL,
        *,
        path: Path | None = None,
        database: _database.Database | None = None,
    ) -> None:
        for name, value, known in (
            ("transport", transport, THRIFT_TRANSPORTS),
            ("compat", compat, COMPAT_MODES),
            ("protocol", protocol, THRIFT_PROTOCOLS),
        ):
            if value not in known:
                raise ValueError(f"{name} must be one of {', '.join(known)}, not {value!r}")
        if path is not None and database is not None:
            raise TypeError("Connection takes path or database, not both")
        if path is None and database is None:
            database = _target
        if path is None and database is None:
            raise TypeError(
                f"hjall.happybase.Connection does not connect to the server {host or DEFAULT_HOST}: name the folder "
                "of a database, path=…, or an open one, database=…, or call it inside "
                "hjall.happybase.redirect(database); for a server, use happybase.Connection"
            )
        super().__init__(
            None if path is None else check_folder(path, "hjall.happybase.Connection"),
            autoconnect=False,
            table_prefix=table_prefix,
            table_prefix_separator=table_prefix_separator,
            encoding="utf-8",
        )
        if database is not None:
            self.path = database.path
            self._use(database, "utf-8")
        # As in HappyBase, None stands for the defaults.
        self.host, self.port, self.timeout = host or DEFAULT_HOST, port or DEFAULT_PORT, timeout
        self.compat = compat
        self._refresh_thrift_client()
        if autoconnect:
            self.open()

    def _refresh_thrift_client(self) -> None:
        """HappyBase's pools call this before they reopen a connection that has failed."""
        self.transport = _Transport(self)
        self._client: Any = None

    @property
    def client(self) -> Any:
        """A Thrift client of HBase's service `Hbase`, as HappyBase's connections have, for this database. The first use
        starts a server on a free local port, which is closed with the connection.

        Raises `ImportError` if HappyBase is not installed.
        """
        if self._client is None:
            try:
                thrift = importlib.import_module("Hbase_thrift")
            except ImportError:
                # HappyBase makes the module when it is imported.
                _stock()
                thrift = importlib.import_module("Hbase_thrift")
            rpc = importlib.import_module("thriftpy2.rpc")
            host, port = self.serve(port=0).address
            self._client = rpc.make_client(thrift.Hbase, host, port)
        return self._client

    def close(self) -> None:
        """Closes the connection. A database given as `database` or by `redirect` stays open."""
        client, self._client = self._client, None
        if client is not None:
            client.close()
        super().close()

    def table(self, name: Name, use_prefix: bool = True) -> Table:
        """Returns a table by name, as `hjall.Database.table`."""
        return Table(self._table_name(name) if use_prefix else _database.name_bytes(name), self)


class _Transport:
    """The part of Thrift's transports that programs use: whether the connection is open, opening and closing it."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def is_open(self) -> bool:
        """Whether the connection is open."""
        return self._connection.is_open

    isOpen = is_open  # noqa: N815  the name in Apache's Thrift library

    def open(self) -> None:
        """Opens the connection."""
        self._connection.open()

    def close(self) -> None:
        """Closes the connection."""
        self._connection.close()


class ConnectionPool(_pool.ConnectionPool):
    """A pool of connections, with the arguments of ``happybase.ConnectionPool``: its size, and the arguments of
    `Connection` as keywords."""

    def __init__(self, size: int, **kwargs: Any) -> None:
        self._kwargs = {**kwargs, "autoconnect": False}
        self._start(size, lambda: Connection(**self._kwargs))

    if TYPE_CHECKING:

        def connection(  # type: ignore[override]
            self, timeout: float | None = None
        ) -> contextlib.AbstractContextManager[Connection]: ...


class Table(_table.Table):
    """A table of a `Connection`. Its methods accept a `str` in place of bytes."""

    def batch(  # type: ignore[override]
        self,
        timestamp: int | None = None,
        batch_size: int | None = None,
        transaction: bool = False,
        wal: bool | None = True,
    ) -> Batch:
        """Returns a `Batch`, as `hjall.Table.batch`."""
        return Batch(self, timestamp, batch_size, transaction, wal)

    def put(
        self,
        row: Text,
        data: Data | NoneData,
        timestamp: int | None = None,
        wal: bool | None = True,
        *,
        ttl_ms: int | None = None,
        durability: Durability | None = None,
    ) -> None:
        """Writes columns of one row, as `hjall.Table.put`. A value of `None` stands for an empty one, as in
        HappyBase."""
        super().put(row, _sent(data), timestamp, wal, ttl_ms=ttl_ms, durability=durability)

    def _scanner(self, arguments: ScanArguments, method: str = "scan", expected: int | None = None) -> _native.Scanner:
        """Starts a scan. As in HappyBase, a reversed scan of a prefix begins with the row that equals the end of the
        prefix, if there is one, and ends before the row that equals the prefix."""
        prefix: Any = arguments.row_prefix
        if method == "scan" and arguments.reverse and isinstance(prefix, (str, bytes, bytearray, memoryview)):
            prefix = prefix.encode() if isinstance(prefix, str) else bytes(prefix)
            arguments = replace(arguments, row_prefix=None, row_start=_successor(prefix), row_stop=prefix)
        return super()._scanner(arguments, method, expected)

    def _column_family_names(self) -> list[bytes]:
        """The names of the families, as in HappyBase."""
        return list(self.families())


class Batch:
    """Collects puts and deletes, as ``happybase.Batch``, with its attributes. A subclass may override `put`, `delete`
    and `send`: `put` and `delete` call `send` when the batch is full."""

    def __init__(
        self,
        table: _table.Table,
        timestamp: int | None = None,
        batch_size: int | None = None,
        transaction: bool = False,
        wal: bool | None = True,
    ) -> None:
        if batch_size is not None:
            if transaction:
                raise TypeError(
                    "transaction and batch_size cannot be combined: a transaction is sent at the end of its block"
                )
            if not batch_size > 0:
                raise ValueError("batch_size must be at least 1")
        self._table = table
        self._batch_size = batch_size
        self._timestamp = timestamp
        self._transaction = transaction
        self._wal = wal
        self._families: list[bytes] | None = None
        self._reset_mutations()

    def __repr__(self) -> str:
        return (
            f"<{type(self).__module__}.{type(self).__name__} of {self._table.name!r}: {self._mutation_count} mutations>"
        )

    def _reset_mutations(self) -> None:
        self._batch = _native.Batch(self._table, self._timestamp, None, False, self._wal)
        self._mutation_count = 0

    def send(self) -> None:
        """Sends the collected mutations. After a failure they remain in the batch."""
        self._batch.send()
        self._mutation_count = 0

    def put(self, row: Text, data: Data | NoneData, wal: bool | None = None) -> None:
        """Adds a put, as ``happybase.Batch.put``."""
        pairs = data if isinstance(data, Mapping) else list(data)
        self._batch.put(row, _sent(pairs), wal)
        self._added(len(pairs))

    def delete(self, row: Text, columns: Iterable[Text] | None = None, wal: bool | None = None) -> None:
        """Adds a delete, as ``happybase.Batch.delete``."""
        if columns is None:
            if self._families is None:
                self._families = self._table._column_family_names() if isinstance(self._table, Table) else None
            names: list[Any] = list(self._families if self._families is not None else self._table.families())
        else:
            names = columns if isinstance(columns, (str, bytes)) else list(columns)  # type: ignore[assignment]
        self._batch.delete(row, names, wal)
        self._added(len(names))

    def _added(self, count: int) -> None:
        self._mutation_count += count
        if self._batch_size and self._mutation_count >= self._batch_size:
            self.send()

    def __enter__(self) -> Batch:
        return self

    def __exit__(
        self, exc_type: type[BaseException] | None, exc_value: BaseException | None, traceback: TracebackType | None
    ) -> None:
        """Sends the batch, unless it is a transaction and the block raised an exception."""
        if self._transaction and exc_type is not None:
            return
        self.send()


def _stock() -> Any:
    """The module happybase. Raises `ImportError` if it is not installed."""
    try:
        return importlib.import_module("happybase")
    except ModuleNotFoundError as error:
        if error.name != "happybase":
            raise
        raise ImportError("happybase is not installed: pip install happybase") from error


def _sent(data: Any) -> Any:
    """The data of a put with an empty value in place of `None`: HappyBase sends no value then, for which HBase stores
    an empty one."""
    if hasattr(data, "items"):
        if all(value is not None for value in data.values()):
            return data
        return {column: b"" if value is None else value for column, value in data.items()}
    if not isinstance(data, Iterable):
        return data
    return [
        (item[0], b"", *item[2:]) if isinstance(item, tuple) and len(item) > 1 and item[1] is None else item
        for item in data
    ]


def _successor(prefix: bytes) -> bytes:
    """The smallest row key greater than all keys with the prefix; empty if there is none."""
    head = prefix.rstrip(b"\xff")
    return head[:-1] + bytes([head[-1] + 1]) if head else b""


def _stock_names() -> Generator[tuple[Any, str, Any], None, None]:
    """The names that a test replaces to direct HappyBase programs to a `redirect` database: an object, the name of the
    attribute, and its replacement."""
    stock = _stock()
    _replace_instances(stock.Connection, Connection)
    _replace_instances(stock.ConnectionPool, ConnectionPool)
    yield stock, "Connection", Connection
    yield stock, "ConnectionPool", ConnectionPool
    yield stock, "Table", Table
    yield stock, "Batch", Batch


def _replace_instances(stock: Any, own: Any) -> None:
    """Makes a class of HappyBase return instances of `own` inside `redirect`, since programs may have imported it
    before. The change is permanent: Python cannot restore a class without ``__new__``."""

    def new(cls: type, *args: Any, **kwargs: Any) -> Any:
        return object.__new__(cls) if _target is None else own(*args, **kwargs)

    if "__new__" not in vars(stock):
        stock.__new__ = new


# As in HappyBase, the modules are attributes of the package. They import the names above.
for _name in ("batch", "connection", "pool", "table"):
    importlib.import_module(f"hjall.happybase.{_name}")
