"""Batches for asyncio."""

from __future__ import annotations

from types import TracebackType
from typing import Any

import hjall
from hjall.aio.threads import Threads
from hjall.types import BytesLike, Data


class Batch:
    """`hjall.Batch` for asyncio. `aio.Table.batch` creates batches."""

    def __init__(self, threads: Threads, sync: hjall.Batch, sends: bool) -> None:
        self._threads, self._sync = threads, sync
        # With a batch size, any mutation may send the batch, so it has to run on a thread.
        self._sends = sends

    async def put(self, row: BytesLike, data: Data, wal: bool | None = None) -> None:
        """Adds a put. Sends the batch if it is full."""
        await self._add(self._sync.put, row, data, wal)

    async def delete(self, row: BytesLike, columns: Any = None, wal: bool | None = None) -> None:
        """Adds a delete. Sends the batch if it is full."""
        await self._add(self._sync.delete, row, columns, wal)

    async def _add(self, call: Any, *args: Any) -> None:
        if self._sends:
            await self._threads.run(call, *args)
        else:
            call(*args)

    async def send(self) -> None:
        """Sends the collected mutations."""
        await self._threads.run(self._sync.send)

    async def __aenter__(self) -> Batch:
        self._sync.__enter__()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._threads.run(self._sync.__exit__, kind, value, trace)
