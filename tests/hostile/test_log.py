"""A log that is not read, and clients that write into it."""
import resource
import signal
import struct
import subprocess

import happybase

from attacking import AT_LENGTH, connect, framed, message, text_field, until_closed
from logging_in import logged
from serving import binary

# Thrift2's get of an empty row: the client reads only that there was an internal error, so the reason is in the log.
MISTAKE = message("get", text_field(1, b"t") + b"\x0c\0\x02" + text_field(1, b"") + b"\0\0")
MISTAKES = 100_000 if AT_LENGTH else 2_000


def start(*options, log=subprocess.PIPE, limit=None):
    """Starts a server whose standard error is a separate pipe, or `log`; returns the process and its port."""
    process = subprocess.Popen([binary(), "serve", "--memory", "--listen", "127.0.0.1:0", "--info-listen", "off", *options],
                               stdout=subprocess.PIPE, stderr=log, text=True, preexec_fn=limit)
    return process, int(process.stdout.readline().rsplit(":", 1)[1])


def answers(raw, count):
    """Reads this many exceptions in the strict binary protocol."""
    stream = raw.makefile("rb")
    for _ in range(count):
        assert stream.read(4) == b"\x80\x01\x00\x03"
        stream.read(struct.unpack(">i", stream.read(4))[0] + 4)
        stream.read(3)
        stream.read(struct.unpack(">i", stream.read(4))[0] + 7 + 1)


def test_a_log_that_is_not_read_does_not_stop_the_server():
    """Each mistake logs more than a line at this level. All lines together exceed the capacity of a pipe many times."""
    process, port = start("--log", "trace")
    with connect(port) as raw:
        for _ in range(MISTAKES // 100):
            raw.sendall(MISTAKE * 100)
            answers(raw, 100)
        reader = happybase.Connection("127.0.0.1", port, timeout=30_000)
        assert reader.tables() == []
        reader.close()
    process.send_signal(signal.SIGTERM)
    assert process.wait(timeout=60) == 0, "the server stops although the pipe is full"
    process.stdout.close()
    process.stderr.close()


def test_a_log_that_reaches_the_limit_of_a_file_does_not_end_the_server(tmp_path):
    with open(tmp_path / "log", "w") as log:
        process, port = start("--log", "trace", log=log, limit=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (2000, 2000)))
        with connect(port) as raw:
            raw.sendall(MISTAKE * 100)
            answers(raw, 100)
        process.send_signal(signal.SIGTERM)
        assert process.wait(timeout=60) == 0
    assert (tmp_path / "log").stat().st_size == 2000
    process.stdout.close()


def test_mistakes_of_clients_are_logged_once_and_then_summarised():
    process, port = start()
    with connect(port) as raw:
        raw.sendall(MISTAKE * 50)
        answers(raw, 50)
    process.send_signal(signal.SIGTERM)
    log = process.communicate(timeout=60)[1].splitlines()
    assert len([line for line in log if "its arguments are invalid" in line and 'method="get"' in line]) == 1, log
    assert len([line for line in log if "further client errors" in line and "invalid_request 49" in line]) == 1, log


def test_text_from_clients_stays_within_its_line():
    process, port = start("--set", "slow.time=0s")
    name = b"forged\n2026-01-01T00:00:00Z ERROR the disk is gone\x1b[2J"
    with connect(port) as raw:
        raw.sendall(message("isTableEnabled", text_field(1, name) + b"\0"))
        assert raw.recv(4)[:2] == b"\x80\x01"
    process.send_signal(signal.SIGTERM)
    log = process.communicate(timeout=60)[1]
    assert "forged\\n2026" in log and "\x1b" not in log
    assert not any(line.startswith("2026-01-01T00:00:00Z ERROR") for line in log.splitlines())


def test_text_from_clients_cannot_look_like_fields():
    process, port = start("--set", "slow.time=0s", "--log", "debug")
    name = b't}: audit: change user="root" method="deleteTable" outcome="done" {'
    for call in (message("getTableRegions", text_field(1, b'x user="root"') + b"\0"), message("isTableEnabled", text_field(1, name) + b"\0"),
                 message('x user="root"')):
        with connect(port) as raw:
            raw.sendall(call)
            assert raw.recv(4)[:2] == b"\x80\x01"
    with connect(port) as browser:
        browser.sendall(b'GET /t/user="root"/a/b/c/d HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n')
        until_closed(browser)
    process.send_signal(signal.SIGTERM)
    log = process.communicate(timeout=60)[1]
    assert 'user=\\"root\\"' in log and 'user="root"' not in log, log
    for what in ("responseTooSlow", "arguments are invalid", "call{"):
        assert [line for line in log.splitlines() if what in line and 'user=\\"root\\"' in line], (what, log)


def test_lines_of_libraries_are_marked_and_suppressed_by_default(tmp_path):
    process = subprocess.Popen([binary(), "serve", "--data", tmp_path / "data", "--listen", "127.0.0.1:0", "--info-listen", "off"],
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stdout.readline()
    process.send_signal(signal.SIGTERM)
    log = process.communicate(timeout=60)[1].splitlines()
    expected = ("a new database was created", "hjall is serving", "stopping", "stopped")
    assert len(log) == len(expected) and all(said in line for said, line in zip(expected, log)), log


def test_reasons_are_quoted(attacked):
    """Those of sockets like those of HTTP, so that one pattern finds all."""
    server = attacked()
    with connect(server.port) as raw:
        raw.sendall(b"\x01\0\0\0\5PLAIN")
        assert b"this server has no users" in until_closed(raw)
    with connect(server.port) as raw:
        raw.sendall(framed(message("getTableNames")) + b"\0\0\0\0")
        until_closed(raw)
    for what in ("login failed", "a message cannot be accepted"):
        assert 'reason="' in logged(server, what)
