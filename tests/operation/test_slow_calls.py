"""The log of slow and large calls, and the ring buffer behind getSlowLogResponses."""
import json

import pytest
from speaking import Wire, page, two
from thriftpy2.thrift import TApplicationException

EVERYTHING_IS_SLOW = ("--set", "slow.time=0ms", "--set", "slow.scan_time=off")


def lines(server, what):
    """The log lines that contain `what`. Call it after the server has ended."""
    return [line for line in server.said if what in line]


def location(wire):
    return wire.two.getRegionLocation(b"t", b"r", False).serverName


def query(**what):
    return two.TLogQueryFilter(**what)


def test_a_slow_call_is_logged_as_one_line_with_all_its_properties(served):
    server = served("--log-format", "json", *EVERYTHING_IS_SLOW)
    with Wire(server.port) as wire:
        wire.make_table()
        wire.put(b"r")
        assert "\nhjall_slow_calls_total " in page(server, "/metrics")[1]
    server.stop()
    slow = [json.loads(line) for line in lines(server, "responseTooSlow")]
    found = [line for line in slow if line["method"] == "mutateRow"]
    assert len(found) == 1
    line = found[0]
    assert line["level"] == "WARN" and line["service"] == "thrift1" and line["table"] == "t" and line["peer"].startswith("127.0.0.1:")
    assert line["took_ms"] >= 0 and line["waited_ms"] >= 0 and line["message_bytes"] > 20 and line["reply_bytes"] > 10


def test_nothing_is_logged_below_the_thresholds(served):
    server = served()
    with Wire(server.port) as wire:
        wire.make_table()
        wire.put(b"r")
    server.stop()
    assert lines(server, "responseToo") == []


def test_scans_have_a_separate_threshold(served):
    server = served("--set", "slow.size=off", "--set", "slow.scan_size=1000")
    with Wire(server.port) as wire:
        wire.make_table()
        wire.put(b"r", b"v" * 2000)
        wire.one.getRow(b"t", b"r", {})
        wire.one.scannerGetList(wire.one.scannerOpen(b"t", b"", [], {}), 10)
    server.stop()
    assert [line for line in lines(server, "responseTooLarge") if "scannerGetList" in line] != []
    assert [line for line in lines(server, "responseTooLarge") if "getRow" in line] == []


def test_a_slow_call_names_what_it_concerns(served):
    server = served("--log-format", "json", "--set", "slow.time=0ms", "--set", "slow.scan_time=0ms")
    with Wire(server.port) as wire:
        wire.make_table()
        wire.put(b"a\x00" + b"b" * 2000)
        number = wire.one.scannerOpen(b"t", b"a", [], {})
        wire.one.scannerGetList(number, 10)
        wire.one.scannerClose(number)
        other = wire.two.openScanner(b"t", two.TScan(startRow=b"c"))
        wire.two.getScannerRows(other, 10)
        wire.two.createNamespace(two.TNamespaceDescriptor(name="n"))
        wire.two.deleteNamespace("n")
        name = two.TTableName(ns=b"default", qualifier=b"u")
        wire.two.createTable(two.TTableDescriptor(tableName=name, columns=[two.TColumnFamilyDescriptor(name=b"f")]), None)
        wire.two.addColumnFamily(name, two.TColumnFamilyDescriptor(name=b"g"))
    server.stop()
    found = {}
    for line in lines(server, "responseTooSlow"):
        line = json.loads(line)
        found[line["method"], line["service"]] = {key: line[key] for key in ("table", "row", "namespace", "scanner") if key in line}
    row = found["mutateRow", "thrift1"].pop("row")
    assert row.startswith("a\\x00bbb") and 1000 < len(row) < 1100
    assert found["mutateRow", "thrift1"] == {"table": "t"}
    assert found["scannerOpen", "thrift1"] == {"table": "t", "row": "a"} and found["openScanner", "thrift2"] == {"table": "t", "row": "c"}
    assert found["scannerGetList", "thrift1"] == {"table": "t", "scanner": number}
    assert found["getScannerRows", "thrift2"] == {"table": "t", "scanner": other}
    assert found["scannerClose", "thrift1"] == {"scanner": number}, "it is not open any more"
    assert found["createNamespace", "thrift2"] == found["deleteNamespace", "thrift2"] == {"namespace": "n"}
    assert found["createTable", "thrift2"] == found["addColumnFamily", "thrift2"] == {"table": "default:u"}


def test_nothing_is_kept_by_default(served):
    server = served(*EVERYTHING_IS_SLOW)
    with Wire(server.port) as wire:
        wire.make_table()
        here = location(wire)
        assert wire.two.getSlowLogResponses({here}, query()) == []
        assert wire.two.clearSlowLogResponses({here}) == [False]


def test_records_are_returned_newest_first_up_to_the_limit(served):
    server = served("--set", "slow.keep=true", "--set", "slow.keep_count=5", *EVERYTHING_IS_SLOW)
    with Wire(server.port) as wire:
        wire.make_table()
        here = location(wire)
        for n in range(8):
            wire.put(b"r%d" % n)
        kept = wire.two.getSlowLogResponses({here}, query())
        assert [record.param for record in kept] == [f"table=t, row=r{n}" for n in (7, 6, 5, 4, 3)]
        record = kept[0]
        assert record.methodName == "mutateRow" and record.callDetails == "mutateRow(thrift1)"
        assert record.clientAddress.startswith("127.0.0.1:") and record.clientAddress != f"127.0.0.1:{server.port}"
        assert record.regionName.startswith("t,,") and record.startTime > 1.6e12 and record.responseSize > 10
        assert len(wire.two.getSlowLogResponses({here}, query(limit=2))) == 2
        assert wire.two.getSlowLogResponses(set(), query()) == []
        assert wire.two.clearSlowLogResponses({here}) == [True]
        assert [record.methodName for record in wire.two.getSlowLogResponses({here}, query())] == ["clearSlowLogResponses"]


def test_filters_combine_conditions_with_or_and_and(served):
    server = served("--set", "slow.keep=true", "--set", "slow.size=2000", *EVERYTHING_IS_SLOW)
    with Wire(server.port) as wire, Wire(server.port) as other:
        wire.make_table()
        wire.make_table(b"u")
        here = location(wire)
        wire.put(b"r", b"v" * 3000)
        other.put(b"r", table=b"u")
        wire.one.getRow(b"t", b"r", {})
        both = wire.two.getSlowLogResponses({here}, query(limit=100))
        mine = next(record for record in both if record.methodName == "getRow").clientAddress

        def methods(**what):
            found = wire.two.getSlowLogResponses({here}, query(limit=100, **what))
            return [record.methodName for record in found if record.methodName in ("mutateRow", "getRow")]

        assert methods(tableName=b"u") == ["mutateRow"]
        assert methods(tableName=b"u", clientAddress=mine.encode()) == ["getRow", "mutateRow", "mutateRow"]
        AND = two.TFilterByOperator.AND
        assert methods(tableName=b"u", clientAddress=mine.encode(), filterByOperator=AND) == []
        assert methods(tableName=b"t", clientAddress=mine.encode(), filterByOperator=AND) == ["getRow", "mutateRow"]
        assert methods(logType=two.TLogType.LARGE_LOG) == ["getRow"]
        assert methods(userName=b"nobody") == []
        region = next(record for record in both if record.methodName == "getRow").regionName
        assert methods(regionName=region.encode()) == ["getRow", "mutateRow"]


def test_an_unknown_server_and_a_missing_filter_fail_as_in_hbase(served):
    server = served("--set", "slow.keep=true")
    with Wire(server.port) as wire:
        with pytest.raises(TApplicationException):
            wire.two.getSlowLogResponses({two.TServerName(hostName=b"h", port=1, startCode=2)}, query())
        with pytest.raises(TApplicationException):
            wire.two.getSlowLogResponses(set(), None)


def test_batch_calls_report_their_sizes(served):
    server = served("--set", "slow.keep=true", *EVERYTHING_IS_SLOW)
    with Wire(server.port) as wire:
        wire.make_table()
        here = location(wire)
        wire.two.putMultiple(b"t", [_put(b"a"), _put(b"b")])
        wire.two.getMultiple(b"t", [two.TGet(row=b"a"), two.TGet(row=b"b"), two.TGet(row=b"c")])
        kept = {record.methodName: record for record in wire.two.getSlowLogResponses({here}, query())}
        assert (kept["putMultiple"].multiMutationsCount, kept["putMultiple"].multiGetsCount) == (2, 0)
        assert (kept["getMultiple"].multiMutationsCount, kept["getMultiple"].multiGetsCount) == (0, 3)


def _put(row):
    return two.TPut(row=row, columnValues=[two.TColumnValue(family=b"f", qualifier=b"a", value=b"v")])


def test_each_call_is_a_span_if_the_filter_enables_it(
served):
    server = served("--log-format", "json", "--log", "info,hjall_server::call=debug")
    with Wire(server.port, framed=True) as wire:
        wire.make_table()
        wire.put(b"r")
        wire.one.getRow(b"t", b"r", {})
    server.stop()
    # A call that leaves the event loop for its queue has another span, without the time that it took.
    spans = [span for line in server.said if '"close"' in line and "took_us" in (span := json.loads(line)["span"])]
    found = next(span for span in spans if span["method"] == "getRow")
    assert (found["service"], found["dialect"], found["table"], found["lane"]) == ("thrift1", "framed-binary", "t", "read")
    assert found["peer"].startswith("127.0.0.1:") and found["took_us"] >= 0 and found["waited_us"] >= 0 and found["reply_bytes"] > 10
    assert [span["lane"] for span in spans if span["method"] == "mutateRow"] == ["write"]
