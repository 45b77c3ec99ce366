"""Tables: HappyBase's methods, and methods for operations that HappyBase does not have."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable
from typing import TYPE_CHECKING, Any, Literal, overload

from hjall import counters
from hjall.arguments import a_function, a_list, invalid
from hjall.arrow.transfers import ArrowTransfers
from hjall.batch import Batch
from hjall.cell import Cell, RowCells
from hjall.errors import Error
from hjall.filters import Filter, FirstKeyOnlyFilter, KeyOnlyFilter
from hjall.mutations import Mutation, Put, column_pairs, mutation_list
from hjall.scan import BATCH_SIZE, PREVIEW_ROWS, Scan, ScanArguments, cells_of, description, rows_html, rows_of
from hjall.types import Amounts, Columns, Data, Durability, Row, Suffixes, Text, TimeRange

if TYPE_CHECKING:
    from typing_extensions import Self

    from hjall.database import Database


# Reads one cell of each row, without its value.
_NAMES_ONLY = FirstKeyOnlyFilter() & KeyOnlyFilter()

# The rows that `count` and `delete_rows` read at once.
_COUNTED_AT_ONCE = 10_000


class Table(ArrowTransfers):
    """A table. `Database.table` creates tables. A table may be used from any number of threads.

    Row keys, columns and values are bytes-like. A `str` is rejected unless the database was opened with an encoding.
    """

    connection: Database
    """The database."""

    def __new__(cls, name: str | bytes, connection: Database) -> Self:
        """Makes a table by its full name, without looking it up. Use `Database.table` instead."""
        self = super().__new__(cls, connection._native, name)
        self.connection = connection
        return self

    def __repr__(self) -> str:
        return f"<{type(self).__module__}.{type(self).__name__} name={self.name!r}>"

    def families(self) -> dict[bytes, dict[str, Any]]:
        """Returns the column families by name, each with HappyBase's options. `Database.describe_table` returns all of
        HBase's attributes.

        Raises `TableNotFound`.

        >>> import hjall
        >>> db = hjall.memory()
        >>> db.create_table("t", {"f": {"max_versions": 7}})
        >>> db.table("t").families()[b"f"]["max_versions"]
        7
        """
        return self.connection._admin.families(self.name)

    def regions(self) -> list[dict[str, Any]]:
        """Returns the regions in order, as dicts with the keys start_key, end_key, id, name, version, server_name and
        port. The list is empty if the table does not exist.

        There are no region servers, so the last three values are constant.

        >>> import hjall
        >>> db = hjall.memory()
        >>> db.create_table("t", {"f": {}}, split_keys=[b"m"])
        >>> [(region["start_key"], region["end_key"]) for region in db.table("t").regions()]
        [(b'', b'm'), (b'm', b'')]
        """
        return self.connection._admin.regions(self.name)

    # -- reading ----------------------------------------------------------------------------------

    @overload
    def scan(
        self,
        row_start: Text | None = None,
        row_stop: Text | None = None,
        row_prefix: Text | None = None,
        columns: Columns = None,
        filter: Filter | Text | None = None,
        timestamp: int | None = None,
        include_timestamp: Literal[False] = False,
        batch_size: int = BATCH_SIZE,
        scan_batching: int | None = None,
        limit: int | None = None,
        sorted_columns: bool = False,
        reverse: bool = False,
        *,
        time_range: TimeRange | None = None,
    ) -> Scan[tuple[bytes, dict[bytes, bytes]]]: ...
    @overload
    def scan(
        self,
        row_start: Text | None = None,
        row_stop: Text | None = None,
        row_prefix: Text | None = None,
        columns: Columns = None,
        filter: Filter | Text | None = None,
        timestamp: int | None = None,
        *,
        include_timestamp: Literal[True],
        batch_size: int = BATCH_SIZE,
        scan_batching: int | None = None,
        limit: int | None = None,
        sorted_columns: bool = False,
        reverse: bool = False,
        time_range: TimeRange | None = None,
    ) -> Scan[tuple[bytes, dict[bytes, tuple[bytes, int]]]]: ...
    @overload
    def scan(
        self,
        row_start: Text | None = None,
        row_stop: Text | None = None,
        row_prefix: Text | None = None,
        columns: Columns = None,
        filter: Filter | Text | None = None,
        timestamp: int | None = None,
        include_timestamp: bool = False,
        batch_size: int = BATCH_SIZE,
        scan_batching: int | None = None,
        limit: int | None = None,
        sorted_columns: bool = False,
        reverse: bool = False,
        *,
        time_range: TimeRange | None = None,
    ) -> Scan[tuple[bytes, Row]]: ...
    def scan(
        self,
        row_start: Text | None = None,
        row_stop: Text | None = None,
        row_prefix: Text | None = None,
        columns: Columns = None,
        filter: Filter | Text | None = None,
        timestamp: int | None = None,
        include_timestamp: bool = False,
        batch_size: int = BATCH_SIZE,
        scan_batching: int | None = None,
        limit: int | None = None,
        sorted_columns: bool = False,
        reverse: bool = False,
        *,
        time_range: TimeRange | None = None,
    ) -> Scan[tuple[bytes, Row]]:
        """Returns a generator over rows, as ``(key, dict)``. The generator reads a snapshot of the table that it takes
        when the first row is requested. As any generator, it returns each row once, and nothing after the last one:
        call `scan` again to read the rows again.

        `row_start`, `row_stop`: the first row, inclusive, and the last row, exclusive; or `row_prefix`: only rows whose
        keys start with it. `reverse`: scan in descending order; `row_start` is then the largest row key. `limit`: the
        most results. `columns`, `filter`, `timestamp`, `time_range` and `include_timestamp` are as for `row`.
        `batch_size`: how many rows are fetched at once. `scan_batching`: the most cells in a result; wider rows are
        split into several results. `sorted_columns`: return each row as an `OrderedDict` in HBase's order of columns.

        When the first row is requested, raises `TypeError` and `ValueError` for invalid arguments, `TableNotFound`,
        `TableDisabled`, `FamilyNotFound`.

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
        given = ScanArguments.unchecked(
            row_start=row_start,
            row_stop=row_stop,
            row_prefix=row_prefix,
            columns=columns,
            filter=filter,
            timestamp=timestamp,
            time_range=time_range,
            batch_size=batch_size,
            scan_batching=scan_batching,
            limit=limit,
            reverse=reverse,
        )

        def rows(arguments: ScanArguments) -> Generator[tuple[bytes, Row], None, None]:
            return rows_of(self, arguments, include_timestamp, sorted_columns)

        return Scan(
            rows(given),
            lambda: description(self.name, given.described()),
            lambda: rows(given.first_rows()),
        )

    def count(
        self,
        row_start: Text | None = None,
        row_stop: Text | None = None,
        row_prefix: Text | None = None,
        columns: Columns = None,
        filter: Filter | Text | None = None,
        *,
        time_range: TimeRange | None = None,
        progress: Callable[[int], object] | None = None,
    ) -> int:
        """Counts rows. The arguments and the errors are those of `scan`.

        `progress`: called with the number of rows counted so far, after every 10,000 rows and at the end; an exception
        from it ends the count.

        >>> import hjall
        >>> db = hjall.memory()
        >>> db.create_table("t", {"f": {}})
        >>> for key in b"a1", b"a2", b"b1":
        ...     db.table("t").put(key, {b"f:x": b"1"})
        >>> db.table("t").count(), db.table("t").count(row_prefix=b"a")
        (3, 2)
        """
        a_function("progress", progress)
        arguments = ScanArguments.checked(
            "count",
            self.name,
            row_start=row_start,
            row_stop=row_stop,
            row_prefix=row_prefix,
            columns=columns,
            # A filter of the program may have to see all cells and values of a row.
            filter=_NAMES_ONLY if filter is None else filter,
            time_range=time_range,
            batch_size=_COUNTED_AT_ONCE,
        )
        scanner = self._scanner(arguments, "count")
        counted = 0
        try:
            while rows := scanner.skip(_COUNTED_AT_ONCE - counted % _COUNTED_AT_ONCE):
                counted += rows
                if progress is not None and counted % _COUNTED_AT_ONCE == 0:
                    progress(counted)
            if progress is not None and counted % _COUNTED_AT_ONCE:
                progress(counted)
        finally:
            scanner.close()
        return counted

    def delete_rows(
        self,
        *,
        row_start: Text | None = None,
        row_stop: Text | None = None,
        row_prefix: Text | None = None,
        filter: Filter | Text | None = None,
        durability: Durability | None = None,
        progress: Callable[[int], object] | None = None,
    ) -> int:
        """Deletes the rows of a range: those whose keys start with `row_prefix`, or from `row_start` to before
        `row_stop`; with a `filter`, only those that it selects. Returns their number.

        Each row is deleted atomically, but not the range: a row that another thread writes meanwhile may remain.
        `progress`: called with the number of rows deleted so far, after every 10,000 rows; an exception from it ends
        the call. The other arguments are those of `scan` and `put`. `Database.truncate_table` deletes all rows.

        Raises `TypeError` without a range, `InvalidArgument` for an empty one, which would be the whole table, and the
        errors of `scan` and `delete`. The attribute `failures` of the latter has the rows that were not deleted, of
        those that were tried, with their exceptions.

        >>> import hjall
        >>> db = hjall.memory()
        >>> db.create_table("t", {"f": {}})
        >>> for key in b"a1", b"a2", b"b1":
        ...     db.table("t").put(key, {b"f:x": b"1"})
        >>> db.table("t").delete_rows(row_prefix=b"a")
        2
        """
        given = [bound for bound in (row_start, row_stop, row_prefix) if bound is not None]
        if not given:
            raise TypeError(
                "delete_rows needs row_prefix, row_start or row_stop: without them it would delete all rows, which "
                "Database.truncate_table does"
            )
        if all(hasattr(bound, "__len__") and len(bound) == 0 for bound in given):
            raise invalid(
                "delete_rows needs a row_prefix, row_start or row_stop that is not empty: it would delete all rows, "
                "which Database.truncate_table does"
            )
        a_function("progress", progress)
        arguments = ScanArguments.checked(
            "delete_rows",
            self.name,
            row_start=row_start,
            row_stop=row_stop,
            row_prefix=row_prefix,
            filter=_NAMES_ONLY if filter is None else filter,
            batch_size=_COUNTED_AT_ONCE,
        )
        scanner = self._scanner(arguments, "delete_rows")
        deleted = 0
        try:
            while keys := scanner.keys(_COUNTED_AT_ONCE):
                self._delete_rows(keys, durability)
                deleted += len(keys)
                if progress is not None:
                    progress(deleted)
        finally:
            scanner.close()
        return deleted

    def _repr_html_(self) -> str:
        """The first rows, as notebooks show them."""
        return rows_html(repr(self), lambda: self.scan(limit=PREVIEW_ROWS))

    def row_cells(
        self,
        row: Text,
        columns: Columns = None,
        *,
        versions: int | None = 1,
        time_range: TimeRange | None = None,
        filter: Filter | Text | None = None,
        limit: int | None = None,
        offset: int = 0,
        raw: bool = False,
    ) -> list[Cell]:
        """Returns the cells of a row as `Cell`s, in HBase's order.

        `versions`: the most versions of each column, newest first; `None` returns all that the family keeps. `limit`:
        the most cells of each family, after the first `offset` cells. `raw`: include delete markers and deleted cells.
        The other arguments and the errors are those of `row`.

        >>> import hjall
        >>> db = hjall.memory()
        >>> db.create_table("t", {"f": {"max_versions": 3}})
        >>> db.table("t").put(b"r", [(b"f:x", b"old", 1), (b"f:x", b"new", 2)])
        >>> for cell in db.table("t").row_cells(b"r", versions=None):
        ...     print(cell)
        Cell(column=b'f:x', value=b'new', timestamp=2, kind='Put')
        Cell(column=b'f:x', value=b'old', timestamp=1, kind='Put')
        """
        cells = self._row_cells(row, columns, versions, time_range, filter, limit, offset, raw)
        return [Cell(*cell) for cell in cells]

    def scan_cells(
        self,
        row_start: Text | None = None,
        row_stop: Text | None = None,
        row_prefix: Text | None = None,
        columns: Columns = None,
        *,
        versions: int | None = 1,
        time_range: TimeRange | None = None,
        filter: Filter | Text | None = None,
        batch_size: int = BATCH_SIZE,
        scan_batching: int | None = None,
        limit: int | None = None,
        reverse: bool = False,
        raw: bool = False,
    ) -> Scan[RowCells]:
        """Returns a generator over rows as `RowCells`, with versions, timestamps and, with `raw`, delete markers.

        `limit`: the most rows. The other arguments and the errors are those of `scan` and `row_cells`.

        >>> import hjall
        >>> db = hjall.memory()
        >>> db.create_table("t", {"f": {}})
        >>> db.table("t").put(b"r", {b"f:x": b"1"}, timestamp=5)
        >>> next(db.table("t").scan_cells())
        RowCells(row=b'r', cells=[Cell(column=b'f:x', value=b'1', timestamp=5, kind='Put')], partial=False)
        """
        arguments = ScanArguments.unchecked(
            row_start=row_start,
            row_stop=row_stop,
            row_prefix=row_prefix,
            columns=columns,
            filter=filter,
            time_range=time_range,
            versions=versions,
            batch_size=batch_size,
            scan_batching=scan_batching,
            limit=limit,
            reverse=reverse,
            raw=raw,
        )
        return Scan(
            cells_of(self, arguments),
            lambda: description(self.name, arguments.described()),
            lambda: ((row.row, row.newest()) for row in cells_of(self, arguments.first_rows())),
        )

    # -- writing ----------------------------------------------------------------------------------

    def batch(
        self,
        timestamp: int | None = None,
        batch_size: int | None = None,
        transaction: bool = False,
        wal: bool | None = True,
        *,
        ttl_ms: int | None = None,
        durability: Durability | None = None,
    ) -> Batch:
        """Returns a `Batch`, which collects puts and deletes of any number of rows and sends them together: when
        `send` is called, at the end of a ``with`` block, or as soon as it holds `batch_size` mutations.

        `batch_size`: the number of columns put or deleted after which the batch is sent. `transaction`: send nothing if
        the ``with`` block raises an exception; it cannot be combined with `batch_size`. All puts are sent before all
        deletes, as in HappyBase, so that a delete hides a put that was added after it. The puts of a row are applied
        atomically, and so are its deletes; a batch as a whole is not atomic. The other arguments are those of `put`.

        A batch raises the exception of the first row that fails, with those of all rows in its attribute `failures`.

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
        given = {
            "timestamp": timestamp,
            "batch_size": batch_size,
            "transaction": transaction or None,
            # The default, with or without a batch-wide setting.
            "wal": None if wal is True else wal,
            "ttl_ms": ttl_ms,
            "durability": durability,
        }
        return Batch(self, **{name: value for name, value in given.items() if value is not None})

    def put_many(
        self,
        rows: Iterable[tuple[Text, Data]],
        timestamp: int | None = None,
        *,
        ttl_ms: int | None = None,
        durability: Durability | None = None,
    ) -> list[Error | None]:
        """Puts several rows independently. Returns a list with one item per row: `None`, or the exception that `put`
        would have raised.

        `rows`: an iterable of ``(row, data)``. The other arguments are those of `put`. Raises an exception only for
        arguments of a wrong type and if the database is not open.

        >>> import hjall
        >>> db = hjall.memory()
        >>> db.create_table("t", {"f": {}})
        >>> db.table("t").put_many([(b"a", {b"f:x": b"1"}), (b"b", {b"g:x": b"2"})])
        [None, FamilyNotFound(...)]
        """
        expected = (
            f"put_many: table {self.name.decode(errors='replace')}: rows must be an iterable of (row, data) tuples"
        )
        if hasattr(rows, "items"):
            raise TypeError(f"{expected}, not {type(rows).__name__}: write rows.items()")
        return self._put_many(a_list(expected, rows), timestamp, ttl_ms, durability)

    def mutate_row(self, row: Text, mutations: Iterable[Mutation]) -> None:
        """Applies puts and deletes of one row atomically, with one timestamp. A delete hides a put with the same
        timestamp in the same call.

        `mutations`: an iterable of `hjall.Put` and `hjall.Delete`. Raises the errors of `put`.

        >>> import hjall
        >>> db = hjall.memory()
        >>> db.create_table("t", {"f": {}})
        >>> db.table("t").mutate_row(b"r", [hjall.Put({b"f:a": b"1"}), hjall.Delete([b"f:b"])])
        >>> db.table("t").row(b"r")
        {b'f:a': b'1'}
        """
        self._mutate_row(row, mutation_list(mutations))

    def check_and_mutate(
        self,
        row: Text,
        column: Text,
        value: Text | None,
        mutations: Iterable[Mutation],
        *,
        compare: str = "=",
    ) -> bool:
        """Compares `value` with the newest version of a column and applies mutations to the row if the comparison
        holds, atomically. Returns whether the mutations were applied.

        `compare`: ``=``, ``!=``, ``<``, ``<=``, ``>`` or ``>=``, with `value` on the **left**, as in HBase:
        ``compare=">"`` holds if `value` is greater than the stored value. If `value` is `None`, ``=`` holds if the cell
        does not exist or is empty, and ``!=`` holds otherwise. The other arguments and the errors are those of
        `mutate_row`.

        >>> import hjall
        >>> db = hjall.memory()
        >>> db.create_table("t", {"f": {}})
        >>> table = db.table("t")
        >>> table.check_and_mutate(b"r", b"f:state", None, [hjall.Put({b"f:state": b"new"})])
        True
        >>> table.check_and_mutate(b"r", b"f:state", b"old", [hjall.Delete()])
        False
        """
        return self._check_and_mutate(row, column, compare, value, mutation_list(mutations), "check_and_mutate")

    def check_and_put(
        self,
        row: Text,
        column: Text,
        value: Text | None,
        data: Data,
        *,
        compare: str = "=",
        timestamp: int | None = None,
        ttl_ms: int | None = None,
        durability: Durability | None = None,
    ) -> bool:
        """Puts `data` if the comparison of `value` with a column holds, as `check_and_mutate` with one put. Returns
        whether the data was written.

        The arguments and the errors are those of `check_and_mutate` and `put`.

        >>> import hjall
        >>> db = hjall.memory()
        >>> db.create_table("t", {"f": {}})
        >>> db.table("t").check_and_put(b"r", b"f:a", None, {b"f:a": b"first"})
        True
        """
        put = Put(data, timestamp, ttl_ms, durability)
        return self._check_and_mutate(row, column, compare, value, [put], "check_and_put")

    def append(
        self,
        row: Text,
        data: Suffixes,
        *,
        include_timestamp: bool = False,
        ttl_ms: int | None = None,
        durability: Durability | None = None,
    ) -> Row:
        """Appends bytes to values of one row atomically. Returns a dict from column to the new value, or to
        ``(value, timestamp)`` with `include_timestamp`.

        `data`: a dict from column to the bytes to append, or an iterable of such pairs. A missing value counts as
        empty. The other arguments and the errors are those of `put`.

        >>> import hjall
        >>> db = hjall.memory()
        >>> db.create_table("t", {"f": {}})
        >>> table = db.table("t")
        >>> table.append(b"r", {b"f:log": b"one "}), table.append(b"r", {b"f:log": b"two "})
        ({b'f:log': b'one '}, {b'f:log': b'one two '})
        """
        cells = self._append(row, column_pairs("append", data, "bytes"), ttl_ms, durability)
        return {name: (value, timestamp) if include_timestamp else value for name, value, timestamp, _ in cells}

    # -- counters ---------------------------------------------------------------------------------

    def increment(
        self,
        row: Text,
        data: Amounts,
        *,
        include_timestamp: bool = False,
        ttl_ms: int | None = None,
        durability: Durability | None = None,
    ) -> dict[bytes, Any]:
        """Adds to several counters of one row atomically. Returns a dict from column to the new count, or to
        ``(count, timestamp)`` with `include_timestamp`.

        `data`: a dict from column to the amount to add, or an iterable of such pairs; an amount may be negative. The
        other arguments are those of `put`. Raises `NotACounter` if a stored value is not 8 bytes long, and the errors
        of `put`.

        >>> import hjall
        >>> db = hjall.memory()
        >>> db.create_table("t", {"f": {}})
        >>> db.table("t").increment(b"r", {b"f:up": 2, b"f:down": -1})
        {b'f:down': -1, b'f:up': 2}
        """
        cells = self._increment(row, column_pairs("increment", data, "amounts"), ttl_ms, durability)
        counts = ((name, counters.decoded(value), timestamp) for name, value, timestamp, _ in cells)
        return {name: (count, timestamp) if include_timestamp else count for name, count, timestamp in counts}

    def counter_get(self, row: Text, column: Text) -> int:
        """Returns the count of a counter. A missing counter is created and set to 0, as in HappyBase.

        Raises the errors of `counter_inc`.

        >>> import hjall
        >>> db = hjall.memory()
        >>> db.create_table("t", {"f": {}})
        >>> db.table("t").counter_get(b"r", b"f:visits")
        0
        """
        return self._count(row, column, 0, "counter_get")

    def counter_set(self, row: Text, column: Text, value: int = 0) -> None:
        """Sets a counter to `value`, a signed 64-bit integer.

        Raises `struct.error` if `value` does not fit into 64 bits, and the errors of `put`.

        >>> import hjall
        >>> db = hjall.memory()
        >>> db.create_table("t", {"f": {}})
        >>> db.table("t").counter_set(b"r", b"f:visits", 7)
        >>> db.table("t").counter_inc(b"r", b"f:visits")
        8
        """
        self._counter_set(row, column, counters.encoded(value))

    def counter_dec(self, row: Text, column: Text, value: int = 1) -> int:
        """Subtracts `value` from a counter atomically and returns the new count; see `counter_inc`.

        >>> import hjall
        >>> db = hjall.memory()
        >>> db.create_table("t", {"f": {}})
        >>> db.table("t").counter_dec(b"r", b"f:stock", 3)
        -3
        """
        return self._count(row, column, counters.negated(value), "counter_dec")
