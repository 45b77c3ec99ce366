"""Puts and deletes as values, for `Table.mutate_row` and `Table.check_and_mutate`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, NamedTuple

from hjall.arguments import a_list
from hjall.types import Data, Durability, Text


class Marker(NamedTuple):
    """A delete marker of a chosen kind, for deletes of single versions and for markers with their own timestamps. A
    plain tuple of the same items is accepted in its place.

    >>> Marker("version", b"f:a", 5)
    Marker(kind='version', column=b'f:a', timestamp=5)
    """

    kind: Literal["version", "column", "family", "family-version"]
    """``version``: the version of a column with exactly `timestamp`, or the newest one. ``column``: all versions of a
    column up to and including `timestamp`. ``family``: all cells of a family up to and including `timestamp`.
    ``family-version``: all cells of a family with exactly `timestamp`."""
    column: Text
    """The column; for the kinds ``family`` and ``family-version``, the family."""
    timestamp: int | None = None
    """In milliseconds since 1970; `None` stands for the timestamp of the delete."""


@dataclass(frozen=True)
class Put:
    """A put. The fields are the arguments of `Table.put`, except that a `durability` of `None` stands for the
    table's."""

    data: Data
    timestamp: int | None = None
    ttl_ms: int | None = None
    durability: Durability | None = None

    _is_put: ClassVar[bool] = True

    def __post_init__(self) -> None:
        if isinstance(self.data, Iterator):
            # Its items are needed whenever the put is used.
            object.__setattr__(self, "data", tuple(self.data))

    @property
    def _columns(self) -> Any:
        return self.data


@dataclass(frozen=True)
class Delete:
    """A delete of a row, or of some of its columns and families. The fields are the arguments of `Table.delete`, except
    that a `durability` of `None` stands for the table's. Without an item in `columns`, nothing is deleted; `None`
    deletes the whole row.

    >>> Delete([b"f:a"]).columns
    (b'f:a',)
    """

    columns: Iterable[Text | Marker] | None = None
    timestamp: int | None = None
    ttl_ms: int | None = None
    durability: Durability | None = None

    _is_put: ClassVar[bool] = False

    def __post_init__(self) -> None:
        if self.columns is not None:
            # The items of an iterator are needed whenever the delete is used.
            object.__setattr__(self, "columns", tuple(_column_list(self.columns)))

    @property
    def _columns(self) -> Any:
        return self.columns


Mutation = Put | Delete


def _column_list(columns: Iterable[Text | Marker]) -> list[Text | Marker]:
    """Collects the columns of a delete in a list. Raises `TypeError` for anything that is no iterable of columns."""
    if isinstance(columns, (str, bytes)):
        raise TypeError(f"columns must be an iterable of columns: write [{columns!r}]")
    return a_list("columns must be an iterable of columns, families and hjall.Marker", columns)


def mutation_list(mutations: Iterable[Mutation]) -> list[Mutation]:
    """Collects mutations in a list, except deletes of no columns. Raises `TypeError` for an item that is neither a
    `Put` nor a `Delete`."""
    if isinstance(mutations, (Put, Delete)):
        raise TypeError(f"mutations must be an iterable of hjall.Put and hjall.Delete: write [{mutations!r}]")
    checked = a_list("mutations must be an iterable of hjall.Put and hjall.Delete", mutations)
    for mutation in checked:
        if not isinstance(mutation, (Put, Delete)):
            raise TypeError(f"a mutation must be hjall.Put or hjall.Delete, not {type(mutation).__name__}")
    return [mutation for mutation in checked if isinstance(mutation, Put) or mutation.columns != ()]


def column_pairs(method: str, data: Any, what: str) -> list[tuple[Any, Any]]:
    """The pairs of a mapping from columns, or of an iterable of pairs. `what`: the other items of the pairs, for
    messages. Raises `TypeError` for other data."""
    expected = f"{method}: data must be a dict from columns to {what}, or an iterable of pairs of them"
    pairs: list[tuple[Any, Any]] = list(data.items()) if hasattr(data, "items") else a_list(expected, data)
    for pair in pairs:
        if not isinstance(pair, tuple) or len(pair) != 2:
            raise TypeError(f"{expected}, without {pair!r}")
    return pairs
