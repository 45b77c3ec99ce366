//! Writes are slowed down while the files of a space are not merged as fast as they are added.

use std::sync::{Arc, Condvar, Mutex};

use hjall_engine::mutation::Durability;
use hjall_engine::store::{CompactionFilter, CompactionFilterFactory, GroupOutcome, SpaceId, Verdict};

use crate::eventually::eventually;
use crate::stores::{Kind, SPACE, bytes, on_disk};

/// Keeps compactions from ending.
#[derive(Clone, Default)]
struct Gate(Arc<(Mutex<bool>, Condvar)>);

impl Gate {
    fn open(&self) {
        *self.0.0.lock().unwrap() = true;
        self.0.1.notify_all();
    }
}

impl CompactionFilterFactory for Gate {
    fn make_filter(&self, _: SpaceId, _: bool) -> Option<Box<dyn CompactionFilter>> {
        Some(Box::new(self.clone()))
    }
}

impl CompactionFilter for Gate {
    fn filter(&mut self, _: &[u8], _: &[u8]) -> Verdict {
        let (is_open, opened) = &*self.0;
        drop(opened.wait_while(is_open.lock().unwrap(), |is_open| !*is_open).unwrap());
        Verdict::Keep
    }
}

/// Opens the gate before the store is closed, which waits for compactions.
struct OpenAtEnd<'a>(&'a Gate);

impl Drop for OpenAtEnd<'_> {
    fn drop(&mut self) {
        self.0.open();
    }
}

fn stalls(kind: &Kind) -> u64 {
    kind.store.statistics().unwrap().stalls
}

/// Commits a put as an event loop does. Returns whether it was written.
fn put_without_waiting(kind: &Kind, value: &str) -> bool {
    let mut group = Arc::clone(&kind.store).group().unwrap();
    group.never_wait();
    let staged = group.stage(&[bytes("m")], Durability::SyncWal, &mut |t| {
        t.put(SPACE, bytes("m"), bytes(value));
        Ok(())
    });
    staged.unwrap();
    matches!(group.commit(), GroupOutcome::Committed) && kind.get("m").as_deref() == Some(value)
}

#[test]
fn large_writes_wait_while_many_runs_are_being_merged_and_small_ones_do_not() {
    let kind = on_disk();
    let gate = Gate::default();
    let _open = OpenAtEnd(&gate);
    kind.store.set_compaction_filters(Arc::new(gate.clone()));
    let add_runs = |from: u32, to: u32| {
        for n in from..to {
            kind.put("a", &n.to_string());
            kind.put("z", &n.to_string());
            kind.store.flush(SPACE).unwrap();
        }
    };
    let large = "v".repeat(1 << 20);
    add_runs(0, 8);
    kind.put("k", &large);
    assert_eq!(stalls(&kind), 0, "few runs");
    add_runs(8, 14);
    kind.put("a", "small");
    assert_eq!(stalls(&kind), 0, "a small write keeps the pace");
    kind.put("k", &large);
    assert_eq!(stalls(&kind), 1);
    assert_eq!(kind.get("a").unwrap(), "small");
    assert_eq!(kind.get("k").unwrap(), large);
    // Such a wait is left to other threads by event loops.
    assert!(!put_without_waiting(&kind, &large));
    // A sync or a flush may be in progress.
    eventually("a small write need not wait", || put_without_waiting(&kind, "small"));
}
