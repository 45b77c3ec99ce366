//! Raw reads: markers and hidden cells as they are stored, in HBase's order although they are stored separately.

use crate::world::{NOW, World, columns};
use hjall_engine::ErrorKind;
use hjall_engine::filter::FilterSpec;
use hjall_engine::mutation::MarkerKind::{Column, Family, FamilyVersion, Version};
use hjall_engine::request::{Get, Scan, TimeRange};
use std::sync::Arc;

fn world() -> World {
    let world = World::new(&["f VERSIONS=3", "g"]);
    for timestamp in 1..=4 {
        world.put("r", "f:a", timestamp, "v");
    }
    world.put("r", "f:b", 1, "v");
    world.put("r", "f:", 2, "e");
    world.delete("r", "f:a", Version, 2);
    world.delete("r", "f:a", Column, 1);
    world.delete("r", "f:", Family, 1);
    world.delete("r", "f:", FamilyVersion, 3);
    world.put("r", "g:x", 2, "v");
    world.delete("r", "g:x", Version, 2);
    world
}

fn raw(max_versions: i32) -> Get {
    Get { raw: true, max_versions, ..Get::new("r") }
}

#[test]
fn markers_and_hidden_cells_are_ordered_by_time() {
    let world = world();
    let all = "r f:@3!10 f:@2=e f:@1!14 f:a@4=v f:a@3=v f:a@2!8 f:a@2=v f:a@1!12 f:a@1=v f:b@1=v g:x@2!8 g:x@2=v";
    assert_eq!(world.get(&raw(9)), all);
    assert_eq!(world.scan(Scan { raw: true, max_versions: 9, ..Scan::default() }), all);
    assert_eq!(world.scan(Scan { raw: true, max_versions: 9, reversed: true, ..Scan::default() }), all);
    let filter = Some(Arc::new(FilterSpec::parse(b"QualifierFilter(!=,'binary:zz')").unwrap()));
    assert_eq!(world.get(&Get { filter, ..raw(9) }), all, "VERSIONS does not limit raw reads");
}

#[test]
fn a_filter_finds_a_version_below_those_that_it_refuses() {
    let filter = Some(Arc::new(FilterSpec::parse(b"TimestampsFilter(3)").unwrap()));
    assert_eq!(world().get(&Get { filter, ..raw(1) }), "r f:@3!10 f:a@3=v");
}

#[test]
fn only_values_count_and_no_markers_follow_the_last_one() {
    let world = world();
    assert_eq!(world.get(&raw(1)), "r f:@3!10 f:@2=e f:@1!14 f:a@4=v f:b@1=v g:x@2!8 g:x@2=v");
    assert_eq!(world.get(&raw(2)), "r f:@3!10 f:@2=e f:@1!14 f:a@4=v f:a@3=v f:a@2!8 f:b@1=v g:x@2!8 g:x@2=v");
}

#[test]
fn the_time_range_selects_markers_too() {
    let get = Get { time_range: TimeRange::new(2, 3).unwrap(), ..raw(9) };
    assert_eq!(world().get(&get), "r f:@2=e f:a@2!8 f:a@2=v g:x@2!8 g:x@2=v");
}

#[test]
fn a_row_that_has_only_markers_exists() {
    let world = World::new(&["f", "g"]);
    world.delete("r", "f:", Family, 5);
    world.delete("r", "g:q", Column, 5);
    assert!(!world.table.exists(&Get::new("r")).unwrap());
    assert!(world.table.exists(&raw(1)).unwrap());
    assert_eq!(world.get(&raw(1)), "r f:@5!14 g:q@5!12");
    assert_eq!(world.scan(Scan { raw: true, batch: 1, ..Scan::default() }), "r f:@5!14 …; r g:q@5!12");
}

#[test]
fn a_familys_ttl_is_ignored_but_a_cells_own_applies() {
    let world = World::new(&["f TTL=10 VERSIONS=9"]);
    world.put("r", "f:q", 1, "expired");
    world.put_living("r", "f:q", 2, "dead", Some(5));
    world.put("r", "f:q", NOW, "live");
    assert_eq!(world.get(&raw(9)), format!("r f:q@{NOW}=live f:q@1=expired"));
}

#[test]
fn families_can_be_named_but_columns_cannot() {
    let world = world();
    let error = world.table.get(&Get { columns: columns(&["f:a"]), ..raw(1) }).unwrap_err();
    assert_eq!((error.kind(), error.message()), (ErrorKind::Refused, "Cannot specify any column for a raw scan"));
    assert_eq!(world.get(&Get { columns: columns(&["g"]), ..raw(1) }), "r g:x@2!8 g:x@2=v");
}
