//! Gets of whole rows that the row cache answers, without looking up the table.

use std::borrow::Borrow;
use std::fmt;
use std::sync::{Arc, Weak};

use bytes::Bytes;

use super::budget::{Budget, take_row};
use super::row::{get_at_once, of_columns};
use crate::catalog::{Family, TableSlot};
use crate::cell::Row;
use crate::core::Handle;
use crate::error::Result;
use crate::name::TableName;
use crate::request::{Columns, Get};

/// The rows of one table that the row cache remembers as a get of the newest cells of a whole row returns them. Useful
/// for a client that reads one table often: the table is looked up once, and the answers are shared.
///
/// It does not keep the database open.
#[derive(Clone)]
pub struct RememberedRows {
    handle: Weak<Handle>,
    slot: Arc<TableSlot>,
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
    pub fn get(&self, row: &[u8], budget: &dyn Budget) -> Result<Option<Arc<Row>>> {
        self.find(row, budget, |whole, _| Some(whole))
    }

    /// As [`Self::get`], for some columns. Also `None` if the table does not have all of their families.
    ///
    /// # Errors
    /// That of the budget.
    pub fn get_columns(&self, row: &[u8], columns: &Columns, budget: &dyn Budget) -> Result<Option<Row>> {
        self.find(row, budget, |whole, families| of_columns(&whole, columns, families))
    }

    fn find<R: Borrow<Row>>(
        &self,
        row: &[u8],
        budget: &dyn Budget,
        select: impl FnOnce(Arc<Row>, &[Family]) -> Option<R>,
    ) -> Result<Option<R>> {
        let Some(handle) = self.handle.upgrade() else { return Ok(None) };
        let Ok(core) = handle.live() else { return Ok(None) };
        let found = core.catalog.with_slot_at_once(&self.slot, |table| {
            table.check_readable().ok()?;
            let families = table.families();
            let whole = core.row_cache.remembered(table.number(), row, families, &*core.store)?;
            let answer = select(whole, families)?;
            Some(take_row(budget, answer.borrow()).map(|()| {
                table.count_reads(row, 1, answer.borrow().bytes());
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
