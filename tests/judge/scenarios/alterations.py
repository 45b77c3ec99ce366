"""What changes of a table leave of the values that were written before them.

HBase writes the memory of a table to files when the table is altered or disabled, under the rules before the change,
and drops values that are beyond VERSIONS, deleted or expired. Files that exist already are not changed."""
from data_model_kit import KIND, delete, fam, get, make, put, raw, reopen
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
