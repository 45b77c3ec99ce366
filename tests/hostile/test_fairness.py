"""Clients that take all they can get: each has a share, and the calls of others are served."""
import contextlib
import threading
import time

import happybase
from attacking import AT_LENGTH, connect, framed, list_field, message, metric, rss, struct_field, structs_field, text_field
from test_memory import MIB, wide_row
from test_scans import NOTHING, i32_field

ELSEWHERE = "127.0.0.2"
ROW_MIB = 100 if AT_LENGTH else 20
IN_FLIGHT = (1024 if AT_LENGTH else 64) * MIB


def put_mebibyte(raw):
    """Puts a cell of 1 MiB, which needs memory beside the reserve for small messages."""
    mutation = text_field(2, b"f:q") + text_field(3, bytes(MIB))
    raw.sendall(message("mutateRow", text_field(1, b"bystander") + text_field(2, b"other") + structs_field(3, [mutation]) + b"\0"))
    answer = raw.recv(1 << 16)
    assert b"mutateRow" in answer and b"Exception" not in answer, answer


def test_replies_that_are_not_read_leave_memory_to_others(attacked, bystander):
    server = attacked(on_disk=True, limits=["limits.bytes_in_flight=64MiB"])
    wide_row(server, "t", ROW_MIB)
    call = framed(message("getRow", text_field(1, b"t") + text_field(2, b"r") + b"\0"))
    with bystander(server) as reader, contextlib.ExitStack() as slow:
        reader.reads(50)
        since, before = len(reader.latencies), rss(server)
        for _ in range(20):
            slow.enter_context(connect(server.port, receive_buffer=1 << 16)).sendall(call)
        # Until some of them have been refused, and no further one is being read.
        while not metric(server, 'hjall_client_refused_total{client="127.0.0.1"}'):
            reader.reads(1)
        while metric(server, 'hjall_lane_under_way{lane="read"}') > 1:
            reader.reads(1)
        reader.reads(50)
        held = metric(server, "hjall_in_flight_bytes")
        assert 0 < held <= IN_FLIGHT and held == metric(server, 'hjall_client_in_flight_bytes{client="127.0.0.1"}')
        grown = rss(server) - before
        print(f"held {held / MIB:.0f} MiB; resident memory grew by {grown / MIB:.0f} MiB")
        # Another client has a share of its own.
        with connect(server.port, source=ELSEWHERE) as other:
            put_mebibyte(other)
        reader.check_slowdown(since)
    assert not reader.failures


def test_messages_that_do_not_arrive_leave_memory_to_others(attacked, bystander):
    server = attacked(limits=["limits.bytes_in_flight=64MiB"])
    call = framed(message("mutateRow", text_field(1, bytes(90 * MIB)) + b"\0"))
    with bystander(server) as reader, contextlib.ExitStack() as slow:
        for _ in range(20):
            raw = slow.enter_context(connect(server.port))
            # A connection that gets no further memory is closed by the server.
            with contextlib.suppress(OSError):
                raw.sendall(call[:80 * MIB if AT_LENGTH else 20 * MIB])
        reader.reads(50)
        assert 0 < metric(server, "hjall_in_flight_bytes") <= IN_FLIGHT
        with connect(server.port, source=ELSEWHERE) as other:
            put_mebibyte(other)
    assert not reader.failures


def test_calls_of_one_client_do_not_fill_the_queue(attacked):
    """One client keeps a queue full. The calls of another client are served all the same."""
    server = attacked("--set", "queues.handlers=2", "--set", "queues.waiting=8")
    database = happybase.Connection("127.0.0.1", server.port, timeout=60_000)
    database.create_table("t", {"f": {}})
    table = database.table("t")
    with table.batch() as batch:
        for i in range(1000):
            batch.put(b"%d" % i, {b"f:q": bytes(100)})
    many = message("getRows", text_field(1, b"t") + list_field(2, [b"%d" % i for i in range(1000)]) + b"\0")
    over = threading.Event()

    def flood():
        with connect(server.port, source=ELSEWHERE) as raw:
            while not over.is_set():
                raw.sendall(many)
                raw.recv(64)
                raw.settimeout(60)
                drain(raw)

    def drain(raw):
        """Discards what has arrived, without waiting for the end of the answer."""
        raw.setblocking(False)
        with contextlib.suppress(BlockingIOError):
            while raw.recv(1 << 20):
                pass
        raw.settimeout(60)

    flooding = [threading.Thread(target=flood, daemon=True) for _ in range(16)]
    for thread in flooding:
        thread.start()
    refused = 'hjall_client_refused_total{client="127.0.0.2"}'
    while not metric(server, refused):
        pass
    for _ in range(100 if AT_LENGTH else 20):
        # Not a short read, so that it has to wait in the queue.
        assert len(table.rows([b"1", b"2"])) == 2
    over.set()
    for thread in flooding:
        thread.join(120)
    print(f"{metric(server, refused):.0f} calls of the greedy client were refused")
    assert metric(server, 'hjall_client_refused_total{client="127.0.0.1"}') == 0
    database.close()


def test_long_scans_of_one_client_leave_time_to_others(attacked):
    """Eight long scans of one client, and then one of another, which is as long. It ends first."""
    server = attacked("--set", "queues.scans_running=1", "--set", "queues.scan_slice=5ms")
    database = happybase.Connection("127.0.0.1", server.port, timeout=600_000)
    database.create_table("t", {"f": {}})
    with database.table("t").batch(batch_size=1000) as batch:
        for row in range(100_000 if AT_LENGTH else 20_000):
            batch.put(b"%08d" % row, {b"f:q": b"some value"})
    database.close()
    ends, scan = [], text_field(1, b"t") + struct_field(2, text_field(6, NOTHING)) + b"\0"

    def scan_all(name, source):
        with connect(server.port, timeout=600, source=source) as raw:
            raw.sendall(message("scannerOpenWithScan", scan))
            answer = raw.recv(1 << 16)
            # Field 0 of the result, an i32.
            number = answer[answer.index(b"scannerOpenWithScan") + len(b"scannerOpenWithScan") + 4 + 3:][:4]
            raw.sendall(message("scannerGetList", i32_field(1, number) + i32_field(2, b"\0\0\0\1") + b"\0"))
            assert b"scannerGetList" in raw.recv(1 << 16)
            ends.append((name, time.monotonic()))

    began = time.monotonic()
    many = [threading.Thread(target=scan_all, args=("many", "127.0.0.1")) for _ in range(8)]
    for thread in many:
        thread.start()
    while metric(server, 'hjall_lane_under_way{lane="scan"}') < 8:
        assert not ends
    one = threading.Thread(target=scan_all, args=("one", ELSEWHERE))
    one.start()
    for thread in [one, *many]:
        thread.join(600)
    print("ends: " + ", ".join(f"{name} {at - began:.2f} s" for name, at in ends))
    assert len(ends) == 9 and ends[0][0] == "one", ends
