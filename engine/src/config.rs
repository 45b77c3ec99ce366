//! Options of a database, and limits on cells.

use std::sync::Arc;
use std::time::Duration;

use crate::clock::Clock;
use crate::error::{Error, Result};
use crate::key;
use crate::store::{
    CACHED_FILES_MAX, StoreOptions, cached_files_max, held_by_compactions, memory_bytes, memtables_in_use,
    row_filters_max,
};

/// The least memory for the row cache if the size of neither cache is set.
const ROW_CACHE_BYTES_MIN: u64 = 96 << 20;

/// The largest size of a cache.
const CACHE_BYTES_MAX: u64 = 1 << 40;

/// The memory of a backup, without what it reads from journals, in bytes: the blocks whose keys are in the index of the
/// file being written, of at most 64 MiB, its block cache, and pairs that wait to be written.
const COPY_BYTES: u64 = 96 << 20;

/// Options for opening a database.
#[derive(Clone, Default)]
pub struct Options {
    /// The source of time; `None`: the machine's clock.
    pub clock: Option<Arc<dyn Clock>>,
    /// Maximum memory for cached blocks, in bytes. `None`: a quarter of the memory of the machine or control group, 32
    /// MiB to 8 GiB.
    pub cache_bytes: Option<u64>,
    /// Maximum memory for the row cache, in bytes. 0 switches it off. `None`: an eighth of `cache_bytes`. If that
    /// is `None` as well, an eighth of its default, and at least 96 MiB.
    pub row_cache_bytes: Option<u64>,
    /// Memory for data that is not yet in files, over all tables, in bytes. Above it the largest part is flushed; at
    /// twice as much, writes wait. `None`: 128 MiB.
    pub write_buffer_bytes: Option<u64>,
    /// Maximum memory for the descriptors of tables and namespaces, in bytes, as the engine estimates it. Beyond that,
    /// none can be added or extended; what is stored stays readable. `None`: no limit.
    pub catalog_bytes: Option<u64>,
    /// Whether writes wait until they are on disk, as with `FSYNC_WAL`, unless they request a weaker durability
    /// (HBase's `hbase.wal.hsync`).
    pub fsync: bool,
    /// The longest time for which a write that does not wait for the disk stays unsynced; `None`: 1 s. Zero: the
    /// operating system decides.
    pub sync_interval: Option<Duration>,
    /// The number of data files that are kept open. `None`: a quarter of the descriptors that the process may have, and
    /// at most 400.
    pub open_files: Option<usize>,
    /// Whether to open the database for reading only, as of the moment of opening. Another process may have it open
    /// and write. Nothing in its folder is changed, and every change fails with `ReadOnly`.
    ///
    /// The opening makes a temporary copy of the folder, in which the files of tables are links if the system's folder
    /// for temporary files or the parent of the data folder is on the same file system. It is removed when the database
    /// is closed; that of a process that was killed, by the next opening for reading only.
    pub read_only: bool,
    /// Limits on the size of cells.
    pub limits: Limits,
}

impl std::fmt::Debug for Options {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Options")
            .field("cache_bytes", &self.cache_bytes)
            .field("limits", &self.limits)
            .finish_non_exhaustive()
    }
}

impl Options {
    /// The memory of this machine or of the control group of this process, in bytes. `None` if it is unknown.
    pub fn machine_memory() -> Option<u64> {
        memory_bytes()
    }

    /// The default of [`Self::open_files`] for this process.
    pub fn default_open_files() -> usize {
        cached_files_max()
    }

    /// The largest value of [`Self::default_open_files`], that of a process which may open any number of files.
    pub fn default_open_files_max() -> usize {
        CACHED_FILES_MAX
    }

    /// Checks the sizes of the caches. A cache allocates a small part of its size when it is created.
    ///
    /// # Errors
    /// `InvalidArgument`: a size exceeds 1 TiB.
    pub(crate) fn check(&self) -> Result<()> {
        for (name, bytes) in [("cache_bytes", self.cache_bytes), ("row_cache_bytes", self.row_cache_bytes)] {
            if let Some(bytes) = bytes.filter(|bytes| *bytes > CACHE_BYTES_MAX) {
                return Err(Error::invalid(format!(
                    "{name} is {bytes}, more than the largest size of a cache, {CACHE_BYTES_MAX} (1 TiB); give the \
                     number of bytes of memory that the cache may use"
                )));
            }
        }
        Ok(())
    }

    /// The memory that these options allow on this machine.
    pub fn memory_limits(&self) -> MemoryLimits {
        MemoryLimits {
            block_cache: self.for_store().cache_bytes(),
            row_filters: row_filters_max(self.for_store().cache_bytes()),
            row_cache: self.row_cache_limit(),
            write_buffer: self.write_buffer_limit().saturating_mul(2),
            in_use: memtables_in_use(self.write_buffer_limit()),
            compactions: held_by_compactions(),
            backups: self.write_buffer_limit().saturating_mul(2).saturating_add(COPY_BYTES),
        }
    }

    /// Maximum memory for the row cache, in bytes.
    pub(crate) fn row_cache_limit(&self) -> u64 {
        self.row_cache_bytes.or(self.cache_bytes.map(|bytes| bytes / 8)).unwrap_or_else(|| {
            let share = self.for_store().cache_bytes() / 8;
            // A whole number of MiB, which is easier to read.
            (share >> 20 << 20).max(ROW_CACHE_BYTES_MIN)
        })
    }

    /// The memory for data that is not yet in files above which the largest part is flushed, in bytes.
    pub fn write_buffer_limit(&self) -> u64 {
        self.write_buffer_bytes.unwrap_or(StoreOptions::default().write_buffer_bytes)
    }

    /// The options for opening the copy that a backup has made of a database.
    pub(crate) fn for_copy() -> Self {
        let StoreOptions { cache_bytes, write_buffer_bytes, open_files, .. } = StoreOptions::for_copy();
        let write_buffer_bytes = Some(write_buffer_bytes);
        Self { cache_bytes, row_cache_bytes: Some(0), write_buffer_bytes, open_files, ..Self::default() }
    }

    /// The options of the store.
    pub(crate) fn for_store(&self) -> StoreOptions {
        let default = StoreOptions::default();
        StoreOptions {
            clock: self.clock.clone(),
            cache_bytes: self.cache_bytes,
            write_buffer_bytes: self.write_buffer_limit(),
            fsync: self.fsync,
            sync_interval: match self.sync_interval {
                None => default.sync_interval,
                Some(interval) => Some(interval).filter(|interval| !interval.is_zero()),
            },
            open_files: self.open_files,
            read_only: self.read_only,
            row_prefix: Some(|key| key::row_prefix_len(key).ok()),
            is_backup: false,
        }
    }

    /// Whether two openings of one folder can share the database. Clocks are compared by identity.
    pub(crate) fn same(&self, other: &Self) -> bool {
        let clocks = match (&self.clock, &other.clock) {
            (None, None) => true,
            (Some(a), Some(b)) => Arc::ptr_eq(a, b),
            _ => false,
        };
        clocks
            && self.cache_bytes == other.cache_bytes
            && self.row_cache_bytes == other.row_cache_bytes
            && self.write_buffer_bytes == other.write_buffer_bytes
            && self.catalog_bytes == other.catalog_bytes
            && self.fsync == other.fsync
            && self.sync_interval == other.sync_interval
            && self.open_files == other.open_files
            && self.limits == other.limits
    }
}

/// The memory that the caches and buffers of a database can take, in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MemoryLimits {
    /// Cached blocks. A database in memory has none.
    pub block_cache: u64,
    /// Filters of rows. A database in memory has none.
    pub row_filters: u64,
    /// The row cache.
    pub row_cache: u64,
    /// Data that is not yet in files. Writes wait at this size, which is twice [`Options::write_buffer_bytes`].
    pub write_buffer: u64,
    /// Data that is in files and still in memory, because a compaction uses it or fjall has not released it yet.
    pub in_use: u64,
    /// Blocks of files that compactions have read.
    pub compactions: u64,
    /// The copy that a backup writes: blocks of the files that it has read until a file of it is complete, and, for an
    /// incremental backup, the data of the database that is not yet in files.
    pub backups: u64,
}

/// Limits on the size of a cell, in bytes. 0 or less: no limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// The largest serialised length of a cell in a put, checked by HBase's client (`hbase.client.keyvalue.maxsize`).
    pub client_cell_bytes: i64,
    /// The largest serialised length of a cell plus 4, checked by HBase's servers (`hbase.server.keyvalue.maxsize`).
    pub server_cell_bytes: i64,
}

impl Default for Limits {
    fn default() -> Self {
        Self { client_cell_bytes: 10 * 1024 * 1024, server_cell_bytes: 10 * 1024 * 1024 }
    }
}
