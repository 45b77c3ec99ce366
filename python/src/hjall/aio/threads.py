"""The threads on which calls of one database run."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any, Concatenate, ParamSpec, TypeVar

from hjall.errors import ForkError

P = ParamSpec("P")
R = TypeVar("R")


class Threads:
    """So many threads, started as they are needed. What comes when all are busy waits for its turn, and can be cancelled until then."""

    def __init__(self, count: int | None) -> None:
        if count is not None and count < 1:
            raise ValueError(f"threads must be at least 1, not {count}")
        self.count = count or max(4, os.cpu_count() or 1)
        self._executor: ThreadPoolExecutor | None = None
        self._process = os.getpid()

    async def run(self, call: Callable[P, R], *args: P.args, **kwargs: P.kwargs) -> R:
        """Runs a call on one of the threads."""
        if self._process != os.getpid():
            raise ForkError(
                'this process was forked from the one that opened the database: open it anew here, or start child processes with multiprocessing\'s "spawn"'
            )
        if self._executor is None:
            self._executor = ThreadPoolExecutor(self.count, thread_name_prefix="hjall-aio")
        return await asyncio.get_running_loop().run_in_executor(self._executor, partial(call, *args, **kwargs))

    def later(self, call: Callable[[], object]) -> None:
        """Runs a short call sometime, without waiting for it; not at all if the threads are gone."""
        if self._executor is not None and self._process == os.getpid():
            self._executor.submit(call)

    def end(self) -> None:
        """Lets the threads end once they have done what they were given. Used again, it starts new ones."""
        executor, self._executor = self._executor, None
        if executor is not None and self._process == os.getpid():
            executor.shutdown(wait=False)


def awaited(method: Callable[Concatenate[Any, P], R]) -> Callable[Concatenate[Any, P], Coroutine[Any, Any, R]]:
    """A method of a class of `hjall`, as a coroutine of what stands for an object of it here (in `_sync`, with its `_threads`)."""

    async def call(self: Any, /, *args: P.args, **kwargs: P.kwargs) -> R:
        threads: Threads = self._threads
        return await threads.run(method, self._sync, *args, **kwargs)

    call.__name__ = method.__name__
    call.__qualname__ = method.__qualname__
    call.__doc__ = f"As `hjall.{method.__qualname__}`, awaited."
    return call
