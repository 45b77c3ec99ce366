"""Thrift servers for asyncio."""

from __future__ import annotations

from collections.abc import Coroutine, Generator
from types import TracebackType
from typing import Any

import hjall
from hjall.aio.threads import Threads


class Server:
    """`hjall.Server` for asyncio. `aio.Database.serve` starts servers."""

    def __init__(self, threads: Threads, sync: hjall.Server) -> None:
        self._threads, self._sync = threads, sync

    @property
    def address(self) -> tuple[str, int]:
        """The host and port that the server listens on."""
        return self._sync.address

    @property
    def host(self) -> str:
        """The host that the server listens on."""
        return self._sync.host

    @property
    def port(self) -> int:
        """The port that the server listens on."""
        return self._sync.port

    @property
    def is_open(self) -> bool:
        """Whether the server is running in this process."""
        return self._sync.is_open

    async def close(self) -> bool:
        """Stops the server, as `hjall.Server.close`."""
        return await self._threads.run(self._sync.close)

    async def __aenter__(self) -> Server:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    def __repr__(self) -> str:
        return repr(self._sync).replace("<hjall.", "<hjall.aio.", 1)


class ServerStart(Coroutine[Any, Any, Server]):
    """The start of a server, which `aio.Database.serve` returns: a coroutine that returns the server, and a context
    manager that starts it and closes it."""

    def __init__(self, start: Coroutine[Any, Any, Server]) -> None:
        self._start = start
        self._server: Server | None = None

    def __await__(self) -> Generator[Any, None, Server]:
        return self._start.__await__()

    # A coroutine, and not only an awaitable, because `asyncio.create_task` accepts nothing else.
    def send(self, value: Any) -> Any:
        """Continues the coroutine, as event loops do."""
        return self._start.send(value)

    def throw(self, *error: Any) -> Any:
        """Continues the coroutine with an exception."""
        return self._start.throw(*error)

    def close(self) -> None:
        """Ends the coroutine."""
        self._start.close()

    async def __aenter__(self) -> Server:
        self._server = await self._start
        return self._server

    async def __aexit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._server is not None:
            await self._server.close()
