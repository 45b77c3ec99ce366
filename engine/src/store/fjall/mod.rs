//! The store on disk: fjall, an LSM tree with a journal, behind the store interface.
//!
//! This module adds what fjall lacks: row locks and timestamps, an error for writes to dropped spaces, backpressure
//! that waits before rows are locked, a bound on the total size of memtables, and reopening in place after a failed
//! write.
//!
//! A folder can be open only once: [`FjallStore::open`] fails if it is open in this process or another. Engines in one
//! process that open the same folder share a store; see `core`.

mod backpressure;
mod checkpoint;
mod clock_mark;
mod compaction_filter;
mod completing;
mod cursor;
mod cursors;
mod database;
mod dead_versions;
mod failure;
mod fence;
mod filter_gate;
mod flushed_memtables;
mod gathering;
mod group;
mod load;
mod long_calls;
mod open_files;
mod options;
mod pace;
mod range_merge;
mod read_merge;
mod recent_pairs;
mod reopenable_database;
mod requested_compaction;
mod rewrite;
mod row_filters;
mod row_read;
mod space;
mod statistics;
mod store;
mod super_version;
mod sync_ahead;
mod syncer;
#[cfg(test)]
mod test_database;
mod tombstones;
mod unregistered_files;
mod version_changes;

/// By how much the nice values of threads in the background are greater than that of the process.
const BACKGROUND_NICER: i32 = 10;

pub(crate) use self::backpressure::{held_by_compactions, memtables_in_use};
pub(super) use self::database::SEQUENCE_GAP;
pub(crate) use self::failure::failed_io;
pub(crate) use self::open_files::{CACHED_FILES_MAX, cached_files_max};
pub use self::options::{SYNC_INTERVAL, StoreOptions};
pub(crate) use self::row_filters::row_filters_max;
pub use self::store::FjallStore;
