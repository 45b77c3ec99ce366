"""Thrift2 administration: tables, families, descriptors, regions, namespaces."""
from scenario import scenario

def name(qualifier, ns=None):
    return {"qualifier": qualifier} if ns is None else {"ns": ns, "qualifier": qualifier}


def create(j, q, *families, splits=None, ns=None, **more):
    columns = [f if isinstance(f, dict) else {"name": f} for f in families]
    j.t2.createTable(desc={"tableName": name(q, ns), "columns": columns, **more}, splitKeys=splits)


def drop(j, q, ns=None):
    j.t2.disableTable(tableName=name(q, ns))
    j.t2.deleteTable(tableName=name(q, ns))


def show(j, q, ns=None):
    j.t2.getTableDescriptor(table=name(q, ns))


def put(j, q, row, *cells):
    """Cells are (family, qualifier, value, timestamp)."""
    j.t2.put(table=q, tput={"row": row, "columnValues": [
        {"family": f, "qualifier": c, "value": v, "timestamp": ts} for f, c, v, ts in cells]})


def scan(j, q, versions=10, rows=50):
    j.t2.getScannerResults(table=q, tscan={"maxVersions": versions}, numRows=rows)


def states(j, q, ns=None):
    for method in ("tableExists", "isTableEnabled", "isTableDisabled", "isTableAvailable"):
        getattr(j.t2, method)(tableName=name(q, ns))


# ---------------------------------------------------------------- descriptors

@scenario("t2admin-descriptor-defaults")
def descriptor_defaults(j):
    t = j.table()
    create(j, t, "cf")
    j.t2.getTableDescriptor(table=name(t, "default"))
    j.t2.getTableDescriptor(table=name(t))
    j.t2.getTableDescriptor(table=name(t, ""))
    j.t2.getTableDescriptor(table=name("default:" + t))
    j.t2.getTableDescriptor(table=name(t + "x"))
    j.t2.getTableDescriptor(table=name(t, j.scope + "ns"))
    j.t2.getTableDescriptor(table=name(t, "no-good"))
    j.t2.getTableDescriptor(table=name("hbase:meta"))
    j.t2.getTableDescriptors(tables=[name(t)])
    j.t2.getTableDescriptors(tables=[name(t), name(t, "default"), name(t, "")])
    j.t2.getTableDescriptors(tables=[name(t + "x")])
    j.t2.getTableDescriptors(tables=[name(t + "x"), name(t)])
    j.t2.getTableDescriptors(tables=[name("no good")])
    j.t2.getTableDescriptors(tables=[name(t), name("no good")])
    j.t2.getTableDescriptors(tables=[])
    j.t2.getTableDescriptorsByPattern(regex=t, includeSysTables=False)
    j.t2.getTableDescriptorsByNamespace(name="default")
    j.t2.disableTable(tableName=name(t))
    show(j, t)
    j.t2.deleteTable(tableName=name(t))
    show(j, t)


@scenario("t2admin-family-one-field-each")
def family_one_field_each(j):
    t = j.table()
    fields = [("blockSize", 1024), ("blockSize", 16777216), ("blockSize", 10763), ("bloomnFilterType", 0), ("bloomnFilterType", 1),
              ("bloomnFilterType", 2), ("compressionType", 1), ("compressionType", 2), ("dfsReplication", 0), ("dfsReplication", 1),
              ("dfsReplication", 32767), ("dataBlockEncoding", 0), ("dataBlockEncoding", 2), ("dataBlockEncoding", 3),
              ("dataBlockEncoding", 4), ("dataBlockEncoding", 7), ("keepDeletedCells", 0), ("keepDeletedCells", 1),
              ("keepDeletedCells", 2), ("maxVersions", 1), ("maxVersions", 7), ("maxVersions", 2147483647), ("minVersions", 0),
              ("minVersions", 1), ("scope", 0), ("scope", 1), ("scope", 2), ("timeToLive", 1), ("timeToLive", 86400),
              ("timeToLive", 2147483647)]
    fields += [(f, v) for f in ("blockCacheEnabled", "cacheBloomsOnWrite", "cacheDataOnWrite", "cacheIndexesOnWrite", "compressTags",
                                "evictBlocksOnClose", "inMemory") for v in (True, False)]
    create(j, t, *[{"name": f"f{i:02d}", field: value} for i, (field, value) in enumerate(fields)])
    show(j, t)


@scenario("t2admin-family-all-fields")
def family_all_fields(j):
    t = j.table()
    create(j, t, {"name": "b", "attributes": {"note": "x", "PREFETCH_BLOCKS_ON_OPEN": "true", "NEW_VERSION_BEHAVIOR": "false"},
                  "configuration": {"some.key": "some value", "other": "1"}, "blockSize": 8192, "bloomnFilterType": 2,
                  "compressionType": 1, "dfsReplication": 2, "dataBlockEncoding": 4, "keepDeletedCells": 2, "maxVersions": 9,
                  "minVersions": 3, "scope": 1, "timeToLive": 1000, "blockCacheEnabled": False, "cacheBloomsOnWrite": True,
                  "cacheDataOnWrite": True, "cacheIndexesOnWrite": True, "compressTags": False, "evictBlocksOnClose": True,
                  "inMemory": True}, "a")
    show(j, t)
    again = j.t2.getTableDescriptor(table=name(t))
    drop(j, t)
    j.t2.createTable(desc=again)
    show(j, t)
    j.t2.modifyTable(desc=again)
    show(j, t)


@scenario("t2admin-family-unknown-enum-numbers")
def family_unknown_enums(j):
    t = j.table()
    create(j, t, {"name": "a", "bloomnFilterType": 9}, {"name": "b", "compressionType": 9}, {"name": "c", "dataBlockEncoding": 1},
           {"name": "d", "keepDeletedCells": 3}, {"name": "e", "bloomnFilterType": -1}, durability=9)
    show(j, t)
    create(j, t + "p", {"name": "a", "bloomnFilterType": 3})
    create(j, t + "p", {"name": "a", "bloomnFilterType": 3, "configuration": {"RowPrefixBloomFilter.prefix_length": "0"}})
    create(j, t + "p", {"name": "a", "bloomnFilterType": 3, "configuration": {"RowPrefixBloomFilter.prefix_length": "x"}})
    create(j, t + "p", {"name": "a", "bloomnFilterType": 3, "configuration": {"RowPrefixBloomFilter.prefix_length": "2"}})
    show(j, t + "p")
    put(j, t + "p", "r", ("a", "q", "v", 1))
    scan(j, t + "p")


@scenario("t2admin-family-raw-attributes")
def family_raw_attributes(j):
    t = j.table()
    create(j, t,
           {"name": "a", "attributes": {"VERSIONS": "4", "TTL": "77", "BLOCKSIZE": "2048", "COMPRESSION": "GZ", "BLOOMFILTER": "NONE",
                                        "IN_MEMORY": "true", "BLOCKCACHE": "false", "KEEP_DELETED_CELLS": "TRUE",
                                        "DATA_BLOCK_ENCODING": "DIFF", "MIN_VERSIONS": "2", "REPLICATION_SCOPE": "1"}},
           {"name": "b", "attributes": {"VERSIONS": "4", "TTL": "77"}, "maxVersions": 2, "timeToLive": 99},
           {"name": "c", "attributes": {"versions": "4", "Ttl": "5", "": "empty key", "\x01": "\xff"}},
           {"name": "d", "attributes": {"gone": "", "VERSIONS": "3"}},
           {"name": "e", "attributes": {"IN_MEMORY": "maybe", "BLOCKCACHE": "TRUE"}},
           {"name": "f", "attributes": {"DFS_REPLICATION": "3", "CACHE_DATA_ON_WRITE": "true", "COMPRESS_TAGS": "false"}},
           {"name": "g", "attributes": {"INDEX_BLOCK_ENCODING": "NONE", "VERSIONS": "0"}})
    show(j, t)
    create(j, t + "x", {"name": "a", "attributes": {"VERSIONS": "many"}})
    create(j, t + "x", {"name": "a", "attributes": {"TTL": "FOREVER"}})
    create(j, t + "x", {"name": "a", "attributes": {"TTL": "-1"}})
    create(j, t + "x", {"name": "a", "attributes": {"BLOCKSIZE": "64 KB"}})
    create(j, t + "y", {"name": "a", "attributes": {"BLOOMFILTER": "row", "COMPRESSION": "gz"}})
    show(j, t + "y")
    create(j, t + "x", {"name": "a", "attributes": {"COMPRESSION": "WRONG"}})
    create(j, t + "x", {"name": "a", "attributes": {"MIN_VERSIONS": "2"}})
    j.t2.tableExists(tableName=name(t + "x"))


@scenario("t2admin-family-empty-attribute-removes-default")
def family_removed_defaults(j):
    t = j.table()
    for key in ("VERSIONS", "BLOOMFILTER", "TTL", "COMPRESSION"):
        create(j, t + key.lower(), {"name": "a", "attributes": {key: ""}})
        show(j, t + key.lower())


@scenario("t2admin-family-configuration")
def family_configuration(j):
    t = j.table()
    create(j, t, {"name": "a", "configuration": {"x": "1", "y": "2"}}, {"name": "b", "configuration": {}},
           {"name": "c", "configuration": {"empty": ""}}, {"name": "d", "configuration": {"": "no key", "z": "3"}},
           {"name": "e", "attributes": {"VERSIONS": "2"}, "configuration": {"VERSIONS": "5", "TTL": "6"}})
    show(j, t)
    j.t2.modifyColumnFamily(tableName=name(t), column={"name": "a", "configuration": {"y": "3"}})
    show(j, t)
    j.t2.modifyColumnFamily(tableName=name(t), column={"name": "a"})
    show(j, t)


@scenario("t2admin-table-attributes")
def table_attributes(j):
    t = j.table()
    create(j, t, "a", attributes={"OWNER": "someone", "MAX_FILESIZE": "10737418240", "MEMSTORE_FLUSHSIZE": "67108864", "note": "hello",
                                  "PRIORITY": "5", "NORMALIZATION_ENABLED": "true", "gone": "", "SPLIT_ENABLED": "false"})
    show(j, t)
    create(j, t + "2", "a", attributes={"IS_META": "false", "hbase.store.file-tracker.impl": "DEFAULT", "DURABILITY": "SKIP_WAL"})
    show(j, t + "2")
    create(j, t + "3", "a", attributes={"DURABILITY": "SKIP_WAL"}, durability=4)
    show(j, t + "3")
    create(j, t + "4", "a", attributes={"": "empty key", "\x00\xff": "\x00\xff"})
    show(j, t + "4")
    create(j, t + "5", "a", attributes={"MAX_FILESIZE": "2097151"})
    create(j, t + "5", "a", attributes={"MAX_FILESIZE": "big"})
    create(j, t + "5", "a", attributes={"MEMSTORE_FLUSHSIZE": "1048575"})
    create(j, t + "5", "a", attributes={"REGION_REPLICATION": "0"})
    create(j, t + "5", "a", attributes={"REGION_REPLICATION": "-1"})
    create(j, t + "5", "a", attributes={"SPLIT_POLICY": "no.such.Policy"})
    create(j, t + "5", "a", attributes={"coprocessor$1": "|no.such.Coprocessor|1|"})
    j.t2.tableExists(tableName=name(t + "5"))
    create(j, t + "5", "a", attributes={"MAX_FILESIZE": "2097152", "MEMSTORE_FLUSHSIZE": "1048576"})
    show(j, t + "5")
    create(j, t + "6", "a", attributes={"MAX_FILESIZE": "1", "hbase.table.sanity.checks": "false"})
    show(j, t + "6")


@scenario("t2admin-coprocessors")
def coprocessors(j):
    """Values that do not name a coprocessor are stored, others are refused if the class is missing."""
    for n, value in enumerate((
            "nope", "nope|x", "a|b", "|no.such", "|no.such|x|", "|no.such|-1|", "|no.such|1 2|", "| |1|", "|no.such|1", "|no.such|", "|no.such| 1 |",
            " | no.such |", "|no.such|1|x|y", "|no.such|99999999999|", "a|b|1|", " a |b|1", "/no/such.jar|b|1", "a*b.jar|c|")):
        t = f"{j.table()}{n}"
        create(j, t, "a", attributes={"coprocessor$1": value})
        j.t2.getTableDescriptor(table=name(t))
    t = j.table("types")
    create(j, t, "a", attributes={"COPROCESSOR$12": "|no.such|1|"})
    create(j, t, "a", attributes={"coprocessor$": "|no.such|1|", "coprocessor$1x": "|no.such|1|"})


@scenario("t2admin-table-durability")
def table_durability(j):
    t = j.table()
    for d in range(5):
        create(j, f"{t}{d}", "a", durability=d)
        show(j, f"{t}{d}")
        put(j, f"{t}{d}", "r", ("a", "q", "v", 1))
        scan(j, f"{t}{d}")
    j.t2.modifyTable(desc={"tableName": name(t + "1"), "columns": [{"name": "a"}], "durability": 3})
    show(j, t + "1")
    j.t2.modifyTable(desc={"tableName": name(t + "1"), "columns": [{"name": "a"}]})
    show(j, t + "1")


@scenario("t2admin-read-only-table")
def read_only_table(j):
    t = j.table()
    create(j, t, "a")
    put(j, t, "r", ("a", "q", "v", 1))
    j.t2.modifyTable(desc={"tableName": name(t), "columns": [{"name": "a"}], "attributes": {"READONLY": "true"}})
    show(j, t)
    scan(j, t)
    put(j, t, "r", ("a", "q", "w", 2))
    scan(j, t)
    j.t2.modifyTable(desc={"tableName": name(t), "columns": [{"name": "a"}], "attributes": {"READONLY": "false"}})
    show(j, t)
    put(j, t, "r", ("a", "q", "w", 2))
    scan(j, t)


# ---------------------------------------------------------------- bad creations

@scenario("t2admin-create-bad-family-values")
def create_bad_family_values(j):
    t = j.table()
    bad = [{"maxVersions": 0}, {"maxVersions": -1}, {"minVersions": -1}, {"minVersions": 2}, {"minVersions": 2, "maxVersions": 1},
           {"minVersions": 3, "maxVersions": 3, "attributes": {"VERSIONS": "1"}},
           {"blockSize": 0}, {"blockSize": -1}, {"blockSize": 1023}, {"blockSize": 16777217}, {"blockSize": 2147483647},
           {"timeToLive": 0}, {"timeToLive": -1}, {"timeToLive": -2147483648}, {"dfsReplication": -1}, {"dfsReplication": -32768},
           {"scope": -1}, {"scope": 3}, {"scope": 2147483647}]
    for i, fields in enumerate(bad):
        create(j, t, {"name": "cf", **fields})
        if i == 5:
            show(j, t)
            drop(j, t)
    j.t2.tableExists(tableName=name(t))
    create(j, t, "good", {"name": "bad", "timeToLive": 0})
    create(j, t, {"name": "bad", "maxVersions": 0}, "good")
    create(j, t, {"name": "both", "timeToLive": 0, "blockSize": 0, "minVersions": -1})
    j.t2.tableExists(tableName=name(t))


@scenario("t2admin-create-family-names")
def create_family_names(j):
    t = j.table()
    for bad in ("", ".", ".a", "a:b", "a:", ":", "a/b", "a\\b", "a\x00", "a\x1f", "a\x7f", "recovered.edits", "x" * 128, "x" * 300):
        create(j, t, bad)
    j.t2.tableExists(tableName=name(t))
    create(j, t, "a", "a")
    create(j, t, "a", "b", {"name": "a", "maxVersions": 2})
    create(j, t)
    j.t2.createTable(desc={"tableName": name(t)})
    j.t2.createTable(desc={"tableName": name(t), "columns": [{}]})
    j.t2.createTable(desc={"columns": [{"name": "a"}]})
    j.t2.tableExists(tableName=name(t))
    create(j, t, "z", "a", "B", "b", "x" * 127, "with space", "\xc3\xa4", "\xff\xfe", "a.b", "0", "-", "_", "A", "*", "recovered.edit")
    show(j, t)
    put(j, t, "r", ("with space", "q", "1", 1), ("\xff\xfe", "q", "2", 1), ("x" * 127, "q", "3", 1), ("B", "q", "4", 1), ("b", "q", "5", 1))
    scan(j, t)


@scenario("t2admin-create-table-names")
def create_table_names(j):
    s = j.scope
    for bad in ("", ".a", "-a", "a b", "a:b", "a/b", "a$b", "a\x00", "zookeeper", "-ROOT-", ".META.", "a\xe2\x82\xac", "a\xf0\x9d\x94\xb8",
                "\xff\xfe", "a,b", "a*"):
        create(j, bad, "f")
        j.t2.tableExists(tableName=name(bad))
    for good in ("a", "A", "a.b", "a-b", "a_b", "a.", "0", "\xc3\xa4", "zookeeper"):
        create(j, s + good, "f")
        j.t2.tableExists(tableName=name(s + good))
    j.t2.tableExists(tableName=name(s + "B"))
    j.t2.getTableNamesByPattern(regex=s + ".*", includeSysTables=False)
    j.t2.getTableDescriptor(table=name(s + "\xc3\xa4"))
    for ns in ("no-good", "a.b", "a b", "zookeeper", ":", "a:b"):
        create(j, s + "n", "f", ns=ns)
        j.t2.tableExists(tableName=name(s + "n", ns))


@scenario("t2admin-create-existing")
def create_existing(j):
    t = j.table()
    create(j, t, "f")
    create(j, t, "f")
    create(j, t, "g", splits=["a"])
    create(j, t, {"name": "f", "timeToLive": 0})
    create(j, t)
    create(j, t, "f", ns="default")
    create(j, t, "f", ns=j.scope + "ns")
    create(j, t, {"name": "f", "timeToLive": 0}, ns=j.scope + "ns")
    j.t2.disableTable(tableName=name(t))
    create(j, t, "f")
    show(j, t)
    states(j, t)
    j.t2.deleteTable(tableName=name(t))
    create(j, t, "g")
    show(j, t)
    states(j, t)


@scenario("t2admin-compression-codecs")
def compression_codecs(j):
    t = j.table()
    for codec in (0, 3, 4, 5, 6):
        create(j, t, {"name": "f", "compressionType": codec})
    create(j, t, {"name": "f", "attributes": {"COMPRESSION": "BROTLI"}})
    create(j, t, {"name": "f", "attributes": {"COMPRESSION": "LZMA"}})
    create(j, t, {"name": "f", "compressionType": 1}, {"name": "g", "compressionType": 3})
    create(j, t, {"name": "f", "compressionType": 3, "timeToLive": 0})
    j.t2.tableExists(tableName=name(t))
    create(j, t, {"name": "f", "compressionType": 1})
    j.t2.addColumnFamily(tableName=name(t), column={"name": "g", "compressionType": 3})
    j.t2.modifyColumnFamily(tableName=name(t), column={"name": "f", "compressionType": 6})
    j.t2.modifyTable(desc={"tableName": name(t), "columns": [{"name": "f", "compressionType": 4}]})
    show(j, t)
    put(j, t, "r", ("f", "q", "v" * 100, 1))
    scan(j, t)
    j.t2.modifyColumnFamily(tableName=name(t), column={"name": "f", "compressionType": 2})
    show(j, t)
    scan(j, t)


@scenario("t2admin-missing-required-fields")
def missing_required(j):
    t = j.table()
    for method in ("getTableDescriptor", "getTableDescriptors"):
        getattr(j.t2, method)(**{"table" if method.endswith("or") else "tables": None})
    j.t2.getTableDescriptor(table={})
    j.t2.getTableDescriptors(tables=[{}])
    j.t2.createTable(desc=None)
    j.t2.createTable(desc={})
    j.t2.createTable(desc={"tableName": {}})
    j.t2.createTable(desc={"tableName": name(t), "columns": [{"maxVersions": 2}]})
    j.t2.modifyTable(desc=None)
    j.t2.modifyTable(desc={})
    for method in ("deleteTable", "enableTable", "disableTable", "isTableEnabled", "isTableDisabled", "isTableAvailable", "tableExists"):
        getattr(j.t2, method)(tableName=None)
        getattr(j.t2, method)(tableName={})
        getattr(j.t2, method)(tableName={"ns": "default"})
    j.t2.truncateTable(tableName=name(t), preserveSplits=None)
    j.t2.truncateTable(tableName=None, preserveSplits=True)
    j.t2.isTableAvailableWithSplit(tableName=None, splitKeys=[])
    j.t2.addColumnFamily(tableName=name(t), column=None)
    j.t2.addColumnFamily(tableName=name(t), column={})
    j.t2.addColumnFamily(tableName=None, column={"name": "a"})
    j.t2.modifyColumnFamily(tableName=name(t), column={})
    j.t2.deleteColumnFamily(tableName=name(t), column=None)
    j.t2.createNamespace(namespaceDesc=None)
    j.t2.createNamespace(namespaceDesc={})
    j.t2.modifyNamespace(namespaceDesc={})
    j.t2.deleteNamespace(name=None)
    j.t2.getNamespaceDescriptor(name=None)
    j.t2.getTableNamesByPattern(regex="x", includeSysTables=None)
    j.t2.getTableDescriptorsByPattern(regex="x", includeSysTables=None)
    j.t2.getTableNamesByNamespace(name=None)
    j.t2.getTableDescriptorsByNamespace(name=None)
    j.t2.getAllRegionLocations(table=None)
    j.t2.getRegionLocation(table=t, row=None)
    j.t2.getThriftServerType()


# ---------------------------------------------------------------- regions

@scenario("t2admin-split-keys")
def split_keys(j):
    t = j.table()
    for n, keys in enumerate(([], ["m"], ["a", "b", "c"], ["c", "a", "b"], ["\xff", "\x00", "\x7f", "\x80"], ["a", "aa", "a\x00", "ab"])):
        create(j, f"{t}{n}", "f", splits=keys)
        j.t2.getAllRegionLocations(table=f"{t}{n}")
        j.t2.isTableAvailable(tableName=name(f"{t}{n}"))
    for keys in ([""], ["a", ""], ["", "a"], ["a", "a"], ["b", "a", "b"], ["a", "a", ""]):
        create(j, t + "x", "f", splits=keys)
        j.t2.tableExists(tableName=name(t + "x"))
    j.t2.getAllRegionLocations(table=t + "x")
    j.t2.getAllRegionLocations(table="default:" + t + "1")
    j.t2.getAllRegionLocations(table="bad name")
    j.t2.getAllRegionLocations(table="")
    j.t2.getAllRegionLocations(table=j.scope + "ns:t")


@scenario("t2admin-region-location")
def region_location(j):
    t = j.table()
    create(j, t, "f", splits=["b", "d", "d\x00", "\xf0"])
    for row in ("", "\x00", "a", "azzz", "b", "b\x00", "c", "cz", "d", "d\x00", "d\x01", "e", "\xef\xff", "\xf0", "\xff\xff"):
        j.t2.getRegionLocation(table=t, row=row, reload=False)
    for row in ("", "c", "zz"):
        j.t2.getRegionLocation(table=t, row=row, reload=True)
        j.t2.getRegionLocation(table=t, row=row)
    j.t2.getRegionLocation(table="default:" + t, row="b", reload=True)
    j.t2.getRegionLocation(table=t + "x", row="b", reload=True)
    j.t2.getRegionLocation(table=t + "x", row="b", reload=False)
    j.t2.getRegionLocation(table=t + "x", row="")
    j.t2.getRegionLocation(table="bad name", row="b")
    j.t2.getRegionLocation(table=t, row="x" * 40000, reload=False)
    for i, row in enumerate(("a", "b", "c", "d", "d\x00", "e", "\xf0", "\xff")):
        put(j, t, row, ("f", "q", str(i), 1))
    scan(j, t)
    j.t2.getScannerResults(table=t, tscan={"reversed": True, "maxVersions": 1}, numRows=20)
    j.t2.disableTable(tableName=name(t))
    j.t2.getAllRegionLocations(table=t)
    j.t2.isTableAvailable(tableName=name(t))
    j.t2.enableTable(tableName=name(t))
    j.t2.getAllRegionLocations(table=t)
    scan(j, t)


@scenario("t2admin-available-with-split")
def available_with_split(j):
    t = j.table()
    create(j, t, "f", splits=["b", "d"])
    for keys in (["b", "d"], ["d", "b"], ["b"], ["b", "d", "f"], ["b", "c"], [], None, [""], ["b", ""], ["b", "b"], ["x", "y"]):
        j.t2.isTableAvailableWithSplit(tableName=name(t), splitKeys=keys)
    j.t2.disableTable(tableName=name(t))
    j.t2.isTableAvailableWithSplit(tableName=name(t), splitKeys=["b", "d"])
    j.t2.isTableAvailableWithSplit(tableName=name(t), splitKeys=[])
    j.t2.isTableAvailableWithSplit(tableName=name(t + "x"), splitKeys=["b"])
    j.t2.isTableAvailableWithSplit(tableName=name(t + "x"), splitKeys=[])
    j.t2.isTableAvailableWithSplit(tableName=name("bad name"), splitKeys=["b"])
    create(j, t + "1", "f")
    for keys in ([], None, ["a"], [""]):
        j.t2.isTableAvailableWithSplit(tableName=name(t + "1"), splitKeys=keys)


@scenario("t2admin-truncate")
def truncate(j):
    t = j.table()
    create(j, t, {"name": "f", "maxVersions": 3}, "g", splits=["b", "d"], attributes={"note": "kept"}, durability=2)
    for row in ("a", "b", "c", "d", "e"):
        put(j, t, row, ("f", "q", "old " + row, 5), ("g", "q", "old", 7))
    j.t2.truncateTable(tableName=name(t), preserveSplits=True)
    scan(j, t)
    j.t2.disableTable(tableName=name(t))
    j.t2.truncateTable(tableName=name(t), preserveSplits=True)
    states(j, t)
    scan(j, t)
    j.t2.getAllRegionLocations(table=t)
    j.t2.getRegionLocation(table=t, row="c", reload=True)
    show(j, t)
    put(j, t, "c", ("f", "q", "new", 1))
    scan(j, t)
    j.t2.truncateTable(tableName=name(t), preserveSplits=False)
    j.t2.disableTable(tableName=name(t))
    j.t2.truncateTable(tableName=name(t), preserveSplits=False)
    states(j, t)
    j.t2.getAllRegionLocations(table=t)
    j.t2.getRegionLocation(table=t, row="c", reload=True)
    scan(j, t)
    show(j, t)
    put(j, t, "c", ("f", "q", "newer", 1))
    scan(j, t)
    j.t2.truncateTable(tableName=name(t + "x"), preserveSplits=False)
    j.t2.truncateTable(tableName=name("bad name"), preserveSplits=True)
    j.t2.truncateTable(tableName=name(t, j.scope + "ns"), preserveSplits=True)


# ---------------------------------------------------------------- states

@scenario("t2admin-states")
def table_states(j):
    t = j.table()
    create(j, t, "f")
    put(j, t, "r", ("f", "q", "v", 1))
    states(j, t)
    j.t2.enableTable(tableName=name(t))
    j.t2.deleteTable(tableName=name(t))
    j.t2.disableTable(tableName=name(t, "default"))
    states(j, t, "default")
    j.t2.disableTable(tableName=name(t))
    scan(j, t)
    put(j, t, "r", ("f", "q", "w", 2))
    j.t2.exists(table=t, tget={"row": "r"})
    j.t2.getMultiple(table=t, tgets=[{"row": "r"}, {"row": "s"}])
    j.t2.enableTable(tableName=name(t, ""))
    states(j, t)
    scan(j, t)
    j.t2.enableTable(tableName=name(t))
    j.t2.disableTable(tableName=name(t))
    j.t2.deleteTable(tableName=name(t))
    states(j, t)
    j.t2.deleteTable(tableName=name(t))
    create(j, t, "f")
    scan(j, t)


@scenario("t2admin-missing-table")
def missing_table(j):
    t = j.table("absent")
    for q, ns in ((t, None), (t, "default"), (t, j.scope + "ns"), ("bad name", None), ("t", "bad-ns"), ("", None)):
        states(j, q, ns)
        for method in ("enableTable", "disableTable", "deleteTable"):
            getattr(j.t2, method)(tableName=name(q, ns))
        j.t2.truncateTable(tableName=name(q, ns), preserveSplits=True)
        j.t2.addColumnFamily(tableName=name(q, ns), column={"name": "a"})
        j.t2.modifyColumnFamily(tableName=name(q, ns), column={"name": "a"})
        j.t2.deleteColumnFamily(tableName=name(q, ns), column="a")
        j.t2.modifyTable(desc={"tableName": name(q, ns), "columns": [{"name": "a"}]})
    j.t2.addColumnFamily(tableName=name(t), column={"name": "a", "timeToLive": 0})
    j.t2.addColumnFamily(tableName=name(t), column={"name": "a:b"})
    j.t2.modifyTable(desc={"tableName": name(t), "columns": []})
    j.t2.modifyTable(desc={"tableName": name(t)})
    j.t2.modifyTable(desc={"tableName": name(t), "columns": [{"name": "a", "timeToLive": 0}]})


@scenario("t2admin-system-tables")
def system_tables(j):
    states(j, "meta", "hbase")
    j.t2.disableTable(tableName=name("meta", "hbase"))
    j.t2.enableTable(tableName=name("meta", "hbase"))
    create(j, "meta", "f", ns="hbase")
    states(j, "meta", "default")
    j.t2.isTableEnabled(tableName=name("hbase:meta"))
    j.t2.getAllRegionLocations(table="hbase:meta")
    j.t2.getRegionLocation(table="hbase:meta", row="x", reload=False)
    j.t2.deleteNamespace(name="hbase")
    j.t2.createNamespace(namespaceDesc={"name": "hbase"})
    j.t2.getNamespaceDescriptor(name="hbase")
    j.t2.getNamespaceDescriptor(name="default")


@scenario("t2admin-table-in-hbase-namespace")
def table_in_hbase_namespace(j):
    t = j.table()
    create(j, t, "f", ns="hbase")
    show(j, t, "hbase")
    j.t2.getTableNamesByPattern(regex=".*" + t, includeSysTables=False)
    j.t2.getTableNamesByPattern(regex=".*" + t, includeSysTables=True)
    j.t2.getTableDescriptorsByPattern(regex=".*" + t, includeSysTables=False)
    j.t2.getTableNamesByNamespace(name="hbase")
    j.t2.getTableDescriptors(tables=[])
    j.t2.getTableDescriptors(tables=[name(t, "hbase")])
    put(j, "hbase:" + t, "r", ("f", "q", "v", 1))
    scan(j, "hbase:" + t)
    drop(j, t, "hbase")
    states(j, t, "hbase")


# ---------------------------------------------------------------- alterations

@scenario("t2admin-add-family")
def add_family(j):
    t = j.table()
    create(j, t, "b")
    put(j, t, "r", ("b", "q", "1", 1))
    put(j, t, "r", ("c", "q", "2", 1))
    j.t2.addColumnFamily(tableName=name(t), column={"name": "c"})
    show(j, t)
    put(j, t, "r", ("c", "q", "2", 1))
    scan(j, t)
    j.t2.addColumnFamily(tableName=name(t), column={"name": "c"})
    j.t2.addColumnFamily(tableName=name(t), column={"name": "c", "maxVersions": 3})
    j.t2.addColumnFamily(tableName=name(t), column={"name": "a", "maxVersions": 3, "timeToLive": 2147483647, "inMemory": True,
                                                    "configuration": {"k": "v"}, "attributes": {"note": "n"}})
    show(j, t)
    for bad in ({"name": ""}, {"name": "a:b"}, {"name": ".x"}, {"name": "x", "maxVersions": 0}, {"name": "x", "timeToLive": 0},
                {"name": "x", "blockSize": 1}, {"name": "x", "minVersions": 5}, {"name": "x", "scope": -1}, {"name": "x", "dfsReplication": -1},
                {"name": "x", "bloomnFilterType": 3}, {"name": "b", "timeToLive": 0}):
        j.t2.addColumnFamily(tableName=name(t), column=bad)
    j.t2.disableTable(tableName=name(t))
    j.t2.addColumnFamily(tableName=name(t), column={"name": "d"})
    show(j, t)
    states(j, t)
    j.t2.enableTable(tableName=name(t))
    put(j, t, "r", ("d", "q", "3", 1), ("a", "q", "0", 1))
    scan(j, t)


@scenario("t2admin-modify-family")
def modify_family(j):
    t = j.table()
    create(j, t, {"name": "a", "maxVersions": 5, "inMemory": True, "blockSize": 2048, "attributes": {"note": "first"},
                  "configuration": {"k": "v"}}, "b", attributes={"table": "note"}, durability=1)
    for ts in (1, 2, 3, 4):
        put(j, t, "r", ("a", "q", f"v{ts}", ts), ("b", "q", f"w{ts}", ts))
    scan(j, t)
    j.t2.modifyColumnFamily(tableName=name(t), column={"name": "a", "maxVersions": 2})
    show(j, t)
    scan(j, t)
    j.t2.modifyColumnFamily(tableName=name(t), column={"name": "b", "maxVersions": 3, "attributes": {"note": "second"}})
    show(j, t)
    for ts in (5, 6, 7):
        put(j, t, "r", ("a", "q", f"v{ts}", ts), ("b", "q", f"w{ts}", ts))
    scan(j, t)
    j.t2.modifyColumnFamily(tableName=name(t), column={"name": "a", "timeToLive": 60})
    show(j, t)
    scan(j, t)
    j.t2.modifyColumnFamily(tableName=name(t), column={"name": "a"})
    show(j, t)
    j.t2.modifyColumnFamily(tableName=name(t), column={"name": "c"})
    j.t2.modifyColumnFamily(tableName=name(t), column={"name": "c", "timeToLive": 0})
    for bad in ({"name": ""}, {"name": "a:"}, {"name": "a", "maxVersions": 0}, {"name": "a", "timeToLive": -5}, {"name": "a", "blockSize": 99999999},
                {"name": "a", "minVersions": 2}, {"name": "a", "minVersions": -1}, {"name": "a", "scope": -7}, {"name": "a", "dfsReplication": -1}):
        j.t2.modifyColumnFamily(tableName=name(t), column=bad)
    show(j, t)
    j.t2.disableTable(tableName=name(t))
    j.t2.modifyColumnFamily(tableName=name(t), column={"name": "b", "keepDeletedCells": 1, "maxVersions": 3})
    show(j, t)
    states(j, t)
    j.t2.enableTable(tableName=name(t))
    scan(j, t)


@scenario("t2admin-delete-family")
def delete_family(j):
    t = j.table()
    create(j, t, "a", "b", "c")
    put(j, t, "r", ("a", "q", "1", 1), ("b", "q", "2", 1), ("c", "q", "3", 1))
    put(j, t, "s", ("b", "q", "4", 1))
    j.t2.deleteColumnFamily(tableName=name(t), column="b")
    show(j, t)
    scan(j, t)
    j.t2.get(table=t, tget={"row": "s"})
    j.t2.get(table=t, tget={"row": "r", "columns": [{"family": "b"}]})
    put(j, t, "r", ("b", "q", "5", 5))
    j.t2.deleteColumnFamily(tableName=name(t), column="b")
    for wrong in ("", "zz", "A", "a:", "a:q", "\xff"):
        j.t2.deleteColumnFamily(tableName=name(t), column=wrong)
    j.t2.addColumnFamily(tableName=name(t), column={"name": "b"})
    scan(j, t)
    put(j, t, "s", ("b", "q", "6", 1))
    scan(j, t)
    j.t2.disableTable(tableName=name(t))
    j.t2.deleteColumnFamily(tableName=name(t), column="c")
    show(j, t)
    j.t2.deleteColumnFamily(tableName=name(t), column="b")
    j.t2.deleteColumnFamily(tableName=name(t), column="a")
    show(j, t)
    j.t2.enableTable(tableName=name(t))
    j.t2.deleteColumnFamily(tableName=name(t), column="a")
    scan(j, t)


@scenario("t2admin-modify-table")
def modify_table(j):
    t = j.table()
    create(j, t, {"name": "a", "maxVersions": 3}, "b", attributes={"note": "first", "other": "x"}, durability=1)
    put(j, t, "r", ("a", "q", "1", 1), ("b", "q", "2", 1))
    j.t2.modifyTable(desc={"tableName": name(t), "columns": [{"name": "a", "maxVersions": 3}, {"name": "c", "inMemory": True}]})
    show(j, t)
    scan(j, t)
    put(j, t, "r", ("c", "q", "3", 1))
    j.t2.modifyTable(desc={"tableName": name(t, "default"), "columns": [{"name": "c"}, {"name": "b"}, {"name": "a"}],
                           "attributes": {"note": "second", "IS_META": "false"}, "durability": 4})
    show(j, t)
    scan(j, t)
    j.t2.modifyTable(desc={"tableName": name(t), "columns": [{"name": "a"}, {"name": "a"}]})
    j.t2.modifyTable(desc={"tableName": name(t), "columns": []})
    j.t2.modifyTable(desc={"tableName": name(t)})
    j.t2.modifyTable(desc={"tableName": name(t), "columns": [{"name": "a:b"}]})
    j.t2.modifyTable(desc={"tableName": name(t), "columns": [{"name": "a", "maxVersions": -3}]})
    j.t2.modifyTable(desc={"tableName": name(t), "columns": [{"name": "a", "timeToLive": 0}]})
    j.t2.modifyTable(desc={"tableName": name(t), "columns": [{"name": "a"}], "attributes": {"MAX_FILESIZE": "5"}})
    j.t2.modifyTable(desc={"tableName": name(t), "columns": [{"name": "a"}], "attributes": {"REGION_REPLICATION": "0"}})
    show(j, t)
    j.t2.disableTable(tableName=name(t))
    j.t2.modifyTable(desc={"tableName": name(t), "columns": [{"name": "d"}], "attributes": {"note": ""}})
    show(j, t)
    states(j, t)
    j.t2.enableTable(tableName=name(t))
    scan(j, t)
    back = j.t2.getTableDescriptor(table=name(t))
    j.t2.modifyTable(desc=back)
    show(j, t)


@scenario("t2admin-modify-table-identity-and-splits")
def modify_table_splits(j):
    t = j.table()
    create(j, t, "a", splits=["m"])
    put(j, t, "c", ("a", "q", "1", 1))
    put(j, t, "x", ("a", "q", "2", 1))
    again = j.t2.getTableDescriptor(table=name(t))
    j.t2.modifyTable(desc=again)
    j.t2.modifyTable(desc={"tableName": name(t), "columns": [{"name": "a", "maxVersions": 4}], "attributes": {"x": "y"}})
    j.t2.getAllRegionLocations(table=t)
    scan(j, t)
    j.t2.addColumnFamily(tableName=name(t), column={"name": "b"})
    j.t2.getAllRegionLocations(table=t)
    put(j, t, "x", ("b", "q", "3", 1), ("a", "q", "4", 4))
    scan(j, t)
    show(j, t)


@scenario("t2admin-store-file-tracker")
def store_file_tracker(j):
    t = j.table()
    create(j, t, "a", attributes={"hbase.store.file-tracker.impl": "FILE"})
    show(j, t)
    j.t2.modifyTable(desc={"tableName": name(t), "columns": [{"name": "a"}]})
    j.t2.modifyTable(desc={"tableName": name(t), "columns": [{"name": "a"}], "attributes": {"hbase.store.file-tracker.impl": "DEFAULT"}})
    j.t2.modifyTable(desc={"tableName": name(t), "columns": [{"name": "a", "maxVersions": 2}],
                           "attributes": {"hbase.store.file-tracker.impl": "FILE"}})
    show(j, t)
    create(j, t + "2", "a", attributes={"hbase.store.file-tracker.impl": "wrong"})
    j.t2.tableExists(tableName=name(t + "2"))
    create(j, t + "3", "a")
    j.t2.modifyTable(desc={"tableName": name(t + "3"), "columns": [{"name": "a"}], "attributes": {"hbase.store.file-tracker.impl": "FILE"}})
    show(j, t + "3")


# ---------------------------------------------------------------- listing

@scenario("t2admin-name-patterns")
def name_patterns(j):
    s, ns = j.scope, j.scope + "ns"
    j.t2.createNamespace(namespaceDesc={"name": ns})
    for q in ("aa", "ab", "a.b", "b-1", "B"):
        create(j, s + q, "f")
    create(j, "aa", "f", ns=ns)
    create(j, s + "aa", "f", ns=ns)
    j.t2.disableTable(tableName=name(s + "ab"))
    for regex in (None, "", ".*", s, s + "aa", s + "a", s + "a.", s + "a\\.b", s + ".*", s + "[ab]+", s + "(?i)b", "(?i)" + s.upper() + "AA",
                  s + "b-\\d", ".*aa", "aa", "default:.*", "default:" + s + "a.*", "default:" + s + "aa|" + ns + ":aa", ns + ":.*",
                  ns + ".*", ns + ":aa", ".*:.*", "^" + s + "aa$", s + "aa?", s + "a{2}", s + "\\p{Lower}+", s + "(aa|B)", "(?!" + s + "a).*",
                  "\\Q" + s + "a.b\\E", s + "a[^.]*", "x*", " " + s + "aa", s + "\\w\\w", s + "(a)\\1", s + "(?<x>a)\\k<x>", s + ".*+b"):
        j.t2.getTableNamesByPattern(regex=regex, includeSysTables=False)
    for bad in ("[", "(", "*", "a{2", "\\", "(?<x", "a**"):
        j.t2.getTableNamesByPattern(regex=bad, includeSysTables=False)
    j.t2.getTableDescriptorsByPattern(regex="(", includeSysTables=True)
    j.t2.getTableDescriptorsByPattern(regex=s + "a[ab]", includeSysTables=False)
    j.t2.getTableDescriptorsByPattern(regex=ns + ":.*", includeSysTables=True)
    j.t2.getTableNamesByPattern(regex=s + "a.*", includeSysTables=True)
    j.t2.getTableNamesByPattern(regex=None, includeSysTables=True)
    j.t2.getTableNamesByNamespace(name=ns)
    j.t2.getTableNamesByNamespace(name="default")
    j.t2.getTableNamesByNamespace(name="hbase")
    j.t2.getTableNamesByNamespace(name="")
    j.t2.getTableDescriptorsByNamespace(name=ns)
    j.t2.getTableNamesByNamespace(name=ns + "x")
    j.t2.getTableDescriptorsByNamespace(name=ns + "x")
    j.t2.getTableNamesByNamespace(name="no-good")
    j.t2.getTableNamesByNamespace(name=ns[:-1])
    j.t2.getTableDescriptors(tables=[name("aa", ns), name(s + "aa"), name("aa")])
    j.t1.getTableNames()


# ---------------------------------------------------------------- namespaces

@scenario("t2admin-namespace-life")
def namespace_life(j):
    n = j.scope + "n"
    j.t2.getNamespaceDescriptor(name=n)
    j.t2.createNamespace(namespaceDesc={"name": n})
    j.t2.getNamespaceDescriptor(name=n)
    j.t2.createNamespace(namespaceDesc={"name": n})
    j.t2.createNamespace(namespaceDesc={"name": n, "configuration": {"k": "v"}})
    j.t2.getNamespaceDescriptor(name=n)
    j.t2.modifyNamespace(namespaceDesc={"name": n, "configuration": {"k": "v", "l": "w"}})
    j.t2.getNamespaceDescriptor(name=n)
    j.t2.modifyNamespace(namespaceDesc={"name": n, "configuration": {"k": "x", "": "no key", "empty": "", "uml\xc3\xa4ut": "\xe2\x82\xac"}})
    j.t2.getNamespaceDescriptor(name=n)
    j.t2.modifyNamespace(namespaceDesc={"name": n, "configuration": {}})
    j.t2.getNamespaceDescriptor(name=n)
    j.t2.modifyNamespace(namespaceDesc={"name": n})
    j.t2.createNamespace(namespaceDesc={"name": n + "2", "configuration": {"a": "b"}})
    j.t2.createNamespace(namespaceDesc={"name": n + "3", "configuration": {}})
    j.t2.listNamespaces()
    j.t2.listNamespaceDescriptors()
    j.t2.deleteNamespace(name=n)
    j.t2.deleteNamespace(name=n)
    j.t2.getNamespaceDescriptor(name=n)
    j.t2.modifyNamespace(namespaceDesc={"name": n, "configuration": {"k": "v"}})
    j.t2.listNamespaces()
    j.t2.deleteNamespace(name=n + "2")
    j.t2.deleteNamespace(name=n + "3")
    j.t2.listNamespaceDescriptors()


@scenario("t2admin-namespace-names")
def namespace_names(j):
    for bad in ("", "no-good", "a.b", "a:b", "a b", "zookeeper", "-", ".", "a/b", "\xe2\x82\xac"):
        j.t2.createNamespace(namespaceDesc={"name": bad})
        j.t2.getNamespaceDescriptor(name=bad)
        j.t2.deleteNamespace(name=bad)
    j.t2.modifyNamespace(namespaceDesc={"name": "no-good", "configuration": {"k": "v"}})
    j.t2.modifyNamespace(namespaceDesc={"name": "", "configuration": {"k": "v"}})
    for good in ("a", "A", "_", "0", "\xc3\xa4"):
        j.t2.createNamespace(namespaceDesc={"name": j.scope + good})
        j.t2.getNamespaceDescriptor(name=j.scope + good)
    j.t2.listNamespaces()
    create(j, "t", "f", ns=j.scope + "\xc3\xa4")
    j.t2.getTableNamesByNamespace(name=j.scope + "\xc3\xa4")
    put(j, j.scope + "\xc3\xa4:t", "r", ("f", "q", "v", 1))
    scan(j, j.scope + "\xc3\xa4:t")


@scenario("t2admin-namespace-tables")
def namespace_tables(j):
    n = j.scope + "n"
    j.t2.createNamespace(namespaceDesc={"name": n})
    j.t2.getTableNamesByNamespace(name=n)
    j.t2.getTableDescriptorsByNamespace(name=n)
    create(j, "t", "f", ns=n)
    create(j, "t", "f", ns=n)
    create(j, n + ":u", "f")
    j.t2.deleteNamespace(name=n)
    j.t2.getTableNamesByNamespace(name=n)
    show(j, "t", n)
    show(j, n + ":t")
    states(j, "t", n)
    states(j, "t", j.scope + "other")
    put(j, n + ":t", "r", ("f", "q", "v", 1))
    put(j, "t", "r", ("f", "q", "v", 1))
    put(j, n + "x:t", "r", ("f", "q", "v", 1))
    scan(j, n + ":t")
    j.t2.getAllRegionLocations(table=n + ":t")
    j.t2.disableTable(tableName=name("t", n))
    j.t2.disableTable(tableName=name("t", n))
    j.t2.enableTable(tableName=name("t", n))
    j.t2.enableTable(tableName=name("t", n))
    j.t2.deleteTable(tableName=name("t", n))
    j.t2.truncateTable(tableName=name("t", n), preserveSplits=True)
    j.t2.addColumnFamily(tableName=name("t", n), column={"name": "g"})
    j.t2.addColumnFamily(tableName=name("t", n), column={"name": "g"})
    j.t2.getTableDescriptorsByNamespace(name=n)
    j.t2.disableTable(tableName=name("t", n))
    j.t2.deleteNamespace(name=n)
    create(j, "t2", "f", ns=n)
    j.t2.deleteNamespace(name=n)
    drop(j, "t2", n)
    j.t2.deleteTable(tableName=name("t", n))
    j.t2.deleteNamespace(name=n)
    j.t2.getTableNamesByNamespace(name=n)
    create(j, "t", "f", ns=n)


@scenario("t2admin-namespace-quotas")
def namespace_quotas(j):
    n = j.scope + "n"
    for key in ("hbase.namespace.quota.maxtables", "hbase.namespace.quota.maxregions"):
        for value in ("0", "-1", "x", " 1", "1.5", "2147483648"):
            j.t2.createNamespace(namespaceDesc={"name": n, "configuration": {key: value}})
        j.t2.getNamespaceDescriptor(name=n)
        for value in ("", "1", "+2"):
            j.t2.createNamespace(namespaceDesc={"name": n, "configuration": {key: value}})
            j.t2.getNamespaceDescriptor(name=n)
            j.t2.modifyNamespace(namespaceDesc={"name": n, "configuration": {key: "0"}})
            j.t2.getNamespaceDescriptor(name=n)
            j.t2.deleteNamespace(name=n)
    j.t2.createNamespace(namespaceDesc={"name": n, "configuration": {"hbase.namespace.quota.maxtables": "1",
                                                                     "hbase.namespace.quota.maxregions": "2"}})
    j.t2.getNamespaceDescriptor(name=n)
    create(j, "t", "f", ns=n)
    create(j, "u", "f", ns=n)
    j.t2.getTableNamesByNamespace(name=n)
    drop(j, "t", n)


# ---------------------------------------------------------------- the rest

@scenario("t2admin-server-calls")
def server_calls(j):
    j.t2.getThriftServerType()
    j.t2.getSlowLogResponses(serverNames=[], logQueryFilter={})
    j.t2.getSlowLogResponses(serverNames=None, logQueryFilter={})
    j.t2.getSlowLogResponses(serverNames=[], logQueryFilter=None)
    j.t2.getSlowLogResponses(serverNames=None, logQueryFilter=None)
    j.t2.getSlowLogResponses(serverNames=[], logQueryFilter={"limit": 5, "logType": 1, "filterByOperator": 0, "tableName": "t"})
    j.t2.getSlowLogResponses(serverNames=[], logQueryFilter={"limit": -1, "logType": 2, "filterByOperator": 1, "userName": "u"})
    j.t2.getSlowLogResponses(serverNames=[], logQueryFilter={"limit": 0, "regionName": "r", "clientAddress": "c"})
    j.t2.clearSlowLogResponses(serverNames=[])
    j.t2.clearSlowLogResponses(serverNames=None)
    j.t2.getSlowLogResponses(serverNames=[{"port": 5}], logQueryFilter={})
    j.t2.clearSlowLogResponses(serverNames=[{"port": 5}])


@scenario("t2admin-tables-seen-from-thrift1")
def seen_from_thrift1(j):
    t, ns = j.table(), j.scope + "ns"
    create(j, t, "plain", {"name": "rich", "maxVersions": 4, "compressionType": 1, "inMemory": True, "bloomnFilterType": 2,
                           "timeToLive": 500, "blockCacheEnabled": False})
    j.t1.getColumnDescriptors(tableName=t)
    j.t2.createNamespace(namespaceDesc={"name": ns})
    create(j, "t", "f", ns=ns)
    j.t1.getTableNames()
    j.t1.getColumnDescriptors(tableName=ns + ":t")
    j.t2.disableTable(tableName=name(t))
    j.t1.isTableEnabled(tableName=t)
    j.t1.getTableNamesWithIsTableEnabled()
    j.t1.enableTable(tableName=t)
    states(j, t)
    j.t1.createTable(tableName=t + "1", columnFamilies=[{"name": "x:"}, {"name": "y:", "maxVersions": 2, "timeToLive": 9}])
    show(j, t + "1")
    j.t1.disableTable(tableName=t + "1")
    states(j, t + "1")
    j.t2.deleteTable(tableName=name(t + "1"))
    j.t1.getTableNames()


# ---------------------------------------------------------------- random

def random_family(r, n):
    fam = {"name": n}
    for field, values in (("maxVersions", (1, 1, 2, 3, 5, 0)), ("minVersions", (0, 0, 1, 2, -1)), ("timeToLive", (2147483647, 100, 1, 0)),
                          ("blockSize", (65536, 1024, 4096, 512)), ("bloomnFilterType", (0, 1, 2)), ("compressionType", (1, 2, 2, 2, 3)),
                          ("dataBlockEncoding", (0, 2, 3, 4, 7)), ("keepDeletedCells", (0, 1, 2)), ("scope", (0, 1, -1)),
                          ("dfsReplication", (0, 1, 3)), ("blockCacheEnabled", (True, False)), ("cacheBloomsOnWrite", (True, False)),
                          ("cacheDataOnWrite", (True, False)), ("cacheIndexesOnWrite", (True, False)), ("compressTags", (True, False)),
                          ("evictBlocksOnClose", (True, False)), ("inMemory", (True, False))):
        if r.random() < 0.18:
            fam[field] = r.choice(values)
    if r.random() < 0.15:
        fam["attributes"] = {r.choice(("VERSIONS", "note", "BLOCKCACHE", "x")): r.choice(("3", "true", "7"))}
    if r.random() < 0.15:
        fam["configuration"] = {r.choice("kl"): r.choice(("1", "2"))}
    return fam


def random_ddl(j, calls):
    """A few tables, families and states; many calls fail intentionally."""
    r = j.rng
    tables = [name(j.scope + q) for q in "pqr"]
    families = ["a", "b", "c"]

    def desc():
        d = {"tableName": r.choice(tables), "columns": [random_family(r, f) for f in r.sample(families, r.choice((1, 1, 2, 3)))]}
        if r.random() < 0.3:
            d["durability"] = r.randrange(5)
        if r.random() < 0.3:
            d["attributes"] = {r.choice(("note", "other")): r.choice(("", "1", "2"))}
        return d

    def ts():
        return r.choice((1, 2, 3, 5, 8))

    def text(t):
        return t["qualifier"]

    doings = [
        (8, lambda t: j.t2.createTable(desc=desc(), splitKeys=r.choice((None, None, [], ["m"], ["m", "d"], ["d", "d"], [""])))),
        (4, lambda t: j.t2.disableTable(tableName=t)), (4, lambda t: j.t2.enableTable(tableName=t)),
        (2, lambda t: j.t2.deleteTable(tableName=t)), (2, lambda t: j.t2.truncateTable(tableName=t, preserveSplits=r.random() < 0.5)),
        (4, lambda t: j.t2.addColumnFamily(tableName=t, column=random_family(r, r.choice(families)))),
        (4, lambda t: j.t2.modifyColumnFamily(tableName=t, column=random_family(r, r.choice(families)))),
        (3, lambda t: j.t2.deleteColumnFamily(tableName=t, column=r.choice(families))),
        (2, lambda t: j.t2.modifyTable(desc=desc())),
        (12, lambda t: j.t2.getTableDescriptor(table=t)),
        (4, lambda t: j.t2.isTableEnabled(tableName=t)), (4, lambda t: j.t2.isTableDisabled(tableName=t)),
        (4, lambda t: j.t2.isTableAvailable(tableName=t)), (3, lambda t: j.t2.tableExists(tableName=t)),
        (4, lambda t: j.t2.getAllRegionLocations(table=text(t))),
        (3, lambda t: j.t2.getTableNamesByPattern(regex=j.scope + r.choice((".*", "p", "[qr]", "p|" + j.scope + "r")), includeSysTables=False)),
        (2, lambda t: j.t2.getTableDescriptors(tables=r.sample(tables, 2))),
        (8, lambda t: put(j, text(t), r.choice("aeq"), (r.choice(families), "q", f"v{r.randrange(100)}", r.choice((4 * 10**12, 5 * 10**12))))),
        (8, lambda t: j.t2.getScannerResults(table=text(t), tscan={"maxVersions": 1}, numRows=20)),
    ]
    weighted = [what for weight, what in doings for _ in range(weight)]
    for _ in range(calls):
        r.choice(weighted)(r.choice(tables))


@scenario("t2admin-random-ddl")
def random_ddl_public(j):
    random_ddl(j, 300)


@scenario("t2admin-random-namespaces")
def random_namespaces(j):
    r = j.rng
    spaces = [j.scope + n for n in "xyz"]
    for _ in range(220):
        n, conf = r.choice(spaces), r.choice((None, {}, {"k": "v"}, {"k": "w", "l": ""}, {"hbase.namespace.quota.maxtables": r.choice("0x5")}))
        d = {"name": n} if conf is None else {"name": n, "configuration": conf}
        what = r.randrange(12)
        if what < 2:
            j.t2.createNamespace(namespaceDesc=d)
        elif what == 2:
            j.t2.modifyNamespace(namespaceDesc=d)
        elif what == 3:
            j.t2.deleteNamespace(name=n)
        elif what < 6:
            j.t2.getNamespaceDescriptor(name=n)
        elif what == 6:
            j.t2.listNamespaces()
        elif what == 7:
            j.t2.listNamespaceDescriptors()
        elif what == 8:
            create(j, r.choice("tu"), "f", ns=n)
        elif what == 9:
            drop(j, r.choice("tu"), n)
        elif what == 10:
            j.t2.getTableNamesByNamespace(name=n)
        else:
            j.t2.tableExists(tableName=name(r.choice("tu"), n))
