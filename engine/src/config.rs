//! Settings of an engine, with HBase's defaults.

use std::sync::Arc;
use std::time::Duration;

use crate::clock::Clock;
use crate::store::StoreOptions;

/// The default size of the row cache, in bytes.
const ROW_CACHE_BYTES: usize = 64 << 20;

/// Options for opening a database.
#[derive(Clone, Default)]
pub struct Options {
    /// The source of time; `None`: the machine's clock.
    pub clock: Option<Arc<dyn Clock>>,
    /// The size of the block cache, in bytes; `None`: a share of the machine's memory. The row cache takes an eighth of
    /// it in addition (`None`: 64 MiB).
    pub cache_bytes: Option<u64>,
    /// The size of the write buffers of all tables together, in bytes; `None`: 128 MiB. Beyond it the largest one is
    /// flushed; at twice the size writes wait.
    pub write_buffer_bytes: Option<u64>,
    /// Whether writes wait until they are on disk, as with `FSYNC_WAL`, unless they request a weaker durability
    /// (HBase's `hbase.wal.hsync`).
    pub fsync: bool,
    /// The longest time for which a write that does not wait for the disk stays unsynced; `None`: 1 s. Zero: the
    /// operating system decides.
    pub sync_interval: Option<Duration>,
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
    /// The size of the row cache, in bytes.
    pub(crate) fn row_cache_bytes(&self) -> usize {
        self.cache_bytes.map_or(ROW_CACHE_BYTES, |bytes| usize::try_from(bytes / 8).unwrap_or(usize::MAX))
    }

    /// The options of the store.
    pub(crate) fn for_store(&self) -> StoreOptions {
        let default = StoreOptions::default();
        StoreOptions {
            clock: self.clock.clone(),
            cache_bytes: self.cache_bytes,
            write_buffer_bytes: self.write_buffer_bytes.unwrap_or(default.write_buffer_bytes),
            fsync: self.fsync,
            sync_interval: match self.sync_interval {
                None => default.sync_interval,
                Some(interval) => Some(interval).filter(|interval| !interval.is_zero()),
            },
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
            && self.write_buffer_bytes == other.write_buffer_bytes
            && self.fsync == other.fsync
            && self.sync_interval == other.sync_interval
            && self.limits == other.limits
    }
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
