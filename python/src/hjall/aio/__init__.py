"""hjall for asyncio: the methods of hjall's classes as coroutines. Calls run on the database's own threads and never
block the event loop.

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

Cancelling a call that still waits for a thread prevents it. A call that is already running continues to its end, so a
cancelled write may have been applied. Cancelling a scan stops it.
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
    """Returns the database in a folder. Open it with ``async with``, or with ``await db.open()`` and ``await
    db.close()``.

    The options are those of `hjall.open`, and `threads`: how many calls can run at the same time; further calls wait.
    The default is the number of processors, but at least 4.

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
    """Returns a new database in memory, which is discarded when it is closed. The options are those of `open`."""
    return Database(None, **options)
