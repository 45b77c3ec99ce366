//! Read, change and write of single cells: increment and append.

use bytes::Bytes;
use hjall_engine::Row;
use hjall_engine::mutation::{Append, Increment};
use hjall_idl::hbase2::{TAppend, TColumnIncrement, TColumnValue, TIncrement, TResult};

use super::convert::{check_visibility, durability, result, table_name};
use super::error::{Answer, data, doomed};
use crate::gateway::attributes::Attributes;
use crate::gateway::context::Context;

/// Adds to counters of one row.
pub fn increment(context: &Context, table: &[u8], sent: &TIncrement) -> Answer<TResult> {
    let name = table_name(table)?;
    let attributes = Attributes::new(&sent.attributes);
    let column = |column: &TColumnIncrement| {
        let family = Bytes::copy_from_slice(&column.family);
        // The contract's own default, for writers that leave it out.
        (family, Bytes::copy_from_slice(&column.qualifier), column.amount.unwrap_or(1))
    };
    check_visibility(sent.cell_visibility.as_ref())?;
    let mut request = Increment {
        row: Bytes::copy_from_slice(&sent.row),
        columns: sent.columns.iter().map(column).collect(),
        ttl_ms: None,
        durability: durability(sent.durability),
    };
    let ttl_ms = request.validate().and_then(|()| attributes.ttl_ms());
    request.ttl_ms = ttl_ms.map_err(|refusal| doomed(context, &name, &refusal))?;
    let row = context.engine.table(&name).increment(&request).map_err(|e| data(&e))?;
    Ok(answer(row, sent.return_results, attributes))
}

/// Appends to values of one row. Timestamps, types and tags of the columns do not count.
pub fn append(context: &Context, table: &[u8], sent: &TAppend) -> Answer<TResult> {
    let name = table_name(table)?;
    let attributes = Attributes::new(&sent.attributes);
    let column = |column: &TColumnValue| {
        let family = Bytes::copy_from_slice(&column.family);
        (family, Bytes::copy_from_slice(&column.qualifier), Bytes::copy_from_slice(&column.value))
    };
    check_visibility(sent.cell_visibility.as_ref())?;
    let mut request = Append {
        row: Bytes::copy_from_slice(&sent.row),
        columns: sent.columns.iter().map(column).collect(),
        ttl_ms: None,
        durability: durability(sent.durability),
    };
    let ttl_ms = request.validate().and_then(|()| attributes.ttl_ms());
    request.ttl_ms = ttl_ms.map_err(|refusal| doomed(context, &name, &refusal))?;
    let row = context.engine.table(&name).append(&request).map_err(|e| data(&e))?;
    Ok(answer(row, sent.return_results, attributes))
}

/// The new cells, unless the caller does not want them; the field wins over the attribute.
fn answer(row: Row, returns: Option<bool>, attributes: Attributes<'_>) -> TResult {
    match returns.unwrap_or_else(|| attributes.returns_results()) {
        true => result(row),
        false => result(Row::default()),
    }
}
