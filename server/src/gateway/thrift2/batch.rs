//! Several separate mutations in one call, grouped by region as HBase's client library sends them.

use bytes::Bytes;
use hjall_engine::name::TableName;
use hjall_engine::{Error, Table};

use super::error::{Answer, local};
use crate::gateway::context::Context;
use crate::gateway::error::once_located;
use crate::gateway::region_batch::{self, Split};

/// A mutation in a batch.
pub trait BatchElement {
    /// The row that it changes.
    fn row(&self) -> &Bytes;

    /// The error of a region server that cannot read it; `None` if it can.
    fn refusal(&self) -> Option<&Error>;
}

/// Applies the elements that can be applied, and returns the failures.
///
/// An element that a region server cannot read fails all elements of its region.
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
    let refused = refusal.again();
    if !context.engine.is_table_enabled(name).unwrap_or(false) {
        let refused = once_located(&context.engine, name, refused);
        return Ok(elements.iter().map(|_| refused.again()).collect());
    }
    let unreadable = |element: &E| element.refusal().is_some();
    let split = context
        .engine
        .with_regions(name, |regions| region_batch::split(regions, elements, |element| &element.row()[..], unreadable));
    let Split { failing, sound } = split.map_err(|e| local(&e))?;
    let mut failures: Vec<Error> = failing.iter().map(|_| refused.again()).collect();
    if !sound.is_empty() {
        failures.extend(send(&table, sound).into_iter().filter_map(Result::err));
    }
    Ok(failures)
}
