"""aiohappybase: HappyBase's methods as coroutines, many of them concurrently on one event loop."""
import asyncio

import pytest
import pytest_asyncio
from aiohappybase import Connection, ConnectionPool


@pytest_asyncio.fixture
async def aio(address, table):
    """A table with the families f (3 versions) and g (1 version), accessed through aiohappybase."""
    async with Connection(*address) as connection:
        yield connection.table(table.name)


@pytest.mark.asyncio
async def test_rows_versions_and_deletes(aio):
    await aio.put(b"r", {b"f:a": b"1"}, timestamp=1)
    await aio.put(b"r", {b"f:a": b"2", b"g:b": b"x"}, timestamp=2)
    assert await aio.row(b"r", include_timestamp=True) == {b"f:a": (b"2", 2), b"g:b": (b"x", 2)}
    assert await aio.cells(b"r", b"f:a", versions=3) == [b"2", b"1"]
    await aio.delete(b"r", [b"g"])
    assert await aio.row(b"r") == {b"f:a": b"2"}


@pytest.mark.asyncio
async def test_scans(aio):
    async with aio.batch() as b:
        for i in range(300):
            await b.put(b"%03d" % i, {b"f:n": b"%d" % i})
    assert [key async for key, _ in aio.scan(row_prefix=b"12")] == [b"12%d" % i for i in range(10)]
    assert [key async for key, _ in aio.scan(reverse=True, limit=2)] == [b"299", b"298"]
    assert len([key async for key, _ in aio.scan(batch_size=7)]) == 300


@pytest.mark.asyncio
async def test_deleting_and_putting_a_row_in_one_batch_leaves_the_put(aio):
    for i in range(100):
        async with aio.batch() as b:
            await b.delete(b"r")
            await b.put(b"r", {b"f:n": b"%d" % i})
        assert await aio.row(b"r") == {b"f:n": b"%d" % i}


@pytest.mark.asyncio
async def test_appends_and_counters(aio):
    assert await aio.append(b"r", {b"f:a": b"ab"}) == {b"f:a": b"ab"}
    assert await aio.append(b"r", {b"f:a": b"cd"}) == {b"f:a": b"abcd"}
    assert await aio.counter_inc(b"r", b"g:n", 5) == 5
    async with aio.batch() as b:
        await b.counter_inc(b"r", b"g:n", 2)
        await b.counter_dec(b"r", b"g:n", 4)
    assert await aio.counter_get(b"r", b"g:n") == 3


@pytest.mark.asyncio
async def test_sixty_four_tasks_over_a_pool(address, aio):
    async with ConnectionPool(size=16, host=address[0], port=address[1]) as pool:
        async def work(n):
            for i in range(10):
                async with pool.connection() as connection:
                    await connection.table(aio.name).put(b"%02d" % n, {b"f:%d" % i: b"x"})

        await asyncio.gather(*(work(n) for n in range(64)))
    assert [len(row) async for _, row in aio.scan()] == [10] * 64


@pytest.mark.asyncio
@pytest.mark.parametrize("transport", ["buffered", "framed"])
async def test_both_transports(address, table, transport):
    async with Connection(*address, transport=transport) as connection:
        mine = connection.table(table.name)
        await mine.put(b"r", {b"f:a": transport.encode()})
        assert await mine.row(b"r") == {b"f:a": transport.encode()}
