"""Databases, which take the place of `happybase.Connection`."""

from __future__ import annotations

import atexit
import sys
import weakref
from collections.abc import Callable, Iterable, Mapping
from types import TracebackType
from typing import TYPE_CHECKING, Any

from hjall import _native
from hjall.arguments import a_dict, a_function, a_list, an_integer, encoded, invalid
from hjall.descriptors import (
    Family,
    SplitArgument,
    TableDescriptor,
    family_argument,
    family_arguments,
    table_attributes,
)
from hjall.errors import TableExists, raised_class
from hjall.options import Options, check_options, copy_folder
from hjall.server import Server
from hjall.statistics import Statistics, TableStatistics
from hjall.table import Table
from hjall.types import CopyProgress, Name, Path, Text

if TYPE_CHECKING:
    from typing_extensions import Unpack

PORT_MAX = 65_535

# All databases that were opened; closed at exit, while Python threads can still run.
_databases: weakref.WeakSet[Database] = weakref.WeakSet()


class Database:
    """A database in a folder or in memory. `hjall.open` and `hjall.memory` open databases. A database may be used
    from any number of threads.

    It has the methods and attributes of `happybase.Connection`, so a HappyBase program only has to replace the
    connection.
    """

    compat = "0.98"
    """The version of HBase that HappyBase programs see: the newest one that HappyBase supports."""

    def __init__(self, path: Path | None, **options: Unpack[Options]) -> None:
        check_options(options, "hjall.open" if path is not None else "hjall.memory")
        table_prefix = options.get("table_prefix")
        table_prefix_separator = options.get("table_prefix_separator", b"_")
        if table_prefix is not None and not isinstance(table_prefix, (str, bytes)):
            raise TypeError(f"table_prefix must be str or bytes, not {type(table_prefix).__name__}")
        if not isinstance(table_prefix_separator, (str, bytes)):
            raise TypeError(f"table_prefix_separator must be str or bytes, not {type(table_prefix_separator).__name__}")
        self.path = path
        self.table_prefix = None if table_prefix is None else name_bytes(table_prefix)
        self.table_prefix_separator = name_bytes(table_prefix_separator)
        self._native = _native.Database(
            path,
            encoding=options.get("encoding"),
            clock=options.get("clock"),
            cache_bytes=options.get("cache_bytes"),
            row_cache_bytes=options.get("row_cache_bytes"),
            write_buffer_bytes=options.get("write_buffer_bytes"),
            catalog_bytes=options.get("catalog_bytes"),
            cell_bytes_max=options.get("cell_bytes_max"),
            durability=options.get("durability"),
            sync_interval=options.get("sync_interval"),
            read_only=options.get("read_only", False),
        )
        self._admin = _native.Admin(self._native)
        self._servers: list[Server] = []
        if options.get("autoconnect", True):
            self.open()

    def _use(self, other: Database, encoding: str | None) -> None:
        """Makes this object another one for the database of `other`. Closing it leaves `other` open."""
        self._native = other._native.sharing(encoding)
        self._admin = _native.Admin(self._native)

    @classmethod
    def _sharing(cls, other: Database, **options: Unpack[Options]) -> Database:
        """Makes another object for the same database, which is opened and closed together with it."""
        options["autoconnect"] = False
        self = cls(other.path, **options)
        self._native, self._admin = other._native, other._admin
        return self

    # -- opening and closing -------------------------------------------------------------------------------

    def open(self) -> None:
        """Opens the database, if it is not open. This is only needed with `autoconnect=False` and after `close`.

        Raises `Locked` if another process has the folder open, `StorageError` if it cannot be read, `Closed` for a
        database in memory that was closed.
        """
        self._native.open()
        _databases.add(self)

    def close(self) -> None:
        """Closes the servers that `serve` started, writes everything to disk and releases the folder. Calls that are
        running in other threads finish or raise `Closed`. Closing a closed database has no effect, and closing a
        database in a forked child does not affect the parent's.

        Raises `StorageError` if data could not be written.

        >>> import hjall
        >>> db = hjall.memory()
        >>> db.close()
        >>> db.tables()
        Traceback (most recent call last):
        hjall.errors.Closed: the database in memory was closed and its data is gone: create one with hjall.memory()
        """
        while self._servers:
            self._servers.pop().close()
        self._native.close()

    @property
    def is_open(self) -> bool:
        """Whether this process has the database open."""
        return self._native.is_open

    def __enter__(self) -> Database:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        place = "memory" if self.path is None else f"path={str(self.path)!r}"
        state = "" if self.is_open else " (closed)"
        return f"<{type(self).__module__}.{type(self).__name__} {place}{state}>"

    def serve(self, host: str = "127.0.0.1", port: int = 9090, *, grace: float = 60.0) -> Server:
        """Starts a server for HBase's Thrift clients in this process. The program can use the database at the same
        time, and can start several servers.

        `host`, `port`: the TCP address to listen on. Port 0 chooses a free port, which `Server.address` returns.
        `grace`: how long running calls may take to finish when the server is closed, in seconds.

        Raises `OSError` if the host has no address or the server cannot listen on it, `Closed` if the database is not
        open.

        >>> import hjall
        >>> with hjall.memory() as db, db.serve(port=0) as server:
        ...     host, port = server.address
        >>> host
        '127.0.0.1'
        """
        if not isinstance(host, str):
            raise TypeError(f"serve: host must be str, not {type(host).__name__}")
        an_integer("serve: port", port)
        if not isinstance(grace, (int, float)):
            raise TypeError(f"serve: grace must be a number of seconds, not {type(grace).__name__}")
        if not 0 <= port <= PORT_MAX:
            raise invalid(f"port must be from 0, which chooses a free one, to {PORT_MAX}, not {port}")
        server = Server(_native.Server(self._native, host, port, grace))
        self._servers = [other for other in self._servers if other.is_open] + [server]
        return server

    # -- names ------------------------------------------------------------------------------------

    def _table_name(self, name: Name) -> bytes:
        name = name_bytes(name)
        return name if self.table_prefix is None else self.table_prefix + self.table_prefix_separator + name

    def table(self, name: Name, use_prefix: bool = True) -> Table:
        """Returns a table by name, without looking it up: a missing table raises `TableNotFound` when it is used.
        `use_prefix`: whether to put `table_prefix` before the name.

        >>> import hjall
        >>> hjall.memory(table_prefix="app").table("users").name
        b'app_users'
        """
        return Table(self._table_name(name) if use_prefix else name_bytes(name), self)

    # -- tables -----------------------------------------------------------------------------------

    def tables(self) -> list[bytes]:
        """Returns the names of all tables, in order. With a `table_prefix`, returns the tables that have the prefix,
        without it.

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
        """Returns whether a table exists.

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
        split_keys: Iterable[Text] | None = None,
        num_regions: int | None = None,
        split_algo: str | None = None,
        attributes: Mapping[Any, Any] | None = None,
        metadata: Mapping[Any, Any] | None = None,
        if_not_exists: bool = False,
    ) -> None:
        """Creates a table.

        `families`: a dict from the name of each column family to its options, or to `None` for the defaults. The
        options and defaults are HappyBase's: max_versions (3), compression (``"NONE"``), in_memory, bloom_filter_type
        (``"NONE"``), block_cache_enabled, time_to_live (in seconds). In addition there are min_versions, block_size (in
        bytes), keep_deleted_cells, data_block_encoding, new_version_behavior, scope, and HBase's attributes by name,
        such as ``VERSIONS``. A `hjall.Family` in place of the options has HBase's defaults. `split_keys`: the start
        keys of all regions but the first. Alternatively, `num_regions`, from 2 to 100,000, and `split_algo`:
        ``HexStringSplit``, ``DecimalStringSplit`` or ``UniformSplit``. `attributes`: attributes of the table, such as
        ``{"READONLY": True, "DURABILITY": "SKIP_WAL"}``. HBase stores attributes of other names, too; one that
        resembles a name of HBase is refused, since it is probably misspelt. `metadata`: further attributes, of any
        names. `if_not_exists`: leave an existing table as it is, even if its families differ.

        Raises `TypeError` and `ValueError` for invalid arguments, `TableExists`, `NamespaceNotFound`.

        >>> import hjall
        >>> db = hjall.memory()
        >>> db.create_table("t", {"f": {"max_versions": 5}, "g": None}, num_regions=4, split_algo="HexStringSplit")
        >>> [region["start_key"] for region in db.table("t").regions()]
        [b'', b'40000000', b'80000000', b'c0000000']
        """
        _check_families(families)
        if not families:
            error = raised_class("InvalidDescriptor")(
                f"Table should have at least one column family. Table {name_bytes(name)!r} has none"
            )
            error.kind = "InvalidDescriptor"
            raise error
        keys = None if split_keys is None else a_list("split_keys must be an iterable of row keys", split_keys)
        splits = SplitArgument(keys, num_regions, split_algo)
        arguments = family_arguments(families, "create_table")
        all_attributes = table_attributes(attributes, metadata, "create_table")
        try:
            self._admin.create_table(self._table_name(name), arguments, all_attributes, splits)
        except TableExists:
            if not if_not_exists:
                raise

    def delete_table(self, name: Name, disable: bool = False) -> None:
        """Deletes a disabled table with its data. `disable`: disable the table first if it is enabled.

        Raises `TableNotFound`, `TableNotDisabled`.

        >>> import hjall
        >>> db = hjall.memory()
        >>> db.create_table("t", {"f": {}})
        >>> db.delete_table("t", disable=True)
        """
        full = self._table_name(name)
        if disable and self._admin.is_table_enabled(full, "delete_table"):
            self._admin.disable_table(full, "delete_table")
        self._admin.delete_table(full)

    def enable_table(self, name: Name) -> None:
        """Enables a disabled table. Raises `TableNotFound`, `TableNotDisabled`."""
        self._admin.enable_table(self._table_name(name))

    def disable_table(self, name: Name) -> None:
        """Disables a table, which is required before it is deleted or truncated. Raises `TableNotFound`,
        `TableDisabled`."""
        self._admin.disable_table(self._table_name(name))

    def is_table_enabled(self, name: Name) -> bool:
        """Returns whether a table is enabled. Raises `TableNotFound`."""
        return self._admin.is_table_enabled(self._table_name(name))

    def truncate_table(self, name: Name, *, preserve_splits: bool = False) -> None:
        """Deletes all data of a disabled table and enables it. Without `preserve_splits`, the table has one region
        afterwards.

        Raises `TableNotFound`, `TableNotDisabled`.
        """
        self._admin.truncate_table(self._table_name(name), preserve_splits)

    def compact_table(
        self, name: Name, major: bool = False, *, progress: Callable[[int], object] | None = None
    ) -> None:
        """Compacts the files of a table and returns when that is done. `major`: also remove deleted and expired
        cells, and versions that the family does not keep. Has no effect on a disabled table.

        `progress`: called about 20 times per second with the bytes of keys and values read so far, before compression;
        `table_statistics` has the size of the files. An exception from it, or from a signal handler, ends the
        compaction, which leaves the data unchanged, and is raised when it has ended.

        Raises `TableNotFound`, `StorageError`.
        """
        a_function("progress", progress)
        self._admin.compact_table(self._table_name(name), major, progress)

    def flush_table(self, name: Name) -> None:
        """Writes the data that a table holds in memory to files. `write_buffer_bytes` limits how much that
        is. As in HBase, drops values that are deleted, expired or beyond VERSIONS, if they were written since the table
        was last altered, disabled or flushed. Raises `TableNotFound`, `StorageError`."""
        self._admin.flush_table(self._table_name(name))

    def backup(self, folder: Path, *, incremental: bool = False, progress: CopyProgress | None = None) -> None:
        """Copies the database, as of one moment during the call, to a folder that does not exist or is empty. Other
        threads can read and write meanwhile. The copy is a folder for `hjall.open`, and for `hjall.restore`, which
        copies it again. It is built in ``FOLDER.part`` and appears when it is complete and on disk.

        With `incremental`, files that have not changed are shared by hard links: with the database, if the folder is on
        its file system, or else with an earlier incremental backup of this database in the folder, which is replaced
        unless it has been opened for writing since. Damage to a shared file on the disk is damage to the backup, too.

        `progress`: called about 20 times per second as ``progress(table, family, cells, bytes)``, with what is being
        copied and the cells and bytes copied so far. An exception from it, or from a signal handler, ends the backup,
        and is raised when nothing of it is left. The last call is made when the backup is complete, which then remains.

        Raises `InvalidArgument` if the folder is in use, `Stale` if tables were altered or dropped in three attempts,
        `Corrupt`, `DiskFull`, `StorageError`.

        >>> import hjall, pathlib, tempfile
        >>> db = hjall.memory()
        >>> db.create_table("t", {"f": {}})
        >>> db.table("t").put(b"r", {b"f:q": b"1"})
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     db.backup(pathlib.Path(folder, "monday"))
        ...     hjall.restore(pathlib.Path(folder, "monday"), pathlib.Path(folder, "again"))
        ...     with hjall.open(pathlib.Path(folder, "again")) as again:
        ...         again.table("t").row(b"r")
        {b'f:q': b'1'}
        """
        a_function("progress", progress)
        self._admin.backup(copy_folder("backup: folder", folder), progress, incremental)

    def table_statistics(self, name: Name) -> TableStatistics:
        """Returns figures of a table: the size and number of its files (data that is still in memory is not counted),
        and its regions, reads (rows returned) and writes (mutations) since the database was opened.

        Raises `TableNotFound`.

        >>> import hjall
        >>> db = hjall.memory()
        >>> db.create_table("t", {"f": {}})
        >>> db.table("t").put(b"r", {b"f:a": b"1"})
        >>> db.table_statistics("t")["writes"]
        1
        """
        figures: TableStatistics = self._admin.table_statistics(self._table_name(name))
        return figures

    def statistics(self) -> Statistics:
        """Returns figures of the whole database: sizes in bytes, files, and hits and misses of the caches.

        >>> import hjall
        >>> hjall.memory().statistics()["row_cache_rows"]
        0
        """
        figures: Statistics = self._admin.statistics()
        return figures

    def describe_table(self, name: Name) -> TableDescriptor:
        """Returns a table's description with all attributes, in HBase's form. Raises `TableNotFound`.

        >>> import hjall
        >>> db = hjall.memory()
        >>> db.create_table("t", {"f": hjall.Family(VERSIONS=2)})
        >>> db.describe_table("t").families[b"f"].attributes[b"VERSIONS"]
        b'2'
        """
        table = self._admin.describe(self._table_name(name))
        families = {
            # As metadata, since they may have been stored under any names.
            family["name"]: Family(configuration=family["configuration"], metadata=family["attributes"])
            for family in table["families"]
        }
        return TableDescriptor(table["name"], families, table["attributes"])

    def alter_table(
        self,
        name: Name,
        *,
        attributes: Mapping[Any, Any] | None = None,
        families: Mapping[Any, Mapping[str, Any] | Family | None] | None = None,
        metadata: Mapping[Any, Any] | None = None,
    ) -> None:
        """Changes a table.

        `attributes`, `metadata`: the attributes to set, as in `create_table`; an empty value removes an attribute.
        `families`: **all** column families of the table; families that are left out are deleted with their data. To
        change a single family, use `add_family`, `modify_family` or `delete_family`.

        Raises `TypeError` and `ValueError` for invalid arguments, `TableNotFound`, `InvalidDescriptor`.

        >>> import hjall
        >>> db = hjall.memory()
        >>> db.create_table("t", {"f": {}})
        >>> db.alter_table("t", attributes={"READONLY": True})
        >>> db.table("t").put(b"r", {b"f:a": b"1"})
        Traceback (most recent call last):
        hjall.errors.ReadOnly: put: row b'r': table t is read only: set its READONLY attribute to false to write to it
        """
        full = self._table_name(name)
        given = table_attributes(attributes, metadata, "alter_table")
        if families is None:
            self._admin.set_attributes(full, given)
        else:
            _check_families(families)
            arguments = family_arguments(families, "alter_table")
            changes = {_key(key): value for key, value in given.items()}
            merged = {**self._admin.describe(full, "alter_table")["attributes"], **changes}
            self._admin.modify_table(full, arguments, merged)

    def add_family(self, name: Name, family: Name, options: Mapping[str, Any] | Family | None = None) -> None:
        """Adds a column family to a table. `options` are those of a family in `create_table`.

        Raises `TableNotFound`, `FamilyError` if the family exists.
        """
        self._admin.add_family(self._table_name(name), family_argument(family, options, "add_family"))

    def modify_family(self, name: Name, family: Name, options: Mapping[str, Any] | Family | None) -> None:
        """Replaces the options of a column family. `options` are those of a family in `create_table`; options that
        are left out are reset to their defaults.

        Raises `TableNotFound`, `FamilyError` if the family does not exist.
        """
        self._admin.modify_family(self._table_name(name), family_argument(family, options, "modify_family"))

    def delete_family(self, name: Name, family: Name) -> None:
        """Deletes a column family with its data.

        Raises `TableNotFound`, `FamilyError` if the family does not exist or is the only one.
        """
        self._admin.delete_family(self._table_name(name), family)

    # -- namespaces -------------------------------------------------------------------------------

    def namespaces(self) -> list[str]:
        """Returns the names of all namespaces. The full name of a table in a namespace is ``namespace:table``.

        >>> import hjall
        >>> hjall.memory().namespaces()
        ['default', 'hbase']
        """
        return self._admin.namespaces()

    def create_namespace(self, name: str, configuration: Mapping[str, str] | None = None) -> None:
        """Creates a namespace. Raises `NamespaceExists`, `Refused` for an invalid name."""
        self._admin.put_namespace(name, a_dict("configuration", configuration), True)

    def alter_namespace(self, name: str, configuration: Mapping[str, str]) -> None:
        """Replaces the configuration of a namespace. Raises `NamespaceNotFound`."""
        self._admin.put_namespace(name, a_dict("configuration", configuration), False)

    def describe_namespace(self, name: str) -> dict[str, str]:
        """Returns the configuration of a namespace. Raises `NamespaceNotFound`."""
        return self._admin.describe_namespace(name)

    def delete_namespace(self, name: str) -> None:
        """Deletes a namespace. Raises `NamespaceNotFound`, `Refused` if it has tables or is reserved."""
        self._admin.delete_namespace(name)

    # -- properties --------------------------------------------------------------------------------

    @property
    def cluster_id(self) -> str:
        """The UUID that identifies the database."""
        return self._native.cluster_id()

    @property
    def now_ms(self) -> int:
        """The current time by the database's clock, in milliseconds since 1970."""
        return self._native.now_ms()


def name_bytes(name: Name) -> bytes:
    """Returns a name as bytes. Raises `TypeError` if it is neither `str` nor `bytes`."""
    if isinstance(name, str):
        return encoded(name, "the name of a table")
    if isinstance(name, bytes):
        return name
    raise TypeError(f"the name of a table must be str or bytes, not {type(name).__name__}")


def _check_families(families: object) -> None:
    if not isinstance(families, Mapping):
        raise TypeError(
            f'families must be a dict from names to options, such as {{"f": {{}}}}, not {type(families).__name__}'
        )


def _key(key: Any) -> Any:
    return key.encode() if isinstance(key, str) else key


@atexit.register
def _close_all() -> None:
    """Closes all databases, so that calls in other threads end with an error before the interpreter shuts down."""
    for database in list(_databases):
        try:
            database.close()
        except Exception as error:  # noqa: BLE001  a failure must not keep the others open
            print(f"hjall: closing {database!r} at exit failed: {error}", file=sys.stderr)
