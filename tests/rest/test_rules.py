"""What the REST gateway does beyond HBase's recorded answers."""
import base64
import gzip
import json
import re

import pytest
from sending import BYTES, JSON, XML, b64, cells, raw, send

TABLE = json.dumps({"ColumnSchema": [{"name": "f"}]})


@pytest.fixture
def table(address):
    """A table of its own for a test."""
    assert send(address, "PUT", "/rules/schema", TABLE, Content_Type=JSON)[0] == 201
    yield "/rules"
    assert send(address, "DELETE", "/rules/schema")[0] == 200


def value(address, path):
    status, _, body = send(address, "GET", path, Accept=BYTES)
    return body if status == 200 else status


# -- bodies -------------------------------------------------------------------------------------------

def row(text, key=b64("r"), column=b64("f:a")):
    return f'<CellSet><Row key="{key}"><Cell column="{column}">{text}</Cell></Row></CellSet>'


NOT_BASE64 = {
    "a value": row("hello, world!"),
    "a value without padding": row("v1"),
    "a key": row(b64("v"), key="!!"),
    "a column": row(b64("v"), column="f:a"),
}


@pytest.mark.parametrize("what", NOT_BASE64)
def test_xml_that_is_not_base64_is_refused(address, table, what):
    status, _, body = send(address, "PUT", f"{table}/r", NOT_BASE64[what], Content_Type=XML)
    assert status == 400 and b"is not base64" in body, body
    assert value(address, f"{table}/r/f:a") == 404


def test_base64_in_xml_may_contain_blanks(address, table):
    assert send(address, "PUT", f"{table}/r", row(f"\n  {b64('value')[:3]}\n{b64('value')[3:]} "), Content_Type=XML)[0] == 200
    assert value(address, f"{table}/r/f:a") == b"value"


def test_unknown_xml_elements_are_ignored_with_their_content(address, table):
    cell = f'<Cell column="{b64("f:a")}">{{}}</Cell>'.format
    sent = f'<CellSet><Row key="{b64("r")}">{cell(b64("1"))}<Note>{cell(b64("3"))}</Note></Row><Deleted key="{b64("s")}">{cell(b64("2"))}</Deleted></CellSet>'
    assert send(address, "PUT", f"{table}/r", sent, Content_Type=XML)[0] == 200
    assert value(address, f"{table}/r/f:a") == b"1"
    assert value(address, f"{table}/s/f:a") == 404


UNREADABLE = {
    "another encoding": (XML, '<?xml version="1.0" encoding="ISO-8859-1"?><CellSet/>', b"only UTF-8"),
    "a control character": (XML, "<CellSet>\x01</CellSet>", b"not allowed"),
    "no XML": (XML, "nonsense", b"not XML"),
    "another root": (XML, "<Nope/>", b"CellSet"),
    "no JSON": (JSON, "{", b"JSON"),
    "an unknown field": (JSON, '{"Row":[{"Cell":[{"vaule":"eA=="}]}]}', b"column, timestamp, $"),
    "no base64": (JSON, '{"Row":[{"key":"%%%"}]}', b"key is not base64"),
    "a column without a colon": (JSON, cells(("r", "f", "v")), b"family:qualifier"),
    "no media type": ("junk", "x", b"junk"),
}


@pytest.mark.parametrize("what", UNREADABLE)
def test_refusals_of_bodies_name_the_mistake_once(address, table, what):
    kind, body, says = UNREADABLE[what]
    status, headers, text = send(address, "PUT", f"{table}/r", body, Content_Type=kind)
    assert status == 400 and says in text and text.count(b"Bad request") == 1, text
    assert b"status 4" not in text and headers["Content-Type"] == "text/plain"


@pytest.mark.parametrize("coding", ["br", "deflate", "gzip, gzip", "br, gzip", "gzip;q=0"])
def test_bodies_with_codings_that_are_not_decoded_are_refused(address, table, coding):
    status, headers, body = send(address, "PUT", f"{table}/r/f:a", b"x", Content_Type=BYTES, Content_Encoding=coding)
    assert (status, headers["Accept-Encoding"]) == (415, "gzip") and coding.encode() in body, body
    assert value(address, f"{table}/r/f:a") == 404
    assert send(address, "PUT", f"{table}/r/f:a", gzip.compress(b"v"), Content_Type=BYTES, Content_Encoding="gzip")[0] == 200
    assert value(address, f"{table}/r/f:a") == b"v"


def test_a_post_without_a_body_needs_no_type(address):
    assert send(address, "POST", "/namespaces/guide", Accept=XML)[0] == 201
    assert send(address, "DELETE", "/namespaces/guide")[0] == 200
    status, _, body = send(address, "POST", "/namespaces/guide", "{}")
    assert status == 415 and b"application/json" in body


# -- answers ------------------------------------------------------------------------------------------

def test_answers_name_what_chose_them(address, table):
    assert send(address, "PUT", f"{table}/r/f:a", "v", Content_Type=BYTES)[0] == 200
    for path, accept in ((f"{table}/r", JSON), ("/version", "*/*"), (f"{table}/none", JSON), (f"{table}/r", "image/png")):
        vary = ", ".join(send(address, "GET", path, Accept=accept)[1].get_all("Vary"))
        assert {"Accept", "Accept-Encoding", "Encoding", "Origin", "Sec-Fetch-Site"} <= set(vary.split(", "))


def test_answers_have_a_date(address):
    assert re.fullmatch(r"\w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d GMT", send(address, "GET", "/version")[1]["Date"])


def fill(address, table, rows=60, size=50_000):
    for first in range(0, rows, 20):
        sent = cells(*((f"s{n:04}", "f:a", bytes(size)) for n in range(first, min(first + 20, rows))))
        assert send(address, "PUT", f"{table}/x", sent, Content_Type=JSON)[0] == 200


def test_head_states_the_length_of_get_or_none(address, table):
    fill(address, table)
    for path in (f"{table}/s*", f"{table}/s0000", f"{table}/s0000,s0002", "/version"):
        (status, head, body), (_, get, _) = (send(address, method, path, Accept=JSON) for method in ("HEAD", "GET"))
        assert (status, body) == (200, b"")
        assert head["Content-Length"] == get["Content-Length"], path
    assert send(address, "GET", f"{table}/s*", Accept=JSON)[1]["Content-Length"] is None, "the answer has several pages"


def test_head_does_not_move_a_scanner(address, table):
    assert send(address, "PUT", f"{table}/x", cells(("a", "f:a", "1"), ("b", "f:a", "2")), Content_Type=JSON)[0] == 200
    scanner = send(address, "PUT", f"{table}/scanner", '{"batch":1}', Content_Type=JSON)[1]["Location"].split("/", 3)[3]
    keys = []
    for _ in range(2):
        status, headers, _ = send(address, "HEAD", f"/{scanner}", Accept=JSON)
        assert status == 405 and "GET" in headers["Allow"]
        keys.append(json.loads(send(address, "GET", f"/{scanner}", Accept=JSON)[2])["Row"][0]["key"])
    assert keys == [b64("a"), b64("b")]


def test_identifiers_of_scanners_cannot_be_guessed(address, table):
    assert send(address, "PUT", f"{table}/x", cells(("a", "f:a", "1")), Content_Type=JSON)[0] == 200
    scanners = [send(address, "PUT", f"{table}/scanner", "{}", Content_Type=JSON)[1]["Location"].rsplit("/", 1)[1] for _ in range(2)]
    secrets, numbers = zip(*((scanner[:-8], scanner[-8:]) for scanner in scanners))
    assert secrets[0] != secrets[1] and all(re.fullmatch("[0-9a-f]{32}", secret) for secret in secrets)
    for method in ("GET", "DELETE"):
        for guess in (secrets[0] + numbers[1], numbers[0], "0" * 32 + numbers[0]):
            assert send(address, method, f"{table}/scanner/{guess}", Accept=JSON)[0] == 404
    for scanner in scanners:
        assert send(address, "GET", f"{table}/scanner/{scanner}", Accept=JSON)[0] == 200
        assert send(address, "DELETE", f"{table}/scanner/{scanner}")[0] == 200


def test_http_1_0_clients_notice_a_cut_answer(address, table):
    fill(address, table)
    request = f"GET {table}/s* HTTP/1.0\r\nAccept: {JSON}\r\n\r\n".encode()
    assert raw(address, request).endswith(b"]}")
    # A cell that the stream of protobuf messages cannot contain.
    assert send(address, "PUT", f"{table}/x", cells(("s9", "f:a", bytes(70_000))), Content_Type=JSON)[0] == 200
    with pytest.raises(ConnectionResetError):
        raw(address, f"GET {table}/s* HTTP/1.0\r\nAccept: application/x-protobuf\r\n\r\n".encode())


def test_lasting_mistakes_are_not_answered_as_unavailable(address, table):
    assert send(address, "PUT", f"{table}/r/f:a", "no counter", Content_Type=BYTES)[0] == 200
    increment = cells(("r", "f:a", "1"))
    for method, path, body, wanted in (
        ("PUT", f"{table}/r?check=increment", increment, 400),
        ("DELETE", "/namespaces/default", None, 400),
        ("DELETE", "/hbase:meta/schema", None, 400),
        ("PUT", "/hbase:meta/r", increment, 400),
        ("GET", "/hbase:meta/*", None, 400),
    ):
        status, headers, text = send(address, method, path, body, Content_Type=JSON, Accept=JSON)
        assert status == wanted and headers["Retry-After"] is None and len(text) > 15, (method, path, status, text)
    closed = json.dumps({"ColumnSchema": [{"name": "f"}], "READONLY": "true"})
    assert send(address, "PUT", f"{table}/schema", closed, Content_Type=JSON)[0] == 201
    assert send(address, "PUT", f"{table}/r/f:a", "v", Content_Type=BYTES)[0] == 403


# -- texts --------------------------------------------------------------------------------------------

SCANNER = "/rules/scanner"
MISTAKES = {
    "no such address": ("GET", "/rules", None, {"Accept": JSON}, 404, "/TABLE/ROW"),
    "no such method": ("DELETE", "/version", None, {}, 405, "GET,OPTIONS"),
    "no such method, as a page": ("POST", "/version", "", {"Content-Type": JSON, "Accept": JSON}, 405, "GET,OPTIONS"),
    "a value from a form": ("PUT", "/rules/r/f:a", "x", {"Content-Type": "application/x-www-form-urlencoded"}, 415,
                            "for a value, send Content-Type: application/octet-stream"),
    "no such type of body": ("PUT", "/rules/r", "x", {"Content-Type": "application/xml"}, 415, "text/xml, application/json"),
    "no such type of answer": ("GET", "/rules/r", None, {"Accept": "image/png"}, 406, "application/json"),
    "no such type of answer, as a page": ("GET", "/rules/r", None, {"Accept": "text/html"}, 406, "application/json"),
    "a number of the query": ("GET", "/rules/*?limit=x", None, {"Accept": JSON}, 404, "limit must be a whole number"),
    "a field of a scanner": ("PUT", SCANNER, '{"limit":5}', {"Content-Type": JSON}, 400, "batch, startRow, endRow"),
    "a filter of a scanner": ("PUT", SCANNER, json.dumps({"filter": "PrefixFilter('a')"}), {"Content-Type": JSON}, 400, "JSON object"),
    "a filter of a scan": ("GET", "/rules/*?filter=%7B%22type%22%3A%22KeyOnlyFilter%22%7D", None, {"Accept": JSON}, 400, "PrefixFilter('a')"),
    "an expired scanner": ("GET", "/rules/scanner/nope", None, {"Accept": JSON}, 404, "limits.scanner_timeout"),
    "a value without a column": ("PUT", "/rules/r", "v", {"Content-Type": BYTES}, 400, "/TABLE/ROW/FAMILY:QUALIFIER"),
    "a large cell": ("PUT", "/rules/r/f:a", bytes(20 << 20), {"Content-Type": BYTES}, 400, "10485760"),
    "a family": ("PUT", "/rules/r/g:a", "v", {"Content-Type": BYTES}, 404, "name one of its families (f)"),
    "an attribute": ("PUT", "/other/schema", '{"ColumnSchema":[{"name":"f","VERSIONS":"x"}]}', {"Content-Type": JSON}, 400, "VERSIONS"),
    "impersonation": ("GET", "/version?doAs=bob", None, {}, 400, "doAs"),
    "impersonation in a header": ("GET", "/version", None, {"doAs": "bob"}, 400, "doAs"),
}


@pytest.mark.parametrize("what", MISTAKES)
def test_refusals_say_what_would_be_right(address, table, what):
    method, path, body, headers, wanted, says = MISTAKES[what]
    status, _, text = send(address, method, path, body, **headers)
    assert status == wanted and says in text.decode(), (status, text)
    assert b"\tat " not in text and len(text) < 1000, "no stack, and no descriptor of a table"


def test_methods_that_no_resource_has_are_answered_on_the_port_of_rest(rest_address):
    for method in ("FOO", "PROPFIND", "get"):
        answer = raw(rest_address, f"{method} /version HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".encode())
        assert answer.startswith(b"HTTP/1.1 405 ") and b"allow: GET,OPTIONS" in answer.lower().replace(b"get,options", b"GET,OPTIONS"), answer
    answer = raw(rest_address, b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/x-thrift\r\nConnection: close\r\n\r\n")
    assert b"for REST alone" in answer


def test_a_request_of_http_1_1_has_a_host(address):
    assert raw(address, b"GET /version HTTP/1.1\r\nConnection: close\r\n\r\n").startswith(b"HTTP/1.1 400 ")
    assert raw(address, b"GET /version HTTP/1.0\r\n\r\n").startswith(b"HTTP/1.0 200 ")
    assert raw(address, b"OPTIONS * HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n").startswith(b"HTTP/1.1 204 ")


# -- browsers -----------------------------------------------------------------------------------------

BROWSER = [
    ("GET", {"Sec-Fetch-Site": "none"}, 200),
    ("GET", {"Sec-Fetch-Site": "same-origin"}, 200),
    ("HEAD", {"Sec-Fetch-Site": "none"}, 200),
    ("PUT", {"Sec-Fetch-Site": "none"}, 403),
    ("DELETE", {"Sec-Fetch-Site": "same-origin"}, 403),
    ("GET", {"Sec-Fetch-Site": "cross-site"}, 403),
    ("GET", {"Sec-Fetch-Site": "same-site"}, 403),
    ("GET", {"Sec-Fetch-Site": "same-origin", "Origin": "http://evil.example"}, 403),
]


@pytest.mark.parametrize("method, headers, wanted", BROWSER)
def test_browsers_read_for_their_users_alone(address, method, headers, wanted):
    path = "/version" if method in ("GET", "HEAD") else "/version/schema"
    assert send(address, method, path, **headers)[0] == wanted


# -- plain text ---------------------------------------------------------------------------------------

def test_characters_that_a_terminal_does_not_show_are_escaped_in_plain_text(address):
    schema = {"who": "\u202ebidi\u009bclear", "ColumnSchema": [{"name": "f\u200b", "of": "\x1b[2J"}]}
    assert send(address, "PUT", "/hidden/schema", json.dumps(schema), Content_Type=JSON)[0] == 201
    try:
        text = send(address, "GET", "/hidden/schema", Accept="text/plain")[2].decode()
        assert r"who => '\u{202e}bidi\u{9b}clear'" in text and r"f\u{200b}" in text and r"\u{1b}[2J" in text, text
        sent = json.loads(send(address, "GET", "/hidden/schema", Accept=JSON)[2])
        assert sent["who"] == schema["who"] and sent["ColumnSchema"][0]["of"] == "\x1b[2J"
    finally:
        assert send(address, "DELETE", "/hidden/schema")[0] == 200


# -- rules that HBase's answers show ------------------------------------------------------------------

def found(address, path):
    """The cells of an answer by row, as (column, value), or its status."""
    status, _, body = send(address, "GET", path, Accept=JSON)
    if status != 200:
        return status
    text = lambda encoded: base64.b64decode(encoded).decode()  # noqa: E731
    return {text(row["key"]): [text(cell["column"]) for cell in row["Cell"]] for row in json.loads(body)["Row"]}


def scanner(address, table, **arguments):
    return send(address, "PUT", f"{table}/scanner", json.dumps(arguments), Content_Type=JSON)[1]["Location"].split("/", 3)[3]


@pytest.fixture
def letters(address, table):
    sent = cells(*((row, f"f:{column}", "1") for row in "ab" for column in "xyz"))
    assert send(address, "PUT", f"{table}/x", sent, Content_Type=JSON)[0] == 200
    return table


@pytest.mark.parametrize("columns", [["f:y", "f"], ["f", "f:y"]])
def test_the_order_of_a_scanners_columns_does_not_matter(address, letters, columns):
    of_columns = scanner(address, letters, batch=9, column=[b64(column) for column in columns])
    assert found(address, f"/{of_columns}") == {"a": ["f:y"], "b": ["f:y"]}


def test_the_number_of_cells_in_a_request_replaces_that_of_the_scanner(address, letters):
    of_one = scanner(address, letters, batch=1)
    assert found(address, f"/{of_one}") == {"a": ["f:x"]}
    assert found(address, f"/{of_one}?c=4") == {"a": ["f:y", "f:z"], "b": ["f:x", "f:y"]}
    assert found(address, f"/{of_one}?c=0") == {"b": ["f:z"]}
    assert found(address, f"/{of_one}?c=9") == 204


def test_an_unknown_family_or_table_has_no_rows_for_a_multiget_of_several(address, letters):
    assert found(address, f"{letters}/multiget?row=a&row=b/no:x") == 404
    assert found(address, f"{letters}/multiget?row=a/no:x") == 400
    assert found(address, "/nothere/multiget?row=a&row=b") == 404


def test_an_empty_time_before_a_slash_is_refused(address, table):
    assert send(address, "PUT", f"{table}/r/f:a", "value", Content_Type=BYTES)[0] == 200
    for path in ("r/f:a//", "r/f:a//1", "r///"):
        for method, body in (("GET", None), ("DELETE", None), ("PUT", "other")):
            status, _, said = send(address, method, f"{table}/{path}", body, Content_Type=BYTES, Accept=BYTES)
            assert status == 400 and b"the time before a further slash is missing" in said, (method, path)
    assert value(address, f"{table}/r/f:a/") == b"value"


def test_the_limit_of_a_scanner_in_protobuf_is_ignored_as_in_hbase(address, table):
    for name in "abc":
        assert send(address, "PUT", f"{table}/{name}/f:a", "value", Content_Type=BYTES)[0] == 200
    # Field 12, limit: 1.
    _, headers, _ = send(address, "PUT", f"{table}/scanner", b"\x60\x01", Content_Type="application/x-protobuf")
    status, _, body = send(address, "GET", headers["Location"].split(address)[1], Accept=JSON)
    assert status == 200 and len(json.loads(body)["Row"]) == 3
