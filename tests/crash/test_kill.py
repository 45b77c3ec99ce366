"""Kills the server with kill -9 during writes through a socket, repeatedly on one data folder.

After every kill, the server is restarted on the same folder. Then all acknowledged writes must be present (the server
answers only after the operating system has accepted the write, so the write survives the process), and writes in
progress must be present entirely or not at all, although the columns of a row belong to two families. CRASH_ROUNDS is
the number of rounds.
"""
import os
import random
import threading

import happybase

from history import GONE, ROWS, Writer, whole
from serving import Hjall

ROUNDS = int(os.environ.get("CRASH_ROUNDS", "25"))
SEED = int(os.environ.get("CRASH_SEED", "1"))
WRITERS = 4
TABLE = b"crash"


def crash_while_writing(server, round_number, state):
    """Writes until a random number of calls has been answered, then kills the server; returns the writers."""
    rng = random.Random(f"{SEED}/{round_number}")
    writers = [Writer(server.port, TABLE, n, round_number, random.Random(f"{SEED}/{round_number}/{n}"), state) for n in range(WRITERS)]
    answers, enough, lock = [0], threading.Event(), threading.Lock()
    goal = rng.randrange(1, 400)

    def acknowledged():
        with lock:
            answers[0] += 1
            if answers[0] >= goal:
                enough.set()

    threads = [threading.Thread(target=w.write_until_killed, args=(acknowledged,)) for w in writers]
    for t in threads:
        t.start()
    assert enough.wait(timeout=120), f"only {answers[0]} answers:\n{''.join(server.said)}"
    server.kill()
    for t in threads:
        t.join()
    assert not any(w.failure for w in writers), [w.failure for w in writers]
    return writers


def verify(server, writers, state, counters):
    """Compares the stored rows with the acknowledged writes, and updates `state` for the next round."""
    connection = happybase.Connection("127.0.0.1", server.port)
    table = connection.table(TABLE)
    stored = {key: row for key, row in table.scan(row_prefix=b"w")}
    for w in writers:
        for key in (w.key(i) for i in range(ROWS)):
            row = stored.pop(key, None)
            value = row and row.get(b"a:1")
            assert row is None or row == whole(value), f"partial row: {key} is {row}"
            assert value in w.allowed(key), f"{key} is {value}, may be {w.allowed(key)}"
            assert row == (table.row(key) or None), f"a get and a scan of {key} differ"
            state[key] = value
        count = table.counter_get(b"counter-%d" % w.number, b"a:n")
        low = counters.get(w.number, 0) + w.counted
        assert low <= count <= low + w.tried - w.counted, f"counter {w.number} is {count}, {low} were acknowledged, {w.tried - w.counted} are unanswered"
        counters[w.number] = count
    assert not stored, f"rows that were never written: {stored}"
    connection.close()


def test_acknowledged_writes_survive_kill_9(tmp_path):
    state, counters = {}, {}
    with Hjall(tmp_path / "data") as server:
        happybase.Connection("127.0.0.1", server.port).create_table(TABLE, {"a": {}, "b": dict(max_versions=1)})
        for round_number in range(ROUNDS):
            writers = crash_while_writing(server, round_number, state)
            server.start()
            verify(server, writers, state, counters)
        # A clean stop must not change the data either.
        assert server.stop() == 0
        server.start()
        table = happybase.Connection("127.0.0.1", server.port).table(TABLE)
        assert {key: row for key, row in table.scan(row_prefix=b"w")} == {key: whole(v) for key, v in state.items() if v is not None}
    print(f"kills: {ROUNDS} rounds, {len(state)} rows, {sum(counters.values())} increments, no loss")


def test_table_changes_are_atomic_across_a_kill(tmp_path):
    names = set()
    with Hjall(tmp_path / "data") as server:
        for round_number in range(max(3, ROUNDS // 5)):
            rng = random.Random(f"{SEED}/tables/{round_number}")
            goal, created, in_progress = rng.randrange(1, 6), set(names), [None]
            enough = threading.Event()

            def change():
                try:
                    connection = happybase.Connection("127.0.0.1", server.port)
                    for i in range(1000):
                        name = b"t%d-%d" % (round_number, i)
                        in_progress[0] = name
                        connection.create_table(name, {"a": {}, "b": {}})
                        created.add(name)
                        if i % 3 == 2:
                            in_progress[0] = dropped = rng.choice(sorted(created))
                            connection.delete_table(dropped, disable=True)
                            created.discard(dropped)
                        if i >= goal:
                            enough.set()
                except GONE:
                    enough.set()

            thread = threading.Thread(target=change)
            thread.start()
            assert enough.wait(timeout=120)
            server.kill()
            thread.join()
            server.start()
            connection = happybase.Connection("127.0.0.1", server.port)
            names = set(connection.tables())
            assert names - {in_progress[0]} == created - {in_progress[0]}, f"acknowledged: {created}, stored: {names}, in progress: {in_progress[0]}"
            for name in names:
                if not connection.is_table_enabled(name):
                    assert name == in_progress[0]
                    connection.enable_table(name)
                table = connection.table(name)
                assert sorted(table.families()) == [b"a", b"b"]
                table.put(b"r", {b"a:x": b"1", b"b:x": b"2"})
                assert table.row(b"r") == {b"a:x": b"1", b"b:x": b"2"}
    print(f"kills: {ROUNDS} rounds, no table change lost or half done")
