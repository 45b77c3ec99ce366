"""Attacks on the info port."""
import contextlib
import signal
import urllib.error
import urllib.request

import pytest

from attacking import connect, until_closed


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
            rude.enter_context(connect(port)).sendall(b"GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n" * 20)
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


# A page whose name was made to resolve to this address, and pages of other sites.
PAGES = {
    "DNS rebinding": (["Host: evil.example"], b"421"),
    "DNS rebinding of the same host": (["Host: evil.example", "Sec-Fetch-Site: same-origin"], b"421"),
    "two hosts": (["Host: localhost", "Host: evil.example"], b"400"),
    "a script of another site": (["Host: localhost", "Origin: https://evil.example"], b"403"),
    "a page without an origin": (["Host: localhost", "Origin: null"], b"403"),
    "an image of another site": (["Host: localhost", "Sec-Fetch-Site: cross-site"], b"403"),
}


def status(server, path, headers):
    with connect(int(server.info.rsplit(":", 1)[1])) as browser:
        browser.sendall("\r\n".join([f"GET {path} HTTP/1.1", *headers, "Connection: close", "", ""]).encode())
        return until_closed(browser).split(b" ", 2)[1]


@pytest.mark.parametrize("page", PAGES)
def test_web_pages_cannot_read_figures(attacked, page):
    server = attacked()
    headers, refused = PAGES[page]
    for path in ("/", "/metrics", "/prometheus", "/jmx", "/jmx?qry=*"):
        assert status(server, path, headers) == refused, path
    # Health is no secret, and checks of it use any host name.
    for path in ("/healthz", "/readyz"):
        assert status(server, path, headers) == b"200", path


def test_figures_are_for_users_monitoring_and_allowed_pages(attacked):
    server = attacked("--set", "http.hosts=monitor.example", "--set", "http.origins=https://console.example")
    for headers in (["Host: localhost"], ["Host: 127.0.0.1:9095"], ["Host: monitor.example"], ["Host: localhost", "Sec-Fetch-Site: none"],
                    ["Host: localhost", "Sec-Fetch-Site: same-origin"], ["Host: localhost", "Origin: https://console.example"]):
        for path in ("/", "/metrics", "/jmx"):
            assert status(server, path, headers) == b"200", (path, headers)
