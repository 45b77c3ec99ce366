"""The tables of the guides that HBase users learn from, as data: the shell's statement, and the same table over Thrift.

`families` has the attributes of the Thrift structs by the names of the shell; those left out have HBase's defaults.
"""
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Table:
    """A table of a guide. `names` of families are in alphabetical order; `splits` are the first rows of its regions but
    the first."""

    statement: str
    name: str
    families: dict
    splits: tuple = ()
    attributes: dict = field(default_factory=dict)


def plain(*names):
    return {name: {} for name in names}


def hexadecimal(regions, digits=16):
    """The splits that a program computes: the range of hexadecimal numbers, divided by the number of regions."""
    step = (16**digits - 1) // regions
    return tuple(f"{step * i:0{digits}x}".encode() for i in range(1, regions))


MONTH = 2592000

TABLES = (
    Table("create 'test', 'cf'", "test", plain("cf")),
    Table("create 'webtable', {NAME => 'contents', VERSIONS => 3}, {NAME => 'anchor'}, {NAME => 'people'}", "webtable",
          {"anchor": {}, "contents": {"VERSIONS": 3}, "people": {}}),
    Table("create 'social-usage', 'i', 'fb', 'tw', 't'", "social-usage", plain("fb", "i", "t", "tw")),
    # Pre-splitting.
    Table("create 'decades', 'f', SPLITS => ['10', '20', '30', '40', '50', '60', '70', '80', '90']", "decades", plain("f"),
          tuple(b"%d" % i for i in range(10, 100, 10))),
    Table("create 'hexadecimal', 'f', {NUMREGIONS => 5, SPLITALGO => 'HexStringSplit'}", "hexadecimal", plain("f"), hexadecimal(5, 8)),
    Table("create 'decimal', 'f', {NUMREGIONS => 4, SPLITALGO => 'DecimalStringSplit'}", "decimal", plain("f"),
          (b"25000000", b"50000000", b"75000000")),
    Table("create 'uniform', 'f', {NUMREGIONS => 4, SPLITALGO => 'UniformSplit'}", "uniform", plain("f"),
          tuple(bytes([at]) + bytes(7) for at in (0x40, 0x80, 0xC0))),
    Table("create 'computed', 'f', SPLITS => (1..3).map { |i| format('%016x', 0xffffffffffffffff / 4 * i) }", "computed", plain("f"), hexadecimal(4)),
    # The message store.
    Table("create 'messages', {NAME => 'm', VERSIONS => 1}, SPLITS => (1..19).map { |i| format('%02d', i * 5) }", "messages",
          {"m": {"VERSIONS": 1}}, tuple(b"%02d" % i for i in range(5, 100, 5))),
    Table("create 'messages-by-day', 'i', SPLITS => (1..9).map(&:to_s)", "messages-by-day", plain("i"), tuple(b"%d" % i for i in range(1, 10))),
    # Families.
    Table("create 'recent', {NAME => 'f', VERSIONS => 10, MIN_VERSIONS => 1, TTL => 2592000}", "recent",
          {"f": {"VERSIONS": 10, "MIN_VERSIONS": 1, "TTL": MONTH}}),
    Table("create 'cached', {NAME => 'f', IN_MEMORY => true, BLOOMFILTER => 'ROW', BLOCKSIZE => '65536', BLOCKCACHE => true}", "cached",
          {"f": {"IN_MEMORY": "true", "BLOOMFILTER": "ROW", "BLOCKSIZE": 65536, "BLOCKCACHE": "true"}}),
    Table("create 'columns', {NAME => 'f', BLOOMFILTER => 'ROWCOL'}", "columns", {"f": {"BLOOMFILTER": "ROWCOL"}}),
    Table("create 'encoded', {NAME => 'f', DATA_BLOCK_ENCODING => 'DIFF'}", "encoded", {"f": {"DATA_BLOCK_ENCODING": "DIFF"}}),
    Table("create 'fast', {NAME => 'f', DATA_BLOCK_ENCODING => 'FAST_DIFF', COMPRESSION => 'SNAPPY'}", "fast",
          {"f": {"DATA_BLOCK_ENCODING": "FAST_DIFF", "COMPRESSION": "SNAPPY"}}),
    Table("create 'kept', {NAME => 'f', VERSIONS => 5, KEEP_DELETED_CELLS => 'TRUE'}", "kept", {"f": {"VERSIONS": 5, "KEEP_DELETED_CELLS": "TRUE"}}),
    *(Table(f"create 'with-{codec.lower()}', {{NAME => 'f', COMPRESSION => '{codec}'}}", f"with-{codec.lower()}", {"f": {"COMPRESSION": codec}})
      for codec in ("NONE", "GZ", "SNAPPY", "LZ4", "LZO", "ZSTD")),
)

# Changes of a table, as the guides make them, and the attributes of the family afterwards.
CHANGES = (
    (("disable 'test'", "alter 'test', NAME => 'cf', VERSIONS => 5", "enable 'test'", "major_compact 'test'"), {"VERSIONS": "5"}),
    (("disable 'test'", "alter 'test', {NAME => 'cf', COMPRESSION => 'SNAPPY', TTL => 2592000}", "enable 'test'"),
     {"VERSIONS": "5", "COMPRESSION": "SNAPPY", "TTL": str(MONTH)}),
    (("alter 'test', {NAME => 'cf', DATA_BLOCK_ENCODING => 'DIFF', MIN_VERSIONS => 1}",),
     {"VERSIONS": "5", "DATA_BLOCK_ENCODING": "DIFF", "MIN_VERSIONS": "1", "COMPRESSION": "SNAPPY"}),
)
