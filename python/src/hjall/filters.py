"""HBase's filters: they select the rows and cells that a read returns.

``a & b`` keeps what both filters keep; ``a | b`` keeps what at least one of them keeps. `compare` is ``=``, ``!=``,
``<``, ``<=``, ``>`` or ``>=``, with the part of the cell on the left and `value`, which is bytes or a comparator, on
the right.

>>> import hjall
>>> from hjall.filters import ColumnPrefixFilter, SubstringComparator, ValueFilter
>>> db = hjall.memory()
>>> db.create_table("t", {"f": {}})
>>> db.table("t").put(b"r", {b"f:city": b"Oslo", b"f:state": b"Oslo", b"f:name": b"Ann"})
>>> db.table("t").row(b"r", filter=ColumnPrefixFilter(b"ci") & ValueFilter("=", SubstringComparator("slo")))
{b'f:city': b'Oslo'}
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Iterator
from typing import Any, ParamSpec, TypeAlias, TypeVar

from hjall._native import Comparator, Filter
from hjall.arguments import invalid

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
With: TypeAlias = "Bytes | Comparator"

P = ParamSpec("P")
Made = TypeVar("Made", Filter, Comparator)


def _shown(make: Callable[P, Made]) -> Callable[P, Made]:
    """Gives the results of a function the call as their `repr`."""

    @functools.wraps(make)
    def call(*args: P.args, **kwargs: P.kwargs) -> Made:
        # An iterator would be empty the second time.
        values: Any = [list(arg) if isinstance(arg, Iterator) else arg for arg in args]
        try:
            made = make(*values, **kwargs)
        except (TypeError, OverflowError) as error:
            # Missing and unknown arguments are named by Python.
            named = str(error).startswith(make.__name__)
            raise error if named else type(error)(f"{make.__name__}: {error}") from None
        except UnicodeEncodeError as error:
            raise invalid(f"{make.__name__}: {error}") from error
        words = [*(repr(value) for value in values), *(f"{name}={value!r}" for name, value in kwargs.items())]
        made._describe(f"{make.__name__}({', '.join(words)})")
        return made

    return call


@_shown
def parse(text: str | Bytes) -> Filter:
    """Parses a filter in HBase's filter language. Raises `InvalidArgument` with the position of a mistake.

    >>> parse("PrefixFilter('a') AND PageFilter(3)") == PrefixFilter(b"a") & PageFilter(3)
    True
    """
    return Filter.parse(text)


@_shown
def from_bytes(data: Bytes) -> Filter:
    """Parses HBase's serialized form, which `Filter.to_bytes` returns. Raises `InvalidArgument` if it is malformed.

    >>> from_bytes(PageFilter(3).to_bytes()) == PageFilter(3)
    True
    """
    return Filter.from_bytes(data)


# -- filters on rows ------------------------------------------------------------------------------


@_shown
def PrefixFilter(prefix: Bytes) -> Filter:
    """Keeps rows whose keys start with `prefix`."""
    return Filter.prefix(prefix)


@_shown
def RowFilter(compare: str, value: With) -> Filter:
    """Keeps rows for whose keys the comparison holds."""
    return Filter.row(compare, value)


@_shown
def InclusiveStopFilter(row: Bytes) -> Filter:
    """Ends the scan after `row`, which is included."""
    return Filter.inclusive_stop(row)


@_shown
def PageFilter(size: int) -> Filter:
    """Keeps the first `size` rows **of each region**. Raises `InvalidArgument` for a negative size."""
    return Filter.page(size)


@_shown
def RandomRowFilter(chance: float) -> Filter:
    """Keeps each row with the probability `chance`, between 0 and 1."""
    return Filter.random_row(chance)


@_shown
def FuzzyRowFilter(pairs: Iterable[tuple[Bytes, Bytes]]) -> Filter:
    """Keeps rows whose keys match one of the ``(key, mask)`` pairs. A mask byte of 0 requires the byte of the key at
    the same position; 1 allows any byte.

    Raises `InvalidArgument` if there is no pair, or if a mask and its key differ in length.
    """
    return Filter.fuzzy_row(list(pairs))


@_shown
def MultiRowRangeFilter(ranges: Iterable[tuple[Bytes, Bytes] | tuple[Bytes, Bytes, bool, bool]]) -> Filter:
    """Keeps rows in one of the ranges, each ``(start, stop)`` or ``(start, stop, start_inclusive, stop_inclusive)``. By
    default, the start is inclusive and the stop is exclusive. An empty start or stop is unbounded.

    Raises `InvalidArgument` if there is no range, or if a range cannot contain a row.
    """
    complete = [(*each, True, False) if len(each) == 2 else each for each in ranges]
    return Filter.multi_row_range(complete)


# -- filters on columns ---------------------------------------------------------------------------


@_shown
def FamilyFilter(compare: str, value: With) -> Filter:
    """Keeps cells for whose family the comparison holds."""
    return Filter.family(compare, value)


@_shown
def QualifierFilter(compare: str, value: With) -> Filter:
    """Keeps cells for whose qualifier the comparison holds."""
    return Filter.qualifier(compare, value)


@_shown
def ColumnPrefixFilter(prefix: Bytes) -> Filter:
    """Keeps columns whose qualifier starts with `prefix`."""
    return Filter.column_prefix(prefix)


@_shown
def MultipleColumnPrefixFilter(prefixes: Iterable[Bytes]) -> Filter:
    """Keeps columns whose qualifier starts with one of the prefixes. Raises `InvalidArgument` for a duplicate
    prefix."""
    return Filter.multiple_column_prefix(list(prefixes))


@_shown
def ColumnRangeFilter(
    min_column: Bytes | None = None,
    min_inclusive: bool = True,
    max_column: Bytes | None = None,
    max_inclusive: bool = False,
) -> Filter:
    """Keeps columns whose qualifier is in a range; `None` is unbounded."""
    return Filter.column_range(min_column, min_inclusive, max_column, max_inclusive)


@_shown
def ColumnCountGetFilter(limit: int) -> Filter:
    """Keeps the first `limit` columns of a row, for reads of one row. Raises `InvalidArgument` for a negative limit."""
    return Filter.column_count_get(limit)


@_shown
def ColumnPaginationFilter(limit: int, offset: int = 0, column_offset: Bytes | None = None) -> Filter:
    """Keeps `limit` columns of each row, after the first `offset` columns, or starting at the qualifier
    `column_offset`.

    Raises `InvalidArgument` for a negative number.
    """
    return Filter.column_pagination(limit, offset, column_offset)


@_shown
def FirstKeyOnlyFilter() -> Filter:
    """Keeps only the first cell of each row, for counting rows."""
    return Filter.first_key_only()


@_shown
def FirstKeyValueMatchingQualifiersFilter(qualifiers: Iterable[Bytes]) -> Filter:
    """Keeps the cells of each row up to and including the first one that has one of the qualifiers."""
    return Filter.first_key_value_matching_qualifiers(list(qualifiers))


# -- filters on values and timestamps -------------------------------------------------------------


@_shown
def ValueFilter(compare: str, value: With) -> Filter:
    """Keeps cells for whose value the comparison holds."""
    return Filter.value(compare, value)


@_shown
def KeyOnlyFilter(length_as_value: bool = False) -> Filter:
    """Keeps every cell, without its value. With `length_as_value`, the value is replaced by its length as 4 bytes,
    big-endian."""
    return Filter.key_only(length_as_value)


@_shown
def TimestampsFilter(timestamps: Iterable[int], can_hint: bool = False) -> Filter:
    """Keeps cells with exactly these timestamps, in milliseconds since 1970. `can_hint`: seek to the next timestamp
    instead of reading the cells between. Raises `InvalidArgument` for a negative timestamp."""
    return Filter.timestamps(list(timestamps), can_hint)


@_shown
def SingleColumnValueFilter(
    family: Bytes,
    qualifier: Bytes,
    compare: str,
    value: With,
    *,
    filter_if_missing: bool = False,
    latest_version_only: bool = True,
) -> Filter:
    """Keeps rows for whose value of one column the comparison holds. The column must be among the columns that are
    read.

    `filter_if_missing`: drop rows without the column, which are kept otherwise. `latest_version_only`: compare the
    newest version only.

    >>> import hjall
    >>> db = hjall.memory()
    >>> db.create_table("t", {"f": {}})
    >>> db.table("t").put(b"a", {b"f:age": b"41"})
    >>> [key for key, _ in db.table("t").scan(filter=SingleColumnValueFilter(b"f", b"age", ">", b"40"))]
    [b'a']
    """
    return Filter.single_column_value(family, qualifier, compare, value, filter_if_missing, latest_version_only)


@_shown
def SingleColumnValueExcludeFilter(
    family: Bytes,
    qualifier: Bytes,
    compare: str,
    value: With,
    *,
    filter_if_missing: bool = False,
    latest_version_only: bool = True,
) -> Filter:
    """Selects rows as `SingleColumnValueFilter`, and leaves the column out of the rows."""
    return Filter.single_column_value_exclude(family, qualifier, compare, value, filter_if_missing, latest_version_only)


@_shown
def ColumnValueFilter(family: Bytes, qualifier: Bytes, compare: str, value: With) -> Filter:
    """Keeps only the cells of one column for whose value the comparison holds."""
    return Filter.column_value(family, qualifier, compare, value)


@_shown
def DependentColumnFilter(
    family: Bytes, qualifier: Bytes, drop_column: bool = False, compare: str | None = None, value: With | None = None
) -> Filter:
    """Keeps the cells that have the same timestamp as a cell of a reference column in the same row.

    `drop_column`: leave the reference column out. `compare` and `value`: consider only the cells of the reference
    column for which the comparison holds. Raises `ValueError` if only one of them is given.
    """
    return Filter.dependent(family, qualifier, drop_column, compare, value)


# -- combinations of filters ----------------------------------------------------------------------


@_shown
def FilterList(operator: str, filters: Iterable[Filter]) -> Filter:
    """Combines filters: the operator ``MUST_PASS_ALL`` corresponds to ``&``, and ``MUST_PASS_ONE`` to ``|``. Raises
    `ValueError` for any other operator."""
    if operator == "MUST_PASS_ALL":
        return Filter.all(list(filters))
    if operator == "MUST_PASS_ONE":
        return Filter.one(list(filters))
    raise invalid(f"operator must be MUST_PASS_ALL or MUST_PASS_ONE, not {operator!r}")


@_shown
def SkipFilter(inner: Filter) -> Filter:
    """Drops a whole row if `inner` drops any of its cells."""
    return Filter.skip(inner)


@_shown
def WhileMatchFilter(inner: Filter) -> Filter:
    """Ends the scan as soon as `inner` drops a row or cell."""
    return Filter.while_match(inner)


# -- comparators ----------------------------------------------------------------------------------


@_shown
def BinaryComparator(value: Bytes) -> Comparator:
    """Compares with all bytes of `value`. Plain bytes in place of a comparator mean the same."""
    return Comparator.binary(value)


@_shown
def BinaryPrefixComparator(value: Bytes) -> Comparator:
    """Compares the first ``len(value)`` bytes with `value`."""
    return Comparator.binary_prefix(value)


@_shown
def BinaryComponentComparator(value: Bytes, offset: int) -> Comparator:
    """Compares ``len(value)`` bytes from `offset` on with `value`."""
    return Comparator.binary_component(value, offset)


@_shown
def RegexStringComparator(pattern: str) -> Comparator:
    """Searches for a Java regular expression in the bytes, decoded as UTF-8. Supports ``=`` and ``!=``. Raises
    `InvalidArgument` for an invalid pattern."""
    return Comparator.regex(pattern)


@_shown
def SubstringComparator(text: str) -> Comparator:
    """Searches for a substring, ignoring case. Supports ``=`` and ``!=``."""
    return Comparator.substring(text)


@_shown
def BitComparator(value: Bytes, op: str) -> Comparator:
    """Combines bytes of the same length with `value` by ``and``, ``or`` or ``xor`` and matches if any bit of the
    result is set. Supports ``=`` and ``!=``. Raises `ValueError` for another `op`."""
    return Comparator.bit(value, op)


@_shown
def NullComparator() -> Comparator:
    """Compares with null. No part of a cell is null, so only ``!=`` keeps cells."""
    return Comparator.null()


@_shown
def LongComparator(value: int) -> Comparator:
    """Compares 8 bytes as a signed big-endian integer, such as a counter."""
    return Comparator.long(value)
