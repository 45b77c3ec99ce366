//! The catalog: namespaces, tables, families and regions, as they are now and as the store keeps them.
//!
//! A change makes the new spaces, writes the catalog in one transaction, then drops the old spaces. A crash in between leaves either the
//! old state or the new one, and spaces that the catalog does not name: opening drops those.

mod change;
mod load;
mod meta;
mod record;
mod state;
mod table_slot;

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use parking_lot::{Mutex, MutexGuard, RwLock};

pub(crate) use state::{Family, TableState};

use self::table_slot::TableSlot;
use crate::error::{Error, ErrorKind, Result};
use crate::name::TableName;
use crate::schema::{FamilyRules, NamespaceDescriptor};
use crate::store::{SpaceId, Store};

/// The rules of every family that there is, by its space: what forgetting goes by.
pub(crate) type SpaceRules = RwLock<HashMap<SpaceId, FamilyRules>>;

/// Namespaces and tables of one database.
pub(crate) struct Catalog {
    store: Arc<dyn Store>,
    cluster_id: String,
    namespaces: RwLock<BTreeMap<String, NamespaceDescriptor>>,
    tables: RwLock<HashMap<TableName, Arc<TableSlot>>>,
    rules: Arc<SpaceRules>,
    /// Held through every change, so that there is one at a time.
    changes: Mutex<Counter>,
    /// A change failed and nobody could say whether it was written: everything is to be read again.
    doubtful: AtomicBool,
}

/// Gives out numbers for spaces and tables, none twice.
pub(crate) struct Counter {
    next: u64,
}

impl Counter {
    /// A number that nothing has ever had. It counts as used at once, also if the change that asked for it fails.
    pub(crate) fn next(&mut self) -> u64 {
        self.next += 1;
        self.next - 1
    }
}

impl Catalog {
    /// A UUID made with the data.
    pub(crate) fn cluster_id(&self) -> &str {
        &self.cluster_id
    }

    /// The rules of families by their spaces.
    pub(crate) fn rules(&self) -> Arc<SpaceRules> {
        Arc::clone(&self.rules)
    }

    /// Begins a change: none other runs until the guard is dropped. The catalog is certain then.
    pub(crate) fn begin(&self) -> Result<MutexGuard<'_, Counter>> {
        let mut counter = self.changes.lock();
        if self.doubtful.load(Ordering::Acquire) {
            self.load(&mut counter)?;
            self.doubtful.store(false, Ordering::Release);
        }
        Ok(counter)
    }

    /// Makes sure that what is in memory is what is stored.
    fn settle(&self) -> Result<()> {
        if self.doubtful.load(Ordering::Acquire) {
            drop(self.begin()?);
        }
        Ok(())
    }

    fn settle_or_warn(&self) {
        if let Err(error) = self.settle() {
            tracing::warn!(%error, "the catalog cannot be read again after a change that failed");
        }
    }

    /// A table's entry.
    fn slot(&self, name: &TableName) -> Result<Arc<TableSlot>> {
        self.settle()?;
        self.tables.read().get(name).cloned().ok_or_else(|| not_found(name))
    }

    /// Runs `work` on a table's state while the table is held shared.
    ///
    /// # Errors
    /// `TableNotFound`, and those of `work`.
    pub(crate) fn hold<T>(&self, name: &TableName, work: impl FnOnce(&Arc<TableState>) -> Result<T>) -> Result<T> {
        loop {
            let slot = self.slot(name)?;
            let held = slot.shared();
            if self.doubtful.load(Ordering::Acquire) {
                continue;
            }
            // Dropped between lookup and lock. A table that was created again meanwhile has a new entry.
            if let Some(state) = held.as_ref() {
                return work(state);
            }
        }
    }

    /// A table's state, which may be an old one as soon as it is returned.
    ///
    /// # Errors
    /// `TableNotFound`.
    pub(crate) fn table(&self, name: &TableName) -> Result<Arc<TableState>> {
        self.hold(name, |state| Ok(Arc::clone(state)))
    }

    /// All tables, by namespace and name; while the store cannot be read after a failed change, as they were before it.
    pub(crate) fn tables(&self) -> Vec<Arc<TableState>> {
        self.settle_or_warn();
        let slots: Vec<_> = self.tables.read().values().cloned().collect();
        let mut tables: Vec<_> = slots.iter().filter_map(|slot| slot.shared().clone()).collect();
        tables.sort_by_key(|t| t.name().with_namespace());
        tables
    }

    /// All namespaces, by name; see [`Self::tables`].
    pub(crate) fn namespaces(&self) -> Vec<NamespaceDescriptor> {
        self.settle_or_warn();
        self.namespaces.read().values().cloned().collect()
    }

    /// One namespace.
    ///
    /// # Errors
    /// `NamespaceNotFound`.
    pub(crate) fn namespace(&self, name: &str) -> Result<NamespaceDescriptor> {
        self.settle()?;
        self.namespaces.read().get(name).cloned().ok_or_else(|| Error::new(ErrorKind::NamespaceNotFound, name))
    }
}

/// The error for a table that is not there.
pub(crate) fn not_found(name: &TableName) -> Error {
    Error::new(ErrorKind::TableNotFound, name.to_string())
}
