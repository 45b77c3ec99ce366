"""HappyBase's connection pool. New programs do not need one, because a database may be used from any number of
threads."""

from __future__ import annotations

import contextlib
import queue
import threading
from collections.abc import Generator
from typing import Any

from hjall.database import Database
from hjall.errors import NoConnectionsAvailable


class ConnectionPool:
    """A pool of `size` connections, each used by one thread at a time.

    `options`: the options of `hjall.open`, and the folder as `path`. Without a path, all connections share a database
    in memory.

    Raises `TypeError` and `ValueError` for an invalid size, and the errors of `hjall.open`.

    >>> import hjall
    >>> pool = hjall.ConnectionPool(size=2)
    >>> with pool.connection() as db:
    ...     db.tables()
    []
    """

    def __init__(self, size: int, **options: Any) -> None:
        if not isinstance(size, int):
            raise TypeError(f"the size of a pool must be an integer, not {type(size).__name__}")
        if size < 1:
            raise ValueError(f"the size of a pool must be at least 1, not {size}")
        options["autoconnect"] = False
        path = options.pop("path", None)
        first = Database(path, **options)
        self._free: queue.LifoQueue[Database] = queue.LifoQueue()
        for _ in range(size - 1):
            # A folder can be opened any number of times; a database in memory has to be shared.
            self._free.put(Database._sharing(first, **options) if path is None else Database(path, **options))
        self._free.put(first)
        self._mine = threading.local()
        # Reports invalid options here instead of at the first use.
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
        try:
            taken = self._free.get(True, timeout)
        except queue.Empty:
            raise NoConnectionsAvailable(
                f"no connection became free within {timeout} s: make the pool larger, or hold connections for less time"
            ) from None
        self._mine.connection = taken
        try:
            taken.open()
            yield taken
        finally:
            del self._mine.connection
            self._free.put(taken)
