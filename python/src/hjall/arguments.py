"""Checks of arguments."""

from __future__ import annotations

from hjall.errors import Error, raised_class


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
