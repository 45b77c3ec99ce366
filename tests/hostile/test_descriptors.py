"""Descriptors, which stay in memory for good: their sizes and their sum have limits, in every protocol."""
import os

import happybase
from attacking import (
    connect, list_field, map_field, message, rss, struct_field, structs_field, text_field,
)

MIB = 1 << 20
CATALOG = 4 * MIB


def call(server, method, arguments):
    """The beginning of the reply to a call of Thrift2."""
    with connect(server.port) as raw:
        raw.sendall(message(method, arguments + b"\0"))
        return raw.recv(1 << 16)


def table(name, attributes=None, splits=()):
    """The arguments of createTable."""
    fields = struct_field(1, text_field(2, name)) + structs_field(2, [text_field(1, b"f")])
    described = struct_field(1, fields + (map_field(3, attributes) if attributes else b""))
    return described + (list_field(2, splits) if splits else b"")


def namespace(name, properties):
    """The arguments of createNamespace."""
    return struct_field(1, text_field(1, name) + map_field(2, properties))


def check_refused(answer, limit):
    """Checks that an answer is an error that clients do not retry, and names the limit."""
    assert b"DoNotRetryIOException" in answer and limit in answer, answer[:500]


def test_one_descriptor_has_a_limited_size(attacked):
    server = attacked()
    maximum = b"the maximum is 10485760"
    long = {b"k%d" % n: bytes(MIB).replace(b"\0", b"x") for n in range(11)}
    check_refused(call(server, "createTable", table(b"t", long)), maximum)
    check_refused(call(server, "createNamespace", namespace(b"n", long)), maximum)
    splits = [b"%04d" % n + bytes(30_000) for n in range(400)]
    check_refused(call(server, "createTable", table(b"t", splits=splits)), maximum)
    assert happybase.Connection("127.0.0.1", server.port).tables() == []


def test_all_descriptors_take_limited_memory(attacked):
    server = attacked("--set", f"store.catalog={CATALOG}", "--set", "store.write_buffer=8MiB", on_disk=True)
    call(server, "createTable", table(b"first"))
    before = rss(server)
    refused = 0
    for number in range(20):
        answer = call(server, "createTable", table(b"t%d" % number, {b"k": os.urandom(MIB)}))
        if b"Exception" in answer:
            refused += 1
            check_refused(answer, b"store.catalog")
    assert refused == 17
    check_refused(call(server, "createTable", table(b"t", splits=[b"%07d" % n for n in range(100_000)])), b"store.catalog")
    check_refused(call(server, "createNamespace", namespace(b"n", {b"k": bytes(2 * MIB).replace(b"\0", b"x")})), b"store.catalog")
    grown = rss(server) - before
    print(f"grown by {grown / MIB:.0f} MiB")
    database = happybase.Connection("127.0.0.1", server.port)
    assert len(database.tables()) == 4
    database.delete_table("t0", disable=True)
    assert b"Exception" not in call(server, "createTable", table(b"t0", {b"k": os.urandom(MIB)}))
