"""The arguments of scans, which `hjall.Table` and `hjall.aio.Table` share."""

from __future__ import annotations

from collections.abc import Callable, Container, Generator, Iterable
from dataclasses import dataclass, fields, replace
from html import escape
from types import TracebackType
from typing import Any, TypeVar, cast

from hjall import _native
from hjall.arguments import a_flag, an_integer, at_least_one
from hjall.cell import Cell, RowCells
from hjall.errors import Error
from hjall.filters import Filter
from hjall.types import Columns, Row, Text, TimeRange

Item_co = TypeVar("Item_co", covariant=True)

BATCH_SIZE = 1000
"""The default of `batch_size`: how many rows a scan fetches at once."""


@dataclass(kw_only=True)
class ScanArguments:
    """The arguments of a scan. `check` checks them."""

    row_start: Text | None = None
    row_stop: Text | None = None
    row_prefix: Text | None = None
    columns: Columns = None
    filter: Filter | Text | None = None
    timestamp: int | None = None
    time_range: TimeRange | None = None
    versions: int | None = 1
    """The most versions of a column; `None` for all that the family keeps."""
    batch_size: int = BATCH_SIZE
    """How many rows are fetched at once; 0 leaves it to the engine."""
    scan_batching: int | None = None
    limit: int | None = None
    """The most rows of the table."""
    reverse: bool = False
    raw: bool = False

    @classmethod
    def checked(cls, method: str, table: bytes, **arguments: Any) -> ScanArguments:
        """Makes arguments and checks them; see `check`."""
        self = cls.unchecked(**arguments)
        self.check(method, table)
        return self

    @classmethod
    def unchecked(cls, **arguments: Any) -> ScanArguments:
        """Makes arguments that `check` will check later, because a generator reports errors at its first step."""
        self = cls.__new__(cls)
        self.__dict__.update(_DEFAULTS)
        self.__dict__.update(arguments)
        return self

    def unlimited(self) -> ScanArguments:
        """The arguments without the limit."""
        return self if self.limit is None else replace(self, limit=None)

    def check(self, method: str, table: bytes, *, least_batch: int = 1) -> None:
        """Checks the arguments of a method of a table, which messages name. `least_batch`: 0 if `batch_size` may be 0.

        Raises `InvalidArgument` for a number that is too small, `TypeError` if `row_prefix` is combined with another
        bound, and the errors of `an_integer`.
        """
        try:
            self._check(least_batch)
        except (TypeError, ValueError, OverflowError) as error:
            raise type(error)(f"{method}: table {table.decode(errors='replace')}: {error}") from None

    def _check(self, least_batch: int) -> None:
        self.reverse = bool(self.reverse)
        a_flag("raw", self.raw)
        for name, number in (("limit", self.limit), ("scan_batching", self.scan_batching)):
            at_least_one(name, number, bits=31)
        if self.versions is not None:
            an_integer("versions", self.versions, bits=31)
        if least_batch:
            an_integer("batch_size", self.batch_size, bits=31)
            at_least_one("batch_size", self.batch_size)
        if self.row_prefix is not None and (self.row_start is not None or self.row_stop is not None):
            raise TypeError("row_prefix cannot be combined with row_start or row_stop")

    def described(self, but: Container[str] = ()) -> list[str]:
        """The arguments that are not the defaults, as a program would write them; `but` are left out."""
        given = [(field.name, getattr(self, field.name), field.default) for field in fields(self)]
        return [f"{name}={value!r}" for name, value, default in given if value != default and name not in but]

    def first_rows(self) -> ScanArguments:
        """The arguments for the first rows, which notebooks show."""
        few = PREVIEW_ROWS if self.limit is None else min(PREVIEW_ROWS, self.limit)
        return replace(self, limit=few, batch_size=few if self.batch_size else 0)


_DEFAULTS: dict[str, Any] = {field.name: field.default for field in fields(ScanArguments)}


def rows_of(
    table: _native.Table, arguments: ScanArguments, include_timestamp: bool, sorted_columns: bool
) -> Generator[tuple[bytes, Row], None, None]:
    """Scans rows. Checks the arguments at the first step."""
    left, batch_size = arguments.limit, arguments.batch_size
    arguments.check("scan", table.name)
    # The limit counts results, of which a row can have several, so the engine does not get it.
    scanner = table._scanner(arguments.unlimited(), "scan", left)
    try:
        while left is None or left > 0:
            count = batch_size if left is None else min(batch_size, left)
            rows = scanner.rows(count, include_timestamp, sorted_columns)
            if not rows:
                return
            if left is not None:
                left -= len(rows)
            yield from rows
    finally:
        scanner.close()


def cells_of(table: _native.Table, arguments: ScanArguments) -> Generator[RowCells, None, None]:
    """Scans cells. Checks the arguments at the first step."""
    arguments.check("scan_cells", table.name)
    scanner = table._scanner(arguments, "scan_cells", arguments.limit)
    try:
        while rows := scanner.cells(arguments.batch_size):
            for key, cells, partial in rows:
                yield RowCells(key, [Cell(*cell) for cell in cells], partial)
    finally:
        scanner.close()


def description(table: bytes, arguments: Iterable[str]) -> str:
    """The table and the arguments of a scan, for its representation."""
    given = ", ".join(arguments)
    return f"scan of {table!r}: {given}" if given else f"scan of {table!r}"


class Scan(Generator[Item_co, None, None]):
    """A generator over the results of a scan, which begins when the first one is requested. `close` ends it.

    Like all generators, and like that of `happybase.Table.scan`, it has no results for a second loop and raises nothing
    then. Programs may rely on that, for example when a loop goes on where another one has stopped.
    """

    def __init__(self, rows: Generator[Item_co, None, None], description: Callable[[], str], preview: Preview) -> None:
        self._rows, self._description, self._preview = rows, description, preview

    def __iter__(self) -> Generator[Item_co, None, None]:
        # A loop over the inner generator is faster than one over this object.
        return self._rows

    def __next__(self) -> Item_co:
        return next(self._rows)

    def send(self, value: None) -> Item_co:
        """Continues the generator, as `next` does."""
        return self._rows.send(value)

    def throw(
        self,
        kind: type[BaseException] | BaseException,
        value: object = None,
        trace: TracebackType | None = None,
    ) -> Item_co:
        """Raises an exception in the generator, which ends the scan."""
        return self._rows.throw(cast(BaseException, kind) if value is None and trace is None else cast(Any, value))

    def close(self) -> None:
        """Ends the scan and releases its snapshot."""
        self._rows.close()

    def __repr__(self) -> str:
        return f"<{self._description()}>"

    def _repr_html_(self) -> str:
        """The first rows, as notebooks show them. They are read by another scan."""
        return rows_html(repr(self), self._preview)


Preview = Callable[[], Iterable[tuple[bytes, Any]]]
"""Reads the first rows of a table or scan."""

PREVIEW_ROWS = 10
"""How many rows notebooks show."""

_SHOWN_MAX = 60


NOT_SHOWN = (Error, TypeError, ValueError, OverflowError)
"""The exceptions of a preview, which notebooks show in place of the rows."""


def error_html(title: str, error: BaseException) -> str:
    """The error of a preview as HTML."""
    return f"<p>{escape(title)}</p><p>{escape(str(error))}</p>"


def rows_html(title: str, preview: Preview) -> str:
    """Rows as an HTML table, with a column for each column that occurs in them; or the error of reading them."""
    try:
        shown = list(preview())
    except NOT_SHOWN as error:
        return error_html(title, error)
    columns = sorted({column for _, data in shown for column in data})
    head = "".join(f"<th>{_text(column)}</th>" for column in (b"row", *columns))
    body = "".join(
        f"<tr><th>{_text(key)}</th>{''.join(f'<td>{_text(data.get(column))}</td>' for column in columns)}</tr>"
        for key, data in shown
    )
    return f"<p>{escape(title)}</p><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _text(value: Any) -> str:
    """A name or value, shortened: as text if it is printable, otherwise as Python writes it."""
    if value is None:
        return ""
    if isinstance(value, tuple):
        return f"{_text(value[0])} <small>@{value[1]}</small>"
    text: str
    try:
        text = value[: _SHOWN_MAX * 4].decode()
    except UnicodeDecodeError:
        text = repr(value[:_SHOWN_MAX])
    if not text.isprintable():
        text = repr(value[:_SHOWN_MAX])
    return escape(text if len(text) <= _SHOWN_MAX else text[: _SHOWN_MAX - 1] + "…")
