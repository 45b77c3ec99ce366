//! Puts: put, putMultiple, and the puts inside of checks and row mutations.

use bytes::Bytes;
use hjall_engine::mutation::{Put, PutCell, check_timestamp};
use hjall_engine::request::check_row;
use hjall_engine::{Error, LATEST};
use hjall_idl::hbase2::TPut;

use super::batch::apply;
use super::convert::{check_visibility, durability, table_name};
use super::error::{Answer, batch, data, doomed, illegal};
use crate::gateway::attributes::Attributes;
use crate::gateway::context::Context;

/// A put as it will run, and what only the region server would object to.
pub struct PutRequest {
    /// The put itself.
    pub put: Put,
    /// Why no region server could ever apply it.
    pub refusal: Option<Error>,
}

impl PutRequest {
    /// Checks what HBase's gateway checks. A put without cells is legal so far.
    pub fn new(sent: &TPut) -> Answer<Self> {
        check_row(&sent.row).map_err(illegal)?;
        let default = sent.timestamp.unwrap_or(LATEST);
        check_timestamp(default).map_err(illegal)?;
        let mut cells = Vec::with_capacity(sent.column_values.len());
        for column in &sent.column_values {
            cells.push(PutCell {
                family: Bytes::copy_from_slice(&column.family),
                qualifier: Bytes::copy_from_slice(&column.qualifier),
                timestamp: column.timestamp.unwrap_or(default),
                value: Bytes::copy_from_slice(&column.value),
            });
        }
        check_visibility(sent.cell_visibility.as_ref())?;
        let attributes = Attributes::new(&sent.attributes);
        let (ttl_ms, refusal) = match attributes.ttl_ms() {
            Ok(ttl_ms) => (ttl_ms, None),
            Err(error) => (None, Some(error)),
        };
        let put =
            Put { row: Bytes::copy_from_slice(&sent.row), cells, ttl_ms, durability: durability(sent.durability) };
        Ok(Self { put, refusal })
    }

    /// Checks what HBase's client library checks before it sends a put by itself or in a list.
    pub fn validate(&self, context: &Context) -> Answer<()> {
        self.put.validate().map_err(illegal)?;
        self.put.check_cell_bytes(context.engine.limits().client_cell_bytes).map_err(illegal)
    }
}

/// Writes one row.
pub fn put(context: &Context, table: &[u8], sent: &TPut) -> Answer<()> {
    let name = table_name(table)?;
    let request = PutRequest::new(sent)?;
    request.validate(context)?;
    if let Some(refusal) = &request.refusal {
        return Err(doomed(context, &name, refusal));
    }
    context.engine.table(&name).put(&request.put).map_err(|e| data(&e))
}

/// Writes several rows, each by itself: what is good is written even if the call fails.
pub fn put_multiple(context: &Context, table: &[u8], sent: &[TPut]) -> Answer<()> {
    let name = table_name(table)?;
    let requests = sent.iter().map(PutRequest::new).collect::<Answer<Vec<_>>>()?;
    requests.iter().try_for_each(|request| request.validate(context))?;
    if requests.is_empty() {
        return Ok(());
    }
    let errors = apply(
        context,
        &name,
        &requests,
        |request| (&request.put.row, request.refusal.as_ref()),
        |table, requests| table.put_many(&requests.iter().map(|request| request.put.clone()).collect::<Vec<_>>()),
    )?;
    if errors.is_empty() { Ok(()) } else { Err(batch(context, errors.iter())) }
}
