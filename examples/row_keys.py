#!/usr/bin/env python3
"""Row key recipes: salt, hash, reverse, metric and time, newest first.

    row_keys.py [HOST:PORT]

If row keys increase with time, all writes go to the last region, which is on one server. Each recipe distributes the
writes or supports a kind of query, at the cost of other queries.
"""
import hashlib
import heapq
import struct
import sys

import happybase

LONG_MAX = 2**63 - 1


def salt(table):
    """A rotating prefix distributes writes over four ranges. Reading a range merges four scans."""
    keys = [b"foo%04d" % i for i in range(20)]
    for i, key in enumerate(keys):
        table.put(b"abcd"[i % 4:i % 4 + 1] + b"-" + key, {b"f:n": key})
    parts = [table.scan(row_start=s + b"-foo0003", row_stop=s + b"-foo0009") for s in (b"a", b"b", b"c", b"d")]
    merged = list(heapq.merge(*([row[b"f:n"] for _, row in part] for part in parts)))
    print("salt: merged from four scans:", merged)
    assert merged == keys[3:9]


def hashed(key):
    """The key with a prefix that is computed from it, so that a get can compute it again."""
    return hashlib.md5(key).digest()[:4] + key


def hash_prefix(table):
    for i in range(50):
        table.put(hashed(b"user%03d" % i), {b"f:n": b"%d" % i})
    assert table.row(hashed(b"user042")) == {b"f:n": b"42"}
    order = [key[4:] for key, _ in table.scan()]
    print("hash: users in the order of the scan:", order[:3])
    assert sorted(order) != order and len(order) == 50


def reverse(table):
    """Phone numbers have common prefixes and different suffixes."""
    for number in (b"13800000001", b"13800000002", b"13900000001"):
        table.put(number[::-1], {b"f:number": number})
    ends_with_1 = [row[b"f:number"] for _, row in table.scan(row_prefix=b"1")]
    print("reverse: numbers that end with 1:", ends_with_1)
    assert ends_with_1 == [b"13800000001", b"13900000001"]


def metric_and_time(table):
    """Metric and time, both of fixed length: a period of one metric is one range."""
    for metric in (b"cpu.load", b"mem.free"):
        for time in range(1000, 1100):
            table.put(metric + struct.pack(">q", time), {b"f:v": b"%d" % time})
    period = table.scan(row_start=b"cpu.load" + struct.pack(">q", 1010), row_stop=b"cpu.load" + struct.pack(">q", 1013))
    values = [row[b"f:v"] for _, row in period]
    print("metric and time:", values)
    assert values == [b"1010", b"1011", b"1012"]


def newest_first(table):
    """The key and LONG_MAX - time, as 19 digits: a scan with limit 1 returns the newest row."""
    def key(time):
        return b"sensor-" + b"%019d" % (LONG_MAX - time)

    for time in (1500, 1400, 1700, 1600):
        table.put(key(time), {b"f:t": b"%d" % time})
    (_, newest), = table.scan(row_prefix=b"sensor-", limit=1)
    print("newest first:", newest)
    assert newest == {b"f:t": b"1700"}
    # A period is a range from LONG_MAX - end to LONG_MAX - start.
    period = [row[b"f:t"] for _, row in table.scan(row_start=key(1600), row_stop=key(1400))]
    assert period == [b"1600", b"1500"]


def main():
    host, port = (sys.argv[1] if len(sys.argv) > 1 else "127.0.0.1:9090").rsplit(":", 1)
    db = happybase.Connection(host, int(port))
    for recipe in (salt, hash_prefix, reverse, metric_and_time, newest_first):
        name = f"keys-{recipe.__name__}"
        db.create_table(name, {"f": {}})
        try:
            recipe(db.table(name))
        finally:
            db.delete_table(name, disable=True)


if __name__ == "__main__":
    main()
