"""Reads with every combination of options, on rows with hidden cells, beside writes; both services.

Random scenarios draw rows, deletes, regions and options; each call is a question of its own. The others are calls in
which HBase and hjall once differed.
"""
from scenario import scenario

ROWS = ("a", "aa", "b", "ba", "c")
QUALIFIERS = ("", "1", "2", "3", "4")
TIMES = (1, 2, 3, 4)


# ---------------------------------------------------------------- tables

def family(name, versions, **more):
    return {"name": name, "maxVersions": versions, **more}


def create(j, *families, splits=()):
    t = j.table()
    j.t2.createTable(desc={"tableName": {"qualifier": t}, "columns": list(families)}, splitKeys=list(splits))
    return t


def cell(column, value, time):
    name, _, qualifier = column.partition(":")
    return {"family": name, "qualifier": qualifier, "value": value, "timestamp": time}


def put(j, t, row, *cells):
    j.t2.put(table=t, tput={"row": row, "columnValues": [cell(*c) for c in cells]})


# ---------------------------------------------------------------- random options

def chance(rng, probability):
    return rng.random() < probability


def comparator(rng, values):
    op = rng.choice(("<", "<=", "=", "!=", ">=", ">"))
    return f"{op},'binary:{rng.choice(values)}'"


def varint(n):
    return bytes([n]) if n < 128 else bytes([n & 127 | 128]) + varint(n >> 7)


def field(number, data):
    return varint(number << 3 | 2) + varint(len(data)) + data


def row_ranges(*found):
    """A serialised MultiRowRangeFilter. A range is (start, whether it is included, stop, whether it is included)."""
    message = b"".join(field(1, varint(2 << 3) + bytes([start_in]) + field(1, start.encode()) + field(3, stop.encode())
                             + varint(4 << 3) + bytes([stop_in])) for start, start_in, stop, stop_in in found)
    return field(1, b"org.apache.hadoop.hbase.filter.MultiRowRangeFilter") + field(2, message)


def ranges(rng):
    """One to three ranges, some of one row, some without an end."""
    found = []
    for _ in range(rng.choice((1, 2, 2, 3))):
        start, stop = sorted((rng.choice(("",) + ROWS), rng.choice(("",) + ROWS)))
        if chance(rng, 0.3):
            stop = ""
        single = start == stop and start
        start_in, stop_in = chance(rng, 0.7) or bool(single), chance(rng, 0.5) or bool(single)
        found.append((start, start_in, stop, stop_in))
    return row_ranges(*found)


def simple_filter(rng):
    return rng.choice((
        lambda: f"RowFilter({comparator(rng, ROWS)})",
        lambda: f"QualifierFilter({comparator(rng, QUALIFIERS)})",
        lambda: f"ValueFilter({comparator(rng, ('v1', 'v2', 'v3'))})",
        lambda: f"FamilyFilter({comparator(rng, ('f', 'g'))})",
        lambda: f"PrefixFilter('{rng.choice(('a', 'b', 'c'))}')",
        lambda: f"ColumnPrefixFilter('{rng.choice(QUALIFIERS)}')",
        lambda: f"ColumnRangeFilter('{rng.choice(QUALIFIERS)}',true,'{rng.choice(QUALIFIERS)}',false)",
        lambda: f"TimestampsFilter({rng.choice(TIMES)},{rng.choice(TIMES)})",
        lambda: f"ColumnPaginationFilter({rng.randint(1, 3)},{rng.randint(0, 2)})",
        lambda: f"ColumnCountGetFilter({rng.randint(1, 4)})",
        lambda: f"InclusiveStopFilter('{rng.choice(ROWS)}')",
        lambda: f"PageFilter({rng.randint(1, 3)})",
        lambda: "FirstKeyOnlyFilter()",
        lambda: "KeyOnlyFilter()",
        lambda: f"SingleColumnValueFilter('f','{rng.choice(QUALIFIERS)}',{comparator(rng, ('v1', 'v2'))})",
    ))()


def filter_text(rng):
    first = simple_filter(rng)
    shape = rng.random()
    if shape < 0.5:
        return first
    if shape < 0.65:
        return f"{rng.choice(('SKIP', 'WHILE'))} {first}"
    return f"{first} {rng.choice(('AND', 'OR'))} {simple_filter(rng)}"


def columns(rng):
    chosen = []
    for _ in range(rng.choice((1, 1, 2))):
        name = rng.choice(("f", "g"))
        chosen.append({"family": name, "qualifier": rng.choice(QUALIFIERS)} if chance(rng, 0.6) else {"family": name})
    return chosen


def scan_options(rng):
    out = {"maxVersions": rng.choice((1, 1, 2, 5))}
    if chance(rng, 0.5):
        out["startRow"] = rng.choice(ROWS + ("", "aab", "bb", "d"))
    if chance(rng, 0.35):
        out["stopRow"] = rng.choice(ROWS + ("", "aab", "bb", "d"))
    if chance(rng, 0.45):
        out["reversed"] = True
    if chance(rng, 0.5):
        out["batchSize"] = rng.randint(1, 4)
    elif chance(rng, 0.3):
        # With a batch size as well, HBase's client counts rows of pieces twice (docs/compatibility.md).
        out["limit"] = rng.randint(1, 4)
    if chance(rng, 0.4):
        out["caching"] = rng.randint(1, 3)
    if chance(rng, 0.25):
        out["columns"] = columns(rng)
    if chance(rng, 0.2):
        low = rng.choice((0,) + TIMES)
        out["timeRange"] = {"minStamp": low, "maxStamp": low + rng.randint(1, 3)}
    if chance(rng, 0.1):
        out["colFamTimeRangeMap"] = {rng.choice(("f", "g")): {"minStamp": 0, "maxStamp": rng.choice(TIMES)}}
    if chance(rng, 0.1) and "columns" not in out:
        out["attributes"] = {"_raw_": "\x01"}
    if chance(rng, 0.3):
        out["filterString"] = filter_text(rng)
    elif chance(rng, 0.2):
        out["filterBytes"] = ranges(rng)
    return out


# ---------------------------------------------------------------- random calls

def fill(j, t, rng, families, deletes):
    """Writes rows with several versions, and some deletes, if there are to be any."""
    for row in ROWS:
        cells = [(f"{rng.choice(families)}:{rng.choice(QUALIFIERS)}", f"v{rng.randint(1, 3)}", rng.choice(TIMES))
                 for _ in range(rng.randint(0, 9))]
        if cells:
            put(j, t, row, *{c[:1] + c[2:]: c for c in cells}.values())
    for _ in range(rng.randint(0, 3) if deletes else 0):
        delete(j, t, rng, families)


def delete(j, t, rng, families):
    kind, time = rng.choice((0, 1, 1, 2)), rng.choice(TIMES)
    place = {"family": rng.choice(families), "timestamp": time}
    if kind != 2:
        place["qualifier"] = rng.choice(QUALIFIERS)
    j.t2.deleteSingle(table=t, tdelete={"row": rng.choice(ROWS), "columns": [place], "deleteType": kind})


def scan2(j, t, rng):
    options = scan_options(rng)
    if chance(rng, 0.6):
        j.t2.getScannerResults(table=t, tscan=options, numRows=rng.choice((1, 3, 50)))
        return
    scanner = j.t2.openScanner(table=t, tscan=options)
    for _ in range(rng.randint(1, 4)):
        j.t2.getScannerRows(scannerId=scanner, numRows=rng.randint(0, 5))
    j.t2.closeScanner(scannerId=scanner)


def scan1(j, t, rng):
    options = scan_options(rng)
    sent = {name: options[name] for name in ("startRow", "stopRow", "caching", "batchSize", "reversed", "filterString") if name in options}
    if "columns" in options:
        sent["columns"] = [c["family"] + (f":{c['qualifier']}" if "qualifier" in c else "") for c in options["columns"]]
    if chance(rng, 0.2):
        sent["timestamp"] = rng.choice(TIMES)
    if chance(rng, 0.2):
        sent["sortColumns"] = True
    scanner = j.t1.scannerOpenWithScan(tableName=t, scan=sent)
    for _ in range(rng.randint(1, 3)):
        j.t1.scannerGetList(id=scanner, nbRows=rng.choice((1, 2, 50)))
    j.t1.scannerClose(id=scanner)


def get2(j, t, rng):
    options = {name: value for name, value in scan_options(rng).items()
               if name in ("columns", "timeRange", "filterString", "filterBytes", "attributes", "maxVersions")}
    if chance(rng, 0.3):
        options["storeLimit"] = rng.randint(0, 3)
        options["storeOffset"] = rng.randint(0, 2)
    gets = [{"row": rng.choice(ROWS + ("x",)), **options} for _ in range(rng.choice((1, 1, 3)))]
    if chance(rng, 0.2):
        j.t2.existsAll(table=t, tgets=gets)
    elif len(gets) == 1:
        j.t2.get(table=t, tget=gets[0])
    else:
        j.t2.getMultiple(table=t, tgets=gets)


def write(j, t, rng, families):
    if chance(rng, 0.5):
        delete(j, t, rng, families)
    else:
        put(j, t, rng.choice(ROWS), (f"{rng.choice(families)}:{rng.choice(QUALIFIERS)}", f"v{rng.randint(1, 3)}", rng.choice(TIMES)))


def mixed(name, *families, splits=(), calls=120, writes=0.0, deletes=True):
    names = [f["name"] for f in families]

    @scenario(name)
    def run(j):
        t = create(j, *families, splits=splits)
        fill(j, t, j.rng, names, deletes)
        for _ in range(calls):
            if chance(j.rng, writes):
                write(j, t, j.rng, names)
            call = j.rng.choice((scan2, scan2, scan2, scan1, get2))
            call(j, t, j.rng)


mixed("mixed-random-one-region", family("f", 3), family("g", 1))
mixed("mixed-random-split", family("f", 3), family("g", 1), splits=("aa", "b"))
mixed("mixed-random-keep-deleted", family("f", 3, keepDeletedCells=1), family("g", 2))
# Without markers and replaced values, so that even `partial` is compared.
mixed("mixed-random-pieces", family("f", 3), family("g", 1), splits=("b",), deletes=False)
mixed("mixed-random-writes", family("f", 2), family("g", 5), splits=("b",), writes=0.2)


# ---------------------------------------------------------------- what once differed

@scenario("mixed-reversed-row-ranges")
def reversed_row_ranges(j):
    """Reversed scans with ranges of which the last has no end: HBase misses some of the others."""
    t = create(j, family("f", 3), splits=["bb"])
    whole = j.table("whole")
    j.t2.createTable(desc={"tableName": {"qualifier": whole}, "columns": [family("f", 3)]}, splitKeys=[])
    for table in (t, whole):
        for row in ("a", "aa", "b", "ba", "c", "ca", "d"):
            put(j, table, row, ("f:1", "v", 1))
        for found in (
            [("b", 1, "b", 1), ("c", 1, "", 0)], [("b", 1, "b", 1), ("c", 0, "", 0)], [("b", 1, "ba", 1), ("c", 1, "", 0)],
            [("b", 1, "ba", 0), ("c", 1, "", 0)], [("aa", 1, "aa", 1), ("b", 1, "b", 1), ("c", 1, "", 0)],
            [("b", 1, "b", 1), ("c", 1, "c", 1), ("d", 1, "", 0)], [("aa", 1, "b", 0), ("ba", 1, "", 0)],
            [("a", 1, "a", 1), ("aa", 1, "aa", 1), ("b", 1, "b", 1), ("ba", 1, "ba", 0), ("ca", 1, "", 0)],
        ):
            for start in ({}, {"startRow": "ca"}, {"startRow": "ba"}, {"startRow": "b"}):
                for reverse in (True, False):
                    scan = {"reversed": reverse, "filterBytes": row_ranges(*found), **start}
                    j.t2.getScannerResults(table=table, tscan=scan, numRows=50)


@scenario("mixed-pieces-before-hidden-cells")
def pieces_before_hidden_cells(j):
    """A full piece, followed by older versions, cells outside of the time range, deleted cells or other families."""
    t = create(j, family("f", 3), family("g", 1))
    for row in ("a", "b", "c"):
        put(j, t, row, ("f:1", "v", 1), ("f:2", "v", 1), ("f:2", "v", 2))
    for row in ("d", "e"):
        put(j, t, row, ("f:1", "v", 5), ("g:2", "v", 5))
        put(j, t, row, ("g:2", "v", 4))
    for options in ({}, {"maxVersions": 2}, {"columns": [{"family": "f"}]}, {"timeRange": {"minStamp": 2, "maxStamp": 9}},
                    {"columns": [{"family": "f", "qualifier": "1"}, {"family": "f", "qualifier": "2"}]}, {"caching": 1},
                    {"filterString": "QualifierFilter(<,'binary:3')"}, {"filterString": "FirstKeyOnlyFilter()"}):
        for start in ({}, {"startRow": "b"}, {"startRow": "bb"}, {"startRow": "e"}):
            for reverse in (False, True):
                for batch in (1, 2):
                    scan = {"batchSize": batch, "reversed": reverse, **start, **options}
                    j.t2.getScannerResults(table=t, tscan=scan, numRows=50)


@scenario("mixed-pieces-before-the-end-of-the-empty-qualifier")
def pieces_of_the_empty_qualifier(j):
    """HBase does not seek behind the empty qualifier, so that a full piece is partial if anything follows it."""
    t = create(j, family("f", 2), family("g", 1))
    for row in ("a", "e"):
        put(j, t, row, ("f:", "v", 1), ("f:0", "v", 1), ("f:4", "v", 1))
    put(j, t, "b", ("f:", "v", 1), ("f:1", "v", 4))
    put(j, t, "c", ("f:", "v", 1), ("f:", "v", 2), ("f:", "v", 3))
    put(j, t, "d", ("f:0", "v", 1), ("f:0", "v", 2), ("f:1", "v", 4))
    for qualifiers in (("", "4"), ("0", "4"), ("", "1"), ("", "0", "4"), ("",)):
        for span in ({}, {"timeRange": {"minStamp": 1, "maxStamp": 4}}, {"timeRange": {"minStamp": 0, "maxStamp": 2}}):
            for more in ({}, {"filterString": "KeyOnlyFilter()"}, {"maxVersions": 2}):
                for reverse in (False, True):
                    named = [{"family": "f", "qualifier": q} for q in qualifiers]
                    j.t2.getScannerResults(table=t, tscan={"batchSize": 1, "reversed": reverse, "columns": named, **span, **more}, numRows=50)
