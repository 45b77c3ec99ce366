//! Atomic changes of one row: mutateRow, checkAndPut, checkAndDelete, checkAndMutate.

use bytes::Bytes;
use hjall_engine::mutation::{Check, CompareOp, Mutation};
use hjall_engine::name::TableName;
use hjall_engine::request::check_row;
use hjall_engine::{Error, ErrorKind};
use hjall_idl::hbase2::{TDelete, TMutation, TPut, TRowMutations};

use super::convert::{compare_op, table_name};
use super::delete::DeleteRequest;
use super::error::{Answer, batch_of, data, doomed, doomed_batch, illegal};
use super::put::PutRequest;
use crate::gateway::context::Context;
use crate::wire::fault::Fault;

/// The mutations of one row, and what only the region server would object to.
struct RowRequest {
    row: Bytes,
    mutations: Vec<Mutation>,
    refusal: Option<Error>,
}

impl RowRequest {
    /// Checks in HBase's order: each mutation by itself, then that it is for this row.
    fn new(sent: &TRowMutations) -> Answer<Self> {
        let row = Bytes::copy_from_slice(&sent.row);
        check_row(&row).map_err(illegal)?;
        let mut mutations = Vec::with_capacity(sent.mutations.len());
        let mut refusal = None;
        for mutation in &sent.mutations {
            let (mutation, refused) = match mutation {
                TMutation::Put(put) => {
                    let request = PutRequest::new(put)?;
                    (Mutation::Put(request.put), request.refusal)
                }
                TMutation::DeleteSingle(delete) => {
                    let request = DeleteRequest::new(delete)?;
                    (Mutation::Delete(request.delete), request.refusal)
                }
            };
            if mutation.row() != &row {
                return Err(wrong_row(mutation.row(), &row));
            }
            refusal = refusal.or(refused);
            mutations.push(mutation);
        }
        // Found when the whole is sent, after all rows have been compared.
        mutations.iter().try_for_each(Mutation::validate).map_err(illegal)?;
        if mutations.is_empty() {
            return Err(Fault::internal("no mutations"));
        }
        Ok(Self { row, mutations, refusal })
    }
}

/// HBase's `WrongRowIOException`, raised before anything is sent.
fn wrong_row(action: &[u8], row: &[u8]) -> Fault {
    Fault::io(
        format!(
            "The row in the recently added Mutation <{}> doesn't match the original one <{}>",
            String::from_utf8_lossy(action),
            String::from_utf8_lossy(row)
        ),
        true,
    )
}

/// What the region server says when the row of a condition is not that of its action.
fn row_mismatch(action: &[u8], row: &[u8]) -> Error {
    Error::new(
        ErrorKind::Refused,
        format!(
            "The row of the action <{}> doesn't match the original one <{}>",
            String::from_utf8_lossy(action),
            String::from_utf8_lossy(row)
        ),
    )
}

/// Puts and deletes of one row, all at once.
pub fn mutate_row(context: &Context, table: &[u8], sent: &TRowMutations) -> Answer<()> {
    let name = table_name(table)?;
    let request = RowRequest::new(sent)?;
    if let Some(refusal) = &request.refusal {
        return Err(doomed_batch(context, &name, refusal, request.mutations.len()));
    }
    context
        .engine
        .table(&name)
        .mutate_row(&request.row, &request.mutations)
        .map_err(|e| batch_of(context, &e, request.mutations.len()))
}

/// The cell that a condition looks at.
pub struct Target<'a> {
    /// The row.
    pub row: &'a [u8],
    /// The family.
    pub family: &'a [u8],
    /// The qualifier, which may be empty.
    pub qualifier: &'a [u8],
}

impl Target<'_> {
    fn check(&self, op: CompareOp, value: Option<&[u8]>) -> Check {
        Check {
            row: Bytes::copy_from_slice(self.row),
            family: Bytes::copy_from_slice(self.family),
            qualifier: Bytes::copy_from_slice(self.qualifier),
            op,
            value: value.map(Bytes::copy_from_slice),
        }
    }
}

/// A put if a cell has a value; without a value: if it is not there, or empty.
pub fn check_and_put(
    context: &Context,
    table: &[u8],
    target: &Target<'_>,
    value: Option<&[u8]>,
    sent: &TPut,
) -> Answer<bool> {
    let name = table_name(table)?;
    let request = PutRequest::new(sent)?;
    request.validate(context)?;
    if_equal(context, &name, target, value, Mutation::Put(request.put), request.refusal)
}

/// A delete if a cell has a value.
pub fn check_and_delete(
    context: &Context,
    table: &[u8],
    target: &Target<'_>,
    value: Option<&[u8]>,
    sent: &TDelete,
) -> Answer<bool> {
    let name = table_name(table)?;
    let request = DeleteRequest::new(sent)?;
    if_equal(context, &name, target, value, Mutation::Delete(request.delete), request.refusal)
}

fn if_equal(
    context: &Context,
    name: &TableName,
    target: &Target<'_>,
    value: Option<&[u8]>,
    action: Mutation,
    refusal: Option<Error>,
) -> Answer<bool> {
    if action.row() != target.row {
        return Err(doomed(context, name, &row_mismatch(action.row(), target.row)));
    }
    if let Some(refusal) = &refusal {
        return Err(doomed(context, name, refusal));
    }
    let check = target.check(CompareOp::Equal, value);
    context.engine.table(name).check_and_mutate(&check, &[action]).map_err(|e| data(&e))
}

/// Puts and deletes of one row if `value op cell` holds.
///
/// EQUAL without a value is what HBase's own Java client sends for "if not exists"; its gateway cannot take it, this one does.
pub fn check_and_mutate(
    context: &Context,
    table: &[u8],
    target: &Target<'_>,
    op: i32,
    value: Option<&[u8]>,
    sent: &TRowMutations,
) -> Answer<bool> {
    let Some(operator) = compare_op(op) else {
        return Err(Fault::protocol(format!("Required field 'compareOp' was not present: there is no operator {op}")));
    };
    let name = table_name(table)?;
    if value.is_none() && operator != CompareOp::Equal {
        return Err(Fault::internal(
            "checkAndMutate without a value; send an empty one to ask whether there is a cell",
        ));
    }
    let request = RowRequest::new(sent)?;
    let count = request.mutations.len();
    if request.row != target.row {
        return Err(doomed_batch(context, &name, &row_mismatch(&request.row, target.row), count));
    }
    if let Some(refusal) = &request.refusal {
        return Err(doomed_batch(context, &name, refusal, count));
    }
    let check = target.check(operator, value);
    context.engine.table(&name).check_and_mutate(&check, &request.mutations).map_err(|e| batch_of(context, &e, count))
}
