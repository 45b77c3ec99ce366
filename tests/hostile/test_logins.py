"""Logins: SASL on sockets, Basic and Bearer over HTTP, client certificates; and attempts to get in without one."""
import concurrent.futures
import contextlib
import random
import re
import select
import socket
import struct
import subprocess
import sys
import time

import pytest
from attacking import Bystander, connect, framed, message, metric, post, rss, text_field, until_closed
from logging_in import PASSWORD, HappyBase, Session, Web, basic, bearer, encoded, hashed, logged, one, reload, trusting, two, users_file
from thriftpy2.transport import TTransportException

from serving import ROOT, Hjall, binary

ROLES = {"alice": {"read": ["*"], "write": ["*"], "admin": ["*"]}, "bob": {"read": ["t"]}}


@pytest.fixture(scope="module")
def password_hash():
    """The hash of the password of all users."""
    return hashed()


@pytest.fixture
def users(tmp_path, password_hash):
    return users_file(tmp_path / "users.toml", ROLES, password_hash)


@pytest.fixture
def plain(attacked, users):
    """A server that takes passwords without TLS from this machine."""
    server = attacked("--users", str(users), "--set", "auth.without_tls=loopback")
    server.users = users
    return server


def test_happybase_logs_in_inside_tls(attacked, authority, users):
    pem, key = authority("/CN=localhost", "DNS:localhost")
    server = attacked("--users", str(users), "--tls-cert", str(pem), "--tls-key", str(key))
    context = trusting(authority.certificate)
    with contextlib.closing(HappyBase(server.port, "alice", context=context)) as alice:
        alice.create_table("t", {"f": {}})
        # Longer than a frame, and longer than what is read at once.
        value = random.Random(7).randbytes(3 << 20)
        alice.table("t").put(b"r", {b"f:q": value})
        assert alice.table("t").row(b"r") == {b"f:q": value} and alice.tables() == [b"t"]
    with contextlib.closing(HappyBase(server.port, "bob", context=context)) as bob:
        assert bob.table("t").row(b"r", columns=[b"f:q"])[b"f:q"] == value
        with pytest.raises(Exception, match="AccessDeniedException"):
            bob.table("t").put(b"r", {b"f:q": b"v"})
    for user, password in (("alice", "wrong"), ("nobody", PASSWORD), ("", ""), ("alice", "")):
        with pytest.raises(TTransportException, match="Bad status: 3 .*the user, the password or the token is wrong"):
            HappyBase(server.port, user, password, context=context)


def test_the_example_of_the_documentation_runs_as_pasted(attacked, authority, tmp_path):
    pem, key = authority("/CN=localhost", "DNS:localhost")
    users = users_file(tmp_path / "example.toml", {"alice": ROLES["alice"]}, hashed("secret"))
    server = attacked("--users", str(users), "--tls-cert", str(pem), "--tls-key", str(key))
    (tmp_path / "server.pem").write_bytes(authority.certificate.read_bytes())
    text = (ROOT / "docs" / "security.md").read_text()
    example = next(block for block in re.findall(r"```python\n(.*?)```", text, re.DOTALL) if "happybase" in block)
    example = example.replace("9090", str(server.port))
    program = f"""{example}
connection = Connection("localhost", {server.port})
connection.create_table("t", {{"f": {{}}}})
connection.table("t").put(b"r", {{b"f:q": b"\\xff"}})
print(connection.tables(), connection.table("t").row(b"r"))
connection.close()
"""
    done = subprocess.run([sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    assert done.stdout == "[]\n" + r"[b't'] {b'f:q': b'\xff'}" + "\n"


def test_passwords_need_tls(attacked, users):
    server = attacked("--users", str(users))
    with pytest.raises(TTransportException, match="Bad status: 3 .*only inside TLS"):
        Session(server.port, "alice")
    with Web(server.port) as web:
        for header in (basic("alice"), bearer("alice")):
            status, _, body = web.post(encoded(one.Hbase, "getTableNames", []), header)
            assert status == 403 and b"only over TLS" in body


def test_nothing_is_served_without_a_login(plain):
    drop = message("deleteTable", text_field(1, b"victim") + b"\0")
    compact = bytes.fromhex("822101") + b"\x0dgetTableNames\0"
    with Session(plain.port, "alice") as alice:
        alice.one.createTable(b"victim", [one.ColumnDescriptor(name=b"f:")])
        alice.one.disableTable(b"victim")
        for call in (drop, drop + drop, framed(drop), framed(drop) * 2, compact, message("getClusterId"), message("getThriftServerType")):
            with connect(plain.port) as stranger:
                stranger.sendall(call)
                answer = until_closed(stranger)
                # A compact reply and one of a method without exceptions give no reason.
                assert b"AccessDeniedException" in answer or b"Internal error" in answer, answer
        with connect(plain.port) as stranger:
            stranger.sendall(post(drop))
            answer = stranger.recv(1 << 16)
            assert answer.startswith(b"HTTP/1.1 401") and answer.lower().count(b"www-authenticate: ") == 2
        assert alice.one.getTableNames() == [b"victim"], "no call was run"


@pytest.mark.parametrize("over_http", [False, True])
def test_buffers_of_a_connection_count_towards_its_user(plain, over_http):
    call = message("mutateRow", text_field(1, bytes(4 << 20)) + b"\0")
    with connect(plain.port) as raw:
        if over_http:
            name, value = bearer("alice")
            raw.sendall(post(call, f"{name}: {value}")[:3 << 20])
        else:
            for status, payload in ((1, b"PLAIN"), (2, b"\0alice\0" + PASSWORD.encode())):
                raw.sendall(struct.pack(">bi", status, len(payload)) + payload)
            assert raw.recv(1 << 16) == struct.pack(">bi", 5, 0)
            raw.sendall(struct.pack(">i", len(call)) + call[:3 << 20])
        until = time.monotonic() + 60
        while metric(plain, 'hjall_client_in_flight_bytes{client="alice"}') < 2 << 20:
            assert time.monotonic() < until
        assert metric(plain, 'hjall_client_in_flight_bytes{client="(other)"}') == 0


def test_http_logs_in_with_passwords_and_tokens(plain):
    names = encoded(one.Hbase, "getTableNames", [])
    with Web(plain.port) as web:
        for header in (basic("alice"), bearer("alice"), basic("bob")):
            assert web.post(names, header)[0] == 200
        for header in (basic("alice", "wrong"), basic("nobody"), basic("", ""), ("Authorization", "Bearer nonsense"),
                       ("Authorization", "Bearer " + "x" * 20_000)):
            status, headers, body = web.post(names, header)
            assert status == 401 and b"wrong" in body and len(headers.get_all("WWW-Authenticate")) == 2
        for wrong in ("Basic", "Basic ???", "Basic YWxpY2U="):
            assert web.post(names, ("Authorization", wrong))[0] == 400
        assert web.post(names, ("Authorization", "Negotiate abc"))[0] == 401
        # A user of one request is not that of the next.
        assert web.post(names)[0] == 401
        status, _, body = web.post(names, basic("bob"), ("doAs", "alice"))
        assert status == 500 and b"proxyuser" in body


def test_a_user_cannot_be_another(plain):
    with pytest.raises(TTransportException, match="cannot act for another"):
        Session(plain.port, "bob", identity="alice")
    with Session(plain.port, "bob", identity="bob") as bob:
        assert bob.one.getTableNames() == []
    for user in ("bob\0alice", "alice\0", "\0alice"):
        with pytest.raises(TTransportException, match="Bad status: 3"):
            Session(plain.port, user)
    for mechanism in ("GSSAPI", "plain", "ANONYMOUS", "DIGEST-MD5"):
        with pytest.raises((TTransportException, OSError, EOFError)):
            Session(plain.port, "alice", mechanism=mechanism)


def negotiation(status, payload):
    return struct.pack(">BI", status, len(payload)) + payload


START = negotiation(1, b"PLAIN")
RIGHT = negotiation(2, b"\0alice\0" + PASSWORD.encode())


def test_lengths_in_sasl_are_bounded(plain):
    for sent in (
            struct.pack(">BI", 1, 0xffff_ffff), struct.pack(">BI", 1, 15) + b"PLAIN" * 3, START + struct.pack(">BI", 2, 0xffff_ffff),
            START + struct.pack(">BI", 2, 1 << 20) + b"x" * 100, START + negotiation(2, b"\0alice\0" + b"x" * 3000), START + START,
            START + negotiation(3, b""), START + negotiation(9, b"\0a\0b"), START + negotiation(2, b""), START + negotiation(2, b"\0" * 500)):
        with connect(plain.port) as client:
            client.sendall(sent)
            answer = until_closed(client)
            assert answer == b"" or answer[0] == 3, (sent[:20], answer)
    before = rss(plain)
    for frame in (0xffff_ffff, 0x7fff_ffff, 101 << 20):
        with connect(plain.port) as client:
            client.sendall(START + RIGHT + struct.pack(">I", frame) + b"\x80\x01")
            assert until_closed(client)[:5] == negotiation(5, b"")
    # Some empty frames, and a message that is spread over frames of one byte.
    call = message("getTableNames")
    pieces = b"".join(struct.pack(">I", 1) + call[n:n + 1] for n in range(len(call)))
    with connect(plain.port) as client:
        client.sendall(START + RIGHT + b"\0\0\0\0" * 8 + pieces)
        assert client.recv(5) == negotiation(5, b"")
        assert b"getTableNames" in client.recv(1 << 16)
    # Empty frames without end.
    with connect(plain.port) as client:
        client.sendall(START + RIGHT + b"\0\0\0\0" * 20_000)
        assert until_closed(client)[:5] == negotiation(5, b"")
    assert rss(plain) - before < 64 << 20


def test_foreign_bytes_in_sasl_end_the_connection(plain):
    random_bytes = random.Random(11)
    for n in range(150):
        noise = random_bytes.randbytes(random_bytes.randrange(1, 200))
        prefix = random_bytes.choice([START[:6], START, START + RIGHT[:7], START + RIGHT, START + RIGHT + struct.pack(">I", len(noise))])
        with connect(plain.port) as client:
            client.sendall(prefix + noise)
            client.shutdown(socket.SHUT_WR)
            until_closed(client)
    with Session(plain.port, "alice") as alice:
        assert alice.one.getTableNames() == []


def test_a_negotiation_that_stops_is_ended(attacked, users):
    server = attacked("--users", str(users), "--set", "auth.without_tls=loopback", "--set", "limits.stall=300ms")
    for sent in (START[:3], START, START + RIGHT[:9]):
        with connect(server.port) as client:
            client.sendall(sent)
            assert until_closed(client) in (b"",)


def test_guessing_is_limited_for_one_user_and_one_address(attacked, users):
    server = attacked("--users", str(users), "--set", "auth.without_tls=loopback", "--set", "auth.tries=3")
    names = encoded(one.Hbase, "getTableNames", [])
    with Web(server.port) as web:
        assert web.post(names, basic("alice"))[0] == 200, "it is remembered from now on"
        assert [web.post(names, basic("alice", f"guess {n}"))[0] for n in range(5)] == [401, 401, 401, 429, 429]
        assert web.post(names, basic("alice"))[0] == 429, "the right password, which a guesser must not learn"
        told = [web.post(names, basic("nobody", f"guess {n}"))[0] for n in range(5)]
        assert told == [401, 401, 401, 429, 429], "the limit does not tell that there is no such user"
        assert web.post(names, bearer("alice"))[0] == 200, "a token cannot be guessed"
        assert web.post(names, basic("bob"))[0] == 200, "another user"
    with pytest.raises(TTransportException, match="too many logins of this user have failed from this address"):
        Session(server.port, "alice")


def test_many_guesses_at_once_do_not_exceed_the_limit(attacked, users):
    server = attacked("--users", str(users), "--set", "auth.without_tls=loopback", "--set", "auth.tries=5")
    names = encoded(one.Hbase, "getTableNames", [])

    def guess(n):
        with Web(server.port) as web:
            return web.post(names, basic("alice", f"guess {n}"))[0]

    with concurrent.futures.ThreadPoolExecutor(40) as pool:
        told = list(pool.map(guess, range(80)))
    assert told.count(401) <= 5 and set(told) <= {401, 429, 503}, told


def pipelined(raw, users, password="guess"):
    """Sends one request with a login as each of these users; returns their statuses."""
    statuses = []
    for first in range(0, len(users), 200):
        part = users[first:first + 200]
        raw.sendall(b"".join(
            b"GET /version HTTP/1.1\r\nHost: localhost\r\n" + ": ".join(basic(user, password)).encode() + b"\r\n\r\n" for user in part))
        answers = b""
        while len(found := re.findall(rb"HTTP/1\.1 (\d+) .*?\r\n\r\n", answers, re.DOTALL)) < len(part):
            received = raw.recv(1 << 20)
            assert received, "the connection was closed"
            answers += received
        statuses += map(int, found)
    return statuses


def test_names_from_one_address_lock_no_other_address_out(attacked, users):
    server = attacked("--users", str(users), "--set", "auth.without_tls=loopback", "--set", "auth.tries=1")

    def log_in(address, user, password=PASSWORD):
        with connect(server.port, source=address) as raw:
            return pipelined(raw, [user], password)

    # The second login uses the remembered password.
    assert [log_in("127.0.4.2", "alice") for _ in range(2)] == [[200]] * 2
    assert log_in("127.0.4.1", "alice") == [200]
    with connect(server.port, source="127.0.4.1") as guesser:
        # More than all addresses and names together have entries.
        told = pipelined(guesser, [f"nobody-{number}" for number in range(17_000)])
        assert told.count(401) == 10 and told.count(429) == len(told) - 10
        assert pipelined(guesser, ["alice"], PASSWORD) == [200], "established clients at the same address"
        assert pipelined(guesser, ["bob"], PASSWORD) == [429]
    assert log_in("127.0.4.2", "alice") == [200]
    assert log_in("127.0.4.3", "bob") == [200], "a new address"
    # A wrong password of each address is checked, and the next one refused.
    assert [log_in("127.0.4.4", "alice", "guess") for _ in range(2)] == [[401], [429]]


def test_a_blocked_address_cannot_guess_remembered_passwords(attacked, users):
    server = attacked("--users", str(users), "--set", "auth.without_tls=loopback", "--set", "auth.tries=2")
    with connect(server.port, source="127.0.5.2") as own:
        assert pipelined(own, ["alice"], PASSWORD) == [200]
    with connect(server.port, source="127.0.5.1") as guesser:
        told = pipelined(guesser, [f"nobody-{number}" for number in range(20)])
        assert set(told) == {401}
        assert set(pipelined(guesser, ["alice"] * 2)) == {429}
        assert pipelined(guesser, ["alice"], PASSWORD) == [429], "the right password, which a guesser must not learn"


def test_one_credential_of_many_clients_is_checked_once(attacked, users):
    server = attacked("--users", str(users), "--set", "auth.without_tls=loopback", "--set", "auth.tries=1")

    def log_in(_):
        with Session(server.port, "alice") as alice:
            return alice.one.getTableNames()

    with concurrent.futures.ThreadPoolExecutor(40) as pool:
        assert list(pool.map(log_in, range(80))) == [[]] * 80


def test_checking_passwords_does_not_stop_the_others(plain):
    names = encoded(one.Hbase, "getTableNames", [])
    with Session(plain.port, "alice") as alice:
        alice.one.createTable(b"bystander", [one.ColumnDescriptor(name=b"f:")])
    bystander = WithLogin(plain.port)
    with bystander:
        bystander.reads(50)
        before = rss(plain)

        def guess(n):
            with Web(plain.port) as web:
                return web.post(names, basic(f"nobody-{n}", "guess"))[0]

        with concurrent.futures.ThreadPoolExecutor(50) as pool:
            told = list(pool.map(guess, range(300)))
        bystander.reads(50)
    assert not bystander.failures and set(told) <= {401, 429, 503}
    assert told.count(401) <= 100, "no more are checked than one address may fail"
    # A check takes 19 MiB, and only few run at a time.
    assert rss(plain) - before < 200 << 20


def test_addresses_take_turns_in_checks_of_passwords(attacked, users):
    server = attacked("--users", str(users), "--set", "auth.without_tls=loopback", "--set", "auth.checks=1")

    def log_in(raw, user, password):
        for status, payload in ((1, b"PLAIN"), (2, b"\0" + user + b"\0" + password)):
            raw.sendall(struct.pack(">bi", status, len(payload)) + payload)

    with contextlib.ExitStack() as closing:
        guessers = [closing.enter_context(connect(server.port, source="127.0.2.1")) for _ in range(95)]
        for number, guesser in enumerate(guessers):
            log_in(guesser, b"nobody-%d" % number, b"guess")
        alice = closing.enter_context(connect(server.port, source="127.0.3.1"))
        log_in(alice, b"alice", PASSWORD.encode())
        answer = alice.recv(1 << 16)
        answered, _, _ = select.select(guessers, [], [], 0)
        assert answer == struct.pack(">bi", 5, 0), answer
        # More than the queue has places are answered: all others are still waiting.
        assert len(answered) < 85, "her password was checked after all others"


class WithLogin(Bystander):
    """A bystander that has logged in."""

    def connect(self):
        return HappyBase(self.port, "alice", timeout=30_000)


def test_users_that_do_not_exist_take_as_long(attacked, users):
    server = attacked("--users", str(users), "--set", "auth.without_tls=loopback", "--set", "auth.tries=100000")
    names = encoded(one.Hbase, "getTableNames", [])
    took = {"alice": [], "nobody": []}
    with Web(server.port) as web:
        for n in range(15):
            for user, times in took.items():
                began = time.perf_counter()
                assert web.post(names, basic(user, f"guess {n}"))[0] == 401
                times.append(time.perf_counter() - began)
    known, unknown = (sorted(times)[len(times) // 2] for times in took.values())
    print(f"a wrong password takes {known * 1e3:.1f} ms for a user, {unknown * 1e3:.1f} ms for a name without one")


def test_a_connection_has_the_rights_of_the_file_as_it_is(plain, password_hash):
    def change(roles, expected, own_hash=password_hash):
        users_file(plain.users, roles, own_hash)
        reload(plain, expected)

    with Session(plain.port, "alice") as alice, Session(plain.port, "bob") as bob, Web(plain.port) as web:
        alice.one.createTable(b"t", [one.ColumnDescriptor(name=b"f:")])
        assert bob.one.getRow(b"t", b"r", {}) == []
        change({**ROLES, "bob": {"write": ["t"]}}, 'change="changed" subject="bob"')
        with pytest.raises(Exception, match="action=READ"):
            bob.one.getRow(b"t", b"r", {})
        # A file with a mistake changes nothing, and the log says why without its secrets.
        good = plain.users.read_text()
        plain.users.write_text(good + "\n[users.carol]\npasswort = \"hunter2\"\n")
        reload(plain, "users.carol.passwort is unknown")
        assert alice.one.getTableNames() == [b"t"] and not any("hunter2" in line for line in plain.said)
        plain.users.write_text("[users.alice\n")
        reload(plain, "is not valid TOML")
        plain.users.unlink()
        reload(plain, "cannot be read")
        assert alice.one.getTableNames() == [b"t"]
        # Who is removed has no rights on connections that are open; so has a user with another password or token.
        change({"alice": ROLES["alice"]}, 'change="removed" subject="bob"')
        with pytest.raises(Exception, match="login is no longer valid"):
            bob.one.mutateRow(b"t", b"r", [one.Mutation(column=b"f:q", value=b"v")], {})
        change(ROLES, 'change="changed" subject="alice"', own_hash=hashed("another"))
        for client in (alice, bob):
            with pytest.raises(Exception, match="login is no longer valid"):
                client.one.getTableNames()
        with pytest.raises(TTransportException, match="wrong"):
            Session(plain.port, "alice")
        with Session(plain.port, "alice", "another") as again:
            assert again.one.getTableNames() == [b"t"]
        assert web.post(encoded(one.Hbase, "getTableNames", []), basic("alice"))[0] == 401, "what was remembered is forgotten"


def test_certificates_are_users(attacked, authority, tmp_path):
    path = users_file(tmp_path / "u.toml", {
        "alice": {**ROLES["alice"], "certificates": ["cn:alice"]},
        "service": {"read": ["t"], "certificates": ["dns:service.example.com", "uri:spiffe://example.com/service"]},
        "exact": {"read": ["*"], "certificates": ["subject:CN=exact,O=Example\\, Inc."]},
        "two": {"certificates": ["email:two@example.com"]},
    })
    pem, key = authority("/CN=localhost", "DNS:localhost")
    server = attacked("--users", str(path), "--tls-cert", str(pem), "--tls-key", str(key), "--tls-client-ca", str(authority.certificate))
    log_in = lambda subject, names=None: Session(server.port, context=trusting(authority.certificate, authority(subject, names)))
    with log_in("/CN=alice") as alice:
        alice.one.createTable(b"t", [one.ColumnDescriptor(name=b"f:")])
    for subject, names in (("/CN=someone", "DNS:service.example.com"), ("/CN=x", "URI:spiffe://example.com/service"),
                           ("/CN=y", "DNS:SERVICE.example.com,DNS:other.example.com")):
        with log_in(subject, names) as service:
            assert service.one.getRow(b"t", b"r", {}) == []
            with pytest.raises(Exception, match="user=service"):
                service.one.mutateRow(b"t", b"r", [one.Mutation(column=b"f:q", value=b"v")], {})
    with log_in("/O=Example, Inc./CN=exact") as exact:
        assert exact.one.getTableNames() == [b"t"]
    # Similar names, several common names, and names of two users identify no user.
    for subject, names in (("/CN=Alice", None), ("/CN=alice2", None), ("/O=alice", None), ("/CN=alice/CN=bob", None), ("/CN=bob/CN=alice", None),
                           ("/CN=x", "DNS:alice"), ("/CN=x", "DNS:sub.service.example.com"), ("/CN=exact/O=Example, Inc.", None),
                           ("/CN=alice", "DNS:service.example.com"), ("/CN=x\\,CN=alice", None)):
        with log_in(subject, names) as stranger, pytest.raises(Exception, match="AccessDenied.*client's certificate .*log in"):
            stranger.one.getTableNames()


def test_certificates_and_passwords_together(attacked, authority, tmp_path, password_hash):
    path = users_file(tmp_path / "u.toml", {**ROLES, "machine": {"read": ["*"], "certificates": ["cn:machine"]}}, password_hash)
    pem, key = authority("/CN=localhost", "DNS:localhost")
    server = attacked("--users", str(path), "--tls-cert", str(pem), "--tls-key", str(key), "--tls-client-ca", str(authority.certificate),
                      "--set", "tls.client_certificates=request")
    without, own = trusting(authority.certificate), trusting(authority.certificate, authority("/CN=machine"))
    with Session(server.port, "alice", context=without) as alice, Session(server.port, context=own) as machine:
        alice.one.createTable(b"t", [one.ColumnDescriptor(name=b"f:")])
        with pytest.raises(Exception, match="user=machine"):
            machine.one.disableTable(b"t")
    with Session(server.port, "bob", context=own) as bob, pytest.raises(Exception, match="user=bob"):
        bob.one.disableTable(b"t")
    with Session(server.port, context=without) as stranger, pytest.raises(Exception, match="log in"):
        stranger.one.getTableNames()
    # Without users, certificates that need not be presented would protect nothing.
    said = refused_start("--tls-cert", str(pem), "--tls-key", str(key), "--tls-client-ca", str(authority.certificate),
                         "--set", "tls.client_certificates=request")
    assert "tls.client_certificates = request needs auth.users" in said


def refused_start(*options):
    done = subprocess.run([binary(), "config", *options], capture_output=True, text=True, timeout=60)
    assert done.returncode == 2, done.stdout
    return done.stderr


PROTECTED = [
    ("hbase.security.authentication", "kerberos", "auth.users"), ("hadoop.security.authentication", "kerberos", "auth.users"),
    ("hbase.thrift.security.qop", "auth-conf", "auth.users"), ("hbase.thrift.kerberos.principal", "hbase/_HOST@EXAMPLE.COM", "auth.users"),
    ("hbase.security.authorization", "true", "auth.users"), ("hbase.thrift.ssl.enabled", "true", "tls.certificate"),
    ("hbase.coprocessor.master.classes", "org.apache.hadoop.hbase.security.access.AccessController", "auth.users"),
    ("hbase.rest.authentication.type", "kerberos", "auth.users"), ("hbase.rest.kerberos.principal", "hbase/_HOST@EXAMPLE.COM", "auth.users"),
    ("hbase.rest.ssl.enabled", "true", "tls.certificate"), ("hbase.rpc.protection", "privacy", "tls.certificate"),
    ("hbase.rest.readonly", "true", "server.read_only"),
]


@pytest.mark.parametrize("key, value, remedy", PROTECTED)
def test_a_server_that_hbase_would_protect_does_not_start_open(tmp_path, users, key, value, remedy):
    site = tmp_path / "hbase-site.xml"
    write = lambda text: site.write_text(
        f"<configuration>\n<property><name>{key}</name><value>{text}</value></property>\n</configuration>")
    write(value)
    said = refused_start("--hbase-site", str(site))
    assert f"{site}:2: {key} = {value}" in said and remedy in said
    if remedy == "auth.users":
        subprocess.run([binary(), "config", "--hbase-site", site, "--users", users], check=True, capture_output=True, timeout=60)
    write("simple" if value == "kerberos" else "false" if value == "true" else "")
    subprocess.run([binary(), "config", "--hbase-site", site], check=True, capture_output=True, timeout=60)


def test_what_the_settings_provide_is_not_refused(tmp_path):
    site = tmp_path / "hbase-site.xml"
    properties = {"hbase.rest.readonly": "true", "hbase.ssl.enabled": "true"}
    lines = "".join(f"<property><name>{key}</name><value>{value}</value></property>" for key, value in properties.items())
    site.write_text(f"<configuration>{lines}</configuration>")
    for value in ("true", "all"):
        read_only = "--hbase-site", str(site), "--set", f"server.read_only={value}"
        subprocess.run([binary(), "config", *read_only], check=True, capture_output=True, timeout=60)
    # The last address is used although the file has another: a later layer outranks it.
    file = tmp_path / "hjall.toml"
    file.write_text("[info]\nlisten = '127.0.0.1:9095'\n")
    overruled = "--config", str(file), "--set", "info.address=0.0.0.0"
    for info in ("--info-listen", "0.0.0.0:9095"), ("--set", "info.address=0.0.0.0"), overruled:
        said = refused_start(*read_only, *info)
        assert "hbase.ssl.enabled = true" in said and "loopback" in said, said


def test_a_server_that_asks_for_tls_does_not_serve_others_in_plain_text(tmp_path, authority):
    site = tmp_path / "hbase-site.xml"
    site.write_text("<configuration><property><name>hbase.thrift.ssl.enabled</name><value>true</value></property></configuration>")
    pem, key = authority("/CN=localhost", "DNS:localhost")
    secured = "--hbase-site", str(site), "--tls-cert", str(pem), "--tls-key", str(key)
    for plain in ("refuse", "loopback"):
        subprocess.run([binary(), "config", *secured, "--set", f"tls.plain={plain}"], check=True, capture_output=True, timeout=60)
    said = refused_start(*secured, "--set", "tls.plain=allow")
    assert "hbase.thrift.ssl.enabled = true" in said and "tls.plain" in said, said


def test_a_start_says_what_is_open(users, authority):
    def log_of(*options):
        with Hjall(None, "--memory", *options) as server:
            server.stop()
        return "".join(server.said)

    network = "--listen", "0.0.0.0:0"
    assert "OPEN TO THE NETWORK" in log_of(*network)
    assert "OPEN TO THE NETWORK" not in log_of(*network, "--users", str(users))
    everywhere = *network, "--users", str(users), "--set", "auth.without_tls=allow"
    assert "UNENCRYPTED LOGINS" in log_of(*everywhere)
    assert "OPEN" not in log_of()
    pem, key = authority("/CN=localhost", "DNS:localhost")
    secured = *everywhere, "--tls-cert", str(pem), "--tls-key", str(key)
    for plain, expected in (("refuse", False), ("loopback", False), ("allow", True)):
        assert ("UNENCRYPTED LOGINS" in log_of(*secured, "--set", f"tls.plain={plain}")) == expected, plain


def test_a_reload_without_tls_says_that_logins_are_not_encrypted(users, tmp_path, authority):
    pem, key = authority("/CN=localhost", "DNS:localhost")
    settings = tmp_path / "hjall.toml"
    settings.write_text(f"[auth]\nwithout_tls = 'allow'\n[tls]\ncertificate = '{pem}'\nkey = '{key}'\n")
    with Hjall(None, "--memory", "--listen", "0.0.0.0:0", "--users", str(users), "--config", str(settings)) as server:
        assert not any("UNENCRYPTED LOGINS" in line for line in server.said)
        settings.write_text("[auth]\nwithout_tls = 'allow'\n")
        reload(server, "UNENCRYPTED LOGINS")


def user(*arguments, given=""):
    done = subprocess.run([binary(), "user", *map(str, arguments)], input=given, capture_output=True, text=True, timeout=60)
    return done.returncode, done.stdout, done.stderr


def test_the_command_makes_entries_that_the_server_takes(attacked, tmp_path):
    path = tmp_path / "made.toml"
    code, out, err = user("add", "alice", "--users", path, "--read", "*", "--write", "sales:*", "--admin", "*", given="secret\n")
    assert code == 0 and "added alice" in out, err
    assert path.stat().st_mode & 0o777 == 0o600
    path.write_text("# kept\n" + path.read_text())
    code, out, _ = user("add", "svc@example.com", "--users", path, "--no-password", "--token", "--certificate", "cn:svc", "--read", "t")
    token = out.split("token: ")[1].splitlines()[0]
    assert code == 0 and token.startswith("hjall_") and token not in path.read_text() and path.read_text().startswith("# kept\n")
    assert user("check", "alice", "--users", path, given="secret\n")[:2] == (
        0, "alice (password) read: *; write: sales:*; admin: *\nthe password is right\n")
    assert user("check", "alice", "--users", path, given="Secret\n")[0] == 2
    assert "svc@example.com (1 token, cn:svc) read: t" in user("check", "--users", path)[1]
    before = path.read_text()
    for arguments, why in ((["alice"], "already has a user alice"), (["a b"], "the name must have"), (["10.0.0.1"], "IP address"),
                           (["x", "--read", "sales:o*"], '--read "sales:o*" is neither *'), (["x", "--certificate", "alice"], "begins with none"),
                           (["x", "--no-password", "--read", "*"], "x could never log in")):
        code, _, err = user("add", *arguments, "--users", path, given="secret\n")
        assert code == 2 and why in err, err
    assert user("add", "x", "--users", path, given="\n")[0] == 2 and path.read_text() == before
    assert "name one with --users" in user("check")[2]
    server = attacked("--users", str(path), "--set", "auth.without_tls=loopback")
    with Session(server.port, "alice", "secret") as alice:
        alice.one.createTable(b"t", [one.ColumnDescriptor(name=b"f:")])
    with Web(server.port) as web:
        assert web.post(encoded(one.Hbase, "getRow", [b"t", b"r", {}]), ("Authorization", f"Bearer {token}"))[0] == 200


def test_a_users_file_that_cannot_be_used_ends_the_start(tmp_path):
    path = tmp_path / "users.toml"
    for text, why in (("[users.alice]\nread = 1\n", "users.alice.read must be a list"), (None, "cannot be read")):
        path.write_text(text) if text else path.unlink()
        done = subprocess.run([binary(), "serve", "--memory", "--listen", "127.0.0.1:0", "--users", path],
                              capture_output=True, text=True, timeout=60)
        assert done.returncode == 2 and "the users file cannot be used" in done.stderr and why in done.stderr and done.stdout == ""
