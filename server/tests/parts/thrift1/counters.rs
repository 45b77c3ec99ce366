//! Increments and appends.

use hjall_idl::hbase1::*;

use super::gateway::{Gateway, bytes, raised};

fn increment(gateway: &Gateway, table: &str, row: &str, column: &str, by: i64) -> AtomicIncrementResult {
    let arguments =
        AtomicIncrementArgs { table_name: bytes(table), row: bytes(row), column: bytes(column), value: Some(by) };
    gateway.call("atomicIncrement", arguments).unwrap()
}

#[test]
fn a_counter_faster_than_the_clock_loses_nothing() {
    let gateway = Gateway::new(&[]);
    for n in 1..=2_500 {
        assert_eq!(increment(&gateway, "t", "r", "f:n", 1).success, Some(n));
    }
    assert_eq!(increment(&gateway, "t", "r", "f:n", 0).success, Some(2_500), "HappyBase reads a counter like this");
}

#[test]
fn a_counter_without_a_colon_has_the_empty_qualifier_and_wraps_around() {
    let gateway = Gateway::new(&[]);
    increment(&gateway, "t", "r", "f", i64::MAX);
    assert_eq!(increment(&gateway, "t", "r", "f:", 1).success, Some(i64::MIN));
}

#[test]
fn a_missing_table_is_reported_before_a_value_that_is_not_a_counter() {
    let gateway = Gateway::new(&[]);
    for (row, column) in [("", "f:n"), ("r", ":n"), ("r", "")] {
        let raised_on = |table| raised(&increment(&gateway, table, row, column, 1).io);
        assert_eq!(raised_on("t"), ("RetriesExhaustedException".to_owned(), true), "{row} {column}");
        assert_eq!(raised_on("absent"), ("TableNotFoundException".to_owned(), false));
    }
    assert_eq!(raised(&increment(&gateway, "t", "r", "no:n", 1).io), ("NoSuchColumnFamilyException".to_owned(), false));
}

#[test]
fn increments_of_a_list_stop_at_the_first_that_fails() {
    let gateway = Gateway::new(&[]);
    let one = |column| TIncrement { table: bytes("t"), row: bytes("r"), column: bytes(column), ammount: Some(5) };
    let increments = Some(vec![one("f:a"), one("no:b"), one("f:c")]);
    let result: IncrementRowsResult = gateway.call("incrementRows", IncrementRowsArgs { increments }).unwrap();
    assert_eq!(raised(&result.io), ("NoSuchColumnFamilyException".to_owned(), false));
    assert_eq!(increment(&gateway, "t", "r", "f:a", 0).success, Some(5));
    assert_eq!(increment(&gateway, "t", "r", "f:c", 0).success, Some(0));
}

#[test]
fn two_appends_to_one_column_both_start_from_the_old_value() {
    let gateway = Gateway::new(&[]);
    let append = |columns: &[&str], values: &[&str]| {
        let list = |texts: &[&str]| Some(texts.iter().map(|t| t.as_bytes().to_vec()).collect());
        let append = TAppend { table: bytes("t"), row: bytes("r"), columns: list(columns), values: list(values) };
        gateway.call::<AppendResult>("append", AppendArgs { append: Some(append) })
    };
    let values = |result: AppendResult| -> Vec<_> {
        result.success.unwrap().into_iter().map(|c| String::from_utf8(c.value.unwrap()).unwrap()).collect()
    };
    append(&["f:a"], &["base"]).unwrap();
    assert_eq!(values(append(&["f:b", "f:a", "f:a"], &["x", "P", "Q"]).unwrap()), ["baseP", "baseQ", "x"]);
    assert_eq!(values(append(&["f:a"], &[""]).unwrap()), ["baseQ"]);
    assert!(append(&["f:a", "f:b"], &["x"]).is_err());
    assert!(append(&[], &[]).is_err());
}
