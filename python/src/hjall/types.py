"""Aliases for the types of arguments and results."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

BytesLike = bytes | bytearray | memoryview
"""A row key, column or value."""

Name = str | bytes
"""The name of a table or family. A `str` is encoded as UTF-8."""

Path = str | os.PathLike[str]

Columns = Sequence[BytesLike] | None
"""The columns and families to read, as a list or tuple; `None` for all."""

TimeRange = tuple[int, int] | list[int]
"""A range of timestamps ``min <= timestamp < max``, in milliseconds since 1970."""

Data = Mapping[Any, Any] | Iterable[tuple[Any, ...]]
"""The columns to write: a dict from column to value or ``(value, timestamp)``, or an iterable of ``(column, value)``
and ``(column, value, timestamp)``."""

Row = dict[bytes, Any]
"""A row: a dict from column to value, or to ``(value, timestamp)`` if timestamps were requested."""

CopyProgress = Callable[[bytes, bytes, int, int], object]
"""A function that is told the progress of a copy, as ``progress(table, family, cells, bytes)``."""
