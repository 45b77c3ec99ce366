//! A store that is reopened in place after a failed write: rows cached before must not hide what the reopening reveals.

use std::sync::Arc;
use std::thread;

use hjall_engine::clock::ManualClock;
use hjall_engine::request::{Get, Scan};
use hjall_engine::{Engine, ErrorKind, Table};

use crate::fixture::controlled_store::ControlledStore;
use crate::fixture::{NOW, descriptor, name, put};

fn table() -> (Arc<ControlledStore>, Table) {
    let store = ControlledStore::new(Arc::new(ManualClock::at(NOW)));
    let engine = Engine::with_store(store.clone()).unwrap();
    engine.create_table(descriptor("t", &["f"]), vec![]).unwrap();
    let table = engine.table(&name("t"));
    table.put(&put("torn", &[("f:a", 1, "old")])).unwrap();
    (store, table)
}

/// What a get of the row shows, asked often enough that it comes from the cache in the end.
fn got(table: &Table) -> String {
    let values: Vec<_> = (0..4).map(|_| table.get(&Get::new("torn")).unwrap().cells[0].value.clone()).collect();
    assert!(values.windows(2).all(|pair| pair[0] == pair[1]), "{values:?}");
    String::from_utf8_lossy(&values[0]).into_owned()
}

fn scanned(table: &Table) -> String {
    let scan = Scan { start: "torn".into(), stop: "torn".into(), ..Scan::default() };
    let rows = table.scan(scan).unwrap().next(1).unwrap();
    String::from_utf8_lossy(&rows[0].cells[0].value).into_owned()
}

#[test]
fn a_row_cached_after_a_failed_write_is_read_again_once_the_store_has_been_reopened() {
    let (store, table) = table();
    store.fail_next();
    assert_eq!(table.put(&put("torn", &[("f:a", 2, "new")])).unwrap_err().kind(), ErrorKind::Io);
    assert_eq!((scanned(&table), got(&table)), ("old".to_owned(), "old".to_owned()));
    table.put(&put("other", &[("f:a", 1, "x")])).unwrap();
    assert_eq!((scanned(&table), got(&table)), ("new".to_owned(), "new".to_owned()));
}

#[test]
fn a_write_that_committed_before_another_failed_does_not_vouch_for_it() {
    let (store, table) = table();
    let (committed, release) = store.hold_slow();
    let slow = table.clone();
    let writer = thread::spawn(move || slow.put(&put("slow", &[("f:a", 1, "x")])));
    committed.recv().unwrap();
    store.fail_next();
    table.put(&put("torn", &[("f:a", 2, "new")])).unwrap_err();
    release.send(()).unwrap();
    writer.join().unwrap().unwrap();
    assert_eq!((scanned(&table), got(&table)), ("old".to_owned(), "old".to_owned()));
    table.put(&put("other", &[("f:a", 1, "x")])).unwrap();
    assert_eq!((scanned(&table), got(&table)), ("new".to_owned(), "new".to_owned()));
}
