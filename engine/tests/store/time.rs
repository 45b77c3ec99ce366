//! The time that transactions are told.

use hjall_engine::store::Transaction;

use crate::kinds::{BEGIN_MS, Kind, SPACE, bytes};

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
