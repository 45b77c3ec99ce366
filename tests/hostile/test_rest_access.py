"""Roles of users through the REST gateway, which are those of the Thrift gateways."""
import http.client
import json

import pytest
from logging_in import bearer, reload, users_file

JSON = "application/json"
CELL = json.dumps({"Row": [{"key": "cg==", "Cell": [{"column": "ZjpxCg==", "$": "dg=="}, {"column": "ZjpxCg==", "$": "dg=="}]}]})
ROLES = {
    "root": {"read": ["*"], "write": ["*"], "admin": ["*"]},
    "none": {},
    "reader": {"read": ["t"]},
    "writer": {"write": ["t"]},
    "owner": {"admin": ["t", "n:*"]},
}
# Each request: its method, its path, its body, and who may send it beside root.
REQUESTS = [
    ("GET", "/t/r", None, {"reader"}),
    ("GET", "/t/r,s", None, {"reader"}),
    ("GET", "/t/*", None, {"reader"}),
    ("GET", "/t/*/f:q", None, {"reader"}),
    ("GET", "/t/multiget?row=r", None, {"reader"}),
    ("PUT", "/t/scanner", "{}", {"reader"}),
    ("PUT", "/t/r", CELL, {"writer"}),
    ("POST", "/t/r", CELL, {"writer"}),
    ("PUT", "/t/r?check=append", CELL, {"writer"}),
    ("PUT", "/t/r?check=increment", CELL, {"writer"}),
    ("PUT", "/t/r?check=put", CELL, set()),
    ("PUT", "/t/r?check=delete", CELL, set()),
    ("DELETE", "/t/s", None, {"writer"}),
    ("GET", "/t/exists", None, {"reader", "writer", "owner"}),
    ("GET", "/t/regions", None, {"reader", "writer", "owner"}),
    ("GET", "/t/schema", None, {"owner"}),
    ("PUT", "/t/schema", json.dumps({"ColumnSchema": [{"name": "f"}]}), {"owner"}),
    ("POST", "/t/schema", json.dumps({"ColumnSchema": [{"name": "f"}]}), {"owner"}),
    ("PUT", "/n:new/schema", json.dumps({"ColumnSchema": [{"name": "f"}]}), {"owner"}),
    ("PUT", "/new/schema", json.dumps({"ColumnSchema": [{"name": "f"}]}), set()),
    ("GET", "/namespaces/n", None, {"owner"}),
    ("PUT", "/namespaces/n", json.dumps({"properties": {"k": "v"}}), set()),
    ("POST", "/namespaces/m", "", set()),
    ("DELETE", "/namespaces/m", None, set()),
]


class Rest:
    """Requests on one connection. The user is chosen for each."""

    def __init__(self, port):
        self.connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)

    def send(self, method, path, body=None, user=None, **headers):
        login = dict([bearer(user)]) if user else {}
        kind = {"Content-Type": JSON} if body is not None else {}
        self.connection.request(method, path, body, {"Accept": JSON, **kind, **login, **headers})
        answer = self.connection.getresponse()
        return answer.status, answer.headers, answer.read()


@pytest.fixture
def served(attacked, tmp_path):
    """A server with users, a table `t` and a namespace `n`."""
    started = attacked("--users", str(users_file(tmp_path / "users.toml", ROLES)), "--set", "auth.without_tls=loopback")
    started.users = tmp_path / "users.toml"
    rest = Rest(started.port)
    assert rest.send("PUT", "/t/schema", json.dumps({"ColumnSchema": [{"name": "f"}]}), "root")[0] == 201
    assert rest.send("POST", "/namespaces/n", "", "root")[0] == 201
    assert rest.send("PUT", "/t/r", CELL, "root")[0] == 200
    started.rest = rest
    return started


@pytest.mark.parametrize("user", ROLES)
def test_each_request_needs_its_role(served, user):
    for method, path, body, allowed in REQUESTS:
        status, _, answer = served.rest.send(method, path, body, user)
        if user == "root" or user in allowed:
            assert status not in (401, 403), (method, path, status, answer)
        else:
            assert status == 403 and answer.startswith(b"Forbidden\r\n"), (method, path, status, answer)


def test_without_a_login_nothing_is_answered(served):
    for method, path, body, _ in [*REQUESTS, ("GET", "/", None, None), ("GET", "/nowhere/at/all/*", None, None), ("PATCH", "/t/r", None, None)]:
        status, headers, _ = served.rest.send(method, path, body)
        assert status == 401 and "Basic" in headers["WWW-Authenticate"], (method, path, status)


def test_schemes_that_the_server_does_not_have_are_answered_with_those_that_it_has(served):
    for scheme in ("Negotiate YII=", "Digest x"):
        status, headers, _ = served.rest.send("GET", "/version", Authorization=scheme)
        assert status == 401 and [one.split()[0] for one in headers.get_all("WWW-Authenticate")] == ["Basic", "Bearer"]


def test_too_many_failed_logins_say_when_to_try_again(served):
    wrong = {"Authorization": "Bearer wrong.token"}
    statuses = [served.rest.send("GET", "/version", **wrong) for _ in range(200)]
    refused = [headers for status, headers, _ in statuses if status == 429]
    assert refused and all(headers["Retry-After"] == "60" for headers in refused)


def test_listings_show_what_the_user_sees(served):
    for user, names in (("root", ["t"]), ("reader", ["t"]), ("none", [])):
        assert [table["name"] for table in json.loads(served.rest.send("GET", "/", None, user)[2])["table"]] == names
        status = json.loads(served.rest.send("GET", "/status/cluster", None, user)[2])
        assert status["regions"] == len(names)


def test_refused_schemas_do_not_tell_which_tables_exist(served):
    schema = json.dumps({"ColumnSchema": [{"name": "f"}]})
    for table in ("exists", "n:exists"):
        assert served.rest.send("PUT", f"/{table}/schema", schema, "root")[0] == 201
    for user in ("none", "reader"):
        for method in ("PUT", "POST", "GET", "DELETE"):
            for namespace in ("", "n:"):
                body = schema if method in ("PUT", "POST") else None
                known, unknown = (served.rest.send(method, f"/{namespace}{name}/schema", body, user) for name in ("exists", "absent"))
                assert known[0] == unknown[0] == 403, (user, method, known)
                assert known[2].replace(b"exists", b"NAME") == unknown[2].replace(b"absent", b"NAME"), (user, method)
    # A user with another role for the table sees it.
    answer = served.rest.send("PUT", "/t/schema", schema, "reader")
    assert answer[0] == 403 and b"scope=default:t" in answer[2], answer


def test_a_scanner_belongs_to_its_user(served):
    location = served.rest.send("PUT", "/t/scanner", "{}", "reader")[1]["Location"]
    path = location.split("/", 3)[3]
    for user in ("root", "none", "writer"):
        for method in ("GET", "DELETE"):
            assert served.rest.send(method, f"/{path}", None, user)[0] == 403
    assert served.rest.send("GET", f"/{path}", None, "reader")[0] == 200
    roles = {**ROLES, "reader": {}}
    users_file(served.users, roles)
    reload(served, 'change="changed" subject="reader"')
    assert served.rest.send("GET", f"/{path}", None, "reader")[0] == 403


@pytest.mark.parametrize("mode", ["true", "all"])
def test_read_only_mode_refuses_changes(attacked, mode):
    server = attacked("--set", f"server.read_only={mode}")
    rest = Rest(server.port)
    for method, path, body, _ in REQUESTS:
        status, _, answer = rest.send(method, path, body)
        changes = method != "GET" and path != "/t/scanner"
        assert (status == 403) == changes, (method, path, status, answer)
        assert not changes or b"server.read_only" in answer
