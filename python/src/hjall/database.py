"""A database: what stands in the place of `happybase.Connection`."""

from __future__ import annotations

import os
from types import TracebackType
from typing import Any

from hjall import _native
from hjall.table import Table


def _name(name: str | bytes) -> bytes:
    return name.encode() if isinstance(name, str) else name


class Database:
    """A database; `hjall.open` and `hjall.memory` make one."""

    def __init__(self, path: str | os.PathLike[str] | None) -> None:
        self._native = _native.Database(path)

    def table(self, name: str | bytes) -> Table:
        """A table by its name; whether it exists shows when it is used."""
        return Table(self._native, _name(name))

    def create_table(self, name: str | bytes, families: dict[str, dict[str, Any] | None]) -> None:
        """Makes a table."""
        self._native.create_table(_name(name), [_name(family) for family in families])

    def close(self) -> None:
        """Writes everything to disk and lets go of the folder."""
        self._native.close()

    def __enter__(self) -> Database:
        return self

    def __exit__(self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None) -> None:
        self.close()
