"""A running server of Thrift clients; `Database.serve` starts one."""

from __future__ import annotations

from types import TracebackType

from hjall import _native


class Server:
    """Answers HBase's Thrift clients until it is closed, at the latest with its database."""

    def __init__(self, native: _native.Server) -> None:
        self._native = native

    @property
    def address(self) -> tuple[str, int]:
        """Host and port that it listens on."""
        return self._native.address

    @property
    def host(self) -> str:
        """The host that it listens on."""
        return self.address[0]

    @property
    def port(self) -> int:
        """The port that it listens on."""
        return self.address[1]

    @property
    def is_open(self) -> bool:
        """Whether it still serves, in this process."""
        return self._native.is_open()

    def close(self) -> bool:
        """Stops: no new connection, no new call; what runs may finish and is answered, within the time of grace. Returns whether all did. Idempotent."""
        return self._native.close()

    def __enter__(self) -> Server:
        return self

    def __exit__(self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def __repr__(self) -> str:
        state = "" if self.is_open else " (closed)"
        return f"<{type(self).__module__}.{type(self).__name__} {self.host}:{self.port}{state}>"
