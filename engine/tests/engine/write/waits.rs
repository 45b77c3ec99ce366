//! The notice that a write may wait.

use std::cell::Cell;
use std::rc::Rc;
use std::sync::{Arc, mpsc};

use bytes::Bytes;
use hjall_engine::blocking;
use hjall_engine::clock::ManualClock;
use hjall_engine::mutation::{Durability, Put};
use hjall_engine::store::{MemoryStore, Store};

use crate::fixture::{Database, NOW, SERVER, increment, put};

#[test]
fn a_sync_and_a_read_of_the_row_are_announced_and_a_plain_put_is_not() {
    let db = Database::folder();
    let t = db.table("t", &["f"]);
    let count = Rc::new(Cell::new(0));
    let counter = Rc::clone(&count);
    blocking::on_wait(move || counter.set(counter.get() + 1));
    let plain = put("r", &[("f:q", SERVER, "v")]);
    t.put(&plain).unwrap();
    assert_eq!(count.take(), 0);
    t.put(&Put { durability: Durability::FsyncWal, ..plain }).unwrap();
    assert_eq!(count.take(), 1);
    t.increment(&increment("r", "f:n", 1)).unwrap();
    assert!(count.take() > 0);
}

#[test]
fn a_wait_for_a_row_is_announced() {
    let store = MemoryStore::new(Arc::new(ManualClock::at(NOW)));
    let row = [Bytes::from_static(b"row")];
    std::thread::scope(|scope| {
        let (announces, announced) = mpsc::channel();
        let transact = |body: &mut dyn FnMut()| {
            store.transact(&row, Durability::SyncWal, &mut |_| {
                body();
                Ok(())
            })
        };
        let second = move || {
            blocking::on_wait(move || announces.send(()).unwrap());
            transact(&mut || {})
        };
        let mut second = Some(second);
        transact(&mut || {
            if let Some(second) = second.take() {
                scope.spawn(second);
                announced.recv().unwrap();
            }
        })
        .unwrap();
    });
}
