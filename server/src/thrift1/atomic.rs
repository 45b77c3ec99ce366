//! What reads and writes in one step: increments, appends and the checked put.

use bytes::Bytes;
use hjall_engine::mutation::{Append, Check, CompareOp, Durability, Increment, Mutation as Change};
use hjall_engine::request::check_row;
use hjall_engine::{Error, ErrorKind, LATEST, Table};
use hjall_idl::hbase1::*;

use super::attributes;
use super::column::Column;
use super::convert::{cells, table_name};
use super::error::{Answer, declared, sent, undeclared};
use super::mutation::{BareFamily, RowChanges};
use crate::checks;
use crate::context::Context;
use crate::error::once_located;
use crate::fault::Fault;

/// Adds to a counter and returns its new value. This call alone checks nothing before it sends, so that the region server refuses what is
/// malformed, and HBase's client tries in vain.
pub fn atomic_increment(context: &Context, a: AtomicIncrementArgs) -> Answer<i64> {
    let column = Column::parse(sent(a.column, "column")?);
    let table = open(context, a.table_name)?;
    let row = Bytes::from(sent(a.row, "row")?);
    check_row(&row).and_then(|()| checks::family(&column.family)).map_err(|error| in_vain(context, &table, &error))?;
    let amount = a.value.unwrap_or(0);
    add(context, &table, row, column.family, column.qualifier.unwrap_or_default(), amount, Durability::SyncWal)
}

/// Adds to a counter.
pub fn increment(context: &Context, a: IncrementArgs) -> Answer<()> {
    increment_one(context, sent(a.increment, "increment")?)
}

/// Adds to counters one by one; the first failure ends it.
pub fn increment_rows(context: &Context, a: IncrementRowsArgs) -> Answer<()> {
    sent(a.increments, "increments")?.into_iter().try_for_each(|one| increment_one(context, one))
}

fn increment_one(context: &Context, a: TIncrement) -> Answer<()> {
    let (row, name) = (sent(a.row, "row")?, sent(a.table, "table")?);
    if row.is_empty() || name.is_empty() {
        return Err(Fault::internal("Must supply a table and a row key; can't increment"));
    }
    let table = open(context, Some(name))?;
    check_row(&row).map_err(undeclared)?;
    let (family, qualifier) = full_column(sent(a.column, "column")?)?;
    checks::family(&family).map_err(undeclared)?;
    let amount = a.ammount.unwrap_or(0);
    add(context, &table, row.into(), family, qualifier, amount, Durability::UseDefault).map(|_| ())
}

fn add(
    context: &Context,
    table: &Table,
    row: Bytes,
    family: Bytes,
    qualifier: Bytes,
    amount: i64,
    durability: Durability,
) -> Answer<i64> {
    if family.is_empty() {
        return Err(in_vain(context, table, &Error::invalid("the column family has no name")));
    }
    let increment = Increment { row, columns: vec![(family, qualifier, amount)], durability, ..Increment::default() };
    let counted = table.increment(&increment).map_err(undeclared)?;
    let value = counted.cells.first().and_then(|cell| cell.value[..].try_into().ok()).map(i64::from_be_bytes);
    value.ok_or_else(|| Fault::internal("an increment gave back no number"))
}

/// Appends to columns of a row; returns their cells in the order of cells.
pub fn append(context: &Context, a: AppendArgs) -> Answer<Vec<TCell>> {
    let a = sent(a.append, "append")?;
    let (row, name) = (sent(a.row, "row")?, sent(a.table, "table")?);
    if row.is_empty() || name.is_empty() {
        return Err(Fault::internal("Must supply a table and a row key; can't append"));
    }
    let table = open(context, Some(name))?;
    check_row(&row).map_err(undeclared)?;
    let (names, values) = (sent(a.columns, "columns")?, sent(a.values, "values")?);
    if names.len() != values.len() || names.is_empty() {
        let (columns, values) = (names.len(), values.len());
        return Err(Fault::internal(format!(
            "{columns} columns and {values} values; there must be as many, and one at least"
        )));
    }
    let mut columns = Vec::with_capacity(names.len());
    for (name, value) in names.into_iter().zip(values) {
        let (family, qualifier) = full_column(name)?;
        if family.is_empty() {
            return Err(Fault::internal("Family cannot be null"));
        }
        checks::family(&family).map_err(undeclared)?;
        columns.push((family, qualifier, value.into()));
    }
    let appended = table.append(&Append { row: row.into(), columns, ..Append::default() }).map_err(undeclared)?;
    Ok(cells(&appended))
}

/// Puts if a column has a value; without a value: if it has none, or an empty one.
pub fn check_and_put(context: &Context, a: CheckAndPutArgs) -> Answer<bool> {
    let row = sent(a.row, "row")?;
    let mut changes = RowChanges::new(row.clone(), LATEST).map_err(declared)?;
    let mutation = Mutation { is_delete: Some(false), ..sent(a.mput, "mput")? };
    full_column(sent(mutation.column.clone(), "mput.column")?)?;
    changes.add(mutation, BareFamily::Refused, declared)?;
    let table = context.engine.table(&table_name(&sent(a.table_name, "tableName")?).map_err(declared)?);
    let (family, qualifier) = full_column(sent(a.column, "column")?)?;
    checks::put(&changes.put).map_err(declared)?;
    let located = |refusal: Error| declared(once_located(&context.engine, table.name(), refusal));
    changes.put.ttl_ms = attributes::ttl_ms(&a.attributes).map_err(located)?;
    let check = Check { row: row.into(), family, qualifier, op: CompareOp::Equal, value: a.value.map(Bytes::from) };
    table.check_and_mutate(&check, &[Change::Put(changes.put)]).map_err(declared)
}

fn open(context: &Context, name: Option<Vec<u8>>) -> Answer<Table> {
    let name = table_name(&sent(name, "tableName")?).map_err(undeclared)?;
    Ok(context.engine.table(&name))
}

/// A column with its qualifier, the way these calls demand it.
fn full_column(text: Vec<u8>) -> Answer<(Bytes, Bytes)> {
    match Column::parse(text) {
        Column { family, qualifier: Some(qualifier) } => Ok((family, qualifier)),
        Column { .. } => Err(Fault::internal("ArrayIndexOutOfBoundsException: the column has no colon")),
    }
}

/// What the region server refuses again and again, once it is asked.
fn in_vain(context: &Context, table: &Table, error: &Error) -> Fault {
    undeclared(once_located(&context.engine, table.name(), Error::new(ErrorKind::Unprocessable, error.message())))
}
