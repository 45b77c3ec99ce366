//! Answers that would be too large: fetches of scanners end early and lose nothing, and other calls are refused with a
//! message.

use hjall_idl::hbase1::{
    AppendArgs, AppendResult, GetRowsArgs, GetRowsResult, ScannerGetListArgs, ScannerGetListResult, TAppend,
};
use hjall_idl::hbase2::{
    ExistsAllArgs, ExistsAllResult, GetScannerResultsArgs, GetScannerResultsResult, GetScannerRowsArgs,
    GetScannerRowsResult, OpenScannerArgs, OpenScannerResult, TGet, TScan,
};
use hjall_server::settings::config::Limits;

use super::client::{TABLE, serve};
use super::scanners::open;

const ROWS: usize = 50;

/// Pages of seven rows.
fn pages() -> Limits {
    Limits { page_bytes_max: 64 << 10, ..Limits::default() }
}

#[test]
fn a_fetch_ends_with_the_row_that_fills_a_page_and_the_next_one_continues_after_it() {
    let (_server, mut client) = serve(pages(), ROWS);
    let id = open(&mut client).unwrap();
    let mut sizes = Vec::new();
    let mut rows = Vec::new();
    loop {
        // More rows than fit into any memory.
        let page: ScannerGetListResult = client.call("scannerGetList", &ScannerGetListArgs::new(id, i32::MAX));
        let page = page.success.unwrap();
        if page.is_empty() {
            break;
        }
        sizes.push(page.len());
        rows.extend(page.into_iter().map(|row| row.row.unwrap()));
    }
    assert_eq!(sizes, [7, 7, 7, 7, 7, 7, 7, 1]);
    assert!(rows.into_iter().eq((0..ROWS).map(|n| format!("row{n:03}").into_bytes())), "each row once, in order");
}

#[test]
fn a_thrift2_fetch_ends_with_the_row_that_fills_a_page() {
    let (_server, mut client) = serve(pages(), ROWS);
    let scan = || TScan::default();
    let opened: OpenScannerResult = client.call("openScanner", &OpenScannerArgs::new(TABLE.to_vec(), scan()));
    let id = opened.success.unwrap();
    let mut rows = 0;
    loop {
        let page: GetScannerRowsResult = client.call("getScannerRows", &GetScannerRowsArgs::new(id, 1000));
        let page = page.success.unwrap().len();
        assert!(page <= 7);
        rows += page;
        if page == 0 {
            break;
        }
    }
    assert_eq!(rows, ROWS);
    // A client cannot fetch the rest within one call.
    let arguments = |count| GetScannerResultsArgs::new(TABLE.to_vec(), scan(), count);
    let few: GetScannerResultsResult = client.call("getScannerResults", &arguments(5));
    assert_eq!(few.success.unwrap().len(), 5);
    let many: GetScannerResultsResult = client.call("getScannerResults", &arguments(1000));
    let error = many.io.unwrap();
    assert!(error.message.unwrap().contains("limits.page") && error.can_retry == Some(false));
}

#[test]
fn a_reply_that_is_too_long_is_refused_and_the_connection_stays_open() {
    let (_server, mut client) = serve(Limits { reply_bytes_max: 100 << 10, ..Limits::default() }, ROWS);
    let rows = |n: usize| (0..n).map(|n| format!("row{n:03}").into_bytes()).collect::<Vec<_>>();
    let many: GetRowsResult = client.call("getRows", &GetRowsArgs::new(TABLE.to_vec(), rows(ROWS), None));
    assert!(many.io.unwrap().message.unwrap().contains("DoNotRetryIOException: the reply is larger than 102400 bytes"));
    let few: GetRowsResult = client.call("getRows", &GetRowsArgs::new(TABLE.to_vec(), rows(5), None));
    assert_eq!(few.success.unwrap().len(), 5);
}

#[test]
fn memory_of_a_running_call_counts_towards_the_quota_and_is_released() {
    let (server, mut client) = serve(Limits { held_bytes_max: 64 << 10, ..Limits::default() }, 0);
    for n in 0..ROWS {
        client.put_row(n);
    }
    let rows = |n: usize| (0..n).map(|n| format!("row{n:03}").into_bytes()).collect::<Vec<_>>();
    let many: GetRowsResult = client.call("getRows", &GetRowsArgs::new(TABLE.to_vec(), rows(ROWS), None));
    let error = many.io.unwrap();
    // They take more than a connection may have, so trying again does not help.
    assert!(error.message.unwrap().contains("limits.bytes_in_flight") && error.can_retry == Some(false));
    // The page ends where the quota is used up.
    let id = open(&mut client).unwrap();
    let mut seen = 0;
    loop {
        let page: ScannerGetListResult = client.call("scannerGetList", &ScannerGetListArgs::new(id, 1000));
        let page = page.success.unwrap().len();
        seen += page;
        if page == 0 {
            break;
        }
        assert!(page < 7, "{page}");
    }
    assert_eq!(seen, ROWS);
    assert_eq!(server.held_bytes(), 0);
}

#[test]
fn a_test_for_existence_takes_no_memory() {
    let (_server, mut client) = serve(Limits { reply_bytes_max: 100 << 10, ..Limits::default() }, ROWS);
    let get = |n: usize| {
        let row = format!("row{n:03}").into_bytes();
        TGet::new(row, None, None, None, None, None, None, None, None, None, None, None, None, None, None)
    };
    let arguments = ExistsAllArgs::new(TABLE.to_vec(), (0..=ROWS).map(get).collect::<Vec<_>>());
    let exist: ExistsAllResult = client.call("existsAll", &arguments);
    let exist = exist.success.unwrap();
    assert_eq!((exist.len(), exist.iter().filter(|exists| **exists).count()), (ROWS + 1, ROWS));
}

#[test]
fn an_append_that_repeats_a_long_column_is_refused_and_changes_nothing() {
    let (_server, mut client) = serve(Limits { reply_bytes_max: 100 << 10, ..Limits::default() }, 1);
    let append = |client: &mut super::client::Client, times: usize| -> AppendResult {
        let append = TAppend {
            table: Some(TABLE.to_vec()),
            row: Some(b"row000".to_vec()),
            columns: Some(vec![b"f:q".to_vec(); times]),
            values: Some(vec![b"x".to_vec(); times]),
        };
        client.call("append", &AppendArgs { append: Some(append) })
    };
    let refused = append(&mut client, 1000).io.unwrap().message.unwrap();
    assert!(refused.contains("the reply is larger than 102400 bytes"), "{refused}");
    let appended = append(&mut client, 1).success.unwrap();
    assert_eq!(appended[0].value.as_ref().unwrap().len(), (10 << 10) + 1);
}
