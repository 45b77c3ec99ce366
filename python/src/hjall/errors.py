"""What can go wrong: a tree under `Error`, each class also one of the language's own."""


class Error(Exception):
    """Everything that a database raises; arguments of a wrong type or value are `TypeError` and `ValueError` as elsewhere."""


class InvalidArgument(Error, ValueError):
    """An argument that no table could accept."""


class InvalidDescriptor(InvalidArgument):
    """A description of a table or family that cannot be."""


class Refused(Error, ValueError):
    """Well formed, yet nothing that the database would ever do."""


class NotACounter(Error, TypeError):
    """An increment met a value that is not 8 bytes long."""


class TooLarge(Error, ValueError):
    """A cell or a row is larger than the limit."""


class ReadOnly(Error, PermissionError):
    """The table's READONLY attribute is set."""


class TableNotFound(Error, LookupError):
    """There is no such table."""


class TableExists(Error, ValueError):
    """There is a table of that name already."""


class TableDisabled(Error, RuntimeError):
    """The table is disabled: enable it first."""


class TableNotDisabled(Error, RuntimeError):
    """The table is enabled: disable it first."""


class NamespaceNotFound(Error, LookupError):
    """There is no such namespace."""


class NamespaceExists(Error, ValueError):
    """There is a namespace of that name already."""


class FamilyNotFound(Error, LookupError):
    """The table has no such column family."""


class FamilyError(Error, ValueError):
    """A column family cannot be added, changed or removed so."""


class Busy(Error, TimeoutError):
    """Too much is under way: try again later."""


class Stale(Error, RuntimeError):
    """A scan outlived what it reads from: begin it again."""


class Cancelled(Error, RuntimeError):
    """The scan was closed while it was read from."""


class StorageError(Error, OSError):
    """Reading or writing the data failed."""


class Locked(StorageError):
    """Another process has the folder open."""


class NewerFormat(StorageError):
    """A newer version of hjall wrote the folder."""


class DiskFull(StorageError):
    """There is no room left where the data lives."""


class Corrupt(StorageError):
    """What is stored cannot be understood."""


class Closed(Error, RuntimeError):
    """The database has been closed."""


class ForkError(Error, RuntimeError):
    """The database was opened by the process from which this one was forked."""
