"""Threads: concurrent use of one database, including closing it."""

import gc
import itertools
import subprocess
import sys
import threading
import weakref

import hjall
from hjall.scan import ScanArguments


def in_threads(count, work):
    """Runs `work(n)` in `count` threads and raises the first exception."""
    failures = []

    def body(n):
        try:
            work(n)
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=body, args=(n,)) for n in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=120)
        assert not thread.is_alive(), "a thread hangs"
    if failures:
        raise failures[0]


def test_no_count_is_lost(tmp_path):
    with hjall.open(tmp_path) as db:
        db.create_table("t", {"f": {}})
        table = db.table("t")

        def work(n):
            for _ in range(200):
                table.counter_inc(b"r", b"f:all")
                table.counter_inc(b"r", b"f:%d" % n)
                assert table.row(b"r")[b"f:all"]

        in_threads(8, work)
        assert table.counter_get(b"r", b"f:all") == 1600


def test_one_batch_and_one_scan_serve_all_threads(tmp_path):
    with hjall.open(tmp_path) as db:
        db.create_table("t", {"f": {}})
        table = db.table("t")
        batch = table.batch(batch_size=7)
        in_threads(4, lambda n: [batch.put(b"%d-%03d" % (n, i), {b"f:a": b"1"}) for i in range(100)])
        batch.send()
        scanner = table._scanner(ScanArguments(batch_size=10))
        found = []

        def work(n):
            while rows := scanner.rows(3):
                found.extend(key for key, _ in rows)

        in_threads(4, work)
        assert len(found) == len(set(found)) == 400


def test_close_during_use(tmp_path):
    """Running calls finish or raise `Closed`, nothing hangs or crashes, and every acknowledged write is kept."""
    db = hjall.open(tmp_path)
    db.create_table("t", {"f": {}})
    table, acknowledged, started = db.table("t"), [], threading.Barrier(7)

    enough = threading.Event()

    def work(n):
        started.wait()
        if n == 6:
            enough.wait()
            return db.close()
        try:
            for i in itertools.count():
                if n % 2:
                    list(table.scan(batch_size=50))
                else:
                    table.put(b"%d-%06d" % (n, i), {b"f:a": b"1"})
                    acknowledged.append((n, i))
                    if len(acknowledged) >= 300:
                        enough.set()
        except hjall.Closed:
            return None

    in_threads(7, work)
    db.open()
    keys = {key for key, _ in table.scan()}
    assert keys >= {b"%d-%06d" % one for one in acknowledged}
    db.close()
    db.close()


def test_tables_remain_valid_when_the_database_is_reopened(tmp_path):
    db = hjall.open(tmp_path)
    db.create_table("t", {"f": {}})
    table = db.table("t")
    table.put(b"r", {b"f:a": b"1"})
    scan = table.scan()
    db.close()
    for use in (
        lambda: table.row(b"r"),
        lambda: next(scan),
        db.tables,
        lambda: table.put(b"r", {b"f:a": b"2"}),
        lambda: db.serve(port=0),
    ):
        try:
            use()
            raise AssertionError("no error")
        except hjall.Closed as error:
            assert "open" in str(error)
    db.open()
    assert table.row(b"r") == {b"f:a": b"1"}
    db.close()


def test_an_unreferenced_database_is_closed(tmp_path):
    """Dropping the last reference, including unfinished scans, releases the folder for other processes."""
    db = hjall.open(tmp_path)
    db.create_table("t", {"f": {}})
    with db.table("t").batch() as batch:
        for n in range(100):
            batch.put(b"%d" % n, {b"f:a": b"1"})
    scan = db.table("t").scan(batch_size=5)
    next(scan)
    watched = weakref.ref(db)
    del db, batch, scan
    gc.collect()
    assert watched() is None
    subprocess.run(
        [sys.executable, "-c", "import sys, hjall; hjall.open(sys.argv[1]).close()", tmp_path], check=True, timeout=60
    )


def test_one_folder_opened_twice_is_one_database(tmp_path):
    with hjall.open(tmp_path) as one, hjall.open(tmp_path) as other:
        one.create_table("t", {"f": {}})
        one.table("t").put(b"r", {b"f:a": b"1"})
        one.close()
        assert other.table("t").row(b"r") == {b"f:a": b"1"}
