"""Calls the two Thrift services of a server and converts their answers to JSON data."""
import pathlib
import re
import socket

import thriftpy2
from thriftpy2.protocol import TBinaryProtocol, TCompactProtocol
from thriftpy2.thrift import TApplicationException, TClient
from thriftpy2.transport import TBufferedTransport, TFramedTransport, TSocket, TTransportException

from values import from_json, to_json

IDL = pathlib.Path(__file__).resolve().parents[2] / "idl" / "thrift"
JAVA_CLASS = re.compile(r"\b(?:[a-z][\w]*\.)+([A-Z][\w$]*(?:Exception|Error|Expired\w*))")


class Gateways:
    """The services `t1` and `t2` of one server. A broken connection is reopened by the next call."""

    def __init__(self, thrift1, thrift2, transport="buffered", protocol="binary"):
        self.addresses = {"t1": thrift1, "t2": thrift2}
        self.wire = transport, protocol
        self.services = {
            "t1": thriftpy2.load(str(IDL / "hbase1.thrift"), module_name="hbase1_thrift").Hbase,
            "t2": thriftpy2.load(str(IDL / "hbase2.thrift"), module_name="hbase2_thrift").THBaseService}
        self.clients = {}

    def client(self, dialect):
        """Returns a client with an open connection."""
        if dialect not in self.clients:
            host, port = self.addresses[dialect].rsplit(":", 1)
            sock = TSocket(host, int(port), socket_timeout=60_000)
            transport = (TFramedTransport if self.wire[0] == "framed" else TBufferedTransport)(sock)
            protocol = (TCompactProtocol if self.wire[1] == "compact" else TBinaryProtocol)(transport)
            transport.open()
            self.clients[dialect] = transport, TClient(self.services[dialect], protocol)
        return self.clients[dialect][1]

    def drop(self, dialect):
        """Closes a connection that can no longer be used."""
        if dialect in self.clients:
            try:
                self.clients.pop(dialect)[0].close()
            except Exception:
                pass

    def close(self):
        """Closes both connections."""
        for dialect in list(self.clients):
            self.drop(dialect)

    def call(self, dialect, method, args):
        """Makes a call; returns ("returns", data) or ("throws", data)."""
        service = self.services[dialect]
        spec = getattr(service, method + "_args").thrift_spec
        named = {f[1]: from_json(f[0], f[2] if len(f) > 3 else None, args[f[1]])
                 for f in spec.values() if f[1] in args}
        unknown = set(args) - {f[1] for f in spec.values()}
        if unknown:
            raise TypeError(f"{dialect}.{method} has no argument {sorted(unknown)}")
        try:
            client = self.client(dialect)
            client._send(method, **named)  # not client.method(), which refuses calls without a required argument
            value = client._recv(method)
        except TApplicationException as e:
            if e.type == TApplicationException.PROTOCOL_ERROR:
                self.drop(dialect)  # HBase does not read the rest of such a call, so the stream is out of sync
            if e.type == TApplicationException.MISSING_RESULT and "success" in getattr(service, method + "_result")().__dict__:
                return "returns", None
            return "throws", {"exception": "TApplicationException", "type": e.type, "message": str(e.message or "")[:200]}
        except (TTransportException, EOFError, OSError, socket.error) as e:
            self.drop(dialect)
            return "throws", {"exception": "connection closed", "message": str(e)[:200]}
        except Exception as e:
            fields = {f[1]: getattr(e, f[1]) for f in getattr(e, "thrift_spec", {}).values()}
            if not fields:
                self.drop(dialect)
                return "throws", {"exception": "undecodable", "message": repr(e)[:200]}
            return "throws", thrown(type(e).__name__, fields)
        result = getattr(service, method + "_result").thrift_spec
        if 0 not in result:
            return "returns", None
        f = result[0]
        return "returns", to_json(f[0], f[2] if len(f) > 3 else None, value)


def thrown(name, fields):
    """Converts a declared exception to JSON data, with the Java class named in its message."""
    out = {"exception": name}
    for key, v in fields.items():
        if v is None:
            continue
        if isinstance(v, bytes):
            v = v.decode("latin-1")
        if key == "message":
            first = str(v).split("\n", 1)[0]
            if found := JAVA_CLASS.search(first):
                out["class"] = found.group(1)
            out["message"] = first[:240]
        else:
            out[key] = v
    return out
