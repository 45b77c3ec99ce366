"""Runs a program on one side and converts the outcomes into a form that can be compared."""

from collections.abc import Generator

import hjall

# Timestamps above this were assigned by the database.
ASSIGNED = 10**12


class Stopped(Exception):
    """Raised to end the block of a batch."""


def run(connection, name, steps):
    """Returns the outcome of each step: its value or its failure."""
    return [outcome(connection, connection.table(name), *step) for step in steps]


def outcome(connection, table, verb, arguments, options):
    try:
        return "value", comparable(execute(connection, table, verb, arguments, options))
    except Exception as error:
        return "failure", failure(error)


def execute(connection, table, verb, arguments, options):
    if verb == "batch":
        options, steps, fails = arguments
        try:
            with table.batch(**options) as batch:
                for method, given in steps:
                    getattr(batch, method)(*given)
                if fails:
                    raise Stopped
        except Stopped:
            return "stopped"
        return None
    if verb in ("on", "off"):
        change = connection.enable_table if verb == "on" else connection.disable_table
        name = table.name
        return change(name), connection.is_table_enabled(name)
    if verb == "scan":
        scan = table.scan(**options)
        assert isinstance(scan, Generator)
        return list(scan)
    if verb == "regions":
        return [{**region, "id": 0, "name": b"", "server_name": b"", "port": 0} for region in table.regions()]
    return getattr(table, verb)(*arguments, **options)


def comparable(value):
    """Returns a value together with its types, with assigned timestamps masked."""
    kind = type(value).__name__
    if isinstance(value, dict):
        items = [(comparable(key), comparable(item)) for key, item in value.items()]
        # The order of a plain dict is not specified.
        return kind, items if kind == "OrderedDict" else sorted(items, key=repr)
    if isinstance(value, (list, tuple)):
        return kind, [comparable(item) for item in value]
    if isinstance(value, int) and value > ASSIGNED:
        return kind, "assigned"
    return kind, value


# HBase's exceptions and the corresponding classes of this package.
CLASSES = {
    "TableNotFoundException": "TableNotFound",
    "TableNotEnabledException": "TableDisabled",
    "TableNotDisabledException": "TableNotDisabled",
    "NoSuchColumnFamilyException": "FamilyNotFound",
    "IllegalArgumentException": "InvalidArgument",
    "TableExistsException": "TableExists",
    "NotServingRegionException": "TableDisabled",
    "Internal error processing": "InvalidArgument",
    "Cannot set batch on a scan": "Refused",
    "DoNotRetryIOException": "Refused",
    "IllegalArgument": "InvalidArgument",
}


def failure(error):
    """Returns the class of an exception by a name that both sides share."""
    if type(error) in (TypeError, ValueError, OverflowError):
        return type(error).__name__
    if isinstance(error, hjall.InvalidArgument) and error.kind is None:
        # The package refused the argument before the call, where HappyBase raises a plain ValueError.
        return "ValueError"
    if type(error).__module__.startswith("hjall"):
        return type(error).__name__
    # Most methods of HBase's gateway report invalid arguments with an undeclared exception.
    text = f"{type(error).__name__} {getattr(error, 'message', None) or error}"
    for java, ours in CLASSES.items():
        if java in text:
            return ours
    return f"{type(error).__name__}: {text[:200]}"
