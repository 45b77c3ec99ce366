//! The row cache: rows that are read repeatedly, as a minor compaction would leave them, so that a read need not
//! assemble them from the blocks of several files.
//!
//! Invariant: a row is inserted only if no write of it began between taking its snapshot and inserting it. A write
//! removes its rows before it begins and blocks their insertion until it has ended. A cached row therefore equals the
//! row in a snapshot taken now. A put that has ended may insert the new state of its row: the removed row, if no other
//! write has changed it meanwhile, with the cells of the put. Versions, delete markers and TTLs are evaluated when a
//! cached row is read, as for all stored data.
//!
//! The unit is a family of a row: a read caches the families that it requests, and one that is too large does not
//! prevent caching of the others. Compactions do not invalidate cached rows, because they drop only cells that no get
//! of the newest versions returns. Such cells are not cached either, so a row that is overwritten often takes no more
//! memory than a row that was written once. Raw gets and gets of a time range can show more and do not use the cache.
//!
//! Only a reopening of the store changes rows without such a write: it can reveal what a failed write left in the
//! journal. A cached row therefore belongs to the generation of the store in which it was looked up, and is a miss in
//! every other generation.

mod row;

use std::collections::{HashMap, VecDeque};
use std::hash::{BuildHasher, RandomState};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use bytes::Bytes;
use parking_lot::Mutex;
use smallvec::SmallVec;
use xxhash_rust::xxh3::xxh3_64_with_seed;

pub(crate) use row::{CachedRow, PartlyCachedRow, RowSource};

use crate::catalog::{self, Family, LOCK_PREFIX};
use crate::cell::Row;
use crate::key;
use crate::store::{BuildPrehashed, Pair, SpaceId, Statistics, Transaction};

const SHARDS: usize = 16;
/// Number of write counters. Rows share them: a write of one row briefly blocks the insertion of the others that share
/// its counter.
const STRIPES: usize = 1024;
/// Admission filter: a row is cached on its second request. Hashes of recently requested rows, in sets of a few each.
const ADMISSION_SETS: usize = 16 * 1024;
const ADMISSION_WAYS: usize = 4;
/// A write of more rows does not insert their new states.
const UPDATED_ROWS_MAX: usize = 16;
/// After this number of writes without a read, a write no longer inserts the new state of the row.
const UNREAD_WRITES_MAX: u8 = 3;
/// The low bits of a write counter hold the number of writes in progress, the high bits the number of writes begun and
/// ended.
const WRITER: u64 = 1;
const EVENT: u64 = 1 << 24;
/// Memory that an entry takes in addition to its name and what [`CachedRow::bytes`] counts: its places in the map and
/// in the order, and the headers and the rounding of its allocations. Measured as resident memory with jemalloc for
/// rows of one to forty cells.
const ENTRY_BYTES: usize = 352;

/// The row cache of one database.
pub(crate) struct RowCache {
    shards: Vec<Mutex<Shard>>,
    stripes: Vec<AtomicU64>,
    requested: Vec<[AtomicU32; ADMISSION_WAYS]>,
    /// Makes the hashes of names unpredictable.
    seed: u64,
    /// Capacity of each shard in bytes.
    bytes_max: usize,
}

#[derive(Default)]
struct Shard {
    /// Keyed by the hash of the row's name. Of two names with the same hash, the one inserted last is kept.
    rows: HashMap<u64, Entry, BuildPrehashed>,
    /// Hashes in insertion order. Those of removed rows are skipped.
    order: VecDeque<u64>,
    bytes: usize,
    hits: u64,
    misses: u64,
    evictions: u64,
}

struct Entry {
    name: Bytes,
    /// The generation of the store that the row was read from; see [`crate::store::Store::generation`].
    generation: u64,
    row: Arc<CachedRow>,
    /// Whether the row was read since eviction last considered it. If so, it is kept once more.
    used: bool,
    /// The number of writes since the row was last read.
    unread_writes: u8,
}

impl Entry {
    /// Whether this is a row of the table with this number.
    fn is_of(&self, table: u64, row: &[u8]) -> bool {
        let own = self.name.split_first_chunk::<LOCK_PREFIX>();
        own.is_some_and(|(own_table, own_row)| *own_table == table.to_be_bytes() && own_row == row)
    }
}

/// Permission to insert a row that was not cached when it was looked up. Valid until a write of the row begins.
#[derive(Clone)]
pub(crate) struct Admission {
    name: Bytes,
    hash: u64,
    events: u64,
    generation: u64,
}

/// The result of a lookup.
pub(crate) enum Lookup {
    /// The row is cached, perhaps without some of its families, which can be added.
    Hit(Arc<CachedRow>, Admission),
    /// The row is not cached and should be.
    Admitted(Admission),
    /// The row is not cached and should not be.
    Miss,
}

/// The memory that an entry takes, in bytes.
fn entry_bytes(name: &Bytes, row: &CachedRow) -> usize {
    ENTRY_BYTES + name.len() + row.bytes()
}

/// The admission filter's tag of a requested row; odd.
fn tag(hash: u64) -> u32 {
    (hash >> 20) as u32 | 1
}

/// The tag of a row that is too large to be cached; even.
fn too_large(tag: u32) -> u32 {
    tag & !1
}

impl RowCache {
    /// A cache of at most `bytes` bytes; 0 disables it.
    pub(crate) fn new(bytes: u64) -> Self {
        let bytes = usize::try_from(bytes).unwrap_or(usize::MAX);
        Self {
            shards: (0..SHARDS).map(|_| Mutex::default()).collect(),
            stripes: (0..STRIPES).map(|_| AtomicU64::new(0)).collect(),
            requested: (0..if bytes == 0 { 0 } else { ADMISSION_SETS }).map(|_| Default::default()).collect(),
            seed: RandomState::new().hash_one(()),
            bytes_max: bytes / SHARDS,
        }
    }

    /// The hash of the name under which a row is locked: the number of its table, and the row. Two names with the same
    /// hash only displace each other in the cache.
    fn hash(&self, table: u64, row: &[u8]) -> u64 {
        xxh3_64_with_seed(row, self.seed.wrapping_add(table))
    }

    fn hash_name(&self, name: &[u8]) -> u64 {
        match name.split_first_chunk::<LOCK_PREFIX>() {
            Some((table, row)) => self.hash(u64::from_be_bytes(*table), row),
            // No row has such a name.
            None => self.hash(0, name),
        }
    }

    fn shard(&self, hash: u64) -> &Mutex<Shard> {
        &self.shards[(hash >> 32) as usize % SHARDS]
    }

    fn stripe(&self, hash: u64) -> &AtomicU64 {
        &self.stripes[hash as usize % STRIPES]
    }

    /// Looks up a row of the table with this number. `families` are the families of the table, `generation` is that of
    /// the store, read before this call. Call this function **before** taking the snapshot from which the row is read
    /// if it is not cached.
    pub(crate) fn find(&self, table: u64, row: &[u8], families: &Arc<[Family]>, generation: u64) -> Lookup {
        if self.bytes_max == 0 {
            return Lookup::Miss;
        }
        let hash = self.hash(table, row);
        {
            let mut shard = self.shard(hash).lock();
            if let Some(entry) = shard.rows.get_mut(&hash).filter(|entry| entry.is_of(table, row)) {
                if entry.generation == generation && entry.row.is_of(families) {
                    (entry.used, entry.unread_writes) = (true, 0);
                    let (row, name) = (Arc::clone(&entry.row), entry.name.clone());
                    shard.hits += 1;
                    let events = self.stripe(hash).load(Ordering::SeqCst);
                    return Lookup::Hit(row, Admission { name, hash, events, generation });
                }
                // The table has been altered since, or the store reopened.
                shard.remove(hash);
            }
            shard.misses += 1;
        }
        let (requested, tag) = (&self.requested[hash as usize % ADMISSION_SETS], tag(hash));
        let same = |was: &u32| *was == tag || *was == too_large(tag);
        match requested.iter().map(|way| way.load(Ordering::Relaxed)).find(same) {
            Some(was) if was == tag => {}
            Some(_) => return Lookup::Miss,
            None => {
                // Newest first. Concurrent updates may lose a tag: that row is admitted one request later.
                for way in (1..ADMISSION_WAYS).rev() {
                    requested[way].store(requested[way - 1].load(Ordering::Relaxed), Ordering::Relaxed);
                }
                requested[0].store(tag, Ordering::Relaxed);
                return Lookup::Miss;
            }
        }
        let events = self.stripe(hash).load(Ordering::SeqCst);
        let free = events.is_multiple_of(EVENT);
        let name = || catalog::row_lock(table, row);
        if free { Lookup::Admitted(Admission { name: name(), hash, events, generation }) } else { Lookup::Miss }
    }

    /// The remembered answer to a get of the newest versions of a whole row of the table with this number. The
    /// arguments are as for [`Self::find`], which has to be called for a row without such an answer.
    pub(crate) fn remembered(
        &self,
        table: u64,
        row: &[u8],
        families: &Arc<[Family]>,
        generation: u64,
    ) -> Option<Arc<Row>> {
        if self.bytes_max == 0 {
            return None;
        }
        let hash = self.hash(table, row);
        let mut shard = self.shard(hash).lock();
        let entry = shard.rows.get_mut(&hash).filter(|entry| entry.is_of(table, row))?;
        if entry.generation != generation || !entry.row.is_of(families) {
            return None;
        }
        let answer = Arc::clone(entry.row.answer()?);
        (entry.used, entry.unread_writes) = (true, 0);
        shard.hits += 1;
        Some(answer)
    }

    /// Records that a row is too large to be cached: it is not admitted again while the admission filter remembers it.
    pub(crate) fn refuse(&self, admission: &Admission) {
        let tag = tag(admission.hash);
        for way in &self.requested[admission.hash as usize % ADMISSION_SETS] {
            let _ = way.compare_exchange(tag, too_large(tag), Ordering::Relaxed, Ordering::Relaxed);
        }
    }

    /// Whether a snapshot that was taken between the lookup and this call shows the row as it was at the lookup.
    /// `generation` is that of the store, read after the snapshot was taken.
    pub(crate) fn is_unchanged(&self, admission: &Admission, generation: u64) -> bool {
        let events = self.stripe(admission.hash).load(Ordering::SeqCst);
        events == admission.events && events.is_multiple_of(EVENT) && generation == admission.generation
    }

    /// Inserts a row, unless a write of the row has begun since its lookup.
    pub(crate) fn put(&self, admission: Admission, row: &Arc<CachedRow>) {
        let mut shard = self.shard(admission.hash).lock();
        // A write increments its counter before it takes this lock. So it is either seen here, or it removes the row
        // inserted here.
        let bytes = entry_bytes(&admission.name, row);
        if !self.is_unchanged(&admission, admission.generation) || bytes > self.bytes_max {
            return;
        }
        shard.put(admission, row, 0, self.bytes_max);
    }

    /// Inserts a row for its write in progress, unless another write of the row has begun since.
    fn put_written(&self, Removed { admission, unread_writes, .. }: &Removed, row: &Arc<CachedRow>) {
        let unread_writes = *unread_writes;
        let mut shard = self.shard(admission.hash).lock();
        let is_only_write = self.stripe(admission.hash).load(Ordering::SeqCst) == admission.events;
        if is_only_write && entry_bytes(&admission.name, row) <= self.bytes_max {
            shard.put(admission.clone(), row, unread_writes, self.bytes_max);
        }
    }

    /// Begins a write of the rows with these names. The rows are not in the cache until the guard is dropped, which
    /// must happen after the write has ended. `None` if the cache is disabled.
    pub(crate) fn begin_write(self: &Arc<Self>, names: &[Bytes]) -> Option<RowsBeingWritten> {
        (self.bytes_max > 0).then(|| RowsBeingWritten::new(Arc::clone(self), names))
    }

    /// Adds the cache's statistics to those of the store.
    pub(crate) fn add_to(&self, statistics: &mut Statistics) {
        statistics.row_cache_bytes_max = (self.bytes_max * SHARDS) as u64;
        for shard in &self.shards {
            let shard = shard.lock();
            statistics.row_cache_rows += shard.rows.len() as u64;
            statistics.row_cache_bytes += shard.bytes as u64;
            statistics.row_cache_hits += shard.hits;
            statistics.row_cache_misses += shard.misses;
            statistics.row_cache_evictions += shard.evictions;
        }
    }
}

impl Shard {
    fn put(&mut self, admission: Admission, row: &Arc<CachedRow>, unread_writes: u8, bytes_max: usize) {
        let Admission { name, hash, generation, .. } = admission;
        self.remove(hash);
        self.bytes += entry_bytes(&name, row);
        self.rows.insert(hash, Entry { name, generation, row: Arc::clone(row), used: false, unread_writes });
        self.order.push_back(hash);
        while self.bytes > bytes_max {
            let Some(oldest) = self.order.pop_front() else { break };
            match self.rows.get_mut(&oldest) {
                Some(entry) if entry.used => {
                    entry.used = false;
                    self.order.push_back(oldest);
                }
                Some(_) => {
                    self.remove(oldest);
                    self.evictions += 1;
                }
                None => {}
            }
        }
        // The order also holds rows that have been removed since, some of them several times.
        if self.order.len() > 2 * self.rows.len() + 16 {
            self.order = self.rows.keys().copied().collect();
        }
    }

    fn remove(&mut self, hash: u64) -> Option<Entry> {
        let old = self.rows.remove(&hash)?;
        self.bytes -= entry_bytes(&old.name, &old.row);
        Some(old)
    }
}

/// A write in progress: its rows cannot be inserted until this is dropped.
pub(crate) struct RowsBeingWritten {
    cache: Arc<RowCache>,
    hashes: SmallVec<[u64; 2]>,
    /// The rows of the write that were cached when it began.
    removed: Vec<Removed>,
}

/// A cached row that a write has removed.
struct Removed {
    row: Arc<CachedRow>,
    /// Permission to insert the row, as of the beginning of this write, the only write of the row in progress.
    admission: Admission,
    /// The number of writes since the row was last read, including this one.
    unread_writes: u8,
    /// The pairs that the write has added to the row; `None` if it has removed some.
    written: Option<Vec<(SpaceId, Pair)>>,
}

impl RowsBeingWritten {
    fn new(cache: Arc<RowCache>, names: &[Bytes]) -> Self {
        let mut hashes = SmallVec::with_capacity(names.len());
        let mut removed = Vec::new();
        for name in names {
            let hash = cache.hash_name(name);
            let before = cache.stripe(hash).fetch_add(EVENT + WRITER, Ordering::SeqCst);
            let old = cache.shard(hash).lock().remove(hash);
            hashes.push(hash);
            // If another write of the row is in progress, the row may have changed since it was cached.
            let is_only_write = before.is_multiple_of(EVENT) && names.len() <= UPDATED_ROWS_MAX;
            let is_kept = |old: &Entry| is_only_write && old.name == *name && old.unread_writes < UNREAD_WRITES_MAX;
            let Some(old) = old.filter(is_kept) else { continue };
            let events = before + EVENT + WRITER;
            let admission = Admission { name: old.name, hash, events, generation: old.generation };
            let unread_writes = old.unread_writes + 1;
            removed.push(Removed { row: old.row, admission, unread_writes, written: Some(Vec::new()) });
        }
        Self { cache, hashes, removed }
    }

    /// Whether [`Self::record`] has to be called.
    pub(crate) fn wants_writes(&self) -> bool {
        !self.removed.is_empty()
    }

    /// Records what a transaction has written. Replaces what an earlier run of its body had written.
    pub(crate) fn record(&mut self, transaction: &dyn Transaction) {
        for Removed { admission, written, .. } in &mut self.removed {
            *written = Some(Vec::new());
            let prefix = key::row_prefix(admission.name.get(LOCK_PREFIX..).unwrap_or_default());
            transaction.each_write(&mut |space, key, value| {
                if key.starts_with(&prefix) {
                    match (value, &mut *written) {
                        (Some(value), Some(pairs)) => pairs.push((space, (key.clone(), value.clone()))),
                        _ => *written = None,
                    }
                }
            });
        }
    }

    /// Caches the new states of the rows after the write has succeeded. `generation` is that of the store, read after
    /// the write.
    pub(crate) fn succeeded(self, generation: u64, now_ms: i64) {
        for removed in &self.removed {
            if removed.admission.generation != generation {
                continue;
            }
            match &removed.written {
                Some(pairs) if pairs.is_empty() => self.cache.put_written(removed, &removed.row),
                Some(pairs) => {
                    if let Some(row) = removed.row.after(pairs, now_ms) {
                        self.cache.put_written(removed, &Arc::new(row));
                    }
                }
                None => {}
            }
        }
    }
}

impl Drop for RowsBeingWritten {
    fn drop(&mut self) {
        for hash in &self.hashes {
            self.cache.stripe(*hash).fetch_add(EVENT - WRITER, Ordering::SeqCst);
        }
    }
}
