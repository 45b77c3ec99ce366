"""Scans that return Arrow data, and conversions of their results."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from hjall import _native
from hjall._native import ArrowTable

if TYPE_CHECKING:
    import pandas
    import polars
    import pyarrow


class ArrowScan:
    """The description of a scan that returns Arrow data. `Table.scan_arrow` creates it, and each use runs a new scan.

    Libraries that support the Arrow PyCapsule interface read a scan directly and batch by batch:
    `polars.DataFrame(scan)`, `pyarrow.table(scan)`,
    `duckdb.from_arrow(pyarrow.RecordBatchReader.from_stream(scan))`.
    """

    def __init__(self, native: _native.ArrowScan) -> None:
        self._native = native

    @property
    def column_names(self) -> list[str]:
        """The names of the result's columns. The first access discovers columns that were not named, by a pass over the
        rows."""
        return self._native.column_names

    def collect(self) -> ArrowTable:
        """Runs the scan and keeps the result in memory. Other libraries read it without copying, any number of
        times."""
        return self._native.collect()

    def __iter__(self) -> Iterator[ArrowTable]:
        """Runs the scan and iterates over its batches, of which one at a time is in memory."""
        return iter(self._native)

    def to_pyarrow(self) -> pyarrow.Table:
        """Runs the scan and returns a `pyarrow.Table`. Raises `ImportError` if pyarrow is not installed."""
        return to_pyarrow(self.collect())

    def to_reader(self) -> pyarrow.RecordBatchReader:
        """Returns a `pyarrow.RecordBatchReader`, which runs the scan while it is read. Raises `ImportError` if
        pyarrow is not installed."""
        return _pyarrow().RecordBatchReader.from_stream(self)

    def to_pandas(self, **options: Any) -> pandas.DataFrame:
        """Runs the scan and returns a `pandas.DataFrame`. The options are those of `pyarrow.Table.to_pandas`. Raises
        `ImportError` if pyarrow or pandas is not installed."""
        return to_pandas(self.collect(), **options)

    def to_polars(self) -> polars.DataFrame:
        """Runs the scan and returns a `polars.DataFrame`. Raises `ImportError` if polars is not installed; pyarrow is
        not required."""
        return to_polars(self.collect())

    def __arrow_c_schema__(self) -> object:
        """Returns a capsule with the schema."""
        return self._native.__arrow_c_schema__()

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """Starts a scan and returns a capsule with its stream. Ignores `requested_schema`, as the protocol allows."""
        return self._native.__arrow_c_stream__(requested_schema)


def to_pyarrow(data: ArrowTable) -> pyarrow.Table:
    """Converts Arrow data to a `pyarrow.Table` without copying. Raises `ImportError` if pyarrow is not installed."""
    return _pyarrow().table(data)


def to_pandas(data: ArrowTable, **options: Any) -> pandas.DataFrame:
    """Converts Arrow data to a `pandas.DataFrame`. The options are those of `pyarrow.Table.to_pandas`. Raises
    `ImportError` if pyarrow or pandas is not installed."""
    frame: pandas.DataFrame = to_pyarrow(data).to_pandas(**options)
    return frame


def to_polars(data: ArrowTable) -> polars.DataFrame:
    """Converts Arrow data to a `polars.DataFrame`. Raises `ImportError` if polars is not installed."""
    try:
        import polars
    except ImportError as error:
        raise ImportError("polars is not installed: pip install polars") from error
    return polars.DataFrame(data)


def _pyarrow() -> Any:
    try:
        import pyarrow
    except ImportError as error:
        raise ImportError("pyarrow is not installed: pip install pyarrow (to_polars does not need it)") from error
    return pyarrow
