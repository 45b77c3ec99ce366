"""Clients that send or read as slowly as possible, and clients that send nothing."""
import contextlib
import http.client
import threading
import time

import pytest
from attacking import AT_LENGTH, connect, framed, message, metric, post, rss, text_field, until_claimed, until_closed
from happybase import Connection

from serving import Hjall


def test_connections_with_slow_messages_are_closed(attacked, bystander):
    server = attacked("--set", "limits.stall=500ms", "--set", "limits.min_rate=1GiB")
    call = message("mutateRow", text_field(1, bytes(60 << 20)) + b"\0")
    before = rss(server)
    with bystander(server) as reader:
        slow = [connect(server.port) for _ in range(20 if AT_LENGTH else 4)]
        for i, connection in enumerate(slow):
            connection.sendall((post(call) if i % 2 else framed(call))[:1 << 20])
        over = threading.Event()

        def drip():
            while not over.wait(0.01):
                for connection in slow:
                    try:
                        connection.send(b"\0")
                    except OSError:
                        pass

        dripping = threading.Thread(target=drip, daemon=True)
        dripping.start()
        for connection in slow:
            until_closed(connection)
        over.set()
        dripping.join()
        reader.reads(20)
    assert not reader.failures
    assert rss(server) < before + (200 << 20)


def test_connections_with_slow_request_heads_are_closed(attacked):
    server = attacked(limits=["limits.stall=300ms"])
    with connect(server.port, timeout=120) as http:
        http.sendall(b"POST / HTTP/1.1\r\n")
        assert b"200" not in until_closed(http)


def test_silent_connections_are_closed(attacked):
    server = attacked(limits=["limits.first_call=200ms"])
    for _ in range(3):
        with connect(server.port, timeout=180) as silent:
            assert until_closed(silent) == b""


def test_a_stop_says_how_many_replies_were_cut_off(bystander):
    value, kind = bytes(4 << 20), "application/octet-stream"
    get = f"GET /bystander/r/f:q HTTP/1.1\r\nHost: localhost\r\nAccept: {kind}\r\n\r\n".encode()
    options = ("--memory", "--info-listen", "127.0.0.1:0", "--set", "server.grace=200ms")
    with Hjall(None, *options) as server, contextlib.ExitStack() as connections:
        with bystander(server) as reader:
            reader.reads(1)
        with connect(server.port) as raw:
            raw.sendall(f"PUT /bystander/r/f:q HTTP/1.1\r\nHost: localhost\r\nContent-Type: {kind}\r\n"
                        f"Content-Length: {len(value)}\r\n\r\n".encode() + value)
            assert raw.recv(4096).startswith(b"HTTP/1.1 200")
        # The replies have more than the buffers of a socket hold, and the clients do not read them.
        for _ in range(3):
            connections.enter_context(connect(server.port, receive_buffer=2048)).sendall(get)
        until_claimed(server, 3 * len(value))
        assert server.stop() == 8
    said = [line for line in server.said if "server.grace" in line]
    assert len(said) == 1 and "calls=0 replies=3" in said[0], server.said
    assert any("stopped, all data flushed; some calls or replies were not finished" in line for line in server.said), server.said


def test_a_scan_that_is_sent_slowly_is_sent_to_its_end(attacked):
    server = attacked("--set", "limits.scanner_timeout=500ms", "--set", "limits.page=64KiB")
    value = bytes(100_000)
    with contextlib.closing(Connection("127.0.0.1", server.port, timeout=30_000)) as database:
        database.create_table("t", {"f": {}})
        with database.table("t").batch() as batch:
            for number in range(80):
                batch.put(b"%02d" % number, {b"f:q": value})
    slow = http.client.HTTPConnection("127.0.0.1", server.port)
    with connect(server.port, receive_buffer=2048) as slow.sock:
        slow.request("GET", "/t/*", headers={"Accept": "application/json"})
        answer = slow.getresponse()
        answer.read(1 << 10)
        # A scanner that is opened later has expired before the client goes on.
        with connect(server.port) as raw:
            raw.sendall(message("scannerOpen", text_field(1, b"t") + text_field(2, b"") + b"\0"))
            raw.recv(1 << 12)
            until = time.monotonic() + 60
            while metric(server, "hjall_scanners_expired_total") < 1:
                assert time.monotonic() < until
        # Fails if the answer has no end.
        assert len(answer.read()) >= 79 * len(value)


def test_a_client_of_http_1_0_that_is_cut_off_sees_a_failure(attacked):
    server = attacked("--set", "limits.stall=300ms", "--set", "limits.min_rate=1GiB")
    with contextlib.closing(Connection("127.0.0.1", server.port, timeout=30_000)) as database:
        database.create_table("t", {"f": {}})
        with database.table("t").batch() as batch:
            for number in range(80):
                batch.put(b"%02d" % number, {b"f:q": bytes(100_000)})
    with connect(server.port, receive_buffer=2048) as slow:
        slow.sendall(b"GET /t/* HTTP/1.0\r\nHost: localhost\r\nAccept: application/json\r\n\r\n")
        assert slow.recv(1 << 10).startswith(b"HTTP/1.0 200")
        until = time.monotonic() + 60
        while metric(server, "hjall_connections"):
            assert time.monotonic() < until
        # The end of the body is the end of the connection.
        with pytest.raises(ConnectionError):
            while slow.recv(1 << 16):
                pass
