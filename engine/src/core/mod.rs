//! An open database: its store, catalog, limits and row cache, and the handles that keep it open.
//!
//! The public types, reads and writes share a [`Core`]. A [`Handle`] is one opening of a database; all openings of a
//! folder share one core.

mod damage;
mod handle;
mod open_folders;

use std::sync::Arc;

use bytes::Bytes;

use crate::catalog::{Catalog, Family};
use crate::compaction::{GarbageSample, SchemaFilters};
use crate::config::{Limits, Options};
use crate::durability::Durability;
use crate::error::Result;
use crate::group::{self, AfterCommit};
use crate::row_cache::{RowCache, RowsBeingWritten};
use crate::store::{Staged, Store, Transaction};
use damage::Damage;
pub(crate) use handle::Handle;

/// The body of a transaction that reads its row, which the row cache may know.
pub(crate) type ReadingBody<'a> = dyn FnMut(&mut dyn Transaction, Option<&mut RowsBeingWritten>) -> Result<()> + 'a;

/// An open database, shared by all its openings.
pub(crate) struct Core {
    pub(crate) store: Arc<dyn Store>,
    pub(crate) catalog: Catalog,
    pub(crate) limits: Limits,
    pub(crate) row_cache: Arc<RowCache>,
    pub(crate) damage: Damage,
}

impl Core {
    /// Reads the catalog of a store and gives the store its compaction filters. Of the options, only those that are not
    /// the store's have an effect.
    ///
    /// # Errors
    /// Those of the store; `Corrupt` if the catalog cannot be read.
    fn open(store: Arc<dyn Store>, options: &Options) -> Result<Self> {
        let catalog = Catalog::open(Arc::clone(&store), options.catalog_bytes)?;
        store.set_compaction_filters(Arc::new(SchemaFilters::new(catalog.rules(), catalog.loading(), &store)));
        let row_cache = Arc::new(RowCache::new(options.row_cache_limit()));
        Ok(Self { store, catalog, limits: options.limits, row_cache, damage: Damage::default() })
    }

    /// Estimates what a major compaction of a family would drop.
    ///
    /// # Errors
    /// Those of the store.
    pub(crate) fn sample_garbage(&self, family: &Family) -> Result<GarbageSample> {
        GarbageSample::read(&*self.store, family.space, family.rules)
    }

    /// Runs a transaction that writes rows, and keeps the row cache consistent. If the thread has a group, the
    /// transaction may only be staged: it takes effect when the group is committed. All writes of rows, except bulk
    /// loads, must use this function; see [`Store::transact`] and [`RowCache`].
    pub(crate) fn transact(
        &self,
        rows: &[Bytes],
        durability: Durability,
        body: &mut dyn FnMut(&mut dyn Transaction) -> Result<()>,
    ) -> Result<()> {
        self.damage.watch(None, self.transact_rows(rows, durability, &mut |tx, _| body(tx)))
    }

    /// As [`Self::transact`], for a body that reads its row. `row` is the name under which it is locked.
    pub(crate) fn transact_reading(
        &self,
        row: Bytes,
        durability: Durability,
        body: &mut ReadingBody<'_>,
    ) -> Result<()> {
        self.damage.watch(None, self.transact_rows(&[row], durability, body))
    }

    fn transact_rows(&self, rows: &[Bytes], durability: Durability, body: &mut ReadingBody<'_>) -> Result<()> {
        self.store.check_writable()?;
        if let Some(error) = group::injected_failure() {
            return Err(error);
        }
        if group::is_open()
            && let Some(error) = group::undone()
        {
            return Err(error);
        }
        while group::is_open() {
            let mut writing = None;
            match group::stage(&self.store, rows, durability, &mut |tx| self.run(rows, &mut writing, tx, body))? {
                Staged::Added { .. } => {
                    if let Some(writing) = writing {
                        let wants_writes = writing.wants_writes();
                        group::after_commit(|CacheUpdates { writes, store }| {
                            writes.push(writing);
                            if wants_writes {
                                store.get_or_insert_with(|| Arc::clone(&self.store));
                            }
                        });
                    }
                    return group::commit_if_full();
                }
                Staged::Unneeded => {
                    update_cache(writing, &*self.store);
                    return Ok(());
                }
                Staged::Refused => {}
            }
            if !group::commit()? {
                group::before_waiting()?;
                break;
            }
        }
        let mut writing = None;
        self.store.transact(rows, durability, &mut |tx| self.run(rows, &mut writing, tx, body))?;
        group::committed_alone();
        update_cache(writing, &*self.store);
        Ok(())
    }

    /// Runs the body of a transaction, and records its writes for the row cache.
    fn run(
        &self,
        rows: &[Bytes],
        writing: &mut Option<RowsBeingWritten>,
        tx: &mut dyn Transaction,
        body: &mut ReadingBody<'_>,
    ) -> Result<()> {
        self.catalog.check_unsynced_change(rows)?;
        if writing.is_none() {
            // The rows are locked. A write that began before would find them hidden by the one that it waits for, and
            // remove them from the cache.
            *writing = self.row_cache.begin_write(rows);
        }
        body(tx, writing.as_mut())?;
        if let Some(writing) = writing.as_mut().filter(|writing| writing.wants_writes()) {
            writing.record(rows, tx);
        }
        Ok(())
    }
}

/// The writes of a group in the row cache, which end with its commit.
#[derive(Default)]
struct CacheUpdates {
    writes: Vec<RowsBeingWritten>,
    /// The store of the writes, if some of them insert their rows into the cache.
    store: Option<Arc<dyn Store>>,
}

impl AfterCommit for CacheUpdates {
    fn ended(&mut self, succeeded: bool) {
        match self.store.take().filter(|_| succeeded) {
            Some(store) => self.writes.drain(..).for_each(|writing| update_cache(Some(writing), &*store)),
            None => self.writes.clear(),
        }
    }
}

/// Inserts the rows of a successful write into the cache.
fn update_cache(writing: Option<RowsBeingWritten>, store: &dyn Store) {
    if let Some(writing) = writing.filter(RowsBeingWritten::wants_writes) {
        writing.succeeded(store);
    }
}
