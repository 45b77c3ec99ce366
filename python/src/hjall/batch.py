"""Batches: mutations that are collected and sent together."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hjall import _native

if TYPE_CHECKING:
    from typing_extensions import Self


class Batch(_native.Batch):
    """Collects puts and deletes of any number of rows and sends them together. `Table.batch` creates batches.

    ``put(row, data, wal=None)`` and ``delete(row, columns=None, wal=None)`` add mutations. ``send()`` sends them, and
    so does the end of a ``with`` block.
    """

    _shown: str

    def __new__(cls, table: _native.Table, *args: Any, **options: Any) -> Self:
        """Makes a batch with the arguments of `Table.batch`, which is the usual way to make one."""
        self = super().__new__(cls, table, *args, **options)
        given = [
            *(repr(arg) for arg in args),
            *(f"{name}={value!r}" for name, value in options.items() if value is not None),
        ]
        self._shown = f"{table.name!r}: {', '.join(given)}" if given else repr(table.name)
        return self

    def __repr__(self) -> str:
        return f"<{type(self).__module__}.{type(self).__name__} of {self._shown}>"
