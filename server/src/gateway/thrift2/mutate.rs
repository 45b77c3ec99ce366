//! Writes of rows: `put`, `putMultiple`, `mutateRow`, and their parts in checks.

use bytes::Bytes;
use hjall_engine::mutation::{Mutation, Put, PutCell, check_timestamp};
use hjall_engine::quote;
use hjall_engine::request::check_row;
use hjall_engine::{Error, ErrorKind, LATEST};
use hjall_idl::hbase2::{MutateRowArgs, PutArgs, PutMultipleArgs, TMutation, TPut, TRowMutations};

use super::batch::{BatchElement, apply};
use super::convert::{check_visibility, durability, table_name};
use super::delete::DeleteRequest;
use super::error::{Answer, batch, batch_of, data, illegal, refused, refused_batch};
use crate::gateway::attributes::Attributes;
use crate::gateway::context::{CallContext, Context};
use crate::gateway::error::{ILLEGAL_ARGUMENT, IO, Raised};
use crate::wire::fault::Fault;

/// A put, and the error with which a region server would refuse it.
pub struct PutRequest {
    /// The put.
    pub put: Put,
    /// The error of the region server; `None` if it accepts the put.
    pub refusal: Option<Error>,
}

impl PutRequest {
    /// Converts a put, with the checks of HBase's gateway, which allows a put without cells.
    pub fn new(sent: TPut) -> Answer<Self> {
        check_row(&sent.row).map_err(illegal)?;
        let default = sent.timestamp.unwrap_or(LATEST);
        check_timestamp(default).map_err(illegal)?;
        let mut cells = Vec::with_capacity(sent.column_values.len());
        for column in sent.column_values {
            cells.push(PutCell {
                family: column.family.into(),
                qualifier: column.qualifier.into(),
                timestamp: column.timestamp.unwrap_or(default),
                value: column.value.into(),
            });
        }
        check_visibility(sent.cell_visibility.as_ref())?;
        let attributes = Attributes::new(&sent.attributes);
        let (ttl_ms, refusal) = match attributes.ttl_ms() {
            Ok(ttl_ms) => (ttl_ms, None),
            Err(error) => (None, Some(error)),
        };
        let put = Put { row: sent.row.into(), cells, ttl_ms, durability: durability(sent.durability) };
        Ok(Self { put, refusal })
    }

    /// The checks of HBase's client library before it sends a put, which do not apply to puts in row mutations.
    pub fn validate(&self, context: &Context) -> Answer<()> {
        self.put.validate().map_err(illegal)?;
        self.put.check_cell_bytes(context.engine.limits().client_cell_bytes).map_err(illegal)
    }
}

impl BatchElement for PutRequest {
    fn row(&self) -> &Bytes {
        &self.put.row
    }

    fn refusal(&self) -> Option<&Error> {
        self.refusal.as_ref()
    }
}

/// The mutations of one row, and the error with which a region server would refuse them.
pub struct RowRequest {
    /// The row.
    pub row: Bytes,
    /// The mutations, at least one.
    pub mutations: Vec<Mutation>,
    /// The error of the region server; `None` if it accepts them.
    pub refusal: Option<Error>,
}

impl RowRequest {
    /// Converts row mutations, with checks in HBase's order: first each mutation, then its row.
    pub fn new(sent: TRowMutations) -> Answer<Self> {
        let row = Bytes::from(sent.row);
        check_row(&row).map_err(illegal)?;
        let mut mutations = Vec::with_capacity(sent.mutations.len());
        let mut refusal = None;
        for mutation in sent.mutations {
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
            if !is_empty(&mutation) {
                mutation.validate().map_err(illegal)?;
            }
            if mutation.row() != &row {
                return Err(wrong_row(mutation.row(), &row));
            }
            refusal = refusal.or(refused);
            mutations.push(mutation);
        }
        // HBase's client checks this when it sends the request, after all rows have been compared.
        mutations.iter().filter(|mutation| is_empty(mutation)).try_for_each(Mutation::validate).map_err(illegal)?;
        if mutations.is_empty() {
            return Err(Fault::undeclared(ILLEGAL_ARGUMENT, "no mutations: send at least one put or delete"));
        }
        Ok(Self { row, mutations, refusal })
    }
}

/// Whether it is a put without values.
fn is_empty(mutation: &Mutation) -> bool {
    matches!(mutation, Mutation::Put(put) if put.cells.is_empty())
}

/// HBase's `WrongRowIOException`, which the client raises before it sends the request.
fn wrong_row(action: &[u8], row: &[u8]) -> Fault {
    let text = format!(
        "The row in the recently added Mutation <{}> doesn't match the original one <{}>",
        quote::binary(action),
        quote::binary(row)
    );
    Fault::io(Raised::new(IO, text).with_remedy("send the mutations of each row in a call of their own").bare(), true)
}

/// Writes one row.
pub fn put(context: &Context, a: PutArgs) -> Answer<()> {
    let name = table_name(&a.table)?;
    let request = PutRequest::new(a.tput)?;
    request.validate(context)?;
    if let Some(refusal) = &request.refusal {
        return Err(refused(context, &name, refusal));
    }
    context.engine.table(&name).put(&request.put).map_err(|e| data(&e))
}

/// Writes several rows separately. Valid puts are written even if the call fails.
pub fn put_multiple(context: &CallContext<'_>, a: PutMultipleArgs) -> Answer<()> {
    let name = table_name(&a.table)?;
    context.scope.claim_list::<PutRequest>(a.tputs.len()).map_err(|e| data(&e))?;
    let requests = a.tputs.into_iter().map(PutRequest::new).collect::<Answer<Vec<_>>>()?;
    requests.iter().try_for_each(|request| request.validate(context))?;
    if requests.is_empty() {
        return Ok(());
    }
    let errors = apply(context, &name, requests, |table, requests| {
        table.put_many(&requests.into_iter().map(|request| request.put).collect::<Vec<_>>())
    })?;
    if errors.is_empty() { Ok(()) } else { Err(batch(context, errors.iter())) }
}

/// Applies puts and deletes of one row atomically.
pub fn mutate_row(context: &Context, a: MutateRowArgs) -> Answer<()> {
    let name = table_name(&a.table)?;
    let request = RowRequest::new(a.trow_mutations)?;
    // HBase's gateway refuses such a request itself.
    if let Some(refusal) = request.refusal.as_ref().filter(|refusal| refusal.kind() == ErrorKind::InvalidArgument) {
        return Err(refused_batch(context, &name, refusal, request.mutations.len()));
    }
    context
        .engine
        .table(&name)
        .mutate_row_unless(&request.row, &request.mutations, request.refusal.as_ref())
        .map_err(|e| batch_of(context, &e, request.mutations.len()))
}
