//! Transactions whose rows are locked by others for too long.

use std::error::Error as _;

use super::locked_row::LockedRow;
use crate::catalog::TableState;
use crate::core::Core;
use crate::error::{Error, ErrorKind, Result};
use crate::mutation::Durability;
use crate::quote;
use crate::store::{BusyRows, Transaction};

/// Runs a transaction of one row, as [`Core::transact`] does. If the row is busy, the error names it.
pub(super) fn transact_row(
    core: &Core,
    table: &TableState,
    row: &[u8],
    durability: Durability,
    body: &mut dyn FnMut(&mut dyn Transaction) -> Result<()>,
) -> Result<()> {
    core.transact(&[table.row_lock(row)], durability, body).map_err(|error| naming(row, error))
}

/// As [`transact_row`], for a body that reads the row.
pub(super) fn transact_locked_row(
    core: &Core,
    table: &TableState,
    row: &[u8],
    durability: Durability,
    body: &mut dyn FnMut(&mut dyn Transaction, &mut LockedRow<'_>) -> Result<()>,
) -> Result<()> {
    core.transact_reading(table.row_lock(row), durability, &mut |tx, writing| {
        body(tx, &mut LockedRow::new(core, table, row, writing))
    })
    .map_err(|error| naming(row, error))
}

/// The error of a transaction of this row. If the row was busy, the error names it.
fn naming(row: &[u8], error: Error) -> Error {
    match busy_rows(&error).filter(|busy| !busy.names.is_empty()) {
        Some(busy) => busy_error(row, &busy.reason),
        None => error,
    }
}

/// The rows that were busy, if that was the reason of a failure.
pub(super) fn busy_rows(error: &Error) -> Option<&BusyRows> {
    error.source().and_then(|source| source.downcast_ref())
}

/// The error of a mutation whose row was busy. The store knows the row by its lock name only.
pub(super) fn busy_error(row: &[u8], reason: &str) -> Error {
    Error::new(ErrorKind::Busy, format!("row \"{}\" {reason}", quote::escaped(row)))
}
