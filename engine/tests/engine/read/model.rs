//! Random histories read by the engine and by a simple model: every way to read gives the model's answer.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::world::history::{time, write};
use crate::world::naive::{Naive, Rules};
use crate::world::{NOW, World, bytes, columns, short};
use hjall_engine::filter::FilterSpec;
use hjall_engine::request::{Get, Scan, TimeRange};
use proptest::collection::vec;
use proptest::prelude::*;

const FOREVER: i64 = i64::MAX;

/// The attributes of a family and the corresponding rules.
fn family() -> impl Strategy<Value = (&'static str, Rules)> {
    let rules = |versions, min_versions, ttl_ms, keeps_deleted| Rules { versions, min_versions, ttl_ms, keeps_deleted };
    prop_oneof![
        Just(("VERSIONS=1", rules(1, 0, FOREVER, false))),
        Just(("VERSIONS=3", rules(3, 0, FOREVER, false))),
        Just(("VERSIONS=3 KEEP_DELETED_CELLS=TRUE", rules(3, 0, FOREVER, true))),
        Just(("VERSIONS=9 TTL=1", rules(9, 0, 1_000, false))),
        Just(("VERSIONS=4 TTL=1 MIN_VERSIONS=2", rules(4, 2, 1_000, false))),
        Just(("VERSIONS=4 TTL=1 MIN_VERSIONS=1 KEEP_DELETED_CELLS=TTL", rules(4, 1, 1_000, true))),
    ]
}

fn range() -> impl Strategy<Value = (i64, i64)> {
    prop_oneof![
        Just((0, i64::MAX)),
        (time(), 0i64..9).prop_map(|(min, n)| (min, min + n)),
        time().prop_map(|t| (t, i64::MAX))
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..Default::default() })]
    #[test]
    fn reads_follow_the_rules(
        (f, g) in (family(), family()),
        writes in vec(write(), 1..40),
        (versions, range) in (1i32..5, range()),
    ) {
        let world = World::new(&[&format!("f {}", f.0), &format!("g {}", g.0)]);
        let rules = BTreeMap::from([("f".to_string(), f.1), ("g".to_string(), g.1)]);
        let mut naive = Naive::default();
        for (n, write) in writes.iter().enumerate() {
            write.apply(n, &world, &mut naive);
        }
        let time_range = TimeRange::new(range.0, range.1).unwrap();
        let expected = ["r", "s"].map(|row| naive.row(&rules, row, versions, range, NOW));
        for (row, expected) in ["r", "s"].iter().zip(&expected) {
            let get = Get { max_versions: versions, time_range, ..Get::new(*row) };
            prop_assert_eq!(&world.get(&get), expected);
            prop_assert_eq!(world.table.exists(&get).unwrap(), !expected.is_empty());
            // Every column by name: the same cells, found by seeking.
            let named = Get { columns: columns(&["f:", "f:a", "f:absent", "f:b", "g:a"]), ..get.clone() };
            prop_assert_eq!(&world.get(&named), expected);
            // A filter that accepts everything examines more versions and returns the same cells.
            let filter = Some(Arc::new(FilterSpec::parse(b"QualifierFilter(!=,'binary:zz')").unwrap()));
            prop_assert_eq!(&world.get(&Get { filter, ..get }), expected);
        }
        let scan = Scan { max_versions: versions, time_range, ..Scan::default() };
        let mut present: Vec<_> = expected.into_iter().filter(|row| !row.is_empty()).collect();
        prop_assert_eq!(world.scan(scan.clone()), present.join("; "));
        present.reverse();
        prop_assert_eq!(world.scan(Scan { reversed: true, ..scan }), present.join("; "));
    }

}

proptest! {
    #![proptest_config(ProptestConfig { cases: 20, ..Default::default() })]
    /// More markers and versions than a read buffers or steps over: it seeks, and looks up markers for each value.
    #[test]
    fn many_markers_and_versions_do_not_change_the_result(
        hidden in vec(any::<bool>(), 200),
        exact_family: bool,
        versions in 1i32..6,
        max in 1i64..220,
    ) {
        let world = World::new(&["f VERSIONS=5"]);
        let mut naive = Naive::default();
        let rules = Rules { versions: 5, min_versions: 0, ttl_ms: FOREVER, keeps_deleted: false };
        let rules = BTreeMap::from([("f".to_string(), rules)]);
        let kind = if exact_family { hjall_engine::CellKind::DeleteFamilyVersion } else { hjall_engine::CellKind::Delete };
        let puts = (1i64..).zip(&hidden).map(|(t, _)| (t, hjall_engine::CellKind::Put));
        let marks = (1i64..).zip(&hidden).filter(|(_, hidden)| **hidden).map(|(t, _)| (t, kind));
        for (timestamp, kind) in puts.chain(marks) {
            for column in ["f:a", "f:b"] {
                let write = crate::world::history::Write { row: "r", column, kind, timestamp, ttl_ms: None };
                write.apply(0, &world, &mut naive);
            }
        }
        for range in [(0, i64::MAX), (0, max)] {
            let expected = naive.row(&rules, "r", versions, range, NOW);
            prop_assert_eq!(world.row_in("r", versions, range.0, range.1), expected);
        }
    }
}

#[test]
fn a_reverse_scan_reads_rows_that_are_too_large_to_be_reversed_in_memory() {
    let world = World::new(&["f VERSIONS=3"]);
    for n in 0..300 {
        world.put("r", &format!("f:{n:03}"), 1, "v");
    }
    world.put("q", "f:", 1, "before");
    world.put("s", "f:", 1, "after");
    let up = world.table.scan(Scan::default()).unwrap().next(9).unwrap();
    let mut down = world.table.scan(Scan { reversed: true, ..Scan::default() }).unwrap().next(9).unwrap();
    down.reverse();
    assert_eq!(short(&down), short(&up));
    assert_eq!(up[1].cells.len(), 300);
    let one = Scan { reversed: true, columns: columns(&["f:250"]), start: bytes("r"), ..Scan::default() };
    assert_eq!(world.scan(one), "r f:250@1=v");
}
