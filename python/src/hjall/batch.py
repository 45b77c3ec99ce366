"""Batches: mutations that are collected and sent together."""

from __future__ import annotations

from hjall import _native


class Batch(_native.Batch):
    """Collects puts and deletes of any number of rows and sends them together. `Table.batch` creates batches.

    ``put(row, data, wal=None)`` and ``delete(row, columns=None, wal=None)`` add mutations. ``send()`` sends them, and
    so does the end of a ``with`` block.
    """
