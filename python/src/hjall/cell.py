"""Cells with all that they have: column, value, time and kind."""

from __future__ import annotations

from typing import NamedTuple


class Cell(NamedTuple):
    """One cell.

    >>> cell = Cell(b"info:city", b"Oslo", 5)
    >>> cell.family, cell.qualifier
    (b'info', b'city')
    """

    column: bytes
    """``b"family:qualifier"``."""
    value: bytes
    """The value; empty for delete markers."""
    timestamp: int
    """Milliseconds since 1970."""
    kind: str = "Put"
    """``Put``, or in raw reads a marker: ``Delete``, ``DeleteColumn``, ``DeleteFamily``, ``DeleteFamilyVersion``."""

    @property
    def family(self) -> bytes:
        """The name of the family."""
        return self.column.partition(b":")[0]

    @property
    def qualifier(self) -> bytes:
        """The qualifier, which may be empty."""
        return self.column.partition(b":")[2]


class RowCells(NamedTuple):
    """Cells of one row, in HBase's order: families and qualifiers ascending, times descending."""

    row: bytes
    """The row key."""
    cells: list[Cell]
    """The cells."""
    partial: bool = False
    """More cells of the row may follow in the next result (scans with `scan_batching`)."""
