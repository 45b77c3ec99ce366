"""The sequential behaviour of a row: the effect and the answer of each operation.

A state is a tuple with the value of each column of COLUMNS; None stands for an absent column. Values are strings,
those of counters integers. An operation is a tuple that JSON can represent:

    ("put", {column: value})                        -> None
    ("delete", [column])                            -> None
    ("delete family", family)                       -> None
    ("delete row",)                                 -> None
    ("mutate", {column: value}, [column])           -> None     puts and deletes of different columns
    ("increment", {column: amount})                 -> {column: value}, or None if the call returns none
    ("append", {column: text})                      -> {column: value}
    ("checked", column, expected, operation)        -> whether the column had the expected value
    ("read", [column])                              -> {column: value}
    ("exists", [column])                            -> whether one of them has a value
"""

import struct

COUNTERS = ("f:n", "g:n")
LOGS = ("f:l", "g:l")
PLAIN = ("f:a", "f:b", "g:a")
COLUMNS = (*COUNTERS, *LOGS, *PLAIN)
AT = {column: n for n, column in enumerate(COLUMNS)}
ABSENT = (None,) * len(COLUMNS)


def encode(column, value):
    """Encodes a value."""
    return struct.pack(">q", value) if column in COUNTERS else value.encode()


def decode(column, value):
    """Decodes a value."""
    return struct.unpack(">q", value)[0] if column in COUNTERS else value.decode()


def with_values(state, values):
    """Returns a state with other values in some columns."""
    changed = list(state)
    for column, value in values.items():
        changed[AT[column]] = value
    return tuple(changed)


def grown(state, additions, zero):
    """Returns the values after an increment or an append."""
    return {
        column: (zero if state[AT[column]] is None else state[AT[column]]) + more for column, more in additions.items()
    }


def step(state, operation):
    """Returns the state after an operation, or None if it cannot have had its result in this state."""
    return apply(state, operation.what, operation.result, operation.unknown)


def only_reads(operation):
    """Returns whether an operation never changes a state."""
    kind = operation.what[0]
    return kind in ("read", "exists") or kind == "checked" and operation.result is False and not operation.unknown


def apply(state, what, result, unknown):
    """Implements `step`, with the parts of the operation."""
    kind, *rest = what
    match kind:
        case "put":
            return with_values(state, rest[0])
        case "delete":
            return with_values(state, dict.fromkeys(rest[0]))
        case "delete family":
            return tuple(None if column.startswith(rest[0] + ":") else value for column, value in zip(COLUMNS, state))
        case "delete row":
            return ABSENT
        case "mutate":
            return with_values(state, rest[0] | dict.fromkeys(rest[1]))
        case "increment" | "append":
            values = grown(state, rest[0], 0 if kind == "increment" else "")
            return with_values(state, values) if unknown or result is None or result == values else None
        case "checked":
            column, expected, then = rest
            held = state[AT[column]] == expected
            if not unknown and held != result:
                return None
            return apply(state, tuple(then), None, True) if held else state
        case "read":
            return (
                state
                if result == {column: state[AT[column]] for column in rest[0] if state[AT[column]] is not None}
                else None
            )
        case "exists":
            return state if result == any(state[AT[column]] is not None for column in rest[0]) else None
    raise ValueError(f"no operation {kind}")
