"""Calls that take minutes: other clients are served meanwhile."""
import contextlib
import signal
import socket
import time

import happybase
from attacking import connect, message, metric, post, struct_field, text_field, until_closed

ELSEWHERE = "127.0.0.2"
# For the wide row, it takes some minutes at least.
FILTER = b" OR ".join(b"ValueFilter(=,'substring:zz%d')" % n for n in range(30_000))


def prepared(server):
    """A table with the row `wide`, which `FILTER` rejects."""
    database = happybase.Connection("127.0.0.1", server.port, timeout=600_000)
    database.create_table("t", {"f": {}})
    database.table("t").put(b"small", {b"f:q": b"v"})
    database.table("t").put(b"wide", {b"f:%06d" % n: b"some value" for n in range(100_000)})
    return database


def get(row, condition=b""):
    """Thrift2's `get`."""
    fields = text_field(1, row) + (text_field(6, condition) if condition else b"")
    return message("get", text_field(1, b"t") + struct_field(2, fields) + b"\0")


def until_running(server, lane, calls):
    while metric(server, f'hjall_lane_running{{lane="{lane}"}}') < calls:
        time.sleep(0.01)


def until_reloaded(server, before):
    while metric(server, 'hjall_lane_running_max{lane="read"}') == before:
        time.sleep(0.01)


def until_free(server, lane):
    """Calls of clients that have disconnected end soon."""
    end = time.monotonic() + 60
    while metric(server, f'hjall_lane_running{{lane="{lane}"}}'):
        assert time.monotonic() < end
        time.sleep(0.01)


def test_gets_of_one_client_leave_handlers_to_others(attacked, bystander):
    server = attacked("--set", "queues.handlers=8")
    database = prepared(server)
    handlers = int(metric(server, 'hjall_lane_running_max{lane="read"}'))
    with contextlib.ExitStack() as attack:
        for _ in range(3 * handlers + 3):
            attack.enter_context(connect(server.port, source=ELSEWHERE)).sendall(get(b"wide", FILTER))
        until_running(server, "read", handlers)
        with bystander(server) as reader:
            reader.reads(20)
        with connect(server.port) as other:
            for _ in range(5):
                other.sendall(get(b"small", b"ValueFilter(=,'binary:v')"))
                assert b"f" in other.recv(1 << 16)
        assert not reader.failures
        assert metric(server, 'hjall_lane_running{lane="read"}') <= handlers + 3, "others have had a place"
    until_free(server, "read")
    database.close()


def test_fewer_handlers_serve_others_while_long_gets_run(attacked, tmp_path):
    settings = tmp_path / "hjall.toml"
    settings.write_text("[queues]\nhandlers = 30\n")
    server = attacked("--config", str(settings))
    database = prepared(server)
    before = int(metric(server, 'hjall_lane_running_max{lane="read"}'))
    with contextlib.ExitStack() as attack:
        for _ in range(before):
            attack.enter_context(connect(server.port, source=ELSEWHERE)).sendall(get(b"wide", FILTER))
        # Half of the threads run calls of one client: more than there are threads afterwards.
        until_running(server, "read", before - 2)
        settings.write_text("[queues]\nhandlers = 4\n")
        server.process.send_signal(signal.SIGHUP)
        until_reloaded(server, before)
        with connect(server.port) as other:
            for _ in range(5):
                other.sendall(get(b"small", b"ValueFilter(=,'binary:v')"))
                assert b"f" in other.recv(1 << 16)
    until_free(server, "read")
    with connect(server.port) as other:
        other.sendall(get(b"small", b"ValueFilter(=,'binary:v')"))
        assert b"f" in other.recv(1 << 16)
    database.close()


def test_a_scan_of_a_wide_row_leaves_handlers_to_others(attacked):
    server = attacked("--set", "queues.scans_running=1")
    database = prepared(server)
    with contextlib.ExitStack() as attack:
        for _ in range(3):
            raw = attack.enter_context(connect(server.port, source=ELSEWHERE))
            scan = struct_field(2, text_field(1, b"w") + text_field(6, FILTER))
            raw.sendall(message("scannerOpenWithScan", text_field(1, b"t") + scan + b"\0"))
            opened = raw.recv(1 << 16)
            assert b"Exception" not in opened, opened
            # The id is the last field of the reply, before its stop byte.
            raw.sendall(message("scannerGetList", b"\x08\0\x01" + opened[-5:-1] + b"\x08\0\x02\0\0\0\x0a\0"))
        until_running(server, "scan", 1)
        for _ in range(5):
            assert [row for row, _ in database.table("t").scan(row_stop=b"t")] == [b"small"]
    until_free(server, "scan")
    database.close()


def test_calls_of_http_clients_that_have_closed_their_connections_end(attacked):
    server = attacked()
    database = prepared(server)
    with contextlib.ExitStack() as attack:
        for _ in range(3):
            attack.enter_context(connect(server.port)).sendall(post(get(b"wide", FILTER)))
        until_running(server, "read", 3)
        # A client that has only closed its sending side waits for the answer to a short call.
        raw = attack.enter_context(connect(server.port))
        raw.sendall(post(get(b"small")))
        raw.shutdown(socket.SHUT_WR)
        assert b"200 OK" in until_closed(raw)
    until_free(server, "read")
    database.close()


def test_a_call_that_waits_too_long_is_answered_while_no_handler_is_free(attacked):
    server = attacked("--set", "queues.handlers=2", "--set", "queues.wait=1s")
    database = prepared(server)
    with contextlib.ExitStack() as attack:
        for address in range(2, 8):
            attack.enter_context(connect(server.port, source=f"127.0.0.{address}")).sendall(get(b"wide", FILTER))
        with connect(server.port) as other:
            # The lane has handlers for four long calls of different clients.
            until_running(server, "read", 4)
            other.sendall(get(b"small", b"ValueFilter(=,'binary:v')"))
            answer = other.recv(1 << 16)
        assert b"CallTimeoutException" in answer, answer
        assert metric(server, 'hjall_lane_dropped_total{lane="read",reason="late"}') >= 1
    until_free(server, "read")
    database.close()
