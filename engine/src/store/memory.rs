//! A store in memory, for tests and for databases that exist only as long as their process.
//!
//! Its maps are persistent data structures: a snapshot copies a pointer, and a write copies the path to its key.
//! Snapshots therefore do not change.

use std::collections::BTreeMap;
use std::ops::Bound;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use bytes::Bytes;
use parking_lot::{Mutex, RwLock};
use rpds::RedBlackTreeMapSync;

use super::active_transaction::{ActiveTransaction, Write, WriteSet};
use super::row_locks::RowLocks;
use super::time::{Sequence, Time};
use super::{
    BulkLoad, CATALOG_SPACE, CompactionControl, CompactionFilterFactory, Cursor, JournalSync, LoadedPair, LoadedSpace,
    Order, Pair, Snapshot, SpaceFiles, SpaceId, SpaceOptions, Statistics, Store, Transaction, Upcoming, Verdict,
    recent_bytes,
};
use crate::clock::Clock;
use crate::durability::Durability;
use crate::error::Result;

type Map = RedBlackTreeMapSync<Bytes, Stored>;
type Spaces = BTreeMap<SpaceId, Space>;

/// A value in a space.
#[derive(Debug, Clone)]
struct Stored {
    value: Bytes,
    /// The number of the commit that wrote it.
    commit: u64,
    /// Whether it replaced one that was not recent; see [`Store::recent_garbage`]. Has no meaning if `commit` is not
    /// recent any more.
    replaces: bool,
}

#[derive(Clone)]
struct Space {
    map: Map,
    /// The number of the last commit that wrote to the space.
    last_commit: u64,
    /// The first commit that [`Store::recent_garbage`] considers.
    recent_from: u64,
}

impl Space {
    fn new() -> Self {
        Self { map: Map::new_sync(), last_commit: 0, recent_from: 0 }
    }
}

/// A store in memory.
pub struct MemoryStore {
    /// The current state; `None` once the store is closed.
    state: RwLock<Option<Arc<Spaces>>>,
    /// Held from reading the current state to replacing it, so that no update is lost. The number of the last commit.
    writing: Mutex<u64>,
    rows: RowLocks,
    time: Time,
    sequence: Sequence,
    filters: RwLock<Option<Arc<dyn CompactionFilterFactory>>>,
    written_bytes: AtomicU64,
    /// The greatest number of a space that has been created.
    newest_space: Arc<AtomicU64>,
    body_twice: bool,
}

impl MemoryStore {
    /// An empty store, which has only the space of the catalog.
    pub fn new(clock: Arc<dyn Clock>) -> Self {
        Self {
            state: RwLock::new(Some(Arc::new(Spaces::from([(CATALOG_SPACE, Space::new())])))),
            writing: Mutex::new(0),
            rows: RowLocks::new(),
            time: Time::new(clock, i64::MIN, i64::MIN),
            sequence: Sequence::from(1),
            filters: RwLock::new(None),
            written_bytes: AtomicU64::new(0),
            newest_space: Arc::new(AtomicU64::new(CATALOG_SPACE)),
            body_twice: false,
        }
    }

    /// Makes the store run every transaction's body twice and commit the writes of the second run, as a store with
    /// optimistic transactions may. Tests use it to find bodies with other effects.
    #[cfg(feature = "testing")]
    #[must_use]
    pub fn with_bodies_run_twice(mut self) -> Self {
        self.body_twice = true;
        self
    }

    fn state(&self) -> Result<Arc<Spaces>> {
        self.state.read().clone().ok_or_else(super::closed)
    }

    /// Replaces the current state. The caller must hold `writing`.
    fn replace(&self, spaces: Spaces) -> Result<()> {
        let mut state = self.state.write();
        if state.is_none() {
            return Err(super::closed());
        }
        *state = Some(Arc::new(spaces));
        Ok(())
    }

    fn commit(&self, writes: Vec<Write>) -> Result<()> {
        let mut commit = self.writing.lock();
        *commit += 1;
        let mut spaces = Spaces::clone(&*self.state()?);
        for write in writes {
            let bytes = write.key.len() + write.value.as_ref().map_or(0, Bytes::len);
            self.written_bytes.fetch_add(bytes as u64, Ordering::Relaxed);
            let space = spaces.get_mut(&write.space).ok_or_else(|| super::no_such_space(write.space))?;
            space.last_commit = *commit;
            match write.value {
                Some(value) => {
                    let before = space.map.get(&write.key);
                    let replaces = before.is_some_and(|it| it.replaces || it.commit < space.recent_from);
                    space.map.insert_mut(write.key, Stored { value, commit: *commit, replaces });
                }
                None => drop(space.map.remove_mut(&write.key)),
            }
        }
        self.replace(spaces)
    }
}

impl Store for MemoryStore {
    fn create_space(&self, space: SpaceId, _options: &SpaceOptions) -> Result<()> {
        let _writing = self.writing.lock();
        let mut spaces = Spaces::clone(&*self.state()?);
        spaces.entry(space).or_insert_with(Space::new);
        self.replace(spaces)?;
        self.newest_space.fetch_max(space, Ordering::AcqRel);
        Ok(())
    }

    fn drop_space(&self, space: SpaceId) -> Result<()> {
        super::refuse_to_drop_catalog(space)?;
        let _writing = self.writing.lock();
        let mut spaces = Spaces::clone(&*self.state()?);
        spaces.remove(&space);
        self.replace(spaces)
    }

    fn spaces(&self) -> Result<Vec<SpaceId>> {
        Ok(self.state()?.keys().copied().collect())
    }

    fn generation(&self) -> u64 {
        0
    }

    fn snapshot(&self) -> Result<Arc<dyn Snapshot>> {
        // Before the state, which then has all spaces up to this number that have not been dropped.
        let newest_space = self.newest_space.load(Ordering::Acquire);
        let newest_space_now = Arc::clone(&self.newest_space);
        Ok(Arc::new(MemorySnapshot { spaces: self.state()?, newest_space, newest_space_now, empty: Map::new_sync() }))
    }

    fn transact_unsynced(
        &self,
        rows: &[Bytes],
        durability: Durability,
        body: &mut dyn FnMut(&mut dyn Transaction) -> Result<()>,
    ) -> Result<Option<Arc<dyn JournalSync>>> {
        super::refuse_default(durability)?;
        let mut held = self.rows.lock_all(rows, &self.time)?;
        let times = held.times();
        if self.body_twice {
            let snapshot = self.snapshot()?;
            body(&mut ActiveTransaction::new(&|| Arc::clone(&snapshot), times, &self.sequence))?;
        }
        let snapshot = self.snapshot()?;
        let open = || Arc::clone(&snapshot);
        let mut active = ActiveTransaction::new(&open, times, &self.sequence);
        body(&mut active)?;
        let WriteSet { writes, newest } = active.finish()?;
        if let Some(newest) = newest {
            held.assign(newest);
        }
        if !writes.is_empty() {
            self.commit(writes)?;
        }
        Ok(None)
    }

    fn begin_load(self: Arc<Self>, spaces: &[LoadedSpace]) -> Result<Box<dyn BulkLoad>> {
        let state = self.state()?;
        for (space, _) in spaces {
            if !state.contains_key(space) {
                return Err(super::no_such_space(*space));
            }
        }
        let time_ms = self.time.begin_load();
        let load = MemoryLoad { time_ms, sequence: self.sequence.draw(), writes: Vec::new(), store: self };
        Ok(Box::new(load))
    }

    fn now_ms(&self) -> i64 {
        self.time.now_ms()
    }

    fn upcoming(&self) -> Upcoming {
        Upcoming { time_ms: self.time.safe_ms(), sequence: self.sequence.upcoming() }
    }

    fn written_bytes(&self) -> u64 {
        self.written_bytes.load(Ordering::Relaxed)
    }

    fn flush(&self, space: SpaceId) -> Result<()> {
        if self.state()?.contains_key(&space) { Ok(()) } else { Err(super::no_such_space(space)) }
    }

    fn compact_with(&self, space: SpaceId, major: bool, control: &Arc<CompactionControl>) -> Result<()> {
        if control.is_stopped() {
            return Err(super::compaction_control::stopped());
        }
        let _writing = self.writing.lock();
        let mut spaces = Spaces::clone(&*self.state()?);
        let Space { map, .. } = spaces.get_mut(&space).ok_or_else(|| super::no_such_space(space))?;
        let filter = self.filters.read().as_ref().and_then(|filters| filters.make_filter(space, major));
        let Some(mut filter) = filter else { return Ok(()) };
        let before = map.clone();
        for (key, stored) in before.iter() {
            if filter.filter(key, &stored.value) == Verdict::Drop {
                map.remove_mut(key);
            }
        }
        self.replace(spaces)
    }

    fn recent_garbage(&self, space: SpaceId, budget: &mut u64) -> Result<Vec<Bytes>> {
        let state = self.state()?;
        let Space { map, last_commit, recent_from } = state.get(&space).ok_or_else(|| super::no_such_space(space))?;
        let filters = self.filters.read().clone().filter(|_| last_commit >= recent_from);
        let Some(filters) = filters else { return Ok(Vec::new()) };
        let mut recent = Vec::new();
        for (key, stored) in map.iter() {
            let Some(left) = budget.checked_sub(recent_bytes(key, &stored.value)) else { return Ok(Vec::new()) };
            *budget = left;
            if stored.commit >= *recent_from {
                recent.push((key.clone(), stored.value.clone()));
            }
        }
        let replaces = |key: &Bytes, _: &mut u64| Ok(map.get(key).is_some_and(|stored| stored.replaces));
        filters.flush_garbage(space, &recent, &replaces, budget)
    }

    fn end_recent(&self, space: SpaceId) {
        let last_commit = self.writing.lock();
        let Ok(state) = self.state() else { return };
        let mut spaces = Spaces::clone(&*state);
        if let Some(found) = spaces.get_mut(&space) {
            found.recent_from = *last_commit + 1;
            // A store that has been closed meanwhile has no spaces.
            let _ = self.replace(spaces);
        }
    }

    fn files(&self, space: SpaceId) -> Result<SpaceFiles> {
        if self.state()?.contains_key(&space) { Ok(SpaceFiles::default()) } else { Err(super::no_such_space(space)) }
    }

    fn set_compaction_filters(&self, filters: Arc<dyn CompactionFilterFactory>) {
        *self.filters.write() = Some(filters);
    }

    fn statistics(&self) -> Result<Statistics> {
        Ok(Statistics { spaces: self.state()?.len() as u64, ..Statistics::default() })
    }

    fn close(&self) -> Result<()> {
        let _writing = self.writing.lock();
        *self.state.write() = None;
        // The factory may hold this store, and a cycle would keep both in memory.
        *self.filters.write() = None;
        Ok(())
    }
}

struct MemorySnapshot {
    spaces: Arc<Spaces>,
    newest_space: SpaceId,
    newest_space_now: Arc<AtomicU64>,
    empty: Map,
}

impl MemorySnapshot {
    fn map(&self, space: SpaceId) -> Result<&Map> {
        match self.spaces.get(&space) {
            Some(space) => Ok(&space.map),
            None if space > self.newest_space && space <= self.newest_space_now.load(Ordering::Acquire) => {
                Ok(&self.empty)
            }
            None => Err(super::no_such_space(space)),
        }
    }
}

impl Snapshot for MemorySnapshot {
    fn get(&self, space: SpaceId, key: &[u8]) -> Result<Option<Bytes>> {
        Ok(self.map(space)?.get(key).map(|stored| stored.value.clone()))
    }

    fn scan(&self, space: SpaceId, from: &[u8], to: &[u8], order: Order, _fetch: usize) -> Result<Box<dyn Cursor>> {
        let map = self.map(space)?.clone();
        let from = Bound::Included(Bytes::copy_from_slice(from));
        let to = if to.is_empty() { Bound::Unbounded } else { Bound::Excluded(Bytes::copy_from_slice(to)) };
        Ok(Box::new(MemoryCursor { map, from, to, order }))
    }
}

/// A bulk load, which is one commit.
struct MemoryLoad {
    store: Arc<MemoryStore>,
    time_ms: i64,
    sequence: u64,
    writes: Vec<Write>,
}

impl BulkLoad for MemoryLoad {
    fn time_ms(&self) -> i64 {
        self.time_ms
    }

    fn sequence(&self) -> u64 {
        self.sequence
    }

    fn add(&mut self, pairs: Vec<LoadedPair>) -> Result<()> {
        self.store.state()?;
        self.writes.extend(pairs.into_iter().map(|(space, key, value)| Write { space, key, value: Some(value) }));
        Ok(())
    }

    fn prepare(&mut self) -> Result<()> {
        self.store.state().map(drop)
    }

    fn commit(&mut self) -> Result<bool> {
        self.store.commit(std::mem::take(&mut self.writes)).map(|()| true)
    }
}

/// A cursor over the remaining range, which shrinks with every pair that is returned.
struct MemoryCursor {
    map: Map,
    from: Bound<Bytes>,
    to: Bound<Bytes>,
    order: Order,
}

impl MemoryCursor {
    fn is_empty(&self) -> bool {
        match (&self.from, &self.to) {
            (Bound::Included(from), Bound::Excluded(to)) | (Bound::Excluded(from), Bound::Excluded(to)) => from >= to,
            _ => false,
        }
    }
}

impl Cursor for MemoryCursor {
    fn next(&mut self) -> Result<Option<Pair>> {
        let mut out = Vec::with_capacity(1);
        self.next_many(1, usize::MAX, &mut out)?;
        Ok(out.pop())
    }

    fn next_many(&mut self, n: usize, bytes: usize, out: &mut Vec<Pair>) -> Result<()> {
        // The map panics at a range whose end is before its start.
        if self.is_empty() {
            return Ok(());
        }
        let before = out.len();
        let range = self.map.range((self.from.clone(), self.to.clone()));
        let mut sum = 0;
        let pair = |(key, Stored { value, .. }): (&Bytes, &Stored)| {
            let has_room = sum < bytes;
            sum += key.len() + value.len();
            has_room.then(|| (key.clone(), value.clone()))
        };
        match self.order {
            Order::Ascending => out.extend(range.take(n).map_while(pair)),
            Order::Descending => out.extend(range.rev().take(n).map_while(pair)),
        }
        if let Some((last, _)) = out[before..].last() {
            let behind = Bound::Excluded(last.clone());
            match self.order {
                Order::Ascending => self.from = behind,
                Order::Descending => self.to = behind,
            }
        }
        Ok(())
    }

    fn seek(&mut self, key: &[u8]) -> Result<()> {
        let beyond = match (self.order, &self.from, &self.to) {
            (Order::Ascending, Bound::Included(from) | Bound::Excluded(from), _) => key > from,
            (Order::Descending, _, Bound::Included(to) | Bound::Excluded(to)) => key < to,
            _ => true,
        };
        // A cursor never moves backwards.
        if beyond {
            match self.order {
                Order::Ascending => self.from = Bound::Included(Bytes::copy_from_slice(key)),
                Order::Descending => self.to = Bound::Excluded(Bytes::copy_from_slice(key)),
            }
        }
        Ok(())
    }
}
