"""A pool of connections, as HappyBase programs with threads use it. A database needs none: it is safe to use from many threads."""

from __future__ import annotations

import contextlib
import queue
import threading
from collections.abc import Generator
from typing import Any

from hjall.database import Database
from hjall.errors import NoConnectionsAvailable


class ConnectionPool:
    """At most `size` threads at a time get a connection, each its own; the others wait.

    `options`: those of `hjall.open`, with its path as `path`; without one all share a database in memory.

    Raises `TypeError` and `ValueError` for a size that cannot be, and what `hjall.open` raises.

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
            # A folder can be opened any number of times, and each is closed by itself; a database in memory is the one object.
            self._free.put(Database._sharing(first, **options) if path is None else Database(path, **options))
        self._free.put(first)
        self._mine = threading.local()
        # Mistakes show here, not at the first use.
        with self.connection():
            pass

    @contextlib.contextmanager
    def connection(self, timeout: float | None = None) -> Generator[Database, None, None]:
        """A connection for a ``with`` block. A block inside it, in the same thread, gets the same one.

        `timeout`: how long to wait for a free one, in seconds; `None`: as long as it takes. Raises `NoConnectionsAvailable` after that.
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
                f"no connection of the pool became free within {timeout} s: make the pool larger, or hold connections for a shorter time"
            ) from None
        self._mine.connection = taken
        try:
            taken.open()
            yield taken
        finally:
            del self._mine.connection
            self._free.put(taken)
