"""Long names and texts in calls that are refused, and batches that fail in many ways: the answer is short, and what it
is made of takes little memory."""
import gzip
import http.client
import json
import struct
import threading

import pytest
from attacking import (AT_LENGTH, connect, map_field, message, peak_rss, post, reset_peak_rss, struct_field, structs_field, text_field, until_closed,
                       until_given_back)
from logging_in import DENIED, bearer, users_file
from test_rest_memory import JSON, XML, b64, send

MIB = 1 << 20
LENGTH = (90 if AT_LENGTH else 8) * MIB
# The longest answer to a call that failed.
ANSWER_MAX = 300 << 10
SMALL = ["store.cache=32MiB", "store.row_cache=8MiB", "store.write_buffer=8MiB", "limits.scanner_snapshot_writes=8MiB"]
OPTIONS = [part for setting in SMALL for part in ("--set", setting)]
# Bytes that are escaped, and a text that is not.
LONG = bytes(LENGTH)
LETTERS = b"n" * LENGTH


def i32(number, value):
    return struct.pack(">bhi", 8, number, value)


def get(column):
    return struct_field(2, text_field(1, b"r") + structs_field(2, [column]))


def put(column):
    return text_field(1, b"r") + structs_field(2, [column + text_field(3, b"v")])


# The arguments of calls that quote a long text in their refusal.
CALLS = {
    "getNamespaceDescriptor": text_field(1, LONG),
    "getNamespaceDescriptor of letters": text_field(1, LETTERS),
    "deleteNamespace": text_field(1, LONG),
    "getTableNamesByNamespace": text_field(1, LONG),
    "createNamespace": struct_field(1, text_field(1, LONG)),
    "createNamespace of letters": struct_field(1, text_field(1, LETTERS)),
    "enableTable of a long table": text_field(1, LONG),
    "enableTable of letters": text_field(1, LETTERS),
    "enableTable of bytes that are no text": text_field(1, b"\xff" * LENGTH),
    "createTable": struct_field(1, struct_field(1, text_field(1, LETTERS) + text_field(2, b"t"))),
    "getRowWithColumns": text_field(1, b"t") + text_field(2, b"r") + struct.pack(">bhbii", 15, 3, 11, 1, len(LONG)) + LONG,
    "getVer": text_field(1, b"t") + text_field(2, b"r") + text_field(3, LONG) + i32(4, 1),
    "getRegionInfo": text_field(1, LONG),
    "get": text_field(1, b"t") + get(text_field(1, LONG)),
    "get of a long table": text_field(1, LETTERS) + get(text_field(1, b"f")),
    "put": text_field(1, b"t") + struct_field(2, put(text_field(1, LONG) + text_field(2, b"q"))),
    "putMultiple": text_field(1, b"t") + structs_field(2, [put(text_field(1, LONG) + text_field(2, b"q"))]),
    "checkAndPut of another row": text_field(1, b"t") + text_field(2, LONG) + text_field(3, b"f") + text_field(4, b"q") +
    struct_field(6, put(text_field(1, b"f") + text_field(2, b"q"))),
    "mutateRows": text_field(1, b"t") + structs_field(2, [text_field(1, b"r") + structs_field(2, [text_field(2, LONG) + text_field(3, b"v")])]) +
    map_field(3, {}),
}


def answer(server, call, *headers, source="127.0.0.2"):
    """The body of the answer to a call over HTTP."""
    with connect(server.port, source=source) as raw:
        raw.sendall(post(call, "Connection: close", *headers))
        return until_closed(raw).split(b"\r\n\r\n", 1)[1]


def grown(server, attack):
    """What an attack returns, and by how much the memory of the server grows meanwhile, in bytes."""
    until_given_back(server)
    reset_peak_rss(server)
    before = peak_rss(server)
    done = attack()
    return done, peak_rss(server) - before


@pytest.fixture
def served(attacked):
    server = attacked(*OPTIONS)
    assert send(server, "PUT", "/t/schema", json.dumps({"ColumnSchema": [{"name": "f"}]}))[0] == 201
    return server


@pytest.mark.parametrize("what", CALLS)
def test_long_names_in_refused_calls_are_shortened(served, what):
    said, memory = grown(served, lambda: answer(served, message(what.split()[0], CALLS[what] + b"\0")))
    print(f"{len(said)} bytes, {memory / MIB:.0f} MiB for a name of {LENGTH // MIB}")
    assert len(said) < ANSWER_MAX
    assert b"xception" in said, said[:500]
    # The message, the arguments, the copy of a mutation, and a buffer that doubles.
    assert memory <= 6 * LENGTH, (what, memory / LENGTH)


def test_calls_of_users_without_roles_are_refused_in_few_words(attacked, tmp_path):
    server = attacked(*OPTIONS, "--users", str(users_file(tmp_path / "users.toml", {"none": {}})), "--set", "auth.without_tls=loopback")
    login = ": ".join(bearer("none"))
    for what in ("getNamespaceDescriptor", "getNamespaceDescriptor of letters", "createTable", "get of a long table", "enableTable of letters"):
        said, memory = grown(server, lambda: answer(server, message(what.split()[0], CALLS[what] + b"\0"), login))
        assert DENIED.encode() in said and len(said) < ANSWER_MAX, said[:500]
        assert memory <= 6 * LENGTH, (what, memory / LENGTH)
    assert max(map(len, server.said)) < 10_000


ESCAPED = "\u0080" * (LENGTH // 2)
BODIES = {
    "an unknown field": ("/t/r", JSON, '{"Row":[{"key":"YQ==","%s":1}]}' % ESCAPED),
    "an unknown field of a set": ("/t/r", JSON, '{"%s":1}' % ESCAPED),
    "an unknown field of a cell": ("/t/r", JSON, '{"Row":[{"key":"YQ==","Cell":[{"%s":1}]}]}' % ESCAPED),
    "a text for a list": ("/t/r", JSON, '{"Row":"%s"}' % ESCAPED),
    "a text for an object": ("/t/r", JSON, '"%s"' % ESCAPED),
    "a text for a row": ("/t/r", JSON, '{"Row":["%s"]}' % ESCAPED),
    "a time": ("/t/r", JSON, '{"Row":[{"key":"YQ==","Cell":[{"timestamp":"%s"}]}]}' % ESCAPED),
    "a family": ("/t/r", JSON, '{"Row":[{"key":"YQ==","Cell":[{"column":"%s","$":"YQ=="}]}]}' % b64(bytes(LENGTH // 3) + b":q").decode()),
    "a time in XML": ("/t/r", XML, '<CellSet><Row key="YQ=="><Cell column="Zjph" timestamp="%s">YQ==</Cell></Row></CellSet>' % ESCAPED),
    "an encoding in XML": ("/t/r", XML, '<?xml version="1.0" encoding="%s"?><CellSet/>' % ESCAPED),
    "names of elements in XML": ("/t/r", XML, "<CellSet><a%s></b%s></CellSet>" % (ESCAPED[:LENGTH // 4], ESCAPED[:LENGTH // 4])),
    "an entity in XML": ("/t/r", XML, "<CellSet a='&%s;'/>" % ESCAPED),
    "an attribute of a schema": ("/n/schema", JSON, '{"ColumnSchema":[{"name":"f","VERSIONS":"%s"}]}' % ESCAPED[:3 * MIB]),
    "a field of a schema": ("/n/schema", JSON, '{"ColumnSchema":[{"name":"f"}],"%s":[]}' % ESCAPED[:3 * MIB]),
    "a number of a scanner": ("/t/scanner", JSON, '{"batch":"%s"}' % ESCAPED[:3 * MIB]),
}


@pytest.mark.parametrize("what", BODIES)
def test_long_texts_in_refused_bodies_are_shortened(served, what):
    path, kind, body = BODIES[what]
    (status, said), memory = grown(served, lambda: send(served, "PUT", path, body.encode(), kind))
    print(f"{len(said)} bytes, {memory / MIB:.0f} MiB")
    assert status in (400, 404) and len(said) < ANSWER_MAX, (status, said[:500])
    assert memory <= 8 * LENGTH, (what, memory / LENGTH)


def test_a_compressed_text_that_is_refused_takes_no_more_than_it_claims(attacked):
    server = attacked(*OPTIONS, "--set", "limits.bytes_in_flight=256MiB")
    assert send(server, "PUT", "/t/schema", json.dumps({"ColumnSchema": [{"name": "f"}]}))[0] == 201
    body = gzip.compress(('{"Row":[{"key":"YQ==","%s":1}]}' % ESCAPED).encode())
    statuses = []

    def sends(number):
        head = {"Content-Encoding": "gzip", "Content-Type": JSON}
        connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=120, source_address=(f"127.0.0.{2 + number}", 0))
        connection.request("PUT", "/t/r", body, head)
        statuses.append(connection.getresponse().status)
        connection.close()

    def attack():
        senders = [threading.Thread(target=sends, args=(number,)) for number in range(4)]
        for sender in senders:
            sender.start()
        for sender in senders:
            sender.join()

    _, memory = grown(server, attack)
    print(statuses, f"{memory / MIB:.0f} MiB")
    assert len(statuses) == 4 and set(statuses) <= {400, 413, 503}
    # The quota, and the buffers that are used again.
    assert memory <= 256 * MIB + 32 * MIB


ROWS = 400_000 if AT_LENGTH else 40_000


def each_wrong(number):
    return text_field(1, b"%08d" % number) + structs_field(2, [text_field(1, b"x%07d" % number) + text_field(2, b"q") + text_field(3, b"v")])


BATCHES = {
    "putMultiple": lambda: structs_field(2, [each_wrong(number) for number in range(ROWS)]),
    "mutateRows": lambda: structs_field(2, [text_field(1, b"%08d" % number) + structs_field(2, [text_field(2, b"x%d:q" % number) + text_field(3, b"v")])
                                            for number in range(ROWS)]) + map_field(3, {}),
    "deleteMultiple": lambda: structs_field(2, [text_field(1, b"%08d" % number) + structs_field(2, [text_field(1, b"x%07d" % number)])
                                                for number in range(ROWS)]),
    "getMultiple": lambda: structs_field(2, [text_field(1, b"%08d" % number) + structs_field(2, [text_field(1, b"x%07d" % number)])
                                             for number in range(ROWS)]),
}


@pytest.mark.parametrize("method", BATCHES)
def test_batches_that_fail_in_many_ways_use_little_memory(served, method):
    call = message(method, text_field(1, b"t") + BATCHES[method]() + b"\0")
    said, memory = grown(served, lambda: answer(served, call))
    print(f"{len(said)} bytes, {memory / MIB:.0f} MiB for {ROWS} rows")
    assert b"Failed %d actions: " % ROWS in said and len(said) < ANSWER_MAX, said[:500]
    assert b"other causes: %d times" % (ROWS - 100) in said, said[-500:]
    # What is decoded of a row, with the copy of its transaction and its error.
    assert memory <= ROWS * 2048 + 16 * MIB, f"{memory / ROWS:.0f} bytes for each row"
