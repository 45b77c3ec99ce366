//! The row that a transaction has locked, and reads before it writes: from the row cache if possible.

use std::sync::Arc;

use bytes::Bytes;

use crate::catalog::{Family, TableState};
use crate::core::Core;
use crate::error::Result;
use crate::read::{ColumnRead, PackedRow, Stored, newest, whole_row};
use crate::row_cache::RowsBeingWritten;
use crate::store::Transaction;
use crate::value::Value;

/// A row of a table with more families is not read as a whole.
const FAMILIES_MAX: usize = 4;

/// The row of a running transaction, before the writes of the transaction.
pub(super) struct LockedRow<'a> {
    core: &'a Core,
    table: &'a TableState,
    row: &'a [u8],
    /// The write in the row cache; `None` if the cache is disabled.
    writing: Option<&'a mut RowsBeingWritten>,
}

impl<'a> LockedRow<'a> {
    /// This row of the table, which the transaction has locked.
    pub(super) fn new(
        core: &'a Core,
        table: &'a TableState,
        row: &'a [u8],
        writing: Option<&'a mut RowsBeingWritten>,
    ) -> Self {
        Self { core, table, row, writing }
    }

    /// The newest visible version of a column.
    ///
    /// # Errors
    /// Those of the store.
    pub(super) fn newest(&mut self, tx: &dyn Transaction, family: &Family, qualifier: &[u8]) -> Result<Option<Stored>> {
        if let Some(packed) = self.packed(tx)? {
            let cell = packed.cells().find(|cell| *cell.family == *family.name && *cell.qualifier == *qualifier);
            return Ok(cell.map(|cell| {
                let bytes = Bytes::copy_from_slice(cell.value);
                Stored { timestamp: cell.timestamp, value: Value { ttl_ms: None, sequence: None, bytes } }
            }));
        }
        let read = ColumnRead { family, row: self.row, qualifier, count: 1, now: tx.clock_ms() };
        Ok(newest(tx.snapshot(), &read)?.into_iter().next())
    }

    /// The row in its packed form, from the cache or, if it should be cached, from the store. `None` if it has to be
    /// read in another way.
    fn packed(&mut self, tx: &dyn Transaction) -> Result<Option<PackedRow>> {
        let Some(writing) = &mut self.writing else { return Ok(None) };
        let (families, store) = (self.table.families(), &*self.core.store);
        if let Some(packed) = writing.packed(families, store) {
            return Ok(Some(packed));
        }
        if families.len() > FAMILIES_MAX || !families.iter().all(PackedRow::can_hold) || !writing.admits() {
            return Ok(None);
        }
        let generation = store.generation();
        let row = Arc::new(whole_row(tx.snapshot(), self.table, self.row, tx.clock_ms())?);
        Ok(writing.keep(self.table.row_lock(self.row), &row, generation))
    }
}
