"""A pool for programs that were written for one. A database may be used by any number of tasks without it."""

from __future__ import annotations

import asyncio
import contextlib
from collections import deque
from collections.abc import AsyncGenerator
from typing import TYPE_CHECKING, Any

from hjall.aio.database import Database
from hjall.aio.threads import anyio, runs_asyncio
from hjall.arguments import invalid
from hjall.errors import NoConnectionsAvailable
from hjall.options import Options, check_folder, check_options
from hjall.types import Path

if TYPE_CHECKING:
    from typing_extensions import Unpack


class ConnectionPool:
    """A pool that gives its database to at most `size` tasks at the same time. `path` and `database` are as for
    `hjall.ConnectionPool`; `database` is a `hjall.aio.Database`.

    >>> import asyncio
    >>> from hjall import aio
    >>> async def main():
    ...     async with aio.ConnectionPool(2, database=await aio.memory()) as pool:
    ...         async with pool.connection() as db:
    ...             return await db.tables()
    >>> asyncio.run(main())
    []
    """

    def __init__(
        self,
        size: int,
        path: Path | None = None,
        *,
        database: Database | None = None,
        threads: int | None = None,
        **options: Unpack[Options],
    ) -> None:
        if not isinstance(size, int):
            raise TypeError(f"the size of a pool must be an integer, not {type(size).__name__}")
        if size < 1:
            raise invalid(f"the size of a pool must be at least 1, not {size}")
        check_options(options, "hjall.aio.ConnectionPool")
        if (path is None) == (database is None):
            raise TypeError(
                "hjall.aio.ConnectionPool needs either the folder of a database, path=…, or a database, database=…, "
                "for example database=hjall.aio.memory()"
            )
        if path is not None:
            options["autoconnect"] = True
            database = Database(check_folder(path, "hjall.aio.ConnectionPool"), threads=threads, **options)
        self._database: Any = database
        self._size = self._free = size
        # What gives each waiting task its turn.
        self._waiting: deque[_Turn] = deque()

    @contextlib.asynccontextmanager
    async def connection(self, timeout: float | None = None) -> AsyncGenerator[Database, None]:
        """Returns an asynchronous context manager that takes the database from the pool for an ``async with`` block.

        `timeout`: how long to wait, in seconds; `None` waits without limit. Raises `NoConnectionsAvailable` when the
        time is over.
        """
        await self._acquire(timeout)
        try:
            database: Database = await self._database
            yield database
        finally:
            self._release()

    async def _acquire(self, timeout: float | None) -> None:
        if self._free > 0:
            self._free -= 1
            return
        turn = _Turn()
        self._waiting.append(turn)
        try:
            await turn.wait(timeout)
        except BaseException as error:
            if turn.given:
                # The turn came together with the cancellation: it is the next task's.
                self._release()
            else:
                self._waiting.remove(turn)
            if isinstance(error, TimeoutError | asyncio.TimeoutError):
                raise NoConnectionsAvailable(
                    f"no connection became free within {timeout} s: make the pool larger, or hold connections for less "
                    "time"
                ) from None
            raise

    def _release(self) -> None:
        if self._waiting:
            self._waiting.popleft().give()
        else:
            self._free += 1

    async def close(self) -> None:
        """Closes the database."""
        await self._database.close()

    async def __aenter__(self) -> ConnectionPool:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    def __repr__(self) -> str:
        return f"<{type(self).__module__}.{type(self).__name__}: {self._free} of {self._size} connections are free>"


class _Turn:
    """A task's turn to use the database."""

    def __init__(self) -> None:
        self.given = False
        self._event: Any = asyncio.Event() if runs_asyncio() else anyio().Event()

    def give(self) -> None:
        """Wakes the task."""
        self.given = True
        self._event.set()

    async def wait(self, timeout: float | None) -> None:
        """Waits for the turn. Raises `TimeoutError`, or that of asyncio."""
        if isinstance(self._event, asyncio.Event):
            await asyncio.wait_for(self._event.wait(), timeout)
        else:
            with anyio().fail_after(timeout):
                await self._event.wait()
