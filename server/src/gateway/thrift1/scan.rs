//! Scanners: opens them in six ways, reads them and closes them.

use std::sync::Arc;

use bytes::Bytes;
use hjall_engine::filter::FilterSpec;
use hjall_engine::read::FetchedPage;
use hjall_engine::request::{Columns, ROW_LENGTH_MAX, Scan, TimeRange, after_prefix};
use hjall_idl::hbase1::*;

use super::column::selection;
use super::convert::{sent, table};
use super::error::{Answer, undeclared};
use super::rows::Rows;
use crate::gateway::attributes::{Attributes, Sent};
use crate::gateway::context::CallContext;
use crate::gateway::error::{CLOSED_SCANNER, ILLEGAL_ARGUMENT, once_located};
use crate::gateway::filters::{self, Unbuilt};
use crate::gateway::scanners::{OpenScanner, paused};
use crate::wire::fault::Fault;
use crate::wire::method::Service::Thrift1;

/// Opens a scanner that begins at a row.
pub fn scanner_open(context: &CallContext<'_>, a: ScannerOpenArgs) -> Answer<OpenScanner> {
    let range = Range { start: sent(a.start_row, "startRow")?, ..Range::default() };
    start(context, a.table_name, range.scan(a.columns, None)?, false, &a.attributes)
}

/// Opens a scanner with a first and a last row.
pub fn scanner_open_with_stop(context: &CallContext<'_>, a: ScannerOpenWithStopArgs) -> Answer<OpenScanner> {
    let range = Range { start: sent(a.start_row, "startRow")?, stop: sent(a.stop_row, "stopRow")? };
    start(context, a.table_name, range.scan(a.columns, None)?, false, &a.attributes)
}

/// Opens a scanner of the rows with a prefix.
pub fn scanner_open_with_prefix(context: &CallContext<'_>, a: ScannerOpenWithPrefixArgs) -> Answer<OpenScanner> {
    let prefix = sent(a.start_and_prefix, "startAndPrefix")?;
    // HBase's gateway always filters. That changes only raw reads, of which more cells count with a filter.
    let filter = match Attributes::new(&a.attributes).raw() {
        Ok(true) => Some(Arc::new(FilterSpec::while_match(FilterSpec::prefix(prefix.clone())))),
        _ => None,
    };
    let scan = Scan { filter, ..Range::prefix(prefix).scan(a.columns, None)? };
    start(context, a.table_name, scan, false, &a.attributes)
}

/// Opens a scanner that begins at a row, of the cells before a timestamp.
pub fn scanner_open_ts(context: &CallContext<'_>, a: ScannerOpenTsArgs) -> Answer<OpenScanner> {
    let range = Range { start: sent(a.start_row, "startRow")?, ..Range::default() };
    start(context, a.table_name, range.scan(a.columns, Some(a.timestamp.unwrap_or(0)))?, false, &a.attributes)
}

/// Opens a scanner with a first and a last row, of the cells before a timestamp.
pub fn scanner_open_with_stop_ts(context: &CallContext<'_>, a: ScannerOpenWithStopTsArgs) -> Answer<OpenScanner> {
    let range = Range { start: sent(a.start_row, "startRow")?, stop: sent(a.stop_row, "stopRow")? };
    start(context, a.table_name, range.scan(a.columns, Some(a.timestamp.unwrap_or(0)))?, false, &a.attributes)
}

/// Opens a scanner with all options.
pub fn scanner_open_with_scan(context: &CallContext<'_>, a: ScannerOpenWithScanArgs) -> Answer<OpenScanner> {
    let t = sent(a.scan, "scan")?;
    let range = Range { start: t.start_row.unwrap_or_default(), stop: t.stop_row.unwrap_or_default() };
    let mut scan = range.scan(t.columns, t.timestamp)?;
    scan.caching = t.caching.unwrap_or(0);
    scan.batch = t.batch_size.unwrap_or(0);
    scan.reversed = t.reversed.unwrap_or(false);
    if let Some(text) = t.filter_string {
        let built = filters::build(context, text.len(), || FilterSpec::parse(&text));
        scan.filter = Some(built.map_err(|(Unbuilt::Malformed(error) | Unbuilt::NoRoom(error))| undeclared(error))?);
    }
    start(context, a.table_name, scan, t.sort_columns.unwrap_or(false), &a.attributes)
}

/// The next result.
pub fn scanner_get(context: &CallContext<'_>, a: ScannerGetArgs) -> Answer<Rows> {
    fetch(context, a.id.unwrap_or(0), 1)
}

/// Up to `nb_rows` further results.
pub fn scanner_get_list(context: &CallContext<'_>, a: ScannerGetListArgs) -> Answer<Rows> {
    fetch(context, a.id.unwrap_or(0), a.nb_rows.unwrap_or(0))
}

/// Closes a scanner.
pub fn scanner_close(context: &CallContext<'_>, a: ScannerCloseArgs) -> Answer<()> {
    let id = a.id.unwrap_or(0);
    if context.scanners.close(Thrift1, id, context.scope.caller) { Ok(()) } else { Err(no_such_scanner(id)) }
}

/// The rows of a scan: from `start` (included) to `stop` (excluded). An empty `stop` means the end of the
/// table.
#[derive(Default)]
struct Range {
    start: Vec<u8>,
    stop: Vec<u8>,
}

impl Range {
    /// All rows with a prefix.
    fn prefix(prefix: Vec<u8>) -> Self {
        Self { stop: after_prefix(&prefix), start: prefix }
    }

    fn scan(self, columns: Option<Vec<Vec<u8>>>, before: Option<i64>) -> Answer<Scan> {
        let columns: Columns = selection(columns);
        let time_range = before.map_or(Ok(TimeRange::ALL), TimeRange::before).map_err(undeclared)?;
        for row in [&self.start, &self.stop] {
            if row.len() > ROW_LENGTH_MAX {
                let text = format_args!("Row length {} is > {ROW_LENGTH_MAX}: send a shorter row", row.len());
                return Err(Fault::undeclared(ILLEGAL_ARGUMENT, text));
            }
        }
        Ok(Scan {
            start: Bytes::from(self.start),
            stop: Bytes::from(self.stop),
            columns,
            time_range,
            ..Scan::default()
        })
    }
}

/// Opens a scan. Fails only for errors that HBase's gateway detects. Every other error is reported by the
/// first fetch.
fn start(
    context: &CallContext<'_>,
    name: Option<Vec<u8>>,
    scan: Scan,
    sorted: bool,
    attributes: &Sent,
) -> Answer<OpenScanner> {
    let table = table(context, name, undeclared)?;
    // HBase's client checks the isolation level of a scan, unlike that of a get.
    Attributes::new(attributes)
        .check_isolation()
        .map_err(|error| Fault::undeclared(ILLEGAL_ARGUMENT, error.plain()))?;
    Attributes::new(attributes).check_metrics().map_err(undeclared)?;
    let (raw, refusal) = match Attributes::new(attributes).raw() {
        Ok(raw) => (raw, None),
        Err(error) => (false, Some(error)),
    };
    let scanner = table.scan(Scan { raw, ..scan }).map_err(undeclared)?;
    Ok(OpenScanner { sort_columns: sorted, refusal, ..OpenScanner::new(table.name().clone(), scanner, context.scope) })
}

fn fetch(context: &CallContext<'_>, id: i32, count: i32) -> Answer<Rows> {
    let fetched = context.scanners.with(Thrift1, id, context.scope, |open| {
        let Ok(count) = usize::try_from(count) else {
            let text = format_args!("Illegal Capacity: {count}: nbRows is 0 or more");
            return Err(Fault::undeclared(ILLEGAL_ARGUMENT, text));
        };
        if count == 0 {
            return Ok(Rows::default());
        }
        if let Some(refusal) = &open.refusal {
            return Err(undeclared(once_located(&context.engine, &open.table, refusal.again())));
        }
        let bytes_max = context.scanners.page_bytes_max();
        let fetched = open.scanner.fetch_page_for(count, bytes_max, context.scope).map_err(undeclared)?;
        context.scope.fetched_from(id);
        match fetched {
            FetchedPage::Page(page) => Ok(Rows::page(page, open.sort_columns)),
            FetchedPage::Rows(rows) => Ok(Rows::scanned(rows, open.sort_columns)),
            FetchedPage::Paused => Err(paused()),
        }
    });
    fetched.unwrap_or_else(|| Err(no_such_scanner(id)))
}

fn no_such_scanner(id: i32) -> Fault {
    Fault::IllegalArgument(format!("scanner ID is invalid: {id} {CLOSED_SCANNER}"))
}
