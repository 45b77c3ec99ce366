"""What others hand out Arrow data by: the Arrow PyCapsule interface."""

from __future__ import annotations

from typing import Protocol, runtime_checkable


@runtime_checkable
class ArrowStream(Protocol):
    """What hands out Arrow data as a stream: tables and readers of pyarrow, frames of polars and pandas, relations of DuckDB."""

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """The stream in a capsule."""


@runtime_checkable
class ArrowArray(Protocol):
    """What hands out Arrow data in one piece: a record batch of pyarrow."""

    def __arrow_c_array__(self, requested_schema: object | None = None) -> tuple[object, object]:
        """Schema and data in capsules."""
