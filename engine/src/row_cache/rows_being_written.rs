//! Writes in progress: they hide their rows from reads of the cache, and show them with what they have put when they
//! have succeeded.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use bytes::Bytes;
use smallvec::SmallVec;

use super::packed_row::PackedRow;
use super::put_log::PutLog;
use super::row::CachedRow;
use super::{Content, EVENT, RowCache, UPDATED_ROWS_MAX, WRITER};
use crate::catalog::{Family, LOCK_PREFIX};
use crate::key;
use crate::store::{Store, Transaction};

/// A write in progress: its rows cannot be inserted until this is dropped.
pub(crate) struct RowsBeingWritten {
    cache: Arc<RowCache>,
    hashes: SmallVec<[u64; 2]>,
    /// The number of the write of the last row.
    write: u64,
    /// The rows that will be cached if the write succeeds: those that it hides, and one that it has read.
    hidden: SmallVec<[HiddenRow; 1]>,
}

/// A row that a write hides, or that is cached when the write has succeeded.
pub(super) struct HiddenRow {
    pub(super) hash: u64,
    /// The number of the write.
    pub(super) write: u64,
    /// The cells that the write has put; `None` if it has removed some.
    pub(super) puts: Option<PutLog>,
    /// The row before the write, if the write has read it because it was not cached.
    read: Option<Box<ReadRow>>,
}

/// A row that was read from the store.
pub(super) struct ReadRow {
    pub(super) content: Content,
    pub(super) families: Arc<[Family]>,
    /// The generation of the store.
    pub(super) generation: u64,
}

impl ReadRow {
    fn packed(&self) -> Option<&PackedRow> {
        match &self.content {
            Content::Packed(packed) => Some(packed),
            Content::Pairs(_) => None,
        }
    }
}

impl RowsBeingWritten {
    pub(super) fn new(cache: Arc<RowCache>, names: &[Bytes]) -> Self {
        let mut hashes = SmallVec::with_capacity(names.len());
        let (mut hidden, mut write) = (SmallVec::new(), 0);
        for name in names {
            let hash = cache.hash_name(name);
            // Counts events, so no other write of the row has this number.
            write = cache.stripe(hash).fetch_add(EVENT + WRITER, Ordering::SeqCst) + EVENT + WRITER;
            hashes.push(hash);
            let mut shard = cache.shard(hash).lock();
            if names.len() > UPDATED_ROWS_MAX {
                shard.remove(hash);
            } else if shard.hide(hash, name, write) {
                hidden.push(HiddenRow { hash, write, puts: Some(PutLog::default()), read: None });
            }
        }
        Self { cache, hashes, write, hidden }
    }

    /// The row before this write, if it is known and packed. The write must be of one row, which must be locked.
    ///
    /// A transaction may run again, after other writes. The row is known only if none has begun since this one has.
    pub(crate) fn packed(&mut self, families: &Arc<[Family]>, store: &dyn Store) -> Option<PackedRow> {
        let HiddenRow { hash, write, read, .. } = self.hidden.first()?;
        let generation = store.generation();
        if let Some(read) = read {
            if self.is_alone() && read.generation == generation {
                return read.packed().cloned();
            }
            self.hidden.clear();
            return None;
        }
        let mut shard = self.cache.shard(*hash).lock();
        let entry = shard.rows.get(hash).filter(|entry| entry.hidden_by == *write)?;
        if !entry.is_current(families, generation) || !matches!(entry.content, Content::Packed(_)) {
            return None;
        }
        let Content::Packed(packed) = &shard.merged(*hash, store)?.content else { return None };
        let packed = packed.clone();
        shard.hits += 1;
        Some(packed)
    }

    /// Whether the row of this write is not cached and should be, so that the transaction should read all of it and
    /// pass it to [`Self::keep`].
    pub(crate) fn admits(&self) -> bool {
        let [hash] = self.hashes[..] else { return false };
        if !self.hidden.is_empty() || !self.is_alone() {
            return false;
        }
        let mut shard = self.cache.shard(hash).lock();
        shard.misses += 1;
        shard.admits(hash, self.cache.bytes_max)
    }

    /// Keeps the row of this write, for which [`Self::admits`] has returned true, as the transaction has read it, to
    /// cache it with what the write has put. Returns the row in its packed form, if it has one. `name` is the name
    /// under which it is locked, `generation` that of the store before the snapshot was taken.
    pub(crate) fn keep(&mut self, name: Bytes, row: &Arc<CachedRow>, generation: u64) -> Option<PackedRow> {
        let [hash] = self.hashes[..] else { return None };
        if row.is_too_large() {
            self.cache.refuse(hash);
            return None;
        }
        let read = ReadRow { content: Content::of(name, row), families: Arc::clone(row.families()), generation };
        let packed = read.packed().cloned();
        let read = Some(Box::new(read));
        self.hidden.push(HiddenRow { hash, write: self.write, puts: Some(PutLog::default()), read });
        packed
    }

    /// Whether no other write that uses the counter of the last row is in progress, or has begun since this one.
    fn is_alone(&self) -> bool {
        let Some(hash) = self.hashes.last() else { return false };
        self.write % EVENT == WRITER && self.cache.stripe(*hash).load(Ordering::SeqCst) == self.write
    }

    /// Whether [`Self::record`] has to be called.
    pub(crate) fn wants_writes(&self) -> bool {
        !self.hidden.is_empty()
    }

    /// Records what a transaction of these rows has written. Replaces what an earlier run of its body had written.
    pub(crate) fn record(&mut self, rows: &[Bytes], transaction: &dyn Transaction) {
        for HiddenRow { hash, puts, .. } in &mut self.hidden {
            // A transaction of one row writes no other one.
            let prefix = match rows {
                [_] => Bytes::new(),
                _ => {
                    let at = self.hashes.iter().position(|own| own == hash);
                    let name = at.and_then(|at| rows.get(at)?.get(LOCK_PREFIX..));
                    key::row_prefix(name.unwrap_or_default())
                }
            };
            let log = puts.insert(PutLog::default());
            let mut only_puts = true;
            transaction.each_write(&mut |space, key, value| {
                if key.starts_with(&prefix) {
                    match value {
                        Some(value) => log.add(space, key, value),
                        None => only_puts = false,
                    }
                }
            });
            if !only_puts {
                *puts = None;
            }
        }
    }

    /// Shows the rows with what the write has put, after it has succeeded.
    pub(crate) fn succeeded(mut self, store: &dyn Store) {
        let bytes_max = self.cache.bytes_max;
        for mut hidden in std::mem::take(&mut self.hidden) {
            let mut shard = self.cache.shard(hidden.hash).lock();
            match hidden.read.take() {
                None => shard.show(hidden, store, bytes_max),
                // Another write increments the counter before it takes the lock of the shard. So it is either seen
                // here, or it finds the row.
                Some(read) if self.is_alone() && read.generation == store.generation() => {
                    if let Some(puts) = hidden.puts {
                        shard.put(hidden.hash, *read, puts, bytes_max);
                    }
                }
                Some(_) => {}
            }
        }
    }
}

impl Drop for RowsBeingWritten {
    fn drop(&mut self) {
        for HiddenRow { hash, write, .. } in self.hidden.iter().filter(|hidden| hidden.read.is_none()) {
            let mut shard = self.cache.shard(*hash).lock();
            if shard.rows.get(hash).is_some_and(|entry| entry.hidden_by == *write) {
                shard.remove(*hash);
            }
        }
        for hash in &self.hashes {
            self.cache.stripe(*hash).fetch_add(EVENT - WRITER, Ordering::SeqCst);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Lookup, Remembered};
    use super::*;
    use crate::catalog::row_lock;
    use crate::clock::ManualClock;
    use crate::schema::FamilyDescriptor;
    use crate::store::{MemoryStore, Pair};
    use crate::{cell::CellKind, value};

    const TABLE: u64 = 7;
    const ROW: &[u8] = b"r";

    struct World {
        cache: Arc<RowCache>,
        families: Arc<[Family]>,
        store: MemoryStore,
    }

    impl World {
        fn new() -> Self {
            let families = Arc::new([Family::new(&FamilyDescriptor::new("f").unwrap(), 1).unwrap()]);
            let store = MemoryStore::new(Arc::new(ManualClock::at(100)));
            Self { cache: Arc::new(RowCache::new(1 << 20)), families, store }
        }

        fn begin(&self) -> RowsBeingWritten {
            self.cache.begin_write(&[row_lock(TABLE, ROW)]).unwrap()
        }

        /// Reads the row of a write, whose value is `value`.
        fn keep(&self, writing: &mut RowsBeingWritten, value: &str) {
            let key = key::cell_key(ROW, b"q", 1, CellKind::Put).unwrap();
            let pair: Pair = (key, value::encode(None, None, value.as_bytes()));
            let row = Arc::new(CachedRow::of(&self.families, vec![vec![pair]]));
            writing.keep(row_lock(TABLE, ROW), &row, 0).unwrap();
        }

        /// The value of a write's row before it.
        fn before(&self, writing: &mut RowsBeingWritten) -> Option<Vec<u8>> {
            Some(writing.packed(&self.families, &self.store)?.cells().next()?.value.to_vec())
        }

        fn cached(&self) -> Option<Vec<u8>> {
            match self.cache.remembered(TABLE, ROW, &self.families, &self.store)? {
                Remembered::Packed(packed) => Some(packed.cells().next()?.value.to_vec()),
                Remembered::Row(row) => Some(row.cells.first()?.value.to_vec()),
            }
        }
    }

    #[test]
    fn a_row_that_a_write_has_read_is_cached_when_the_write_has_succeeded() {
        let world = World::new();
        let mut writing = world.begin();
        assert_eq!(world.before(&mut writing), None);
        assert!(writing.admits());
        world.keep(&mut writing, "old");
        assert_eq!(world.before(&mut writing).unwrap(), b"old");
        assert!(!writing.admits(), "it has been read");
        assert_eq!(world.cached(), None);
        writing.succeeded(&world.store);
        assert_eq!(world.cached().unwrap(), b"old");
        let mut next = world.begin();
        assert_eq!((world.before(&mut next).unwrap(), world.cached()), (b"old".to_vec(), None));
    }

    #[test]
    fn a_row_that_a_failed_write_has_read_is_not_cached() {
        let world = World::new();
        let mut writing = world.begin();
        world.keep(&mut writing, "old");
        drop(writing);
        assert_eq!(world.cached(), None);
    }

    /// The rows are unlocked before the row cache learns of the success, so another write may come first.
    #[test]
    fn a_row_that_another_write_has_changed_meanwhile_is_not_cached() {
        for has_ended in [false, true] {
            let world = World::new();
            let mut writing = world.begin();
            world.keep(&mut writing, "old");
            let mut other = Some(world.begin());
            if has_ended {
                other.take().unwrap().succeeded(&world.store);
            }
            assert_eq!(world.before(&mut writing), None, "a second run of the transaction reads the row again");
            world.keep(&mut writing, "older");
            writing.succeeded(&world.store);
            assert_eq!(world.cached(), None);
            drop(other);
        }
    }

    #[test]
    fn a_row_that_was_read_before_the_store_was_reopened_is_not_known() {
        let world = World::new();
        let mut writing = world.begin();
        let row = Arc::new(CachedRow::of(&world.families, vec![Vec::new()]));
        assert!(writing.keep(row_lock(TABLE, ROW), &row, 1).is_some(), "in another generation");
        assert!(writing.packed(&world.families, &world.store).is_none());
        assert!(!matches!(world.cache.find(TABLE, ROW, &world.families, &world.store), Lookup::Packed(_)));
    }

    #[test]
    fn a_cached_row_of_another_state_of_the_table_is_not_known() {
        let world = World::new();
        let mut writing = world.begin();
        world.keep(&mut writing, "old");
        writing.succeeded(&world.store);
        let altered = World { families: World::new().families, ..world };
        let mut next = altered.begin();
        assert_eq!(altered.before(&mut next), None);
    }

    #[test]
    fn a_row_that_another_write_hides_is_not_known() {
        let world = World::new();
        let mut first = world.begin();
        world.keep(&mut first, "old");
        first.succeeded(&world.store);
        let (mut first, mut second) = (world.begin(), world.begin());
        assert_eq!((world.before(&mut first), world.before(&mut second)), (None, None));
        assert!(!first.admits() && !second.admits());
    }
}
