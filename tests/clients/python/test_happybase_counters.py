"""HappyBase: counters."""
import struct
import threading

import happybase


def test_a_counter_counts(table):
    assert table.counter_get(b"r", b"f:n") == 0
    assert table.counter_inc(b"r", b"f:n") == 1
    assert table.counter_inc(b"r", b"f:n", 41) == 42
    assert table.counter_dec(b"r", b"f:n", 50) == -8
    table.counter_set(b"r", b"f:n", 7)
    assert table.counter_inc(b"r", b"f:n", 3) == 10
    assert table.counter_get(b"r", b"f:n") == 10


def test_a_counter_is_eight_bytes(table):
    table.counter_inc(b"r", b"f:n")
    assert table.row(b"r") == {b"f:n": b"\0\0\0\0\0\0\0\1"}
    table.put(b"r", {b"f:n": struct.pack(">q", 2**40)})
    assert table.counter_inc(b"r", b"f:n", -1) == 2**40 - 1


def test_counting_after_setting_in_the_same_millisecond(table):
    for i in range(300):
        table.counter_set(b"r", b"f:n", i)
        assert table.counter_inc(b"r", b"f:n") == i + 1
        assert table.counter_get(b"r", b"f:n") == i + 1


def test_concurrent_increments_are_not_lost(address, table):
    pool = happybase.ConnectionPool(8, host=address[0], port=address[1])

    def count():
        with pool.connection() as connection:
            for _ in range(100):
                connection.table(table.name).counter_inc(b"r", b"f:n")

    threads = [threading.Thread(target=count) for _ in range(8)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert table.counter_get(b"r", b"f:n") == 800
