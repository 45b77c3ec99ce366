//! What a store tells of itself to whoever watches it.

use std::time::Duration;

/// A store's counts at one moment, since it was opened. A store that has no such thing (memory has no disk) says 0.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Statistics {
    /// The spaces there are, the catalog's included.
    pub spaces: u64,
    /// Memory that cached blocks take, in bytes.
    pub cache_bytes: u64,
    /// Memory that they may take, in bytes.
    pub cache_bytes_max: u64,
    /// Blocks that were found in the cache.
    pub block_hits: u64,
    /// Blocks that had to be read from files.
    pub block_misses: u64,
    /// Rows in the row cache, which the engine has above the store.
    pub row_cache_rows: u64,
    /// Memory that they take, in bytes.
    pub row_cache_bytes: u64,
    /// Memory that they may take, in bytes.
    pub row_cache_bytes_max: u64,
    /// Gets that found their row in the row cache.
    pub row_cache_hits: u64,
    /// Gets that did not.
    pub row_cache_misses: u64,
    /// Rows that were removed from the row cache to make room.
    pub row_cache_evictions: u64,
    /// Memory that holds what is not yet in files, in bytes.
    pub write_buffer_bytes: u64,
    /// Beyond this the largest part is written out, at twice as much writes wait, in bytes.
    pub write_buffer_bytes_max: u64,
    /// Parts of that memory that wait to be written to files.
    pub flushes_waiting: u64,
    /// Files of data.
    pub files: u64,
    /// Files that were written and not yet compacted once: many of them make reads slow, and in the end writes wait.
    pub files_new: u64,
    /// Bytes of all files, journals included.
    pub disk_bytes: u64,
    /// Journals there are.
    pub journals: u64,
    /// Their bytes.
    pub journal_bytes: u64,
    /// Bytes free on the disk for whoever runs this process; `None`: that cannot be learned.
    pub disk_free_bytes: Option<u64>,
    /// Syncs of the journal, each for everybody who waited for one.
    pub syncs: u64,
    /// Compactions that run.
    pub compactions_running: u64,
    /// Compactions that have finished.
    pub compactions: u64,
    /// Time that all compactions took together.
    pub compacting: Duration,
    /// Writes that had to wait for the disk to catch up.
    pub stalls: u64,
    /// Time that they waited, all together.
    pub stalled: Duration,
    /// Writes that waited in vain, and were told to try again later.
    pub stalls_given_up: u64,
    /// Writes that wait for the disk at this moment.
    pub stalled_now: u64,
    /// Times that the store was opened anew in place after a failed write.
    pub reopened: u64,
    /// Why writes are refused, until the store has been opened anew; `None`: they are taken.
    pub failure: Option<String>,
}
