"""Random calls of all methods of both services, with random subsets of all arguments.

Methods and arguments come from the Thrift contracts, values from VALUES by the name of the argument. Methods that
change the schema are left to the other random scenarios, because HBase flushes a table that changes.
"""
import itertools
import re

from thriftpy2.thrift import TType

from scenario import scenario
from values import clean

ROWS = ("a", "aa", "b", "ba", "c")
QUALIFIERS = ("", "1", "2", "3", "n")
TIMES = (1, 2, 3, 4)
NUMBER = "\0\0\0\0\0\0\0\x05"
# In milliseconds: so long that nothing expires while a scenario runs.
CELL_TTL = (10_000_000).to_bytes(8, "big")

CHANGES_OF_THE_SCHEMA = (
    "createTable", "deleteTable", "truncateTable", "enableTable", "disableTable", "modifyTable", "addColumnFamily", "deleteColumnFamily",
    "modifyColumnFamily", "createNamespace", "modifyNamespace", "deleteNamespace", "compact", "majorCompact")
# A scenario closes its own scanners; the first call of a connection to getThriftServerType is an intended difference.
LEFT_OUT = (*CHANGES_OF_THE_SCHEMA, "scannerClose", "closeScanner", "getThriftServerType")


# Methods that read no cells are called less often.
INFORMATION = re.compile("(get|is|list)(Table|Column|Cluster|SlowLog|Namespace|Region|AllRegion)|clearSlowLog|tableExists|listN")


def one_of(*values):
    return lambda gen: gen.rng.choice(values)


def columns1(gen):
    """Columns of Thrift1: a family, a family with a colon, or a column."""
    column = f"{gen.family()}:{gen.rng.choice(QUALIFIERS)}"
    return column if gen.chance(0.8) else gen.rng.choice((gen.family(), f"{gen.family()}:"))


def times(gen):
    low = gen.rng.choice((0, *TIMES))
    return {"minStamp": low, "maxStamp": low + gen.rng.randint(1, 4)}


def filter_text(gen):
    """A filter of the language. The scenarios of filters cover combinations."""
    op, pick = gen.rng.choice(("<", "<=", "=", "!=", ">=", ">")), gen.rng.choice
    kind = pick(("binary", "binaryprefix", "substring", "regexstring"))
    if kind in ("substring", "regexstring"):
        op = pick(("=", "!="))
    compare = f"{op},'{kind}:{pick(('1', 'v2', 'b', 'f'))}'"
    return pick((
        f"RowFilter({compare})", f"FamilyFilter({compare})", f"QualifierFilter({compare})", f"ValueFilter({compare})", "KeyOnlyFilter()",
        "FirstKeyOnlyFilter()", f"PrefixFilter('{pick('abc')}')", f"ColumnPrefixFilter('{pick('12')}')", "MultipleColumnPrefixFilter('1','3')",
        f"ColumnCountGetFilter({pick((1, 2))})", f"PageFilter({pick((1, 2))})", f"ColumnPaginationFilter({pick((1, 2))},{pick((0, 1))})",
        f"InclusiveStopFilter('{pick(ROWS)}')", "TimestampsFilter(1,3)", f"ColumnRangeFilter('1',{pick(('true', 'false'))},'3',true)",
        f"SingleColumnValueFilter('f','{pick(QUALIFIERS)}',{compare})", f"SingleColumnValueExcludeFilter('f','{pick(QUALIFIERS)}',{compare})",
        f"DependentColumnFilter('f','{pick(QUALIFIERS)}',{pick(('true', 'false'))})", f"ColumnValueFilter('f','{pick(QUALIFIERS)}',{compare})",
        "Nonsense()", "PrefixFilter(1"))


def filter_bytes(gen):
    """A serialised PrefixFilter, or bytes that are none."""
    name = b"org.apache.hadoop.hbase.filter.PrefixFilter"
    return gen.rng.choice((b"\x0a" + bytes([len(name)]) + name + b"\x12\x03\x0a\x01" + gen.rng.choice((b"a", b"b")), b"none"))


VALUES = {
    "row": one_of(*ROWS, *ROWS, "x"), "rows": one_of(*ROWS, "x"), "startRow": one_of("", *ROWS, "aab", "d"), "stopRow": one_of("", *ROWS, "aab", "d"),
    "stopRows": one_of("", *ROWS), "startAndPrefix": one_of("", "a", "b", "c"), "qualifier": one_of(*QUALIFIERS), "column": columns1, "columns": columns1,
    "value": one_of("v1", "v2", "v3", "", NUMBER), "values": one_of("v1", "x"), "timestamp": one_of(*TIMES), "numVersions": one_of(1, 2, 5),
    "maxVersions": one_of(1, 1, 2, 5), "caching": one_of(1, 2, 3), "limit": one_of(1, 2, 3), "batchSize": one_of(1, 2, 3), "numRows": one_of(0, 1, 2, 50),
    "nbRows": one_of(0, 1, 2, 50), "storeLimit": one_of(1, 2), "storeOffset": one_of(0, 1, 2), "amount": one_of(-2, 0, 1, 7), "ammount": one_of(-2, 0, 1, 7),
    "timeRange": times, "filterString": filter_text, "filterBytes": filter_bytes, "targetReplicaId": one_of(0), "consistency": one_of(1, 2),
    "durability": one_of(0, 1, 2, 3, 4), "deleteType": one_of(0, 1, 1, 2, 3), "compareOp": one_of(0, 1, 2, 3, 4, 5, 6), "readType": one_of(1, 2, 3),
    "expression": one_of("secret", "a&b"), "labels": one_of("secret"), "regex": one_of(".*calls.*", "nothing"),
    "splitKeys": one_of("b", "c"), "logType": one_of(1, 2), "filterByOperator": one_of(0, 1),
}
# Arguments that HBase's gateway does not read, and those of the slow log, whose records differ.
NEVER = ("tags", "type", "regionName", "clientAddress", "userName")


class Calls:
    """Random calls on one table. `families` are names; unknown ones are drawn now and then."""

    def __init__(self, j, table, families):
        self.j, self.rng, self.table, self.families = j, j.rng, table, families
        self.scanners = {"t1": [], "t2": []}
        services = j.run.server.services
        self.methods = [(dialect, method) for dialect in ("t1", "t2") for method in services[dialect].thrift_services
                        if method not in LEFT_OUT for _ in range(1 if INFORMATION.match(method) else 4)]
        self.services = services

    def chance(self, probability):
        return self.rng.random() < probability

    def family(self):
        return "unknown" if self.chance(0.01) else self.rng.choice(self.families)

    def struct(self, dialect, spec, path):
        out = {}
        for kind, name, *rest in (spec[key] for key in sorted(spec)):
            detail, required = rest if len(rest) == 2 else (None, rest[0])
            if name in NEVER or (not required and self.is_left_out(dialect, name, path, out)):
                continue
            out[name] = self.value(dialect, kind, detail, name, (*path, name))
        return out

    def is_left_out(self, dialect, name, path, out):
        """Whether an optional argument is absent."""
        if name in ("limit", "batchSize") and ("batchSize" in out or "limit" in out):
            return True  # HBase's client counts the rows of pieces twice (docs/compatibility.md)
        if name == "filterBytes" and "filterString" in out:
            return True
        if not path or (dialect == "t1" and path[-1] != "scan"):
            return False
        reads = {"tget", "tgets", "tscan", "scan"} & set(path)
        return not self.chance(0.9 if name == "timestamp" and not reads else 0.2)

    def value(self, dialect, kind, detail, name, path):
        """A value of the Thrift type `kind` for the argument `name`. `path` has the names of the structs around it, and
        `name` itself."""
        if name in ("table", "tableName") and kind != TType.STRUCT:
            return self.j.table("unknown") if self.chance(0.01) else self.table
        if kind == TType.STRUCT and detail.__name__ == "TTableName":
            return {"qualifier": self.j.table("unknown") if self.chance(0.1) else self.table}
        if kind == TType.STRUCT and detail.__name__ == "TMutation":
            # A union: one of its fields has to be set.
            chosen = detail.thrift_spec[self.rng.choice((1, 2))]
            return self.struct(dialect, {1: (*chosen[:-1], True)}, path)
        if name == "attributes":
            return self.attributes(path)
        if name == "colFamTimeRangeMap":
            return {self.family(): times(self)}
        if name in ("name", "family") and kind in (TType.BINARY, TType.STRING):
            return self.family() if name == "family" else "default"
        if name in ("scannerId", "id"):
            return self.rng.choice(self.scanners[dialect] or [-1])
        if kind == TType.BOOL:
            return self.chance(0.5)
        if kind in (TType.LIST, TType.SET):
            of, inner = detail if isinstance(detail, tuple) else (detail, None)
            if name == "serverNames":
                return []
            return [self.value(dialect, of, inner, name, path) for _ in range(self.rng.choice((1, 1, 2, 3)))]
        if kind == TType.STRUCT and name != "timeRange":
            return self.struct(dialect, detail.thrift_spec, path)
        return VALUES["amount" if kind == TType.I64 and name == "value" else name](self)

    def attributes(self, path):
        if "tput" in path or "put" in path:
            return {"_ttl": CELL_TTL} if self.chance(0.5) else {"a": "b"}
        return self.rng.choice(({}, {}, {"a": "b"}))

    def go(self, count):
        for _ in range(count):
            dialect, method = self.rng.choice(self.methods)
            args = self.struct(dialect, getattr(self.services[dialect], method + "_args").thrift_spec, ())
            repair(method, args, self.table)
            # Two writes whose times the server chooses must not fall into one millisecond in one of the servers only.
            self.j.sleep(0.002)
            answer = self.j.call(f"{dialect}.{method}", clean(args))
            if self.j.OPENERS.match(method) and isinstance(answer, dict) and "$var" in answer:
                self.scanners[dialect].append(answer)
        for scanner in self.scanners["t1"]:
            self.j.t1.scannerClose(id=scanner)
        for scanner in self.scanners["t2"]:
            self.j.t2.closeScanner(scannerId=scanner)


def repair(method, args, table):
    """Makes arguments fit each other, most of which would be refused otherwise."""
    for whole in ("rowMutations", "trowMutations"):
        if whole in args:
            row = args.get("row", args[whole]["row"])
            args[whole]["row"] = row
            for mutation in args[whole]["mutations"]:
                next(iter(mutation.values()))["row"] = row
    for part in ("tput", "tdelete"):
        if part in args and "row" in args:
            args[part]["row"] = args["row"]
    if method == "append" and "append" in args:
        args["append"]["values"] = list(itertools.islice(itertools.cycle(args["append"]["values"]), len(args["append"]["columns"])))
    if method in ("mutateRow", "mutateRows"):
        # A delete and a put at the time of the server: HBase shows the put only if its clock ticks between them.
        changes = args.get("mutations") or [change for batch in args.get("rowBatches", ()) for change in batch["mutations"]]
        for change in changes:
            change["isDelete"] = changes[0]["isDelete"]
    if method == "getRegionInfo":
        args["row"] = f"{table},{args['row']},"
    numbers(args, "ncrement" in method)


def numbers(args, counts):
    """Keeps numbers in the columns `n`, and counts there."""
    if isinstance(args, list):
        for part in args:
            numbers(part, counts)
    elif isinstance(args, dict):
        if counts and "column" in args:
            args["column"] = args["column"].partition(":")[0] + ":n"
        if counts and "qualifier" in args:
            args["qualifier"] = "n"
        if "value" in args and isinstance(args["value"], str) and (args.get("qualifier") == "n" or str(args.get("column")).endswith(":n")):
            args["value"] = NUMBER
        for part in args.values():
            numbers(part, counts)


def calls(name, *families, splits=(), count=260):
    @scenario(name)
    def run(j):
        t = j.table()
        j.t2.createTable(desc={"tableName": {"qualifier": t}, "columns": list(families)}, splitKeys=list(splits))
        for row in ROWS:
            cells = [{"family": f["name"], "qualifier": q, "value": j.rng.choice(("v1", "v2", NUMBER)), "timestamp": time}
                     for f in families for q in QUALIFIERS for time in TIMES if j.rng.random() < 0.2]
            if cells:
                j.t2.put(table=t, tput={"row": row, "columnValues": cells})
        Calls(j, t, [f["name"] for f in families]).go(count)
        j.t2.getScannerResults(table=t, tscan={"maxVersions": 9}, numRows=50)


calls("calls-random-all", {"name": "f", "maxVersions": 3}, {"name": "g", "maxVersions": 1}, splits=("b",))
# Without families of NEW_VERSION_BEHAVIOR: HBase's region server fails on most mixtures of markers there.
calls("calls-random-kept", {"name": "f", "maxVersions": 3, "keepDeletedCells": 1}, {"name": "g", "maxVersions": 2, "minVersions": 1, "timeToLive": 7200})


# ---------------------------------------------------------------- what once differed

@scenario("calls-existence-only")
def existence_only(j):
    """HBase's gateway cannot convert the result, but reports any other error of the call first."""
    t = j.table()
    j.t2.createTable(desc={"tableName": {"qualifier": t}, "columns": [{"name": "f"}]}, splitKeys=[])
    for wrong in ({}, {"filterBytes": "none"}, {"filterString": "Nonsense()"}, {"columns": [{"family": "unknown"}]}, {"targetReplicaId": 3}):
        for table in (t, j.table("unknown")):
            get = {"row": "a", "existence_only": True, **wrong}
            j.t2.get(table=table, tget=get)
            j.t2.getMultiple(table=table, tgets=[get])
            j.t2.getMultiple(table=table, tgets=[get, {"row": "b"}])
            j.t2.exists(table=table, tget=get)
