#!/usr/bin/env python3
"""Compares the Python package with rocksdict, lmdb, sqlite3 and stock HappyBase: gets, batches, scans, Arrow scans and
short calls. Called by `bench/run python`.

All sides take turns for several rounds, so that other programs on the machine slow them alike. Prints medians and their
ratios only.
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import pathlib
import random
import statistics
import tempfile
import threading
import time
from collections.abc import Callable

from hjall import aio
from sides import CELLS, Hjall, Lmdb, Rocks, Socket, Sqlite
from sides import key as key_of


def seconds(work: Callable[[], object]) -> float:
    """Runs one round; returns its time in seconds."""
    begin = time.perf_counter()
    work()
    return time.perf_counter() - begin


def medians(rounds: int, works: dict[str, Callable[[], object]]) -> dict[str, float]:
    """Runs the rounds of all sides alternately; returns the median time of each, in seconds."""
    times: dict[str, list[float]] = {name: [] for name in works}
    for _ in range(rounds):
        for name, work in works.items():
            times[name].append(seconds(work))
    return {name: statistics.median(all_times) for name, all_times in times.items()}


def beside(times: dict[str, float], name: str, others: tuple[str, ...]) -> list[str]:
    """How many times as fast as the others a side is."""
    return [f"{times[other] / times[name]:.2f} × {other}" for other in others if other in times and other != name]


def line(name: str, figure: str, *notes: str) -> None:
    """Prints one line of the report."""
    print(f"  {name:<38} {figure:>16}   {'   '.join(notes)}")


def gets(sides: list, rows: int, calls: int, rounds: int) -> None:
    """Measures gets of a row of five cells, and of a single value for rocksdict."""
    order = [random.randrange(rows) for _ in range(calls)]

    def all_of(get: Callable[[int], object]) -> Callable[[], object]:
        def work() -> None:
            for n in order:
                get(n)

        return work

    works = {side.name: all_of(side.get) for side in sides}
    rocks = next(side for side in sides if isinstance(side, Rocks))
    works["rocksdict, one value"] = all_of(rocks.get_one)
    each = {name: time / calls for name, time in medians(rounds, works).items()}
    for name, time_each in each.items():
        what = name if "," in name else f"{name}, a row of {CELLS} cells"
        others = ("rocksdict, one value", "rocksdict", "lmdb", "sqlite3", "HappyBase") if name == "hjall" else ()
        line(what, f"{time_each * 1e6:.2f} µs", *beside(each, name, others))


def scans(sides: list, rows: int, rounds: int) -> None:
    """Measures full scans as dicts, and for hjall also as Arrow data."""
    works = {side.name: side.scan for side in sides}
    ours = sides[0]
    works["hjall, Arrow"] = ours.arrow
    works["hjall, Arrow, columns not named"] = ours.arrow_discovered
    works["hjall, Arrow into polars"] = ours.arrow_columns
    times = medians(rounds, works)
    for name, time_each in times.items():
        others = ("hjall", "rocksdict", "lmdb", "sqlite3", "HappyBase") if name.startswith("hjall") else ()
        line(name, f"{rows * CELLS / time_each / 1e6:.2f} M cells/s", *beside(times, name, others))


def batches(sides: list, rows: int) -> None:
    """Fills all sides alternately, in batches of 1,000 rows."""
    times: dict[str, list[float]] = {side.name: [] for side in sides}
    for n in range(0, rows, 1000):
        for side in sides:
            times[side.name].append(seconds(lambda: side.put(n, min(n + 1000, rows))))  # noqa: B023
    each = {name: statistics.median(all_times) / 1000 for name, all_times in times.items()}
    for name, time_each in each.items():
        others = ("rocksdict", "lmdb", "sqlite3", "HappyBase") if name == "hjall" else ()
        line(name, f"{time_each * 1e6:.2f} µs a row", *beside(each, name, others))


def threads(ours: Hjall, rows: int, calls: int) -> None:
    """Measures gets from several threads."""
    alone = None
    for count in (1, 2, 4, 8):

        def work() -> None:
            order = [random.randrange(rows) for _ in range(calls // count)]  # noqa: B023

            def read() -> None:
                for n in order:
                    ours.get(n)

            workers = [threading.Thread(target=read) for _ in range(count)]  # noqa: B023
            for worker in workers:
                worker.start()
            for worker in workers:
                worker.join()

        rate = calls / min(seconds(work) for _ in range(3))
        alone = alone or rate
        line(f"{count} threads, gets", f"{rate / 1e3:.0f} k/s", f"{rate / alone:.2f} × one thread")
    whole = min(seconds(ours.arrow) for _ in range(3))
    for count in (2, 8):

        def scan_all() -> None:
            workers = [threading.Thread(target=ours.arrow) for _ in range(count)]  # noqa: B023
            for worker in workers:
                worker.start()
            for worker in workers:
                worker.join()

        line(f"{count} threads, Arrow scans", f"{count * whole / min(seconds(scan_all) for _ in range(3)):.2f} × one")


def short_calls(ours: Hjall, rows: int, calls: int) -> None:
    """Measures calls on one event loop, the first row of a scan, and rows and columns of a row."""

    async def awaited() -> None:
        db = await aio.open(ours.db.path)
        table = db.table("t")
        keys = [key_of(random.randrange(min(rows, 1000))) for _ in range(calls)]
        for key in keys:  # the rows are in the row cache afterwards
            await table.row(key)
        begin = time.perf_counter()
        for key in keys:
            await table.row(key)
        line("asyncio, a get in memory", f"{(time.perf_counter() - begin) / calls * 1e6:.2f} µs")
        batch = table.batch(batch_size=1_000_000)
        begin = time.perf_counter()
        for n in range(calls):
            await batch.put(b"batch%d" % n, {b"f:a": b"x"})
        line("asyncio, a put into a batch", f"{(time.perf_counter() - begin) / calls * 1e6:.2f} µs")
        await db.close()

    key, column = key_of(0), next(iter(ours.table.row(key_of(0))))
    ours.db.create_table("overwritten", {"f": {"max_versions": 1}})
    overwritten = ours.db.table("overwritten")
    for n in range(20_000):
        overwritten.put(key, {b"f:q0": b"%d" % n})
    for name, work in {
        "get of a row, the same one": lambda: ours.table.row(key),
        "get of one of its columns": lambda: ours.table.row(key, columns=[column]),
        "get of a row written 20,000 times": lambda: overwritten.row(key),
        "first row of a scan": lambda: next(ours.table.scan()),
        "first row of a scan from the middle": lambda: next(ours.table.scan(row_start=key_of(rows // 2))),
        "last row, by a reverse scan": lambda: next(ours.table.scan(reverse=True, limit=1)),
        "scan with limit=10": lambda: list(ours.table.scan(limit=10)),
    }.items():
        each = statistics.median(seconds(lambda: [work() for _ in range(20)]) for _ in range(99)) / 20  # noqa: B023
        line(name, f"{each * 1e6:.2f} µs")
    open_scanners(ours, rows)
    asyncio.run(awaited())


def open_scanners(ours: Hjall, rows: int, count: int = 200) -> None:
    """Measures the memory of open scans, of which one row has been read, and of those of which 1,000 have been."""
    for taken in (1, 1000):
        starts = [key_of(random.randrange(rows - 2 * taken)) for _ in range(count)]
        for start in starts:  # the blocks are in the cache afterwards
            list(ours.table.scan(row_start=start, limit=2 * taken))
        scans = [ours.table.scan(row_start=start) for start in starts]
        gc.collect()
        before = resident_bytes()
        for scan in scans:
            for _ in range(taken):
                next(scan)
        gc.collect()
        each = (resident_bytes() - before) / count
        line(f"memory of an open scan, {taken} rows taken", f"{each / 1024:.1f} KiB")


def resident_bytes() -> int:
    """Resident memory of this process (Linux)."""
    status = pathlib.Path("/proc/self/status").read_text(encoding="ascii")
    return int(status.split("VmRSS:")[1].split()[0]) << 10


def main() -> None:
    """Runs all benchmarks."""
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--hjall", required=True, help="the hjall binary, built in release")
    arguments.add_argument("--rows", type=int, default=200_000, help="rows, of 5 cells each")
    arguments.add_argument("--calls", type=int, default=20_000, help="gets of one round")
    arguments.add_argument("--rounds", type=int, default=5)
    given = arguments.parse_args()
    random.seed(7)
    with tempfile.TemporaryDirectory() as folder:
        place = pathlib.Path(folder)
        sides = [Hjall(place), Rocks(place), Lmdb(place), Sqlite(place), Socket(place, given.hjall)]
        print(f"{given.rows} rows of {CELLS} cells of 8 bytes, medians of {given.rounds} rounds\n\nbatches of 1,000 rows")
        batches(sides, given.rows)
        for state in ("from memory", "from files"):
            if state == "from files":
                for side in sides:
                    side.flush()
            print(f"\n{state}: get of a row")
            gets(sides, given.rows, given.calls, given.rounds)
            print(f"\n{state}: scan of everything")
            scans(sides, given.rows, min(given.rounds, 3))
        print("\nshort calls, from files")
        short_calls(sides[0], given.rows, given.calls)
        print("\nthreads, from files")
        threads(sides[0], given.rows, 4 * given.calls)
        for side in sides:
            side.close()


if __name__ == "__main__":
    main()
