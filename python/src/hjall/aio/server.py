"""Thrift servers for asyncio."""

from __future__ import annotations

from types import TracebackType

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
