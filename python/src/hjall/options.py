"""The options for opening a database, and the check of their names."""

from __future__ import annotations

import difflib
import functools
import ipaddress
import os
import re
from collections.abc import Callable, Mapping
from typing import Any, Literal, TypedDict, TypeVar, cast

from hjall import _native
from hjall.arguments import a_flag, invalid
from hjall.types import Name, Path


class Options(TypedDict, total=False):
    """The keyword arguments of `hjall.open` and `hjall.memory`, which describe them."""

    autoconnect: bool
    table_prefix: Name | None
    table_prefix_separator: Name
    encoding: str | None
    clock: _native.ManualClock | None
    cache_bytes: int | None
    row_cache_bytes: int | None
    write_buffer_bytes: int | None
    catalog_bytes: int | None
    cell_bytes_max: int | None
    durability: Literal["SYNC_WAL", "FSYNC_WAL"] | None
    sync_interval: float | None
    read_only: bool


class AioOptions(Options, total=False):
    """The keyword arguments of `hjall.aio.open` and `hjall.aio.memory`."""

    threads: int | None


_NAMES = frozenset(Options.__annotations__)
_BYTES = ("cache_bytes", "row_cache_bytes", "write_buffer_bytes", "catalog_bytes", "cell_bytes_max")
_CONNECTION = ("host", "port", "timeout", "transport", "protocol", "compat")
# A name without a slash that a program would pass as the address of a server.
_ADDRESS = re.compile(
    r"localhost|[\w.-]+:\d+|[\w-]+(\.[\w-]+)+\.(com|net|org|io|internal|local|lan|example)", re.IGNORECASE
)

_URL = re.compile(r"([a-z][a-z0-9+.-]*)://", re.IGNORECASE)


def check_options(options: Mapping[str, Any], function: str) -> None:
    """Checks options. Raises `TypeError` that names the unknown one and the remedy, `TypeError` for a value of a wrong
    type, `InvalidArgument` for an invalid one."""
    for name in options:
        if name in _NAMES:
            continue
        if name in _CONNECTION:
            raise TypeError(
                f"{function} opens a database in this process and connects to no server, so it has no option {name!r}: "
                "omit it, or use happybase.Connection for a server; hjall.happybase.Connection takes it and ignores it"
            )
        near = difflib.get_close_matches(name, sorted(_NAMES), 1)
        meant = f"did you mean {near[0]!r}?" if near else f"the options are {', '.join(sorted(_NAMES))}"
        raise TypeError(f"{function} has no option {name!r}: {meant}")
    for name in _BYTES:
        number = options.get(name)
        if number is None:
            continue
        if not hasattr(number, "__index__"):
            raise TypeError(f"{function}: {name} must be an integer, a number of bytes, not {type(number).__name__}")
        if number < 0:
            raise invalid(f"{function}: {name} must not be negative: {number}")
    durability, interval = options.get("durability"), options.get("sync_interval")
    if durability is not None and not isinstance(durability, str):
        raise TypeError(f"{function}: durability must be str, not {type(durability).__name__}")
    if interval is not None and not isinstance(interval, (int, float)):
        raise TypeError(f"{function}: sync_interval must be a number of seconds, not {type(interval).__name__}")
    a_flag(f"{function}: read_only", options.get("read_only", False))
    clock, encoding = options.get("clock"), options.get("encoding")
    if clock is not None and not isinstance(clock, _native.ManualClock):
        raise TypeError(f"{function}: clock must be a hjall.ManualClock, not {type(clock).__name__}")
    if encoding is not None and not isinstance(encoding, str):
        raise TypeError(f"{function}: encoding must be str, not {type(encoding).__name__}")
    if encoding is not None:
        # Unlike `codecs.lookup`, this refuses codecs that do not encode text, such as hex. A `ValueError` is that of a
        # name that no codec can have, or of the codec `undefined`.
        try:
            "".encode(encoding)
        except (LookupError, ValueError):
            raise invalid(
                f'{function}: encoding must name a text encoding of Python, such as "utf-8", not {encoding!r}'
            ) from None


Function = TypeVar("Function", bound=Callable[..., Any])


def takes_folder(name: str) -> Callable[[Function], Function]:
    """Decorates a function whose first argument is the folder of a database. A call without it raises `TypeError` with
    the remedy, in particular if it names a server instead. `name`: that of the function, for messages."""

    def decorated(function: Function) -> Function:
        @functools.wraps(function)
        def checked(*args: Any, **options: Any) -> Any:
            if not args and "path" not in options:
                check_options({key: value for key, value in options.items() if key != "threads"}, name)
                raise TypeError(
                    f'{name} opens the database in a folder: name one, as in {name}("./data"), or use memory()'
                )
            return function(*args, **options)

        return cast(Function, checked)

    return decorated


def check_folder(path: Path, function: str) -> str:
    """Returns the name of a folder. Raises `ValueError` for a name that looks like the address of a server, unless such
    a folder exists."""
    name = os.fspath(path)
    if not isinstance(name, str):
        raise TypeError(f"the folder of a database must be str or os.PathLike, not {type(path).__name__}")
    if not name:
        raise invalid(f"{function}: the name of the folder is empty: name a folder, or use hjall.memory()")
    if name == ":memory:":
        raise invalid(f"{function}: ':memory:' is no folder: use hjall.memory() for a database in memory")
    url = _URL.match(name)
    if url and url[1].lower() == "file" and not os.path.isdir(name):
        raise invalid(f"{function}: {name!r} is a URL: name the folder by its path")
    if (url or (os.sep not in name and _is_address(name))) and not os.path.isdir(name):
        raise invalid(
            f"{function} opens a folder in this process, and {name!r} looks like the address of a server: use "
            f'happybase.Connection for a server, or write "./{name}" for a folder of this name'
        )
    return name


def copy_folder(what: str, path: Path) -> str:
    """Returns the name of the folder of a copy. `what`: the argument, for messages. Raises `TypeError` for any other
    type."""
    name: object = os.fspath(path) if isinstance(path, (str, os.PathLike)) else None
    if not isinstance(name, str):
        raise TypeError(f"{what} must be str or os.PathLike, not {type(path).__name__}")
    return name


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return _ADDRESS.fullmatch(name) is not None
    return True
