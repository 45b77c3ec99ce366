"""Counts the instructions that the server executes for one call, with valgrind's callgrind.

Instruction counts depend neither on the machine's load nor on its speed, so they show changes that are too small for a
benchmark. They do not show waiting, cache misses or the kernel's work.

    bench/instructions.py                 prints the counts
    bench/instructions.py --check FILE    fails if a count exceeds its limit in a TOML file

The server and the extensions for Python and Node must have been built in release mode. HJALL_RELEASE_BIN names another
server; the extensions are those beside it. Node runs without its compiler, whose work varies.
"""

import argparse
import glob
import os
import pathlib
import re
import shutil
import socket
import struct
import subprocess
import sys
import tempfile
import time
import tomllib

ROWS = 2_000
VALUE = b"v" * 100
SCAN_ROWS = 100
BUSY_CONNECTIONS = 32
# Columns of a wide row.
COLUMNS = 10
# Gets of an embedded program: what the second number executes more than the first one are the gets.
EMBEDDED_GETS = (2_000, 6_000)
ROOT = pathlib.Path(__file__).resolve().parents[1]


class Struct:
    """Encodes a Thrift struct in the binary protocol."""

    def __init__(self):
        self.encoded = b""

    def bytes(self, field, value):
        self.encoded += struct.pack(">bhi", 11, field, len(value)) + value
        return self

    def struct(self, field, value):
        self.encoded += struct.pack(">bh", 12, field) + value.done()
        return self

    def i32(self, field, value):
        self.encoded += struct.pack(">bhi", 8, field, value)
        return self

    def i64(self, field, value):
        self.encoded += struct.pack(">bhq", 10, field, value)
        return self

    def strings(self, field, values):
        self.encoded += struct.pack(">bhbi", 15, field, 11, len(values))
        self.encoded += b"".join(struct.pack(">i", len(v)) + v for v in values)
        return self

    def structs(self, field, values):
        self.encoded += struct.pack(">bhbi", 15, field, 12, len(values)) + b"".join(v.done() for v in values)
        return self

    def done(self):
        return self.encoded + b"\0"


def message(method, arguments):
    """Returns a framed call in the strict binary protocol."""
    name = method.encode()
    call = struct.pack(">Ii", 0x80010001, len(name)) + name + struct.pack(">i", 1) + arguments.done()
    return struct.pack(">I", len(call)) + call


def row(n):
    return b"row%08d" % (n * 7919 % ROWS)


def get_row(n):
    return message("getRow", Struct().bytes(1, b"t").bytes(2, row(n)))


def get_row_with_columns(n):
    return message("getRowWithColumns", Struct().bytes(1, b"t").bytes(2, row(n)).strings(3, [b"f:q"]))


def mutate_row(n):
    put = Struct().bytes(2, b"f:q").bytes(3, VALUE)
    return message("mutateRow", Struct().bytes(1, b"t").bytes(2, row(n)).structs(3, [put]))


def mutate_rows(first, count):
    put = Struct().bytes(2, b"f:q").bytes(3, VALUE)
    batches = [Struct().bytes(1, row(n)).structs(2, [put]) for n in range(first, first + count)]
    return message("mutateRows", Struct().bytes(1, b"t").structs(2, batches))


def put_multiple(first, count):
    cell = Struct().bytes(1, b"f").bytes(2, b"q").bytes(3, VALUE)
    puts = [Struct().bytes(1, row(n)).structs(2, [cell]) for n in range(first, first + count)]
    return message("putMultiple", Struct().bytes(1, b"t").structs(2, puts))


def thrift2_get(n):
    return message("get", Struct().bytes(1, b"t").struct(2, Struct().bytes(1, row(n))))


def thrift2_put(n):
    cell = Struct().bytes(1, b"f").bytes(2, b"q").bytes(3, VALUE)
    return message("put", Struct().bytes(1, b"t").struct(2, Struct().bytes(1, row(n)).structs(2, [cell])))


def wide_put(n):
    puts = [Struct().bytes(2, b"f:q%d" % column).bytes(3, VALUE) for column in range(COLUMNS)]
    return message("mutateRow", Struct().bytes(1, b"wide").bytes(2, row(n)).structs(3, puts))


def wide_get(n):
    return message("getRow", Struct().bytes(1, b"wide").bytes(2, row(n)))


def atomic_increment(n):
    return message("atomicIncrement", Struct().bytes(1, b"t").bytes(2, row(n)).bytes(3, b"f:n").i64(4, 1))


class Connection:
    def __init__(self, port):
        self.socket = socket.create_connection(("127.0.0.1", port))
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def send(self, call):
        self.socket.sendall(call)

    def receive(self):
        """Returns a reply. Fails on an exception that the method does not declare."""
        (length,) = struct.unpack(">I", self._exactly(4))
        reply = self._exactly(length)
        if reply[3] != 2:
            sys.exit(f"a call failed: {reply!r}")
        return reply

    def call(self, call):
        self.send(call)
        return self.receive()

    def call_without_frame(self, call, length):
        """Sends the message of a framed call without its frame, and receives a reply of this length."""
        self.send(call[4:])
        return self._exactly(length)

    def _exactly(self, length):
        parts = b""
        while len(parts) < length:
            part = self.socket.recv(length - len(parts))
            if not part:
                sys.exit("the server has closed the connection")
            parts += part
        return parts


def binary():
    """The path of the server."""
    return pathlib.Path(os.environ.get("HJALL_RELEASE_BIN", ROOT / "target" / "release" / "hjall")).absolute()


def total(dump):
    """The number of instructions in callgrind's output."""
    (found,) = re.findall(r"^(?:summary|totals): (\d+)$", pathlib.Path(dump).read_text(), re.M)[:1]
    return int(found)


class Server:
    """A server under callgrind."""

    def __init__(self, folder):
        self.out = os.path.join(folder, "callgrind.out")
        command = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={self.out}", "--error-exitcode=0", "-q"]
        command += [binary(), "serve", "--data", os.path.join(folder, "data"), "--listen", "127.0.0.1:0", "--info-listen", "off"]
        # Under valgrind, calls take so long that some would leave the event loop, more of them on a busy machine. How
        # much is polled between calls depends on the time that they take.
        environment = {**os.environ, "HJALL_SERVER_FAST_PATH": "always", "HJALL_SERVER_BUSY_POLL": "off"}
        # Connections that move between event loops execute further instructions.
        environment |= {"HJALL_SERVER_LOOPS": "1", "HJALL_SERVER_LOOPS_MAX": "1"}
        self.process = subprocess.Popen(
            command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        )
        for line in self.process.stdout:
            if found := re.search(r"127\.0\.0\.1:(\d+)", line):
                self.port = int(found.group(1))
                return
        sys.exit("the server did not start")

    def _control(self, option):
        subprocess.run(["callgrind_control", option, str(self.process.pid)], check=True, capture_output=True)

    def count(self, calls):
        """Returns the number of instructions that `calls()` makes the server execute."""
        self._control("--zero")
        calls()
        before = set(glob.glob(self.out + "*"))
        self._control("--dump")
        while not (new := set(glob.glob(self.out + "*")) - before):
            time.sleep(0.05)
        return total(new.pop())

    def stop(self):
        self.process.terminate()
        self.process.wait()


def scanner(connection):
    reply = connection.call(message("scannerOpen", Struct().bytes(1, b"t").bytes(2, b"")))
    return struct.unpack(">i", reply[-5:-1])[0]


def measure(server):
    """Yields the name and the instructions per call of each kind of call."""
    connection = Connection(server.port)
    family = Struct().bytes(1, b"f:")
    connection.call(message("createTable", Struct().bytes(1, b"t").structs(2, [family])))
    connection.call(mutate_rows(0, ROWS))

    def each(call, numbers):
        def calls():
            for n in numbers:
                connection.call(call(n))

        return calls

    def counted(calls, number):
        return server.count(calls) / number

    def spread(call, rounds):
        """Calls from many connections at once."""
        connections = [Connection(server.port) for _ in range(BUSY_CONNECTIONS)]

        def calls():
            for r in range(rounds):
                for at, one in enumerate(connections):
                    one.send(call(r * BUSY_CONNECTIONS + at))
                for one in connections:
                    one.receive()

        return calls

    few = range(300)
    yield "getRow, not in the row cache", counted(each(get_row, few), len(few))
    each(get_row, few)()
    cached = counted(each(get_row, few), len(few))
    yield "getRow", cached
    connection.call(message("createTable", Struct().bytes(1, b"wide").structs(2, [family])))
    each(wide_put, few)()
    # A row is cached on its second request.
    each(wide_get, few)()
    each(wide_get, few)()
    wide = counted(each(wide_get, few), len(few))
    yield f"getRow of a row of {COLUMNS} columns", wide
    yield "encoding a further column of a getRow", (wide - cached) / (COLUMNS - 1)
    length = len(connection.call(get_row(0)))
    buffered = Connection(server.port)
    buffered.call_without_frame(get_row(0), length)

    def without_frames():
        for n in few:
            buffered.call_without_frame(get_row(n), length)

    yield "getRow, without frames", counted(without_frames, len(few))
    each(get_row_with_columns, few)()
    yield "getRowWithColumns", counted(each(get_row_with_columns, few), len(few))
    yield "mutateRow", counted(each(mutate_row, range(1_000, 1_300)), 300)
    yield "mutateRows of one row (HappyBase's put)", counted(each(lambda n: mutate_rows(n, 1), range(1_000, 1_300)), 300)
    yield "mutateRow of a cached row", counted(each(mutate_row, few), len(few))
    yield "getRow of a row that was overwritten", counted(each(get_row, few), len(few))
    yield f"mutateRow, {BUSY_CONNECTIONS} connections", counted(spread(mutate_row, 20), 20 * BUSY_CONNECTIONS)
    each(thrift2_get, range(600, 900))()
    each(thrift2_get, range(600, 900))()
    yield "get (Thrift2)", counted(each(thrift2_get, range(600, 900)), 300)
    yield "put (Thrift2)", counted(each(thrift2_put, range(1_300, 1_600)), 300)
    yield "atomicIncrement", counted(each(atomic_increment, range(500, 700)), 200)
    yield f"atomicIncrement, {BUSY_CONNECTIONS} connections", counted(spread(atomic_increment, 10), 10 * BUSY_CONNECTIONS)
    batch = mutate_rows(0, 1_000)
    framed = counted(lambda: connection.call(batch), 1_000)
    yield "mutateRows of 1,000, a row", framed
    # Without a frame, the server has to find the end of the message. The reply has no result: its header and one byte.
    empty = len(batch[4:batch.index(b"mutateRows") + len(b"mutateRows") + 4]) + 1
    again = counted(lambda: connection.call(batch), 1_000)
    unframed = counted(lambda: buffered.call_without_frame(batch, empty), 1_000)
    yield "measuring a message of mutateRows, a row", unframed - again
    opened = scanner(connection)
    pages = ROWS // SCAN_ROWS - 1
    fetch = message("scannerGetList", Struct().i32(1, opened).i32(2, SCAN_ROWS))
    yield "scannerGetList, a row", counted(each(lambda _: fetch, range(pages)), pages * SCAN_ROWS)
    yield "putMultiple of 1,000, a row", counted(lambda: connection.call(put_multiple(0, 1_000)), 1_000)


def embedded(folder, command, environment):
    """The instructions of one get in a program that takes their number as its argument."""
    totals = []
    for gets in EMBEDDED_GETS:
        out = os.path.join(folder, f"embedded.{gets}")
        valgrind = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={out}", "--trace-children=no", "-q"]
        ended = subprocess.run([*valgrind, *command, str(gets)], env={**os.environ, **environment}, capture_output=True, text=True)
        if ended.returncode:
            sys.exit(f"{' '.join(command)} failed:\n{ended.stdout}{ended.stderr}")
        totals.append(total(out))
    return (totals[1] - totals[0]) / (EMBEDDED_GETS[1] - EMBEDDED_GETS[0])


def extension(name):
    """The path of an extension beside the server."""
    path = binary().with_name(name)
    if not path.exists():
        sys.exit(f"{path} does not exist: build it with cargo build --release -p hjall-python -p hjall-node")
    return path


def measure_embedded(folder):
    """Yields the name and the instructions per call of gets in programs that embed the engine."""
    package = pathlib.Path(folder, "python")
    shutil.copytree(ROOT / "python" / "src" / "hjall", package / "hjall", ignore=shutil.ignore_patterns("*.so", "__pycache__"))
    shutil.copy(extension("lib_native.so"), package / "hjall" / "_native.abi3.so")
    python = [sys.executable, str(ROOT / "bench" / "python" / "gets.py")]
    yield "row (Python), from memory", embedded(folder, python, {"PYTHONPATH": str(package)})
    module = shutil.copy(extension("libhjall_node.so"), pathlib.Path(folder, "hjall.node"))
    node = [os.environ.get("NODE", "node"), "--jitless", str(ROOT / "bench" / "node" / "gets.js")]
    yield "rowSync (Node), from memory", embedded(folder, node, {"HJALL_NODE_ADDON": str(module)})


def counts(folder):
    """Yields the name and the instructions per call of each kind of call."""
    server = Server(folder)
    try:
        yield from measure(server)
    finally:
        server.stop()
    yield from measure_embedded(folder)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", metavar="FILE", help="a TOML file with the limit of each count")
    arguments = parser.parse_args()
    limits = {}
    if arguments.check:
        with open(arguments.check, "rb") as file:
            limits = tomllib.load(file)["instructions"]
    failed = []
    with tempfile.TemporaryDirectory() as folder:
        for name, count in counts(folder):
            limit = limits.pop(name, None)
            exceeds = limit is not None and count > limit
            failed += [name] * exceeds
            print(f"{name:<44} {count:>10,.0f}" + (f"  limit {limit:,}" if limit else "") + "  EXCEEDED" * exceeds, flush=True)
    if limits:
        sys.exit(f"{arguments.check} has limits of unknown names: {', '.join(limits)}")
    if failed:
        sys.exit(f"more instructions than allowed: {'; '.join(failed)}")


if __name__ == "__main__":
    main()
