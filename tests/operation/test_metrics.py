"""Names and exact counts in /metrics, as parsed by Prometheus, and in /jmx, as read by dashboards for HBase."""
import contextlib
import http.client
import json
import socket
import ssl
import struct

import pytest
from certificates import self_signed
from prometheus_client.parser import text_string_to_metric_families
from serving import ROOT, Hjall
from speaking import Wire, beans, one, page, two
from thriftpy2.thrift import TApplicationException

# A call in the strict binary protocol.
GET_TABLE_NAMES = b"\x80\x01\x00\x01\0\0\0\x0dgetTableNames\0\0\0\x01\0"
HISTOGRAM = ("num_ops", "min", "max", "mean", "25th_percentile", "median", "75th_percentile", "90th_percentile", "95th_percentile",
             "98th_percentile", "99th_percentile", "99.9th_percentile")


def scrape(server):
    """All metric families by name, parsed by Prometheus's client library."""
    return {family.name: family for family in text_string_to_metric_families(page(server, "/metrics")[1])}


def value(families, name, **labels):
    """The value of the one sample with this name and (at least) these labels; 0 if there is none."""
    found = [sample.value for family in families.values() for sample in family.samples
             if sample.name == name and labels.items() <= sample.labels.items()]
    assert len(found) <= 1, found
    return found[0] if found else 0


def test_calls_are_counted_by_service_method_and_dialect(served):
    server = served()
    with Wire(server.port) as plain, Wire(server.port, framed=True, compact=True) as framed:
        plain.make_table()
        plain.put(b"r")
        for _ in range(7):
            plain.one.getRow(b"t", b"r", {})
        for _ in range(3):
            framed.one.getRow(b"t", b"r", {})
        for _ in range(2):
            framed.two.get(b"t", two.TGet(row=b"r"))
        families = scrape(server)

        def count(service, method, dialect):
            return value(families, "hjall_calls_total", service=service, method=method, dialect=dialect)

        assert count("thrift1", "getRow", "buffered-binary") == 7
        assert count("thrift1", "getRow", "framed-compact") == 3
        assert count("thrift2", "get", "framed-compact") == 2
        assert count("thrift2", "getRow", "buffered-binary") == 0
        labels = dict(service="thrift1", method="getRow", dialect="buffered-binary")
        buckets = [(float(sample.labels["le"]), sample.value) for sample in families["hjall_call_duration_seconds"].samples
                   if sample.name.endswith("_bucket") and labels.items() <= sample.labels.items()]
        assert buckets == sorted(buckets) and buckets[-1] == (float("inf"), 7) and len(buckets) > 10
        assert value(families, "hjall_call_duration_seconds_count", **labels) == 7
        assert value(families, "hjall_call_duration_seconds_sum", **labels) > 0
        assert value(families, "hjall_received_bytes_total", **labels) == 7 * len(b"\x80\x01\x00\x01\0\0\0\x06getRow\0\0\0\0"
                                                                                 b"\x0b\0\x01\0\0\0\x01t\x0b\0\x02\0\0\0\x01r\x0d\0\x03\x0b\x0b\0\0\0\0\0")
        assert value(families, "hjall_connections") == 2


def test_calls_over_http_are_counted(served):
    server = served()
    message = b"\x80\x01\x00\x01\0\0\0\x0cgetClusterId\0\0\0\x01\0"
    with socket.create_connection(("127.0.0.1", server.port)) as client:
        head = b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/x-thrift\r\nContent-Length: %d\r\nConnection: close\r\n\r\n"
        client.sendall(head % len(message) + message)
        assert b"200 OK" in b"".join(iter(lambda: client.recv(65536), b""))
    assert value(scrape(server), "hjall_calls_total", method="getClusterId", dialect="http-binary") == 1


def test_exceptions_are_counted_whether_declared_or_not(served):
    server = served()
    with Wire(server.port) as wire:
        wire.make_table()
        with pytest.raises(one.IOError):
            wire.one.getRow(b"nowhere", b"r", {})
        with pytest.raises(one.IllegalArgument):
            wire.one.scannerGet(4711)
        with pytest.raises(two.TIOError):
            wire.two.get(b"nowhere", two.TGet(row=b"r"))
        with pytest.raises(TApplicationException):
            wire.two.get(b"t", two.TGet(row=b""))
        families = scrape(server)
        assert value(families, "hjall_calls_failed_total", service="thrift1", method="getRow") == 1
        assert value(families, "hjall_calls_failed_total", service="thrift1", method="createTable") == 0
        assert value(families, "hjall_calls_failed_total", service="thrift2", method="get") == 2
        found = beans(server, "Hadoop:*")
        assert found["Hadoop:service=HBase,name=Thrift,sub=ThriftOne"]["exceptions"] == 2
        assert found["Hadoop:service=HBase,name=Thrift,sub=ThriftTwo"]["exceptions"] == 2
        assert found["Hadoop:service=HBase,name=RegionServer,sub=IPC"]["exceptions"] == 4


def test_errors_of_clients_are_counted_by_kind(served):
    server = served("--max-connections", "3")
    for opening in (b"\x16\x03\x01\x00\x05hello", b"EHLO example.org\r\n"):
        with socket.create_connection(("127.0.0.1", server.port)) as foreign:
            foreign.sendall(opening)
            while foreign.recv(1024):
                pass
    with Wire(server.port) as wire, pytest.raises(Exception, match="(?i)illegal"):
        wire.one.getRow(b"a b", b"r", {})
    families = scrape(server)
    assert value(families, "hjall_client_errors_total", kind="foreign_protocol") == 2
    assert value(families, "hjall_client_errors_total", kind="invalid_request") == 1
    assert value(families, "hjall_client_errors_total", kind="failed_call") == 0
    assert value(families, "hjall_log_dropped_lines_total") == 0
    assert value(families, "hjall_build_info") == 1


def test_unknown_method_names_create_no_series(served):
    server = served()
    with Wire(server.port) as wire:
        for n in range(20):
            name = b"made%d" % n
            trans = wire.transport
            trans.write(b"\x80\x01\x00\x01" + struct.pack(">I", len(name)) + name + b"\0\0\0\1\0")
            trans.flush()
            assert trans.read(4) == b"\x80\x01\x00\x03", "an exception"
            length = struct.unpack(">I", trans.read(4))[0]
            trans.read(length + 4 + 3)
            trans.read(struct.unpack(">I", trans.read(4))[0] + 7 + 1)
        families = scrape(server)
        assert value(families, "hjall_calls_unknown_total") == 20
        assert not any("made" in label for family in families.values() for sample in family.samples for label in sample.labels.values())


def test_lanes_scanners_store_and_process_have_metrics(served):
    server = served()
    with Wire(server.port) as wire:
        wire.make_table()
        wire.put(b"r")
        # Scanners are opened in the lane of reads; fetches run in the lane of scans.
        scanner = wire.one.scannerOpen(b"t", b"", [], {})
        wire.one.scannerGet(scanner)
        families = scrape(server)
        assert value(families, "hjall_scanners_open") == 1
        for lane in ("read", "write", "scan", "admin"):
            assert value(families, "hjall_lane_handlers", lane=lane) > 0
            for name in ("waiting", "running", "rejected_total", "dropped_total"):
                samples = [s for f in families.values() for s in f.samples if s.name == f"hjall_lane_{name}" and s.labels["lane"] == lane]
                assert samples and all(sample.value == 0 for sample in samples), (lane, name)
        assert value(families, "hjall_lane_finished_total", lane="write") == 1
        assert value(families, "hjall_lane_finished_total", lane="admin") == 1
        assert value(families, "hjall_lane_wait_seconds_count", lane="scan") == 1
        assert value(families, "hjall_store_spaces") >= 2 and "hjall_store_cache_hits" in families and "hjall_store_stalls" in families
        assert value(families, "process_resident_memory_bytes") > 1 << 20
        assert value(families, "process_threads") > 3 and value(families, "process_open_fds") > 3
        assert families["process_cpu_seconds"].type == "counter" and value(families, "process_start_time_seconds") > 1.6e9
        wire.one.scannerClose(scanner)
        assert value(scrape(server), "hjall_scanners_open") == 0


def test_metrics_of_the_store_on_disk_grow_with_writes():
    with Hjall(None, "--info-listen", "127.0.0.1:0") as on_disk, Wire(on_disk.port) as wire:
        wire.make_table()
        before = scrape(on_disk)
        wire.put(b"r", b"v" * 1_000_000)
        after = scrape(on_disk)
        assert value(after, "hjall_store_write_buffer_bytes") >= value(before, "hjall_store_write_buffer_bytes") + 1_000_000
        assert value(after, "hjall_store_disk_bytes") > 0 and value(after, "hjall_store_disk_free_bytes") > 0


def test_jmx_uses_the_names_of_hbases_thrift_server(served):
    server = served()
    contract = {sub: json.loads((ROOT / "tests" / "operation" / "methods.json").read_text())[sub] for sub in ("ThriftOne", "ThriftTwo")}
    with Wire(server.port) as wire:
        wire.make_table()
        for _ in range(5):
            wire.one.getRow(b"t", b"r", {})
        wire.one.getRows(b"t", [b"a", b"b", b"c"], {})
        wire.one.mutateRow(b"t", b"r", [one.Mutation(column=b"f:a", value=b"1"), one.Mutation(column=b"f:b", value=b"2")], {})
        for sub, methods in contract.items():
            bean = beans(server, f"Hadoop:service=HBase,name=Thrift,sub={sub}")[f"Hadoop:service=HBase,name=Thrift,sub={sub}"]
            for histogram in ("batchGet", "batchMutate", "timeInQueue", "thriftCall", "slowThriftCall", *methods):
                assert all(f"{histogram}_{field}" in bean for field in HISTOGRAM), (sub, histogram)
            for kind in ("OutOfOrderScannerNextException", "RegionTooBusyException", "UnknownScannerException", "ScannerResetException",
                         "FailedSanityCheckException", "RegionMovedException", "NotServingRegionException", "multiResponseTooLarge",
                         "callQueueTooBig", "quotaExceeded", "rpcThrottling", "callDropped", "callTimedOut", "requestTooBig", "otherExceptions"):
                assert bean[f"exceptions.{kind}"] == 0
            assert bean["callQueueLen"] == bean["numActiveWorkers"] == bean["exceptions"] == 0
        one_ = beans(server, "Hadoop:sub=ThriftOne,*")["Hadoop:service=HBase,name=Thrift,sub=ThriftOne"]
        assert one_["getRow_num_ops"] == 5 and one_["thriftCall_num_ops"] == 8 and one_["timeInQueue_num_ops"] == 8
        assert 0 < one_["getRow_min"] <= one_["getRow_median"] <= one_["getRow_99th_percentile"] <= one_["getRow_max"]
        assert (one_["batchGet_num_ops"], one_["batchGet_mean"]) == (1, 3)
        assert (one_["batchMutate_num_ops"], one_["batchMutate_mean"]) == (1, 2)


def test_jmx_counts_requests_to_rest_under_hbases_names(served):
    server = served()

    def send(method, path, body=None, kind="application/octet-stream"):
        connection = http.client.HTTPConnection(server.address, timeout=30)
        with contextlib.closing(connection):
            connection.request(method, path, body, {"Content-Type": kind} if body else {})
            return connection.getresponse().status

    assert send("PUT", "/t/schema", '{"ColumnSchema":[{"name":"f"}]}', "application/json") == 201
    assert [send("PUT", "/t/r/f:a", "v") for _ in range(3)] == [200] * 3
    assert send("PUT", "/t/r/f", "v") == 400
    assert send("GET", "/t/r/f:a") == 200 and send("GET", "/version") == 200
    assert send("GET", "/t/*") == 200
    assert send("DELETE", "/t/r") == 200
    assert send("PUT", "/version", "v") == 405 and send("GET", "/t") == 404
    name = "Hadoop:service=HBase,name=REST"
    bean = beans(server, name)[name]
    kinds = ("Get", "Put", "Delete", "ScanCount", "AppendCount", "IncrementCount")
    assert {kind: (bean[f"successful{kind}"], bean[f"failed{kind}"]) for kind in kinds} == {
        "Get": (2, 0), "Put": (4, 1), "Delete": (1, 0), "ScanCount": (1, 0), "AppendCount": (0, 0), "IncrementCount": (0, 0)}
    assert bean["requests"] == 9
    assert value(scrape(server), "hjall_client_errors_total", kind="rest_refused") == 2


def test_jmx_uses_the_names_of_hbases_rpc_server(served):
    server = served()
    bean = beans(server, "Hadoop:service=HBase,name=RegionServer,sub=IPC")["Hadoop:service=HBase,name=RegionServer,sub=IPC"]
    queues = ("General", "Priority", "MetaPriority", "Replication", "BulkLoad", "Write", "Read", "Scan")
    names = ["queueSize", "numOpenConnections", "numActiveHandler", "numGeneralCallsDropped", "numLifoModeSwitches", "sentBytes", "receivedBytes"]
    names += [f"numCallsIn{queue}Queue" for queue in queues] + [f"numActive{queue}Handler" for queue in queues if queue != "MetaPriority"]
    names += [f"{name}_{field}" for name in ("requestSize", "responseSize", "queueCallTime", "processCallTime", "totalCallTime") for field in HISTOGRAM]
    assert [name for name in names if name not in bean] == []
    assert set(beans(server, "java.lang:*")) == {f"java.lang:type={kind}" for kind in ("Runtime", "OperatingSystem", "Threading")}
    assert beans(server, "nobody:*") == {}


def test_slow_calls_are_counted_by_hbases_threshold(served):
    server = served("--set", "slow.thrift_call=1ns")
    with Wire(server.port) as wire:
        wire.one.getTableNames()
    assert beans(server, "Hadoop:sub=ThriftOne,*").popitem()[1]["slowThriftCall_num_ops"] == 1


def test_the_info_port_is_read_only_and_has_no_other_pages(served):
    server = served()
    assert page(server, "/")[0] == 200 and "/metrics" in page(server, "/")[1]
    assert page(server, "/nowhere")[0] == 404
    address = server.info.removeprefix("http://").split(":")
    for request in (b"POST /metrics HTTP/1.1\r\nHost: h\r\nContent-Length: 0\r\n\r\n", b"DELETE / HTTP/1.1\r\nHost: h\r\n\r\n"):
        with socket.create_connection((address[0], int(address[1])), timeout=30) as client:
            client.sendall(request)
            assert b"405" in client.recv(65536)
    with socket.create_connection((address[0], int(address[1])), timeout=30) as client:
        client.sendall(b"\x80\x01 not HTTP at all\r\n\r\n")
        assert b"400" in client.recv(65536)


def test_the_guide_documents_every_metric_family():
    guide = (ROOT / "docs" / "operations.md").read_text()
    with Hjall(None, "--info-listen", "127.0.0.1:0") as on_disk:
        families = scrape(on_disk)
    names = {family.name + ("_total" if family.type == "counter" else "") for family in families.values()}
    assert [name for name in sorted(names) if f"`{name}`" not in guide] == []



def test_connections_are_counted_by_what_happened_to_them(served):
    server = served("--set", "limits.connections_per_address=2")
    with Wire(server.port), Wire(server.port):
        for _ in range(3):
            with socket.create_connection(("127.0.0.1", server.port), timeout=30) as refused:
                # A call, which is answered with the refusal.
                refused.sendall(GET_TABLE_NAMES)
                answer = refused.recv(4096)
                assert b"(limits.connections_per_address); close some, try again later, or raise the limit" in answer
        families = scrape(server)
    assert value(families, "hjall_connections_accepted_total") == 5
    assert value(families, "hjall_connections_refused_total", reason="address_limit") == 3
    assert value(families, "hjall_connections_refused_total", reason="limit") == 0


def test_the_limit_on_open_files_is_a_limit_on_connections():
    with Hjall(None, "--memory", "--info-listen", "127.0.0.1:0", open_files=256) as server, contextlib.ExitStack() as open_ones:
        assert value(scrape(server), "hjall_connections_max") == 64
        for _ in range(48):
            connection = open_ones.enter_context(socket.create_connection(("127.0.0.1", server.port), timeout=30))
            connection.sendall(GET_TABLE_NAMES)
            connection.recv(4096)
        with socket.create_connection(("127.0.0.1", server.port), timeout=30) as refused:
            refused.sendall(GET_TABLE_NAMES)
            assert b"three quarters of the connections that the process's limit on open files allows" in refused.recv(4096)
        families = scrape(server)
    assert value(families, "hjall_connections_refused_total", reason="descriptors") == 1
    assert value(families, "hjall_connections_refused_total", reason="address_limit") == 0


def test_what_limits_refuse_is_counted_by_client(served):
    """Scanners beyond their limit, and messages for which there is no memory or that are too long."""
    server = served("--set", "limits.scanners_per_connection=1", "--set", "limits.bytes_in_flight=1MiB")
    refused = lambda: value(scrape(server), "hjall_client_refused_total", client="127.0.0.1")
    with Wire(server.port) as wire:
        wire.make_table()
        wire.one.scannerOpen(b"t", b"", [], {})
        with pytest.raises(one.IOError, match="limits.scanners_per_connection"):
            wire.one.scannerOpen(b"t", b"", [], {})
        assert refused() == 1
    for length in (700_000, 2_000_000):
        with Wire(server.port) as wire, pytest.raises(Exception):  # noqa: B017, PT011
            wire.put(b"r", b"v" * length)
    assert refused() == 3
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=30)
    connection.request("PUT", "/t/r/f:q", b"v" * 2_000_000, {"Content-Type": "application/octet-stream"})
    assert connection.getresponse().status == 413
    connection.close()
    assert refused() == 4


def test_tls_handshakes_are_counted(served, tmp_path):
    pem, key = self_signed(tmp_path)
    server = served("--tls-cert", str(pem), "--tls-key", str(key))
    trusting, strict = ssl.create_default_context(), ssl.create_default_context()
    trusting.check_hostname, trusting.verify_mode = False, ssl.CERT_NONE
    strict.check_hostname = False
    for context in (trusting, strict):
        try:
            with socket.create_connection(("127.0.0.1", server.port), timeout=30) as raw, context.wrap_socket(raw) as stream:
                # Closes TLS in order, which waits for the server.
                stream.unwrap()
        except (ssl.SSLError, OSError):
            pass
    with socket.create_connection(("127.0.0.1", server.port), timeout=30) as plain:
        plain.sendall(GET_TABLE_NAMES)
        assert b"TLS" in plain.recv(4096)
    families = scrape(server)
    while value(families, "hjall_tls_handshakes_failed_total") < 1:
        families = scrape(server)
    assert value(families, "hjall_tls_handshakes_total") == 1
    assert value(families, "hjall_connections_refused_total", reason="plain_text") == 1


def test_scanners_that_expire_are_counted(served):
    server = served("--set", "limits.scanner_timeout=1ms")
    with Wire(server.port) as wire:
        wire.make_table()
        wire.one.scannerOpen(b"t", b"", [], {})
        while value(scrape(server), "hjall_scanners_expired_total") == 0:
            pass


def test_reads_and_writes_are_counted_by_table_and_region(served):
    server = served("--set", "info.tables=1", "--set", "info.regions=2")
    with Wire(server.port) as wire:
        tables = [two.TTableDescriptor(tableName=two.TTableName(qualifier=name), columns=[two.TColumnFamilyDescriptor(name=b"f")])
                  for name in (b"first", b"second", b"third")]
        wire.two.createTable(tables[0], [b"m"])
        families = scrape(server)
        for table in tables[1:]:
            wire.two.createTable(table, [])
        for name in (b"first", b"second", b"third"):
            for row in (b"a", b"x"):
                wire.put(row, b"12345", name)
            wire.one.getRow(name, b"a", {})
        families = scrape(server)

        def count(name, **labels):
            return value(families, name, **labels)

        assert count("hjall_table_writes_total", namespace="default", table="first") == 2
        # Row a, family f, qualifier a, value 12345.
        assert count("hjall_table_written_bytes_total", namespace="default", table="first") == 16
        assert count("hjall_table_reads_total", namespace="default", table="first") == 1
        assert count("hjall_table_read_bytes_total", namespace="default", table="first") == 8
        assert count("hjall_table_writes_total", namespace="", table="other") == 4
        assert count("hjall_table_reads_total", namespace="", table="other") == 2
        assert count("hjall_region_writes_total", table="first", start="") == 1
        assert count("hjall_region_writes_total", table="first", start="m") == 1
        assert count("hjall_region_reads_total", table="first", start="") == 1
        assert count("hjall_region_writes_total", namespace="", table="other", region="other") == 4
        assert {len(families[name].samples) for name in families if name.startswith("hjall_table_")} == {2}
        assert {len(families[name].samples) for name in families if name.startswith("hjall_region_")} == {3}
