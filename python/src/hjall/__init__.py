"""An embedded HBase: HappyBase's API over a database in the same process, without a server.

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

Guides to the data model, row keys and tests: https://github.com/hjall/hjall/tree/main/docs
"""

from __future__ import annotations

import importlib as _importlib
import os as _os
import sys as _sys
from typing import TYPE_CHECKING as _TYPE_CHECKING

from hjall import _native
from hjall._native import ManualClock
from hjall.arguments import a_function as _a_function
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
from hjall.options import Options as _Options
from hjall.options import check_folder as _check_folder
from hjall.options import copy_folder as _copy_folder
from hjall.options import takes_folder as _takes_folder
from hjall.pool import ConnectionPool
from hjall.server import Server
from hjall.table import Table
from hjall.types import CopyProgress as _CopyProgress
from hjall.types import Path as _Path

if _TYPE_CHECKING:
    from typing_extensions import Unpack as _Unpack

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
    "restore",
]


if not _TYPE_CHECKING:

    def __getattr__(name: str) -> object:
        """Imports the modules that most programs do not need when they are used, as in ``hjall.aio.open``."""
        if name in ("aio", "happybase"):
            return _importlib.import_module(f"hjall.{name}")
        message = f"module 'hjall' has no attribute {name!r}"
        if name in ("Connection", "connect"):
            raise AttributeError(
                f"{message}: open a database with hjall.open(folder) or hjall.memory(), or use hjall.happybase for "
                "HappyBase's names; for a server, use happybase.Connection"
            )
        # With the module, Python suggests a similar name.
        raise AttributeError(message, name=name, obj=_sys.modules[__name__])


def __dir__() -> list[str]:
    """What programs use: the names above and the public modules, but not the internal ones."""
    special = [name for name in globals() if name.startswith("__")]
    return sorted([*__all__, *special, "aio", "arrow", "filters", "happybase"])


@_takes_folder("hjall.open")
def open(path: _Path, **options: _Unpack[_Options]) -> Database:
    """Opens the database in a folder, which is created if it does not exist. A process can open a folder several
    times and shares one database then. Two processes cannot have the same folder open, except with `read_only`.

    The options are keyword arguments; an unknown one raises `TypeError`:

    - `table_prefix`, `table_prefix_separator` (``b"_"``) and `autoconnect` are HappyBase's.
    - `encoding`: the encoding of `str` arguments in place of bytes. By default a `str` is rejected. Results are bytes.
    - `clock`: a `ManualClock`, for tests.
    - `cache_bytes`: the memory for cached blocks, in bytes. The default is a share of the machine's memory.
    - `row_cache_bytes`: the memory for the row cache, which keeps rows that are read often, in bytes; 0 switches it
      off. The default is an eighth of `cache_bytes`, and at least 96 MiB if that is not given.
    - `write_buffer_bytes`: the memory for data that is not yet in files, in bytes; 128 MiB by default.
    - `catalog_bytes`: the memory for the descriptors of tables and namespaces, in bytes. Beyond it, none can be added
      or extended, but all that exist can be used and deleted. There is no limit by default.
    - `durability`: what `SYNC_WAL` means, which is the default of tables and of calls. With ``"SYNC_WAL"``, a write
      returns when the operating system has it, and a power failure can lose the writes of the last `sync_interval`.
      With ``"FSYNC_WAL"``, it returns when it is on disk.
    - `sync_interval`: the longest time in seconds for which a write that does not wait for the disk stays unsynced; 1
      by default. With 0, the operating system decides.
    - `cell_bytes_max`: the size of the largest cell, in bytes; 10 MiB by default, 0 for no limit.
    - `read_only`: whether to open the database for reading only, as of the moment of opening. Another process may have
      it open and write. The folder is not changed, and every change raises `ReadOnly`. Later writes become visible when
      the database is closed and opened again.

    Raises `InvalidArgument` if `read_only` is true and there is no database in the folder, `Busy` if it is changed too
    often to be opened with `read_only`, `Locked` if another process has the folder open, `NewerFormat` if a newer
    version of hjall wrote it, `StorageError` if it cannot be read, `ValueError` for a name that looks like the address
    of a server, such as ``"localhost"``, or a URL, unless that folder exists.

    >>> import hjall, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with hjall.open(folder) as db:
    ...         db.create_table("t", {"f": {}})
    ...     with hjall.open(folder) as db:
    ...         db.tables()
    [b't']
    """
    return Database(_check_folder(path, "hjall.open"), **options)


def memory(**options: _Unpack[_Options]) -> Database:
    """Opens a new database in memory, which is discarded when it is closed. The options are those of `open`.

    >>> import hjall
    >>> with hjall.memory() as db:
    ...     db.tables()
    []
    """
    return Database(None, **options)


def restore(backup: _Path, folder: _Path, *, progress: _CopyProgress | None = None) -> None:
    """Copies a backup, which `Database.backup` or ``hjall backup`` made, to a folder that does not exist or is empty.
    Everything is read and checked. The copy is a folder for `open`; `Database.backup` has an example, and describes
    `progress`.

    Raises `InvalidArgument` if there is no backup or the folder is in use, `Locked` if another process has the backup
    open, `Corrupt` if it is damaged, `NewerFormat`, `DiskFull`, `StorageError`.
    """
    _a_function("progress", progress)
    _native.restore(_copy_folder("restore: backup", backup), _copy_folder("restore: folder", folder), progress)


# Some platforms cannot fork.
if hasattr(_os, "register_at_fork"):
    _os.register_at_fork(after_in_child=_native.forked)
