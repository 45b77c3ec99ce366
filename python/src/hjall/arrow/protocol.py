"""The Arrow PyCapsule interface, with which libraries exchange Arrow data."""

from __future__ import annotations

from typing import Protocol, runtime_checkable


@runtime_checkable
class ArrowStream(Protocol):
    """An object that exports Arrow data as a stream: pyarrow's tables and readers, the frames of polars and pandas,
    DuckDB's relations."""

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """Returns a capsule with the stream."""


@runtime_checkable
class ArrowArray(Protocol):
    """An object that exports Arrow data as a single array, such as pyarrow's record batches."""

    def __arrow_c_array__(self, requested_schema: object | None = None) -> tuple[object, object]:
        """Returns capsules with the schema and the data."""
        ...
