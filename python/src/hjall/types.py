"""Aliases for the types of arguments and results."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from typing import Any, Literal, TypeVar

BytesLike = bytes | bytearray | memoryview
"""Bytes that cannot be given as a `str`, such as the arguments of filters."""

Text = BytesLike | str
"""A row key, column or value. A `str` needs a database that was opened with an encoding, or raises `TypeError`."""

Name = str | bytes
"""The name of a table or family. A `str` is encoded as UTF-8."""

Path = str | os.PathLike[str]

Columns = Sequence[BytesLike] | list[str] | tuple[str, ...] | list[Text] | tuple[Text, ...] | None
"""The columns and families to read, as a list or tuple; `None` for all. A `str` is a sequence, too, but not meant."""

TimeRange = tuple[int, int] | list[int]
"""A range of timestamps ``min <= timestamp < max``, in milliseconds since 1970."""

Value = Text | tuple[Text, int]
"""A value to write, or ``(value, timestamp)``."""

Item = TypeVar("Item")

# A mapping is an `Iterable`, too. With that in a union, mypy does not check the values of a dict literal one by one,
# and refuses one with values of several types.
Items = Sequence[Item] | Set[Item] | Iterator[Item]

Pair = tuple[Text, Value] | tuple[Text, Text, int]

# The keys of a mapping are invariant, so that those of `Mapping[Text, ...]` would have to be of several types.
Data = Mapping[Any, Value] | Items[Pair]
"""The columns to write: a dict from column to value or ``(value, timestamp)``, or an iterable of ``(column, value)``
and ``(column, value, timestamp)``."""

Suffixes = Mapping[Any, Text] | Items[tuple[Text, Text]]
"""The bytes to append by column."""

Amounts = Mapping[Any, int] | Items[tuple[Text, int]]
"""The amounts to add by column."""

Durability = Literal["USE_DEFAULT", "SKIP_WAL", "ASYNC_WAL", "SYNC_WAL", "FSYNC_WAL"]
"""A level of durability of a write."""

Row = dict[bytes, Any]
"""A row: a dict from column to value, or to ``(value, timestamp)`` if timestamps were requested."""

CopyProgress = Callable[[bytes, bytes, int, int], object]
"""A function that is told the progress of a copy, as ``progress(table, family, cells, bytes)``."""
