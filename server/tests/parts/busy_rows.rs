//! A row that is busy fails alone, whichever service the list of writes comes from.
//!
//! A row is busy if other writes have locked it, or if it is so far ahead of the clock that its next write has to wait.
//! A clock that stands still makes a row busy for good.

use hjall_idl::hbase1::MutateRowsResult;
use hjall_idl::hbase2::*;
use hjall_server::wire::method::Service;

use super::thrift1::gateway::{Gateway, delete, put, raised};

const BUSY: &str = "busy";
/// Rows of a list besides the busy one: with it, as many as the engine writes in one transaction.
const OTHERS: usize = 999;

/// A gateway with a table in which the row [`BUSY`] is as far ahead of the clock as rows may be.
fn gateway() -> Gateway {
    let gateway = Gateway::new(&[]);
    let written = |mutation| gateway.mutate_row(BUSY, vec![mutation]).io.is_none();
    while written(put("f:q=old")) && written(delete("f:q")) {}
    assert_eq!(gateway.row(BUSY), "");
    gateway
}

/// The rows of a list, the busy one in the middle.
fn rows() -> Vec<String> {
    let mut rows: Vec<_> = (0..OTHERS).map(|n| format!("r{n:03}")).collect();
    rows.insert(OTHERS / 2, BUSY.to_owned());
    rows
}

/// The number of rows that have a cell, after a check that the busy row has none.
fn written(gateway: &Gateway) -> usize {
    assert_eq!(gateway.row(BUSY), "");
    rows().iter().filter(|row| !gateway.row(row).is_empty()).count()
}

/// Checks the summary of the failures of a list.
fn assert_only_busy_row_failed(told: &str) {
    assert!(told.contains("Failed 1 action: ") && told.contains("RegionTooBusyException: row \"busy\""), "{told}");
}

#[test]
fn mutate_rows_of_thrift1_writes_all_rows_but_the_busy_one() {
    let gateway = gateway();
    let rows = rows();
    for (mutation, left) in [(put("f:q=new"), OTHERS), (delete("f:q"), 0)] {
        let batch = rows.iter().map(|row| (row.as_str(), vec![mutation.clone()])).collect();
        let MutateRowsResult { io, .. } = gateway.mutate_rows(batch, None);
        assert_eq!(raised(&io), ("RetriesExhaustedWithDetailsException".to_owned(), true));
        let told = io.unwrap().message.unwrap();
        assert_only_busy_row_failed(&told);
        assert_eq!(written(&gateway), left);
    }
}

#[test]
fn put_multiple_and_delete_multiple_of_thrift2_write_all_rows_but_the_busy_one() {
    let gateway = gateway();
    let column = || TColumnValue::new(b"f".to_vec(), b"q".to_vec(), b"new".to_vec(), None, None, None);
    let puts = rows().into_iter().map(|row| TPut::new(row.into_bytes(), vec![column()], None, None, None, None));
    let arguments = PutMultipleArgs::new(b"t".to_vec(), puts.collect());
    let PutMultipleResult { io } = gateway.call_service(Service::Thrift2, "putMultiple", arguments).unwrap();
    let told = io.unwrap().message.unwrap();
    assert_only_busy_row_failed(&told);
    assert_eq!(written(&gateway), OTHERS);

    let deletes = rows().into_iter().map(|row| TDelete::new(row.into_bytes(), None, None, None, None, None));
    let arguments = DeleteMultipleArgs::new(b"t".to_vec(), deletes.collect());
    let result: DeleteMultipleResult = gateway.call_service(Service::Thrift2, "deleteMultiple", arguments).unwrap();
    let told = result.io.unwrap().message.unwrap();
    assert_only_busy_row_failed(&told);
    assert_eq!(written(&gateway), 0);
}
