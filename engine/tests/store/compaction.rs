//! Compactions: what compactions drop and keep.

use std::sync::{Arc, Mutex};

use hjall_engine::ErrorKind;
use hjall_engine::store::{
    CompactionControl, CompactionFilter, CompactionFilterFactory, Order, SpaceId, SpaceOptions, Verdict,
};

use crate::eventually::eventually;
use crate::stores::{Kind, SPACE, on_disk, rest};

/// Drops keys that begin with `x`, and records the calls that it receives.
#[derive(Default, Clone)]
struct DropX {
    asked: Arc<Mutex<Vec<(SpaceId, bool)>>>,
    filtered: Arc<Mutex<Vec<(String, String)>>>,
}

struct DropXFilter(DropX);

impl CompactionFilterFactory for DropX {
    fn make_filter(&self, space: SpaceId, whole: bool) -> Option<Box<dyn CompactionFilter>> {
        self.asked.lock().unwrap().push((space, whole));
        Some(Box::new(DropXFilter(self.clone())))
    }
}

impl CompactionFilter for DropXFilter {
    fn filter(&mut self, key: &[u8], value: &[u8]) -> Verdict {
        let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
        self.0.filtered.lock().unwrap().push((text(key), text(value)));
        if key.starts_with(b"x") { Verdict::Drop } else { Verdict::Keep }
    }
}

fn fill(kind: &Kind) {
    for key in ["a", "x1", "x2", "z"] {
        kind.put(key, "v");
    }
}

/// The schema is known only after the store has been opened: compactions before must not guess.
pub fn without_a_filter_everything_is_kept(kind: &Kind) {
    fill(kind);
    kind.store.compact(SPACE, true).unwrap();
    assert_eq!(kind.keys(), ["a", "x1", "x2", "z"]);
}

pub fn pairs_that_the_filter_drops_are_removed(kind: &Kind) {
    fill(kind);
    let filters = DropX::default();
    kind.store.set_compaction_filters(Arc::new(filters.clone()));
    kind.store.compact(SPACE, true).unwrap();
    assert_eq!(kind.keys(), ["a", "z"]);
    assert_eq!(kind.get("x1"), None);
    let filtered: Vec<_> = filters.filtered.lock().unwrap().iter().map(|(key, _)| key.clone()).collect();
    assert_eq!(filtered, ["a", "x1", "x2", "z"], "in the order of the keys");
    kind.put("x1", "again");
    assert_eq!(kind.get("x1").unwrap(), "again");
}

pub fn only_a_major_compaction_is_whole(kind: &Kind) {
    fill(kind);
    let filters = DropX::default();
    kind.store.set_compaction_filters(Arc::new(filters.clone()));
    kind.store.compact(SPACE, false).unwrap();
    assert!(!filters.asked.lock().unwrap().iter().any(|(_, whole)| *whole));
    kind.store.compact(SPACE, true).unwrap();
    assert_eq!(filters.asked.lock().unwrap().last(), Some(&(SPACE, true)));
}

/// A version that is counted twice makes its column look as if it had more versions than it has.
pub fn an_overwritten_key_is_filtered_once(kind: &Kind) {
    for round in 0..3 {
        for key in ["a", "b"] {
            kind.put(key, &round.to_string());
        }
        kind.store.flush(SPACE).unwrap();
    }
    let held = kind.store.snapshot().unwrap();
    let filters = DropX::default();
    kind.store.set_compaction_filters(Arc::new(filters.clone()));
    kind.store.compact(SPACE, true).unwrap();
    let filtered = filters.filtered.lock().unwrap().clone();
    assert_eq!(filtered, [("a", "2"), ("b", "2")].map(|(key, value)| (key.to_owned(), value.to_owned())));
    assert_eq!(held.get(SPACE, b"a").unwrap().unwrap(), "2");
}

pub fn a_snapshot_keeps_what_is_dropped(kind: &Kind) {
    fill(kind);
    kind.store.set_compaction_filters(Arc::new(DropX::default()));
    let snapshot = kind.store.snapshot().unwrap();
    let mut cursor = kind.scan("", "", Order::Ascending);
    for _ in 0..2 {
        kind.store.compact(SPACE, true).unwrap();
    }
    kind.put("b", "later");
    assert_eq!(rest(&mut *cursor), ["a", "x1", "x2", "z"]);
    assert_eq!(snapshot.get(SPACE, b"x2").unwrap().unwrap(), "v");
    assert_eq!(rest(&mut *snapshot.scan(SPACE, b"x", b"y", Order::Descending, 2).unwrap()), ["x2", "x1"]);
    assert_eq!(kind.keys(), ["a", "b", "z"]);
}

pub fn a_compaction_that_is_cancelled_before_it_begins_does_nothing(kind: &Kind) {
    fill(kind);
    kind.store.set_compaction_filters(Arc::new(DropX::default()));
    let control = Arc::new(CompactionControl::default());
    control.stop();
    let error = kind.store.compact_with(SPACE, true, &control).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Cancelled, "{error}");
    assert_eq!(kind.keys(), ["a", "x1", "x2", "z"]);
}

/// Stops a compaction after some pairs, and keeps all of them.
struct StopAfter(usize, Arc<CompactionControl>);

impl CompactionFilterFactory for StopAfter {
    fn make_filter(&self, _: SpaceId, _: bool) -> Option<Box<dyn CompactionFilter>> {
        Some(Box::new(StopAfter(self.0, self.1.clone())))
    }
}

impl CompactionFilter for StopAfter {
    fn filter(&mut self, _: &[u8], _: &[u8]) -> Verdict {
        self.0 -= 1;
        if self.0 == 0 {
            self.1.stop();
        }
        Verdict::Drop
    }
}

/// The size of the files of the space under test.
fn bytes_on_disk(kind: &Kind) -> u64 {
    let path = kind.folder().join("data/keyspaces");
    let size = |path: std::path::PathBuf| {
        let files = std::fs::read_dir(path.join("tables")).unwrap();
        files.map(|file| file.unwrap().metadata().map_or(0, |file| file.len())).sum::<u64>()
    };
    std::fs::read_dir(path).unwrap().map(|entry| size(entry.unwrap().path())).sum()
}

/// Writes pairs of 10 kB each, whose keys begin with `x`, and flushes them.
fn fill_much(kind: &Kind, count: usize) {
    for n in 0..count {
        kind.put(&format!("x{n:06}"), &format!("{n:010}").repeat(1000));
    }
    kind.store.flush(SPACE).unwrap();
}

#[test]
fn a_stopped_compaction_changes_nothing_and_leaves_no_files() {
    let kind = on_disk();
    fill_much(&kind, 3000);
    let before = bytes_on_disk(&kind);
    let control = Arc::new(CompactionControl::default());
    kind.store.set_compaction_filters(Arc::new(StopAfter(2000, control.clone())));
    let error = kind.store.compact_with(SPACE, true, &control).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Cancelled, "{error}");
    assert!(control.read_bytes() > 10_000_000, "{}", control.read_bytes());
    assert_eq!(kind.keys().len(), 3000);
    // The mark is in a file now, too.
    assert!(bytes_on_disk(&kind) < before + 10_000, "{} after {before}", bytes_on_disk(&kind));
    put_and_compact_again(&kind);
}

/// Otherwise writes would fail until the files of the compaction are removed.
#[cfg(unix)]
#[test]
fn a_compaction_leaves_room_on_the_disk_for_writes() {
    let kind = on_disk();
    fill_much(&kind, 300);
    let before = bytes_on_disk(&kind);
    let control = Arc::new(CompactionControl::default());
    control.keep_free(u64::MAX);
    let compress = SpaceOptions { compress: true, ..SpaceOptions::default() };
    let error = kind.store.compact_with(SPACE, true, &control).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::DiskFull, "{error}");
    let error = kind.store.change_options(SPACE, &compress, &control).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::DiskFull, "{error}");
    assert_eq!(kind.store.statistics().unwrap().reopened, 0);
    assert!(bytes_on_disk(&kind) < before + 100_000, "{} after {before}", bytes_on_disk(&kind));
    put_and_compact_again(&kind);
}

fn put_and_compact_again(kind: &Kind) {
    kind.put("z", "v");
    kind.store.set_compaction_filters(Arc::new(DropX::default()));
    kind.store.compact(SPACE, true).unwrap();
    assert_eq!(kind.keys(), ["z"]);
}

/// Without a write that would make fjall look for files to remove.
#[test]
fn what_a_major_compaction_drops_leaves_the_disk() {
    let kind = on_disk();
    fill_much(&kind, 300);
    assert!(bytes_on_disk(&kind) > 1_000_000, "{}", bytes_on_disk(&kind));
    kind.store.set_compaction_filters(Arc::new(DropX::default()));
    kind.store.compact(SPACE, true).unwrap();
    eventually("what was dropped leaves the disk", || bytes_on_disk(&kind) <= 100_000);
}

#[test]
fn a_paced_compaction_takes_its_time() {
    let kind = on_disk();
    fill_much(&kind, 100);
    let control = Arc::new(CompactionControl::default());
    control.set_pace(Some(2_000_000));
    let began = std::time::Instant::now();
    kind.store.compact_with(SPACE, true, &control).unwrap();
    assert!(began.elapsed().as_millis() >= 300, "1 MB at 2 MB/s took {:?}", began.elapsed());
}
