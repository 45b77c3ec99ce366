"""hjall.aio: cancellation and closing. The tests wait for events and count outcomes; they do not measure time."""

import asyncio
import os
import threading

import pytest

import hjall
from hjall import aio
from hjall.aio.threads import Threads

pytestmark = pytest.mark.asyncio


class Gate(Threads):
    """Threads on which calls of one name wait until a gate is opened, and which record the outcomes of these calls."""

    def __init__(self, inner, name):
        super().__init__(inner.count)
        self.name, self.reached, self.opened = name, threading.Event(), threading.Event()
        self.outcomes = []

    async def run(self, call, *args, **kwargs):
        if getattr(call, "__name__", "") != self.name:
            return await super().run(call, *args, **kwargs)

        def gated():
            self.reached.set()
            assert self.opened.wait(60)
            try:
                result = call(*args, **kwargs)
            except BaseException as error:
                self.outcomes.append(type(error).__name__)
                raise
            self.outcomes.append(len(result))
            return result

        return await super().run(gated)


async def until(event):
    """Waits for a `threading.Event` without blocking the event loop."""
    assert await asyncio.to_thread(event.wait, 60)


async def table_of(db, rows):
    """Creates a table with `rows` rows."""
    await db.create_table("t", {"f": {}})
    async with db.table("t").batch() as batch:
        for n in range(rows):
            await batch.put(b"%05d" % n, {b"f:n": b"1"})
    return db.table("t")


async def settled(gate):
    """Waits until the only thread has finished all earlier calls."""
    await gate.run(lambda: None)


async def test_cancelling_a_task_stops_its_scan():
    async with aio.memory(threads=1) as db:
        table = await table_of(db, 100)
        gate = table._threads = Gate(db._threads, "fetch")
        seen = []

        async def read():
            async for key, _ in table.scan(batch_size=10):
                seen.append(key)

        task = asyncio.create_task(read())
        await until(gate.reached)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        gate.opened.set()
        await settled(gate)
        assert seen == [] and gate.outcomes == ["Cancelled"], "the fetch was not cancelled"
        gate.end()


async def test_a_timeout_stops_a_scan_like_any_other_cancellation():
    async with aio.memory(threads=1) as db:
        table = await table_of(db, 100)
        gate = table._threads = Gate(db._threads, "fetch")
        with pytest.raises(asyncio.TimeoutError):
            await asyncio.wait_for(anext(table.scan()), 0.01)
        gate.opened.set()
        await settled(gate)
        assert gate.outcomes in (["Cancelled"], []), "the fetch was neither cancelled nor prevented"
        gate.end()


async def test_closing_a_scan_stops_fetching():
    async with aio.memory(threads=1) as db:
        table = await table_of(db, 100)
        gate = table._threads = Gate(db._threads, "fetch")
        gate.opened.set()
        scan = table.scan(batch_size=10)
        assert (await anext(scan))[0] == b"00000"
        await scan.aclose()
        await settled(gate)
        assert gate.outcomes == [10], "a fetch of the first rows was repeated"
        with pytest.raises(StopAsyncIteration):
            await anext(scan)
        gate.end()


async def test_a_call_that_is_cancelled_while_it_waits_is_not_made():
    async with aio.memory(threads=1) as db:
        table = await table_of(db, 0)
        hold = threading.Event()
        busy = asyncio.create_task(db._threads.run(hold.wait, 60))
        await asyncio.sleep(0)
        put = asyncio.create_task(table.put(b"r", {b"f:n": b"1"}))
        await asyncio.sleep(0)
        put.cancel()
        with pytest.raises(asyncio.CancelledError):
            await put
        hold.set()
        await busy
        assert await table.row(b"r") == {}


async def test_closing_ends_scans_and_rejects_calls():
    db = aio.memory()
    assert not db.is_open
    async with db:
        table = await table_of(db, 100)
        scan = table.scan(batch_size=10)
        assert (await anext(scan))[0] == b"00000"
    assert not db.is_open
    with pytest.raises((hjall.Cancelled, hjall.Closed)):
        async for _ in scan:
            pass
    with pytest.raises(hjall.Closed):
        await table.row(b"r")
    await db.close()


async def test_a_folder_can_be_opened_again(tmp_path):
    db = aio.open(tmp_path)
    await db.open()
    await table_of(db, 3)
    await db.close()
    async with db:
        assert len([row async for row in db.table("t").scan()]) == 3


async def test_closing_a_database_ends_its_threads():
    before = set(threading.enumerate())
    async with aio.memory() as db:
        await db.tables()
        mine = [thread for thread in set(threading.enumerate()) - before if thread.name.startswith("hjall-aio")]
        assert mine
    for thread in mine:
        await asyncio.to_thread(thread.join, 60)
        assert not thread.is_alive()


async def test_several_event_loops_use_a_database():
    db = aio.memory()

    def one_loop(n):
        async def use():
            await db.open()
            if n == 0:
                await db.create_table("t", {"f": {}})
            await db.table("t").put(b"%d" % n, {b"f:n": b"1"})
            return [key async for key, _ in db.table("t").scan()]

        return asyncio.run(use())

    for n in range(3):
        assert len(await asyncio.to_thread(one_loop, n)) == n + 1
    await db.close()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the platform cannot fork")
async def test_a_forked_child_gets_an_error():
    async with aio.memory() as db:
        await db.tables()
        reader, writer = os.pipe()
        if (child := os.fork()) == 0:
            coroutine = db.tables()
            try:
                coroutine.send(None)
            except BaseException as error:
                os.write(writer, type(error).__name__.encode())
            os._exit(0)
        os.close(writer)
        os.waitpid(child, 0)
        assert os.read(reader, 100) == b"ForkError"
        os.close(reader)
        assert await db.tables() == []
