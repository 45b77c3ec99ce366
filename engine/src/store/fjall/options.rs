//! How the data folder is opened, and how a space is laid out in it.

use std::fs;
use std::sync::Arc;
use std::time::Duration;

use fjall::config::{
    BlockSizePolicy, BloomConstructionPolicy, CompressionPolicy, FilterPolicy, FilterPolicyEntry, RestartIntervalPolicy,
};
use fjall::{CompressionType, KeyspaceCreateOptions};

use crate::clock::{Clock, SystemClock};
use crate::store::SpaceOptions;

/// Bytes of one space's memory before it is written to a file; fjall's own 64 MiB are too much for hundreds of spaces.
pub(super) const MEMTABLE_BYTES: u64 = 16 << 20;

/// Pairs from one complete key of a block to the next; the keys between are stored without what they share with it. A
/// seek decodes half of them on average. With fjall's default of 16, a read of a row of one cell executes 10 % more
/// instructions (with an upper bound 36 %), and files of such rows with values of 100 bytes are 1 % smaller.
const RESTART_INTERVAL: u8 = 4;

/// What a crash of the machine may cost at most, where no other interval is given.
pub const SYNC_INTERVAL: Duration = Duration::from_secs(1);

/// How to open a data folder.
#[derive(Clone)]
pub struct StoreOptions {
    /// The time; `None`: the machine's.
    pub clock: Option<Arc<dyn Clock>>,
    /// Memory for cached blocks, in bytes; `None`: a quarter of what the machine or its control group has, 32 MiB to 8 GiB. It is taken as
    /// blocks are read, not before.
    pub cache_bytes: Option<u64>,
    /// Memory for what is not yet in files, over all spaces, in bytes. When it is exceeded the largest is written out; at twice as much
    /// writes wait.
    pub write_buffer_bytes: u64,
    /// Whether writes with `SyncWal` wait until they are on disk, as those with `FsyncWal` do.
    pub fsync: bool,
    /// How long a write that does not wait for the disk may stay unsynced; `None`: as long as the operating system likes.
    pub sync_interval: Option<Duration>,
}

impl Default for StoreOptions {
    fn default() -> Self {
        Self {
            clock: None,
            cache_bytes: None,
            write_buffer_bytes: 128 << 20,
            fsync: false,
            sync_interval: Some(SYNC_INTERVAL),
        }
    }
}

impl StoreOptions {
    pub(super) fn clock(&self) -> Arc<dyn Clock> {
        self.clock.clone().unwrap_or_else(|| Arc::new(SystemClock))
    }

    pub(super) fn cache_bytes(&self) -> u64 {
        self.cache_bytes.unwrap_or_else(|| (memory_bytes().unwrap_or(0) / 4).clamp(32 << 20, 8 << 30))
    }
}

/// What this process can have of memory; `None` where that cannot be learned.
fn memory_bytes() -> Option<u64> {
    let machine = fs::read_to_string("/proc/meminfo").ok().and_then(|text| {
        let line = text.lines().find_map(|line| line.strip_prefix("MemTotal:"))?;
        line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok().map(|kib| kib * 1024)
    });
    let group = fs::read_to_string("/sys/fs/cgroup/memory.max").ok().and_then(|text| text.trim().parse::<u64>().ok());
    machine.into_iter().chain(group).min()
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
        // fjall takes 1 KiB to 512 KiB.
        .data_block_size_policy(BlockSizePolicy::all(options.block_bytes.clamp(1 << 10, 512 << 10)))
        .data_block_restart_interval_policy(RestartIntervalPolicy::all(RESTART_INTERVAL))
        .max_memtable_size(MEMTABLE_BYTES)
}
