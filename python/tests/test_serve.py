"""Serving Thrift clients from an embedded database, and the command line."""

import errno
import gc
import re
import signal
import socket
import subprocess
import sys
import threading

import happybase
import pytest
from thriftpy2.thrift import TException

import hjall


def test_the_program_and_its_clients_use_one_database():
    with hjall.memory() as db, db.serve(port=0) as server, db.serve(port=0) as other:
        assert server.address != other.address and server.is_open
        connection = happybase.Connection(*server.address)
        connection.create_table("t", {"f": {}})
        connection.table("t").put(b"r", {b"f:a": b"1"})
        assert db.table("t").row(b"r") == {b"f:a": b"1"}
        db.table("t").put(b"r", {b"f:a": b"2"})
        assert happybase.Connection(*other.address).table("t").row(b"r") == {b"f:a": b"2"}
        connection.close()
    assert not server.is_open and server.close()


def test_closing_the_database_closes_its_servers():
    db = hjall.memory()
    server = db.serve(port=0)
    db.close()
    assert not server.is_open
    with pytest.raises(TException):
        happybase.Connection(*server.address)


@pytest.mark.parametrize("port", [-1, 65_536])
def test_a_port_out_of_range_is_refused(port):
    with hjall.memory() as db, pytest.raises(ValueError, match=f"port must be from 0.*not {port}"):
        db.serve(port=port)


def test_an_address_in_use_is_an_error():
    with hjall.memory() as db, db.serve(port=0) as server:
        message = rf"serve: cannot listen on 127.0.0.1:{server.port}: the port is in use: .*port=0$"
        with pytest.raises(OSError, match=message) as caught:
            db.serve(port=server.port)
        assert caught.value.errno == errno.EADDRINUSE


def test_an_address_that_cannot_be_used_is_an_error():
    with hjall.memory() as db:
        with pytest.raises(
            OSError, match=r'^serve: cannot listen on host "no such host": .*: give an IP address of this'
        ):
            db.serve(host="no such host", port=0)
        # An address for documentation, which no machine has.
        with pytest.raises(
            OSError, match=r"serve: cannot listen on 192.0.2.1:0: .*: choose another .* host= and"
        ) as caught:
            db.serve(host="192.0.2.1", port=0)
        assert caught.value.errno == errno.EADDRNOTAVAIL


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGINT for processes")
def test_the_command_line_serves_until_sigint(tmp_path):
    process = subprocess.Popen(
        [sys.executable, "-m", "hjall", "serve", "--data", tmp_path, "--listen", "127.0.0.1:0"],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    with process:
        port = int(re.fullmatch(r"hjall listening on 127\.0\.0\.1:(\d+)\n", process.stdout.readline())[1])
        connection = happybase.Connection("127.0.0.1", port)
        connection.create_table("t", {"f": {}})
        connection.close()
        process.send_signal(signal.SIGINT)
        assert process.wait(timeout=60) == 0
    with hjall.open(tmp_path) as db:
        assert db.tables() == [b"t"]


def test_the_command_line_has_help():
    help = subprocess.run([sys.executable, "-m", "hjall", "--help"], capture_output=True, text=True, timeout=60)
    assert help.returncode == 0 and "serve" in help.stdout


def test_other_threads_run_while_a_forgotten_server_stops():
    value = bytes(8 << 20)
    db = hjall.memory()
    db.create_table("t", {"f": {}})
    db.table("t").put(b"r", {b"f:a": value})
    server = db.serve(port=0, grace=30)
    # The server can stop only when this client has received its reply.
    client = socket.create_connection(server.address)
    client.sendall(
        b"GET /t/r/f:a HTTP/1.1\r\nHost: localhost\r\nAccept: application/octet-stream\r\nConnection: close\r\n\r\n"
    )
    received = [client.recv(1 << 10)]

    def receive():
        while part := client.recv(1 << 16):
            received.append(part)

    thread = threading.Thread(target=receive)
    thread.start()
    del db, server
    gc.collect()
    thread.join()
    assert b"".join(received).endswith(value)
