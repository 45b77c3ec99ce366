//! Deletes of a column, a family or a row.

use hjall_engine::mutation::{Delete, Marker};
use hjall_engine::{Error, LATEST};
use hjall_idl::hbase1::*;

use super::column::Column;
use super::convert::{sent, table};
use super::error::{Answer, undeclared};
use super::mutation::marker;
use crate::gateway::attributes::{Attributes, Sent};
use crate::gateway::context::Context;
use crate::gateway::error::once_located;

/// Deletes a column or family now.
pub fn delete_all(context: &Context, a: DeleteAllArgs) -> Answer<()> {
    column(context, a.table_name, a.row, a.column, LATEST, &a.attributes)
}

/// Deletes a column or family up to and including a time.
pub fn delete_all_ts(context: &Context, a: DeleteAllTsArgs) -> Answer<()> {
    column(context, a.table_name, a.row, a.column, a.timestamp.unwrap_or(0), &a.attributes)
}

/// Deletes a row now.
pub fn delete_all_row(context: &Context, a: DeleteAllRowArgs) -> Answer<()> {
    delete(context, a.table_name, a.row, Vec::new(), LATEST, &a.attributes)
}

/// Deletes a row up to and including a time.
pub fn delete_all_row_ts(context: &Context, a: DeleteAllRowTsArgs) -> Answer<()> {
    delete(context, a.table_name, a.row, Vec::new(), a.timestamp.unwrap_or(0), &a.attributes)
}

fn column(
    context: &Context,
    name: Option<Vec<u8>>,
    row: Option<Vec<u8>>,
    column: Option<Vec<u8>>,
    timestamp: i64,
    attributes: &Sent,
) -> Answer<()> {
    let marker = marker(Column::parse(sent(column, "column")?), timestamp);
    delete(context, name, row, vec![marker], timestamp, attributes)
}

fn delete(
    context: &Context,
    name: Option<Vec<u8>>,
    row: Option<Vec<u8>>,
    markers: Vec<Marker>,
    timestamp: i64,
    attributes: &Sent,
) -> Answer<()> {
    let table = table(context, name, undeclared)?;
    let mut delete = Delete { markers, timestamp, ..Delete::row(sent(row, "row")?) };
    delete.validate().map_err(undeclared)?;
    let located = |refusal: Error| undeclared(once_located(&context.engine, table.name(), refusal));
    delete.ttl_ms = Attributes::new(attributes).ttl_ms().map_err(located)?;
    table.delete(&delete).map_err(undeclared)
}
