"""The audit log: changes, calls that are denied, and logins that fail."""
import json
import os
import re
import subprocess
import time

import pytest
from attacking import connect, message, metric, post, until_closed
from logging_in import DENIED, Session, Web, basic, bearer, encoded, hashed, logged, one, reload, trusting, two, users_file
from thriftpy2.transport import TTransportException

from serving import Hjall, binary

ROLES = {"alice": {"read": ["*"], "write": ["*"], "admin": ["*"]}, "bob": {"read": ["t"]}}
# What security.md recommends.
AUDIT = "--log", "warn,hjall::audit=info"
NAMES = encoded(one.Hbase, "getTableNames", [])


@pytest.fixture(scope="module")
def password_hash():
    """The hash of the password of all users."""
    return hashed()


@pytest.fixture
def plain(attacked, tmp_path, password_hash):
    """Starts servers that take passwords without TLS from this machine."""
    def start(*options):
        users = users_file(tmp_path / "users.toml", ROLES, password_hash)
        server = attacked("--users", str(users), "--set", "auth.without_tls=loopback", *options)
        server.users = users
        return server
    return start


def audited(server, what):
    return [line for line in server.said if f"audit: {what}" in line]


def hidden(lines):
    """The number of lines that these lines leave out."""
    return sum(int(re.search(r"hidden=(\d+)", line)[1]) for line in lines)


def test_a_backup_of_a_running_server_is_audited(attacked, tmp_path):
    server = attacked(*AUDIT, on_disk=True)
    data = next(tmp_path.glob("data-*"))
    for _ in range(2):
        subprocess.run([binary(), "backup", tmp_path / "copy", "--data", data], capture_output=True, timeout=60)
    logged(server, 'outcome="done"')
    logged(server, "is not an empty folder")
    copied, refused = audited(server, "backup through the control socket")
    for line in copied, refused:
        assert f"uid={os.getuid()} " in line and f'subject="{tmp_path}/copy"' in line


def test_changes_are_audited_on_one_line_each(plain):
    plain = plain()
    with Session(plain.port, "alice") as alice, Session(plain.port, "bob") as bob:
        alice.one.createTable(b"t", [one.ColumnDescriptor(name=b"f:")])
        alice.two.createNamespace(two.TNamespaceDescriptor(name=b"n"))
        for call in (lambda: alice.one.deleteTable(b"t"), lambda: bob.one.disableTable(b"t\nforged user=\"root\" line")):
            with pytest.raises(Exception):
                call()
    # Text of a client does not look like other fields.
    with Session(plain.port, "alice") as alice, pytest.raises(Exception):
        alice.one.createTable(b'x" outcome="done" user="root', [one.ColumnDescriptor(name=b"f:")])
    logged(plain, 'x\\" outcome')
    assert not [line for line in plain.said if "audit: " in line and ' user="root' in line]
    users_file(plain.users, {**ROLES, "carol": {}}, "")
    reload(plain, 'change="added" subject="carol"')
    lines = [line for line in plain.said if "audit: " in line]
    change = lambda *parts: [line for line in lines if all(part in line for part in parts)]
    assert change("change", 'user="alice"', "peer=127.0.0.1:", 'method="createTable"', 'subject="t"', 'outcome="done"')
    assert change("change", 'method="createNamespace"', 'subject="n"', 'outcome="done"')
    assert change("change", 'method="deleteTable"', 'outcome="org.apache.hadoop.hbase.TableNotDisabledException')
    assert change("denied", 'user="bob"', "disableTable", "\\n") and not any(line.startswith("forged") for line in plain.said)
    assert change("users changed by SIGHUP", 'change="added" subject="carol"')


def test_denials_do_not_flood_the_log(plain):
    plain = plain()
    with Session(plain.port, "bob") as bob:
        began = time.monotonic()
        # Roles are checked before `disableTable` runs, and by `majorCompact` itself.
        for call in (bob.one.disableTable, bob.one.majorCompact):
            for _ in range(250):
                with pytest.raises(Exception, match="AccessDenied"):
                    call(b"t")
        alice = Session(plain.port, "alice")
        alice.one.createTable(b"last", [one.ColumnDescriptor(name=b"f:")])
        logged(plain, 'subject="last"')
        seconds = time.monotonic() - began
    assert len([line for line in plain.said if "audit: denied" in line]) <= seconds + 2
    assert not [line for line in plain.said if "audit: change" in line and 'user="bob"' in line]


def test_denials_that_were_left_out_are_logged_when_the_second_has_passed(plain):
    server = plain(*AUDIT)
    with Session(server.port, "bob") as bob:
        for _ in range(5):
            with pytest.raises(Exception, match="AccessDenied"):
                bob.one.disableTable(b"t")
    # No further call is denied. At most one line a second: the rest may take several.
    until = time.monotonic() + 60
    count = lambda: len(audited(server, "denied")) + hidden(audited(server, "denied") + audited(server, "further calls were denied"))
    while count() < 5:
        assert time.monotonic() < until, server.said
        time.sleep(0.01)
    assert count() == 5


def test_the_stop_logs_what_was_left_out(tmp_path, password_hash):
    users = users_file(tmp_path / "users.toml", ROLES, password_hash)
    server = Hjall(None, "--memory", "--users", str(users), "--set", "auth.without_tls=loopback", *AUDIT)
    with server, Session(server.port, "bob") as bob, Web(server.port) as web:
        for _ in range(40):
            with pytest.raises(Exception, match="AccessDenied"):
                bob.one.disableTable(b"t")
            assert web.post(NAMES, ("Authorization", "Bearer nonsense"))[0] in (401, 429)
        assert server.stop() == 0
    denials, failures = (audited(server, what) + audited(server, further) for what, further in (
        ("denied", "further calls were denied"), ("login failed", "further logins failed")))
    assert len(audited(server, "denied")) + hidden(denials) == 40, denials
    assert len(audited(server, "login failed")) + hidden(failures) == 40, failures


def test_a_denied_call_is_counted_once(tmp_path, password_hash):
    """Also if the call could have been run from its encoded arguments."""
    users = users_file(tmp_path / "users.toml", {**ROLES, "nobody": {}}, password_hash)
    server = Hjall(None, "--memory", "--users", str(users), "--set", "auth.without_tls=loopback", *AUDIT)
    put = [one.Mutation(column=b"f:q", value=b"v")]
    with server, Session(server.port, "alice") as alice, Session(server.port, "nobody") as nobody:
        alice.one.createTable(b"t", [one.ColumnDescriptor(name=b"f:")])
        calls = [
            lambda: nobody.one.atomicIncrement(b"t", b"r", b"f:n", 1),
            lambda: nobody.one.mutateRow(b"t", b"r", put, {}),
            lambda: nobody.one.mutateRows(b"t", [one.BatchMutation(row=b"r", mutations=put)], {}),
            lambda: nobody.one.getRow(b"t", b"r", {}),
        ]
        for call in calls:
            for _ in range(10):
                with pytest.raises(Exception, match="AccessDenied"):
                    call()
        assert server.stop() == 0
    denials = audited(server, "denied") + audited(server, "further calls were denied")
    assert len(audited(server, "denied")) + hidden(denials) == 40, denials


def test_failed_logins_are_audited_with_the_user(plain):
    server = plain("--set", "auth.tries=3")
    counted = lambda kind: metric(server, f'hjall_client_errors_total{{kind="{kind}"}}')
    failed = lambda: counted("login_failed") + counted("login_missing")
    attempts = 0

    def audits(attempt, *expected):
        """Repeats an attempt until the audit log has it, since it has one line a second."""
        nonlocal attempts
        until = time.monotonic() + 60
        while not any(all(part in line for part in expected) for line in audited(server, "login failed")):
            assert time.monotonic() < until, (expected, server.said)
            attempt()
            attempts += 1
            time.sleep(0.05)
        while failed() < attempts:
            assert time.monotonic() < until, (failed(), attempts)
        assert failed() == attempts

    def over_http(*headers, status=(401,)):
        def attempt():
            with Web(server.port) as web:
                assert web.post(NAMES, *headers)[0] in status
        return attempt

    # Another name each time, because failures of one name are limited.
    def with_a_forged_line():
        over_http(basic('x" peer=1.2.3.4\n' + "y" * 5000 + str(attempts), "guess"))()

    def over_sasl():
        with pytest.raises(TTransportException):
            Session(server.port, f"mallory{attempts}", "guess")

    def without():
        with connect(server.port) as stranger:
            stranger.sendall(message("getTableNames"))
            until_closed(stranger)

    def rest_without():
        with connect(server.port) as stranger:
            stranger.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
            assert until_closed(stranger).startswith(b"HTTP/1.1 401")

    audits(with_a_forged_line, 'user="x\\" peer=1.2.3.4\\nyyy', "…", "peer=127.0.0.1:")
    audits(over_sasl, 'user="mallory', "the user, the password or the token is wrong")
    assert counted("login_missing") == 0
    audits(without, 'user="-"', "the connection has no login")
    audits(over_http(), 'user="-"', "this server has users; send a user and a password, or a token")
    audits(rest_without, 'user="-"', "send a user and a password, or a token")
    missing = counted("login_missing")
    assert missing >= 3, "they are no failures of logins"
    audits(over_http(("Authorization", "Negotiate abc"), status=(401,)), "accepts the schemes Basic and Bearer")
    audits(over_http(basic("alice", "guess"), status=(401, 429)), 'user="alice"',
           "too many logins of this user have failed from this address; wait a minute")
    assert counted("login_missing") == missing
    assert not any("guess" in line for line in server.said)


def test_a_certificate_that_no_user_has_is_named(attacked, authority, tmp_path):
    users = users_file(tmp_path / "u.toml", {"alice": {"certificates": ["cn:alice"]}, "carol": {"certificates": ["dns:carol.example"]}})
    pem, key = authority("/CN=localhost", "DNS:localhost")
    server = attacked("--users", str(users), "--tls-cert", str(pem), "--tls-key", str(key), "--tls-client-ca", str(authority.certificate))
    for subject, names, why in (
            ("/CN=bob", None, r"no user has a name of the client's certificate (cn:bob, subject:CN=bob); add one to `certificates` of a user"),
            ("/CN=alice", "DNS:carol.example", "several users have names of the client's certificate (cn:alice, subject:CN=alice, dns:carol.example)"),
            ("/O=x\ny", None, r"(subject:O=x\ny)")):
        context = trusting(authority.certificate, authority(subject, names))
        with Session(server.port, context=context) as stranger, pytest.raises(one.IOError) as raised:
            stranger.one.getTableNames()
        assert DENIED in raised.value.message and why in raised.value.message
        with context.wrap_socket(connect(server.port), server_hostname="localhost") as stranger:
            stranger.sendall(post(message("getTableNames"), "Connection: close"))
            answer = until_closed(stranger).decode()
            assert answer.startswith("HTTP/1.1 401") and why in answer, answer
    logged(server, r"no user has a name of the client's certificate (cn:bob, subject:CN=bob)")


def test_lines_in_json_name_their_target(plain):
    server = plain("--log-format", "json")
    users_file(server.users, {**ROLES, "carol": {}}, "")
    reload(server, '"carol"')
    lines = [json.loads(line) for line in server.said if line.startswith("{")]
    assert all(line["target"].startswith("hjall") for line in lines), lines
    changes = [line for line in lines if line["message"] == "audit: users changed by SIGHUP"]
    assert [(line["target"], line["change"], line["subject"]) for line in changes if line["subject"] == "carol"] == [
        ("hjall::audit", "added", "carol")]
