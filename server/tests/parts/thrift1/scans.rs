//! Scanners.

use hjall_idl::hbase1::*;
use hjall_server::wire::fault::Fault;

use super::gateway::{Gateway, attribute, bytes, delete, put, raised, shown};

fn open(gateway: &Gateway, scan: TScan) -> i32 {
    let arguments = ScannerOpenWithScanArgs { table_name: bytes("t"), scan: Some(scan), attributes: None };
    gateway.call::<ScannerOpenWithScanResult>("scannerOpenWithScan", arguments).unwrap().success.unwrap()
}

fn list(gateway: &Gateway, id: i32, count: i32) -> Result<ScannerGetListResult, Fault> {
    gateway.call("scannerGetList", ScannerGetListArgs { id: Some(id), nb_rows: Some(count) })
}

fn rows(gateway: &Gateway, id: i32, count: i32) -> Vec<String> {
    list(gateway, id, count).unwrap().success.unwrap().iter().map(shown).collect()
}

#[test]
fn a_scanner_sees_the_data_as_of_its_first_fetch() {
    let gateway = Gateway::new(&["m"]);
    gateway.mutate_row("a", vec![put("f:a=1")]);
    let id = open(&gateway, TScan { caching: Some(1), ..TScan::default() });
    gateway.mutate_row("z", vec![put("f:a=2")]);
    assert_eq!(rows(&gateway, id, 0), Vec::<String>::new(), "a request for no rows does not fetch");
    assert_eq!(rows(&gateway, id, 1).len(), 1);
    gateway.mutate_row("zz", vec![put("f:a=3")]);
    gateway.mutate_row("z", vec![delete("f")]);
    assert_eq!(rows(&gateway, id, 9).len(), 1);
    assert_eq!(rows(&gateway, id, 9).len(), 0);
}

#[test]
fn a_prefix_of_0xff_bytes_has_no_end_row() {
    let gateway = Gateway::new(&[]);
    let put = |row: &[u8]| {
        let mutations = Some(vec![put("f:a=1")]);
        let arguments = MutateRowArgs { table_name: bytes("t"), row: Some(row.to_vec()), mutations, attributes: None };
        gateway.call::<MutateRowResult>("mutateRow", arguments).unwrap();
    };
    for row in [&b"a"[..], b"a\xff", b"a\xff\xff", b"b", b"\xff", b"\xff\xff", b"\xff\xff\x01"] {
        put(row);
    }
    let count = |prefix: &[u8]| {
        let arguments = ScannerOpenWithPrefixArgs {
            table_name: bytes("t"),
            start_and_prefix: Some(prefix.to_vec()),
            columns: None,
            attributes: None,
        };
        let result: ScannerOpenWithPrefixResult = gateway.call("scannerOpenWithPrefix", arguments).unwrap();
        rows(&gateway, result.success.unwrap(), i32::MAX).len()
    };
    assert_eq!([&b""[..], b"a", b"a\xff", b"\xff", b"\xff\xff", b"b\x00"].map(count), [7, 3, 2, 3, 2, 0]);
}

#[test]
fn an_attribute_that_cannot_be_read_fails_every_fetch_and_not_the_opening() {
    let gateway = Gateway::new(&[]);
    let open = |name, value: &[u8]| {
        let attributes = attribute(name, value);
        let arguments = ScannerOpenArgs { table_name: bytes("t"), start_row: bytes(""), columns: None, attributes };
        gateway.call::<ScannerOpenResult>("scannerOpen", arguments)
    };
    // HBase's client checks the isolation level, before a scanner is opened.
    for level in [&b""[..], b"\x02", b"\xff"] {
        assert!(matches!(open("_isolationlevel_", level), Err(Fault::Undeclared(_))), "{level:?}");
    }
    let id = open("_raw_", b"yes").unwrap().success.unwrap();
    for _ in 0..2 {
        let io = list(&gateway, id, 1).unwrap().io;
        assert_eq!(raised(&io), ("RetriesExhaustedException".to_owned(), true));
    }
    assert_eq!(rows(&gateway, id, 0).len(), 0);
    assert!(matches!(list(&gateway, id, -1), Err(Fault::Undeclared(_))));
    let closed: ScannerCloseResult = gateway.call("scannerClose", ScannerCloseArgs { id: Some(id) }).unwrap();
    assert_eq!(closed, ScannerCloseResult::default());
    let refused = list(&gateway, id, -1).unwrap().ia.unwrap().message.unwrap();
    assert!(refused.starts_with(&format!("scanner ID is invalid: {id} ")), "{refused}");
    assert!(refused.ends_with(": open another scanner"), "{refused}");
}

#[test]
fn a_filter_must_be_readable_at_the_opening() {
    let gateway = Gateway::new(&[]);
    for (text, reason) in [("", "expected"), ("PrefixFilter(", "at byte"), ("NoSuchFilter()", "NoSuchFilter")] {
        let scan = Some(TScan { filter_string: bytes(text), ..TScan::default() });
        let arguments = ScannerOpenWithScanArgs { table_name: bytes("t"), scan, attributes: None };
        let outcome = gateway.call::<ScannerOpenWithScanResult>("scannerOpenWithScan", arguments);
        let Err(Fault::Undeclared(told)) = outcome else { panic!("{text}") };
        assert!(told.starts_with("java.lang.IllegalArgumentException: ") && told.contains(reason), "{text}: {told}");
    }
}
