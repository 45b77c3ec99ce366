"""The names of HBase's attributes, and the check of names that programs give.

HBase stores attributes of any name. A misspelt one would be stored, too, and the attribute that was meant would keep
its default. ``node/lib/attributes.js`` has the same names and makes the same check.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Literal

Level = Literal["family", "table"]

# HBase's `ColumnFamilyDescriptorBuilder` and `TableDescriptorBuilder`. OWNER, which no version since 2.0 reads, is not
# listed: `owner` is a common name for metadata.
NAMES: dict[Level, tuple[str, ...]] = {
    "family": (
        "BLOCKCACHE",
        "BLOCKSIZE",
        "BLOOMFILTER",
        "CACHE_BLOOMS_ON_WRITE",
        "CACHE_DATA_ON_WRITE",
        "CACHE_INDEX_ON_WRITE",
        "COMPRESSION",
        "COMPRESSION_COMPACT",
        "COMPRESSION_COMPACT_MAJOR",
        "COMPRESSION_COMPACT_MINOR",
        "COMPRESS_TAGS",
        "DATA_BLOCK_ENCODING",
        "DFS_REPLICATION",
        "ENCRYPTION",
        "ENCRYPTION_KEY",
        "EVICT_BLOCKS_ON_CLOSE",
        "INDEX_BLOCK_ENCODING",
        "IN_MEMORY",
        "IN_MEMORY_COMPACTION",
        "IS_MOB",
        "KEEP_DELETED_CELLS",
        "MIN_VERSIONS",
        "MOB_COMPACT_PARTITION_POLICY",
        "MOB_THRESHOLD",
        "NEW_VERSION_BEHAVIOR",
        "PREFETCH_BLOCKS_ON_OPEN",
        "REPLICATION_SCOPE",
        "STORAGE_POLICY",
        "TTL",
        "VERSIONS",
    ),
    "table": (
        "COMPACTION_ENABLED",
        "DURABILITY",
        "ERASURE_CODING_POLICY",
        "FLUSH_POLICY",
        "IS_META",
        "MAX_FILESIZE",
        "MEMSTORE_FLUSHSIZE",
        "MERGE_ENABLED",
        "NORMALIZATION_ENABLED",
        "NORMALIZER_TARGET_REGION_COUNT",
        "NORMALIZER_TARGET_REGION_SIZE",
        "NORMALIZER_TARGET_REGION_SIZE_MB",
        "PRIORITY",
        "READONLY",
        "REGION_MEMSTORE_REPLICATION",
        "REGION_REPLICATION",
        "SPLIT_ENABLED",
        "SPLIT_POLICY",
    ),
}

# What HappyBase and the Node package call an attribute, in the form of `_folded`.
ALIASES: dict[Level, dict[str, str]] = {
    "family": {
        "BLOCKCACHEENABLED": "BLOCKCACHE",
        "BLOOMFILTERTYPE": "BLOOMFILTER",
        "MAXVERSIONS": "VERSIONS",
        "TIMETOLIVE": "TTL",
        "TTLSECONDS": "TTL",
    },
    "table": {},
}

# Names of at least this length may differ in two letters, or in the first one.
_LONG = 8


def _folded(name: str) -> str:
    """The letters and digits of a name, in upper case."""
    return "".join(filter(str.isalnum, name)).upper()


_MEANT: dict[Level, dict[str, str]] = {
    level: {**{_folded(name): name for name in names}, **ALIASES[level]} for level, names in NAMES.items()
}
_DIFFERENCE_MAX = 2


def _difference(a: str, b: str) -> int:
    """How many letters must be replaced, inserted, removed or swapped with the next one to change a word to another."""
    before: list[int] = []
    row = list(range(len(b) + 1))
    for i, letter in enumerate(a, 1):
        before, last, row = row, before, [i]
        for j, other in enumerate(b, 1):
            least = min(row[j - 1] + 1, before[j] + 1, before[j - 1] + (letter != other))
            if i > 1 and j > 1 and letter == b[j - 2] and a[i - 2] == other:
                least = min(least, last[j - 2] + 1)
            row.append(least)
    return row[-1]


def meant(name: str, level: Level) -> str | None:
    """The attribute that a name is probably meant to be, or `None` if it is one, or resembles none."""
    if name in NAMES[level]:
        return None
    given = _folded(name)
    best, least = None, _DIFFERENCE_MAX + 1
    for known, attribute in _MEANT[level].items():
        if abs(len(known) - len(given)) > _DIFFERENCE_MAX:
            continue
        difference = _difference(given, known)
        is_long, same_start = len(known) >= _LONG, given[:1] == known[:1]
        allowed = 2 if is_long and same_start else 1 if is_long or same_start else 0
        if difference <= allowed and difference < least:
            best, least = attribute, difference
    return best


def check_names(attributes: Mapping[Any, Any], level: Level, where: str, remedy: str) -> None:
    """Checks the names of attributes that programs give. Raises `TypeError` for one that HBase does not know if it
    resembles one that HBase knows, or is one of the other level. An attribute with an empty value, which is removed,
    may have any name.

    `where`: the function, and the family if there is one. `remedy`: how to store the name all the same, with a ``%s``
    for it.
    """
    for name in _texts(key for key, value in attributes.items() if not _is_empty(value)):
        if level == "family" and name in NAMES["table"]:
            reason = f"{name!r} is an attribute of tables: give it in attributes of create_table or alter_table"
        elif level == "table" and name in NAMES["family"]:
            reason = f"{name!r} is an attribute of families: give it in the options of a family"
        elif (attribute := meant(name, level)) is not None:
            reason = f"unknown attribute {name!r}: did you mean {attribute!r}?"
        else:
            continue
        raise TypeError(f"{where}: {reason} ({remedy % repr(name)} stores a name of your own)")


def _is_empty(value: object) -> bool:
    return isinstance(value, (str, bytes, bytearray)) and not value


def _texts(names: Iterable[Any]) -> Iterable[str]:
    """The names that are text. The native module checks the others."""
    for name in names:
        if isinstance(name, str):
            yield name
        elif isinstance(name, (bytes, bytearray)):
            yield name.decode("utf-8", "backslashreplace")
