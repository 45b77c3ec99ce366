"""Scans as Arrow data, for asyncio."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable
from typing import TYPE_CHECKING, Any, TypeVar

import hjall.arrow
from hjall.aio.threads import Threads
from hjall.arrow import ArrowTable

if TYPE_CHECKING:
    import pandas
    import polars
    import pyarrow

R = TypeVar("R")


class ArrowScan:
    """As `hjall.arrow.ArrowScan`, awaited; `aio.Table.scan_arrow` makes one."""

    def __init__(self, threads: Threads, sync: hjall.arrow.ArrowScan) -> None:
        self._threads, self._sync = threads, sync

    @property
    def sync(self) -> hjall.arrow.ArrowScan:
        """The same scan without asyncio, for what takes Arrow data by itself."""
        return self._sync

    async def column_names(self) -> list[str]:
        """The names of the result's columns."""
        return await self._threads.run(lambda: self._sync.column_names)

    async def collect(self) -> ArrowTable:
        """Scans, and keeps the result in memory. Cancelling it stops the scan."""
        batches = await self._threads.run(lambda: iter(self._sync._native))
        try:
            return await self._threads.run(batches.collect)
        except asyncio.CancelledError:
            batches.stop()
            raise

    async def __aiter__(self) -> AsyncGenerator[ArrowTable, None]:
        """One batch after the other; only one is in memory at a time."""
        batches = await self._threads.run(lambda: iter(self._sync._native))
        try:
            while (batch := await self._threads.run(next, batches, None)) is not None:
                yield batch
        finally:
            batches.stop()

    async def to_pyarrow(self) -> pyarrow.Table:
        """The rows as a `pyarrow.Table`."""
        return await self._made(hjall.arrow.to_pyarrow)

    async def to_pandas(self, **options: Any) -> pandas.DataFrame:
        """The rows as a `pandas.DataFrame`; the options are those of `pyarrow.Table.to_pandas`."""
        return await self._made(lambda table: hjall.arrow.to_pandas(table, **options))

    async def to_polars(self) -> polars.DataFrame:
        """The rows as a `polars.DataFrame`."""
        return await self._made(hjall.arrow.to_polars)

    async def _made(self, make: Callable[[ArrowTable], R]) -> R:
        return await self._threads.run(make, await self.collect())
