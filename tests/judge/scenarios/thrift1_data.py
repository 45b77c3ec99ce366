"""Thrift1 data calls: gets, mutations, deletes, increments, appends, checkAndPut. Scanners have their own script."""
from scenario import scenario

MAX = 2 ** 63 - 1
MIN = -2 ** 63
FAR = 10 ** 15  # a timestamp far in the future that can still be incremented
ROW_LIMIT = 32767


def long(n):
    return (n & (2 ** 64 - 1)).to_bytes(8, "big")


def mutation(spec):
    """"cf:a=1" is a put, "-cf:a" a delete; a dict is used unchanged."""
    if isinstance(spec, dict):
        return spec
    if spec.startswith("-"):
        return {"column": spec[1:], "isDelete": True}
    column, value = spec.split("=", 1)
    return {"column": column, "value": value}


class Table:
    """The table of one scenario, with short forms of the calls."""

    def __init__(self, j, families=None, keep=False):
        """keep: KEEP_DELETED_CELLS, so that raw reads do not depend on what a flush has dropped."""
        self.j, self.t, self.x = j, j.table(), j.t1
        families = families or {"cf": 3, "g": 1}
        if keep:
            j.t2.createTable(desc={"tableName": {"ns": "default", "qualifier": self.t}, "columns": [
                {"name": f, "maxVersions": n, "keepDeletedCells": 1} for f, n in families.items()]}, splitKeys=None)
            return
        self.x.createTable(tableName=self.t, columnFamilies=[
            {"name": f + ":", "maxVersions": n} for f, n in families.items()])

    def put(self, row, ts, *specs, attributes=None):
        self.x.mutateRowTs(tableName=self.t, row=row, mutations=[mutation(s) for s in specs], timestamp=ts,
                           attributes=attributes or {})

    def put_now(self, row, *specs, attributes=None):
        self.x.mutateRow(tableName=self.t, row=row, mutations=[mutation(s) for s in specs], attributes=attributes or {})

    def batch(self, ts, *rows, attributes=None):
        """rows: (row, spec, spec…)"""
        self.x.mutateRowsTs(tableName=self.t, timestamp=ts, attributes=attributes or {}, rowBatches=[
            {"row": r, "mutations": [mutation(s) for s in specs]} for r, *specs in rows])

    def batch_now(self, *rows, attributes=None):
        self.x.mutateRows(tableName=self.t, attributes=attributes or {}, rowBatches=[
            {"row": r, "mutations": [mutation(s) for s in specs]} for r, *specs in rows])

    def get(self, row, column, attributes=None):
        self.x.get(tableName=self.t, row=row, column=column, attributes=attributes or {})

    def ver(self, row, column, n, attributes=None):
        self.x.getVer(tableName=self.t, row=row, column=column, numVersions=n, attributes=attributes or {})

    def ver_ts(self, row, column, ts, n):
        self.x.getVerTs(tableName=self.t, row=row, column=column, timestamp=ts, numVersions=n, attributes={})

    def row(self, row, attributes=None):
        self.x.getRow(tableName=self.t, row=row, attributes=attributes or {})

    def row_ts(self, row, ts, attributes=None):
        self.x.getRowTs(tableName=self.t, row=row, timestamp=ts, attributes=attributes or {})

    def cols(self, row, columns, attributes=None):
        self.x.getRowWithColumns(tableName=self.t, row=row, columns=columns, attributes=attributes or {})

    def cols_ts(self, row, columns, ts):
        self.x.getRowWithColumnsTs(tableName=self.t, row=row, columns=columns, timestamp=ts, attributes={})

    def rows(self, rows, attributes=None):
        self.x.getRows(tableName=self.t, rows=rows, attributes=attributes or {})

    def rows_ts(self, rows, ts):
        self.x.getRowsTs(tableName=self.t, rows=rows, timestamp=ts, attributes={})

    def rows_cols(self, rows, columns):
        self.x.getRowsWithColumns(tableName=self.t, rows=rows, columns=columns, attributes={})

    def rows_cols_ts(self, rows, columns, ts):
        self.x.getRowsWithColumnsTs(tableName=self.t, rows=rows, columns=columns, timestamp=ts, attributes={})

    def raw(self, row, family):
        """All puts and delete markers in one family of a row."""
        self.ver(row, family, 99, {"_raw_": b"\xff"})

    def delete(self, row, column, ts=None, attributes=None):
        if ts is None:
            self.x.deleteAll(tableName=self.t, row=row, column=column, attributes=attributes or {})
        else:
            self.x.deleteAllTs(tableName=self.t, row=row, column=column, timestamp=ts, attributes=attributes or {})

    def delete_row(self, row, ts=None, attributes=None):
        if ts is None:
            self.x.deleteAllRow(tableName=self.t, row=row, attributes=attributes or {})
        else:
            self.x.deleteAllRowTs(tableName=self.t, row=row, timestamp=ts, attributes=attributes or {})

    def add(self, row, column, amount):
        self.x.atomicIncrement(tableName=self.t, row=row, column=column, value=amount)

    def inc(self, row, column, amount):
        self.x.increment(increment={"table": self.t, "row": row, "column": column, "ammount": amount})

    def incs(self, *items):
        self.x.incrementRows(increments=[{"table": self.t, "row": r, "column": c, "ammount": n} for r, c, n in items])

    def append(self, row, columns, values):
        self.x.append(append={"table": self.t, "row": row, "columns": columns, "values": values})

    def check(self, row, column, value, put, attributes=None):
        """value None: not sent."""
        more = {} if value is None else {"value": value}
        self.x.checkAndPut(tableName=self.t, row=row, column=column, mput=mutation(put) if put is not None else None,
                           attributes=attributes or {}, **more)

    def tick(self):
        """Lets the clock advance, so that two calls with server timestamps cannot share a millisecond."""
        self.j.sleep(0.01)


# ---------------------------------------------------------------- get, getVer, getVerTs

@scenario("t1data-get-column-forms")
def get_column_forms(j):
    t = Table(j)
    t.put("r", 5, "cf:=empty", "cf:a=1", "cf:a:b=2", "cf::=colon", "cf:A=upper", "g:x=3")
    for column in ("cf", "cf:", "cf:a", "cf:a:b", "cf::", "cf:A", "cf:b", "cf:a:", "g", "g:", "g:x", "g:a"):
        t.get("r", column)
    for column in ("", ":", ":a", "nocolon", "no:", "no:a", "CF:a", "c", "cf\x00:a", " cf:a"):
        t.get("r", column)
    t.x.get(tableName=t.t, row="r", attributes={})
    t.get("absent", "cf:a")
    t.get("absent", "cf")
    t.get("absent", "no:a")


@scenario("t1data-get-rows-and-tables")
def get_rows_and_tables(j):
    t = Table(j)
    for row in ("r", "r\x00", "r0", "\x00", "\xff\xff", "\xc3\xa4", " "):
        t.put(row, 5, "cf:a=" + row)
    for row in ("r", "r\x00", "r\x00\x00", "r0", "\x00", "\x00\x00", "\xff", "\xff\xff", "\xc3\xa4", " ", "R"):
        t.get(row, "cf:a")
    t.get("", "cf:a")
    t.get("x" * (ROW_LIMIT + 1), "cf:a")
    t.x.get(tableName=t.t, column="cf:a", attributes={})
    t.x.get(tableName=t.t, row="r", column="cf:a")
    t.x.get(row="r", column="cf:a", attributes={})
    t.x.get(tableName="default:" + t.t, row="r", column="cf:a", attributes={})
    for table in ("", j.table("missing"), "nospace_" + j.table() + ":t", "bad!", ":t", "a:b:c", "-bad", ".bad", "\xff"):
        t.x.get(tableName=table, row="r", column="cf:a", attributes={})
    t.x.get(tableName=j.table("missing"), row="", column="cf:a", attributes={})
    t.x.get(tableName=j.table("missing"), row="r", column="", attributes={})
    t.x.get(tableName=j.table("missing"), row="r", attributes={})


@scenario("t1data-getver-counts")
def getver_counts(j):
    t = Table(j, {"one": 1, "cf": 3, "many": 100})
    for ts in (10, 30, 20, 50, 40):
        t.put("r", ts, f"one:a=o{ts}", f"cf:a=c{ts}", f"many:a=m{ts}", f"cf:b=b{ts}")
    for n in (1, 2, 3, 4, 100, 2147483647):
        for column in ("one:a", "cf:a", "many:a", "cf"):
            t.ver("r", column, n)
    for n in (0, -1, -2147483648):
        t.ver("r", "cf:a", n)
    t.x.getVer(tableName=t.t, row="r", column="cf:a", attributes={})
    t.ver("absent", "cf:a", 0)
    t.ver("", "cf:a", 0)
    t.ver("r", "no:a", 0)
    t.ver("r", "no:a", 2)
    t.ver("r", "", 2)
    t.x.getVer(tableName=t.t, row="r", numVersions=2, attributes={})
    t.x.getVer(tableName=j.table("missing"), row="r", column="cf:a", numVersions=0, attributes={})
    t.x.getVer(tableName="bad!", row="r", column="cf:a", numVersions=0, attributes={})


@scenario("t1data-getverts-bounds")
def getverts_bounds(j):
    t = Table(j, {"cf": 10, "g": 7})
    for ts in (0, 1, 10, 20, 30, FAR):
        t.put("r", ts, f"cf:a=v{ts}", f"g:a=w{ts}")
    for ts in (0, 1, 2, 10, 11, 20, 21, 30, 31, FAR, FAR + 1, MAX - 1, MAX):
        t.ver_ts("r", "cf:a", ts, 2)
        t.ver_ts("r", "g:a", ts, 2)
    for ts in (-1, MIN):
        t.ver_ts("r", "cf:a", ts, 2)
    for n in (0, -1, 1, 3, 99):
        t.ver_ts("r", "cf", 31, n)
    t.ver_ts("r", "cf:a", -1, 0)
    t.ver_ts("r", "no:a", 0, 1)
    t.x.getVerTs(tableName=t.t, row="r", column="cf:a", numVersions=5, attributes={})
    t.x.getVerTs(tableName=t.t, row="r", column="cf:a", timestamp=31, attributes={})
    t.x.getVerTs(tableName=t.t, row="r", timestamp=31, numVersions=2, attributes={})
    t.x.getVerTs(tableName=j.table("missing"), row="r", column="cf:a", timestamp=31, numVersions=2, attributes={})
    t.x.getVerTs(tableName=t.t, row="r", column="cf:a", timestamp=j.now(60000), numVersions=5)


@scenario("t1data-get-family-order")
def get_family_order(j):
    t = Table(j, {"cf": 3})
    for q in ("b", "", "\xff", "\x80", "\x7f", "a", "aa", "\x00", "a\x00", "B", ":", "\xc3\xa4"):
        t.put("r", 5, f"cf:{q}=5{q}")
        t.put("r", 6, f"cf:{q}=6{q}")
    t.get("r", "cf")
    t.ver("r", "cf", 2)
    t.ver_ts("r", "cf", 6, 9)
    t.row("r")
    t.cols("r", ["cf:\xff", "cf:\x80", "cf:", "cf::"])


# ---------------------------------------------------------------- getRow…

@scenario("t1data-getrow-columns")
def getrow_columns(j):
    t = Table(j, {"cf": 3, "g": 1, "h": 1})
    t.put("r", 5, "cf:=e", "cf:a=1", "cf:b=2", "cf:a:b=3", "g:x=4", "g:y=5")
    t.put("r", 6, "cf:a=newer")
    t.row("r")
    t.x.getRow(tableName=t.t, row="r")
    for columns in (["cf"], ["cf:"], ["cf:a"], ["cf:a", "cf:b"], ["cf:b", "cf:a"], ["g", "cf"], ["g:x", "cf:a", "h:z"],
                    ["h"], ["h", "cf:a"], ["cf:zz"], ["cf:zz", "g:x"], ["cf", "cf:a"], ["cf:a", "cf"], ["cf", "cf:"],
                    ["cf:", "cf"], ["cf:a", "cf", "cf:b"], ["cf", "cf:zz"], ["cf:a", "cf:a"], ["cf", "cf"],
                    ["g:x", "cf", "cf:b", "g"], ["cf:a:b", "cf:a"], []):
        t.cols("r", columns)
    t.x.getRowWithColumns(tableName=t.t, row="r", attributes={})
    for columns in (["no"], ["no:a"], ["cf", "no"], ["no:a", "cf:a"], [""], [":"], [":a"], ["cf", ""]):
        t.cols("r", columns)
    t.cols("absent", ["cf", "g:x"])
    t.cols("absent", ["no"])
    t.cols("", ["cf"])
    t.x.getRowWithColumns(tableName=t.t, columns=["cf"], attributes={})
    t.x.getRowWithColumns(tableName=j.table("missing"), row="r", columns=["cf"], attributes={})
    t.x.getRowWithColumns(tableName="bad!", row="r", columns=[], attributes={})


@scenario("t1data-getrowts-bounds")
def getrowts_bounds(j):
    t = Table(j, {"cf": 3, "g": 2})
    t.put("r", 0, "cf:z=zero")
    t.put("r", 10, "cf:a=10", "g:x=10")
    t.put("r", 20, "cf:a=20", "cf:b=20", "g:x=20")
    t.put("r", FAR, "cf:a=far")
    for ts in (0, 1, 10, 11, 20, 21, FAR, FAR + 1, MAX):
        t.row_ts("r", ts)
        t.cols_ts("r", ["cf:a", "g"], ts)
    t.cols_ts("r", [], 11)
    t.x.getRowWithColumnsTs(tableName=t.t, row="r", timestamp=11, attributes={})
    t.cols_ts("r", ["cf", "cf:b"], 21)
    t.cols_ts("r", ["cf:a", "cf"], 21)
    for ts in (-1, MIN):
        t.row_ts("r", ts)
        t.cols_ts("r", ["cf:a"], ts)
    t.x.getRowTs(tableName=t.t, row="r", attributes={})
    t.x.getRowTs(tableName=t.t, row="r", timestamp=21)
    t.cols_ts("r", ["no:a"], 21)
    t.cols_ts("r", ["no:a"], 0)
    t.row_ts("", 5)
    t.x.getRowTs(tableName=j.table("missing"), row="r", timestamp=5, attributes={})
    t.x.getRowTs(tableName=j.table("missing"), row="r", timestamp=-5, attributes={})
    t.put_now("n", "cf:a=now")
    t.row_ts("n", j.now(60000))
    t.row_ts("n", j.now(-60000))
    t.row_ts("n", FAR)


@scenario("t1data-getrows-lists")
def getrows_lists(j):
    t = Table(j)
    for row in ("a", "b", "c", "\xff"):
        t.put(row, 5, f"cf:a={row}", f"g:x={row}")
    t.put("b", 9, "cf:a=b9")
    t.put("only-g", 5, "g:x=1")
    for rows in (["a"], ["a", "b"], ["c", "a", "b"], ["b", "b"], ["a", "zz", "b", "a"], ["zz"], ["zz", "yy"], [],
                 ["\xff", "a"], ["only-g", "a"]):
        t.rows(rows)
        t.rows_cols(rows, ["cf"])
    for ts in (0, 5, 6, 9, 10, MAX):
        t.rows_ts(["b", "a"], ts)
        t.rows_cols_ts(["b", "a", "only-g"], ["cf:a"], ts)
    t.rows_cols(["a", "b"], [])
    t.x.getRowsWithColumns(tableName=t.t, rows=["b", "a"], attributes={})
    t.x.getRowsWithColumnsTs(tableName=t.t, rows=["b", "a"], timestamp=9, attributes={})
    t.x.getRows(tableName=t.t, rows=["a", "b"])
    t.rows_cols(["a", "b"], ["cf", "cf:zz"])
    t.rows_cols(["a", "b"], ["g:x", "cf:a"])
    t.rows([f"n{i}" for i in range(200)] + ["c"])


@scenario("t1data-getrows-errors")
def getrows_errors(j):
    t = Table(j)
    t.put("a", 5, "cf:a=1")
    t.put("b", 5, "cf:a=2")
    for columns in (["no:a"], ["no"], ["cf:a", "no:a"], [""], [":a"]):
        for rows in ([], ["a"], ["zz"], ["a", "b"]):
            t.rows_cols(rows, columns)
    for rows in ([""], ["a", ""], ["", "a"], ["a", "x" * (ROW_LIMIT + 1)]):
        t.rows(rows)
    t.x.getRows(tableName=t.t, attributes={})
    t.x.getRowsTs(tableName=t.t, rows=["a", "b"], attributes={})
    for ts in (-1, MIN):
        t.rows_ts(["a"], ts)
        t.rows_ts(["a", "b"], ts)
        t.rows_ts([], ts)
    for table in (j.table("missing"), "bad!", "", "nospace_" + j.table() + ":t"):
        for rows in ([], ["a"], ["a", "b"], ["a", "a", "a"]):
            t.x.getRows(tableName=table, rows=rows, attributes={})
    t.x.getRowsWithColumns(tableName=j.table("missing"), rows=["a", ""], columns=["cf"], attributes={})
    t.x.getRowsWithColumns(rows=["a"], columns=["cf"], attributes={})


@scenario("t1data-sizes-at-limits")
def sizes_at_limits(j):
    t = Table(j)
    t.put("short", 5, "cf:a=1")  # HBase cannot look up a region by a row this long, so make it cache the region first
    longest = "k" * ROW_LIMIT
    t.put(longest, 5, "cf:a=longest")
    t.get(longest, "cf:a")
    t.put(longest + "k", 5, "cf:a=too long")
    t.batch(5, (longest + "k", "cf:a=too long"))
    q = "q" * 66000
    t.put("wide", 5, f"cf:{q}=1", "cf:=2")
    t.get("wide", "cf")
    t.get("wide", "cf:" + "q" * 1000)
    t.put("big", 5, "cf:a=" + "v" * 20000)
    t.get("big", "cf:a")
    t.put("fam", 5, {"column": "f" * 128 + ":q", "value": "1"})
    t.put("fam", 5, {"column": "f" * 127 + ":q", "value": "1"})
    t.get("fam", "f" * 128 + ":q")
    t.delete("fam", "f" * 128 + ":q")
    t.delete("fam", "f" * 128)
    t.append("fam", ["f" * 128 + ":q"], ["1"])


@scenario("t1data-wide-rows")
def wide_rows(j):
    t = Table(j, {"cf": 3})
    t.put("w", 5, *[f"cf:q{i:03d}={i}" for i in range(300)])
    t.put("w", 6, *[f"cf:q{i:03d}=n{i}" for i in range(0, 300, 50)])
    t.cols("w", ["cf:q000", "cf:q150", "cf:q299", "cf:q300"])
    t.ver("w", "cf:q150", 3)
    t.x.getRowWithColumns(tableName=t.t, row="w", columns=[f"cf:q{i:03d}" for i in range(0, 400, 40)], attributes={})
    t.row_ts("w", 5)
    t.put("w", 7, "-cf")
    t.row("w")
    t.put("w", 8, "cf:q007=back")
    t.row("w")
    t.row_ts("w", 8)


@scenario("t1data-values")
def values(j):
    t = Table(j)
    every = "".join(chr(i) for i in range(256))
    t.put("v", 5, {"column": "cf:all", "value": every}, {"column": "cf:none"}, "cf:empty=", "cf:nul=\x00",
          {"column": "cf:utf8", "value": "ä€".encode()})
    t.row("v")
    t.get("v", "cf:all")
    t.put(every, 5, {"column": "cf:" + every, "value": "odd"})
    t.row(every)
    t.get(every, "cf:" + every)
    t.rows([every, "v"])
    t.put("v", 6, {"column": "cf:all"})
    t.get("v", "cf:all")
    t.ver("v", "cf:all", 2)
    t.delete(every, "cf:" + every, 5)
    t.row(every)


# ---------------------------------------------------------------- attributes

@scenario("t1data-attributes-of-gets")
def attributes_of_gets(j):
    t = Table(j)
    t.put("r", 5, "cf:a=1", "g:x=2")
    for attributes in ({"any": "thing"}, {"": ""}, {"\xff\x00": "\xff"}, {"_operation.attributes.id": "me"},
                       {"_isolationlevel_": "\x00"}, {"_isolationlevel_": "\x01"}, {"_ttl": "x"}, {"_raw_": "\x00"},
                       {"scan.attributes.metrics.enable": "\xff"}, {"a": "1", "b": "2", "_isolationlevel_": "\x01"}):
        t.row("r", attributes)
        t.get("r", "cf:a", attributes)
        t.rows(["r", "zz"], attributes)
    t.row("r", {"_isolationlevel_": "\x02"})
    t.row("r", {"_isolationlevel_": ""})
    t.row("r", {"_isolationlevel_": "\x01\x00"})
    t.row("r", {"_raw_": ""})


@scenario("t1data-raw-gets")
def raw_gets(j):
    t = Table(j, {"cf": 9, "g": 9}, keep=True)
    raw = {"_raw_": "\xff"}
    t.put("r", 5, "cf:a=1", "cf:b=2", "g:x=old")
    t.put("r", 6, "cf:a=two")
    t.put("r", 7, "g:x=new")
    t.raw("r", "cf")
    t.raw("r", "g")
    t.delete("r", "cf:a", 6)
    t.delete("r", "cf", 4)
    t.row("r")
    t.row("r", raw)
    t.row("r", {"_raw_": "\x00"})
    t.row("r", {"_raw_": "\x01"})
    t.row_ts("r", 6, raw)
    t.row_ts("r", 4, raw)
    t.rows(["r", "zz"], raw)
    t.rows(["r", "r"], raw)
    t.get("r", "cf", raw)
    t.ver("r", "cf", 1, raw)
    t.ver("r", "cf", 2, raw)
    t.ver("r", "cf", 9, raw)
    t.get("r", "cf:a", raw)
    t.cols("r", ["cf", "g:x"], raw)
    t.cols("r", ["cf", "g"], raw)
    t.delete_row("r", 7)
    t.row("r")
    t.row("r", raw)
    t.raw("r", "g")


@scenario("t1data-cell-ttl")
def cell_ttl(j):
    t = Table(j)
    ttl = lambda ms: {"_ttl": long(ms)}
    for name, ms in (("zero", 0), ("one", 1), ("day", 86400000), ("huge", 2 ** 62), ("almost", MAX - 1),
                     ("max", MAX), ("minus", -1)):
        t.put(name, 5, f"cf:a={name}", attributes=ttl(ms))
        t.batch(6, (name, f"cf:b={name}"), attributes=ttl(ms))
        t.put(name, FAR, f"cf:c={name}", attributes=ttl(ms))
        t.row(name)
    t.put_now("now", "cf:a=lives", attributes=ttl(3600000))
    t.row("now")
    t.put("mix", 5, "cf:a=stays")
    t.put("mix", 6, "cf:a=goes", attributes=ttl(1))
    t.ver("mix", "cf:a", 3)
    t.put("mix", 6, "cf:a=again")
    t.ver("mix", "cf:a", 3)
    t.put("bytes", 5, "cf:a=nine bytes", attributes={"_ttl": b"\x00" + long(3600000)})
    t.row("bytes")
    t.put("bytes", 5, "cf:a=one byte", attributes={"_ttl": "\x01"})
    t.batch(5, ("bytes", "cf:a=none"), attributes={"_ttl": ""})
    t.row("bytes")
    t.check("chk", "cf:a", None, "cf:b=1", ttl(3600000))
    t.row("chk")
    t.raw("mix", "cf")


@scenario("t1data-cell-ttl-of-markers")
def cell_ttl_of_markers(j):
    t = Table(j, {"cf": 9, "g": 9}, keep=True)
    ttl = lambda ms: {"_ttl": long(ms)}
    t.put("del", 5, "cf:a=1", "cf:b=2", "cf:c=3", "g:x=4")
    t.delete("del", "cf:a", 5, ttl(1))
    t.put("del", 5, "-cf:b", attributes=ttl(1))
    t.delete("del", "cf:c", 5, ttl(2 ** 62))
    t.delete("del", "g", 5, ttl(1))
    t.row("del")
    t.delete_row("del", 5, ttl(1))
    t.row("del")
    t.delete_row("del", 5, ttl(2 ** 62))
    t.row("del")


@scenario("t1data-cell-ttl-carried-on")
def cell_ttl_carried_on(j):
    t = Table(j)
    ttl = {"_ttl": long(1500)}
    t.put_now("r", {"column": "cf:n", "value": long(7)}, "cf:s=ab", "g:s=x", attributes=ttl)
    t.put_now("r", "cf:keep=1")
    t.row("r")
    t.add("r", "cf:n", 5)
    t.append("r", ["cf:s", "cf:new"], ["cd", "ef"])
    t.check("r", "g:s", "x", "g:t=plain")
    t.row("r")
    j.sleep(2)
    t.row("r")
    t.add("r", "cf:n", 1)
    t.append("r", ["cf:s"], ["z"])
    t.row("r")


# ---------------------------------------------------------------- mutateRow

@scenario("t1data-mutaterow-puts")
def mutaterow_puts(j):
    t = Table(j)
    t.put("a", 5, "cf:a=1", "cf:a=2")
    t.row("a")
    t.put("b", 5, "cf:a=1")
    t.put("b", 5, "cf:a=2")
    t.row("b")
    t.raw("b", "cf")
    t.put("c", 5, "cf:=empty qualifier", "cf:x:y=colon", "g:x=other")
    t.row("c")
    t.put("d", 5, {"column": "cf:a", "value": "1", "writeToWAL": False}, {"column": "cf:b", "value": "2", "writeToWAL": True})
    t.put("d", 6, {"column": "cf:a", "isDelete": True, "writeToWAL": False})
    t.row("d")
    t.put("e", 5, {"column": "cf:a", "value": "1", "isDelete": False})
    t.put("e", 5, {"column": "cf:b"})
    t.row("e")
    t.put("f", 5)
    t.put_now("f")
    t.row("f")
    t.x.mutateRowTs(tableName=t.t, row="g", mutations=[mutation("cf:a=no timestamp")], attributes={})
    t.row("g")
    t.x.mutateRow(tableName=t.t, row="h", mutations=[mutation("cf:a=no attributes")])
    t.row("h")
    t.put_now("h", "cf:a=later", attributes={"x": "y", "_operation.attributes.id": "z"})
    t.row("h")
    t.put("i", 5, "cf:a=1", "g:x=1")
    t.put("i", 4, "cf:a=older")
    t.put("i", 4, "g:x=older")
    t.row("i")
    t.ver("i", "cf:a", 5)
    t.ver("i", "g:x", 5)


@scenario("t1data-mutaterow-deletes")
def mutaterow_deletes(j):
    t = Table(j, {"cf": 5, "g": 1})

    def fill(row):
        for ts in (1, 2, 3):
            t.put(row, ts, f"cf:a={ts}", f"cf:b={ts}", f"cf:={ts}", f"g:x={ts}")

    def show(row):
        t.ver(row, "cf", 9)
        t.ver(row, "g", 9)

    for row, ts, specs in (("a", 2, ["-cf:a"]), ("b", 2, ["-cf:"]), ("c", 2, ["-cf"]), ("d", 3, ["-cf", "-g"]),
                           ("e", 0, ["-cf:a"]), ("f", 2, ["-cf:a", "-cf:b"]), ("g", 2, ["-cf:zz"]), ("h", 9, ["-g:x"]),
                           ("i", 3, ["-g:x"]), ("j", 2, ["-g:x"]), ("k", MAX, ["-cf:a"]), ("absent", 2, ["-cf:a", "-g"])):
        if row != "absent":
            fill(row)
        t.put(row, ts, *specs)
        show(row)
    j.note("the order of deletes in one list: a family marker drops the column markers before it")
    for row, specs in (("m1", ["-cf:a", "-cf"]), ("m2", ["-cf", "-cf:a"]), ("m3", ["-cf:a", "-cf:a"]),
                       ("m4", ["-cf:a", "-cf:b", "-g:x", "-cf", "-cf:c"]), ("m5", ["-cf", "-cf"])):
        t.put(row, 5, *specs)
        t.raw(row, "cf")
        t.raw(row, "g")
    t.put("n", 5, {"column": "cf:a", "isDelete": True, "value": "not looked at"})
    t.raw("n", "cf")
    fill("o")
    t.put_now("o", "-cf:a", "-g")
    show("o")


@scenario("t1data-mutaterow-puts-with-deletes")
def mutaterow_puts_with_deletes(j):
    t = Table(j, {"cf": 9, "g": 9}, keep=True)
    for row, specs in (("a", ["cf:a=1", "-cf:a"]), ("b", ["-cf:a", "cf:a=1"]), ("c", ["cf:a=1", "-cf:a", "cf:a=2"]),
                       ("d", ["-cf", "cf:a=1", "g:x=1"]), ("e", ["-cf:b", "cf:a=1"]), ("f", ["cf:a=1", "-g:x", "g:x=2", "cf:b=3"])):
        t.put(row, 3, "cf:a=before", "cf:b=before", "g:x=before")
        t.put(row, 5, *specs)
        t.row(row)
        t.raw(row, "cf")
    j.note("a put newer than the marker is seen, an older or equal one never")
    t.put("g", 5, "-cf:a")
    for ts in (4, 5, 6):
        t.put("g", ts, f"cf:a={ts}")
        t.row("g")
    t.put("h", 5, "-cf")
    for ts in (4, 5, 6):
        t.put("h", ts, f"cf:a={ts}", f"g:x={ts}")
        t.row("h")
    t.put("i", FAR, "-cf:a")
    t.put_now("i", "cf:a=hidden", "cf:b=seen")
    t.row("i")
    t.row_ts("i", FAR)
    t.put_now("j", "cf:a=1", "cf:b=2")
    t.tick()
    t.put_now("j", "-cf:a", "cf:c=3")
    t.row("j")
    t.tick()
    t.put_now("j", "cf:a=again", "-cf:b")
    t.row("j")


@scenario("t1data-mutaterow-odd-columns")
def mutaterow_odd_columns(j):
    t = Table(j)
    t.put("r", 5, "cf:keep=1")
    for specs in ([{}], [{"value": "x"}], [{"isDelete": True}], ["cf=z"], ["nocolon=z"], ["=z"], [":=z"], [":q=z"], ["no:q=z"],
                  ["-no"], ["-no:q"], ["-"], ["-:"], ["-:q"], ["cf:ok=1", "no:q=2"], ["cf:ok=1", "cf=2"], ["cf:ok=1", {}],
                  ["cf:ok=1", ":q=2"], ["-cf:keep", {}], ["-cf:keep", ":q=2"]):
        t.put("r", 10, *specs)
        t.row("r")
    j.note("the delete went first and stays, though the put failed")
    t.put("r", 10, "no:q=2", "-cf:keep")
    t.row("r")
    t.put("s", 5, "cf:keep=1")
    t.put("s", 10, "cf:new=1", "-no:q")
    t.row("s")


@scenario("t1data-mutaterow-arguments")
def mutaterow_arguments(j):
    t = Table(j)
    put = [mutation("cf:a=1")]
    missing = j.table("missing")
    for table in (missing, "bad!", "", "nospace_" + j.table() + ":t"):
        for mutations in ([], put, [mutation("cf=1")], [mutation("-cf:a")]):
            t.x.mutateRow(tableName=table, row="r", mutations=mutations, attributes={})
    for row in ("", "x" * (ROW_LIMIT + 1)):
        for mutations in ([], put):
            t.x.mutateRow(tableName=t.t, row=row, mutations=mutations, attributes={})
    for ts in (-1, MIN):
        for mutations in ([], put, [mutation("-cf")], [mutation("-cf:a")]):
            t.put("r", ts, *mutations)
    t.x.mutateRow(row="r", mutations=put, attributes={})
    t.x.mutateRow(tableName=t.t, mutations=put, attributes={})
    t.x.mutateRow(tableName=t.t, row="r", attributes={})
    t.x.mutateRowTs(tableName=t.t, row="r", timestamp=-1, attributes={})
    t.x.mutateRowTs(tableName=missing, row="", mutations=put, timestamp=-1, attributes={})
    t.x.mutateRowTs(tableName="bad!", row="", mutations=put, timestamp=-1, attributes={})
    t.x.mutateRowTs(tableName="default:" + t.t, row="r", mutations=put, timestamp=7, attributes={})
    t.row("r")


@scenario("t1data-timestamps-of-writes")
def timestamps_of_writes(j):
    t = Table(j)
    for ts in (0, 1, 2 ** 31, 2 ** 32, FAR, MAX - 1):
        t.put("a", ts, f"cf:a={ts}")
        t.row("a")
    t.ver("a", "cf:a", 9)
    t.row_ts("a", MAX)
    t.row_ts("a", MAX - 1)
    t.row_ts("a", FAR)
    j.note("the highest timestamp means: now")
    t.put("b", MAX, "cf:a=1")
    t.row("b")
    t.batch(MAX, ("b", "cf:b=2"))
    t.row("b")
    t.delete("b", "cf:a", MAX)
    t.row("b")
    t.put("b", FAR, "cf:f=future")
    t.delete_row("b", MAX)
    t.row("b")
    t.delete_row("b", FAR)
    t.row("b")
    t.put("c", 0, "cf:a=0")
    t.delete("c", "cf:a", 0)
    t.row("c")
    t.put("c", 1, "cf:a=1")
    t.row("c")
    t.put_now("d", "cf:a=1")
    t.tick()
    t.put_now("d", "cf:a=2")
    t.tick()
    t.put_now("d", "cf:a=3")
    t.ver("d", "cf:a", 9)
    t.put("d", 5, "cf:a=old")
    t.row("d")
    t.ver("d", "cf:a", 9)


# ---------------------------------------------------------------- mutateRows

@scenario("t1data-mutaterows-order")
def mutaterows_order(j):
    t = Table(j, {"cf": 9, "g": 9}, keep=True)
    t.batch(5, ("a", "cf:a=1", "cf:b=1"), ("b", "cf:a=2"), ("c", "cf:a=3", "g:x=4"))
    t.rows(["a", "b", "c"])
    j.note("all puts go before all deletes, whatever the order asked for")
    t.batch(6, ("a", "-cf:a", "cf:a=6"), ("b", "cf:a=6", "-cf:a"), ("c", "-cf", "g:x=6", "cf:n=6"))
    t.rows(["a", "b", "c"])
    t.raw("c", "cf")
    t.batch(5, ("h", "cf:a=1", "-cf:a", "cf:a=2"))
    t.row("h")
    t.raw("h", "cf")
    j.note("one row named several times")
    t.batch(5, ("i", "cf:a=1"), ("i", "cf:a=2"), ("i", "cf:b=1"))
    t.row("i")
    t.batch(5, ("j", "cf:a=1"), ("j", "-cf:a"), ("j", "cf:b=2"), ("j", "-cf:b", "cf:c=3"))
    t.row("j")
    t.raw("j", "cf")
    t.batch(5, ("k", "-cf:a", "-cf"), ("k2", "-cf", "-cf:a"), ("k3", "-cf:a"), ("k3", "-cf"))
    for row in ("k", "k2", "k3"):
        t.raw(row, "cf")
    t.batch(5, ("l",), ("m", "cf:a=1"), ("n",))
    t.rows(["l", "m", "n"])
    t.batch(5)
    t.batch_now()
    t.batch_now(("o", "cf:a=1"), ("p", "cf:a=2", "g:x=3"))
    t.rows(["o", "p"])
    t.tick()
    t.batch_now(("o", "-cf:a", "cf:b=1"), ("p", "-cf", "g:x=4"))
    t.rows(["o", "p"])
    j.note("put and delete of one column at server time: the delete comes last")
    t.batch_now(("q", "-cf:a", "cf:a=1", "cf:b=2"))
    t.row("q")
    t.x.mutateRowsTs(tableName=t.t, rowBatches=[{"row": "s", "mutations": [mutation("cf:a=no timestamp")]}])
    t.row("s")
    t.batch(7, ("u", {"column": "cf:a", "value": "1", "writeToWAL": False}, {"column": "cf:b"}), attributes={"x": "y"})
    t.row("u")


@scenario("t1data-mutaterows-bad-input")
def mutaterows_bad_input(j):
    t = Table(j)
    good = ("good", "cf:a=1")
    for bad in (("",), ("", "cf:a=1"), ("x" * (ROW_LIMIT + 1), "cf:a=1"), ("r", {}), ("r", {"value": "x"}), ("r", {"isDelete": True}),
                ("r", "cf=1"), ("r", "=1"), ("r", ":=1"), ("r", ":q=1"), ("r", "cf:ok=1", "cf=2")):
        t.batch(5, good, bad)
        t.row("good")
    t.batch(-1, good)
    t.batch(MIN, good)
    t.batch(-1, ("r",))
    t.batch(-1)
    for batches in ([{"mutations": [mutation("cf:a=1")]}], [{"row": "r"}], [{}]):
        t.x.mutateRowsTs(tableName=t.t, rowBatches=batches, timestamp=5, attributes={})
    t.x.mutateRows(tableName=t.t, attributes={})
    one = [{"row": "r", "mutations": [mutation("cf:a=1")]}]
    two = one + [{"row": "s", "mutations": [mutation("cf:a=1")]}]
    gone = [{"row": "r", "mutations": [mutation("-cf:a")]}]
    for table in (j.table("missing"), "bad!", "", "nospace_" + j.table() + ":t"):
        for batches in ([], [{"row": "r", "mutations": []}], one, two, gone):
            t.x.mutateRows(tableName=table, rowBatches=batches, attributes={})
    t.x.mutateRows(rowBatches=one, attributes={})
    t.x.mutateRowsTs(tableName="bad!", rowBatches=one, timestamp=-1, attributes={})
    t.x.mutateRowsTs(tableName="default:" + t.t, rowBatches=one, timestamp=4, attributes={})
    t.row("r")


@scenario("t1data-mutaterows-partly")
def mutaterows_partly(j):
    t = Table(j)
    t.put("r", 1, "cf:old=1")
    t.batch(5, ("a", "cf:a=1"), ("b", "no:a=1"), ("c", "cf:a=1"), ("r", "-cf:old"))
    t.rows(["a", "b", "c", "r"])
    t.batch(6, ("a", "-cf:a"), ("b", "-no:a"), ("c", "cf:c=2", "-cf:a"))
    t.rows(["a", "b", "c"])
    t.batch(7, ("d", "cf:a=1", "no:a=1"), ("e", "no1:a=1"), ("f", "no2:a=1", "cf:a=1"), ("g", "cf:a=1"))
    t.rows(["d", "e", "f", "g"])
    t.batch(7, ("d", "-cf:a", "-no"), ("g", "-no:a", "-cf:a"))
    t.rows(["d", "g"])
    t.batch(8, ("h", "no:a=1"))
    t.batch(8, ("h", "-no:a"))
    t.batch(8, ("h", "-no"), ("h", "cf:a=1"))
    t.row("h")
    j.note("an empty family name in a batch of deletes")
    t.batch(8, ("h", "-:q"), ("h", "-cf:a"))
    t.row("h")


# ---------------------------------------------------------------- deleteAll…

@scenario("t1data-deleteall")
def deleteall(j):
    t = Table(j, {"cf": 5, "g": 1})

    def fill(row):
        for ts in (1, 2, 3):
            t.put(row, ts, f"cf:a={ts}", f"cf:b={ts}", f"cf:={ts}", f"g:x={ts}")

    def show(row):
        t.ver(row, "cf", 9)
        t.ver(row, "g", 9)

    for row, column, ts in (("a", "cf:a", None), ("b", "cf", None), ("c", "cf:", None), ("d", "cf:a", 2), ("e", "cf", 2),
                            ("f", "cf:", 2), ("g", "cf:a", 0), ("h", "cf:zz", 9), ("i", "g:x", 2), ("k", "g", 3),
                            ("l", "cf:a", FAR), ("m", "cf", MAX)):
        fill(row)
        t.delete(row, column, ts)
        show(row)
    t.delete("l", "cf:b", 1)
    show("l")
    t.put_now("l", "cf:a=hidden by a future marker")
    t.row("l")
    t.put("l", FAR + 1, "cf:a=later still")
    t.row("l")
    t.delete("absent", "cf:a")
    t.delete("absent", "cf", 5)
    t.raw("absent", "cf")
    t.put("future", FAR, "cf:a=1")
    t.delete("future", "cf:a")
    t.row("future")
    t.put_now("now", "cf:a=1")
    t.tick()
    t.delete("now", "cf:a", attributes={"x": "y"})
    t.row("now")
    t.tick()
    t.put_now("now", "cf:a=2")
    t.row("now")
    for column in ("", ":", ":a", "no", "no:", "no:a"):
        t.delete("a", column)
        t.delete("a", column, 5)
    t.delete("", "cf")
    t.delete("x" * (ROW_LIMIT + 1), "cf")
    t.delete("a", "cf:a", -1)
    t.delete("a", "cf", MIN)
    t.x.deleteAllTs(tableName=t.t, row="a", column="cf", attributes={})
    t.x.deleteAll(tableName=t.t, row="a", attributes={})
    t.x.deleteAll(tableName=t.t, column="cf", attributes={})
    t.x.deleteAll(tableName=t.t, row="zz", column="cf")
    for table in (j.table("missing"), "bad!", ""):
        t.x.deleteAll(tableName=table, row="a", column="cf:a", attributes={})
        t.x.deleteAllTs(tableName=table, row="a", column="cf:a", timestamp=-1, attributes={})
    t.row("a")


@scenario("t1data-deleteallrow")
def deleteallrow(j):
    t = Table(j, {"cf": 5, "g": 5}, keep=True)
    for row in ("a", "b", "c", "d", "e", "a\x00"):
        for ts in (1, 2, 3):
            t.put(row, ts, f"cf:a={ts}", f"cf:b={ts}", f"g:x={ts}")
    t.delete_row("a")
    t.delete_row("b", 2)
    t.delete_row("c", 3)
    t.delete_row("d", 0)
    t.delete_row("e", FAR, {"x": "y"})
    t.rows(["a", "b", "c", "d", "e", "a\x00"])
    t.ver("b", "cf", 9)
    t.raw("b", "cf")
    t.raw("b", "g")
    t.put("a", 5, "cf:a=under the marker")
    t.row("a")
    t.put("a", FAR, "cf:a=over the marker")
    t.row("a")
    t.put_now("e", "cf:a=1")
    t.row("e")
    t.put("c", 3, "cf:a=3 again", "g:x=3 again")
    t.row("c")
    t.put("c", 4, "cf:a=4")
    t.row("c")
    t.delete_row("never")
    t.delete_row("never", 5)
    t.raw("never", "g")
    t.delete_row("d", MAX)
    t.row("d")
    t.delete_row("")
    t.delete_row("x" * (ROW_LIMIT + 1))
    t.delete_row("a", -1)
    t.delete_row("a", MIN)
    t.x.deleteAllRow(tableName=t.t, attributes={})
    t.x.deleteAllRow(tableName=t.t, row="zz")
    t.x.deleteAllRowTs(tableName=t.t, row="b", attributes={})
    for table in (j.table("missing"), "bad!", ""):
        t.x.deleteAllRow(tableName=table, row="a", attributes={})
        t.x.deleteAllRowTs(tableName=table, row="a", timestamp=3, attributes={})
    t.row("b")


@scenario("t1data-excess-versions")
def excess_versions(j):
    t = Table(j, {"one": 1, "two": 2})
    for ts in (1, 4, 2, 3):
        t.put("r", ts, f"one:a={ts}", f"two:a={ts}")
        t.ver("r", "one:a", 9)
        t.ver("r", "two:a", 9)
    t.row("r")
    for ts in (2, 3, 4):
        t.delete("r", "two:a", ts)
        t.ver("r", "two:a", 9)
    t.delete("r", "one:a", 3)
    t.row("r")
    t.put("r", 4, "one:a=4 again")
    t.put("r", 3, "one:a=3 again")
    t.ver("r", "one:a", 9)
    t.delete("r", "one:a", 4)
    t.ver("r", "one:a", 9)
    t.put("r", 5, "one:a=5", "two:a=5")
    t.put("r", 4, "one:a=4", "two:a=4")
    t.ver("r", "one:a", 9)
    t.ver("r", "two:a", 9)
    for ts in (6, 7, 8):
        t.put("r", ts, f"one:a={ts}", f"two:a={ts}")
    t.ver("r", "two", 9)
    t.row_ts("r", 9)


# ---------------------------------------------------------------- increments

@scenario("t1data-atomicincrement")
def atomicincrement(j):
    t = Table(j)
    for amount in (5, -7, 0, 1, MAX, MIN, -1):
        t.add("r", "cf:n", amount)
    t.add("r", "cf:", 1)
    t.add("r", "cf", 1)
    t.add("r", "cf:a:b", 3)
    t.add("zero", "cf:n", 0)
    t.row("zero")
    t.row("r")
    t.ver("r", "cf:n", 9)
    t.x.atomicIncrement(tableName=t.t, row="r", column="cf:n")
    t.put("w", 5, {"column": "cf:n", "value": long(41)}, {"column": "cf:max", "value": long(MAX)},
          {"column": "cf:min", "value": long(MIN)}, {"column": "g:n", "value": long(-1)})
    t.add("w", "cf:n", 1)
    t.add("w", "cf:max", 1)
    t.add("w", "cf:max", MAX)
    t.add("w", "cf:min", -1)
    t.add("w", "g:n", 1)
    t.add("w", "g:n", 1)
    t.ver("w", "cf:n", 9)
    t.ver("w", "g:n", 9)
    t.row("w")
    t.cols_ts("w", ["cf"], 6)
    j.note("a cell of the future pushes the timestamp on by one")
    t.put("f", FAR, {"column": "cf:n", "value": long(1)})
    t.add("f", "cf:n", 1)
    t.add("f", "cf:n", 1)
    t.ver("f", "cf:n", 9)
    j.note("deleted counters begin again at zero")
    t.delete("w", "cf:n")
    t.tick()
    t.row_ts("w", FAR)
    t.add("w", "cf:n", 2)
    t.get("w", "cf:n")
    t.delete_row("f", FAR)
    t.ver("f", "cf:n", 9)
    t.delete_row("f", FAR + 5)
    t.add("f", "cf:n", 2)
    t.get("f", "cf:n")


@scenario("t1data-atomicincrement-errors")
def atomicincrement_errors(j):
    t = Table(j)
    t.put("w", 5, *[{"column": f"cf:{n}", "value": "\x01" * n} for n in (0, 1, 3, 4, 7, 8, 9, 16)])
    for n in (0, 1, 3, 4, 7, 8, 9, 16):
        t.add("w", f"cf:{n}", 1)
        t.inc("w", f"cf:{n}", 1)
    t.row_ts("w", 6)
    t.put("w", 6, {"column": "cf:3", "value": long(1)})
    t.add("w", "cf:3", 1)
    for column in ("no", "no:", "no:n"):
        t.add("r", column, 1)
    for table in (j.table("missing"), "bad!", ""):
        t.x.atomicIncrement(tableName=table, row="r", column="cf:n", value=1)
    t.x.atomicIncrement(row="r", column="cf:n", value=1)
    t.x.atomicIncrement(tableName=t.t, column="cf:n", value=1)
    t.x.atomicIncrement(tableName=t.t, row="r", value=1)
    j.note("refused only after the request was sent and tried again several times")
    t.add("", "cf:n", 1)
    t.add("x" * (ROW_LIMIT + 1), "cf:n", 1)
    t.add("r", "", 1)
    t.add("r", ":n", 1)
    t.row("r")


@scenario("t1data-increment-and-incrementrows")
def increment_and_incrementrows(j):
    t = Table(j)
    t.inc("r", "cf:n", 5)
    t.inc("r", "cf:n", -2)
    t.inc("r", "cf:", 1)
    t.inc("r", "cf:a:b", 1)
    t.inc("r", "g:n", 0)
    t.row("r")
    t.x.increment(increment={"table": t.t, "row": "r", "column": "cf:n"})
    t.incs(("r", "cf:n", 1), ("s", "cf:n", 2), ("r", "cf:n", 3), ("s", "g:n", 4), ("r", "cf:n", MAX), ("r", "cf:n", MAX))
    t.rows(["r", "s"])
    t.ver("r", "cf:n", 9)
    t.incs()
    t.x.incrementRows()
    t.x.increment()
    t.x.increment(increment={})
    for column in ("cf", "", "no", "no:n"):
        t.inc("r", column, 1)
    j.note("the rows before the bad one stay, those after it are not done")
    for bad in (("u", "no:n", 1), ("u", "cf", 1), ("", "cf:n", 1), ("u", "cf:text", 1), ("u", "cf:n", 0)):
        t.put("u", 5, "cf:text=abc")
        t.incs(("u", "cf:n", 1), bad, ("u", "cf:m", 1))
        t.cols("u", ["cf:n", "cf:m"])
    full = {"table": t.t, "row": "r", "column": "cf:n", "ammount": 1}
    for name in ("table", "row", "column"):
        less = {k: v for k, v in full.items() if k != name}
        t.x.increment(increment=less)
        t.x.incrementRows(increments=[less])
        t.x.increment(increment={**full, name: ""})
    t.inc("x" * (ROW_LIMIT + 1), "cf:n", 1)
    for table in (j.table("missing"), "bad!"):
        t.x.increment(increment={**full, "table": table})
        t.x.incrementRows(increments=[full, {**full, "table": table}, full])
    t.x.increment(increment={**full, "table": "default:" + t.t})
    t.inc("r", ":n", 1)
    t.row("r")


# ---------------------------------------------------------------- append

@scenario("t1data-append")
def append(j):
    t = Table(j)
    t.append("r", ["cf:a"], ["x"])
    t.append("r", ["cf:a"], ["y"])
    t.append("r", ["cf:a"], [""])
    t.append("r", ["cf:empty"], [""])
    t.append("r", ["cf:b", "cf:a"], ["1", "2"])
    t.append("r", ["g:z", "cf:z", "cf:", "cf:y:z"], ["1", "2", "3", "4"])
    t.append("r", ["g:z", "cf:z", "cf:", "cf:y:z"], ["\x00", "\xff", "", "4"])
    t.row("r")
    t.ver("r", "cf:a", 9)
    t.ver("r", "g:z", 9)
    j.note("one column twice: each grows from the value before the call, the last one stays")
    t.append("d", ["cf:a"], ["base"])
    t.append("d", ["cf:a", "cf:a"], ["P", "Q"])
    t.row("d")
    t.ver("d", "cf:a", 9)
    t.append("d", ["cf:b", "cf:a", "cf:b"], ["1", "2", "3"])
    t.row("d")
    t.put("p", 5, "cf:a=five", "cf:b=b")
    t.append("p", ["cf:a"], ["+"])
    t.ver("p", "cf:a", 9)
    t.row_ts("p", 6)
    t.put("f", FAR, "cf:a=far")
    t.append("f", ["cf:a", "cf:new"], ["+", "+"])
    t.append("f", ["cf:a"], ["+"])
    t.ver("f", "cf", 9)
    t.delete("f", "cf:a", FAR + 9)
    t.append("f", ["cf:a"], ["hidden"])
    t.row("f")
    t.append("n", ["cf:n"], [long(7)])
    t.add("n", "cf:n", 1)
    t.append("n", ["cf:n"], ["!"])
    t.add("n", "cf:n", 1)
    t.append("big", ["cf:a"], ["v" * 3000])
    t.append("big", ["cf:a"], ["w" * 10])


@scenario("t1data-append-errors")
def append_errors(j):
    t = Table(j)
    t.append("r", ["cf:a"], ["x"])
    for columns, values in (([], []), (["cf:a"], []), ([], ["x"]), (["cf:a", "cf:b"], ["x"]), (["cf:a"], ["x", "y"]), (["cf"], ["x"]),
                            ([""], ["x"]), ([":"], ["x"]), ([":a"], ["x"]), (["no:a"], ["x"]), (["cf:q", "no:a"], ["x", "y"]),
                            (["cf:q", "cf"], ["x", "y"])):
        t.append("r", columns, values)
    t.row("r")
    full = {"table": t.t, "row": "r", "columns": ["cf:a"], "values": ["x"]}
    for name in full:
        t.x.append(append={k: v for k, v in full.items() if k != name})
    t.x.append(append={**full, "row": ""})
    t.x.append(append={**full, "row": "x" * (ROW_LIMIT + 1)})
    for table in ("", "bad!", j.table("missing")):
        t.x.append(append={**full, "table": table})
    t.x.append(append={})
    t.x.append()
    t.x.append(append={**full, "table": "default:" + t.t})
    t.row("r")


# ---------------------------------------------------------------- checkAndPut

@scenario("t1data-checkandput")
def checkandput(j):
    t = Table(j)
    t.put("r", 5, "cf:a=A", "cf:empty=", "cf:=q", "g:x=X")
    for column, value in (("cf:a", None), ("cf:a", ""), ("cf:a", "A"), ("cf:a", "a"), ("cf:a", "AA"), ("cf:a", "A\x00"),
                          ("cf:zz", None), ("cf:zz", ""), ("cf:zz", "A"), ("cf:empty", None), ("cf:empty", ""),
                          ("cf:empty", "A"), ("cf:", "q"), ("cf:", None), ("g:x", "X"), ("g:x", "A"), ("g:", None)):
        t.check("r", column, value, f"cf:out={column}/{value}")
        t.get("r", "cf:out")
    j.note("the put itself")
    for put in ("cf:=1", "cf:b:c=2", "g:y=3", {"column": "cf:unset"}, {"column": "cf:d", "value": "4", "isDelete": True},
                {"column": "cf:e", "value": "5", "writeToWAL": False}):
        t.check("r", "cf:a", "A", put)
    t.row("r")
    t.check("r", "cf:a", "A", "cf:a=B")
    t.check("r", "cf:a", "A", "cf:a=C")
    t.check("r", "cf:a", "B", "cf:a=D")
    t.get("r", "cf:a")
    t.check("new", "cf:a", None, "cf:a=first")
    t.check("new", "cf:a", None, "cf:a=second")
    t.check("new2", "cf:a", "", "cf:b=1")
    t.check("new2", "cf:a", "", "cf:a=2")
    t.check("new2", "cf:a", "", "cf:a=3")
    t.check("new3", "cf:a", "x", "cf:a=1")
    t.rows(["new", "new2", "new3"])
    j.note("only the newest version counts; a deleted cell is absent")
    t.put("v", 5, "cf:a=five")
    t.put("v", 6, "cf:a=six")
    t.check("v", "cf:a", "five", "cf:b=no")
    t.check("v", "cf:a", "six", "cf:b=yes")
    t.delete("v", "cf:a", 6)
    t.check("v", "cf:a", "six", "cf:b=no")
    t.check("v", "cf:a", None, "cf:b=gone")
    t.row("v")
    j.note("the put takes the timestamp of the checked cell when that lies ahead")
    t.put("f", FAR, "cf:a=A")
    t.check("f", "cf:a", "A", "cf:b=p")
    t.check("f", "cf:a", "A", "cf:a=p")
    t.ver("f", "cf", 9)
    t.put("f2", FAR, "cf:z=A")
    t.check("f2", "cf:a", None, "cf:z=hidden")
    t.ver("f2", "cf", 9)


@scenario("t1data-checkandput-errors")
def checkandput_errors(j):
    t = Table(j)
    t.put("r", 5, "cf:a=A")
    for column in ("cf", "no", "no:a", "", ":", ":a"):
        t.check("r", column, "A", "cf:b=1")
        t.check("r", column, None, "cf:b=1")
    for put in (None, {}, {"value": "p"}, "cf=1", "=1", ":=1", ":b=1", "no:b=1", "no=1"):
        t.check("r", "cf:a", "A", put)
        t.check("r", "cf:a", "other", put)
    t.row("r")
    put = mutation("cf:b=1")
    for table in (j.table("missing"), "bad!", ""):
        t.x.checkAndPut(tableName=table, row="r", column="cf:a", value="A", mput=put, attributes={})
        t.x.checkAndPut(tableName=table, row="", column="cf", value="A", mput={"column": "cf"}, attributes={})
    t.x.checkAndPut(row="r", column="cf:a", value="A", mput=put, attributes={})
    t.x.checkAndPut(tableName=t.t, column="cf:a", value="A", mput=put, attributes={})
    t.x.checkAndPut(tableName=t.t, row="r", value="A", mput=put, attributes={})
    t.x.checkAndPut(tableName=t.t, row="r", column="cf:a", value="A", mput=put)
    t.check("", "cf:a", "A", "cf:b=1")
    t.check("x" * (ROW_LIMIT + 1), "cf:a", "A", "cf:b=1")
    t.check("", "cf", "A", "cf:b=1")
    t.row("r")


# ---------------------------------------------------------------- table states and shapes

@scenario("t1data-disabled-table")
def disabled_table(j):
    t = Table(j)
    t.put("r", 5, "cf:a=1")
    t.x.isTableEnabled(tableName=t.t)
    t.x.disableTable(tableName=t.t)
    t.x.isTableEnabled(tableName=t.t)
    t.get("r", "cf:a")
    t.row("r")
    t.rows(["r"])
    t.rows(["r", "s"])
    t.rows([])
    t.put("r", 6, "cf:a=2")
    t.put("r", 6, "cf=2")
    t.put("r", 6)
    t.batch(6, ("r", "cf:a=2"))
    t.batch(6)
    t.delete("r", "cf:a")
    t.delete_row("r", 9)
    t.add("r", "cf:n", 1)
    t.inc("r", "cf:n", 1)
    t.append("r", ["cf:a"], ["x"])
    t.check("r", "cf:a", "1", "cf:a=2")
    t.row_ts("r", -1)
    t.put("r", -1, "cf:a=1")
    t.ver("r", "cf:a", 0)
    t.x.enableTable(tableName=t.t)
    t.row("r")
    t.put("r", 6, "cf:a=2")
    t.row("r")


@scenario("t1data-many-regions")
def many_regions(j):
    t = Table.__new__(Table)
    t.j, t.t, t.x = j, j.table(), j.t1
    j.t2.createTable(desc={"tableName": {"ns": "default", "qualifier": t.t}, "columns": [{"name": "cf", "maxVersions": 3}]},
                     splitKeys=["g", "p"])
    rows = ["z", "p", "a", "g", "f\xff", "g\x00", "o"]
    t.batch(5, *[(r, f"cf:a={r}") for r in rows])
    t.rows(["o", "g", "zz", "a", "z", "f\xff", "g\x00", "p", "a"])
    t.batch(6, ("z", "cf:b=1"), ("p", "no:b=1"), ("a", "no:b=1"), ("g", "cf:b=1"), ("o", "no2:b=1"), ("a", "cf:b=1"))
    t.rows_cols(["a", "g", "o", "p", "z"], ["cf:b"])
    t.rows_cols(["a", "z"], ["no:b"])
    t.rows_cols(["g"], ["no:b"])
    t.batch(7, ("z", "-cf:a"), ("a", "-cf", "cf:b=2"), ("p", "cf:c=3"))
    t.rows(sorted(rows))
    t.incs(("z", "cf:n", 1), ("a", "cf:n", 2), ("m", "cf:n", 3), ("z", "cf:n", 4))
    t.rows_cols(["a", "m", "z"], ["cf:n"])
    t.append("m", ["cf:s"], ["x"])
    t.check("p", "cf:a", "p", "cf:a=changed")
    t.delete_row("o", 9)
    t.rows_ts(sorted(rows), 7)


@scenario("t1data-namespace-table")
def namespace_table(j):
    t = Table.__new__(Table)
    space = j.scope + "ns"
    j.t2.createNamespace(namespaceDesc={"name": space})
    t.j, t.t, t.x = j, space + ":" + j.table(), j.t1
    t.x.createTable(tableName=t.t, columnFamilies=[{"name": "cf:"}])
    t.x.getTableNames()
    t.put("r", 5, "cf:a=1")
    t.row("r")
    t.x.getRow(tableName=j.table(), row="r", attributes={})
    t.x.getRow(tableName="default:" + j.table(), row="r", attributes={})
    t.add("r", "cf:n", 3)
    t.inc("r", "cf:n", 3)
    t.append("r", ["cf:s"], ["x"])
    t.batch(6, ("r", "cf:b=2"), ("s", "cf:b=3"))
    t.rows(["r", "s"])
    t.check("r", "cf:a", "1", "cf:a=2")
    t.delete_row("s", 6)
    t.rows(["r", "s"])
    t.x.isTableEnabled(tableName=t.t)
    t.x.disableTable(tableName=t.t)
    t.x.deleteTable(tableName=t.t)
    t.row("r")


@scenario("t1data-as-client-libraries-do")
def as_client_libraries_do(j):
    t = Table(j, {"cf1": 3, "cf2": 1})
    wal = lambda column, value: {"isDelete": False, "column": column, "value": value, "writeToWAL": True}
    gone = lambda column: {"isDelete": True, "column": column, "writeToWAL": True}
    for i in range(5):
        t.batch_now((f"row{i}", wal("cf1:col1", f"v{i}"), wal("cf1:col2", f"w{i}"), wal("cf2:x", f"x{i}")))
    t.rows([f"row{i}" for i in range(5)])
    t.rows_cols(["row3", "row1"], ["cf1:col1", "cf2"])
    t.batch(123, ("row0", wal("cf1:col1", "at 123")))
    t.ver("row0", "cf1:col1", 5)
    t.ver_ts("row0", "cf1:col1", 124, 5)
    t.tick()
    t.batch_now(("row0", gone("cf1:col1")), ("row1", gone("cf1")), ("row2", gone("cf1"), gone("cf2")))
    t.rows(["row0", "row1", "row2"])
    j.note("a counter is read by adding nothing")
    t.add("row4", "cf1:counter", 0)
    t.add("row4", "cf1:counter", 10)
    t.add("row4", "cf1:counter", -3)
    t.add("row4", "cf1:counter", 0)
    t.tick()
    t.put("row4", MAX, {"column": "cf1:counter", "value": long(100)})
    t.add("row4", "cf1:counter", 0)
    t.batch_now(("row5", *[wal(f"cf1:c{i}", str(i)) for i in range(20)]))
    t.row("row5")
    t.cols("row5", ["cf1:c1", "cf1:c19", "cf1:none"])
    t.delete_row("row3")
    t.rows(["row3", "row4"])


# ---------------------------------------------------------------- random calls

def random_calls(j, count, bounded):
    """Calls drawn over a small space of rows, columns and timestamps. Increments, appends and checkAndPut keep to
    columns of their own, since the values they meet must not depend on the clock. bounded: reads with upper bounds as
    well, on families that keep more versions than there are timestamps; otherwise families that keep few."""
    r = j.rng
    t = Table(j, {"a": 90, "b": 50, "c": 70, "k": 1} if bounded else {"a": 3, "b": 1, "c": 5, "k": 1})
    rows = ["r0", "r1", "r2", "r3"]

    def column(odd=True):
        roll = r.random()
        if odd and roll < 0.03:
            return r.choice(["no:x", "no", "A:x"])
        if roll < 0.15:
            return r.choice("abc")
        return r.choice("abc") + ":" + r.choice(["", "x", "y", "y:z", "n", "s"])

    def full_column():
        return r.choice("abc") + ":" + r.choice(["", "x", "y", "y:z"])

    def stamp(bad=True):
        roll = r.random()
        if bad and roll < 0.02:
            return r.choice([-1, MIN])
        return FAR + r.randrange(3) if roll < 0.08 else 0 if roll < 0.12 else r.randrange(1, 10)

    def bound():
        return r.choice([stamp(), stamp(), stamp() + 1, 10, MAX, FAR, FAR + 2])

    def value():
        return r.choice(["", "v", "w", "longer value", "\x00\xff", long(3), long(-3)])

    def specs():
        out = []
        for _ in range(r.choice([1, 1, 1, 2, 2, 3, 4])):
            if r.random() < 0.25:
                out.append({"column": column(), "isDelete": True, **({"writeToWAL": False} if r.random() < 0.1 else {})})
            else:
                c = full_column() if r.random() < 0.96 else r.choice(["a", "no:x", "b"])
                out.append({"column": c, "value": value(), **({"writeToWAL": False} if r.random() < 0.1 else {})})
        return out if r.random() < 0.98 else []

    def columns():
        return [column() for _ in range(r.choice([0, 1, 1, 2, 2, 3, 4]))]

    def row_list():
        return [r.choice(rows + ["none"]) for _ in range(r.choice([0, 1, 2, 2, 3, 4]))]

    def append():
        many = r.choice([1, 1, 2, 3])
        t.append(r.choice(rows), [r.choice(["a:s", "b:s", "c:s"]) for _ in range(many)], [value() for _ in range(many)])

    ops = [
        (10, lambda: t.put(r.choice(rows), stamp(), *specs())),
        (8, lambda: t.batch(stamp(), *[(r.choice(rows), *specs()) for _ in range(r.choice([0, 1, 2, 3]))])),
        (3, lambda: t.delete(r.choice(rows), column(), stamp())),
        (2, lambda: t.delete_row(r.choice(rows), stamp())),
        (2, lambda: t.add(r.choice(rows), r.choice(["a:n", "b:n", "c:n"]), r.choice([0, 1, -5, MAX]))),
        (1, lambda: t.inc(r.choice(rows), r.choice(["a:n", "b:n", "c:n", "a", "no:n", "a:s"]), r.randrange(-3, 4))),
        (2, append),
        (2, lambda: t.check(r.choice(rows), "k:" + r.choice("xy"), r.choice([None, value()]), {"column": "k:" + r.choice("xy"), "value": value()})),
        (1, lambda: t.check(r.choice(rows), full_column(), value(), {"column": "no:x", "value": "never"})),
        (3, lambda: t.get(r.choice(rows), column())),
        (4, lambda: t.ver(r.choice(rows), column(), r.choice([1, 2, 3, 9, 0]))),
        (4, lambda: t.row(r.choice(rows))),
        (4, lambda: t.cols(r.choice(rows), columns())),
        (2, lambda: t.rows(row_list())),
        (2, lambda: t.rows_cols(row_list(), columns())),
    ]
    if bounded:
        ops += [
            (5, lambda: t.ver_ts(r.choice(rows), column(), bound(), r.choice([1, 2, 3, 9]))),
            (5, lambda: t.row_ts(r.choice(rows), bound())),
            (4, lambda: t.cols_ts(r.choice(rows), columns(), bound())),
            (3, lambda: t.rows_ts(row_list(), bound())),
            (3, lambda: t.rows_cols_ts(row_list(), columns(), bound())),
        ]
    weighted = [op for weight, op in ops for _ in range(weight)]
    for _ in range(count):
        r.choice(weighted)()
    t.rows(rows)
    for row in rows:
        for family in "abck":
            t.ver(row, family, 9)


@scenario("t1data-random-one")
def random_one(j):
    random_calls(j, 300, bounded=True)


@scenario("t1data-random-two")
def random_two(j):
    random_calls(j, 300, bounded=False)


def random_row(j, count, keep):
    """Puts and deletes of a single row, each followed by reads and, with keep, by raw reads."""
    r = j.rng
    t = Table(j, {"a": 90, "b": 90}, keep=keep)
    for _ in range(count):
        ts = r.randrange(0, 8)
        for_column = lambda: r.choice("ab") + ":" + r.choice(["", "x", "y"])
        roll = r.random()
        if roll < 0.5:
            t.put("r", ts, *[{"column": for_column(), "value": f"{ts}.{r.randrange(100)}"} for _ in range(r.randrange(1, 4))])
        elif roll < 0.6:
            t.put("r", ts, *[{"column": r.choice([for_column(), r.choice("ab")]), "isDelete": True} for _ in range(r.randrange(1, 4))])
        elif roll < 0.75:
            t.batch(ts, *[("r", "-" + for_column(), for_column() + f"={ts}") for _ in range(r.randrange(1, 3))])
        elif roll < 0.95:
            t.delete("r", r.choice([for_column(), for_column(), r.choice("ab")]), ts // 2)
        else:
            t.delete_row("r", ts // 3)
        t.ver("r", "a", 9)
        t.ver("r", "b", 9)
        t.row_ts("r", r.randrange(0, 9))
        if keep:
            t.raw("r", r.choice("ab"))


@scenario("t1data-random-deletes")
def random_deletes(j):
    random_row(j, 50, keep=False)


@scenario("t1data-random-deletes-raw")
def random_deletes_raw(j):
    random_row(j, 40, keep=True)
