"""Measures gets by clients that leave a core to the server, with one event loop and with the default number of them.

Each of a few connections sends many calls at once, and its replies are read a few times per millisecond, so that the
client needs little processor time for a call. Clients on other machines need none of this machine.

    python3 bench/pipelined_gets.py [--rounds N] [--seconds N] [--connections N]

HJALL_RELEASE_BIN names the server, which is target/release/hjall by default. The figures are those of the second half
of each measurement, when the server has found out how many event loops help.
"""

import argparse
import os
import re
import selectors
import subprocess
import time

from instructions import ROWS, Connection, Struct, binary, get_row, message, mutate_rows

CALLS = 200


class Server:
    """A server with a table of which all rows are in the row cache."""

    def __init__(self, settings):
        command = [binary(), "serve", "--memory", "--listen", "127.0.0.1:0", "--info-listen", "off"]
        environment = {**os.environ, **settings}
        self.process = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        for line in self.process.stdout:
            if found := re.search(r"127\.0\.0\.1:(\d+)", line):
                self.port = int(found[1])
                break
        else:
            raise SystemExit("the server did not start")
        connection = Connection(self.port)
        connection.call(message("createTable", Struct().bytes(1, b"t").structs(2, [Struct().bytes(1, b"f:")])))
        connection.call(mutate_rows(0, ROWS))
        # A row is cached on its second request.
        for n in [*range(ROWS)] * 2:
            reply = connection.call(get_row(n))
        connection.socket.close()
        self.reply_bytes = len(reply) + 4

    def stop(self):
        self.process.kill()
        self.process.wait()


def rate(server, connections, seconds):
    """The gets per second in the second half of the time."""
    batch = b"".join(get_row(n) for n in range(CALLS))
    ready, left = selectors.DefaultSelector(), {}
    for _ in range(connections):
        connection = Connection(server.port).socket
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


if __name__ == "__main__":
    main()
