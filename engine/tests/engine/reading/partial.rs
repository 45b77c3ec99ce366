//! A store whose compactions show what forgets only some of the pairs, as a compaction of some files does.

use std::sync::Arc;

use bytes::Bytes;
use hjall_engine::Result;
use hjall_engine::mutation::Durability;
use hjall_engine::store::{
    CATALOG_SPACE, CompactionControl, CompactionFilterFactory, MemoryStore, Order, Snapshot, SpaceFiles, SpaceId,
    SpaceOptions, Statistics, Store, Transaction, Upcoming, Verdict,
};
use std::sync::Mutex;

/// A store in memory that can be compacted in part.
pub struct Partial {
    inner: MemoryStore,
    filters: Mutex<Option<Arc<dyn CompactionFilterFactory>>>,
}

impl Partial {
    pub fn new(inner: MemoryStore) -> Self {
        Self { inner, filters: Mutex::new(None) }
    }

    /// Compacts every family, showing the pairs that `show` picks by their number; forgets what it may. Returns how many.
    pub fn compact_some(&self, whole: bool, mut show: impl FnMut(usize) -> bool) -> usize {
        let filters = self.filters.lock().unwrap().clone().unwrap();
        let snapshot = self.inner.snapshot().unwrap();
        let mut forgotten = 0;
        for space in self.inner.spaces().unwrap().into_iter().filter(|space| *space != CATALOG_SPACE) {
            let mut filter = filters.make_filter(space, whole).unwrap();
            let mut cursor = snapshot.scan(space, b"", b"", Order::Ascending, 1).unwrap();
            let mut n = 0;
            while let Some((key, value)) = cursor.next().unwrap() {
                n += 1;
                if (whole || show(n)) && filter.filter(&key, &value) == Verdict::Drop {
                    forgotten += 1;
                    let forget = &mut |tx: &mut dyn Transaction| {
                        tx.delete(space, key.clone());
                        Ok(())
                    };
                    self.inner.transact(&[], Durability::SkipWal, forget).unwrap();
                }
            }
        }
        forgotten
    }
}

impl Store for Partial {
    fn create_space(&self, space: SpaceId, options: &SpaceOptions) -> Result<()> {
        self.inner.create_space(space, options)
    }

    fn drop_space(&self, space: SpaceId) -> Result<()> {
        self.inner.drop_space(space)
    }

    fn spaces(&self) -> Result<Vec<SpaceId>> {
        self.inner.spaces()
    }

    fn generation(&self) -> u64 {
        self.inner.generation()
    }

    fn snapshot(&self) -> Result<Arc<dyn Snapshot>> {
        self.inner.snapshot()
    }

    fn transact(
        &self,
        rows: &[Bytes],
        durability: Durability,
        body: &mut dyn FnMut(&mut dyn Transaction) -> Result<()>,
    ) -> Result<()> {
        self.inner.transact(rows, durability, body)
    }

    fn now_ms(&self) -> i64 {
        self.inner.now_ms()
    }

    fn upcoming(&self) -> Upcoming {
        self.inner.upcoming()
    }

    fn flush(&self, space: SpaceId) -> Result<()> {
        self.inner.flush(space)
    }

    fn compact_with(&self, space: SpaceId, major: bool, control: &Arc<CompactionControl>) -> Result<()> {
        self.inner.compact_with(space, major, control)
    }

    fn files(&self, space: SpaceId) -> Result<SpaceFiles> {
        self.inner.files(space)
    }

    fn set_compaction_filters(&self, filters: Arc<dyn CompactionFilterFactory>) {
        *self.filters.lock().unwrap() = Some(filters);
    }

    fn statistics(&self) -> Result<Statistics> {
        self.inner.statistics()
    }

    fn close(&self) -> Result<()> {
        self.inner.close()
    }
}
