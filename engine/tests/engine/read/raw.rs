//! Raw reads: markers and hidden cells as they are stored, mixed as HBase mixes them although they are stored apart.

use crate::reading::{NOW, World, columns};
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
fn markers_and_hidden_cells_stand_in_order_of_time() {
    let world = world();
    let all = "r f:@3!10 f:@2=e f:@1!14 f:a@4=v f:a@3=v f:a@2!8 f:a@2=v f:a@1!12 f:a@1=v f:b@1=v g:x@2!8 g:x@2=v";
    assert_eq!(world.get(&raw(9)), all);
    assert_eq!(world.scan(Scan { raw: true, max_versions: 9, ..Scan::default() }), all);
    assert_eq!(world.scan(Scan { raw: true, max_versions: 9, reversed: true, ..Scan::default() }), all);
    let filter = Some(Arc::new(FilterSpec::parse(b"QualifierFilter(!=,'binary:zz')").unwrap()));
    assert_eq!(world.get(&Get { filter, ..raw(9) }), all, "VERSIONS bounds no raw read");
}

#[test]
fn a_filter_finds_a_version_below_those_that_it_refuses() {
    let filter = Some(Arc::new(FilterSpec::parse(b"TimestampsFilter(3)").unwrap()));
    assert_eq!(world().get(&Get { filter, ..raw(1) }), "r f:@3!10 f:a@3=v");
}

#[test]
fn values_are_counted_and_markers_end_with_them() {
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
fn a_row_of_markers_alone_exists() {
    let world = World::new(&["f", "g"]);
    world.delete("r", "f:", Family, 5);
    world.delete("r", "g:q", Column, 5);
    assert!(!world.table.exists(&Get::new("r")).unwrap());
    assert!(world.table.exists(&raw(1)).unwrap());
    assert_eq!(world.get(&raw(1)), "r f:@5!14 g:q@5!12");
    assert_eq!(world.scan(Scan { raw: true, batch: 1, ..Scan::default() }), "r f:@5!14 …; r g:q@5!12");
}

#[test]
fn a_familys_ttl_does_not_count_but_a_cells_own_does() {
    let world = World::new(&["f TTL=10 VERSIONS=9"]);
    world.put("r", "f:q", 1, "expired");
    world.put_living("r", "f:q", 2, "dead", Some(5));
    world.put("r", "f:q", NOW, "live");
    assert_eq!(world.get(&raw(9)), format!("r f:q@{NOW}=live f:q@1=expired"));
}

#[test]
fn columns_cannot_be_named_families_can() {
    let world = world();
    let error = world.table.get(&Get { columns: columns(&["f:a"]), ..raw(1) }).unwrap_err();
    assert_eq!((error.kind(), error.message()), (ErrorKind::Refused, "Cannot specify any column for a raw scan"));
    assert_eq!(world.get(&Get { columns: columns(&["g"]), ..raw(1) }), "r g:x@2!8 g:x@2=v");
}
