"""The signatures of hjall.aio's methods, and hjall.aio with trio."""

import inspect
import threading

import pytest
import trio
from test_aio import filled

import hjall
from hjall import aio


def test_signatures_and_docstrings_are_the_real_ones():
    signature = inspect.signature(aio.Table.row)
    assert list(signature.parameters)[:5] == ["self", "row", "columns", "timestamp", "include_timestamp"]
    assert inspect.signature(aio.Database.create_table) == inspect.signature(hjall.Database.create_table)
    assert inspect.signature(aio.Table.scan_arrow) == inspect.signature(hjall.Table.scan_arrow)
    assert inspect.iscoroutinefunction(aio.Table.row)
    assert "include_timestamp" in aio.Table.row.__doc__ and aio.Table.row.__name__ == "row"
    assert ":param layout:" in aio.Table.scan_arrow.__doc__


def test_trio():
    async def main():
        async with aio.memory(threads=2) as db:
            table = await filled(db, 5)
            await table.put(b"x", {b"f:n": b"1"})
            frame = await table.scan_arrow({"f:n": "int_text"}).to_polars()
            assert frame.height == 6
            return [key async for key, _ in table.scan(row_start=b"r0003")], await table.row(b"x")

    assert trio.run(main) == ([b"r0003", b"r0004", b"x"], {b"f:n": b"1"})


def test_a_pool_under_trio():
    async def main():
        async with aio.ConnectionPool(1, database=await aio.memory()) as pool:
            async with pool.connection() as one:
                with pytest.raises(hjall.NoConnectionsAvailable, match=r"0\.01 s"):
                    async with pool.connection(timeout=0.01):
                        pass
                with trio.move_on_after(0.01):
                    await pool.connection().__aenter__()
            async with pool.connection(timeout=30) as again:
                assert again is one

    trio.run(main)


def test_cancelling_a_task_of_trio_does_not_wait_for_its_call():
    release, started = threading.Event(), threading.Event()

    def call():
        started.set()
        assert release.wait(60)

    async def main():
        async with aio.memory(threads=1) as db:
            async with trio.open_nursery() as nursery:
                nursery.start_soon(db._threads.run, call)
                while not started.is_set():
                    await trio.lowlevel.checkpoint()
                nursery.cancel_scope.cancel()
            # The nursery has not waited for the call, which waits for this:
            release.set()

    trio.run(main)
