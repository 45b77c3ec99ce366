"""Scans that return Arrow data, for asyncio."""

from __future__ import annotations

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
    """`hjall.arrow.ArrowScan` for asyncio. `aio.Table.scan_arrow` creates it, and each use runs a new scan."""

    def __init__(self, threads: Threads, sync: hjall.arrow.ArrowScan) -> None:
        self._threads, self._sync = threads, sync

    def __repr__(self) -> str:
        return repr(self._sync)

    def _repr_html_(self) -> str | None:
        """The first rows, as notebooks show them."""
        return self._sync._repr_html_()

    @property
    def sync(self) -> hjall.arrow.ArrowScan:
        """The synchronous scan, for libraries that read Arrow data themselves."""
        return self._sync

    async def column_names(self) -> list[str]:
        """Returns the names of the result's columns."""
        return await self._threads.run(lambda: self._sync.column_names)

    async def collect(self) -> ArrowTable:
        """Runs the scan and keeps the result in memory. Cancelling the call stops the scan."""
        batches = await self._threads.run(lambda: iter(self._sync._native))
        try:
            return await self._threads.run(batches.collect)
        finally:
            batches.stop()

    async def __aiter__(self) -> AsyncGenerator[ArrowTable, None]:
        """Runs the scan and iterates over its batches, of which one at a time is in memory."""
        batches = await self._threads.run(lambda: iter(self._sync._native))
        try:
            while (batch := await self._threads.run(next, batches, None)) is not None:
                yield batch
        finally:
            batches.stop()

    async def to_pyarrow(self) -> pyarrow.Table:
        """Runs the scan and returns a `pyarrow.Table`."""
        return await self._convert(hjall.arrow.to_pyarrow)

    async def to_pandas(self, *, index: str | list[str] | None = None, **options: Any) -> pandas.DataFrame:
        """Runs the scan and returns a `pandas.DataFrame`, as `hjall.arrow.ArrowScan.to_pandas`."""
        return await self._convert(lambda table: hjall.arrow.to_pandas(table, index=index, **options))

    async def to_polars(self) -> polars.DataFrame:
        """Runs the scan and returns a `polars.DataFrame`."""
        return await self._convert(hjall.arrow.to_polars)

    async def _convert(self, conversion: Callable[[ArrowTable], R]) -> R:
        return await self._threads.run(conversion, await self.collect())
