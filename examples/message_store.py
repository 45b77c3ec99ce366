#!/usr/bin/env python3
"""A message store: the messages by phone number and time, and an index of the same by day.

    message_store.py [HOST:PORT]

Both tables are split when they are made, at keys that the program knows beforehand, so that on a cluster all machines share the work
from the first message on. HappyBase cannot say splits; HBase's second Thrift service can, and hjall speaks both on one port.
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
# Reversed numbers begin with any two digits alike often: 20 regions of five pairs each. The index begins with one digit: 10 regions.
DATA_SPLITS = [b"%02d" % i for i in range(5, 100, 5)]
INDEX_SPLITS = [b"%d" % i for i in range(1, 10)]
DAY_MS = 86_400_000


def data_key(mobile, time):
    """Reversed number, newest first."""
    return mobile[::-1] + b"%019d" % (LONG_MAX - time)


def index_key(mobile, account, time):
    """A digit that spreads, the day, the account's hash (16 bytes), the number, newest first."""
    spread = b"%d" % (int.from_bytes(hashlib.md5(mobile).digest()[:4], "big") % 10)
    return spread + b"%08d" % (time // DAY_MS) + hashlib.md5(account).digest() + mobile + b"%019d" % (LONG_MAX - time)


def create(host, port, name, family, splits):
    """A table split at these keys, through the second service."""
    hbase2 = thriftpy2.load(str(IDL), module_name="hbase2_thrift")
    client = make_client(hbase2.THBaseService, host, port)
    client.createTable(hbase2.TTableDescriptor(
        tableName=hbase2.TTableName(qualifier=name), columns=[hbase2.TColumnFamilyDescriptor(name=family)]), splits)
    client.close()


def send(data, index, mobile, account, time, text):
    """One message: the data in one row, its index entry in another."""
    data.put(data_key(mobile, time), {b"m:text": text, b"m:account": account, b"m:state": b"sent"})
    index.put(index_key(mobile, account, time), {b"i:row": data_key(mobile, time)})


def messages_of(data, mobile, since, until):
    """One number's messages of a period, newest first; `until` is not part of it."""
    return [row[b"m:text"] for _, row in data.scan(row_start=data_key(mobile, until - 1), row_stop=data_key(mobile, since - 1))]


def messages_on(data, index, day):
    """All messages of a day: ten ranges of the index, then the data in one call."""
    found = []
    for spread in range(10):
        found += [row[b"i:row"] for _, row in index.scan(row_prefix=b"%d%08d" % (spread, day))]
    return sorted(row[b"m:text"] for _, row in data.rows(found))


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

    # Every region gets its share.
    bounds = [*DATA_SPLITS, b"\xff"]
    shares = [0] * len(bounds)
    for key, _ in data.scan(columns=[b"m:state"]):
        shares[next(i for i, bound in enumerate(bounds) if key < bound)] += 1
    print("messages per region:", shares)
    assert sum(shares) == 2 * len(numbers) and min(shares) > 0

    # A count while writing goes on sees everything that was there before it began.
    def more():
        mine = happybase.Connection(host, port)
        for i in range(100):
            send(mine.table(data.name), mine.table(index.name), b"1390000%04d" % i, b"shop", 102 * DAY_MS, b"late")
        mine.close()

    writer = threading.Thread(target=more)
    writer.start()
    counted = sum(1 for _ in data.scan(columns=[b"m:state"], batch_size=50))
    writer.join()
    print(f"counted {counted} while writing")
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
