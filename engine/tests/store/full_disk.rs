//! Behaviour on a full disk, and after space has been freed. Each test runs in a child process with a limit on the size
//! of files.

use std::path::Path;

use hjall_engine::ErrorKind;
use hjall_engine::store::{FjallStore, Order, SpaceOptions, Store, StoreOptions};
use tempfile::TempDir;

use crate::eventually::eventually;
use crate::file_limit::{folder_of_child, in_child, limit_files};
use crate::stores::{SPACE, bytes, get, in_row, pairs, put};

const LIMIT_KIB: u64 = 1024;

/// fjall refuses every write after one has failed; a server would have to be restarted.
#[test]
fn writes_succeed_after_space_is_freed() {
    if let Some(folder) = folder_of_child() {
        return fill(&folder);
    }
    let folder = TempDir::new().unwrap();
    let store = FjallStore::open(folder.path(), StoreOptions::default()).unwrap();
    store.create_space(SPACE, &SpaceOptions::default()).unwrap();
    store.close().unwrap();
    let limits = format!("ulimit -S -f {LIMIT_KIB}");
    let said = in_child("full_disk::writes_succeed_after_space_is_freed", folder.path(), &limits);
    let count: usize = said.lines().find_map(|line| line.strip_prefix("written: ")?.parse().ok()).unwrap();

    let store = FjallStore::open(folder.path(), StoreOptions::default()).unwrap();
    assert_eq!(pairs(&mut *store.snapshot().unwrap().scan(SPACE, b"", b"", Order::Ascending, 9).unwrap()).len(), count);
}

/// A background flush of fjall fails without reporting the reason. Callers still get `DiskFull`, and succeed once there
/// is room again.
#[test]
fn memory_that_cannot_be_written_out_for_lack_of_room_is_a_full_disk() {
    if let Some(folder) = folder_of_child() {
        return flush_without_room(&folder);
    }
    let folder = TempDir::new().unwrap();
    in_child("full_disk::memory_that_cannot_be_written_out_for_lack_of_room_is_a_full_disk", folder.path(), "");
}

/// The writes that wait for a flush learn that it has failed, and reopen the database once there is room again.
#[test]
fn writes_that_wait_for_a_flush_that_fails_are_refused() {
    if let Some(folder) = folder_of_child() {
        return wait_for_a_flush_that_fails(&folder);
    }
    let folder = TempDir::new().unwrap();
    in_child("full_disk::writes_that_wait_for_a_flush_that_fails_are_refused", folder.path(), "");
}

/// Writes, again and again while the store says that the disk is full: it does not try to reopen each time.
fn put_once_there_is_room(store: &dyn Store, value: &str) {
    eventually("a write succeeds, because there is room", || match put(store, "room", value) {
        Ok(()) => true,
        Err(error) => {
            assert_eq!(error.kind(), ErrorKind::DiskFull, "{error}");
            false
        }
    });
}

fn wait_for_a_flush_that_fails(folder: &Path) {
    let options = StoreOptions { write_buffer_bytes: 1 << 20, ..StoreOptions::default() };
    let store = FjallStore::open(folder, options).unwrap();
    store.create_space(SPACE, &SpaceOptions::default()).unwrap();
    // The journal compresses such values, so that it stays below the limit. Together they exceed what may be in memory.
    let value = bytes(&"v".repeat(100_000));
    for round in 0..2 {
        limit_files("1000000");
        in_row(&*store, "r", |t| (0..30).for_each(|n| t.put(SPACE, bytes(&format!("{round}{n:02}")), value.clone())))
            .unwrap();
        let error = put(&*store, "more", "w").unwrap_err();
        assert_eq!(error.kind(), ErrorKind::DiskFull, "{error}");
        limit_files("unlimited");
        put_once_there_is_room(&*store, "w");
    }
    let found = pairs(&mut *store.snapshot().unwrap().scan(SPACE, b"", b"", Order::Ascending, 9).unwrap());
    assert_eq!(found.len(), 61);
    store.close().unwrap();
}

/// The last step of a change of options may have taken effect although it failed: what is in the journal's buffer is
/// written when the database is reopened.
#[test]
fn a_change_of_options_whose_last_step_fails_loses_nothing() {
    if let Some(folder) = folder_of_child() {
        return change_options_without_room(&folder);
    }
    let folder = TempDir::new().unwrap();
    in_child("full_disk::a_change_of_options_whose_last_step_fails_loses_nothing", folder.path(), "");
    let store = FjallStore::open(folder.path(), StoreOptions::default()).unwrap();
    assert_eq!(get(&*store, "row").unwrap(), "value");
    store.close().unwrap();
}

fn change_options_without_room(folder: &Path) {
    let store = FjallStore::open(folder, StoreOptions::default()).unwrap();
    store.create_space(SPACE, &SpaceOptions::default()).unwrap();
    store.create_space(SPACE + 1, &SpaceOptions::default()).unwrap();
    put(&*store, "row", "value").unwrap();
    // The journal becomes longer than the limit.
    let values = (0..30_u32).map(|n| {
        bytes(&(0..2500).map(|at| format!("{:x}", (at * 2_654_435_761_u64) ^ u64::from(n))).collect::<String>())
    });
    for (n, value) in values.enumerate() {
        in_row(&*store, "r", |t| t.put(SPACE + 1, bytes(&format!("{n:04}")), value.clone())).unwrap();
    }
    let options = SpaceOptions { compress: true, ..SpaceOptions::default() };
    limit_files("100000");
    let error = store.change_options(SPACE, &options, &Default::default()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::DiskFull, "{error}");
    limit_files("unlimited");
    put_once_there_is_room(&*store, "w");
    assert_eq!(get(&*store, "row").unwrap(), "value");
    store.change_options(SPACE, &options, &Default::default()).unwrap();
    assert_eq!(get(&*store, "row").unwrap(), "value");
    store.close().unwrap();
}

fn flush_without_room(folder: &Path) {
    let store = FjallStore::open(folder, StoreOptions::default()).unwrap();
    store.create_space(SPACE, &SpaceOptions::default()).unwrap();
    let value = "v".repeat(1000);
    for n in 0..4_000 {
        put(&*store, &format!("{n:04}"), &value).unwrap();
    }
    for _ in 0..3 {
        limit_files("1000000");
        let error = store.flush(SPACE).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::DiskFull, "{error}");
        assert_eq!(store.flush(SPACE).unwrap_err().kind(), ErrorKind::DiskFull);
        limit_files("unlimited");
        // Reopening is not repeated at once.
        put_once_there_is_room(&*store, &value);
        in_row(&*store, "r", |t| (0..4_000).for_each(|n| t.put(SPACE, bytes(&n.to_string()), bytes(&value)))).unwrap();
    }
    assert_eq!(get(&*store, "0000").unwrap(), value);
    store.close().unwrap();
}

fn fill(folder: &Path) {
    let store = FjallStore::open(folder, StoreOptions::default()).unwrap();
    let value = "v".repeat(1000);
    put(&*store, "0000", &value).unwrap();
    let snapshot = store.snapshot().unwrap();
    let mut cursor = snapshot.scan(SPACE, b"", b"", Order::Ascending, 1).unwrap();
    let mut written = 1;
    let error = loop {
        match put(&*store, &format!("{written:04}"), &value) {
            Ok(()) => written += 1,
            Err(error) => break error,
        }
        assert!(written < 2 * LIMIT_KIB, "the limit was never met");
    };
    assert_eq!(error.kind(), ErrorKind::DiskFull, "{error}");
    match cursor.next() {
        Ok(pair) => assert_eq!(pair.unwrap().0, "0000"),
        Err(error) => assert_eq!(error.kind(), ErrorKind::Stale),
    }
    assert_eq!(put(&*store, "again", &value).unwrap_err().kind(), ErrorKind::DiskFull);
    assert_eq!(get(&*store, "0000").unwrap(), value, "reading goes on");
    assert!(store.statistics().unwrap().failure.is_some(), "whoever watches it learns of it");
    let there = pairs(&mut *store.snapshot().unwrap().scan(SPACE, b"", b"", Order::Ascending, 9).unwrap()).len() as u64;
    assert!(there == written || there == written + 1, "{there} there, {written} acknowledged");

    limit_files("unlimited");
    // A write reopens the database, but not every write does.
    put_once_there_is_room(&*store, &value);
    for extra in 0..100 {
        put(&*store, &format!("x{extra}"), &value).unwrap();
    }
    let figures = store.statistics().unwrap();
    assert!(figures.failure.is_none() && figures.reopened > 0, "{figures:?}");
    let there = pairs(&mut *store.snapshot().unwrap().scan(SPACE, b"", b"", Order::Ascending, 9).unwrap()).len();
    println!("\nwritten: {there}");
    store.close().unwrap();
}
