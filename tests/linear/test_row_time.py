"""A row that changes faster than once a millisecond runs ahead of the clock, but hides no acknowledged write."""

import pytest

from calls import Thrift1, Thrift2, create_table, one
from row_model import decode, encode
from serving import Hjall

COLUMN = "f:n"
FAMILIES = [{}, {b"NEW_VERSION_BEHAVIOR": b"true"}]


def value(client):
    """The column through both kinds of reads; None if it is absent."""
    cells = client.one.get(b"t", b"r", COLUMN.encode(), {})
    rows = client.one.getRow(b"t", b"r", {})
    assert [cell.value for cell in cells] == [row.columns[COLUMN.encode()].value for row in rows]
    return decode(COLUMN, cells[0].value) if cells else None


def put(client, number):
    client.one.mutateRow(b"t", b"r", [one.Mutation(column=COLUMN.encode(), value=encode(COLUMN, number))], {})


def delete(client):
    client.one.mutateRow(b"t", b"r", [one.Mutation(column=COLUMN.encode(), isDelete=True)], {})


def increment(client, count, step=250):
    """Increments by one, `step` times in each call."""
    for begin in range(0, count, step):
        client.one.incrementRows(
            [one.TIncrement(table=b"t", row=b"r", column=COLUMN.encode(), ammount=1)] * min(step, count - begin)
        )


# With NEW_VERSION_BEHAVIOR, reads load all versions of a column.
@pytest.mark.parametrize(
    ("attributes", "count"), list(zip(FAMILIES, (6000, 300), strict=True)), ids=["plain", "ordered"]
)
def test_writes_after_fast_increments_are_seen(attributes, count, tmp_path):
    with Hjall(tmp_path / "data") as server, Thrift1(server.port) as client:
        create_table(client, b"t", {"f": 3}, attributes)
        increment(client, count)
        assert value(client) == count
        for number in range(5):
            delete(client)
            assert value(client) is None
            put(client, number)
            assert value(client) == number
        increment(client, 10)
        assert value(client) == 14
        put(client, 7)
        assert value(client) == 7
        delete(client)
        assert value(client) is None
        put(client, 8)
        server.kill()
        server.start()
        with Thrift1(server.port) as again:
            assert value(again) == 8
            delete(again)
            assert value(again) is None


@pytest.mark.parametrize("attributes", FAMILIES, ids=["plain", "ordered"])
def test_puts_after_fast_deletes_are_seen(attributes, tmp_path):
    with Hjall(tmp_path / "data") as server, Thrift1(server.port) as client, Thrift2(server.port) as second:
        create_table(client, b"t", {"f": 1}, attributes)
        # Each delete takes the row one millisecond ahead. From 1 s ahead on, they wait for the clock.
        for number in range(3):
            assert second.two.deleteMultiple(b"t", [second.delete_of(b"r", [COLUMN])] * 600) == []
            assert value(client) is None
            put(client, number)
            assert value(client) == number
        for end in (server.kill, server.stop):
            last = value(Thrift1(server.port))
            end()
            server.start()
            with Thrift1(server.port) as again:
                assert value(again) == last
                delete(again)
                assert value(again) is None
                put(again, last + 1)
                assert value(again) == last + 1
