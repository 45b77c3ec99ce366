"""Thrift2 data methods: gets, puts, deletes, conditional and row operations, increments, appends, scans, locations."""
from scenario import scenario
from thrift2_data_kit import (Table, append, cell, column, columns, delete, get, increment, mutations, put, random_batches,
                              random_calls, span)

LATEST = 2**63 - 1
FAR = 4102444800000          # a day in the year 2100
ZERO8 = b"\0" * 8
RAW = {"_raw_": b"\xff"}


def grid(t, row="r"):
    """f:a and f:b at 10, 20, 30; f: at 15; g:x at 5 and g:y at 25."""
    t.put(row, *[(f"f:{q}", f"{q}{ts}", ts) for q in "ab" for ts in (10, 20, 30)], ("f:", "e", 15), ("g:x", "gx", 5), ("g:y", "gy", 25))


# ---------------------------------------------------------------- gets

@scenario("t2-get-columns")
def get_columns(j):
    t = Table(j)
    grid(t)
    t.get("r")
    t.get("none")
    t.get("r", columns=[])
    for names in (["f"], ["f:"], ["f:a"], ["f:zz"], ["g"], ["f", "g"], ["g", "f"], ["f:a", "g:x"], ["g:x", "f:b", "f:a"],
                  ["f:a", "f:a"], ["f", "f"], ["f", "f:a"], ["f:a", "f"], ["f:a", "f", "f:b"], ["f", "f:zz"], ["f:zz", "g:y"],
                  ["f:", "f:a"], ["g:"], ["f:A"], ["f:a\0"]):
        t.get("r", *names)
    t.get("r", *["f:a", "f:"], maxVersions=9)
    t.get("r", ("f:a", 10))
    t.get("r", ("f:a", 10), maxVersions=9)
    t.get("r", ("f", -4))
    t.get("R")
    t.get("r\0")
    t.get("none", "f:a", "g:x")


@scenario("t2-get-time-and-versions")
def get_time(j):
    t = Table(j)
    grid(t)
    for m in (1, 2, 3, 4, 2**31 - 1):
        t.get("r", maxVersions=m)
    for ts in (0, 5, 10, 11, 15, 20, 30, 31, 2**62, LATEST - 1):
        t.get("r", timestamp=ts)
    t.get("r", "f:a", timestamp=20, maxVersions=3)
    for low, high in ((0, 0), (10, 10), (10, 11), (10, 20), (0, 21), (15, 31), (31, 99), (0, LATEST), (30, LATEST), (1, LATEST - 1)):
        t.get("r", timeRange=span(low, high))
        t.get("r", timeRange=span(low, high), maxVersions=3)
    t.get("r", timestamp=10, timeRange=span(20, 31))
    t.get("r", timestamp=10, timeRange=span(20, 5))
    t.get("r", timestamp=10, timeRange=span(-3, 5))
    t.put("r", ("f:a", "a40", 40), ("f:a", "a05", 5), ("g:x", "gx6", 6))
    t.get("r", "f:a", maxVersions=9)
    t.get("r", "f:a", maxVersions=9, timeRange=span(0, 31))
    t.get("r", "f:a", maxVersions=2, timeRange=span(0, 31))
    t.get("r", "f:a", maxVersions=9, timestamp=5)
    t.get("r", "g:x", maxVersions=9)
    t.get("r", "g:x", timestamp=5)
    t.get("r", "g:x", timestamp=6)


@scenario("t2-get-store-limit-and-offset")
def get_store_limit(j):
    t = Table(j)
    t.put("r", *[(f"f:{q}", f"{q}{ts}", ts) for q in "abcd" for ts in (1, 2)], *[(f"g:{q}", q, 3) for q in "xyz"])
    for limit in (-2, -1, 0, 1, 2, 3, 100):
        t.get("r", storeLimit=limit)
    for offset in (-2, -1, 0, 1, 3, 4, 100):
        t.get("r", storeOffset=offset)
    for limit, offset in ((1, 1), (2, 1), (2, 3), (0, 1), (0, 0), (-1, 2), (1, 4), (3, 2)):
        t.get("r", storeLimit=limit, storeOffset=offset)
        t.get("r", storeLimit=limit, storeOffset=offset, maxVersions=2)
    t.get("r", "f:b", "f:c", "g", storeLimit=1)
    t.get("r", "f:b", "f:c", "g", storeOffset=1)
    t.get("r", storeLimit=2, timeRange=span(0, 2), maxVersions=2)
    t.get("r", storeLimit=1, filterString="ValueFilter(=,'binary:c2')")
    t.get("r", storeOffset=1, filterString="QualifierFilter(>=,'binary:b')")
    t.exists("r", storeOffset=3)
    t.exists("r", storeOffset=4)
    t.exists("r", "g", storeOffset=3)
    t.exists("r", storeLimit=0)
    t.gets(get("r", storeLimit=1), get("r", storeOffset=2), get("r", storeOffset=9))


@scenario("t2-get-options")
def get_options(j):
    t = Table(j)
    t.put("r", ("f:a", "v", 5))
    for options in ({"cacheBlocks": True}, {"cacheBlocks": False}, {"consistency": 1}, {"consistency": 2}, {"consistency": 0},
                    {"consistency": 9}, {"targetReplicaId": -1}, {"targetReplicaId": 0}, {"attributes": {}},
                    {"attributes": {"k": "v", "": ""}}, {"attributes": {b"\xff\0": b"\xfe"}}, {"authorizations": {"labels": []}},
                    {"authorizations": {"labels": ["a", "b"]}}, {"authorizations": {"labels": [""]}}, {"authorizations": {}},
                    {"existence_only": False}, {"existence_only": True}, {"filterString": "KeyOnlyFilter()"},
                    {"filterString": "ValueFilter(=,'binary:x')"}, {"filterString": "ValueFilter(=,'binary:v')"},
                    {"attributes": {"_isolationlevel_": b"\0"}}, {"attributes": {"_isolationlevel_": b"\1"}}):
        t.get("r", **options)
        t.exists("r", **options)
    t.get("none", existence_only=True)
    t.gets(get("r", existence_only=True))
    t.gets(get("r"), get("r", existence_only=True))
    t.exist(get("r", existence_only=True), get("none", existence_only=True), get("r"))


@scenario("t2-get-bad-input")
def get_bad(j):
    t = Table(j)
    t.put("r", ("f:a", "v", 5))
    t.get("")
    for names in (["no"], ["no:a"], [""], [":a"], ["f:a", "no:a"]):
        t.get("r", *names)
        t.get("none", *names)
        t.exists("r", *names)
    for ts in (-1, -2**63, LATEST):
        t.get("r", timestamp=ts)
    for low, high in ((5, 4), (-1, 5), (0, -1), (-5, -4), (LATEST, 0), (-2**63, LATEST)):
        t.get("r", timeRange=span(low, high))
    for m in (0, -1, -2**31):
        t.get("r", maxVersions=m)
        t.exists("r", maxVersions=m)
    t.get("r", filterString="")
    t.get("r", filterString="Nope()")
    t.get("r", filterString="ValueFilter(=,'binary:v'")
    t.get("r", filterBytes="")
    t.get("r", filterBytes="\1")
    t.exists("r", filterString="nope")
    t.exists("r", timestamp=-1)
    t.exists("")
    t.get("r")


@scenario("t2-long-rows")
def long_rows(j):
    t = Table(j)
    edge = "k" * 32767
    t.put(edge, ("f:a", "v", 1))
    t.exists(edge)
    t.exists(edge[:-1])
    t.exists(edge + "k")
    t.put(edge + "k", ("f:a", "v", 1))
    t.delete(edge)
    t.exists(edge)


@scenario("t2-get-multiple")
def get_multiple(j):
    t = Table(j, splits=["m"])
    t.put("a", ("f:a", "1", 1), ("f:a", "2", 2), ("g:x", "3", 3))
    t.put("z", ("f:b", "4", 4))
    t.gets()
    t.gets(get("a"))
    t.gets(get("none"))
    t.gets(get("a"), get("none"), get("z"))
    t.gets(get("z"), get("a"), get("a"), get("z"))
    t.gets(get("a", "f:a", maxVersions=2), get("a", "g"), get("a", timestamp=1), get("z", "f:a"), get("z", timeRange=span(0, 4)))
    t.gets(get("a", "no"), get("z"))
    t.gets(get("z"), get("a", "no"), get("none", "no:a"))
    t.gets(get("a", "no"))
    t.gets(get("a"), get(""))
    t.gets(get("a"), get("z", timestamp=-1))
    t.gets(get("a"), get("z", maxVersions=0))
    t.gets(get("a", maxVersions=0))
    t.gets(get("a"), get("z", filterString="("))
    t.gets(get("a", filterString="KeyOnlyFilter()"), get("z"))
    t.exist()
    t.exist(get("a"))
    t.exist(get("none"))
    t.exist(get("a"), get("none"), get("z"), get("z"))
    t.exist(get("a", "f:b"), get("z", "f:b"), get("z", timestamp=3), get("z", timestamp=4))
    t.exist(get("a", "no"), get("z"))
    t.exist(get("a", "no"))
    t.exist(get("a"), get(""))
    t.exist(get("a"), get("z", maxVersions=-1))


# ---------------------------------------------------------------- puts

@scenario("t2-put-cells")
def put_cells(j):
    t = Table(j)
    t.put("r", ("f:a", "one", 1))
    t.get("r")
    t.put("r", ("f:a", "again", 1))
    t.put("r", ("f:a", "x", 2), ("f:a", "y", 2), ("f:a", "z", 3))
    t.get("r", maxVersions=9)
    t.put("r", ("f:b", "own", 4), ("f:c", "shared"), ("g:x", "shared"), timestamp=9)
    t.get("r", maxVersions=9)
    t.put("now", ("f:a", "server time"))
    t.put("now", ("f:b", "latest"), timestamp=LATEST)
    t.put("now", ("f:c", "latest", LATEST))
    t.put("now", ("f:d", "own", 7), timestamp=LATEST)
    t.put("now", ("f:e", "latest", LATEST), timestamp=7)
    t.get("now")
    t.put("edge", ("f:zero", "", 0), ("f:max", "m", LATEST - 1), ("f:", "empty name", 5))
    t.put("edge", ("f:shared", "s"), timestamp=0)
    t.get("edge")
    t.get("edge", timestamp=0)
    t.get("edge", timestamp=LATEST - 1)
    t.put(b"\0\xff", (b"f:\xff\x80".decode("latin-1"), b"\x00\xfe\xff", 1), ("f:q:with:colons", "c", 1), ("f: ", "space", 1))
    t.get(b"\0\xff")
    t.get(b"\0\xff", "f:q:with:colons")
    t.put("order", ("g:b", "1", 1), ("f:b", "2", 1), ("f:B", "3", 1), ("g:a", "4", 1), ("f:", "5", 1), ("f:ab", "6", 1), ("f:a", "7", 1),
          ("f:\xff", "8", 1), ("f:a\0", "9", 1))
    t.get("order")
    t.j.t2.put(table=t.name, tput={"row": "ignored", "columnValues": [
        {**cell("f:a", "v", 5), "type": 8}, {**cell("f:b", "v", 5), "tags": b"\1\2", "type": 0}, {**cell("f:c", "v", 5), "type": -1}]})
    t.get("ignored")
    t.put("default:ns", ("f:a", "v", 1))
    j.t2.get(table="default:" + t.name, tget=get("default:ns"))
    t.scan()


@scenario("t2-put-bad-input")
def put_bad(j):
    t = Table(j)
    t.put("", ("f:a", "v", 1))
    t.put("r")
    t.put("r", (":a", "v", 1))
    t.put("r", ("no:a", "v", 1))
    t.put("r", ("f:a", "v", 1), ("no:a", "v", 1))
    t.put("r", ("f:a", "v", 1), (":a", "v", 1))
    t.put("r", ("f:a", "v", 1), timestamp=-1)
    t.put("r", ("f:a", "v", 1), timestamp=-2**63)
    t.put("r", ("f:a", "v", -1))
    t.put("r", ("f:a", "v", -2**63))
    t.get("r")
    t.puts(put("a", ("f:a", "v", 1)), put(""))
    t.puts(put("a", ("f:a", "v", 1)), put("b"))
    t.puts(put("a", ("f:a", "v", 1)), put("b", (":a", "v", 1)))
    t.puts(put("a", ("f:a", "v", 1)), put("b", ("f:a", "v"), timestamp=-1))
    t.scan()
    t.puts(put("a", ("f:a", "v", 1)), put("b", ("no:a", "v", 1)), put("c", ("f:a", "v", 1)))
    t.scan()
    t.puts(put("d", ("no:a", "v", 1)))
    t.puts(put("d", ("no:a", "v", 1)), put("e", ("no:b", "v", 1)), put("d", ("f:a", "v", 1)))
    t.scan()


@scenario("t2-put-options")
def put_options(j):
    t = Table(j)
    for n, durability in enumerate((0, 1, 2, 3, 4, 5, -1)):
        t.put("r", (f"f:{n}", "v", 1), durability=durability)
    t.get("r")
    t.put("r", ("f:vis1", "v", 1), cellVisibility={"expression": "a&b"})
    t.put("r", ("f:vis2", "v", 1), cellVisibility={"expression": ""})
    t.put("r", ("f:vis3", "v", 1), cellVisibility={"expression": "(("})
    t.put("r", ("f:vis4", "v", 1), cellVisibility={})
    t.put("r", ("f:att1", "v", 1), attributes={})
    t.put("r", ("f:att2", "v", 1), attributes={"any": b"\xff", "": ""})
    t.get("r", attributes={"any": "thing"})
    ttl = lambda ms: {"_ttl": ms.to_bytes(8, "big", signed=True)}
    t.put("ttl", ("f:short", "v", 10), attributes=ttl(1000))
    t.put("ttl", ("f:zero", "v", 10), attributes=ttl(0))
    t.put("ttl", ("f:long", "v", 10), attributes=ttl(2**62))
    t.put("ttl", ("f:negative", "v", 10), attributes=ttl(-1))
    t.put("ttl", ("f:now", "v"), attributes=ttl(3_600_000))
    t.put("ttl", ("f:bad", "v", 10), attributes={"_ttl": "abc"})
    t.get("ttl")
    t.exists("ttl", "f:short")
    t.scan(startRow="ttl", stopRow="ttl")
    t.put("hidden", ("f:a", "old", 5))
    t.put("hidden", ("f:a", "new", 6), attributes=ttl(1))
    t.get("hidden", maxVersions=3)


@scenario("t2-put-multiple")
def put_multiple(j):
    t = Table(j, splits=["m"])
    t.puts()
    t.puts(put("a", ("f:a", "1", 1)))
    t.puts(put("z", ("f:a", "1", 1)), put("a", ("f:b", "2", 2), ("g:x", "3", 3)), put("m", ("g:x", "4"), timestamp=4))
    t.scan()
    t.puts(put("a", ("f:a", "first", 7)), put("a", ("f:a", "second", 7)), put("a", ("f:a", "third", 6)))
    t.get("a", maxVersions=3)
    t.puts(*(put(f"bulk{n:02}", ("f:n", str(n), n)) for n in range(30)))
    t.scan(startRow="bulk", stopRow="bulk2", columns=columns("f:n"))
    t.puts(put("o", ("f:a", "1", 1), durability=1), put("p", ("f:a", "1", 1), durability=4, attributes={"a": "b"}))
    t.exist(get("o"), get("p"), get("q"))


# ---------------------------------------------------------------- deletes

@scenario("t2-delete-types")
def delete_types(j):
    t = Table(j)
    n = 0
    for kind in (None, 0, 1, 2, 3):
        for name in ("f:a", "f:", "f", "f:zz", "g"):
            for ts in (None, 20):
                n += 1
                row = f"r{n:02}"
                grid(t, row)
                t.delete(row, (name, ts), **({} if kind is None else {"deleteType": kind}))
                t.get(row, maxVersions=9)


@scenario("t2-delete-timestamps")
def delete_timestamps(j):
    t = Table(j)
    for n, (kind, ts) in enumerate((k, ts) for k in (0, 1, 2, 3) for ts in (0, 9, 10, 31, LATEST - 1, LATEST)):
        row = f"r{n:02}"
        grid(t, row)
        t.delete(row, ("f:a", ts), deleteType=kind)
        t.get(row, "f", maxVersions=9)
    grid(t, "s")
    t.delete("s", "f:a", timestamp=10)
    t.get("s", "f", maxVersions=9)
    t.delete("s", ("f:b", 10), timestamp=30)
    t.get("s", "f", maxVersions=9)
    t.delete("s", "f:b", timestamp=-1)
    t.get("s", "f", maxVersions=9)


@scenario("t2-delete-newest-version")
def delete_newest(j):
    t = Table(j)
    grid(t)
    for _ in range(4):
        t.delete("r", "f:a", deleteType=0)
        t.get("r", "f:a", maxVersions=9)
    t.put("r", ("f:a", "a25", 25))
    t.get("r", "f:a", maxVersions=9)
    t.delete("r", "f:b", "f:b", deleteType=0)
    t.get("r", maxVersions=9)
    t.delete("r", ("f:b", 10), "g:x", "g:y", "g:none", deleteType=0)
    t.get("r", maxVersions=9)
    t.put("one", ("g:x", "1", 1))
    t.put("one", ("g:x", "2", 2))
    t.delete("one", "g:x", deleteType=0)
    t.get("one", maxVersions=9)
    t.delete("one", "g:x", deleteType=0)
    t.get("one", maxVersions=9)
    t.put("many", *[("f:a", str(ts), ts) for ts in range(1, 7)])
    t.delete("many", "f:a", "f:a", deleteType=0)
    t.get("many", maxVersions=9)
    t.delete("many", ("f:a", 4), "f:a", deleteType=0)
    t.get("many", maxVersions=9)


@scenario("t2-delete-row")
def delete_row(j):
    t = Table(j)
    grid(t, "a")
    t.delete("a")
    t.get("a", maxVersions=9)
    t.put("a", ("f:a", "old", 99))
    t.get("a")
    t.put("a", ("f:a", "future", FAR))
    t.get("a")
    for n, (options, note) in enumerate((({"timestamp": 20}, ""), ({"timestamp": 0}, ""), ({"timestamp": 15, "deleteType": 0}, ""),
                                         ({"timestamp": 20, "deleteType": 2}, ""), ({"timestamp": 20, "deleteType": 3}, ""),
                                         ({"deleteType": 3}, ""), ({"timestamp": LATEST}, ""), ({"timestamp": LATEST - 1}, ""),
                                         ({"columns": []}, ""), ({"columns": [], "timestamp": 20}, ""),
                                         ({"columns": [], "timestamp": 20, "deleteType": 3}, ""))):
        row = f"r{n:02}"
        grid(t, row)
        t.delete(row, **options)
        t.get(row, maxVersions=9)
    t.delete("none")
    t.scan(maxVersions=3)


@scenario("t2-delete-several-columns")
def delete_several(j):
    t = Table(j)
    cases = ((["f:a", ("f:b", 20), "g"], {}), ([("f:a", 10), ("f:a", 20)], {"deleteType": 0}), ([("f:a", 20), ("f:a", 10)], {}),
             (["f:a", "f"], {"deleteType": 2}), (["f", ("f", 10)], {"deleteType": 2}), ([("f", 10), ("g", 30)], {"deleteType": 2}),
             ([("f", 10), ("f", 20), ("g", 5)], {"deleteType": 3}), (["f:a", "f:a"], {}), (["f:zz", "f:a"], {"deleteType": 0}),
             (["f:a", "f:b", "f:", "g:x"], {"deleteType": 0}), ([("f:b", 30), "f:b"], {"deleteType": 0}),
             (["f:b", ("f:b", 20)], {"deleteType": 0}))
    for n, (names, options) in enumerate(cases):
        row = f"r{n:02}"
        grid(t, row)
        t.delete(row, *names, **options)
        t.get(row, maxVersions=9)


@scenario("t2-delete-masks-puts")
def delete_masks(j):
    t = Table(j)
    t.delete("r", ("f:a", 20))
    t.put("r", ("f:a", "19", 19), ("f:a", "20", 20), ("f:a", "21", 21), ("f:b", "20", 20))
    t.get("r", maxVersions=9)
    t.delete("r", ("f:b", 20), deleteType=0)
    t.put("r", ("f:b", "again", 20), ("f:b", "19", 19))
    t.get("r", maxVersions=9)
    t.delete("r", ("g", 7), deleteType=2)
    t.put("r", ("g:x", "7", 7), ("g:y", "8", 8))
    t.get("r", maxVersions=9)
    t.delete("s", ("f", 7), deleteType=3)
    t.put("s", ("f:a", "6", 6), ("f:a", "7", 7), ("f:a", "8", 8), ("f:", "7", 7))
    t.get("s", maxVersions=9)
    t.get("s", maxVersions=9, timestamp=7)
    t.get("s", maxVersions=9, timeRange=span(0, 7))
    t.get("r", maxVersions=9, timeRange=span(0, 20))
    t.get("r", "f:a", timestamp=19)
    t.exists("r", "f:a", timestamp=19)
    t.exists("r", "f:a", timestamp=21)
    t.delete("u", timestamp=50)
    t.put("u", ("f:a", "50", 50), ("g:a", "51", 51))
    t.get("u")
    t.scan(maxVersions=9)
    t.scan(maxVersions=9, timeRange=span(0, 20))


@scenario("t2-delete-bad-input")
def delete_bad(j):
    t = Table(j)
    grid(t)
    t.delete("")
    for kind in (0, 1, 2, 3):
        for name in ("no:a", "", ":a"):
            t.delete("r", (name, 30), deleteType=kind)
        t.delete("r", ("f:a", -1), deleteType=kind)
    t.delete("r", ("f:a", -2**63))
    t.delete("r", timestamp=-1)
    t.delete("r", timestamp=-2**63)
    t.delete("r", "f:a", deleteType=3)
    t.delete("r", "f", deleteType=3, timestamp=20)
    t.delete("r", ("f:a", 30), "f:b", deleteType=3)
    t.delete("r", ("f:a", 30), deleteType=4)
    t.delete("r", ("f:a", 30), deleteType=-1)
    grid(t, "whole")
    t.delete("whole", deleteType=9)
    t.get("whole")
    t.delete("r", ("f:a", 30), ("no:a", 30))
    t.get("r", maxVersions=9)
    for durability in (0, 1, 2, 3, 4, 9):
        t.delete("r", ("f:a", 10), durability=durability, attributes={"k": "v"})
    t.get("r", maxVersions=9)


@scenario("t2-delete-multiple")
def delete_multiple(j):
    t = Table(j, splits=["m"])
    for row in "abcmxyz":
        grid(t, row)
    t.deletes()
    t.deletes(delete("a"))
    t.deletes(delete("b", "f:a", deleteType=0), delete("z", ("f", 20), deleteType=2), delete("none"))
    t.gets(get("a"), get("b", maxVersions=9), get("z", maxVersions=9))
    t.deletes(delete("c", ("f:a", 30)), delete("c", ("f:b", 20), deleteType=0), delete("c", timestamp=5))
    t.get("c", maxVersions=9)
    t.deletes(delete("x", "no"), delete("y", "f", deleteType=2))
    t.gets(get("x"), get("y"))
    t.deletes(delete("x", "no"))
    t.deletes(delete("x"), delete(""))
    t.deletes(delete("x"), delete("m", ("f:a", -1)))
    t.deletes(delete("x"), delete("m", "f:a", deleteType=3))
    t.deletes(delete("m", columns=[]), delete("x", columns=[], timestamp=3))
    t.scan(maxVersions=9)


# ---------------------------------------------------------------- conditional operations

@scenario("t2-check-and-put")
def check_and_put(j):
    t = Table(j)
    t.check_put("r", "f:a", "x", put("r", ("f:a", "1", 1)))
    t.check_put("r", "f:a", None, put("r", ("f:a", "1", 5)))
    t.check_put("r", "f:a", None, put("r", ("f:a", "no", 6)))
    t.check_put("r", "f:a", "", put("r", ("f:a", "no", 6)))
    t.check_put("r", "f:a", "1", put("r", ("f:a", "2", 6), ("g:x", "2", 6)))
    t.check_put("r", "f:a", "1", put("r", ("f:a", "no", 7)))
    t.get("r", maxVersions=9)
    t.check_put("r", "f:a", "2", put("r", ("f:b", "", 6)))
    t.check_put("r", "f:b", None, put("r", ("f:c", "unset matches empty", 6)))
    t.check_put("r", "f:b", "", put("r", ("f:d", "empty matches empty", 6)))
    t.check_put("r", "f:b", "x", put("r", ("f:e", "no", 6)))
    t.check_put("r", "f:zz", "", put("r", ("f:f", "empty matches missing", 6)))
    t.check_put("r", "f:", None, put("r", ("f:", "empty name", 6)))
    t.check_put("r", "f:", "empty name", put("r", ("f:", "empty name 2", 7)))
    t.get("r", maxVersions=9)
    t.check_put("r", "f:a", "2", put("r", ("f:old", "v", 1)))
    t.check_put("r", "f:a", "2", put("r", ("f:a", "older than the checked cell", 2)))
    t.check_put("r", "f:a", "2", put("r", ("f:now", "v")))
    t.get("r", maxVersions=9)
    t.put("fut", ("f:a", "f", FAR))
    t.check_put("fut", "f:a", "f", put("fut", ("f:a", "g"), ("f:b", "h", 7)))
    t.get("fut", maxVersions=9)
    t.delete("r", ("f:a", 6), deleteType=0)
    t.check_put("r", "f:a", "2", put("r", ("f:g", "no", 1)))
    t.check_put("r", "f:a", "1", put("r", ("f:g", "back to the older version", 1)))
    t.delete("r", ("f:a", 9))
    t.check_put("r", "f:a", None, put("r", ("f:h", "nothing left", 1)))
    t.get("r", "f:g", "f:h")


@scenario("t2-check-and-put-bad-input")
def check_and_put_bad(j):
    t = Table(j)
    t.put("r", ("f:a", "1", 1))
    t.check_put("r", "f:a", "1", put("s", ("f:a", "x", 2)))
    t.check_put("r", "f:a", "other", put("s", ("f:a", "x", 2)))
    t.check_put("s", "f:a", "1", put("r", ("f:a", "x", 2)))
    t.check_put("", "f:a", "1", put("r", ("f:a", "x", 2)))
    t.check_put("r", "f:a", "1", put("", ("f:a", "x", 2)))
    t.check_put("", "f:a", "1", put("", ("f:a", "x", 2)))
    t.check_put("r", "no:a", "1", put("r", ("f:a", "x", 2)))
    t.check_put("r", ":a", "1", put("r", ("f:a", "x", 2)))
    t.check_put("r", "f:a", "1", put("r", ("no:a", "x", 2)))
    t.check_put("r", "f:a", "other", put("r", ("no:a", "x", 2)))
    t.check_put("r", "f:a", "1", put("r", (":a", "x", 2)))
    t.check_put("r", "f:a", "1", put("r"))
    t.check_put("r", "f:a", "other", put("r"))
    t.check_put("r", "f:a", "1", put("r", ("f:a", "x", -2)))
    t.check_put("r", "f:a", "other", put("r", ("f:a", "x", -2)))
    t.check_put("r", "f:a", "1", put("r", ("f:a", "x"), timestamp=-2))
    t.check_put("r", "f:a", "1", put("r", ("f:a", "x", 2), cellVisibility={}))
    t.scan(maxVersions=9)
    t.check_put("r", "f:a", "1", put("r", ("f:a", "x", 2), durability=1, attributes={"k": "v"}, cellVisibility={"expression": "a"}))
    t.scan(maxVersions=9)


@scenario("t2-check-and-delete")
def check_and_delete(j):
    t = Table(j)
    grid(t)
    t.check_delete("r", "f:a", "no", delete("r"))
    t.check_delete("r", "f:a", None, delete("r"))
    t.check_delete("r", "f:a", "", delete("r"))
    t.get("r", maxVersions=9)
    t.check_delete("r", "f:a", "a30", delete("r", "f:a", deleteType=0))
    t.check_delete("r", "f:a", "a30", delete("r", "f:b", deleteType=0))
    t.check_delete("r", "f:a", "a20", delete("r", ("f:b", 20)))
    t.get("r", maxVersions=9)
    t.check_delete("r", "f:zz", None, delete("r", ("f", 15), deleteType=3))
    t.check_delete("r", "g:x", "gx", delete("r", timestamp=10))
    t.get("r", maxVersions=9)
    t.check_delete("r", "f:b", "b30", delete("r", columns=[]))
    t.get("r", maxVersions=9)
    t.check_delete("r", "f:b", None, delete("r"))
    t.put("s", ("f:a", "", 1))
    t.check_delete("s", "f:a", None, delete("s", ("f:zz", 1)))
    t.check_delete("s", "f:a", "", delete("s", ("f:a", 1)))
    t.exists("s")
    grid(t, "u")
    t.check_delete("u", "f:a", "a30", delete("v"))
    t.check_delete("u", "f:a", "no", delete("v"))
    t.check_delete("u", "f:a", "a30", delete(""))
    t.check_delete("", "f:a", "a30", delete(""))
    t.check_delete("u", "no:a", "a30", delete("u"))
    t.check_delete("u", "f:a", "a30", delete("u", "no:a"))
    t.check_delete("u", "f:a", "no", delete("u", "no:a"))
    t.check_delete("u", "f:a", "a30", delete("u", "f", deleteType=3))
    t.check_delete("u", "f:a", "a30", delete("u", ("f:a", -1)))
    t.check_delete("u", "f:a", "a30", delete("u", timestamp=-1))
    t.get("u", maxVersions=9)


@scenario("t2-check-and-mutate-operators")
def check_operators(j):
    t = Table(j)
    t.put("r", ("f:a", "m", 5), ("f:empty", "", 5), ("f:\xff", b"\x80\xff", 5))
    for name, values in (("f:a", ("", "a", "m", "ma", "M", "z", b"\xff")), ("f:empty", ("", "a")), ("f:none", ("", "a")),
                         (b"f:\xff".decode("latin-1"), (b"\x7f", b"\x80", b"\x80\xff", b"\x80\xff\0", b"\x81"))):
        for value in values:
            for op in range(6):
                t.check("r", name, op, value, put("r", ("g:n", "x", 1)))
    t.check("none", "f:a", 2, "", put("none", ("f:a", "1", 1)))
    t.check("none", "f:a", 3, "", put("none", ("f:a", "2", 2)))
    t.check("none", "f:a", 3, "2", put("none", ("f:a", "3", 3)))
    t.get("none", maxVersions=9)
    t.check("r", "f:a", 6, "", put("r", ("g:n", "x", 1)))
    t.check("r", "f:a", 6, "m", put("r", ("g:n", "x", 1)))
    t.check("r", "f:none", 6, "", put("r", ("g:n", "x", 1)))
    t.check("r", "f:none", 6, "m", put("r", ("g:n", "x", 1)))
    t.check("r", "f:empty", 6, "", put("r", ("g:n", "x", 1)))
    for op in (2, 3, 6):
        t.check("r", "f:a", op, None, put("r", ("g:n", "x", 1)))
        t.check("r", "f:none", op, None, put("r", ("g:n", "x", 1)))
    t.check("r", "f:a", 7, "m", put("r", ("g:n", "x", 1)))
    t.check("r", "f:a", -1, "m", put("r", ("g:n", "x", 1)))
    t.checkAndMutate(row="r", family="f", qualifier="a", value="m", rowMutations=mutations("r", put("r", ("g:n", "x", 1))))


@scenario("t2-check-and-mutate-actions")
def check_actions(j):
    t = Table(j)
    grid(t)
    t.check("r", "f:a", 2, "a30", put("r", ("f:new", "1", 1)), delete("r", ("f:b", 20)), put("r", ("g:x", "2", 6)))
    t.get("r", maxVersions=9)
    t.check("r", "f:a", 2, "no", put("r", ("f:new", "no", 2)), delete("r"))
    t.get("r", maxVersions=9)
    t.check("r", "f:a", 2, "a30", delete("r", "f:a", deleteType=0), delete("r", ("g", 30), deleteType=2))
    t.get("r", maxVersions=9)
    t.check("r", "f:a", 2, "a20", put("r", ("f:a", "same", 40)), delete("r", ("f:a", 40)))
    t.get("r", maxVersions=9)
    t.check("r", "f:a", 5, "", put("r", ("f:now", "server time")), put("r", ("f:own", "9", 9)))
    t.get("r", maxVersions=9)
    t.put("fut", ("f:a", "f", FAR))
    t.check("fut", "f:a", 2, "f", put("fut", ("f:a", "g"), ("g:x", "h")))
    t.get("fut", maxVersions=9)
    t.check("r", "f:none", 2, "", delete("r"))
    t.get("r", maxVersions=9)
    t.check("s", "f:a", 2, "", put("s", ("f:a", "1", 1)), put("s", ("f:a", "2", 2)), put("s", ("f:a", "again", 1)))
    t.get("s", maxVersions=9)


@scenario("t2-check-and-mutate-bad-input")
def check_bad(j):
    t = Table(j)
    t.put("r", ("f:a", "m", 5))
    good = put("r", ("f:b", "x", 1))
    t.check("r", "f:a", 2, "m")
    t.check("r", "f:a", 2, "other")
    t.check("r", "f:a", 2, "m", put("s", ("f:b", "x", 1)))
    t.check("r", "f:a", 2, "other", put("s", ("f:b", "x", 1)))
    t.check("r", "f:a", 2, "m", good, delete("s"))
    t.check("r", "f:a", 2, "m", put("s", ("f:b", "x", 1)), on="s")
    t.check("r", "f:a", 2, "other", put("s", ("f:b", "x", 1)), on="s")
    t.check("", "f:a", 2, "m", put("", ("f:b", "x", 1)))
    t.check("", "f:a", 2, "m", good, on="r")
    t.check("r", "no:a", 2, "m", good)
    t.check("r", ":a", 2, "m", good)
    t.check("r", "f:a", 2, "m", put("r", ("no:b", "x", 1)))
    t.check("r", "f:a", 2, "other", put("r", ("no:b", "x", 1)))
    t.check("r", "f:a", 2, "m", good, put("r", ("no:b", "x", 1)))
    t.check("r", "f:a", 2, "m", put("r"))
    t.check("r", "f:a", 2, "m", good, put("r"))
    t.check("r", "f:a", 2, "m", good, delete("r", "f", deleteType=3))
    t.check("r", "f:a", 2, "m", good, delete("r", ("f:a", -1)))
    t.checkAndMutate(row="r", family="f", qualifier="a", compareOp=2, value="m", rowMutations={"row": "r", "mutations": [{}]})
    t.checkAndMutate(row="r", family="f", qualifier="a", compareOp=2, value="m", rowMutations={"row": "r", "mutations": [{"put": good}, {}]})
    t.scan(maxVersions=9)


# ---------------------------------------------------------------- mutateRow

@scenario("t2-mutate-row")
def mutate_row(j):
    t = Table(j)
    t.mutate("r", put("r", ("f:a", "1", 1)), put("r", ("f:a", "2", 2), ("g:x", "3", 3)))
    t.get("r", maxVersions=9)
    t.mutate("r", delete("r", ("f:a", 1), deleteType=0), put("r", ("f:b", "4", 4)))
    t.get("r", maxVersions=9)
    t.mutate("r", put("r", ("f:c", "first", 5)), put("r", ("f:c", "last", 5)))
    t.get("r", maxVersions=9)
    t.mutate("r", put("r", ("f:d", "v", 6)), delete("r", ("f:d", 6)))
    t.mutate("r", delete("r", ("f:e", 6)), put("r", ("f:e", "v", 6), ("f:e", "later", 7)))
    t.mutate("r", delete("r", ("g", 6), deleteType=2), put("r", ("g:y", "v", 6), ("g:z", "v", 7)))
    t.get("r", maxVersions=9)
    t.put("now", *[(f"f:{q}", "old", 1) for q in "abcd"])
    t.mutate("now", delete("now", "f:a"), put("now", ("f:a", "masked")))
    t.mutate("now", delete("now", "f:b", deleteType=0), put("now", ("f:b", "seen")))
    t.mutate("now", put("now", ("f:c", "seen")), delete("now", "f:c", deleteType=0))
    t.mutate("now", delete("now", "f:none", deleteType=0), put("now", ("f:none", "masked")))
    t.mutate("now", put("now", ("f:d", "one")), put("now", ("f:d", "two")))
    t.get("now", maxVersions=9)
    grid(t, "del")
    t.mutate("del", delete("del", "f:a", deleteType=0), delete("del", "f:b", "f:b", deleteType=0), delete("del", "g:x"))
    t.get("del", maxVersions=9)
    t.mutate("del", delete("del", "f:a", deleteType=0), delete("del", "f:a", deleteType=0))
    t.get("del", maxVersions=9)
    t.mutate("del", delete("del", timestamp=25), put("del", ("f:z", "26", 26)))
    t.get("del", maxVersions=9)
    t.mutate("del", delete("del"))
    t.get("del", maxVersions=9)
    t.mutate("opt", put("opt", ("f:a", "1", 1), durability=1, attributes={"k": "v"}), delete("opt", ("g", 1), durability=4))
    t.get("opt")


@scenario("t2-mutate-row-bad-input")
def mutate_bad(j):
    t = Table(j)
    t.put("r", ("f:a", "m", 5))
    good = put("r", ("f:b", "x", 1))
    t.mutate("r")
    t.mutate("")
    t.mutate("", put("", ("f:a", "x", 1)))
    t.mutate("r", put("s", ("f:b", "x", 1)))
    t.mutate("r", delete("s"))
    t.mutate("r", good, put("s", ("f:b", "x", 1)))
    t.mutate("r", good, delete("s", "f:a"))
    t.mutate("r", put("", ("f:b", "x", 1)))
    t.mutate("r", put("r"))
    t.mutate("r", good, put("r"))
    t.mutate("r", put("r", ("no:b", "x", 1)))
    t.mutate("r", good, put("r", ("no:b", "x", 1)))
    t.mutate("r", good, delete("r", ("no:b", 1)))
    t.mutate("r", good, delete("r", "f", deleteType=3))
    t.mutate("r", good, delete("r", ("f:a", -1)))
    t.mutate("r", good, put("r", ("f:a", "x"), timestamp=-1))
    t.mutate("r", good, put("r", ("f:a", "x", -1)))
    t.mutate("r", good, put("r", (":a", "x", 1)))
    t.mutateRow(trowMutations={"row": "r", "mutations": [{}]})
    t.mutateRow(trowMutations={"row": "r", "mutations": [{"put": good}, {}]})
    t.scan(maxVersions=9)


# ---------------------------------------------------------------- increment and append

@scenario("t2-increment")
def do_increment(j):
    t = Table(j)
    t.increment("r", "f:n")
    t.increment("r", ("f:n", 5))
    t.increment("r", ("f:n", -10))
    t.increment("r", ("f:n", 0))
    t.increment("r", ("g:b", 2), ("f:z", 3), ("f:a", 4), "f:n")
    t.increment("r", ("f:", 7))
    t.get("r")
    t.get("r", "f:n", maxVersions=9)
    t.increment("r", "f:n", returnResults=False)
    t.increment("r", "f:n", returnResults=True)
    t.increment("w", ("f:n", LATEST))
    t.increment("w", ("f:n", 1))
    t.increment("w", ("f:n", -2**63))
    t.increment("w", ("f:n", -1))
    t.increment("twice", ("f:n", 1), ("f:n", 10))
    t.increment("twice", ("f:n", 1), ("f:n", 10), ("f:m", 3))
    t.get("twice")
    t.put("seed", ("f:n", (41).to_bytes(8, "big"), 5), ("g:n", (41).to_bytes(8, "big"), 5))
    t.increment("seed", "f:n", "g:n")
    t.get("seed", maxVersions=9)
    t.put("fut", ("f:n", ZERO8, FAR), ("g:n", ZERO8, FAR))
    t.increment("fut", ("f:n", 3), ("g:n", 4))
    t.get("fut", maxVersions=9)
    t.put("del", ("f:n", ZERO8, 5), ("f:m", (3).to_bytes(8, "big"), 5), ("f:m", (2).to_bytes(8, "big"), 4))
    t.delete("del", ("f:n", 5), ("f:m", 5), deleteType=0)
    t.increment("del", "f:n", "f:m")
    t.increment("opt", "f:n", durability=1)
    t.increment("opt", "f:n", durability=4, attributes={"k": "v"})
    t.increment("opt", "f:n", durability=9, cellVisibility={"expression": "a"})
    t.get("opt")
    t.scan(columns=columns("f:n"))


@scenario("t2-increment-bad-input")
def increment_bad(j):
    t = Table(j)
    t.put("r", ("f:text", "abc", 5), ("f:empty", "", 5), ("f:nine", "123456789", 5), ("f:four", b"\0\0\0\1", 5), ("f:eight", "12345678", 5))
    for name in ("f:text", "f:empty", "f:nine", "f:four", "f:eight"):
        t.increment("r", name)
    t.increment("r", "f:new", "f:text")
    t.increment("r", "f:new", "no:a")
    t.increment("r")
    t.increment("")
    t.increment("", "f:n")
    t.increment("r", "no:n")
    t.increment("r", ":n")
    t.increment("r", "f:n", cellVisibility={})
    t.increment("r", "f:n", attributes={"_ttl": (-3_600_000).to_bytes(8, "big", signed=True)})
    t.get("r")


@scenario("t2-append")
def do_append(j):
    t = Table(j)
    t.append("r", ("f:a", "x"))
    t.append("r", ("f:a", "y"))
    t.append("r", ("f:a", ""))
    t.append("r", ("g:b", "q"), ("f:a", "z"), ("f:", "e"))
    t.append("r", ("f:a", "timestamp is ignored", 5))
    t.get("r")
    t.get("r", "f:a", maxVersions=9)
    t.append("r", ("f:b", ""))
    t.append("r", ("f:b", ""), returnResults=True)
    t.append("r", ("f:b", "n"), returnResults=False)
    t.append("r", ("f:c", "1"), ("f:c", "2"))
    t.append("r", ("f:c", "3"), ("f:c", "4"), ("f:d", "5"))
    t.get("r")
    t.put("fut", ("f:a", "A", FAR), ("g:a", "A", FAR))
    t.append("fut", ("f:a", "B"), ("g:a", "B"))
    t.get("fut", maxVersions=9)
    t.put("old", ("f:a", "o", 5), ("f:a", "p", 6))
    t.delete("old", ("f:a", 6), deleteType=0)
    t.append("old", ("f:a", "+"))
    t.get("old", maxVersions=9)
    t.append("bin", ("f:a", b"\0\xff"))
    t.append("bin", ("f:a", b"\x80"))
    t.increment("num", "f:n")
    t.append("num", ("f:n", b"\0"))
    t.increment("num", "f:n")
    t.append("opt", ("f:a", "1"), durability=1)
    t.append("opt", ("f:a", "2"), durability=8, attributes={"k": "v"}, cellVisibility={"expression": "("})
    t.append("opt", ("f:a", "3"), cellVisibility={})
    t.append("r")
    t.append("", ("f:a", "x"))
    t.append("r", ("no:a", "x"))
    t.append("r", ("f:new", "x"), ("no:a", "x"))
    t.append("r", (":a", "x"))
    t.scan()


@scenario("t2-attributes-on-mutations")
def attributes_on_mutations(j):
    t = Table(j)
    gone = {"_ttl": (-3_600_000).to_bytes(8, "big", signed=True)}
    hour = {"_ttl": (3_600_000).to_bytes(8, "big")}
    t.increment("i", ("f:n", 5), attributes=gone)
    t.get("i")
    t.increment("i", ("f:n", 3), attributes=hour)
    t.increment("i", "f:n")
    t.get("i", "f:n")
    t.append("a", ("f:t", "x"), attributes=gone)
    t.append("a", ("f:t", "y"))
    t.append("a", ("f:t", "z"), attributes=gone)
    t.get("a", maxVersions=9)
    t.put("d", ("f:a", "old", 5), ("f:a", "new", 6), ("g:x", "gx", 5))
    t.delete("d", ("f:a", 6), attributes=gone)
    t.get("d", maxVersions=9)
    t.delete("d", ("f:a", 6), deleteType=0)
    t.delete("d", timestamp=9, attributes=gone)
    t.get("d", maxVersions=9)
    t.scan(startRow="d", stopRow="d", attributes=RAW, maxVersions=9)
    t.mutate("m", put("m", ("f:a", "stays", 5)), put("m", ("f:b", "gone", 5), attributes=gone))
    t.get("m")
    t.append("rr", ("f:a", "x"), attributes={"_rr_": b"\0"})
    t.append("rr", ("f:a", "x"), attributes={"_rr_": b"\0"}, returnResults=True)
    t.increment("rr", "f:n", attributes={"_rr_": b"\0"})
    t.increment("rr", "f:n", attributes={"_rr_": b"\xff"}, returnResults=False)
    t.get("rr")
    t.put("r", ("f:a", "v", 5))
    t.get("r", consistency=2, targetReplicaId=1)
    t.exists("r", consistency=2, targetReplicaId=1)
    t.get("r", consistency=1, targetReplicaId=1)
    t.get("r", targetReplicaId=1)


# ---------------------------------------------------------------- scans

def rows(t, names="abcdekmnstxz"):
    t.puts(*(put(r, ("f:a", r + "1", 10), ("f:a", r + "2", 20), ("f:b", "b", 15), ("g:x", "gx", 5), ("g:y", "gy", 25)) for r in names))


X = columns("g:x")


@scenario("t2-scan-ranges")
def scan_ranges(j):
    t = Table(j, splits=["d", "m", "t"])
    rows(t)
    t.getScannerResults(tscan={})
    for n in (0, 1, 2, 5, 12, 13, 1000):
        t.scan(n, columns=X)
    for start, stop in (("", ""), ("a", ""), ("", "c"), ("b", "d"), ("b", "b"), ("b", "b\0"), ("bb", "c"), ("c", "b"), ("d", "m"),
                        ("m", "t"), ("l", "u"), ("zz", ""), ("z", ""), ("", "a"), ("", "\0"), ("a\0", "c"), ("0", "1"), ("q", "q"),
                        ("\0", "\xff")):
        t.scan(startRow=start, stopRow=stop, columns=X)
        t.scan(startRow=stop, stopRow=start, reversed=True, columns=X)
    t.scan(startRow="x", columns=X)
    t.scan(stopRow="c", columns=X)
    t.scan(reversed=True, columns=X)
    t.scan(2, reversed=True)
    t.scan(reversed=True, startRow="e", columns=X)
    t.scan(reversed=True, stopRow="s", columns=X)
    t.scan(reversed=False, startRow="s", columns=X)
    t.scan(1, startRow="m")


@scenario("t2-scan-columns-and-versions")
def scan_columns(j):
    t = Table(j)
    grid(t, "a")
    grid(t, "b")
    t.put("c", ("g:x", "only g", 1))
    for names in (["f"], ["f:"], ["f:a"], ["g:x", "f:b"], ["f", "g:y"], ["f", "f:b"], ["f:b", "f"], ["f:zz"], ["f:zz", "g"],
                  ["f:a", "f:a"], [("f:a", 10)], [("f", -1)]):
        t.scan(columns=columns(*names))
    t.scan(columns=[])
    t.scan(columns=columns(("f:a", 10)), maxVersions=9)
    for m in (0, -1, 1, 2, 3, 9, 2**31 - 1):
        t.scan(startRow="a", stopRow="b", maxVersions=m)
        t.scan(startRow="a", stopRow="b", maxVersions=m, columns=columns("f:a"))
        t.scan(startRow="a", stopRow="b", maxVersions=m, columns=columns("f"))
    t.put("a", ("f:a", "a40", 40), ("g:x", "gx7", 7))
    t.scan(startRow="a", stopRow="b", maxVersions=9)


@scenario("t2-scan-time-ranges")
def scan_time(j):
    t = Table(j)
    grid(t, "a")
    t.put("b", ("f:a", "late", 50))
    for low, high in ((0, 0), (10, 10), (0, LATEST), (10, 20), (10, 21), (20, 31), (5, 6), (31, 51), (51, 99)):
        t.scan(timeRange=span(low, high))
        t.scan(timeRange=span(low, high), maxVersions=3)
    per_family = lambda **spans: {f: span(*s) for f, s in spans.items()}
    t.scan(colFamTimeRangeMap={}, maxVersions=3)
    t.scan(colFamTimeRangeMap=per_family(f=(10, 20)), maxVersions=3)
    t.scan(colFamTimeRangeMap=per_family(f=(10, 20), g=(0, 0)), maxVersions=3)
    t.scan(colFamTimeRangeMap=per_family(f=(20, 31), g=(5, 6)))
    t.scan(colFamTimeRangeMap=per_family(f=(10, 20)), timeRange=span(20, 31), maxVersions=3)
    t.scan(colFamTimeRangeMap=per_family(f=(10, 20)), columns=columns("f:b"), maxVersions=3)
    t.scan(colFamTimeRangeMap=per_family(f=(0, LATEST)), timeRange=span(5, 6))
    t.scan(colFamTimeRangeMap=per_family(no=(10, 20)))
    t.scan(colFamTimeRangeMap={"": span(1, 2)})
    t.delete("a", ("f:a", 20))
    t.scan(timeRange=span(0, 20), maxVersions=3)
    t.scan(timeRange=span(25, 99), maxVersions=3)


@scenario("t2-scan-batch")
def scan_batch(j):
    t = Table(j, splits=["m"])
    grid(t, "a")
    grid(t, "b")
    t.put("c", ("f:a", "single", 1))
    grid(t, "n")
    for size in (0, -1, -2**31, 1, 2, 3, 4, 5, 6, 100):
        t.scan(batchSize=size, stopRow="d")
    for size in (1, 2, 4):
        t.scan(batchSize=size, maxVersions=3, stopRow="b")
        t.scan(batchSize=size, reversed=True, startRow="b")
    for n in (1, 2, 3, 4):
        t.scan(n, batchSize=2)
    for limit in (1, 2, 3):
        t.scan(batchSize=2, limit=limit)
        t.scan(batchSize=2, limit=limit, caching=1)
    t.scan(batchSize=1, columns=columns("f:a", "g:y"))
    t.scan(batchSize=2, columns=columns("f"), stopRow="c")
    t.scan(batchSize=3, timeRange=span(10, 26), maxVersions=3, stopRow="b")
    t.scan(batchSize=2, caching=1)
    s = t.open(batchSize=2)
    for n in (1, 1, 2, 3, 0, 100, 1):
        t.next(s, n)
    t.close(s)
    t.scan(batchSize=2, filterString="SingleColumnValueFilter('f','a',=,'binary:a30')")


@scenario("t2-scan-limit-and-caching")
def scan_limit(j):
    t = Table(j, splits=["d", "m", "t"])
    rows(t)
    for limit in (-2**31, -5, -1, 1, 3, 4, 12, 100):
        t.scan(limit=limit, columns=X)
        t.scan(limit=limit, columns=X, reversed=True)
    for caching in (-1, 0, 1, 2, 3, 1000, 2**31 - 1):
        t.scan(caching=caching, columns=X)
        t.scan(caching=caching, limit=5, columns=X)
    t.scan(2, limit=3, columns=X)
    t.scan(5, limit=3, columns=X)
    t.scan(limit=3, columns=X, filterString="RowFilter(>=,'binary:k')")
    t.scan(limit=3, startRow="c", stopRow="n", columns=X)
    s = t.open(limit=5, columns=X)
    for n in (2, 2, 2, 2):
        t.next(s, n)
    t.close(s)
    u = Table(j, "one_region")
    rows(u)
    u.scan(limit=0, columns=X)
    u.scan(limit=0, columns=X, reversed=True)
    u.scan(limit=0, columns=X, caching=3)
    t.scan(limit=0, columns=X)
    t.scan(limit=0, columns=X, startRow="e")
    t.scan(limit=0, columns=X, startRow="f", stopRow="g")
    t.scan(limit=0, columns=X, reversed=True)


@scenario("t2-scan-options")
def scan_options(j):
    t = Table(j)
    rows(t, "ab")
    for options in ({"readType": 1}, {"readType": 2}, {"readType": 3}, {"readType": 0}, {"readType": 9}, {"consistency": 1}, {"consistency": 2},
                    {"consistency": 7}, {"cacheBlocks": True}, {"cacheBlocks": False}, {"targetReplicaId": -1}, {"targetReplicaId": 0},
                    {"targetReplicaId": -2}, {"attributes": {}}, {"attributes": {"k": "v"}}, {"attributes": {b"\xff": b"\xff"}},
                    {"authorizations": {"labels": []}}, {"authorizations": {"labels": ["a", ""]}}, {"authorizations": {}},
                    {"attributes": {"_isolationlevel_": b"\0"}}, {"attributes": {"_isolationlevel_": b"\1"}},
                    {"filterString": "KeyOnlyFilter()"}, {"filterString": "PrefixFilter('b')"}, {"filterString": "PageFilter(1)"},
                    {"readType": 2, "limit": 1}, {"readType": 3, "batchSize": 1, "caching": 1}):
        t.scan(columns=X, **options)
    t.scan(caching=10, maxVersions=3, timeRange=span(0, LATEST), batchSize=-1, reversed=False, cacheBlocks=True, readType=1, limit=-1,
           consistency=1, targetReplicaId=-1, startRow="", stopRow="")
    t.get("a", maxVersions=3, timeRange=span(0, LATEST), consistency=1, targetReplicaId=-1, cacheBlocks=True, storeLimit=-1, storeOffset=0,
          existence_only=False)


@scenario("t2-scan-bad-input")
def scan_bad(j):
    t = Table(j)
    rows(t, "a")
    for options in ({"columns": columns("no")}, {"columns": columns("f:a", "no:a")}, {"columns": columns("")}, {"columns": columns(":a")},
                    {"timeRange": span(5, 4)}, {"timeRange": span(-1, 4)}, {"timeRange": span(0, -1)}, {"filterString": ""},
                    {"filterString": "("}, {"filterString": "Nope()"}, {"filterBytes": ""}, {"filterBytes": "\1"}, {"colFamTimeRangeMap": {"f": span(-1, 5)}}, {"colFamTimeRangeMap": {"f": span(5, 4)}}):
        t.scan(1, **options)
        s = t.open(**options)
        t.next(s, 1) if isinstance(s, dict) and "$var" in s else None
        t.close(s) if isinstance(s, dict) and "$var" in s else None
    t.scan(1, startRow="k" * 32768)
    t.scan(-1)
    t.scan(-2**31)
    t.scan(1)


@scenario("t2-scanner-life")
def scanner_life(j):
    t = Table(j, splits=["m"])
    rows(t)
    s = t.open(columns=X)
    t.next(s, 2)
    j.t2.getScannerRows(scannerId=s)
    t.next(s, 0)
    t.next(s, -1)
    u = t.open(columns=X, startRow="x")
    t.next(u, 1)
    t.next(s, 4)
    t.next(u, 5)
    t.next(u, 5)
    t.next(s, 100)
    t.next(s, 100)
    t.next(s, 1)
    t.close(s)
    t.close(s)
    t.next(s, 1)
    t.next(s, 0)
    t.next(u, 1)
    t.close(u)
    for unknown in (-1, 2**31 - 1, -2**31):
        t.next(unknown, 1)
        t.next(unknown, -1)
        t.close(unknown)
    s = t.open(columns=X, startRow="e", stopRow="m")
    t.put("f", ("g:x", "written after open, before the first read", 1))
    t.next(s, 1)
    t.put("ee", ("g:x", "behind the scanner's view", 1))
    t.put("l", ("g:x", "behind the scanner's view", 1))
    t.put("k", ("g:x", "newer", 99))
    t.delete("f", ("g:x", 1))
    t.next(s, 100)
    t.close(s)
    t.scan(columns=X, startRow="e", stopRow="m")
    s = t.open(startRow="a", stopRow="a")
    t.close(s)
    t.next(s, 1)


@scenario("t2-raw-scan")
def raw_scan(j):
    t = Table(j)
    t.put("r", *[("f:a", str(n), n) for n in (1, 2, 3, 4)], ("f:b", "1", 1), ("f:", "e", 2), ("g:x", "1", 1), ("g:x", "2", 2))
    t.delete("r", ("f:a", 2), deleteType=0)
    t.delete("r", ("f:a", 1))
    t.delete("r", ("f:b", 1), deleteType=2)
    t.delete("r", ("f", 3), deleteType=3)
    t.delete("r", "g:x", deleteType=0)
    t.put("s", ("f:a", "5", 5))
    t.delete("s", timestamp=4)
    t.scan(maxVersions=9)
    for m in (None, 1, 2, 9):
        t.scan(attributes=RAW, **({} if m is None else {"maxVersions": m}))
    t.scan(attributes={"_raw_": b"\1"}, maxVersions=9)
    t.scan(attributes={"_raw_": b"\0"}, maxVersions=9)
    t.scan(attributes=RAW, maxVersions=9, columns=columns("f"))
    t.scan(attributes=RAW, maxVersions=9, columns=columns("f:a"))
    t.scan(attributes=RAW, maxVersions=9, timeRange=span(2, 4))
    t.scan(attributes=RAW, maxVersions=9, batchSize=3)
    t.scan(attributes=RAW, maxVersions=9, limit=1)
    t.scan(attributes=RAW, maxVersions=9, reversed=True)
    t.scan(attributes=RAW, maxVersions=9, filterString="KeyOnlyFilter()")
    t.get("r", maxVersions=9, attributes=RAW)
    t.get("r", attributes=RAW)
    t.exists("s", "g", attributes=RAW)


# ---------------------------------------------------------------- locations, tables

@scenario("t2-region-locations")
def locations(j):
    t = Table(j, splits=["d", "m\0", "\xf0"])
    t.getAllRegionLocations()
    for row in ("", "a", "c\xff", "d", "d\0", "m", "m\0", "\xef\xff", "\xf0", "\xff"):
        t.getRegionLocation(row=row, reload=False)
    t.getRegionLocation(row="d", reload=True)
    t.getRegionLocation(row="d")
    t.getRegionLocation(row="k" * 40, reload=False)
    u = Table(j, "one")
    u.getAllRegionLocations()
    u.getRegionLocation(row="any", reload=False)
    for table in (j.table("absent"), "no such name", ""):
        j.t2.getAllRegionLocations(table=table)
        j.t2.getRegionLocation(table=table, row="a", reload=False)
        j.t2.getRegionLocation(table=table, row="a", reload=True)
    j.t2.getAllRegionLocations(table="default:" + t.name)


def every_call(j, table):
    """One call of every data method."""
    j.t2.exists(table=table, tget=get("r"))
    j.t2.existsAll(table=table, tgets=[get("r")])
    j.t2.existsAll(table=table, tgets=[get("r"), get("s")])
    j.t2.existsAll(table=table, tgets=[])
    j.t2.get(table=table, tget=get("r"))
    j.t2.getMultiple(table=table, tgets=[get("r")])
    j.t2.getMultiple(table=table, tgets=[get("r"), get("s")])
    j.t2.getMultiple(table=table, tgets=[])
    j.t2.put(table=table, tput=put("r", ("f:a", "v", 1)))
    j.t2.putMultiple(table=table, tputs=[put("r", ("f:a", "v", 1))])
    j.t2.putMultiple(table=table, tputs=[put("r", ("f:a", "v", 1)), put("s", ("f:a", "v", 1))])
    j.t2.putMultiple(table=table, tputs=[])
    j.t2.deleteSingle(table=table, tdelete=delete("r"))
    j.t2.deleteMultiple(table=table, tdeletes=[delete("r")])
    j.t2.deleteMultiple(table=table, tdeletes=[])
    j.t2.checkAndPut(table=table, row="r", family="f", qualifier="a", value="v", tput=put("r", ("f:a", "v", 1)))
    j.t2.checkAndDelete(table=table, row="r", family="f", qualifier="a", value="v", tdelete=delete("r"))
    j.t2.checkAndMutate(table=table, row="r", family="f", qualifier="a", compareOp=2, value="v", rowMutations=mutations("r", delete("r")))
    j.t2.mutateRow(table=table, trowMutations=mutations("r", delete("r")))
    j.t2.mutateRow(table=table, trowMutations=mutations("r"))
    j.t2.increment(table=table, tincrement=increment("r", "f:n"))
    j.t2.append(table=table, tappend=append("r", ("f:a", "v")))
    j.t2.getScannerResults(table=table, tscan={}, numRows=1)
    j.t2.getScannerResults(table=table, tscan={}, numRows=0)
    s = j.t2.openScanner(table=table, tscan={})
    if isinstance(s, dict) and "$var" in s:
        j.t2.getScannerRows(scannerId=s, numRows=1)
        j.t2.getScannerRows(scannerId=s, numRows=1)
        j.t2.closeScanner(scannerId=s)
    j.t2.getRegionLocation(table=table, row="r", reload=False)
    j.t2.getAllRegionLocations(table=table)


@scenario("t2-missing-table")
def missing_table(j):
    every_call(j, j.table("absent"))
    j.t2.get(table=j.table("absent") + ":x", tget=get("r"))
    j.t2.get(table="default:" + j.table("absent"), tget=get("r"))


@scenario("t2-illegal-table-names")
def illegal_names(j):
    every_call(j, "no such name")
    for name in ("", ":", ":x", "x:", "default:", ".x", "-x", "a b", "a:b:c", "zookeeper", "-ROOT-", ".META.", b"\xff\xfe", "a/b", "ta\0b"):
        j.t2.get(table=name, tget=get("r"))
        j.t2.putMultiple(table=name, tputs=[])
    for name in ("x.", "x-", "_x", "1", "x" * 255):
        j.t2.get(table=name + "-" + j.table("absent"), tget=get("r"))


@scenario("t2-disabled-table")
def disabled_table(j):
    t = Table(j)
    t.put("r", ("f:a", "kept", 5))
    s = t.open()
    j.t2.disableTable(tableName={"qualifier": t.name})
    t.get("r")
    t.exists("r")
    t.gets(get("r"))
    t.gets(get("r"), get("s"))
    t.gets()
    t.put("r", ("f:a", "v", 6))
    t.puts(put("r", ("f:a", "v", 6)))
    t.delete("r")
    t.deletes(delete("r"))
    t.check_put("r", "f:a", "kept", put("r", ("f:a", "v", 6)))
    t.check_delete("r", "f:a", "kept", delete("r"))
    t.check("r", "f:a", 2, "kept", delete("r"))
    t.mutate("r", delete("r"))
    t.increment("r", "f:n")
    t.append("r", ("f:a", "v"))
    t.scan()
    t.next(s, 1)
    t.close(s)
    t.getRegionLocation(row="r", reload=False)
    t.getAllRegionLocations()
    j.t2.enableTable(tableName={"qualifier": t.name})
    t.get("r")


@scenario("t2-required-fields")
def required_fields(j):
    t = Table(j)
    t.put("r", ("f:a", "v", 1))
    c = j.t2
    good = cell("f:a", "v", 1)
    c.get(table=t.name)
    c.get(tget=get("r"))
    c.get()
    t.j.t2.get(table=t.name, tget={})
    c.get(table=t.name, tget={"row": "r", "columns": [{"qualifier": "a"}]})
    c.get(table=t.name, tget={"row": "r", "timeRange": {"minStamp": 1}})
    c.get(table=t.name, tget={"row": "r", "timeRange": {"maxStamp": 1}})
    c.exists(table=t.name)
    c.existsAll(table=t.name)
    c.existsAll(table=t.name, tgets=[get("r"), {}])
    c.getMultiple(table=t.name)
    c.getMultiple(tgets=[])
    c.put(table=t.name)
    c.put(table=t.name, tput={"columnValues": [good]})
    c.put(table=t.name, tput={"row": "r"})
    for missing in ("family", "qualifier", "value"):
        c.put(table=t.name, tput={"row": "r", "columnValues": [good, {k: v for k, v in good.items() if k != missing}]})
    c.putMultiple(table=t.name)
    c.deleteSingle(table=t.name)
    c.deleteSingle(table=t.name, tdelete={})
    c.deleteSingle(table=t.name, tdelete={"row": "r", "columns": [{"qualifier": "a"}]})
    c.deleteMultiple(table=t.name)
    check = {"table": t.name, "row": "r", "family": "f", "qualifier": "a"}
    for missing in (*check, "tput"):
        c.checkAndPut(**{k: v for k, v in {**check, "tput": put("r", ("f:a", "v", 1))}.items() if k != missing})
    for missing in (*check, "tdelete"):
        c.checkAndDelete(**{k: v for k, v in {**check, "tdelete": delete("r")}.items() if k != missing})
    for missing in (*check, "compareOp", "rowMutations"):
        c.checkAndMutate(**{k: v for k, v in {**check, "value": "v", "compareOp": 2, "rowMutations": mutations("r", delete("r"))}.items()
                            if k != missing})
    c.mutateRow(table=t.name)
    c.mutateRow(table=t.name, trowMutations={"row": "r"})
    c.mutateRow(table=t.name, trowMutations={"mutations": []})
    c.increment(table=t.name)
    c.increment(table=t.name, tincrement={"row": "r"})
    c.increment(table=t.name, tincrement={"columns": [column("f:a")]})
    c.increment(table=t.name, tincrement={"row": "r", "columns": [{"family": "f"}]})
    c.append(table=t.name)
    c.append(table=t.name, tappend={"row": "r"})
    c.append(table=t.name, tappend={"row": "r", "columns": [column("f:a")]})
    c.openScanner(table=t.name)
    c.openScanner(tscan={})
    c.openScanner(table=t.name, tscan={"timeRange": {}})
    c.openScanner(table=t.name, tscan={"colFamTimeRangeMap": {"f": {"minStamp": 1}}})
    c.getScannerResults(table=t.name)
    c.getScannerResults(tscan={})
    c.getScannerRows(numRows=1)
    c.getScannerRows()
    c.closeScanner()
    c.getRegionLocation(table=t.name)
    c.getRegionLocation(row="r")
    c.getAllRegionLocations()
    t.get("r")


@scenario("t2-and-thrift1-see-the-same")
def both_dialects(j):
    t = Table(j)
    t.put("r", ("f:a", "two", 5), ("f:", "empty", 6), ("g:x", "gx", 7))
    j.t1.getRow(tableName=t.name, row="r", attributes={})
    j.t1.mutateRowTs(tableName=t.name, row="s", mutations=[{"column": "f:a", "value": "one"}], timestamp=8, attributes={})
    t.get("s")
    j.t1.deleteAllTs(tableName=t.name, row="r", column="f:a", timestamp=5, attributes={})
    t.get("r")
    t.delete("s", ("f", 8), deleteType=2)
    j.t1.getRow(tableName=t.name, row="s", attributes={})
    j.t1.atomicIncrement(tableName=t.name, row="n", column="f:n", value=5)
    t.increment("n", ("f:n", -2))
    j.t1.atomicIncrement(tableName=t.name, row="n", column="f:n", value=0)
    t.append("p", ("f:a", "x"))
    j.t1.append(append={"table": t.name, "row": "p", "columns": ["f:a"], "values": ["y"]})
    t.check_put("p", "f:a", "xy", put("p", ("f:b", "done", 1)))
    t.scan()


# ---------------------------------------------------------------- random

@scenario("t2-random-one")
def random_one(j):
    random_calls(j, 280)


@scenario("t2-random-two")
def random_two(j):
    random_calls(j, 280)


@scenario("t2-random-batches")
def random_scans(j):
    random_batches(j, 50)
