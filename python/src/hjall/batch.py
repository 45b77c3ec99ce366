"""Mutations gathered, and sent together."""

from __future__ import annotations

from hjall import _native


class Batch(_native.Batch):
    """Puts and deletes of any rows, gathered and sent together; `Table.batch` makes one.

    ``put(row, data, wal=None)`` and ``delete(row, columns=None, wal=None)`` gather, ``send()`` sends, and so does the end of a ``with`` block.
    """
