//! Compactions drop only cells that no read needs: whichever files are compacted together, reads return the same as
//! before.

use std::collections::BTreeMap;

use crate::reading::history::{Write, time, write};
use crate::reading::naive::{Naive, Rules};
use crate::reading::{NOW, World};
use hjall_engine::CellKind;
use hjall_engine::clock::Clock as _;
use hjall_engine::mutation::MarkerKind::{self, Column, Family, FamilyVersion, Version};
use hjall_engine::mutation::{Delete, Marker};
use proptest::collection::vec;
use proptest::prelude::*;

const FOREVER: i64 = i64::MAX;

/// A step of a random history.
#[derive(Debug, Clone)]
enum Step {
    Write(Write),
    /// A compaction of the pairs whose bit is set.
    Compact(u64),
    /// A compaction of all pairs.
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

    /// Without excess versions, every read returns what the rules derive from everything ever written.
    #[test]
    fn dropping_hidden_and_expired_cells_changes_no_read(
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

    /// With excess versions, reads whose range includes the newest ones return the same before and after. Markers of
    /// exact versions are excluded: a version that such a marker would make visible again may have been dropped, as in
    /// HBase.
    #[test]
    fn dropping_excess_versions_changes_no_read_of_the_newest(
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

    /// With NEW_VERSION_BEHAVIOR, nothing is dropped that the write order depends on.
    #[test]
    fn compactions_change_no_read_with_new_version_behavior(writes in vec(write(), 1..40), bits: u64, ttl in prop_oneof![Just(1), Just(i32::MAX)]) {
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
fn a_partial_compaction_keeps_markers_and_a_full_one_drops_them() {
    let (world, store) = World::partial(&["f VERSIONS=3"]);
    world.put("r", "f:q", 10, "old");
    world.delete("r", "f:q", Column, 20);
    world.delete("r", "f:", Family, 5);
    assert_eq!(store.compact_some(false, |n| n == 1), 0, "it sees only the family marker");
    assert_eq!(store.compact_some(false, |_| true), 1, "the hidden value is dropped");
    world.put("r", "f:q", 15, "late");
    assert_eq!(world.row("r", 3), "", "the marker still exists");
    assert_eq!(store.compact_some(true, |_| true), 3);
    world.put("r", "f:q", 15, "later");
    assert_eq!(world.row("r", 3), "r f:q@15=later", "as after HBase's major compaction");
}

#[test]
fn cells_hidden_by_a_marker_with_a_ttl_are_kept() {
    let (world, store) = World::partial(&["f"]);
    world.put("r", "f:q", NOW, "back");
    world.table.delete(&deleting(Version, NOW, Some(10))).unwrap();
    assert_eq!(store.compact_some(true, |_| true), 0);
    assert_eq!(world.row("r", 1), "");
    world.clock.advance(11);
    assert_eq!(world.row("r", 1), format!("r f:q@{NOW}=back"));
    assert_eq!(store.compact_some(false, |_| true), 1, "the marker itself has expired");
}

/// A delete of `f:q` at a timestamp, by a marker of this kind, with or without a TTL.
fn deleting(kind: MarkerKind, timestamp: i64, ttl_ms: Option<i64>) -> Delete {
    let qualifier = if matches!(kind, Column | Version) { "q" } else { "" };
    let marker =
        Marker { family: crate::reading::bytes("f"), qualifier: crate::reading::bytes(qualifier), kind, timestamp };
    Delete { markers: vec![marker], ttl_ms, ..Delete::row("r") }
}

/// As in HBase, which keeps both markers: a cell is hidden if either of them hides it.
#[test]
fn of_two_markers_with_one_timestamp_the_one_with_the_longer_ttl_counts() {
    for kind in [Family, FamilyVersion, Column, Version] {
        // The second marker has expired when it is written, or expires before or after the clock is advanced.
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

#[test]
fn of_two_markers_in_one_transaction_the_one_with_the_longer_ttl_counts() {
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

/// As in HBase, where such a cell is never read, so that it hides and replaces nothing.
#[test]
fn a_cell_that_has_expired_when_it_is_written_changes_nothing() {
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
fn a_version_that_an_expiring_marker_reveals_is_kept() {
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
fn of_many_markers_only_the_widest_are_kept() {
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
