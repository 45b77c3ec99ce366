"""Forks: the child gets a clear error and can open other databases; the parent is not affected."""

import os

import pytest
from programs import run

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="the platform cannot fork")

# The start of each program. Each program forks once, and the child exits normally, with its exit handlers.
BEGIN = """
    import os, sys, hjall
    path = sys.argv[1]
    db = hjall.open(path)
    db.create_table("t", {"f": {}})
    table = db.table("t")
    with table.batch() as batch:
        for n in range(3000):
            batch.put(b"%05d" % n, {b"f:n": b"%d" % n})

    def child_ends_well(pid):
        _, status = os.waitpid(pid, 0)
        assert status == 0, status

    def refused(call):
        try:
            call()
        except hjall.ForkError as error:
            assert isinstance(error, RuntimeError) and "forked" in str(error)
        else:
            raise AssertionError("no error")
"""


def test_the_child_gets_an_error_and_the_parent_continues(tmp_path):
    run(
        BEGIN
        + """
    scan = table.scan(batch_size=10)
    next(scan)
    unsent = table.batch()
    unsent.put(b"later", {b"f:n": b"1"})
    server = db.serve(port=0)
    pid = os.fork()
    if pid == 0:
        refused(lambda: table.row(b"00000"))
        refused(lambda: table.put(b"x", {b"f:n": b"1"}))
        refused(lambda: list(scan))
        refused(unsent.send)
        refused(db.tables)
        assert not db.is_open and not server.is_open
        db.close()
        del scan, unsent, table, server, db
        sys.exit(0)
    child_ends_well(pid)
    assert sum(1 for _ in scan) == 2999
    unsent.send()
    assert table.row(b"later") == {b"f:n": b"1"}
    db.close()
    with hjall.open(path) as db:
        assert sum(1 for _ in db.table("t").scan()) == 3001
    """,
        tmp_path,
    )


def test_the_child_can_open_other_databases(tmp_path):
    run(
        BEGIN
        + """
    later = hjall.open(path + "/later", autoconnect=False)
    pid = os.fork()
    if pid == 0:
        with hjall.memory() as own:
            own.create_table("t", {"f": {}})
            own.table("t").put(b"r", {b"f:a": b"1"})
        later.open()
        assert later.tables() == []
        try:
            hjall.open(path)
        except hjall.Locked as error:
            assert isinstance(error, OSError) and str(os.getppid()) in str(error)
        else:
            raise AssertionError("the parent's folder was opened")
        sys.exit(0)
    child_ends_well(pid)
    assert table.row(b"00001") == {b"f:n": b"1"}
    """,
        tmp_path,
    )


def test_the_parent_can_reopen_the_database_while_the_child_runs(tmp_path):
    run(
        BEGIN
        + """
    parents, childs = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.close(childs)
        os.read(parents, 1)
        sys.exit(0)
    os.close(parents)
    db.close()
    db.open()
    assert table.row(b"00001") == {b"f:n": b"1"}
    os.close(childs)
    child_ends_well(pid)
    assert table.row(b"00001") == {b"f:n": b"1"}
    """,
        tmp_path,
    )


def test_a_pool_of_forked_workers(tmp_path):
    run(
        BEGIN
        + """
    import multiprocessing

    def work(n):
        try:
            table.row(b"%05d" % n)
        except hjall.ForkError:
            return "ForkError"

    with multiprocessing.get_context("fork").Pool(2) as pool:
        assert set(pool.map(work, range(8))) == {"ForkError"}
    assert table.row(b"00001") == {b"f:n": b"1"}
    """,
        tmp_path,
    )


def test_a_fork_while_another_thread_opens_the_database(tmp_path):
    run(
        BEGIN
        + """
    import threading
    over = threading.Event()

    def reopen():
        while not over.is_set():
            db.close()
            db.open()

    thread = threading.Thread(target=reopen)
    thread.start()
    for _ in range(20):
        pid = os.fork()
        if pid == 0:
            try:
                db.open()
            except hjall.Error:
                pass
            os._exit(0)
        child_ends_well(pid)
    over.set()
    thread.join()
    """,
        tmp_path,
    )
