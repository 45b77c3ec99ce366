#!/usr/bin/env python3
"""Counters: hits per day, counted by several threads at the same time.

    counters.py [HOST:PORT]
"""
import struct
import sys
import threading

import happybase

THREADS, EACH = 8, 50


def main():
    host, port = (sys.argv[1] if len(sys.argv) > 1 else "127.0.0.1:9090").rsplit(":", 1)
    db = happybase.Connection(host, int(port))
    db.create_table("counters", {"daily": dict(max_versions=1), "weekly": dict(max_versions=1)})
    try:
        show(db.table("counters"), host, int(port))
    finally:
        db.delete_table("counters", disable=True)


def show(table, host, port):
    assert table.counter_inc(b"20151104", b"daily:hits") == 1
    assert table.counter_inc(b"20151104", b"daily:hits", 5) == 6
    assert table.counter_dec(b"20151104", b"daily:hits", 4) == 2
    # counter_get increments by 0. A new counter is 0.
    assert table.counter_get(b"20151104", b"daily:hits") == 2
    assert table.counter_get(b"20151104", b"weekly:hits") == 0
    # A counter is stored as 8 bytes, big-endian, which any client can read and write.
    assert table.row(b"20151104", columns=[b"daily"]) == {b"daily:hits": struct.pack(">q", 2)}

    def count():
        connection = happybase.Connection(host, port)
        for _ in range(EACH):
            connection.table(table.name).counter_inc(b"20151105", b"daily:hits")
        connection.close()

    threads = [threading.Thread(target=count) for _ in range(THREADS)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    total = table.counter_get(b"20151105", b"daily:hits")
    print(f"{THREADS} threads, {EACH} increments each: {total}")
    assert total == THREADS * EACH


if __name__ == "__main__":
    main()
