"""Mutations gathered, and sent together."""

from __future__ import annotations

from types import TracebackType
from typing import Any

import hjall
from hjall.aio.threads import Threads
from hjall.types import BytesLike, Data


class Batch:
    """Puts and deletes of any rows, gathered and sent together; `Table.batch` makes one."""

    def __init__(self, threads: Threads, sync: hjall.Batch, sends: bool) -> None:
        self._threads, self._sync = threads, sync
        # With a size any put may send, which takes a thread.
        self._sends = sends

    async def put(self, row: BytesLike, data: Data, wal: bool | None = None) -> None:
        """Gathers a put; sends all that was gathered if it is as much as `batch_size`."""
        await self._gather(self._sync.put, row, data, wal)

    async def delete(self, row: BytesLike, columns: Any = None, wal: bool | None = None) -> None:
        """Gathers a delete; sends as `put` does."""
        await self._gather(self._sync.delete, row, columns, wal)

    async def _gather(self, call: Any, *args: Any) -> None:
        if self._sends:
            await self._threads.run(call, *args)
        else:
            call(*args)

    async def send(self) -> None:
        """Sends what was gathered."""
        await self._threads.run(self._sync.send)

    async def __aenter__(self) -> Batch:
        self._sync.__enter__()
        return self

    async def __aexit__(self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None) -> None:
        await self._threads.run(self._sync.__exit__, kind, value, trace)
