//! mutateRow, which deletes and then puts, and mutateRows, which puts and then deletes.

use hjall_engine::mutation::{Delete, Put};
use hjall_engine::{Error, LATEST, Table, group};
use hjall_idl::hbase1::*;

use super::convert::{sent, table};
use super::error::{Answer, declared, io_error, undeclared};
use super::mutation::{BareFamily, NamedMutation, RowChanges};
use crate::gateway::attributes::{Attributes, Sent};
use crate::gateway::context::{CallContext, Context};
use crate::gateway::error::{Raised, once_located};
use crate::gateway::markers::nameless_family;
use crate::gateway::region_batch;

/// Changes a row.
pub fn mutate_row(context: &CallContext<'_>, a: MutateRowArgs) -> Answer<()> {
    row(context, a.table_name, a.row, a.mutations, LATEST, &a.attributes)
}

/// Changes a row with a timestamp.
pub fn mutate_row_ts(context: &CallContext<'_>, a: MutateRowTsArgs) -> Answer<()> {
    row(context, a.table_name, a.row, a.mutations, a.timestamp.unwrap_or(0), &a.attributes)
}

/// Changes several rows.
pub fn mutate_rows(context: &CallContext<'_>, a: MutateRowsArgs) -> Answer<()> {
    rows(context, a.table_name, a.row_batches, LATEST, &a.attributes)
}

/// Changes several rows with a timestamp.
pub fn mutate_rows_ts(context: &CallContext<'_>, a: MutateRowsTsArgs) -> Answer<()> {
    rows(context, a.table_name, a.row_batches, a.timestamp.unwrap_or(0), &a.attributes)
}

/// Applies the deletes of the row in one write, then its puts in another one. If the puts fail, the deletes
/// remain.
fn row(
    context: &CallContext<'_>,
    name: Option<Vec<u8>>,
    key: Option<Vec<u8>>,
    mutations: Option<Vec<Mutation>>,
    timestamp: i64,
    attributes: &Sent,
) -> Answer<()> {
    let table = table(context, name, declared)?;
    let changes = RowChanges::new(sent(key, "row")?, timestamp).map_err(declared)?;
    let mutations = NamedMutation::all(context, sent(mutations, "mutations")?)?;
    let RowChanges { put, delete } = changes.add(mutations, BareFamily::Ignored, declared)?;
    let ttl_ms = match Attributes::new(attributes).ttl_ms() {
        _ if put.cells.is_empty() && delete.markers.is_empty() => return Ok(()),
        Ok(ttl_ms) => ttl_ms,
        Err(refusal) => return Err(declared(once_located(&context.engine, table.name(), refusal))),
    };
    if !delete.markers.is_empty() {
        if !put.cells.is_empty() {
            group::begin_several().map_err(declared)?;
        }
        table.delete(&Delete { ttl_ms, ..delete }).map_err(declared)?;
    }
    if !put.cells.is_empty() {
        table.put(&Put { ttl_ms, ..put }).map_err(declared)?;
    }
    Ok(())
}

/// Applies the puts of all rows, then their deletes, each row separately. A malformed request fails before
/// the table is looked up. If a put fails, the other puts remain and no delete is applied.
fn rows(
    context: &CallContext<'_>,
    name: Option<Vec<u8>>,
    batches: Option<Vec<BatchMutation>>,
    timestamp: i64,
    attributes: &Sent,
) -> Answer<()> {
    let batches = sent(batches, "rowBatches")?;
    context.scope.claim_list::<RowChanges>(batches.len()).map_err(declared)?;
    let (mut puts, mut deletes) = (Vec::new(), Vec::new());
    for batch in batches {
        let changes = RowChanges::new(sent(batch.row, "row")?, timestamp).map_err(undeclared)?;
        let mutations = NamedMutation::all(context, sent(batch.mutations, "mutations")?)?;
        let changes = changes.add(mutations, BareFamily::Refused, undeclared)?;
        puts.extend(Some(changes.put).filter(|put| !put.cells.is_empty()));
        deletes.extend(Some(changes.delete).filter(|delete| !delete.markers.is_empty()));
    }
    let table = table(context, name, declared)?;
    // If one cell is too large, HBase's client sends nothing.
    let cell_bytes_max = context.engine.limits().client_cell_bytes;
    puts.iter().try_for_each(|put| put.check_cell_bytes(cell_bytes_max)).map_err(declared)?;
    match Attributes::new(attributes).ttl_ms() {
        Ok(ttl_ms) => {
            puts.iter_mut().for_each(|put| put.ttl_ms = ttl_ms);
            deletes.iter_mut().for_each(|delete| delete.ttl_ms = ttl_ms);
        }
        Err(refusal) => {
            let count = if puts.is_empty() { deletes.len() } else { puts.len() };
            let refusal = once_located(&context.engine, table.name(), refusal);
            return if count == 0 { Ok(()) } else { batch(context, std::iter::repeat_n(&refusal, count)) };
        }
    }
    if !puts.is_empty() && !deletes.is_empty() {
        group::begin_several().map_err(declared)?;
    }
    if !puts.is_empty() {
        batch(context, table.put_many(&puts).iter().filter_map(|done| done.as_ref().err()))?;
    }
    if !deletes.is_empty() {
        batch(context, delete_many(context, &table, deletes)?.iter())?;
    }
    Ok(())
}

/// Deletes rows separately, and returns the failures. A marker without a family name, which a region server cannot
/// read, fails all deletes, though those of earlier regions are applied.
fn delete_many(context: &Context, table: &Table, deletes: Vec<Delete>) -> Answer<Vec<Error>> {
    if !deletes.iter().any(Delete::lacks_family) {
        return Ok(table.delete_many(&deletes).into_iter().filter_map(std::result::Result::err).collect());
    }
    let (count, mut refused) = (deletes.len(), nameless_family());
    if context.engine.is_table_enabled(table.name()).unwrap_or(false) {
        let handled = context
            .engine
            .with_regions(table.name(), |regions| {
                region_batch::handled_before(regions, deletes, |delete| &delete.row, Delete::lacks_family)
            })
            .map_err(declared)?;
        if !handled.is_empty() {
            table.delete_many(&handled);
        }
    } else {
        refused = once_located(&context.engine, table.name(), refused);
    }
    Ok((0..count).map(|_| refused.again()).collect())
}

/// A summary of the failures, if there are any.
fn batch<'a>(context: &Context, failures: impl Iterator<Item = &'a Error>) -> Answer<()> {
    let failures: Vec<_> = failures.collect();
    if failures.is_empty() { Ok(()) } else { Err(io_error(&Raised::batch(failures, &context.identity))) }
}
