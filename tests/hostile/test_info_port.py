"""Attacks on the info port."""
import contextlib
import signal
import urllib.error
import urllib.request

from attacking import connect


def get(server, path):
    with urllib.request.urlopen(server.info + path, timeout=20) as answer:
        return answer.status, answer.read()


def test_silent_connections_do_not_block_health_checks(attacked):
    server = attacked()
    port = int(server.info.rsplit(":", 1)[1])
    with contextlib.ExitStack() as silent:
        for n in range(200):
            raw = silent.enter_context(connect(port))
            # Half of them have begun a request.
            raw.sendall(b"GET /metrics HTTP/1.1\r\nHost: " if n % 2 else b"")
        assert get(server, "/healthz") == (200, b"ok\n")
        assert get(server, "/readyz") == (200, b"ready\n")
        assert b"hjall_ready 1" in get(server, "/metrics")[1]


def test_clients_that_do_not_read_do_not_block_health_checks(attacked):
    server = attacked()
    port = int(server.info.rsplit(":", 1)[1])
    with contextlib.ExitStack() as rude:
        for _ in range(100):
            rude.enter_context(connect(port)).sendall(b"GET /metrics HTTP/1.1\r\nHost: h\r\n\r\n" * 20)
        assert get(server, "/healthz") == (200, b"ok\n")


def test_a_drain_is_reported_and_clients_are_served_during_an_attack(attacked, bystander):
    server = attacked("--set", "server.drain=1h")
    port = int(server.info.rsplit(":", 1)[1])
    with contextlib.ExitStack() as silent, bystander(server) as reader:
        for n in range(100):
            silent.enter_context(connect(port)).sendall(b"GET /readyz HTTP/1.1\r\nHost: " if n % 2 else b"")
            silent.enter_context(connect(server.port))
        server.process.send_signal(signal.SIGTERM)
        ready = True
        while ready:
            try:
                get(server, "/readyz")
            except urllib.error.HTTPError as refused:
                assert (refused.code, refused.read()) == (503, b"not ready: the server is stopping\n")
                ready = False
        # A load balancer may send clients until it has noticed.
        reader.reads(50)
        assert get(server, "/healthz") == (200, b"ok\n")
        assert b"hjall_ready 0" in get(server, "/metrics")[1]
    assert not reader.failures
