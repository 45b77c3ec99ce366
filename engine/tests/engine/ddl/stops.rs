//! Changes of tables that are stopped, as the server does when a client has disconnected.

use std::sync::Arc;
use std::thread;

use bytes::Bytes;
use hjall_engine::clock::ManualClock;
use hjall_engine::read::Stop;
use hjall_engine::store::fault::{Call, FaultStore};
use hjall_engine::store::{MemoryStore, Store};
use hjall_engine::{Engine, ErrorKind, Result};

use crate::eventually::eventually;
use crate::fixture::{NOW, descriptor, kind, name, put, read};

/// A change and its name.
type Change = (&'static str, fn(&Engine) -> Result<()>);

/// Changes of the table `t` or of the disabled table `off` that create at least two spaces each.
const CHANGES: [Change; 3] = [
    ("create", |engine| engine.create_table(descriptor("new", &["a", "b", "c"]), vec![Bytes::from_static(b"k")])),
    ("truncate", |engine| engine.truncate_table(&name("off"), true)),
    ("change a table", |engine| engine.modify_table(descriptor("t", &["f", "g", "h", "i"]))),
];

fn prepared() -> (Arc<FaultStore>, Engine) {
    let store = Arc::new(FaultStore::new(Arc::new(MemoryStore::new(Arc::new(ManualClock::at(NOW))))));
    let engine = Engine::with_store(store.clone()).unwrap();
    for table in ["t", "off"] {
        engine.create_table(descriptor(table, &["f", "g"]), vec![]).unwrap();
        engine.table(&name(table)).put(&put("r", &[("f:q", 1, "in f"), ("g:q", 1, "in g")])).unwrap();
    }
    engine.disable_table(&name("off")).unwrap();
    (store, engine)
}

#[test]
fn a_change_that_is_stopped_between_two_spaces_has_no_effect() {
    for (what, change) in CHANGES {
        let (store, engine) = prepared();
        let (tables, spaces) = (engine.tables(), store.spaces().unwrap());
        let stop = Stop::default();
        store.hold(Call::CreateSpace);
        let changing = thread::spawn({
            let engine = engine.stopped_by(stop.clone());
            move || change(&engine)
        });
        eventually("a space is being created", || store.waiting() > 0);
        stop.stop();
        store.heal();
        assert_eq!(kind(changing.join().unwrap()), ErrorKind::Cancelled, "{what}");
        assert_eq!((engine.tables(), store.spaces().unwrap()), (tables, spaces), "{what}: no space remains");
        assert_eq!(read(&engine.table(&name("t")), "r").len(), 2, "{what}: the rows stay");
        change(&engine).unwrap();
    }
}

#[test]
fn a_change_that_waits_for_another_one_can_be_stopped() {
    let (store, engine) = prepared();
    store.hold(Call::CreateSpace);
    let first = thread::spawn({
        let engine = engine.clone();
        move || CHANGES[0].1(&engine)
    });
    eventually("a space is being created", || store.waiting() > 0);
    let stop = Stop::default();
    let second = thread::spawn({
        let engine = engine.stopped_by(stop.clone());
        move || engine.disable_table(&name("t"))
    });
    stop.stop();
    assert_eq!(kind(second.join().unwrap()), ErrorKind::Cancelled);
    store.heal();
    first.join().unwrap().unwrap();
    assert!(engine.is_table_enabled(&name("t")).unwrap());
}
