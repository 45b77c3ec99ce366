"""TLS handshakes, which cost the server much and the client nothing."""
import contextlib
import os
import pathlib
import select
import socket
import ssl
import time

import pytest
from attacking import AT_LENGTH, connect, metric
from certificates import self_signed
from logging_in import trusting, users_file

# The slowest usual key.
RSA = ["-newkey", "rsa:4096", "-nodes"]
HELLOS = 500 if AT_LENGTH else 200


def hello():
    """The first message of a handshake. It can be sent again and again."""
    incoming, outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
    context = ssl.create_default_context()
    with contextlib.suppress(ssl.SSLWantReadError):
        context.wrap_bio(incoming, outgoing, server_hostname="localhost").do_handshake()
    return outgoing.read()


def test_handshakes_do_not_delay_calls(attacked, bystander, tmp_path):
    """The calls of others are answered between handshakes that have all begun before."""
    certificate, key = self_signed(tmp_path, new_key=RSA)
    server = attacked("--tls-cert", str(certificate), "--tls-key", str(key), "--set", "tls.plain=allow")
    first = hello()
    with bystander(server) as reader, contextlib.ExitStack() as open_connections:
        reader.reads(5)
        connections = [open_connections.enter_context(connect(server.port)) for _ in range(HELLOS)]
        for raw in connections:
            raw.sendall(first)
        before = len(reader.latencies)
        for raw in connections:
            assert raw.recv(1 << 16)
        during = len(reader.latencies) - before
        print(f"{during} gets during {HELLOS} handshakes")
    # On the event loop, each get would wait for some hundred of them.
    assert during >= HELLOS / 10 and not reader.failures


def test_handshakes_of_one_address_do_not_delay_those_of_others(attacked, tmp_path):
    """A handshake that begins after many of another address is performed before most of them."""
    certificate, key = self_signed(tmp_path, new_key=RSA)
    server = attacked("--tls-cert", str(certificate), "--tls-key", str(key))
    first = hello()
    left = []
    # If this process has to wait for a processor, all handshakes may have ended before it looks.
    for _ in range(10):
        with contextlib.ExitStack() as open_connections:
            own = open_connections.enter_context(connect(server.port))
            others = [open_connections.enter_context(connect(server.port, source="127.0.0.2")) for _ in range(HELLOS)]
            for raw in [*others, own]:
                raw.sendall(first)
            assert own.recv(1 << 16)
            answered, _, _ = select.select(others, [], [], 0)
            left.append(HELLOS - len(answered))
        if left[-1] >= HELLOS * 0.85:
            break
    print(f"{left[-1]} of {HELLOS} handshakes of the other address had not been performed")
    assert left[-1] >= HELLOS * 0.85, left


def processor_time(server):
    """The processor time of the thread that performs handshakes, in seconds."""
    stats = [(task / "stat").read_text() for task in pathlib.Path(f"/proc/{server.process.pid}/task").iterdir()]
    ticks = [sum(map(int, stat.rsplit(")", 1)[1].split()[11:13])) for stat in stats if "(hjall-tls" in stat]
    return sum(ticks) / os.sysconf("SC_CLK_TCK")


@pytest.mark.parametrize("more", [b"", b"\x16"], ids=["after a message", "within another one"])
def test_handshakes_of_clients_that_have_gone_are_not_computed(attacked, tmp_path, more):
    """Their connections wait for their turn. When it comes, the server finds that they have been closed."""
    certificate, key = self_signed(tmp_path, new_key=RSA)
    server = attacked("--tls-cert", str(certificate), "--tls-key", str(key))
    first, failed, took = hello(), "hjall_tls_handshakes_failed_total", []
    for stays in (True, False):
        before, ended = processor_time(server), metric(server, failed)
        with contextlib.ExitStack() as open_connections:
            connections = [open_connections.enter_context(connect(server.port)) for _ in range(HELLOS)]
            for raw in connections:
                # The message and the end of the stream are sent together.
                raw.setsockopt(socket.IPPROTO_TCP, socket.TCP_CORK, not stays)
                raw.sendall(first if stays else first + more)
                if not stays:
                    raw.close()
            assert not stays or all(raw.recv(1 << 16) for raw in connections)
        end = time.monotonic() + 120
        while metric(server, failed) < ended + HELLOS:
            assert time.monotonic() < end, "some handshakes have not ended"
            time.sleep(0.02)
        took.append(processor_time(server) - before)
    print(f"{took[0]:.2f} s for {HELLOS} clients that wait for the answer, {took[1]:.2f} s for as many that have gone")
    assert took[1] < took[0] / 4


@pytest.mark.parametrize("version", [ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3])
@pytest.mark.parametrize("certificates", ["require", "request", None])
def test_a_session_with_a_client_certificate_is_not_resumed(attacked, authority, tmp_path, version, certificates):
    """The certificate of a resumed session would not be verified again, also after its end."""
    pem, key = authority("/CN=localhost", "DNS:localhost")
    users = users_file(tmp_path / "users.toml", {"alice": {"read": ["*"], "certificates": ["cn:alice"]}})
    verified = ("--tls-client-ca", str(authority.certificate), "--set", f"tls.client_certificates={certificates}") if certificates else ()
    server = attacked("--users", str(users), "--tls-cert", str(pem), "--tls-key", str(key), *verified)
    context = trusting(authority.certificate, authority("/CN=alice"))
    context.minimum_version = context.maximum_version = version
    session, resumed = None, []
    for _ in range(3):
        with context.wrap_socket(connect(server.port), server_hostname="localhost", session=session) as raw:
            raw.sendall(b"GET /version HTTP/1.1\r\nHost: localhost\r\n\r\n")
            # A session of TLS 1.3 arrives before the answer.
            assert raw.recv(1 << 16).startswith(b"HTTP/1.1 200" if certificates else b"HTTP/1.1 401")
            session = raw.session
            resumed.append(raw.session_reused)
    assert resumed == [False, not certificates, not certificates]
