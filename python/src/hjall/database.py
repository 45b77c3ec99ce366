"""A database: what stands in the place of `happybase.Connection`."""

from __future__ import annotations

import atexit
import weakref
from collections.abc import Iterable, Mapping
from types import TracebackType
from typing import Any

from hjall import _native
from hjall.descriptors import Family, TableDescriptor, described, one
from hjall.server import Server
from hjall.table import Table
from hjall.types import BytesLike, Name, Path

COMPAT_MODES = ("0.90", "0.92", "0.94", "0.96", "0.98")
TRANSPORTS = ("buffered", "framed")
PROTOCOLS = ("binary", "compact")

# Closed at the end of the interpreter, while threads of Python can still run.
_databases: weakref.WeakSet[Database] = weakref.WeakSet()


class Database:
    """A database in a folder, or in memory; `hjall.open` and `hjall.memory` make one. Safe to use from many threads.

    It has the methods and attributes of `happybase.Connection`, so that replacing the connection is all that a HappyBase program needs.
    """

    compat = "0.98"
    """Which HBase a HappyBase program may take this for: the newest that HappyBase knows."""

    def __init__(
        self,
        path: Path | None,
        *,
        autoconnect: bool = True,
        table_prefix: Name | None = None,
        table_prefix_separator: Name = b"_",
        encoding: str | None = None,
        clock: _native.ManualClock | None = None,
        cache_bytes: int | None = None,
        write_buffer_bytes: int | None = None,
        cell_bytes_max: int | None = None,
        host: str | None = None,
        port: Any = None,
        timeout: float | None = None,
        compat: str = "0.98",
        transport: str = "buffered",
        protocol: str = "binary",
    ) -> None:
        if table_prefix is not None and not isinstance(table_prefix, (str, bytes)):
            raise TypeError(f"table_prefix must be str or bytes, not {type(table_prefix).__name__}")
        if not isinstance(table_prefix_separator, (str, bytes)):
            raise TypeError(f"table_prefix_separator must be str or bytes, not {type(table_prefix_separator).__name__}")
        for name, value, known in (("compat", compat, COMPAT_MODES), ("transport", transport, TRANSPORTS), ("protocol", protocol, PROTOCOLS)):
            if value not in known:
                raise ValueError(f"{name} must be one of {', '.join(known)}, not {value!r}")
        self.path = path
        self.host, self.port, self.timeout = host, port, timeout
        self.table_prefix = None if table_prefix is None else _bytes(table_prefix)
        self.table_prefix_separator = _bytes(table_prefix_separator)
        self._native = _native.Database(
            path,
            encoding=encoding,
            clock=clock,
            cache_bytes=cache_bytes,
            write_buffer_bytes=write_buffer_bytes,
            cell_bytes_max=cell_bytes_max,
        )
        self._admin = _native.Admin(self._native)
        self._servers: list[Server] = []
        if autoconnect:
            self.open()

    @classmethod
    def _sharing(cls, other: Database, **options: Any) -> Database:
        """Another object for the same database, which opens and closes with it."""
        self = cls(other.path, **{**options, "autoconnect": False})
        self._native, self._admin = other._native, other._admin
        return self

    # -- life -------------------------------------------------------------------------------------

    def open(self) -> None:
        """Opens the database, if it is not open: `autoconnect=False` leaves that to the program, and after `close` it can be opened anew.

        Raises `Locked` if another process has the folder open, `StorageError` if it cannot be read, `Closed` for a database in memory that was closed.
        """
        self._native.open()
        _databases.add(self)

    def close(self) -> None:
        """Stops what `serve` started, writes everything to disk, and lets go of the folder. Idempotent; calls that run meanwhile in other threads finish, or raise
        `Closed`. In a forked child it leaves the parent's database alone.

        Raises `StorageError` if something could not be written.

        >>> import hjall
        >>> db = hjall.memory()
        >>> db.close()
        >>> db.tables()
        Traceback (most recent call last):
        hjall.errors.Closed: the database is not open: open() opens it
        """
        while self._servers:
            self._servers.pop().close()
        self._native.close()

    @property
    def is_open(self) -> bool:
        """Whether it is open, in this process."""
        return self._native.is_open

    def __enter__(self) -> Database:
        return self

    def __exit__(self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def __repr__(self) -> str:
        place = "memory" if self.path is None else f"path={str(self.path)!r}"
        return f"<{type(self).__module__}.{type(self).__name__} {place}>"

    def serve(self, host: str = "127.0.0.1", port: int = 9090, *, grace: float = 60.0) -> Server:
        """Answers HBase's Thrift clients over TCP from this process, at the same time as the program uses the database. May be called several times.

        `port` 0 takes any free one; `Server.address` tells which. `grace`: how long running calls may take to finish when it is closed, in seconds.

        Raises `OSError` if the address cannot be listened on, `Closed`.

        >>> import hjall
        >>> with hjall.memory() as db, db.serve(port=0) as server:
        ...     host, port = server.address
        >>> host
        '127.0.0.1'
        """
        server = Server(_native.Server(self._native, host, port, grace))
        self._servers = [other for other in self._servers if other.is_open] + [server]
        return server

    # -- tables -----------------------------------------------------------------------------------

    def _table_name(self, name: Name) -> bytes:
        name = _bytes(name)
        return name if self.table_prefix is None else self.table_prefix + self.table_prefix_separator + name

    def table(self, name: Name, use_prefix: bool = True) -> Table:
        """A table by its name; whether it exists shows when it is used. `use_prefix`: whether `table_prefix` is put before the name.

        >>> import hjall
        >>> hjall.memory(table_prefix="app").table("users").name
        b'app_users'
        """
        return Table(self._table_name(name) if use_prefix else _bytes(name), self)

    def tables(self) -> list[bytes]:
        """The names of all tables, in order; with a `table_prefix` of those that have it, without it.

        >>> import hjall
        >>> hjall.memory().tables()
        []
        """
        names = self._admin.tables()
        if self.table_prefix is None:
            return names
        prefix = self._table_name(b"")
        return [name[len(prefix) :] for name in names if name.startswith(prefix)]

    def table_exists(self, name: Name) -> bool:
        """Whether there is such a table.

        >>> import hjall
        >>> hjall.memory().table_exists("t")
        False
        """
        return self._admin.table_exists(self._table_name(name))

    def create_table(
        self,
        name: Name,
        families: Mapping[Any, Mapping[str, Any] | Family | None],
        *,
        split_keys: Iterable[BytesLike] | None = None,
        num_regions: int | None = None,
        split_algo: str | None = None,
        attributes: Mapping[Any, Any] | None = None,
    ) -> None:
        """Makes a table.

        `families`: from the name of each column family to its options, or `None`. The options are HappyBase's, with its defaults: max_versions (3),
        compression (``"NONE"``), in_memory, bloom_filter_type (``"NONE"``), block_cache_enabled, time_to_live (seconds); beyond them
        min_versions, block_size (bytes), keep_deleted_cells, data_block_encoding, new_version_behavior, scope, and HBase's attributes by their own names
        (``VERSIONS``). A `hjall.Family` has HBase's defaults instead. `split_keys`: where regions begin; or `num_regions` with `split_algo`:
        ``HexStringSplit``, ``DecimalStringSplit`` or ``UniformSplit``. `attributes` of the table: ``{"READONLY": True, "DURABILITY": "SKIP_WAL"}``.

        Raises `TypeError` and `ValueError` for arguments that cannot be, `TableExists`, `NamespaceNotFound`.

        >>> import hjall
        >>> db = hjall.memory()
        >>> db.create_table("t", {"f": {"max_versions": 5}, "g": None}, num_regions=4, split_algo="HexStringSplit")
        >>> [region["start_key"] for region in db.table("t").regions()]
        [b'', b'40000000', b'80000000', b'c0000000']
        """
        if not isinstance(families, dict):
            raise TypeError(f"families must be a dict from name to options, not {type(families).__name__}")
        if not families:
            raise ValueError(f"table {_bytes(name)!r} needs at least one column family")
        splits = (None if split_keys is None else list(split_keys), num_regions, split_algo)
        self._admin.create_table(self._table_name(name), described(families), dict(attributes or {}), splits)

    def delete_table(self, name: Name, disable: bool = False) -> None:
        """Deletes a disabled table with its data; `disable`: disables it first if need be.

        Raises `TableNotFound`, `TableNotDisabled`.

        >>> import hjall
        >>> db = hjall.memory()
        >>> db.create_table("t", {"f": {}})
        >>> db.delete_table("t", disable=True)
        """
        if disable and self.is_table_enabled(name):
            self.disable_table(name)
        self._admin.delete_table(self._table_name(name))

    def enable_table(self, name: Name) -> None:
        """Brings a disabled table back. Raises `TableNotFound`, `TableNotDisabled`."""
        self._admin.enable_table(self._table_name(name))

    def disable_table(self, name: Name) -> None:
        """Takes a table out of use, as deleting and truncating it want. Raises `TableNotFound`, `TableDisabled`."""
        self._admin.disable_table(self._table_name(name))

    def is_table_enabled(self, name: Name) -> bool:
        """Whether a table is enabled. Raises `TableNotFound`."""
        return self._admin.is_table_enabled(self._table_name(name))

    def truncate_table(self, name: Name, *, preserve_splits: bool = False) -> None:
        """Empties a disabled table and enables it; without `preserve_splits` it has one region afterwards.

        Raises `TableNotFound`, `TableNotDisabled`.
        """
        self._admin.truncate_table(self._table_name(name), preserve_splits)

    def compact_table(self, name: Name, major: bool = False) -> None:
        """Rewrites a table's files into fewer; `major`: forgets all that is deleted, expired or in excess. Returns when it is done. A disabled table is
        left alone.

        Raises `TableNotFound`, `StorageError`.
        """
        self._admin.compact_table(self._table_name(name), major)

    def flush_table(self, name: Name) -> None:
        """Writes to files what a table has in memory. Raises `TableNotFound`, `StorageError`."""
        self._admin.flush_table(self._table_name(name))

    def describe_table(self, name: Name) -> TableDescriptor:
        """A table's description, with all attributes as HBase keeps them. Raises `TableNotFound`.

        >>> import hjall
        >>> db = hjall.memory()
        >>> db.create_table("t", {"f": hjall.Family(VERSIONS=2)})
        >>> db.describe_table("t").families[b"f"].attributes[b"VERSIONS"]
        b'2'
        """
        full, families, attributes = self._admin.describe(self._table_name(name))
        return TableDescriptor(full, {family: Family(given, settings) for family, given, settings in families}, attributes)

    def alter_table(
        self,
        name: Name,
        *,
        attributes: Mapping[Any, Any] | None = None,
        families: Mapping[Any, Mapping[str, Any] | Family | None] | None = None,
    ) -> None:
        """Changes a table. `attributes`: those to set; an empty value removes one. `families`: **all** that it is to have; those that are left out are removed with
        their data. `add_family`, `modify_family` and `delete_family` change single ones.

        Raises `TableNotFound`, `InvalidDescriptor`.

        >>> import hjall
        >>> db = hjall.memory()
        >>> db.create_table("t", {"f": {}})
        >>> db.alter_table("t", attributes={"READONLY": True})
        >>> db.table("t").put(b"r", {b"f:a": b"1"})
        Traceback (most recent call last):
        hjall.errors.ReadOnly: the table is read only (region is read only): alter_table with READONLY=false lets writes in
        """
        full = self._table_name(name)
        if families is None:
            self._admin.set_attributes(full, dict(attributes or {}))
        else:
            kept = {**self.describe_table(name).attributes, **{_key(key): value for key, value in (attributes or {}).items()}}
            self._admin.modify_table(full, described(families), kept)

    def add_family(self, name: Name, family: Name, options: Mapping[str, Any] | Family | None = None) -> None:
        """Adds a column family to a table; `options` as for `create_table`. Raises `TableNotFound`, `FamilyError` if there is one of that name."""
        self._admin.add_family(self._table_name(name), one(family, options))

    def modify_family(self, name: Name, family: Name, options: Mapping[str, Any] | Family | None) -> None:
        """Replaces a column family's description; `options` as for `create_table`, and what they leave out has its default again.

        Raises `TableNotFound`, `FamilyError` if there is none of that name.
        """
        self._admin.modify_family(self._table_name(name), one(family, options))

    def delete_family(self, name: Name, family: Name) -> None:
        """Removes a column family with its data. Raises `TableNotFound`, `FamilyError` if there is none of that name, or no other."""
        self._admin.delete_family(self._table_name(name), family)

    # -- namespaces -------------------------------------------------------------------------------

    def namespaces(self) -> list[str]:
        """The names of all namespaces. A table of one is named ``namespace:table``.

        >>> import hjall
        >>> hjall.memory().namespaces()
        ['default', 'hbase']
        """
        return self._admin.namespaces()

    def create_namespace(self, name: str, configuration: Mapping[str, str] | None = None) -> None:
        """Makes a namespace. Raises `NamespaceExists`, `Refused` for an illegal name."""
        self._admin.put_namespace(name, dict(configuration or {}), True)

    def alter_namespace(self, name: str, configuration: Mapping[str, str]) -> None:
        """Replaces a namespace's configuration. Raises `NamespaceNotFound`."""
        self._admin.put_namespace(name, dict(configuration), False)

    def describe_namespace(self, name: str) -> dict[str, str]:
        """A namespace's configuration. Raises `NamespaceNotFound`."""
        return self._admin.describe_namespace(name)

    def delete_namespace(self, name: str) -> None:
        """Deletes an empty namespace. Raises `NamespaceNotFound`, `Refused` if it has tables or is reserved."""
        self._admin.delete_namespace(name)

    # -- about it ---------------------------------------------------------------------------------

    @property
    def cluster_id(self) -> str:
        """A UUID made with the database."""
        return self._native.cluster_id()

    @property
    def now_ms(self) -> int:
        """The time as writes see it, in milliseconds since 1970."""
        return self._native.now_ms()


def _bytes(name: Name) -> bytes:
    if isinstance(name, str):
        return name.encode()
    if isinstance(name, bytes):
        return name
    raise TypeError(f"a name must be str or bytes, not {type(name).__name__}")


def _key(key: Any) -> Any:
    return key.encode() if isinstance(key, str) else key


@atexit.register
def _close_all() -> None:
    """Threads that are still inside end with an error that says so, not with the interpreter under their feet."""
    for database in list(_databases):
        try:
            database.close()
        except Exception as error:  # noqa: BLE001  one that fails must not keep the others open
            print(f"hjall: closing {database!r} at exit failed: {error}")
