//! Options of a data folder, and fjall's options for a space.

use std::sync::Arc;
use std::time::Duration;

use fjall::config::{
    BlockSizePolicy, BloomConstructionPolicy, CompressionPolicy, FilterPolicy, FilterPolicyEntry, RestartIntervalPolicy,
};
use fjall::{CompressionType, KeyspaceCreateOptions};

use crate::clock::{Clock, SystemClock};
use crate::store::machine_memory::memory_bytes;
use crate::store::{RowPrefix, SpaceOptions};

/// The size at which the memtable of a space is flushed, in bytes. fjall's default of 64 MiB is too large for hundreds
/// of spaces.
pub(super) const MEMTABLE_BYTES: u64 = 16 << 20;

/// The restart interval of data blocks: one key of each interval is stored completely, the others without the prefix
/// that they share with it. A seek decodes half an interval on average. With fjall's default of 16, a read of a row of
/// one cell executes 10 % more instructions (with an upper bound 36 %), and files of such rows with values of 100 bytes
/// are 1 % smaller.
const RESTART_INTERVAL: u8 = 4;

/// The default of [`StoreOptions::sync_interval`].
pub const SYNC_INTERVAL: Duration = Duration::from_secs(1);

/// The options of [`StoreOptions::for_copy`].
const COPY_CACHE_BYTES: u64 = 8 << 20;
const COPY_WRITE_BUFFER_BYTES: u64 = 16 << 20;
const COPY_OPEN_FILES: usize = 4;

/// Options of a store in a data folder.
#[derive(Clone)]
pub struct StoreOptions {
    /// The source of time. `None` means the machine's clock.
    pub clock: Option<Arc<dyn Clock>>,
    /// The size of the block cache, in bytes. `None` means a quarter of the memory of the machine or its control group,
    /// within 32 MiB and 8 GiB. Memory is allocated as blocks are read.
    pub cache_bytes: Option<u64>,
    /// The total size of all memtables, in bytes, above which the largest are flushed. At twice this size, writes wait.
    pub write_buffer_bytes: u64,
    /// Whether writes with `SyncWal` wait for a sync, as those with `FsyncWal` do.
    pub fsync: bool,
    /// The time after which a write that does not wait for a sync is synced in the background. `None` leaves it to the
    /// operating system.
    pub sync_interval: Option<Duration>,
    /// The number of data files that are kept open. `None` means a quarter of the descriptors that the process may
    /// have, and at most 400.
    pub open_files: Option<usize>,
    /// Whether to open the folder for reading only; see [`FjallStore::open`](super::FjallStore::open).
    pub read_only: bool,
    /// Finds the row in a key. `None`: reads of rows search all files.
    pub row_prefix: Option<RowPrefix>,
    /// Whether the folder is a copy that a backup makes. Replaying its journals is not worth a line in the log.
    pub is_backup: bool,
}

impl Default for StoreOptions {
    fn default() -> Self {
        Self {
            clock: None,
            cache_bytes: None,
            write_buffer_bytes: 128 << 20,
            fsync: false,
            sync_interval: Some(SYNC_INTERVAL),
            open_files: None,
            read_only: false,
            row_prefix: None,
            is_backup: false,
        }
    }
}

impl StoreOptions {
    /// The options for opening the copy that a backup writes: it must not take much memory or many descriptors, which
    /// belong to the database that is copied.
    pub(crate) fn for_copy() -> Self {
        Self {
            cache_bytes: Some(COPY_CACHE_BYTES),
            write_buffer_bytes: COPY_WRITE_BUFFER_BYTES,
            open_files: Some(COPY_OPEN_FILES),
            is_backup: true,
            ..Self::default()
        }
    }

    pub(super) fn clock(&self) -> Arc<dyn Clock> {
        self.clock.clone().unwrap_or_else(|| Arc::new(SystemClock))
    }

    pub(crate) fn cache_bytes(&self) -> u64 {
        self.cache_bytes.unwrap_or_else(|| {
            let quarter = memory_bytes().unwrap_or(0) / 4;
            // Whole MiB, for display.
            (quarter >> 20 << 20).clamp(32 << 20, 8 << 30)
        })
    }
}

/// fjall's options for a space.
pub(super) fn keyspace(options: &SpaceOptions) -> KeyspaceCreateOptions {
    let compression = if options.compress { CompressionType::Lz4 } else { CompressionType::None };
    let filter = if options.bloom {
        FilterPolicy::new([
            FilterPolicyEntry::Bloom(BloomConstructionPolicy::FalsePositiveRate(0.0001)),
            FilterPolicyEntry::Bloom(BloomConstructionPolicy::BitsPerKey(10.0)),
        ])
    } else {
        FilterPolicy::disabled()
    };
    KeyspaceCreateOptions::default()
        .data_block_compression_policy(CompressionPolicy::all(compression))
        .filter_policy(filter)
        // fjall accepts 1 KiB to 512 KiB.
        .data_block_size_policy(BlockSizePolicy::all(options.block_bytes.clamp(1 << 10, 512 << 10)))
        .data_block_restart_interval_policy(RestartIntervalPolicy::all(RESTART_INTERVAL))
        .max_memtable_size(MEMTABLE_BYTES)
}
