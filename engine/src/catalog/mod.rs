//! The catalog: namespaces, tables, families and regions, cached in memory and stored in space 0.
//!
//! A change creates the new spaces, writes the catalog in one transaction, then drops the old spaces. A crash in
//! between leaves either the old state or the new one, and possibly spaces that the catalog does not name. The next
//! opening drops those.

mod change;
mod doubt;
mod flush;
mod load;
mod loading;
mod meta;
mod record;
mod size;
mod state;
mod table_slot;
mod traffic;

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use bytes::Bytes;
use parking_lot::{Mutex, MutexGuard, RwLock};

use self::doubt::Doubt;
pub(crate) use self::loading::{Loading, LoadingSpaces};
use self::state::table_of_row_lock;
pub(crate) use state::{Family, LOCK_PREFIX, TableState, row_lock, space_options};
pub(crate) use table_slot::TableSlot;
pub use traffic::Traffic;

use crate::error::{Error, ErrorKind, Result};
use crate::group;
use crate::name::TableName;
use crate::quote;
use crate::schema::{FamilyRules, NamespaceDescriptor};
use crate::stop::Stop;
use crate::store::{SpaceId, Store};

/// The rules of all families by their spaces, for compaction filters.
pub(crate) type SpaceRules = RwLock<HashMap<SpaceId, FamilyRules>>;

/// Namespaces and tables of one database.
pub(crate) struct Catalog {
    store: Arc<dyn Store>,
    cluster_id: String,
    namespaces: RwLock<BTreeMap<String, NamespaceDescriptor>>,
    tables: RwLock<HashMap<TableName, Arc<TableSlot>>>,
    rules: Arc<SpaceRules>,
    loading: Arc<LoadingSpaces>,
    /// The most memory that descriptors may take, in bytes; `None`: no limit.
    memory_max: Option<u64>,
    /// Held during every change: changes run one at a time.
    changes: Mutex<Counter>,
    /// What a failed change may have altered: the catalog has to be read again before that is used.
    doubt: Doubt,
    unsynced: UnsyncedChange,
}

/// A change of a table that has taken effect and is not durable yet, or whose sync has failed.
#[derive(Default)]
struct UnsyncedChange {
    /// 1 + the generation of the store in which it has taken effect; 0 if there is no such change.
    since: AtomicU64,
    /// The number of the table. Set before `since`.
    table: AtomicU64,
}

/// The interval at which a change that waits for another one checks whether it has been stopped.
const STOP_CHECK_INTERVAL: Duration = Duration::from_millis(50);

/// Allocates numbers for spaces and tables. No number is allocated twice.
pub(crate) struct Counter {
    next: u64,
    /// The flag of the running change.
    stop: Stop,
}

impl Counter {
    /// Allocates a number. It counts as used even if the change that needs it fails.
    pub(crate) fn next(&mut self) -> u64 {
        self.next += 1;
        self.next - 1
    }

    /// Fails once the change has been stopped.
    fn check(&self) -> Result<()> {
        if self.stop.is_stopped() { Err(stopped()) } else { Ok(()) }
    }
}

fn stopped() -> Error {
    Error::new(ErrorKind::Cancelled, "the change was stopped by its caller, and has no effect")
}

impl Catalog {
    /// The UUID that was generated with the data folder.
    pub(crate) fn cluster_id(&self) -> &str {
        &self.cluster_id
    }

    /// The rules of all families by their spaces.
    pub(crate) fn rules(&self) -> Arc<SpaceRules> {
        Arc::clone(&self.rules)
    }

    /// The spaces into which bulk loads are in progress.
    pub(crate) fn loading(&self) -> &Arc<LoadingSpaces> {
        &self.loading
    }

    /// Begins a change. No other change runs until the guard is dropped. Reads the catalog again if a failed change
    /// left it in doubt. A store that refuses writes is reopened here: a change that fails later leaves a table in
    /// doubt, and its reads would fail, although nothing was written.
    ///
    /// # Errors
    /// `Cancelled` if `stop` is set, also while another change runs; `ReadOnly`; errors of the store.
    pub(crate) fn begin(&self, stop: &Stop) -> Result<MutexGuard<'_, Counter>> {
        self.store.check_writable()?;
        let counter = self.exclude_changes(stop)?;
        self.store.recover()?;
        Ok(counter)
    }

    /// Waits for the change that is running. No other change runs until the guard is dropped.
    ///
    /// # Errors
    /// Those of [`Self::begin`], without `ReadOnly`.
    pub(crate) fn exclude_changes(&self, stop: &Stop) -> Result<MutexGuard<'_, Counter>> {
        // The group may hold a shared lock on the table.
        group::commit()?;
        group::before_waiting()?;
        let mut counter = loop {
            if stop.is_stopped() {
                return Err(stopped());
            }
            if let Some(counter) = self.changes.try_lock_for(STOP_CHECK_INTERVAL) {
                break counter;
            }
        };
        counter.stop = stop.clone();
        if self.doubt.exists() {
            self.load(&mut counter)?;
            self.unsynced.since.store(0, Ordering::Release);
            self.doubt.settle();
        }
        Ok(counter)
    }

    /// Reads the catalog again after a failed change. Calls that only use the catalog do not try that more than once a
    /// second if it fails and reopens the store, for which others have to wait.
    fn settle(&self) -> Result<()> {
        if let Some(error) = self.doubt.failed_lately() {
            return Err(error);
        }
        let generation = self.store.generation();
        self.exclude_changes(&Stop::never()).map(drop).inspect_err(|error| {
            if self.store.generation() != generation {
                self.doubt.failed(error);
            }
        })
    }

    /// Whether a table exists. While a failed change of it is in doubt, whether it existed before.
    pub(crate) fn has_table(&self, name: &TableName) -> bool {
        if self.doubt.concerns_table(name) {
            self.settle_or_warn();
        }
        self.tables.read().contains_key(name)
    }

    fn settle_or_warn(&self) {
        if self.doubt.exists()
            && let Err(error) = self.settle()
        {
            tracing::warn!(%error, "the catalog cannot be read again after a change that failed");
        }
    }

    /// To be called each time that the body of a transaction is run, which may use the state of its table after a
    /// change that is not durable yet. A store that has been reopened since may have lost the change, and would lose
    /// the transaction with it. `rows`: the names under which the rows of the transaction are locked.
    ///
    /// # Errors
    /// `Busy`: the change may be lost.
    pub(crate) fn check_unsynced_change(&self, rows: &[Bytes]) -> Result<()> {
        let since = self.unsynced.since.load(Ordering::Acquire);
        if since == 0 || since == self.store.generation() + 1 {
            return Ok(());
        }
        // The caller's lock of the table keeps a change of that table from taking effect meanwhile. If the number is
        // that of a later change, it is the number of another table.
        let changed = self.unsynced.table.load(Ordering::Acquire);
        if rows.iter().all(|row| table_of_row_lock(row).is_some_and(|table| table != changed)) {
            return Ok(());
        }
        let message = "a change of a table could not be synced, and may have no effect; try again";
        Err(Error::new(ErrorKind::Busy, message))
    }

    /// A table's entry.
    ///
    /// # Errors
    /// `TableNotFound`, unless all transactions of this thread fail: then their error, because the table may have been
    /// dropped after they were written.
    pub(crate) fn slot(&self, name: &TableName) -> Result<Arc<TableSlot>> {
        if self.doubt.concerns_table(name) {
            self.settle()?;
        }
        let slot = self.tables.read().get(name).cloned();
        slot.ok_or_else(|| group::injected_failure().unwrap_or_else(|| not_found(name)))
    }

    /// Runs `work` on a table's state under the table's shared lock.
    ///
    /// # Errors
    /// `TableNotFound`, and those of `work`.
    pub(crate) fn with_shared_lock<T>(
        &self,
        name: &TableName,
        work: impl FnOnce(&Arc<TableState>) -> Result<T>,
    ) -> Result<T> {
        self.with_known_slot(name, &mut self.slot(name)?, work)
    }

    /// As [`Self::with_shared_lock`], for a table whose entry has been looked up before. If the entry is no longer that
    /// of the table, looks it up again.
    ///
    /// # Errors
    /// Those of [`Self::with_shared_lock`].
    pub(crate) fn with_known_slot<T>(
        &self,
        name: &TableName,
        slot: &mut Arc<TableSlot>,
        work: impl FnOnce(&Arc<TableState>) -> Result<T>,
    ) -> Result<T> {
        loop {
            {
                let (shared, kept);
                let held = match group::is_open() {
                    true => {
                        kept = slot.shared_in_group()?;
                        &**kept
                    }
                    false => {
                        shared = slot.shared();
                        &*shared
                    }
                };
                // Without a state, the table has been dropped. A table that was created again has a new entry.
                if !self.doubt.concerns_table(name)
                    && let Some(state) = held
                {
                    return work(state);
                }
            }
            if self.doubt.concerns_table(name) {
                // The change that failed needs the exclusive lock to read the catalog again.
                group::commit()?;
            }
            *slot = self.slot(name)?;
        }
    }

    /// Runs `work` on a table's state under the table's shared lock. Returns `None` if the lock is not free, the table
    /// has been dropped or a failed change may have altered it, or `work` returns `None`.
    pub(crate) fn with_slot_at_once<T>(
        &self,
        slot: &TableSlot,
        work: impl FnOnce(&Arc<TableState>) -> Option<T>,
    ) -> Option<T> {
        let held = slot.try_shared()?;
        let state = held.as_ref()?;
        if self.doubt.concerns_table(state.name()) {
            return None;
        }
        work(state)
    }

    /// A table's current state. It may change as soon as it is returned.
    ///
    /// # Errors
    /// `TableNotFound`.
    pub(crate) fn table(&self, name: &TableName) -> Result<Arc<TableState>> {
        self.with_shared_lock(name, |state| Ok(Arc::clone(state)))
    }

    /// All tables, by namespace and name. If a change failed and the catalog has not been read again since, they may be
    /// those before the change or those after it.
    pub(crate) fn tables(&self) -> Vec<Arc<TableState>> {
        self.settle_or_warn();
        // No table may be locked twice.
        let _ = group::commit();
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

    /// Passes all namespaces to a function, by name. The first error of the function ends the visit.
    pub(crate) fn visit_namespaces<E>(
        &self,
        visit: impl FnMut(&NamespaceDescriptor) -> std::result::Result<(), E>,
    ) -> std::result::Result<(), E> {
        self.settle_or_warn();
        self.namespaces.read().values().try_for_each(visit)
    }

    /// One namespace.
    ///
    /// # Errors
    /// `NamespaceNotFound`.
    pub(crate) fn namespace(&self, name: &str) -> Result<NamespaceDescriptor> {
        if self.doubt.concerns_namespace(name) {
            self.settle()?;
        }
        self.namespaces.read().get(name).cloned().ok_or_else(|| Error::namespace_not_found(name))
    }
}

/// The error for a table that does not exist.
pub(crate) fn not_found(name: &TableName) -> Error {
    let name = quote::Quoted(name);
    Error::new(ErrorKind::TableNotFound, name)
        .with_plain(format_args!("table {name} does not exist: create it, or choose another name"))
}
