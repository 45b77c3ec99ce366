//! An open database: its store, catalog, limits and row cache, and the handles that keep it open.
//!
//! The facade, tables, reads and writes share a [`Core`]. A [`Handle`] is one opening of a database; all openings of a
//! folder share one core.

mod handle;
mod open_folders;

use std::sync::Arc;

use bytes::Bytes;

use crate::catalog::{Catalog, Family};
use crate::compaction::{GarbageSample, SchemaFilters};
use crate::config::Limits;
use crate::durability::Durability;
use crate::error::Result;
use crate::row_cache::RowCache;
use crate::store::{Store, Transaction};
pub(crate) use handle::Handle;

/// An open database, shared by all its openings.
pub(crate) struct Core {
    pub(crate) store: Arc<dyn Store>,
    pub(crate) catalog: Catalog,
    pub(crate) limits: Limits,
    pub(crate) row_cache: RowCache,
}

impl Core {
    /// Reads the catalog of a store and gives the store its compaction filters.
    ///
    /// # Errors
    /// Those of the store; `Corrupt` if the catalog cannot be read.
    fn open(store: Arc<dyn Store>, limits: Limits, row_cache_limit: u64) -> Result<Self> {
        let catalog = Catalog::open(Arc::clone(&store))?;
        store.set_compaction_filters(Arc::new(SchemaFilters::new(catalog.rules(), &store)));
        Ok(Self { store, catalog, limits, row_cache: RowCache::new(row_cache_limit) })
    }

    /// Estimates what a major compaction of a family would drop.
    ///
    /// # Errors
    /// Those of the store.
    pub(crate) fn sample_garbage(&self, family: &Family) -> Result<GarbageSample> {
        GarbageSample::read(&*self.store, family.space, family.rules)
    }

    /// Runs a transaction that writes rows, and keeps the row cache consistent. All writes of rows must use this
    /// function; see [`Store::transact`] and [`RowCache`].
    pub(crate) fn transact(
        &self,
        rows: &[Bytes],
        durability: Durability,
        body: &mut dyn FnMut(&mut dyn Transaction) -> Result<()>,
    ) -> Result<()> {
        self.row_cache.write(rows, || self.store.transact(rows, durability, body))
    }
}
