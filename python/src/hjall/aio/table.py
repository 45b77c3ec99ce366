"""Tables for asyncio."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import aclosing
from typing import TYPE_CHECKING, Any, TypeVar

import hjall
from hjall.aio.arrow import ArrowScan
from hjall.aio.batch import Batch
from hjall.aio.threads import awaited, awaited_read
from hjall.cell import Cell, RowCells
from hjall.scan import BATCH_SIZE, ScanArguments, at_least_one
from hjall.types import BytesLike, Columns, Row, TimeRange

if TYPE_CHECKING:
    from hjall.aio.database import Database
    from hjall.filters import Filter

T = TypeVar("T")


class Table:
    """A table. `aio.Database.table` creates tables. Any number of tasks may use a table at the same time.

    It has the methods of `hjall.Table` as coroutines; scans are asynchronous generators.
    """

    def __init__(self, connection: Database, sync: hjall.Table) -> None:
        self.connection = connection
        self._threads, self._sync = connection._threads, sync
        self._in_memory = connection.sync.path is None

    @property
    def name(self) -> bytes:
        """The table's name, including its prefix."""
        return self._sync.name

    @property
    def sync(self) -> hjall.Table:
        """The synchronous table."""
        return self._sync

    def __repr__(self) -> str:
        return repr(self._sync).replace("<hjall.", "<hjall.aio.", 1)

    families = awaited(hjall.Table.families)
    regions = awaited(hjall.Table.regions)
    row = awaited_read(hjall.Table.row)
    rows = awaited_read(hjall.Table.rows)
    cells = awaited_read(hjall.Table.cells)
    row_cells = awaited_read(hjall.Table.row_cells)
    exists = awaited_read(hjall.Table.exists)
    count = awaited(hjall.Table.count)
    put = awaited(hjall.Table.put)
    put_many = awaited(hjall.Table.put_many)
    delete = awaited(hjall.Table.delete)
    delete_rows = awaited(hjall.Table.delete_rows)
    mutate_row = awaited(hjall.Table.mutate_row)
    check_and_mutate = awaited(hjall.Table.check_and_mutate)
    check_and_put = awaited(hjall.Table.check_and_put)
    append = awaited(hjall.Table.append)
    increment = awaited(hjall.Table.increment)
    counter_get = awaited(hjall.Table.counter_get)
    counter_set = awaited(hjall.Table.counter_set)
    counter_inc = awaited(hjall.Table.counter_inc)
    counter_dec = awaited(hjall.Table.counter_dec)
    load_arrow = awaited(hjall.Table.load_arrow)

    def scan_arrow(self, *args: Any, **options: Any) -> ArrowScan:
        """Scans rows as Arrow data, as `hjall.Table.scan_arrow`. The methods of the result are coroutines."""
        return ArrowScan(self._threads, self._sync.scan_arrow(*args, **options))

    def batch(
        self,
        timestamp: int | None = None,
        batch_size: int | None = None,
        transaction: bool = False,
        wal: bool | None = True,
        *,
        ttl_ms: int | None = None,
        durability: str | None = None,
    ) -> Batch:
        """Returns a batch for ``async with``, as `hjall.Table.batch`. Its methods are coroutines."""
        # Checks the arguments. The batch without a size never sends itself.
        self._sync.batch(timestamp, batch_size, transaction, wal, ttl_ms=ttl_ms, durability=durability)
        sync = self._sync.batch(timestamp, None, transaction, wal, ttl_ms=ttl_ms, durability=durability)
        return Batch(self._threads, sync, batch_size)

    async def scan(
        self,
        row_start: BytesLike | None = None,
        row_stop: BytesLike | None = None,
        row_prefix: BytesLike | None = None,
        columns: Columns = None,
        filter: Filter | BytesLike | str | None = None,
        timestamp: int | None = None,
        include_timestamp: bool = False,
        batch_size: int = BATCH_SIZE,
        scan_batching: int | None = None,
        limit: int | None = None,
        sorted_columns: bool = False,
        reverse: bool = False,
        *,
        time_range: TimeRange | None = None,
    ) -> AsyncGenerator[tuple[bytes, Row], None]:
        """Scans rows, as `hjall.Table.scan`, for ``async for``. Cancelling the task or closing the generator stops the
        scan."""
        at_least_one("limit", limit)
        at_least_one("batch_size", batch_size)
        arguments = ScanArguments(
            row_start=row_start,
            row_stop=row_stop,
            row_prefix=row_prefix,
            columns=columns,
            filter=filter,
            timestamp=timestamp,
            time_range=time_range,
            batch_size=batch_size,
            scan_batching=scan_batching,
            reverse=reverse,
        )
        left = limit
        scanner = await self._threads.run(self._sync._scanner, arguments)

        def fetch() -> list[tuple[bytes, Row]]:
            count = batch_size if left is None else min(batch_size, left)
            return scanner.rows(count, include_timestamp, sorted_columns)

        async with aclosing(self._blocks(scanner, fetch)) as blocks:
            async for rows in blocks:
                for row in rows:
                    yield row
                if left is not None:
                    left -= len(rows)
                    if left <= 0:
                        return

    async def scan_cells(
        self,
        row_start: BytesLike | None = None,
        row_stop: BytesLike | None = None,
        row_prefix: BytesLike | None = None,
        columns: Columns = None,
        *,
        versions: int | None = 1,
        time_range: TimeRange | None = None,
        filter: Filter | BytesLike | str | None = None,
        batch_size: int = BATCH_SIZE,
        scan_batching: int | None = None,
        limit: int | None = None,
        reverse: bool = False,
        raw: bool = False,
    ) -> AsyncGenerator[RowCells, None]:
        """Scans cells, as `hjall.Table.scan_cells`, for ``async for``. Cancelling the task or closing the generator
        stops the scan."""
        at_least_one("batch_size", batch_size)
        arguments = ScanArguments(
            row_start=row_start,
            row_stop=row_stop,
            row_prefix=row_prefix,
            columns=columns,
            filter=filter,
            time_range=time_range,
            versions=versions,
            batch_size=batch_size,
            scan_batching=scan_batching,
            limit=limit,
            reverse=reverse,
            raw=raw,
        )
        scanner = await self._threads.run(self._sync._scanner, arguments)
        async with aclosing(self._blocks(scanner, lambda: scanner.cells(batch_size))) as blocks:
            async for rows in blocks:
                for key, cells, partial in rows:
                    yield RowCells(key, [Cell(*cell) for cell in cells], partial)

    def __aiter__(self) -> AsyncIterator[tuple[bytes, Row]]:
        """Scans all rows; see `scan`."""
        return self.scan()

    async def _blocks(self, scanner: Any, fetch: Callable[[], list[T]]) -> AsyncGenerator[list[T], None]:
        """Fetches blocks of results until there are no more. The scanner is stopped and closed in any case."""
        self.connection._scanners.add(scanner)
        try:
            while rows := await self._threads.run(fetch):
                yield rows
        finally:
            # `stop` ends a running fetch immediately. `close` waits for that fetch, so it runs on a thread.
            scanner.stop()
            self.connection._scanners.discard(scanner)
            self._threads.later(scanner.close)
