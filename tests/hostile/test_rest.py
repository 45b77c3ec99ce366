"""Attacks through the REST gateway: the server survives them within its limits, and answers none with an internal
error."""
import base64
import contextlib
import gzip
import http.client
import json
import random
import socket

import pytest
from attacking import connect, metric, peak_rss, reset_peak_rss, until_closed

MIB = 1 << 20
JSON, XML, PROTOBUF, BYTES = "application/json", "text/xml", "application/x-protobuf", "application/octet-stream"


def send(server, method, path, body=None, **headers):
    """The status and the body of the answer."""
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=120)
    try:
        connection.request(method, path, body, {name.replace("_", "-"): value for name, value in headers.items()})
        answer = connection.getresponse()
        return answer.status, answer.read()
    finally:
        connection.close()


@pytest.fixture
def served(attacked):
    """Starts a server with a table `t` and checks at the end that it still answers."""
    running = []

    def start(*options, **more):
        server = attacked(*options, **more)
        assert send(server, "PUT", "/t/schema", json.dumps({"ColumnSchema": [{"name": "f"}]}), Content_Type=JSON)[0] == 201
        assert send(server, "PUT", "/t/r/f:q", "v", Content_Type=BYTES)[0] == 200
        running.append(server)
        return server

    yield start
    for server in running:
        assert send(server, "GET", "/t/r/f:q") == (200, b"v")
        assert send(server, "GET", "/t/r", Accept=JSON)[0] == 200


def nested(open_, close, levels):
    return (open_ * levels + close * levels).encode()


BOMB = b"""<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa">""" + b"".join(
    b'<!ENTITY %c "%s">' % (98 + n, b"&%c;" % (97 + n) * 10) for n in range(12)) + b"]><CellSet><Row key='&m;'/></CellSet>"
EXTERNAL = b'<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/passwd">]><CellSet><Row key="cg=="><Cell column="Zjpx">&a;</Cell></Row></CellSet>'
BODIES = {
    "entities": (XML, BOMB),
    "an external entity": (XML, EXTERNAL),
    "deep XML": (XML, b"<CellSet>" + nested("<a>", "</a>", 100_000) + b"</CellSet>"),
    "many attributes": (XML, b"<CellSet " + b" ".join(b'a%d="x"' % n for n in range(20_000)) + b"/>"),
    "many namespaces": (XML, b"<CellSet " + b" ".join(b'xmlns:a%d="x"' % n for n in range(20_000)) + b"/>"),
    "deep JSON": (JSON, nested("[", "]", 100_000)),
    "deep JSON in an unknown field": (JSON, b'{"x":' + nested('{"a":', "}", 50_000) + b"}"),
    "a long number": (JSON, b'{"Row":[{"Cell":[{"timestamp":' + b"9" * 100_000 + b"}]}]}"),
    "not UTF-8": (JSON, b'{"Row":[{"key":"\xff"}]}'),
    "deep protobuf": (PROTOBUF, b"\x0b" * 100_000),
    "a length beyond the end": (PROTOBUF, b"\x0a\xff\xff\xff\xff\x7f"),
    "no gzip": (JSON, b"{}"),
}
PLACES = [("PUT", "/t/r"), ("PUT", "/t/r?check=put"), ("PUT", "/t/schema"), ("POST", "/t/schema"), ("PUT", "/t/scanner"), ("POST", "/namespaces/n")]


@pytest.mark.parametrize("what", BODIES)
def test_a_body_that_cannot_be_read_is_a_mistake_of_the_client(served, what):
    server = served()
    kind, body = BODIES[what]
    encoding = {"Content_Encoding": "gzip"} if what == "no gzip" else {}
    for method, path in PLACES:
        status, _ = send(server, method, path, body, Content_Type=kind, **encoding)
        assert status in (200, 400, 413) if what.startswith("many ") else status in (400, 413), (method, path, status)


def test_random_bodies_and_addresses_never_fail_inside(served):
    server = served()
    choose = random.Random(7)
    alphabet = "abrt*/,:;?&=%+.{}[]<>\"'\\ \t0123456789-_~é\x01"
    words = ["t", "r", "f:q", "*", "schema", "scanner", "multiget", "regions", "exists", "namespaces", "%2A", "%00", "1,2", "?v=-1", "?e=b64",
             "?row=", "?limit=-1", "?startrow=b&endrow=a", "?filter=", "?check=delete", "?batchsize=2147483648", ""]
    for _ in range(400):
        path = "/" + "/".join(choose.choice(words) if choose.random() < 0.8 else "".join(choose.choices(alphabet, k=6)) for _ in range(choose.randint(1, 4)))
        path = "".join(c if "!" <= c <= "~" else f"%{ord(c) & 0xff:02X}" for c in path)
        body = choose.randbytes(choose.randint(0, 40)) if choose.random() < 0.7 else choose.choice([b"{}", b"<CellSet/>", b'{"Row":[]}', b"\n\x03\n\x01r"])
        headers = {"Content_Type": choose.choice([JSON, XML, PROTOBUF, BYTES]), "Accept": choose.choice([JSON, XML, PROTOBUF, BYTES, "*/*", "x"])}
        method = choose.choice(["GET", "PUT", "POST", "DELETE", "HEAD", "OPTIONS", "PATCH", "TRACE"])
        if "schema" in path and method == "DELETE":
            continue
        status, answer = send(server, method, path, body, **headers)
        assert status < 500 or (status == 503 and answer.startswith(b"Unavailable")), (method, path, headers, body, status, answer)


def test_small_elements_do_not_become_much_memory(served):
    server = served("--set", "limits.bytes_in_flight=128MiB", "--set", "limits.reply=64MiB")
    reset_peak_rss(server)
    before = peak_rss(server)
    bodies = [(JSON, b'{"Row":[' + b"{}," * (2 * MIB) + b"{}]}"), (PROTOBUF, b"\x0a\x00" * (4 * MIB)), (XML, b"<CellSet>" + b"<Row/>" * MIB + b"</CellSet>"),
              (JSON, b'{"Row":[{"Cell":[' + b"{}," * (2 * MIB) + b"{}]}]}")]
    for kind, body in bodies:
        status, answer = send(server, "PUT", "/t/r", body, Content_Type=kind)
        assert status in (400, 413, 503), (status, answer[:200])
    status, _ = send(server, "PUT", "/t/schema", b'{"ColumnSchema":[' + b"{}," * (2 * MIB) + b"{}]}", Content_Type=JSON)
    assert status in (400, 413, 503)
    print(f"peak of resident memory: {before / MIB:.0f} MiB before, {peak_rss(server) / MIB:.0f} MiB during the attack")
    assert peak_rss(server) < before + 250 * MIB


def test_a_compressed_body_has_the_same_limits(served):
    server = served("--set", "limits.bytes_in_flight=128MiB", "--set", "limits.reply=64MiB")
    reset_peak_rss(server)
    before = peak_rss(server)
    bomb = gzip.compress(bytes(200 * MIB))
    status, _ = send(server, "PUT", "/t/r/f:q2", bomb, Content_Type=BYTES, Content_Encoding="gzip")
    assert status == 413
    assert peak_rss(server) < before + 200 * MIB
    assert send(server, "PUT", "/t/r/f:q2", gzip.compress(b"packed"), Content_Type=BYTES, Content_Encoding="gzip")[0] == 200
    assert send(server, "GET", "/t/r/f:q2") == (200, b"packed")


@pytest.mark.parametrize("coding", ["gzip, chunked", "identity, chunked", "chunked, chunked", "chunked\r\nTransfer-Encoding: chunked"])
def test_a_transfer_coding_that_is_not_decoded_is_refused(served, coding):
    server = served()
    for start, kind in [("PUT /t/r/f:q", BYTES), ("POST /", "application/x-thrift")]:
        with connect(server.port) as raw:
            raw.sendall(f"{start} HTTP/1.1\r\nHost: localhost\r\nContent-Type: {kind}\r\nTransfer-Encoding: {coding}\r\n\r\n0\r\n\r\n".encode())
            assert raw.recv(64).startswith(b"HTTP/1.1 501"), (start, coding)


@pytest.mark.parametrize("target, kind, status", [("PUT /t/r/f:q", "text/html", b"415"), ("PUT /nothing", JSON, b"404"), ("POST /", "text/html", b"405")])
def test_a_client_is_not_told_to_send_a_body_that_is_refused(served, target, kind, status):
    server = served()
    with connect(server.port) as raw:
        raw.sendall(f"{target} HTTP/1.1\r\nHost: localhost\r\nContent-Type: {kind}\r\nContent-Length: 5\r\nExpect: 100-continue\r\n\r\n".encode())
        # The server closes the connection, since it cannot know whether the body follows.
        answer = until_closed(raw)
    assert answer.startswith(b"HTTP/1.1 " + status), answer


def test_a_body_over_the_limit_is_refused(served):
    server = served("--set", "limits.message=1MiB")
    # The client sends all of its body before it reads the answer.
    assert send(server, "PUT", "/t/r/f:q2", bytes(16 * MIB), Content_Type=BYTES)[0] == 413
    with connect(server.port) as raw:
        raw.sendall(b"PUT /t/r/f:q2 HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/octet-stream\r\nContent-Length: 99999999999\r\n\r\n")
        assert raw.recv(64).startswith(b"HTTP/1.1 413")


def test_long_heads_and_deep_paths(served):
    server = served()
    for path in ("/t/" + "a/" * 15_000, "/t/r/" + "f:q," * 7_000, "/t/multiget?" + "row=r&" * 8_000, "/t/*?" + "column=f:q&" * 4_000, "/" + "%2F" * 15_000 + "/x"):
        assert send(server, "GET", path, Accept=JSON)[0] in (200, 400, 404), path[:40]
    for path in ("/t/" + "a" * 100_000, "/t/multiget?" + "row=r&" * 100_000):
        with connect(server.port) as raw:
            raw.sendall(f"GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
            assert until_closed(raw)[:12] in (b"HTTP/1.1 431", b"HTTP/1.1 414", b"HTTP/1.1 400")


def fill(server, rows, size):
    """Adds rows `s000000` … with a value of this size."""
    value = base64.b64encode(bytes(size)).decode()
    for first in range(0, rows, 100):
        cells = [{"key": base64.b64encode(b"s%06d" % n).decode(), "Cell": [{"column": "ZjpxCg==", "$": value}]} for n in range(first, min(first + 100, rows))]
        status, answer = send(server, "PUT", "/t/x", json.dumps({"Row": cells}), Content_Type=JSON)
        assert status == 200, answer


def test_scans_that_are_not_read_hold_little_memory_and_end_with_their_clients(served, bystander):
    server = served(limits=["limits.bytes_in_flight=128MiB", "limits.stall=60s"])
    fill(server, 600, 50_000)
    with bystander(server) as reader:
        reader.reads(20)
        reset_peak_rss(server)
        before = peak_rss(server)
        readers = []
        for _ in range(20):
            raw = connect(server.port, receive_buffer=4096)
            raw.sendall(b"GET /t/s* HTTP/1.1\r\nHost: localhost\r\nAccept: application/json\r\n\r\n")
            assert raw.recv(12) == b"HTTP/1.1 200"
            readers.append(raw)
        reader.reads(50)
        assert metric(server, "hjall_scanners_open") >= 20
        assert not reader.failures
    print(f"peak of resident memory: {before / MIB:.0f} MiB before, {peak_rss(server) / MIB:.0f} MiB during the attack")
    # The whole answers are 800 MB.
    assert peak_rss(server) < before + 300 * MIB
    for raw in readers:
        raw.close()
    while metric(server, "hjall_scanners_open"):
        assert send(server, "GET", "/")[0] == 200
    status, answer = send(server, "GET", "/t/s*", Accept=JSON)
    assert status == 200 and len(json.loads(answer)["Row"]) == 600


def test_a_scan_that_fails_on_the_way_is_not_taken_for_complete(served):
    server = served()
    fill(server, 400, 20_000)
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)
    connection.connect()
    connection.sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    connection.request("GET", "/t/s*", headers={"Accept": JSON})
    answer = connection.getresponse()
    assert answer.status == 200 and answer.read(100).startswith(b'{"Row":[')
    assert send(server, "DELETE", "/t/schema")[0] == 200
    with pytest.raises(http.client.IncompleteRead):
        answer.read()
    connection.close()
    assert send(server, "PUT", "/t/schema", json.dumps({"ColumnSchema": [{"name": "f"}]}), Content_Type=JSON)[0] == 201
    assert send(server, "PUT", "/t/r/f:q", "v", Content_Type=BYTES)[0] == 200


def test_scanners_are_limited_and_expire(served):
    server = served("--set", "limits.scanners_per_address=20", "--set", "limits.scanner_timeout=1s")
    found = [send(server, "PUT", "/t/scanner", "{}", Content_Type=JSON) for _ in range(25)]
    assert [status for status, _ in found].count(201) == 20 and found[-1][0] == 503
    while metric(server, "hjall_scanners_open"):
        assert send(server, "GET", "/")[0] == 200
    assert send(server, "PUT", "/t/scanner", "{}", Content_Type=JSON)[0] == 201


def wide_row(server, cells):
    """Writes a row `w` with this many cells of 1 byte."""
    for first in range(0, cells, 20_000):
        columns = [{"column": base64.b64encode(b"f:%d" % n).decode(), "$": "eA=="} for n in range(first, min(first + 20_000, cells))]
        status, answer = send(server, "PUT", "/t/w", json.dumps({"Row": [{"key": "dw==", "Cell": columns}]}), Content_Type=JSON)
        assert status == 200, answer


def open_scanner(server, kind, body):
    """The status, and the path of the scanner."""
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)
    with contextlib.closing(connection):
        connection.request("PUT", "/t/scanner", body, {"Content-Type": kind})
        answer = connection.getresponse()
        return answer.status, "/" + (answer.headers["Location"] or "///").split("/", 3)[3]


def test_what_open_scanners_hold_counts(served):
    server = served("--set", "limits.bytes_in_flight=64MiB", "--set", "limits.reply=32MiB")
    wide_row(server, 40_000)
    # With a filter, a row is read as a whole, and the rest of it waits for the next request.
    whole = json.dumps({"batch": 1, "startRow": "dw==", "filter": json.dumps({"type": "PrefixFilter", "value": "dw=="})})
    columns = "<Scanner>" + "".join(f"<column>{base64.b64encode(b'f:%d' % n).decode()}</column>" for n in range(15_000)) + "</Scanner>"
    for kind, body in ((JSON, whole), (XML, columns)):
        status, path = open_scanner(server, kind, body)
        assert status == 201
        if kind == JSON:
            assert send(server, "GET", path, Accept=JSON)[0] == 200
        assert metric(server, "hjall_in_flight_bytes") > 2 * MIB
        assert send(server, "DELETE", path)[0] == 200
        assert metric(server, "hjall_in_flight_bytes") < 2 * MIB
    # More than the server may hold is refused.
    for count in range(100):
        status, path = open_scanner(server, JSON, whole)
        if status != 201 or send(server, "GET", path, Accept=JSON)[0] != 200:
            break
    print(f"{count} scanners hold the rest of a row with 40,000 cells")
    assert count < 30


def test_columns_times_rows_of_a_multiget_take_little_memory(served):
    server = served()
    columns = ",".join(f"f:{n}" for n in range(400))
    reset_peak_rss(server)
    before = peak_rss(server)
    status, _ = send(server, "GET", f"/t/multiget/{columns}?" + "&".join(["row=r"] * 1500), Accept=JSON)
    assert status == 404
    print(f"peak of resident memory: {before / MIB:.0f} MiB before, {peak_rss(server) / MIB:.0f} MiB during the attack")
    # The product has 600,000 columns, of more than 100 bytes each.
    assert peak_rss(server) < before + 30 * MIB


def test_attributes_that_mean_nothing_take_no_memory(served):
    server = served()
    reset_peak_rss(server)
    before = peak_rss(server)
    many = "<CellSet>" + "".join("<Row " + " ".join(f'a{n}=""' for n in range(40_000)) + "/>" for _ in range(20)) + "</CellSet>"
    assert send(server, "PUT", "/t/r", many, Content_Type=XML)[0] == 400
    assert send(server, "PUT", "/t/r", "<CellSet " + " ".join(f'a{n}=""' for n in range(1_000_000)) + "/>", Content_Type=XML)[0] == 400
    # 12 times the body, when each became two strings.
    assert peak_rss(server) < before + 120 * MIB


PAGES = {
    "a form": {"Content_Type": "text/plain", "Origin": "https://evil.example"},
    "an old browser": {"Content_Type": "text/plain"},
    "a form of an old browser": {"Content_Type": "application/x-www-form-urlencoded"},
    "a script": {"Content_Type": JSON, "Origin": "https://evil.example"},
    "DNS rebinding": {"Content_Type": JSON, "Host": "evil.example"},
}


@pytest.mark.parametrize("page", PAGES)
def test_a_web_page_cannot_write(served, page):
    server = served()
    for method, path in (("POST", "/t/r/f:q"), ("POST", "/namespaces/evil"), ("DELETE", "/t/schema"), ("GET", "/t/r/f:q")):
        if method == "POST" or "Origin" in PAGES[page] or "Host" in PAGES[page]:
            assert send(server, method, path, "evil" if method == "POST" else None, **PAGES[page])[0] in (403, 415, 421)
    # A POST without a type, which browsers send without asking.
    with connect(server.port) as browser:
        browser.sendall(b"POST /t/r/f:q HTTP/1.1\r\nHost: localhost\r\nContent-Length: 4\r\nConnection: close\r\n\r\nevil")
        assert until_closed(browser).startswith(b"HTTP/1.1 415")
    assert send(server, "GET", "/namespaces", Accept=JSON)[1] == b'{"Namespace":["default","hbase"]}'
