//! Several separate mutations in one call, grouped by region as HBase's client library sends them.

use bytes::Bytes;
use hjall_engine::name::TableName;
use hjall_engine::{Error, Table};

use super::error::{Answer, local};
use crate::gateway::context::Context;
use crate::gateway::error::once_located;
use crate::gateway::region_batch;

/// A mutation in a batch.
pub trait BatchElement {
    /// The row that it changes.
    fn row(&self) -> &Bytes;

    /// The error of a region server that cannot read it; `None` if it can.
    fn refusal(&self) -> Option<&Error>;
}

/// Applies the elements that can be applied, and returns the failures.
///
/// If a region server cannot read one of them, all fail, though those of earlier regions are applied.
pub fn apply<E: BatchElement>(
    context: &Context,
    name: &TableName,
    elements: Vec<E>,
    send: impl FnOnce(&Table, Vec<E>) -> Vec<Result<(), Error>>,
) -> Answer<Vec<Error>> {
    let table = context.engine.table(name);
    let Some(refusal) = elements.iter().find_map(E::refusal) else {
        return Ok(send(&table, elements).into_iter().filter_map(Result::err).collect());
    };
    let (count, mut refused) = (elements.len(), refusal.again());
    if context.engine.is_table_enabled(name).unwrap_or(false) {
        let handled = context
            .engine
            .with_regions(name, |regions| {
                let unreadable = |element: &E| element.refusal().is_some();
                region_batch::handled_before(regions, elements, |element| &element.row()[..], unreadable)
            })
            .map_err(|e| local(&e))?;
        if !handled.is_empty() {
            send(&table, handled);
        }
    } else {
        refused = once_located(&context.engine, name, refused);
    }
    Ok((0..count).map(|_| refused.again()).collect())
}
