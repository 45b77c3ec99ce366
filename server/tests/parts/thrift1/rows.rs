//! Changes of rows: their order and timestamps.

use hjall_idl::hbase1::*;

use super::gateway::{Gateway, NOW, bytes, delete, put};

#[test]
fn a_put_in_the_same_request_as_a_delete_is_visible_in_the_same_millisecond() {
    // In HBase it is hidden when both happen in one millisecond.
    let gateway = Gateway::new(&[]);
    for round in 0..50 {
        let value = format!("f:a={round}");
        assert_eq!(gateway.mutate_row("r", vec![put(&value), delete("f")]), MutateRowResult::default());
        assert_eq!(gateway.row("r").split_once('=').unwrap().1, round.to_string());
    }
}

#[test]
fn in_a_batch_of_rows_all_puts_come_before_all_deletes() {
    let gateway = Gateway::new(&[]);
    gateway.mutate_rows(vec![("r", vec![delete("f:a"), put("f:a=1"), put("f:b=2")]), ("r", vec![put("f:b=3")])], None);
    assert_eq!(
        gateway.row("r"),
        format!("r f:b@{NOW}=3"),
        "the later batch wins, and the delete hides the earlier put"
    );
}

#[test]
fn a_family_delete_replaces_column_deletes_before_it_but_not_after_it() {
    let gateway = Gateway::new(&[]);
    let at = |timestamp, mutations| {
        let arguments = MutateRowTsArgs {
            table_name: bytes("t"),
            row: bytes("r"),
            mutations: Some(mutations),
            timestamp: Some(timestamp),
            attributes: None,
        };
        gateway.call::<MutateRowTsResult>("mutateRowTs", arguments).unwrap()
    };
    at(5, vec![put("f:a=1"), put("f:b=1")]);
    at(9, vec![put("f:a=2")]);
    assert_eq!(at(5, vec![delete("f:a"), delete("f"), delete("f:a")]), MutateRowTsResult::default());
    assert_eq!(gateway.row("r"), "r f:a@9=2");
}

#[test]
fn a_long_list_of_deletes_counts_each_column_once() {
    const COLUMNS: usize = 50_000;
    let gateway = Gateway::new(&[]);
    let names: Vec<String> = (0..COLUMNS).map(|n| format!("f:{n:05}")).collect();
    gateway.mutate_row("r", names.iter().map(|name| put(&format!("{name}=1"))).collect());
    gateway.mutate_row("r", vec![put("g:a=1")]);
    let twice = names.iter().chain(&names).map(|name| delete(name)).collect();
    assert_eq!(gateway.mutate_row("r", twice), MutateRowResult::default());
    assert_eq!(gateway.row("r"), format!("r g:a@{NOW}=1"));
}

#[test]
fn a_malformed_list_changes_nothing() {
    let gateway = Gateway::new(&[]);
    gateway.mutate_row("r", vec![put("f:a=1")]);
    let refused = gateway.mutate_row("r", vec![delete("f:a"), put("f:b=2"), put(":c=3")]);
    assert!(refused.ia.unwrap().message.unwrap().starts_with("java.lang.IllegalArgumentException: Family"));
    let long = "x".repeat(128);
    let refused = gateway.mutate_row("r", vec![delete("f:a"), delete(&long)]);
    assert!(refused.ia.unwrap().message.unwrap().starts_with("java.lang.IllegalArgumentException: Family > 127"));
    assert_eq!(gateway.row("r"), format!("r f:a@{NOW}=1"));
}

#[test]
fn older_clients_find_the_nearest_row_before() {
    let gateway = Gateway::new(&["m"]);
    for (row, cell) in [("b", "f:a=1"), ("d", "g:a=2"), ("n", "f:z=3")] {
        gateway.mutate_row(row, vec![put(cell)]);
    }
    let before = |row: &str, family: &str| {
        let arguments = GetRowOrBeforeArgs { table_name: bytes("t"), row: bytes(row), family: bytes(family) };
        let result: GetRowOrBeforeResult = gateway.call("getRowOrBefore", arguments).unwrap();
        result.success.map(|cells| cells.into_iter().map(|c| c.value.unwrap()).collect::<Vec<_>>())
    };
    assert_eq!(before("d", "f"), Some(vec![b"1".to_vec()]), "d has nothing in that family");
    assert_eq!(before("n", "f"), Some(vec![b"3".to_vec()]), "the row itself");
    assert_eq!(before("m", "f"), Some(vec![b"1".to_vec()]), "across regions");
    assert_eq!(before("a", "f"), Some(vec![]));
    assert_eq!(before("z", "f:z"), None, "the family's name is not parsed");
}
