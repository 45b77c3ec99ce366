"""A database: what stands in the place of `happybase.Connection`."""

from __future__ import annotations

import atexit
import sys
import weakref
from types import TracebackType
from typing import Any

from hjall import _native
from hjall.admin import Admin, name_bytes
from hjall.server import Server
from hjall.table import Table
from hjall.types import Name, Path

COMPAT_MODES = ("0.90", "0.92", "0.94", "0.96", "0.98")
TRANSPORTS = ("buffered", "framed")
PROTOCOLS = ("binary", "compact")

# Closed at the end of the interpreter, while threads of Python can still run.
_databases: weakref.WeakSet[Database] = weakref.WeakSet()


class Database(Admin):
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
        self.table_prefix = None if table_prefix is None else name_bytes(table_prefix)
        self.table_prefix_separator = name_bytes(table_prefix_separator)
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

    # -- names ------------------------------------------------------------------------------------

    def _table_name(self, name: Name) -> bytes:
        name = name_bytes(name)
        return name if self.table_prefix is None else self.table_prefix + self.table_prefix_separator + name

    def table(self, name: Name, use_prefix: bool = True) -> Table:
        """A table by its name; whether it exists shows when it is used. `use_prefix`: whether `table_prefix` is put before the name.

        >>> import hjall
        >>> hjall.memory(table_prefix="app").table("users").name
        b'app_users'
        """
        return Table(self._table_name(name) if use_prefix else name_bytes(name), self)

    # -- about it ---------------------------------------------------------------------------------

    @property
    def cluster_id(self) -> str:
        """A UUID made with the database."""
        return self._native.cluster_id()

    @property
    def now_ms(self) -> int:
        """The time as writes see it, in milliseconds since 1970."""
        return self._native.now_ms()


@atexit.register
def _close_all() -> None:
    """Threads that are still inside end with an error that says so, not with the interpreter under their feet."""
    for database in list(_databases):
        try:
            database.close()
        except Exception as error:  # noqa: BLE001  one that fails must not keep the others open
            print(f"hjall: closing {database!r} at exit failed: {error}", file=sys.stderr)
