"""What tables can do with Arrow data: this part of `Table`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal

from hjall import _native
from hjall.arrow.names import Columns, Name, asked, column, decoder, target
from hjall.arrow.protocol import ArrowArray, ArrowStream
from hjall.arrow.scan import ArrowScan
from hjall.types import BytesLike, TimeRange

if TYPE_CHECKING:
    from hjall.filters import Filter


class ArrowMethods:
    """What tables can do with Arrow data."""

    def scan_arrow(
        self: Any,
        columns: Columns | None = None,
        *,
        row_start: BytesLike | None = None,
        row_stop: BytesLike | None = None,
        row_prefix: BytesLike | None = None,
        filter: Filter | BytesLike | None = None,
        limit: int | None = None,
        reverse: bool = False,
        timestamp: int | None = None,
        time_range: TimeRange | None = None,
        versions: int = 1,
        layout: Literal["rows", "cells"] = "rows",
        values: object = "binary",
        row: str | None = "row",
        row_type: object = "binary",
        include_timestamp: bool = False,
        errors: Literal["raise", "null"] = "raise",
        batch_rows: int = 65_536,
    ) -> ArrowScan:
        """Scans rows as Arrow data.

        With `layout="rows"` a row of the table is a row of the result, and a column of the table is a column of it, called
        `family:qualifier`; where a row has no such cell there is a null. With `layout="cells"` each cell is a row of the result: row key,
        column, timestamp, value.

        :param columns: the columns, or a mapping of columns to decoders. `b"f:q"` is a column, `b"f:"` all columns of a family;
            `None` all there are. Columns that are not named are found by a first pass over the rows; one that is written first
            after that is not in the result. Without a decoder, a column is decoded as `values` says.
        :param row_start: the first row, included.
        :param row_stop: the last row, excluded.
        :param row_prefix: rows that begin with this, instead of `row_start` and `row_stop`.
        :param filter: a filter, as for `scan`.
        :param limit: rows of the table in all.
        :param reverse: from the last row to the first; `row_start` is then the largest one.
        :param timestamp: only cells older than that, in milliseconds since 1970.
        :param time_range: only cells whose timestamps are in `[begin, end)`, in milliseconds since 1970.
        :param versions: with `layout="cells"`, the versions of a column, newest first, of those that the family keeps.
        :param layout: what a row of the result is.
        :param values: the decoder of columns for which none is given: `binary`; `utf8`; `int64` (also called `counter`), `int32`, `int16`,
            `int8`, the same with `u` in front, and `float64`, `float32`, all big endian as HBase's `Bytes.toBytes` writes them; `int` for
            integers of 1, 2, 4 or 8 bytes; `bool`; `timestamp` (8 bytes, milliseconds since 1970), `timestamp_s`, `timestamp_us`,
            `timestamp_ns`; `int_text` and `float_text` for numbers in decimal digits; `cell_timestamp`, which is not the value but the
            time of the cell. Types of Python, pyarrow and polars may be given instead of their names.
        :param row: what the column of row keys is called; `None` leaves it out.
        :param row_type: the decoder of row keys.
        :param include_timestamp: whether each column is followed by one with the timestamps of its cells.
        :param errors: what becomes of a value that its decoder cannot read: `"raise"`, or `"null"`.
        :param batch_rows: rows of one batch. A batch of more than 64 MiB ends earlier.
        :raises hjall.errors.DecodeError: when the result is used, if a value cannot be read by its decoder.
        :raises hjall.errors.TableNotFound: when the result is used, as are the other errors of a scan.

        >>> import hjall
        >>> with hjall.memory() as db:
        ...     table = db.create_table("t", {"f": {}}) or db.table("t")
        ...     table.put(b"r1", {b"f:name": b"one", b"f:n": (1).to_bytes(8, "big")})
        ...     table.scan_arrow({"f:name": "utf8", "f:n": "int64"}, row_type="utf8").to_polars().rows()
        [('r1', 'one', 1)]
        """
        if layout not in ("rows", "cells"):
            raise ValueError(f'layout is "rows" or "cells", not {layout!r}')
        if errors not in ("raise", "null"):
            raise ValueError(f'errors is "raise" or "null", not {errors!r}')
        if batch_rows < 1:
            raise ValueError(f"batch_rows is at least 1, not {batch_rows}")
        if limit is not None and limit < 1:
            raise ValueError(f"limit is at least 1, or None for all rows; not {limit}")
        if row_prefix is not None and (row_start is not None or row_stop is not None):
            raise TypeError("row_prefix cannot be combined with row_start or row_stop")
        if layout == "cells":
            if columns is not None:
                raise TypeError('columns= cannot be combined with layout="cells": every cell is a row there')
            if include_timestamp:
                raise TypeError('include_timestamp= goes with layout="rows": cells have their timestamps')
        elif versions != 1:
            raise TypeError('versions= goes with layout="cells": a row of the result has one value of a column')
        native = _native.scan_arrow(
            self,
            {
                "start": row_start,
                "stop": row_stop,
                "prefix": row_prefix,
                "columns": None,
                "filter": filter,
                "timestamp": timestamp,
                "time_range": time_range,
                "versions": versions,
                "batch": 0,
                "limit": -1 if limit is None else limit,
                "caching": 0,
                "reverse": reverse,
                "raw": False,
            },
            columns=None if layout == "cells" else asked(columns, decoder(values)),
            values=decoder(values),
            row=row,
            row_type=decoder(row_type),
            timestamps=include_timestamp,
            batch_rows=batch_rows,
            lenient=errors == "null",
        )
        return ArrowScan(native)

    def load_arrow(
        self: Any,
        data: ArrowStream | ArrowArray,
        row: str = "row",
        *,
        columns: Mapping[str, Any] | None = None,
        family: Name | None = None,
        timestamp: int | str | None = None,
        ttl_ms: int | None = None,
        durability: str | None = None,
        batch_rows: int = 1000,
    ) -> int:
        """Writes Arrow data: each row of it is put, each value that is not null is a cell.

        What was written stays if a later row cannot be: rows are independent of each other, as in a batch of puts.

        :param data: a table, frame, batch or stream of pyarrow, polars, pandas, DuckDB …: anything with `__arrow_c_stream__` or
            `__arrow_c_array__`. A stream is taken batch by batch.
        :param row: the column of the data that holds the row keys (bytes or text; integers become big endian bytes).
        :param columns: where columns go: `{"name in the data": "family:qualifier"}`, or with an encoder
            `{"name": ("family:qualifier", "int32")}`. `None`: all others than `row` (and `timestamp`), which have to be called
            `family:qualifier`, or go to `family`. Without an encoder values are written as their type is: text and bytes as they are,
            numbers big endian in as many bytes as their type has, booleans as one byte, times as 8 bytes, in milliseconds. Encoders have
            the names of the decoders of `scan_arrow`, which read what they write.
        :param family: the family for columns whose names are qualifiers.
        :param timestamp: of the cells: a number of milliseconds, or the column of the data that has it; `None`: when they are written.
        :param ttl_ms: how long the cells live, in milliseconds.
        :param durability: as for `put`: `USE_DEFAULT` (as the table says), `SKIP_WAL`, `ASYNC_WAL`, `SYNC_WAL` (also without it) or `FSYNC_WAL`.
        :param batch_rows: rows written in one step.
        :returns: how many rows were written; rows without any value are none.
        :raises ValueError: for data that does not fit: no such column, a null row key, a number too large for its encoder.
        :raises hjall.errors.Error: what `put` raises.

        >>> import hjall, polars
        >>> frame = polars.DataFrame({"id": ["a", "b"], "age": [41, None], "name": ["Ann", "Bob"]})
        >>> with hjall.memory() as db:
        ...     table = db.create_table("people", {"p": {}}) or db.table("people")
        ...     table.load_arrow(frame, row="id", family="p")
        ...     table.row(b"b"), table.counter_get(b"a", b"p:age")
        2
        ({b'p:name': b'Bob'}, 41)
        """
        if batch_rows < 1:
            raise ValueError(f"batch_rows is at least 1, not {batch_rows}")
        if columns is not None and family is not None:
            raise TypeError("family= cannot be combined with columns=, which says where each column goes")
        targets = None if columns is None else [target(name, where) for name, where in columns.items()]
        return _native.load_arrow(
            self,
            data,
            row=row,
            columns=targets,
            family=None if family is None else column(family)[0],
            timestamp=timestamp,
            ttl_ms=ttl_ms,
            durability=durability,
            batch_rows=batch_rows,
        )
