"""Aspects of Thrift2 that recordings do not cover: both services on one port, needs of HBase's Java client,
settings, unknown methods."""
import struct

import pytest
import thriftpy2
from thriftpy2.protocol import TBinaryProtocol, TCompactProtocol
from thriftpy2.thrift import TApplicationException, TClient, TMessageType
from thriftpy2.transport import TBufferedTransport, TFramedTransport, TSocket

from serving import ADDRESS, ROOT, Hjall

IDL = ROOT / "idl" / "thrift"
two = thriftpy2.load(str(IDL / "hbase2.thrift"), module_name="hbase2_thrift")
one = thriftpy2.load(str(IDL / "hbase1.thrift"), module_name="hbase1_thrift")
EQUAL, NOT_EQUAL = 2, 3


class Wire:
    """One connection with a client for each service."""

    def __init__(self, host, port, transport=TBufferedTransport, protocol=TBinaryProtocol):
        self.transport = transport(TSocket(host, port, socket_timeout=30_000))
        self.protocol = protocol(self.transport)
        self.transport.open()
        self.one = TClient(one.Hbase, self.protocol)
        self.two = TClient(two.THBaseService, self.protocol)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.transport.close()


@pytest.fixture
def wire(address):
    with Wire(*address) as made:
        yield made


def put(row, column, value, timestamp=None):
    family, qualifier = column.split(b":")
    return two.TPut(row=row, columnValues=[two.TColumnValue(family=family, qualifier=qualifier, value=value, timestamp=timestamp)])


@pytest.mark.parametrize("transport", [TBufferedTransport, TFramedTransport])
@pytest.mark.parametrize("protocol", [TBinaryProtocol, TCompactProtocol])
def test_one_connection_can_use_both_services(address, table, table_name, transport, protocol):
    with Wire(*address, transport, protocol) as wire:
        wire.one.mutateRow(table_name, b"r", [one.Mutation(column=b"f:a", value=b"first")], {})
        # Methods that exist in both services are distinguished for each call.
        assert wire.two.get(table_name, two.TGet(row=b"r")).columnValues[0].value == b"first"
        assert wire.one.get(table_name, b"r", b"f:a", {})[0].value == b"first"
        assert wire.two.isTableEnabled(two.TTableName(qualifier=table_name)) is True
        assert wire.one.isTableEnabled(table_name) is True
        wire.two.increment(table_name, two.TIncrement(row=b"r", columns=[two.TColumnIncrement(family=b"f", qualifier=b"n", amount=5)]))
        wire.one.increment(one.TIncrement(table=table_name, row=b"r", column=b"f:n", ammount=2))
        assert struct.unpack(">q", wire.one.get(table_name, b"r", b"f:n", {})[0].value) == (7,)


def test_the_server_type_follows_the_service_that_the_connection_has_used(address, table_name, table):
    with Wire(*address) as wire:
        wire.two.exists(table_name, two.TGet(row=b"r"))
        assert wire.two.getThriftServerType() == 2
        wire.one.getRow(table_name, b"r", {})
        assert wire.one.getThriftServerType() == 1


def test_a_check_without_a_value_tests_for_a_missing_cell(wire, table, table_name):
    def if_not_exists(value):
        mutations = two.TRowMutations(row=b"r", mutations=[two.TMutation(put=put(b"r", b"f:q", value))])
        return wire.two.checkAndMutate(table_name, b"r", b"f", b"q", EQUAL, None, mutations)

    assert if_not_exists(b"first") is True
    assert if_not_exists(b"second") is False
    assert wire.two.get(table_name, two.TGet(row=b"r")).columnValues[0].value == b"first"
    mutations = two.TRowMutations(row=b"r", mutations=[two.TMutation(put=put(b"r", b"f:q", b"third"))])
    with pytest.raises(TApplicationException) as failed:
        wire.two.checkAndMutate(table_name, b"r", b"f", b"q", NOT_EQUAL, None, mutations)
    assert failed.value.type == TApplicationException.INTERNAL_ERROR


def test_the_values_that_java_clients_always_send_mean_no_limits(wire, table, table_name):
    now = 2**63 - 1
    wire.two.put(table_name, put(b"r", b"f:q", b"v", timestamp=now))
    get = two.TGet(row=b"r", timeRange=two.TTimeRange(minStamp=0, maxStamp=now), maxVersions=1, consistency=1, targetReplicaId=-1,
                   cacheBlocks=True, storeLimit=-1, storeOffset=0, existence_only=False)
    cell = wire.two.get(table_name, get).columnValues[0]
    assert (cell.value, cell.type) == (b"v", 4) and cell.timestamp < now
    scan = two.TScan(startRow=b"", stopRow=b"", caching=20, maxVersions=1, timeRange=two.TTimeRange(minStamp=0, maxStamp=now), batchSize=-1,
                     reversed=False, cacheBlocks=True, readType=1, limit=-1, consistency=1, targetReplicaId=-1)
    assert [r.row for r in wire.two.getScannerResults(table_name, scan, 20)] == [b"r"]


def test_methods_of_another_version_are_unknown(wire):
    for method in ("grant", "revoke", "getLogEntries"):
        wire.protocol.write_message_begin(method, TMessageType.CALL, 1)
        wire.protocol.write_struct(two.THBaseService.listNamespaces_args())
        wire.protocol.write_message_end()
        wire.transport.flush()
        name, kind, _ = wire.protocol.read_message_begin()
        failure = TApplicationException()
        wire.protocol.read_struct(failure)
        wire.protocol.read_message_end()
        assert (name, kind, failure.type) == (method, TMessageType.EXCEPTION, TApplicationException.UNKNOWN_METHOD)
    assert "default" in wire.two.listNamespaces()


def test_region_replicas_are_reported(wire, table_name):
    name = two.TTableName(qualifier=table_name)
    family = two.TColumnFamilyDescriptor(name=b"f")
    descriptor = two.TTableDescriptor(tableName=name, columns=[family], attributes={b"REGION_REPLICATION": b"2"})
    wire.two.createTable(descriptor, [b"m"])
    told = [(l.regionInfo.startKey, l.regionInfo.replicaId) for l in wire.two.getAllRegionLocations(table_name)]
    assert told == [(b"", 0), (b"", 1), (b"m", 0), (b"m", 1)]
    wire.two.put(table_name, put(b"r", b"f:q", b"v"))
    timeline = two.TGet(row=b"r", consistency=2, targetReplicaId=1)
    assert wire.two.exists(table_name, timeline) is True
    with pytest.raises(two.TIOError) as failed:
        wire.two.exists(table_name, two.TGet(row=b"r", consistency=2, targetReplicaId=2))
    assert failed.value.canRetry is True


def test_a_dedicated_port_answers_with_its_type():
    with Hjall(None, "--listen-thrift2", "127.0.0.1:0") as server:
        ports = {int(port) for port in ADDRESS.findall("".join(server.said))}
        assert len(ports) == 2
        types = set()
        for port in ports:
            with Wire("127.0.0.1", port) as wire:
                types.add(wire.two.getThriftServerType())
        # A port that serves both answers as Thrift1 until the connection has made a Thrift2 call.
        assert types == {1, 2}


def test_read_only_mode_refuses_only_writes():
    with Hjall(None, "--read-only") as server:
        with Wire("127.0.0.1", server.port) as wire:
            name = two.TTableName(qualifier=b"t")
            wire.two.createTable(two.TTableDescriptor(tableName=name, columns=[two.TColumnFamilyDescriptor(name=b"f")]), None)
            with pytest.raises(two.TIOError) as failed:
                wire.two.put(b"t", put(b"r", b"f:q", b"v"))
            said, _, remedy = failed.value.message.partition("\nhjall: ")
            assert (said, failed.value.canRetry) == ("Thrift Server is in Read-only mode.", False)
            assert remedy == "the server is in read-only mode: its operator can change server.read_only"
            assert wire.two.exists(b"t", two.TGet(row=b"r")) is False
