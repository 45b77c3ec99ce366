"""Clients that send calls without waiting for replies: they take turns with others, address by address."""
import contextlib
import select
import threading

import happybase
import pytest
from attacking import AT_LENGTH, connect, framed, message, metric, post, text_field

ELSEWHERE = "127.0.0.2"
CONNECTIONS = 300 if AT_LENGTH else 100
# The replies to the calls of a connection have room in its receive buffer.
CALLS = 200
GET = message("getRow", text_field(1, b"t") + text_field(2, b"r") + b"\0")
REST = b"GET /t/r HTTP/1.1\r\nHost: localhost\r\nAccept: application/json\r\n\r\n"


# The calls of the greedy address for each of the other one: some 20 to 40 in rotation; 500, 130 and 60 with a turn for
# each connection.
@pytest.mark.parametrize("call, fair", [(GET, 200), (post(GET), 80), (REST, 45)], ids=["socket", "HTTP", "REST"])
def test_an_address_with_many_connections_has_the_share_of_one(attacked, call, fair):
    server = attacked()
    database = happybase.Connection("127.0.0.1", server.port, timeout=30_000)
    database.create_table("t", {"f": {}})
    database.table("t").put(b"r", {b"f:q": b"v"})
    database.close()
    done = f'hjall_client_calls_total{{client="{ELSEWHERE}"}}'
    ratios = []
    # The client at the other address needs a processor, too, and may have to wait for it.
    for _ in range(10):
        with connect(server.port) as own, contextlib.ExitStack() as greedy:
            others = [greedy.enter_context(connect(server.port, source=ELSEWHERE)) for _ in range(CONNECTIONS)]
            own.sendall(GET)
            own.recv(1 << 16)
            began = metric(server, done)
            for raw in others:
                raw.sendall(call * CALLS)
            first, gets = metric(server, done), 0
            while True:
                for _ in range(20):
                    own.sendall(GET)
                    assert own.recv(1 << 16)
                last = metric(server, done)
                if last - began >= CONNECTIONS * CALLS:
                    break
                gets += 20
                counted = last
            if gets:
                ratios.append((counted - first) / gets)
        if ratios and ratios[-1] <= fair:
            break
    print(f"{ratios} calls of the greedy address for each of the other one")
    assert ratios and ratios[-1] <= fair


def test_a_connection_that_is_being_closed_has_no_turn(attacked):
    """The server waits some seconds for the client of a connection that it closes, and answers others meanwhile."""
    server = attacked()
    database = happybase.Connection("127.0.0.1", server.port, timeout=30_000)
    database.create_table("t", {"f": {}})
    # The reply to a get of it uses up the turn of a connection, so that its next call waits for another one.
    database.table("t").put(b"big", {b"f:q": b"v" * 40_000})
    database.close()
    get = framed(message("getRow", text_field(1, b"t") + text_field(2, b"big") + b"\0"))
    with contextlib.ExitStack() as stack:
        others = [stack.enter_context(connect(server.port, source=ELSEWHERE)) for _ in range(10)]
        for raw in others:
            raw.sendall(framed(GET))
            assert raw.recv(1 << 16)
        # A machine that stands still for these seconds may need several attempts.
        for _ in range(5):
            with connect(server.port) as bad, connect(server.port) as own:
                bad.sendall(get + framed(b"no message"))
                while bad.recv(1 << 16):
                    pass
                own.sendall(framed(GET))
                assert own.recv(1 << 16)
                if metric(server, "hjall_connections") == len(others) + 2:
                    return
    raise AssertionError("a get was answered only after another connection had been closed")


class Senders(threading.Thread):
    """Connections that send the same message again and again."""

    def __init__(self, connections, message):
        super().__init__(daemon=True)
        self.connections, self.message, self.over = connections, memoryview(message), threading.Event()

    def run(self):
        left = dict.fromkeys(self.connections, self.message)
        while not self.over.is_set():
            readable, writable, _ = select.select(left, left, [], 1)
            for raw in readable:
                raw.recv(1 << 16)
            for raw in writable:
                left[raw] = left[raw][raw.send(left[raw][:1 << 18]):] or self.message


def test_long_bodies_of_one_address_do_not_delay_those_of_others(attacked):
    """While many connections of one address send bodies of 1 MiB, another address sends one after the other."""
    server = attacked()
    body = post(message("getTableNames", text_field(99, bytes(1 << 20)) + b"\0"))
    done = f'hjall_client_calls_total{{client="{ELSEWHERE}"}}'
    ratios = []
    with connect(server.port) as own, contextlib.ExitStack() as greedy:
        others = [greedy.enter_context(connect(server.port, source=ELSEWHERE)) for _ in range(CONNECTIONS)]
        for raw in others:
            raw.setblocking(False)
        senders = Senders(others, body)
        senders.start()
        # The client at the other address needs a processor, too, and may have to wait for it.
        for _ in range(100):
            if len(ratios) == 10 or ratios and ratios[-1] <= 15:
                break
            before = metric(server, done)
            for _ in range(10):
                own.sendall(body)
                assert own.recv(1 << 16)
            # None as long as its first bodies are on their way.
            if after := metric(server, done) - before:
                ratios.append(after / 10)
        senders.over.set()
        senders.join()
    print(f"{ratios} bodies of the greedy address for each of the other one")
    # Without rotation, as many as it has connections.
    assert ratios and ratios[-1] <= 15
