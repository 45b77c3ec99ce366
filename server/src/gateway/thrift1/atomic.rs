//! Atomic reads and writes: increments, appends and the checked put.

use bytes::Bytes;
use hjall_engine::mutation::{Append, Check, CompareOp, Durability, Increment, Mutation as Change, Put};
use hjall_engine::quote;
use hjall_engine::{Error, ErrorKind, LATEST, Table};
use hjall_idl::hbase1::*;

use super::column::Column;
use super::convert::{cells, sent, table};
use super::error::{Answer, declared, undeclared};
use super::mutation::{BareFamily, NamedMutation, RowChanges};
use crate::gateway::attributes::Attributes;
use crate::gateway::context::{CallContext, Context};
use crate::gateway::error::{ILLEGAL_ARGUMENT, NULL_POINTER, once_located};
use crate::wire::fault::Fault;

/// Adds to a counter and returns its new value. In HBase, this method alone checks nothing on the client's
/// side: the region server refuses a malformed request, and the client retries until it gives up.
pub fn atomic_increment(context: &Context, a: AtomicIncrementArgs) -> Answer<i64> {
    let Column { family, qualifier } = Column::parse(sent(a.column, "column")?);
    let table = table(context, a.table_name, undeclared)?;
    let columns = vec![(family, qualifier.unwrap_or_default(), a.value.unwrap_or(0))];
    let row = sent(a.row, "row")?.into();
    let increment = Increment { row, columns, durability: Durability::SyncWal, ..Increment::default() };
    let counted = table.increment(&increment).map_err(|error| match error.kind() {
        ErrorKind::InvalidArgument | ErrorKind::Unprocessable => in_vain(context, &table, error),
        _ => undeclared(error),
    })?;
    let value = counted.cells.first().and_then(|cell| cell.value[..].try_into().ok()).map(i64::from_be_bytes);
    value.ok_or_else(|| Fault::internal("the increment returned no number"))
}

/// Adds to a counter.
pub fn increment(context: &Context, a: IncrementArgs) -> Answer<()> {
    increment_one(context, sent(a.increment, "increment")?)
}

/// Adds to counters one by one, until the first failure.
pub fn increment_rows(context: &Context, a: IncrementRowsArgs) -> Answer<()> {
    sent(a.increments, "increments")?.into_iter().try_for_each(|one| increment_one(context, one))
}

fn increment_one(context: &Context, a: TIncrement) -> Answer<()> {
    let (row, name) = (sent(a.row, "row")?, sent(a.table, "table")?);
    if row.is_empty() || name.is_empty() {
        return Err(no_row("increment"));
    }
    let table = table(context, Some(name), undeclared)?;
    let (family, qualifier) = full_column(sent(a.column, "column")?, NULL_POINTER)?;
    let columns = vec![(family, qualifier, a.ammount.unwrap_or(0))];
    let increment = Increment { row: row.into(), columns, ..Increment::default() };
    table.increment(&increment).map(drop).map_err(|error| match error.kind() {
        ErrorKind::Unprocessable => in_vain(context, &table, error),
        _ => undeclared(error),
    })
}

/// Appends to columns of a row; returns their cells in the order of cells.
pub fn append(context: &CallContext<'_>, a: AppendArgs) -> Answer<Vec<TCell>> {
    let a = sent(a.append, "append")?;
    let (row, name) = (sent(a.row, "row")?, sent(a.table, "table")?);
    if row.is_empty() || name.is_empty() {
        return Err(no_row("append"));
    }
    let table = table(context, Some(name), undeclared)?;
    let (names, values) = (sent(a.columns, "columns")?, sent(a.values, "values")?);
    if names.len() != values.len() {
        let text = format_args!("{} columns, but {} values to append: send as many values", names.len(), values.len());
        return Err(Fault::undeclared(ILLEGAL_ARGUMENT, text));
    }
    let mut columns = Vec::with_capacity(names.len());
    for (name, value) in names.into_iter().zip(values) {
        let (family, qualifier) = full_column(name, OUT_OF_BOUNDS)?;
        columns.push((family, qualifier, value.into()));
    }
    let appended = table
        .append_for(&Append { row: row.into(), columns, ..Append::default() }, context.scope)
        .map_err(undeclared)?;
    Ok(cells(&appended))
}

/// Puts if a column has the given value; without a value, if the column does not exist or is empty.
pub fn check_and_put(context: &Context, a: CheckAndPutArgs) -> Answer<bool> {
    let row = sent(a.row, "row")?;
    let changes = RowChanges::new(row.clone(), LATEST).map_err(declared)?;
    let mutation = Mutation { is_delete: Some(false), ..sent(a.mput, "mput")? };
    full_column(sent(mutation.column.clone(), "mput.column")?, OUT_OF_BOUNDS)?;
    let changes = changes.add([NamedMutation::new(mutation)], BareFamily::Refused, declared)?;
    let table = table(context, a.table_name, declared)?;
    let (family, qualifier) = full_column(sent(a.column, "column")?, OUT_OF_BOUNDS)?;
    changes.put.check_cell_bytes(context.engine.limits().client_cell_bytes).map_err(declared)?;
    // A region server reads the attributes only when it writes.
    let (ttl_ms, refusal) = match Attributes::new(&a.attributes).ttl_ms() {
        Ok(ttl_ms) => (ttl_ms, None),
        Err(refusal) => (None, Some(refusal)),
    };
    let put = Put { ttl_ms, ..changes.put };
    let check = Check { row: row.into(), family, qualifier, op: CompareOp::Equal, value: a.value.map(Bytes::from) };
    table.check_and_mutate_unless(&check, &[Change::Put(put)], refusal.as_ref()).map_err(declared)
}

fn no_row(what: &str) -> Fault {
    let text = format_args!("Must supply a table and a row key; can't {what}: neither may be empty");
    Fault::undeclared("org.apache.thrift.TException", text)
}

/// The class of the exception for a column without a colon in append and checkAndPut.
const OUT_OF_BOUNDS: &str = "java.lang.ArrayIndexOutOfBoundsException";

/// A column with a qualifier, which these methods require. `class` is that of HBase's exception if it has none.
fn full_column(text: Vec<u8>, class: &str) -> Answer<(Bytes, Bytes)> {
    match Column::parse(text) {
        Column { family, qualifier: Some(qualifier) } => Ok((family, qualifier)),
        Column { family, qualifier: None } => Err(Fault::undeclared(
            class,
            format_args!("the column {:?} has no colon: send family:qualifier", quote::utf8(&family).to_string()),
        )),
    }
}

/// The error of a request that the region server refuses in every attempt.
fn in_vain(context: &Context, table: &Table, error: Error) -> Fault {
    undeclared(once_located(&context.engine, table.name(), error.as_kind(ErrorKind::Unprocessable)))
}
