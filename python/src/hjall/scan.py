"""The arguments of scans, which `hjall.Table` and `hjall.aio.Table` share."""

from __future__ import annotations

from dataclasses import dataclass

from hjall.filters import Filter
from hjall.types import BytesLike, Columns, TimeRange

BATCH_SIZE = 1000
"""The default of `batch_size`: how many rows a scan fetches at once."""


@dataclass(kw_only=True)
class ScanArguments:
    """The arguments of a scan, checked on construction.

    Raises `ValueError` for a number below 1, `TypeError` if `row_prefix` is combined with another bound.
    """

    row_start: BytesLike | None = None
    row_stop: BytesLike | None = None
    row_prefix: BytesLike | None = None
    columns: Columns = None
    filter: Filter | BytesLike | None = None
    timestamp: int | None = None
    time_range: TimeRange | None = None
    versions: int | None = 1
    """The most versions of a column; `None` for all that the family keeps."""
    batch_size: int = BATCH_SIZE
    """How many rows are fetched at once; 0 leaves it to the engine."""
    scan_batching: int | None = None
    limit: int | None = None
    """The most rows of the table."""
    reverse: bool = False
    raw: bool = False

    def __post_init__(self) -> None:
        self.reverse = bool(self.reverse)
        for name, number in (("limit", self.limit), ("scan_batching", self.scan_batching)):
            at_least_one(name, number)
        if self.row_prefix is not None and (self.row_start is not None or self.row_stop is not None):
            raise TypeError("row_prefix cannot be combined with row_start or row_stop")


def at_least_one(name: str, number: int | None) -> None:
    """Checks an argument. Raises `ValueError` if the number is less than 1."""
    if number is not None and number < 1:
        raise ValueError(f"{name} must be at least 1, not {number}")
