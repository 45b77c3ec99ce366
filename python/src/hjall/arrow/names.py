"""Columns and decoders, as arguments name them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

Name = str | bytes
"""A column by its name, `family:qualifier`; `str` means UTF-8."""

Columns = Iterable[Name] | Mapping[Any, Any]
"""Columns by name, or with a decoder each."""


def encoded(name: Name) -> bytes:
    """A name as bytes."""
    return name.encode() if isinstance(name, str) else bytes(name)


def column(name: Name) -> tuple[bytes, bytes | None]:
    """Family and qualifier; all of a family has no qualifier."""
    family, colon, qualifier = encoded(name).partition(b":")
    if not family:
        raise ValueError(f"a column is called family:qualifier, or family: for all of a family; not {name!r}")
    return family, qualifier if colon and qualifier else None


def asked(columns: Columns | None, default: str) -> list[tuple[bytes | None, bytes | None, str]]:
    """Family, qualifier and decoder of each column that is wanted; a family without qualifier is all of it, none is all."""
    if columns is None:
        return [(None, None, default)]
    if isinstance(columns, (str, bytes)):
        raise TypeError(f"columns is a list of names, or a mapping of names to decoders: write [{columns!r}]")
    pairs = columns.items() if isinstance(columns, Mapping) else ((name, default) for name in columns)
    every: list[tuple[bytes | None, bytes | None, str]] = [(*column(name), decoder(given)) for name, given in pairs]
    if not every:
        raise ValueError("columns is empty: name at least one, or leave it out for all")
    return every


def target(name: str, where: Any) -> tuple[str, bytes, bytes, str | None]:
    """Name in the data, family, qualifier and encoder, of a column or a column and its encoder."""
    given, encoder = where if isinstance(where, tuple) else (where, None)
    family, colon, qualifier = encoded(given).partition(b":")
    if not family or not colon:
        raise ValueError(f"columns[{name!r}] is a column called family:qualifier, not {given!r}")
    return name, family, qualifier, None if encoder is None else decoder(encoder)


_TYPES = {bytes: "binary", str: "utf8", int: "int", float: "float64", bool: "bool"}
_TIMESTAMP = re.compile(r"timestamp\[(\w+)(?:, tz=.*)?\]|datetime\(time_unit='(\w+)'.*\)", re.IGNORECASE)


def decoder(given: object) -> str:
    """The name of a decoder, which may be given as a type of Python, pyarrow or polars."""
    if isinstance(given, type):
        return _TYPES.get(given, given.__name__)
    if found := _TIMESTAMP.fullmatch(str(given)):
        return f"timestamp_{found[1] or found[2]}"
    return str(given)
