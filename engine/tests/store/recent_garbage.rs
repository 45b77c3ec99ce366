//! What flushes drop: pairs that the filter rejects, among those that were written since the last flush.

use std::sync::Arc;

use bytes::Bytes;
use hjall_engine::store::{
    CompactionFilter, CompactionFilterFactory, FjallStore, Pair, RECENT_PAIR_BYTES, SpaceId, SpaceOptions,
};
use hjall_engine::{ErrorKind, Result};

use crate::stores::{Kind, SPACE, bytes, on_disk, options};

/// Drops keys that begin with `x`, but only in flushes.
struct DropX;

impl CompactionFilterFactory for DropX {
    fn make_filter(&self, _: SpaceId, _: bool) -> Option<Box<dyn CompactionFilter>> {
        None
    }

    fn flush_garbage(
        &self,
        _: SpaceId,
        recent: &[Pair],
        replaces: &dyn Fn(&Bytes, &mut u64) -> Result<bool>,
        budget: &mut u64,
    ) -> Result<Vec<Bytes>> {
        assert!(recent.is_sorted());
        let dropped = recent.iter().map(|(key, _)| key.clone()).filter(|key| key.starts_with(b"x"));
        dropped.filter_map(|key| replaces(&key, budget).map(|it| (!it).then_some(key)).transpose()).collect()
    }
}

/// The garbage among recent pairs, which are read within a budget.
fn garbage_within(kind: &Kind, budget: &mut u64) -> Vec<String> {
    let garbage = kind.store.recent_garbage(SPACE, budget).unwrap();
    garbage.into_iter().map(|key| String::from_utf8(key.to_vec()).unwrap()).collect()
}

/// The garbage among recent pairs, which are not recent afterwards.
fn garbage(kind: &Kind) -> Vec<String> {
    let garbage = garbage_within(kind, &mut { u64::MAX });
    kind.store.end_recent(SPACE);
    garbage
}

pub fn recent_garbage_is_what_was_written_since_the_last_call(kind: &Kind) {
    kind.put("x0", "v");
    assert_eq!(garbage(kind), [""; 0], "there is no filter yet");
    kind.store.set_compaction_filters(Arc::new(DropX));
    for key in ["x2", "a", "x1"] {
        kind.put(key, "v");
    }
    assert_eq!(garbage(kind), ["x1", "x2"]);
    assert_eq!(garbage(kind), [""; 0]);
    kind.put("x2", "written again");
    kind.put("x2", "and again");
    kind.put("x3", "v");
    kind.delete("x3");
    kind.put("x4", "v");
    assert_eq!(garbage(kind), ["x4"], "the value that x2 had before is not recent");
    kind.delete("x4");
    assert_eq!(garbage(kind), [""; 0]);
    kind.put("x4", "v");
    assert_eq!(garbage(kind), ["x4"], "it had been deleted");
}

pub fn recent_garbage_may_be_in_files(kind: &Kind) {
    kind.store.set_compaction_filters(Arc::new(DropX));
    kind.put("x0", "v");
    assert_eq!(garbage(kind), ["x0"]);
    kind.put("x1", "v");
    kind.store.flush(SPACE).unwrap();
    kind.put("x2", "v");
    kind.store.flush(SPACE).unwrap();
    kind.put("x3", "v");
    assert_eq!(garbage(kind), ["x1", "x2", "x3"]);
    kind.store.compact(SPACE, true).unwrap();
    assert_eq!(garbage(kind), [""; 0]);
    assert_eq!(kind.keys(), ["x0", "x1", "x2", "x3"], "nothing is removed by the call");
}

pub fn the_search_for_recent_garbage_has_a_budget(kind: &Kind) {
    kind.store.set_compaction_filters(Arc::new(DropX));
    kind.put("x0", &"v".repeat(1000));
    let mut budget = 1000;
    assert_eq!(garbage_within(kind, &mut budget), [""; 0]);
    let mut budget = 2000;
    assert_eq!(garbage_within(kind, &mut budget), ["x0"]);
    assert_eq!(budget, 2000 - 1002 - RECENT_PAIR_BYTES);
    assert_eq!(garbage_within(kind, &mut budget), [""; 0], "the rest is too small");
    assert_eq!(garbage(kind), ["x0"], "it is still recent");
    assert_eq!(garbage(kind), [""; 0]);
    let unknown = kind.store.recent_garbage(SPACE + 1, &mut budget).unwrap_err();
    assert_eq!(unknown.kind(), ErrorKind::Stale);
    kind.store.end_recent(SPACE + 1);
}

/// A file of a few kilobytes may have gigabytes of pairs.
#[test]
fn compressed_pairs_count_as_they_are_read() {
    let kind = on_disk();
    kind.store.set_compaction_filters(Arc::new(DropX));
    let compress = SpaceOptions { compress: true, ..SpaceOptions::default() };
    kind.store.create_space(SPACE + 1, &compress).unwrap();
    kind.in_row("r", |tx| {
        for n in 0..100 {
            tx.put(SPACE + 1, bytes(&format!("x{n:02}")), bytes(&"v".repeat(10_000)));
        }
    });
    kind.store.flush(SPACE + 1).unwrap();
    assert!(kind.store.files(SPACE + 1).unwrap().bytes < 100_000);
    let mut budget = 500_000;
    assert_eq!(kind.store.recent_garbage(SPACE + 1, &mut budget).unwrap().len(), 0);
    assert!(budget < 20_000, "{budget} of 500,000 left");
    assert_eq!(kind.store.recent_garbage(SPACE + 1, &mut 2_000_000).unwrap().len(), 100);
}

#[test]
fn what_was_rewritten_is_not_recent() {
    let kind = on_disk();
    kind.store.set_compaction_filters(Arc::new(DropX));
    kind.put("x0", "v");
    let compress = SpaceOptions { compress: true, ..SpaceOptions::default() };
    kind.store.change_options(SPACE, &compress, &Arc::default()).unwrap();
    kind.put("x1", "v");
    assert_eq!(garbage(&kind), ["x1"]);
    assert_eq!(kind.keys(), ["x0", "x1"]);
}

#[test]
fn what_was_written_before_an_opening_is_not_recent() {
    let mut kind = on_disk();
    kind.put("x0", "v");
    kind.store.close().unwrap();
    kind.store = FjallStore::open(kind.folder(), options(&kind.clock)).unwrap();
    kind.store.set_compaction_filters(Arc::new(DropX));
    assert_eq!(kind.get("x0").unwrap(), "v");
    kind.put("x1", "v");
    assert_eq!(garbage(&kind), ["x1"]);
}
