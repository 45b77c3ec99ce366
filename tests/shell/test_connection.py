"""Ctrl-C during calls of a server, lost connections, and servers that misbehave."""
import os
import signal
import socket
import subprocess
import threading

import pytest

from certificates import self_signed
from serving import Hjall, binary
from test_scripts import ran, wait_for_handler
from transcript import Running, at_prompt


def filled(shell):
    """Creates a table whose scan takes many calls."""
    ran(shell, "-e", "create 't', 'f'", "-e", "(1..300).each { |i| put 't', format('%05d', i), 'f:q', 'v' }")


class Deaf:
    """A server that accepts connections and answers nothing. `reads`: whether it reads."""

    def __init__(self, reads=True):
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.address = "127.0.0.1:%d" % self.listener.getsockname()[1]
        self.arrived, self.stop, self.reads = threading.Event(), threading.Event(), reads
        self.thread = threading.Thread(target=self.serve)
        self.thread.start()

    def serve(self):
        connection, _ = self.listener.accept()
        with connection:
            connection.settimeout(0.05)
            while not self.stop.is_set():
                try:
                    if self.reads and connection.recv(65536):
                        self.arrived.set()
                except OSError:
                    pass
                if not self.reads:
                    self.arrived.set()
                    self.stop.wait(0.05)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop.set()
        # Ends an accept that still waits.
        socket.create_connection(self.listener.getsockname()).close()
        self.thread.join(60)
        self.listener.close()


@pytest.mark.parametrize("command", ["scan 't', {CACHE => 1}", "count 't', {CACHE => 1}"])
def test_control_c_does_not_cost_the_connection(command, tmp_path):
    with Hjall() as server:
        shell = [str(binary()), "shell", "--server", server.address]
        filled(shell)
        with Running(shell, 100, tmp_path) as terminal:
            terminal.read(at_prompt)
            terminal.send("x = 41")
            terminal.read(at_prompt)
            terminal.send(f"loop {{ {command} }}")
            terminal.read(lambda text: "row(s)" in text)
            terminal.send("\x03", end="")
            assert "lost" not in terminal.read(at_prompt)
            terminal.send("list")
            assert "1 row(s)" in terminal.read(at_prompt)
            terminal.send("x + 1")
            assert "=> 42" in terminal.read(at_prompt)


@pytest.mark.parametrize("fake", [{}, {"reads": False}], ids=["silent", "not reading"])
def test_control_c_ends_a_call_of_a_server_that_misbehaves(fake):
    with Deaf(**fake) as server:
        shell = subprocess.Popen([str(binary()), "shell", "--server", server.address, "-e", "put 't', 'r', 'f:q', 'a' * 60_000_000"],
                                 stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        assert wait_for_handler(shell) and server.arrived.wait(60)
        shell.send_signal(signal.SIGINT)
        assert shell.wait(60) == 130
        shell.communicate()


@pytest.mark.parametrize("fake", [{}, {"reads": False}], ids=["silent", "not reading"])
def test_the_timeout_of_a_call(fake):
    with Deaf(**fake) as server:
        shell = [str(binary()), "shell", "--server", server.address, "--timeout", "1"]
        done = ran(shell, "-e", "put 't', 'r', 'f:q', 'a' * 60_000_000", status=1)
        assert "sent nothing for 1 s" in done.stderr and "--timeout" in done.stderr and "not known" in done.stderr


def test_a_server_that_was_restarted(tmp_path):
    folder = tmp_path / "data"
    with Hjall(folder) as server:
        address, port = server.address, server.port
        shell = [str(binary()), "shell", "--server", address]
        filled(shell)
        terminal = Running(shell, 100, tmp_path)
        terminal.read(at_prompt)
        terminal.send("x = 41")
        terminal.read(at_prompt)
    with terminal:
        terminal.send("list")
        printed = terminal.read(at_prompt)
        assert "cannot reach" in printed and "start the shell again" not in printed
        with Hjall(folder, "--listen", f"127.0.0.1:{port}"):
            terminal.send("put 't', 'r', 'f:q', 'v'")
            assert "ERROR" not in terminal.read(at_prompt)
            terminal.send("count 't'")
            assert "301 row(s)" in terminal.read(at_prompt)
            terminal.send("x + 1")
            assert "=> 42" in terminal.read(at_prompt)


def test_a_server_that_closes_the_connection():
    with socket.create_server(("127.0.0.1", 0)) as listener:
        def serve():
            connection, _ = listener.accept()
            connection.recv(65536)
            connection.close()
        thread = threading.Thread(target=serve)
        thread.start()
        shell = [str(binary()), "shell", "--server", "127.0.0.1:%d" % listener.getsockname()[1]]
        done = ran(shell, "-e", "put 't', 'r', 'f:q', 'v'", status=1)
        thread.join()
        assert "the server closed it; whether it was executed is not known" in done.stderr


def test_a_file_of_authorities_that_cannot_be_read(tmp_path):
    shell = [str(binary()), "shell", "--server", "127.0.0.1:1", "--tls", "--tls-ca", str(tmp_path / "none.pem")]
    done = ran(shell, "-e", "list", status=1)
    assert "cannot read --tls-ca" in done.stderr and "Thrift2 server running" not in done.stderr


@pytest.mark.parametrize("option", ["--tls-ca", "--tls-cert", "--tls-key", "SSL_CERT_FILE"])
def test_files_of_tls_without_an_end(option, tmp_path):
    pem, key = self_signed(tmp_path)
    files = {"--tls-ca": pem, "--tls-cert": pem, "--tls-key": key} | {option: "/dev/zero"}
    if option == "SSL_CERT_FILE":
        del files["--tls-ca"]
    options = [str(word) for pair in files.items() if pair[0].startswith("--") for word in pair]
    shell = [str(binary()), "shell", "--server", "localhost:1", "--tls", *options]
    said = ran(shell, "-e", "list", status=1, environment={"SSL_CERT_FILE": "/dev/zero"}).stderr
    assert f"cannot read {option} /dev/zero: it has more than 64 MiB; name a file in PEM format" in said, said


def test_tls_with_a_server_that_has_none():
    with Hjall() as server:
        pem = os.environ.get("SSL_CERT_FILE")
        shell = [str(binary()), "shell", "--server", f"localhost:{server.port}", "--tls"]
        if pem is None and not os.path.exists("/etc/ssl/certs/ca-certificates.crt"):
            pytest.skip("no authorities on this system")
        assert "leave out --tls" in (done := ran(shell, "-e", "list", status=1)).stderr or "closed the connection" in done.stderr
