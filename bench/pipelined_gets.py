"""Measures gets by clients that leave a core to the server, with one event loop and with the default number of them.

Each of a few connections sends many calls at once, and its replies are read a few times per millisecond, so that the
client needs little processor time for a call. Clients on other machines need none of this machine.

    python3 bench/pipelined_gets.py [--rounds N] [--seconds N] [--connections N]

HJALL_RELEASE_BIN names the server, which is target/release/hjall by default. The figures are those of the second half
of each measurement, when the server has found out how many event loops help.
"""

import argparse
import os
import pathlib
import re
import selectors
import socket
import struct
import subprocess
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]
ROWS = 1_000
VALUE = b"v" * 100
CALLS = 200


def text(field, value):
    """A field of a struct in the binary protocol that is a string."""
    return struct.pack(">bhi", 11, field, len(value)) + value


def structs(field, values):
    return struct.pack(">bhbi", 15, field, 12, len(values)) + b"".join(value + b"\0" for value in values)


def call(method, arguments):
    return struct.pack(">Ii", 0x80010001, len(method)) + method + struct.pack(">i", 1) + arguments + b"\0"


def row(n):
    return b"row%06d" % n


class Server:
    """A server with a table of which all rows are in the row cache."""

    def __init__(self, settings):
        binary = os.environ.get("HJALL_RELEASE_BIN", ROOT / "target/release/hjall")
        command = [binary, "serve", "--memory", "--listen", "127.0.0.1:0", "--info-listen", "off"]
        environment = {**os.environ, **settings}
        self.process = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        for line in self.process.stdout:
            if found := re.search(r"127\.0\.0\.1:(\d+)", line):
                self.port = int(found[1])
                break
        else:
            raise SystemExit("the server did not start")
        with self.connect() as connection:
            self.answer(connection, call(b"createTable", text(1, b"t") + structs(2, [text(1, b"f:")])))
            for n in range(ROWS):
                put = text(2, b"f:q") + text(3, VALUE)
                self.answer(connection, call(b"mutateRow", text(1, b"t") + text(2, row(n)) + structs(3, [put])))
            self.get = lambda n: call(b"getRow", text(1, b"t") + text(2, row(n)))
            for _ in range(2):
                for n in range(ROWS):
                    reply = self.answer(connection, self.get(n))
        self.reply_bytes = len(reply)

    def connect(self):
        return socket.create_connection(("127.0.0.1", self.port))

    @staticmethod
    def answer(connection, message):
        """The reply to a call, which arrives in one piece, because it is short."""
        connection.sendall(message)
        return connection.recv(1 << 16)

    def stop(self):
        self.process.kill()
        self.process.wait()


def rate(server, connections, seconds):
    """The gets per second in the second half of the time."""
    batch = b"".join(server.get(n % ROWS) for n in range(CALLS))
    ready, left = selectors.DefaultSelector(), {}
    for _ in range(connections):
        connection = server.connect()
        ready.register(connection, selectors.EVENT_READ)
        connection.sendall(batch)
        left[connection] = CALLS * server.reply_bytes
    began, answered, counted_from = time.monotonic(), 0, None
    while (now := time.monotonic() - began) < seconds:
        if counted_from is None and now >= seconds / 2:
            answered, counted_from = 0, now
        # The replies of several batches are read at once.
        time.sleep(0.002)
        for key, _ in ready.select(1):
            connection = key.fileobj
            left[connection] -= len(connection.recv(1 << 20))
            if left[connection] == 0:
                answered += CALLS
                left[connection] = CALLS * server.reply_bytes
                connection.sendall(batch)
    for connection in left:
        connection.close()
    return answered / (now - counted_from)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=6)
    parser.add_argument("--connections", type=int, default=16)
    options = parser.parse_args()
    ways = {"one event loop": {"HJALL_SERVER_LOOPS": "1", "HJALL_SERVER_LOOPS_MAX": "1"}, "default": {}}
    print(f"getRow of cached rows, {options.connections} connections that send {CALLS} calls at once, calls per second")
    for number in range(1, options.rounds + 1):
        rates = {}
        for way, settings in ways.items():
            server = Server(settings)
            try:
                rates[way] = rate(server, options.connections, options.seconds)
            finally:
                server.stop()
        print(f"round {number}: " + ", ".join(f"{way} {of:,.0f}" for way, of in rates.items()), flush=True)


main()
