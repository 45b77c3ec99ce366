//! Puts and increments to a table that has been looked up before.

use std::fmt;
use std::sync::{Arc, Weak};

use super::count::increment_one;
use super::group::{Single, apply_each_in, apply_to};
use crate::catalog::TableSlot;
use crate::core::Handle;
use crate::error::Result;
use crate::mutation::PutOf;
use crate::name::TableName;

/// A table that was looked up once. Useful for a client that writes to one table often.
///
/// It does not keep the database open.
pub struct KnownTable {
    handle: Weak<Handle>,
    name: TableName,
    slot: Arc<TableSlot>,
}

impl fmt::Debug for KnownTable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("KnownTable").field("name", &self.name).finish_non_exhaustive()
    }
}

impl KnownTable {
    /// The table that has this name.
    ///
    /// # Errors
    /// `Closed`, `TableNotFound`.
    pub(crate) fn of(handle: &Arc<Handle>, name: &TableName) -> Result<Self> {
        Ok(Self { handle: Arc::downgrade(handle), name: name.clone(), slot: handle.live()?.catalog.slot(name)? })
    }

    /// As [`crate::Table::put`], for a put whose row and cells belong to a message. A table that was dropped is looked
    /// up again.
    ///
    /// # Errors
    /// Those of [`crate::Table::put`].
    pub fn put(&mut self, put: &PutOf<&[u8]>) -> Result<()> {
        let handle = self.handle.upgrade().ok_or_else(Handle::closed)?;
        let core = handle.live()?;
        put.check(core)?;
        core.catalog.with_known_slot(&self.name, &mut self.slot, |table| apply_to(core, table, put))
    }

    /// Adds to one counter. Returns its new value. As [`crate::Table::increment`], for a row and a column that belong
    /// to a message. A table that was dropped is looked up again.
    ///
    /// # Errors
    /// Those of [`crate::Table::increment`].
    pub fn increment(&mut self, row: &[u8], column: (&[u8], &[u8]), amount: i64) -> Result<i64> {
        let handle = self.handle.upgrade().ok_or_else(Handle::closed)?;
        let core = handle.live()?;
        core.catalog
            .with_known_slot(&self.name, &mut self.slot, |table| increment_one(core, table, row, column, amount))
    }

    /// As [`crate::Table::put_many`], for puts whose rows and cells belong to a message. A table that was dropped is
    /// looked up again.
    pub fn put_many(&mut self, puts: &[PutOf<&[u8]>]) -> Vec<Result<()>> {
        let handle = self.handle.upgrade();
        let core = handle.as_ref().ok_or_else(Handle::closed).and_then(|handle| handle.live());
        let core = match core {
            Ok(core) => core,
            Err(error) => return puts.iter().map(|_| Err(error.again())).collect(),
        };
        apply_each_in(core, puts, |work| core.catalog.with_known_slot(&self.name, &mut self.slot, work))
    }
}
