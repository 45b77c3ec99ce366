//! Counters of reads and writes by region, and of the garbage that reads encounter.

use std::num::NonZero;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::thread::available_parallelism;

use crate::region::Region;
use crate::store::thread_shard::thread_shard;

/// Reads and writes of a region or a table since the database was opened.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Traffic {
    /// Rows returned by gets, and results returned by scans. A get counts even if the row does not exist.
    pub reads: u64,
    /// Mutations: puts, deletes, increments and appends.
    pub writes: u64,
    /// Bytes of the cells returned: row, family, qualifier and value.
    pub read_bytes: u64,
    /// Bytes of the mutations: row, family, qualifier and value of each cell.
    pub written_bytes: u64,
}

impl std::iter::Sum for Traffic {
    fn sum<I: Iterator<Item = Self>>(all: I) -> Self {
        all.fold(Self::default(), |mut sum, traffic| {
            sum += traffic;
            sum
        })
    }
}

impl std::ops::AddAssign for Traffic {
    fn add_assign(&mut self, other: Self) {
        self.reads += other.reads;
        self.writes += other.writes;
        self.read_bytes += other.read_bytes;
        self.written_bytes += other.written_bytes;
    }
}

/// The largest number of counters of a table, unless it has more regions.
const COUNTERS_MAX: usize = 4096;

/// Counters in separate cache lines. Processors fetch cache lines in pairs.
#[derive(Debug, Default)]
#[repr(align(128))]
struct Counters {
    reads: AtomicU64,
    writes: AtomicU64,
    read_bytes: AtomicU64,
    written_bytes: AtomicU64,
}

/// The counters of all regions of a table. States of a table with the same regions share them.
#[derive(Debug, Clone)]
pub(crate) struct RegionCounters {
    /// The counters of each region: one for each shard. Threads are assigned to shards in turn.
    counters: Arc<[Counters]>,
    shards: usize,
}

impl RegionCounters {
    pub(super) fn new(regions: &[Region]) -> Self {
        let shards = Self::shards(regions);
        Self { counters: (0..regions.len() * shards).map(|_| Counters::default()).collect(), shards }
    }

    /// The number of counters of each region.
    fn shards(regions: &[Region]) -> usize {
        cores().min(COUNTERS_MAX / regions.len().max(1)).max(1)
    }

    /// What the counters of these regions take in memory, in bytes.
    pub(super) fn memory_of(regions: &[Region]) -> u64 {
        (regions.len() * Self::shards(regions) * size_of::<Counters>()) as u64
    }

    /// The counters of a region for this thread.
    fn of(&self, region: usize) -> Option<&Counters> {
        self.counters.get(region * self.shards + thread_shard() % self.shards)
    }

    /// Counts results of a read of one region.
    pub(super) fn count_reads(&self, region: usize, results: usize, bytes: usize) {
        if let Some(counters) = self.of(region) {
            counters.reads.fetch_add(results as u64, Ordering::Relaxed);
            counters.read_bytes.fetch_add(bytes as u64, Ordering::Relaxed);
        }
    }

    /// Counts mutations of a row.
    pub(super) fn count_writes(&self, region: usize, mutations: usize, bytes: usize) {
        if let Some(counters) = self.of(region) {
            counters.writes.fetch_add(mutations as u64, Ordering::Relaxed);
            counters.written_bytes.fetch_add(bytes as u64, Ordering::Relaxed);
        }
    }

    /// The current values, by region.
    pub(crate) fn read(&self) -> impl ExactSizeIterator<Item = Traffic> {
        let value = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        let traffic = move |counters: &Counters| Traffic {
            reads: value(&counters.reads),
            writes: value(&counters.writes),
            read_bytes: value(&counters.read_bytes),
            written_bytes: value(&counters.written_bytes),
        };
        self.counters.chunks(self.shards).map(move |shards| shards.iter().map(traffic).sum())
    }
}

/// The number of threads that run at once.
fn cores() -> usize {
    static CORES: OnceLock<usize> = OnceLock::new();
    *CORES.get_or_init(|| available_parallelism().map_or(1, NonZero::get))
}

/// The bytes of markers, and of deleted and expired cells, that reads of a table have encountered since its last major
/// compaction began. States of a table share it.
#[derive(Debug, Clone, Default)]
pub(crate) struct GarbageCounter(Arc<AtomicU64>);

impl GarbageCounter {
    pub(super) fn add(&self, bytes: u64) {
        self.0.fetch_add(bytes, Ordering::Relaxed);
    }

    /// The current value.
    pub(crate) fn read(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }

    /// Resets the counter to zero.
    pub(crate) fn reset(&self) {
        self.0.store(0, Ordering::Relaxed);
    }
}
