"""Exit: a program ends regardless of its threads, and every acknowledged write is kept."""

import pytest
from programs import run

import hjall


def test_daemon_threads_do_not_keep_the_program_from_ending(tmp_path):
    output, _ = run(
        """
        import sys, threading, hjall
        db = hjall.open(sys.argv[1])
        db.create_table("t", {"f": {}})
        table, acknowledged, ready = db.table("t"), [], threading.Event()

        def write(worker):
            n = 0
            while True:
                table.put(b"%d-%06d" % (worker, n), {b"f:n": b"%d" % n})
                acknowledged.append((worker, n))
                n += 1
                if n == 50:
                    ready.set()

        def read():
            while True:
                list(table.scan())

        for worker in range(3):
            threading.Thread(target=write, args=(worker,), daemon=True).start()
        threading.Thread(target=read, daemon=True).start()
        ready.wait()
        print(len(acknowledged))
    """,
        tmp_path,
    )
    with hjall.open(tmp_path) as db:
        assert sum(1 for _ in db.table("t").scan()) >= int(output)


# HBase's Thrift types give the exceptions another base class.
@pytest.mark.parametrize("library", ["hjall", "happybase"])
@pytest.mark.parametrize("reopened", [False, True])
def test_an_exit_while_daemon_threads_repeat_calls_of_a_closed_database(tmp_path, library, reopened):
    """The exceptions are made with the GIL, which a thread must be able to give up or lose at any point. While one was
    made, `close` waited for a lock, and so did the other threads, with the GIL; and the end of the interpreter aborted
    the process."""
    run(
        f"""
        import sys, threading, hjall, {library}
        db = hjall.open(sys.argv[1]) if {reopened} else hjall.memory()
        db.create_table("t", {{"f": {{}}}})
        table, refused = db.table("t"), [threading.Semaphore(0) for _ in range(4)]

        def work(mine):
            while True:
                try:
                    table.put(b"r", {{b"f:a": b"1"}})
                except hjall.Closed:
                    mine.release()

        for mine in refused:
            threading.Thread(target=work, args=(mine,), daemon=True).start()
        for _ in range(20 if {reopened} else 1):
            db.open()
            db.close()
            for mine in refused:
                for _ in range(100):
                    mine.acquire()
    """,
        tmp_path,
    )


def test_an_exit_with_an_open_scan_server_and_pool(tmp_path):
    run(
        """
        import sys, hjall
        db = hjall.open(sys.argv[1])
        db.create_table("t", {"f": {}})
        with db.table("t").batch() as batch:
            for n in range(2000):
                batch.put(b"%d" % n, {b"f:n": b""})
        scan = db.table("t").scan(batch_size=10)
        next(scan)
        server = db.serve(port=0)
        pool = hjall.ConnectionPool(size=3, path=sys.argv[1])
    """,
        tmp_path,
    )
    with hjall.open(tmp_path) as db:
        assert sum(1 for _ in db.table("t").scan()) == 2000


def test_an_exit_from_inside_a_with_block(tmp_path):
    run(
        """
        import sys, hjall
        with hjall.open(sys.argv[1]) as db:
            db.create_table("t", {"f": {}})
            db.table("t").put(b"r", {b"f:a": b"1"})
            sys.exit(0)
    """,
        tmp_path,
    )
    with hjall.open(tmp_path) as db:
        assert db.table("t").row(b"r") == {b"f:a": b"1"}


def test_a_killed_process_keeps_acknowledged_writes(tmp_path):
    run(
        """
        import os, sys, hjall
        db = hjall.open(sys.argv[1])
        db.create_table("t", {"f": {}})
        db.table("t").put(b"r", {b"f:a": b"1"})
        os._exit(0)
    """,
        tmp_path,
    )
    with hjall.open(tmp_path) as db:
        assert db.table("t").row(b"r") == {b"f:a": b"1"}
