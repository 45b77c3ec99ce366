//! Reads of named rows.

use std::collections::BTreeSet;
use std::sync::Arc;

use bytes::Bytes;
use hjall_engine::Error;
use hjall_engine::filter::FilterSpec;
use hjall_engine::read::Budget;
use hjall_engine::request::{Get, check_row};

use super::body::Body;
use super::error::{Answer, Failure};
use super::row_spec::{KeyEncoding, RowSpec, parse_number};
use super::{Response, scan, table_name};
use crate::gateway::context::CallContext;
use crate::gateway::filters::{self, Unbuilt};
use crate::wire::rest::Request;
use crate::wire::rest::address::Place;
use crate::wire::rest::media::{Kind, Output};

/// Reads the row, the range of rows, or the value that the address names.
pub(super) fn row(context: &CallContext<'_>, request: &Request) -> Answer {
    let Place::Row { spec, .. } = &request.place else { return Err(Failure::not_found()) };
    let spec = RowSpec::of(request, spec)?;
    let output = output(request);
    let is_value = output.kind == Kind::Binary;
    if is_value && spec.columns.len() != 1 {
        return Err(Failure::bad_in(
            "Bad request: Default 'GET' method only works if there is exactly 1 column in the row. Using the 'Accept' \
             header with one of these formats lets you retrieve the entire row if it has multiple columns: text/xml, \
             application/json, application/x-protobuf, application/protobuf",
        ));
    }
    let name = table_name(request)?;
    if spec.end.is_some() {
        return scan::range(context, request, &name, &spec);
    }
    let get = get(&spec)?;
    let row = context.engine.table(&name).get_for(&get, context.scope).map_err(|error| Failure::of_get(&error))?;
    let Some(first) = row.cells.first() else {
        return Err(Failure::new(
            404,
            format_args!("the row of table {name} does not exist, or has no cell in these columns and times"),
        ));
    };
    let response = Response::empty(200).with("Content-Type", output.content_type);
    Ok(match is_value {
        true => Response { body: Body::Bytes(first.value.to_vec()), ..response }
            .with("X-Timestamp", first.timestamp.to_string()),
        false => Response { body: Body::Cells(output.kind, vec![row]), ..response },
    })
}

/// The representation of an answer with cells.
pub(super) fn output(request: &Request) -> Output {
    request.output.clone().unwrap_or_else(|| Output::of(Kind::Xml))
}

fn get(spec: &RowSpec) -> Answer<Get> {
    check_row(&spec.row).map_err(|error| Failure::of(&error))?;
    let mut get = Get::new(spec.row.clone());
    get.columns = spec.selection();
    get.time_range = spec.time_range()?;
    if spec.versions <= 0 {
        return Err(Failure::bad("the number of versions (v) must be positive: ask for 1 or more"));
    }
    get.max_versions = spec.versions;
    Ok(get)
}

/// Parses a filter in HBase's filter language.
pub(super) fn filter(context: &CallContext<'_>, text: &[u8]) -> Answer<Arc<FilterSpec>> {
    filters::build(context, text.len(), || FilterSpec::parse(text)).map_err(|unbuilt| match unbuilt {
        Unbuilt::NoRoom(error) => Failure::of_memory(&error),
        Unbuilt::Malformed(_) if text.trim_ascii_start().starts_with(b"{") => Failure::bad(
            "the filter must be in HBase's filter language, such as PrefixFilter('a'); JSON filters are for scanners",
        ),
        Unbuilt::Malformed(error) => Failure::bad(format!("the filter cannot be used: {error}")),
    })
}

/// The columns that are copied at a time.
const COPIED_COLUMNS: usize = 4096;

/// Reads the rows that the query names. Missing rows are left out.
pub(super) fn rows(context: &CallContext<'_>, request: &Request) -> Answer {
    let Place::Multiget { columns, .. } = &request.place else { return Err(Failure::not_found()) };
    let name = table_name(request)?;
    let encoding = KeyEncoding::of(request)?;
    let versions = request.query.first("v").map(|versions| parse_number(versions, "v")).transpose()?;
    let filter = request.query.first("filter").map(|text| filter(context, text.as_bytes())).transpose()?;
    let mut shared = BTreeSet::new();
    for column in columns.split(',').filter(|column| !column.is_empty()) {
        shared.insert(encoding.decode(Bytes::copy_from_slice(column.as_bytes()))?);
    }
    let mut specs = Vec::new();
    for row in request.query.all("row") {
        let mut spec = RowSpec::parse(row, encoding)?;
        spec.versions = versions.unwrap_or(spec.versions);
        // Its mistakes are found before the first row is read.
        get(&spec)?;
        specs.push(spec);
    }
    let table = context.engine.table(&name);
    // HBase reads several rows by another call than one row. Its gateway takes the errors of that call for missing
    // rows.
    let failure = if specs.len() == 1 { Failure::of_read } else { Failure::of_get };
    let mut rows = Vec::new();
    // Each row is read with the columns of the address, whose product with the rows may be large: they are copied for
    // a part of the rows at a time.
    for part in specs.chunks((COPIED_COLUMNS / shared.len().max(1)).max(1)) {
        let get = |spec: &RowSpec| {
            let columns = spec.columns.union(&shared).cloned().collect();
            let mut get = get(&RowSpec { columns, ..spec.clone() })?;
            get.filter.clone_from(&filter);
            Ok(get)
        };
        let gets = part.iter().map(get).collect::<Answer<Vec<_>>>()?;
        context.scope.check().map_err(|error| Failure::of_memory(&error))?;
        let found = table.get_many_for(&gets, context.scope);
        let found = found.and_then(|rows| rows.into_iter().collect::<Result<Vec<_>, Error>>());
        rows.extend(found.map_err(|error| failure(&error))?.into_iter().filter(|row| !row.cells.is_empty()));
    }
    if rows.is_empty() {
        return Err(Failure::Text(404, "No rows found.\r\n".to_owned()));
    }
    let output = output(request);
    let response = Response::empty(200).with("Content-Type", output.content_type);
    Ok(Response { body: Body::Cells(output.kind, rows), ..response })
}

/// The cells that an append or increment has written, if the request asks for them.
pub(super) fn written(request: &Request, row: hjall_engine::Row) -> Answer {
    let is_true = |value: &str| value.eq_ignore_ascii_case("true");
    if !request.query.first("rr").is_some_and(is_true) {
        return Ok(Response::empty(200));
    }
    let output = output(request);
    let response = Response::empty(200).with("Content-Type", output.content_type);
    Ok(Response { body: Body::Cells(output.kind, vec![row]), ..response })
}
