"""What changes of a table leave of the values that were written before them.

HBase writes the memory of a table to files when the table is altered or disabled, under the rules before the change,
and drops values that are beyond VERSIONS, deleted or expired. Files that exist already are not changed."""
from data_model_kit import KIND, delete, fam, get, get1, make, put, raw, reopen, row1
from scenario import scenario

ROWS = ("r", "s")


def audit(j, t):
    """All versions of all rows, whole and within a range of time."""
    for row in ROWS:
        get(j, t, row, versions=99)
        get(j, t, row, span=(0, 8), versions=99)


def alter(j, t, family):
    j.t2.modifyColumnFamily(tableName={"qualifier": t}, column=family)


def program(title, first, *steps):
    """A scenario that puts and deletes at random before each change. `first`: the attributes of the family. `steps`:
    its next ones, or None to disable and enable the table. There are two, because HBase may compact three files."""
    @scenario(title)
    def run(j):
        t, clock = make(j, fam("f", **first), fam("other", versions=2)), 0
        for step in steps:
            for _ in range(j.rng.choice((4, 8, 12))):
                clock += 1
                row, qualifier = j.rng.choice(ROWS), j.rng.choice("ab")
                if j.rng.random() < 0.75:
                    put(j, t, row, (f"f:{qualifier}", f"v{clock}", clock), (f"other:{qualifier}", f"w{clock}", clock))
                else:
                    kind = j.rng.choice(tuple(KIND))
                    name = "f" if kind.startswith("family") else f"f:{qualifier}"
                    delete(j, t, row, (name, max(1, clock - j.rng.randint(0, 3))), kind=kind)
            audit(j, t)
            if step is None:
                reopen(j, t)
            else:
                alter(j, t, fam("f", **step))
            audit(j, t)
            raw(j, t)


one, few, many = {"versions": 1}, {"versions": 3}, {"versions": 9}
young, forever = {"versions": 9, "ttl": 60}, {"versions": 9, "ttl": 2**31 - 1}
kept = {"versions": 9, "keep": "TRUE"}
program("alter-random-versions", one, many, None)
program("alter-random-versions-down", few, one, many)
program("alter-random-versions-up", one, few, many)
program("alter-random-versions-after-a-flush", one, None, many)
program("alter-random-versions-down-after-a-flush", few, None, one)
program("alter-random-ttl", young, forever, young)
program("alter-random-ttl-after-a-flush", young, None, forever)
program("alter-random-min-versions", {"versions": 9, "ttl": 60, "least": 2}, {"versions": 9, "ttl": 60, "least": 1}, forever)
program("alter-random-keep-deleted", many, kept, None)
program("alter-random-keep-deleted-back", kept, many, kept)
program("alter-random-nothing", many, many, None)


@scenario("alter-another-family")
def another_family(j):
    # A change of one family writes the memory of the others, too.
    t = make(j, fam("f", versions=1), fam("g", versions=1))
    for n in range(1, 5):
        put(j, t, "r", ("f:a", f"v{n}", n), ("g:a", f"v{n}", n))
    j.t2.addColumnFamily(tableName={"qualifier": t}, column=fam("h"))
    audit(j, t)
    for n in range(5, 9):
        put(j, t, "r", ("f:a", f"v{n}", n), ("g:a", f"v{n}", n))
    j.t2.deleteColumnFamily(tableName={"qualifier": t}, column="h")
    audit(j, t)
    alter(j, t, fam("f", versions=9))
    alter(j, t, fam("g", versions=9))
    audit(j, t)


@scenario("alter-a-table")
def a_table(j):
    t = make(j, fam("f", versions=1))
    for n in range(1, 5):
        put(j, t, "r", ("f:a", f"v{n}", n))
    desc = {"tableName": {"qualifier": t}, "columns": [fam("f", versions=9)], "attributes": {"NOTE": "x"}}
    j.t2.modifyTable(desc=desc)
    audit(j, t)
    for n in range(5, 9):
        put(j, t, "r", ("f:a", f"v{n}", n))
    j.t2.modifyTable(desc=desc)
    audit(j, t)


@scenario("alter-a-disabled-table")
def a_disabled_table(j):
    t = make(j, fam("f", versions=2))
    for n in range(1, 5):
        put(j, t, "r", ("f:a", f"v{n}", n))
    j.t1.disableTable(tableName=t)
    alter(j, t, fam("f", versions=9))
    j.t1.enableTable(tableName=t)
    audit(j, t)
    for n in range(5, 9):
        put(j, t, "r", ("f:a", f"v{n}", n))
    delete(j, t, "r", ("f:a", 7), kind="column")
    reopen(j, t)
    audit(j, t)
    raw(j, t)


@scenario("alter-after-the-same-rows-again")
def the_same_rows_again(j):
    # What a cell replaces may be in a file, which a flush does not change.
    t = make(j, fam("f", versions=5))
    for n in (1, 2, 3):
        put(j, t, "r", ("f:a", f"v{n}", n))
    alter(j, t, fam("f", versions=1))
    for n in (1, 2, 3):
        put(j, t, "r", ("f:a", f"v{n}", n))
    audit(j, t)
    alter(j, t, fam("f", versions=5))
    audit(j, t)


@scenario("alter-and-the-version-below")
def the_version_below(j):
    t = make(j, fam("f", versions=1))
    put(j, t, "r", ("f:a", "v5", 5))
    reopen(j, t)
    put(j, t, "r", ("f:a", "v5", 5))
    put(j, t, "r", ("f:a", "v9", 9))
    reopen(j, t)
    delete(j, t, "r", ("f:a", 9), kind="version")
    get(j, t, "r")
    row1(j, t, "r")


@scenario("alter-and-the-same-marker-again")
def the_same_marker_again(j):
    for keep in ("FALSE", "TRUE"):
        t = make(j, fam("f", versions=1, keep=keep), name=f"t{keep}")
        put(j, t, "r", ("f:a", "v2", 2))
        delete(j, t, "r", ("f:a", 2), kind="column")
        reopen(j, t)
        delete(j, t, "r", ("f:a", 2), kind="column")
        for n in (5, 6, 7):
            put(j, t, "r", ("f:a", f"v{n}", n))
        reopen(j, t)
        audit(j, t)
        get1(j, t, "r", "f:a", 9, before=4)


@scenario("alter-and-the-empty-qualifier")
def the_empty_qualifier(j):
    # A flush does not skip the rest of such a column.
    t = make(j, fam("f", versions=1))
    put(j, t, "r", ("f:", "old", 1))
    reopen(j, t)
    delete(j, t, "r", ("f:", 2), kind="column")
    put(j, t, "r", ("f:", "v3", 3))
    put(j, t, "r", ("f:", "v4", 4))
    reopen(j, t)
    delete(j, t, "r", ("f:", 4), kind="version")
    get(j, t, "r")
    raw(j, t)


@scenario("alter-and-cells-that-expire")
def cells_that_expire(j):
    t, two_seconds = make(j, fam("f", versions=1)), (2000).to_bytes(8, "big").decode("latin-1")
    for n in (1, 2):
        put(j, t, "r", ("f:a", f"v{n}", j.now(n - 10)))
    put(j, t, "r", ("f:a", "v3", j.now()), attributes={"_ttl": two_seconds})
    put(j, t, "s", ("f:a", "v1", j.now(-10)))
    delete(j, t, "s", ("f:a", j.now()), kind="column", attributes={"_ttl": two_seconds})
    reopen(j, t)
    j.sleep(2.5)
    get(j, t, "r")
    get(j, t, "s")
