"""Cells with column, value, timestamp and kind."""

from __future__ import annotations

from typing import NamedTuple


class Cell(NamedTuple):
    """A cell, or in raw reads a delete marker.

    >>> cell = Cell(b"info:city", b"Oslo", 5)
    >>> cell.family, cell.qualifier
    (b'info', b'city')
    """

    column: bytes
    """``b"family:qualifier"``."""
    value: bytes
    """The value; empty for a delete marker."""
    timestamp: int
    """In milliseconds since 1970."""
    kind: str = "Put"
    """``Put``, or the kind of a delete marker: ``Delete``, ``DeleteColumn``, ``DeleteFamily``,
    ``DeleteFamilyVersion``."""

    @property
    def family(self) -> bytes:
        """The name of the family."""
        return self.column.partition(b":")[0]

    @property
    def qualifier(self) -> bytes:
        """The qualifier, which may be empty."""
        return self.column.partition(b":")[2]


class RowCells(NamedTuple):
    """The cells of one row, in HBase's order: families and qualifiers ascending, timestamps descending."""

    row: bytes
    """The row key."""
    cells: list[Cell]
    """The cells."""
    partial: bool = False
    """Whether more cells of the row may follow in the next result, in scans with `scan_batching`."""

    def newest(self) -> dict[bytes, tuple[bytes, int]]:
        """The newest cell of each column, as ``(value, timestamp)`` by column."""
        return {cell.column: (cell.value, cell.timestamp) for cell in reversed(self.cells)}
