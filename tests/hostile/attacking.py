"""Tools for attacks: raw connections, messages, a bystander that must not be affected, and the memory of the server."""
import os
import pathlib
import socket
import struct
import threading
import time
import urllib.request

import happybase

# `make hostile` sets this: attacks run longer, and against the default limits.
AT_LENGTH = os.environ.get("HOSTILE") == "long"
# The name of the metric of the memory that connections and calls have claimed.
IN_FLIGHT = "hjall_in_flight_bytes"
TABLE, ROW, VALUE = b"bystander", b"row", b"value"


def connect(port, timeout=60, source="127.0.0.1", receive_buffer=None):
    """A raw connection from an address of this machine. Reads and writes that take longer than `timeout` seconds
    fail."""
    raw = socket.socket()
    raw.settimeout(timeout)
    if receive_buffer:
        raw.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
    raw.bind((source, 0))
    raw.connect(("127.0.0.1", port))
    return raw


def message(name, arguments=b"\0", sequence=1):
    """A call in the strict binary protocol. `arguments` are the encoded fields with their stop byte."""
    name = name.encode()
    return struct.pack(">HHi", 0x8001, 1, len(name)) + name + struct.pack(">i", sequence) + arguments


def text_field(number, value):
    """An encoded field of type string."""
    return struct.pack(">bhi", 11, number, len(value)) + value


def list_field(number, values):
    """An encoded field of type list of strings."""
    return struct.pack(">bhbi", 15, number, 11, len(values)) + b"".join(struct.pack(">i", len(v)) + v for v in values)


def struct_field(number, fields):
    """An encoded field of type struct. `fields` are its encoded fields without the stop byte."""
    return struct.pack(">bh", 12, number) + fields + b"\0"


def structs_field(number, structs):
    """An encoded field of type list of structs."""
    return struct.pack(">bhbi", 15, number, 12, len(structs)) + b"".join(fields + b"\0" for fields in structs)


def map_field(number, pairs):
    """An encoded field of type map from string to string."""
    texts = (text for pair in pairs.items() for text in pair)
    return struct.pack(">bhbbi", 13, number, 11, 11, len(pairs)) + b"".join(struct.pack(">i", len(t)) + t for t in texts)


def framed(call):
    """A call preceded by its length."""
    return struct.pack(">i", len(call)) + call


def post(body, *headers, host="localhost", content_type="application/x-thrift"):
    """An HTTP request with this body. `headers` are whole lines without their ends; `content_type` may be None."""
    lines = ["POST / HTTP/1.1", f"Content-Length: {len(body)}", *headers]
    lines += [f"Host: {host}"] if host else []
    lines += [f"Content-Type: {content_type}"] if content_type else []
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + body


def until_closed(connection):
    """Everything that the server sends until it ends the connection, cleanly or not."""
    received = b""
    try:
        while part := connection.recv(1 << 16):
            received += part
    except ConnectionError:
        pass
    return received


def rss(server):
    """Resident memory of the server, in bytes."""
    status = pathlib.Path(f"/proc/{server.process.pid}/status").read_text()
    return int(next(line for line in status.splitlines() if line.startswith("VmRSS:")).split()[1]) * 1024


def peak_rss(server):
    """The largest resident memory that the server has had, in bytes."""
    status = pathlib.Path(f"/proc/{server.process.pid}/status").read_text()
    return int(next(line for line in status.splitlines() if line.startswith("VmHWM:")).split()[1]) * 1024


def reset_peak_rss(server):
    """Lets `peak_rss` begin with the present resident memory."""
    pathlib.Path(f"/proc/{server.process.pid}/clear_refs").write_text("5")


def metric(server, sample):
    """The value of a metric, given its name with its labels as `/metrics` prints them; 0 if it is absent."""
    with urllib.request.urlopen(server.info + "/metrics", timeout=60) as page:
        lines = page.read().decode().splitlines()
    return sum(float(line.rsplit(" ", 1)[1]) for line in lines if line.rsplit(" ", 1)[0] == sample)


def until_claimed(server, least):
    """Waits until connections and calls have claimed this number of bytes."""
    end = time.monotonic() + 60
    while (claimed := metric(server, IN_FLIGHT)) < least:
        assert time.monotonic() < end, f"{claimed:.0f} bytes are claimed, {least} are expected"
        time.sleep(0.02)


def until_given_back(server):
    """Waits until no memory is claimed and no connection is open."""
    end = time.monotonic() + 120
    while any(held := [metric(server, name) for name in (IN_FLIGHT, "hjall_connections")]):
        claimed, connections = held
        assert time.monotonic() < end, f"{claimed:.0f} bytes are still claimed, {connections:.0f} connections are open"
        time.sleep(0.05)


class Bystander:
    """An ordinary client that repeatedly reads one row during an attack.

    `failures` are the errors of its gets, `latencies` the seconds that the others took. A failed get is repeated on a
    new connection.
    """

    def __init__(self, port, **options):
        self.port, self.options = port, {"timeout": 30_000, **options}
        self.failures, self.latencies = [], []
        self.over, self.progress = threading.Event(), threading.Condition()
        self.connection = self.connect()
        if TABLE not in self.connection.tables():
            self.connection.create_table(TABLE, {"f": {}})
        self.connection.table(TABLE).put(ROW, {b"f:q": VALUE})
        self.thread = threading.Thread(target=self.read, daemon=True)

    def connect(self):
        return happybase.Connection("127.0.0.1", self.port, **self.options)

    def read(self):
        while not self.over.is_set():
            began = time.monotonic()
            try:
                self.connection = self.connection or self.connect()
                assert self.connection.table(TABLE).row(ROW)[b"f:q"] == VALUE
                outcome, into = time.monotonic() - began, self.latencies
            except Exception as error:  # Every failure counts as an effect of the attack.
                self.connection, outcome, into = None, error, self.failures
            with self.progress:
                into.append(outcome)
                self.progress.notify_all()
            # The pause keeps the load of the bystander small.
            self.over.wait(0.002)

    def reads(self, count):
        """Waits until it has attempted this many further gets."""
        with self.progress:
            wanted = len(self.latencies) + len(self.failures) + count
            assert self.progress.wait_for(lambda: len(self.latencies) + len(self.failures) >= wanted, timeout=120)

    def median(self, since=0):
        """The median of the latencies from this index on."""
        ordered = sorted(self.latencies[since:])
        return ordered[len(ordered) // 2]

    def check_slowdown(self, since, factor=100):
        """Compares the gets from this index on with those before. Only a difference of orders of magnitude is a
        failure."""
        before, during = sorted(self.latencies[:since])[since // 2], self.median(since)
        print(f"bystander: median {before * 1e3:.2f} ms before the attack, {during * 1e3:.2f} ms during it")
        assert during < before * factor + 0.5

    def report(self):
        """Prints the median and the longest latency. A timing never fails a test."""
        ordered = sorted(self.latencies) or [float("nan")]
        print(f"bystander: {len(self.latencies)} gets, median {ordered[len(ordered) // 2] * 1e3:.2f} ms, "
              f"longest {ordered[-1] * 1e3:.2f} ms, {len(self.failures)} failures")

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.over.set()
        self.thread.join(60)
        self.report()
