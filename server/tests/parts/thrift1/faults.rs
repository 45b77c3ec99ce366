//! How calls fail: the field of the result and the text.

use hjall_idl::hbase1::*;
use hjall_server::wire::fault::Fault;

use super::gateway::{Gateway, attribute, bytes, delete, put, raised};

#[test]
fn a_failed_batch_counts_the_causes_and_names_the_server() {
    let gateway = Gateway::new(&[]);
    let rows = |table: &str, columns: &str| {
        let rows = Some(vec![b"a".to_vec(), b"b".to_vec()]);
        let columns = Some(vec![columns.as_bytes().to_vec()]);
        let arguments = GetRowsWithColumnsArgs { table_name: bytes(table), rows, columns, attributes: None };
        let result: GetRowsWithColumnsResult = gateway.call("getRowsWithColumns", arguments).unwrap();
        result.io.unwrap().message.unwrap()
    };
    let class = "org.apache.hadoop.hbase.client.RetriesExhaustedWithDetailsException";
    let missing = rows("absent", "f");
    assert!(
        missing.starts_with(&format!(
            "{class}: Failed 2 actions: absent: 2 times, servers with issues: null\n\
             hjall: table absent does not exist: create it, or choose another name\n\tat "
        )),
        "{missing}"
    );
    let unknown = rows("t", "no");
    assert!(
        unknown.starts_with(&format!(
            "{class}: Failed 2 actions: org.apache.hadoop.hbase.regionserver.NoSuchColumnFamilyException: "
        )),
        "{unknown}"
    );
    assert!(unknown.contains(": 2 times, servers with issues: host,9090,7"), "{unknown}");
}

#[test]
fn a_missing_table_is_reported_before_unreadable_attributes() {
    let gateway = Gateway::new(&[]);
    let get = |table: &str, name: &str, value: &[u8]| {
        let arguments = GetRowArgs { table_name: bytes(table), row: bytes("r"), attributes: attribute(name, value) };
        gateway.call::<GetRowResult>("getRow", arguments).unwrap().io
    };
    for (name, value) in
        [("_raw_", &b""[..]), ("_raw_", b"\x01\x00"), ("_isolationlevel_", b""), ("_isolationlevel_", b"\x02")]
    {
        assert_eq!(raised(&get("t", name, value)), ("RetriesExhaustedException".to_owned(), true), "{name} {value:?}");
        assert_eq!(raised(&get("absent", name, value)), ("TableNotFoundException".to_owned(), false));
    }
    for (name, value) in [("_raw_", &b"\xff"[..]), ("_isolationlevel_", b"\x01rest"), ("_ttl", b"x"), ("", b"")] {
        assert_eq!(get("t", name, value), None, "{name} {value:?}");
    }
}

#[test]
fn a_bad_ttl_changes_nothing() {
    let gateway = Gateway::new(&[]);
    gateway.mutate_row("r", vec![put("f:a=1")]);
    let before = gateway.row("r");
    let bad = || attribute("_ttl", b"1234567");
    let mutations = Some(vec![delete("f:a"), put("f:b=2")]);
    let arguments = MutateRowArgs { table_name: bytes("t"), row: bytes("r"), mutations, attributes: bad() };
    let result: MutateRowResult = gateway.call("mutateRow", arguments).unwrap();
    assert_eq!(raised(&result.io), ("RetriesExhaustedException".to_owned(), true));
    let result = gateway.mutate_rows(vec![("r", vec![delete("f:a")]), ("s", vec![put("f:b=2")])], bad());
    assert_eq!(raised(&result.io), ("RetriesExhaustedWithDetailsException".to_owned(), true));
    assert_eq!((gateway.row("r"), gateway.row("s")), (before, String::new()));
    assert_eq!(gateway.mutate_rows(vec![("r", vec![])], bad()), MutateRowsResult::default(), "nothing is sent");
}

#[test]
fn a_family_without_a_name_fails_all_deletes_and_those_of_earlier_regions_are_applied() {
    let gateway = Gateway::new(&["m"]);
    for row in ["a", "b", "n"] {
        gateway.mutate_row(row, vec![put("f:a=1")]);
    }
    let deletes = vec![("a", vec![delete("f:a")]), ("b", vec![delete(":x")]), ("n", vec![delete("f:a")])];
    let message = gateway.mutate_rows(deletes, None).io.unwrap().message.unwrap();
    assert!(message.contains("Failed 3 actions: IOException: 3 times"), "{message}");
    assert!(!gateway.row("a").is_empty() && !gateway.row("n").is_empty());
    let deletes = vec![("n", vec![delete(":x")]), ("a", vec![delete("f:a")])];
    let message = gateway.mutate_rows(deletes, None).io.unwrap().message.unwrap();
    assert!(message.contains("Failed 2 actions: IOException: 2 times"), "{message}");
    assert!(gateway.row("a").is_empty() && !gateway.row("n").is_empty());
}

#[test]
fn a_missing_argument_is_an_undeclared_failure_where_java_has_a_null_pointer() {
    let gateway = Gateway::new(&[]);
    let internal = |outcome: Result<GetResult, Fault>| matches!(outcome, Err(Fault::Undeclared(_)));
    let whole = || GetArgs { table_name: bytes("t"), row: bytes("r"), column: bytes("f:a"), attributes: None };
    assert!(!internal(gateway.call("get", whole())));
    assert!(internal(gateway.call("get", GetArgs { table_name: None, ..whole() })));
    assert!(internal(gateway.call("get", GetArgs { row: None, ..whole() })));
    assert!(internal(gateway.call("get", GetArgs { column: None, ..whole() })));
    assert!(internal(gateway.call("get", GetArgs { table_name: bytes("no good"), ..whole() })));
}

#[test]
fn an_undeclared_failure_names_the_class_the_reason_and_the_remedy() {
    let gateway = Gateway::new(&[]);
    let whole = || GetArgs { table_name: bytes("t"), row: bytes("r"), column: bytes("f:a"), attributes: None };
    let told = |arguments| match gateway.call::<GetResult>("get", arguments) {
        Err(Fault::Undeclared(text)) => text,
        other => panic!("{other:?}"),
    };
    let illegal = "java.lang.IllegalArgumentException";
    assert_eq!(
        told(GetArgs { row: bytes(""), ..whole() }),
        format!("{illegal}: Row length is 0: a row key must have 1 to 32767 bytes")
    );
    assert_eq!(
        told(GetArgs { table_name: bytes(""), ..whole() }),
        format!("{illegal}: Table qualifier must not be empty: a table name has at least one character")
    );
    let bad_name = told(GetArgs { table_name: bytes("no good"), ..whole() });
    assert!(bad_name.starts_with(&format!("{illegal}: Illegal character code:32")), "{bad_name}");
    assert_eq!(
        told(GetArgs { column: None, ..whole() }),
        "java.lang.NullPointerException: the argument column is not set: send it"
    );
    let increment = TIncrement { table: bytes("t"), row: bytes("r"), column: bytes("f"), ammount: Some(1) };
    let counted = gateway.call::<IncrementResult>("increment", IncrementArgs { increment: Some(increment) });
    let Err(Fault::Undeclared(text)) = counted else { panic!("{counted:?}") };
    assert_eq!(text, "java.lang.NullPointerException: the column \"f\" has no colon: send family:qualifier");
}
