//! Answers that would be too large: fetches of scanners end early and lose nothing, everything else is refused in words.

use hjall_idl::hbase1::{GetRowsArgs, GetRowsResult, ScannerGetListArgs, ScannerGetListResult};
use hjall_idl::hbase2::{
    GetScannerResultsArgs, GetScannerResultsResult, GetScannerRowsArgs, GetScannerRowsResult, OpenScannerArgs,
    OpenScannerResult, TScan,
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
fn a_fetch_ends_with_the_row_that_fills_a_page_and_the_next_goes_on_behind_it() {
    let (_server, mut client) = serve(pages(), ROWS);
    let id = open(&mut client).unwrap();
    let mut sizes = Vec::new();
    let mut rows = Vec::new();
    loop {
        // More than any memory holds, if it were taken at its word.
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
fn the_same_in_the_second_service() {
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
    // Within one call nobody could fetch the rest.
    let arguments = |count| GetScannerResultsArgs::new(TABLE.to_vec(), scan(), count);
    let few: GetScannerResultsResult = client.call("getScannerResults", &arguments(5));
    assert_eq!(few.success.unwrap().len(), 5);
    let many: GetScannerResultsResult = client.call("getScannerResults", &arguments(1000));
    let error = many.io.unwrap();
    assert!(error.message.unwrap().contains("limits.page") && error.can_retry == Some(false));
}

#[test]
fn a_reply_that_is_too_long_is_refused_and_the_connection_stays() {
    let (_server, mut client) = serve(Limits { reply_bytes_max: 100 << 10, ..Limits::default() }, ROWS);
    let rows = |n: usize| (0..n).map(|n| format!("row{n:03}").into_bytes()).collect::<Vec<_>>();
    let many: GetRowsResult = client.call("getRows", &GetRowsArgs::new(TABLE.to_vec(), rows(ROWS), None));
    assert!(many.io.unwrap().message.unwrap().contains("DoNotRetryIOException: the reply is larger than 102400 bytes"));
    let few: GetRowsResult = client.call("getRows", &GetRowsArgs::new(TABLE.to_vec(), rows(5), None));
    assert_eq!(few.success.unwrap().len(), 5);
}
