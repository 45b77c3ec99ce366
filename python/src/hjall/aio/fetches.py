"""The fetches of a scan for asyncio."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, TypeVar

T = TypeVar("T")

# The first blocks of a scan have 1, 4 and 16 results. Passing a call to a thread costs more than reading these.
BLOCKS_AT_ONCE = 3


class Fetches(Generic[T]):
    """A scan whose results are fetched on threads, several blocks at once.

    `begin`: opens the native scanner. `read`: reads a block of at most so many results from it. `batch_size`: the most
    results of a fetch. `limit`: the most results of the scan; `None` for all.
    """

    def __init__(
        self, begin: Callable[[], Any], read: Callable[[Any, int], list[T]], batch_size: int, limit: int | None
    ) -> None:
        self._begin, self._read, self._batch_size, self._left = begin, read, batch_size, limit
        self._scanner: Any = None
        self._is_stopped = False
        self._failure: Exception | None = None
        self.has_ended = False

    def fetch(self) -> list[T]:
        """Reads the next results; none at the end. Runs on a thread."""
        if self._failure is not None:
            raise self._failure
        if self._scanner is None:
            self._scanner = self._begin()
            if self._is_stopped:
                self._scanner.stop()
        results: list[T] = []
        for _ in range(BLOCKS_AT_ONCE):
            wanted = self._batch_size - len(results)
            if self._left is not None:
                wanted = min(wanted, self._left)
            if wanted == 0:
                break
            try:
                block = self._read(self._scanner, wanted)
            except Exception as error:
                if not results:
                    raise
                # The results before it are returned first.
                self._failure = error
                return results
            results += block
            if self._left is not None:
                self._left -= len(block)
            if not block:
                self.has_ended = True
                break
        self.has_ended = self.has_ended or self._left == 0
        return results

    def stop(self) -> None:
        """Ends a running fetch immediately, and all further ones."""
        # In this order, because a thread may be opening the scan.
        self._is_stopped = True
        if self._scanner is not None:
            self._scanner.stop()

    def close(self) -> None:
        """Releases the snapshot. Waits for a running fetch."""
        if self._scanner is not None:
            self._scanner.close()
