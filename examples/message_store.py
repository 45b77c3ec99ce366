#!/usr/bin/env python3
"""A message store: messages by phone number and time, and an index by day.

    message_store.py [HOST:PORT]

Both tables are split when they are created, at keys that are known in advance, so that on a cluster all servers share
the load from the first message on. HappyBase cannot create split tables, but HBase's second Thrift service can. hjall
serves both on one port.
"""
import hashlib
import pathlib
import sys
import threading

import happybase
import thriftpy2
from thriftpy2.rpc import make_client

LONG_MAX = 2**63 - 1
IDL = pathlib.Path(__file__).resolve().parents[1] / "idl" / "thrift" / "hbase2.thrift"
# The first two digits of reversed numbers are evenly distributed: 20 regions of five pairs each. The keys of the index
# start with one digit: 10 regions.
DATA_SPLITS = [b"%02d" % i for i in range(5, 100, 5)]
INDEX_SPLITS = [b"%d" % i for i in range(1, 10)]
DAY_MS = 86_400_000


def data_key(mobile, time):
    """The reversed number and the inverted timestamp, so that the newest message comes first."""
    return mobile[::-1] + b"%019d" % (LONG_MAX - time)


def index_key(mobile, account, time):
    """A salt digit, the day, the hash of the account (16 bytes), the number and the inverted timestamp."""
    salt = b"%d" % (int.from_bytes(hashlib.md5(mobile).digest()[:4], "big") % 10)
    account_hash = hashlib.md5(account).digest()
    return salt + b"%08d" % (time // DAY_MS) + account_hash + mobile + b"%019d" % (LONG_MAX - time)


def create(host, port, name, family, splits):
    """Creates a table that is split at these keys, through the second Thrift service."""
    hbase2 = thriftpy2.load(str(IDL), module_name="hbase2_thrift")
    client = make_client(hbase2.THBaseService, host, port)
    client.createTable(hbase2.TTableDescriptor(
        tableName=hbase2.TTableName(qualifier=name), columns=[hbase2.TColumnFamilyDescriptor(name=family)]), splits)
    client.close()


def send(data, index, mobile, account, time, text):
    """Writes one message and its index entry, each to one row."""
    data.put(data_key(mobile, time), {b"m:text": text, b"m:account": account, b"m:state": b"sent"})
    index.put(index_key(mobile, account, time), {b"i:row": data_key(mobile, time)})


def messages_of(data, mobile, since, until):
    """The messages of a number from `since` until before `until`, newest first."""
    start, stop = data_key(mobile, until - 1), data_key(mobile, since - 1)
    return [row[b"m:text"] for _, row in data.scan(row_start=start, row_stop=stop)]


def messages_on(data, index, day):
    """All messages of a day: scans one range of the index per salt digit, then reads the rows in one call."""
    keys = []
    for salt in range(10):
        keys += [row[b"i:row"] for _, row in index.scan(row_prefix=b"%d%08d" % (salt, day))]
    return sorted(row[b"m:text"] for _, row in data.rows(keys))


def show(host, port, data, index):
    assert len(data.regions()) == 20 and len(index.regions()) == 10
    assert [region["start_key"] for region in data.regions()] == [b"", *DATA_SPLITS]

    numbers = [b"1380000%04d" % i for i in range(0, 3000, 37)]
    for i, mobile in enumerate(numbers):
        for day in (100, 101):
            send(data, index, mobile, b"bank", day * DAY_MS + i, b"%d/%s" % (day, mobile))
    first = numbers[0]
    assert messages_of(data, first, 100 * DAY_MS, 101 * DAY_MS) == [b"100/" + first]
    assert messages_of(data, first, 100 * DAY_MS, 102 * DAY_MS) == [b"101/" + first, b"100/" + first]
    on_day = messages_on(data, index, 101)
    print(f"{len(on_day)} messages on day 101")
    assert on_day == [b"101/" + mobile for mobile in numbers]

    # The messages are distributed over all regions.
    bounds = [*DATA_SPLITS, b"\xff"]
    shares = [0] * len(bounds)
    for key, _ in data.scan(columns=[b"m:state"]):
        shares[next(i for i, bound in enumerate(bounds) if key < bound)] += 1
    print("messages per region:", shares)
    assert sum(shares) == 2 * len(numbers) and min(shares) > 0

    # A scan during writes returns at least the rows that were written before it.
    def write_more():
        connection = happybase.Connection(host, port)
        tables = connection.table(data.name), connection.table(index.name)
        for i in range(100):
            send(*tables, b"1390000%04d" % i, b"shop", 102 * DAY_MS, b"late")
        connection.close()

    writer = threading.Thread(target=write_more)
    writer.start()
    counted = sum(1 for _ in data.scan(columns=[b"m:state"], batch_size=50))
    writer.join()
    print(f"counted {counted} during writes")
    assert 2 * len(numbers) <= counted <= 2 * len(numbers) + 100
    assert sum(1 for _ in data.scan(columns=[b"m:state"])) == 2 * len(numbers) + 100


def main():
    host, port = (sys.argv[1] if len(sys.argv) > 1 else "127.0.0.1:9090").rsplit(":", 1)
    port = int(port)
    db = happybase.Connection(host, port)
    create(host, port, "messages", "m", DATA_SPLITS)
    create(host, port, "messages-by-day", "i", INDEX_SPLITS)
    try:
        show(host, port, db.table("messages"), db.table("messages-by-day"))
    finally:
        for name in ("messages", "messages-by-day"):
            db.delete_table(name, disable=True)


if __name__ == "__main__":
    main()
