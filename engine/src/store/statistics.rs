//! Figures of a store for monitoring.

use std::time::Duration;

/// The figures of a store at one moment. Counters begin at zero when the store is opened. Figures that do not apply to
/// a store, such as the disk of a store in memory, are zero.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Statistics {
    /// The number of spaces, including the catalog's.
    pub spaces: u64,
    /// Memory used by cached blocks, in bytes.
    pub cache_bytes: u64,
    /// The limit of `cache_bytes`.
    pub cache_bytes_max: u64,
    /// Blocks that were found in the cache.
    pub block_hits: u64,
    /// Blocks that had to be read from files.
    pub block_misses: u64,
    /// Memory used by filters that tell which files have a row, in bytes.
    pub row_filter_bytes: u64,
    /// Rows in the engine's row cache.
    pub row_cache_rows: u64,
    /// Memory used by the row cache, in bytes.
    pub row_cache_bytes: u64,
    /// The limit of `row_cache_bytes`.
    pub row_cache_bytes_max: u64,
    /// Gets that found their row in the row cache.
    pub row_cache_hits: u64,
    /// Gets that did not find their row in the row cache.
    pub row_cache_misses: u64,
    /// Rows that were removed from the row cache to make room.
    pub row_cache_evictions: u64,
    /// Calls that have failed because stored data is damaged.
    pub damaged_calls: u64,
    /// Memory used by memtables, in bytes.
    pub write_buffer_bytes: u64,
    /// The size of all memtables, in bytes, above which the largest are flushed. At twice this size, writes wait.
    pub write_buffer_bytes_max: u64,
    /// Sealed memtables that wait to be flushed.
    pub flushes_waiting: u64,
    /// Data files.
    pub files: u64,
    /// Files of the first level, which have not been compacted. Many of them slow reads down; too many make writes
    /// wait.
    pub files_new: u64,
    /// Bytes of all files, including journals.
    pub disk_bytes: u64,
    /// Journals.
    pub journals: u64,
    /// Bytes of all journals.
    pub journal_bytes: u64,
    /// Free bytes on the disk that are available to this process. `None` if they are unknown.
    pub disk_free_bytes: Option<u64>,
    /// How far the time of the store is ahead of the machine's clock, in milliseconds: more than a moment after that
    /// has been set back.
    pub clock_ahead_ms: i64,
    /// Syncs of the journal. Writes that wait at the same time share one.
    pub syncs: u64,
    /// Compactions in progress.
    pub compactions_running: u64,
    /// Completed compactions.
    pub compactions: u64,
    /// The total duration of all compactions.
    pub compacting: Duration,
    /// Writes that had to wait for flushes or compactions.
    pub stalls: u64,
    /// The total time that these writes waited.
    pub stalled: Duration,
    /// Writes that failed with `Busy` after waiting.
    pub stalls_given_up: u64,
    /// Writes that are waiting now.
    pub stalled_now: u64,
    /// The number of times that the store was reopened in place after a failed write.
    pub reopened: u64,
    /// The reason why writes fail until the store has been reopened. `None` while writes are accepted.
    pub failure: Option<String>,
}
