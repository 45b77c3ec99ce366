//! Families with NEW_VERSION_BEHAVIOR: deletes and versions apply in write order.

use crate::folder_copy::copy_crashed;
use crate::world::naive::Naive;
use crate::world::{World, bytes, descriptor, history, short};
use bytes::Bytes;
use hjall_engine::mutation::MarkerKind::{Column, Family, FamilyVersion, Version};
use hjall_engine::mutation::{Delete, Durability, Marker, Mutation, Put, PutCell};
use hjall_engine::name::TableName;
use hjall_engine::request::Get;
use hjall_engine::{Engine, Options};
use proptest::collection::vec;
use proptest::prelude::*;

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
fn a_put_of_more_cells_than_versions_supersedes_none_of_them() {
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

const OFF: &str = "f NEW_VERSION_BEHAVIOR=false VERSIONS=3";
const ON: &str = "f NEW_VERSION_BEHAVIOR=true VERSIONS=3";

fn switch(world: &World, family: &str) {
    let name = TableName::parse(b"t").unwrap();
    world.engine.modify_table(descriptor(&name, &[family, "g"])).unwrap();
}

/// Whether a family with NEW_VERSION_BEHAVIOR hides a version is decided by the order of the writes. What is written
/// while it is off comes after what was written before, and before what is written afterwards.
#[test]
fn writes_made_while_it_is_off_keep_their_place_in_the_order() {
    for (kind, column) in [(Column, "f:q"), (Family, "f:"), (Version, "f:q"), (FamilyVersion, "f:")] {
        // An earlier switch must not matter.
        for earlier in 0..3 {
            let world = World::new(&[ON, "g"]);
            for _ in 0..earlier {
                switch(&world, OFF);
                world.put("other", "f:q", 20, "v");
                switch(&world, ON);
            }
            world.put("r", "f:q", 20, "on");
            switch(&world, OFF);
            world.delete("r", column, kind, 20);
            assert_eq!(world.row("r", 3), "", "{kind:?}");
            switch(&world, ON);
            assert_eq!(world.row("r", 3), "", "{kind:?}: what was deleted comes back");
            world.put("r", "f:q", 20, "on again");
            assert_eq!(world.row("r", 3), "r f:q@20=on again", "{kind:?}");
            world.delete("r", column, kind, 20);
            switch(&world, OFF);
            world.put("r", "f:q", 20, "hidden");
            world.put("r", "f:q", 21, "off");
            assert_eq!(world.row("r", 3), "r f:q@21=off", "{kind:?}");
            switch(&world, ON);
            assert_eq!(world.row("r", 3), "r f:q@21=off f:q@20=hidden", "{kind:?}: it was put after the marker");
        }
    }
}

/// What is written before it is on for the first time comes before everything else.
#[test]
fn writes_made_before_it_is_on_are_the_first_ones() {
    let world = World::new(&[OFF, "g"]);
    world.put("r", "f:q", 20, "first");
    world.delete("s", "f:q", Column, 20);
    switch(&world, ON);
    world.delete("r", "f:q", Column, 20);
    world.put("s", "f:q", 10, "on");
    for family in [ON, OFF, ON] {
        switch(&world, family);
        assert_eq!(world.row("r", 3), "");
    }
    assert_eq!(world.row("s", 3), "s f:q@10=on");
}

#[test]
fn the_order_outlasts_other_changes_a_restart_and_a_crash() {
    let folder = tempfile::tempdir().unwrap();
    let mut before = Engine::open(folder.path(), Options::default()).unwrap();
    let name = TableName::parse(b"t").unwrap();
    let alter = |engine: &Engine, family: &str| engine.modify_table(descriptor(&name, &[family, "g"])).unwrap();
    let put = |engine: &Engine, row: &'static str, timestamp| {
        engine.table(&name).put(&Put { row: bytes(row), ..put_at_once(&[timestamp]) }).unwrap();
    };
    let delete = |engine: &Engine, row: &'static str| {
        let marker = Marker { family: bytes("f"), qualifier: bytes("q"), kind: Column, timestamp: 20 };
        engine.table(&name).delete(&Delete { markers: vec![marker], ..Delete::row(row) }).unwrap();
    };
    before.create_table(descriptor(&name, &[ON, "g"]), vec![]).unwrap();
    put(&before, "r", 20);
    put(&before, "s", 20);
    alter(&before, OFF);
    let mut crashes = Vec::new();
    let mut reopen = |engine: Engine, crash: bool| {
        if !crash {
            engine.close().unwrap();
            return Engine::open(folder.path(), Options::default()).unwrap();
        }
        let crashed = tempfile::tempdir().unwrap();
        copy_crashed(folder.path(), crashed.path());
        crashes.push((engine, crashed));
        Engine::open(crashes[crashes.len() - 1].1.path(), Options::default()).unwrap()
    };
    before = reopen(before, false);
    delete(&before, "r");
    alter(&before, &OFF.replace("VERSIONS=3", "VERSIONS=5"));
    before.disable_table(&name).unwrap();
    before.enable_table(&name).unwrap();
    let engine = reopen(before, true);
    delete(&engine, "s");
    alter(&engine, ON);
    for row in ["r", "s"] {
        put(&engine, row, 10);
        let read = engine.table(&name).get(&Get { max_versions: 9, ..Get::new(row) }).unwrap();
        assert_eq!(short(&[read]), format!("{row} f:q@10=10"), "hidden before, and put after");
    }
}

proptest! {
    /// Among each other, writes made while it is off keep the order of their timestamps.
    #[test]
    fn switching_it_on_shows_what_was_visible_while_it_was_off(writes in vec(history::write(), 1..20), earlier: bool) {
        let world = World::new(&[OFF, "g"]);
        if earlier {
            switch(&world, ON);
            world.put("other", "f:a", 20, "v");
            switch(&world, OFF);
        }
        let mut naive = Naive::default();
        for (n, write) in writes.iter().enumerate() {
            write.apply(n, &world, &mut naive);
        }
        let rows = || ["r", "s"].map(|row| world.row(row, 9));
        let before = rows();
        switch(&world, ON);
        prop_assert_eq!(rows(), before);
    }
}
