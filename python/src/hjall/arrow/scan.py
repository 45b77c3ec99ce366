"""Scans that return Arrow data, and conversions of their results."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from html import escape
from typing import TYPE_CHECKING, Any

from hjall import _native
from hjall._native import ArrowTable
from hjall.scan import NOT_SHOWN, error_html

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

    def __init__(self, native: _native.ArrowScan, description: str, preview: Callable[[], ArrowTable]) -> None:
        self._native, self._description, self._preview = native, description, preview

    def __repr__(self) -> str:
        return f"<Arrow {self._description}>"

    def _repr_html_(self) -> str | None:
        """The first rows, as notebooks show them. They are read by another scan, and shown by polars or pandas; without
        both, notebooks show `repr`."""
        for conversion in (to_polars, to_pandas):
            with contextlib.suppress(ImportError):
                try:
                    return f"<p>{escape(repr(self))}</p>{conversion(self._preview())._repr_html_()}"
                except NOT_SHOWN as error:
                    return error_html(repr(self), error)
        return None

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

    def to_pandas(self, *, index: str | list[str] | None = None, **options: Any) -> pandas.DataFrame:
        """Runs the scan and returns a `pandas.DataFrame`. `index`: the column or columns that become its index, such as
        ``"row"``. The options are those of `pyarrow.Table.to_pandas`. Raises `ImportError` if pyarrow or pandas is not
        installed, `KeyError` if there is no such column."""
        return to_pandas(self.collect(), index=index, **options)

    def to_lazy(self) -> polars.LazyFrame:
        """Returns a `polars.LazyFrame`, which runs the scan whenever it is collected. Batches are filtered and
        reduced to the selected columns one by one, and the scan ends early after `head`. Raises `ImportError` if
        polars is not installed."""
        return to_lazy(self)

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


def to_pandas(data: ArrowTable, *, index: str | list[str] | None = None, **options: Any) -> pandas.DataFrame:
    """Converts Arrow data to a `pandas.DataFrame`, as `ArrowScan.to_pandas`."""
    frame: pandas.DataFrame = to_pyarrow(data).to_pandas(**options)
    return frame if index is None else frame.set_index(index)


def to_lazy(scan: ArrowScan) -> polars.LazyFrame:
    """Makes a `polars.LazyFrame` of a scan, as `ArrowScan.to_lazy`."""
    frames = _polars()
    from polars.io.plugins import register_io_source

    def batches(
        columns: list[str] | None, predicate: Any, n_rows: int | None, _batch_size: int | None
    ) -> Iterator[polars.DataFrame]:
        left = n_rows
        for batch in scan:
            frame = frames.DataFrame(batch)
            if left is not None:
                frame = frame.head(left)
                left -= frame.height
            if predicate is not None:
                frame = frame.filter(predicate)
            yield frame if columns is None else frame.select(columns)
            if left == 0:
                return

    lazy: polars.LazyFrame = register_io_source(batches, schema=frames.Schema(scan))
    return lazy


def to_polars(data: ArrowTable) -> polars.DataFrame:
    """Converts Arrow data to a `polars.DataFrame`. Raises `ImportError` if polars is not installed."""
    frame: polars.DataFrame = _polars().DataFrame(data)
    return frame


def _polars() -> Any:
    try:
        import polars
    except ImportError as error:
        raise ImportError("polars is not installed: pip install polars") from error
    return polars


def _pyarrow() -> Any:
    try:
        import pyarrow
    except ImportError as error:
        raise ImportError("pyarrow is not installed: pip install pyarrow (to_polars does not need it)") from error
    return pyarrow
