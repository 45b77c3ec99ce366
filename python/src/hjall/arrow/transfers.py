"""Tables as Arrow data: scans that return it, and loads of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Literal

from hjall import _native
from hjall.arguments import a_flag, a_function, a_text, an_integer, at_least_one, invalid
from hjall.arrow.names import ColumnNames, Decoder, column_requests, decoder, family_name, targets
from hjall.arrow.protocol import ArrowArray, ArrowStream
from hjall.arrow.scan import ArrowScan
from hjall.bulk_load import BulkLoads
from hjall.filters import Filter
from hjall.scan import ScanArguments, description
from hjall.types import Durability, Name, Text, TimeRange


class ArrowTransfers(BulkLoads):
    """The part of `hjall.Table` that reads and writes Arrow data."""

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
