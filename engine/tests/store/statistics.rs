//! Store statistics.

use std::sync::Arc;

use hjall_engine::clock::ManualClock;
use hjall_engine::store::{FjallStore, SpaceOptions, StoreOptions};
use tempfile::TempDir;

use crate::stores::{BEGIN_MS, Kind, SPACE, get, options, put};

pub fn the_spaces_are_counted(kind: &Kind) {
    let store = &kind.store;
    let before = store.statistics().unwrap();
    store.create_space(77, &SpaceOptions::default()).unwrap();
    let after = store.statistics().unwrap();
    assert_eq!(after.spaces, before.spaces + 1);
    assert_eq!((after.failure, after.stalled_now), (None, 0));
    store.close().unwrap();
    assert!(store.statistics().is_err(), "a closed store has no statistics");
}

/// Statistics that never change would be misleading.
#[test]
fn statistics_follow_writes_flushes_and_reads() {
    let folder = TempDir::new().unwrap();
    let clock = Arc::new(ManualClock::at(BEGIN_MS));
    let options = StoreOptions { cache_bytes: Some(1 << 20), ..options(&clock) };
    let store = FjallStore::open(folder.path(), options).unwrap();
    store.create_space(SPACE, &SpaceOptions::default()).unwrap();
    let empty = store.statistics().unwrap();
    assert_eq!((empty.cache_bytes_max, empty.write_buffer_bytes_max), (1 << 20, 128 << 20));
    assert!(empty.disk_free_bytes.unwrap() > 0);
    put(&*store, "row", &"v".repeat(100_000)).unwrap();
    let written = store.statistics().unwrap();
    assert!(written.write_buffer_bytes >= empty.write_buffer_bytes + 100_000, "{written:?}");
    assert!(written.journal_bytes > 0 && written.journals > 0, "{written:?}");
    store.flush(SPACE).unwrap();
    let flushed = store.statistics().unwrap();
    // Whether it still counts as new is up to the compactions behind it.
    assert_eq!(flushed.files, empty.files + 1, "{flushed:?}");
    get(&*store, "row").unwrap();
    get(&*store, "row").unwrap();
    let read = store.statistics().unwrap();
    assert!(read.block_misses + read.block_hits > flushed.block_misses + flushed.block_hits, "{read:?}");
    put(&*store, "another row", "v").unwrap();
    store.flush(SPACE).unwrap();
    store.compact(SPACE, true).unwrap();
    // A major compaction seals the memtable of the catalog, too, whose new file may be counted already.
    let compacted = store.statistics().unwrap();
    assert!(compacted.files_new <= empty.files_new + 1, "{compacted:?}");
}
