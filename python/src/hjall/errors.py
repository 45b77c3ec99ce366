"""What can go wrong: a tree under `Error`, each class also one of the language's own.

Arguments of a wrong type are `TypeError`, as everywhere. `kind` of an exception that the engine raised is the engine's own word for it,
`hbase_message` what HBase says of it.
"""

from __future__ import annotations


class Error(Exception):
    """Everything that a database raises."""

    kind: str | None = None
    hbase_message: str | None = None


class InvalidArgument(Error, ValueError):
    """An argument that no table could accept: an empty row key, a negative time, a text that is no filter."""


class InvalidDescriptor(InvalidArgument):
    """A description of a table or family that cannot be."""


class Refused(Error, ValueError):
    """Well formed, yet nothing that the database would ever do; the message says why."""


class NotACounter(Refused):
    """An increment met a value that is not 8 bytes long."""


class DecodeError(Error, ValueError):
    """A stored value is not what the decoder of its column reads; see `Table.scan_arrow`."""


class TooLarge(Refused):
    """A cell or a row is larger than the limit."""


class ReadOnly(Error, PermissionError):
    """The table's READONLY attribute is set."""


class TableNotFound(Error, LookupError):
    """There is no such table."""


class NamespaceNotFound(Error, LookupError):
    """There is no such namespace."""


class FamilyNotFound(Error, LookupError):
    """The table has no such column family."""


class TableExists(Error, ValueError):
    """There is a table of that name already."""


class NamespaceExists(Error, ValueError):
    """There is a namespace of that name already."""


class FamilyError(Error, ValueError):
    """A column family cannot be added, changed or removed so."""


class TableDisabled(Error, RuntimeError):
    """The table is disabled: `enable_table` brings it back."""


class TableNotDisabled(Error, RuntimeError):
    """The table must be disabled first: `disable_table` does so."""


class Busy(Error, TimeoutError):
    """Too much is under way: try again later."""


class Cancelled(Error, RuntimeError):
    """The scan was stopped or closed while it was read from."""


class Closed(Error, RuntimeError):
    """The database is not open."""


class Stale(Closed):
    """A scan outlived what it reads from, which was closed or opened anew meanwhile: begin it again."""


class ForkError(Error, RuntimeError):
    """The database was opened by the process from which this one was forked; it stays that one's."""


class StorageError(Error, OSError):
    """Reading or writing the data failed."""


class Locked(StorageError):
    """Another process has the folder open; the message names it."""


class NewerFormat(StorageError):
    """A newer version of hjall wrote the folder."""


class DiskFull(StorageError):
    """There is no room left where the data lives."""


class Corrupt(StorageError):
    """What is stored cannot be understood: restore the folder from a backup."""


class NoConnectionsAvailable(Error, RuntimeError):
    """No connection of a pool became free within the time that was given."""
