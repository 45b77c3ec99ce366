"""Replays what HBase's REST gateway answered (recording.json) and compares the answers.

A recording is a list of scenarios, each a list of requests. A request has what was sent (method, path, headers, body)
and what came back (status, some headers, body). A body is text, or {"base64": …} if it is not UTF-8 or is protobuf.
`$name` in a path is the end of an earlier answer's Location, saved under `save`. With `shape`, only the names and types
of a body count.

Values that a server chooses are masked: timestamps that it assigned, ids of scanners and regions, names of servers. Of
an error's body the first line counts: the rest is a Java stack.
"""
import base64
import http.client
import json
import pathlib
import re
import time

FILE = pathlib.Path(__file__).with_name("recording.json")
KNOWN = FILE.with_name("known.json")
HEADERS = ("content-type", "location", "x-row", "x-column", "x-timestamp", "cache-control", "allow", "content-encoding")
TABLES = ("rest_t", "rest_u", "rest_v", "rest_n:t")
DAY_MS = 86_400_000


def scenarios():
    """Maps the name of each recorded scenario to its requests, each with its number. Notes are left out."""
    recorded = json.loads(FILE.read_text())["scenarios"]
    return {s["name"]: [(n, r) for n, r in enumerate(s["requests"]) if "sends" in r] for s in recorded}


class Client:
    """Sends requests to host:port, each on a connection of its own."""

    def __init__(self, address):
        self.address = address
        self.saved = {}

    def fill(self, text):
        return re.sub(r"\$(\w+)", lambda m: self.saved.get(m[1], m[0]), text)

    def send(self, method, path, headers=None, body=None, save=None):
        """Returns the status, the headers that are compared, and the body."""
        connection = http.client.HTTPConnection(self.address, timeout=60)
        data = base64.b64decode(body["base64"]) if isinstance(body, dict) else body.encode() if body is not None else None
        connection.putrequest(method, self.fill(path), skip_accept_encoding=True)
        for name, value in (headers or {}).items():
            connection.putheader(name, value)
        if data is not None or method in ("PUT", "POST"):
            connection.putheader("Content-Length", str(len(data or b"")))
        connection.endheaders(data or None)
        answer = connection.getresponse()
        got = answer.read()
        kept = {k.lower(): v for k, v in answer.getheaders() if k.lower() in HEADERS}
        connection.close()
        if save and "location" in kept:
            self.saved[save] = kept["location"].rsplit("/", 1)[-1]
        return answer.status, kept, got

    def clear(self):
        """Removes the tables and the namespace of all scenarios."""
        for table in TABLES:
            self.send("DELETE", f"/{table}/schema")
        self.send("DELETE", "/namespaces/rest_n")


def masked(text, address):
    text = text.replace(address, "<host>:<port>")
    text = re.sub(r"/scanner/[0-9a-f]+", "/scanner/<scanner>", text)
    now = time.time() * 1000
    text = re.sub(r"(?<!\d)1\d{12}(?!\d)", lambda m: "<now>" if abs(int(m[0]) - now) < DAY_MS else m[0], text)
    text = re.sub(r"(,)(?:<now>|\d{13})\.[0-9a-f]{32}\.", r"\1<id>.<md5>.", text)
    text = re.sub(r'("id"|"startCode"):\s*(?:\d+|<now>)', r'\1:"<id>"', text)
    return re.sub(r'\b(id|startCode)="(?:\d+|<now>)"', r'\1="<id>"', text)


def skeleton(value):
    """Names and types of JSON."""
    if isinstance(value, dict):
        return {name: skeleton(member) for name, member in value.items()}
    if isinstance(value, list):
        return [skeleton(value[0])] if value else []
    return type(value).__name__


def shape(kind, body):
    """Names and types of a body: of JSON its skeleton, of XML the elements with their attributes."""
    if "json" in kind and not body.startswith(b"\x1f\x8b"):
        return {"shape": skeleton(json.loads(body))}
    if "xml" in kind:
        names = re.findall(r"<(\w+)((?:\s+[\w.-]+=\"[^\"]*\")*)", body.decode())
        return {"shape": sorted({" ".join([name, *re.findall(r'\s([\w.-]+)="', rest)]) for name, rest in names})}
    return {"shape": "bytes" if body else "nothing"}


def shown(answer, address, only_shape=False):
    """An answer in the form of the recording."""
    status, headers, body = answer
    kind = headers.get("content-type", "")
    if only_shape:
        content = shape(kind, body)
    else:
        try:
            content = masked(body.decode(), address)
        except UnicodeDecodeError:
            content = None
        if content is None or "protobuf" in kind:
            content = {"base64": base64.b64encode(body).decode()}
    return {"status": status, "headers": {k: masked(v, address) for k, v in headers.items()}, "body": content}


def comparable(answer):
    """The body as far as it is compared: of an error the first line, of JSON the data."""
    body = answer["body"]
    if isinstance(body, str) and answer["status"] >= 400:
        return body.split("\n", 1)[0]
    if isinstance(body, str) and "json" in answer["headers"].get("content-type", ""):
        return json.loads(re.sub(r"(?<=:)<now>(?=[,}\]])", '"<now>"', body)) if body else body
    return body


def intended(sent, expected, actual):
    """The rule of docs/compatibility.md by which answers differ, or None."""
    is_text = actual["headers"].get("content-type") == "text/plain" and isinstance(actual["body"], str)
    if expected["status"] >= 400 and (actual["status"], expected["body"]) == (expected["status"], ""):
        expected_headers = {**expected["headers"], "content-type": "text/plain"}
        has_reason = is_text and actual["body"].count("\r\n") == 2 and actual["headers"] == expected_headers
        return "a refusal without a text has one" if has_reason else None
    if expected["status"] not in (500, 503):
        return None
    if sent["method"] == "OPTIONS":
        return "OPTIONS works" if actual["status"] == 204 and "allow" in actual["headers"] else None
    names_it = is_text and actual["body"].startswith("Bad request\r\n") and len(actual["body"]) > 15
    return "a client's mistake is 400 with a text" if actual["status"] == 400 and names_it else None


def different(sent, expected, actual):
    """What differs, as text, and the reason if the difference is intended."""
    pairs = [(what, expected[what], actual[what]) for what in ("status", "headers")] + [("body", comparable(expected), comparable(actual))]
    wrong = [f"{what}: HBase {a!r}, hjall {b!r}" for what, a, b in pairs if a != b]
    return wrong, intended(sent, expected, actual) if wrong else None


def replay(client, requests):
    """Sends the requests of a scenario. Returns the differences by request, and the reasons of the intended ones by
    number."""
    client.clear()
    found, known = {}, {}
    for number, request in requests:
        sent = request["sends"]
        answer = client.send(sent["method"], sent["path"], sent.get("headers"), sent.get("body"), sent.get("save"))
        actual = shown(answer, client.address, sent.get("shape", False))
        wrong, reason = different(sent, request["answers"], actual)
        if reason:
            known[str(number)] = reason
        elif wrong:
            found[f"{number} {sent['method']} {sent['path']}"] = wrong
    client.clear()
    return found, known
