//! Reads of ranges of rows: scanners, and scans in one call.

use bytes::Bytes;
use hjall_engine::name::TableName;
use hjall_engine::read::{Budget, Fetched, FetchedPage};
use hjall_engine::request::Scan;
use hjall_engine::{Error, ErrorKind, Scanner};
use hjall_idl::hbase2::{CloseScannerArgs, GetScannerResultsArgs, GetScannerRowsArgs, OpenScannerArgs, TScan};

use super::convert::{check_authorizations, columns, table_name, time_range};
use super::error::{Answer, data, illegal, refused};
use super::filter;
use super::get::{NO_REPLICA, no_replica};
use super::region::replica_missing;
use super::rows::Rows;
use crate::gateway::attributes::Attributes;
use crate::gateway::context::CallContext;
use crate::gateway::error::{CLOSED_SCANNER, ILLEGAL_ARGUMENT};
use crate::gateway::scanners::{OpenScanner, paused};
use crate::wire::fault::Fault;
use crate::wire::method::Service;

/// A scan, and the error with which a region server would refuse it.
struct Request {
    scan: Scan,
    refusal: Option<Error>,
}

impl Request {
    /// Converts a scan, with checks in HBase's order, so that of several errors the same one is reported.
    fn new(context: &CallContext<'_>, sent: TScan) -> Answer<Self> {
        let bytes = |row: Option<Vec<u8>>| Bytes::from(row.unwrap_or_default());
        let mut scan = Scan {
            start: bytes(sent.start_row),
            stop: bytes(sent.stop_row),
            caching: sent.caching.unwrap_or(0),
            // The default of the contract, for clients that do not send it.
            max_versions: sent.max_versions.unwrap_or(1),
            columns: columns(sent.columns),
            batch: sent.batch_size.unwrap_or(0),
            reversed: sent.reversed.unwrap_or(false),
            limit: sent.limit.unwrap_or(-1),
            ..Scan::default()
        };
        scan.validate().map_err(illegal)?;
        if let Some(range) = &sent.time_range {
            scan.time_range = time_range(range)?;
        }
        if let Some(text) = &sent.filter_string {
            scan.filter = Some(filter::from_text(context, text)?);
        }
        let attributes = Attributes::new(&sent.attributes);
        // HBase's client checks the isolation level of a scan, unlike that of a get.
        attributes.check_isolation().map_err(|error| Fault::undeclared(ILLEGAL_ARGUMENT, error.plain()))?;
        attributes.check_metrics().map_err(illegal)?;
        check_authorizations(sent.authorizations.as_ref())?;
        for (family, range) in sent.col_fam_time_range_map.into_iter().flatten() {
            scan.family_time_ranges.insert(family.into(), time_range(&range)?);
        }
        if let Some(bytes) = &sent.filter_bytes {
            scan.filter = Some(filter::from_bytes(context, bytes)?);
        }
        let mut refusal = None;
        match attributes.raw() {
            Ok(raw) => scan.raw = raw,
            Err(error) => refusal = Some(error),
        }
        Ok(Self { scan, refusal })
    }
}

/// Opens the scan of a call without reading anything.
fn start(context: &CallContext<'_>, name: &TableName, sent: TScan) -> Answer<OpenScanner> {
    let replica = sent.target_replica_id;
    let Request { scan, mut refusal } = Request::new(context, sent)?;
    // HBase detects a missing replica when it looks up the first region.
    if let Some(id) = replica.filter(|id| *id > 0)
        && replica_missing(context, name, id).unwrap_or(false)
    {
        let missing = Error::new(ErrorKind::Unprocessable, no_replica(id, &scan.start, name)).with_remedy(NO_REPLICA);
        refusal = refusal.or(Some(missing));
    }
    let scanner: Scanner = context.engine.table(name).scan(scan).map_err(|e| data(&e))?;
    Ok(OpenScanner { refusal, ..OpenScanner::new(name.clone(), scanner, context.scope) })
}

/// Fetches up to `results` results. A negative number is refused before anything is read.
fn read(context: &CallContext<'_>, open: &mut OpenScanner, results: Option<i32>) -> Answer<Rows> {
    // The default of the contract, for clients that do not send it.
    let wanted = usize::try_from(results.unwrap_or(1))
        .map_err(|_| Fault::undeclared(ILLEGAL_ARGUMENT, "the number of rows is negative: send 0 or more"))?;
    if wanted == 0 {
        return Ok(Rows::default());
    }
    if let Some(refusal) = &open.refusal {
        return Err(refused(context, &open.table, refusal));
    }
    let bytes_max = context.scanners.page_bytes_max();
    match open.scanner.fetch_page_for(wanted, bytes_max, context.scope).map_err(|e| data(&e))? {
        FetchedPage::Page(page) => Ok(Rows::Page(page)),
        FetchedPage::Rows(rows) => Ok(Rows::Rows(rows)),
        FetchedPage::Paused => Err(paused()),
    }
}

/// Opens a scanner. Checks only the arguments; a missing table is reported by the first fetch.
pub fn open_scanner(context: &CallContext<'_>, a: OpenScannerArgs) -> Answer<OpenScanner> {
    start(context, &table_name(&a.table)?, a.tscan)
}

/// The next results of a scanner.
pub fn get_scanner_rows(context: &CallContext<'_>, a: GetScannerRowsArgs) -> Answer<Rows> {
    context
        .scanners
        .with(Service::Thrift2, a.scanner_id, context.scope, |open| {
            let rows = read(context, open, a.num_rows)?;
            context.scope.fetched_from(a.scanner_id);
            Ok(rows)
        })
        .unwrap_or_else(|| {
            Err(Fault::IllegalArgument(format!("Invalid scanner Id: {} {CLOSED_SCANNER}", a.scanner_id)))
        })
}

/// Closes a scanner. An unknown id is not an error.
pub fn close_scanner(context: &CallContext<'_>, a: CloseScannerArgs) -> Answer<()> {
    context.scanners.close(Service::Thrift2, a.scanner_id, context.scope.caller);
    Ok(())
}

/// Opens, reads and closes a scanner in one call.
pub fn get_scanner_results(context: &CallContext<'_>, a: GetScannerResultsArgs) -> Answer<Rows> {
    let kept = context.scope.take_kept().and_then(|state| state.downcast::<OneCallScan>().ok());
    let mut scan = match kept {
        Some(scan) => *scan,
        None => OneCallScan { open: start(context, &table_name(&a.table)?, a.tscan)?, rows: None },
    };
    let answer = scan.read(context, a.num_rows);
    if context.scope.is_paused() {
        context.scope.keep(Box::new(scan));
    }
    answer
}

/// The scan of a `getScannerResults`, which is kept while the call is paused.
struct OneCallScan {
    open: OpenScanner,
    /// The results, once there are enough.
    rows: Option<Rows>,
}

impl OneCallScan {
    fn read(&mut self, context: &CallContext<'_>, wanted: Option<i32>) -> Answer<Rows> {
        let rows = match self.rows.take() {
            Some(rows) => {
                let (cells, bytes) = rows.cells_and_bytes();
                context.scope.take(cells, bytes).map_err(|e| data(&e))?;
                rows
            }
            None => read(context, &mut self.open, wanted)?,
        };
        // The client cannot detect that a page was cut, nor fetch the rest.
        let short = usize::try_from(wanted.unwrap_or(1)).is_ok_and(|wanted| rows.len() < wanted);
        if !short {
            return Ok(rows);
        }
        match self.open.scanner.fetch_for(1, usize::MAX, context.scope).map_err(|e| data(&e))? {
            Fetched::Rows(more) if more.is_empty() => Ok(rows),
            Fetched::Rows(_) => {
                let max = context.scanners.page_bytes_max();
                Err(Fault::io(
                    format!(
                        "org.apache.hadoop.hbase.DoNotRetryIOException: the results are larger than {max} bytes \
                         (limits.page); request fewer at once, or use openScanner and getScannerRows"
                    ),
                    false,
                ))
            }
            Fetched::Paused => {
                self.rows = Some(rows);
                Err(paused())
            }
        }
    }
}
