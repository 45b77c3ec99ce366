"""Arrow data: scans for pandas, polars, pyarrow, DuckDB and other libraries, and bulk writes from them.

`Table.scan_arrow` and `Table.load_arrow` transfer cells over Arrow's C data interface, without a Python object per
cell. Only the conversions to pyarrow and pandas require pyarrow.
"""

from __future__ import annotations

from hjall._native import ArrowTable
from hjall.arrow.names import decimal
from hjall.arrow.protocol import ArrowArray, ArrowStream
from hjall.arrow.scan import ArrowScan, to_pandas, to_polars, to_pyarrow

__all__ = ["ArrowArray", "ArrowScan", "ArrowStream", "ArrowTable", "decimal", "to_pandas", "to_polars", "to_pyarrow"]
