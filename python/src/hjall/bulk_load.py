"""Bulk loads: sorted rows that are written to files directly."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from hjall import _native
from hjall.arguments import a_function
from hjall.types import Data, Text


class BulkLoads(_native.Table):
    """The part of `hjall.Table` that loads rows."""

    def bulk_load(
        self,
        rows: Iterable[tuple[Text, Data]],
        timestamp: int | None = None,
        *,
        ttl_ms: int | None = None,
        progress: Callable[[int], object] | None = None,
    ) -> int:
        """Loads rows that are sorted by their keys, and returns their number. They are written to files directly,
        without the write-ahead log, which is several times faster than puts.

        All rows become visible at once and are durable when the method returns. If it raises an exception, nothing is
        stored, and its files are removed. Memory does not grow with the number of rows.

        `rows`: an iterable of ``(row, data)``, with ``data`` as in `put`. The rows must be in ascending order of their
        bytes; the columns of a row may be in any order. Consecutive items with the same row belong together. Of several
        cells with the same row, column and timestamp, the last one is stored. `timestamp`: the timestamp of cells
        without one, in milliseconds since 1970; `None` stands for the time at which the load begins, so that a write
        made during the load is newer. `ttl_ms` is as in `put`. `progress`: called with the number of rows read so far,
        about every thousand rows; an exception from it ends the load.

        Raises `ValueError` if the rows are not in order, `Busy` if the table is truncated or altered meanwhile, and the
        errors of `put`.

        >>> import hjall
        >>> db = hjall.memory()
        >>> db.create_table("t", {"f": {}})
        >>> db.table("t").bulk_load((b"%03d" % n, {b"f:n": b"%d" % n}) for n in range(500))
        500
        >>> db.table("t").row(b"499")
        {b'f:n': b'499'}
        """
        a_function("progress", progress)
        return self._bulk_load(rows, timestamp, ttl_ms, progress)
