//! Transactions whose rows are locked by others for too long.

use std::error::Error as _;

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
    core.transact(&[table.row_lock(row)], durability, body).map_err(|error| {
        match busy_rows(&error).filter(|busy| !busy.names.is_empty()) {
            Some(busy) => busy_error(row, &busy.reason),
            None => error,
        }
    })
}

/// The rows that were busy, if that was the reason of a failure.
pub(super) fn busy_rows(error: &Error) -> Option<&BusyRows> {
    error.source().and_then(|source| source.downcast_ref())
}

/// The error of a mutation whose row was busy. The store knows the row by its lock name only.
pub(super) fn busy_error(row: &[u8], reason: &str) -> Error {
    Error::new(ErrorKind::Busy, format!("row \"{}\" {reason}", quote::escaped(row)))
}
