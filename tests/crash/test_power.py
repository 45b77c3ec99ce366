"""Power failures during writes: everything that was not synced is lost.

With FSYNC_WAL, all acknowledged writes and table changes must be present afterwards. With SYNC_WAL, those must be that
were acknowledged before a background sync. Rows are never partial, and the server starts again by itself. The power
fails at named points (writes and syncs of the journal and of files, renames, removals, steps of table changes) or
between any two calls. POWER_ROUNDS is the number of rounds.
"""
import collections
import os
import random
import shutil
import subprocess
import sys
import threading
import time
import urllib.request

import happybase
import pytest
from Hbase_thrift import IOError as HBaseError

from history import GONE, ROWS, Writer, whole
from power import Power, build_layer
from serving import binary

ROUNDS = int(os.environ.get("POWER_ROUNDS", "10"))
SEED = int(os.environ.get("POWER_SEED", "1"))
WRITERS = 3
TABLE = b"power"

# Kinds of calls, parts of paths, when in a call, and the range of the number of the call.
POINTS = [
    ("write", ".jnl", "bah", 150),
    ("sync", ".jnl", "ba", 100),
    ("create", ".jnl", "ba", 2),
    ("sync-names", "/data", "ba", 8),
    ("write", "/tables/", "bah", 10),
    ("sync", "/tables/", "ba", 5),
    ("sync-names", "/tables", "ba", 5),
    ("create", "/tables/", "ba", 6),
    ("unlink", "/tables/", "ba", 6),
    ("write", "/keyspaces/", "bah", 40),
    ("sync", "/keyspaces/", "ba", 20),
    ("rename", "*", "ba", 8),
    ("mkdir", "/keyspaces", "ba", 6),
    ("unlink", "/keyspaces", "ba", 20),
    ("sync-names", "/keyspaces", "ba", 20),
    ("write", "/SPACE", "bah", 3),
    ("unlink", "/SPACE", "ba", 3),
    ("truncate", "/data", "ba", 3),
]

pytestmark = pytest.mark.skipif(sys.platform != "linux" or not shutil.which(os.environ.get("CC", "cc")), reason="needs Linux and a C compiler")


class Tables:
    """Creates and deletes tables until the server disappears."""

    def __init__(self, port, round_number, known):
        self.port, self.round = port, round_number
        # Names of tables and whether each exists: True, False, or None if a call was not answered.
        self.known = known
        self.failure = None

    def change_until_killed(self, acknowledged):
        try:
            connection = happybase.Connection("127.0.0.1", self.port)
            for step in range(1_000_000):
                name = b"t%d-%d" % (self.round, step)
                self.known[name] = None
                connection.create_table(name, {"a": {}})
                self.known[name] = True
                acknowledged()
                if step % 2:
                    self.known[name] = None
                    connection.delete_table(name, disable=True)
                    self.known[name] = False
                    acknowledged()
                connection.compact_table(TABLE, major=bool(step % 3))
        except GONE:
            return
        except Exception as e:
            self.failure = e


class Rounds:
    """Rounds of writes and power failures on one folder."""

    def __init__(self, base):
        self.power = Power(base, build_layer(base))
        self.state, self.counters, self.tables = {}, {}, {}
        self.figures = collections.Counter()

    def start(self, *options):
        """Starts the server, if its power does not fail meanwhile."""
        try:
            return self.power.server("--info-listen", "127.0.0.1:0", *options)
        except RuntimeError as error:
            if "exited with code -9" not in str(error):
                raise
            return None

    def run(self, number):
        """One round."""
        rng = random.Random(f"{SEED}/{number}")
        level = rng.choice(("FSYNC_WAL", "FSYNC_WAL", "SYNC_WAL"))
        options = ("--set", f"store.durability={level}", "--set", "store.sync_interval=50ms")
        call, part, whens, most = rng.choice(POINTS)
        point = (call, part, rng.choice(whens), rng.randint(1, most))
        early = rng.random() < 0.2
        if early:
            # Perhaps during recovery.
            self.power.fail_at(*point)
        self.last = f"round {number}: {level}, power failure {'early ' if early else ''}at {point}"
        server = self.start(*options)
        if server:
            self.write(server, rng, number, level, None if early or rng.random() < 0.2 else point)
        else:
            self.figures["failures during recovery"] += 1
        arbitrary = rng.random() < 0.5
        self.last += ", and an arbitrary part of what was not synced is left" if arbitrary else ""
        print(self.last)
        self.power.fail(rng if arbitrary else None)
        self.check(number)

    def write(self, server, rng, number, level, point):
        """Writes until the power fails."""
        self.writers = [Writer(server.port, TABLE, n, number, random.Random(f"{SEED}/{number}/{n}"), self.state) for n in range(WRITERS)]
        tables = Tables(server.port, number, self.tables)
        answers, lock, enough = [0], threading.Lock(), threading.Event()
        goal = rng.randint(1, 300)

        def acknowledged():
            with lock:
                answers[0] += 1
                if answers[0] >= goal:
                    enough.set()

        threads = [threading.Thread(target=w.write_until_killed, args=(acknowledged,)) for w in self.writers]
        threads.append(threading.Thread(target=tables.change_until_killed, args=(acknowledged,)))
        if point:
            self.power.fail_at(*point)
        for t in threads:
            t.start()
        while server.process.poll() is None and not enough.wait(timeout=0.01):
            pass
        self.durable = [(dict(w.acked), w.counted) for w in self.writers] if level == "SYNC_WAL" else None
        if self.durable and not self.wait_for_sync(server):
            # The power failed before: nothing is known to be durable.
            self.durable = [({}, 0) for _ in self.writers]
        if server.process.poll() is None:
            server.process.kill()
        else:
            self.figures["failures at named points"] += 1
        code = server.ended()
        for t in threads:
            t.join()
        assert code == -9, f"exit code {code}:\n{''.join(server.said)}"
        failures = [w.failure for w in [*self.writers, tables] if w.failure]
        assert not failures, failures

    def wait_for_sync(self, server):
        """Waits until a sync has begun and ended in the background. Returns whether the server still runs."""
        first = None
        while server.process.poll() is None:
            try:
                count = syncs(server)
            except OSError:
                continue
            first = count if first is None else first
            # The first one may have begun earlier.
            if count >= first + 2:
                return True
            time.sleep(0.01)
        return False

    def check(self, number):
        """Compares what is stored with what must be."""
        server = self.start()
        assert server, "no power failure was requested"
        connection = happybase.Connection("127.0.0.1", server.port)
        existing = set(connection.tables())
        for name, exists in list(self.tables.items()):
            assert exists is None or exists == (name in existing), f"round {number}: table {name} should{'' if exists else ' not'} exist"
            if exists is None:
                self.tables[name] = name in existing
        assert existing <= {TABLE, *self.tables}, f"unknown tables: {existing}"
        for name in [name for name, exists in self.tables.items() if exists]:
            self.tables[name] = None
            connection.delete_table(name, disable=connection.is_table_enabled(name))
            self.tables[name] = False
        self.tables = {}
        rows = dict(connection.table(TABLE).scan())
        for n, w in enumerate(getattr(self, "writers", [])):
            durable, counted = self.durable[n] if self.durable else (None, w.counted)
            for key in (w.key(i) for i in range(ROWS)):
                row = rows.get(key)
                value = row and row.get(b"a:1")
                assert row is None or row == whole(value), f"round {number}: partial row: {key} is {row}"
                allowed = w.allowed(key, durable)
                assert value in allowed, f"round {number}: {key} is {value}, may be {allowed}"
                self.state[key] = value
                self.figures["rows checked"] += 1
            self.figures["acknowledged calls"] += sum(w.acked.values()) + w.counted
            counter = rows.get(b"counter-%d" % n, {}).get(b"a:n", bytes(8))
            count, low = int.from_bytes(counter, "big"), self.counters.get(n, 0)
            assert low + counted <= count <= low + w.tried, f"round {number}: counter {n} is {count}, not {low + counted} to {low + w.tried}"
            self.counters[n] = count
        self.writers = []
        self.figures["rounds"] += 1
        connection.close()
        server.kill()
        # Only the process ended: the operating system still has everything.
        self.power.record()


def test_the_layer_forgets_what_was_not_synced(tmp_path):
    """Otherwise the other tests would show nothing."""
    power = Power(tmp_path, build_layer(tmp_path))
    with power.server("--set", "store.sync_interval=off") as server:
        connection = happybase.Connection("127.0.0.1", server.port)
        connection.create_table(TABLE, {"a": {}})
        connection.table(TABLE).put(b"row", {b"a:1": b"not synced"})
        server.kill()
    power.fail()
    with power.server() as server:
        table = happybase.Connection("127.0.0.1", server.port).table(TABLE)
        assert table.row(b"row") == {}
        server.kill()


@pytest.mark.parametrize("data", ["db", "new/parents/db"])
def test_the_names_of_new_folders_survive(tmp_path, data):
    """Those of data folders and of backups, and of the parents that were created for them."""
    power = Power(tmp_path, build_layer(tmp_path))
    with power.server("--set", "store.durability=FSYNC_WAL", data=data) as server:
        connection = happybase.Connection("127.0.0.1", server.port)
        connection.create_table(TABLE, {"a": {}})
        connection.table(TABLE).put(b"row", {b"a:1": b"synced"})
        kinds = {"full": [], "incremental": ["--incremental"]}
        for kind, options in kinds.items():
            command = [binary(), "backup", power.folder / "backups" / kind / data, *options, "--data", power.folder / data]
            subprocess.run(command, env=power.environment, check=True, capture_output=True)
        server.kill()
    power.fail()
    for folder in (data, *(f"backups/{kind}/{data}" for kind in kinds)):
        with power.server(data=folder) as server:
            assert happybase.Connection("127.0.0.1", server.port).table(TABLE).row(b"row") == {b"a:1": b"synced"}, folder
            server.kill()


def test_the_background_sync_bounds_what_is_lost(tmp_path):
    """A write that does not wait for a sync is synced after `store.sync_interval`, without any other write."""
    power, waits = Power(tmp_path, build_layer(tmp_path)), []
    for number, interval in enumerate(("50ms", "500ms")):
        with power.server("--info-listen", "127.0.0.1:0", "--set", f"store.sync_interval={interval}") as server:
            connection = happybase.Connection("127.0.0.1", server.port)
            if not number:
                connection.create_table(TABLE, {"a": {}})
            for step in range(10):
                before = syncs(server)
                connection.table(TABLE).put(b"row %d" % number, {b"a:1": b"%d" % step})
                began = time.monotonic()
                while syncs(server) == before:
                    assert time.monotonic() < began + 60, "no sync followed"
                waits.append(time.monotonic() - began)
            server.kill()
        power.fail()
        with power.server() as server:
            stored = dict(happybase.Connection("127.0.0.1", server.port).table(TABLE).scan())
            assert stored == {b"row %d" % n: {b"a:1": b"9"} for n in range(number + 1)}
            server.kill()
        power.record()
    middle = [sorted(part)[5] * 1000 for part in (waits[:10], waits[10:])]
    print("background sync: the median write was synced after %.0f ms with 50ms, %.0f ms with 500ms" % tuple(middle))


@pytest.mark.parametrize("reopens", [True, False], ids=["reopened", "restarted"])
def test_what_is_acknowledged_after_a_failed_sync_survives(tmp_path, reopens):
    """After a failed sync, an operating system has pages in memory that it does not write again by itself."""
    power, acked = Power(tmp_path, build_layer(tmp_path)), []
    for number in range(3):
        with power.server("--set", "store.durability=FSYNC_WAL", "--set", "store.sync_interval=off") as server:
            connection = happybase.Connection("127.0.0.1", server.port)
            if not number:
                connection.create_table(TABLE, {"a": {}})

            def put(*rows):
                for row in rows:
                    connection.table(TABLE).put(row, {b"a:1": bytes(3000)})
                    acked.append(row)

            put(*(b"%d before %d" % (number, n) for n in range(5)))
            power.fail_next_sync()
            with pytest.raises(HBaseError):
                put(b"%d failed" % number)
            if reopens:
                put(*(b"%d after %d" % (number, n) for n in range(5)))
            server.kill()
    with power.server() as server:
        # Only the process ended: everything is readable.
        assert {row for row, _ in happybase.Connection("127.0.0.1", server.port).table(TABLE).scan()} >= set(acked)
        server.kill()
    power.fail()
    with power.server() as server:
        stored = {row for row, _ in happybase.Connection("127.0.0.1", server.port).table(TABLE).scan()}
        assert stored >= set(acked), f"lost: {sorted(set(acked) - stored)}"
        server.kill()


def test_writes_after_a_failed_rotation_of_the_journal_survive(tmp_path):
    """fjall creates a journal, fails to make its name durable, and accepts commits until all threads know of that."""
    power, acked = Power(tmp_path, build_layer(tmp_path)), []
    with power.server("--set", "store.durability=FSYNC_WAL", "--set", "store.write_buffer=4MiB") as server:
        happybase.Connection("127.0.0.1", server.port).create_table(TABLE, {"a": {}})
        power.fail_next_rotation()

        def write(number):
            table = happybase.Connection("127.0.0.1", server.port).table(TABLE)
            for n in range(3000):
                try:
                    table.put(b"%d-%d" % (number, n), {b"a:1": random.Random(n).randbytes(60_000)})
                except HBaseError:
                    continue
                except GONE:
                    return
                acked.append(b"%d-%d" % (number, n))
                if failed.is_set():
                    return

        failed = threading.Event()
        threads = [threading.Thread(target=write, args=(number,)) for number in range(6)]
        for thread in threads:
            thread.start()
        while server.process.poll() is None and (power.shadow / "fail-names").exists():
            time.sleep(0.01)
        failed.set()
        for thread in threads:
            thread.join()
        server.kill()
    power.fail()
    with power.server() as server:
        stored = {row for row, _ in happybase.Connection("127.0.0.1", server.port).table(TABLE).scan()}
        assert stored >= set(acked), f"lost: {sorted(set(acked) - stored)} of {len(acked)}"
        server.kill()


def test_writes_that_need_no_sync_do_not_wait_for_one(tmp_path):
    """Nor for the writers that wait for it, although these are more than the write lane has handlers."""
    power, writers = Power(tmp_path, build_layer(tmp_path)), 60
    with power.server("--info-listen", "127.0.0.1:0", "--set", "store.durability=FSYNC_WAL") as server:
        connections = [happybase.Connection("127.0.0.1", server.port, timeout=60_000) for _ in range(writers + 1)]
        *others, connection = connections
        connection.create_table(TABLE, {"a": {}})
        table, answered = connection.table(TABLE), []

        def put(number):
            others[number].table(TABLE).put(b"%d" % number, {b"a:1": b"synced"})
            answered.append(number)

        threads = [threading.Thread(target=put, args=(number,)) for number in range(writers)]
        with power.slow_syncs():
            for thread in threads:
                thread.start()
            while figure(server, 'hjall_lane_under_way{lane="write"}') < writers:
                time.sleep(0.01)
            for _ in range(3):
                table.put(b"other", {b"a:1": b"not synced"}, wal=False)
                assert table.row(b"other") == {b"a:1": b"not synced"}
            assert not answered
        for thread in threads:
            thread.join()
        assert len(list(table.scan())) == writers + 1
        server.kill()


# A change of a table, what is done before it, and what a get of the table answers before and after.
CHANGES = {
    "disable": ((), "found", "is disabled"),
    "enable": (("disable",), "is disabled", "found"),
    "delete": (("disable",), "is disabled", "TableNotFound"),
}


@pytest.mark.parametrize("change", CHANGES)
def test_nothing_waits_for_the_sync_of_a_change_of_a_table(tmp_path, change):
    """Neither calls of that table, which find the change, nor those of others, for which handlers are left."""
    power, readers = Power(tmp_path, build_layer(tmp_path)), 12
    earlier, before, after = CHANGES[change]
    with power.server("--info-listen", "127.0.0.1:0") as server:
        connection, changing = (happybase.Connection("127.0.0.1", server.port, timeout=60_000) for _ in range(2))
        for name in (TABLE, b"other"):
            connection.create_table(name, {"a": {}})
            connection.table(name).put(b"r", {b"a:1": b"v"})
        for name in earlier:
            getattr(connection, name + "_table")(TABLE)
        assert get(connection) == before
        ended = threading.Event()
        threads = [threading.Thread(target=lambda: (getattr(changing, change + "_table")(TABLE), ended.set()))]
        found = []
        with power.slow_syncs():
            threads[0].start()
            # More than the lane has handlers.
            for _ in range(readers):
                reader = happybase.Connection("127.0.0.1", server.port, timeout=60_000)
                threads.append(threading.Thread(target=lambda reader=reader: found.append(finds(reader, after))))
                threads[-1].start()
            other = connection.table(b"other")
            for number in range(50):
                other.put(b"%d" % number, {b"a:1": b"w"})
                assert other.row(b"%d" % number) == {b"a:1": b"w"}
            for thread in threads[1:]:
                thread.join()
            assert found == [True] * readers
            assert not ended.is_set(), "it is answered when it is durable"
        threads[0].join()
        assert ended.is_set()
        server.kill()
    power.fail()
    with power.server() as server:
        assert get(happybase.Connection("127.0.0.1", server.port)) == after
        server.kill()


def test_a_put_whose_sync_fails_is_answered_with_that_although_its_table_is_disabled(tmp_path):
    """Its call is run again for the answer, and finds the table disabled. The put may have been stored."""
    power, failures = Power(tmp_path, build_layer(tmp_path)), []
    with power.server("--set", "store.durability=FSYNC_WAL", "--set", "store.sync_interval=off") as server:
        writing, changing, reading = (happybase.Connection("127.0.0.1", server.port, timeout=60_000) for _ in range(3))
        writing.create_table(TABLE, {"a": {}})
        writing.table(TABLE).put(b"r", {b"a:1": b"v"})

        def fails(call):
            with pytest.raises(HBaseError) as failed:
                call()
            failures.append(failed.value.message.decode())

        put = threading.Thread(target=fails, args=(lambda: writing.table(TABLE).put(b"w", {b"a:1": b"v"}),))
        disable = threading.Thread(target=fails, args=(lambda: changing.disable_table(TABLE),))
        with power.slow_syncs():
            power.fail_next_sync()
            put.start()
            # It is visible before it is durable.
            while not reading.table(TABLE).row(b"w"):
                time.sleep(0.01)
            disable.start()
            assert finds(reading, "is disabled")
        put.join()
        disable.join()
        assert len(failures) == 2 and all("syncing the journal failed" in failure for failure in failures), failures
        server.kill()


def finds(connection, answer):
    """Gets until the answer is this one."""
    while get(connection) != answer:
        time.sleep(0.01)
    return True


def get(connection):
    try:
        return "found" if connection.table(TABLE).row(b"r") else "not found"
    except HBaseError as error:
        return next((text for text in ("is disabled", "TableNotFound") if text.encode() in error.message), error.message)


def syncs(server):
    """The number of syncs of the journal that have ended."""
    return figure(server, "hjall_store_syncs_total")


def figure(server, name):
    with urllib.request.urlopen(server.info + "/metrics", timeout=60) as answer:
        lines = answer.read().decode().splitlines()
    return next(int(float(line.split()[1])) for line in lines if line.startswith(name))


def test_what_was_synced_survives_power_failures(tmp_path):
    rounds = Rounds(tmp_path)
    with rounds.power.server("--set", "store.durability=FSYNC_WAL") as server:
        happybase.Connection("127.0.0.1", server.port).create_table(TABLE, {"a": {}, "b": dict(max_versions=1)})
        server.kill()
    rounds.power.fail()
    for number in range(ROUNDS):
        rounds.run(number)
    print(f"power failures: {dict(rounds.figures)}, no loss")
