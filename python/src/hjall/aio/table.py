"""A table for asyncio."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import aclosing
from typing import TYPE_CHECKING, Any, TypeVar

import hjall
from hjall.aio.arrow import ArrowScan
from hjall.aio.batch import Batch
from hjall.aio.threads import awaited
from hjall.cell import Cell, RowCells
from hjall.reading import wanted, wanted_cells
from hjall.types import BytesLike, Row, TimeRange

if TYPE_CHECKING:
    from hjall.aio.database import Database
    from hjall.filters import Filter

T = TypeVar("T")
Columns = list[BytesLike] | tuple[BytesLike, ...] | None


class Table:
    """A table by name; `aio.Database.table` makes one. Any number of tasks may use it at the same time.

    It has the methods of `hjall.Table`, awaited; scans are asynchronous generators.
    """

    def __init__(self, connection: Database, sync: hjall.Table) -> None:
        self.connection = connection
        self._threads, self._sync = connection._threads, sync

    @property
    def name(self) -> bytes:
        """The table's name, with its prefix."""
        return self._sync.name

    @property
    def sync(self) -> hjall.Table:
        """The same table without asyncio."""
        return self._sync

    def __repr__(self) -> str:
        return repr(self._sync).replace("<hjall.", "<hjall.aio.", 1)

    families = awaited(hjall.Table.families)
    regions = awaited(hjall.Table.regions)
    row = awaited(hjall.Table.row)
    rows = awaited(hjall.Table.rows)
    cells = awaited(hjall.Table.cells)
    row_cells = awaited(hjall.Table.row_cells)
    exists = awaited(hjall.Table.exists)
    put = awaited(hjall.Table.put)
    put_many = awaited(hjall.Table.put_many)
    delete = awaited(hjall.Table.delete)
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
        """As `hjall.Table.scan_arrow`; what reads is awaited."""
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
        """As `hjall.Table.batch`, for ``async with``; its methods are awaited."""
        sync = self._sync.batch(timestamp, batch_size, transaction, wal, ttl_ms=ttl_ms, durability=durability)
        return Batch(self._threads, sync, sends=batch_size is not None)

    async def scan(
        self,
        row_start: BytesLike | None = None,
        row_stop: BytesLike | None = None,
        row_prefix: BytesLike | None = None,
        columns: Columns = None,
        filter: Filter | BytesLike | None = None,
        timestamp: int | None = None,
        include_timestamp: bool = False,
        batch_size: int = 1000,
        scan_batching: int | None = None,
        limit: int | None = None,
        sorted_columns: bool = False,
        reverse: bool = False,
        *,
        time_range: TimeRange | None = None,
    ) -> AsyncGenerator[tuple[bytes, Row], None]:
        """As `hjall.Table.scan`, for ``async for``. Cancelling the task, or leaving the loop and closing the generator, stops the scan."""
        asked = wanted(row_start, row_stop, row_prefix, columns, filter, timestamp, time_range, batch_size, scan_batching, limit, reverse)
        left = limit
        scanner = await self._threads.run(self._sync._scanner, asked)

        def fetch() -> list[tuple[bytes, Row]]:
            return scanner.rows(batch_size if left is None else min(batch_size, left), include_timestamp, sorted_columns)

        async with aclosing(self._fetched(scanner, fetch)) as fetched:
            async for rows in fetched:
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
        filter: Filter | BytesLike | None = None,
        batch_size: int = 1000,
        scan_batching: int | None = None,
        limit: int | None = None,
        reverse: bool = False,
        raw: bool = False,
    ) -> AsyncGenerator[RowCells, None]:
        """As `hjall.Table.scan_cells`, for ``async for``; it stops as `scan` does."""
        asked = wanted_cells(row_start, row_stop, row_prefix, columns, versions, time_range, filter, batch_size, scan_batching, limit, reverse, raw)
        scanner = await self._threads.run(self._sync._scanner, asked)
        async with aclosing(self._fetched(scanner, lambda: scanner.cells(batch_size))) as fetched:
            async for rows in fetched:
                for key, cells, partial in rows:
                    yield RowCells(key, [Cell(*cell) for cell in cells], partial)

    def __aiter__(self) -> AsyncIterator[tuple[bytes, Row]]:
        """All rows, as `scan` gives them."""
        return self.scan()

    async def _fetched(self, scanner: Any, fetch: Callable[[], list[T]]) -> AsyncGenerator[list[T], None]:
        """What a scanner brings in, until it brings nothing more. However this ends, the scanner is stopped and closed."""
        self.connection._scans.add(scanner)
        try:
            while rows := await self._threads.run(fetch):
                yield rows
        finally:
            # At once, for a fetch that is under way; closing waits for that one, so it is left to a thread.
            scanner.stop()
            self.connection._scans.discard(scanner)
            self._threads.later(scanner.close)
