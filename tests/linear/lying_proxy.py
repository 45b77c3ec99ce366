"""A proxy between clients and a server that breaks promises. It speaks framed transport and the binary protocol."""

import itertools
import socket
import struct
import threading

# Calls whose answer is only success.
WITHOUT_ANSWER = {b"mutateRow", b"mutateRows", b"put", b"putMultiple", b"deleteSingle", b"deleteAll", b"deleteAllRow"}
GROWING = {b"atomicIncrement", b"increment", b"incrementRows", b"append"}
EVERY = 5
VERSION, REPLY = 0x8001_0000, 2


def name_of(message):
    """Returns the name of a call."""
    [length] = struct.unpack_from(">i", message, 4)
    return message[8 : 8 + length]


def success(message):
    """Returns the answer to a void call."""
    name = name_of(message)
    return struct.pack(">Ii", VERSION | REPLY, len(name)) + name + message[8 + len(name) : 12 + len(name)] + b"\0"


def receive(connection):
    """Returns the next frame, or None at the end of the connection."""

    def exactly(count):
        read = b""
        while len(read) < count:
            more = connection.recv(count - len(read))
            if not more:
                return None
            read += more
        return read

    header = exactly(4)
    return header and exactly(struct.unpack(">i", header)[0])


class LyingProxy:
    """Forwards calls to a server, and mishandles every fifth call of one kind:

    - `drop`: a write is acknowledged and not forwarded.
    - `late`: a write is acknowledged, and forwarded after the next call of its connection.
    - `twice`: an increment or an append is forwarded twice.
    """

    def __init__(self, lie):
        self.lie, self.count, self.open = lie, itertools.count(1), []
        self.listener = socket.create_server(("127.0.0.1", 0))
        threading.Thread(target=self.accept, daemon=True).start()

    def through(self, port):
        """Forwards to this port from now on; returns the port of the proxy."""
        self.port = port
        return self.listener.getsockname()[1]

    def accept(self):
        while True:
            try:
                client, _ = self.listener.accept()
            except OSError:
                return
            threading.Thread(target=self.serve, args=(client,), daemon=True).start()

    def serve(self, client):
        """Serves one connection."""
        with client, socket.create_connection(("127.0.0.1", self.port)) as server:

            def ask(message):
                server.sendall(struct.pack(">i", len(message)) + message)
                return receive(server)

            late = []
            try:
                while (message := receive(client)) is not None:
                    name = name_of(message)
                    chosen = (
                        name in (GROWING if self.lie == "twice" else WITHOUT_ANSWER) and next(self.count) % EVERY == 0
                    )
                    if chosen and self.lie != "twice":
                        answer = success(message)
                    elif (answer := ask(message)) is None:
                        return
                    if chosen and self.lie == "twice":
                        ask(message)
                    while late:
                        ask(late.pop())
                    if chosen and self.lie == "late":
                        late.append(message)
                    client.sendall(struct.pack(">i", len(answer)) + answer)
            except OSError:
                return

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.listener.close()
