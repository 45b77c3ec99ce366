//! Counters of reads and writes by region.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::region::Region;

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

impl std::ops::AddAssign for Traffic {
    fn add_assign(&mut self, other: Self) {
        self.reads += other.reads;
        self.writes += other.writes;
        self.read_bytes += other.read_bytes;
        self.written_bytes += other.written_bytes;
    }
}

#[derive(Debug, Default)]
struct Counters {
    reads: AtomicU64,
    writes: AtomicU64,
    read_bytes: AtomicU64,
    written_bytes: AtomicU64,
}

/// The counters of all regions of a table, in their order. States of a table with the same regions share them.
#[derive(Debug, Clone)]
pub(crate) struct RegionCounters(Arc<[Counters]>);

impl RegionCounters {
    pub(super) fn new(regions: &[Region]) -> Self {
        Self(regions.iter().map(|_| Counters::default()).collect())
    }

    /// Counts results of a read of one region.
    pub(super) fn count_reads(&self, region: usize, results: usize, bytes: usize) {
        if let Some(counters) = self.0.get(region) {
            counters.reads.fetch_add(results as u64, Ordering::Relaxed);
            counters.read_bytes.fetch_add(bytes as u64, Ordering::Relaxed);
        }
    }

    /// Counts mutations of a row.
    pub(super) fn count_writes(&self, region: usize, mutations: usize, bytes: usize) {
        if let Some(counters) = self.0.get(region) {
            counters.writes.fetch_add(mutations as u64, Ordering::Relaxed);
            counters.written_bytes.fetch_add(bytes as u64, Ordering::Relaxed);
        }
    }

    /// The current values, by region.
    pub(crate) fn read(&self) -> Vec<Traffic> {
        let value = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        let traffic = |counters: &Counters| Traffic {
            reads: value(&counters.reads),
            writes: value(&counters.writes),
            read_bytes: value(&counters.read_bytes),
            written_bytes: value(&counters.written_bytes),
        };
        self.0.iter().map(traffic).collect()
    }
}
