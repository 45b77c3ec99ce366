"""Scans, and cells with all that they have: this part of `Table`."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

from hjall import _native
from hjall.cell import Cell, RowCells
from hjall.filters import Filter
from hjall.types import BytesLike, Row, TimeRange

# Rows brought in at once where nothing says how many.
_BLOCK = 1000


class Reading(_native.Table):
    """What is read of a table beyond single rows. `Table` is one."""

    def scan(
        self,
        row_start: BytesLike | None = None,
        row_stop: BytesLike | None = None,
        row_prefix: BytesLike | None = None,
        columns: list[BytesLike] | tuple[BytesLike, ...] | None = None,
        filter: Filter | BytesLike | None = None,
        timestamp: int | None = None,
        include_timestamp: bool = False,
        batch_size: int = _BLOCK,
        scan_batching: int | None = None,
        limit: int | None = None,
        sorted_columns: bool = False,
        reverse: bool = False,
        *,
        time_range: TimeRange | None = None,
    ) -> Generator[tuple[bytes, Row], None, None]:
        """A generator over rows, as ``(key, dict)``. It sees the table as it is when the first row is asked for.

        `row_start`, `row_stop`: from the first, included, to the second, excluded; or `row_prefix`: all that begin so. `reverse`: downwards, so that
        `row_start` is the greater one. `limit`: at most so many results. `columns`, `filter`, `timestamp`, `time_range` and `include_timestamp` as for
        `row`. `batch_size`: rows brought in at once. `scan_batching`: at most so many cells in a result, so that wide rows come in pieces.
        `sorted_columns`: the dicts are `OrderedDict`s, in HBase's order of columns.

        Raises, when the first row is asked for, `TypeError` and `ValueError` for arguments that cannot be, `TableNotFound`, `TableDisabled`,
        `FamilyNotFound`.

        >>> import hjall
        >>> db = hjall.memory()
        >>> db.create_table("t", {"f": {}})
        >>> table = db.table("t")
        >>> for key in b"a1", b"a2", b"b1":
        ...     table.put(key, {b"f:x": key})
        >>> list(table.scan(row_prefix=b"a"))
        [(b'a1', {b'f:x': b'a1'}), (b'a2', {b'f:x': b'a2'})]
        >>> [key for key, _ in table.scan(reverse=True, limit=2)]
        [b'b1', b'a2']
        >>> [key for key, _ in table.scan(filter="ValueFilter(=, 'substring:2')")]
        [b'a2']
        """
        asked = wanted(row_start, row_stop, row_prefix, columns, filter, timestamp, time_range, batch_size, scan_batching, limit, reverse)
        scanner = self._scanner(asked)
        try:
            left = limit
            while left is None or left > 0:
                rows = scanner.rows(batch_size if left is None else min(batch_size, left), include_timestamp, sorted_columns)
                if not rows:
                    return
                if left is not None:
                    left -= len(rows)
                yield from rows
        finally:
            scanner.close()

    def row_cells(
        self,
        row: BytesLike,
        columns: list[BytesLike] | tuple[BytesLike, ...] | None = None,
        *,
        versions: int | None = 1,
        time_range: TimeRange | None = None,
        filter: Filter | BytesLike | None = None,
        limit: int | None = None,
        offset: int = 0,
        raw: bool = False,
    ) -> list[Cell]:
        """The cells of a row, in HBase's order, with their times.

        `versions`: so many of each column, newest first; `None`: all that the family keeps. `limit` cells of each family, after `offset` cells.
        `raw`: delete markers and hidden cells too. The other arguments and errors as for `row`.

        >>> import hjall
        >>> db = hjall.memory()
        >>> db.create_table("t", {"f": {"max_versions": 3}})
        >>> db.table("t").put(b"r", [(b"f:x", b"old", 1), (b"f:x", b"new", 2)])
        >>> db.table("t").row_cells(b"r", versions=None)
        [Cell(column=b'f:x', value=b'new', timestamp=2, kind='Put'), Cell(column=b'f:x', value=b'old', timestamp=1, kind='Put')]
        """
        return [Cell(*cell) for cell in self._read(row, columns, versions, time_range, filter, limit, offset, raw)]

    def scan_cells(
        self,
        row_start: BytesLike | None = None,
        row_stop: BytesLike | None = None,
        row_prefix: BytesLike | None = None,
        columns: list[BytesLike] | tuple[BytesLike, ...] | None = None,
        *,
        versions: int | None = 1,
        time_range: TimeRange | None = None,
        filter: Filter | BytesLike | None = None,
        batch_size: int = _BLOCK,
        scan_batching: int | None = None,
        limit: int | None = None,
        reverse: bool = False,
        raw: bool = False,
    ) -> Generator[RowCells, None, None]:
        """A generator over rows with all that their cells have: versions, times and, with `raw`, delete markers.

        `limit`: at most so many rows. The other arguments and errors as for `scan` and `row_cells`.

        >>> import hjall
        >>> db = hjall.memory()
        >>> db.create_table("t", {"f": {}})
        >>> db.table("t").put(b"r", {b"f:x": b"1"}, timestamp=5)
        >>> next(db.table("t").scan_cells())
        RowCells(row=b'r', cells=[Cell(column=b'f:x', value=b'1', timestamp=5, kind='Put')], partial=False)
        """
        asked = wanted_cells(row_start, row_stop, row_prefix, columns, versions, time_range, filter, batch_size, scan_batching, limit, reverse, raw)
        scanner = self._scanner(asked)
        try:
            while rows := scanner.cells(batch_size):
                for key, cells, partial in rows:
                    yield RowCells(key, [Cell(*cell) for cell in cells], partial)
        finally:
            scanner.close()


def wanted(
    row_start: Any,
    row_stop: Any,
    row_prefix: Any,
    columns: Any,
    filter: Any,
    timestamp: int | None,
    time_range: TimeRange | None,
    batch_size: int,
    scan_batching: int | None,
    limit: int | None,
    reverse: Any,
) -> dict[str, Any]:
    """What a scan of rows asks the native module for. Its limit counts results, so whoever fetches them keeps to it."""
    _check(row_start, row_stop, row_prefix, batch_size, scan_batching, limit)
    return {
        "start": row_start,
        "stop": row_stop,
        "prefix": row_prefix,
        "columns": columns,
        "filter": filter,
        "timestamp": timestamp,
        "time_range": time_range,
        "versions": 1,
        "batch": scan_batching or 0,
        "limit": -1,
        "caching": batch_size,
        "reverse": bool(reverse),
        "raw": False,
    }


def wanted_cells(
    row_start: Any,
    row_stop: Any,
    row_prefix: Any,
    columns: Any,
    versions: int | None,
    time_range: TimeRange | None,
    filter: Any,
    batch_size: int,
    scan_batching: int | None,
    limit: int | None,
    reverse: Any,
    raw: bool,
) -> dict[str, Any]:
    """What a scan of cells asks the native module for."""
    asked = wanted(row_start, row_stop, row_prefix, columns, filter, None, time_range, batch_size, scan_batching, limit, reverse)
    return {**asked, "versions": 2**31 - 1 if versions is None else versions, "limit": -1 if limit is None else limit, "raw": raw}


def _check(row_start: Any, row_stop: Any, row_prefix: Any, batch_size: int, scan_batching: int | None, limit: int | None) -> None:
    for name, number in (("batch_size", batch_size), ("limit", limit), ("scan_batching", scan_batching)):
        if (number is not None or name == "batch_size") and number < 1:  # type: ignore[operator]
            raise ValueError(f"{name} must be at least 1, not {number}")
    if row_prefix is not None and (row_start is not None or row_stop is not None):
        raise TypeError("row_prefix cannot be combined with row_start or row_stop")
