"""Users and roles: what each method needs, and attempts to get around it."""
import pytest
from logging_in import DENIED, Session, Web, failure, older, one, reload, two, users_file

from serving import ROOT

TYPES = {2: True, 3: 1, 4: 1.0, 6: 1, 8: 1, 10: 1}
SERVICES = {"thrift1": older.HbaseOlder, "thrift2": two.THBaseService}
# The rule that lets every user call a method.
OPEN = {"everyone"}


def rules():
    """The rule of each method in the table of methods."""
    lines = (ROOT / "idl" / "methods.txt").read_text().splitlines()
    rows = [line.split() for line in lines if line and not line.startswith("#")]
    return {row[0]: row[6] for row in rows}


def methods():
    """Every method of both services, with the class that has its structs."""
    for service, contract in SERVICES.items():
        parts = [part for part in contract.__mro__ if hasattr(part, "thrift_services")]
        yield from {name: (service, part, name) for part in parts for name in part.thrift_services}.values()


def argument(spec, text, everything):
    """A value of a type, with this text in place of each name. `everything` fills optional fields, too."""
    kind, inside = spec[0], spec[2] if len(spec) > 3 else None
    if kind in (11, 18):
        return text
    if kind == 12:
        fields = [field for _, field in sorted(inside.thrift_spec.items())]
        # A union needs one of its fields.
        wanted = [field for field in fields if everything or field[-1]] or fields[:1]
        return inside(**{field[1]: argument(field, text, everything) for field in wanted})
    if kind in (14, 15):
        inside = inside if isinstance(inside, tuple) else (inside, None)
        values = [argument((inside[0], "", *inside[1:], True), text, everything)]
        return set(values) if kind == 14 and inside[0] != 12 else values
    return {} if kind == 13 else TYPES[kind]


def arguments(part, service, name, text):
    """Arguments that name the table, the namespace or whatever it is by this text."""
    spec = getattr(part, name + "_args").thrift_spec
    return [argument(field, text, service == "thrift1") for _, field in sorted(spec.items())]


@pytest.fixture
def server(attacked, tmp_path):
    """A server with tables and users with different roles for them."""
    path = users_file(tmp_path / "users.toml", {
        "root": {"read": ["*"], "write": ["*"], "admin": ["*"]},
        "none": {},
        "reader": {"read": ["readable", "sales:*"]},
        "writer": {"write": ["writable", "sales:*"]},
        "both": {"read": ["t", "readable"], "write": ["t"]},
        "owner": {"admin": ["sales:*", "owned"]},
    })
    started = attacked("--users", str(path), "--set", "auth.without_tls=loopback")
    started.users = path
    with Web(started.port) as web:
        for namespace in (b"sales", b"sales2"):
            assert not failure(web.call(two.THBaseService, "createNamespace", [two.TNamespaceDescriptor(name=namespace)], "root"))
        for table in (b"t", b"readable", b"writable", b"owned", b"secret", b"sales:orders", b"sales2:orders", b"users"):
            families = [one.ColumnDescriptor(name=b"f:")]
            assert not failure(web.call(one.Hbase, "createTable", [table, families], "root"))
            put = [one.Mutation(column=b"f:q", value=b"1")]
            assert not failure(web.call(one.Hbase, "mutateRow", [table, b"r", put, {}], "root"))
    yield started


def test_every_method_has_a_rule_that_is_enforced(server):
    table, seen = rules(), set()
    with Web(server.port) as web:
        for service, part, name in methods():
            seen.add(name)
            for text in (b"secret", b"none:such", b"", b"\xff bad name"):
                result = web.call(part, name, arguments(part, service, name, text), "none")
                denied = DENIED in failure(result)
                if table[name] == "answer":
                    assert failure(result) or not getattr(result, "success", None), (name, "an answer that shows something", result)
                elif table[name] != "scanner":
                    assert denied == (table[name] not in OPEN), (service, name, text, failure(result))
            everything = web.call(part, name, arguments(part, service, name, b"secret"), "root")
            assert DENIED not in failure(everything), (service, name)
            with Session(server.port) as stranger:
                client = stranger.one if service == "thrift1" else stranger.two
                if name in client._service.thrift_services:
                    with pytest.raises(Exception, match="log in|Internal error|EOF|closed|read 0 bytes"):
                        getattr(client, name)(*arguments(part, service, name, b"secret"))
    assert seen == set(table), "the table of methods and the contracts differ"


def test_roles_do_not_include_each_other(server):
    row, put = [b"r", {}], [b"r", [one.Mutation(column=b"f:q", value=b"2")], {}]
    read = lambda table, user: failure(web.call(one.Hbase, "getRow", [table, *row], user))
    write = lambda table, user: failure(web.call(one.Hbase, "mutateRow", [table, *put], user))
    drop = lambda table, user: failure(web.call(one.Hbase, "disableTable", [table], user))
    with Web(server.port) as web:
        assert read(b"readable", "reader") == "" and DENIED in write(b"readable", "reader") and DENIED in drop(b"readable", "reader")
        assert write(b"writable", "writer") == "" and DENIED in read(b"writable", "writer") and DENIED in drop(b"writable", "writer")
        assert drop(b"owned", "owner") == "" and DENIED in read(b"owned", "owner") and DENIED in write(b"owned", "owner")
        check = [b"r", b"f:q", b"1", one.Mutation(column=b"f:q", value=b"3"), {}]
        assert DENIED in failure(web.call(one.Hbase, "checkAndPut", [b"writable", *check], "writer"))
        assert DENIED in failure(web.call(one.Hbase, "checkAndPut", [b"readable", *check], "reader"))
        assert failure(web.call(one.Hbase, "checkAndPut", [b"t", *check], "both")) == ""
        # HBase's own words.
        expected = f"{DENIED}: {DENIED}: Insufficient permissions for user 'reader' (table=secret, action=READ)"
        result = web.call(one.Hbase, "getRow", [b"secret", *row], "reader")
        assert failure(result).splitlines()[0] == expected and result.io.canRetry is False
        result = web.call(two.THBaseService, "put", [b"secret", two.TPut(row=b"r", columnValues=[
            two.TColumnValue(family=b"f", qualifier=b"q", value=b"v")])], "reader")
        expected = (f"{DENIED}: Insufficient permissions (user=reader, scope=default:secret, "
                    "params=[table=default:secret,],action=WRITE)")
        assert failure(result).splitlines()[0] == expected and result.io.canRetry is False


def test_names_are_compared_as_a_whole_however_they_are_written(server):
    get = two.TGet(row=b"r")
    with Web(server.port) as web:
        read = lambda table, user: failure(web.call(two.THBaseService, "get", [table, get], user))
        for allowed in (b"readable", b"default:readable", b"sales:orders"):
            assert read(allowed, "reader") == "", allowed
        for forbidden in (b"sales2:orders", b"sales", b"default:orders", b"sales:", b"sales:*", b":readable", b"*", b"Readable",
                          b"readable\0", b"sales:orders:x", b"default:sales:orders", b" readable", b"hbase:meta", b"read\xc3\xa1ble"):
            assert DENIED in read(forbidden, "reader"), forbidden
        disable = lambda ns, name: failure(web.call(
            two.THBaseService, "disableTable", [two.TTableName(ns=ns, qualifier=name)], "owner"))
        for ns, name in ((b"sales2", b"orders"), (b"", b"secret"), (None, b"secret"), (b"default", b"secret"), (b"sales", b"../secret"),
                         (b"", b"sales:orders"), (None, b"default:owned"), (b"sales:orders", b""), (b"*", b"orders")):
            assert DENIED in disable(ns, name), (ns, name)
        assert disable(b"", b"owned") == "" and disable(b"sales", b"orders") == ""
        create = lambda name: failure(web.call(one.Hbase, "createTable", [name, [one.ColumnDescriptor(name=b"f:")]], "owner"))
        assert create(b"sales:new") == ""
        for forbidden in (b"new", b"owned2", b"sales2:new", b"default:new"):
            assert DENIED in create(forbidden), forbidden


def test_a_batch_needs_every_table_that_it_names(server):
    increments = [one.TIncrement(table=table, row=b"r", column=b"f:n", ammount=1) for table in (b"t", b"secret")]
    with Web(server.port) as web:
        assert DENIED in failure(web.call(one.Hbase, "incrementRows", [increments], "both"))
        counted = web.call(one.Hbase, "get", [b"t", b"r", b"f:n", {}], "root").success
        assert counted == [], "the increments before the forbidden one were not applied"
        assert failure(web.call(one.Hbase, "incrementRows", [increments[:1]], "both")) == ""
        rows = [one.BatchMutation(row=row, mutations=[one.Mutation(column=b"f:q", value=b"x")]) for row in (b"a", b"b")]
        assert DENIED in failure(web.call(one.Hbase, "mutateRows", [b"readable", rows, {}], "reader"))
        assert DENIED in failure(web.call(two.THBaseService, "getMultiple", [b"secret", [two.TGet(row=b"r")] * 2], "reader"))
        tables = [two.TTableName(qualifier=name) for name in (b"owned", b"secret")]
        assert DENIED in failure(web.call(two.THBaseService, "getTableDescriptors", [tables], "owner"))
        described = web.call(two.THBaseService, "getTableDescriptors", [[]], "owner").success
        assert {table.tableName.qualifier for table in described} == {b"owned", b"orders"}


def test_lists_show_what_the_user_has_a_role_for(server):
    with Web(server.port) as web:
        names = lambda user: set(web.call(one.Hbase, "getTableNames", [], user).success)
        assert names("reader") == {b"readable", b"sales:orders"} and names("none") == set() and len(names("root")) == 8
        enabled = web.call(one.Hbase, "getTableNamesWithIsTableEnabled", [], "writer").success
        assert set(enabled) == {b"writable", b"sales:orders"}
        by_pattern = lambda user: web.call(two.THBaseService, "getTableNamesByPattern", [b".*", True], user).success
        assert {name.qualifier for name in by_pattern("reader")} == {b"readable", b"orders"}
        by_namespace = web.call(two.THBaseService, "getTableNamesByNamespace", [b"sales2"], "reader").success
        assert by_namespace == []
        descriptors = web.call(two.THBaseService, "getTableDescriptorsByPattern", [b".*", True], "reader").success
        assert descriptors == []
        namespaces = web.call(two.THBaseService, "listNamespaceDescriptors", [], "owner").success
        assert [namespace.name for namespace in namespaces] in ([b"sales"], ["sales"])
        # A pattern is not applied to the names of other tables, not even one that gives up on a long name.
        for guess in (b"secret", b"secreu"):
            for method in ("getTableNamesByPattern", "getTableDescriptorsByPattern"):
                given = [rb"(?=%s)(\w|\w|\w|\w)*\1!" % guess, False]
                assert web.call(two.THBaseService, method, given, "reader").success == [], (method, guess)
        # Regions and their keys belong to their table, however they are asked for.
        assert DENIED in failure(web.call(one.Hbase, "getTableRegions", [b"secret"], "reader"))
        # A key finds the regions of the tables that the user sees, as if others did not exist.
        found = lambda key, user: web.call(one.Hbase, "getRegionInfo", [key], user).success.name
        assert found(b"secret,,99999999999999", "reader").split(b",")[0] == b"sales:orders"
        assert found(b"secret,,99999999999999", "root").split(b",")[0] == b"secret"
        unknown = failure(web.call(one.Hbase, "getRegionInfo", [b"secret,,99999999999999"], "none"))
        assert "Cannot find row in hbase:meta, row=secret,," in unknown and DENIED not in unknown
        region = web.call(one.Hbase, "getTableRegions", [b"secret"], "root").success[0].name
        region = region if isinstance(region, bytes) else region.encode()
        for name in (b"secret", b"default:secret", region, region.split(b".")[-2]):
            for method in ("compact", "majorCompact"):
                assert DENIED in failure(web.call(one.Hbase, method, [name], "owner")), (method, name)
        assert failure(web.call(one.Hbase, "compact", [b"owned"], "owner")) == ""


def test_a_scanner_is_its_users_own(server):
    with Web(server.port) as web, Web(server.port) as other:
        for open_one, fetch, close, part in (
                (("scannerOpen", [b"readable", b"", [], {}]), "scannerGet", "scannerClose", one.Hbase),
                (("openScanner", [b"readable", two.TScan()]), "getScannerRows", "closeScanner", two.THBaseService)):
            scanner = web.call(part, *open_one, "reader").success
            count = [] if part is one.Hbase else [1]
            for client in (web, other):
                # Another user with the role for the table, on another connection and on the same one.
                for method, given in ((fetch, [scanner, *count]), (close, [scanner])):
                    text = failure(client.call(part, method, given, "both"))
                    assert DENIED in text and "User 'both' is not the scanner owner!" in text, method
            assert len(other.call(part, fetch, [scanner, *count], "reader").success) == 1, "the user, on another connection"
            # Without the role the scanner is of no use any more.
            server.users.write_text(server.users.read_text().replace('read = ["readable", "sales:*"]', "read = []"))
            reload(server, 'change="changed" subject="reader"')
            assert DENIED in failure(web.call(part, fetch, [scanner, *count], "reader"))
            assert failure(web.call(part, close, [scanner], "reader")) == ""
            server.users.write_text(server.users.read_text().replace("read = []", 'read = ["readable", "sales:*"]'))
            reload(server, 'change="changed" subject="reader"')


def test_read_only_all_refuses_every_change(attacked):
    unchanged = attacked("--set", "server.read_only=all")
    table = {line.split()[0]: line.split()[4] for line in (ROOT / "idl" / "methods.txt").read_text().splitlines()
             if line and not line.startswith("#")}
    with Web(unchanged.port) as web:
        for service, part, name in methods():
            said = failure(web.call(part, name, arguments(part, service, name, b"t"), "nobody"))
            assert ("Read-only mode" in said) == (table[name] != "none"), (service, name, said)
