//! The row cache: rows that are read repeatedly, as a minor compaction would leave them, so that a read need not
//! assemble them from the blocks of several files.
//!
//! Invariant: a row is inserted only if no write of it began between taking its snapshot and inserting it. A write
//! hides its rows before it begins and blocks their insertion until it has ended. A cached row that is not hidden
//! therefore equals the row in a snapshot taken now. A write that has ended shows its rows again if it has only put
//! cells and no other write of the row has begun meanwhile, and removes them otherwise. The cells of such puts are kept
//! beside the row, in a [`PutLog`], and merged into it by the next read: most rows are written more often than they are
//! read, or the other way round, and a put should cost little in both cases. Versions, delete markers and TTLs are
//! evaluated when a cached row is read, as for all stored data.
//!
//! A row that is small and simple enough is packed: a get reads its answer directly from one allocation. All other rows
//! keep the pairs of the store, and perhaps an answer beside them.
//!
//! The unit is a family of a row: a read caches the families that it requests, and one that is too large does not
//! prevent caching of the others. Compactions do not invalidate cached rows, because they drop only cells that no get
//! of the newest versions returns, and delete markers, whose family is not cached in that row. Such cells are not
//! cached either, so a row that is overwritten often takes no more memory than a row that was written once. A flush
//! drops more, such as the value below one with a TTL of its own, and therefore removes the rows of its table, as a
//! bulk load does. Raw gets and gets of a time range can show more and do not use the cache.
//!
//! Only a reopening of the store changes rows without such a write: it can reveal what a failed write left in the
//! journal. A cached row therefore belongs to the generation of the store in which it was looked up, and is a miss in
//! every other generation.

mod packed_row;
mod put_log;
mod row;
mod rows_being_written;

use std::collections::{HashMap, HashSet, VecDeque};
use std::hash::{BuildHasher, RandomState};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use bytes::Bytes;
use parking_lot::Mutex;
use xxhash_rust::xxh3::xxh3_64_with_seed;

pub use packed_row::{PackedCells, PackedRow};
use put_log::PutLog;
pub(crate) use row::{CachedRow, PartlyCachedRow, RowSource};
pub(crate) use rows_being_written::RowsBeingWritten;
use rows_being_written::{HiddenRow, ReadRow};

use crate::catalog::{self, Family, LOCK_PREFIX};
use crate::cell::Row;
use crate::store::{BuildPrehashed, Statistics, Store};

const SHARDS: usize = 16;
/// Number of write counters. Rows share them: a write of one row briefly blocks the insertion of the others that share
/// its counter.
const STRIPES: usize = 4096;
/// The tags of a set of the admission filter.
const ADMISSION_WAYS: usize = 4;
/// The admission filter has a tag for each of this number of bytes of the cache. A small row takes a little less, so a
/// row that would be requested again before it is evicted is remembered.
const ADMISSION_BYTES: usize = 256;
/// The number of sets of the admission filter of an empty shard.
const ADMISSION_SETS: usize = 64;
/// A write of more rows removes them from the cache.
const UPDATED_ROWS_MAX: usize = 16;
/// After this number of writes without a read, a write removes the row from the cache.
const UNREAD_WRITES_MAX: u8 = 64;
/// Puts are merged into their row when there are this many, even if it is not read.
const UNMERGED_PUTS_MAX: usize = 8;
/// Puts are merged into their row when they take this number of bytes.
const UNMERGED_BYTES_MAX: usize = 2 << 10;
/// The low bits of a write counter hold the number of writes in progress, the high bits the number of writes begun and
/// ended.
const WRITER: u64 = 1;
const EVENT: u64 = 1 << 24;
/// Memory that an entry takes in addition to its name and what [`CachedRow::bytes`] counts: its places in the map and
/// in the order, and the headers and the rounding of its allocations. Measured as resident memory with jemalloc for
/// rows of one to forty cells.
const ENTRY_BYTES: usize = 352;
/// As [`ENTRY_BYTES`], for an entry whose row is packed. Does not include the allocation of the packed row.
const PACKED_ENTRY_BYTES: usize = 232;
/// The counts of references before the content of an [`Arc`].
const ARC_BYTES: usize = 2 * size_of::<usize>();

/// The row cache of one database.
pub(crate) struct RowCache {
    shards: Vec<Mutex<Shard>>,
    stripes: Vec<AtomicU64>,
    /// Makes the hashes of names unpredictable.
    seed: u64,
    /// Memory of the whole cache in bytes.
    bytes: usize,
    /// Memory of the rows of each shard in bytes; the admission filter takes the rest of its part.
    bytes_max: usize,
}

#[derive(Default)]
struct Shard {
    /// Keyed by the hash of the row's name. Of two names with the same hash, the one inserted last is kept.
    rows: HashMap<u64, Entry, BuildPrehashed>,
    /// Hashes in the order in which eviction considers them: that of insertion, except for those that it has kept once
    /// more. Those of removed rows are skipped.
    order: VecDeque<u64>,
    bytes: usize,
    hits: u64,
    misses: u64,
    evictions: u64,
    /// The admission filter: tags of recently requested rows, newest first in each set. While the cache has room, a row
    /// is cached on its first request, afterwards on its second.
    requested: Vec<[u32; ADMISSION_WAYS]>,
    /// The tags that have been added since the filter has this number of sets.
    requested_tags: usize,
    /// The largest number of sets of the filter. It begins with a few and grows as it fills, so that a database with
    /// few rows does not pay for the filter of many. When it grows, it forgets its tags.
    sets_max: usize,
}

struct Entry {
    /// The table's families when the row was read.
    families: Arc<[Family]>,
    /// The generation of the store that the row was read from; see [`crate::store::Store::generation`].
    generation: u64,
    /// The row without the puts of `unmerged`.
    content: Content,
    /// The puts that have ended since `content` was read or merged.
    unmerged: PutLog,
    /// The number of the write in progress that hides the entry, as [`RowCache::begin_write`] draws it; 0 if none does.
    hidden_by: u64,
    /// Whether the row was read since eviction last considered it. If so, it is kept once more.
    used: bool,
    /// The number of writes since the row was last read.
    unread_writes: u8,
}

/// A row in the form in which it is cached.
enum Content {
    Packed(PackedRow),
    Pairs(Box<NamedRow>),
}

/// A row that is not packed, and the name under which it is locked.
struct NamedRow {
    name: Bytes,
    row: Arc<CachedRow>,
}

impl Content {
    /// A row in the smallest form that can hold it.
    fn of(name: Bytes, row: &Arc<CachedRow>) -> Self {
        match PackedRow::of(&name, row) {
            Some(packed) => Self::Packed(packed),
            None => Self::Pairs(Box::new(NamedRow { name, row: Arc::clone(row) })),
        }
    }

    /// The name under which the row is locked.
    fn name(&self) -> &[u8] {
        match self {
            Self::Packed(packed) => packed.name(),
            Self::Pairs(named) => &named.name,
        }
    }

    /// The row after these puts, at the time `now_ms`. `None` if the new state is unknown or too large.
    fn after(&self, puts: &PutLog, families: &Arc<[Family]>, now_ms: i64) -> Option<Self> {
        match self {
            Self::Packed(packed) => {
                if let Some(packed) = packed.with_newest(puts.iter(), families) {
                    return Some(Self::Packed(packed));
                }
                let row = packed.unpack(families)?.after(&puts.to_pairs(), now_ms)?;
                Some(Self::of(Bytes::copy_from_slice(packed.name()), &Arc::new(row)))
            }
            Self::Pairs(named) => {
                let row = named.row.after(&puts.to_pairs(), now_ms)?;
                Some(Self::of(named.name.clone(), &Arc::new(row)))
            }
        }
    }

    /// The memory that it takes with its entry, in bytes.
    fn bytes(&self) -> usize {
        match self {
            Self::Packed(packed) => PACKED_ENTRY_BYTES + row::allocated(ARC_BYTES + packed.len()),
            Self::Pairs(named) => ENTRY_BYTES + named.name.len() + named.row.bytes(),
        }
    }
}

impl Entry {
    /// Whether this is a row of the table with this number.
    fn is_of(&self, table: u64, row: &[u8]) -> bool {
        let own = self.content.name().split_first_chunk::<LOCK_PREFIX>();
        own.is_some_and(|(own_table, own_row)| *own_table == table.to_be_bytes() && own_row == row)
    }

    /// Whether the entry shows the row to reads with this state of the table and of the store. Compares pointers,
    /// because every change of a table creates a new list of families.
    fn is_current(&self, families: &Arc<[Family]>, generation: u64) -> bool {
        self.generation == generation && Arc::ptr_eq(&self.families, families)
    }

    /// The memory that it takes, in bytes.
    fn bytes(&self) -> usize {
        self.content.bytes() + self.unmerged.bytes()
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
    /// The row is cached, and packed.
    Packed(PackedRow),
    /// The row is cached, perhaps without some of its families, which can be added.
    Hit(Arc<CachedRow>, Admission),
    /// The row is not cached and should be.
    Admitted(Admission),
    /// The row is not cached and should not be.
    Miss,
}

/// A remembered answer to a get of the newest versions of a whole row.
pub(crate) enum Remembered {
    Packed(PackedRow),
    Row(Arc<Row>),
}

/// The admission filter's tag of a requested row; odd.
fn tag(hash: u64) -> u32 {
    hash as u32 | 1
}

/// The tag of a row that is too large to be cached; even.
fn too_large(tag: u32) -> u32 {
    tag & !1
}

impl RowCache {
    /// A cache of at most `bytes` bytes; 0 disables it.
    pub(crate) fn new(bytes: u64) -> Self {
        let bytes = usize::try_from(bytes).unwrap_or(usize::MAX);
        let shard_bytes = bytes / SHARDS;
        Self {
            shards: (0..SHARDS).map(|_| Mutex::new(Shard::new(shard_bytes))).collect(),
            stripes: (0..STRIPES).map(|_| AtomicU64::new(0)).collect(),
            seed: RandomState::new().hash_one(()),
            bytes,
            bytes_max: shard_bytes - shard_bytes / ADMISSION_BYTES * size_of::<u32>(),
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

    /// Looks up a row of the table with this number. `families` are the families of the table. Call this function
    /// **before** taking the snapshot from which the row is read if it is not cached.
    pub(crate) fn find(&self, table: u64, row: &[u8], families: &Arc<[Family]>, store: &dyn Store) -> Lookup {
        if self.bytes_max == 0 {
            return Lookup::Miss;
        }
        let (hash, generation) = (self.hash(table, row), store.generation());
        {
            let mut shard = self.shard(hash).lock();
            if let Some(entry) = shard.rows.get_mut(&hash).filter(|entry| entry.is_of(table, row)) {
                if entry.hidden_by != 0 {
                    shard.misses += 1;
                    return Lookup::Miss;
                }
                if !entry.is_current(families, generation) {
                    // The table has been altered since, or the store reopened.
                    shard.remove(hash);
                } else if let Some(entry) = shard.merged(hash, store) {
                    let lookup = match &entry.content {
                        Content::Packed(packed) => Lookup::Packed(packed.clone()),
                        Content::Pairs(named) => {
                            let (row, name) = (Arc::clone(&named.row), named.name.clone());
                            let events = self.stripe(hash).load(Ordering::SeqCst);
                            Lookup::Hit(row, Admission { name, hash, events, generation })
                        }
                    };
                    shard.hits += 1;
                    return lookup;
                }
            }
            shard.misses += 1;
            if !shard.admits(hash, self.bytes_max) {
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
        store: &dyn Store,
    ) -> Option<Remembered> {
        if self.bytes_max == 0 {
            return None;
        }
        let hash = self.hash(table, row);
        let mut shard = self.shard(hash).lock();
        let entry = shard.rows.get(&hash).filter(|entry| entry.is_of(table, row))?;
        if entry.hidden_by != 0 || !entry.is_current(families, store.generation()) {
            return None;
        }
        let answer = match &shard.merged(hash, store)?.content {
            Content::Packed(packed) => Remembered::Packed(packed.clone()),
            Content::Pairs(named) => Remembered::Row(Arc::clone(named.row.answer()?)),
        };
        shard.hits += 1;
        Some(answer)
    }

    /// Records that the row with this hash is too large to be cached: it is not admitted again while the admission
    /// filter remembers it.
    fn refuse(&self, hash: u64) {
        let tag = tag(hash);
        let mut shard = self.shard(hash).lock();
        if let Some(way) = shard.set(hash).and_then(|set| set.iter_mut().find(|way| **way == tag)) {
            *way = too_large(tag);
        }
    }

    /// Records that a row that was looked up is too large to be cached.
    pub(crate) fn refuse_admitted(&self, admission: &Admission) {
        self.refuse(admission.hash);
    }

    /// Whether a snapshot that was taken between the lookup and this call shows the row as it was at the lookup.
    /// `generation` is that of the store, read after the snapshot was taken.
    pub(crate) fn is_unchanged(&self, admission: &Admission, generation: u64) -> bool {
        let events = self.stripe(admission.hash).load(Ordering::SeqCst);
        events == admission.events && events.is_multiple_of(EVENT) && generation == admission.generation
    }

    /// Inserts a row, unless a write of the row has begun since its lookup. Returns the row in its packed form, if it
    /// has one.
    pub(crate) fn put(&self, admission: Admission, row: &Arc<CachedRow>) -> Option<PackedRow> {
        let content = Content::of(admission.name.clone(), row);
        let packed = match &content {
            Content::Packed(packed) => Some(packed.clone()),
            Content::Pairs(_) => None,
        };
        let mut shard = self.shard(admission.hash).lock();
        // A write increments its counter before it takes this lock. So it is either seen here, or it removes the row
        // inserted here.
        if self.is_unchanged(&admission, admission.generation) {
            let Admission { hash, generation, .. } = admission;
            let read = ReadRow { content, families: Arc::clone(row.families()), generation };
            shard.put(hash, read, PutLog::default(), self.bytes_max);
        }
        packed
    }

    /// Begins a write of the rows with these names, before it takes effect. Reads do not find the rows in the cache
    /// until the guard is dropped, which must happen after the write has ended. `None` if the cache is disabled.
    pub(crate) fn begin_write(self: &Arc<Self>, names: &[Bytes]) -> Option<RowsBeingWritten> {
        (self.bytes_max > 0).then(|| RowsBeingWritten::new(Arc::clone(self), names))
    }

    /// Begins a bulk load or a flush of the table with this number, which may change any row of it. Removes the rows of
    /// the table, and blocks the insertion of all rows, until the guard is dropped, which must happen after the change
    /// has taken effect. `None` if the cache is disabled.
    pub(crate) fn begin_table_write(self: &Arc<Self>, table: u64) -> Option<TableBeingWritten> {
        if self.bytes_max == 0 {
            return None;
        }
        let prefix = table.to_be_bytes();
        for stripe in &self.stripes {
            stripe.fetch_add(EVENT + WRITER, Ordering::SeqCst);
        }
        for shard in &self.shards {
            let mut shard = shard.lock();
            let is_of = |entry: &Entry| entry.content.name().starts_with(&prefix);
            let hashes: Vec<u64> = shard.rows.iter().filter(|(_, entry)| is_of(entry)).map(|(hash, _)| *hash).collect();
            hashes.into_iter().for_each(|hash| drop(shard.remove(hash)));
        }
        Some(TableBeingWritten(Arc::clone(self)))
    }

    /// Adds the cache's statistics to those of the store.
    pub(crate) fn add_to(&self, statistics: &mut Statistics) {
        statistics.row_cache_bytes_max = self.bytes as u64;
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
    /// A shard of a cache with this number of bytes for each shard.
    fn new(bytes_max: usize) -> Self {
        let sets_max = (bytes_max / ADMISSION_BYTES / ADMISSION_WAYS).max(usize::from(bytes_max > 0));
        Self { requested: vec![[0; ADMISSION_WAYS]; sets_max.min(ADMISSION_SETS)], sets_max, ..Self::default() }
    }

    /// The set of the admission filter for a row.
    fn set(&mut self, hash: u64) -> Option<&mut [u32; ADMISSION_WAYS]> {
        // The lowest bits choose the tag, and bits 32 to 35 the shard.
        let at = (hash >> 36) as usize % self.requested.len().max(1);
        self.requested.get_mut(at)
    }

    /// Whether a requested row should be cached.
    fn admits(&mut self, hash: u64, bytes_max: usize) -> bool {
        // Not all of it, so that rows which are requested again find room.
        let has_room = self.bytes < bytes_max / 8 * 7;
        let tag = tag(hash);
        let Some(set) = self.set(hash) else { return false };
        match set.iter().find(|way| **way == tag || **way == too_large(tag)) {
            Some(was) => *was == tag,
            None => {
                set.rotate_right(1);
                set[0] = tag;
                self.grow_filter();
                has_room
            }
        }
    }

    /// Counts a tag that was added to the admission filter, and enlarges the filter when it is full.
    fn grow_filter(&mut self) {
        self.requested_tags += 1;
        let sets = self.requested.len();
        if self.requested_tags > sets * ADMISSION_WAYS && sets < self.sets_max {
            self.requested = vec![[0; ADMISSION_WAYS]; (4 * sets).min(self.sets_max)];
            self.requested_tags = 0;
        }
    }

    /// Inserts a row, and the cells that were put after it was read.
    fn put(&mut self, hash: u64, read: ReadRow, unmerged: PutLog, bytes_max: usize) {
        let ReadRow { content, families, generation } = read;
        let entry = Entry { families, generation, content, unmerged, hidden_by: 0, used: false, unread_writes: 0 };
        let bytes = entry.bytes();
        if bytes > bytes_max {
            return;
        }
        self.remove(hash);
        self.bytes += bytes;
        self.rows.insert(hash, entry);
        self.order.push_back(hash);
        self.evict(bytes_max);
        // The order also holds rows that have been removed since, some of them several times.
        if self.order.len() > 2 * self.rows.len() + 16 {
            keep_last(&mut self.order, self.rows.keys().copied().collect());
        }
    }

    /// Removes the oldest rows that have not been read lately, until the others fit.
    fn evict(&mut self, bytes_max: usize) {
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
    }

    fn remove(&mut self, hash: u64) -> Option<Entry> {
        let old = self.rows.remove(&hash)?;
        self.bytes -= old.bytes();
        Some(old)
    }

    /// Hides the row from reads until the write with this number has ended. Returns whether the entry can show the row
    /// afterwards. If not, it is removed.
    fn hide(&mut self, hash: u64, name: &Bytes, write: u64) -> bool {
        let Some(entry) = self.rows.get_mut(&hash) else { return false };
        // A hidden row is being written by another call, after which its state is unknown.
        if entry.content.name() == &name[..] && entry.hidden_by == 0 && entry.unread_writes < UNREAD_WRITES_MAX {
            entry.hidden_by = write;
            return true;
        }
        self.remove(hash);
        false
    }

    /// Shows a row again after the write with this number has put these cells. Removes it instead if the write was not
    /// of this generation of the store, or has not only put cells.
    fn show(&mut self, HiddenRow { hash, write, puts, .. }: HiddenRow, store: &dyn Store, bytes_max: usize) {
        // Another write of the row has begun meanwhile, and has removed it.
        let Some(entry) = self.rows.get_mut(&hash).filter(|entry| entry.hidden_by == write) else { return };
        let Some(puts) = puts.filter(|_| entry.generation == store.generation()) else {
            self.remove(hash);
            return;
        };
        entry.hidden_by = 0;
        entry.unread_writes += 1;
        if puts.is_empty() {
            return;
        }
        self.bytes -= entry.bytes();
        entry.unmerged.append(puts);
        self.bytes += entry.bytes();
        let is_long = entry.unmerged.puts() >= UNMERGED_PUTS_MAX || entry.unmerged.bytes() > UNMERGED_BYTES_MAX;
        if is_long {
            self.merge(hash, store);
        }
        self.evict(bytes_max);
    }

    /// A row that is being read, with its puts merged. `None` if it is not cached any more.
    fn merged(&mut self, hash: u64, store: &dyn Store) -> Option<&Entry> {
        let entry = self.rows.get_mut(&hash)?;
        if !entry.unmerged.is_empty() {
            self.merge(hash, store);
        }
        let entry = self.rows.get_mut(&hash)?;
        (entry.used, entry.unread_writes) = (true, 0);
        Some(entry)
    }

    /// Merges the puts of a row into it. Removes the row if its new state is unknown or too large.
    fn merge(&mut self, hash: u64, store: &dyn Store) {
        let Some(entry) = self.rows.get_mut(&hash) else { return };
        self.bytes -= entry.bytes();
        match entry.content.after(&std::mem::take(&mut entry.unmerged), &entry.families, store.now_ms()) {
            Some(content) => {
                entry.content = content;
                self.bytes += entry.bytes();
            }
            None => drop(self.rows.remove(&hash)),
        }
    }
}

/// Removes all hashes from the order except these, of which each stays at its last place.
fn keep_last(order: &mut VecDeque<u64>, mut kept: HashSet<u64, BuildPrehashed>) {
    let from_last: Vec<u64> = order.drain(..).rev().filter(|hash| kept.remove(hash)).collect();
    order.extend(from_last.into_iter().rev());
}

/// The commit of a bulk load or of a flush in progress: no row can be inserted until this is dropped.
pub(crate) struct TableBeingWritten(Arc<RowCache>);

impl Drop for TableBeingWritten {
    fn drop(&mut self) {
        for stripe in &self.0.stripes {
            stripe.fetch_add(EVENT - WRITER, Ordering::SeqCst);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_order_keeps_each_row_where_it_was_inserted_last() {
        let mut order = VecDeque::from([9, 7, 5, 9, 1, 7, 5]);
        keep_last(&mut order, [5, 9, 1].into_iter().collect());
        assert_eq!(order, [9, 1, 5]);
    }
}
