//! Behaviour on a full disk, and after space has been freed.
//!
//! The child process runs under a limit on the size of files, which comes closest to a full disk and needs no
//! privileges. The journal is truncated in the middle of a commit, as on a full disk.

use std::path::Path;
use std::process::Command;

use hjall_engine::ErrorKind;
use hjall_engine::store::{FjallStore, Order, SpaceOptions, StoreOptions};
use tempfile::TempDir;

use crate::stores::{SPACE, bytes, get, in_row, pairs, put};

const FOLDER: &str = "HJALL_TEST_FULL_FOLDER";
const LIMIT_KIB: u64 = 1024;

/// Runs a test of this module in a child process, with the folder in the environment variable `FOLDER`. `limits` are
/// shell commands that set limits of the child, or empty. Returns its standard output.
fn in_child(test: &str, folder: &Path, limits: &str) -> String {
    let output = Command::new("bash")
        .arg("-c")
        // Without the trap, a write beyond the limit would end the process instead of failing.
        .arg(format!("trap '' XFSZ\n{limits}\nexec \"$0\" \"$@\""))
        .arg(std::env::current_exe().unwrap())
        .arg(format!("full_disk::{test}"))
        .args(["--exact", "--nocapture", "--test-threads=1"])
        .env(FOLDER, folder)
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// fjall refuses every write after one has failed; a server would have to be restarted.
#[test]
fn writes_succeed_after_space_is_freed() {
    if let Some(folder) = std::env::var_os(FOLDER) {
        return fill(Path::new(&folder));
    }
    let folder = TempDir::new().unwrap();
    let store = FjallStore::open(folder.path(), StoreOptions::default()).unwrap();
    store.create_space(SPACE, &SpaceOptions::default()).unwrap();
    store.close().unwrap();
    let limits = format!("ulimit -S -f {LIMIT_KIB}");
    let said = in_child("writes_succeed_after_space_is_freed", folder.path(), &limits);
    let count: usize = said.lines().find_map(|line| line.strip_prefix("written: ")?.parse().ok()).unwrap();

    let store = FjallStore::open(folder.path(), StoreOptions::default()).unwrap();
    assert_eq!(pairs(&mut *store.snapshot().unwrap().scan(SPACE, b"", b"", Order::Ascending, 9).unwrap()).len(), count);
}

/// A background flush of fjall fails without reporting the reason. Callers still get `DiskFull`, and succeed once there
/// is room again.
#[test]
fn memory_that_cannot_be_written_out_for_lack_of_room_is_a_full_disk() {
    if let Some(folder) = std::env::var_os(FOLDER) {
        return flush_without_room(Path::new(&folder));
    }
    let folder = TempDir::new().unwrap();
    in_child("memory_that_cannot_be_written_out_for_lack_of_room_is_a_full_disk", folder.path(), "");
}

/// The writes that wait for a flush learn that it has failed, and reopen the database once there is room again.
#[test]
fn writes_that_wait_for_a_flush_that_fails_are_refused() {
    if let Some(folder) = std::env::var_os(FOLDER) {
        return wait_for_a_flush_that_fails(Path::new(&folder));
    }
    let folder = TempDir::new().unwrap();
    in_child("writes_that_wait_for_a_flush_that_fails_are_refused", folder.path(), "");
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
        let began = std::time::Instant::now();
        while let Err(error) = put(&*store, "room", "w") {
            assert_eq!(error.kind(), ErrorKind::DiskFull, "{error}");
            assert!(began.elapsed().as_secs() < 60, "there has been room for a minute");
        }
    }
    let found = pairs(&mut *store.snapshot().unwrap().scan(SPACE, b"", b"", Order::Ascending, 9).unwrap());
    assert_eq!(found.len(), 61);
    store.close().unwrap();
}

fn limit_files(bytes: &str) {
    let (pid, limit) = (std::process::id().to_string(), format!("--fsize={bytes}:unlimited"));
    assert!(Command::new("prlimit").args(["--pid", &pid, &limit]).status().unwrap().success());
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
        // Opening anew is not repeated at once.
        let began = std::time::Instant::now();
        while let Err(error) = put(&*store, "room", &value) {
            assert_eq!(error.kind(), ErrorKind::DiskFull, "{error}");
            assert!(began.elapsed().as_secs() < 60, "there has been room for a minute");
        }
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

    let pid = std::process::id().to_string();
    assert!(Command::new("prlimit").args(["--pid", &pid, "--fsize=unlimited"]).status().unwrap().success());
    // The database is opened anew by a write, though not by each.
    let began = std::time::Instant::now();
    while let Err(error) = put(&*store, "room", &value) {
        assert_eq!(error.kind(), ErrorKind::DiskFull);
        assert!(began.elapsed().as_secs() < 60, "there has been room for a minute");
    }
    for extra in 0..100 {
        put(&*store, &format!("x{extra}"), &value).unwrap();
    }
    let fares = store.statistics().unwrap();
    assert!(fares.failure.is_none() && fares.reopened > 0, "{fares:?}");
    let there = pairs(&mut *store.snapshot().unwrap().scan(SPACE, b"", b"", Order::Ascending, 9).unwrap()).len();
    println!("\nwritten: {there}");
    store.close().unwrap();
}
