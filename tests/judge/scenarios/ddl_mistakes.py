"""Descriptors with values that HBase refuses."""
from scenario import scenario

FIFO = "org.apache.hadoop.hbase.regionserver.compactions.FIFOCompactionPolicy"
POLICY = "hbase.hstore.defaultengine.compactionpolicy.class"
BLOCKING = "hbase.hstore.blockingStoreFiles"


def create(j, name, values=None, **family):
    """Creates a table with one family."""
    columns = [{"name": "f", **family}]
    j.t2.createTable(desc={"tableName": {"qualifier": name}, "columns": columns, "attributes": values or {}}, splitKeys=[])


@scenario("ddl-numbers-of-tables")
def numbers_of_tables(j):
    create(j, j.table())
    number = 0
    for key in ("hbase.hregion.memstore.flush.size", "hbase.hregion.max.filesize", BLOCKING):
        for content in ("x", "5", " 5 ", "0x5", "4194304", " 4194304 ", "0x400000", "99999999999999999999", "-1"):
            number += 1
            create(j, j.table(str(number)), {key: content})
            j.t2.modifyTable(desc={"tableName": {"qualifier": j.table()}, "columns": [{"name": "f"}], "attributes": {key: content}})
    off = {"hbase.table.sanity.checks": "false"}
    for attributes in ({"hbase.hregion.max.filesize": "5"}, {"hbase.hregion.max.filesize": "x"}, {BLOCKING: "x"}, {"MAX_FILESIZE": "4194304", "hbase.hregion.max.filesize": "5"}):
        number += 1
        create(j, j.table(str(number)), {**off, **attributes})


@scenario("ddl-fifo-compaction")
def fifo_compaction(j):
    number = 0
    for attributes in ({}, {BLOCKING: "1000"}, {BLOCKING: "x"}):
        for family in ({}, {"timeToLive": 100}, {"timeToLive": 100, "minVersions": 1, "maxVersions": 2}, {"timeToLive": 100, "configuration": {BLOCKING: "1000"}}, {"timeToLive": 100, "configuration": {BLOCKING: "x"}}):
            number += 1
            create(j, j.table(str(number)), {POLICY: FIFO, **attributes}, **family)
            number += 1
            create(j, j.table(str(number)), attributes, **{**family, "configuration": {POLICY: FIFO, **family.get("configuration", {})}})


@scenario("ddl-numbers-of-families")
def numbers_of_families(j):
    t, number = j.table(), 0
    create(j, t)
    for attributes in ({"REPLICATION_SCOPE": "x"}, {"REPLICATION_SCOPE": "9"}, {"MIN_VERSIONS": "x"}, {"VERSIONS": "x"}, {"TTL": "x"}, {"BLOCKSIZE": "x"}, {"DFS_REPLICATION": "x"}):
        for more in ({}, {"maxVersions": 3}, {"minVersions": 1}, {"scope": 1}, {"maxVersions": 3, "minVersions": 1}):
            number += 1
            create(j, j.table(str(number)), None, attributes=attributes, **more)
            j.t2.addColumnFamily(tableName={"qualifier": t}, column={"name": "g", "attributes": attributes, **more})
            j.t2.modifyColumnFamily(tableName={"qualifier": t}, column={"name": "f", "attributes": attributes, **more})
            j.t2.deleteColumnFamily(tableName={"qualifier": t}, column="g")


@scenario("ddl-long-names-of-families")
def long_names_of_families(j):
    t = j.table()
    create(j, t)
    for length in (127, 128, 300):
        name = "n" * length
        j.t2.modifyColumnFamily(tableName={"qualifier": t}, column={"name": name})
        j.t2.addColumnFamily(tableName={"qualifier": t}, column={"name": name})
        j.t2.addColumnFamily(tableName={"qualifier": j.table("absent")}, column={"name": name})
        j.t2.deleteColumnFamily(tableName={"qualifier": t}, column=name)
        j.t2.createTable(desc={"tableName": {"qualifier": j.table(f"l{length}")}, "columns": [{"name": name}]}, splitKeys=[])
        j.t2.modifyTable(desc={"tableName": {"qualifier": t}, "columns": [{"name": "f"}, {"name": name}]})
        j.t1.createTable(tableName=j.table(f"m{length}"), columnFamilies=[{"name": name + ":"}])
