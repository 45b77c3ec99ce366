"""Connections without TLS where TLS is configured: they must not reach any table."""
import socket
import struct
import subprocess

import pytest
from attacking import connect, message, post, text_field, until_closed
from certificates import self_signed
from serving import binary


@pytest.fixture
def certificate(tmp_path):
    """A self-signed certificate for localhost and its key, as paths."""
    return self_signed(tmp_path)


DROP = message("deleteTable", text_field(1, b"victim") + b"\0")


@pytest.mark.parametrize("with_authority", [False, True])
def test_plain_connections_are_refused(attacked, certificate, with_authority):
    pem, key = certificate
    options = ["--tls-cert", str(pem), "--tls-key", str(key)]
    server = attacked(*options, *(["--tls-client-ca", str(pem)] if with_authority else []))
    with connect(server.port) as thrift:
        thrift.sendall(DROP)
        answer = until_closed(thrift)
        assert b"accepts only TLS connections" in answer
        # A remedy that the settings permit.
        assert (b"tls.client_certificates" in answer) == with_authority
    with connect(server.port) as http:
        http.sendall(post(DROP))
        answer = until_closed(http)
        assert answer.startswith(b"HTTP/1.1 403") and b"accepts only TLS" in answer


# What the connection begins with: methods of HTTP, of REST and others, calls in Thrift, and the beginning of SASL.
BEGINNINGS = {
    "GET": b"",
    "unknown method": b"FOO / HTTP/1.1\r\nHost: localhost\r\n\r\n",
    "lower case": b"get / HTTP/1.1\r\nHost: localhost\r\n\r\n",
    "lines": b"\r\n\r\n",
    "OPTIONS": b"OPTIONS * HTTP/1.1\r\nHost: localhost\r\n\r\n",
    "call": message("getTableNames"),
    "frame": struct.pack(">i", len(message("getTableNames"))) + message("getTableNames"),
    "SASL": b"\x01\0\0\0\x05PLAIN\x05\0\0\0\x04\0a\0b",
    "garbage": b"\xff\0\xff",
}


@pytest.mark.parametrize("listener", ["--listen", "--rest-listen", "--listen-thrift1", "--listen-thrift2"])
def test_no_beginning_of_a_plain_connection_reaches_the_tables(attacked, certificate, listener):
    pem, key = map(str, certificate)
    server = attacked("--tls-cert", pem, "--tls-key", key, "--tls-client-ca", pem, "--set", "limits.stall=1s", listener, "127.0.0.1:0")
    for port in server.ports():
        for name, beginning in BEGINNINGS.items():
            with connect(port) as plain:
                plain.sendall(beginning + b"GET /version HTTP/1.1\r\nHost: localhost\r\n\r\n")
                plain.shutdown(socket.SHUT_WR)
                assert b" 200 " not in until_closed(plain), f"{name} at {port}"
        with connect(port) as plain:
            # Too few bytes to recognise the protocol.
            plain.sendall(b"GE")
            assert until_closed(plain) == b""


def test_plain_connections_that_stay_open_are_closed(attacked, certificate):
    pem, key = certificate
    server = attacked("--tls-cert", str(pem), "--tls-key", str(key))
    with connect(server.port) as silent:
        silent.sendall(DROP[:10])
        assert until_closed(silent) == b""
    with connect(server.port) as http:
        http.sendall(b"POST / HTTP/1.1\r\nHost: localhost\r\n")
        assert until_closed(http) == b""


def refused_start(*options):
    done = subprocess.run([binary(), "config", *options], capture_output=True, text=True, timeout=60)
    assert done.returncode == 2, done.stdout
    return done.stderr


def test_plain_connections_cannot_be_allowed_where_clients_need_a_certificate(certificate):
    pem, key = map(str, certificate)
    said = refused_start("--tls-cert", pem, "--tls-key", key, "--tls-client-ca", pem, "--set", "tls.plain=allow")
    assert "tls.plain = allow cannot be combined with tls.client_ca" in said


def test_plain_connections_are_served_where_allowed(attacked, certificate):
    pem, key = map(str, certificate)
    server = attacked("--tls-cert", pem, "--tls-key", key, "--set", "tls.plain=allow")
    with connect(server.port) as thrift:
        thrift.sendall(message("getTableNames"))
        thrift.shutdown(socket.SHUT_WR)
        assert b"TLS" not in until_closed(thrift)
