"""The texts of errors: HBase's class and words, then the thing, the reason and the remedy.

A declared exception has them on a line of its own after HBase's text; an undeclared one behind HBase's words.
"""
import json
import urllib.error
import urllib.request

import pytest
from thriftpy2.thrift import TApplicationException, TException

from speaking import Wire, one, two

LINE = "\nhjall: "
CLIENT = "org.apache.hadoop.hbase.client."
NO_RETRY = "org.apache.hadoop.hbase.DoNotRetryIOException: "
ILLEGAL = "java.lang.IllegalArgumentException: "


def put(column, value=b"v", row=b"r", **more):
    """A put of Thrift2."""
    family, _, qualifier = column.partition(b":")
    return two.TPut(row=row, columnValues=[two.TColumnValue(family=family, qualifier=qualifier, value=value, **more)])


def table2(name):
    """A name as Thrift2 has it."""
    return two.TTableName(ns=b"default", qualifier=name)


def family1(name, **more):
    """A family of Thrift1."""
    return one.ColumnDescriptor(name=name, **more)


def create2(name, **family):
    """The arguments of Thrift2's createTable for a table of one family."""
    return (two.TTableDescriptor(tableName=table2(name), columns=[two.TColumnFamilyDescriptor(name=b"f", **family)]), None)


def mutate(column=b"f:a", row=b"r", **more):
    """The arguments of Thrift1's mutateRow."""
    return (b"t", row, [one.Mutation(column=column, value=b"v", **more)], {})


# Service, method, arguments, the beginning of HBase's text, the remedy.
DECLARED = [
    (1, "getRow", (b"none", b"r", {}), "org.apache.hadoop.hbase.TableNotFoundException: none",
     "table none does not exist: create it, or choose another name"),
    (2, "get", (b"none", two.TGet(row=b"r")), "none", "table none does not exist: create it, or choose another name"),
    (1, "getRow", (b"off", b"r", {}), "org.apache.hadoop.hbase.TableNotEnabledException: off is disabled.",
     "table off is disabled: enable it first"),
    (2, "get", (b"off", two.TGet(row=b"r")), "off is disabled.", "table off is disabled: enable it first"),
    (1, "mutateRow", mutate(b"no:a"), "org.apache.hadoop.hbase.regionserver.NoSuchColumnFamilyException: ",
     "table t has no column family no: name one of its families (f), or add this one"),
    (2, "put", (b"t", put(b"no:a")), "org.apache.hadoop.hbase.regionserver.NoSuchColumnFamilyException: ",
     "table t has no column family no: name one of its families (f), or add this one"),
    (2, "putMultiple", (b"t", [put(b"no:a"), put(b"no:b")]), "Failed 2 actions: ",
     "table t has no column family no: name one of its families (f), or add this one"),
    (1, "mutateRows", (b"none", [one.BatchMutation(row=b"r", mutations=[one.Mutation(column=b"f:a", value=b"v")])], {}),
     CLIENT + "RetriesExhaustedWithDetailsException: Failed 1 action: none: 1 time, servers with issues: null",
     "table none does not exist: create it, or choose another name"),
    (2, "put", (b"t", put(b"f:a", timestamp=-1)), "Failed after attempts=1, exceptions:\njava.io.IOException: Timestamp cannot be negative.",
     "send milliseconds since 1970, or none for the time of the server"),
    (1, "increment", (one.TIncrement(table=b"t", row=b"word", column=b"f:a", ammount=1),), NO_RETRY,
     "a counter is a value of exactly 8 bytes; delete the value or write one of 8 bytes"),
    (2, "mutateRow", (b"t", two.TRowMutations(row=b"r", mutations=[two.TMutation(put=put(b"f:a", row=b"s"))])),
     "The row in the recently added Mutation <s> doesn't match the original one <r>",
     "send the mutations of each row in a call of their own"),
    (2, "get", (b"t", two.TGet(row=b"r", targetReplicaId=2, consistency=2)), "Cannot get the location for replica2",
     "the table has fewer replicas (REGION_REPLICATION): read without targetReplicaId"),
    (1, "deleteTable", (b"none",), "java.io.IOException: table does not exist: none", "name a table of getTableNames"),
    (1, "deleteTable", (b"t",), "org.apache.hadoop.hbase.TableNotDisabledException: ", "table t is enabled: disable it first"),
    (1, "enableTable", (b"t",), "org.apache.hadoop.hbase.TableNotDisabledException: ",
     "table t is enabled already: only a disabled table can be enabled"),
    (1, "disableTable", (b"off",), "org.apache.hadoop.hbase.TableNotEnabledException: ",
     "table off is disabled already: only an enabled table can be disabled"),
    (1, "disableTable", (b"hbase:meta",), "org.apache.hadoop.hbase.constraint.ConstraintException: ",
     "it lists the regions of all tables; name another table"),
    (2, "createTable", create2(b"t"), "org.apache.hadoop.hbase.TableExistsException: t",
     "table t already exists: choose another name, or delete it first"),
    (2, "createTable", create2(b"new", compressionType=5), NO_RETRY + "java.lang.UnsupportedOperationException ", "COMPRESSION of family f is BZIP2"),
    (2, "createTable", create2(b"new", timeToLive=0), NO_RETRY + "TTL for column family f must be positive.",
     "use seconds from 1, or leave TTL out to keep cells forever"),
    (2, "createTable", (two.TTableDescriptor(tableName=table2(b"new"), columns=[]), None), NO_RETRY + "Table should have at least one column family.",
     "name a family for table new"),
    (2, "deleteColumnFamily", (table2(b"t"), b"no"), "org.apache.hadoop.hbase.InvalidFamilyOperationException: ", "table t has the families f"),
    (2, "deleteColumnFamily", (table2(b"t"), b"f"), "org.apache.hadoop.hbase.InvalidFamilyOperationException: ",
     "add another family to table t first, or delete the table"),
    (2, "createNamespace", (two.TNamespaceDescriptor(name="default"),), "org.apache.hadoop.hbase.NamespaceExistException: ",
     "choose another name, or alter this one"),
    (2, "deleteNamespace", ("none",), "org.apache.hadoop.hbase.NamespaceNotFoundException: none",
     "namespace none does not exist: create it, or choose another name"),
    (2, "deleteNamespace", ("default",), "org.apache.hadoop.hbase.constraint.ConstraintException: ", "HBase needs it; remove its tables instead"),
]

def field(tag, data):
    """A length-delimited field of a protobuf message with a tag below 16 and less than 128 bytes."""
    return bytes([tag << 3 | 2, len(data)]) + data


def serialised(name, body=b""):
    """A filter or comparator of HBase, or another class, as HBase serialises it."""
    return field(1, name if b"." in name else b"org.apache.hadoop.hbase.filter." + name) + field(2, body)


def compared(comparator):
    """A serialised ValueFilter with this comparator and the operator EQUAL."""
    return serialised(b"ValueFilter", field(1, b"\x08\x02" + field(2, comparator)))


CLASSES = "use one of HBase's filters and comparators; other classes cannot be loaded"
SERIALISE = "send the bytes of a FilterProtos.Filter with one of HBase's filters, or a filterString"
DESERIALIZATION = "org.apache.hadoop.hbase.exceptions.DeserializationException: "

# A serialised filter, the beginning of HBase's text, the remedy.
SERIALISED = [
    (b"abc", "a serialised filter is malformed: ", SERIALISE),
    (b"", "Message missing required fields: name", SERIALISE),
    (serialised(b"com.example.Mine"), "java.lang.ClassNotFoundException: com.example.Mine", CLASSES),
    (serialised(b"NoFilter"), "java.lang.ClassNotFoundException: org.apache.hadoop.hbase.filter.NoFilter", CLASSES),
    (serialised(b"FilterList"), DESERIALIZATION + "Message missing required fields: ", SERIALISE),
    (serialised(b"PrefixFilter", b"\xff"), DESERIALIZATION + "a part of the filter is malformed: ", SERIALISE),
    (compared(serialised(b"NoComparator")), DESERIALIZATION + "java.lang.ClassNotFoundException: ", CLASSES),
    (compared(serialised(b"LongComparator", field(1, field(1, bytes(8))))),
     "Failed after attempts=1, exceptions:\njava.io.IOException: LongComparator needs 8 bytes to compare with, a cell has 3 bytes there",
     "read only columns with such values"),
]
DECLARED += [(2, "get", (b"t", two.TGet(row=b"word", filterBytes=sent)), said, remedy) for sent, said, remedy in SERIALISED]

# Service, method, arguments, HBase's class and words, what follows a colon.
UNDECLARED = [
    (1, "getRow", (b"no good", b"r", {}), ILLEGAL + "Illegal character code:32", ": use letters, digits, underscores, hyphens and periods"),
    (1, "getRow", (b"t", b"", {}), ILLEGAL + "Row length is 0", ": a row key must have 1 to 32767 bytes"),
    (1, "getVerTs", (b"t", b"r", b"f:a", -5, 1, {}), ILLEGAL + "Timestamp cannot be negative.", ": give the range in milliseconds since 1970, or leave it out"),
    (1, "mutateRows", (b"t", [one.BatchMutation(row=b"r", mutations=[one.Mutation(column=b"f", value=b"v")])], {}),
     ILLEGAL + "Invalid famAndQf provided", ': the column "f" has no colon; send family:qualifier'),
    (2, "get", (b"t", two.TGet(row=b"r", timeRange=two.TTimeRange(minStamp=5, maxStamp=1))), ILLEGAL + "maxStamp is smaller than minStamp",
     ": the range of times is 5 to 1; exchange them"),
    (2, "put", (b"t", two.TPut(row=b"r", columnValues=[])), ILLEGAL + "No columns to insert", ": the put of row r has no values; send at least one"),
    (2, "put", (b"t", put(b":a")), ILLEGAL + "Family cannot be null", ': a column must name its family, as in "family:qualifier"'),
    (2, "append", (b"t", two.TAppend(row=b"r", columns=[])), ILLEGAL + "Invalid arguments to append of row r", ": name at least one column"),
    (2, "createTable", (create2(b"new")[0], [b"a", b"a"]), ILLEGAL + "All split keys must be unique", ": give each key once"),
    (2, "createTable", create2(b"new", maxVersions=0), ILLEGAL + "Maximum versions must be positive", ": VERSIONS of family f is 0; use 1 or more"),
    (1, "scannerOpenWithScan", (b"t", one.TScan(filterString=b"Prefix('a')"), {}), ILLEGAL + "Filter Name Prefix not supported", "did you mean PrefixFilter? The names are "),
]

# Method, arguments, the beginning of HBase's text, the remedy at the end.
ILLEGAL_ARGUMENTS = [
    ("createTable", (b"new", [family1(b"f:", maxVersions=0)]), ILLEGAL + "Maximum versions must be positive", "use 1 or more"),
    ("createTable", (b"new", [family1(b"f:", compression="ZIP")]), ILLEGAL + "Unsupported compression algorithm name: zip", "LZO or ZSTD"),
    ("createTable", (b"new", [family1(b"f:"), family1(b"f:")]), ILLEGAL + "Family 'f' already exists", "name each family of table new once"),
    ("createTable", (b"t", [family1(b"f:")]), "table name already in use: t", "choose another one, or delete the table first"),
    ("scannerGet", (77,), "scanner ID is invalid: 77", "open another scanner"),
]


def shown(case):
    """The name of a case."""
    return case if isinstance(case, str) else ""


def text(message):
    """The message of an exception, which some of Thrift's versions return as bytes."""
    return message.decode() if isinstance(message, bytes) else message


@pytest.fixture(scope="module")
def asked(module_server):
    """Makes a call and returns the exception."""
    with Wire(module_server.port) as wire:
        wire.make_table()
        wire.make_table(b"off")
        wire.one.disableTable(b"off")
        wire.put(b"word", b"abc")

        def ask(service, method, arguments):
            with pytest.raises(TException) as failed:
                getattr({1: wire.one, 2: wire.two}[service], method)(*arguments)
            return failed.value

        yield ask


@pytest.mark.parametrize("service, method, arguments, said, remedy", DECLARED, ids=shown)
def test_a_declared_exception_has_the_remedy_on_a_line_of_its_own(asked, service, method, arguments, said, remedy):
    failed = asked(service, method, arguments)
    assert isinstance(failed, (one.IOError, two.TIOError)), failed
    head, found, rest = text(failed.message).partition(LINE)
    assert head.startswith(said) and found, failed.message
    assert rest.partition("\n")[0].startswith(remedy), failed.message


@pytest.mark.parametrize("service, method, arguments, said, remedy", UNDECLARED, ids=shown)
def test_an_undeclared_exception_has_the_remedy_after_hbases_words(asked, service, method, arguments, said, remedy):
    failed = asked(service, method, arguments)
    assert isinstance(failed, TApplicationException), failed
    message = text(failed.message)
    assert message.startswith(f"Internal error processing {method}: {said}") and remedy in message, message
    assert LINE not in message


@pytest.mark.parametrize("method, arguments, said, remedy", ILLEGAL_ARGUMENTS, ids=shown)
def test_illegal_arguments_have_the_remedy_after_hbases_words(asked, method, arguments, said, remedy):
    failed = asked(1, method, arguments)
    assert isinstance(failed, (one.IllegalArgument, one.AlreadyExists)), failed
    first = text(failed.message).partition("\n")[0]
    assert first.startswith(said) and first.endswith(remedy), failed.message


# Method, path, body, status, what the text contains.
REST = [
    ("GET", "/none/schema", None, 404, "table none does not exist: create it, or choose another name"),
    ("GET", "/none/r", None, 404, "table none does not exist: create it, or choose another name"),
    ("GET", "/t/r/no:a", None, 404, "table t has no column family no: name one of its families (f), or add this one"),
    ("GET", "/none/exists", None, 404, "table none does not exist"),
    ("GET", "/none/regions", None, 404, "table none does not exist: create it, or choose another name"),
    ("GET", "/t/none", None, 404, "the row of table t does not exist, or has no cell in these columns and times"),
    ("GET", "/namespaces/none", None, 400, "namespace none does not exist: create it, or choose another name"),
    ("GET", "/t/r/f:a/5,1", None, 400, "the range of times is 5 to 1; exchange them"),
    ("PUT", "/t/scanner", {"filter": '{"type":"None"}'}, 400, 'there is no filter "None": use one of HBase\'s'),
    ("PUT", "/t/scanner", {"filter": '{"type":"RowFilter","op":"IS","comparator":{"type":"NullComparator"}}'}, 400, 'no operator "IS": use LESS, '),
    ("PUT", "/t/r?check=put", {"Row": [{"key": "cg==", "Cell": [{"column": "Zjph", "$": "dg=="}]}]}, 400, "send the cells to write, then the cell to compare with"),
    ("PUT", "/new/schema", {"ColumnSchema": [{"name": "f", "TTL": "0"}]}, 400, "use seconds from 1, or leave TTL out"),
]


@pytest.mark.parametrize("method, path, body, status, said", REST, ids=shown)
def test_rest_answers_have_the_remedy(asked, module_server, method, path, body, status, said):
    data = None if body is None else json.dumps(body).encode()
    headers = {"Accept": "application/json", "Content-Type": "application/json"}
    request = urllib.request.Request(f"http://127.0.0.1:{module_server.port}{path}", data, headers, method=method)
    with pytest.raises(urllib.error.HTTPError) as refused:
        urllib.request.urlopen(request, timeout=30)
    answer = refused.value.read().decode()
    assert refused.value.code == status and said in answer, answer
    assert LINE not in answer
