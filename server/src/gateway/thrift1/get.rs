//! Gets of one row or several.

use bytes::Bytes;
use hjall_engine::request::{Columns, Get, Scan, TimeRange, check_row};
use hjall_engine::{LATEST, Result, Row, Table};
use hjall_idl::hbase1::*;

use super::column::{Column, selection};
use super::convert::{cells, sent, table};
use super::error::{Answer, io_error, undeclared};
use super::rows::Rows;
use crate::gateway::attributes::{Attributes, Sent};
use crate::gateway::context::CallContext;
use crate::gateway::error::{IO, Raised, VERSIONS_NOT_POSITIVE, once_located};

/// The newest cell of one column, or of each column of a family.
pub fn get(context: &CallContext<'_>, a: GetArgs) -> Answer<Vec<TCell>> {
    versions(context, a.table_name, a.row, a.column, LATEST, 1, &a.attributes)
}

/// Up to `num_versions` cells of each column.
pub fn get_ver(context: &CallContext<'_>, a: GetVerArgs) -> Answer<Vec<TCell>> {
    versions(context, a.table_name, a.row, a.column, LATEST, a.num_versions.unwrap_or(0), &a.attributes)
}

/// Up to `num_versions` cells of each column before a timestamp.
pub fn get_ver_ts(context: &CallContext<'_>, a: GetVerTsArgs) -> Answer<Vec<TCell>> {
    let (before, count) = (a.timestamp.unwrap_or(0), a.num_versions.unwrap_or(0));
    versions(context, a.table_name, a.row, a.column, before, count, &a.attributes)
}

/// The newest cells of a row.
pub fn get_row(context: &CallContext<'_>, a: GetRowArgs) -> Answer<Rows> {
    one(context, a.table_name, a.row, None, LATEST, &a.attributes)
}

/// The newest cells of a row, in the given columns.
pub fn get_row_with_columns(context: &CallContext<'_>, a: GetRowWithColumnsArgs) -> Answer<Rows> {
    one(context, a.table_name, a.row, a.columns, LATEST, &a.attributes)
}

/// The newest cells of a row before a timestamp.
pub fn get_row_ts(context: &CallContext<'_>, a: GetRowTsArgs) -> Answer<Rows> {
    one(context, a.table_name, a.row, None, a.timestamp.unwrap_or(0), &a.attributes)
}

/// The newest cells of a row before a timestamp, in the given columns.
pub fn get_row_with_columns_ts(context: &CallContext<'_>, a: GetRowWithColumnsTsArgs) -> Answer<Rows> {
    one(context, a.table_name, a.row, a.columns, a.timestamp.unwrap_or(0), &a.attributes)
}

/// Several rows. Rows without cells are left out.
pub fn get_rows(context: &CallContext<'_>, a: GetRowsArgs) -> Answer<Rows> {
    several(context, a.table_name, a.rows, None, LATEST, &a.attributes)
}

/// Several rows, in the given columns. Rows without cells are left out.
pub fn get_rows_with_columns(context: &CallContext<'_>, a: GetRowsWithColumnsArgs) -> Answer<Rows> {
    several(context, a.table_name, a.rows, a.columns, LATEST, &a.attributes)
}

/// The newest cells of several rows before a timestamp.
pub fn get_rows_ts(context: &CallContext<'_>, a: GetRowsTsArgs) -> Answer<Rows> {
    several(context, a.table_name, a.rows, None, a.timestamp.unwrap_or(0), &a.attributes)
}

/// The newest cells of several rows before a timestamp, in the given columns.
pub fn get_rows_with_columns_ts(context: &CallContext<'_>, a: GetRowsWithColumnsTsArgs) -> Answer<Rows> {
    several(context, a.table_name, a.rows, a.columns, a.timestamp.unwrap_or(0), &a.attributes)
}

/// The cells of one family in the row, or in the nearest row before it that has any. Without such a row, the
/// answer is empty, and HBase 1 fails with a null pointer exception.
pub fn get_row_or_before(context: &CallContext<'_>, a: GetRowOrBeforeArgs) -> Answer<Vec<TCell>> {
    let table = table(context, a.table_name, undeclared)?;
    let mut columns = Columns::all();
    let start = Bytes::from(sent(a.row, "row")?);
    columns.add_family(sent(a.family, "family")?);
    let scan = Scan { start, columns, reversed: true, limit: 1, caching: 1, ..Scan::default() };
    let rows =
        table.scan(scan).and_then(|mut scanner| scanner.next_for(1, usize::MAX, context.scope)).map_err(undeclared)?;
    Ok(rows.first().map(cells).unwrap_or_default())
}

/// A get of the newest cells, with the checks of HBase's gateway. The checks of a region server follow when
/// it runs.
fn new_get(row: Vec<u8>, columns: Columns, before: i64) -> Answer<Get> {
    check_row(&row).map_err(undeclared)?;
    let time_range = TimeRange::before(before).map_err(undeclared)?;
    Ok(Get { columns, time_range, ..Get::new(row) })
}

fn versions(
    context: &CallContext<'_>,
    name: Option<Vec<u8>>,
    row: Option<Vec<u8>>,
    column: Option<Vec<u8>>,
    before: i64,
    max_versions: i32,
    attributes: &Sent,
) -> Answer<Vec<TCell>> {
    let table = table(context, name, undeclared)?;
    let mut columns = Columns::all();
    Column::parse(sent(column, "column")?).select(&mut columns);
    let get = Get { max_versions, ..new_get(sent(row, "row")?, columns, before)? };
    if max_versions <= 0 {
        return Err(io_error(&Raised::new(IO, VERSIONS_NOT_POSITIVE)));
    }
    fetch(context, &table, get, attributes).map(|row| cells(&row)).map_err(undeclared)
}

fn one(
    context: &CallContext<'_>,
    name: Option<Vec<u8>>,
    key: Option<Vec<u8>>,
    columns: Option<Vec<Vec<u8>>>,
    before: i64,
    attributes: &Sent,
) -> Answer<Rows> {
    let table = table(context, name, undeclared)?;
    let get = new_get(sent(key, "row")?, selection(columns), before)?;
    fetch(context, &table, get, attributes).map(|found| shown([found])).map_err(undeclared)
}

/// The reply for these rows. Rows without cells are left out.
fn shown(found: impl IntoIterator<Item = Row>) -> Rows {
    Rows::mapped(found.into_iter().filter(|found| !found.cells.is_empty()).collect())
}

/// Runs a get. Malformed attributes are reported only after a missing or disabled table or a missing family, as in
/// HBase.
fn fetch(context: &CallContext<'_>, table: &Table, get: Get, attributes: &Sent) -> Result<Row> {
    match raw(attributes) {
        Ok(raw) => table.get_for(&Get { raw, ..get }, context.scope),
        Err(_) if table.lacks_family_of(&get.columns) => table.get_for(&get, context.scope),
        Err(refusal) => Err(once_located(&context.engine, table.name(), refusal)),
    }
}

/// Whether a get returns delete markers and hidden cells. A region server checks both attributes.
fn raw(attributes: &Sent) -> Result<bool> {
    Attributes::new(attributes).check_isolation().and_then(|()| Attributes::new(attributes).raw())
}

/// Runs several gets. If any fails, the answer is a summary of all failures. A single get fails with its own
/// error, and an empty list is answered without looking up the table.
fn several(
    context: &CallContext<'_>,
    name: Option<Vec<u8>>,
    keys: Option<Vec<Vec<u8>>>,
    columns: Option<Vec<Vec<u8>>>,
    before: i64,
    attributes: &Sent,
) -> Answer<Rows> {
    let table = table(context, name, undeclared)?;
    let columns = selection(columns);
    let keys = sent(keys, "rows")?;
    context.scope.claim_list::<(Get, Result<Row>)>(keys.len()).map_err(undeclared)?;
    let gets = keys.into_iter().map(|key| new_get(key, columns.clone(), before));
    let mut gets = gets.collect::<Answer<Vec<_>>>()?;
    match gets.len() {
        0 => return Ok(Rows::default()),
        1 => {
            let found = fetch(context, &table, gets.remove(0), attributes).map_err(undeclared)?;
            return Ok(shown([found]));
        }
        _ => {}
    }
    let found = match raw(attributes) {
        Ok(raw) => {
            gets.iter_mut().for_each(|get| get.raw = raw);
            table.get_many_for(&gets, context.scope).map_err(undeclared)?
        }
        Err(_) if table.lacks_family_of(&columns) => table.get_many_for(&gets, context.scope).map_err(undeclared)?,
        Err(refusal) => {
            let refusal = once_located(&context.engine, table.name(), refusal);
            gets.iter().map(|_| Err(refusal.again())).collect()
        }
    };
    let failures: Vec<_> = found.iter().filter_map(|row| row.as_ref().err()).collect();
    if failures.is_empty() {
        Ok(shown(found.into_iter().flatten()))
    } else {
        Err(io_error(&Raised::batch(failures, &context.identity)))
    }
}
