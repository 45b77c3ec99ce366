"""A table: HappyBase's verbs, and under plain names what HappyBase cannot say."""

from __future__ import annotations

import struct
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from hjall import _native
from hjall.batch import Batch
from hjall.cell import Cell, RowCells
from hjall.mutations import Mutation, Put, listed
from hjall.types import BytesLike, Data, Row, TimeRange

if TYPE_CHECKING:
    from collections.abc import Generator

    from hjall.database import Database
    from hjall.filters import Filter

_COUNTER = struct.Struct(">q")
# Rows brought in at once where nothing says how many.
_BLOCK = 1000


class Table(_native.Table):
    """A table by name; `Database.table` makes one. Safe to use from many threads.

    Rows, columns and values are bytes-like; a `str` is refused unless the database was opened with an encoding.
    """

    connection: Database
    """The database."""

    def __new__(cls, name: str | bytes, connection: Database) -> Table:
        """A table of a database, by its whole name; use `Database.table`."""
        self = super().__new__(cls, connection._native, name)
        self.connection = connection
        return self

    def __repr__(self) -> str:
        return f"<{type(self).__module__}.{type(self).__name__} name={self.name!r}>"

    def families(self) -> dict[bytes, dict[str, Any]]:
        """The table's column families by name, each with HappyBase's options; `Database.describe_table` tells all attributes.

        Raises `TableNotFound`.

        >>> import hjall
        >>> db = hjall.memory()
        >>> db.create_table("t", {"f": {"max_versions": 7}})
        >>> db.table("t").families()[b"f"]["max_versions"]
        7
        """
        return self.connection._admin.families(self.name)

    def regions(self) -> list[dict[str, Any]]:
        """The table's regions in order, each with start_key, end_key, id, name, version, server_name and port; none if there is no such table.

        >>> import hjall
        >>> db = hjall.memory()
        >>> db.create_table("t", {"f": {}}, split_keys=[b"m"])
        >>> [(region["start_key"], region["end_key"]) for region in db.table("t").regions()]
        [(b'', b'm'), (b'm', b'')]
        """
        found = self.connection._admin.regions(self.name)
        names = ("start_key", "end_key", "id", "name", "version", "server_name", "port")
        # The last three are of servers, which there are none of.
        return [dict(zip(names, (*region, 1, b"localhost", 0))) for region in found]

    # -- reading ----------------------------------------------------------------------------------

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
        _check(row_start, row_stop, row_prefix, batch_size, scan_batching, limit)
        scanner = self._scanner(
            {
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
        )
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
        _check(row_start, row_stop, row_prefix, batch_size, scan_batching, limit)
        scanner = self._scanner(
            {
                "start": row_start,
                "stop": row_stop,
                "prefix": row_prefix,
                "columns": columns,
                "filter": filter,
                "timestamp": None,
                "time_range": time_range,
                "versions": 2**31 - 1 if versions is None else versions,
                "batch": scan_batching or 0,
                "limit": -1 if limit is None else limit,
                "caching": batch_size,
                "reverse": bool(reverse),
                "raw": raw,
            }
        )
        try:
            while rows := scanner.cells(batch_size):
                for key, cells, partial in rows:
                    yield RowCells(key, [Cell(*cell) for cell in cells], partial)
        finally:
            scanner.close()

    def __iter__(self) -> Iterator[tuple[bytes, Row]]:
        """All rows, as `scan` gives them."""
        return self.scan()

    # -- writing ----------------------------------------------------------------------------------

    def batch(
        self,
        timestamp: int | None = None,
        batch_size: int | None = None,
        transaction: bool = False,
        wal: bool | None = True,
        *,
        ttl_ms: int | None = None,
        durability: str | None = None,
    ) -> Batch:
        """Gathers puts and deletes of any rows, to be sent together: by `send`, at the end of a ``with`` block, or each time that `batch_size` of them have
        been gathered.

        `transaction`: nothing is sent if the ``with`` block fails; it cannot be combined with `batch_size`. Each row's mutations are applied
        all at once, rows by themselves. The other arguments as for `put`.

        >>> import hjall
        >>> db = hjall.memory()
        >>> db.create_table("t", {"f": {}})
        >>> table = db.table("t")
        >>> with table.batch(batch_size=1000) as batch:
        ...     for n in range(3):
        ...         batch.put(b"row-%d" % n, {b"f:n": b"%d" % n})
        ...     batch.delete(b"row-1")
        >>> [key for key, _ in table.scan()]
        [b'row-0', b'row-2']
        """
        return Batch(self, timestamp, batch_size, transaction, wal, ttl_ms=ttl_ms, durability=durability)

    def mutate_row(self, row: BytesLike, mutations: Iterable[Mutation]) -> None:
        """Puts and deletes of one row, all at once and at one time: a delete hides a put of the same call and time.

        `mutations`: `hjall.Put` and `hjall.Delete`. Raises what `put` raises.

        >>> import hjall
        >>> db = hjall.memory()
        >>> db.create_table("t", {"f": {}})
        >>> db.table("t").mutate_row(b"r", [hjall.Put({b"f:a": b"1"}), hjall.Delete([b"f:b"])])
        >>> db.table("t").row(b"r")
        {b'f:a': b'1'}
        """
        self._mutate(row, listed(mutations))

    def check_and_mutate(
        self, row: BytesLike, column: BytesLike, value: BytesLike | None, mutations: Iterable[Mutation], *, compare: str = "="
    ) -> bool:
        """Mutates a row if a column of it, its newest version, stands to `value` as asked. Returns whether it did.

        `compare`: ``=``, ``!=``, ``<``, ``<=``, ``>``, ``>=``, with the **given value on the left**, as in HBase: ``compare=">"`` holds if `value` is greater
        than what is stored. `value` `None` with ``=``: if there is no such cell, or an empty one; with ``!=``: if there is one.
        The other arguments and errors as for `mutate_row`.

        >>> import hjall
        >>> db = hjall.memory()
        >>> db.create_table("t", {"f": {}})
        >>> table = db.table("t")
        >>> table.check_and_mutate(b"r", b"f:state", None, [hjall.Put({b"f:state": b"new"})])
        True
        >>> table.check_and_mutate(b"r", b"f:state", b"old", [hjall.Delete()])
        False
        """
        return self._check(row, column, compare, value, listed(mutations))

    def check_and_put(
        self,
        row: BytesLike,
        column: BytesLike,
        value: BytesLike | None,
        data: Data,
        *,
        compare: str = "=",
        timestamp: int | None = None,
        ttl_ms: int | None = None,
        durability: str | None = None,
    ) -> bool:
        """Puts if a column stands to `value` as asked: `check_and_mutate` with one put.

        >>> import hjall
        >>> db = hjall.memory()
        >>> db.create_table("t", {"f": {}})
        >>> db.table("t").check_and_put(b"r", b"f:a", None, {b"f:a": b"first"})
        True
        """
        return self._check(row, column, compare, value, [Put(data, timestamp, ttl_ms, durability)])

    def append(
        self, row: BytesLike, data: Data, *, include_timestamp: bool = False, ttl_ms: int | None = None, durability: str | None = None
    ) -> Row:
        """Appends to values of one row, all at once; returns the new values by column.

        `data`: from column to what is appended; a column that is not there begins empty. The other arguments and errors as for `put`.

        >>> import hjall
        >>> db = hjall.memory()
        >>> db.create_table("t", {"f": {}})
        >>> table = db.table("t")
        >>> table.append(b"r", {b"f:log": b"one "}), table.append(b"r", {b"f:log": b"two "})
        ({b'f:log': b'one '}, {b'f:log': b'one two '})
        """
        cells = self._append(row, _pairs(data), ttl_ms, durability)
        return {name: (value, time) if include_timestamp else value for name, value, time, _ in cells}

    # -- counters ---------------------------------------------------------------------------------

    def increment(
        self,
        row: BytesLike,
        data: Mapping[Any, int] | Iterable[tuple[Any, int]],
        *,
        include_timestamp: bool = False,
        ttl_ms: int | None = None,
        durability: str | None = None,
    ) -> dict[bytes, Any]:
        """Adds to several counters of one row, all at once; returns the new counts by column.

        `data`: from column to the amount, which may be negative. Raises `NotACounter` for a value that is not 8 bytes long, and what `put` raises.

        >>> import hjall
        >>> db = hjall.memory()
        >>> db.create_table("t", {"f": {}})
        >>> db.table("t").increment(b"r", {b"f:up": 2, b"f:down": -1})
        {b'f:down': -1, b'f:up': 2}
        """
        cells = self._increment(row, _pairs(data), ttl_ms, durability)
        counts = ((name, _COUNTER.unpack(value)[0], time) for name, value, time, _ in cells)
        return {name: (count, time) if include_timestamp else count for name, count, time in counts}

    def counter_get(self, row: BytesLike, column: BytesLike) -> int:
        """The count of a counter; one that is not there is made and set to 0, as in HappyBase.

        >>> import hjall
        >>> db = hjall.memory()
        >>> db.create_table("t", {"f": {}})
        >>> db.table("t").counter_get(b"r", b"f:visits")
        0
        """
        return self.counter_inc(row, column, 0)

    def counter_set(self, row: BytesLike, column: BytesLike, value: int = 0) -> None:
        """Sets a counter: a signed number of 64 bits.

        >>> import hjall
        >>> db = hjall.memory()
        >>> db.create_table("t", {"f": {}})
        >>> db.table("t").counter_set(b"r", b"f:visits", 7)
        >>> db.table("t").counter_inc(b"r", b"f:visits")
        8
        """
        self.put(row, [(column, _COUNTER.pack(value))])

    def counter_dec(self, row: BytesLike, column: BytesLike, value: int = 1) -> int:
        """Subtracts from a counter and returns its new value, at once; see `counter_inc`.

        >>> import hjall
        >>> db = hjall.memory()
        >>> db.create_table("t", {"f": {}})
        >>> db.table("t").counter_dec(b"r", b"f:stock", 3)
        -3
        """
        return self.counter_inc(row, column, -value)


def _pairs(data: Any) -> list[tuple[Any, Any]]:
    return list(data.items() if hasattr(data, "items") else data)


def _check(row_start: Any, row_stop: Any, row_prefix: Any, batch_size: int, scan_batching: int | None, limit: int | None) -> None:
    for name, number in (("batch_size", batch_size), ("limit", limit), ("scan_batching", scan_batching)):
        if (number is not None or name == "batch_size") and number < 1:  # type: ignore[operator]
            raise ValueError(f"{name} must be at least 1, not {number}")
    if row_prefix is not None and (row_start is not None or row_stop is not None):
        raise TypeError("row_prefix cannot be combined with row_start or row_stop")
