"""Scanners that are left open: they must not keep what has been overwritten since."""
import happybase
from attacking import AT_LENGTH, connect, message, metric, peak_rss, reset_peak_rss, text_field
from test_scans import i32_field

MIB = 1 << 20
ROWS, ROUNDS = 40, 50 if AT_LENGTH else 10
CELL = 20_000


def open_scanner(raw):
    """Opens a scanner of the table and returns its encoded number."""
    raw.sendall(message("scannerOpen", text_field(1, b"t") + text_field(2, b"") + b"\0"))
    answer = raw.recv(1 << 16)
    # Field 0 of the result, an i32.
    number = answer[answer.index(b"scannerOpen") + len(b"scannerOpen") + 4 + 3:][:4]
    return number


def fetched(raw, number, rows):
    """Fetches up to this many rows and returns their number."""
    raw.sendall(message("scannerGetList", i32_field(1, number) + i32_field(2, rows.to_bytes(4, "big")) + b"\0"))
    head = b""
    while len(head) < 8 + 14 + 4 + 8:
        head += raw.recv(1 << 20)
    # Field 0 of the result is a list of structs, whose length follows the type of its elements. What remains of the
    # answer is not read, because each connection fetches only once.
    begin = head.index(b"scannerGetList") + len(b"scannerGetList") + 4
    return int.from_bytes(head[begin + 4:begin + 8], "big")


def test_a_scanner_that_is_left_open_does_not_keep_overwritten_data(attacked):
    server = attacked("--set", "limits.scanner_snapshot_writes=1MiB", "--set", "compaction.request_delay=0s", on_disk=True)
    database = happybase.Connection("127.0.0.1", server.port, timeout=120_000)
    database.create_table("t", {"f": {"max_versions": 1}})
    table = database.table("t")

    def write(round_number):
        with table.batch() as batch:
            for row in range(ROWS):
                batch.put(b"%03d" % row, {b"f:q": bytes([round_number]) * CELL})

    def file_bytes():
        return metric(server, "hjall_store_disk_bytes") - metric(server, "hjall_store_journal_bytes")

    write(0)
    with connect(server.port) as raw:
        number = open_scanner(raw)
        with connect(server.port) as first:
            assert fetched(first, number, 1) == 1
        for round_number in range(1, ROUNDS + 1):
            write(round_number)
        # The snapshot is released within a second or two, and a compaction then drops what it has kept.
        while not 0 < file_bytes() < 3 * ROWS * CELL:
            database.compact_table("t", major=True)
        print(f"{file_bytes() / MIB:.0f} MiB in files after {ROUNDS * ROWS * CELL / MIB:.0f} MiB were overwritten")
        assert fetched(raw, number, 100) == ROWS - 1, "the scan continues after its first row"
    database.close()


def test_a_scanner_does_not_keep_what_is_written_in_memory(attacked):
    # The store keeps memtables that a snapshot can see, also when they have been flushed. The limit on what is written
    # meanwhile follows the write buffer.
    server = attacked("--set", "store.write_buffer=4MiB", "--set", "store.cache=16MiB", on_disk=True)
    database = happybase.Connection("127.0.0.1", server.port, timeout=120_000)
    database.create_table("t", {"f": {"max_versions": 1}})
    table = database.table("t")
    rounds, cells, cell = 250 if AT_LENGTH else 200, 20, 100_000
    with table.batch() as batch:
        for row in range(rounds + 1):
            batch.put(b"a%03d" % row, {b"f:q": b"v"})
    with connect(server.port) as raw:
        number = open_scanner(raw)
        before = peak_rss(server)
        reset_peak_rss(server)
        for _ in range(rounds):
            with table.batch() as batch:
                for row in range(cells):
                    batch.put(b"b%03d" % row, {b"f:q": bytes(cell)})
            # A scanner releases an old snapshot when it is used, and otherwise once a second.
            with connect(server.port) as used:
                assert fetched(used, number, 1) == 1
    growth = peak_rss(server) - before
    print(f"resident memory grew by {growth / MIB:.0f} MiB while {rounds * cells * cell / MIB:.0f} MiB were written")
    # About 40 MiB for the settings, and what a compaction holds that cannot drop overwritten cells yet.
    assert growth < 192 * MIB
    database.close()
