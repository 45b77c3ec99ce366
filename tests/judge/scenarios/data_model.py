"""Versions, timestamps, deletes and expiry, through both services on the same table."""
from data_model_kit import (MAX, Chaos, cells, delete, exists, fam, get, get1, long8, make, pause, put, put1, raw, reopen, row1, scan, scan1,
                            tdelete, tget, tput)
from scenario import scenario


def mutate(j, t, row, *mutations):
    return j.t2.mutateRow(table=t, trowMutations={"row": row, "mutations": list(mutations)})


def increment(j, t, row, name, amount=None, **more):
    family, _, qualifier = name.partition(":")
    column = {"family": family, "qualifier": qualifier}
    if amount is not None:
        column["amount"] = amount
    return j.t2.increment(table=t, tincrement={"row": row, "columns": [column], **more})


def append(j, t, row, *items, **more):
    return j.t2.append(table=t, tappend={"row": row, "columns": cells(items), **more})


def ttl(ms):
    return {"_ttl": long8(ms)}


# ---------------------------------------------------------------- versions

@scenario("dm-versions-on-reads")
def versions_on_reads(j):
    t = make(j, fam("one", versions=1), fam("three", versions=3), fam("many", versions=1000), fam("plain"))
    for f in ("one", "three", "many", "plain"):
        for n in (3, 1, 5, 2, 4):
            put(j, t, "r", (f + ":q", f"v{n}", n))
    for m in (None, 1, 2, 3, 4, 1000, 2**31 - 1):
        get(j, t, "r", versions=m)
    for m in (0, -1, -2**31):
        get(j, t, "r", versions=m)
        get1(j, t, "r", "three:q", m)
        scan(j, t, versions=m)
        scan(j, t, "many:q", versions=m)
    for f in ("one", "three", "many"):
        for m in (1, 2, 10):
            get1(j, t, "r", f + ":q", m)
            get1(j, t, "r", f, m)
    scan(j, t, versions=2)
    scan(j, t)
    row1(j, t, "r")
    j.t1.get(tableName=t, row="r", column="many:q", attributes={})


@scenario("dm-versions-below-a-time")
def versions_below_a_time(j):
    t = make(j, fam("f", versions=10), fam("g", versions=10))
    put(j, t, "r", *[("f:q", f"f{n}", n * 10) for n in range(1, 7)], *[("g:q", f"g{n}", n * 10 + 5) for n in range(1, 7)])
    for before in (0, 1, 10, 11, 30, 31, 60, 61, 65, 66, MAX):
        get1(j, t, "r", "f:q", 2, before)
        j.t1.getRowTs(tableName=t, row="r", timestamp=before, attributes={})
    for span in ((0, 10), (10, 10), (10, 11), (10, 30), (11, 30), (10, 31), (0, MAX), (60, MAX), (61, MAX), (0, 1), (MAX - 1, MAX), (MAX, MAX)):
        get(j, t, "r", span=span, versions=3)
    for ts in (0, 10, 15, 60, 61, MAX - 1):
        get(j, t, "r", ts=ts, versions=3)
    get(j, t, "r", ts=10, span=(40, 60))
    get(j, t, "r", "f:q", ts=20)
    get1(j, t, "r", "f", 3, 40)
    j.t1.getRowWithColumnsTs(tableName=t, row="r", columns=["f:q", "g"], timestamp=25, attributes={})
    j.t1.getRowsTs(tableName=t, rows=["r", "none", "r"], timestamp=16, attributes={})
    j.t1.getRowsWithColumnsTs(tableName=t, rows=["r"], columns=["g:q"], timestamp=16, attributes={})


@scenario("dm-time-range-on-scans")
def time_range_on_scans(j):
    t = make(j, fam("f", versions=3), fam("g", versions=3))
    for n, row in enumerate(("a", "ab", "b", "c")):
        put(j, t, row, ("f:x", f"{row}1", n + 1), ("f:x", f"{row}2", n + 2), ("g:y", f"{row}3", n + 3))
    for span in ((1, 2), (2, 3), (2, 4), (4, 7), (9, 9), (6, MAX)):
        scan(j, t, span=span, versions=3)
    scan(j, t, by_family={"f": (1, 3)}, versions=3)
    scan(j, t, by_family={"f": (1, 3), "g": (5, 6)}, versions=3)
    scan(j, t, by_family={"f": (1, 3)}, span=(5, 7), versions=3)
    scan(j, t, "f", by_family={"g": (5, 6)}, span=(1, 2), versions=3)
    scan(j, t, span=(3, 5), versions=3, reversed=True)
    scan(j, t, versions=2, reversed=True)
    scan(j, t, versions=2, reversed=True, start="b", stop="a")
    scan(j, t, versions=3, batchSize=2)
    scan(j, t, span=(5, 3))
    scan(j, t, span=(-1, 3))
    scan(j, t, by_family={"f": (-1, 3)})
    scan(j, t, by_family={"nope": (1, 3)}, start="c")
    scan1(j, t, timestamp=3)
    scan1(j, t, timestamp=0)
    scan1(j, t, timestamp=MAX)
    scan1(j, t, timestamp=4, reversed=True, sortColumns=True)
    scan1(j, t, timestamp=4, columns=["f:x"], startRow="ab", stopRow="c")
    for s in (j.t1.scannerOpenTs(tableName=t, startRow="ab", columns=["f"], timestamp=4, attributes={}),
              j.t1.scannerOpenWithStopTs(tableName=t, startRow="", stopRow="b", columns=["f", "g"], timestamp=5, attributes={})):
        j.t1.scannerGetList(id=s, nbRows=10)
        j.t1.scannerClose(id=s)


@scenario("dm-same-timestamp-written-again")
def same_timestamp_written_again(j):
    t = make(j, fam("f", versions=3), fam("o", versions=1))
    for f in ("f", "o"):
        put(j, t, "r", (f + ":q", "first", 5))
        put(j, t, "r", (f + ":q", "second", 5))
        put1(j, t, "r", (f + ":q", "third"), ts=5)
        get(j, t, "r", f, versions=5)
        put(j, t, "r", (f + ":q", "x", 5), (f + ":q", "y", 5), (f + ":q", "z", 4))
        get(j, t, "r", f, versions=5)
        get1(j, t, "r", f + ":q", 5)
        put(j, t, "r", (f + ":q", "", 5))
        get(j, t, "r", f, versions=5)
    put1(j, t, "s", ("f:q", "1"), ("f:q", "2"), ts=7)
    row1(j, t, "s")
    mutate(j, t, "u", {"put": tput("u", ("f:q", "1", 7))}, {"put": tput("u", ("f:q", "2", 7))}, {"put": tput("u", ("f:q", "3", 6))})
    get(j, t, "u", versions=5)
    j.t2.putMultiple(table=t, tputs=[tput("w", ("f:q", "1", 7)), tput("w", ("f:q", "2", 7)), tput("w", ("f:q", "0", 8))])
    get(j, t, "w", versions=5)
    j.t1.mutateRowsTs(tableName=t, rowBatches=[{"row": "x", "mutations": [{"column": "f:q", "value": "1"}]},
                                              {"row": "x", "mutations": [{"column": "f:q", "value": "2"}]}], timestamp=9, attributes={})
    row1(j, t, "x")
    for n in range(4):
        put(j, t, "y", ("f:q", f"n{n}", 3), ("f:q", f"m{n}", 2))
    get(j, t, "y", versions=5)
    delete(j, t, "y", ("f:q", 3), kind="version")
    get(j, t, "y", versions=5)


@scenario("dm-versions-and-filters")
def versions_and_filters(j):
    t = make(j, fam("f", versions=3), fam("o", versions=1))
    put(j, t, "w", *[("f:a", f"a{n}", n) for n in range(1, 4)], *[("f:b", f"b{n}", n) for n in range(1, 4)], ("o:a", "x9", 9))
    for m in (1, 2, 3):
        get(j, t, "w", versions=m, filterString="ValueFilter(=,'binary:a1')")
        get(j, t, "w", versions=m, filterString="ValueFilter(!=,'binary:a3')")
        get(j, t, "w", "f:a", versions=m, filterString="ValueFilter(<=,'binary:a2')")
        get(j, t, "w", versions=m, filterString="TimestampsFilter(1,2,9)")
        scan(j, t, versions=m, filterString="ValueFilter(<,'binary:b3')")
        get(j, t, "w", versions=m, filterString="FirstKeyOnlyFilter()")
        get(j, t, "w", versions=m, filterString="ColumnCountGetFilter(2)")
        get(j, t, "w", versions=m, filterString="ColumnPaginationFilter(1,1)")
        get(j, t, "w", versions=m, storeLimit=2)
        get(j, t, "w", versions=m, storeLimit=2, storeOffset=1)
        exists(j, t, "w", versions=m, filterString="ValueFilter(=,'binary:a1')")
    delete(j, t, "w", ("f:a", 3), kind="version")
    get(j, t, "w", versions=1, filterString="ValueFilter(=,'binary:a3')")
    get(j, t, "w", versions=1, filterString="ValueFilter(=,'binary:a1')")
    get(j, t, "w", versions=1, span=(0, 2), filterString="ValueFilter(=,'binary:a1')")
    scan1(j, t, filterString="ValueFilter(=,'binary:a2')")
    scan1(j, t, filterString="ValueFilter(=,'binary:a1')", timestamp=2)


# ---------------------------------------------------------------- deletes

@scenario("dm-delete-one-version")
def delete_one_version(j):
    t = make(j, fam("f", versions=5))
    put(j, t, "r", *[("f:q", f"v{n}", n) for n in (1, 2, 3)], ("f:z", "z2", 2), ("f:", "e2", 2))
    delete(j, t, "r", ("f:q", 2), kind="version")
    get(j, t, "r", versions=5)
    delete(j, t, "r", ("f:q", 9), kind="version")
    delete(j, t, "r", ("f:none", 2), kind="version")
    delete(j, t, "none", ("f:q", 2), kind="version")
    get(j, t, "r", versions=5)
    put(j, t, "r", ("f:q", "again", 2))
    get(j, t, "r", versions=5)
    get(j, t, "r", "f:q", ts=2)
    put(j, t, "r", ("f:q", "nine", 9))
    get(j, t, "r", versions=5)
    delete(j, t, "r", ("f", 2), kind="version")
    get(j, t, "r", versions=5)
    delete(j, t, "r", ("f:q", 1), ("f:q", 3), ("f:z", 2), kind="version")
    get(j, t, "r", versions=5)
    exists(j, t, "r")


@scenario("dm-delete-newest-version")
def delete_newest_version(j):
    t = make(j, fam("f", versions=8))
    put(j, t, "r", *[("f:q", f"v{n}", n) for n in (1, 2, 3, 4)], ("f:p", "p", 7))
    for _ in range(2):
        delete(j, t, "r", "f:q", kind="version")
        get(j, t, "r", versions=5)
    put(j, t, "r", ("f:q", "v6", 6))
    delete(j, t, "r", "f:q", "f:q", kind="version")
    get(j, t, "r", versions=5)
    put(j, t, "r", *[("f:q", f"w{n}", n) for n in (10, 11, 12, 13)])
    delete(j, t, "r", "f:q", ("f:q", 11), "f:q", kind="version")
    get(j, t, "r", versions=5)
    pause(j)
    delete(j, t, "r", "f:none", kind="version")
    pause(j)
    put(j, t, "r", ("f:none", "later"))
    get(j, t, "r", "f:none")
    put(j, t, "fut", ("f:q", "future", 10**14), ("f:q", "past", 5))
    delete(j, t, "fut", "f:q", kind="version")
    get(j, t, "fut", versions=5)
    mutate(j, t, "m", {"put": tput("m", ("f:q", "1", 5))})
    mutate(j, t, "m", {"deleteSingle": tdelete("m", "f:q", kind="version")}, {"put": tput("m", ("f:q", "2", 4))})
    get(j, t, "m", versions=5)


@scenario("dm-delete-column")
def delete_column(j):
    t = make(j, fam("f", versions=5), fam("g", versions=5))
    items = [(f"{f}:{q}", f"{f}{q}{n}", n * 10) for f in "fg" for q in "ab" for n in (1, 2, 3)]
    for row in ("r", "s", "u"):
        put(j, t, row, *items)
    delete(j, t, "r", ("f:a", 20), kind="column")
    get(j, t, "r", versions=5)
    delete(j, t, "r", ("f:b", 19))
    get(j, t, "r", "f", versions=5)
    put(j, t, "r", ("f:a", "old", 15), ("f:a", "equal", 20), ("f:a", "new", 21))
    get(j, t, "r", "f", versions=5)
    j.t1.deleteAllTs(tableName=t, row="s", column="g:a", timestamp=10, attributes={})
    get(j, t, "s", "g", versions=5)
    j.t1.deleteAll(tableName=t, row="s", column="g:a", attributes={})
    get(j, t, "s", "g", versions=5)
    put1(j, t, "s", ("g:a", "masked"), ts=40)
    get(j, t, "s", "g", versions=5)
    pause(j)
    put1(j, t, "s", ("g:a", "shown"))
    get1(j, t, "s", "g:a", 5)
    delete(j, t, "u", ("f:a", 10**14), kind="column")
    put(j, t, "u", ("f:a", "now"))
    get(j, t, "u", "f:a")
    put(j, t, "u", ("f:a", "later", 10**14 + 1))
    get(j, t, "u", "f:a")
    delete(j, t, "u", ("f", 30), kind="column")
    get(j, t, "u", "f", versions=1)
    j.t1.mutateRowTs(tableName=t, row="u", mutations=[{"column": "g:a", "isDelete": True}], timestamp=20, attributes={})
    get(j, t, "u", "g", versions=5)


@scenario("dm-delete-family")
def delete_family(j):
    t = make(j, fam("f", versions=5), fam("g", versions=5))
    items = [(f"{f}:{q}", f"{f}{q}{n}", n * 10) for f in "fg" for q in ("", "a") for n in (1, 2, 3)]
    for row in ("r", "s", "u", "v"):
        put(j, t, row, *items)
    delete(j, t, "r", ("f", 20), kind="family")
    get(j, t, "r", versions=5)
    delete(j, t, "r", ("g:ignored", 10), kind="family")
    get(j, t, "r", "g", versions=5)
    put(j, t, "r", ("f:new", "old", 19), ("f:new", "equal", 20), ("f:new", "shown", 21), ("f:", "top", 99))
    get(j, t, "r", "f", versions=5)
    get(j, t, "r", "f:", versions=5)
    get(j, t, "r", "f:a", "f:new", versions=5)
    j.t1.deleteAllTs(tableName=t, row="s", column="f", timestamp=20, attributes={})
    j.t1.deleteAllTs(tableName=t, row="s", column="g:", timestamp=20, attributes={})
    get(j, t, "s", versions=5)
    delete(j, t, "u", ("f", 20), kind="family-version")
    get(j, t, "u", versions=5)
    put(j, t, "u", ("f:b", "masked", 20), ("f:b", "shown", 19))
    get(j, t, "u", "f", versions=5)
    delete(j, t, "u", "f", kind="family-version")
    delete(j, t, "u", ("f:a", 30), kind="family-version")
    get(j, t, "u", "f", versions=5)
    delete(j, t, "v", ("f:a", 30), ("f", 10), ("g:a", 30), kind="family")
    get(j, t, "v", versions=5)
    j.t1.deleteAll(tableName=t, row="v", column="g", attributes={})
    exists(j, t, "v")
    scan(j, t, "f:a", versions=5)


@scenario("dm-delete-row")
def delete_row(j):
    t = make(j, fam("f", versions=5), fam("g", versions=5), fam("unused"))
    items = [(f"{f}:a", f"{f}{n}", n * 10) for f in "fg" for n in (1, 2, 3)]
    for row in ("r", "s", "u", "v", "w"):
        put(j, t, row, *items)
    delete(j, t, "r", timestamp=20)
    get(j, t, "r", versions=5)
    j.t1.deleteAllRowTs(tableName=t, row="s", timestamp=19, attributes={})
    get(j, t, "s", versions=5)
    put(j, t, "s", ("unused:x", "masked", 19), ("unused:x", "shown", 20))
    get(j, t, "s", "unused", versions=5)
    j.t1.deleteAllRow(tableName=t, row="u", attributes={})
    get(j, t, "u")
    exists(j, t, "u")
    put(j, t, "u", ("f:a", "masked", 50))
    get(j, t, "u")
    pause(j)
    put(j, t, "u", ("f:a", "shown"))
    get(j, t, "u", versions=5)
    j.t2.deleteSingle(table=t, tdelete={"row": "v", "columns": [], "timestamp": 10})
    get(j, t, "v", versions=5)
    delete(j, t, "w", timestamp=0)
    get(j, t, "w", versions=5)
    j.t2.deleteMultiple(table=t, tdeletes=[tdelete("w", timestamp=10), tdelete("w", ("f:a", 30), kind="version"), tdelete("none")])
    get(j, t, "w", versions=5)
    delete(j, t, "absent")
    scan(j, t, versions=5)
    scan(j, t, versions=5, reversed=True)


@scenario("dm-markers-side-by-side")
def markers_side_by_side(j):
    t = make(j, fam("f", versions=9))
    put(j, t, "m", *[("f:q", f"v{n}", n) for n in range(1, 9)], *[("f:", f"e{n}", n) for n in range(1, 9)])
    delete(j, t, "m", ("f:q", 8), ("f:q", 5), kind="version")
    delete(j, t, "m", ("f:q", 3), kind="column")
    delete(j, t, "m", ("f", 6), kind="family-version")
    delete(j, t, "m", ("f", 1), kind="family")
    delete(j, t, "m", ("f:", 2), kind="column")
    get(j, t, "m", versions=9)
    for span in ((0, 3), (3, 6), (4, 5), (5, 7), (7, 99)):
        get(j, t, "m", versions=9, span=span)
    for ts in (1, 4, 5, 6, 7, 8):
        get(j, t, "m", ts=ts)
    get(j, t, "m", "f:q")
    get1(j, t, "m", "f:q", 3, 7)
    put(j, t, "m", *[("f:q", f"again{n}", n) for n in range(1, 9)])
    get(j, t, "m", "f:q", versions=9)
    delete(j, t, "m", ("f:q", 7), kind="column")
    delete(j, t, "m", ("f:q", 2), kind="column")
    get(j, t, "m", versions=9)
    delete(j, t, "m", ("f", 8), kind="family")
    get(j, t, "m", versions=9)
    put(j, t, "m", ("f:q", "nine", 9))
    scan(j, t, versions=9)
    exists(j, t, "m", "f:")
    exists(j, t, "m", "f:q")
    exists(j, t, "m", "f:q", span=(0, 9))


@scenario("dm-delete-before-put")
def delete_before_put(j):
    t = make(j, fam("f", versions=5), fam("g", versions=5))
    delete(j, t, "r", ("f:q", 10), kind="version")
    delete(j, t, "r", ("f:c", 10), kind="column")
    delete(j, t, "r", ("g", 10), kind="family")
    delete(j, t, "s", ("g", 10), kind="family-version")
    exists(j, t, "r")
    scan(j, t)
    for ts in (9, 10, 11):
        put(j, t, "r", *[(c, f"{ts}", ts) for c in ("f:q", "f:c", "f:free", "g:x")])
        put1(j, t, "s", ("g:x", f"{ts}"), ("f:x", f"{ts}"), ts=ts)
    get(j, t, "r", versions=5)
    get(j, t, "s", versions=5)
    row1(j, t, "r")
    get(j, t, "r", span=(0, 11), versions=5)
    get(j, t, "r", span=(0, 10), versions=5)
    j.t1.getRowTs(tableName=t, row="s", timestamp=11, attributes={})


@scenario("dm-one-millisecond")
def one_millisecond(j):
    t = make(j, fam("f", versions=3), fam("o", versions=1))
    put(j, t, "s", ("f:old", "1", 5), ("f:one", "1", 5))
    pause(j)
    mutate(j, t, "s", {"put": tput("s", ("f:a", "masked"))}, {"deleteSingle": tdelete("s", "f:a", kind="column")})
    mutate(j, t, "s", {"deleteSingle": tdelete("s", "f:b", kind="column")}, {"put": tput("s", ("f:b", "masked"))})
    mutate(j, t, "s", {"put": tput("s", ("f:c", "masked"))}, {"deleteSingle": tdelete("s", "f:c", kind="version")})
    mutate(j, t, "s", {"deleteSingle": tdelete("s", "f:old", kind="version")}, {"put": tput("s", ("f:old", "2"))})
    get(j, t, "s", versions=3)
    mutate(j, t, "s2", {"deleteSingle": tdelete("s2", "f", kind="family")}, {"put": tput("s2", ("o:c", "shown"), ("f:z", "masked"))})
    mutate(j, t, "s3", {"deleteSingle": tdelete("s3")}, {"put": tput("s3", ("o:c", "masked"), ("f:z", "masked"))})
    mutate(j, t, "s4", {"deleteSingle": tdelete("s4", ("f:a", 6), ("f:b", 5), ("f:c", 4))}, {"put": tput("s4", ("f:a", "masked", 5), ("f:b", "masked", 5), ("f:c", "shown", 5))})
    mutate(j, t, "s5", {"put": tput("s5", ("f:a", "1", 5), ("f:a", "2", 4))}, {"deleteSingle": tdelete("s5", ("f:a", 5), kind="version")})
    scan(j, t, versions=3, start="s2")
    put(j, t, "t1", ("f:a", "old", 5), ("f:b", "old", 5))
    j.t1.mutateRowTs(tableName=t, row="t1", mutations=[{"column": "f:a", "isDelete": True}, {"column": "f:a", "value": "masked"}], timestamp=6, attributes={})
    j.t1.mutateRowTs(tableName=t, row="t1", mutations=[{"column": "f:b", "value": "masked"}, {"column": "f:b", "isDelete": True}], timestamp=6, attributes={})
    row1(j, t, "t1")
    j.t1.mutateRowTs(tableName=t, row="t2", mutations=[{"column": "f", "isDelete": True}, {"column": "o:b", "value": "shown"}, {"column": "f:b", "value": "masked"}], timestamp=6, attributes={})
    row1(j, t, "t2")
    j.t1.mutateRowsTs(tableName=t, rowBatches=[{"row": "t3", "mutations": [{"column": "f:a", "isDelete": True}, {"column": "f:a", "value": "masked"}, {"column": "f:c", "value": "shown"}]}], timestamp=6, attributes={})
    row1(j, t, "t3")
    put1(j, t, "t1", ("f:a", "shown"), ts=7)
    get1(j, t, "t1", "f", 5)
    got = j.t2.checkAndMutate(table=t, row="t4", family="f", qualifier="x", compareOp=2, value="",
                              rowMutations={"row": "t4", "mutations": [{"put": tput("t4", ("f:x", "masked"))}, {"deleteSingle": tdelete("t4", "f:x", kind="column")}]})
    assert got is True
    get(j, t, "t4")


@scenario("dm-keep-deleted-cells")
def keep_deleted_cells(j):
    t = make(j, fam("no", versions=5), fam("yes", versions=5, keep="TRUE"), fam("ttl", versions=5, keep="TTL", ttl=10**6, least=1))
    for f in ("no", "yes", "ttl"):
        put(j, t, "r", *[(f + ":q", f"v{n}", n * 10) for n in (1, 2, 3)] if f != "ttl" else [(f + ":q", "recent", j.now(-5000))])
    for f in ("no", "yes"):
        delete(j, t, "r", (f + ":q", 20), kind="column")
        for span in ((0, 10), (0, 20), (0, 21), (0, 11), (10, 20), (20, 21), (20, 30), (0, MAX), (0, 31)):
            get(j, t, "r", f, versions=5, span=span)
        get(j, t, "r", f, ts=10)
        get(j, t, "r", f, ts=20)
        get(j, t, "r", f, versions=5)
        exists(j, t, "r", f, span=(0, 20))
        get1(j, t, "r", f + ":q", 5, 20)
        get1(j, t, "r", f + ":q", 5, 21)
        delete(j, t, "r", (f, 35), kind="family")
        get(j, t, "r", f, versions=5)
        get(j, t, "r", f, versions=5, span=(0, 35))
        get(j, t, "r", f, versions=5, span=(0, 36))
        put(j, t, "r", (f + ":q", "masked", 33))
        get(j, t, "r", f, versions=5, span=(0, 34))
        get(j, t, "r", f, versions=5)
    delete(j, t, "r", ("ttl:q", j.now(-2000)), kind="column")
    get(j, t, "r", "ttl", versions=5)
    put(j, t, "p", *[("yes:q", f"p{n}", n) for n in (1, 2, 3)])
    delete(j, t, "p", ("yes:q", 2), kind="version")
    delete(j, t, "p", ("yes", 3), kind="family-version")
    for span in ((0, 2), (0, 3), (0, 4), (2, 3), (3, 4)):
        get(j, t, "p", versions=5, span=span)
    scan(j, t, "yes", versions=5, span=(0, 20))
    scan(j, t, versions=5, by_family={"yes": (0, 20), "no": (0, 20)})
    j.t1.getRowTs(tableName=t, row="r", timestamp=20, attributes={})


@scenario("dm-raw-scans")
def raw_scans(j):
    t = make(j, fam("f", versions=9, keep="TRUE"), fam("g", versions=1, keep="TRUE"))
    put(j, t, "r", *[("f:q", f"v{n}", n) for n in (1, 2)], ("f:", "e", 3), ("g:q", "g5", 5))
    put(j, t, "only", ("g:y", "old", 1))
    delete(j, t, "only", ("g:y", 1), kind="version")
    delete(j, t, "r", ("f:q", 2), kind="version")
    delete(j, t, "r", ("f:q", 1), kind="column")
    delete(j, t, "r", ("f", 3), kind="family")
    delete(j, t, "r", ("f", 2), kind="family-version")
    delete(j, t, "only", ("g:x", 9), kind="column")
    raw(j, t)
    raw(j, t, reversed=True)
    scan(j, t, versions=9)
    scan(j, t, "f", versions=9, attributes={"_raw_": "\xff"})
    scan(j, t, "f:q", versions=9, attributes={"_raw_": "\xff"})
    scan(j, t, versions=9, attributes={"_raw_": "\x00"})
    raw(j, t, span=(2, 4))
    raw(j, t, span=(0, 2))
    s = j.t1.scannerOpenWithScan(tableName=t, scan={"sortColumns": True}, attributes={"_raw_": "\xff"})
    j.t1.scannerGetList(id=s, nbRows=9)
    s = j.t1.scannerOpenWithScan(tableName=t, scan={"columns": ["f:q"]}, attributes={"_raw_": "\xff"})
    j.t1.scannerGetList(id=s, nbRows=9)
    exists(j, t, "only")
    exists(j, t, "r", "f")
    get(j, t, "r", versions=9, attributes={"_raw_": "\xff"})


# ---------------------------------------------------------------- ageing

@scenario("dm-family-ttl")
def family_ttl(j):
    t = make(j, fam("s", versions=3, ttl=5), fam("l", versions=3, ttl=3600), fam("for", versions=3, ttl=2**31 - 1))
    for f in ("s", "l", "for"):
        put(j, t, "r", (f + ":q", "old", j.now(-10000)), (f + ":q", "new", j.now(-1000)), (f + ":q", "ancient", 5), (f + ":p", "future", 10**14))
    get(j, t, "r", versions=5)
    get(j, t, "r", "s:q", versions=5)
    get(j, t, "r", span=(0, 10), versions=5)
    get1(j, t, "r", "s:q", 5)
    get1(j, t, "r", "l:q", 5)
    row1(j, t, "r")
    scan(j, t, versions=5)
    put(j, t, "g", ("s:q", "gone", j.now(-10000)))
    get(j, t, "g")
    exists(j, t, "g")
    scan(j, t, "s:q", start="g", stop="h")
    put1(j, t, "g1", ("s:n", long8(40)), ts=5)
    row1(j, t, "g1")
    increment(j, t, "g1", "s:n", 2)
    put(j, t, "g2", ("s:v", "abc", j.now(-10000)))
    append(j, t, "g2", ("s:v", "def"))
    j.t2.checkAndPut(table=t, row="g", family="s", qualifier="q", value="gone", tput=tput("g", ("l:x", "no", 1)))
    j.t2.checkAndPut(table=t, row="g", family="s", qualifier="q", value=None, tput=tput("g", ("for:x", "yes", 1)))
    get(j, t, "g")
    put(j, t, "soon", ("s:q", "a moment", j.now(-4000)))
    get(j, t, "soon")
    j.sleep(1.3)
    get(j, t, "soon")


@scenario("dm-family-ttl-through-thrift1")
def family_ttl_through_thrift1(j):
    t = j.table()
    j.t1.createTable(tableName=t, columnFamilies=[{"name": "s:", "maxVersions": 2, "timeToLive": 60}, {"name": "z:", "timeToLive": 0},
                                                 {"name": "n:", "timeToLive": -1}, {"name": "d:"}])
    j.t1.getColumnDescriptors(tableName=t)
    for f in ("s", "z", "n", "d"):
        put1(j, t, "r", (f + ":q", "ancient"), ts=7)
        put(j, t, "r", (f + ":q", "recent", j.now(-5000)))
    row1(j, t, "r")
    for f in ("s", "z", "n", "d"):
        get1(j, t, "r", f + ":q", 5)
    get(j, t, "r", versions=5)


@scenario("dm-min-versions")
def min_versions(j):
    t = make(j, fam("m", versions=5, least=2, ttl=3600), fam("z", versions=5, least=0, ttl=3600), fam("e", versions=2, least=2, ttl=1))
    for f in ("m", "z", "e"):
        put(j, t, "r", (f + ":q", "e1", 1), (f + ":q", "e2", 2))
    put(j, t, "r2", ("m:q", "e1", 1), ("m:q", "fresh", j.now(-2000)))
    put(j, t, "r3", ("m:q", "fresh1", j.now(-3000)), ("m:q", "fresh2", j.now(-2000)), ("m:q", "fresh3", j.now(-1000)))
    for row in ("r", "r2", "r3"):
        for m in (1, 2, 5):
            get(j, t, row, versions=m)
        get(j, t, row, "m:q", versions=5)
        row1(j, t, row)
    get(j, t, "r", "z:q", versions=5)
    get(j, t, "r", span=(0, 2), versions=5)
    get1(j, t, "r", "m:q", 5)
    get1(j, t, "r", "m:q", 5, 3)
    exists(j, t, "r", "z")
    exists(j, t, "r", "m")
    delete(j, t, "r", ("m:q", 2), kind="version")
    get(j, t, "r", versions=5)
    delete(j, t, "r", ("m", 1), kind="family")
    get(j, t, "r", "m", versions=5)
    scan(j, t, "m", versions=5)
    put(j, t, "n", ("m:n", long8(5), 3), ("z:n", long8(5), 3))
    increment(j, t, "n", "m:n", 1)
    increment(j, t, "n", "z:n", 1)


@scenario("dm-cell-ttl")
def cell_ttl(j):
    t = make(j, fam("f", versions=3), fam("l", versions=3, ttl=60), fam("m", versions=3, least=2, ttl=3600), fam("k", versions=3, keep="TRUE"))
    put(j, t, "c", ("f:q", "below", 1))
    put(j, t, "c", ("f:q", "short"), attributes=ttl(1200))
    get(j, t, "c", versions=3)
    put(j, t, "c2", ("f:q", "x", j.now(-3000)), attributes=ttl(1000))
    get(j, t, "c2")
    put(j, t, "c2", ("f:q", "y", j.now(-2000)), attributes=ttl(100000))
    get(j, t, "c2", versions=3)
    put(j, t, "c3", ("f:q", "ancient", 5), attributes=ttl(1000))
    get(j, t, "c3", versions=3)
    put(j, t, "c4", ("l:q", "family is shorter", j.now(-90000)), attributes=ttl(200000))
    get(j, t, "c4")
    put(j, t, "c5", ("m:q", "not kept", j.now(-9000)), attributes=ttl(1000))
    put(j, t, "c5", ("m:q", "kept", 5))
    get(j, t, "c5", versions=3)
    j.t1.mutateRow(tableName=t, row="c6", mutations=[{"column": "f:q", "value": "t1"}], attributes=ttl(1200))
    j.t1.mutateRowTs(tableName=t, row="c7", mutations=[{"column": "f:q", "value": "t1"}], timestamp=5, attributes=ttl(100000))
    row1(j, t, "c6")
    row1(j, t, "c7")
    put(j, t, "d", ("k:q", "back", 10))
    delete(j, t, "d", "k:q", kind="column", attributes=ttl(1200))
    get(j, t, "d")
    delete(j, t, "d2", ("f:q", 10), kind="column", attributes=ttl(5))
    put(j, t, "d2", ("f:q", "marker is dead", 10))
    get(j, t, "d2")
    put(j, t, "e", ("f:n", long8(7), 3))
    increment(j, t, "e", "f:n", 1, attributes=ttl(1200))
    append(j, t, "e", ("f:a", "x"), attributes=ttl(1200))
    get(j, t, "e")
    j.sleep(1.5)
    for row in ("c", "c6", "d", "e"):
        get(j, t, row, versions=3)
    raw(j, t, stop="c4")
    put(j, t, "bad", ("f:q", "x", 5), attributes={"_ttl": "abc"})
    get(j, t, "bad")


@scenario("dm-cells-that-differ-in-ttl-only")
def cells_that_differ_in_ttl_only(j):
    t = make(j, fam("f", versions=3), fam("k", versions=3, keep="TRUE"),
             {"name": "n", "maxVersions": 3, "attributes": {"NEW_VERSION_BEHAVIOR": "true"}})
    over = {"attributes": ttl(1)}
    for f in ("f", "k", "n"):
        for kind, place in (("family", f), ("family-version", f), ("column", f + ":q"), ("version", f + ":q")):
            for name, turns in (("first", ({}, over)), ("last", (over, {}))):
                row = f"{f}-{kind}-{name}"
                put(j, t, row, (f + ":q", "v", 5))
                for more in turns:
                    delete(j, t, row, (place, 5), kind=kind, **more)
                    get(j, t, row, versions=3)
        put(j, t, f + "-put-first", (f + ":q", "stays", 5))
        put(j, t, f + "-put-first", (f + ":q", "over", 5), **over)
        put(j, t, f + "-put-last", (f + ":q", "over", 5), **over)
        put(j, t, f + "-put-last", (f + ":q", "stays", 5))
    scan(j, t, versions=3)
    reopen(j, t)
    scan(j, t, versions=3)
    for f in ("f", "k", "n"):
        for kind in ("family", "family-version", "column", "version"):
            put(j, t, f"{f}-{kind}-first", (f + ":q", "late", 5))
    scan(j, t, versions=3)


# ---------------------------------------------------------------- timestamps and bytes

@scenario("dm-extreme-timestamps")
def extreme_timestamps(j):
    t = make(j, fam("f", versions=5))
    put(j, t, "z", ("f:q", "zero", 0))
    get(j, t, "z")
    for span in ((0, 0), (0, 1), (1, 5)):
        get(j, t, "z", span=span)
    get(j, t, "z", ts=0)
    put(j, t, "z", ("f:q", "negative", -1))
    put(j, t, "z", ("f:q", "negative"), timestamp=-5)
    put1(j, t, "z", ("f:q", "negative"), ts=-1)
    put(j, t, "z", ("f:q", "latest", MAX))
    put(j, t, "z", ("f:q", "far", MAX - 1))
    get(j, t, "z", versions=5)
    get(j, t, "z", ts=MAX - 1)
    get(j, t, "z", ts=MAX)
    get(j, t, "z", ts=-1)
    get(j, t, "z", span=(0, MAX), versions=5)
    get(j, t, "z", span=(0, MAX - 1), versions=5)
    get(j, t, "z", span=(5, 2))
    get(j, t, "z", span=(-1, 2))
    get(j, t, "z", span=(0, -1))
    get1(j, t, "z", "f:q", 5, MAX)
    get1(j, t, "z", "f:q", 5, 1)
    get1(j, t, "z", "f:q", 5, -1)
    j.t1.getRowTs(tableName=t, row="z", timestamp=-1, attributes={})
    s = j.t1.scannerOpenWithScan(tableName=t, scan={"timestamp": -1}, attributes={})
    delete(j, t, "z", ("f:q", 0), kind="version")
    get(j, t, "z", versions=5)
    delete(j, t, "z", ("f:q", -1), kind="version")
    delete(j, t, "z", timestamp=-1)
    j.t1.deleteAllTs(tableName=t, row="z", column="f:q", timestamp=-1, attributes={})
    j.t1.deleteAllRowTs(tableName=t, row="z", timestamp=-1, attributes={})
    j.t1.mutateRowsTs(tableName=t, rowBatches=[{"row": "z", "mutations": [{"column": "f:q", "value": "n"}]}], timestamp=-3, attributes={})
    delete(j, t, "z", ("f:q", MAX), kind="column")
    get(j, t, "z", versions=5)
    delete(j, t, "z", ("f", MAX - 1), kind="family")
    put(j, t, "z", ("f:q", "never seen again", MAX - 1))
    get(j, t, "z", versions=5)
    put1(j, t, "y", ("f:q", "zero"), ts=0)
    row1(j, t, "y")
    j.t1.deleteAllRowTs(tableName=t, row="y", timestamp=0, attributes={})
    row1(j, t, "y")
    pause(j)
    put1(j, t, "y", ("f:q", "latest"), ts=MAX)
    row1(j, t, "y")
    put(j, t, "x", ("f:a", "own", 3), ("f:b", "shared"), timestamp=4)
    get(j, t, "x")


@scenario("dm-bytes-and-order")
def bytes_and_order(j):
    t = make(j, fam("f", versions=2), fam("b"), fam("F"), fam("ff"))
    names = ("", "\x00", "\x00\x00", "\x01", "A", "a", "a:b", "a\x00", "b", "\x7f", "\x80", "\xff", "\xff\xff", "\xc3\xa9")
    put(j, t, "o", *[(f"f:{n}", f"[{n}]", 1) for n in reversed(names)], ("b:z", "1", 1), ("F:z", "2", 1), ("ff:", "3", 1), ("ff:q", "\x00\xff\x80", 1))
    get(j, t, "o")
    row1(j, t, "o")
    scan1(j, t, sortColumns=True)
    get1(j, t, "o", "f", 2)
    for n in ("", "\x00", "\xff", "a:b"):
        get(j, t, "o", f"f:{n}")
        get1(j, t, "o", f"f:{n}")
        exists(j, t, "o", f"f:{n}x")
    rows = ("\x00", "\x00\x00", "\x01", "a", "a\x00", "aa", "ab", "b", "\x7f", "\x80", "\xc3\xa9", "\xff", "\xff\xff")
    for row in reversed(rows):
        put(j, t, row, ("f:q", row, 1))
    scan(j, t, "f:q")
    scan(j, t, "f:q", reversed=True)
    for start, stop in (("a", "ab"), ("a", "a\x00"), ("a\x00", "b"), ("\x80", "\xff\xff"), ("\x00\x00", "\x01"), ("b", "a"), ("aa", "aa"), ("\xff\xff\xff", None)):
        scan(j, t, "f:q", start=start, stop=stop)
    for start, stop in (("ab", "a"), ("\xff", "\x7f"), ("b", None), (None, "b"), ("zz", "aa"), ("a", "b")):
        scan(j, t, "f:q", start=start, stop=stop, reversed=True)
    s = j.t1.scannerOpenWithPrefix(tableName=t, startAndPrefix="a", columns=["f:q"], attributes={})
    j.t1.scannerGetList(id=s, nbRows=9)
    s = j.t1.scannerOpenWithPrefix(tableName=t, startAndPrefix="\xff", columns=["f"], attributes={})
    j.t1.scannerGetList(id=s, nbRows=9)
    delete(j, t, "a", ("f:q", 1))
    exists(j, t, "a")
    exists(j, t, "a\x00")


@scenario("dm-empty-qualifier-and-value")
def empty_qualifier_and_value(j):
    t = make(j, fam("f", versions=5))
    put(j, t, "r", ("f:", "three", 3), ("f:", "", 4), ("f:a", "", 3), ("f:a", "a2", 2))
    get(j, t, "r", versions=5)
    exists(j, t, "r", "f:")
    exists(j, t, "r", "f:a", ts=3)
    get1(j, t, "r", "f:", 5)
    delete(j, t, "r", ("f:", 4), kind="version")
    get(j, t, "r", versions=5)
    delete(j, t, "q", ("f", 5), kind="family")
    put(j, t, "q", ("f:", "above", 10), ("f:", "below", 2), ("f:a", "below", 3), ("f:a", "above", 6))
    get(j, t, "q", versions=5)
    get(j, t, "q", "f:", versions=5)
    get(j, t, "q", "f:", "f:a", versions=1)
    scan(j, t, "f:a", versions=5)
    delete(j, t, "q", ("f", 10), kind="family-version")
    get(j, t, "q", versions=5)
    delete(j, t, "q", ("f:", 10), kind="column")
    get(j, t, "q", versions=5)
    delete(j, t, "r", ("f", 3), kind="version")
    get(j, t, "r", versions=5)
    j.t1.mutateRowTs(tableName=t, row="s", mutations=[{"column": "f:"}, {"column": "f:a", "value": ""}], timestamp=5, attributes={})
    row1(j, t, "s")
    j.t1.deleteAllTs(tableName=t, row="s", column="f:", timestamp=5, attributes={})
    row1(j, t, "s")
    append(j, t, "e", ("f:", ""))
    append(j, t, "e", ("f:", "x"))
    exists(j, t, "e", "f:")
    increment(j, t, "r", "f:a", 1)
    increment(j, t, "i", "f:", 1)
    get(j, t, "i", "f:")
    for expect in (None, "", "x"):
        j.t2.checkAndPut(table=t, row="r", family="f", qualifier="a", value=expect, tput=tput("r", ("f:c", f"{expect}", 1)))
    get(j, t, "r", versions=5)
    put(j, t, "", ("f:q", "1", 1))
    put(j, t, "e", (":q", "1", 1))
    put(j, t, "e")
    get(j, t, "")


@scenario("dm-limits-of-size")
def limits_of_size(j):
    t = make(j, fam("f", versions=2))
    put(j, t, "a", ("f:q", "v", 1))
    row1(j, t, "a")
    longest = "x" * 32767
    put(j, t, longest, ("f:q", "v", 1))
    exists(j, t, longest)
    scan(j, t, "f:none", start="b")
    put(j, t, longest + "x", ("f:q", "v", 1))
    put(j, t, "w", *[(f"f:{n:04d}", f"{n}", 1) for n in range(500)])
    get(j, t, "w", "f:0000", "f:0499", "f:0400", "f:0500")
    get(j, t, "w", storeLimit=2, storeOffset=400)
    scan(j, t, "f", start="w", stop="x", batchSize=300, filterString="QualifierFilter(<,'binary:0003')")
    delete(j, t, "w", *[(f"f:{n:04d}", 1) for n in range(0, 400, 2)])
    get(j, t, "w", storeLimit=3)
    delete(j, t, "w", timestamp=1)
    exists(j, t, "w")
    big = "".join(chr(33 + n % 90) for n in range(70000))
    put(j, t, "big", ("f:q", big, 1))
    get(j, t, "big")
    append(j, t, "big", ("f:q", "!" * 10), returnResults=False)
    get(j, t, "big", filterString="KeyOnlyFilter(true)")
    name = "q" * 33000  # longer than a row may be
    put(j, t, "q", ("f:" + name, "long name", 1))
    exists(j, t, "q", "f:" + name)


# ---------------------------------------------------------------- read and write in one

@scenario("dm-increments")
def increments(j):
    t = make(j, fam("f", versions=9), fam("o", versions=1))
    put(j, t, "i", ("f:n", long8(7), 3), ("f:n", long8(6), 2))
    increment(j, t, "i", "f:n", 1)
    get(j, t, "i", versions=5)
    pause(j)
    j.t1.atomicIncrement(tableName=t, row="i", column="f:n", value=-10)
    get1(j, t, "i", "f:n", 5)
    get(j, t, "i", "f:n", versions=5, span=(0, 10))
    put(j, t, "i", ("f:n", long8(100), 4))
    increment(j, t, "i", "f:n")
    put(j, t, "fut", ("f:n", long8(7), 10**14))
    increment(j, t, "fut", "f:n", 5)
    increment(j, t, "fut", "f:n", 0)
    get(j, t, "fut", versions=3)
    put(j, t, "top", ("f:n", long8(2**63 - 1), MAX - 1))
    increment(j, t, "top", "f:n", 1)
    get(j, t, "top", versions=3)
    put(j, t, "d", ("f:n", long8(50), 10))
    delete(j, t, "d", ("f:n", 10), kind="version")
    increment(j, t, "d", "f:n", 2)
    put(j, t, "e", ("f:n", long8(50), 10), ("f:n", long8(60), 20))
    delete(j, t, "e", ("f:n", 20), kind="version")
    increment(j, t, "e", "f:n", 2)
    pause(j)
    delete(j, t, "e", "f:n", kind="version")
    get(j, t, "e", versions=3)
    delete(j, t, "g", ("f", 10**14), kind="family")
    increment(j, t, "g", "f:n", 2)
    get(j, t, "g")
    increment(j, t, "g", "f:n", 2)
    for bad in ("", "1234567", "123456789"):
        put(j, t, "bad", ("f:n", bad, 1))
        increment(j, t, "bad", "f:n", 1)
        j.t1.atomicIncrement(tableName=t, row="bad", column="f:n", value=1)
    put(j, t, "bad", ("f:ok", long8(1), 1))
    j.t2.increment(table=t, tincrement={"row": "bad", "columns": [{"family": "f", "qualifier": "ok", "amount": 1}, {"family": "f", "qualifier": "n", "amount": 1}]})
    get(j, t, "bad")
    j.t2.increment(table=t, tincrement={"row": "two", "columns": [{"family": "o", "qualifier": "z", "amount": 4}, {"family": "f", "qualifier": "n", "amount": 1},
                                                                {"family": "f", "qualifier": "m"}]})
    j.t2.increment(table=t, tincrement={"row": "same", "columns": [{"family": "f", "qualifier": "n", "amount": 1}, {"family": "f", "qualifier": "n", "amount": 10}]})
    get(j, t, "same", versions=3)
    increment(j, t, "wrap", "f:n", 2**63 - 1)
    pause(j)
    increment(j, t, "wrap", "f:n", 1)
    for n in range(4):
        pause(j)
        increment(j, t, "many", "f:n", 1)
        increment(j, t, "many", "o:n", 1)
    get(j, t, "many", versions=9)
    increment(j, t, "many", "none:n", 1)


@scenario("dm-appends")
def appends(j):
    t = make(j, fam("f", versions=3), fam("o", versions=1))
    append(j, t, "a", ("f:v", "one"))
    pause(j)
    append(j, t, "a", ("f:v", "two"))
    pause(j)
    j.t1.append(append={"table": t, "row": "a", "columns": ["f:v", "o:w", "f:"], "values": ["three", "w", "e"]})
    get(j, t, "a", versions=5)
    put(j, t, "b", ("f:v", "old", 5), ("f:v", "older", 4))
    append(j, t, "b", ("f:v", "+", 1))
    get(j, t, "b", versions=5)
    put(j, t, "c", ("f:v", "fut", 10**14))
    append(j, t, "c", ("f:v", "ure"))
    delete(j, t, "c", ("f:v", 10**14 + 1), kind="version")
    append(j, t, "c", ("f:v", "!"))
    get(j, t, "c", versions=5)
    delete(j, t, "d", ("f", 10**14), kind="family")
    append(j, t, "d", ("f:v", "masked"))
    get(j, t, "d")
    append(j, t, "e", ("f:v", ""))
    exists(j, t, "e")
    append(j, t, "g", ("f:v", "a"), ("f:v", "b"))
    get(j, t, "g", versions=3)
    append(j, t, "h", ("f:v", "x"), returnResults=False)
    get(j, t, "h")
    put(j, t, "n", ("f:n", long8(1), 1))
    append(j, t, "n", ("f:n", "x"))
    increment(j, t, "n", "f:n", 1)
    append(j, t, "n", ("none:n", "x"))
    append(j, t, "n")


@scenario("dm-conditions-and-deletes")
def conditions_and_deletes(j):
    t = make(j, fam("f", versions=5), fam("g", versions=1))

    def check_put(row, q, expect, *items):
        return j.t2.checkAndPut(table=t, row=row, family="f", qualifier=q, value=expect, tput=tput(row, *items))

    put(j, t, "c", ("f:q", "v1", 10), ("f:q", "v2", 20))
    delete(j, t, "c", ("f:q", 20), kind="version")
    for expect in ("v2", "v1", "", None):
        check_put("c", "q", expect, ("f:z", f"{expect}", 1))
    for expect in ("x", "", None):
        check_put("c", "none", expect, ("f:y", f"{expect}", 1))
    get(j, t, "c", versions=5)
    delete(j, t, "c", ("f:q", 15), kind="column")
    check_put("c", "q", "v1", ("f:z", "hidden", 2))
    check_put("c", "q", None, ("f:q", "masked", 15))
    check_put("c", "q", None, ("f:q", "shown", 16))
    check_put("c", "q", None, ("f:q", "never", 17))
    get(j, t, "c", versions=5)
    put(j, t, "fut", ("f:q", "a", 10**14))
    check_put("fut", "q", "a", ("f:q", "b"), ("f:stamp", "s"), ("f:old", "o", 3), ("g:stamp", "s"))
    get(j, t, "fut", versions=5)
    j.t1.checkAndPut(tableName=t, row="fut", column="f:q", value="b", mput={"column": "f:t1", "value": "x"}, attributes={})
    get(j, t, "fut", "f:t1")
    j.t2.checkAndDelete(table=t, row="fut", family="f", qualifier="q", value="b", tdelete=tdelete("fut", "f:q", kind="column"))
    get(j, t, "fut", "f:q", versions=5)
    j.t2.checkAndDelete(table=t, row="fut", family="f", qualifier="q", value="b", tdelete=tdelete("fut", "f:q", kind="version"))
    get(j, t, "fut", "f:q", versions=5)
    j.t2.checkAndDelete(table=t, row="fut", family="f", qualifier="q", value=None, tdelete=tdelete("fut", timestamp=10**14))
    get(j, t, "fut")
    put(j, t, "d", *[("f:q", f"d{n}", n) for n in (1, 2, 3)])
    for expect in ("d3", "d3", "d2", "d1", None):
        j.t2.checkAndDelete(table=t, row="d", family="f", qualifier="q", value=expect, tdelete=tdelete("d", "f:q", kind="version"))
        get(j, t, "d", versions=5)
    put(j, t, "e", ("f:q", "m", 5), ("g:q", "g", 5))
    for op in range(6):
        for value in ("a", "m", "z"):
            j.t2.checkAndMutate(table=t, row="e", family="f", qualifier="q", compareOp=op, value=value,
                                rowMutations={"row": "e", "mutations": [{"put": tput("e", (f"f:{op}{value}", "1", 1))}]})
    j.t2.checkAndMutate(table=t, row="e", family="f", qualifier="q", compareOp=2, value="m",
                        rowMutations={"row": "e", "mutations": [{"deleteSingle": tdelete("e", ("f", 1), kind="family-version")},
                                                                {"deleteSingle": tdelete("e", ("g", 5), kind="family")},
                                                                {"put": tput("e", ("g:q", "masked", 5), ("f:q", "n", 6))}]})
    get(j, t, "e", versions=5)


@scenario("dm-one-row-all-or-nothing")
def one_row_all_or_nothing(j):
    t = make(j, fam("f", versions=3), fam("g", versions=3))
    put(j, t, "r", ("f:a", "1", 1), ("g:a", "1", 1), ("none:a", "1", 1))
    get(j, t, "r")
    mutate(j, t, "r", {"put": tput("r", ("f:a", "1", 1))}, {"put": tput("r", ("none:a", "1", 1))})
    get(j, t, "r")
    mutate(j, t, "r", {"put": tput("r", ("f:a", "1", 1))}, {"deleteSingle": tdelete("r", ("none:a", 1))})
    get(j, t, "r")
    put(j, t, "r", ("f:a", "1"), ("f:b", "2"), ("g:a", "3"), ("g:b", "4", 7))
    got = j.t2.get(table=t, tget=tget("r"))
    pause(j)
    j.t1.mutateRow(tableName=t, row="r", mutations=[{"column": "f:c", "value": "1"}, {"column": "none:c", "value": "1"}], attributes={})
    get(j, t, "r")
    j.t1.mutateRowTs(tableName=t, row="s", mutations=[{"column": "f:a", "value": "1"}, {"column": "none:c", "isDelete": True}], timestamp=3, attributes={})
    row1(j, t, "s")
    delete(j, t, "r", ("g:b", 7), ("none:a", 7))
    get(j, t, "r", "g")
    delete(j, t, "r", ("none", 7), kind="family")
    get(j, t, "r", "none")
    get(j, t, "r", "none:a")
    scan(j, t, "none")
    j.t2.putMultiple(table=t, tputs=[tput("x", ("f:a", "1", 1)), tput("y", ("none:a", "1", 1)), tput("z", ("f:a", "1", 1))])
    scan(j, t, "f", start="x", versions=3)
    j.t2.checkAndPut(table=t, row="x", family="f", qualifier="a", value="1", tput=tput("x", ("f:b", "1", 1), ("none:b", "1", 1)))
    get(j, t, "x")


@scenario("dm-missing-table")
def missing_table(j):
    t = j.table("absent")
    get(j, t, "r", versions=3)
    exists(j, t, "r")
    put(j, t, "r", ("f:a", "1", 1))
    delete(j, t, "r", ("f:a", 1), kind="version")
    increment(j, t, "r", "f:a", 1)
    get1(j, t, "r", "f:a", 3)
    j.t1.deleteAllRowTs(tableName=t, row="r", timestamp=3, attributes={})


@scenario("dm-after-a-flush")
def after_a_flush(j):
    """Disabling a table flushes its memory to a file, which must not change the results of reads."""
    t = make(j, fam("f", versions=2), fam("k", versions=5, keep="TRUE"), fam("m", versions=3, least=1, ttl=3600))
    put(j, t, "r", ("f:a", "1", 1), ("f:a", "2", 2), ("f:b", "1", 1), ("k:a", "1", 1), ("k:a", "2", 2), ("m:a", "old", 5))
    delete(j, t, "r", ("f:b", 1), kind="version")
    delete(j, t, "r", ("k:a", 1), kind="column")
    delete(j, t, "s", ("f", 10), kind="family")
    reopen(j, t)
    get(j, t, "r", versions=5)
    get(j, t, "r", "k", versions=5, span=(0, 1))
    get(j, t, "r", "k", versions=5, span=(1, 2))
    put(j, t, "r", ("f:b", "still hidden", 1), ("f:b", "0", 0), ("f:a", "2 again", 2), ("f:a", "3", 3), ("k:a", "old", 1))
    put(j, t, "s", ("f:x", "hidden", 10), ("f:x", "seen", 11))
    get(j, t, "r", versions=5)
    get(j, t, "r", "f:a", versions=5)
    get(j, t, "s", versions=5)
    delete(j, t, "r", ("f:a", 3), kind="version")
    delete(j, t, "r", ("f:a", 2), kind="version")
    exists(j, t, "r", "f:a", span=(2, 9))
    put(j, t, "n", ("f:n", long8(3), 3))
    j.t1.majorCompact(tableNameOrRegionName=t)
    j.t1.compact(tableNameOrRegionName=t)
    j.sleep(0.5)
    get(j, t, "r", "k", "m", versions=5)
    increment(j, t, "n", "f:n", 4)
    scan(j, t, "f:x", "f:n", "m", "k", versions=5)
    scan(j, t, "m", "k", versions=5, reversed=True)


@scenario("dm-fewer-and-more-versions")
def fewer_and_more_versions(j):
    t = make(j, fam("f", versions=3), fam("g", versions=1))
    put(j, t, "r", *[(f"{f}:q", f"v{n}", n) for f in "fg" for n in (1, 2, 3)])
    get(j, t, "r", versions=9)
    name = {"ns": "default", "qualifier": t}
    j.t2.modifyColumnFamily(tableName=name, column=fam("f", versions=1))
    get(j, t, "r", "f", versions=9)
    put(j, t, "r", ("f:q", "v4", 4), ("f:q", "v0", 0))
    get(j, t, "r", "f", versions=9)
    j.t2.modifyColumnFamily(tableName=name, column=fam("g", versions=4))
    get(j, t, "r", "g", versions=1)
    put(j, t, "r", *[("g:q", f"v{n}", n) for n in (4, 5, 6)])
    get(j, t, "r", "g", versions=4)
    j.t2.addColumnFamily(tableName=name, column=fam("h", versions=2))
    put(j, t, "r", *[("h:q", f"v{n}", n) for n in (1, 2, 3)])
    get(j, t, "r", "h", versions=9)
    delete(j, t, "r", timestamp=3)
    get(j, t, "r", "g", "h", versions=9)
    j.t2.deleteColumnFamily(tableName=name, column="g")
    get(j, t, "r", "h", versions=9)
    get(j, t, "r", "g")
    j.t2.addColumnFamily(tableName=name, column=fam("g", versions=9))
    get(j, t, "r", "g", versions=9)


@scenario("dm-new-version-behavior")
def new_version_behavior(j):
    """Deletes and version limits that follow the write order."""
    t = make(j, fam("n", versions=3, attributes={"NEW_VERSION_BEHAVIOR": "true"}))
    put(j, t, "r", *[("n:q", f"v{n}", n) for n in (10, 20, 30)])
    delete(j, t, "r", ("n:q", 20), kind="column")
    get(j, t, "r", versions=9)
    for value, ts in (("after", 15), ("again", 20)):
        put(j, t, "r", ("n:q", value, ts))
        get(j, t, "r", versions=9)
    get(j, t, "r", "n:q", versions=9)
    delete(j, t, "r", ("n", 15), kind="family")
    get(j, t, "r", versions=9)
    put1(j, t, "r", ("n:q", "x"), ts=14)
    get1(j, t, "r", "n:q", 9)
    delete(j, t, "r", ("n:q", 30), kind="version")
    get(j, t, "r", versions=9)
    put(j, t, "r", ("n:q", "30 again", 30))
    get(j, t, "r", versions=9)
    delete(j, t, "r", ("n", 30), kind="family-version")
    get(j, t, "r", versions=9)
    for n in (1, 2, 3, 4):
        put(j, t, "p", ("n:q", f"v{n}", n))
    get(j, t, "p", versions=9)
    delete(j, t, "p", ("n:q", 4), kind="version")
    get(j, t, "p", versions=9)
    get(j, t, "p", versions=9, span=(0, 2))
    put(j, t, "s", ("n:q", "1", 5))
    put(j, t, "s", ("n:q", "2", 5))
    delete(j, t, "s", ("n:q", 5), kind="version")
    get(j, t, "s", versions=9)
    put(j, t, "s", ("n:q", "3", 5))
    get(j, t, "s", versions=9)
    mutate(j, t, "m", {"put": tput("m", ("n:q", "1", 5))}, {"deleteSingle": tdelete("m", ("n:q", 5))})
    mutate(j, t, "m", {"deleteSingle": tdelete("m", ("n:p", 5))}, {"put": tput("m", ("n:p", "1", 5))})
    get(j, t, "m")
    put(j, t, "i", ("n:n", long8(5), 5))
    delete(j, t, "i", ("n:n", 5))
    increment(j, t, "i", "n:n", 2)
    get(j, t, "i", versions=9)
    reopen(j, t)
    scan(j, t, versions=9)


@scenario("dm-new-version-behavior-in-one-request")
def new_version_behavior_in_one_request(j):
    """The versions of one request count as one."""
    t = make(j, *(fam(f"n{v}", versions=v, attributes={"NEW_VERSION_BEHAVIOR": "true"}) for v in (1, 2, 3)))
    for v, puts, deletes in ((1, ((6, 1),), (6,)), (1, ((6, 3, 1),), (6, 3)), (1, ((6, 3), (1,)), (6,)), (1, ((6,), (3, 1)), (6,)),
                             (1, ((1,), (6, 3)), (6,)), (2, ((6, 5), (3, 1)), (6, 5)), (2, ((6, 1), (3, 5)), (6, 5)),
                             (2, ((9, 1), (4,)), (9,)), (2, ((6, 5, 3, 1),), (6,)), (2, ((6,), (5,), (3, 1)), (6,)),
                             (3, ((9, 8, 7), (6, 5), (4, 3)), (9, 6)), (3, ((9, 3), (8, 2), (7, 1)), (9, 8))):
        row, name = f"{v}{puts}", f"n{v}:q"
        for timestamps in puts:
            put(j, t, row, *((name, str(n), n) for n in timestamps))
        for n in deletes:
            for span in ((0, 4), (0, 6), (0, 9), (2, 7)):
                get(j, t, row, versions=9, span=span)
            delete(j, t, row, (name, n), kind="version")
            get(j, t, row, versions=9)
    for kinds in ((6,), (4,), (6, 4), (1,)):
        row = f"both-{kinds}"
        put(j, t, row, ("n1:q", "1", 1))
        mutate(j, t, row, {"put": tput(row, ("n1:q", "6", 6))}, *({"deleteSingle": tdelete(row, ("n1:q", n), kind="version")} for n in kinds))
        get(j, t, row, versions=9)
    for v, timestamps in ((1, (6, 1)), (1, (1, 6)), (2, (6, 5, 1))):
        row = f"empty-{v}{timestamps}"
        for n in timestamps:
            put(j, t, row, (f"n{v}:", str(n), n))
        get(j, t, row, versions=9, span=(0, 6))
        get(j, t, row, versions=9)
        delete(j, t, row, (f"n{v}:", 6), kind="version")
        get(j, t, row, versions=9)


# ---------------------------------------------------------------- random calls

def chaos(name, *families, steps=250, **options):
    @scenario(name)
    def run(j):
        Chaos(j, families, **options).go(steps).audit()


chaos("dm-random-3-1", fam("f", versions=3), fam("g", versions=1))
chaos("dm-random-keep-deleted", fam("f", versions=3, keep="TRUE"), fam("g", versions=5), filters=True)
chaos("dm-random-min-versions", fam("f", versions=4, least=2, ttl=7200), fam("g", versions=3, least=1, ttl=7200, keep="TTL"))
chaos("dm-random-many-versions", fam("f", versions=100), fam("g", versions=2, keep="TRUE"), rows=("a", "a\x00", "b"), filters=True)
chaos("dm-random-few-rows", fam("f", versions=2), fam("g", versions=1, keep="TRUE"), rows=("r", "s"), reads=0.5)


@scenario("dm-random-over-a-flush")
def random_over_a_flush(j):
    c = Chaos(j, (fam("f", versions=3), fam("g", versions=2, keep="TRUE"), fam("h", versions=1)), settled=True).go(110)
    c.audit()
    reopen(j, c.t)
    c.audit()
    j.t1.majorCompact(tableNameOrRegionName=c.t)
    c.go(110).audit()
