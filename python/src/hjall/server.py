"""Thrift servers in the same process."""

from __future__ import annotations

from types import TracebackType

from hjall import _native


class Server:
    """A running Thrift server. `Database.serve` starts servers; closing the database closes them."""

    def __init__(self, native: _native.Server) -> None:
        self._native = native

    @property
    def address(self) -> tuple[str, int]:
        """The host and port that the server listens on."""
        return self._native.address

    @property
    def host(self) -> str:
        """The host that the server listens on."""
        return self.address[0]

    @property
    def port(self) -> int:
        """The port that the server listens on."""
        return self.address[1]

    @property
    def is_open(self) -> bool:
        """Whether the server is running in this process."""
        return self._native.is_open()

    def close(self) -> bool:
        """Stops the server. It accepts no more connections and calls; running calls may finish within the grace period.
        Returns whether all of them did. Closing a closed server has no effect."""
        return self._native.close()

    def __enter__(self) -> Server:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        state = "" if self.is_open else " (closed)"
        return f"<{type(self).__module__}.{type(self).__name__} {self.host}:{self.port}{state}>"
