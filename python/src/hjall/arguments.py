"""Checks of arguments."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, TypeVar

from hjall.errors import Error, raised_class

Item = TypeVar("Item")


def invalid(message: str) -> Error:
    """Makes an `InvalidArgument`, for an argument that has an invalid value."""
    return raised_class("InvalidArgument")(message)


def an_integer(name: str, number: int, bits: int = 63) -> None:
    """Checks an argument. Raises `TypeError` if it is not an integer, `OverflowError` if it has more bits."""
    if not hasattr(number, "__index__"):
        raise TypeError(f"{name} must be an integer, not {type(number).__name__}")
    if not -(1 << bits) <= number < 1 << bits:
        raise OverflowError(f"{name} must be an integer from -2**{bits} to 2**{bits} - 1")


def at_least_one(name: str, number: int | None, bits: int = 63) -> None:
    """Checks an optional argument, as `an_integer` does. Raises `InvalidArgument` if it is less than 1."""
    if number is None:
        return
    if hasattr(number, "__index__") and number < 1:
        raise invalid(f"{name} must be at least 1, not {number}")
    an_integer(name, number, bits)


def type_name(value: object) -> str:
    """The name of the type of a value, for messages."""
    return "None" if value is None else type(value).__name__


def encoded(text: str, what: str) -> bytes:
    """Returns text as UTF-8. Raises `InvalidArgument`, which names the argument (`what`), if it has half of a surrogate
    pair."""
    try:
        return str.encode(text)
    except UnicodeEncodeError as error:
        raise invalid(f"{what} cannot be encoded: {error}: pass bytes") from error


def a_flag(name: str, value: object) -> None:
    """Checks an argument. Raises `TypeError` unless it is a `bool`."""
    if not isinstance(value, bool):
        raise TypeError(f"{name} must be True or False, not {type_name(value)}")


def a_text(name: str, value: object) -> None:
    """Checks an argument. Raises `TypeError` unless it is a `str`, `InvalidArgument` if it cannot be encoded."""
    if not isinstance(value, str):
        raise TypeError(f"{name} must be str, not {type_name(value)}")
    encoded(value, name)


def a_function(name: str, value: object) -> None:
    """Checks an optional argument. Raises `TypeError` unless it can be called."""
    if value is not None and not callable(value):
        raise TypeError(f"{name} must be a function, or None, not {type_name(value)}")


def a_dict(name: str, value: object) -> dict[Any, Any]:
    """Returns a copy of an optional argument that is a mapping. Raises `TypeError` for any other type."""
    if value is None:
        return {}
    # `dict` accepts pairs, too, and other values with messages of its own.
    items = getattr(value, "items", None)
    if items is None:
        raise TypeError(f"{name} must be a dict, not {type_name(value)}")
    return dict(items())


def a_list(message: str, value: Iterable[Item]) -> list[Item]:
    """Returns the items of an argument. Raises `TypeError` with the message and the type of the value if it is not
    iterable, or if it is text or bytes, whose items are not meant."""
    try:
        items = None if isinstance(value, (str, bytes, bytearray, memoryview)) else iter(value)
    except TypeError:
        items = None
    if items is None:
        raise TypeError(f"{message}, not {type_name(value)}")
    return list(items)
