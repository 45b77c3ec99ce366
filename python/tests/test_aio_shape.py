"""The signatures of hjall.aio's methods, and hjall.aio without asyncio."""

import inspect

import pytest
from test_aio import filled

import hjall
from hjall import aio


def test_signatures_and_docstrings_are_the_real_ones():
    signature = inspect.signature(aio.Table.row)
    assert list(signature.parameters)[:5] == ["self", "row", "columns", "timestamp", "include_timestamp"]
    assert inspect.signature(aio.Database.create_table) == inspect.signature(hjall.Database.create_table)
    assert inspect.iscoroutinefunction(aio.Table.row)
    assert "include_timestamp" in aio.Table.row.__doc__ and aio.Table.row.__name__ == "row"


def test_trio():
    trio = pytest.importorskip("trio")
    pytest.importorskip("anyio")

    async def main():
        async with aio.memory(threads=2) as db:
            table = await filled(db, 5)
            await table.put(b"x", {b"f:n": b"1"})
            return [key async for key, _ in table.scan(row_start=b"r0003")], await table.row(b"x")

    assert trio.run(main) == ([b"r0003", b"r0004", b"x"], {b"f:n": b"1"})
