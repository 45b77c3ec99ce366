"""HappyBase's connection pool. New programs do not need one, because a database may be used from any number of
threads."""

from __future__ import annotations

import contextlib
import queue
import threading
from collections.abc import Callable, Generator
from typing import TYPE_CHECKING

from hjall.arguments import invalid
from hjall.database import Database
from hjall.errors import NoConnectionsAvailable
from hjall.options import Options, check_folder, check_options
from hjall.types import Path

if TYPE_CHECKING:
    from typing_extensions import Unpack


class ConnectionPool:
    """A pool of `size` connections, each used by one thread at a time.

    `path`: the folder of the database. `options`: the options of `hjall.open`. `database`: an open database, such as
    one in memory, to share instead of a folder.

    Raises `TypeError` and `ValueError` for an invalid size, a missing folder and unknown options, and the errors of
    `hjall.open`.

    >>> import hjall
    >>> pool = hjall.ConnectionPool(size=2, database=hjall.memory())
    >>> with pool.connection() as db:
    ...     db.tables()
    []
    """

    def __init__(
        self,
        size: int,
        path: Path | None = None,
        *,
        database: Database | None = None,
        **options: Unpack[Options],
    ) -> None:
        check_options(options, "hjall.ConnectionPool")
        options["autoconnect"] = False
        if path is not None and database is None:
            folder = check_folder(path, "hjall.ConnectionPool")
            # A folder can be opened any number of times.
            self._start(size, lambda: Database(folder, **options))
        elif database is not None and path is None:
            self._start(size, lambda: Database._sharing(database, **options))
        else:
            raise TypeError(
                "hjall.ConnectionPool needs either the folder of a database, path=…, or an open one, database=…, for "
                "example database=hjall.memory()"
            )

    def _start(self, size: int, connect: Callable[[], Database]) -> None:
        if not isinstance(size, int):
            raise TypeError(f"the size of a pool must be an integer, not {type(size).__name__}")
        if size < 1:
            raise invalid(f"the size of a pool must be at least 1, not {size}")
        self._queue: queue.LifoQueue[Database] = queue.LifoQueue()
        self._size = size
        for _ in range(size):
            self._queue.put(connect())
        self._mine = threading.local()
        # Reports a database that cannot be opened here instead of at the first use.
        with self.connection():
            pass

    @contextlib.contextmanager
    def connection(self, timeout: float | None = None) -> Generator[Database, None, None]:
        """Returns a context manager that takes a connection from the pool for a ``with`` block. Nested blocks in one
        thread get the same connection.

        `timeout`: how long to wait for a free connection, in seconds; `None` waits without limit. Raises
        `NoConnectionsAvailable` when the time is over.
        """
        mine: Database | None = getattr(self._mine, "connection", None)
        if mine is not None:
            mine.open()
            yield mine
            return
        taken = self._acquire_connection(timeout)
        self._mine.connection = taken
        try:
            taken.open()
            yield taken
        finally:
            del self._mine.connection
            self._return_connection(taken)

    # The names of these methods, and of the queue, are HappyBase's: programs use them.

    def _acquire_connection(self, timeout: float | None = None) -> Database:
        try:
            return self._queue.get(True, timeout)
        except queue.Empty:
            raise NoConnectionsAvailable(
                f"no connection became free within {timeout} s: make the pool larger, or hold connections for less time"
            ) from None

    def _return_connection(self, connection: Database) -> None:
        self._queue.put(connection)

    def __repr__(self) -> str:
        free = f"{self._queue.qsize()} of {self._size} connections are free"
        return f"<{type(self).__module__}.{type(self).__name__}: {free}>"
