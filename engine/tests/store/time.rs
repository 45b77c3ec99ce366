//! The time that transactions are told.

use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use hjall_engine::ErrorKind;
use hjall_engine::clock::{Clock, ManualClock};
use hjall_engine::mutation::Durability;
use hjall_engine::store::{FjallStore, MemoryStore, SpaceOptions, Store, StoreOptions, Transaction};
use tempfile::TempDir;

use crate::folder_copy::{copy_crashed, copy_folder};
use crate::stores::{BEGIN_MS, Kind, SPACE, bytes, in_row, options};

/// A plain put; the time it took.
fn put(kind: &Kind, row: &str) -> i64 {
    kind.in_row(row, |t| write(t, false))
}

/// A delete marker; the time it took.
fn mark(kind: &Kind, row: &str) -> i64 {
    kind.in_row(row, |t| write(t, true))
}

fn write(t: &mut dyn Transaction, delete: bool) -> i64 {
    let now = t.now_ms();
    t.put(SPACE, bytes("a"), bytes("v"));
    t.assigned(now, delete);
    assert_eq!(t.now_ms(), now, "one transaction, one time");
    now
}

pub fn time_follows_the_clock(kind: &Kind) {
    assert_eq!(kind.store.now_ms(), BEGIN_MS);
    assert_eq!([put(kind, "r"), put(kind, "r")], [BEGIN_MS, BEGIN_MS]);
    kind.clock.advance(7);
    assert_eq!([kind.store.now_ms(), put(kind, "r")], [BEGIN_MS + 7, BEGIN_MS + 7]);
}

/// Within one millisecond, the marker would hide the put that follows it.
pub fn a_put_after_a_delete_is_later(kind: &Kind) {
    assert_eq!(put(kind, "r"), BEGIN_MS);
    assert_eq!(mark(kind, "r"), BEGIN_MS, "the marker may be as old as what it hides");
    assert_eq!(put(kind, "r"), BEGIN_MS + 1);
    assert_eq!(mark(kind, "r"), BEGIN_MS + 1);
    assert_eq!(put(kind, "r"), BEGIN_MS + 2);
    kind.clock.advance(1);
    assert_eq!(put(kind, "r"), BEGIN_MS + 2, "the row is still ahead of the clock");
    kind.clock.advance(1);
    assert_eq!(put(kind, "r"), BEGIN_MS + 2);
    kind.clock.advance(1);
    assert_eq!(put(kind, "r"), BEGIN_MS + 3, "the clock has caught up");
}

pub fn other_rows_are_not_delayed(kind: &Kind) {
    mark(kind, "r");
    assert_eq!(put(kind, "s"), BEGIN_MS);
    let both = |kind: &Kind| {
        let mut now = 0;
        kind.store
            .transact(&[bytes("s"), bytes("r")], hjall_engine::mutation::Durability::SyncWal, &mut |t| {
                now = write(t, false);
                Ok(())
            })
            .unwrap();
        now
    };
    assert_eq!(both(kind), BEGIN_MS + 1, "the latest of the rows decides");
    assert_eq!(put(kind, "s"), BEGIN_MS + 1, "for all of them");
}

pub fn a_clock_set_back_does_not_turn_time_back(kind: &Kind) {
    put(kind, "r");
    mark(kind, "deleted");
    kind.clock.set(BEGIN_MS - 3_600_000);
    assert_eq!(kind.store.now_ms(), BEGIN_MS);
    assert_eq!(put(kind, "r"), BEGIN_MS);
    assert_eq!(put(kind, "another"), BEGIN_MS);
    assert_eq!(put(kind, "deleted"), BEGIN_MS + 1);
    kind.clock.set(BEGIN_MS + 10);
    assert_eq!(put(kind, "r"), BEGIN_MS + 10);
}

/// While the clock is behind, time goes on at half speed, so that rows that wait for it are not held up.
pub fn after_a_setback_time_advances_at_half_speed(kind: &Kind) {
    put(kind, "r");
    kind.clock.set(BEGIN_MS - 3_600_000);
    assert_eq!(kind.store.now_ms(), BEGIN_MS);
    kind.clock.advance(10_000);
    assert_eq!([kind.store.now_ms(), put(kind, "r")], [BEGIN_MS + 5_000; 2]);
    kind.clock.set(BEGIN_MS + 20_000);
    assert_eq!(kind.store.now_ms(), BEGIN_MS + 20_000);
    kind.clock.set(BEGIN_MS - 3_600_000);
    assert_eq!(kind.store.now_ms(), BEGIN_MS + 20_000, "an earlier setback has no effect on this one");
    kind.clock.advance(10_000);
    assert_eq!(kind.store.now_ms(), BEGIN_MS + 25_000);
}

/// A row that is deleted and written again runs ahead by a millisecond each time, but not for ever.
pub fn a_row_is_ahead_by_a_second_at_most(kind: &Kind) {
    for lead in 0..=1_000 {
        assert_eq!([put(kind, "r"), mark(kind, "r")], [BEGIN_MS + lead; 2]);
    }
    let refused = in_row(&*kind.store, "r", |t| write(t, false)).unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::Busy, "the clock stands still: {refused}");
    assert!(refused.message().contains("ahead of the clock"), "{refused}");
    assert_eq!([kind.store.now_ms(), put(kind, "s")], [BEGIN_MS; 2], "neither the clock nor another row is affected");
    kind.clock.advance(1);
    assert_eq!([put(kind, "r"), mark(kind, "r")], [BEGIN_MS + 1_001; 2]);
    kind.clock.advance(5_000);
    assert_eq!(put(kind, "r"), BEGIN_MS + 5_001, "the clock has caught up");
}

/// Whoever waits for the clock, here the transaction itself, finds it a millisecond later, and may use the store
/// meanwhile.
struct WaitedFor {
    now_ms: AtomicI64,
    meanwhile: Mutex<Option<Box<dyn FnOnce() + Send>>>,
}

impl Clock for WaitedFor {
    fn now_ms(&self) -> i64 {
        self.now_ms.load(Ordering::SeqCst)
    }

    fn wait(&self, _limit: Duration) {
        let meanwhile = self.meanwhile.lock().unwrap().take();
        meanwhile.into_iter().for_each(|use_store| use_store());
        self.now_ms.fetch_add(1, Ordering::SeqCst);
    }
}

/// A batch with a row that is ahead would otherwise hold up the writers of all its other rows.
#[test]
fn no_row_is_locked_while_waiting_for_the_clock() {
    let clock = Arc::new(WaitedFor { now_ms: AtomicI64::new(BEGIN_MS), meanwhile: Mutex::new(None) });
    let folder = TempDir::new().unwrap();
    let on_disk =
        FjallStore::open(folder.path(), StoreOptions { clock: Some(clock.clone()), ..StoreOptions::default() })
            .unwrap();
    let stores: [Arc<dyn Store>; 2] = [Arc::new(MemoryStore::new(clock.clone())), on_disk];
    for store in stores {
        store.create_space(SPACE, &SpaceOptions::default()).unwrap();
        while in_row(&*store, "ahead", |t| write(t, true)).unwrap() < clock.now_ms() + 1_000 {}
        let same = Arc::clone(&store);
        let used = Box::new(move || {
            for row in ["a", "ahead of it in order", "z"] {
                in_row(&*same, row, |t| write(t, false)).unwrap();
            }
        });
        *clock.meanwhile.lock().unwrap() = Some(used);
        let rows = ["z", "ahead", "a", "ahead of it in order"].map(bytes);
        let mut written = 0;
        let body = &mut |t: &mut dyn Transaction| {
            written = write(t, false);
            assert_eq!(t.now_ms(), t.clock_ms() + 1_000, "the lead is measured by the clock after the wait");
            Ok(())
        };
        store.transact(&rows, Durability::SyncWal, body).unwrap();
        assert!(clock.meanwhile.lock().unwrap().is_none(), "the transaction has waited");
        assert_eq!(written, clock.now_ms() + 1_000);
    }
}

/// One row's lead must become neither the clock nor the lead of all rows.
#[test]
fn a_lead_does_not_add_up_over_restarts() {
    for crash in [false, true] {
        let (folder, clock) = (TempDir::new().unwrap(), Arc::new(ManualClock::at(BEGIN_MS)));
        for round in 0..4 {
            let store = FjallStore::open(folder.path(), options(&clock)).unwrap();
            store.create_space(SPACE, &SpaceOptions::default()).unwrap();
            assert_eq!(store.now_ms(), BEGIN_MS + round, "the clock is the machine's");
            let other = in_row(&*store, "other", |t| write(t, false)).unwrap();
            assert!(other <= BEGIN_MS + round + 1_000, "{}", other - BEGIN_MS);
            let mut last = i64::MIN;
            while last < BEGIN_MS + round + 1_000 {
                let next = in_row(&*store, "r", |t| write(t, true)).unwrap();
                assert!(next > last, "a put would be hidden");
                last = next;
            }
            if crash {
                let copy = TempDir::new().unwrap();
                copy_crashed(folder.path(), copy.path());
                store.close().unwrap();
                drop(store);
                std::fs::remove_dir_all(folder.path()).unwrap();
                copy_folder(copy.path(), folder.path()).unwrap();
            } else {
                store.close().unwrap();
            }
            clock.advance(1);
            let store = FjallStore::open(folder.path(), options(&clock)).unwrap();
            let next = in_row(&*store, "r", |t| t.now_ms()).unwrap();
            assert!(next > last && next <= BEGIN_MS + round + 1_001, "{} after {}", next - BEGIN_MS, last - BEGIN_MS);
            store.close().unwrap();
        }
    }
}

/// A clock that is far behind the stored time is no reason for writes to wait for hours.
#[test]
fn a_restart_after_a_setback_goes_on_from_the_stored_time() {
    let (folder, clock) = (TempDir::new().unwrap(), Arc::new(ManualClock::at(BEGIN_MS)));
    for round in 0..3 {
        let store = FjallStore::open(folder.path(), options(&clock)).unwrap();
        store.create_space(SPACE, &SpaceOptions::default()).unwrap();
        assert_eq!(store.now_ms(), BEGIN_MS + round * 5_000);
        for lead in 0..500 {
            let assigned = in_row(&*store, &format!("row {round}"), |t| write(t, true)).unwrap();
            assert!(assigned <= store.now_ms() + lead + 501, "{} for {lead}", assigned - store.now_ms());
        }
        clock.set(BEGIN_MS - 86_400_000);
        store.now_ms();
        clock.advance(10_000);
        assert_eq!(store.now_ms(), BEGIN_MS + (round + 1) * 5_000);
        store.close().unwrap();
    }
}

/// Increments take a time of their own, up to a second ahead of the clock.
pub fn a_row_ahead_of_the_clock_stays_ahead(kind: &Kind) {
    kind.in_row("r", |t| t.assigned(BEGIN_MS + 900, false));
    assert_eq!(put(kind, "r"), BEGIN_MS + 900);
    assert_eq!(put(kind, "s"), BEGIN_MS);
    kind.clock.advance(899);
    assert_eq!(mark(kind, "r"), BEGIN_MS + 900);
    assert_eq!(put(kind, "r"), BEGIN_MS + 901);
}

/// Else one put with a timestamp of next century, incremented once, would hold the row there for ever.
pub fn a_callers_far_future_is_not_followed(kind: &Kind) {
    kind.in_row("r", |t| t.assigned(i64::MAX, true));
    assert_eq!(put(kind, "r"), BEGIN_MS);
}

/// HBase's max(old + 1, now); at the bound of a row's lead, the newest version is replaced.
pub fn a_new_version_is_after_the_old_one_up_to_the_bound(kind: &Kind) {
    let after = |old| kind.in_row("r", |t| t.version_after(old)) - BEGIN_MS;
    assert_eq!([5, BEGIN_MS - 1, BEGIN_MS, BEGIN_MS + 998, BEGIN_MS + 999].map(after), [0, 0, 1, 999, 1_000]);
    assert_eq!(after(BEGIN_MS + 1_000), 1_000, "replaced");
    assert_eq!([1_001, 999_999].map(|ahead| after(BEGIN_MS + ahead)), [1_002, 1_000_000], "given by a caller");
    let last = [i64::MAX - 1, i64::MAX].map(|old| kind.in_row("r", |t| t.version_after(old)));
    assert_eq!(last, [i64::MAX; 2], "replaced, since no timestamp is later");
    kind.in_row("r", |t| t.assigned(BEGIN_MS + 1_000, false));
    assert_eq!([BEGIN_MS, BEGIN_MS + 1_000].map(after), [1_000; 2]);
}

pub fn sequence_numbers_rise(kind: &Kind) {
    let draw = |row: &str| {
        kind.in_row(row, |t| {
            assert_eq!(t.sequence(), t.sequence());
            t.sequence()
        })
    };
    let drawn: Vec<_> = ["r", "s", "r", "r"].into_iter().map(draw).collect();
    assert!(drawn.is_sorted_by(|a, b| a < b), "{drawn:?}");
}
