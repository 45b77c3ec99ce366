"""A running server of Thrift clients; `Database.serve` starts one."""

from __future__ import annotations

from types import TracebackType

import hjall
from hjall.aio.threads import Threads


class Server:
    """As `hjall.Server`, with an awaited `close`."""

    def __init__(self, threads: Threads, sync: hjall.Server) -> None:
        self._threads, self._sync = threads, sync

    @property
    def address(self) -> tuple[str, int]:
        """Host and port that it listens on."""
        return self._sync.address

    @property
    def host(self) -> str:
        """The host that it listens on."""
        return self._sync.host

    @property
    def port(self) -> int:
        """The port that it listens on."""
        return self._sync.port

    @property
    def is_open(self) -> bool:
        """Whether it still serves, in this process."""
        return self._sync.is_open

    async def close(self) -> bool:
        """As `hjall.Server.close`, awaited."""
        return await self._threads.run(self._sync.close)

    async def __aenter__(self) -> Server:
        return self

    async def __aexit__(self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None) -> None:
        await self.close()
