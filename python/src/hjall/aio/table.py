"""Tables for asyncio."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator, Callable, Iterable
from contextlib import aclosing
from typing import TYPE_CHECKING, Any, Concatenate, Literal, ParamSpec, TypeVar, overload

import hjall
import hjall.arrow
from hjall.aio.arrow import ArrowScan
from hjall.aio.batch import Batch
from hjall.aio.fetches import Fetches
from hjall.aio.threads import awaited, awaited_read, described
from hjall.cell import Cell, RowCells
from hjall.scan import BATCH_SIZE, ScanArguments
from hjall.types import Columns, Durability, Row, Text, TimeRange

if TYPE_CHECKING:
    from hjall.aio.database import Database
    from hjall.filters import Filter

T = TypeVar("T")
P = ParamSpec("P")


def _asynchronous_scan(
    method: Callable[Concatenate[hjall.Table, P], hjall.arrow.ArrowScan],
) -> Callable[Concatenate[Table, P], ArrowScan]:
    """Turns `hjall.Table.scan_arrow` into a method whose result has coroutine methods."""

    def call(self: Table, /, *args: P.args, **kwargs: P.kwargs) -> ArrowScan:
        return ArrowScan(self._threads, method(self._sync, *args, **kwargs))

    converted: Callable[Concatenate[Table, P], ArrowScan] = described(
        call, method, "This is not a coroutine; the methods of the result are."
    )
    return converted


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

    # The types of methods with overloads, which `awaited_read` cannot express.
    if TYPE_CHECKING:

        @overload
        async def row(
            self,
            row: Text,
            columns: Columns = None,
            timestamp: int | None = None,
            include_timestamp: Literal[False] = False,
            *,
            time_range: TimeRange | None = None,
            filter: Filter | Text | None = None,
        ) -> dict[bytes, bytes]: ...
        @overload
        async def row(
            self,
            row: Text,
            columns: Columns = None,
            timestamp: int | None = None,
            *,
            include_timestamp: Literal[True],
            time_range: TimeRange | None = None,
            filter: Filter | Text | None = None,
        ) -> dict[bytes, tuple[bytes, int]]: ...
        @overload
        async def row(
            self,
            row: Text,
            columns: Columns = None,
            timestamp: int | None = None,
            include_timestamp: bool = False,
            *,
            time_range: TimeRange | None = None,
            filter: Filter | Text | None = None,
        ) -> Row: ...
        async def row(self, *args: Any, **kwargs: Any) -> Any: ...  # noqa: D102
        @overload
        async def rows(
            self,
            rows: Iterable[Text],
            columns: Columns = None,
            timestamp: int | None = None,
            include_timestamp: Literal[False] = False,
            *,
            time_range: TimeRange | None = None,
            filter: Filter | Text | None = None,
        ) -> list[tuple[bytes, dict[bytes, bytes]]]: ...
        @overload
        async def rows(
            self,
            rows: Iterable[Text],
            columns: Columns = None,
            timestamp: int | None = None,
            *,
            include_timestamp: Literal[True],
            time_range: TimeRange | None = None,
            filter: Filter | Text | None = None,
        ) -> list[tuple[bytes, dict[bytes, tuple[bytes, int]]]]: ...
        @overload
        async def rows(
            self,
            rows: Iterable[Text],
            columns: Columns = None,
            timestamp: int | None = None,
            include_timestamp: bool = False,
            *,
            time_range: TimeRange | None = None,
            filter: Filter | Text | None = None,
        ) -> list[tuple[bytes, Row]]: ...
        async def rows(self, *args: Any, **kwargs: Any) -> Any: ...  # noqa: D102
        @overload
        async def cells(
            self,
            row: Text,
            column: Text,
            versions: int | None = None,
            timestamp: int | None = None,
            include_timestamp: Literal[False] = False,
            *,
            time_range: TimeRange | None = None,
            filter: Filter | Text | None = None,
        ) -> list[bytes]: ...
        @overload
        async def cells(
            self,
            row: Text,
            column: Text,
            versions: int | None = None,
            timestamp: int | None = None,
            *,
            include_timestamp: Literal[True],
            time_range: TimeRange | None = None,
            filter: Filter | Text | None = None,
        ) -> list[tuple[bytes, int]]: ...
        @overload
        async def cells(
            self,
            row: Text,
            column: Text,
            versions: int | None = None,
            timestamp: int | None = None,
            include_timestamp: bool = False,
            *,
            time_range: TimeRange | None = None,
            filter: Filter | Text | None = None,
        ) -> list[Any]: ...
        async def cells(self, *args: Any, **kwargs: Any) -> Any: ...  # noqa: D102
    else:
        row = awaited_read(hjall.Table.row)
        rows = awaited_read(hjall.Table.rows)
        cells = awaited_read(hjall.Table.cells)

    families = awaited(hjall.Table.families)
    regions = awaited(hjall.Table.regions)
    row_cells = awaited_read(hjall.Table.row_cells)
    exists = awaited_read(hjall.Table.exists)
    count = awaited(hjall.Table.count)
    put = awaited(hjall.Table.put)
    put_many = awaited(hjall.Table.put_many)
    bulk_load = awaited(hjall.Table.bulk_load)
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
    scan_arrow = _asynchronous_scan(hjall.Table.scan_arrow)

    def batch(
        self,
        timestamp: int | None = None,
        batch_size: int | None = None,
        transaction: bool = False,
        wal: bool | None = True,
        *,
        ttl_ms: int | None = None,
        durability: Durability | None = None,
    ) -> Batch:
        """Returns a batch for ``async with``, as `hjall.Table.batch`. Its methods are coroutines."""
        # Checks the arguments. The batch without a size never sends itself.
        self._sync.batch(timestamp, batch_size, transaction, wal, ttl_ms=ttl_ms, durability=durability)
        sync = self._sync.batch(timestamp, None, transaction, wal, ttl_ms=ttl_ms, durability=durability)
        return Batch(self._threads, self._sync, sync, batch_size)

    @overload
    def scan(
        self,
        row_start: Text | None = None,
        row_stop: Text | None = None,
        row_prefix: Text | None = None,
        columns: Columns = None,
        filter: Filter | Text | None = None,
        timestamp: int | None = None,
        include_timestamp: Literal[False] = False,
        batch_size: int = BATCH_SIZE,
        scan_batching: int | None = None,
        limit: int | None = None,
        sorted_columns: bool = False,
        reverse: bool = False,
        *,
        time_range: TimeRange | None = None,
    ) -> AsyncGenerator[tuple[bytes, dict[bytes, bytes]], None]: ...
    @overload
    def scan(
        self,
        row_start: Text | None = None,
        row_stop: Text | None = None,
        row_prefix: Text | None = None,
        columns: Columns = None,
        filter: Filter | Text | None = None,
        timestamp: int | None = None,
        *,
        include_timestamp: Literal[True],
        batch_size: int = BATCH_SIZE,
        scan_batching: int | None = None,
        limit: int | None = None,
        sorted_columns: bool = False,
        reverse: bool = False,
        time_range: TimeRange | None = None,
    ) -> AsyncGenerator[tuple[bytes, dict[bytes, tuple[bytes, int]]], None]: ...
    @overload
    def scan(
        self,
        row_start: Text | None = None,
        row_stop: Text | None = None,
        row_prefix: Text | None = None,
        columns: Columns = None,
        filter: Filter | Text | None = None,
        timestamp: int | None = None,
        include_timestamp: bool = False,
        batch_size: int = BATCH_SIZE,
        scan_batching: int | None = None,
        limit: int | None = None,
        sorted_columns: bool = False,
        reverse: bool = False,
        *,
        time_range: TimeRange | None = None,
    ) -> AsyncGenerator[tuple[bytes, Row], None]: ...
    async def scan(
        self,
        row_start: Text | None = None,
        row_stop: Text | None = None,
        row_prefix: Text | None = None,
        columns: Columns = None,
        filter: Filter | Text | None = None,
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
        arguments = ScanArguments.checked(
            "scan",
            self.name,
            row_start=row_start,
            row_stop=row_stop,
            row_prefix=row_prefix,
            columns=columns,
            filter=filter,
            timestamp=timestamp,
            time_range=time_range,
            batch_size=batch_size,
            scan_batching=scan_batching,
            limit=limit,
            reverse=reverse,
        )

        def read(scanner: Any, count: int) -> list[tuple[bytes, Row]]:
            rows: list[tuple[bytes, Row]] = scanner.rows(count, include_timestamp, sorted_columns)
            return rows

        fetches = Fetches(lambda: self._sync._scanner(arguments.unlimited(), "scan", limit), read, batch_size, limit)
        async with aclosing(self._results(fetches)) as results:
            async for rows in results:
                for row in rows:
                    yield row

    async def scan_cells(
        self,
        row_start: Text | None = None,
        row_stop: Text | None = None,
        row_prefix: Text | None = None,
        columns: Columns = None,
        *,
        versions: int | None = 1,
        time_range: TimeRange | None = None,
        filter: Filter | Text | None = None,
        batch_size: int = BATCH_SIZE,
        scan_batching: int | None = None,
        limit: int | None = None,
        reverse: bool = False,
        raw: bool = False,
    ) -> AsyncGenerator[RowCells, None]:
        """Scans cells, as `hjall.Table.scan_cells`, for ``async for``. Cancelling the task or closing the generator
        stops the scan."""
        arguments = ScanArguments.checked(
            "scan_cells",
            self.name,
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

        def read(scanner: Any, count: int) -> list[RowCells]:
            return [
                RowCells(key, [Cell(*cell) for cell in cells], partial) for key, cells, partial in scanner.cells(count)
            ]

        fetches = Fetches(lambda: self._sync._scanner(arguments, "scan_cells", limit), read, batch_size, None)
        async with aclosing(self._results(fetches)) as results:
            async for rows in results:
                for row in rows:
                    yield row

    def __aiter__(self) -> AsyncIterator[tuple[bytes, Row]]:
        """Scans all rows; see `scan`."""
        return self.scan()

    async def _results(self, fetches: Fetches[T]) -> AsyncGenerator[list[T], None]:
        """Fetches results until there are no more. The scan is stopped and closed in any case."""
        self.connection._scanners.add(fetches)
        try:
            while not fetches.has_ended and (results := await self._threads.run(fetches.fetch)):
                yield results
        finally:
            # `stop` ends a running fetch immediately. `close` waits for that fetch, so it runs on a thread.
            fetches.stop()
            self.connection._scanners.discard(fetches)
            self._threads.later(fetches.close)
