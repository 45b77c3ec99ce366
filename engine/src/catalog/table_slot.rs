//! The lock that keeps a table's schema and its data consistent.
//!
//! A write holds the lock shared from reading the table's state until its commit. A change of the table holds it
//! exclusively while it writes the catalog and replaces the state. So no write reaches a space that a change has
//! abandoned, and disabling a table waits for running writes. A read holds it shared only while it takes the state and
//! a snapshot.

use std::sync::Arc;

use parking_lot::{RwLock, RwLockReadGuard, RwLockWriteGuard};

use super::TableState;

/// A table's entry in the catalog: its state and the lock on it. `None`: the table has been dropped and the entry
/// removed.
#[derive(Debug)]
pub(crate) struct TableSlot(RwLock<Option<Arc<TableState>>>);

/// A shared lock on a table.
pub(crate) type Shared<'a> = RwLockReadGuard<'a, Option<Arc<TableState>>>;
/// An exclusive lock on a table.
pub(crate) type Exclusive<'a> = RwLockWriteGuard<'a, Option<Arc<TableState>>>;

impl TableSlot {
    pub(crate) fn new(state: Arc<TableState>) -> Self {
        Self(RwLock::new(Some(state)))
    }

    /// Locks the table shared. A thread must not take it twice: if a change waits in between, both would deadlock.
    pub(crate) fn shared(&self) -> Shared<'_> {
        self.0.read()
    }

    /// Locks the table exclusively, once all shared locks have been released.
    pub(crate) fn exclusive(&self) -> Exclusive<'_> {
        self.0.write()
    }
}
