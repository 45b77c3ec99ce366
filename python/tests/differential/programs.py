"""Generates random programs. Each step is the name of a HappyBase method with its arguments.

Two puts of one column in the same millisecond are one version, so the result would depend on the speed of a side.
Writes without a timestamp therefore go to a family that keeps one version.
"""

ROWS = [b"a", b"ab", b"abc", b"b", b"\x00", b"\xff", b"\xff\xff", b"row", b"zz"]
COLUMNS = [b"f:a", b"f:b", b"f:", b"f:\xff", b"g:a", b"g:long-name", b"f1:a", b"f:a:b"]
FAMILIES = {
    "f": {"max_versions": 3},
    "g": {"max_versions": 1, "time_to_live": 2_000_000_000, "in_memory": True},
    "f1": None,
}
COUNTERS = [b"g:count"]
FILTERS = [
    b"PrefixFilter('a')",
    "ValueFilter(=, 'substring:1')",
    b"ColumnPrefixFilter('a') OR QualifierFilter(=, 'binary:b')",
    b"PageFilter(2)",
    b"FirstKeyOnlyFilter()",
    b"SingleColumnValueFilter('f', 'a', >, 'binary:v3', true, false)",
    b"KeyOnlyFilter()",
    b"ColumnPaginationFilter(1, 1)",
    b"SKIP ValueFilter(!=, 'binary:v1')",
]
# Steps that HappyBase, HBase's gateway or the table rejects.
INVALID = [
    ("row", (b"a", 123), {}),
    ("row", (b"a",), {"timestamp": "t"}),
    ("row", (b"",), {}),
    ("row", (b"a", [b"none:a"]), {}),
    ("row", (b"a",), {"timestamp": -1}),
    ("rows", ([b"a"], object()), {}),
    ("rows", ([b"a", b""],), {}),
    ("rows", ([],), {}),
    ("cells", (b"a", b"f:a"), {"versions": 0}),
    ("cells", (b"a", b"f:a"), {"versions": "x"}),
    ("cells", (b"a", b"none:a"), {}),
    ("scan", (), {"batch_size": 0}),
    ("scan", (), {"limit": 0}),
    ("scan", (), {"scan_batching": 0}),
    ("scan", (), {"row_prefix": b"a", "row_start": b"a"}),
    ("scan", (), {"filter": b"NoFilter()"}),
    ("scan", (), {"columns": [b"none"]}),
    ("put", (b"", {b"f:a": b"1"}), {}),
    ("put", (b"a", {b"none:a": b"1"}), {}),
    ("put", (b"a", {b"f": b"1"}), {}),
    ("put", (b"a", {}), {}),
    ("put", (b"a", {b"f:a": b"1"}), {"timestamp": "t"}),
    ("put", (b"a", {b"f:a": b"1"}), {"timestamp": -1}),
    ("delete", (b"a", [b"none"]), {}),
    ("delete", (b"",), {}),
    ("counter_inc", (b"a", b"none:a"), {}),
    ("counter_inc", (b"a", b"g:a"), {}),
    ("delete", (b"a", []), {}),
]


def timestamp(chance):
    """A timestamp, or `None` for the time of the write."""
    return chance.choice([None, None, 1, 2, 3, 5, 10])


def columns(chance):
    """Some columns and families, or `None` for all."""
    return chance.choice([None, None, chance.sample(COLUMNS + [b"f", b"g:", b"f1"], chance.randint(0, 3))])


def data(chance, time):
    """Columns to write."""
    known = [column for column in COLUMNS if time is not None or column.startswith(b"g:")]
    return {
        column: b"v%d" % chance.randint(0, 5) for column in chance.sample(known, chance.randint(1, min(4, len(known))))
    }


def columns_to_delete(chance, time):
    """Columns and families to delete, or the whole row.

    Deletes up to the current time are rare, because they hide later puts with old timestamps.
    """
    known = COLUMNS + [b"f", b"f:", b"g"] if time is not None or chance.random() < 0.1 else [b"g:a", b"g"]
    return (
        None
        if time is not None and chance.random() < 0.3
        else chance.sample(known, chance.randint(1, min(3, len(known))))
    )


def reading(chance):
    """The arguments that all reads have."""
    return {"columns": columns(chance), "timestamp": timestamp(chance), "include_timestamp": chance.random() < 0.4}


def scan(chance):
    """The arguments of a scan."""
    options = reading(chance)
    if chance.random() < 0.3:
        options["row_prefix"] = chance.choice([b"a", b"ab", b"\xff", b"", b"zz"])
    else:
        options["row_start"], options["row_stop"] = (chance.choice([None, *ROWS]) for _ in range(2))
    options["filter"] = chance.choice([None, None, *FILTERS])
    options["batch_size"] = chance.choice([1, 2, 3, 1000])
    options["scan_batching"] = chance.choice([None, None, None, 1, 2])
    options["limit"] = chance.choice([None, None, 1, 2, 5])
    options["sorted_columns"] = chance.random() < 0.3
    options["reverse"] = chance.random() < 0.3
    return options


def batch(chance):
    """The arguments of a batch, its mutations, and whether its block raises an exception at the end."""
    options = {"timestamp": timestamp(chance), "wal": chance.random() < 0.8}
    options |= chance.choice([{}, {"batch_size": chance.randint(1, 4)}, {"transaction": True}])
    steps = []
    for _ in range(chance.randint(1, 6)):
        row = chance.choice(ROWS)
        if chance.random() < 0.6:
            steps.append(("put", (row, data(chance, options["timestamp"]))))
        else:
            steps.append(("delete", (row, columns_to_delete(chance, options["timestamp"]))))
    return options, steps, chance.random() < 0.2


def step(chance):
    """One step: method, positional arguments, keyword arguments."""
    row, kind = chance.choice(ROWS), chance.random()
    time = timestamp(chance)
    if kind < 0.22:
        return "put", (row, data(chance, time)), {"timestamp": time, "wal": chance.random() < 0.9}
    if kind < 0.30:
        return "delete", (row, columns_to_delete(chance, time)), {"timestamp": time}
    if kind < 0.42:
        return "batch", batch(chance), {}
    if kind < 0.54:
        return "row", (row,), reading(chance)
    if kind < 0.62:
        return "rows", (chance.choices(ROWS, k=chance.randint(0, 4)),), reading(chance)
    if kind < 0.70:
        options = {
            "versions": chance.choice([None, 1, 2, 9]),
            "timestamp": timestamp(chance),
            "include_timestamp": chance.random() < 0.4,
        }
        return "cells", (row, chance.choice(COLUMNS + [b"f"])), options
    if kind < 0.84:
        return "scan", (), scan(chance)
    if kind < 0.92:
        verb = chance.choice(["counter_inc", "counter_dec", "counter_set", "counter_get"])
        amount = () if verb == "counter_get" else (chance.randint(-5, 5),)
        return verb, (row, chance.choice(COUNTERS), *amount), {}
    if kind < 0.95:
        return chance.choice(["families", "regions", "off", "on"]), (), {}
    return chance.choice(INVALID)


def program(chance, length):
    """A program of `length` random steps, which reads everything at the end."""
    steps = [step(chance) for _ in range(length)]
    return [
        *steps,
        ("on", (), {}),
        ("scan", (), {"include_timestamp": True}),
        *(("cells", (row, b"f"), {"include_timestamp": True}) for row in ROWS),
    ]
