"""Batches for asyncio."""

from __future__ import annotations

from collections.abc import Iterable, Sized
from types import TracebackType

import hjall
from hjall.aio.threads import Threads
from hjall.types import Data, Text


class Batch:
    """`hjall.Batch` for asyncio. `aio.Table.batch` creates batches."""

    def __init__(self, threads: Threads, table: hjall.Table, sync: hjall.Batch, batch_size: int | None) -> None:
        self._threads, self._table, self._sync = threads, table, sync
        self._batch_size = batch_size
        self._size = 0
        # The names of the table's families, looked up when the first whole row is deleted.
        self._families: list[bytes] | None = None

    def __repr__(self) -> str:
        return repr(self._sync).replace("<hjall.batch.", "<hjall.aio.batch.", 1)

    async def put(self, row: Text, data: Data, wal: bool | None = None) -> None:
        """Adds a put. Sends the batch if it is full."""
        data = data if isinstance(data, Sized) else list(data)
        self._sync.put(row, data, wal)
        await self._added(len(data))

    async def delete(
        self, row: Text, columns: Iterable[Text | hjall.Marker] | None = None, wal: bool | None = None
    ) -> None:
        """Adds a delete. Sends the batch if it is full."""
        if columns is None:
            if self._families is None:
                self._families = list(await self._threads.run(self._table.families))
            columns = self._families
        columns = columns if isinstance(columns, Sized) else list(columns)
        self._sync.delete(row, columns, wal)
        await self._added(len(columns))

    async def _added(self, count: int) -> None:
        """Adding takes less than a microsecond; only sending needs a thread."""
        self._size += count
        if self._batch_size is not None and self._size >= self._batch_size:
            await self.send()

    async def send(self) -> None:
        """Sends the collected mutations, as `hjall.Batch.send`. After a failure they remain in the batch, and the
        attribute `failures` of the exception has the rows that failed."""
        await self._threads.run(self._sync.send)
        self._size = 0

    async def __aenter__(self) -> Batch:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._threads.run(self._sync.__exit__, kind, value, trace)
