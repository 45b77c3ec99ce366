"""Every table of HBase's guides can be created: in the shell, through both Thrift services and through REST."""
import json
import subprocess
import urllib.request

import pytest

from gateways import Gateways
from guide_tables import CHANGES, TABLES
from serving import Hjall, binary

# The argument of Thrift for an attribute of the shell, and the number of a name there.
THRIFT2 = {
    "VERSIONS": ("maxVersions", None), "MIN_VERSIONS": ("minVersions", None), "TTL": ("timeToLive", None), "BLOCKSIZE": ("blockSize", None),
    "IN_MEMORY": ("inMemory", {"true": True}), "BLOCKCACHE": ("blockCacheEnabled", {"true": True}),
    "BLOOMFILTER": ("bloomnFilterType", {"NONE": 0, "ROW": 1, "ROWCOL": 2}),
    "COMPRESSION": ("compressionType", {"LZO": 0, "GZ": 1, "NONE": 2, "SNAPPY": 3, "LZ4": 4, "ZSTD": 6}),
    "DATA_BLOCK_ENCODING": ("dataBlockEncoding", {"NONE": 0, "DIFF": 3, "FAST_DIFF": 4}),
    "KEEP_DELETED_CELLS": ("keepDeletedCells", {"FALSE": 0, "TRUE": 1}),
}
# Those that a descriptor of Thrift1 has.
THRIFT1 = {"VERSIONS": "maxVersions", "TTL": "timeToLive", "COMPRESSION": "compression", "IN_MEMORY": "inMemory", "BLOCKCACHE": "blockCacheEnabled",
           "BLOOMFILTER": "bloomFilterType"}


@pytest.fixture(scope="module")
def server():
    with Hjall() as server:
        yield server


@pytest.fixture(scope="module")
def call(server):
    """Calls a method of one of the Thrift services; returns its answer."""
    gateways = Gateways(server.address, server.address)

    def call(service, method, **args):
        kind, answer = gateways.call(service, method, args)
        assert kind == "returns", f"{method}({args}): {answer}"
        return answer

    yield call
    gateways.close()


@pytest.fixture
def table(request, call):
    """A table of the guides, which does not exist, and is dropped afterwards."""
    yield request.param
    call("t1", "disableTable", tableName=request.param.name)
    call("t1", "deleteTable", tableName=request.param.name)


each = pytest.mark.parametrize("table", TABLES, indirect=True, ids=lambda table: table.name)


def number(attribute, value):
    """The value of an attribute in Thrift2."""
    name, numbers = THRIFT2[attribute]
    return name, numbers[value] if numbers else value


def text(answer):
    return answer.encode("latin-1")


def check(call, table, attributes=None):
    """The table is as the guide describes it, and a row can be written to it and read."""
    described = call("t2", "getTableDescriptor", table={"qualifier": table.name})
    assert [family["name"] for family in described["columns"]] == list(table.families)
    for family in described["columns"]:
        expected = dict(number(*item) for item in table.families[family["name"]].items() if attributes is None or item[0] in attributes)
        assert {name: family[name] for name in expected} == expected, family["name"]
    regions = call("t1", "getTableRegions", tableName=table.name)
    assert sorted(text(region["startKey"]) for region in regions) == [b"", *table.splits]
    first = next(iter(table.families))
    cell = {"family": first, "qualifier": "q", "value": "v"}
    call("t2", "put", table=table.name, tput={"row": "50", "columnValues": [cell]})
    read = call("t2", "get", table=table.name, tget={"row": "50"})
    assert [(c["family"], c["qualifier"], c["value"]) for c in read["columnValues"]] == [(first, "q", "v")]


def run(server, *lines):
    """Runs statements in the shell; an error of one ends it."""
    done = subprocess.run([binary(), "shell", "--server", server.address, "-n"], input="\n".join(lines) + "\n", capture_output=True, text=True, timeout=120)
    assert done.returncode == 0 and "ERROR" not in done.stdout, done.stdout + done.stderr
    return done.stdout


@each
def test_the_shell_creates_it(server, call, table):
    assert f"Created table {table.name}" in run(server, table.statement)
    check(call, table)


@each
def test_thrift2_creates_it(call, table):
    columns = [{"name": name, **dict(number(*item) for item in attributes.items())} for name, attributes in table.families.items()]
    splits = [split.decode("latin-1") for split in table.splits]
    call("t2", "createTable", desc={"tableName": {"qualifier": table.name}, "columns": columns}, splitKeys=splits)
    check(call, table)


@each
def test_thrift1_creates_it(call, table):
    """Without splits and with the attributes that its descriptor has."""
    families = [{"name": f"{name}:", **{THRIFT1[key]: number(key, value)[1] if value == "true" else value
                                        for key, value in attributes.items() if key in THRIFT1}}
                for name, attributes in table.families.items()]
    call("t1", "createTable", tableName=table.name, columnFamilies=families)
    regions = call("t1", "getTableRegions", tableName=table.name)
    assert len(regions) == 1
    whole = type(table)(table.statement, table.name, table.families)
    check(call, whole, attributes=THRIFT1)


@each
def test_rest_creates_it(server, call, table):
    """Without splits, which its schema does not have."""
    columns = [{"name": name, **{key: str(value) for key, value in attributes.items()}} for name, attributes in table.families.items()]
    request = urllib.request.Request(
        f"http://{server.address}/{table.name}/schema", json.dumps({"name": table.name, "ColumnSchema": columns}).encode(),
        {"Content-Type": "application/json"}, method="PUT")
    with urllib.request.urlopen(request, timeout=60) as answer:
        assert answer.status == 201
    check(call, type(table)(table.statement, table.name, table.families))


def test_the_changes_succeed_in_order(server, call):
    run(server, TABLES[0].statement)
    for statements, expected in CHANGES:
        run(server, *statements)
        printed = run(server, "describe 'test'")
        for name, value in expected.items():
            assert f"{name} => '{value}" in printed, printed
    run(server, "disable 'test'", "drop 'test'")
