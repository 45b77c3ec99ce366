"""HBase in your own process: HappyBase's verbs over an embedded engine, without a server.

>>> import hjall
>>> db = hjall.memory()
>>> db.create_table("users", {"info": {"max_versions": 3}})
>>> users = db.table("users")
>>> users.put(b"ann", {b"info:name": b"Ann", b"info:city": b"Oslo"})
>>> users.row(b"ann")
{b'info:city': b'Oslo', b'info:name': b'Ann'}
>>> for key, data in users.scan(row_prefix=b"a"):
...     print(key, data[b"info:city"])
b'ann' b'Oslo'
>>> db.close()
"""

from __future__ import annotations

import os as _os
from typing import Any as _Any

from hjall import _native
from hjall._native import ManualClock
from hjall.batch import Batch
from hjall.cell import Cell, RowCells
from hjall.database import Database
from hjall.descriptors import Family, TableDescriptor
from hjall.errors import (
    Busy,
    Cancelled,
    Closed,
    Corrupt,
    DecodeError,
    DiskFull,
    Error,
    FamilyError,
    FamilyNotFound,
    ForkError,
    InvalidArgument,
    InvalidDescriptor,
    Locked,
    NamespaceExists,
    NamespaceNotFound,
    NewerFormat,
    NoConnectionsAvailable,
    NotACounter,
    ReadOnly,
    Refused,
    Stale,
    StorageError,
    TableDisabled,
    TableExists,
    TableNotDisabled,
    TableNotFound,
    TooLarge,
)
from hjall.mutations import Delete, Marker, Put
from hjall.pool import ConnectionPool
from hjall.server import Server
from hjall.table import Table
from hjall.types import Path as _Path

__version__ = _native.__version__

__all__ = [
    "Batch",
    "Busy",
    "Cancelled",
    "Cell",
    "Closed",
    "ConnectionPool",
    "Corrupt",
    "Database",
    "DecodeError",
    "Delete",
    "DiskFull",
    "Error",
    "Family",
    "FamilyError",
    "FamilyNotFound",
    "ForkError",
    "InvalidArgument",
    "InvalidDescriptor",
    "Locked",
    "ManualClock",
    "Marker",
    "NamespaceExists",
    "NamespaceNotFound",
    "NewerFormat",
    "NoConnectionsAvailable",
    "NotACounter",
    "Put",
    "ReadOnly",
    "Refused",
    "RowCells",
    "Server",
    "Stale",
    "StorageError",
    "Table",
    "TableDescriptor",
    "TableDisabled",
    "TableExists",
    "TableNotDisabled",
    "TableNotFound",
    "TooLarge",
    "memory",
    "open",
]


def open(path: _Path, **options: _Any) -> Database:
    """Opens the database in a folder, which is made if need be. One that this process has open already is shared; another process's is not.

    The options are keywords. `table_prefix`, `table_prefix_separator` (``b"_"``) and `autoconnect` are HappyBase's. `encoding`: what a `str` in the
    place of bytes is encoded with; without it a `str` is refused. What is read stays bytes. `clock`: a `ManualClock`, for tests. `cache_bytes`: memory for cached
    blocks; by default a share of the machine's. `write_buffer_bytes`: memory for what is not yet in files; 128 MiB by default. `cell_bytes_max`: the largest cell; 10 MiB
    by default, 0 is without limit. HappyBase's `host`, `port`, `timeout`, `compat`, `transport` and `protocol` are taken, checked as there, and mean nothing, since
    there is no connection.

    Raises `Locked` if another process has the folder open, `NewerFormat`, `StorageError`.

    >>> import hjall, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with hjall.open(folder) as db:
    ...         db.create_table("t", {"f": {}})
    ...     with hjall.open(folder) as db:
    ...         db.tables()
    [b't']
    """
    return Database(_os.fspath(path), **options)


def memory(**options: _Any) -> Database:
    """Opens a new database without a disk, which ends with `close`; the options are those of `open`.

    >>> import hjall
    >>> with hjall.memory() as db:
    ...     db.tables()
    []
    """
    return Database(None, **options)


# Not everywhere are there forks.
if hasattr(_os, "register_at_fork"):
    _os.register_at_fork(after_in_child=_native.forked)
