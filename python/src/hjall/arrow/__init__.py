"""Tables as Arrow data: scans for pandas, polars, pyarrow, DuckDB and others, and bulk writes from them.

Cells go over Arrow's C data interface: no Python object is made of any of them. Nothing here needs pyarrow, except what makes something of
pyarrow or pandas.
"""

from __future__ import annotations

from hjall._native import ArrowTable
from hjall.arrow.methods import ArrowMethods
from hjall.arrow.protocol import ArrowArray, ArrowStream
from hjall.arrow.scan import ArrowScan, to_pandas, to_polars, to_pyarrow

__all__ = ["ArrowArray", "ArrowMethods", "ArrowScan", "ArrowStream", "ArrowTable", "to_pandas", "to_polars", "to_pyarrow"]
