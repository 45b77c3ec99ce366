"""The same database for asyncio: hjall's verbs, awaited. Calls run on threads of the database's own, so none of them blocks the event loop.

>>> import asyncio
>>> from hjall import aio
>>> async def main():
...     async with aio.memory() as db:
...         await db.create_table("users", {"info": {}})
...         users = db.table("users")
...         await asyncio.gather(users.put(b"ann", {b"info:city": b"Oslo"}), users.put(b"bob", {b"info:city": b"Bonn"}))
...         async for key, data in users.scan():
...             print(key, data[b"info:city"])
>>> asyncio.run(main())
b'ann' b'Oslo'
b'bob' b'Bonn'

A call that is cancelled before its turn has come is never made. One that runs already runs to its end, without anybody waiting for it; a write may
therefore have happened. A scan that is cancelled stops.
"""

from __future__ import annotations

from typing import Any

from hjall.aio.arrow import ArrowScan
from hjall.aio.batch import Batch
from hjall.aio.database import Database
from hjall.aio.server import Server
from hjall.aio.table import Table
from hjall.types import Path

__all__ = ["ArrowScan", "Batch", "Database", "Server", "Table", "memory", "open"]


def open(path: Path, **options: Any) -> Database:
    """The database in a folder, for ``async with``, or ``await db.open()`` and ``await db.close()``.

    The options are those of `hjall.open`, and `threads`: how many calls run at the same time; the others wait for their turn. By default as many as there are
    cores, 4 at least.

    >>> import asyncio, tempfile
    >>> from hjall import aio
    >>> async def main(folder):
    ...     async with aio.open(folder) as db:
    ...         return await db.tables()
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     asyncio.run(main(folder))
    []
    """
    return Database(path, **options)


def memory(**options: Any) -> Database:
    """A new database without a disk, which ends with `close`; the options are those of `open`."""
    return Database(None, **options)
