"""Connections that stop in the middle of something: each holds no more memory than `hjall config` prints for it."""
import contextlib
import json
import select
import ssl
import struct
import subprocess

import pytest
from attacking import AT_LENGTH, IN_FLIGHT, TABLE, Bystander, connect, message, metric, rss, text_field, until_claimed, until_given_back
from certificates import self_signed

from serving import binary

KIB, MIB = 1 << 10, 1 << 20
CONNECTIONS = 2000 if AT_LENGTH else 300
# The server keeps no caches, so that its memory grows with the connections alone.
SETTINGS = ["limits.bytes_in_flight=64MiB", "store.cache=1MiB", "store.row_cache=0"]
ROW, LARGE_ROW = b"8 KB", b"1 MB"
GET = message("get", text_field(1, TABLE) + text_field(2, ROW) + text_field(3, b"f:q") + b"\0")


def rest(row, method="GET", body=b""):
    head = f"{method} /bystander/{row.decode().replace(' ', '%20')}/f:q HTTP/1.1\r\nHost: localhost\r\n"
    kind = "Accept" if method == "GET" else "Content-Type"
    return f"{head}{kind}: application/octet-stream\r\nContent-Length: {len(body)}\r\n\r\n".encode() + body


def hello(announced, sent):
    """The beginning of a first message of TLS, in records of up to 16,000 bytes."""
    body = struct.pack(">I", 1 << 24 | announced) + b"\x03\x03" + bytes(sent - 6)
    records = (body[at:at + 16_000] for at in range(0, sent, 16_000))
    return b"".join(b"\x16\x03\x01" + struct.pack(">H", len(record)) + record for record in records)


class Tls:
    """A connection inside TLS whose records can be sent in parts."""

    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE

    def __init__(self, raw):
        self.raw, self.incoming, self.outgoing = raw, ssl.MemoryBIO(), ssl.MemoryBIO()
        self.tls = self.context.wrap_bio(self.incoming, self.outgoing, server_hostname="localhost")
        while True:
            try:
                self.tls.do_handshake()
                break
            except ssl.SSLWantReadError:
                raw.sendall(self.outgoing.read())
                self.incoming.write(raw.recv(1 << 16))
        raw.sendall(self.outgoing.read())

    def send(self, data, but=0):
        """Sends all bytes of the records except the last ones."""
        self.tls.write(data)
        encrypted = self.outgoing.read()
        self.raw.sendall(encrypted[:len(encrypted) - but])

    def call(self, request):
        """Sends a request, and reads of its reply as much as arrives at once."""
        self.send(request)
        assert self.raw.recv(1 << 16)


def download(raw):
    """Receives a large reply, after which the connection is idle."""
    raw.sendall(rest(LARGE_ROW))
    received = 0
    while received < MIB:
        received += len(raw.recv(1 << 20))


def upload(raw):
    """Sends a large body, which is not stored, after which the connection is idle."""
    raw.sendall(b"PUT /other/r/f:q HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/octet-stream\r\n"
                b"Content-Length: 1048576\r\n\r\n" + bytes(MIB))
    assert raw.recv(1 << 16).startswith(b"HTTP/1.1 404")


KINDS = {
    "thrift: 8 KB of a message": lambda raw: raw.sendall(message("get", text_field(1, bytes(9000)))[:8000]),
    "thrift: replies are not read": lambda raw: raw.sendall(GET * 100),
    "http: 8 KB of a head": lambda raw: raw.sendall(rest(ROW)[:-2] + b"X: " + b"x" * 8000),
    "http: replies are not read": lambda raw: raw.sendall(rest(ROW) * 200),
    "http: idle after a large reply": download,
    "http: idle after a large body": upload,
    "handshake: 15 KB of a first message": lambda raw: raw.sendall(hello(16_000, 15_000)),
    "handshake: 64 KB of a first message": lambda raw: raw.sendall(hello(65_520, 64_000)),
    "tls: idle": Tls,
    "tls: idle after a request over HTTP": lambda raw: Tls(raw).call(rest(ROW)),
    "tls: 8 KB of a head": lambda raw: Tls(raw).send(rest(ROW)[:-2] + b"X: " + b"x" * 8000),
    "tls: a record of HTTP without its end": lambda raw: Tls(raw).send(b"GET / HTTP/1.1\r\nX: " + b"x" * 16_000, but=20),
    "tls: replies of thrift are not read": lambda raw: Tls(raw).send(GET * 200),
    "tls: replies of http are not read": lambda raw: Tls(raw).send(rest(ROW) * 200),
}


@pytest.fixture
def served(attacked, tmp_path):
    """A server that answers with and without TLS, and has a row of each size."""
    certificate, key = self_signed(tmp_path)
    tls = ["--tls-cert", str(certificate), "--tls-key", str(key), "--set", "tls.plain=allow"]
    server = attacked(*tls, limits=SETTINGS)
    with Bystander(server.port) as reader:
        reader.reads(1)
    with connect(server.port) as raw:
        for row, size in ((ROW, 7900), (LARGE_ROW, MIB)):
            raw.sendall(rest(row, "PUT", bytes(size)))
            assert raw.recv(1 << 16).startswith(b"HTTP/1.1 200")
    return server


def allowed(kind, folder):
    """What `hjall config` prints for a connection, in bytes. The server's certificate is in the folder."""
    tls = ["--tls-cert", str(folder / "cert.pem"), "--tls-key", str(folder / "key.pem")] if kind.startswith("tls") else []
    command = [binary(), "config", "--json", "--set", "limits.connections=1", *tls]
    printed = subprocess.run(command, capture_output=True, check=True, timeout=60).stdout
    return json.loads(printed)["memory"]["connections"]


@pytest.mark.parametrize("kind", KINDS)
def test_a_connection_takes_no_more_than_hjall_config_prints(served, kind, tmp_path):
    def open_one(number):
        # One after the other, so that the memory of calls that run at the same time is not measured.
        raw = connections.enter_context(connect(served.port, source=f"127.0.0.{2 + number % 4}", receive_buffer=2048))
        with contextlib.suppress(ConnectionError):
            KINDS[kind](raw)

    with contextlib.ExitStack() as connections:
        # The first ones make threads and buffers that later ones use.
        for number in range(50):
            open_one(number)
        most = allowed(kind, tmp_path)
        # On a busy machine, other threads of the server may take some MiB once. What connections take, they take again.
        for _ in range(3):
            before = settled_rss(served)
            for number in range(CONNECTIONS):
                open_one(number)
            each = (settled_rss(served) - before) / CONNECTIONS
            print(f"{kind}: {each / KIB:.1f} KiB for each connection, {most / KIB:.0f} KiB are printed")
            if each < most:
                break
    assert each < most
    until_given_back(served)


def settled_rss(server):
    """The resident memory after the allocator has returned what was freed, which it does a tenth of a second later."""
    least, since = rss(server), 0
    while since < 100:
        metric(server, IN_FLIGHT)
        now = rss(server)
        least, since = (now, 0) if now < least else (least, since + 1)
    return now


def test_long_heads_count_towards_the_memory_of_messages(served):
    head = b"GET / HTTP/1.1\r\nHost: localhost\r\nX: " + b"x" * 60_000
    with contextlib.ExitStack() as connections:
        opened = [connections.enter_context(connect(served.port)) for _ in range(20)]
        for raw in opened:
            raw.sendall(head)
        until_claimed(served, 20 * len(head))
        for raw in opened:
            raw.sendall(b"\r\n\r\n")
            assert raw.recv(1 << 16).startswith(b"HTTP/1.1 200")
    until_given_back(served)


def test_a_long_head_that_there_is_no_room_for_is_refused(attacked):
    server = attacked("--set", "limits.bytes_in_flight=256KiB")
    head = b"GET / HTTP/1.1\r\nHost: localhost\r\nX: " + b"x" * 60_000
    with contextlib.ExitStack() as connections:
        opened = [connections.enter_context(connect(server.port)) for _ in range(10)]
        for raw in opened:
            raw.sendall(head)
        refused, _, _ = select.select(opened, [], [], 60)
        answer = refused[0].recv(1 << 16)
    assert answer.startswith(b"HTTP/1.1 503 ") and b"limits.bytes_in_flight" in answer, answer
    until_given_back(server)
