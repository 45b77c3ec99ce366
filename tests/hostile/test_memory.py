"""Short requests with long answers: their memory is limited while they are processed."""
import happybase
from attacking import (AT_LENGTH, connect, list_field, map_field, message, metric, peak_rss, reset_peak_rss, struct_field,
                       structs_field, text_field)

MIB = 1 << 20


def wide_row(server, name, mebibytes):
    """A table with one row of this size, in cells of 1 MiB, on disk."""
    database = happybase.Connection("127.0.0.1", server.port, timeout=120_000)
    database.create_table(name, {"f": {}})
    table = database.table(name)
    for i in range(mebibytes):
        table.put(b"r", {b"f:%04d" % i: bytes(MIB)})
    database.compact_table(name, major=True)
    database.close()


def received(raw, text):
    """Reads until this text has been received."""
    answer = b""
    while text not in answer:
        part = raw.recv(1 << 16)
        assert part, answer[-200:]
        answer = answer[-200:] + part
    return answer


def test_many_columns_of_many_rows_are_not_copied_for_each_row(attacked, bystander):
    server = attacked()
    database = happybase.Connection("127.0.0.1", server.port, timeout=30_000)
    database.create_table("t", {"f": {}})
    database.close()
    columns, rows = [b"f:%d" % i for i in range(10_000)], [b"%d" % i for i in range(10_000)]
    call = message("getRowsWithColumns", text_field(1, b"t") + list_field(2, rows) + list_field(3, columns) + b"\0")
    assert len(call) < 250 << 10
    with bystander(server) as reader:
        reader.reads(50)
        before, since = peak_rss(server), len(reader.latencies)
        reset_peak_rss(server)
        with connect(server.port) as raw:
            raw.sendall(call)
            reader.reads(500 if AT_LENGTH else 100)
        # The call ends soon after its client has disconnected.
        while metric(server, 'hjall_lane_under_way{lane="read"}') > 1:
            reader.reads(1)
        reader.check_slowdown(since)
    print(f"peak of resident memory: {before / MIB:.0f} MiB before, {peak_rss(server) / MIB:.0f} MiB during the attack")
    assert not reader.failures
    assert peak_rss(server) < before + 150 * MIB


def test_one_wide_row_many_times_is_refused_within_the_limit_on_replies(attacked, bystander):
    row_mib, limit = (100, 256 * MIB) if AT_LENGTH else (8, 24 * MIB)
    server = attacked(on_disk=True, limits=["limits.reply=24MiB"])
    wide_row(server, "t", row_mib)
    call = message("getRows", text_field(1, b"t") + list_field(2, [b"r"] * 40) + b"\0")
    assert len(call) < 325
    with bystander(server) as reader, connect(server.port) as raw:
        reader.reads(50)
        since = len(reader.latencies)
        reset_peak_rss(server)
        before = peak_rss(server)
        for _ in range(3):
            raw.sendall(call)
            received(raw, b"the reply is larger than")
        reader.reads(20)
        reader.check_slowdown(since)
    growth = peak_rss(server) - before
    print(f"resident memory grew by {growth / MIB:.0f} MiB with a limit of {limit / MIB:.0f} MiB on replies")
    assert not reader.failures
    assert growth < 2 * limit + 64 * MIB


def test_the_number_of_replicas_of_a_table_is_limited(attacked):
    server = attacked()
    table = struct_field(1, text_field(1, b"default") + text_field(2, b"t"))
    families = structs_field(2, [text_field(1, b"f")])
    before = peak_rss(server)
    with connect(server.port) as raw:
        for replicas, refused in [(2147483647, True), (65536, False)]:
            attributes = map_field(3, {b"REGION_REPLICATION": b"%d" % replicas})
            raw.sendall(message("createTable", struct_field(1, table + families + attributes) + b"\0"))
            answer = raw.recv(1 << 16)
            assert b"createTable" in answer and (b"Exception" in answer) == refused, answer
            raw.sendall(message("getAllRegionLocations", text_field(1, b"t") + b"\0"))
            received(raw, b"getAllRegionLocations")
            if not refused:
                break
    assert peak_rss(server) < before + 100 * MIB
