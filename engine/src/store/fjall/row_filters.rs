//! Filters that tell which files of a space have a row, and whether its memtable has it.
//!
//! A read of a row searches every sorted run of its space, and each search seeks in an index block and decodes a data
//! block. fjall's own filters do not help, because they answer for whole keys, and a read of a row does not know its
//! keys. The filters here answer for rows. They are kept in memory, and made by reading a file once, when reads have
//! searched it as often as it has blocks, or a quarter as often if its blocks fit into the block cache, but at least
//! [`SEARCHES_MIN`] times. A file that is hardly read has none. The filter of a memtable is filled by commits.

use std::collections::HashMap;
use std::hash::{BuildHasher, RandomState};
use std::ops::Deref;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock, Weak, mpsc};

use fjall::AbstractTree;
use lsm_tree::{InternalValue, Memtable, MemtableId, Table, TableId};
use parking_lot::{Mutex, RwLock};
use xorf::{BinaryFuse8, Filter};
use xxhash_rust::xxh3::xxh3_64_with_seed;

use super::BACKGROUND_NICER;
use super::database::Database;
use super::space::Space;
use crate::store::{RowPrefix, SpaceId};
use crate::thread_priority;

/// The number of rows up to which a filter is a list of hashes.
const FEW_ROWS: usize = 256;

/// The number of rows of a large file.
const ROWS_EXPECTED: usize = 1 << 20;

/// The number of pairs after which a scan of a file looks whether it has to end.
const STOP_INTERVAL: usize = 1024;

/// The share of the block cache's limit that all filters may take in addition to it: one eighth.
const CACHE_SHARE: u64 = 8;

/// The size of the blocks of a file in the block cache, where they are not compressed, as a multiple of the file's. An
/// estimate on the safe side: if it is too small, other blocks leave the cache.
const EXPANSION: u64 = 4;

/// The smallest number of searches after which a filter is made.
const SEARCHES_MIN: u64 = 64;

/// The size of a memtable's filter in words of 64 bits: 128 KiB for up to 100,000 rows, with 3 % false positives.
const MEMTABLE_WORDS: usize = 1 << 14;

/// A memtable gets a filter if the one before it had more writes than this: the filter takes memory even if the
/// memtable remains small.
const WRITES_MIN: u64 = 4_096;

/// The number of reads that are not tried directly after the read of a row with too many pairs, and the largest number
/// after several such rows in a row.
const SKIPS_MIN: u64 = 4;
const SKIPS_MAX: u64 = 64;

/// The rows of a file, with false positives: 0.4 % of other rows.
enum RowFilter {
    /// Sorted hashes.
    Few(Box<[u64]>),
    Many(BinaryFuse8),
}

impl RowFilter {
    /// A filter for rows with these hashes; `None` if the algorithm fails, which is very unlikely.
    fn new(mut hashes: Vec<u64>) -> Option<Self> {
        // The algorithm needs distinct ones.
        hashes.sort_unstable();
        hashes.dedup();
        if hashes.len() <= FEW_ROWS {
            return Some(Self::Few(hashes.into_boxed_slice()));
        }
        BinaryFuse8::try_from(hashes).ok().map(Self::Many)
    }

    fn contains(&self, hash: u64) -> bool {
        match self {
            Self::Few(hashes) => hashes.binary_search(&hash).is_ok(),
            Self::Many(filter) => filter.contains(&hash),
        }
    }

    fn bytes(&self) -> u64 {
        match self {
            Self::Few(hashes) => size_of_val(&hashes[..]) as u64,
            Self::Many(filter) => filter.fingerprints.len() as u64,
        }
    }
}

/// What is known about a file.
#[derive(Default)]
pub(super) struct FileRows {
    searches: AtomicU64,
    /// Set once; `None` if the file cannot have a filter.
    filter: OnceLock<Option<Counted<RowFilter>>>,
}

/// A filter whose bytes are counted while it exists.
struct Counted<F> {
    filter: F,
    bytes: u64,
    total: Arc<AtomicU64>,
}

impl<F> Counted<F> {
    fn new(filter: F, bytes: u64, total: &Arc<AtomicU64>) -> Self {
        total.fetch_add(bytes, Ordering::Relaxed);
        Self { filter, bytes, total: Arc::clone(total) }
    }
}

impl<F> Drop for Counted<F> {
    fn drop(&mut self) {
        self.total.fetch_sub(self.bytes, Ordering::Relaxed);
    }
}

impl FileRows {
    /// Whether the file certainly does not have a row with this hash.
    pub fn lack(&self, hash: u64) -> bool {
        self.filter.get().is_some_and(|filter| filter.as_ref().is_some_and(|counted| !counted.filter.contains(hash)))
    }

    /// Counts a search of this file, and returns whether it needs a filter.
    pub fn count_search(&self, table: &Table) -> bool {
        if self.filter.get().is_some() {
            return false;
        }
        let searches = self.searches.fetch_add(1, Ordering::Relaxed) + 1;
        // Repeated, because the request may have failed or not have led to a filter.
        searches.is_multiple_of(searches_before(table, true))
    }
}

/// The number of searches after which a file gets a filter: reading the file costs about as much. If its blocks are
/// kept in the block cache, the reads that follow save as much again, and more.
fn searches_before(table: &Table, fits_in_cache: bool) -> u64 {
    let blocks = table.metadata.data_block_count;
    (if fits_in_cache { blocks / 4 } else { blocks }).max(SEARCHES_MIN)
}

/// The files of one version of a space, in the order of fjall: by level, run and key.
pub(super) struct Files {
    version: u64,
    runs: Vec<Vec<(TableId, Arc<FileRows>)>>,
}

impl Files {
    /// What is known about each file, by run.
    pub fn runs(&self) -> impl Iterator<Item = impl Iterator<Item = &FileRows>> {
        self.runs.iter().map(|files| files.iter().map(|(_, rows)| &**rows))
    }
}

/// The rows that have been written to a memtable.
pub(super) struct MemtableRows {
    id: MemtableId,
    /// The number of recorded writes.
    writes: AtomicU64,
    /// A Bloom filter of the rows; `None` if the memtable had pairs before, or if it is not expected to become large.
    bits: Option<Counted<Box<[AtomicU64]>>>,
}

impl MemtableRows {
    /// Notes a write of a row with the hash that `hash` returns. Must be called before the write becomes visible.
    pub fn record(&self, hash: impl FnOnce() -> Option<u64>) {
        self.writes.fetch_add(1, Ordering::Relaxed);
        let Some(bits) = &self.bits else { return };
        let Some(hash) = hash() else { return };
        for (word, bit) in places(hash) {
            // Readers see the bits, because they see the write only after it has been published.
            bits.filter[word].fetch_or(bit, Ordering::Relaxed);
        }
    }

    fn lack(&self, hash: u64) -> bool {
        let lacks = |(word, bit): (usize, u64), bits: &[AtomicU64]| bits[word].load(Ordering::Relaxed) & bit == 0;
        self.bits.as_ref().is_some_and(|bits| places(hash).into_iter().any(|place| lacks(place, &bits.filter)))
    }
}

/// The words of a memtable's filter, and the bits in them, for a row with this hash.
fn places(hash: u64) -> [(usize, u64); 2] {
    [hash, hash >> 32].map(|hash| ((hash >> 6) as usize % MEMTABLE_WORDS, 1 << (hash & 63)))
}

/// The filters of a space.
pub(super) struct RowFilters {
    files: RwLock<Arc<Files>>,
    memtable: RwLock<Arc<MemtableRows>>,
    /// Whether a request for filters has not been served yet.
    is_requested: AtomicBool,
    /// The number of next reads that do not try [`super::row_read`], because a row had too many pairs for it.
    skipped: AtomicU64,
    /// The number of reads to skip after the next row with too many pairs.
    skips: AtomicU64,
}

impl Default for RowFilters {
    fn default() -> Self {
        Self {
            files: RwLock::new(Arc::new(Files { version: 0, runs: Vec::new() })),
            memtable: RwLock::new(Arc::new(MemtableRows {
                id: MemtableId::MAX,
                writes: AtomicU64::new(0),
                bits: None,
            })),
            is_requested: AtomicBool::new(false),
            skipped: AtomicU64::new(0),
            skips: AtomicU64::new(SKIPS_MIN),
        }
    }
}

impl RowFilters {
    /// What is known about the files of a version, which are in these runs; `None` if a later version is in use.
    pub fn files<'a, R: Deref<Target = [Table]> + 'a>(
        &self,
        version: u64,
        runs: impl Iterator<Item = &'a Arc<R>>,
    ) -> Option<Arc<Files>> {
        {
            let files = self.files.read();
            if files.version == version {
                return Some(Arc::clone(&files));
            }
        }
        let mut files = self.files.write();
        if files.version > version {
            return None;
        }
        if files.version < version {
            let known: HashMap<TableId, &Arc<FileRows>> =
                files.runs.iter().flatten().map(|(id, rows)| (*id, rows)).collect();
            let rows_of =
                |table: &Table| (table.id(), known.get(&table.id()).map_or_else(Arc::default, |rows| Arc::clone(rows)));
            let runs = runs.map(|run| run.iter().map(rows_of).collect()).collect();
            *files = Arc::new(Files { version, runs });
        }
        Some(Arc::clone(&files))
    }

    /// What has been recorded for a memtable that is about to be written. All commits of a space must record their
    /// writes, one commit after the other.
    pub fn recorded(&self, memtable: &Memtable, maker: &FilterMaker) -> Arc<MemtableRows> {
        let before = Arc::clone(&self.memtable.read());
        if before.id == memtable.id() {
            return before;
        }
        // The commit may still come to the next memtable, if this one is sealed meanwhile. That one then has pairs
        // before its first commit is recorded.
        let is_large = before.writes.load(Ordering::Relaxed) > WRITES_MIN;
        let bits = is_large && memtable.is_empty() && maker.has_room();
        let words = || std::iter::repeat_with(AtomicU64::default).take(MEMTABLE_WORDS).collect();
        let bits = bits.then(|| Counted::new(words(), MEMTABLE_WORDS as u64 * 8, &maker.total_bytes));
        let rows = Arc::new(MemtableRows { id: memtable.id(), writes: AtomicU64::new(0), bits });
        *self.memtable.write() = Arc::clone(&rows);
        rows
    }

    /// Whether a memtable certainly does not have a row with this hash, among the writes that have been published.
    pub fn memtable_lacks(&self, memtable: &Memtable, hash: u64) -> bool {
        let rows = self.memtable.read();
        rows.id == memtable.id() && rows.lack(hash)
    }

    /// Notes a row with too many pairs.
    pub fn note_wide(&self) {
        let skips = self.skips.load(Ordering::Relaxed);
        self.skipped.store(skips, Ordering::Relaxed);
        self.skips.store((skips * 2).min(SKIPS_MAX), Ordering::Relaxed);
    }

    /// Notes a row with few pairs.
    pub fn note_narrow(&self) {
        if self.skips.load(Ordering::Relaxed) != SKIPS_MIN {
            self.skips.store(SKIPS_MIN, Ordering::Relaxed);
        }
    }

    /// Whether the next row is likely to have few pairs.
    pub fn expects_narrow(&self) -> bool {
        let skipped = self.skipped.load(Ordering::Relaxed);
        if skipped > 0 {
            self.skipped.store(skipped - 1, Ordering::Relaxed);
        }
        skipped == 0
    }
}

/// The memory of all filters above which no more are made, in bytes. `cache_bytes`: the limit of the block cache.
pub(crate) fn row_filters_max(cache_bytes: u64) -> u64 {
    cache_bytes / CACHE_SHARE
}

/// Makes filters on a thread of its own, which is started by the first request and ends with the database.
pub(super) struct FilterMaker {
    prefix: Option<RowPrefix>,
    /// Makes the hashes unpredictable: clients choose the rows.
    seed: u64,
    requests: Mutex<Option<mpsc::Sender<SpaceId>>>,
    total_bytes: Arc<AtomicU64>,
    bytes_max: u64,
}

impl FilterMaker {
    /// `cache_bytes`: the limit of the block cache.
    pub fn new(prefix: Option<RowPrefix>, cache_bytes: u64) -> Self {
        Self {
            prefix,
            seed: RandomState::new().hash_one(0_u64),
            requests: Mutex::default(),
            total_bytes: Arc::default(),
            bytes_max: row_filters_max(cache_bytes),
        }
    }

    /// The row's part of a key.
    pub fn prefix_of<'a>(&self, key: &'a [u8]) -> Option<&'a [u8]> {
        key.get(..self.prefix?(key)?)
    }

    pub fn hash(&self, prefix: &[u8]) -> u64 {
        xxh3_64_with_seed(prefix, self.seed)
    }

    /// The memory of all filters, in bytes.
    pub fn total_bytes(&self) -> u64 {
        self.total_bytes.load(Ordering::Relaxed)
    }

    fn has_room(&self) -> bool {
        self.total_bytes() < self.bytes_max
    }

    /// Asks for filters of the files of a space that have been searched often enough.
    pub fn request(&self, database: &Arc<Database>, space: SpaceId, filters: &RowFilters) {
        if filters.is_requested.swap(true, Ordering::AcqRel) {
            return;
        }
        let mut requests = self.requests.lock();
        if requests.is_none() {
            let (sender, receiver) = mpsc::channel();
            let database = Arc::downgrade(database);
            let thread = std::thread::Builder::new().name("hjall-filters".into());
            match thread.spawn(move || serve(&database, &receiver)) {
                Ok(_) => *requests = Some(sender),
                Err(error) => tracing::debug!(%error, "no thread for filters of rows"),
            }
        }
        if requests.as_ref().is_none_or(|requests| requests.send(space).is_err()) {
            filters.is_requested.store(false, Ordering::Release);
        }
    }

    /// The filter of a file. `None` if it has to end, or the file cannot be read: then its damage is reported by reads.
    fn make(&self, table: &Table, must_end: impl Fn() -> bool) -> Option<Counted<RowFilter>> {
        // Growing would copy large arrays.
        let mut hashes = Vec::with_capacity(ROWS_EXPECTED.min(table.metadata.item_count as usize));
        let mut last = lsm_tree::Slice::new(b"");
        let items: Box<dyn Iterator<Item = lsm_tree::Result<InternalValue>>> = match fits_in_cache(table) {
            // The reads that follow find the blocks there.
            true => Box::new(table.iter()),
            false => Box::new(table.scan().ok()?),
        };
        for (n, item) in items.enumerate() {
            if n.is_multiple_of(STOP_INTERVAL) && must_end() {
                return None;
            }
            let key = item.ok()?.key.user_key;
            // Other keys, such as those of fences, are in the range of no row.
            let Some(prefix) = self.prefix_of(&key) else { continue };
            if prefix != &last[..] {
                hashes.push(self.hash(prefix));
                last = key.slice(..prefix.len());
            }
        }
        let filter = RowFilter::new(hashes)?;
        let bytes = filter.bytes();
        Some(Counted::new(filter, bytes, &self.total_bytes))
    }
}

/// Whether the block cache has room for all blocks of a file.
fn fits_in_cache(table: &Table) -> bool {
    let blocks = table.metadata.file_size.saturating_mul(EXPANSION);
    table.cache.size().saturating_add(blocks) <= table.cache.capacity()
}

/// Serves requests until the database is closed.
fn serve(database: &Weak<Database>, requests: &mpsc::Receiver<SpaceId>) {
    thread_priority::lower(BACKGROUND_NICER);
    while let Ok(number) = requests.recv() {
        if let Some(space) = database.upgrade().and_then(|database| database.space(number)) {
            space.row_filters.is_requested.store(false, Ordering::Release);
        }
        // A handle must not be held for long, because closing and reopening wait for it.
        while database.upgrade().is_some_and(|database| make_one(&database, number)) {}
    }
}

/// Forgets the filters of a space's files that have been replaced.
pub(super) fn forget_replaced(space: &Space) {
    let version = space.keyspace.tree.current_version();
    let _ = space.row_filters.files(version.id(), version.iter_levels().flat_map(|level| level.iter()));
}

/// Makes the filter of one file of a space. Returns whether there may be others to make.
fn make_one(database: &Database, number: SpaceId) -> bool {
    let maker = &database.filter_maker;
    let Some(space) = database.space(number) else { return false };
    if !maker.has_room() {
        // Those of files that have been replaced are forgotten by reads, and some spaces may not have been read since.
        database.spaces().iter().for_each(forget_replaced);
        if !maker.has_room() {
            return false;
        }
    }
    let Ok(_call) = database.begin_long_call() else { return false };
    let version = space.keyspace.tree.current_version();
    let runs = version.iter_levels().flat_map(|level| level.iter());
    let Some(files) = space.row_filters.files(version.id(), runs) else { return true };
    for (table, (id, rows)) in version.iter_tables().zip(files.runs.iter().flatten()) {
        let is_due = *id == table.id()
            && rows.filter.get().is_none()
            && rows.searches.load(Ordering::Relaxed) >= searches_before(table, fits_in_cache(table));
        if !is_due {
            continue;
        }
        let made = maker.make(table, || database.give_way.is_asked());
        let has_ended = database.give_way.is_asked();
        if made.is_some() || !has_ended {
            let _ = rows.filter.set(made);
        }
        return !has_ended;
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn filters_have_all_their_rows_and_few_others() {
        let hash = |n: u64| xxh3_64_with_seed(&n.to_be_bytes(), 7);
        for rows in [0, 1, 2, FEW_ROWS as u64, FEW_ROWS as u64 + 1, 1000, 100_000] {
            let hashes: Vec<u64> = (0..rows).chain(0..rows.min(3)).map(hash).collect();
            let filter = RowFilter::new(hashes).unwrap();
            assert!((0..rows).all(|n| filter.contains(hash(n))));
            let others = (rows..rows + 10_000).filter(|n| filter.contains(hash(*n))).count();
            assert!(others < 200, "{others} of 10,000 other rows beside {rows}");
            assert!(filter.bytes() <= 2 * rows.max(FEW_ROWS as u64 * 8), "{} bytes for {rows} rows", filter.bytes());
        }
    }
}
