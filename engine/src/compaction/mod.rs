//! Which cells a compaction may drop: only those that no read of the newest versions can see, now or later.
//!
//! A compaction reads some of a space's pairs in key order: within a row the family markers come first, within a column
//! the markers precede the values, newest first. A value can therefore be dropped for a reason found in the same
//! compaction (a marker that hides it, VERSIONS newer values) or for its age (TTL). A marker may hide values that are
//! not part of this compaction. It is dropped only if the compaction covers the whole space or if a wider marker makes
//! it redundant.
//!
//! When a table is altered, disabled or flushed, more is dropped, as in HBase; see `flush.rs` and `catalog/flush.rs`.

mod cell_filter;
mod delete_markers;
mod flush;
mod garbage;

use std::sync::{Arc, Weak};

use bytes::Bytes;

pub(crate) use self::cell_filter::CellFilter;
use self::flush::Flush;
pub(crate) use self::garbage::GarbageSample;
use crate::catalog::{LoadingSpaces, SpaceRules};
use crate::error::Result;
use crate::store::{CompactionFilter, CompactionFilterFactory, Pair, SpaceId, Store};

/// Creates the compaction filter of each family, with the family's rules as of the beginning of the compaction.
pub(crate) struct SchemaFilters {
    rules: Arc<SpaceRules>,
    loading: Arc<LoadingSpaces>,
    /// Weak, because the store owns this factory.
    store: Weak<dyn Store>,
}

impl SchemaFilters {
    /// A factory that applies `rules` at the time of `store`.
    pub(crate) fn new(rules: Arc<SpaceRules>, loading: &Arc<LoadingSpaces>, store: &Arc<dyn Store>) -> Self {
        Self { rules, loading: Arc::clone(loading), store: Arc::downgrade(store) }
    }
}

impl CompactionFilterFactory for SchemaFilters {
    fn make_filter(&self, space: SpaceId, whole: bool) -> Option<Box<dyn CompactionFilter>> {
        let rules = *self.rules.read().get(&space)?;
        let now = self.store.upgrade()?.now_ms();
        // A load that is not in progress any more has become visible before the pairs of the compaction were chosen, or
        // has been abandoned.
        let whole = whole && !self.loading.need_markers(space);
        Some(Box::new(CellFilter::new(rules, whole, now)))
    }

    fn flush_garbage(
        &self,
        space: SpaceId,
        recent: &[Pair],
        replaces: &dyn Fn(&Bytes, &mut u64) -> Result<bool>,
        budget: &mut u64,
    ) -> Result<Vec<Bytes>> {
        let rules = self.rules.read().get(&space).copied();
        let (Some(rules), Some(store)) = (rules, self.store.upgrade()) else { return Ok(Vec::new()) };
        let keeps_markers = self.loading.need_markers(space);
        let flush = Flush { rules, now: store.now_ms(), space, snapshot: &*store.snapshot()?, replaces, keeps_markers };
        flush.garbage(recent, budget)
    }
}
