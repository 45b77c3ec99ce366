//! Scans: ranges, directions, pieces of rows, limits, time ranges of single families, regions.

use std::collections::BTreeMap;

use crate::world::{World, bytes, columns, short};
use hjall_engine::mutation::MarkerKind::{Column, Family};
use hjall_engine::request::{Scan, TimeRange};
use hjall_engine::{ErrorKind, Row};
use proptest::prelude::*;

fn letters(splits: &[&str]) -> World {
    let world = World::split(&["f VERSIONS=3", "g"], splits);
    for row in ["a", "b", "b\0", "c", "d", "\u{7f}"] {
        world.put(row, "f:1", 5, row);
        world.put(row, "f:1", 4, "older");
        world.put(row, "f:2", 5, "x");
    }
    world.put("b", "g:1", 5, "g");
    world.put("gone", "g:1", 5, "g");
    world.delete("gone", "g:", Family, 9);
    world
}

fn rows(world: &World, scan: Scan) -> String {
    let rows = world.table.scan(scan).unwrap().next(usize::MAX).unwrap();
    rows.iter().map(|row| row.key.escape_ascii().to_string()).collect::<Vec<_>>().join(" ")
}

fn range(start: &str, stop: &str) -> Scan {
    Scan { start: bytes(start), stop: bytes(stop), ..Scan::default() }
}

/// No splits, and splits at, between and beyond rows.
const SPLITS: [&[&str]; 4] = [&[], &["b"], &["a", "b\0", "bb", "zz"], &["c", "d", "e"]];

#[test]
fn ranges_are_the_same_over_any_regions() {
    for splits in SPLITS {
        let world = letters(splits);
        let up = |start, stop| rows(&world, range(start, stop));
        assert_eq!(up("", ""), r"a b b\x00 c d \x7f", "{splits:?}");
        assert_eq!(up("b", "d"), r"b b\x00 c", "{splits:?}");
        assert_eq!(up("b", "b\0"), "b", "{splits:?}");
        assert_eq!(up("c", "c"), "c", "equal start and stop rows select that row");
        assert_eq!(up("bb", "bb"), "");
        assert_eq!(up("d", "b"), "");
        assert_eq!(up("e", ""), r"\x7f");
        let down = |start, stop| rows(&world, Scan { reversed: true, ..range(start, stop) });
        assert_eq!(down("", ""), r"\x7f d c b\x00 b a", "{splits:?}");
        assert_eq!(down("d", "b"), r"d c b\x00", "{splits:?}");
        assert_eq!(down("bz", ""), r"b\x00 b a");
        assert_eq!(down("c", "c"), "c");
        assert_eq!(down("b", "d"), "");
    }
}

/// The answers of HBase 2.6.1.
#[test]
fn a_full_piece_is_partial_if_excess_versions_follow_it() {
    let world = World::new(&["f VERSIONS=3"]);
    for row in ["a", "b", "c"] {
        for (column, timestamp) in [("f:1", 1), ("f:2", 1), ("f:2", 2)] {
            world.put(row, column, timestamp, "v");
        }
    }
    let pieces = |reversed, columns| world.scan(Scan { batch: 2, reversed, columns, ..Scan::default() });
    // The last result of a region never is.
    let expected = "a f:1@1=v f:2@2=v …; b f:1@1=v f:2@2=v …; c f:1@1=v f:2@2=v";
    assert_eq!(pieces(false, columns(&["f"])), expected);
    let expected = "c f:1@1=v f:2@2=v …; b f:1@1=v f:2@2=v …; a f:1@1=v f:2@2=v";
    assert_eq!(pieces(true, columns(&["f"])), expected);
    // A scan of named columns seeks behind their excess versions.
    let expected = "a f:1@1=v f:2@2=v; b f:1@1=v f:2@2=v; c f:1@1=v f:2@2=v";
    assert_eq!(pieces(false, columns(&["f:1", "f:2"])), expected);
}

#[test]
fn a_reverse_scan_keeps_the_order_of_cells_within_a_row() {
    let world = letters(&[]);
    let scan = Scan { reversed: true, max_versions: 2, ..range("b", "a") };
    assert_eq!(world.scan(scan), "b f:1@5=b f:1@4=older f:2@5=x g:1@5=g");
}

/// The answers of HBase 2.6.1, which does not seek behind the empty qualifier, unless that is the last selected column.
#[test]
fn a_full_piece_is_partial_if_anything_follows_the_empty_qualifier() {
    let world = World::new(&["f VERSIONS=2"]);
    for (row, column, timestamp) in [
        ("a", "f:", 1),
        ("a", "f:4", 1),
        ("b", "f:", 1),
        ("b", "f:1", 4),
        ("c", "f:", 1),
        ("c", "f:", 2),
        ("d", "f:", 1),
        ("e", "f:4", 1),
    ] {
        world.put(row, column, timestamp, "v");
    }
    let pieces =
        |names: &[&str], reversed| world.scan(Scan { batch: 1, reversed, columns: columns(names), ..Scan::default() });
    let expected = "a f:@1=v …; a f:4@1=v; b f:@1=v …; c f:@2=v …; d f:@1=v; e f:4@1=v";
    assert_eq!(pieces(&["f:", "f:4"], false), expected);
    let expected = "e f:4@1=v; d f:@1=v; c f:@2=v …; b f:@1=v …; a f:@1=v …; a f:4@1=v";
    assert_eq!(pieces(&["f:", "f:4"], true), expected);
    assert_eq!(pieces(&["f:"], false), "a f:@1=v; b f:@1=v; c f:@2=v; d f:@1=v");
}

#[test]
fn pieces_cross_families_but_not_rows() {
    for reversed in [false, true] {
        let world = letters(&["b"]);
        let scan = |batch| Scan { batch, reversed, max_versions: 2, columns: columns(&["f", "g"]), ..range("b", "b") };
        assert_eq!(world.scan(scan(3)), "b f:1@5=b f:1@4=older f:2@5=x …; b g:1@5=g");
        assert_eq!(world.scan(scan(2)), "b f:1@5=b f:1@4=older …; b f:2@5=x g:1@5=g", "a full last piece ends its row");
        assert_eq!(world.scan(scan(9)), "b f:1@5=b f:1@4=older f:2@5=x g:1@5=g");
    }
}

#[test]
fn with_zero_versions_whole_families_return_none_and_named_columns_one() {
    let world = letters(&[]);
    for max_versions in [0, -3] {
        assert_eq!(world.scan(Scan { max_versions, ..Scan::default() }), "");
        assert_eq!(world.scan(Scan { max_versions, columns: columns(&["g:1"]), ..Scan::default() }), "b g:1@5=g");
    }
}

#[test]
fn a_limit_counts_rows_and_zero_is_the_first_fetch() {
    let world = letters(&["c"]);
    let limit = |limit, caching, batch| rows(&world, Scan { limit, caching, batch, ..Scan::default() });
    assert_eq!(limit(2, 0, 0), "a b");
    assert_eq!(limit(4, 1, 0), r"a b b\x00 c");
    assert_eq!(limit(2, 0, 1), "a a b b b", "all pieces of two rows");
    assert_eq!(limit(0, 0, 0), r"a b b\x00", "the first region");
    assert_eq!(limit(0, 2, 0), "a b");
}

#[test]
fn a_row_whose_remaining_cells_are_hidden_counts_towards_the_limit() {
    for caching in [0, 1, 2] {
        let world = World::split(&["f"], &["b"]);
        for row in ["a", "b", "c"] {
            world.put(row, "f:1", 5, "seen");
            world.put(row, "f:2", 5, "hidden");
            world.delete(row, "f:2", Column, 5);
        }
        let limit = |limit| rows(&world, Scan { limit, caching, batch: 1, ..Scan::default() });
        assert_eq!(limit(1), "a", "caching {caching}");
        assert_eq!(limit(2), "a b", "caching {caching}");
        assert_eq!(limit(9), "a b c", "caching {caching}");
    }
}

#[test]
fn a_familys_own_range_replaces_the_general_one() {
    let world = letters(&[]);
    let scan = Scan {
        time_range: TimeRange::before(5).unwrap(),
        family_time_ranges: BTreeMap::from([
            (bytes("g"), TimeRange::ALL),
            (bytes("unknown"), TimeRange::new(1, 1).unwrap()),
        ]),
        ..range("b", "b")
    };
    assert_eq!(world.scan(scan), "b f:1@4=older g:1@5=g");
}

#[test]
fn an_invalid_start_row_is_refused_at_once() {
    let world = letters(&[]);
    let error = world.table.scan(Scan { start: vec![0; 32_768].into(), ..Scan::default() }).err().unwrap();
    assert_eq!(error.kind(), ErrorKind::InvalidArgument);
}

proptest! {
    /// Fetching in portions of any size, over any regions and in pieces of any size, gives the same cells as one fetch.
    #[test]
    fn portions_and_pieces_add_up_to_the_whole_scan(
        cells in proptest::collection::btree_set(("[a-d]{1,2}", "[fg]", "[a-c]"), 1..30),
        splits in proptest::collection::btree_set("[a-d]{1,2}", 0..4),
        (caching, batch, n) in (0i32..4, 0i32..4, 1usize..4),
        reversed: bool,
    ) {
        let splits: Vec<_> = splits.iter().map(String::as_str).collect();
        let world = World::split(&["f", "g"], &splits);
        for (row, family, qualifier) in &cells {
            world.put(row, &format!("{family}:{qualifier}"), 1, "v");
        }
        let whole = world.table.scan(Scan { reversed, ..Scan::default() }).unwrap().next(usize::MAX).unwrap();
        let mut scanner = world.table.scan(Scan { caching, batch, reversed, ..Scan::default() }).unwrap();
        let mut glued: Vec<Row> = Vec::new();
        let mut goes_on = false;
        loop {
            let results = scanner.next(n).unwrap();
            if results.is_empty() {
                break;
            }
            for row in results {
                prop_assert!(batch == 0 || row.cells.len() <= batch as usize);
                let partial = row.partial;
                match glued.last_mut() {
                    Some(last) if goes_on => {
                        prop_assert_eq!(&last.key, &row.key);
                        last.cells.extend(row.cells);
                    }
                    _ => glued.push(Row { partial: false, ..row }),
                }
                goes_on = partial;
            }
        }
        prop_assert_eq!(short(&glued), short(&whole));
        prop_assert!(scanner.next(n).unwrap().is_empty());
        let count: usize = whole.iter().map(|row| row.cells.len()).sum();
        prop_assert_eq!(count, cells.len());
    }
}
