"""Filters: what a read keeps, decided where the data is.

Each has HBase's name. ``a & b`` keeps what both keep, ``a | b`` what either keeps. What is compared with is bytes, or one of the comparators below; the
comparison is ``=``, ``!=``, ``<``, ``<=``, ``>`` or ``>=``, with the cell's part on the left.

>>> import hjall
>>> from hjall.filters import ColumnPrefixFilter, SubstringComparator, ValueFilter
>>> db = hjall.memory()
>>> db.create_table("t", {"f": {}})
>>> db.table("t").put(b"r", {b"f:city": b"Oslo", b"f:state": b"Oslo", b"f:name": b"Ann"})
>>> db.table("t").row(b"r", filter=ColumnPrefixFilter(b"ci") & ValueFilter("=", SubstringComparator("slo")))
{b'f:city': b'Oslo'}
"""

from __future__ import annotations

from collections.abc import Iterable

from hjall._native import Comparator, Filter

__all__ = [
    "BinaryComparator",
    "BinaryComponentComparator",
    "BinaryPrefixComparator",
    "BitComparator",
    "ColumnCountGetFilter",
    "ColumnPaginationFilter",
    "ColumnPrefixFilter",
    "ColumnRangeFilter",
    "ColumnValueFilter",
    "Comparator",
    "DependentColumnFilter",
    "FamilyFilter",
    "Filter",
    "FilterList",
    "FirstKeyOnlyFilter",
    "FirstKeyValueMatchingQualifiersFilter",
    "FuzzyRowFilter",
    "InclusiveStopFilter",
    "KeyOnlyFilter",
    "LongComparator",
    "MultiRowRangeFilter",
    "MultipleColumnPrefixFilter",
    "NullComparator",
    "PageFilter",
    "PrefixFilter",
    "QualifierFilter",
    "RandomRowFilter",
    "RegexStringComparator",
    "RowFilter",
    "SingleColumnValueExcludeFilter",
    "SingleColumnValueFilter",
    "SkipFilter",
    "SubstringComparator",
    "TimestampsFilter",
    "ValueFilter",
    "WhileMatchFilter",
    "from_bytes",
    "parse",
]

Bytes = bytes | bytearray | memoryview
With = Bytes | Comparator


def parse(text: str | Bytes) -> Filter:
    """A filter from a text in HBase's filter language. Raises `InvalidArgument` that says where the text is wrong.

    >>> parse("PrefixFilter('a') AND PageFilter(3)") == PrefixFilter(b"a") & PageFilter(3)
    True
    """
    return Filter.parse(text)


def from_bytes(data: Bytes) -> Filter:
    """A filter from HBase's serialised form, which `Filter.to_bytes` gives. Raises `InvalidArgument`.

    >>> from_bytes(PageFilter(3).to_bytes()) == PageFilter(3)
    True
    """
    return Filter.from_bytes(data)


# -- of rows --------------------------------------------------------------------------------------


def PrefixFilter(prefix: Bytes) -> Filter:
    """Keeps rows that start with some bytes."""
    return Filter.prefix(prefix)


def RowFilter(compare: str, value: With) -> Filter:
    """Keeps rows whose key compares so."""
    return Filter.row(compare, value)


def InclusiveStopFilter(row: Bytes) -> Filter:
    """Ends the scan behind a row, which is included."""
    return Filter.inclusive_stop(row)


def PageFilter(size: int) -> Filter:
    """Keeps the first rows **of each region**. Raises `InvalidArgument` for a negative size."""
    return Filter.page(size)


def RandomRowFilter(chance: float) -> Filter:
    """Keeps rows at random, with a probability between 0 and 1."""
    return Filter.random_row(chance)


def FuzzyRowFilter(pairs: Iterable[tuple[Bytes, Bytes]]) -> Filter:
    """Keeps rows that agree with any of some ``(key, mask)``: where the mask has a 0 byte the row's must be the key's, where it has 1 any will do.

    Raises `InvalidArgument` if there is no pair, or a mask is not as long as its key.
    """
    return Filter.fuzzy_row(list(pairs))


def MultiRowRangeFilter(ranges: Iterable[tuple[Bytes, Bytes] | tuple[Bytes, Bytes, bool, bool]]) -> Filter:
    """Keeps rows inside any of some ranges ``(start, stop)`` or ``(start, stop, start_inclusive, stop_inclusive)``; by default the start is inside and the
    stop is not. An empty bound is open.

    Raises `InvalidArgument` if there is no range, or one cannot hold a row.
    """
    given = [(*each, True, False) if len(each) == 2 else each for each in ranges]
    return Filter.multi_row_range(given)  # type: ignore[arg-type]


# -- of columns -----------------------------------------------------------------------------------


def FamilyFilter(compare: str, value: With) -> Filter:
    """Keeps cells whose family compares so."""
    return Filter.family(compare, value)


def QualifierFilter(compare: str, value: With) -> Filter:
    """Keeps cells whose qualifier compares so."""
    return Filter.qualifier(compare, value)


def ColumnPrefixFilter(prefix: Bytes) -> Filter:
    """Keeps columns whose qualifier starts with some bytes."""
    return Filter.column_prefix(prefix)


def MultipleColumnPrefixFilter(prefixes: Iterable[Bytes]) -> Filter:
    """Keeps columns whose qualifier starts with one of several prefixes. Raises `InvalidArgument` if one is given twice."""
    return Filter.multiple_column_prefix(list(prefixes))


def ColumnRangeFilter(min_column: Bytes | None = None, min_inclusive: bool = True, max_column: Bytes | None = None, max_inclusive: bool = False) -> Filter:
    """Keeps columns between two qualifiers; `None` is no bound."""
    return Filter.column_range(min_column, min_inclusive, max_column, max_inclusive)


def ColumnCountGetFilter(limit: int) -> Filter:
    """Keeps the first columns of a row; made for reading one row. Raises `InvalidArgument` for a negative limit."""
    return Filter.column_count_get(limit)


def ColumnPaginationFilter(limit: int, offset: int = 0, column_offset: Bytes | None = None) -> Filter:
    """Keeps `limit` columns of each row, behind the first `offset` of them, or from the qualifier `column_offset` on.

    Raises `InvalidArgument` for a negative number.
    """
    return Filter.column_pagination(limit, offset, column_offset)


def FirstKeyOnlyFilter() -> Filter:
    """Keeps the first cell of each row: for counting rows."""
    return Filter.first_key_only()


def FirstKeyValueMatchingQualifiersFilter(qualifiers: Iterable[Bytes]) -> Filter:
    """Keeps the cells of each row up to and including the first one with one of these qualifiers."""
    return Filter.first_key_value_matching_qualifiers(list(qualifiers))


# -- of values and times --------------------------------------------------------------------------


def ValueFilter(compare: str, value: With) -> Filter:
    """Keeps cells whose value compares so."""
    return Filter.value(compare, value)


def KeyOnlyFilter(length_as_value: bool = False) -> Filter:
    """Keeps every cell without its value; `length_as_value` puts the value's length there, four bytes big-endian."""
    return Filter.key_only(length_as_value)


def TimestampsFilter(timestamps: Iterable[int], can_hint: bool = False) -> Filter:
    """Keeps cells of exactly these times, in milliseconds since 1970; `can_hint`: seeks from one to the next. Raises `InvalidArgument` for a negative time."""
    return Filter.timestamps(list(timestamps), can_hint)


def SingleColumnValueFilter(
    family: Bytes, qualifier: Bytes, compare: str, value: With, *, filter_if_missing: bool = False, latest_version_only: bool = True
) -> Filter:
    """Keeps rows by the value of one column, which must be among those read; rows without it are kept unless `filter_if_missing`.

    >>> import hjall
    >>> db = hjall.memory()
    >>> db.create_table("t", {"f": {}})
    >>> db.table("t").put(b"a", {b"f:age": b"41"})
    >>> [key for key, _ in db.table("t").scan(filter=SingleColumnValueFilter(b"f", b"age", ">", b"40"))]
    [b'a']
    """
    return Filter.of_column("single", family, qualifier, compare, value, filter_if_missing, latest_version_only)


def SingleColumnValueExcludeFilter(
    family: Bytes, qualifier: Bytes, compare: str, value: With, *, filter_if_missing: bool = False, latest_version_only: bool = True
) -> Filter:
    """As `SingleColumnValueFilter`, and leaves that column out of the rows."""
    return Filter.of_column("exclude", family, qualifier, compare, value, filter_if_missing, latest_version_only)


def ColumnValueFilter(family: Bytes, qualifier: Bytes, compare: str, value: With) -> Filter:
    """Keeps the cells of one column whose value compares so, and nothing else."""
    return Filter.of_column("value", family, qualifier, compare, value, False, False)


def DependentColumnFilter(family: Bytes, qualifier: Bytes, drop_column: bool = False, compare: str | None = None, value: With | None = None) -> Filter:
    """Keeps the cells that share a time with a cell of a reference column of their row; `drop_column` leaves that column out. With `compare` and `value` only those
    cells of it count whose value compares so."""
    return Filter.dependent(family, qualifier, drop_column, compare, value)


# -- of filters -----------------------------------------------------------------------------------


def FilterList(operator: str, filters: Iterable[Filter]) -> Filter:
    """Several filters: ``MUST_PASS_ALL``, which is what ``&`` makes, or ``MUST_PASS_ONE``, which is what ``|`` makes. Raises `ValueError` for another operator."""
    if operator == "MUST_PASS_ALL":
        return Filter.all(list(filters))
    if operator == "MUST_PASS_ONE":
        return Filter.one(list(filters))
    raise ValueError(f"the operator of a list is MUST_PASS_ALL or MUST_PASS_ONE, not {operator!r}")


def SkipFilter(inner: Filter) -> Filter:
    """Drops a row as soon as the filter refuses a cell of it."""
    return Filter.skip(inner)


def WhileMatchFilter(inner: Filter) -> Filter:
    """Ends the scan as soon as the filter refuses a row or cell."""
    return Filter.while_match(inner)


# -- what is compared with ------------------------------------------------------------------------


def BinaryComparator(value: Bytes) -> Comparator:
    """The bytes as a whole; bytes alone mean the same."""
    return Comparator.binary(value)


def BinaryPrefixComparator(value: Bytes) -> Comparator:
    """The first bytes, as many as are given."""
    return Comparator.binary_prefix(value)


def BinaryComponentComparator(value: Bytes, offset: int) -> Comparator:
    """The bytes at an offset, as many as are given."""
    return Comparator.binary_component(value, offset)


def RegexStringComparator(pattern: str) -> Comparator:
    """A Java regular expression that is found somewhere in the bytes, read as UTF-8; compares by ``=`` and ``!=``. Raises `InvalidArgument` for a bad one."""
    return Comparator.regex(pattern)


def SubstringComparator(text: str) -> Comparator:
    """A text that is contained, whatever its case; compares by ``=`` and ``!=``."""
    return Comparator.substring(text)


def BitComparator(value: Bytes, op: str) -> Comparator:
    """Bytes of the same length, combined by ``and``, ``or`` or ``xor``: matches if a bit is left; compares by ``=`` and ``!=``."""
    return Comparator.bit(value, op)


def NullComparator() -> Comparator:
    """What is not there: as every part of a cell is, only ``!=`` keeps anything."""
    return Comparator.null()


def LongComparator(value: int) -> Comparator:
    """Eight bytes as a signed big-endian number, such as a counter."""
    return Comparator.long(value)
