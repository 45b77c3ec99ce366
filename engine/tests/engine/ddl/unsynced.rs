//! Changes of a table that have taken effect and are not durable yet. The sync of each change here fails, and the store
//! is reopened without it, as after a failed write of a page of the journal that is no longer in memory.

use std::sync::Arc;
use std::thread::{self, JoinHandle};

use hjall_engine::clock::ManualClock;
use hjall_engine::{Engine, ErrorKind, Result, Table};

use crate::fixture::controlled_store::ControlledStore;
use crate::fixture::{NOW, descriptor, family, kind, name, put, read};

fn open(families: &[&str]) -> (Arc<ControlledStore>, Engine, Table) {
    let store = ControlledStore::new(Arc::new(ManualClock::at(NOW)));
    let engine = Engine::with_store(store.clone()).unwrap();
    engine.create_table(descriptor("t", families), vec![]).unwrap();
    let table = engine.table(&name("t"));
    (store, engine, table)
}

fn change(engine: &Engine, change: fn(&Engine) -> Result<()>) -> JoinHandle<Result<()>> {
    let engine = engine.clone();
    thread::spawn(move || change(&engine))
}

/// The put began before the sync failed, and is committed after the reopening.
#[test]
fn a_put_to_a_family_whose_addition_is_lost_is_not_acknowledged() {
    let (store, engine, table) = open(&["f"]);
    let (syncing, fail) = store.lose_change();
    let addition = change(&engine, |engine| engine.add_family(&name("t"), family("g")));
    syncing.recv().unwrap();
    let (begun, go_on) = store.hold_late();
    let writer = thread::spawn({
        let table = table.clone();
        move || table.put(&put("late", &[("g:q", 1, "v")]))
    });
    begun.recv().unwrap();
    fail.send(()).unwrap();
    assert_eq!(kind(addition.join().unwrap()), ErrorKind::Io);
    go_on.send(()).unwrap();
    let acknowledged = writer.join().unwrap().is_ok();
    // Reads the catalog again.
    let has_family = engine.describe(&name("t")).unwrap().families.contains_key(&b"g"[..]);
    let is_kept = has_family && !read(&table, "late").is_empty();
    assert!(is_kept || !acknowledged, "an acknowledged put is lost");
    table.put(&put("r", &[("f:q", 1, "v")])).unwrap();
}

/// As long as the change may be lost, the old rules may apply again.
#[test]
fn a_compaction_before_the_sync_keeps_what_the_old_rules_show() {
    let (store, engine, table) = open(&["f VERSIONS=3"]);
    (1..=3).for_each(|time| table.put(&put("r", &[("f:q", time, "v")])).unwrap());
    let (syncing, fail) = store.lose_change();
    let alteration = change(&engine, |engine| engine.modify_family(&name("t"), family("f VERSIONS=1")));
    syncing.recv().unwrap();
    store.compact_some(true, |_| true);
    fail.send(()).unwrap();
    assert_eq!(kind(alteration.join().unwrap()), ErrorKind::Io);
    assert_eq!(read(&table, "r"), ["f:q@3=v", "f:q@2=v", "f:q@1=v"]);
}
