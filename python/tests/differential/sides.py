"""Carrying a program out on one side, and what of the outcome is compared."""

import types

# A time that the database assigned, whatever it was.
ASSIGNED = 10**12


class Stopped(Exception):
    """Ends a batch's block."""


def run(connection, name, steps):
    """The outcome of each step: its value or its failure."""
    return [outcome(connection, connection.table(name), *step) for step in steps]


def outcome(connection, table, verb, arguments, told):
    try:
        return "value", comparable(carry_out(connection, table, verb, arguments, told))
    except Exception as error:
        return "failure", failure(error)


def carry_out(connection, table, verb, arguments, told):
    if verb == "batch":
        told, steps, fails = arguments
        try:
            with table.batch(**told) as batch:
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
        scan = table.scan(**told)
        assert isinstance(scan, types.GeneratorType)
        return list(scan)
    if verb == "regions":
        return [{**region, "id": 0, "name": b"", "server_name": b"", "port": 0} for region in table.regions()]
    return getattr(table, verb)(*arguments, **told)


def comparable(value):
    """A value with the types of all that is in it; times that were assigned are masked."""
    kind = type(value).__name__
    if isinstance(value, dict):
        items = [(comparable(key), comparable(item)) for key, item in value.items()]
        # A plain dict's order is whatever the wire's was.
        return kind, items if kind == "OrderedDict" else sorted(items, key=repr)
    if isinstance(value, (list, tuple)):
        return kind, [comparable(item) for item in value]
    if isinstance(value, int) and value > ASSIGNED:
        return kind, "assigned"
    return kind, value


# What HBase's gateway says, and this package's word for it.
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
    """The class of an exception, in words that both sides have."""
    if type(error) in (TypeError, ValueError, OverflowError):
        return type(error).__name__
    if type(error).__module__.startswith("hjall"):
        return type(error).__name__
    # An argument that cannot be escapes HBase's gateway undeclared, from most methods.
    said = f"{type(error).__name__} {getattr(error, 'message', None) or error}"
    for java, ours in CLASSES.items():
        if java in said:
            return ours
    return f"{type(error).__name__}: {said[:200]}"
