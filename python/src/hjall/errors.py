"""The exceptions of hjall. All are subclasses of `Error` and of a suitable built-in exception.

Arguments of a wrong type raise a plain `TypeError`, and integers that are too large for their argument an
`OverflowError`.

In a process that has loaded HappyBase's Thrift types (the module ``Hbase_thrift``), exceptions are also instances of
the classes that HBase's Thrift gateway declares, so that ``except Hbase_thrift.IOError`` and ``except
Hbase_thrift.AlreadyExists`` catch them.
"""

from __future__ import annotations

import sys
from typing import Any


class Error(Exception):
    """The base class of all exceptions that a database raises."""

    kind: str | None = None
    """The engine's name of the kind of error, if the engine raised it."""
    hbase_message: str | None = None
    """The message that HBase would send, if the engine raised the error."""
    hbase_class: str | None = None
    """The full name of the Java class that HBase would raise, if the engine raised the error."""
    failures: tuple[tuple[bytes, Error], ...] = ()
    """The rows of a batch or of `Table.delete_rows` that failed, as pairs of the row key and its exception, in the
    order of the rows. Empty if the call was refused before anything was written, and for calls that write one row."""


class InvalidArgument(Error, ValueError):
    """An argument has an invalid value: an empty row key, a negative timestamp, a limit of 0, an unknown level of
    durability, a filter that does not parse."""


class InvalidDescriptor(InvalidArgument):
    """The description of a table or family is invalid."""


class Refused(Error, ValueError):
    """The request is well formed, but the database does not permit it. The message has the reason."""


class NotACounter(Refused):
    """The value to increment is not 8 bytes long."""


class DecodeError(Error, ValueError):
    """A decoder cannot read a stored value; see `Table.scan_arrow`."""


class TooLarge(Refused):
    """A cell or a row exceeds the size limit."""


class ReadOnly(Error, PermissionError):
    """The table's attribute ``READONLY`` is set, or the database was opened with ``read_only=True``."""


class TableNotFound(Error, LookupError):
    """The table does not exist."""


class NamespaceNotFound(Error, LookupError):
    """The namespace does not exist."""


class FamilyNotFound(Error, LookupError):
    """The table does not have the column family."""


class TableExists(Error, ValueError):
    """A table of that name already exists."""


class NamespaceExists(Error, ValueError):
    """A namespace of that name already exists."""


class FamilyError(Error, ValueError):
    """A column family cannot be added, modified or deleted."""


class TableDisabled(Error, RuntimeError):
    """The table is disabled. `enable_table` enables it."""


class TableNotDisabled(Error, RuntimeError):
    """The table is not disabled. `disable_table` disables it."""


class Busy(Error, TimeoutError):
    """Too many operations are in progress. Try again later."""


class Cancelled(Error, RuntimeError):
    """The scan was stopped or closed while it was being read."""


class Closed(Error, RuntimeError):
    """The database is not open."""


class Stale(Closed):
    """The database was reopened during the scan, because a write had failed. Start the scan again."""


class ForkError(Error, RuntimeError):
    """The database was opened by the parent of this forked process and can only be used there."""


class StorageError(Error, OSError):
    """Reading or writing files failed."""


class Locked(StorageError):
    """Another process has the folder open. The message has its process id."""


class NewerFormat(StorageError):
    """A newer version of hjall wrote the folder."""


class DiskFull(StorageError):
    """The disk is full."""


class Corrupt(StorageError):
    """The stored data is damaged. Restore the folder from a backup."""


class NoConnectionsAvailable(Error, RuntimeError):
    """No connection of the pool became free within the timeout."""


def raised_class(name: str) -> type[Error]:
    """Returns the class to raise for an exception of this module: the class itself, or in a process that has loaded
    HBase's Thrift types, a subclass of it and of one of those."""
    plain: type[Error] = globals()[name]
    thrift = sys.modules.get("Hbase_thrift")
    if thrift is None:
        return plain
    key = (plain, id(thrift))
    found = _thrift_classes.get(key)
    if found is None:
        found = _thrift_classes[key] = _thrift_class(plain, thrift)
    return found


# By the class and the `id` of the module. The native module reads it, too.
_thrift_classes: dict[tuple[type[Error], int], type[Error]] = {}


def _thrift_class(plain: type[Error], thrift: Any) -> type[Error]:
    """The subclass of an exception and of the classes that HBase's Thrift1 gateway raises in its place."""
    declared: tuple[Any, ...] = (thrift.IOError,)
    if issubclass(plain, (TableExists, NamespaceExists)):
        declared = (thrift.AlreadyExists,)
    elif issubclass(plain, InvalidArgument):
        declared = (thrift.IllegalArgument,)
    elif issubclass(plain, TooLarge):
        # HBase's client refuses a large cell as an invalid argument, and a server with a smaller limit as an error.
        declared = (thrift.IllegalArgument, thrift.IOError)

    def reduce(self: Any) -> Any:
        return (
            plain,
            self.args,
            {name: getattr(self, name) for name in ("kind", "hbase_message", "hbase_class", "failures")},
        )

    names = {
        # That of the built-in class, and not that of Thrift's, because native code that makes an exception must not run
        # bytecode (see bindings/python/src/error.rs).
        "__init__": plain.__init__,
        # A field of the Thrift struct, which programs read.
        "message": property(lambda self: self.args[0] if self.args else None),
        "__reduce__": reduce,
        "__str__": plain.__str__,
        "__repr__": plain.__repr__,
        "__hash__": plain.__hash__,
        "__eq__": plain.__eq__,
        "__module__": plain.__module__,
        "__qualname__": plain.__qualname__,
        "__doc__": plain.__doc__,
    }
    made: type[Error] = type(declared[0])(plain.__name__, (plain, *declared), names)
    return made
