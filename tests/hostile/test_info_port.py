"""Attacks on the info port."""
import contextlib
import re
import signal
import urllib.error
import urllib.request

import happybase
import pytest

from attacking import connect, list_field, message, struct_field, structs_field, text_field, until_closed


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


def test_an_address_that_opens_connections_in_a_loop_replaces_its_own(attacked):
    server = attacked()
    port = int(server.info.rsplit(":", 1)[1])
    with contextlib.ExitStack() as silent, connect(port) as check:
        for _ in range(200):
            silent.enter_context(connect(port, source="127.0.0.2"))
        # A server that answers a newer connection has accepted all of them.
        assert get(server, "/healthz") == (200, b"ok\n")
        check.sendall(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        assert until_closed(check).endswith(b"ok\n")


def test_long_names_of_tables_are_shortened(attacked):
    server = attacked()
    database = happybase.Connection("127.0.0.1", server.port, timeout=60_000)
    for last in "ab":
        database.create_table("t" * 32_700 + last, {"f": {}})
    database.close()
    page = get(server, "/metrics")[1].decode()
    labels = re.findall(r'hjall_table_reads_total\{namespace="default",table="(t+…[0-9a-f]{32})"\}', page)
    assert len(set(labels)) == 2 and all(len(label) < 256 for label in labels), labels
    assert len(page) < 200_000


def test_few_pages_wait_for_clients_that_do_not_read(attacked):
    """The page is larger than the buffers of a connection. The clients with the oldest pages give way, and no client of
    another address."""
    regions = 5000
    server = attacked("--set", f"info.regions={regions}")
    family, name = text_field(1, b"f"), text_field(2, b"t" * 250)
    splits = list_field(2, [b"%05d" % n + b"k" * 59 for n in range(1, regions)])
    with connect(server.port) as raw:
        raw.sendall(message("createTable", struct_field(1, struct_field(1, name) + structs_field(2, [family])) + splits + b"\0"))
        assert raw.recv(100)[:4] == b"\x80\x01\0\2"
    whole = len(get(server, "/metrics")[1])
    assert whole > 8 << 20
    port = int(server.info.rsplit(":", 1)[1])
    with contextlib.ExitStack() as rude:
        def begin(source):
            raw = rude.enter_context(connect(port, source=source, receive_buffer=4096))
            raw.sendall(b"GET /metrics HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
            # The page has been made.
            assert raw.recv(1)
            return raw
        other = begin("127.0.0.3")
        unread = [begin("127.0.0.2") for _ in range(10)]
        received = [len(until_closed(raw)) for raw in (other, *unread)]
    assert [length >= whole // 2 for length in received] == [True] + [False] * 3 + [True] * 7, (whole, received)


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
