"""Writes as values, for what applies several to one row at once: `Table.mutate_row`, `Table.check_and_mutate`."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

from hjall.types import BytesLike, Data


class Marker(NamedTuple):
    """What a delete hides, where it is not simply a column or a family up to a time.

    >>> Marker("version", b"f:a", 5)
    Marker(kind='version', column=b'f:a', timestamp=5)
    """

    kind: str
    """``version``: one version of a column, the one of `timestamp` or the newest. ``column``: all versions up to `timestamp`. ``family``: all
    cells of a family up to `timestamp`. ``family-version``: all cells of a family with exactly `timestamp`."""
    column: BytesLike
    """The column, or for the last two kinds the family."""
    timestamp: int | None = None
    """Milliseconds since 1970; `None`: the delete's."""


@dataclass(frozen=True)
class Put:
    """Writes columns; the arguments are those of `Table.put`. `durability`: `None` is the table's own."""

    data: Data
    timestamp: int | None = None
    ttl_ms: int | None = None
    durability: str | None = None

    _put: ClassVar[bool] = True

    @property
    def _what(self) -> Any:
        return self.data


@dataclass(frozen=True)
class Delete:
    """Hides a row, or some of its columns and families; the arguments are those of `Table.delete`. `durability`: `None` is the table's own."""

    columns: Iterable[BytesLike | Marker] | None = None
    timestamp: int | None = None
    ttl_ms: int | None = None
    durability: str | None = None

    _put: ClassVar[bool] = False

    @property
    def _what(self) -> Any:
        return None if self.columns is None else list(self.columns)


Mutation = Put | Delete


def listed(mutations: Iterable[Mutation]) -> list[Mutation]:
    """Mutations as a list, each of them one.

    Raises `TypeError` for anything else.
    """
    found = list(mutations)
    for mutation in found:
        if not isinstance(mutation, (Put, Delete)):
            raise TypeError(f"a mutation is hjall.Put or hjall.Delete, not {type(mutation).__name__}")
    return found
