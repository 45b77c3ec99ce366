"""hjall.aio: all methods as coroutines."""

import asyncio
import inspect
import struct
import threading

import pytest

import hjall
from hjall import aio

pytestmark = pytest.mark.asyncio


@pytest.fixture(params=["memory", "folder"])
def opened(request, tmp_path):
    """Returns a function that makes an unopened database in memory or in a folder."""
    return lambda **options: aio.memory(**options) if request.param == "memory" else aio.open(tmp_path, **options)


async def filled(db, rows=10):
    """Creates a table `t` with `rows` rows."""
    await db.create_table("t", {"f": {"max_versions": 3}, "g": {}})
    table = db.table("t")
    async with table.batch() as batch:
        for n in range(rows):
            await batch.put(b"r%04d" % n, {b"f:n": b"%d" % n, b"g:x": b"x"})
    return table


async def test_rows_are_put_read_and_deleted(opened):
    async with opened() as db:
        table = await filled(db, 3)
        assert await table.row(b"r0001") == {b"f:n": b"1", b"g:x": b"x"}
        assert await table.row(b"r0001", columns=[b"f"]) == {b"f:n": b"1"}
        assert await table.rows([b"r0000", b"r0002"], columns=[b"f:n"]) == [
            (b"r0000", {b"f:n": b"0"}),
            (b"r0002", {b"f:n": b"2"}),
        ]
        await table.put(b"r0001", {b"f:n": b"later"}, timestamp=2**50)
        assert await table.cells(b"r0001", b"f:n", versions=2) == [b"later", b"1"]
        await table.delete(b"r0001")
        assert await table.exists(b"r0000") and not await table.exists(b"r0001", timestamp=2**50)
        assert await table.counter_inc(b"c", b"f:c") == 1
        assert await table.counter_dec(b"c", b"f:c", 3) == -2
        await table.counter_set(b"c", b"f:c", 7)
        assert await table.counter_get(b"c", b"f:c") == 7
        assert await table.check_and_put(b"new", b"f:n", None, {b"f:n": b"1"})
        assert await table.append(b"new", {b"f:n": b"2"}) == {b"f:n": b"12"}


async def test_tables_are_managed(opened):
    async with opened(table_prefix="app") as db:
        await db.create_table("t", {"f": {"max_versions": 2}})
        assert await db.tables() == [b"t"] and db.table("t").name == b"app_t"
        assert (await db.table("t").families())[b"f"]["max_versions"] == 2
        assert await db.table_exists("t") and await db.is_table_enabled("t")
        await db.disable_table("t")
        with pytest.raises(hjall.TableDisabled):
            await db.table("t").row(b"r")
        await db.enable_table("t")
        await db.flush_table("t")
        await db.compact_table("t", major=True)
        await db.delete_table("t", disable=True)
        assert await db.tables() == []
        with pytest.raises(LookupError):
            await db.table("t").row(b"r")


async def test_a_scan_takes_the_arguments_of_the_synchronous_scan(opened):
    async with opened() as db:
        table = await filled(db)
        for arguments in [
            {},
            {"row_prefix": b"r0003"},
            {"row_start": b"r0002", "row_stop": b"r0005"},
            {"limit": 4, "batch_size": 3},
            {"reverse": True, "limit": 2},
            {"columns": [b"f:n"]},
            {"filter": b"ValueFilter(=, 'binary:5')"},
            {"include_timestamp": True},
            {"scan_batching": 1},
            {"batch_size": 1},
        ]:
            assert [row async for row in table.scan(**arguments)] == list(table.sync.scan(**arguments)), arguments
        assert [row async for row in table] == list(table.sync.scan())
        assert [row async for row in table.scan_cells(versions=None)] == list(table.sync.scan_cells(versions=None))


async def test_invalid_arguments_are_rejected(opened):
    async with opened() as db:
        table = await filled(db, 1)
        for arguments, error in [
            ({"limit": 0}, ValueError),
            ({"row_prefix": b"a", "row_start": b"b"}, TypeError),
            ({"row_start": "text"}, TypeError),
        ]:
            with pytest.raises(error):
                async for _ in table.scan(**arguments):
                    pass
        with pytest.raises(ValueError, match="threads"):
            opened(threads=0)


async def test_batches_send_as_they_fill_and_at_the_end(opened):
    async with opened() as db:
        table = await filled(db, 0)
        async with table.batch(batch_size=2) as batch:
            for n in range(3):
                await batch.put(b"r%d" % n, {b"f:n": b"1"})
            assert [key async for key, _ in table.scan()] == [b"r0", b"r1"]
            await batch.delete(b"r0")
        assert [key async for key, _ in table.scan()] == [b"r1", b"r2"]
        with pytest.raises(RuntimeError):
            async with table.batch(transaction=True) as batch:
                await batch.put(b"never", {b"f:n": b"1"})
                raise RuntimeError
        assert await table.row(b"never") == {}


async def test_many_tasks_count_together(opened):
    async with opened(threads=3) as db:
        table = await filled(db, 0)

        async def count():
            for _ in range(20):
                await table.counter_inc(b"c", b"f:c")

        await asyncio.gather(*(count() for _ in range(10)))
        assert await table.row(b"c") == {b"f:c": struct.pack(">q", 200)}
        assert db.threads == 3


async def test_calls_run_at_the_same_time(opened):
    """Two calls that wait for each other return only if each of them has a thread."""
    async with opened(threads=2) as db:
        import threading

        together = threading.Barrier(2, timeout=60)
        await asyncio.gather(db._threads.run(together.wait), db._threads.run(together.wait))


async def test_arrow_data_is_read_and_written(opened):
    async with opened() as db:
        table = await filled(db)
        scan = table.scan_arrow({"f:n": "int_text"}, batch_rows=4, row_type=str)
        assert await scan.column_names() == ["row", "f:n"]
        frame = await scan.to_polars()
        assert frame["f:n"].to_list() == list(range(10))
        assert (await scan.to_pyarrow()).num_rows == len(await scan.to_pandas()) == 10
        assert [len(batch) async for batch in scan] == [4, 4, 2]
        await db.create_table("copy", {"f": {}})
        assert await db.table("copy").load_arrow(await scan.collect()) == 10
        assert [key async for key, _ in db.table("copy").scan()] == [b"r%04d" % n for n in range(10)]


async def test_a_database_can_be_served(opened):
    import happybase

    async with opened() as db:
        await filled(db, 2)
        async with db.serve(port=0) as server:
            assert server.is_open and server.address == (server.host, server.port)
            assert repr(server) == f"<hjall.aio.server.Server 127.0.0.1:{server.port}>"

            def keys():
                connection = happybase.Connection(server.host, server.port)
                found = [key for key, _ in connection.table("t").scan()]
                connection.close()
                return found

            assert await asyncio.to_thread(keys) == [b"r0000", b"r0001"]
        assert not server.is_open and repr(server).endswith(f":{server.port} (closed)>")


async def test_a_server_can_be_awaited(opened):
    async with opened() as db:
        async with await db.serve(port=0) as server:
            assert server.is_open
        assert not server.is_open
        # Functions that take coroutines accept it.
        servers = [
            await asyncio.create_task(db.serve(port=0)),
            *await asyncio.gather(db.serve(port=0), db.serve(port=0)),
        ]
        assert all(server.is_open for server in servers)
        with pytest.raises(OSError, match="serve: cannot listen"):
            async with db.serve(host="192.0.2.1"):
                pass
    assert not any(server.is_open for server in servers)


async def test_a_failed_batch_lists_its_failures(opened):
    async with opened() as db:
        await db.create_table("t", {"f": {}})
        with pytest.raises(hjall.FamilyNotFound, match="and 1 more row of the batch failed") as caught:
            async with db.table("t").batch() as batch:
                await batch.put(b"a", {b"no:a": b"1"})
                await batch.put(b"b", {b"f:a": b"1"})
                await batch.put(b"c", {b"no:a": b"1"})
        assert [row for row, _ in caught.value.failures] == [b"a", b"c"]


async def test_every_method_exists():
    """The asynchronous classes have all methods of the synchronous ones."""
    for ours, theirs, others in [
        (aio.Table, hjall.Table, {"scan_arrow"}),
        (aio.Database, hjall.Database, set()),
        (aio.Batch, hjall.Batch, set()),
    ]:
        verbs = {name for name in dir(theirs) if not name.startswith("_")} - {
            "compat",
            "connection",
            "name",
            "cluster_id",
            "now_ms",
        }
        assert verbs <= set(dir(ours)) | others, verbs - set(dir(ours))


async def test_wrappers_name_the_wrapped_method():
    assert inspect.iscoroutinefunction(aio.Table.row) and aio.Table.row.__name__ == "row"
    assert "hjall.Table.put" in aio.Table.put.__doc__


async def test_await_opens(tmp_path):
    db = await aio.open(tmp_path)
    assert db.is_open
    await db.create_table("t", {"f": {}})
    await db.close()
    memory = await aio.memory()
    assert await memory.tables() == []
    await memory.close()


async def test_reads_in_memory_run_on_the_event_loop(tmp_path):
    """A database whose threads are all busy still answers reads of rows in memory."""

    async def read_while_busy(db, table):
        release = threading.Event()
        busy = [asyncio.ensure_future(db._threads.run(release.wait, 60)) for _ in range(db.threads)]
        await asyncio.sleep(0)
        try:
            return await asyncio.wait_for(table.row(b"r0000"), 30)
        finally:
            release.set()
            await asyncio.gather(*busy)

    async with aio.memory(threads=1) as db:
        table = await filled(db)
        assert await read_while_busy(db, table) == {b"f:n": b"0", b"g:x": b"x"}
        assert (await table.rows([b"r0001"]))[0][0] == b"r0001"
        with pytest.raises(hjall.FamilyNotFound):
            await table.row(b"r0000", columns=[b"no"])
        with pytest.raises(TypeError):
            await table.row(5)
        # A read of many cells is passed to a thread.
        await table.put(b"wide", {b"f:%04d" % n: b"x" for n in range(5000)})
        assert len(await table.row(b"wide")) == 5000
    async with aio.open(tmp_path, threads=1) as db:
        table = await filled(db)
        for _ in range(3):  # reads put the row into the row cache
            await table.row(b"r0000")
        assert await read_while_busy(db, table) == {b"f:n": b"0", b"g:x": b"x"}


async def test_a_batch_only_needs_a_thread_to_send(opened):
    async with opened(threads=1) as db:
        table = await filled(db, 0)
        release = threading.Event()
        busy = asyncio.ensure_future(db._threads.run(release.wait, 60))
        batch = table.batch(batch_size=4)
        for n in range(3):
            await asyncio.wait_for(batch.put(b"r%d" % n, {b"f:n": b"1"}), 30)
        release.set()
        await busy
        assert [key async for key, _ in table.scan()] == []
        await batch.delete(b"r0", (column for column in (b"f:m",)))
        assert [key async for key, _ in table.scan()] == [b"r0", b"r1", b"r2"]
        # As in HappyBase, the delete of a row counts its families.
        await batch.delete(b"r0")
        await batch.delete(b"r1")
        assert [key async for key, _ in table.scan()] == [b"r2"]
        assert repr(batch) == "<hjall.aio.batch.Batch of b't'>"


async def test_a_pool_limits_the_tasks(tmp_path):
    async with aio.ConnectionPool(2, tmp_path) as pool:
        async with pool.connection() as one, pool.connection() as two:
            assert one is two and await one.tables() == []
            assert repr(pool) == "<hjall.aio.pool.ConnectionPool: 0 of 2 connections are free>"
            with pytest.raises(hjall.NoConnectionsAvailable, match=r"0\.01 s"):
                async with pool.connection(timeout=0.01):
                    pass
            waiting = asyncio.ensure_future(pool.connection().__aenter__())
            cancelled = asyncio.ensure_future(pool.connection().__aenter__())
            await asyncio.sleep(0)
            cancelled.cancel()
        assert await asyncio.wait_for(waiting, 30) is one
        async with pool.connection(timeout=30):
            pass
