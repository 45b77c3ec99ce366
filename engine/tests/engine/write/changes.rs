//! Writes during changes of their table: no write is lost in a space that a change has replaced.

use std::sync::atomic::{AtomicBool, Ordering};

use crate::fixture::{Database, SERVER, family, name, put, read};
use hjall_engine::ErrorKind as E;
use hjall_engine::request::Get;

#[test]
fn acknowledged_writes_survive_while_families_are_added_and_deleted() {
    for db in Database::all() {
        let t = db.table("t", &["f"]);
        let done = AtomicBool::new(false);
        let written = std::thread::scope(|threads| {
            let writers: Vec<_> = (0..3)
                .map(|n| {
                    let (t, done) = (&t, &done);
                    threads.spawn(move || {
                        let mut rows = Vec::new();
                        while !done.load(Ordering::Acquire) {
                            let row = format!("{n}-{}", rows.len());
                            t.put(&put(&row, &[("f:q", SERVER, "v")])).unwrap();
                            rows.push(row);
                        }
                        rows
                    })
                })
                .collect();
            for _ in 0..5 {
                db.engine.add_family(&name("t"), family("g")).unwrap();
                db.engine.modify_family(&name("t"), family("f VERSIONS=3")).unwrap();
                db.engine.delete_family(&name("t"), b"g").unwrap();
            }
            done.store(true, Ordering::Release);
            writers.into_iter().flat_map(|w| w.join().unwrap()).collect::<Vec<_>>()
        });
        for row in written {
            assert_eq!(read(&t, &row).len(), 1, "{}: {row}", db.kind);
        }
    }
}

#[test]
fn a_write_succeeds_on_an_enabled_table_or_is_refused() {
    for db in Database::all() {
        let t = db.table("t", &["f"]);
        let done = AtomicBool::new(false);
        std::thread::scope(|threads| {
            for n in 0..3 {
                let (t, done) = (&t, &done);
                threads.spawn(move || {
                    let mut at = 0;
                    while !done.load(Ordering::Acquire) {
                        at += 1;
                        let row = format!("{n}-{at}");
                        for error in [t.put(&put(&row, &[("f:q", SERVER, "v")])).err(), t.get(&Get::new(row)).err()]
                            .into_iter()
                            .flatten()
                        {
                            assert!(matches!(error.kind(), E::TableDisabled | E::TableNotFound), "{error:?}");
                        }
                    }
                });
            }
            for round in 0..6 {
                db.engine.disable_table(&name("t")).unwrap();
                if round % 2 == 0 {
                    db.engine.truncate_table(&name("t"), false).unwrap();
                } else {
                    db.engine.delete_table(&name("t")).unwrap();
                    db.table("t", &["f"]);
                }
            }
            done.store(true, Ordering::Release);
        });
    }
}

#[test]
fn data_follows_its_family_through_every_change() {
    for mut db in Database::all() {
        let t = db.table("t", &["f", "g"]);
        t.put(&put("r", &[("f:q", 1, "in f"), ("g:q", 1, "in g")])).unwrap();
        db.engine.add_family(&name("t"), family("h")).unwrap();
        db.engine.modify_family(&name("t"), family("g VERSIONS=4")).unwrap();
        db.engine.disable_table(&name("t")).unwrap();
        db.reopen();
        db.engine.enable_table(&name("t")).unwrap();
        let t = db.engine.table(&name("t"));
        assert_eq!(read(&t, "r"), ["f:q@1=in f", "g:q@1=in g"], "{}", db.kind);
        db.engine.delete_family(&name("t"), b"f").unwrap();
        db.engine.add_family(&name("t"), family("f")).unwrap();
        assert_eq!(read(&t, "r"), ["g:q@1=in g"], "a recreated family is empty");
        db.engine.disable_table(&name("t")).unwrap();
        db.engine.truncate_table(&name("t"), true).unwrap();
        assert!(read(&t, "r").is_empty());
    }
}
