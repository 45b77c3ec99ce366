"""Rows with very many cells, and a machine with other work: gets of other clients."""
import subprocess
import sys
import threading

import happybase
from attacking import AT_LENGTH

CELLS = 200_000 if AT_LENGTH else 20_000


def test_reading_a_wide_row_does_not_delay_gets(attacked, bystander):
    server = attacked()
    database = happybase.Connection("127.0.0.1", server.port, timeout=600_000)
    database.create_table("t", {"f": {}})
    table = database.table("t")
    for begin in range(0, CELLS, 10_000):
        table.put(b"wide", {b"f:%08d" % i: b"v" for i in range(begin, begin + 10_000)})
    over = threading.Event()

    def read():
        while not over.is_set():
            assert len(table.row(b"wide")) == CELLS

    with bystander(server) as reader:
        reader.reads(100)
        since = len(reader.latencies)
        thread = threading.Thread(target=read)
        thread.start()
        reader.reads(500 if AT_LENGTH else 100)
        over.set()
        thread.join(600)
        reader.check_slowdown(since)
        ordered = sorted(reader.latencies[since:])
        print(f"beside gets of {CELLS} cells: 99th percentile {ordered[len(ordered) * 99 // 100] * 1e3:.2f} ms")
    assert not reader.failures
    database.close()


def test_gets_on_a_busy_machine(attacked, bystander):
    server = attacked()
    with bystander(server) as reader:
        reader.reads(100)
        since = len(reader.latencies)
        busy = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(4)]
        try:
            reader.reads(1000 if AT_LENGTH else 100)
        finally:
            for process in busy:
                process.kill()
                process.wait()
        reader.check_slowdown(since)
    assert not reader.failures
