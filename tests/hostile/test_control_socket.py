"""Clients of the control socket that send part of a request."""
import os
import signal
import socket

import pytest

from serving import Hjall


@pytest.fixture
def server(tmp_path):
    with Hjall(tmp_path / "data") as running:
        yield running


def ask(server, request):
    """A connection to the control socket that has sent these bytes."""
    folder = os.open(server.folder, os.O_RDONLY)
    try:
        peer = socket.socket(socket.AF_UNIX)
        peer.settimeout(60)
        # Addresses of sockets are short, and the folder's path may be long.
        peer.connect(f"/proc/self/fd/{folder}/control")
    finally:
        os.close(folder)
    peer.sendall(request)
    return peer


def test_a_request_that_arrives_byte_by_byte_ends(server):
    with ask(server, b"backup 60000\n") as peer:
        peer.settimeout(0.05)
        with pytest.raises(ConnectionError):
            for _ in range(2000):
                peer.sendall(b"/")
                try:
                    assert peer.recv(1000) == b"", "the request is not answered"
                except TimeoutError:
                    pass


def test_a_server_that_stops_waits_for_no_request(server):
    with ask(server, b"backup 60000\n/") as waiting:
        # Connections are accepted in their order, so the first request is being read when the second is answered.
        with ask(server, b"addresses\n") as answered, answered.makefile("rb") as lines:
            assert lines.read().endswith(b"done\n")
        server.process.send_signal(signal.SIGTERM)
        with waiting.makefile("rb") as lines:
            assert lines.read() == b"failed 1 the server was stopped; run the backup again\n"
        assert server.ended() == 0
