//! The versions that a read sees: counting, delete markers, time ranges, TTL. The expected answers follow from HBase's
//! rules.

use std::sync::Arc;

use crate::world::{NEWEST, NOW, World, bytes, columns};
use hjall_engine::filter::FilterSpec;
use hjall_engine::mutation::MarkerKind::{Column, Family, FamilyVersion, Version};
use hjall_engine::request::Get;

fn four(family: &str) -> World {
    let world = World::new(&[family]);
    for (timestamp, value) in [(10, "a"), (20, "b"), (30, "c"), (40, "d")] {
        world.put("r", "f:q", timestamp, value);
    }
    world
}

#[test]
fn the_newest_versions_are_returned_up_to_versions() {
    let world = four("f VERSIONS=3");
    assert_eq!(world.row("r", 1), "r f:q@40=d");
    assert_eq!(world.row("r", 2), "r f:q@40=d f:q@30=c");
    assert_eq!(world.row("r", 5), "r f:q@40=d f:q@30=c f:q@20=b");
    assert_eq!(world.row("absent", 5), "");
}

#[test]
fn a_column_marker_hides_versions_up_to_its_timestamp() {
    let world = four("f VERSIONS=4");
    world.delete("r", "f:q", Column, 20);
    assert_eq!(world.row("r", 5), "r f:q@40=d f:q@30=c");
    world.delete("r", "f:q", Version, 40);
    assert_eq!(world.row("r", 5), "r f:q@30=c");
    world.put("r", "f:q", 20, "again");
    assert_eq!(world.row("r", 5), "r f:q@30=c", "an existing marker also hides a later write with an older timestamp");
}

#[test]
fn a_version_marker_hides_one_version_which_then_does_not_count() {
    let world = four("f VERSIONS=2");
    world.delete("r", "f:q", Version, 30);
    assert_eq!(world.row("r", 5), "r f:q@40=d f:q@20=b");
    world.delete("r", "f:q", Version, 35);
    assert_eq!(world.row("r", 5), "r f:q@40=d f:q@20=b", "a marker between two versions hides nothing");
}

#[test]
fn an_empty_time_range_returns_nothing() {
    // With KEEP_DELETED_CELLS a read skips markers newer than its range; there are no timestamps below [0, 0) to skip
    // to.
    for keep in ["FALSE", "TRUE"] {
        let world = four(&format!("f VERSIONS=4 KEEP_DELETED_CELLS={keep}"));
        world.delete("r", "f:", Family, 15);
        world.delete("r", "f:q", Column, 10);
        assert_eq!(world.row_in("r", 5, 0, 0), "");
    }
}

#[test]
fn family_markers_hide_across_columns() {
    let world = World::new(&["f VERSIONS=3", "g VERSIONS=3"]);
    for column in ["f:", "f:a", "f:b", "g:a"] {
        world.put("r", column, 45, "old");
        world.put("r", column, 51, "new");
    }
    world.delete("r", "f:", FamilyVersion, 51);
    assert_eq!(world.row("r", 1), "r f:@45=old f:a@45=old f:b@45=old g:a@51=new");
    world.delete("r", "f:", Family, 50);
    assert_eq!(world.row("r", 3), "r g:a@51=new g:a@45=old");
    world.put("r", "f:", 52, "above");
    assert_eq!(world.row("r", 3), "r f:@52=above g:a@51=new g:a@45=old", "a put above does not shield the rest");
    world.put("r", "f:a", 49, "below");
    assert_eq!(world.row("r", 3), "r f:@52=above g:a@51=new g:a@45=old");
}

#[test]
fn deletes_of_the_newest_version_remove_one_after_the_other() {
    let world = four("f VERSIONS=4");
    for left in ["r f:q@30=c f:q@20=b f:q@10=a", "r f:q@20=b f:q@10=a", "r f:q@10=a", ""] {
        world.delete("r", "f:q", Version, NEWEST);
        assert_eq!(world.row("r", 5), left);
    }
}

#[test]
fn a_timestamp_that_is_written_twice_is_one_version() {
    let world = World::new(&["f VERSIONS=3"]);
    world.put("r", "f:q", 5, "x");
    world.put("r", "f:q", 5, "y");
    assert_eq!(world.row("r", 3), "r f:q@5=y");
}

#[test]
fn versions_are_counted_inside_the_time_range() {
    let world = four("f VERSIONS=4");
    assert_eq!(world.row_in("r", 1, 0, 40), "r f:q@30=c");
    assert_eq!(world.row_in("r", 9, 20, 31), "r f:q@30=c f:q@20=b");
    assert_eq!(world.row_in("r", 9, 20, 20), "", "an empty range selects nothing");
    assert_eq!(world.row_in("r", 9, 0, 0), "");
    assert_eq!(world.row_in("r", 9, 0, i64::MAX), world.row("r", 9));
}

#[test]
fn markers_newer_than_the_range_hide_unless_deleted_cells_are_kept() {
    for (keep, below) in [("FALSE", ""), ("TRUE", "r f:q@10=a"), ("TTL", "r f:q@10=a")] {
        for (kind, column) in [(Column, "f:q"), (Family, "f:")] {
            let world = World::new(&[&format!("f VERSIONS=3 KEEP_DELETED_CELLS={keep}")]);
            world.put("r", "f:q", 10, "a");
            world.delete("r", column, kind, 30);
            assert_eq!(world.row_in("r", 1, 0, 20), below, "{keep} {kind:?}");
            assert_eq!(world.row_in("r", 1, 0, 31), "", "{keep} {kind:?}");
            assert_eq!(world.row("r", 1), "", "{keep} {kind:?}");
            assert_eq!(world.row_in("r", 1, 5, 20), below, "{keep} {kind:?}");
        }
    }
}

#[test]
fn an_older_marker_in_the_range_applies_when_a_newer_one_does_not() {
    let world = World::new(&["f VERSIONS=3 KEEP_DELETED_CELLS=TRUE"]);
    world.put("r", "f:q", 10, "a");
    world.put("r", "f:q", 12, "b");
    world.delete("r", "f:q", Column, 11);
    world.delete("r", "f:q", Column, 30);
    assert_eq!(world.row_in("r", 3, 0, 20), "r f:q@12=b");
}

#[test]
fn a_cell_expires_when_it_is_older_than_the_ttl() {
    let world = World::new(&["f TTL=10 VERSIONS=5"]);
    world.put("r", "f:a", NOW - 10_000, "just");
    world.put("r", "f:b", NOW - 10_001, "gone");
    assert_eq!(world.row("r", 1), format!("r f:a@{}=just", NOW - 10_000));
    world.clock.advance(1);
    assert_eq!(world.row("r", 1), "");
    assert!(!world.table.exists(&Get::new("r")).unwrap());
}

#[test]
fn min_versions_keep_the_newest_expired_ones() {
    let world = World::new(&["f TTL=10 VERSIONS=5 MIN_VERSIONS=2"]);
    for timestamp in [1, 2, 3] {
        world.put("r", "f:q", timestamp, "old");
    }
    assert_eq!(world.row("r", 5), "r f:q@3=old f:q@2=old");
    world.put("r", "f:q", NOW, "live");
    assert_eq!(world.row("r", 5), format!("r f:q@{NOW}=live f:q@3=old"), "unexpired ones count towards MIN_VERSIONS");
    let named = Get { columns: columns(&["f:q"]), max_versions: 5, ..Get::new("r") };
    assert_eq!(world.get(&named), format!("r f:q@{NOW}=live f:q@3=old"));
    world.delete("r", "f:q", Column, 3);
    assert_eq!(world.row("r", 5), format!("r f:q@{NOW}=live"), "an expired marker still hides");
}

#[test]
fn a_cells_own_ttl_applies_regardless_of_min_versions() {
    let world = World::new(&["f VERSIONS=3 MIN_VERSIONS=2 TTL=100000"]);
    world.put("r", "f:q", NOW - 50, "below");
    world.put_living("r", "f:q", NOW - 10, "brief", Some(20));
    assert_eq!(world.row("r", 1), format!("r f:q@{}=brief", NOW - 10));
    world.clock.advance(11);
    assert_eq!(world.row("r", 1), format!("r f:q@{}=below", NOW - 50));
    world.put_living("r", "f:w", 5, "wraps", Some(i64::MAX - 1));
    world.put_living("r", "f:x", 5, "stays", Some(i64::MAX));
    assert!(!world.row("r", 1).contains("wraps"), "HBase adds time and TTL as Java does");
    assert!(world.row("r", 1).contains("stays"));
}

#[test]
fn named_columns_are_found_at_any_position() {
    let world = World::new(&["f", "g"]);
    for n in 0..50 {
        world.put("r", &format!("f:{n:02}"), 1, "v");
    }
    world.put("r", "f:", 1, "empty");
    world.put("r", "g:x", 1, "v");
    let get = |names: &[&str]| world.get(&Get { columns: columns(names), ..Get::new("r") });
    assert_eq!(get(&["f:49", "f:03", "f:", "f:absent"]), "r f:@1=empty f:03@1=v f:49@1=v");
    assert_eq!(get(&["g", "f:49"]), "r f:49@1=v g:x@1=v");
    assert_eq!(get(&["f:zz"]), "");
    assert!(!world.table.exists(&Get { columns: columns(&["f:zz"]), ..Get::new("r") }).unwrap());
    let error = world.table.get(&Get { columns: columns(&["no"]), ..Get::new("r") }).unwrap_err();
    assert!(error.message().starts_with("Column family no does not exist in region t,,"), "{error}");
}

#[test]
fn limit_and_offset_count_the_cells_of_each_family() {
    let world = World::new(&["f VERSIONS=2", "g VERSIONS=2"]);
    for column in ["f:a", "f:b", "g:a", "g:b"] {
        world.put("r", column, 1, "x");
        world.put("r", column, 2, "y");
    }
    let get = |store_limit, store_offset| {
        world.get(&Get { store_limit, store_offset, max_versions: 2, ..Get::new(bytes("r")) })
    };
    assert_eq!(get(1, 0), "r f:a@2=y g:a@2=y");
    assert_eq!(get(2, 1), "r f:a@1=x f:b@2=y g:a@1=x g:b@2=y");
    assert_eq!(get(0, 0), get(1, 0));
    assert_eq!(get(-1, 3), "r f:b@1=x g:b@1=x");
    assert_eq!(get(-1, -7), get(-1, 0));
    assert!(!world.table.exists(&Get { store_offset: 4, max_versions: 2, ..Get::new("r") }).unwrap());
}

#[test]
fn a_filter_that_leaves_the_column_of_the_empty_qualifier_sees_its_older_versions() {
    // HBase reads the rest of that column cell by cell, so a filter that counts columns counts each version.
    let world = World::new(&["f VERSIONS=3"]);
    for timestamp in [3, 5, 9] {
        world.put("r", "f:", timestamp, "v");
        world.put("r", "f:a", timestamp, "w");
    }
    world.put("r", "f:b", 3, "x");
    let paged = |limit_and_offset: &str| {
        let text = format!("ColumnPaginationFilter({limit_and_offset})");
        let filter = Some(Arc::new(FilterSpec::parse(text.as_bytes()).unwrap()));
        world.get(&Get { filter, ..Get::new("r") })
    };
    assert_eq!(paged("2,1"), "r f:@5=v");
    assert_eq!(paged("2,3"), "r f:a@9=w f:b@3=x");
}
