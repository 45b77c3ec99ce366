//! Writes and deletes of rows.

use bytes::Bytes;
use hjall_engine::mutation::{Delete, Durability, Marker, MarkerKind, Put, PutCell, check_timestamp};
use hjall_engine::quote;
use hjall_engine::request::check_row;
use hjall_engine::{Error, LATEST};

use super::cell_set::{self, SentCell};
use super::error::{Answer, Failure};
use super::row_spec::{RowSpec, split_column};
use super::{Response, table_name};
use crate::gateway::context::CallContext;
use crate::gateway::markers::Markers;
use crate::wire::rest::Request;
use crate::wire::rest::address::Place;
use crate::wire::rest::media::Kind;

/// The row that the address names.
pub(super) fn spec(request: &Request) -> Answer<RowSpec> {
    match &request.place {
        Place::Row { spec, .. } => RowSpec::of(request, spec),
        _ => Err(Failure::not_found()),
    }
}

/// Writes the cells of the body: cells of any rows, or one value.
pub(super) fn put(context: &CallContext<'_>, request: &Request, body: &[u8]) -> Answer {
    let spec = spec(request)?;
    let puts = match request.input {
        None | Some(Kind::Binary) => {
            context.scope.claim_decoded(body.len()).map_err(|error| Failure::of_memory(&error))?;
            vec![put_of_value(request, &spec, body)?]
        }
        Some(_) => {
            if let Some(check) = request.query.first("check").filter(|check| !check.is_empty()) {
                let checks = "check is put, delete, append or increment";
                return Err(Failure::bad_in(&format!("Invalid check value '{check}'\r\n{checks}")));
            }
            let rows = cell_set::read(context, request, body)?;
            let put = |row: cell_set::SentRow| {
                let mut columns = spec.columns.iter();
                let mut put_cell = |cell: SentCell| {
                    let of_address = if cell.column.is_none() { columns.next() } else { None };
                    put_cell(cell, of_address)
                };
                let cells = row.cells.into_iter().map(&mut put_cell).collect::<Answer<_>>()?;
                new_put(row.key.unwrap_or_else(|| spec.row.clone()), cells)
            };
            rows.into_iter().map(put).collect::<Answer<Vec<_>>>()?
        }
    };
    // As HBase's client, which checks all puts before it sends them.
    for put in &puts {
        validate(context, put)?;
    }
    let table = context.engine.table(&table_name(request)?);
    let failed = table.put_many(&puts).into_iter().find_map(Result::err);
    failed.map_or(Ok(Response::empty(200)), |error| Err(Failure::of(&error)))
}

/// The checks of HBase's client before it sends a put.
pub(super) fn validate(context: &CallContext<'_>, put: &Put) -> Answer<()> {
    let limit = context.engine.limits().client_cell_bytes;
    put.validate().and_then(|()| put.check_cell_bytes(limit)).map_err(|error| Failure::of(&error))
}

/// A put of these cells.
pub(super) fn new_put(row: Bytes, cells: Vec<PutCell>) -> Answer<Put> {
    check_row(&row).map_err(|error| Failure::of(&error))?;
    Ok(Put { row, cells, ttl_ms: None, durability: Durability::default() })
}

/// A cell to write. A cell without a column has the next one of the address.
pub(super) fn put_cell(cell: SentCell, of_address: Option<&Bytes>) -> Answer<PutCell> {
    let Some(column) = cell.column.as_ref().or(of_address) else {
        return Err(no_column());
    };
    let (family, Some(qualifier)) = split_column(column) else { return Err(no_qualifier(column)) };
    check_timestamp(cell.timestamp).map_err(|error| Failure::of(&error))?;
    Ok(PutCell { family, qualifier, timestamp: cell.timestamp, value: cell.value })
}

/// The failure for a cell without a column, in a request whose address has none for it either.
pub(super) fn no_column() -> Failure {
    Failure::bad_in("Bad request: Column found to be null.\r\na cell has no column, and neither has the address")
}

/// The failure for a column without a colon.
pub(super) fn no_qualifier(column: &[u8]) -> Failure {
    let column = column.get(..100).unwrap_or(column).escape_ascii();
    Failure::bad(format!("a column must be family:qualifier, not \"{column}\""))
}

fn put_of_value(request: &Request, spec: &RowSpec, value: &[u8]) -> Answer<Put> {
    let Some(column) = spec.columns.first() else {
        return Err(Failure::bad("the address must have the column of the value: /TABLE/ROW/FAMILY:QUALIFIER"));
    };
    let timestamp = match &request.timestamp {
        None => LATEST,
        Some(text) => text.parse().map_err(|_| {
            Failure::bad(format!("X-Timestamp must be a whole number, not \"{}\"", quote::escaped_text(text)))
        })?,
    };
    let value = Bytes::copy_from_slice(value);
    let cell = put_cell(SentCell { column: Some(column.clone()), timestamp, value }, None)?;
    new_put(spec.row.clone(), vec![cell])
}

/// Deletes the row, the families or the columns that the address names.
pub(super) fn delete(context: &CallContext<'_>, request: &Request) -> Answer {
    let spec = spec(request)?;
    let until = spec.delete_until();
    let mut delete = Delete::row(spec.row.clone());
    delete.timestamp = until.unwrap_or(LATEST);
    let mut markers = Markers::default();
    for column in &spec.columns {
        let (family, qualifier) = split_column(column);
        let kind = if qualifier.is_some() { MarkerKind::Column } else { MarkerKind::Family };
        let qualifier = qualifier.unwrap_or_default();
        markers.add(Marker { family, qualifier, kind, timestamp: until.unwrap_or(LATEST) });
    }
    delete.markers = markers.into_all();
    let deleted = delete.validate().and_then(|()| table_of(context, request)?.delete(&delete));
    deleted.map(|()| Response::empty(200)).map_err(|error| Failure::of(&error))
}

fn table_of(context: &CallContext<'_>, request: &Request) -> Result<hjall_engine::Table, Error> {
    let name = hjall_engine::name::TableName::parse(request.place.table().unwrap_or_default().as_bytes())?;
    Ok(context.engine.table(&name))
}
