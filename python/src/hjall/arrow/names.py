"""Converts the columns, decoders and encoders in arguments to the form that the native module takes."""

from __future__ import annotations

import datetime
import re
from collections.abc import Iterator, Mapping, Sequence, Set
from typing import Any, Literal, NamedTuple, Protocol

from hjall.arguments import a_list, encoded, invalid
from hjall.types import Name

_Number = Literal[
    "int64", "counter", "int32", "int16", "int8", "uint64", "uint32", "uint16", "uint8", "float64", "float32", "bool"
]
_Time = Literal["timestamp", "timestamp_ms", "timestamp_s", "timestamp_us", "timestamp_ns", "date"]
_List = Literal[
    "list(int64)", "list(int32)", "list(int16)", "list(int8)", "list(uint64)", "list(uint32)", "list(uint16)",
    "list(uint8)", "list(float64)", "list(float32)", "list(bool)", "list(timestamp)", "list(timestamp_s)",
    "list(timestamp_us)", "list(timestamp_ns)", "list(date)",
]  # fmt: skip
_Other = Literal["binary", "utf8", "int", "int_text", "float_text", "cell_timestamp"]


class DecimalName(str):
    """The decoder of decimals that `decimal` returns: a `str` that type checkers tell from a misspelt name."""

    __slots__ = ()


def decimal(precision: int, scale: int = 0) -> DecimalName:
    """Returns the decoder of decimals with this precision and scale.

    >>> decimal(18, 2)
    'decimal(18, 2)'
    """
    return DecimalName(f"decimal({precision}, {scale})")


class _PolarsType(Protocol):
    """An instance of a type of polars."""

    @classmethod
    def base_type(cls) -> Any: ...


class _PyarrowType(Protocol):
    """A type of pyarrow."""

    def to_pandas_dtype(self) -> Any: ...


Decoder = _Number | _Time | _List | _Other | DecimalName | type | _PolarsType | _PyarrowType
"""A decoder or encoder: its name, or a type of Python, pyarrow or polars."""

# `Iterable` would include mappings to misspelt decoders.
ColumnNames = Sequence[Name] | Set[Name] | Iterator[Name] | Mapping[Any, Decoder]
"""Names of columns, `family:qualifier`, or a mapping from names to decoders. A `str` is encoded as UTF-8."""


class ColumnRequest(NamedTuple):
    """The columns to read: one column, all columns of a family, or all columns."""

    family: bytes | None
    """`None` for all families."""
    qualifier: bytes | None
    """`None` for all qualifiers."""
    decoder: str


class Target(NamedTuple):
    """A column of the data and the column of the table that it is written to."""

    name: str
    """The name in the data."""
    family: bytes
    qualifier: bytes
    encoder: str | None
    """`None` for the encoding of the column's type."""


def _encoded(name: Name) -> bytes:
    if isinstance(name, str):
        return encoded(name, "the name of a column or family")
    if isinstance(name, (bytes, bytearray, memoryview)):
        return bytes(name)
    raise TypeError(f"the name of a column or family must be str or bytes, not {type(name).__name__}")


def family_name(name: Name) -> bytes:
    """The name of a family, with or without a trailing colon. Raises `ValueError` if it is empty."""
    family = _encoded(name).partition(b":")[0]
    if not family:
        raise invalid(f"the name of a family must not be empty: {name!r}")
    return family


def _column_request(name: Name, given: object) -> ColumnRequest:
    family, _, qualifier = _encoded(name).partition(b":")
    if not family:
        raise invalid(f"a column must be named family:qualifier, or family: for a whole family, not {name!r}")
    return ColumnRequest(family, qualifier or None, decoder(given))


_EXPECTED = "columns must be a list of names, or a mapping from names to decoders"


def column_requests(columns: ColumnNames | None, default: str) -> list[ColumnRequest]:
    """The columns to read; `default` is the decoder of columns without one.

    Raises `TypeError` for a single name, `ValueError` for an empty list or an invalid name.
    """
    if columns is None:
        return [ColumnRequest(None, None, default)]
    if isinstance(columns, (str, bytes)):
        raise TypeError(f"columns must be a list of names, or a mapping from names to decoders: write [{columns!r}]")
    pairs = (
        columns.items() if isinstance(columns, Mapping) else ((name, default) for name in a_list(_EXPECTED, columns))
    )
    requests = [_column_request(name, given) for name, given in pairs]
    if not requests:
        raise invalid("columns must not be empty: name at least one column, or leave the argument out for all")
    return requests


def targets(columns: Mapping[str, Any]) -> list[Target]:
    """The columns to write, from a mapping to columns, or to pairs of a column and an encoder.

    Raises `TypeError` unless it is a mapping, `ValueError` for an invalid column.
    """
    if not isinstance(columns, Mapping):
        raise TypeError(
            'columns must be a mapping from names in the data to columns, such as {"age": "f:age"}, not '
            f"{type(columns).__name__}"
        )
    return [_target(name, where) for name, where in columns.items()]


def _target(name: str, where: Any) -> Target:
    given, encoder = where if isinstance(where, tuple) else (where, None)
    family, colon, qualifier = _encoded(given).partition(b":")
    if not family or not colon:
        raise invalid(f"columns[{name!r}] must be a column named family:qualifier, not {given!r}")
    return Target(name, family, qualifier, None if encoder is None else decoder(encoder))


_TYPES: dict[type, str] = {
    datetime.date: "date",
    datetime.datetime: "timestamp",
    bytes: "binary",
    str: "utf8",
    int: "int",
    float: "float64",
    bool: "bool",
}
_TIMESTAMP = re.compile(r"timestamp\[(\w+)(?:, tz=.*)?\]|datetime\(time_unit='(\w+)'.*\)", re.IGNORECASE)

# Names of types of pyarrow that a decoder has under another name. polars counts microseconds if no unit is given.
_OTHER_NAMES = {
    "date32[day]": "date",
    "date64[ms]": "date",
    "string_view": "utf8",
    "binary_view": "binary",
    "Datetime": "timestamp_us",
}

_LIST = re.compile(r"(?:large_|fixed_size_)?list<\w+: (.*?)(?: not null)?>(?:\[\d+\])?|list\((.*)\)", re.IGNORECASE)


def decoder(given: object) -> str:
    """The name of a decoder or encoder, which may be given as a type of Python, pyarrow or polars. Raises
    `InvalidArgument` for a decimal type without a precision."""
    name = _TYPES.get(given, given.__name__) if isinstance(given, type) else str(given)
    encoded(name, "a decoder")
    if found := _TIMESTAMP.fullmatch(name):
        return f"timestamp_{found[1] or found[2]}"
    if found := _LIST.fullmatch(name):
        return f"list({decoder(found[1] or found[2])})"
    if name == "Decimal":
        raise invalid(
            'a decimal needs a precision and a scale: write "decimal(18, 2)", pyarrow.decimal128(18, 2) or '
            "polars.Decimal(18, 2)"
        )
    return _OTHER_NAMES.get(name, name)
