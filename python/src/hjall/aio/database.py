"""Databases for asyncio."""

from __future__ import annotations

from collections.abc import Generator
from types import TracebackType
from typing import TYPE_CHECKING, Any

import hjall
from hjall.aio.server import Server, ServerStart
from hjall.aio.table import Table
from hjall.aio.threads import Threads, awaited
from hjall.options import Options
from hjall.types import Name, Path

if TYPE_CHECKING:
    from typing_extensions import Unpack


class Database:
    """A database in a folder or in memory. `aio.open` and `aio.memory` create databases. A database may be used from
    several event loops.

    It has the methods of `hjall.Database` as coroutines.
    """

    def __init__(self, path: Path | None, *, threads: int | None = None, **options: Unpack[Options]) -> None:
        self._threads = Threads(threads)
        self._autoconnect = options.get("autoconnect", True)
        options["autoconnect"] = False
        self._sync = hjall.Database(path, **options)
        self._init_scans()

    @classmethod
    def sharing(cls, sync: hjall.Database, *, threads: int | None = None) -> Database:
        """Returns a database with coroutine methods for an open synchronous one. Closing either closes both."""
        self = cls.__new__(cls)
        self._threads = Threads(threads)
        self._autoconnect = True
        self._sync = sync
        self._init_scans()
        return self

    def _init_scans(self) -> None:
        # The running scans.
        self._scanners: set[Any] = set()

    @property
    def sync(self) -> hjall.Database:
        """The synchronous database."""
        return self._sync

    @property
    def is_open(self) -> bool:
        """Whether this process has the database open."""
        return self._sync.is_open

    @property
    def threads(self) -> int:
        """The number of calls that can run at the same time."""
        return self._threads.count

    open = awaited(hjall.Database.open)

    async def close(self) -> None:
        """Closes the database, as `hjall.Database.close`. Running scans end with `Cancelled`."""
        for scanner in list(self._scanners):
            scanner.stop()
        await self._threads.run(self._sync.close)
        self._threads.end()

    async def _opened(self) -> Database:
        await self.open()
        return self

    def __await__(self) -> Generator[Any, None, Database]:
        """Opens the database: ``db = await aio.open(folder)``."""
        return self._opened().__await__()

    async def __aenter__(self) -> Database:
        if self._autoconnect:
            await self.open()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    def __repr__(self) -> str:
        return repr(self._sync).replace("<hjall.", "<hjall.aio.", 1)

    def table(self, name: Name, use_prefix: bool = True) -> Table:
        """Returns a table, as `hjall.Database.table`. This is not a coroutine."""
        return Table(self, self._sync.table(name, use_prefix))

    def serve(self, host: str = "127.0.0.1", port: int = 9090, *, grace: float = 60.0) -> ServerStart:
        """Starts a server, as `hjall.Database.serve`: ``async with db.serve(port=0) as server``, or
        ``server = await db.serve(port=0)`` and later ``await server.close()``.

        >>> import asyncio
        >>> from hjall import aio
        >>> async def main():
        ...     async with aio.memory() as db, db.serve(port=0) as server:
        ...         return server.host
        >>> asyncio.run(main())
        '127.0.0.1'
        """
        return ServerStart(self._serve(host, port, grace))

    async def _serve(self, host: str, port: int, grace: float) -> Server:
        return Server(self._threads, await self._threads.run(self._sync.serve, host, port, grace=grace))

    tables = awaited(hjall.Database.tables)
    table_exists = awaited(hjall.Database.table_exists)
    create_table = awaited(hjall.Database.create_table)
    delete_table = awaited(hjall.Database.delete_table)
    enable_table = awaited(hjall.Database.enable_table)
    disable_table = awaited(hjall.Database.disable_table)
    is_table_enabled = awaited(hjall.Database.is_table_enabled)
    truncate_table = awaited(hjall.Database.truncate_table)
    compact_table = awaited(hjall.Database.compact_table)
    flush_table = awaited(hjall.Database.flush_table)
    backup = awaited(hjall.Database.backup)
    table_statistics = awaited(hjall.Database.table_statistics)
    statistics = awaited(hjall.Database.statistics)
    describe_table = awaited(hjall.Database.describe_table)
    alter_table = awaited(hjall.Database.alter_table)
    add_family = awaited(hjall.Database.add_family)
    modify_family = awaited(hjall.Database.modify_family)
    delete_family = awaited(hjall.Database.delete_family)
    namespaces = awaited(hjall.Database.namespaces)
    create_namespace = awaited(hjall.Database.create_namespace)
    alter_namespace = awaited(hjall.Database.alter_namespace)
    describe_namespace = awaited(hjall.Database.describe_namespace)
    delete_namespace = awaited(hjall.Database.delete_namespace)
