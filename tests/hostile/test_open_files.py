"""Connections that use up file descriptors: the store must still be able to open its files."""
import time
import urllib.request

import happybase
import pytest
from attacking import connect, message

from serving import Hjall


def is_served(port, source):
    """Whether a new connection from this address is answered."""
    try:
        with connect(port, source=source) as newcomer:
            newcomer.sendall(message("getTableNames"))
            return b"bystander" in newcomer.recv(1 << 16)
    except ConnectionError:
        return False


def test_silent_connections_leave_descriptors_to_the_store(attacked, bystander):
    server = attacked(on_disk=True, open_files=128)
    database = happybase.Connection("127.0.0.1", server.port, timeout=30_000)
    database.create_table("t", {"f": {}})
    silent = []
    with bystander(server) as reader:
        # The server closes connections above its limit, so some of these end.
        for _ in range(200):
            silent.append(connect(server.port))
        # One address does not take the connections of others, once those that are refused have ended.
        until = time.monotonic() + 60
        while not is_served(server.port, "127.0.0.2"):
            assert time.monotonic() < until
        table = database.table("t")
        for round_number in range(5):
            with table.batch() as batch:
                for i in range(200):
                    batch.put(b"%d-%d" % (round_number, i), {b"f:q": bytes(1000)})
            # Flushes the memory to new files.
            database.compact_table("t", major=True)
        assert len(list(table.scan())) == 1000
        reader.reads(20)
        assert urllib.request.urlopen(server.info + "/healthz", timeout=30).status == 200
    assert not reader.failures
    for connection in silent:
        connection.close()
    database.close()
    log = "".join(server.said)
    assert "open files" in log and "Too many open files" not in log


def figure(server, name):
    """The value of a metric without labels."""
    page = urllib.request.urlopen(server.info + "/metrics", timeout=30).read().decode()
    return float(next(line.split()[1] for line in page.splitlines() if line.startswith(f"{name} ")))


def test_a_store_with_more_files_than_descriptors_works_beside_silent_connections(attacked, bystander):
    server = attacked("--set", "store.write_buffer=1MiB", on_disk=True, open_files=128)
    database = happybase.Connection("127.0.0.1", server.port, timeout=60_000)
    tables = [f"t{n}" for n in range(60)]
    for name in tables:
        database.create_table(name, {"f": {}})
    with bystander(server) as reader:
        silent = [connect(server.port) for _ in range(200)]
        rounds = 0
        # The small write buffer flushes one table after the other.
        while figure(server, "hjall_store_files") <= 100:
            for name in tables:
                database.table(name).put(b"%04d" % rounds, {b"f:q": bytes(1 << 15)})
            rounds += 1
            assert rounds < 500
        open_files = figure(server, "process_open_fds")
        for name in tables:
            assert len(list(database.table(name).scan(columns=[b"f:q"]))) == rounds
        reader.reads(20)
    assert not reader.failures
    assert open_files <= figure(server, "process_max_fds") == 128
    for connection in silent:
        connection.close()
    database.close()
    assert "Too many open files" not in "".join(server.said)
    # Everything is still there after a restart with the same limit.
    server.stop()
    server.start()
    again = happybase.Connection("127.0.0.1", server.port, timeout=60_000)
    assert [len(list(again.table(name).scan())) for name in tables] == [rounds] * len(tables)
    again.close()


@pytest.mark.parametrize("open_files", [24, 63])
def test_a_server_with_too_few_descriptors_says_so_and_does_not_start(open_files):
    with pytest.raises(RuntimeError, match=f"code 1 .*(?s:.*)the limit on open files is {open_files}"):
        Hjall(None, "--memory", open_files=open_files)


def test_listeners_share_the_connections_that_are_allowed(attacked):
    server = attacked("--rest-listen", "127.0.0.1:0", "--max-connections", "1", "--when-full", "wait")
    call = b"GET /version HTTP/1.1\r\nHost: localhost\r\n\r\n"
    for _ in range(3):
        for port, other in (server.ports(), reversed(server.ports())):
            with connect(port) as served, connect(other) as waiting:
                served.sendall(call)
                assert served.recv(1 << 12).startswith(b"HTTP/1.1 200")
                waiting.sendall(call)
                served.close()
                assert waiting.recv(1 << 12).startswith(b"HTTP/1.1 200")
