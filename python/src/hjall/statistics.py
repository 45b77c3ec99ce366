"""The figures that `Database.statistics` and `Database.table_statistics` return."""

from __future__ import annotations

from typing import TypedDict


class TableStatistics(TypedDict):
    """Figures of a table."""

    file_bytes: int
    """The bytes of its files. Data that are still in memory are not counted."""
    files: int
    """The number of its files."""
    regions: int
    """The number of its regions."""
    reads: int
    """Rows returned by gets, and results returned by scans, since the database was opened."""
    writes: int
    """Puts, deletes, increments and appends since the database was opened."""


class Statistics(TypedDict):
    """Figures of a database. Those named ``_max`` are limits."""

    disk_bytes: int
    """The bytes of all files, including journals."""
    files: int
    """The number of data files."""
    journal_bytes: int
    """The bytes of all journals."""
    write_buffer_bytes: int
    """The memory for data that is not yet in files, in bytes."""
    write_buffer_bytes_max: int
    cache_bytes: int
    """The memory of cached blocks, in bytes."""
    cache_bytes_max: int
    block_hits: int
    """Blocks that were found in the cache, since the database was opened."""
    block_misses: int
    """Blocks that had to be read from files, since the database was opened."""
    row_filter_bytes: int
    """The memory of filters that tell which files have a row, in bytes."""
    row_cache_rows: int
    """Rows in the row cache."""
    row_cache_bytes: int
    """The memory of the row cache, in bytes."""
    row_cache_bytes_max: int
    row_cache_hits: int
    """Gets that found their row in the row cache, since the database was opened."""
    row_cache_misses: int
    """Gets that did not find their row in the row cache, since the database was opened."""
