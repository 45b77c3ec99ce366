//! Calls that read and write in one step: check-and-put, check-and-delete, append, increment.

use bytes::Bytes;
use hjall_engine::mutation::{
    Append, Check, CompareOp, Delete, Durability, Increment, Marker, MarkerKind, Mutation, check_timestamp,
};
use hjall_engine::quote;
use hjall_engine::request::check_row;
use hjall_engine::{Error, Row};

use super::cell_set::{self, SentCell, SentRow};
use super::error::{Answer, Failure};
use super::mutate::{new_put, no_column, put_cell, spec, validate};
use super::row_spec::{RowSpec, split_column};
use super::{Response, get, table_name};
use crate::gateway::context::CallContext;
use crate::gateway::markers::Markers;
use crate::wire::rest::Request;

/// The one row of a request, with its key.
struct OneRow {
    spec: RowSpec,
    key: Bytes,
    cells: Vec<SentCell>,
}

fn one_row(context: &CallContext<'_>, request: &Request, body: &[u8]) -> Answer<OneRow> {
    let spec = spec(request)?;
    let Ok([SentRow { key, cells }]) = <[SentRow; 1]>::try_from(cell_set::read(context, request, body)?) else {
        return Err(Failure::bad_in("Bad request: Number of rows specified is not 1.\r\nsend a cell set with one row"));
    };
    Ok(OneRow { key: key.unwrap_or_else(|| spec.row.clone()), spec, cells })
}

/// The condition that a cell has a value. An empty value means that the cell does not exist or is empty.
fn condition(row: &Bytes, family: Bytes, qualifier: Bytes, value: Bytes) -> Check {
    let value = (!value.is_empty()).then_some(value);
    Check { row: row.clone(), family, qualifier, op: CompareOp::Equal, value }
}

fn change(context: &CallContext<'_>, request: &Request, check: &Check, action: Mutation) -> Answer {
    let table = context.engine.table(&table_name(request)?);
    match table.check_and_mutate(check, &[action]).map_err(|error| Failure::of(&error))? {
        true => Ok(Response::empty(200)),
        false => Ok(Response::empty(304).with("Content-Type", "text/plain")),
    }
}

/// Writes all cells but the last one if the column of the last one has its value.
pub(super) fn check_and_put(context: &CallContext<'_>, request: &Request, body: &[u8]) -> Answer {
    let OneRow { key, mut cells, .. } = one_row(context, request, body)?;
    let Some(compared) = cells.pop().filter(|_| !cells.is_empty()) else {
        return Err(Failure::bad_in(
            "Bad request: Either row key is null or no data found for columns specified.\r\nsend \
             the cells to write, then the cell to compare with",
        ));
    };
    check_row(&key).map_err(|error| Failure::of(&error))?;
    let Some(column) = compared.column else {
        return Err(Failure::bad("the last cell, which is compared, must have a column"));
    };
    let (family, Some(qualifier)) = split_column(&column) else {
        return Err(incorrect_column());
    };
    if qualifier.is_empty() {
        return Err(incorrect_column());
    }
    let writes_it = cells.iter().any(|cell| cell.column.as_ref() == Some(&column));
    let cells = cells.into_iter().map(|cell| put_cell(cell, None)).collect::<Answer<Vec<_>>>()?;
    if !writes_it {
        return Err(Failure::bad_in(
            "Bad request: The column to put and check do not match.\r\none of the cells to write must \
             have the column of the last cell, which is compared",
        ));
    }
    let check = condition(&key, family, qualifier, compared.value);
    let put = new_put(key, cells)?;
    validate(context, &put)?;
    change(context, request, &check, Mutation::Put(put))
}

/// Deletes the columns of all cells but the last one, or of the only one, if the column of the last one has its value.
pub(super) fn check_and_delete(context: &CallContext<'_>, request: &Request, body: &[u8]) -> Answer {
    let OneRow { spec, key, mut cells } = one_row(context, request, body)?;
    let Some(compared) = cells.pop() else {
        return Err(Failure::bad("the row must have a cell to compare with"));
    };
    let Some(column) = compared.column.or_else(|| spec.columns.first().cloned()) else {
        return Err(Failure::bad_in(
            "Bad request: Column not specified for check.\r\ngive the last cell a column, or name one in the address",
        ));
    };
    let mut delete = Delete::row(key.clone());
    let mut markers = Markers::default();
    for cell in &cells {
        let Some(column) = &cell.column else {
            return Err(no_column());
        };
        check_timestamp(cell.timestamp).map_err(|error| Failure::of(&error))?;
        let (family, qualifier) = split_column(column);
        let kind = if qualifier.is_some() { MarkerKind::Version } else { MarkerKind::Family };
        let qualifier = qualifier.unwrap_or_default();
        markers.add(Marker { family, qualifier, kind, timestamp: cell.timestamp });
    }
    let (family, Some(qualifier)) = split_column(&column) else {
        return Err(Failure::bad_in(
            "Bad request: Column to check incorrectly specified.\r\na column must be family:qualifier",
        ));
    };
    if cells.is_empty() {
        let (family, qualifier) = (family.clone(), qualifier.clone());
        markers.add(Marker { family, qualifier, kind: MarkerKind::Column, timestamp: hjall_engine::LATEST });
    }
    delete.markers = markers.into_all();
    delete.validate().map_err(|error| Failure::of(&error))?;
    let check = condition(&key, family, qualifier, compared.value);
    change(context, request, &check, Mutation::Delete(delete))
}

/// The failure for a column without a qualifier.
fn incorrect_column() -> Failure {
    Failure::bad_in("Bad request: Column incorrectly specified.\r\na column must be family:qualifier")
}

/// The column of a cell, which may be that of the address.
fn column(cell: &SentCell, of_address: Option<&Bytes>) -> Answer<(Bytes, Bytes)> {
    let Some(column) = cell.column.as_ref().or(of_address) else {
        return Err(no_column());
    };
    match split_column(column) {
        (family, Some(qualifier)) => Ok((family, qualifier)),
        _ => Err(incorrect_column()),
    }
}

/// Appends to values of one row.
pub(super) fn append(context: &CallContext<'_>, request: &Request, body: &[u8]) -> Answer {
    let OneRow { spec, key, cells } = one_row(context, request, body)?;
    let mut of_address = spec.columns.iter();
    let mut columns = Vec::with_capacity(cells.len());
    for cell in cells {
        let (family, qualifier) = column(&cell, if cell.column.is_none() { of_address.next() } else { None })?;
        columns.push((family, qualifier, cell.value));
    }
    let append = Append { row: key, columns, ttl_ms: None, durability: Durability::default() };
    let table = context.engine.table(&table_name(request)?);
    let appended = append.validate().and_then(|()| table.append_for(&append, context.scope));
    written(context, request, appended)
}

/// Adds to counters of one row. The values are numbers as text.
pub(super) fn increment(context: &CallContext<'_>, request: &Request, body: &[u8]) -> Answer {
    let OneRow { spec, key, cells } = one_row(context, request, body)?;
    let mut of_address = spec.columns.iter();
    let mut columns = Vec::with_capacity(cells.len());
    for cell in cells {
        let (family, qualifier) = column(&cell, if cell.column.is_none() { of_address.next() } else { None })?;
        let text = quote::binary(&cell.value).to_string();
        let wrong = |_| {
            Failure::bad(format!("the value of an increment must be a decimal number as text, not \"{text:.100}\""))
        };
        columns.push((family, qualifier, text.parse::<i64>().map_err(wrong)?));
    }
    let increment = Increment { row: key, columns, ttl_ms: None, durability: Durability::default() };
    let table = context.engine.table(&table_name(request)?);
    let incremented = increment.validate().and_then(|()| table.increment_for(&increment, context.scope));
    written(context, request, incremented)
}

/// The answer to an append or an increment.
fn written(context: &CallContext<'_>, request: &Request, row: Result<Row, Error>) -> Answer {
    let failure = |error: Error| Failure::of_memory_or(context.scope, || Failure::of(&error));
    get::written(request, row.map_err(failure)?)
}
