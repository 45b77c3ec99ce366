"""The values of counters, which are signed integers of 64 bits, stored with the most significant byte first."""

import struct

_COUNTER = struct.Struct(">q")


def encoded(value: int) -> bytes:
    """The stored form of a counter. Raises `struct.error`, as HappyBase does, unless it is an integer that fits."""
    try:
        return _COUNTER.pack(value)
    except struct.error:
        reason = " from -2**63 to 2**63 - 1" if hasattr(value, "__index__") else f", not {type(value).__name__}"
        raise struct.error(f"value must be an integer{reason}") from None


def decoded(stored: bytes) -> int:
    """The value of a counter that is stored as these eight bytes."""
    value: int = _COUNTER.unpack(stored)[0]
    return value


def negated(value: int) -> int:
    """The amount that is added to subtract `value`. Raises `TypeError` unless it is an integer."""
    if not hasattr(value, "__index__"):
        raise TypeError(f"value must be an integer, not {type(value).__name__}")
    return -value
