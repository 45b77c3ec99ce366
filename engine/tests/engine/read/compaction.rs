//! What compactions forget is never missed: whatever files they happen to see together, reads answer as before.

use std::collections::BTreeMap;

use crate::world::history::{Write, time, write};
use crate::world::naive::{Naive, Rules};
use crate::world::{NOW, World};
use hjall_engine::CellKind;
use hjall_engine::clock::Clock as _;
use hjall_engine::mutation::MarkerKind::{self, Column, Family, FamilyVersion, Version};
use hjall_engine::mutation::{Delete, Marker};
use proptest::collection::vec;
use proptest::prelude::*;

const FOREVER: i64 = i64::MAX;

/// What happens.
#[derive(Debug, Clone)]
enum Step {
    Write(Write),
    /// A compaction of the pairs whose bit is set.
    Compact(u64),
    /// One over everything.
    CompactAll,
    Wait(i64),
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        12 => write().prop_map(Step::Write),
        3 => any::<u64>().prop_map(Step::Compact),
        1 => Just(Step::CompactAll),
        1 => prop_oneof![1i64..5, Just(60_000)].prop_map(Step::Wait),
    ]
}

fn shown(bits: u64) -> impl FnMut(usize) -> bool {
    move |n| bits >> (n % 64) & 1 == 1
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, ..Default::default() })]

    /// Where no version is one too many, every read stays what the rules say of everything ever written.
    #[test]
    fn hidden_and_expired_cells_are_forgotten_without_a_trace(
        (keep, ttl) in (prop_oneof![Just("FALSE"), Just("TRUE"), Just("TTL")], prop_oneof![Just(1), Just(i32::MAX)]),
        steps in vec(step(), 1..60),
        (min, length) in (time(), 0i64..9),
    ) {
        let family = |name| format!("{name} VERSIONS=999 KEEP_DELETED_CELLS={keep} TTL={ttl}");
        let (world, store) = World::partial(&[&family("f"), &family("g")]);
        let ttl_ms = if ttl == i32::MAX { FOREVER } else { i64::from(ttl) * 1_000 };
        let rules = Rules { versions: 999, min_versions: 0, ttl_ms, keeps_deleted: keep != "FALSE" };
        let rules = BTreeMap::from([("f".to_string(), rules), ("g".to_string(), rules)]);
        let mut naive = Naive::default();
        let mut now = NOW;
        for (n, step) in steps.iter().enumerate() {
            match step {
                Step::Write(write) => write.apply(n, &world, &mut naive),
                Step::Compact(bits) => drop(store.compact_some(false, shown(*bits))),
                Step::CompactAll => {
                    store.compact_some(true, |_| true);
                    naive.purge(&rules, now);
                }
                Step::Wait(ms) => {
                    world.clock.advance(*ms);
                    now += ms;
                }
            }
            for range in [(0, i64::MAX), (min, min + length), (0, min), (min, i64::MAX)] {
                for row in ["r", "s"] {
                    let expected = naive.row(&rules, row, 999, range, now);
                    prop_assert_eq!(world.row_in(row, 999, range.0, range.1), expected, "after step {} {:?}", n, step);
                }
            }
        }
    }

    /// Where versions are too many, reads that reach up to the newest ones answer the same before and after. (Not with
    /// markers of exact versions: one that comes back when a newer one was deleted may be gone, in HBase too.)
    #[test]
    fn excess_versions_are_forgotten_without_a_trace(
        keep in prop_oneof![Just("FALSE"), Just("TRUE"), Just("TTL")],
        (versions, min_versions, ttl) in (1i32..4, 0i32..2, prop_oneof![Just(1), Just(i32::MAX)]),
        writes in vec(write().prop_filter("exact", |w| !matches!(w.kind, CellKind::Delete | CellKind::DeleteFamilyVersion)), 1..50),
        compactions in vec(any::<u64>(), 1..4),
        asked in 1i32..5,
    ) {
        let attributes = format!("VERSIONS={versions} MIN_VERSIONS={min_versions} KEEP_DELETED_CELLS={keep} TTL={ttl}");
        let (world, store) = World::partial(&[&format!("f {attributes}"), &format!("g {attributes}")]);
        let mut naive = Naive::default();
        for (n, write) in writes.iter().enumerate() {
            write.apply(n, &world, &mut naive);
        }
        let before = ["r", "s"].map(|row| world.row(row, asked));
        for bits in compactions {
            store.compact_some(false, shown(bits));
            prop_assert_eq!(&["r", "s"].map(|row| world.row(row, asked)), &before);
        }
        store.compact_some(true, |_| true);
        prop_assert_eq!(&["r", "s"].map(|row| world.row(row, asked)), &before);
    }

    /// The order of writing counts: nothing goes that could matter to it.
    #[test]
    fn families_in_the_order_of_writing_read_alike(writes in vec(write(), 1..40), bits: u64, ttl in prop_oneof![Just(1), Just(i32::MAX)]) {
        let attributes = format!("VERSIONS=2 NEW_VERSION_BEHAVIOR=true TTL={ttl}");
        let (world, store) = World::partial(&[&format!("f {attributes}"), &format!("g {attributes}")]);
        let mut naive = Naive::default();
        for (n, write) in writes.iter().enumerate() {
            write.apply(n, &world, &mut naive);
        }
        let before = ["r", "s"].map(|row| world.row(row, 9));
        store.compact_some(false, shown(bits));
        prop_assert_eq!(&["r", "s"].map(|row| world.row(row, 9)), &before);
        store.compact_some(true, |_| true);
        prop_assert_eq!(&["r", "s"].map(|row| world.row(row, 9)), &before);
    }
}

#[test]
fn a_compaction_in_part_keeps_markers_and_one_over_everything_drops_them() {
    let (world, store) = World::partial(&["f VERSIONS=3"]);
    world.put("r", "f:q", 10, "old");
    world.delete("r", "f:q", Column, 20);
    world.delete("r", "f:", Family, 5);
    assert_eq!(store.compact_some(false, |n| n == 1), 0, "it sees the family's marker alone");
    assert_eq!(store.compact_some(false, |_| true), 1, "the hidden value goes");
    world.put("r", "f:q", 15, "late");
    assert_eq!(world.row("r", 3), "", "its marker is still there");
    assert_eq!(store.compact_some(true, |_| true), 3);
    world.put("r", "f:q", 15, "later");
    assert_eq!(world.row("r", 3), "r f:q@15=later", "as after HBase's major compaction");
}

#[test]
fn what_a_marker_with_an_end_hides_is_kept_for_later() {
    let (world, store) = World::partial(&["f"]);
    world.put("r", "f:q", NOW, "back");
    world.table.delete(&deleting(Version, NOW, Some(10))).unwrap();
    assert_eq!(store.compact_some(true, |_| true), 0);
    assert_eq!(world.row("r", 1), "");
    world.clock.advance(11);
    assert_eq!(world.row("r", 1), format!("r f:q@{NOW}=back"));
    assert_eq!(store.compact_some(false, |_| true), 1, "the marker itself is over");
}

/// A delete of `f:q` at a time, by a marker of that kind, with or without a TTL.
fn deleting(kind: MarkerKind, timestamp: i64, ttl_ms: Option<i64>) -> Delete {
    let qualifier = if matches!(kind, Column | Version) { "q" } else { "" };
    let marker =
        Marker { family: crate::world::bytes("f"), qualifier: crate::world::bytes(qualifier), kind, timestamp };
    Delete { markers: vec![marker], ttl_ms, ..Delete::row("r") }
}

/// As in HBase, where both markers are kept side by side: what either hides is hidden.
#[test]
fn of_two_markers_of_one_time_the_one_that_lasts_longer_counts() {
    for kind in [Family, FamilyVersion, Column, Version] {
        // The second marker is over when it is written, before the clock is advanced, or after.
        for (first, second) in [(None, -1), (None, 10), (Some(50), 10), (Some(50), -1)] {
            for behavior in ["false", "true"] {
                let (world, store) = World::partial(&[&format!("f NEW_VERSION_BEHAVIOR={behavior}")]);
                world.put("r", "f:q", NOW, "hidden");
                world.table.delete(&deleting(kind, NOW, first)).unwrap();
                store.compact_some(false, |_| true);
                world.table.delete(&deleting(kind, NOW, Some(second))).unwrap();
                world.clock.advance(11);
                assert_eq!(world.row("r", 1), "", "{kind:?} {first:?} {second} {behavior}");
                if behavior == "false" {
                    world.put("r", "f:q", NOW, "late");
                    assert_eq!(world.row("r", 1), "", "{kind:?} {first:?} {second}");
                }
                world.clock.advance(100);
                assert_eq!(world.row("r", 1).is_empty(), first.is_none(), "{kind:?} {first:?} {second} {behavior}");
            }
        }
    }
}

/// As in HBase, whose major compaction drops both markers. One that is covered by a wider marker is dropped with it,
/// too.
#[test]
fn a_major_compaction_drops_a_marker_with_an_end_together_with_the_one_that_covers_it() {
    for kind in [Family, FamilyVersion, Column, Version] {
        for (wide, at) in [(kind, NOW), (Family, NOW + 1), (Family, NOW)] {
            for (first, second) in [(None, Some(10)), (Some(10), None)] {
                for in_part in [false, true] {
                    let (world, store) = World::partial(&["f VERSIONS=3"]);
                    world.put("r", "f:q", NOW, "hidden");
                    for ttl_ms in [first, second] {
                        let (kind, at) = if ttl_ms.is_none() { (wide, at) } else { (kind, NOW) };
                        world.table.delete(&deleting(kind, at, ttl_ms)).unwrap();
                    }
                    if in_part {
                        store.compact_some(false, |_| true);
                    }
                    assert_eq!(world.row("r", 3), "");
                    store.compact_some(true, |_| true);
                    assert_eq!(world.row("r", 3), "");
                    world.put("r", "f:q", NOW, "late");
                    assert_eq!(world.row("r", 3), format!("r f:q@{NOW}=late"), "{kind:?} {wide:?} {first:?} {in_part}");
                }
            }
        }
    }
}

#[test]
fn of_two_markers_in_one_transaction_the_one_that_lasts_longer_counts() {
    let ttls = [None, Some(10), Some(50)];
    for (first, second) in ttls.iter().flat_map(|first| ttls.map(|second| (*first, second))) {
        let world = World::new(&["f"]);
        let deletes = [first, second].map(|ttl_ms| deleting(Column, NOW, ttl_ms));
        world.put("r", "f:q", NOW, "a");
        world.table.delete_many(&deletes).into_iter().for_each(|result| result.unwrap());
        let lasts = |ms| [first, second].iter().any(|ttl| ttl.is_none_or(|ttl| ttl >= ms));
        for _ in 0..3 {
            let passed = world.clock.now_ms() - NOW;
            assert_eq!(world.row("r", 1).is_empty(), lasts(passed), "{first:?} {second:?} after {passed} ms");
            world.clock.advance(30);
        }
    }
}

/// As in HBase, which never reads such a cell, so that it hides and replaces nothing.
#[test]
fn a_cell_that_is_over_when_it_is_written_changes_nothing() {
    for behavior in ["false", "true"] {
        let world = World::new(&[&format!("f VERSIONS=3 NEW_VERSION_BEHAVIOR={behavior}")]);
        world.put("r", "f:q", 5, "stays");
        world.put_living("r", "f:q", 5, "over", Some(1));
        assert_eq!(world.row("r", 3), "r f:q@5=stays");
        for kind in [Family, FamilyVersion, Column, Version] {
            world.table.delete(&deleting(kind, 5, Some(1))).unwrap();
            assert_eq!(world.row("r", 3), "r f:q@5=stays", "{kind:?}");
        }
    }
}

#[test]
fn a_version_that_a_marker_with_an_end_uncovers_is_kept() {
    for kind in [FamilyVersion, Version] {
        let (world, store) = World::partial(&["f VERSIONS=1"]);
        world.put("r", "f:q", NOW - 1, "old");
        world.put("r", "f:q", NOW, "new");
        world.table.delete(&deleting(kind, NOW, Some(10))).unwrap();
        let old = format!("r f:q@{}=old", NOW - 1);
        assert_eq!(world.row("r", 1), old);
        store.compact_some(false, |_| true);
        assert_eq!(world.row("r", 1), old);
        store.compact_some(true, |_| true);
        assert_eq!(world.row("r", 1), old);
        world.clock.advance(11);
        assert_eq!(world.row("r", 1), format!("r f:q@{NOW}=new"));
        assert_eq!(store.compact_some(false, |_| true), 2, "the marker and the old version");
    }
}

#[test]
fn a_heap_of_markers_shrinks_to_the_widest() {
    let (world, store) = World::partial(&["f"]);
    for timestamp in 1..=100 {
        world.put("r", "f:q", timestamp, "v");
        world.delete("r", "f:", Family, timestamp);
        world.delete("r", "f:q", Column, timestamp);
    }
    assert_eq!(store.compact_some(false, |_| true), 299);
    world.put("r", "f:q", 100, "late");
    assert_eq!(world.row("r", 1), "");
}
