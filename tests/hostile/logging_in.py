"""Users files, and clients that log in: SASL PLAIN on a socket, Basic and Bearer over HTTP."""
import base64
import hashlib
import http.client
import signal
import ssl
import subprocess
import time

import happybase
import thriftpy2
from thriftpy2.protocol.binary import TBinaryProtocol
from thriftpy2.thrift import TClient
from thriftpy2.transport import TSocket
from thriftpy2.transport.buffered import TBufferedTransport
from thriftpy2.transport.memory import TMemoryBuffer
from thriftpy2.transport.sasl import TSaslClientTransport

from serving import ROOT, binary

IDL = ROOT / "idl" / "thrift"
one = thriftpy2.load(str(IDL / "hbase1.thrift"), module_name="login1_thrift")
older = thriftpy2.load(str(IDL / "hbase1_older.thrift"), module_name="login1_older_thrift")
two = thriftpy2.load(str(IDL / "hbase2.thrift"), module_name="login2_thrift")
DENIED = "org.apache.hadoop.hbase.security.AccessDeniedException"
PASSWORD = "correct horse"


def hashed(password=PASSWORD):
    """The hash that the users file has for a password."""
    done = subprocess.run([binary(), "user", "hash"], input=password + "\n", capture_output=True, text=True, timeout=60, check=True)
    return done.stdout.strip()


def token_of(user):
    """The bearer token of a user in these tests."""
    return f"token-of-{user}"


def users_file(path, users, password_hash=None):
    """Writes a users file. `users` has the roles of each: {"alice": {"read": ["*"]}}. Every user has a token, and with
    `password_hash` a password."""
    lines = []
    for name, entry in users.items():
        lines.append(f'[users."{name}"]')
        lines.append(f'tokens = ["sha256:{hashlib.sha256(token_of(name).encode()).hexdigest()}"]')
        if password_hash:
            lines.append(f'password = "{password_hash}"')
        lines += [f"{key} = {values!r}".replace("'", '"') for key, values in entry.items()]
    path.write_text("\n".join(lines) + "\n")
    path.chmod(0o600)
    return path


def logged(server, expected, after=0):
    """Waits until the log has this text in a line behind the first `after` lines; returns the line."""
    until = time.monotonic() + 60
    while True:
        found = [line for line in server.said[after:] if expected in line]
        if found:
            return found[0]
        assert time.monotonic() < until, server.said[after:]
        time.sleep(0.01)


def reload(server, expected):
    """Sends SIGHUP, and waits until the log has this text."""
    after = len(server.said)
    server.process.send_signal(signal.SIGHUP)
    logged(server, expected, after)


class Plain:
    """The mechanism PLAIN, as the SASL transports of Thrift use a mechanism."""

    def __init__(self, user, password, mechanism="PLAIN", identity=""):
        self.user, self.password, self.mechanism, self.identity = user, password, mechanism, identity

    def start(self, _):
        return True, self.mechanism, f"{self.identity}\0{self.user}\0{self.password}"

    def encode(self, sent):
        return True, sent

    def getError(self):
        return "PLAIN has one step"


def secured(port, context):
    """A socket of thriftpy2 inside TLS if there is a context for it."""
    socket = TSocket("127.0.0.1", port, socket_timeout=30_000)
    if context:
        socket.open()
        socket.handle = socket.sock = context.wrap_socket(socket.sock, server_hostname="localhost")
    return socket


def trusting(certificate, own=None):
    """A TLS context that trusts a certificate, and presents its own if there is one: (certificate, key)."""
    context = ssl.create_default_context(cafile=str(certificate))
    if own:
        context.load_cert_chain(*map(str, own))
    return context


class Session:
    """A connection of a user with a client for each service."""

    def __init__(self, port, user=None, password=PASSWORD, context=None, **mechanism):
        socket = secured(port, context)
        self.transport = TBufferedTransport(socket) if user is None else TSaslClientTransport(
            lambda: Plain(user, password, **mechanism), "PLAIN", socket)
        self.transport.open() if user is not None or not context else None
        spoken = TBinaryProtocol(self.transport)
        self.one, self.two = TClient(one.Hbase, spoken), TClient(two.THBaseService, spoken)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.transport.close()


class HappyBase(happybase.Connection):
    """HappyBase with SASL PLAIN, inside TLS if there is a context."""

    def __init__(self, port, user, password=PASSWORD, context=None, **options):
        self.login, self.context = (user, password), context
        super().__init__("127.0.0.1", port, **options)

    def _refresh_thrift_client(self):
        super()._refresh_thrift_client()
        self.transport = TSaslClientTransport(lambda: Plain(*self.login), "PLAIN", secured(self.port, self.context))
        self.client = TClient(happybase.connection.Hbase, TBinaryProtocol(self.transport, decode_response=False))

    def open(self):
        if self.transport.sasl is None:
            self.transport.open()


class Web:
    """Calls over HTTP, on one connection. The user is chosen for each call."""

    def __init__(self, port):
        self.connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)

    def post(self, body, *headers):
        """Status, headers and body of the response to a POST with these headers, as (name, value)."""
        self.connection.request("POST", "/", body, {"Content-Type": "application/x-thrift", **dict(headers)})
        response = self.connection.getresponse()
        return response.status, response.headers, response.read()

    def call(self, service, name, arguments, user):
        """The result struct of a call with the user's token. `arguments` are those of the method, in order."""
        status, _, body = self.post(encoded(service, name, arguments), bearer(user))
        assert status == 200, (status, body)
        return decoded(service, name, body)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.connection.close()


def bearer(user):
    return "Authorization", f"Bearer {token_of(user)}"


def basic(user, password=PASSWORD):
    return "Authorization", "Basic " + base64.b64encode(f"{user}:{password}".encode()).decode()


def encoded(service, name, arguments):
    """A call as a message."""
    into = TMemoryBuffer()
    protocol = TBinaryProtocol(into)
    struct = getattr(service, name + "_args")
    protocol.write_message_begin(name, 1, 0)
    fields = [field[1] for _, field in sorted(struct.thrift_spec.items())]
    protocol.write_struct(struct(**dict(zip(fields, arguments))))
    protocol.write_message_end()
    return into.getvalue()


def decoded(service, name, message):
    """The result struct of a reply, or the text of a TApplicationException."""
    protocol = TBinaryProtocol(TMemoryBuffer(message))
    _, kind, _ = protocol.read_message_begin()
    if kind == 3:
        failure = thriftpy2.thrift.TApplicationException()
        protocol.read_struct(failure)
        return str(failure.message)
    result = getattr(service, name + "_result")()
    protocol.read_struct(result)
    return result


def failure(result):
    """The text of the declared exception in a result; empty if there is none."""
    if isinstance(result, str):
        return result
    raised = [getattr(result, name, None) for name in ("io", "ia", "exist")]
    texts = [one.message for one in raised if one is not None]
    return "".join(text.decode() if isinstance(text, bytes) else text or "" for text in texts)
