"""Short requests with long answers, and those that are large in memory: their memory is limited while they are
processed."""
import struct
import threading
import time

import happybase
import pytest
from attacking import (AT_LENGTH, connect, list_field, map_field, message, metric, peak_rss, reset_peak_rss, rss, struct_field,
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


def repeated_struct(number, fields, count):
    """An encoded field of type list of structs, all of them equal."""
    return struct.pack(">bhbi", 15, number, 12, count) + (fields + b"\0") * count


ROW_ALONE = text_field(1, b"r")
LISTS = {
    "getMultiple": lambda count: text_field(1, b"t") + repeated_struct(2, ROW_ALONE, count),
    "existsAll": lambda count: text_field(1, b"t") + repeated_struct(2, ROW_ALONE, count),
    "putMultiple": lambda count: text_field(1, b"t") + repeated_struct(2, ROW_ALONE + repeated_struct(2, b"", 0), count),
    "deleteMultiple": lambda count: text_field(1, b"t") + repeated_struct(2, ROW_ALONE, count),
    "getRows": lambda count: text_field(1, b"t") + struct.pack(">bhbi", 15, 2, 11, count) + struct.pack(">ic", 1, b"r") * count,
    "mutateRow": lambda count: text_field(1, b"t") + text_field(2, b"r") + repeated_struct(3, text_field(2, b"f:"), count),
    "mutateRows": lambda count: text_field(1, b"t") + repeated_struct(2, ROW_ALONE + repeated_struct(2, b"", 0), count),
    "incrementRows": lambda count: repeated_struct(1, b"", count),
    "get": lambda count: text_field(1, b"t") + struct_field(2, ROW_ALONE + repeated_struct(2, text_field(1, b"f"), count)),
}


@pytest.mark.parametrize("method", LISTS)
def test_decoded_arguments_count_towards_the_memory_of_messages(attacked, bystander, method):
    server = attacked(limits=["limits.bytes_in_flight=64MiB"])
    database = happybase.Connection("127.0.0.1", server.port, timeout=30_000)
    database.create_table("t", {"f": {}})
    database.close()
    # Each takes up to 75 times as much memory when it has been decoded.
    call = message(method, LISTS[method](1_000_000 if AT_LENGTH else 200_000) + b"\0")
    answers = []

    def one():
        with connect(server.port, timeout=600 if AT_LENGTH else 60) as raw:
            raw.sendall(call)
            answers.append(raw.recv(1 << 16))

    with bystander(server) as reader:
        reader.reads(50)
        before = peak_rss(server)
        reset_peak_rss(server)
        clients = [threading.Thread(target=one) for _ in range(12)]
        for client in clients:
            client.start()
        for client in clients:
            client.join()
        reader.reads(20)
    growth = peak_rss(server) - before
    print(f"{len(call) / MIB:.1f} MiB each; resident memory grew by {growth / MIB:.0f} MiB")
    assert len(answers) == 12 and not reader.failures
    assert growth < (2048 if AT_LENGTH else 192) * MIB


def open_scanner(pattern):
    """A call that opens a scanner with a regular expression for values."""
    scan = struct_field(2, text_field(6, b"ValueFilter(=,'regexstring:" + pattern + b"')"))
    return message("scannerOpenWithScan", text_field(1, b"t") + scan + struct.pack(">bhbbi", 13, 3, 11, 11, 0) + b"\0")


def test_regular_expressions_of_open_scanners_count_towards_the_memory_of_messages(attacked):
    server = attacked(limits=["limits.bytes_in_flight=64MiB"])
    database = happybase.Connection("127.0.0.1", server.port, timeout=30_000)
    database.create_table("t", {"f": {}})
    database.close()
    before = peak_rss(server)
    reset_peak_rss(server)
    count = 400 if AT_LENGTH else 60
    with connect(server.port) as raw:
        opened = 0
        for _ in range(count):
            # 42 bytes of text are 3 MiB when they are compiled.
            raw.sendall(open_scanner(rb"\p{L}{60}"))
            answer = raw.recv(1 << 16)
            opened += b"limits.bytes_in_flight" not in answer
        held = metric(server, "hjall_in_flight_bytes")
        raw.sendall(open_scanner(rb"\p{L}{3000}"))
        answer = raw.recv(1 << 16)
        assert b"regular expression" in answer and b"16 MiB" in answer, answer
    growth = peak_rss(server) - before
    print(f"{opened} of {count} scanners are open and hold {held / MIB:.0f} MiB; resident memory grew by {growth / MIB:.0f} MiB")
    assert 0 < opened < count and held > opened * MIB
    assert growth < (2048 if AT_LENGTH else 192) * MIB


def test_regular_expressions_that_are_refused_use_little_memory_before(attacked):
    server = attacked(limits=["limits.bytes_in_flight=64MiB"])
    database = happybase.Connection("127.0.0.1", server.port, timeout=30_000)
    database.create_table("t", {"f": {}})
    database.close()
    before = peak_rss(server)
    reset_peak_rss(server)
    # While an inner group is read, each outer one holds what precedes it: \p{L} alone is a class of 650 ranges.
    nested = (b"(" + rb"\p{L}" * 100) * 90 + b"a" + b")" * 90
    with connect(server.port) as raw:
        for pattern in (nested, b"(" + (rb"\p{L}" * 100 + b"|") * 90 + b")"):
            raw.sendall(open_scanner(pattern))
            answer = raw.recv(1 << 16)
            assert b"16 MiB" in answer or b"limits.bytes_in_flight" in answer, answer
    growth = peak_rss(server) - before
    print(f"resident memory grew by {growth / MIB:.0f} MiB")
    assert growth < 48 * MIB


@pytest.mark.parametrize("mib, rows, value", [(12, 36_000, b""), (48, 2_300, bytes(16_450))], ids=["small", "large"])
def test_cached_rows_take_the_memory_that_is_counted(attacked, mib, rows, value):
    server = attacked("--set", "store.cache=16MiB", "--set", f"store.row_cache={mib}MiB", on_disk=True)
    database = happybase.Connection("127.0.0.1", server.port, timeout=120_000)
    database.create_table("t", {"f": {}})
    names = [b"row-%08d" % i for i in range(rows)]
    with database.table("t").batch(batch_size=200) as batch:
        for name in names:
            batch.put(name, {b"f:q": value})
    database.compact_table("t", major=True)
    # Without the memory that the writes have left to the allocator.
    server.stop()
    server.start()
    database = happybase.Connection("127.0.0.1", server.port, timeout=120_000)
    # Fills the block cache and the buffers.
    list(database.table("t").scan(batch_size=200))
    before = rss(server)
    for begin in range(0, rows, 200):
        # A row is cached when it is read for the second time.
        for _ in range(2):
            assert len(database.table("t").rows(names[begin:begin + 200])) == len(names[begin:begin + 200])
    counted = metric(server, "hjall_row_cache_bytes")
    # The rest is for buffers of messages and for what the allocator keeps. On a busy machine, the allocator returns
    # freed memory later.
    allowed, deadline = 1.15 * counted + 6 * MIB, time.monotonic() + 60
    while (growth := rss(server) - before) >= allowed and time.monotonic() < deadline:
        time.sleep(0.05)
    print(f"{counted / MIB:.1f} MiB counted, {growth / MIB:.1f} MiB more resident memory")
    assert counted > 0.8 * mib * MIB
    assert growth < allowed
