"""Corners of calls: mistakes that HBase detects late or in an unexpected order, and what remains of such a call."""
from scenario import scenario


def table(j, *split_keys):
    """A table with the family f and the rows a, b and c."""
    t = j.table()
    j.t2.createTable(desc={"tableName": {"qualifier": t}, "columns": [{"name": "f", "maxVersions": 3}]}, splitKeys=list(split_keys))
    for row in "abc":
        j.t2.put(table=t, tput={"row": row, "columnValues": [value("1", "v", 5)]})
    return t


def value(qualifier, content, timestamp=None):
    """A cell of the family f."""
    return {"family": "f", "qualifier": qualifier, "value": content, "timestamp": timestamp}


def remains(j, t):
    """All rows."""
    j.t2.getScannerResults(table=t, tscan={"maxVersions": 9}, numRows=20)


def delete(row, family, timestamp=9):
    """A delete of all versions of a column."""
    return {"row": row, "columns": [{"family": family, "qualifier": "1", "timestamp": timestamp}]}


@scenario("corners-batches-of-deletes")
def batches_of_deletes(j):
    for keys in ((), ("b",), ("b", "c"), ("\x01", "b")):
        t = table(j, *keys)
        j.t2.deleteMultiple(table=t, tdeletes=[delete("b", ""), delete("a", "f"), delete("c", "f")])
        remains(j, t)
        j.t2.deleteMultiple(table=t, tdeletes=[delete("b", "no"), delete("b", "f", 1), delete("a", "f", 8)])
        remains(j, t)
        rows = [{"row": "c", "mutations": [{"isDelete": True, "column": "f:1"}]}, {"row": "b", "mutations": [{"isDelete": True, "column": ":1"}]}]
        j.t1.mutateRowsTs(tableName=t, rowBatches=rows, timestamp=9, attributes={})
        remains(j, t)
        j.t2.putMultiple(table=t, tputs=[{"row": r, "columnValues": [value("2", "w", 6)], "attributes": a} for r, a in (("c", {}), ("b", {"_ttl": ""}), ("a", {}))])
        remains(j, t)
        j.t1.disableTable(tableName=t)
        j.t2.deleteMultiple(table=t, tdeletes=[delete("b", ""), delete("a", "f")])
        j.t1.deleteTable(tableName=t)
        j.t2.deleteMultiple(table=t, tdeletes=[delete("b", ""), delete("a", "f")])


@scenario("corners-order-of-regions")
def order_of_regions(j):
    # In the order of their names, a region that begins with "+" is before the first one.
    t = table(j, "+", "b")
    j.t2.put(table=t, tput={"row": "*", "columnValues": [value("1", "v", 5)]})
    j.t2.deleteMultiple(table=t, tdeletes=[delete("*", ""), delete("+", "f"), delete("a", "f"), delete("b", "f")])
    remains(j, t)


@scenario("corners-ttl-of-conditional-writes")
def ttl_of_conditional_writes(j):
    t = table(j)
    for ttl in ("", "\0\0\0\1"):
        attributes = {"_ttl": ttl}
        put = {"row": "a", "columnValues": [value("2", "w")], "attributes": attributes}
        for content in ("no", "v"):
            condition = {"table": t, "row": "a", "family": "f", "qualifier": "1", "value": content}
            j.t2.checkAndPut(**condition, tput=put)
            j.t2.checkAndDelete(**condition, tdelete={"row": "a", "attributes": attributes})
            j.t2.checkAndMutate(**condition, compareOp=2, rowMutations={"row": "a", "mutations": [{"put": put}]})
            j.t1.checkAndPut(tableName=t, row="a", column="f:1", value=content, mput={"column": "f:2", "value": "w"}, attributes=attributes)
        j.t2.checkAndPut(table=t, row="a", family="no", qualifier="1", value="v", tput=put)
        for name in (t, j.table("absent")):
            j.t2.append(table=name, tappend={"row": "a", "columns": [value("3", "w")], "attributes": attributes})
            j.t2.append(table=name, tappend={"row": "a", "columns": [{"family": "no", "qualifier": "3", "value": "w"}], "attributes": attributes})
            j.t2.increment(table=name, tincrement={"row": "a", "columns": [{"family": "f", "qualifier": "n"}], "attributes": attributes})
    remains(j, t)
    j.t1.disableTable(tableName=t)
    j.t2.append(table=t, tappend={"row": "a", "columns": [value("3", "w")], "attributes": {"_ttl": ""}})


@scenario("corners-attributes-of-reads")
def attributes_of_reads(j):
    t = table(j)
    for attributes in ({"_isolationlevel_": "\x09"}, {"_raw_": ""}):
        for family in ("f", "no"):
            get = {"row": "a", "columns": [{"family": family}], "attributes": attributes}
            j.t2.get(table=t, tget=get)
            j.t2.exists(table=t, tget=get)
            j.t2.getMultiple(table=t, tgets=[get, get])
            j.t2.getMultiple(table=t, tgets=[get, {"row": "b"}])
            j.t1.getRowWithColumns(tableName=t, row="a", columns=[family], attributes=attributes)
            j.t1.getRowsWithColumns(tableName=t, rows=["a", "b"], columns=[family], attributes=attributes)
    for enabled in ("", "\0", "\1", "\0\0"):
        attributes = {"scan.attributes.metrics.enable": enabled}
        j.t1.scannerOpen(tableName=t, startRow="", columns=[], attributes=attributes)
        j.t1.scannerOpenWithPrefix(tableName=t, startAndPrefix="a", columns=["no"], attributes=attributes)
        j.t1.scannerOpen(tableName=j.table("absent"), startRow="", columns=[], attributes=attributes)
        j.t2.openScanner(table=t, tscan={"attributes": attributes})
        j.t2.getScannerResults(table=t, tscan={"attributes": attributes}, numRows=1)
        j.t1.scannerOpen(tableName=t, startRow="", columns=[], attributes={"_isolationlevel_": "\x09", **attributes})


@scenario("corners-batch-size-and-filter")
def batch_size_and_filter(j):
    t = table(j)
    for text in ("PageFilter(1)", "SingleColumnValueFilter('f', '1', =, 'binary:v')", "KeyOnlyFilter()"):
        for more in ({"columns": [{"family": "no"}]}, {"columns": [{"family": "f", "qualifier": "1"}], "attributes": {"_raw_": "\1"}}):
            j.t2.getScannerResults(table=t, tscan={"batchSize": 1, "filterString": text, **more}, numRows=5)


# SingleColumnValueFilter('f', '1', NO_OP, 'binary:v'), which throws when it is asked about the column.
THROWING_FILTER = (
    "\n6org.apache.hadoop.hbase.filter.SingleColumnValueFilter\x12B\n\x01f\x12\x011\x18\x06"
    "\"8\n/org.apache.hadoop.hbase.filter.BinaryComparator\x12\x05\n\x03\n\x01v")


@scenario("corners-filter-that-throws")
def filter_that_throws(j):
    for keys in ((), ("b",)):
        t = table(j, *keys)
        gets = [{"row": "a"}, {"row": "b", "filterBytes": THROWING_FILTER}, {"row": "c"}]
        j.t2.get(table=t, tget=gets[1])
        j.t2.getMultiple(table=t, tgets=gets)
        j.t2.existsAll(table=t, tgets=gets)
        j.t2.getMultiple(table=t, tgets=[{"row": "d", "filterBytes": THROWING_FILTER}, *gets[::2]])
        j.t2.getMultiple(table=t, tgets=[*gets, {"row": "a", "columns": [{"family": "no"}]}])
        j.t1.disableTable(tableName=t)
        j.t1.deleteTable(tableName=t)


@scenario("corners-first-of-a-row")
def first_of_a_row(j):
    t = table(j)
    bad = [{"column": ":", "value": "v"}, {"value": "v"}, {"column": "g" * 200 + ":", "isDelete": True}, {"column": "f:2", "value": "w"}]
    for first in range(len(bad)):
        for second in range(len(bad)):
            mutations = [bad[first], bad[second]]
            j.t1.mutateRow(tableName=t, row="a", mutations=mutations, attributes={})
            j.t1.mutateRows(tableName=t, rowBatches=[{"row": "a", "mutations": mutations}], attributes={})
    j.t1.mutateRow(tableName="", row="a", mutations=[], attributes={})


@scenario("corners-binary-keys-in-messages")
def binary_keys_in_messages(j):
    t = table(j, "\0", "\xff\1")
    for row in ("a", "\xff\xff"):
        j.t2.put(table=t, tput={"row": row, "columnValues": [{"family": "no", "qualifier": "q", "value": "v"}]})
        j.t2.get(table=t, tget={"row": row, "columns": [{"family": "no"}]})
    put = {"row": "a\0", "columnValues": [value("1", "w")]}
    j.t2.checkAndPut(table=t, row="\xff\\", family="f", qualifier="1", value="v", tput=put)
    j.t2.checkAndMutate(table=t, row="\xff\\", family="f", qualifier="1", compareOp=2, value="v", rowMutations={"row": "a\0", "mutations": [{"put": put}]})
    j.t2.mutateRow(table=t, trowMutations={"row": "\xff\\", "mutations": [{"put": put}]})


@scenario("corners-raw-scan-of-a-prefix")
def raw_scan_of_a_prefix(j):
    t = table(j)
    for row, writes in {"p": ("put 5", "one 9"), "pa": ("put 2", "put 4", "all 4"), "pb": ("put 1", "put 2", "put 3", "one 2"), "q": ("put 3",)}.items():
        for write in writes:
            kind, timestamp = write.split()
            if kind == "put":
                j.t2.put(table=t, tput={"row": row, "columnValues": [value("1", write, int(timestamp))]})
            else:
                j.t2.deleteSingle(table=t, tdelete={**delete(row, "f", int(timestamp)), "deleteType": 0 if kind == "one" else 1})
    for prefix in ("p", "pa", "", "\xff", "x"):
        for columns in ([], ["f"], ["no"], ["f:1"]):
            for flag in ("\1", "\0"):
                s = j.t1.scannerOpenWithPrefix(tableName=t, startAndPrefix=prefix, columns=columns, attributes={"_raw_": flag})
                j.t1.scannerGetList(id=s, nbRows=2)
                j.t1.scannerGetList(id=s, nbRows=9)
                j.t1.scannerClose(id=s)


@scenario("corners-increments-of-several-columns")
def increments_of_several_columns(j):
    t = table(j)
    good, bad, unknown = ({"family": f, "qualifier": q, "amount": 1} for f, q in (("f", "n"), ("f", "1"), ("no", "x")))
    for columns in ([bad, unknown], [unknown, bad], [good, unknown], [good, bad], [good, good]):
        j.t2.increment(table=t, tincrement={"row": "a", "columns": columns})
        remains(j, t)
    j.t2.append(table=t, tappend={"row": "a", "columns": [value("1", "w"), {"family": "no", "qualifier": "x", "value": "w"}]})
    remains(j, t)


@scenario("corners-descriptors-of-the-server")
def descriptors_of_the_server(j):
    j.t2.getTableDescriptor(table={"ns": "hbase", "qualifier": "meta"})
    j.t1.getColumnDescriptors(tableName="hbase:meta")
    t = j.table()
    described = {"tableName": {"qualifier": t}, "columns": [{"name": "f"}], "attributes": {"IS_META": "true"}}
    j.t2.createTable(desc=described, splitKeys=None)
    j.t2.getTableDescriptor(table={"qualifier": t})
    j.t2.modifyTable(desc=described)
    j.t2.getTableDescriptor(table={"qualifier": t})


@scenario("corners-long-split-keys")
def long_split_keys(j):
    for length in (32_000, 33_000, 40_000):
        t = j.table(f"t{length}")
        j.t2.createTable(desc={"tableName": {"qualifier": t}, "columns": [{"name": "f"}]}, splitKeys=["b", "k" * length])
        j.t2.tableExists(tableName={"qualifier": t})


@scenario("corners-reversed-scans-and-rejected-keys")
def reversed_scans_and_rejected_keys(j):
    t = table(j, "b")
    for row in ("aa", "ab", "ba"):
        j.t2.put(table=t, tput={"row": row, "columnValues": [value("1", "v", 5), value("2", "w", 6)]})
    for text in ("WHILE PrefixFilter('a')", "PrefixFilter('a')", "WHILE (PrefixFilter('a') AND ValueFilter(=, 'binary:v'))",
                 "SKIP ValueFilter(=, 'binary:v') AND PrefixFilter('b')", "WHILE ValueFilter(=, 'binary:v') AND PrefixFilter('a')"):
        for flag in (True, False):
            j.t2.getScannerResults(table=t, tscan={"filterString": text, "reversed": flag}, numRows=9)


@scenario("corners-values-that-a-flush-removes")
def values_that_a_flush_removes(j):
    # A table that is disabled or altered writes its memory to files, without the values that are surplus by then.
    for versions, more in ((1, 5), (2, 5)):
        t = j.table(f"t{versions}")
        name = {"qualifier": t}
        j.t2.createTable(desc={"tableName": name, "columns": [{"name": "f", "maxVersions": versions}]}, splitKeys=None)
        for timestamp in range(1, 5):
            j.t2.put(table=t, tput={"row": "a", "columnValues": [value("1", f"v{timestamp}", timestamp)]})
        remains(j, t)
        j.t2.modifyColumnFamily(tableName=name, column={"name": "f", "maxVersions": more})
        remains(j, t)
        j.t2.put(table=t, tput={"row": "a", "columnValues": [value("1", "v5", 5)]})
        remains(j, t)
        j.t2.disableTable(tableName=name)
        j.t2.enableTable(tableName=name)
        j.t2.get(table=t, tget={"row": "a", "timeRange": {"minStamp": 0, "maxStamp": 3}, "maxVersions": 9})
