//! Gets of whole rows that the row cache answers, without looking up the table.

use std::fmt;
use std::sync::{Arc, Weak};

use bytes::Bytes;

use super::budget::{Budget, own_bytes};
use super::row::{get_at_once, of_columns, of_packed};
use crate::catalog::{Family, TableSlot};
use crate::cell::{CellRef, Row};
use crate::core::Handle;
use crate::error::Result;
use crate::name::TableName;
use crate::request::{Columns, Get};
use crate::row_cache::{PackedRow, Remembered};

/// The rows of one table that the row cache remembers as a get of the newest cells of a whole row returns them. Useful
/// for a client that reads one table often: the table is looked up once, and the answers are shared.
///
/// It does not keep the database open.
#[derive(Clone)]
pub struct RememberedRows {
    handle: Weak<Handle>,
    slot: Arc<TableSlot>,
}

/// An answer that is remembered, or a part of one.
pub enum RememberedRow {
    /// A packed row, with its newest cells.
    Packed(PackedRow),
    /// A row that is shared with other answers.
    Shared(Arc<Row>),
    /// A row that belongs to this answer.
    Own(Row),
}

impl RememberedRow {
    /// The number of cells, and the bytes of their families, qualifiers and values.
    fn cells_and_bytes(&self) -> (usize, usize) {
        let row = match self {
            Self::Packed(packed) => {
                let bytes = |cell: CellRef<'_>| cell.family.len() + cell.qualifier.len() + cell.value.len();
                return (packed.cells().len(), packed.cells().map(bytes).sum());
            }
            Self::Shared(row) => &**row,
            Self::Own(row) => row,
        };
        (row.cells.len(), row.cells.iter().map(own_bytes).sum())
    }
}

impl fmt::Debug for RememberedRows {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RememberedRows").finish_non_exhaustive()
    }
}

impl RememberedRows {
    /// The remembered rows of the table with this name.
    ///
    /// # Errors
    /// `Closed`, `TableNotFound`.
    pub(crate) fn of(handle: &Arc<Handle>, name: &TableName) -> Result<Self> {
        Ok(Self { handle: Arc::downgrade(handle), slot: handle.live()?.catalog.slot(name)? })
    }

    /// The answer to a get of the newest cells of a row. `None` if it is not remembered, if the table has been dropped
    /// or disabled, or if its lock is not free. Use [`crate::Table::get_for`] then.
    ///
    /// # Errors
    /// That of the budget.
    pub fn get(&self, row: &[u8], budget: &dyn Budget) -> Result<Option<RememberedRow>> {
        self.find(row, budget, |whole, _| {
            Some(match whole {
                Remembered::Packed(packed) => RememberedRow::Packed(packed),
                Remembered::Row(row) => RememberedRow::Shared(row),
            })
        })
    }

    /// As [`Self::get`], for some columns. Also `None` if the table does not have all of their families.
    ///
    /// # Errors
    /// That of the budget.
    pub fn get_columns(&self, row: &[u8], columns: &Columns, budget: &dyn Budget) -> Result<Option<RememberedRow>> {
        self.find(row, budget, |whole, families| {
            Some(RememberedRow::Own(match whole {
                Remembered::Packed(packed) => of_packed(&packed, columns, families)?,
                Remembered::Row(row) => of_columns(&row, columns, families)?,
            }))
        })
    }

    fn find(
        &self,
        row: &[u8],
        budget: &dyn Budget,
        select: impl FnOnce(Remembered, &[Family]) -> Option<RememberedRow>,
    ) -> Result<Option<RememberedRow>> {
        let Some(handle) = self.handle.upgrade() else { return Ok(None) };
        let Ok(core) = handle.live() else { return Ok(None) };
        let found = core.catalog.with_slot_at_once(&self.slot, |table| {
            table.check_readable().ok()?;
            let families = table.families();
            let whole = core.row_cache.remembered(table.number(), row, families, &*core.store)?;
            let answer = select(whole, families)?;
            let (cells, bytes) = answer.cells_and_bytes();
            Some(budget.take(cells, bytes).map(|()| {
                table.count_reads(row, 1, bytes + cells * row.len());
                answer
            }))
        });
        found.transpose()
    }

    /// Reads the newest cells of a row, which need not be remembered, as [`crate::Table::get_for`] does. `None` if the
    /// table has been dropped, or if its lock is not free.
    ///
    /// # Errors
    /// Those of [`crate::Table::get_for`], which can repeat the read; `Stale`: the table has been changed meanwhile.
    pub fn read(&self, row: &[u8], columns: &Columns, budget: &dyn Budget) -> Result<Option<Row>> {
        let Some(handle) = self.handle.upgrade() else { return Ok(None) };
        let Ok(core) = handle.live() else { return Ok(None) };
        let get = Get { columns: columns.clone(), ..Get::new(Bytes::copy_from_slice(row)) };
        get_at_once(core, &self.slot, &get, budget)
    }

    /// Whether the table has been dropped. A table that was created with its name since is another table.
    pub fn is_dropped(&self) -> bool {
        self.slot.try_shared().is_some_and(|state| state.is_none())
    }
}
