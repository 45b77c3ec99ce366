"""hjall for asyncio: the methods of hjall's classes as coroutines. Calls run on the database's own threads, so that
they never block the event loop; reads of rows that are in memory run on it directly, which takes about a microsecond.

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

from typing import TYPE_CHECKING

from hjall.aio.arrow import ArrowScan
from hjall.aio.batch import Batch
from hjall.aio.database import Database
from hjall.aio.pool import ConnectionPool
from hjall.aio.server import Server
from hjall.aio.table import Table
from hjall.options import Options, check_folder, takes_folder
from hjall.types import Path

if TYPE_CHECKING:
    from typing_extensions import Unpack

__all__ = ["ArrowScan", "Batch", "ConnectionPool", "Database", "Server", "Table", "memory", "open"]


@takes_folder("hjall.aio.open")
def open(path: Path, *, threads: int | None = None, **options: Unpack[Options]) -> Database:
    """Returns the database in a folder. Open it with ``async with``, or with ``db = await aio.open(folder)`` and later
    ``await db.close()``.

    The options are those of `hjall.open`, and `threads`: how many calls can run at the same time; further calls wait.
    The default is the number of processors, but at least 4.

    >>> import asyncio, tempfile
    >>> from hjall import aio
    >>> async def main(folder):
    ...     db = await aio.open(folder)
    ...     tables = await db.tables()
    ...     await db.close()
    ...     return tables
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     asyncio.run(main(folder))
    []
    """
    return Database(check_folder(path, "hjall.aio.open"), threads=threads, **options)


def memory(*, threads: int | None = None, **options: Unpack[Options]) -> Database:
    """Returns a new database in memory, which is discarded when it is closed. The options are those of `open`."""
    return Database(None, threads=threads, **options)
