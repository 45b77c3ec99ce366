//! Reads of ranges of rows in one request.

use std::sync::Arc;

use base64::Engine as _;
use bytes::Bytes;
use hjall_engine::filter::{FilterSpec, ListOperator};
use hjall_engine::name::TableName;
use hjall_engine::quote;
use hjall_engine::request::{Columns, Scan, TimeRange};

use super::error::{Answer, Failure};
use super::page::{Lacking, Stream};
use super::row_spec::{RowSpec, URL_SAFE_BASE64, split_column};
use super::{get, page, table_name};
use crate::gateway::context::CallContext;
use crate::gateway::scanners::OpenScanner;
use crate::wire::rest::Request;
use crate::wire::rest::address::Place;
use crate::wire::rest::media::Kind;

/// The number of rows that HBase's gateway fetches at once.
const CACHING: i32 = 10;

/// Reads the rows with a prefix, as the query says.
pub(super) fn scan(context: &CallContext<'_>, request: &Request) -> Answer {
    if let Some(open) = page::kept(context) {
        return page::first(context, request, open);
    }
    let Place::Scan { prefix, .. } = &request.place else { return Err(Failure::not_found()) };
    let limit = number(request, "limit", i32::MAX)?;
    let scan = Scan {
        max_versions: number(request, "maxversions", 1)?,
        batch: number(request, "batchsize", -1)?,
        reversed: flag(request, "reversed", false),
        caching: CACHING,
        ..Scan::default()
    };
    let times = (number(request, "starttime", 0)?, number(request, "endtime", i64::MAX)?);
    flag(request, "cacheblocks", true);
    let time_range = TimeRange::new(times.0, times.1).map_err(|error| Failure::of_read(&error))?;
    let bytes = |name| Bytes::copy_from_slice(request.query.first(name).unwrap_or_default().as_bytes());
    let (mut start, stop) = (bytes("startrow"), bytes("endrow"));
    let prefix = Bytes::copy_from_slice(prefix.as_bytes());
    if start.is_empty() {
        start = prefix.clone();
    }
    let scan =
        Scan { start, stop, time_range, columns: columns(request)?, filter: filter(context, request, prefix)?, ..scan };
    let name = table_name(request)?;
    let scanner = context.engine.table(&name).scan(scan).map_err(|error| Failure::of_read(&error))?;
    let results = usize::try_from(limit).unwrap_or(0);
    let stream = Stream::new(get::output(request), Lacking::Empty, results, request.gzip).in_messages();
    page::first(
        context,
        request,
        OpenScanner { rest: Some(stream.into()), ..OpenScanner::new(name, scanner, context.scope) },
    )
}

/// Reads a range of rows or the rows with a prefix, in the form of a request for one row.
pub(super) fn range(context: &CallContext<'_>, request: &Request, name: &TableName, spec: &RowSpec) -> Answer {
    if let Some(open) = page::kept(context) {
        return page::first(context, request, open);
    }
    let scan = Scan {
        start: spec.row.clone(),
        stop: spec.end.clone().unwrap_or_default(),
        columns: spec.selection(),
        time_range: spec.time_range()?,
        max_versions: spec.versions,
        ..Scan::default()
    };
    let scanner = context.engine.table(name).scan(scan).map_err(|error| Failure::of(&error))?;
    let output = get::output(request);
    // One value can only be that of the first row.
    let results = if output.kind == Kind::Binary { 1 } else { usize::MAX };
    let stream = Stream::new(output, Lacking::NotFound, results, request.gzip);
    page::first(
        context,
        request,
        OpenScanner { rest: Some(stream.into()), ..OpenScanner::new(name.clone(), scanner, context.scope) },
    )
}

/// The failure for a parameter that must be a number. HBase's web server takes it for an address that does not exist.
pub(super) fn not_a_number(name: &str, text: &str) -> Failure {
    let (name, text) = (quote::escaped_text(name), quote::escaped_text(text));
    Failure::Page(404, format!("the parameter {name} must be a whole number in range, not \"{text}\""))
}

/// A number of the query. Jersey takes one that it cannot parse for an address that does not exist.
fn number<T: std::str::FromStr>(request: &Request, name: &str, default: T) -> Answer<T> {
    match request.query.first(name) {
        None => Ok(default),
        Some(text) => text.parse().map_err(|_| not_a_number(name, text)),
    }
}

/// A truth value of the query, as Java parses it.
fn flag(request: &Request, name: &str, default: bool) -> bool {
    request.query.first(name).map_or(default, |text| text.eq_ignore_ascii_case("true"))
}

fn columns(request: &Request) -> Answer<Columns> {
    let mut columns = Columns::all();
    for text in request.query.all("column") {
        let column = Bytes::copy_from_slice(text.trim().as_bytes());
        if column.is_empty() {
            return Err(Failure::bad("column is empty; name a family, or a column as family:qualifier"));
        }
        match split_column(&column) {
            (family, None) => columns.add_family(family),
            (family, Some(qualifier)) => columns.add_column(family, qualifier),
        };
    }
    Ok(columns)
}

fn filter(context: &CallContext<'_>, request: &Request, prefix: Bytes) -> Answer<Option<Arc<FilterSpec>>> {
    let prefix = (!prefix.is_empty()).then(|| FilterSpec::prefix(prefix));
    let text = match (request.query.first("filter_b64"), request.query.first("filter")) {
        (Some(text), _) => {
            let wrong = |error| Failure::bad(format!("filter_b64 is not URL-safe base64: {error}"));
            Some(URL_SAFE_BASE64.decode(text).map_err(wrong)?)
        }
        (None, text) => text.map(|text| text.as_bytes().to_vec()),
    };
    let Some(text) = text else { return Ok(prefix.map(Arc::new)) };
    let parsed = get::filter(context, &text)?;
    Ok(Some(match prefix {
        None => parsed,
        Some(prefix) => Arc::new(FilterSpec::list(ListOperator::All, vec![(*parsed).clone(), prefix])),
    }))
}
