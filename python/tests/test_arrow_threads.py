"""`Table.scan_arrow` with several threads: large scans give the same results as one thread, and the threads end."""

import contextlib
import inspect
import itertools
import os
import pathlib
import resource
import struct
import textwrap
import time

import polars
import pyarrow
import pytest
from programs import run

import hjall

CORES = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else 1
pytestmark = pytest.mark.skipif(
    CORES < 2 or not pathlib.Path("/proc/self/task").exists(), reason="threads need two cores, and are found in /proc"
)

ROWS = 120_000
BATCH = 3_000
TIME = 1_700_000_000_000
# A scan with a limit is read by one thread.
ALONE = {"limit": ROWS * 10}


def threads():
    """The number of threads that read scans."""
    names = []
    for task in pathlib.Path("/proc/self/task").iterdir():
        # It may have ended meanwhile.
        with contextlib.suppress(OSError):
            names.append((task / "comm").read_text().strip())
    return names.count("hjall-arrow")


@pytest.fixture(scope="module")
def database(tmp_path_factory):
    with hjall.open(tmp_path_factory.mktemp("threads")) as db:
        db.create_table("t", {"f": {}, "g": {}})
        table = db.table("t")
        numbers = range(ROWS)
        data = pyarrow.table(
            {
                "id": [b"row%07d" % n for n in numbers],
                "f:n": pyarrow.array(numbers, pyarrow.int64()),
                "f:s": [f"{n:0150}" for n in numbers],
                "g:x": [n / 2 if n % 3 else None for n in numbers],
            }
        )
        table.load_arrow(data, row="id", timestamp=TIME, bulk=True)
        # Some rows are in memory, newer, deleted, or have another column.
        for n in range(0, ROWS, 997):
            table.put(b"row%07d" % n, {b"g:x": struct.pack(">d", -1.0)}, timestamp=TIME + 1)
            table.delete(b"row%07d" % (n + 1))
        table.put(b"row%07d" % 100_000, {b"f:late": b"late"}, timestamp=TIME)
        yield db
    assert threads() == 0


@pytest.fixture
def table(database):
    yield database.table("t")
    assert threads() == 0


DECODERS = {"f:n": "int64", "f:s": "utf8", "g:x": "float64"}


def begun(table, columns=DECODERS, **options):
    """Batches of which some have been taken, and that threads read."""
    # On a busy machine, the threads may have read everything before they are looked for.
    for _ in range(1_000):
        taken = []
        batches = iter(table.scan_arrow(columns, batch_rows=BATCH, **options)._native)
        for batch in batches:
            taken.append(batch)
            if threads():
                return batches, taken
    raise AssertionError("no threads were started")


def keys(batches):
    return [key for batch in batches for key in pyarrow.table(batch)["row"].to_pylist()]


@pytest.mark.parametrize(
    "columns, options",
    [
        (DECODERS, {}),
        (DECODERS, {"include_timestamp": True}),
        (DECODERS, {"row": None}),
        (DECODERS, {"row": "key", "row_type": "utf8"}),
        ({"g:x": "float64", "f:s": "binary", "f:none": "utf8"}, {}),
        ({"f:s": "int64", "f:n": "int32", "g:x": "float64"}, {"errors": "null"}),
        (DECODERS, {"row_start": b"row0000500", "row_stop": b"row0111111"}),
        (DECODERS, {"row_prefix": b"row0"}),
        (DECODERS, {"time_range": (TIME, TIME + 1)}),
        (None, {}),
        (["f:", "g:x"], {"include_timestamp": True}),
        (None, {"layout": "cells"}),
        (None, {"layout": "cells", "values": "int64", "errors": "null", "versions": 3}),
        (DECODERS, {"batch_rows": 777}),
        (DECODERS, {"batch_rows": 50_000}),
    ],
)
def test_the_result_is_that_of_one_thread(table, columns, options):
    options = {"batch_rows": BATCH, **options}
    expected = table.scan_arrow(columns, **options, **ALONE).to_pyarrow()
    scan = table.scan_arrow(columns, **options)
    assert scan.to_pyarrow().equals(expected)
    batches = []
    for batch in scan:
        assert threads() <= min(CORES, 8)
        batches.append(pyarrow.table(batch))
    assert pyarrow.concat_tables(batches).equals(expected)
    # A batch of cells ends with a whole row of the table.
    most = options["batch_rows"] + 3 * (options.get("layout") == "cells")
    assert all(0 < batch.num_rows <= most for batch in batches)
    assert len(batches) < 2 * expected.num_rows / options["batch_rows"] + 8 * CORES
    assert polars.DataFrame(scan).equals(polars.from_arrow(expected))
    assert scan.to_reader().read_all().equals(expected)


def test_a_snapshot_is_shared(table):
    batches, taken = begun(table)
    found = set(keys(taken))
    row = b"row%07d-new" % 110_000
    table.put(row, {b"f:n": struct.pack(">q", 1)})
    try:
        rest = keys(batches)
        assert row not in rest and row not in found
    finally:
        table.delete(row)


def test_a_small_scan_needs_no_threads(table):
    batches = iter(table.scan_arrow(DECODERS, row_stop=b"row0004000", batch_rows=BATCH)._native)
    assert [(len(batch), threads()) for batch in batches] == [(3000, 0), (995, 0)]
    reader = table.scan_arrow(DECODERS, batch_rows=BATCH).to_reader()
    reader.read_next_batch()
    assert threads() == 0


def test_a_stop_ends_the_scan_and_its_threads(table):
    batches, _ = begun(table)
    batches.stop()
    with pytest.raises(hjall.Cancelled):
        next(batches)
    assert threads() == 0
    with pytest.raises(StopIteration):
        next(batches)


def test_a_dropped_iterator_ends_its_threads(table):
    batches, _ = begun(table)
    del batches
    assert threads() == 0
    reader = table.scan_arrow(DECODERS, batch_rows=BATCH).to_reader()
    while not threads():
        reader.read_next_batch()
    del reader
    assert threads() == 0


@pytest.mark.parametrize("bad", [60_001, 119_998])
def test_the_rows_before_an_error_are_delivered_first(table, bad):
    table.put(b"row%07d" % bad, {b"f:n": b"bad"}, timestamp=TIME + 1)
    try:
        batches = iter(table.scan_arrow({"f:n": "int64"}, batch_rows=BATCH)._native)
        taken = []
        with pytest.raises(hjall.errors.DecodeError, match=f"f:n of row .*{bad}.*bad"):
            while True:
                taken.append(next(batches))
        assert threads() == 0
        with pytest.raises(StopIteration):
            next(batches)
        rows = keys(taken) if taken else []
        expected = keys([table.scan_arrow(["f:n"], row_stop=b"row%07d" % bad, **ALONE)])
        assert bad - BATCH - 200 < len(rows) and rows == expected[: len(rows)]
    finally:
        table.delete(b"row%07d" % bad, columns=[b"f:n"], timestamp=TIME + 1)
        table.put(b"row%07d" % bad, {b"f:n": struct.pack(">q", bad)}, timestamp=TIME + 2)


# A program with a table of its own, of which threads read a part only until the consumer has taken some.
# The programs have the functions `threads` and `begun` of this file.
BEGIN = (
    """
import contextlib, os, pathlib, signal, sys, time, hjall, pyarrow

BATCH = 1000
DECODERS = ["f:s"]
db = hjall.open(sys.argv[1])
db.create_table("t", {"f": {}})
table = db.table("t")
data = pyarrow.table({"id": [b"%07d" % n for n in range(60_000)], "f:s": ["x" * 1_600] * 60_000})
table.load_arrow(data, row="id", bulk=True)

"""
    + inspect.getsource(threads)
    + "\n\n"
    + inspect.getsource(begun)
)


def run_program(text, *arguments):
    """Runs a program that begins with `BEGIN`."""
    return run(BEGIN + textwrap.dedent(text), *arguments)


def test_a_closed_database_ends_the_scan(tmp_path):
    run_program(
        """
    batches, taken = begun(table)
    taken = sum(map(len, taken))
    db.close()
    try:
        while True:
            taken += len(next(batches))
    except hjall.Closed:
        assert taken < 60_000
    except StopIteration:
        assert taken == 60_000
    assert threads() == 0
    """,
        tmp_path,
    )


def test_a_fork_during_a_scan(tmp_path):
    run_program(
        """
    batches, taken = begun(table)
    taken = sum(map(len, taken))
    reader = table.scan_arrow(["f:s"], batch_rows=1000).to_reader()
    read = sum(reader.read_next_batch().num_rows for _ in range(10))
    pid = os.fork()
    if pid == 0:
        try:
            next(batches)
        except hjall.ForkError:
            pass
        else:
            os._exit(1)
        try:
            reader.read_next_batch()
        except pyarrow.ArrowException:
            pass
        else:
            os._exit(2)
        batches.stop()
        del batches, reader
        sys.exit(0)
    _, status = os.waitpid(pid, 0)
    assert status == 0, status
    assert taken + sum(len(batch) for batch in batches) == 60_000
    assert read + reader.read_all().num_rows == 60_000
    assert threads() == 0
    """,
        tmp_path,
    )


@pytest.mark.parametrize("what", ["batches", "reader"])
def test_the_interpreter_exits_while_threads_read(what, tmp_path):
    run_program(
        f"""
    if {what!r} == "batches":
        batches, _ = begun(table)
    else:
        reader = table.scan_arrow(["f:s"], batch_rows=1000).to_reader()
        while not threads():
            reader.read_next_batch()
    assert threads()
    """,
        tmp_path,
    )


def test_a_signal_ends_a_waiting_consumer(tmp_path):
    run_program(
        """
    class Interrupt(Exception):
        pass

    def interrupt(number, frame):
        raise Interrupt

    signal.signal(signal.SIGALRM, interrupt)
    interrupted = 0
    for n in range(200):
        # The signal may come before the scan begins.
        batches = None
        signal.setitimer(signal.ITIMER_REAL, 0.001 + n % 20 / 300)
        try:
            batches = iter(table.scan_arrow(["f:s"], batch_rows=1000)._native)
            batches.collect()
            while True:
                time.sleep(0.01)
        except Interrupt:
            interrupted += 1
        del batches
        assert threads() == 0
    assert interrupted == 200
    signal.signal(signal.SIGALRM, lambda number, frame: None)
    signal.setitimer(signal.ITIMER_REAL, 0.01, 0.01)
    assert len(table.scan_arrow(["f:s"], batch_rows=1000).collect()) == 60_000
    signal.setitimer(signal.ITIMER_REAL, 0)
    """,
        tmp_path,
    )


def test_what_is_read_ahead_is_bounded(tmp_path):
    with hjall.open(tmp_path, cache_bytes=1 << 20, row_cache_bytes=0) as db:
        db.create_table("t", {"f": {}})
        table = db.table("t")
        for first in range(0, 3000, 100):
            names = [b"%04d" % n for n in range(first, first + 100)]
            data = pyarrow.table({"id": names, "f:s": [os.urandom(100_000) for _ in names]})
            table.load_arrow(data, row="id", bulk=True)
        del data
        batches = iter(table.scan_arrow(["f:s"], batch_rows=20)._native)
        rows = pyarrow.table(next(batches)).num_rows
        before = resident_bytes()
        while not threads():
            rows += pyarrow.table(next(batches)).num_rows
        await_read_ahead(batches)
        # 64 MiB of batches, those that are being filled and have grown by doubling, and what the allocator keeps.
        assert resident_bytes() - before < 128 << 20
        assert rows + pyarrow.table(batches.collect()).num_rows == 3000
    assert threads() == 0


def await_read_ahead(batches):
    """Waits until the threads of a scan wait, because they have read as much ahead as they may."""
    deadline = time.monotonic() + 60
    while not batches._is_ahead():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def resident_bytes():
    fields = pathlib.Path("/proc/self/statm").read_text().split()
    return int(fields[1]) * resource.getpagesize()


def test_several_scans_take_turns(table):
    expected = table.scan_arrow(DECODERS, batch_rows=BATCH, **ALONE).to_pyarrow()
    scans = [iter(table.scan_arrow(DECODERS, batch_rows=BATCH)._native) for _ in range(4)]
    found = [[] for _ in scans]
    taken = 1
    while taken:
        taken = 0
        for scan, batches in zip(scans, found, strict=True):
            for batch in itertools.islice(scan, 1):
                batches.append(pyarrow.table(batch))
                taken += 1
    assert all(pyarrow.concat_tables(batches).equals(expected) for batches in found)


@pytest.mark.parametrize(
    "dense, sparse",
    [
        ([b"%014d" % n for n in range(60_000)], [b"%014d" % (n * 1_000_000) for n in range(1, 60_000)]),
        ([b"a|%014d" % n for n in range(60_000)], [b"b|%032x" % (n * 7**38) for n in range(1, 60_000)]),
        ([struct.pack(">Q", n) for n in range(60_000)], [struct.pack(">Q", n << 32) for n in range(1, 60_000)]),
    ],
)
def test_sparse_keys_after_dense_ones_fill_batches(dense, sparse):
    with hjall.memory() as db:
        db.create_table("t", {"f": {}})
        table = db.table("t")
        data = pyarrow.table({"id": dense + sparse, "f:s": ["x" * 100] * (len(dense) + len(sparse))})
        table.load_arrow(data, row="id", bulk=True)
        alone = [pyarrow.table(batch) for batch in table.scan_arrow(["f:s"], batch_rows=BATCH, **ALONE)]
        batches, parallel = begun(table, ["f:s"])
        parallel = [pyarrow.table(batch) for batch in itertools.chain(parallel, batches)]
        assert pyarrow.concat_tables(parallel).equals(pyarrow.concat_tables(alone))
        assert len(parallel) <= 3 * len(alone) + 64
    assert threads() == 0


def large(db):
    """A scan that has more rows than are read ahead, whose threads wait."""
    db.create_table("t", {"f": {}})
    table = db.table("t")
    for first in range(0, 2_000, 100):
        names = [b"%04d" % n for n in range(first, first + 100)]
        table.load_arrow(pyarrow.table({"id": names, "f:s": ["x" * 100_000] * 100}), row="id", bulk=True)
    batches = iter(table.scan_arrow(["f:s"], batch_rows=20)._native)
    while not threads():
        next(batches)
    await_read_ahead(batches)
    assert threads()
    return batches


def await_no_threads():
    deadline = time.monotonic() + 10
    while threads():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def test_a_stop_ends_waiting_threads_without_a_further_read():
    with hjall.memory() as db:
        batches = large(db)
        batches.stop()
        await_no_threads()
        with pytest.raises(hjall.Cancelled):
            next(batches)
        with pytest.raises(StopIteration):
            next(batches)


def test_closing_the_database_ends_waiting_threads_without_a_further_read():
    with hjall.memory() as db:
        batches = large(db)
    await_no_threads()
    with pytest.raises(hjall.Closed):
        next(batches)
    with pytest.raises(StopIteration):
        next(batches)
