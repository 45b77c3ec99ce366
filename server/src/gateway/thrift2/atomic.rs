//! Calls that read and write in one step: increment, append, checkAndPut, checkAndDelete, checkAndMutate.

use bytes::Bytes;
use hjall_engine::mutation::{Append, Check, CompareOp, Increment, Mutation};
use hjall_engine::name::TableName;
use hjall_engine::quote;
use hjall_engine::{Error, ErrorKind, Row};
use hjall_idl::hbase2::{
    AppendArgs, CheckAndDeleteArgs, CheckAndMutateArgs, CheckAndPutArgs, IncrementArgs, TColumnIncrement, TColumnValue,
};

use super::convert::{check_visibility, durability, table_name};
use super::delete::DeleteRequest;
use super::error::{Answer, batch_of, data, illegal, refused, refused_batch};
use super::mutate::{PutRequest, RowRequest};
use super::rows::OneRow;
use crate::gateway::attributes::Attributes;
use crate::gateway::context::{CallContext, Context};
use crate::gateway::error::{ILLEGAL_ARGUMENT, NULL_POINTER};
use crate::wire::fault::Fault;

/// The error of a region server if the row of a condition differs from that of its action.
fn row_mismatch(action: &[u8], row: &[u8]) -> Error {
    Error::new(
        ErrorKind::Refused,
        format!(
            "The row of the action <{}> doesn't match the original one <{}>",
            quote::binary(action),
            quote::binary(row)
        ),
    )
    .with_remedy("condition and action must have the same row")
}

/// The condition of a call. Without a value: the cell does not exist or is empty.
fn check(row: Vec<u8>, family: Vec<u8>, qualifier: Vec<u8>, op: CompareOp, value: Option<Vec<u8>>) -> Check {
    Check { row: row.into(), family: family.into(), qualifier: qualifier.into(), op, value: value.map(Bytes::from) }
}

/// Puts if a cell has the given value; without a value, if the cell does not exist or is empty.
pub fn check_and_put(context: &Context, a: CheckAndPutArgs) -> Answer<bool> {
    let name = table_name(&a.table)?;
    let request = PutRequest::new(a.tput)?;
    request.validate(context)?;
    let check = check(a.row, a.family, a.qualifier, CompareOp::Equal, a.value);
    if_equal(context, &name, &check, Mutation::Put(request.put), request.refusal)
}

/// Deletes if a cell has the given value; without a value, if the cell does not exist or is empty.
pub fn check_and_delete(context: &Context, a: CheckAndDeleteArgs) -> Answer<bool> {
    let name = table_name(&a.table)?;
    let request = DeleteRequest::new(a.tdelete)?;
    let check = check(a.row, a.family, a.qualifier, CompareOp::Equal, a.value);
    if_equal(context, &name, &check, Mutation::Delete(request.delete), request.refusal)
}

fn if_equal(
    context: &Context,
    name: &TableName,
    check: &Check,
    action: Mutation,
    refusal: Option<Error>,
) -> Answer<bool> {
    if action.row() != &check.row {
        return Err(refused(context, name, &row_mismatch(action.row(), &check.row)));
    }
    // A region server reads the attributes of the action only when it carries it out.
    context.engine.table(name).check_and_mutate_unless(check, &[action], refusal.as_ref()).map_err(|e| data(&e))
}

/// Applies puts and deletes of one row if `value op cell` holds.
///
/// HBase's Java client sends EQUAL without a value for "if not exists". HBase's gateway fails on it; this one
/// accepts it.
pub fn check_and_mutate(context: &Context, a: CheckAndMutateArgs) -> Answer<bool> {
    let Some(operator) = CompareOp::from_number(a.compare_op) else {
        let op = a.compare_op;
        return Err(Fault::protocol(format!(
            "Required field 'compareOp' was not present: there is no operator {op}; send 0 to 6"
        )));
    };
    let name = table_name(&a.table)?;
    if a.value.is_none() && operator != CompareOp::Equal {
        return Err(Fault::undeclared(
            NULL_POINTER,
            "checkAndMutate without a value: send an empty value to check whether the cell exists",
        ));
    }
    let request = RowRequest::new(a.row_mutations)?;
    let count = request.mutations.len();
    let check = check(a.row, a.family, a.qualifier, operator, a.value);
    if request.row != check.row {
        return Err(refused_batch(context, &name, &row_mismatch(&request.row, &check.row), count));
    }
    context
        .engine
        .table(&name)
        .check_and_mutate_unless(&check, &request.mutations, request.refusal.as_ref())
        .map_err(|e| batch_of(context, &e, count))
}

/// Adds to counters of one row.
pub fn increment(context: &CallContext<'_>, a: IncrementArgs) -> Answer<OneRow> {
    let (name, sent) = (table_name(&a.table)?, a.tincrement);
    let attributes = Attributes::new(&sent.attributes);
    // The default of the contract, for clients that do not send it.
    let column = |column: TColumnIncrement| (column.family.into(), column.qualifier.into(), column.amount.unwrap_or(1));
    check_visibility(sent.cell_visibility.as_ref())?;
    let mut request = Increment {
        row: sent.row.into(),
        columns: sent.columns.into_iter().map(column).collect(),
        ttl_ms: None,
        durability: durability(sent.durability),
    };
    let ttl_ms = request.validate().and_then(|()| attributes.ttl_ms());
    request.ttl_ms = ttl_ms.map_err(|refusal| refused(context, &name, &refusal))?;
    let row = context.engine.table(&name).increment_for(&request, context.scope).map_err(|e| data(&e))?;
    Ok(answer(row, sent.return_results, attributes))
}

/// Appends to values of one row. Timestamps, types and tags of the columns are ignored.
pub fn append(context: &CallContext<'_>, a: AppendArgs) -> Answer<OneRow> {
    let (name, sent) = (table_name(&a.table)?, a.tappend);
    let attributes = Attributes::new(&sent.attributes);
    let column = |column: TColumnValue| (column.family.into(), column.qualifier.into(), column.value.into());
    check_visibility(sent.cell_visibility.as_ref())?;
    let mut request = Append {
        row: sent.row.into(),
        columns: sent.columns.into_iter().map(column).collect(),
        ttl_ms: None,
        durability: durability(sent.durability),
    };
    request.validate().map_err(illegal)?;
    // HBase's client reads the TTL of an append itself, before it looks up the table.
    request.ttl_ms = attributes.ttl_ms().map_err(|error| Fault::undeclared(ILLEGAL_ARGUMENT, error.plain()))?;
    let row = context.engine.table(&name).append_for(&request, context.scope).map_err(|e| data(&e))?;
    Ok(answer(row, sent.return_results, attributes))
}

/// The new cells, unless the client does not want them. The field has precedence over the attribute.
fn answer(row: Row, returns: Option<bool>, attributes: Attributes<'_>) -> OneRow {
    match returns.unwrap_or_else(|| attributes.returns_results()) {
        true => OneRow(row),
        false => OneRow::default(),
    }
}
