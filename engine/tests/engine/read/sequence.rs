//! Families with NEW_VERSION_BEHAVIOR: deletes and versions apply in write order.

use crate::world::{World, bytes};
use bytes::Bytes;
use hjall_engine::mutation::MarkerKind::{Column, Family, FamilyVersion, Version};
use hjall_engine::mutation::{Delete, Durability, Marker, Mutation, Put, PutCell};

fn world(versions: i32) -> World {
    World::new(&[&format!("f NEW_VERSION_BEHAVIOR=true VERSIONS={versions}")])
}

fn put_at_once(timestamps: &[i64]) -> Put {
    let cell = |timestamp: &i64| PutCell {
        family: bytes("f"),
        qualifier: bytes("q"),
        timestamp: *timestamp,
        value: Bytes::from(timestamp.to_string()),
    };
    let cells = timestamps.iter().map(cell).collect();
    Put { row: bytes("r"), cells, ttl_ms: None, durability: Durability::UseDefault }
}

#[test]
fn a_put_after_a_delete_is_visible_with_any_timestamp() {
    for (kind, column) in [(Column, "f:q"), (Family, "f:"), (Version, "f:q"), (FamilyVersion, "f:")] {
        let world = world(3);
        world.put("r", "f:q", 20, "before");
        world.delete("r", column, kind, 20);
        assert_eq!(world.row("r", 3), "", "{kind:?}");
        world.put("r", "f:q", 10, "below");
        assert_eq!(world.row("r", 3), "r f:q@10=below", "{kind:?}");
        world.put("r", "f:q", 20, "same");
        assert_eq!(world.row("r", 3), "r f:q@20=same f:q@10=below", "{kind:?}");
    }
}

#[test]
fn a_superseded_version_stays_hidden() {
    let world = world(3);
    for timestamp in 1..=4 {
        world.put("r", "f:q", timestamp, "v");
    }
    world.delete("r", "f:q", Version, 4);
    assert_eq!(world.row("r", 9), "r f:q@3=v f:q@2=v");
}

#[test]
fn an_older_version_written_late_is_superseded_at_once() {
    let world = world(1);
    world.put("r", "f:q", 20, "new");
    world.put("r", "f:q", 10, "late");
    world.delete("r", "f:q", Version, 20);
    assert_eq!(world.row("r", 9), "");
    world.put("r", "f:q", 5, "after");
    assert_eq!(world.row("r", 9), "r f:q@5=after");
}

#[test]
fn cells_of_one_put_do_not_supersede_each_other() {
    let world = world(3);
    world.table.put(&put_at_once(&[1, 2, 3, 4])).unwrap();
    assert_eq!(world.row("r", 9), "r f:q@4=4 f:q@3=3 f:q@2=2");
    world.delete("r", "f:q", Version, 4);
    assert_eq!(world.row("r", 9), "r f:q@3=3 f:q@2=2 f:q@1=1");
}

#[test]
fn within_one_request_a_marker_hides_in_any_order() {
    let world = world(3);
    let marker = Marker { family: bytes("f"), qualifier: bytes("q"), kind: Column, timestamp: 30 };
    let delete = Mutation::Delete(Delete { markers: vec![marker], ..Delete::row("r") });
    world.table.mutate_row(b"r", &[delete, Mutation::Put(put_at_once(&[20, 40]))]).unwrap();
    assert_eq!(world.row("r", 9), "r f:q@40=40");
}

#[test]
fn time_ranges_and_versions_apply_as_usual() {
    let world = world(5);
    for timestamp in 1..=4 {
        world.put("r", "f:q", timestamp, "v");
    }
    assert_eq!(world.row("r", 2), "r f:q@4=v f:q@3=v");
    assert_eq!(world.row_in("r", 9, 2, 4), "r f:q@3=v f:q@2=v");
    world.delete("r", "f:q", Column, 3);
    assert_eq!(world.row_in("r", 9, 0, 3), "", "a marker above the range hides below");
}
