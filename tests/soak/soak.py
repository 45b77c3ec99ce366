"""A mixed load over 200 families: memory within its settings, no error, and no acknowledged write lost.

soak.py [--minutes M] [--seed SEED] [--interval SECONDS]      prints a table; exit code 1 if a promise is broken

Four writers put, delete and increment, two readers get, and one reader scans, all without pause. At the end the server
is killed with `kill -9`, started again, and every row is compared with what was acknowledged.
"""

import argparse
import os
import pathlib
import random
import struct
import sys
import tempfile
import threading
import time

sys.path[:0] = [str(pathlib.Path(__file__).resolve().parents[1] / name) for name in ("", "linear")]
from calls import Connection, one  # noqa: E402
from serving import Hjall  # noqa: E402

TABLES, FAMILIES = 50, (b"a", b"b", b"c", b"d")
WRITERS, READERS = 4, 2
# Rows of one writer in one table, and rows in one call.
ROWS, BATCH = 400, 20
VALUE_BYTES = (10, 4000)
COUNTERS = 100

MIB = 1 << 20
CACHE, WRITE_BUFFER, IN_FLIGHT = 64 * MIB, 32 * MIB, 64 * MIB
SETTINGS = {"store.cache": CACHE, "store.write_buffer": WRITE_BUFFER, "limits.bytes_in_flight": IN_FLIGHT}
# The row cache adds an eighth of store.cache. Writes wait at twice store.write_buffer. What the snapshots of scanners
# keep has the same limit, once.
SUM = CACHE + CACHE // 8 + 2 * WRITE_BUFFER + WRITE_BUFFER + IN_FLIGHT
# Code, threads, connections, and what the allocator holds; for each family its handles and the indexes of its files.
OVERHEAD, OVERHEAD_PER_FAMILY = 64 * MIB, MIB // 4
BOUND = SUM + OVERHEAD + OVERHEAD_PER_FAMILY * TABLES * len(FAMILIES)


def table_name(number):
    """The name of a table."""
    return b"t%02d" % number


class Load:
    """What all threads share: when to stop, latencies, and the first failure."""

    def __init__(self, port):
        self.port, self.stop, self.lock = port, threading.Event(), threading.Lock()
        self.latencies, self.calls, self.failure = [], 0, None

    def start(self, work, *arguments):
        """Runs `work(connection, *arguments)` in a thread."""

        def run():
            try:
                with Connection(self.port, framed=True) as connection:
                    work(connection.one, *arguments)
            except BaseException as e:
                self.failure = self.failure or e
                self.stop.set()

        thread = threading.Thread(target=run, daemon=True)
        thread.start()
        return thread

    def took(self, seconds=None):
        """Counts a call, and keeps the latency of a get."""
        with self.lock:
            self.calls += 1
            if seconds is not None:
                self.latencies.append(seconds)

    def taken(self):
        """The calls so far, and the sorted latencies since the last time."""
        with self.lock:
            latencies, self.latencies = sorted(self.latencies), []
            return self.calls, latencies


class Writer:
    """Writes its own rows and counters, and remembers what was acknowledged."""

    def __init__(self, number, seed):
        self.number, self.rng, self.written = number, random.Random(f"{seed}/{number}"), 0
        # {(table, row): {column: value}}, and {counter: sum}.
        self.rows, self.counters = {}, {}

    def run(self, client, load):
        while not load.stop.is_set():
            kind = self.rng.random()
            if kind < 0.1:
                row = b"count-%d-%02d" % (self.number, self.rng.randrange(COUNTERS))
                self.counters[row] = client.atomicIncrement(table_name(0), row, b"a:n", 1)
            elif kind < 0.2:
                self.delete(client)
            else:
                self.put(client)
            load.took()

    def row(self):
        """One of its rows."""
        return b"w%d-%03d" % (self.number, self.rng.randrange(ROWS))

    def put(self, client):
        """Puts one column in each of several rows."""
        table, batch = table_name(self.rng.randrange(TABLES)), {}
        for _ in range(BATCH):
            self.written += 1
            text = b"%d." % self.written
            batch[self.row()] = (self.rng.choice(FAMILIES) + b":v", text + b"x" * self.rng.randint(*VALUE_BYTES))
        client.mutateRows(
            table,
            [
                one.BatchMutation(row=row, mutations=[one.Mutation(column=column, value=value)])
                for row, (column, value) in batch.items()
            ],
            {},
        )
        for row, (column, value) in batch.items():
            self.rows.setdefault((table, row), {})[column] = (len(value), value[:20])

    def delete(self, client):
        """Deletes a row."""
        table, row = table_name(self.rng.randrange(TABLES)), self.row()
        client.deleteAllRow(table, row, {})
        self.rows.pop((table, row), None)


def read(client, load, seed):
    """Gets rows of all writers, and measures how long that takes."""
    rng = random.Random(seed)
    while not load.stop.is_set():
        row = b"w%d-%03d" % (rng.randrange(WRITERS), rng.randrange(ROWS))
        table = table_name(rng.randrange(TABLES))
        begin = time.perf_counter()
        client.getRow(table, row, {})
        load.took(time.perf_counter() - begin)


def scan(client, load, seed):
    """Scans one table after another."""
    rng = random.Random(seed)
    while not load.stop.is_set():
        for _ in rows_of(client, table_name(rng.randrange(TABLES))):
            if load.stop.is_set():
                return
        load.took()


def rows_of(client, table):
    """Yields (row, {column: value}) of a table."""
    number = client.scannerOpenWithScan(table, one.TScan(caching=100), {})
    while found := client.scannerGetList(number, 100):
        yield from ((result.row, {column: cell.value for column, cell in result.columns.items()}) for result in found)
    client.scannerClose(number)


def lost(port, writers):
    """Differences between what is stored and what was acknowledged, as texts."""
    expected, counters, found = {}, {}, []
    for writer in writers:
        expected |= writer.rows
        counters |= writer.counters
    with Connection(port, framed=True) as connection:
        for table in map(table_name, range(TABLES)):
            stored = dict(rows_of(connection.one, table))
            for row in sorted(stored.keys() | {row for named, row in expected if named == table}):
                if row.startswith(b"count-"):
                    [value] = struct.unpack(">q", stored[row][b"a:n"]) if row in stored else [None]
                    if value != counters.get(row):
                        found.append(f"counter {row} is {value}, acknowledged {counters.get(row)}")
                    continue
                columns = {column: (len(value), value[:20]) for column, value in stored.get(row, {}).items()}
                if columns != expected.get((table, row), {}):
                    found.append(f"{table} {row} is {columns}, acknowledged {expected.get((table, row), {})}")
            counted = {row for row in stored if row.startswith(b"count-")}
            if table == table_name(0):
                found += [
                    f"counter {row} is missing, acknowledged {counters[row]}" for row in counters.keys() - counted
                ]
    return found


def resident(pid):
    """Resident memory of a process in bytes, at present."""
    with open(f"/proc/{pid}/status") as status:
        return next(int(line.split()[1]) * 1024 for line in status if line.startswith("VmRSS:"))


def occupied(folder):
    """Disk space of the files in a folder, in bytes."""
    total = 0
    for parent, _, names in os.walk(folder):
        for name in names:
            try:
                total += os.stat(os.path.join(parent, name)).st_blocks * 512
            except FileNotFoundError:
                # A compaction has removed it since.
                continue
    return total


def at(latencies, share):
    """A percentile in milliseconds."""
    return 1000 * latencies[min(len(latencies) - 1, int(len(latencies) * share))] if latencies else 0.0


def soak(folder, seconds, interval, seed):
    """Runs the load; returns what is wrong at its end, as texts."""
    options = [word for name, value in SETTINGS.items() for word in ("--set", f"{name}={value}")]
    with Hjall(folder, *options) as server:
        with Connection(server.port) as connection:
            for number in range(TABLES):
                families = [one.ColumnDescriptor(name=name + b":", maxVersions=1) for name in FAMILIES]
                connection.one.createTable(table_name(number), families)
        load, writers = Load(server.port), [Writer(number, seed) for number in range(WRITERS)]
        threads = [load.start(writer.run, load) for writer in writers]
        threads += [load.start(read, load, f"{seed}/reader/{number}") for number in range(READERS)]
        threads.append(load.start(scan, load, f"{seed}/scan"))
        print(f"{TABLES * len(FAMILIES)} families; memory settings {SUM // MIB} MiB, bound {BOUND // MIB} MiB")
        print(f"{'s':>6} {'calls':>9} {'calls/s':>8} {'get p50 ms':>11} {'p99 ms':>8} {'RSS MiB':>8} {'disk MiB':>9}")
        begin, peak, before = time.monotonic(), 0, 0
        while time.monotonic() - begin < seconds and not load.stop.wait(interval):
            calls, latencies = load.taken()
            rss = resident(server.process.pid)
            peak = max(peak, rss)
            print(
                f"{time.monotonic() - begin:>6.0f} {calls:>9} {(calls - before) / interval:>8.0f}"
                f" {at(latencies, 0.5):>11.2f} {at(latencies, 0.99):>8.2f} {rss / MIB:>8.1f}"
                f" {occupied(folder) / MIB:>9.1f}",
                flush=True,
            )
            before = calls
        load.stop.set()
        for thread in threads:
            thread.join()
        if load.failure:
            raise load.failure
        wrong = [] if peak <= BOUND else [f"resident memory reached {peak // MIB} MiB, more than {BOUND // MIB} MiB"]
        server.kill()
        server.start()
        wrong += lost(server.port, writers)
        rows, counters = sum(len(writer.rows) for writer in writers), sum(len(writer.counters) for writer in writers)
        print(
            f"peak RSS {peak / MIB:.1f} MiB of {BOUND // MIB} MiB; compared after a kill: {rows} rows, {counters} counters"
        )
    return wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=20)
    parser.add_argument("--interval", type=float, default=10, help="seconds between two lines")
    parser.add_argument("--seed", default="1", help="selects the calls")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="hjall-soak-") as folder:
        wrong = soak(pathlib.Path(folder), arguments.minutes * 60, arguments.interval, arguments.seed)
    for text in wrong[:20]:
        print(f"soak: {text}")
    print(f"soak: {len(wrong)} promises broken" if wrong else "soak: ok")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
