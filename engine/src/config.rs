//! Settings of an engine, with HBase's defaults.

use std::sync::Arc;
use std::time::Duration;

use crate::clock::Clock;
use crate::store::StoreOptions;

/// Memory for rows that are read often, where nothing is said of caches.
const ROW_CACHE_BYTES: usize = 64 << 20;

/// How to open a database.
#[derive(Clone, Default)]
pub struct Options {
    /// The time; the machine's by default.
    pub clock: Option<Arc<dyn Clock>>,
    /// Memory for cached blocks, in bytes; `None`: a share of the machine's. Rows that are read often take an eighth of it on top (`None`: 64 MiB).
    pub cache_bytes: Option<u64>,
    /// Memory for what is not yet in files, over all tables, in bytes; `None`: 128 MiB. Beyond it the largest part is written out; at twice
    /// as much writes wait.
    pub write_buffer_bytes: Option<u64>,
    /// Whether every write that is not explicitly weaker waits until it is on disk, as with `FSYNC_WAL` (HBase's `hbase.wal.hsync`).
    pub fsync: bool,
    /// How long a write that does not wait for the disk may stay unsynced; `None`: 1 s. Zero: as long as the operating system likes.
    pub sync_interval: Option<Duration>,
    /// How large cells may be.
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
    /// Memory for rows that are read often.
    pub(crate) fn row_cache_bytes(&self) -> usize {
        self.cache_bytes.map_or(ROW_CACHE_BYTES, |bytes| usize::try_from(bytes / 8).unwrap_or(usize::MAX))
    }

    /// What the store needs to know.
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

    /// Whether two openings of one folder can share it. A clock cannot be compared: only the same one is equal.
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

/// How large a cell may be, in bytes. 0 or less: without limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// What HBase's client refuses in a put (`hbase.client.keyvalue.maxsize`): a cell's serialised length.
    pub client_cell_bytes: i64,
    /// What HBase's servers refuse (`hbase.server.keyvalue.maxsize`): that length and 4.
    pub server_cell_bytes: i64,
}

impl Default for Limits {
    fn default() -> Self {
        Self { client_cell_bytes: 10 * 1024 * 1024, server_cell_bytes: 10 * 1024 * 1024 }
    }
}
