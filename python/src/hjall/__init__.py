"""HBase in your own process: HappyBase's verbs over an embedded engine."""

import os as _os

from hjall import _native
from hjall.database import Database
from hjall.errors import Error
from hjall.table import Table

__all__ = ["Database", "Error", "Table", "memory", "open"]


def open(path: str | _os.PathLike[str]) -> Database:
    """Opens the database in a folder, making it if need be."""
    return Database(path)


def memory() -> Database:
    """Opens a database without a disk; it ends with `close`."""
    return Database(None)


if hasattr(_os, "register_at_fork"):
    _os.register_at_fork(after_in_child=_native.forked)
