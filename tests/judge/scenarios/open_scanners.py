"""What open scanners return after their table has been changed.

HBase closes the regions of a table that is altered or disabled. Its client then opens another scanner behind the row
that it has returned last, at the read point of the first one."""
from data_model_kit import delete, fam, make, put, reopen
from scenario import scenario

COLUMNS = ("f:1", "f:2", "g:1")


def filled(j, **options):
    t = make(j, fam("f"), fam("g"), **options)
    for row in "abcde":
        put(j, t, row, *((column, "old", 1) for column in COLUMNS))
    return t


def write(j, t):
    """Changes every row and adds some."""
    for row in "abcde":
        put(j, t, row, ("f:1", "new", 5))
    for row in ("aa", "cc", "f"):
        put(j, t, row, ("f:1", "new", 5))
    delete(j, t, "c", ("f:2", 9), kind="column")


def scanner(j, t, **options):
    s = j.t2.openScanner(table=t, tscan={"caching": 1, **options})
    j.t2.getScannerRows(scannerId=s, numRows=1)
    return s


def rest(j, s):
    j.t2.getScannerRows(scannerId=s, numRows=2)
    j.t2.getScannerRows(scannerId=s, numRows=50)
    j.t2.closeScanner(scannerId=s)


def table(t):
    return {"tableName": {"qualifier": t}}


CHANGES = {
    "add-family": lambda j, t: j.t2.addColumnFamily(**table(t), column=fam("h")),
    "delete-family": lambda j, t: j.t2.deleteColumnFamily(**table(t), column="g"),
    "modify-family": lambda j, t: j.t2.modifyColumnFamily(**table(t), column=fam("g", versions=5)),
    "modify-table": lambda j, t: j.t2.modifyTable(desc={**table(t), "columns": [fam("f"), fam("g")], "attributes": {"x": "y"}}),
    "disable-enable": reopen,
}

for what, change in CHANGES.items():
    def define(change=change, what=what):
        @scenario(f"scanner-after-{what}")
        def run(j):
            for n, options in enumerate(({}, {"reversed": True}, {"batchSize": 1}, {"reversed": True, "batchSize": 2}, {"limit": 3})):
                for early in (True, False):
                    t = filled(j, name=f"t{n}{early}")
                    s = scanner(j, t, **options)
                    if early:
                        write(j, t)
                    change(j, t)
                    if not early:
                        write(j, t)
                    rest(j, s)
    define()


@scenario("scanner-after-a-fetch-of-a-disabled-table")
def a_disabled_table(j):
    t = filled(j)
    s = scanner(j, t)
    write(j, t)
    j.t1.disableTable(tableName=t)
    j.t2.getScannerRows(scannerId=s, numRows=1)
    j.t1.enableTable(tableName=t)
    put(j, t, "b", ("f:1", "newer", 7))
    rest(j, s)


@scenario("scanner-after-two-changes")
def two_changes(j):
    t = filled(j)
    s = scanner(j, t)
    write(j, t)
    CHANGES["add-family"](j, t)
    j.t2.getScannerRows(scannerId=s, numRows=1)
    put(j, t, "d", ("f:1", "newer", 7))
    reopen(j, t)
    rest(j, s)


@scenario("scanner-after-a-truncation")
def a_truncation(j):
    t = filled(j)
    s = scanner(j, t)
    j.t1.disableTable(tableName=t)
    j.t2.truncateTable(tableName={"qualifier": t}, preserveSplits=True)
    write(j, t)
    rest(j, s)


@scenario("scanner-of-thrift1-after-an-alteration")
def of_thrift1(j):
    t = filled(j)
    s = j.t1.scannerOpenWithScan(tableName=t, scan={"caching": 1}, attributes={})
    j.t1.scannerGet(id=s)
    write(j, t)
    CHANGES["add-family"](j, t)
    j.t1.scannerGetList(id=s, nbRows=2)
    j.t1.scannerGetList(id=s, nbRows=50)
    j.t1.scannerClose(id=s)


@scenario("scanner-with-a-filter-after-an-alteration")
def with_a_filter(j):
    for n, text in enumerate(("PageFilter(3)", "ValueFilter(=, 'binary:old')", "WHILE ValueFilter(=, 'binary:old')",
                              "FirstKeyOnlyFilter()", "ColumnPaginationFilter(1, 1)")):
        t = filled(j, name=f"t{n}")
        s = scanner(j, t, filterString=text)
        write(j, t)
        CHANGES["modify-family"](j, t)
        rest(j, s)
