"""The databases that are compared, filled with the same rows: hjall, RocksDB (rocksdict), LMDB, SQLite, and a hjall
server used through stock HappyBase.

A row has the cells `f:q0` … `f:q4`, of 8 bytes each. Every side has the same methods, written in the idiom of its
users.
"""

from __future__ import annotations

import contextlib
import pathlib
import re
import sqlite3
import struct
import subprocess

CELLS = 5
COLUMNS = [b"f:q%d" % n for n in range(CELLS)]
VALUE = struct.Struct(">q")


def key(n: int) -> bytes:
    """The key of the n-th row."""
    return b"row%09d" % n


def values(n: int) -> list[bytes]:
    """The values of the n-th row."""
    return [VALUE.pack(n * CELLS + c) for c in range(CELLS)]


class Hjall:
    """hjall, embedded in this process."""

    name = "hjall"

    def __init__(self, folder: pathlib.Path) -> None:
        import hjall

        self.db = hjall.open(folder / "hjall")
        self.db.create_table("t", {"f": {"max_versions": 1}})
        self.table = self.db.table("t")

    def put(self, first: int, last: int) -> None:
        """Puts these rows in one batch."""
        with self.table.batch() as batch:
            for n in range(first, last):
                batch.put(key(n), dict(zip(COLUMNS, values(n), strict=True)))

    def get(self, n: int) -> object:
        """Reads a row."""
        return self.table.row(key(n))

    def scan(self) -> int:
        """Reads all rows; returns the number of cells."""
        return sum(len(data) for _, data in self.table.scan(batch_size=1000))

    def arrow(self) -> int:
        """Reads all rows as Arrow data with decoded numbers; returns the number of cells."""
        table = self.table.scan_arrow(dict.fromkeys(COLUMNS, "int64")).collect()
        return table.num_rows * CELLS

    def arrow_discovered(self) -> int:
        """Reads all rows as Arrow data whose columns are not named; returns the number of cells."""
        table = self.table.scan_arrow(values="int64").collect()
        return table.num_rows * CELLS

    def arrow_columns(self) -> int:
        """Reads all rows into a polars DataFrame; returns the number of cells."""
        return self.table.scan_arrow(dict.fromkeys(COLUMNS, "int64")).to_polars().height * CELLS

    def flush(self) -> None:
        """Flushes memory to files."""
        self.db.flush_table("t")

    def close(self) -> None:
        """Closes the database."""
        self.db.close()


class Rocks:
    """RocksDB: one key per cell, in raw bytes."""

    name = "rocksdict"

    def __init__(self, folder: pathlib.Path) -> None:
        from rocksdict import Options, Rdict

        self.db = Rdict(str(folder / "rocks"), Options(raw_mode=True))

    def put(self, first: int, last: int) -> None:
        """Puts the cells of these rows in one batch."""
        from rocksdict import WriteBatch

        batch = WriteBatch(raw_mode=True)
        for n in range(first, last):
            for column, value in zip(COLUMNS, values(n), strict=True):
                batch.put(key(n) + column, value)
        self.db.write(batch)

    def get_one(self, n: int) -> object:
        """Reads one value."""
        return self.db[key(n) + b"f:q0"]

    def get(self, n: int) -> object:
        """Reads all values of a row in one call."""
        row = key(n)
        return dict(zip(COLUMNS, self.db[[row + column for column in COLUMNS]], strict=True))

    def scan(self) -> int:
        """Reads all rows; returns the number of cells."""
        return sum(1 for _ in self.db.items())

    def flush(self) -> None:
        """Flushes memory to files."""
        self.db.flush()

    def close(self) -> None:
        """Closes the database."""
        self.db.close()


class Lmdb:
    """LMDB: one key per cell. It has one copy of everything, in files that are mapped into memory."""

    name = "lmdb"

    def __init__(self, folder: pathlib.Path) -> None:
        import lmdb

        # Writes are with the operating system when they return, as those of the other sides.
        self.db = lmdb.open(str(folder / "lmdb"), map_size=16 << 30, sync=False)

    def put(self, first: int, last: int) -> None:
        """Puts the cells of these rows in one transaction."""
        with self.db.begin(write=True) as transaction:
            for n in range(first, last):
                for column, value in zip(COLUMNS, values(n), strict=True):
                    transaction.put(key(n) + column, value)

    def get(self, n: int) -> object:
        """Reads all values of a row in one transaction."""
        row = key(n)
        with self.db.begin() as transaction:
            return {column: transaction.get(row + column) for column in COLUMNS}

    def scan(self) -> int:
        """Reads all rows; returns the number of cells."""
        with self.db.begin() as transaction:
            return sum(1 for _ in transaction.cursor())

    def flush(self) -> None:
        """Writes the changed pages to disk."""
        self.db.sync(True)

    def close(self) -> None:
        """Closes the database."""
        self.db.close()


class Sqlite:
    """SQLite: one row per row, one column per column."""

    name = "sqlite3"

    def __init__(self, folder: pathlib.Path) -> None:
        self.db = sqlite3.connect(folder / "sqlite")
        self.db.execute("pragma journal_mode = wal")
        self.db.execute("pragma synchronous = normal")
        self.db.execute("create table t (row blob primary key, q0 blob, q1 blob, q2 blob, q3 blob, q4 blob) without rowid")

    def put(self, first: int, last: int) -> None:
        """Puts these rows in one transaction."""
        with self.db:
            self.db.executemany("insert or replace into t values (?, ?, ?, ?, ?, ?)", ((key(n), *values(n)) for n in range(first, last)))

    def get(self, n: int) -> object:
        """Reads a row."""
        found = self.db.execute("select q0, q1, q2, q3, q4 from t where row = ?", (key(n),)).fetchone()
        return dict(zip(COLUMNS, found, strict=True))

    def scan(self) -> int:
        """Reads all rows; returns the number of cells."""
        return sum(len(dict(zip(COLUMNS, found[1:], strict=True))) for found in self.db.execute("select * from t order by row"))

    def flush(self) -> None:
        """Checkpoints the write-ahead log."""
        self.db.execute("pragma wal_checkpoint(truncate)")

    def close(self) -> None:
        """Closes the database."""
        self.db.close()


class Socket:
    """A hjall server, used through stock HappyBase."""

    name = "HappyBase"

    def __init__(self, folder: pathlib.Path, binary: str) -> None:
        import happybase

        command = [binary, "serve", "--listen", "127.0.0.1:0", "--info-listen", "off", "--data", str(folder / "served")]
        self.server = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        line = self.server.stdout.readline()
        host, port = re.search(r"([\d.]+):(\d+)", line).groups()
        self.connection = happybase.Connection(host, int(port), timeout=120_000)
        self.connection.create_table("t", {"f": {"max_versions": 1}})
        self.table = self.connection.table("t")

    put, get, scan = Hjall.put, Hjall.get, Hjall.scan

    def flush(self) -> None:
        """Flushes memory to files, by a compaction."""
        self.connection.compact_table("t")

    def close(self) -> None:
        """Stops the server."""
        with contextlib.suppress(OSError):
            self.connection.close()
        self.server.terminate()
        self.server.wait(60)
