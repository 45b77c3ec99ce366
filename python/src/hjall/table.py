"""Tables: HappyBase's methods, and methods for operations that HappyBase does not have."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Mapping
from typing import TYPE_CHECKING, Any, Literal, overload

from hjall import _native, counters
from hjall.arguments import a_flag, a_function, a_list, a_text, an_integer, at_least_one, invalid
from hjall.arrow.names import ColumnNames, Decoder, column_requests, decoder, family_name, targets
from hjall.arrow.protocol import ArrowArray, ArrowStream
from hjall.arrow.scan import ArrowScan
from hjall.batch import Batch
from hjall.bulk_load import BulkLoads
from hjall.cell import Cell, RowCells
from hjall.errors import Error
from hjall.filters import Filter, FirstKeyOnlyFilter, KeyOnlyFilter
from hjall.mutations import Mutation, Put, column_pairs, mutation_list
from hjall.scan import BATCH_SIZE, PREVIEW_ROWS, Scan, ScanArguments, cells_of, description, rows_html, rows_of
from hjall.types import Amounts, Columns, Data, Durability, Name, Row, Suffixes, Text, TimeRange

if TYPE_CHECKING:
    from typing_extensions import Self

    from hjall.database import Database


# Reads one cell of each row, without its value.
_NAMES_ONLY = FirstKeyOnlyFilter() & KeyOnlyFilter()

# The rows that `count` and `delete_rows` read at once.
_COUNTED_AT_ONCE = 10_000


class Table(BulkLoads):
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
        when the first row is requested.

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
        row_start: Text | None = None,
        row_stop: Text | None = None,
        row_prefix: Text | None = None,
        filter: Filter | Text | None = None,
        *,
        durability: Durability | None = None,
        progress: Callable[[int], object] | None = None,
    ) -> int:
        """Deletes the rows of a range: those whose keys start with `row_prefix`, or from `row_start` to before
        `row_stop`; with a `filter`, only those that it selects. Returns their number.

        Each row is deleted atomically, but not the range: a row that another thread writes meanwhile may remain.
        `progress`: called with the number of rows deleted so far, after every 10,000 rows; an exception from it ends
        the call. The other arguments are those of `scan` and `put`. `Database.truncate_table` deletes all rows.

        Raises `TypeError` without a range, and the errors of `scan` and `delete`.

        >>> import hjall
        >>> db = hjall.memory()
        >>> db.create_table("t", {"f": {}})
        >>> for key in b"a1", b"a2", b"b1":
        ...     db.table("t").put(key, {b"f:x": b"1"})
        >>> db.table("t").delete_rows(row_prefix=b"a")
        2
        """
        if row_start is None and row_stop is None and row_prefix is None:
            raise TypeError(
                "delete_rows needs row_prefix, row_start or row_stop: without them it would delete all rows, which "
                "Database.truncate_table does"
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

    # -- Arrow data -------------------------------------------------------------------------------

    def scan_arrow(
        self,
        columns: ColumnNames | None = None,
        *,
        row_start: Text | None = None,
        row_stop: Text | None = None,
        row_prefix: Text | None = None,
        filter: Filter | Text | None = None,
        limit: int | None = None,
        reverse: bool = False,
        timestamp: int | None = None,
        time_range: TimeRange | None = None,
        versions: int = 1,
        layout: Literal["rows", "cells"] = "rows",
        values: Decoder = "binary",
        row: str | None = "row",
        row_type: Decoder = "binary",
        include_timestamp: bool = False,
        errors: Literal["raise", "null"] = "raise",
        batch_rows: int = 65_536,
    ) -> ArrowScan:
        """Scans rows as Arrow data.

        With `layout="rows"`, each row of the table is a row of the result. The columns of the result are named
        `family:qualifier`, where bytes that are not UTF-8 and control characters are written as `\\xNN`, and a missing
        cell is a null. With `layout="cells"`, each cell is a row of the result, with the columns row key, column,
        timestamp and value.

        :param columns: the columns, or a mapping from columns to decoders. `b"f:q"` is a column, `b"f:"` all columns
            of a family; `None` selects all columns. Columns that are not named are discovered while the rows are read.
            A stream, and an iteration over batches, must know them before the first batch: if the result takes more
            than 128 MiB, the rows are read twice, and the result lacks a column that is first written in between.
            `values` is the decoder of columns without one.
        :param row_start: the first row, inclusive.
        :param row_stop: the last row, exclusive.
        :param row_prefix: only rows whose keys start with this, instead of `row_start` and `row_stop`.
        :param filter: a filter, as for `scan`.
        :param limit: the most rows of the table.
        :param reverse: scan in descending order; `row_start` is then the largest row key.
        :param timestamp: only cells older than this, in milliseconds since 1970.
        :param time_range: only cells with `min <= timestamp < max`, as `(min, max)` in milliseconds since 1970.
        :param versions: with `layout="cells"`, the most versions of a column, newest first.
        :param layout: whether a row of the result is a row of the table or a cell.
        :param values: the decoder of columns for which none is given. Numbers are big-endian, as HBase's
            `Bytes.toBytes` writes them. The decoders are `binary`; `utf8`; `int64` (or `counter`), `int32`, `int16`,
            `int8`; `uint64`, `uint32`, `uint16`, `uint8`; `int` for integers of 1, 2, 4 or 8 bytes; `float64`,
            `float32`; `bool` (1 byte); `timestamp` (8 bytes, milliseconds since 1970), `timestamp_s`, `timestamp_us`,
            `timestamp_ns`; `date` (as `timestamp`); `decimal(precision, scale)` (Java's `BigDecimal`); `list(int64)`
            and lists of other types of one width; `int_text` and `float_text` for decimal text; and `cell_timestamp`
            for the timestamp of the cell instead of its value. Types of Python, pyarrow and polars are accepted in
            place of names.
        :param row: the name of the column of row keys; `None` leaves it out.
        :param row_type: the decoder of row keys.
        :param include_timestamp: with `layout="rows"`, whether each column is followed by a column
            `family:qualifier.timestamp`.
        :param errors: what happens if a decoder cannot read a value: `"raise"` raises `DecodeError`, `"null"` returns a
            null.
        :param batch_rows: the most rows of a batch. A batch ends earlier if it exceeds 64 MiB, and may be smaller if
            several threads read the scan.
        :returns: a description of the scan, which runs when it is used.
        :raises hjall.errors.DecodeError: when the result is used, if a decoder cannot read a value.
        :raises hjall.errors.TableNotFound: when the result is used, as are the other errors of a scan.

        >>> import hjall
        >>> with hjall.memory() as db:
        ...     db.create_table("t", {"f": {}})
        ...     table = db.table("t")
        ...     table.put(b"r1", {b"f:name": b"one", b"f:n": (1).to_bytes(8, "big")})
        ...     table.scan_arrow({"f:name": "utf8", "f:n": "int64"}, row_type="utf8").to_polars().rows()
        [('r1', 'one', 1)]
        """
        if layout not in ("rows", "cells"):
            raise invalid(f'layout must be "rows" or "cells", not {layout!r}')
        if errors not in ("raise", "null"):
            raise invalid(f'errors must be "raise" or "null", not {errors!r}')
        an_integer("batch_rows", batch_rows)
        at_least_one("batch_rows", batch_rows)
        a_flag("include_timestamp", include_timestamp)
        if row is not None:
            a_text("row", row)
        if layout == "cells":
            if columns is not None:
                raise TypeError('columns cannot be combined with layout="cells", which returns every cell as a row')
            if include_timestamp:
                raise TypeError('include_timestamp requires layout="rows"; cells always have their timestamps')
        elif versions != 1:
            raise TypeError('versions requires layout="cells"; a row of the result has one value per column')
        arguments = ScanArguments.unchecked(
            row_start=row_start,
            row_stop=row_stop,
            row_prefix=row_prefix,
            filter=filter,
            timestamp=timestamp,
            time_range=time_range,
            versions=versions,
            batch_size=0,
            limit=limit,
            reverse=reverse,
        )
        arguments.check("scan_arrow", self.name, least_batch=0)
        requests = None if layout == "cells" else column_requests(columns, decoder(values))

        def native(arguments: ScanArguments) -> _native.ArrowScan:
            return _native.scan_arrow(
                self,
                arguments,
                columns=requests,
                values=decoder(values),
                row=row,
                row_type=decoder(row_type),
                timestamps=include_timestamp,
                batch_rows=batch_rows,
                null_on_error=errors == "null",
            )

        given = [f"columns={columns!r}"] if columns is not None else ['layout="cells"'] if layout == "cells" else []
        return ArrowScan(
            native(arguments),
            description(self.name, [*given, *arguments.described(but={"batch_size"})]),
            lambda: native(arguments.first_rows()).collect(),
        )

    def load_arrow(
        self,
        data: ArrowStream | ArrowArray,
        row: str = "row",
        *,
        columns: Mapping[str, Name | tuple[Name, Decoder | None]] | None = None,
        family: Name | None = None,
        timestamp: int | str | None = None,
        ttl_ms: int | None = None,
        durability: Durability | None = None,
        batch_rows: int = 1000,
        progress: Callable[[int], object] | None = None,
        bulk: bool = False,
    ) -> int:
        """Writes Arrow data: each row of the data becomes a put, and each value that is not null a cell.

        Rows are written independently: if a row cannot be written, the rows before it remain.

        :param data: a table, frame, batch or stream from pyarrow, polars, pandas, DuckDB or any object with
            `__arrow_c_stream__` or `__arrow_c_array__`. A stream is read batch by batch.
        :param row: the column of the data with the row keys: bytes or text; integers are encoded big-endian.
        :param columns: where columns are written: `{"name in the data": "family:qualifier"}`, or with an encoder
            `{"name in the data": ("family:qualifier", "int32")}`. `None` writes all columns other than `row` (and the
            column of timestamps), which must be named `family:qualifier` unless `family` is given. Without an
            encoder, the type determines the encoding: text and bytes unchanged, numbers big-endian in the width of
            their type, booleans as one byte, times as 8 bytes in milliseconds since 1970; times with microseconds
            need the encoder `timestamp_us`. The encoders have the names of the decoders of `scan_arrow`, which read
            what they write.
        :param family: the family to write all columns to, with their names as qualifiers.
        :param timestamp: the timestamp of the cells: a number of milliseconds since 1970, or the name of a column of
            the data; `None` stands for the time of the write.
        :param ttl_ms: how long the cells live, in milliseconds; at least 1.
        :param durability: as for `put`: `USE_DEFAULT` (the table's), `SKIP_WAL`, `ASYNC_WAL`, `SYNC_WAL` (the
            default) or `FSYNC_WAL`.
        :param batch_rows: how many rows are written at once.
        :param progress: called with the number of rows so far, after every `batch_rows`; its exception ends the call.
        :param bulk: whether all rows are one `bulk_load`, which is durable: `durability` must not be given then.
        :returns: the number of rows written. Rows without any value are skipped.
        :raises ValueError: for data that cannot be written: a missing column, a null row or row key, a number out of
            the range of its encoder.
        :raises hjall.errors.Error: as `put` does.

        >>> import hjall, polars
        >>> frame = polars.DataFrame({"id": ["a", "b"], "age": [41, None], "name": ["Ann", "Bob"]})
        >>> with hjall.memory() as db:
        ...     db.create_table("people", {"p": {}})
        ...     table = db.table("people")
        ...     table.load_arrow(frame, row="id", family="p")
        ...     table.row(b"b"), table.counter_get(b"a", b"p:age")
        2
        ({b'p:name': b'Bob'}, 41)
        """
        an_integer("batch_rows", batch_rows)
        at_least_one("batch_rows", batch_rows)
        a_text("row", row)
        if durability is not None:
            a_text("durability", durability)
        a_flag("bulk", bulk)
        a_function("progress", progress)
        if columns is not None and family is not None:
            raise TypeError("family cannot be combined with columns, which names the family of each column")
        return _native.load_arrow(
            self,
            data,
            row=row,
            columns=None if columns is None else targets(columns),
            family=None if family is None else family_name(family),
            timestamp=timestamp,
            ttl_ms=ttl_ms,
            durability=durability,
            batch_rows=batch_rows,
            progress=progress,
            bulk=bulk,
        )
