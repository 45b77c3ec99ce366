//! Compactions: what they may forget, and what stays whatever they forget.

use std::sync::{Arc, Mutex};

use hjall_engine::store::{CompactionFilter, CompactionFilterFactory, Order, SpaceId, Verdict};

use crate::kinds::{Kind, SPACE, rest};

/// Forgets keys that begin with `x`, and keeps a record of what it was asked.
#[derive(Default, Clone)]
struct ForgetX {
    asked: Arc<Mutex<Vec<(SpaceId, bool)>>>,
    judged: Arc<Mutex<Vec<(String, String)>>>,
}

struct Judge(ForgetX);

impl CompactionFilterFactory for ForgetX {
    fn make_filter(&self, space: SpaceId, whole: bool) -> Option<Box<dyn CompactionFilter>> {
        self.asked.lock().unwrap().push((space, whole));
        Some(Box::new(Judge(self.clone())))
    }
}

impl CompactionFilter for Judge {
    fn filter(&mut self, key: &[u8], value: &[u8]) -> Verdict {
        let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
        self.0.judged.lock().unwrap().push((text(key), text(value)));
        if key.starts_with(b"x") { Verdict::Drop } else { Verdict::Keep }
    }
}

fn fill(kind: &Kind) {
    for key in ["a", "x1", "x2", "z"] {
        kind.put(key, "v");
    }
}

/// The schema is known only after the store has been opened: compactions before must not guess.
pub fn without_a_retainer_everything_stays(kind: &Kind) {
    fill(kind);
    kind.store.compact(SPACE, true).unwrap();
    assert_eq!(kind.keys(), ["a", "x1", "x2", "z"]);
}

pub fn what_is_judged_forgotten_goes(kind: &Kind) {
    fill(kind);
    let filters = ForgetX::default();
    kind.store.set_compaction_filters(Arc::new(filters.clone()));
    kind.store.compact(SPACE, true).unwrap();
    assert_eq!(kind.keys(), ["a", "z"]);
    assert_eq!(kind.get("x1"), None);
    let judged: Vec<_> = filters.judged.lock().unwrap().iter().map(|(key, _)| key.clone()).collect();
    assert_eq!(judged, ["a", "x1", "x2", "z"], "in the order of the keys");
    kind.put("x1", "again");
    assert_eq!(kind.get("x1").unwrap(), "again");
}

pub fn only_a_major_compaction_is_whole(kind: &Kind) {
    fill(kind);
    let filters = ForgetX::default();
    kind.store.set_compaction_filters(Arc::new(filters.clone()));
    kind.store.compact(SPACE, false).unwrap();
    assert!(!filters.asked.lock().unwrap().iter().any(|(_, whole)| *whole));
    kind.store.compact(SPACE, true).unwrap();
    assert_eq!(filters.asked.lock().unwrap().last(), Some(&(SPACE, true)));
}

/// A version that is counted twice makes its column look as if it had more versions than it has.
pub fn an_overwritten_key_is_judged_once(kind: &Kind) {
    for round in 0..3 {
        for key in ["a", "b"] {
            kind.put(key, &round.to_string());
        }
        kind.store.flush(SPACE).unwrap();
    }
    let held = kind.store.snapshot().unwrap();
    let filters = ForgetX::default();
    kind.store.set_compaction_filters(Arc::new(filters.clone()));
    kind.store.compact(SPACE, true).unwrap();
    let judged = filters.judged.lock().unwrap().clone();
    assert_eq!(judged, [("a", "2"), ("b", "2")].map(|(key, value)| (key.to_owned(), value.to_owned())));
    assert_eq!(held.get(SPACE, b"a").unwrap().unwrap(), "2");
}

pub fn a_snapshot_keeps_what_is_forgotten(kind: &Kind) {
    fill(kind);
    kind.store.set_compaction_filters(Arc::new(ForgetX::default()));
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
