//! What flushes drop: pairs that the filter rejects, among those that were written since the last flush.

use std::sync::Arc;

use bytes::Bytes;
use hjall_engine::ErrorKind;
use hjall_engine::store::{CompactionFilter, CompactionFilterFactory, FjallStore, Pair, SpaceId};

use crate::stores::{Kind, SPACE, on_disk, options};

/// Drops keys that begin with `x`, but only in flushes.
struct DropX;

impl CompactionFilterFactory for DropX {
    fn make_filter(&self, _: SpaceId, _: bool) -> Option<Box<dyn CompactionFilter>> {
        None
    }

    fn flush_garbage(&self, _: SpaceId, recent: &[Pair]) -> Vec<Bytes> {
        assert!(recent.is_sorted());
        recent.iter().map(|(key, _)| key.clone()).filter(|key| key.starts_with(b"x")).collect()
    }
}

/// The garbage among at most `bytes_max` of recent pairs.
fn garbage_of(kind: &Kind, bytes_max: u64) -> Vec<String> {
    let garbage = kind.store.recent_garbage(SPACE, bytes_max).unwrap();
    garbage.into_iter().map(|key| String::from_utf8(key.to_vec()).unwrap()).collect()
}

fn garbage(kind: &Kind) -> Vec<String> {
    garbage_of(kind, u64::MAX)
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
    assert_eq!(garbage(kind), ["x2"]);
    kind.delete("x2");
    assert_eq!(garbage(kind), [""; 0]);
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

pub fn recent_garbage_is_not_looked_for_in_too_many_bytes(kind: &Kind) {
    kind.store.set_compaction_filters(Arc::new(DropX));
    kind.put("x0", &"v".repeat(1000));
    assert_eq!(garbage_of(kind, 999), [""; 0]);
    kind.put("x1", "v");
    assert_eq!(garbage(kind), ["x1"], "what was not looked for counts as flushed");
    let unknown = kind.store.recent_garbage(SPACE + 1, 1).unwrap_err();
    assert_eq!(unknown.kind(), ErrorKind::Stale);
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
