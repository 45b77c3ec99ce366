"""The values of counters, which are signed integers of 64 bits, stored with the most significant byte first."""

import struct

from hjall.arguments import an_integer

_COUNTER = struct.Struct(">q")


def encoded(value: int) -> bytes:
    """The stored form of a counter. Raises `struct.error`, as HappyBase does, unless it is an integer that fits."""
    try:
        an_integer("value", value)
    except (TypeError, OverflowError) as error:
        raise struct.error(str(error)) from None
    return _COUNTER.pack(value)


def decoded(stored: bytes) -> int:
    """The value of a counter that is stored as these eight bytes."""
    value: int = _COUNTER.unpack(stored)[0]
    return value


def negated(value: int) -> int:
    """The amount that is added to subtract `value`. Raises as `an_integer` does."""
    an_integer("value", value)
    return -value
