"""Scans that find nothing, and clients that abandon theirs."""
import http.client
import json
import threading
import time
import urllib.parse

import happybase
import Hbase_thrift
import pytest
from attacking import AT_LENGTH, connect, message, metric, rss, struct_field, text_field

NOTHING = b"ValueFilter(=, 'substring:nothing')"


def i32_field(number, encoded):
    """An encoded field of type i32."""
    return b"\x08\0" + bytes([number]) + encoded


def fetch_all(database):
    """Seconds that a scan takes that examines every row of the table and returns none."""
    began = time.monotonic()
    assert list(database.table("t").scan(filter=NOTHING)) == []
    return time.monotonic() - began


def test_a_scan_that_finds_nothing_does_not_occupy_the_only_handler(attacked, bystander):
    server = attacked("--set", "queues.scans_running=1", "--set", "queues.scan_slice=20ms")
    database = happybase.Connection("127.0.0.1", server.port, timeout=600_000)
    database.create_table("t", {"f": {}})
    rows, alone = 0, 0.0
    while alone < (5 if AT_LENGTH else 1):
        with database.table("t").batch(batch_size=1000) as batch:
            for i in range(rows, rows + 10_000):
                batch.put(b"%08d" % i, {b"f:q": b"some value"})
        rows, alone = rows + 10_000, fetch_all(database)
    ends = []

    def scan():
        own = happybase.Connection("127.0.0.1", server.port, timeout=600_000)
        fetch_all(own)
        ends.append(time.monotonic())
        own.close()

    long_scans = [threading.Thread(target=scan) for _ in range(3)]
    with bystander(server) as reader:
        reader.reads(50)
        since = len(reader.latencies)
        for thread in long_scans:
            thread.start()
        while metric(server, 'hjall_lane_under_way{lane="scan"}') < 3:
            pass
        began = time.monotonic()
        assert len(list(database.table("t").scan(limit=10))) == 10
        took, ended = time.monotonic() - began, len(ends)
        for thread in long_scans:
            thread.join(600)
        reader.check_slowdown(since)
    print(f"a scan of {rows} rows took {alone:.2f} s; beside three of them a scan of ten rows took {took:.3f} s")
    assert len(ends) == 3 and not reader.failures
    assert ended < 3, "a short scan waits for time slices, not for the ends of long scans"
    database.close()


def test_scans_of_clients_that_have_disconnected_end(attacked):
    server = attacked("--set", "queues.scans_running=1")
    database = happybase.Connection("127.0.0.1", server.port, timeout=600_000)
    database.create_table("t", {"f": {}})
    with database.table("t").batch(batch_size=1000) as batch:
        for i in range(100_000 if AT_LENGTH else 20_000):
            batch.put(b"%08d" % i, {b"f:q": b"some value"})
    scan = text_field(1, b"t") + struct_field(2, text_field(6, NOTHING)) + b"\0"
    for _ in range(5):
        with connect(server.port) as gone:
            gone.sendall(message("scannerOpenWithScan", scan))
            answer = gone.recv(1 << 16)
            # Field 0 of the result, an i32.
            number = answer[answer.index(b"scannerOpenWithScan") + len(b"scannerOpenWithScan") + 4 + 3:][:4]
            gone.sendall(message("scannerGetList", i32_field(1, number) + i32_field(2, b"\0\0\0\1") + b"\0"))
            while not metric(server, 'hjall_lane_under_way{lane="scan"}'):
                pass
    while metric(server, 'hjall_lane_under_way{lane="scan"}'):
        pass
    assert len(list(database.table("t").scan(limit=10))) == 10
    database.close()


def opened(raw):
    """Opens a scanner of the table and returns its encoded number."""
    raw.sendall(message("scannerOpen", text_field(1, b"t") + text_field(2, b"") + b"\0"))
    answer = raw.recv(1 << 16)
    # Field 0 of the result, an i32.
    return answer[answer.index(b"scannerOpen") + len(b"scannerOpen") + 4 + 3:][:4]


def test_open_scanners_hold_little(attacked):
    rows, columns, scanners = (200_000, 4, 1000) if AT_LENGTH else (10_000, 4, 100)
    server = attacked(on_disk=True)
    database = happybase.Connection("127.0.0.1", server.port, timeout=600_000)
    database.create_table("t", {"f": {}})
    with database.table("t").batch(batch_size=1000) as batch:
        for row in range(rows):
            batch.put(b"%08d" % row, {b"f:%d" % column: b"v" for column in range(columns)})
    for _ in range(2):
        # The caches are filled, and the allocator has its arenas.
        assert sum(1 for _ in database.table("t").scan(batch_size=1000)) == rows
    before = rss(server)
    with connect(server.port) as raw:
        for _ in range(scanners):
            number = opened(raw)
            raw.sendall(message("scannerGetList", i32_field(1, number) + i32_field(2, b"\0\0\0\1") + b"\0"))
            assert b"00000000" in raw.recv(1 << 16)
        each = (rss(server) - before) / scanners
        print(f"{scanners} open scanners: {each / 1024:.1f} KiB each")
    assert each < 64 << 10
    database.close()


def test_a_scanner_whose_reply_could_not_be_sent_ends(attacked):
    server = attacked("--set", "limits.reply=64KiB")
    database = happybase.Connection("127.0.0.1", server.port)
    database.create_table("t", {"f": {}})
    with database.table("t").batch(batch_size=500) as batch:
        for i in range(5_000):
            batch.put(b"%04d" % i, {b"f:": b""})
    assert len(list(database.table("t").scan(batch_size=100))) == 5_000
    scanner = database.client.scannerOpenWithScan(b"t", Hbase_thrift.TScan(), {})
    assert len(database.client.scannerGetList(scanner, 10)) == 10
    with pytest.raises(Hbase_thrift.IOError, match="limits.reply"):
        database.client.scannerGetList(scanner, 4_000)
    with pytest.raises(Hbase_thrift.IllegalArgument, match="scanner ID is invalid"):
        database.client.scannerGetList(scanner, 10)
    database.close()

    client, rows = http.client.HTTPConnection("127.0.0.1", server.port, timeout=600), 0
    client.request("PUT", "/t/scanner", "{}", {"Content-Type": "application/json"})
    made = client.getresponse()
    assert made.status == 201 and made.read() == b""
    path = urllib.parse.urlsplit(made.headers["Location"]).path
    while True:
        client.request("GET", path, headers={"Accept": "application/json"})
        answer = client.getresponse()
        body = answer.read()
        if answer.status == 204:
            break
        assert answer.status == 200 and len(body) <= 64 << 10
        rows += len(json.loads(body)["Row"])
    assert rows == 5_000
