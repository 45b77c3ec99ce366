"""The threads on which the calls of a database run."""

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
    """A pool of `count` threads, which are started on demand. If all are busy, calls wait and can be cancelled."""

    def __init__(self, count: int | None) -> None:
        if count is not None and count < 1:
            raise ValueError(f"threads must be at least 1, not {count}")
        self.count = count or max(4, os.cpu_count() or 1)
        self._executor: ThreadPoolExecutor | None = None
        self._process = os.getpid()

    async def run(self, call: Callable[P, R], *args: P.args, **kwargs: P.kwargs) -> R:
        """Runs a call on one of the threads. Raises `ForkError` in a forked child."""
        if self._process != os.getpid():
            raise ForkError(
                "the database was opened by the parent of this forked process: open another folder here, or start "
                'processes with multiprocessing\'s "spawn" method'
            )
        if self._executor is None:
            self._executor = ThreadPoolExecutor(self.count, thread_name_prefix="hjall-aio")
        return await asyncio.get_running_loop().run_in_executor(self._executor, partial(call, *args, **kwargs))

    def later(self, call: Callable[[], object]) -> None:
        """Schedules a short call without waiting for it. Has no effect after `end`."""
        if self._executor is not None and self._process == os.getpid():
            self._executor.submit(call)

    def end(self) -> None:
        """Ends the threads after the calls that were scheduled. A later call of `run` starts new threads."""
        executor, self._executor = self._executor, None
        if executor is not None and self._process == os.getpid():
            executor.shutdown(wait=False)


def awaited(method: Callable[Concatenate[Any, P], R]) -> Callable[Concatenate[Any, P], Coroutine[Any, Any, R]]:
    """Turns a method of a synchronous class into a coroutine method, for a class that holds the synchronous object in
    `_sync` and the threads in `_threads`."""

    async def call(self: Any, /, *args: P.args, **kwargs: P.kwargs) -> R:
        threads: Threads = self._threads
        return await threads.run(method, self._sync, *args, **kwargs)

    call.__name__ = method.__name__
    call.__qualname__ = method.__qualname__
    call.__doc__ = f"`hjall.{method.__qualname__}` as a coroutine."
    return call
