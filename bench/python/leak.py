#!/usr/bin/env python3
"""Checks for memory leaks: prints resident memory after each million calls, ten million in all by default.
Called by `bench/run python leak`.

The calls are gets of existing and missing rows, puts over the same rows, scans, Arrow scans, and calls that fail.
"""

from __future__ import annotations

import argparse
import contextlib
import gc
import pathlib
import tempfile

import hjall


def resident_mb() -> float:
    """Resident memory of this process, in MB (Linux)."""
    status = pathlib.Path("/proc/self/status").read_text(encoding="ascii")
    return int(status.split("VmRSS:")[1].split()[0]) / 1024


def main() -> None:
    """Makes the calls and prints memory."""
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--calls", type=int, default=10_000_000)
    arguments.add_argument("--every", type=int, default=1_000_000)
    given = arguments.parse_args()
    with tempfile.TemporaryDirectory() as folder, hjall.open(folder, cache_bytes=16 << 20, write_buffer_bytes=16 << 20) as db:
        db.create_table("t", {"f": {"max_versions": 1}})
        table, missing = db.table("t"), db.table("none")
        columns = [b"f:q%d" % n for n in range(5)]
        for n in range(1000):
            table.put(b"%04d" % n, dict.fromkeys(columns, b"8 bytes."))
        print(f"{0:>12} calls {resident_mb():>8.1f} MB")
        for call in range(1, given.calls + 1):
            row = b"%04d" % (call % 1000)
            if call % 100 == 1:
                table.put(row, {b"f:q1": b"8 bytes."}, timestamp=1)
            elif call % 1000 == 2:
                with contextlib.suppress(hjall.TableNotFound):
                    missing.row(row)
            elif call % 10_000 == 3:
                for _ in table.scan(row_prefix=row[:2], limit=20):
                    pass
            elif call % 10_000 == 4:
                table.scan_arrow(columns, row_prefix=row[:2]).collect()
            elif call % 10 == 5:
                table.row(b"none")
            else:
                table.row(row)
            if call % given.every == 0:
                # Puts stay in memory until they are flushed. Flush them, so that they do not look like a leak.
                db.flush_table("t")
                gc.collect()
                print(f"{call:>12} calls {resident_mb():>8.1f} MB", flush=True)


if __name__ == "__main__":
    main()
