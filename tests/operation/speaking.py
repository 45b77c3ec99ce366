"""A connection with a client for each service, and access to the info port."""
import json
import urllib.error
import urllib.request

import thriftpy2
from thriftpy2.protocol import TBinaryProtocol, TCompactProtocol
from thriftpy2.thrift import TClient
from thriftpy2.transport import TBufferedTransport, TFramedTransport, TSocket

from serving import ROOT

IDL = ROOT / "idl" / "thrift"
one = thriftpy2.load(str(IDL / "hbase1.thrift"), module_name="hbase1_thrift")
two = thriftpy2.load(str(IDL / "hbase2.thrift"), module_name="hbase2_thrift")


class Wire:
    """One connection with a client for each service."""

    def __init__(self, port, framed=False, compact=False):
        transport, protocol = (TFramedTransport if framed else TBufferedTransport), (TCompactProtocol if compact else TBinaryProtocol)
        self.transport = transport(TSocket("127.0.0.1", port, socket_timeout=30_000))
        self.transport.open()
        spoken = protocol(self.transport)
        self.one = TClient(one.Hbase, spoken)
        self.two = TClient(two.THBaseService, spoken)

    def make_table(self, name=b"t"):
        """Creates a table with the family f."""
        self.one.createTable(name, [one.ColumnDescriptor(name=b"f:")])

    def put(self, row, value=b"v", table=b"t"):
        """Writes the column f:a of a row."""
        self.one.mutateRow(table, row, [one.Mutation(column=b"f:a", value=value)], {})

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.transport.close()


def page(server, path):
    """Gets a page of the info port: (status, text)."""
    try:
        with urllib.request.urlopen(server.info + path, timeout=30) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as refused:
        return refused.code, refused.read().decode()


def beans(server, pattern):
    """The beans of /jmx that match a pattern, by name."""

    return {bean["name"]: bean for bean in json.loads(page(server, f"/jmx?qry={pattern}")[1])["beans"]}
