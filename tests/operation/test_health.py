"""/healthz and /readyz, which load balancers use."""
import resource
import signal
import socket
import subprocess
import threading

import pytest
from serving import Hjall, binary
from speaking import Wire, one, page


def test_a_running_server_is_ready(served):
    server = served()
    assert page(server, "/healthz") == (200, "ok\n") and page(server, "/readyz") == (200, "ready\n")
    assert "\nhjall_ready 1\n" in page(server, "/metrics")[1]


def test_a_stopping_server_reports_that_it_is_not_ready_until_it_exits(served):
    """A load balancer has to notice the stop while the last calls are still running."""
    server = served("--grace", "30")
    with Wire(server.port) as wire:
        wire.make_table()
        wire.one.mutateRows(b"t", [_big(n) for n in range(20)], {})
        # An unread reply keeps the server from exiting.
        slow = socket.socket()
        slow.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 18)
        slow.connect(("127.0.0.1", server.port))
        slow.sendall(_get_rows(20))
        while "hjall_calls_total{service=\"thrift1\",method=\"getRows\"" not in page(server, "/metrics")[1]:
            pass
        server.process.send_signal(signal.SIGTERM)
        while (found := page(server, "/readyz"))[0] == 200:
            pass
        assert found == (503, "not ready: the server is stopping\n")
        assert page(server, "/healthz")[0] == 200, "a stopping server is healthy, so nothing should kill it"
        reader = threading.Thread(target=_read_all, args=(slow,))
        reader.start()
        assert server.ended() == 0
        reader.join()
        slow.close()


def test_a_draining_server_reports_it_and_still_serves(served):
    """The load balancer notices before clients are refused."""
    server = served("--set", "server.drain=1h")
    server.process.send_signal(signal.SIGTERM)
    while (found := page(server, "/readyz"))[0] == 200:
        pass
    assert found == (503, "not ready: the server is stopping\n")
    with Wire(server.port) as wire:
        wire.make_table()
        wire.put(b"r")
    assert page(server, "/healthz")[0] == 200
    server.process.send_signal(signal.SIGTERM)
    assert server.ended() == 9, "a second signal does not wait"


def test_a_drained_server_stops_cleanly(served):
    server = served("--set", "server.drain=10ms")
    assert server.stop() == 0


def _read_all(stream):
    while stream.recv(1 << 20):
        pass


def _big(n):
    return one.BatchMutation(row=b"r%02d" % n, mutations=[one.Mutation(column=b"f:a", value=b"v" * 1_000_000)])


def _get_rows(count):
    rows = b"".join(b"\0\0\0\x03r%02d" % n for n in range(count))
    return (b"\x80\x01\x00\x01\0\0\0\x07getRows\0\0\0\x01\x0b\0\x01\0\0\0\x01t\x0f\0\x02\x0b" + count.to_bytes(4, "big") + rows
            + b"\x0d\0\x03\x0b\x0b\0\0\0\0\0")


def test_an_explicit_info_address_that_is_taken_fails_the_start():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        address = "127.0.0.1:%d" % taken.getsockname()[1]
        done = subprocess.run([binary(), "serve", "--memory", "--listen", "127.0.0.1:0", "--info-listen", address],
                              capture_output=True, text=True, timeout=60)
        assert done.returncode == 3 and done.stdout == "", "no client is told to connect"
        assert address in done.stderr and "--info-listen" in done.stderr


def test_the_server_starts_without_the_default_info_port_if_it_is_taken():
    """A second server on one machine starts, and logs one warning."""
    with socket.socket() as taken:
        taken.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            taken.bind(("127.0.0.1", 9095))
            taken.listen()
        except OSError:
            pass  # Another program uses the port, which serves the same purpose.
        process = subprocess.Popen([binary(), "serve", "--memory", "--listen", "127.0.0.1:0"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        assert process.stdout.readline().startswith("hjall listening on 127.0.0.1:")
        process.send_signal(signal.SIGTERM)
        said = process.communicate(timeout=60)[1]
        assert process.returncode == 0
        assert len([line for line in said.splitlines() if "WARN" in line and "127.0.0.1:9095" in line and "--info-listen" in line]) == 1, said


def test_the_info_port_can_be_switched_off():

    process = subprocess.Popen([binary(), "serve", "--memory", "--listen", "127.0.0.1:0", "--info-listen", "off"], stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, text=True)
    assert process.stdout.readline()
    process.send_signal(signal.SIGTERM)
    assert 'metrics="off"' in process.communicate(timeout=60)[1]


@pytest.mark.skipif(not hasattr(resource, "prlimit"), reason="the limits of another process are Linux's")
def test_a_store_that_refuses_writes_serves_reads_and_recovers_without_a_write(tmp_path):
    """A load balancer sends no writes to a server that is not ready."""
    with Hjall(tmp_path / "data", "--info-listen", "127.0.0.1:0") as server, Wire(server.port) as wire:
        wire.make_table()
        wire.put(b"r")
        # Every write to a file fails, as on a disk that has become read-only.
        server.limit_file_size(0)
        for _ in range(20):
            with pytest.raises(one.IOError):
                wire.put(b"refused")
            assert wire.one.get(b"t", b"r", b"f:a", {})[0].value == b"v"
            assert page(server, "/readyz")[0] == 503
        server.limit_file_size()
        while page(server, "/readyz")[0] != 200:
            assert wire.one.get(b"t", b"r", b"f:a", {})[0].value == b"v"
        wire.put(b"s")
        assert not (server.folder / "PROBE").exists()


@pytest.mark.skipif(not hasattr(resource, "prlimit"), reason="the limits of another process are Linux's")
def test_a_stop_writes_everything_if_the_folder_can_be_written_again(tmp_path):
    with Hjall(tmp_path / "data", "--info-listen", "127.0.0.1:0") as server, Wire(server.port) as wire:
        wire.make_table()
        wire.put(b"r")
        server.limit_file_size(0)
        with pytest.raises(one.IOError):
            wire.put(b"refused")
        server.limit_file_size()
        assert server.stop() == 0
