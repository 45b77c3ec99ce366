"""A scan whose rows come as Arrow data, and what takes such data."""

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
    """A scan whose rows come as Arrow data; `Table.scan_arrow` makes one.

    It is a description: each use scans the table as it is then. Whatever understands Arrow's PyCapsule protocol takes it as it is
    (`polars.DataFrame(scan)`, `pyarrow.table(scan)`, `duckdb.from_arrow(pyarrow.RecordBatchReader.from_stream(scan))`), batch by batch.
    """

    def __init__(self, native: _native.ArrowScan) -> None:
        self._native = native

    @property
    def column_names(self) -> list[str]:
        """The names of the result's columns. Columns that were not named are looked for by a pass over the rows, once."""
        return self._native.column_names

    def collect(self) -> ArrowTable:
        """Scans, and keeps the result in memory: others then take it without copying, as often as they like."""
        return self._native.collect()

    def __iter__(self) -> Iterator[ArrowTable]:
        """One batch after the other; only one is in memory at a time."""
        return iter(self._native)

    def to_pyarrow(self) -> pyarrow.Table:
        """The rows as a `pyarrow.Table`."""
        return to_pyarrow(self.collect())

    def to_reader(self) -> pyarrow.RecordBatchReader:
        """The rows as a `pyarrow.RecordBatchReader`, which scans as it is read."""
        return _pyarrow().RecordBatchReader.from_stream(self)

    def to_pandas(self, **options: Any) -> pandas.DataFrame:
        """The rows as a `pandas.DataFrame`, by way of pyarrow; the options are those of `pyarrow.Table.to_pandas`."""
        return to_pandas(self.collect(), **options)

    def to_polars(self) -> polars.DataFrame:
        """The rows as a `polars.DataFrame`; needs no pyarrow."""
        return to_polars(self.collect())

    def __arrow_c_schema__(self) -> object:
        """The schema in a capsule."""
        return self._native.__arrow_c_schema__()

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """A new scan as a stream in a capsule. `requested_schema` is not followed, as the protocol allows."""
        return self._native.__arrow_c_stream__(requested_schema)


def to_pyarrow(data: ArrowTable) -> pyarrow.Table:
    """Arrow data as a `pyarrow.Table`, not copied."""
    return _pyarrow().table(data)


def to_pandas(data: ArrowTable, **options: Any) -> pandas.DataFrame:
    """Arrow data as a `pandas.DataFrame`; the options are those of `pyarrow.Table.to_pandas`."""
    frame: pandas.DataFrame = to_pyarrow(data).to_pandas(**options)
    return frame


def to_polars(data: ArrowTable) -> polars.DataFrame:
    """Arrow data as a `polars.DataFrame`."""
    try:
        import polars
    except ImportError as error:
        raise ImportError("this needs polars: pip install polars") from error
    return polars.DataFrame(data)


def _pyarrow() -> Any:
    try:
        import pyarrow
    except ImportError as error:
        raise ImportError("this needs pyarrow: pip install pyarrow (to_polars works without)") from error
    return pyarrow
