"""The threads on which the calls of a database run."""

from __future__ import annotations

import asyncio
import contextlib
import functools
import importlib
import inspect
import os
import threading
from collections.abc import Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any, Concatenate, ParamSpec, TypeVar

from hjall import _native
from hjall.arguments import invalid
from hjall.errors import ForkError

P = ParamSpec("P")
R = TypeVar("R")


class Threads:
    """A pool of `count` threads, which are started on demand. If all are busy, calls wait and can be cancelled."""

    def __init__(self, count: int | None) -> None:
        if count is not None and count < 1:
            raise invalid(f"threads must be at least 1, not {count}")
        self.count = count or max(4, os.cpu_count() or 1)
        self._executor: ThreadPoolExecutor | None = None
        self._process = os.getpid()
        self._limiter: Any = None

    async def run(self, call: Callable[P, R], *args: P.args, **kwargs: P.kwargs) -> R:
        """Runs a call on one of the threads. Raises `ForkError` in a forked child."""
        if self._process != os.getpid():
            raise ForkError(
                "the database was opened by the parent of this forked process: open another folder here, or start "
                'processes with multiprocessing\'s "spawn" method'
            )
        if not runs_asyncio():
            return await self._run_in_anyio(partial(call, *args, **kwargs))
        if self._executor is None:
            self._executor = ThreadPoolExecutor(self.count, thread_name_prefix="hjall-aio")
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._executor, partial(call, *args, **kwargs))

    async def _run_in_anyio(self, call: Callable[[], R]) -> R:
        """Runs a call on a thread of another library for asynchronous programs, such as trio."""
        if self._limiter is None:
            self._limiter = anyio().CapacityLimiter(self.count)
        # As in asyncio, a call that is already running continues to its end.
        result: R = await anyio().to_thread.run_sync(call, limiter=self._limiter, abandon_on_cancel=True)
        return result

    def later(self, call: Callable[[], object]) -> None:
        """Schedules a short call without waiting for it. Has no effect after `end`."""
        if self._process != os.getpid():
            return
        if self._executor is not None:
            self._executor.submit(call)
        elif self._limiter is not None:
            threading.Thread(target=call, name="hjall-aio-later").start()

    def end(self) -> None:
        """Ends the threads after the calls that were scheduled. A later call of `run` starts new threads."""
        executor, self._executor = self._executor, None
        if executor is not None and self._process == os.getpid():
            executor.shutdown(wait=False)


def runs_asyncio() -> bool:
    """Whether the running event loop is asyncio's."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True


def anyio() -> Any:
    """The module anyio. Raises `RuntimeError` if it is not installed."""
    try:
        return importlib.import_module("anyio")
    except ImportError:
        raise RuntimeError("outside of asyncio, hjall.aio needs anyio: pip install 'hjall[trio]'") from None


def awaited(method: Callable[Concatenate[Any, P], R]) -> Callable[Concatenate[Any, P], Coroutine[Any, Any, R]]:
    """Turns a method of a synchronous class into a coroutine method, for a class that holds the synchronous object in
    `_sync` and the threads in `_threads`."""

    async def call(self: Any, /, *args: P.args, **kwargs: P.kwargs) -> R:
        threads: Threads = self._threads
        return await threads.run(method, self._sync, *args, **kwargs)

    coroutine: Callable[Concatenate[Any, P], Coroutine[Any, Any, R]] = described(call, method, "This is a coroutine.")
    return coroutine


def awaited_read(method: Callable[Concatenate[Any, P], R]) -> Callable[Concatenate[Any, P], Coroutine[Any, Any, R]]:
    """Does what `awaited` does for a method that only reads a few rows. A read that finds them in memory runs on the
    event loop, where it takes about a microsecond; passing it to a thread would take thirty."""

    async def call(self: Any, /, *args: P.args, **kwargs: P.kwargs) -> R:
        threads: Threads = self._threads
        result, has_ended = _native.read_inline(method, (self._sync, *args), kwargs, self._in_memory)
        if has_ended:
            return result  # type: ignore[return-value]
        return await threads.run(method, self._sync, *args, **kwargs)

    coroutine: Callable[Concatenate[Any, P], Coroutine[Any, Any, R]] = described(call, method, "This is a coroutine.")
    return coroutine


def described(call: Any, method: Any, difference: str) -> Any:
    """Gives a method the name, signature and docstring of the synchronous one, and adds the difference."""
    functools.update_wrapper(call, method, assigned=("__name__", "__qualname__"), updated=())
    del call.__wrapped__
    # Some versions of Python cannot tell the signatures of native methods.
    with contextlib.suppress(ValueError):
        call.__signature__ = inspect.signature(method)
    call.__doc__ = (
        f"{inspect.getdoc(method)}\n\n{difference} The examples are those of `hjall.{method.__qualname__}`.\n"
    )
    return call
