//! The lock that keeps a table's schema and its data consistent.
//!
//! A write holds the lock shared from reading the table's state until its commit. A change of the table holds it
//! exclusively while it writes the catalog and replaces the state, but not while that is synced. So no write reaches a
//! space that a change has abandoned, and disabling a table waits for running writes. A read holds it shared only while
//! it takes the state and a snapshot.

use std::rc::Rc;
use std::sync::Arc;

use parking_lot::lock_api::ArcRwLockReadGuard;
use parking_lot::{RawRwLock, RwLock, RwLockReadGuard, RwLockWriteGuard};

use super::TableState;
use crate::error::Result;
use crate::group;

/// A table's entry in the catalog: its state and the lock on it. `None` if the table has been dropped and the entry
/// removed.
#[derive(Debug)]
pub(crate) struct TableSlot(Arc<RwLock<Option<Arc<TableState>>>>);

/// A shared lock on a table.
pub(crate) type Shared<'a> = RwLockReadGuard<'a, Option<Arc<TableState>>>;
/// A shared lock on a table that a group of calls holds.
pub(crate) type Kept = ArcRwLockReadGuard<RawRwLock, Option<Arc<TableState>>>;
/// An exclusive lock on a table.
pub(crate) type Exclusive<'a> = RwLockWriteGuard<'a, Option<Arc<TableState>>>;

impl TableSlot {
    pub(crate) fn new(state: Arc<TableState>) -> Self {
        Self(Arc::new(RwLock::new(Some(state))))
    }

    /// Locks the table shared. A thread must not take it twice: if a change waits in between, both would deadlock.
    /// Therefore the group of this thread, which may hold it, is committed before this waits.
    pub(crate) fn shared(&self) -> Shared<'_> {
        self.0.try_read().unwrap_or_else(|| {
            // The group's function learns the outcome of the commit.
            let _ = group::commit();
            self.0.read()
        })
    }

    /// Locks the table shared. `None` if the lock is not free.
    pub(crate) fn try_shared(&self) -> Option<Shared<'_>> {
        self.0.try_read()
    }

    /// Locks the table shared until the group of this thread is committed, unless the group holds that lock already.
    ///
    /// # Errors
    /// The errors of [`group::commit`], which is called if the lock is not free, and of [`group::before_waiting`].
    pub(crate) fn shared_in_group(&self) -> Result<Rc<Kept>> {
        let address = Arc::as_ptr(&self.0) as usize;
        if let Some(kept) = group::kept(address) {
            return Ok(kept);
        }
        let held = match self.0.try_read_arc() {
            Some(held) => held,
            None => {
                group::commit()?;
                match self.0.try_read_arc() {
                    Some(held) => held,
                    None => {
                        group::before_waiting()?;
                        self.0.read_arc()
                    }
                }
            }
        };
        let held = Rc::new(held);
        group::keep(address, Rc::clone(&held) as _);
        Ok(held)
    }

    /// Locks the table exclusively, once all shared locks have been released.
    pub(crate) fn exclusive(&self) -> Exclusive<'_> {
        // The group of this thread may hold a shared lock. Its function learns the outcome of the commit.
        let _ = group::commit();
        self.0.write()
    }
}
