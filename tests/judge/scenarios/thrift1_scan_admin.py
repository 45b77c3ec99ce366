"""Thrift1: scanners, and the calls that create, change and describe tables."""
from scenario import scenario

LATEST = 2 ** 63 - 1


# ---------------------------------------------------------------- helpers

def create(j, t, *families, versions=3):
    j.t1.createTable(tableName=t, columnFamilies=[{"name": f + ":", "maxVersions": versions} for f in families])


def create_split(j, t, families, keys):
    j.t2.createTable(desc={"tableName": {"ns": "default", "qualifier": t},
                           "columns": [{"name": f, "maxVersions": 3} for f in families]}, splitKeys=keys)


def fill(j, t, rows, ts):
    """rows: {row: {column: value}}, all at one timestamp."""
    j.t1.mutateRowsTs(tableName=t, timestamp=ts, attributes={}, rowBatches=[
        {"row": row, "mutations": [{"column": c, "value": v} for c, v in cells.items()]} for row, cells in rows.items()])


def took(s):
    return isinstance(s, dict) and "$var" in s


def drain(j, s, n=50):
    if took(s):
        j.t1.scannerGetList(id=s, nbRows=n)
        j.t1.scannerClose(id=s)


def scan(j, t, n=50, attributes=None, **fields):
    drain(j, j.t1.scannerOpenWithScan(tableName=t, scan=fields, attributes=attributes or {}), n)


# ---------------------------------------------------------------- scanners

@scenario("t1scan-life")
def life(j):
    """From open to close, one row and several rows at a time, and ids that are not open."""
    t = j.table()
    create(j, t, "f", "g")
    s = j.t1.scannerOpen(tableName=t, startRow="", columns=[], attributes={})
    j.t1.scannerGet(id=s)
    j.t1.scannerGet(id=s)
    j.t1.scannerGetList(id=s, nbRows=3)
    j.t1.scannerClose(id=s)
    fill(j, t, {f"row{i}": {"f:a": f"{i}", "g:b": f"{i * 2}"} for i in range(9)}, 10)
    s = j.t1.scannerOpen(tableName=t, startRow="", columns=[], attributes={})
    j.t1.scannerGet(id=s)
    j.t1.scannerGetList(id=s, nbRows=0)
    j.t1.scannerGetList(id=s, nbRows=2)
    j.t1.scannerGet(id=s)
    j.t1.scannerGetList(id=s, nbRows=-1)
    j.t1.scannerGetList(id=s, nbRows=-2147483648)
    j.t1.scannerGetList(id=s, nbRows=1)
    j.t1.scannerGetList(id=s, nbRows=100000)
    j.t1.scannerGetList(id=s, nbRows=5)
    j.t1.scannerGet(id=s)
    j.t1.scannerGetList(id=s, nbRows=0)
    j.t1.scannerGetList(id=s, nbRows=-1)
    j.t1.scannerClose(id=s)
    j.t1.scannerGet(id=s)
    j.t1.scannerGetList(id=s, nbRows=1)
    j.t1.scannerGetList(id=s, nbRows=-1)
    j.t1.scannerClose(id=s)
    for unknown in (-1, 2147483647, -2147483648):
        j.t1.scannerGet(id=unknown)
        j.t1.scannerGetList(id=unknown, nbRows=1)
        j.t1.scannerClose(id=unknown)
    s = j.t1.scannerOpen(tableName=t, startRow="row7", columns=[], attributes={})
    j.t1.scannerClose(id=s)
    j.t1.scannerGet(id=s)
    s = j.t1.scannerOpen(tableName=t, startRow="row7", columns=[], attributes={})
    j.t1.scannerGetList(id=s)
    j.t1.scannerClose(id=s)


@scenario("t1scan-many-open")
def many_open(j):
    """Several scanners of one table keep separate positions."""
    t = j.table()
    create(j, t, "f")
    fill(j, t, {r: {"f:a": r} for r in "abcdef"}, 3)
    one = j.t1.scannerOpen(tableName=t, startRow="", columns=[], attributes={})
    two = j.t1.scannerOpen(tableName=t, startRow="c", columns=[], attributes={})
    back = j.t1.scannerOpenWithScan(tableName=t, scan={"reversed": True, "caching": 1}, attributes={})
    j.t1.scannerGet(id=one)
    j.t1.scannerGet(id=back)
    j.t1.scannerGetList(id=two, nbRows=2)
    j.t1.scannerGet(id=one)
    j.t1.scannerClose(id=two)
    j.t1.scannerGet(id=two)
    j.t1.scannerGetList(id=back, nbRows=2)
    j.t1.scannerGetList(id=one, nbRows=9)
    three = j.t1.scannerOpen(tableName=t, startRow="e", columns=[], attributes={})
    j.t1.scannerGetList(id=three, nbRows=9)
    j.t1.scannerGetList(id=back, nbRows=9)
    j.t1.scannerGet(id=two)
    j.t1.scannerClose(id=back)
    j.t1.scannerClose(id=three)
    j.t1.scannerClose(id=one)


@scenario("t1scan-ranges")
def ranges(j):
    """Start and stop rows: inside, outside, equal, crossed, empty, and rows that differ in a trailing zero byte."""
    t = j.table()
    create(j, t, "f")
    rows = ["\x00", "\x00\x00", "A", "a", "a\x00", "a\x00\x00", "a\x01", "aa", "b", "\x7f", "\x80", "\xfe", "\xff", "\xff\x00", "\xff\xff"]
    fill(j, t, {r: {"f:": "v"} for r in rows}, 1)
    for start in ("", "\x00", "\x00\x00\x00", "a", "a\x00", "aab", "zz", "\xff", "\xff\xff", "\xff\xff\xff"):
        drain(j, j.t1.scannerOpen(tableName=t, startRow=start, columns=[], attributes={}))
    for start, stop in (("", ""), ("", "a"), ("", "a\x00"), ("a", "b"), ("a", "a"), ("a", "a\x00"), ("a\x00", "a"), ("b", "a"), ("a0", "a0"),
                        ("aa", ""), ("\x00", "\x00"), ("\xff", ""), ("\xff", "\xff"), ("\xff", "\xff\xff"), ("\xfe", "\xff"), ("\x7f", "\x80"),
                        ("\x80", "\x7f"), ("\xff\xff\xff", "\xff\xff\xff\xff"), ("", "\x00")):
        drain(j, j.t1.scannerOpenWithStop(tableName=t, startRow=start, stopRow=stop, columns=[], attributes={}))


@scenario("t1scan-prefix")
def prefix(j):
    """scannerOpenWithPrefix, also with bytes 0xff and with columns."""
    t = j.table()
    create(j, t, "f", "g")
    rows = ["a", "ab", "ab\xff", "ab\xff\xff", "abc", "ac", "b", "\x00", "\x00\xff", "\xfe", "\xff", "\xff\x00", "\xff\xff", "\xff\xff\xff", "\xff\xffa"]
    fill(j, t, {r: {"f:1": r, "g:2": "w"} for r in rows}, 1)
    fill(j, t, {"b1": {"f:1": "only f"}, "b2": {"g:2": "only g"}}, 2)
    for p in ("", "a", "ab", "ab\xff", "abc", "abcd", "b", "c", "\x00", "\xfe", "\xff", "\xff\xff", "\xff\xff\xff\xff", "\xff\xffb"):
        drain(j, j.t1.scannerOpenWithPrefix(tableName=t, startAndPrefix=p, columns=[], attributes={}))
    for columns in (["f"], ["g:2"], ["f:1", "g"], ["f:9"], None):
        drain(j, j.t1.scannerOpenWithPrefix(tableName=t, startAndPrefix="b", columns=columns, attributes={}))
    s = j.t1.scannerOpenWithPrefix(tableName=t, startAndPrefix="ab", columns=[], attributes={})
    j.t1.scannerGet(id=s)
    j.t1.scannerGetList(id=s, nbRows=2)
    j.t1.scannerGetList(id=s, nbRows=2)
    j.t1.scannerGet(id=s)
    j.t1.scannerClose(id=s)


@scenario("t1scan-timestamps")
def timestamps(j):
    """The upper bound of the Ts calls and of TScan.timestamp is exclusive; older versions below it become visible."""
    t = j.table()
    create(j, t, "f", "g")
    for ts in (5, 10, 15, 20):
        fill(j, t, {"r1": {"f:a": f"v{ts}"}}, ts)
    fill(j, t, {"r2": {"f:a": "zero", "g:a": "zero"}}, 0)
    fill(j, t, {"r3": {"f:a": "one"}, "r4": {"g:b": "one"}}, 1)
    fill(j, t, {"r5": {"f:a": "far"}}, LATEST - 1)
    for ts in (0, 1, 2, 5, 6, 10, 15, 16, 20, 21, LATEST - 1, LATEST, -1, -(2 ** 63)):
        drain(j, j.t1.scannerOpenTs(tableName=t, startRow="", columns=[], timestamp=ts, attributes={}))
    drain(j, j.t1.scannerOpenTs(tableName=t, startRow="", columns=[], attributes={}))
    drain(j, j.t1.scannerOpenTs(tableName=t, startRow="r2", columns=["f"], timestamp=2, attributes={}))
    drain(j, j.t1.scannerOpenTs(tableName=t, startRow="r2", columns=["g:a", "f:a"], timestamp=2, attributes={}))
    for start, stop, ts in (("r1", "r3", 16), ("r1", "r1", 16), ("r3", "r1", 16), ("", "r2", 6), ("r4", "", 2), ("r4", "", 1), ("r1", "r9", -7), ("", "", 0)):
        drain(j, j.t1.scannerOpenWithStopTs(tableName=t, startRow=start, stopRow=stop, columns=[], timestamp=ts, attributes={}))
    drain(j, j.t1.scannerOpenWithStopTs(tableName=t, startRow="r1", stopRow="r9", columns=["g"], timestamp=100, attributes={}))
    drain(j, j.t1.scannerOpenWithStopTs(tableName=t, startRow="r1", stopRow="r9", columns=[], attributes={}))
    for ts in (0, 1, 6, 16, LATEST, -1):
        scan(j, t, timestamp=ts)
    scan(j, t, timestamp=16, reversed=True, stopRow="r2")


@scenario("t1scan-columns")
def columns(j):
    """Interpretation of a list of columns: families, single columns, an empty qualifier, duplicates and order."""
    t = j.table()
    create(j, t, "f", "g", "h")
    fill(j, t, {"r1": {"f:": "empty", "f:a": "1", "f:b": "2", "f:a:b": "colon", "g:": "ge", "g:a": "3", "h:x": "4"},
                "r2": {"g:a": "only"}, "r3": {"f:b": "b"}, "r4": {"h:": "he"}}, 4)
    lists = (None, [], ["f"], ["f:"], ["f:a"], ["f:a", "f:b"], ["f:b", "f:a"], ["f:a", "f:a"], ["f", "f:a"], ["f:a", "f"], ["f", "f:a", "f:b"],
             ["f:a", "f", "f:b"], ["f", "f:"], ["f:", "f:a"], ["f:a:b"], ["f:a:"], ["f:zz"], ["f:zz", "f:a"], ["g", "h"], ["h", "f:b"],
             ["g:a", "f"], ["F"], ["f", "no"], ["no:a"], ["no"], [""], [":a"], [":"], ["f:\x00"], ["f:a\x00"])
    for c in lists:
        drain(j, j.t1.scannerOpen(tableName=t, startRow="", columns=c, attributes={}))
    for c in (None, [], ["f"], ["f:"], ["f", "f:a"], ["f:a", "f"], ["g:a", "h"], ["no"], [""]):
        scan(j, t, columns=c)
    drain(j, j.t1.scannerOpenWithStop(tableName=t, startRow="r2", stopRow="r4", columns=["g", "f:b"], attributes={}))
    drain(j, j.t1.scannerOpenWithStop(tableName=t, startRow="", stopRow="", columns=["no:x"], attributes={}))


@scenario("t1scan-unset")
def unset(j):
    """Missing arguments and fields, and invalid or missing table names."""
    t = j.table()
    create(j, t, "f")
    fill(j, t, {"a": {"f:1": "x"}, "b": {"f:1": "y"}}, 2)
    drain(j, j.t1.scannerOpen(tableName=t, startRow=None, columns=[], attributes={}))
    drain(j, j.t1.scannerOpen(tableName=t, startRow="", columns=None, attributes=None))
    drain(j, j.t1.scannerOpenWithStop(tableName=t, startRow=None, stopRow="b", columns=None, attributes=None))
    drain(j, j.t1.scannerOpenWithStop(tableName=t, startRow="a", stopRow=None, columns=None, attributes=None))
    drain(j, j.t1.scannerOpenWithPrefix(tableName=t, startAndPrefix=None, columns=None, attributes=None))
    drain(j, j.t1.scannerOpenWithPrefix(tableName=t, startAndPrefix="a", columns=None, attributes=None))
    drain(j, j.t1.scannerOpenTs(tableName=t, startRow=None, columns=None, timestamp=9, attributes=None))
    drain(j, j.t1.scannerOpenTs(tableName=t, startRow="", columns=None, timestamp=9, attributes=None))
    drain(j, j.t1.scannerOpenWithStopTs(tableName=t, startRow="", stopRow=None, columns=None, timestamp=9, attributes=None))
    drain(j, j.t1.scannerOpenWithScan(tableName=t, scan=None, attributes={}))
    drain(j, j.t1.scannerOpenWithScan(tableName=t, scan={}, attributes=None))
    drain(j, j.t1.scannerOpenWithScan(tableName=t, scan={"startRow": ""}, attributes={}))
    drain(j, j.t1.scannerOpenWithScan(tableName=t, scan={"stopRow": ""}, attributes={}))
    drain(j, j.t1.scannerOpenWithScan(tableName=t, scan={"stopRow": "b"}, attributes={}))
    for name in (None, "", "no such name", "-x", "a:b:c", j.table("absent"), "no_such_ns_here:" + t, ":" + t):
        drain(j, j.t1.scannerOpen(tableName=name, startRow="", columns=[], attributes={}))
        drain(j, j.t1.scannerOpenWithStop(tableName=name, startRow="a", stopRow="b", columns=[], attributes={}))
        drain(j, j.t1.scannerOpenWithPrefix(tableName=name, startAndPrefix="a", columns=[], attributes={}))
        drain(j, j.t1.scannerOpenTs(tableName=name, startRow="", columns=[], timestamp=1, attributes={}))
        drain(j, j.t1.scannerOpenWithStopTs(tableName=name, startRow="", stopRow="", columns=[], timestamp=1, attributes={}))
        drain(j, j.t1.scannerOpenWithScan(tableName=name, scan={}, attributes={}))
    drain(j, j.t1.scannerOpen(tableName="default:" + t, startRow="b", columns=[], attributes={}))
    drain(j, j.t1.scannerOpen(tableName=j.table("absent"), startRow="", columns=["f"], attributes={}), n=0)


@scenario("t1scan-row-limit")
def row_limit(j):
    """Start and stop rows have the same maximum length as row keys."""
    t = j.table()
    create(j, t, "f")
    fill(j, t, {"r": {"f:1": "x"}, "s": {"f:1": "y"}}, 2)
    scan(j, t, startRow="r" * 32767)
    scan(j, t, stopRow="r" * 32767)
    scan(j, t, stopRow="r" * 32768)
    scan(j, t, startRow="r" * 32768)
    drain(j, j.t1.scannerOpen(tableName=t, startRow="r" * 32768, columns=[], attributes={}))


@scenario("t1scan-shape")
def shape(j):
    """Rows with and without sortColumns."""
    t = j.table()
    create(j, t, "b", "a", "z")
    fill(j, t, {"r1": {"z:1": "1", "a:2": "2", "b:10": "3", "b:9": "4", "b:": "5", "a:\xff": "6", "a:\x7f": "7", "a:A": "8"},
                "r2": {"a:": ""}, "r3": {"b:q": "v" * 300}}, 6)
    for s in (None, False, True):
        scan(j, t, sortColumns=s)
    scan(j, t, sortColumns=True, columns=["b:9", "a"])
    scan(j, t, sortColumns=True, reversed=True)
    scan(j, t, sortColumns=True, batchSize=3)
    scan(j, t, sortColumns=True, filterString="KeyOnlyFilter()")
    scan(j, t, sortColumns=True, stopRow="r0")
    s = j.t1.scannerOpenWithScan(tableName=t, scan={"sortColumns": True}, attributes={})
    j.t1.scannerGet(id=s)
    j.t1.scannerClose(id=s)


@scenario("t1scan-batch")
def batch(j):
    """batchSize cuts a wide row into pieces; nbRows counts pieces."""
    t = j.table()
    create(j, t, "f", "g")
    fill(j, t, {"r1": {f"f:{i}": f"{i}" for i in range(7)}, "r2": {"g:a": "x"}, "r3": {"f:a": "1", "f:b": "2", "g:a": "3", "g:b": "4"}}, 1)
    fill(j, t, {"r3": {"f:a": "newer", "f:c": "5"}}, 2)
    for size in (-5, -1, 0, 1, 2, 3, 4, 7, 8, 1000, 2147483647):
        scan(j, t, batchSize=size)
    s = j.t1.scannerOpenWithScan(tableName=t, scan={"batchSize": 3}, attributes={})
    for _ in range(3):
        j.t1.scannerGetList(id=s, nbRows=2)
    j.t1.scannerGet(id=s)
    j.t1.scannerGet(id=s)
    j.t1.scannerClose(id=s)
    for caching in (1, 2, 100):
        scan(j, t, batchSize=2, caching=caching)
    scan(j, t, batchSize=2, columns=["g", "f:c"])
    scan(j, t, batchSize=2, timestamp=2)
    scan(j, t, batchSize=2, reversed=True)
    scan(j, t, batchSize=2, startRow="r1", stopRow="r1")
    scan(j, t, batchSize=3, reversed=True, sortColumns=True, startRow="r3", stopRow="r1")
    for f in ("KeyOnlyFilter()", "FirstKeyOnlyFilter()", "QualifierFilter(>=,'binary:2')", "ColumnPaginationFilter(3,1)",
              "PrefixFilter('r3')", "InclusiveStopFilter('r2')", "ValueFilter(!=,'binary:3')"):
        scan(j, t, batchSize=2, filterString=f)


@scenario("t1scan-batch-whole-row-filters")
def batch_refused(j):
    """batchSize together with a filter that judges whole rows: accepted at open, refused at the first fetch."""
    t = j.table()
    create(j, t, "f")
    fill(j, t, {"r1": {"f:1": "a", "f:2": "b"}, "r2": {"f:1": "c"}}, 1)
    for f in ("PageFilter(1)", "SingleColumnValueFilter('f','1',=,'binary:a')", "SKIP ValueFilter(=,'binary:a')", "WHILE ValueFilter(=,'binary:a')",
              "(PageFilter(1) AND KeyOnlyFilter())", "DependentColumnFilter('f','1')"):
        scan(j, t, batchSize=1, filterString=f)
    scan(j, t, batchSize=0, filterString="PageFilter(1)")
    scan(j, t, batchSize=-1, filterString="PageFilter(1)")
    scan(j, t, filterString="SingleColumnValueFilter('f','1',=,'binary:a')")
    scan(j, t, batchSize=1, filterString="RowFilter(=,'binary:r2')")


@scenario("t1scan-small-fields")
def small_fields(j):
    """caching and cacheBlocks do not change results."""
    t = j.table()
    create(j, t, "f")
    fill(j, t, {f"{i:02}": {"f:a": str(i)} for i in range(12)}, 8)
    for caching in (-2147483648, -1, 0, 1, 2, 5, 12, 13, 1000, 2147483647):
        s = j.t1.scannerOpenWithScan(tableName=t, scan={"caching": caching, "startRow": "03"}, attributes={})
        j.t1.scannerGetList(id=s, nbRows=4)
        j.t1.scannerGetList(id=s, nbRows=4)
        j.t1.scannerGetList(id=s, nbRows=4)
        j.t1.scannerClose(id=s)
    scan(j, t, cacheBlocks=True, startRow="10")
    scan(j, t, cacheBlocks=False, startRow="10")
    scan(j, t, cacheBlocks=False, caching=1, batchSize=1, sortColumns=True, reversed=True, startRow="05", stopRow="03", timestamp=9, columns=["f:a"],
         filterString="RowFilter(!=,'binary:04')")


@scenario("t1scan-many-rows")
def many_rows(j):
    """More rows than one fetch returns: whatever caching and nbRows are, each row is returned once and in order."""
    t = j.table()
    create(j, t, "f")
    fill(j, t, {f"{i:03}": {"f:": str(i)} for i in range(250)}, 2)
    for caching, counts in ((None, (100, 100, 100)), (7, (1, 20, 229, 5)), (50, (50, 50, 150, 1)), (1, (130,))):
        s = j.t1.scannerOpenWithScan(tableName=t, scan={} if caching is None else {"caching": caching}, attributes={})
        for n in counts:
            j.t1.scannerGetList(id=s, nbRows=n)
        j.t1.scannerClose(id=s)
    s = j.t1.scannerOpenWithScan(tableName=t, scan={"reversed": True, "caching": 9, "startRow": "199x", "stopRow": "150"}, attributes={})
    for n in (10, 1, 60):
        j.t1.scannerGetList(id=s, nbRows=n)
    j.t1.scannerClose(id=s)


@scenario("t1scan-reversed")
def reversed_scans(j):
    """Backwards: from the start row (inclusive) down to the stop row (exclusive)."""
    t = j.table()
    create(j, t, "f", "g")
    rows = ["a", "b", "b\x00", "c", "d", "e", "\xff", "\xff\xff"]
    fill(j, t, {r: {"f:1": r, "g:1": "g"} for r in rows}, 5)
    fill(j, t, {"c": {"f:1": "new"}, "cc": {"g:9": "x"}}, 9)
    for start, stop in ((None, None), ("", ""), ("c", None), ("c", ""), (None, "c"), ("", "c"), ("d", "b"), ("d", "b\x00"), ("b", "d"), ("c", "c"), ("cz", "cz"),
                        ("cc", "b"), ("cz", "bz"), ("z", "d"), ("\xff", "e"), ("\xff\xff\xff", "\xff"), ("\xff\xff", None), ("a", None), ("a", "a"), ("\x00", None),
                        ("b\x00", "b"), ("A", "")):
        scan(j, t, reversed=True, **{k: v for k, v in (("startRow", start), ("stopRow", stop)) if v is not None})
    scan(j, t, reversed=False, startRow="c", stopRow="e")
    scan(j, t, reversed=True, columns=["g:9"])
    scan(j, t, reversed=True, columns=["f"], startRow="d", stopRow="a")
    scan(j, t, reversed=True, timestamp=9, startRow="cc", stopRow="b")
    scan(j, t, reversed=True, filterString="PrefixFilter('b')")
    scan(j, t, reversed=True, filterString="PageFilter(3)")
    scan(j, t, reversed=True, filterString="InclusiveStopFilter('c')")
    scan(j, t, reversed=True, filterString="RowFilter(<,'binary:c')", caching=1)
    s = j.t1.scannerOpenWithScan(tableName=t, scan={"reversed": True, "caching": 2}, attributes={})
    j.t1.scannerGet(id=s)
    j.t1.scannerGetList(id=s, nbRows=3)
    j.t1.scannerGetList(id=s, nbRows=30)
    j.t1.scannerGet(id=s)
    j.t1.scannerClose(id=s)


@scenario("t1scan-filters")
def filters(j):
    """A few filter strings, good and bad."""
    t = j.table()
    create(j, t, "f", "g")
    fill(j, t, {"a1": {"f:a": "1", "f:b": "2"}, "a2": {"f:a": "3", "g:c": "4"}, "b1": {"g:c": "5"}, "b2": {"f:b": "6", "f:c": "7"}}, 3)
    for f in ("PrefixFilter('a')", "PageFilter(2)", "KeyOnlyFilter()", "FirstKeyOnlyFilter()", "RowFilter(=,'substring:2')", "QualifierFilter(<,'binary:b')",
              "FamilyFilter(=,'binary:g')", "ValueFilter(>,'binary:4')", "ColumnPrefixFilter('b')", "PrefixFilter('a') AND QualifierFilter(=,'binary:a')",
              "PrefixFilter('a') OR ValueFilter(=,'binary:7')", "InclusiveStopFilter('b1')", "SingleColumnValueFilter('f','a',=,'binary:3',true,true)",
              "WHILE RowFilter(!=,'binary:b1')", "SKIP ValueFilter(!=,'binary:1')", "TimestampsFilter(3)"):
        scan(j, t, filterString=f)
    scan(j, t, filterString="PrefixFilter('a')", startRow="a2", stopRow="b2", columns=["f"], sortColumns=True)
    for f in ("", " ", "NoSuchFilter()", "PrefixFilter(", "PrefixFilter('a'", "PrefixFilter('a'))", "PrefixFilter(a)", "PageFilter('x')", "RowFilter('a')",
              "PrefixFilter('a') AND", "\xff\xfe", "ValueFilter(=,'nope:1')", "ValueFilter(=,'1')", "ValueFilter(~,'binary:1')", "PageFilter(-1)"):
        scan(j, t, filterString=f)


@scenario("t1scan-deletes")
def deletes(j):
    """Rows without visible cells are omitted; older versions reappear where a marker does not hide them."""
    t = j.table()
    create(j, t, "f", "g")
    for ts in (10, 20, 30):
        fill(j, t, {r: {"f:a": f"{r}{ts}", "g:b": f"{ts}"} for r in ("r1", "r2", "r3", "r4")}, ts)
    j.t1.deleteAllRowTs(tableName=t, row="r1", timestamp=30, attributes={})
    j.t1.deleteAllTs(tableName=t, row="r2", column="f", timestamp=20, attributes={})
    j.t1.deleteAllTs(tableName=t, row="r3", column="f:a", timestamp=30, attributes={})
    j.t1.deleteAllTs(tableName=t, row="r4", column="g:b", timestamp=10, attributes={})
    scan(j, t)
    for ts in (11, 21, 31):
        scan(j, t, timestamp=ts)
    scan(j, t, columns=["f"])
    scan(j, t, reversed=True)
    scan(j, t, batchSize=1)
    fill(j, t, {"r1": {"f:a": "masked"}}, 25)
    fill(j, t, {"r3": {"f:a": "alive"}}, 31)
    scan(j, t, stopRow="r4")
    scan(j, t, filterString="FirstKeyOnlyFilter()")


@scenario("t1scan-attributes")
def attributes(j):
    """Scan attributes: raw scans show markers, others change nothing."""
    t = j.table()
    create(j, t, "f", "g")
    for ts in (10, 20):
        fill(j, t, {r: {"f:a": f"{r}{ts}", "g:b": f"{ts}"} for r in ("r1", "r2")}, ts)
    fill(j, t, {"r3": {"f:a": "one"}}, 5)
    j.t1.deleteAllTs(tableName=t, row="r1", column="f:a", timestamp=20, attributes={})
    j.t1.deleteAllTs(tableName=t, row="r2", column="g", timestamp=15, attributes={})
    raw = {"_raw_": "\xff"}
    for fields in ({"sortColumns": True}, {}, {"columns": ["f"], "sortColumns": True}, {"columns": ["f:a"]}, {"timestamp": 20, "sortColumns": True}, {"reversed": True, "sortColumns": True},
                   {"batchSize": 1, "sortColumns": True}):
        scan(j, t, attributes=raw, **fields)
    scan(j, t, attributes={"_raw_": "\x00"}, sortColumns=True)
    scan(j, t, attributes={"_raw_": "\x01"}, sortColumns=True, startRow="r2")
    scan(j, t, attributes={"_isolationlevel_": "\x01"})
    scan(j, t, attributes={"_isolationlevel_": "\x00"})
    scan(j, t, attributes={"colour": "red", "": "", "\xff": "\x00"})
    scan(j, t, attributes={"scan.attributes.metrics.enable": "\xff"})
    drain(j, j.t1.scannerOpen(tableName=t, startRow="", columns=[], attributes=raw))
    drain(j, j.t1.scannerOpenWithStop(tableName=t, startRow="r1", stopRow="r2", columns=[], attributes=raw))
    drain(j, j.t1.scannerOpenWithPrefix(tableName=t, startAndPrefix="r2", columns=[], attributes=raw))
    drain(j, j.t1.scannerOpenTs(tableName=t, startRow="", columns=[], timestamp=15, attributes=raw))
    drain(j, j.t1.scannerOpenWithStopTs(tableName=t, startRow="r1", stopRow="r2", columns=["f"], timestamp=15, attributes=raw))


@scenario("t1scan-writes-meanwhile")
def writes_meanwhile(j):
    """A scanner shows the table as of its first fetch, not as of its opening."""
    t = j.table()
    create(j, t, "f")
    fill(j, t, {r: {"f:a": r + "1"} for r in ("b", "d", "f", "h")}, 1)
    early = j.t1.scannerOpen(tableName=t, startRow="", columns=[], attributes={})
    fill(j, t, {"a": {"f:a": "before first fetch"}, "d": {"f:a": "d2"}}, 2)
    j.t1.scannerGet(id=early)
    small = j.t1.scannerOpenWithScan(tableName=t, scan={"caching": 1}, attributes={})
    back = j.t1.scannerOpenWithScan(tableName=t, scan={"caching": 1, "reversed": True}, attributes={})
    pieces = j.t1.scannerOpenWithScan(tableName=t, scan={"caching": 1, "batchSize": 1}, attributes={})
    for s in (small, back, pieces):
        j.t1.scannerGet(id=s)
    fill(j, t, {"a": {"f:b": "late"}, "c": {"f:a": "late"}, "d": {"f:a": "d3", "f:b": "late"}, "z": {"f:a": "late"}}, 3)
    j.t1.deleteAllRowTs(tableName=t, row="f", timestamp=9, attributes={})
    j.t1.deleteAllTs(tableName=t, row="h", column="f:a", timestamp=9, attributes={})
    for s in (early, small, back, pieces):
        j.t1.scannerGetList(id=s, nbRows=2)
    fill(j, t, {"g": {"f:a": "later"}}, 4)
    for s in (early, small, back, pieces):
        j.t1.scannerGetList(id=s, nbRows=20)
        j.t1.scannerGetList(id=s, nbRows=20)
        j.t1.scannerClose(id=s)
    scan(j, t)
    s = j.t1.scannerOpen(tableName=t, startRow="", columns=[], attributes={})
    j.t1.scannerGetList(id=s, nbRows=20)
    fill(j, t, {"zz": {"f:a": "after the end"}}, 5)
    j.t1.scannerGetList(id=s, nbRows=20)
    j.t1.scannerClose(id=s)
    s = j.t1.scannerOpenWithScan(tableName=t, scan={"caching": 3}, attributes={})
    j.t1.scannerGetList(id=s, nbRows=0)
    fill(j, t, {"0": {"f:a": "after an empty fetch"}}, 6)
    j.t1.scannerGetList(id=s, nbRows=2)
    j.t1.scannerClose(id=s)


@scenario("t1scan-table-disabled-meanwhile")
def disabled_meanwhile(j):
    """Rows already cached are still returned; the next fetch fails; after enabling the table, the scanner continues."""
    t = j.table()
    create(j, t, "f")
    fill(j, t, {r: {"f:1": r} for r in "abcde"}, 5)
    fresh = j.t1.scannerOpen(tableName=t, startRow="b", columns=[], attributes={})
    single = j.t1.scannerOpenWithScan(tableName=t, scan={"caching": 1}, attributes={})
    whole = j.t1.scannerOpenWithScan(tableName=t, scan={}, attributes={})
    ended = j.t1.scannerOpenWithScan(tableName=t, scan={"startRow": "e"}, attributes={})
    j.t1.scannerGet(id=single)
    j.t1.scannerGet(id=whole)
    j.t1.scannerGetList(id=ended, nbRows=3)
    j.t1.disableTable(tableName=t)
    for s in (fresh, single, whole, whole, ended):
        j.t1.scannerGet(id=s)
    late = j.t1.scannerOpenWithPrefix(tableName=t, startAndPrefix="c", columns=[], attributes={})
    j.t1.scannerGet(id=late)
    j.t1.scannerGetList(id=late, nbRows=0)
    gone = j.t1.scannerOpenTs(tableName=t, startRow="", columns=["nope"], timestamp=9, attributes={})
    j.t1.scannerGet(id=gone)
    j.t1.scannerClose(id=gone)
    j.t1.enableTable(tableName=t)
    for s in (fresh, single, whole, ended, late):
        j.t1.scannerGetList(id=s, nbRows=2)
    for s in (fresh, single, whole, ended, late):
        j.t1.scannerGetList(id=s, nbRows=9)
        j.t1.scannerClose(id=s)


@scenario("t1scan-table-dropped-meanwhile")
def dropped_meanwhile(j):
    """Scanners of a table that is dropped, and of one that is recreated."""
    t = j.table()
    create(j, t, "f")
    fill(j, t, {r: {"f:1": r} for r in "abcde"}, 5)
    fresh = j.t1.scannerOpen(tableName=t, startRow="", columns=[], attributes={})
    single = j.t1.scannerOpenWithScan(tableName=t, scan={"caching": 1}, attributes={})
    whole = j.t1.scannerOpenWithScan(tableName=t, scan={}, attributes={})
    early = j.t1.scannerOpen(tableName=j.table("later"), startRow="", columns=["f"], attributes={})
    j.t1.scannerGet(id=early)
    j.t1.scannerGet(id=single)
    j.t1.scannerGet(id=whole)
    j.t1.disableTable(tableName=t)
    j.t1.deleteTable(tableName=t)
    for s in (fresh, single, whole, fresh):
        j.t1.scannerGet(id=s)
    create(j, t, "f")
    fill(j, t, {r: {"f:1": "new " + r} for r in "abxy"}, 6)
    create(j, j.table("later"), "f")
    fill(j, j.table("later"), {"q": {"f:1": "at last"}}, 1)
    for s in (fresh, single, whole, early):
        j.t1.scannerGetList(id=s, nbRows=9)
        j.t1.scannerClose(id=s)


@scenario("t1scan-failed-fetch")
def failed_fetch(j):
    """A scanner whose fetch failed stays open and can be closed."""
    t = j.table()
    create(j, t, "f")
    fill(j, t, {"a": {"f:1": "x"}}, 1)
    for fields in ({"columns": ["no"]}, {"columns": ["f:1", "no:2"]}, {"columns": [":x"]}, {"columns": ["no"], "startRow": "zz"},
                   {"columns": ["no"], "startRow": "z", "stopRow": "a"}, {"columns": ["no"], "timestamp": 0}, {"columns": ["no"], "reversed": True}):
        s = j.t1.scannerOpenWithScan(tableName=t, scan=fields, attributes={})
        j.t1.scannerGetList(id=s, nbRows=0)
        j.t1.scannerGet(id=s)
        j.t1.scannerGetList(id=s, nbRows=2)
        j.t1.scannerClose(id=s)
        j.t1.scannerGet(id=s)


@scenario("t1scan-split-table")
def split_table(j):
    """A table with four regions is scanned like a table with one region."""
    t = j.table()
    create_split(j, t, ["f", "g"], ["g", "m", "t"])
    j.t1.getTableRegions(tableName=t)
    j.t1.getColumnDescriptors(tableName=t)
    fill(j, t, {r: {"f:a": r, "g:" + r: "q"} for r in ("a", "f", "g", "g0", "h", "lz", "m", "n", "s\xff", "t", "z", "\xff")}, 3)
    drain(j, j.t1.scannerOpen(tableName=t, startRow="", columns=[], attributes={}))
    drain(j, j.t1.scannerOpen(tableName=t, startRow="lz", columns=["f"], attributes={}))
    for start, stop in (("", "g"), ("f", "h"), ("g", "m"), ("g", "m\x00"), ("m", "m"), ("s", "t"), ("s", ""), ("t", "g"), ("n0", "s0")):
        drain(j, j.t1.scannerOpenWithStop(tableName=t, startRow=start, stopRow=stop, columns=[], attributes={}))
    for p in ("g", "m", "s", "", "l"):
        drain(j, j.t1.scannerOpenWithPrefix(tableName=t, startAndPrefix=p, columns=["f"], attributes={}))
    for caching in (1, 2, 5):
        s = j.t1.scannerOpenWithScan(tableName=t, scan={"caching": caching, "columns": ["f"]}, attributes={})
        j.t1.scannerGetList(id=s, nbRows=3)
        j.t1.scannerGetList(id=s, nbRows=7)
        j.t1.scannerGetList(id=s, nbRows=7)
        j.t1.scannerClose(id=s)
    scan(j, t, reversed=True, columns=["f"])
    for start, stop in (("t", "g"), ("m", "g0"), ("sz", "m"), ("g", None), (None, "t"), ("lzz", "h")):
        scan(j, t, reversed=True, caching=1, columns=["f"], **{k: v for k, v in (("startRow", start), ("stopRow", stop)) if v is not None})
    scan(j, t, filterString="RowFilter(=,'regexstring:[gt]')", columns=["f"])
    scan(j, t, batchSize=1, startRow="lz", stopRow="n")
    scan(j, t, timestamp=3)
    scan(j, t, columns=["g:t", "g:g"])
    scan(j, t, columns=["none"])


@scenario("t1scan-split-empty-regions")
def split_empty(j):
    """Empty regions between full ones, and many split keys."""
    t = j.table()
    create_split(j, t, ["f"], [f"{i:x}" for i in range(1, 16)])
    fill(j, t, {"0a": {"f:1": "x"}, "5": {"f:1": "y"}, "5zz": {"f:1": "z"}, "f0": {"f:1": "w"}}, 1)
    drain(j, j.t1.scannerOpen(tableName=t, startRow="", columns=[], attributes={}))
    drain(j, j.t1.scannerOpen(tableName=t, startRow="6", columns=[], attributes={}))
    drain(j, j.t1.scannerOpenWithStop(tableName=t, startRow="1", stopRow="5", columns=[], attributes={}))
    scan(j, t, reversed=True)
    scan(j, t, reversed=True, startRow="e", stopRow="2", caching=1)
    s = j.t1.scannerOpenWithScan(tableName=t, scan={"caching": 1}, attributes={})
    for _ in range(5):
        j.t1.scannerGet(id=s)
    j.t1.scannerClose(id=s)
    j.t1.getTableRegions(tableName=t)


# ---------------------------------------------------------------- tables

@scenario("t1admin-descriptor-fields")
def descriptor_fields(j):
    """Every field of ColumnDescriptor, set and unset, and the descriptors that result."""
    t = j.table()
    j.t1.createTable(tableName=t, columnFamilies=[
        {"name": "bare"}, {"name": "colon:"}, {"name": "qualified:rest:more"},
        {"name": "versions:", "maxVersions": 7}, {"name": "many:", "maxVersions": 2147483647}, {"name": "one", "maxVersions": 1},
        {"name": "gz:", "compression": "gz"}, {"name": "gz2:", "compression": "GZ"}, {"name": "gz3:", "compression": "gZ"}, {"name": "none:", "compression": "None"},
        {"name": "memory:", "inMemory": True}, {"name": "cache:", "blockCacheEnabled": True},
        {"name": "row:", "bloomFilterType": "ROW"}, {"name": "rowcol:", "bloomFilterType": "ROWCOL"}, {"name": "nobloom:", "bloomFilterType": "NONE"},
        {"name": "hashes:", "bloomFilterVectorSize": 100, "bloomFilterNbHashes": 4},
        {"name": "ttl0:", "timeToLive": 0}, {"name": "ttlneg:", "timeToLive": -1}, {"name": "ttlmin:", "timeToLive": -2147483648}, {"name": "ttl1:", "timeToLive": 1},
        {"name": "ttlday:", "timeToLive": 86400}, {"name": "ttlmax:", "timeToLive": 2147483647},
        {"name": "all:", "maxVersions": 2, "compression": "GZ", "inMemory": True, "bloomFilterType": "ROWCOL", "bloomFilterVectorSize": 1,
         "bloomFilterNbHashes": 2, "blockCacheEnabled": True, "timeToLive": 99}])
    j.t1.getColumnDescriptors(tableName=t)
    j.t1.getColumnDescriptors(tableName="default:" + t)
    j.t1.isTableEnabled(tableName=t)
    j.t1.mutateRowTs(tableName=t, row="r", mutations=[{"column": c, "value": "v"} for c in ("bare:a", "colon:a", "qualified:a", "gz:a")], timestamp=1, attributes={})
    j.t1.getRow(tableName=t, row="r", attributes={})
    j.t1.disableTable(tableName=t)
    j.t1.getColumnDescriptors(tableName=t)


@scenario("t1admin-versions-honoured")
def versions_honoured(j):
    """maxVersions of a new table, and its default, limit the result of getVer."""
    t = j.table()
    j.t1.createTable(tableName=t, columnFamilies=[{"name": "d"}, {"name": "one", "maxVersions": 1}, {"name": "five", "maxVersions": 5}])
    for ts in range(1, 8):
        fill(j, t, {"r": {"d:q": f"{ts}", "one:q": f"{ts}", "five:q": f"{ts}"}}, ts)
    for c in ("d:q", "one:q", "five:q"):
        j.t1.getVer(tableName=t, row="r", column=c, numVersions=100, attributes={})
        j.t1.getVerTs(tableName=t, row="r", column=c, timestamp=4, numVersions=100, attributes={})
    scan(j, t)
    scan(j, t, timestamp=4)


@scenario("t1admin-ttl-honoured")
def ttl_honoured(j):
    """timeToLive of a new table hides older cells and keeps newer rows."""
    t = j.table()
    j.t1.createTable(tableName=t, columnFamilies=[{"name": "ever"}, {"name": "zero", "timeToLive": 0}, {"name": "short", "timeToLive": 1}, {"name": "hour", "timeToLive": 3600}])
    columns = ("ever:q", "zero:q", "short:q", "hour:q")
    fill(j, t, {"old": {c: "long ago" for c in columns}}, 1000)
    j.t1.mutateRow(tableName=t, row="young", mutations=[{"column": c, "value": "now"} for c in columns if c != "short:q"], attributes={})
    j.t1.mutateRow(tableName=t, row="brief", mutations=[{"column": "short:q", "value": "soon gone"}], attributes={})
    fill(j, t, {"future": {c: "to come" for c in columns}}, LATEST - 7)
    j.sleep(1.6)
    scan(j, t)
    scan(j, t, timestamp=2000)
    scan(j, t, columns=["hour", "short"])
    scan(j, t, reversed=True, columns=["short:q"])
    scan(j, t, batchSize=1, startRow="old")
    for c in columns:
        j.t1.get(tableName=t, row="old", column=c, attributes={})
        j.t1.get(tableName=t, row="brief", column=c, attributes={})


@scenario("t1admin-bad-descriptors")
def bad_descriptors(j):
    """Invalid requests, their exceptions, and that they leave nothing behind."""
    t = j.table()
    long = "f" * 127
    for families in (None, [], [{}], [{"name": ""}], [{"name": ":"}], [{"name": ":x"}], [{"name": ".f"}], [{"name": "a/b"}], [{"name": "a\\b"}], [{"name": "a\x01"}],
                     [{"name": "a\x7f"}], [{"name": "a\n"}], [{"name": "recovered.edits"}], [{"name": "recovered.edits:x"}], [{"name": long + "f"}],
                     [{"name": "f", "maxVersions": 0}], [{"name": "f", "maxVersions": -3}],
                     [{"name": "f", "compression": "bogus"}], [{"name": "f", "compression": ""}], [{"name": "f", "compression": " gz"}],
                     [{"name": "f", "bloomFilterType": "row"}], [{"name": "f", "bloomFilterType": ""}], [{"name": "f", "bloomFilterType": "BOGUS"}],
                     [{"name": "f", "bloomFilterType": "ROWPREFIX_FIXED_LENGTH"}],
                     [{"name": "f"}, {"name": "f"}], [{"name": "f:"}, {"name": "f"}], [{"name": "f:a"}, {"name": "g"}, {"name": "f:b"}],
                     [{"name": "f"}, {"name": "f", "maxVersions": 0}], [{"name": "f"}, {"name": ""}], [{"name": "f"}, {}], [{"name": "", "compression": "bogus"}],
                     [{"name": "", "maxVersions": 0}], [{"name": ".f", "maxVersions": 0}], [{"name": "f", "maxVersions": 0, "compression": "bogus"}],
                     [{"name": "f", "maxVersions": 0, "bloomFilterType": "x"}], [{"name": "f"}, {"name": "g", "compression": "x"}]):
        j.t1.createTable(tableName=t, columnFamilies=families)
    j.t1.getTableNames()
    j.t1.getColumnDescriptors(tableName=t)
    j.t1.createTable(tableName=t, columnFamilies=[{"name": long}, {"name": "with space"}, {"name": "\xc3\xa9:"}, {"name": "\xff\xfe"}, {"name": "F"}, {"name": "f"}, {"name": "a.b"},
                                                  {"name": "-"}, {"name": "a,b"}, {"name": "{'x'}"}])
    j.t1.getColumnDescriptors(tableName=t)
    fill(j, t, {"r": {"\xff\xfe:q": "1", "with space:q": "2", "F:q": "3", "f:q": "4"}}, 1)
    scan(j, t)
    scan(j, t, columns=["\xff\xfe", "with space:q", "F:"])


@scenario("t1admin-table-names")
def table_names(j):
    """Legal and illegal names, namespaces, and the prefix default:."""
    cf = [{"name": "f"}]
    for name in (None, "", " ", "a b", "a!", "-a", ".a", "a/b", "a\x00", "a:b:c", ":a", "a:", "::", ":", "default:", "default:.x", "zookeeper", "default:zookeeper", ".META.", "-ROOT-",
                 "\xff\xfe", "\xf0\x9d\x84\x9e", "\xe2\x82\xac", "no-dash:t", "no.dot:t", "zookeeper:t", "no_such_ns_here:t", "hbase:meta"):
        j.t1.createTable(tableName=name, columnFamilies=cf)
    ns = j.scope + "ns"
    j.t1.createTable(tableName=ns + ":t", columnFamilies=cf)
    j.t2.createNamespace(namespaceDesc={"name": ns})
    j.t1.createTable(tableName=ns + ":t", columnFamilies=cf)
    j.t1.createTable(tableName=ns + ":t", columnFamilies=[{"name": "g"}])
    j.t1.createTable(tableName=ns + ":-t", columnFamilies=cf)
    j.t1.createTable(tableName="default:" + j.table("plain"), columnFamilies=cf)
    j.t1.createTable(tableName=j.table("plain"), columnFamilies=cf)
    j.t1.createTable(tableName="Default:" + j.table("plain"), columnFamilies=cf)
    j.t1.createTable(tableName=j.table("a-b.c_D9"), columnFamilies=cf)
    j.t1.createTable(tableName=j.table("\xc3\xa9t\xc3\xa9"), columnFamilies=cf)
    j.t1.getTableNames()
    j.t1.getTableNamesWithIsTableEnabled()
    for name in (ns + ":t", "default:" + j.table("plain"), j.table("a-b.c_D9"), j.table("\xc3\xa9t\xc3\xa9")):
        fill(j, name, {"r": {"f:q": "v"}}, 7)
        j.t1.getRow(tableName=name, row="r", attributes={})
        drain(j, j.t1.scannerOpen(tableName=name, startRow="", columns=[], attributes={}))
        j.t1.getColumnDescriptors(tableName=name)
        j.t1.getTableRegions(tableName=name)
        j.t1.isTableEnabled(tableName=name)
    j.t1.getRegionInfo(row=ns + ":t,,99999999999999")
    j.t1.getRow(tableName=j.table("plain"), row="r", attributes={})
    j.t1.disableTable(tableName="default:" + j.table("plain"))
    j.t1.disableTable(tableName=ns + ":t")
    j.t1.isTableEnabled(tableName=j.table("plain"))
    j.t1.getTableNamesWithIsTableEnabled()
    j.t1.deleteTable(tableName="default:" + j.table("plain"))
    j.t1.deleteTable(tableName=ns + ":t")
    j.t1.getTableNames()


@scenario("t1admin-states")
def states(j):
    """Every transition between missing, enabled and disabled, legal or not, and the calls that work in each state."""
    t = j.table()

    def everything():
        j.t1.isTableEnabled(tableName=t)
        j.t1.getColumnDescriptors(tableName=t)
        j.t1.getTableRegions(tableName=t)
        j.t1.compact(tableNameOrRegionName=t)
        j.t1.majorCompact(tableNameOrRegionName=t)
        j.t1.getTableNames()
        j.t1.getTableNamesWithIsTableEnabled()
        j.t1.getRow(tableName=t, row="r", attributes={})
        j.t1.mutateRowTs(tableName=t, row="r", mutations=[{"column": "f:q", "value": "v"}], timestamp=4, attributes={})
        scan(j, t)

    j.t1.enableTable(tableName=t)
    j.t1.disableTable(tableName=t)
    j.t1.deleteTable(tableName=t)
    everything()
    create(j, t, "f")
    create(j, t, "other")
    everything()
    j.t1.enableTable(tableName=t)
    j.t1.deleteTable(tableName=t)
    everything()
    j.t1.disableTable(tableName=t)
    j.t1.disableTable(tableName=t)
    create(j, t, "other")
    everything()
    j.t1.enableTable(tableName=t)
    everything()
    j.t1.disableTable(tableName=t)
    j.t1.deleteTable(tableName=t)
    j.t1.deleteTable(tableName=t)
    j.t1.disableTable(tableName=t)
    everything()
    create(j, t, "g", versions=1)
    j.t1.getColumnDescriptors(tableName=t)
    j.t1.getRow(tableName=t, row="r", attributes={})
    j.t1.mutateRowTs(tableName=t, row="r", mutations=[{"column": "f:q", "value": "v"}], timestamp=4, attributes={})
    j.t1.mutateRowTs(tableName=t, row="r", mutations=[{"column": "g:q", "value": "v"}], timestamp=4, attributes={})
    scan(j, t)


@scenario("t1admin-bad-names")
def bad_names(j):
    """Every call with a table name, called with invalid and missing names."""
    for name in (None, "", "a b", "-a", "a:b:c", ":a", "a:", "\xff", j.table("absent"), "default:" + j.table("absent"), "no_such_ns_here:" + j.table("absent")):
        j.t1.isTableEnabled(tableName=name)
        j.t1.enableTable(tableName=name)
        j.t1.disableTable(tableName=name)
        j.t1.deleteTable(tableName=name)
        j.t1.getColumnDescriptors(tableName=name)
        j.t1.getTableRegions(tableName=name)
        j.t1.compact(tableNameOrRegionName=name)
        j.t1.majorCompact(tableNameOrRegionName=name)
    j.t1.disableTable(tableName="hbase:meta")
    j.t1.isTableEnabled(tableName="hbase:meta")
    j.t1.enableTable(tableName="hbase:meta")
    j.t1.deleteTable(tableName="hbase:meta")


@scenario("t1admin-regions")
def regions(j):
    """Regions of split tables, and finding a region by a key of the catalogue."""
    t, u = j.table("t"), j.table("u")
    create_split(j, t, ["f"], ["b", "m", "m\x00", "\xff"])
    create(j, u, "f")
    j.t1.getTableRegions(tableName=t)
    j.t1.getTableRegions(tableName=u)
    for key in (t + ",,99999999999999", t + ",a,99999999999999", t + ",b,99999999999999", t + ",b,", t + ",b", t + ",bb,99999999999999", t + ",m,99999999999999", t + ",m,0",
                t + ",m\x00,99999999999999", t + ",m\x00,1", t + ",z,99999999999999", t + ",\xff,99999999999999", t + ",\xff\xff,99999999999999", t + ",zz", t + ",a,b,99999999999999",
                t + ",m,n,99999999999999", u + ",,99999999999999", u + ",x,99999999999999", u + ",x", u + ",,1", u, u + ",", u + "x,,99999999999999", u + "\x00", t + "0,,", t + "zzz"):
        j.t1.getRegionInfo(row=key)
    j.t1.getRegionInfo(row="\x00")
    j.t1.getRegionInfo(row="!")
    j.t1.getRegionInfo(row=None)
    j.t1.disableTable(tableName=t)
    j.t1.getTableRegions(tableName=t)
    j.t1.getRegionInfo(row=t + ",b,99999999999999")
    j.t1.deleteTable(tableName=t)
    j.t1.getTableRegions(tableName=t)
    create_split(j, t, ["f"], ["k"])
    j.t1.getTableRegions(tableName=t)
    j.t1.getRegionInfo(row=t + ",kk,99999999999999")
    create_split(j, j.table("bad"), ["f"], ["a", "a"])
    create_split(j, j.table("bad"), ["f"], ["a", ""])
    create_split(j, j.table("order"), ["f"], ["z", "a", "\x80", "k"])
    j.t1.getTableRegions(tableName=j.table("order"))
    create_split(j, j.table("nokeys"), ["f"], [])
    j.t1.getTableRegions(tableName=j.table("nokeys"))


@scenario("t1admin-compact")
def compact(j):
    """Compactions are requested by table or by region and do not change the results of reads."""
    t = j.table()
    create_split(j, t, ["f"], ["m"])
    fill(j, t, {"a": {"f:1": "x"}, "z": {"f:1": "y"}}, 5)
    j.t1.deleteAllTs(tableName=t, row="a", column="f:1", timestamp=5, attributes={})
    fill(j, t, {"a": {"f:1": "older"}}, 4)
    j.t1.compact(tableNameOrRegionName=t)
    j.t1.majorCompact(tableNameOrRegionName=t)
    j.t1.compact(tableNameOrRegionName="default:" + t)
    for name in (t + ",,1234567890123.0123456789abcdef0123456789abcdef.", t + ",m,1234567890123", "0123456789abcdef0123456789abcdef", "0123456789abcdef", t + ",", "a,b,c", "\xff\x00", "%"):
        j.t1.compact(tableNameOrRegionName=name)
        j.t1.majorCompact(tableNameOrRegionName=name)
    scan(j, t)
    j.t1.disableTable(tableName=t)
    j.t1.compact(tableNameOrRegionName=t)
    j.t1.majorCompact(tableNameOrRegionName=t)
    j.t1.isTableEnabled(tableName=t)


@scenario("t1admin-server")
def server(j):
    """Calls that describe the server."""
    j.t1.getThriftServerType()
    j.t1.getClusterId()
    j.t1.getClusterId()
    j.t1.getTableNames()
    j.t1.getTableNamesWithIsTableEnabled()


@scenario("t1admin-both-dialects")
def both_dialects(j):
    """Tables created through one service and used through the other."""
    t, u = j.table("t"), j.table("u")
    j.t2.createTable(desc={"tableName": {"qualifier": t}, "columns": [
        {"name": "plain"}, {"name": "set", "maxVersions": 4, "minVersions": 2, "timeToLive": 500, "inMemory": True, "blockCacheEnabled": False, "bloomnFilterType": 2, "compressionType": 2},
        {"name": "nobloom", "bloomnFilterType": 0}]}, splitKeys=None)
    j.t1.getColumnDescriptors(tableName=t)
    j.t1.getTableNames()
    j.t1.createTable(tableName=t, columnFamilies=[{"name": "x"}])
    j.t2.disableTable(tableName={"qualifier": t})
    j.t1.isTableEnabled(tableName=t)
    j.t1.getTableNamesWithIsTableEnabled()
    j.t1.deleteTable(tableName=t)
    j.t2.tableExists(tableName={"qualifier": t})
    j.t1.createTable(tableName=u, columnFamilies=[{"name": "a:"}, {"name": "b:", "maxVersions": 9, "bloomFilterType": "ROW"}])
    j.t2.tableExists(tableName={"qualifier": u})
    j.t2.isTableEnabled(tableName={"qualifier": u})
    j.t2.getTableDescriptor(table={"qualifier": u})
    j.t2.addColumnFamily(tableName={"qualifier": u}, column={"name": "c"})
    j.t1.getColumnDescriptors(tableName=u)
    j.t2.deleteColumnFamily(tableName={"qualifier": u}, column="a")
    j.t1.getColumnDescriptors(tableName=u)
    fill(j, u, {"r": {"b:1": "x", "c:2": "y"}}, 3)
    scan(j, u)
    scan(j, u, columns=["a"])
    s = j.t2.openScanner(table=u, tscan={})
    j.t2.getScannerRows(scannerId=s, numRows=5)
    j.t2.closeScanner(scannerId=s)


# ---------------------------------------------------------------- random

ROWS = ["a", "b", "b\x00", "bb", "c", "cc", "d", "f", "fa", "h", "i", "k", "\xff", "\xff\xff"]
POINTS = ROWS + ["", "0", "b\x00\x00", "cb", "e", "g", "z", "\xff\xff\xff"]
COLUMNS = ["f:", "f:a", "f:b", "f:c", "g:a", "g:b"]
LISTS = [None, [], ["f"], ["g"], ["f:"], ["f:a", "g:b"], ["f", "f:b"], ["f:b", "f"], ["g:a"], ["f:zz"], ["g", "f:c", "f:a"], ["nope"]]
FILTERS = ["PrefixFilter('b')", "KeyOnlyFilter()", "FirstKeyOnlyFilter()", "QualifierFilter(=,'binary:a')", "ValueFilter(>=,'binary:5')", "RowFilter(>,'binary:c')",
           "ColumnPrefixFilter('b')", "InclusiveStopFilter('f')", "FamilyFilter(=,'binary:g')", "ValueFilter(=,'substring:3') OR QualifierFilter(=,'binary:c')",
           "ColumnPaginationFilter(2,1)"]


def random_scans(j, table, calls, split):
    r = j.rng
    if split:
        create_split(j, table, ["f", "g"], ["b", "cc", "i"])
    else:
        create(j, table, "f", "g")
    for ts in range(1, 9):
        fill(j, table, {row: {c: f"{ts}{r.randrange(10)}" for c in r.sample(COLUMNS, r.randint(1, 3))} for row in r.sample(ROWS, 6)}, ts)
    for _ in range(8):
        j.t1.deleteAllTs(tableName=table, row=r.choice(ROWS), column=r.choice(COLUMNS + ["f", "g"]), timestamp=r.randint(1, 8), attributes={})
    j.t1.deleteAllRowTs(tableName=table, row=r.choice(ROWS), timestamp=r.randint(3, 8), attributes={})
    opened, start = [], len(j.steps)
    while len(j.steps) - start < calls:
        pick = r.random()
        if opened and (pick < 0.55 or len(opened) > 4):
            s, n = r.choice(opened), r.choice([0, 1, 1, 2, 2, 3, 5, 20])
            got = j.t1.scannerGet(id=s) if r.random() < 0.2 else j.t1.scannerGetList(id=s, nbRows=n)
            if n and not (isinstance(got, list) and got) and r.random() < 0.9:
                j.t1.scannerClose(id=s)
                opened.remove(s)
        elif opened and pick < 0.6:
            j.t1.scannerClose(id=opened.pop(r.randrange(len(opened))))
        elif pick < 0.65 and not opened:
            fill(j, table, {r.choice(ROWS): {r.choice(COLUMNS): str(r.randrange(100))}}, r.randint(1, 9))
        else:
            kind, back = r.randrange(12), r.random() < 0.4
            a, b = r.choice(POINTS), r.choice(POINTS)
            if a and b and r.random() < 0.8:
                a, b = sorted((a, b), reverse=kind > 5 and back)
            if r.random() < 0.3:
                a = ""
            if r.random() < 0.3:
                b = ""
            common = {"tableName": table, "attributes": {}}
            columns, ts = r.choice(LISTS if r.random() < 0.6 else [None]), r.choice([0, 1, 3, 5, 6, 8, 9, 9, 100, 100])
            if kind == 0:
                s = j.t1.scannerOpen(startRow=a, columns=columns, **common)
            elif kind == 1:
                s = j.t1.scannerOpenWithStop(startRow=a, stopRow=b, columns=columns, **common)
            elif kind == 2:
                s = j.t1.scannerOpenWithPrefix(startAndPrefix=a[:1], columns=columns, **common)
            elif kind == 3:
                s = j.t1.scannerOpenTs(startRow=a, columns=columns, timestamp=ts, **common)
            elif kind == 4:
                s = j.t1.scannerOpenWithStopTs(startRow=a, stopRow=b, columns=columns, timestamp=ts, **common)
            else:
                options = {"startRow": a, "stopRow": b, "timestamp": ts, "columns": columns, "caching": r.choice([1, 2, 3, 100]), "filterString": r.choice(FILTERS),
                           "batchSize": r.choice([1, 2, 3]), "sortColumns": r.random() < 0.5, "cacheBlocks": r.random() < 0.5}
                fields = {k: options[k] for k in r.sample(sorted(options), r.randint(1, 6)) if options[k] is not None}
                s = j.t1.scannerOpenWithScan(scan={**fields, "reversed": True} if back else fields, **common)
            if took(s):
                opened.append(s)
    for s in opened:
        j.t1.scannerClose(id=s)


@scenario("t1scan-random")
def random_one(j):
    random_scans(j, j.table(), 330, split=False)


@scenario("t1scan-random-split")
def random_split(j):
    random_scans(j, j.table(), 330, split=True)


@scenario("t1admin-random")
def random_admin(j):
    r = j.rng
    names = [j.table(x) for x in "pqr"] + ["default:" + j.table("p")]
    specs = [[{"name": "f"}], [{"name": "f:", "maxVersions": 1}, {"name": "g", "compression": "GZ"}], [{"name": "g:x", "timeToLive": 77, "bloomFilterType": "ROW"}],
             [{"name": "f"}, {"name": "f:"}], [], [{"name": "h", "maxVersions": 0}]]
    for _ in range(170):
        n, op = r.choice(names), r.randrange(20)
        if op < 3:
            j.t1.createTable(tableName=n, columnFamilies=r.choice(specs))
        elif op < 6:
            j.t1.disableTable(tableName=n)
        elif op < 7:
            j.t1.enableTable(tableName=n)
        elif op < 10:
            j.t1.deleteTable(tableName=n)
        elif op < 12:
            j.t1.isTableEnabled(tableName=n)
        elif op < 13:
            j.t1.getColumnDescriptors(tableName=n)
        elif op < 14:
            j.t1.getTableRegions(tableName=n)
        elif op < 15:
            j.t1.getTableNames()
        elif op < 16:
            r.choice([j.t1.compact, j.t1.majorCompact])(tableNameOrRegionName=n)
        elif op < 18:
            j.t1.mutateRowTs(tableName=n, row=r.choice("xyz"), mutations=[{"column": r.choice(["f:1", "g:1"]), "value": "v"}], timestamp=r.randint(1, 5), attributes={})
        else:
            drain(j, j.t1.scannerOpen(tableName=n, startRow="", columns=r.choice([[], ["f"], ["g"]]), attributes={}))
