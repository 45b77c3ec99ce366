"""Changes of tables whose clients hang up: they are made as a whole or not at all, and leave nothing behind.

A client cannot see when the server notices that it has gone, so either outcome is right.
"""
import contextlib
import socket
import struct

import pytest
from attacking import (
    AT_LENGTH, connect, framed, list_field, message, struct_field, structs_field, text_field, until_given_back,
)

TABLES = 24 if AT_LENGTH else 4
FAMILIES = [b"family-%02d" % number for number in range(40)]
SPLITS = [b"split-%03d" % number for number in range(200)]


def name(number):
    return text_field(1, b"default") + text_field(2, b"table-%d" % number)


def create(number):
    """createTable of Thrift2, with many families and regions."""
    descriptor = struct_field(1, name(number)) + structs_field(2, [text_field(1, family) for family in FAMILIES])
    return framed(message("createTable", struct_field(1, descriptor) + list_field(2, SPLITS) + b"\0"))


def call(raw, method, arguments):
    """Sends a call. Returns its reply."""
    raw.sendall(framed(message(method, arguments + b"\0")))
    return reply(raw)


def reply(raw):
    received = b""
    while len(received) < 4 or len(received) < 4 + struct.unpack(">i", received[:4])[0]:
        part = raw.recv(1 << 20)
        assert part, received[:500]
        received += part
    return received[4:]


@pytest.mark.parametrize("reset, pause", [(True, 0), (False, 5)], ids=["reset at once", "closed later"])
def test_a_table_is_created_as_a_whole_or_not_at_all(attacked, reset, pause):
    server = attacked(on_disk=True)
    with contextlib.ExitStack() as open_connections:
        creators = [open_connections.enter_context(connect(server.port)) for _ in range(TABLES)]
        # The changes wait for each other.
        for number, raw in enumerate(creators):
            raw.sendall(create(number))
        with connect(server.port) as raw:
            for _ in range(pause):
                call(raw, "tableExists", struct_field(1, name(0)))
        for raw in creators:
            if reset:
                raw.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            raw.close()
    outcomes = []
    with connect(server.port, timeout=120) as raw:
        for number in range(TABLES):
            # It waits for the change whose client has gone, if that is still running.
            raw.sendall(create(number))
            answer = reply(raw)
            existed = b"TableExistsException" in answer
            assert existed or b"Exception" not in answer, answer[:500]
            outcomes.append(existed)
            descriptor = call(raw, "getTableDescriptor", struct_field(1, name(number)))
            assert all(family in descriptor for family in FAMILIES)
            regions = call(raw, "getAllRegionLocations", text_field(1, b"table-%d" % number))
            assert all(split in regions for split in SPLITS)
            cells = structs_field(2, [text_field(1, family) + text_field(2, b"q") + text_field(3, b"v") for family in FAMILIES])
            put = call(raw, "put", text_field(1, b"table-%d" % number) + struct_field(2, text_field(1, b"split-100x") + cells))
            assert b"Exception" not in put, put[:500]
            for method in ("disableTable", "deleteTable"):
                answer = call(raw, method, struct_field(1, name(number)))
                assert b"Exception" not in answer, answer[:500]
    print(f"{sum(outcomes)} of {TABLES} tables had been created")
    until_given_back(server)
