"""Names for the types of arguments and results."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from typing import Any

BytesLike = bytes | bytearray | memoryview | str
"""Keys, columns and values. A `str` is only taken by a database that was opened with an encoding."""

Name = str | bytes
"""Names of tables and families; a `str` stands for its UTF-8 bytes."""

Path = str | os.PathLike[str]

TimeRange = tuple[int, int]
"""Milliseconds since 1970: from the first, included, to the second, excluded."""

Data = Mapping[Any, Any] | Iterable[tuple[Any, ...]]
"""Columns to write: a dict from column to value or ``(value, timestamp)``; or ``(column, value)`` and ``(column, value, timestamp)``."""

Row = dict[bytes, Any]
"""A row: from column to value, or to ``(value, timestamp)`` where timestamps were asked for."""
