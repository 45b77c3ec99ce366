//! Changes of tables and namespaces on a full disk. What they do not change stays in use, and after there is room again
//! everything does.

use std::sync::Arc;
use std::thread;

use hjall_engine::clock::ManualClock;
use hjall_engine::mutation::{PutCellOf, PutOf};
use hjall_engine::request::Scan;
use hjall_engine::schema::NamespaceDescriptor;
use hjall_engine::{Engine, ErrorKind, Result};

use crate::fixture::controlled_store::ControlledStore;
use crate::fixture::{NOW, descriptor, family, increment, kind, name, put, read};

/// A change, its name, and the table that it changes, if any.
type Change = (&'static str, Option<&'static str>, fn(&Engine) -> Result<()>);

const CHANGES: [Change; 8] = [
    ("create", Some("new"), |e| e.create_table(descriptor("new", &["a"]), vec![])),
    ("delete", Some("off"), |e| e.delete_table(&name("off"))),
    ("truncate", Some("off"), |e| e.truncate_table(&name("off"), true)),
    ("enable", Some("off"), |e| e.enable_table(&name("off"))),
    ("disable", Some("t"), |e| e.disable_table(&name("t"))),
    ("change a family", Some("t"), |e| e.modify_family(&name("t"), family("f VERSIONS=9"))),
    ("create a namespace", None, |e| e.create_namespace(NamespaceDescriptor::new("m"))),
    ("delete a namespace", None, |e| e.delete_namespace("n")),
];

fn prepare(engine: &Engine) {
    engine.create_namespace(NamespaceDescriptor::new("n")).unwrap();
    engine.create_namespace(NamespaceDescriptor::new("kept")).unwrap();
    for table in ["t", "off", "other"] {
        engine.create_table(descriptor(table, &["f"]), vec![]).unwrap();
        engine.table(&name(table)).put(&put("r", &[("f:q", 1, "v")])).unwrap();
    }
    engine.disable_table(&name("off")).unwrap();
}

fn open() -> (Arc<ControlledStore>, Engine) {
    let store = ControlledStore::new(Arc::new(ManualClock::at(NOW)));
    let engine = Engine::with_store(store.clone()).unwrap();
    prepare(&engine);
    (store, engine)
}

/// Uses a table in all ways that do not need the table's entry in the catalog to be written.
fn use_table(engine: &Engine, table: &str) -> Result<()> {
    let name = name(table);
    let table = engine.table(&name);
    engine.describe(&name)?;
    engine.with_regions(&name, <[_]>::len)?;
    table.put(&put("w", &[("f:q", 1, "w")]))?;
    table.put_many(&[put("w", &[("f:q", 2, "w")])]).into_iter().collect::<Result<()>>()?;
    let cells = vec![PutCellOf { family: &b"f"[..], qualifier: b"q", timestamp: 3, value: b"w" }];
    table.known()?.put(&PutOf { row: &b"w"[..], cells, ..PutOf::default() })?;
    table.increment(&increment("n", "f:n", 1))?;
    assert_eq!(read(&table, "r"), ["f:q@1=v"]);
    assert_eq!(read(&table, "w"), ["f:q@3=w"]);
    assert_eq!(table.scan(Scan::default())?.next(9)?.len(), 3);
    Ok(())
}

#[test]
fn what_a_failed_change_does_not_concern_stays_in_use() {
    for (what, changed, change) in CHANGES {
        let (store, engine) = open();
        store.fill_up();
        for attempt in 0..2 {
            assert_eq!(kind(change(&engine)), ErrorKind::DiskFull, "{what}, attempt {attempt}");
            for table in ["t", "other"].into_iter().filter(|table| Some(*table) != changed) {
                use_table(&engine, table).unwrap_or_else(|error| panic!("{what}: {table}: {error}"));
            }
            engine.namespace("kept").unwrap();
            assert!(engine.tables().iter().any(|(table, _)| table.name == name("other")));
        }
        // It is unknown what is stored of it.
        if let Some(changed) = changed {
            assert_eq!(kind(engine.describe(&name(changed))), ErrorKind::DiskFull, "{what}");
            let written = engine.table(&name(changed)).put(&put("r", &[("f:q", 5, "v")]));
            assert_eq!(kind(written), ErrorKind::DiskFull, "{what}");
        }
        store.make_room();
        change(&engine).unwrap_or_else(|error| panic!("{what}: {error}"));
        use_table(&engine, "other").unwrap();
    }
}

/// A store that refuses writes since an earlier one has failed has not written anything of the change.
#[test]
fn a_change_that_is_refused_leaves_no_table_in_doubt() {
    for (what, _, change) in CHANGES {
        let (store, engine) = open();
        let state = |engine: &Engine| (engine.tables(), engine.namespaces());
        let before = state(&engine);
        store.refuse_writes();
        for attempt in 0..2 {
            assert_eq!(kind(change(&engine)), ErrorKind::DiskFull, "{what}, attempt {attempt}");
            assert_eq!(read(&engine.table(&name("t")), "r"), ["f:q@1=v"], "{what}");
            assert_eq!(engine.table(&name("t")).scan(Scan::default()).unwrap().next(9).unwrap().len(), 1, "{what}");
            assert_eq!(state(&engine), before, "{what}");
        }
        store.make_room();
        change(&engine).unwrap_or_else(|error| panic!("{what}: {error}"));
    }
}

/// Writes to the table that is changed must not be acknowledged, because the reopened store may have lost their space.
/// Those to other tables have nothing to do with that.
#[test]
fn a_change_whose_sync_has_failed_concerns_only_its_own_table() {
    let (store, engine) = open();
    let (syncing, fail) = store.lose_change();
    let addition = thread::spawn({
        let engine = engine.clone();
        move || engine.add_family(&name("t"), family("g"))
    });
    syncing.recv().unwrap();
    use_table(&engine, "other").unwrap();
    store.fill_up();
    fail.send(()).unwrap();
    assert_eq!(kind(addition.join().unwrap()), ErrorKind::Io);
    use_table(&engine, "other").unwrap();
    assert_eq!(kind(engine.table(&name("t")).put(&put("r", &[("g:q", 1, "v")]))), ErrorKind::DiskFull);
    assert_eq!(kind(engine.table(&name("t")).put(&put("r", &[("f:q", 1, "v")]))), ErrorKind::DiskFull);
    store.make_room();
    assert_eq!(kind(engine.table(&name("t")).put(&put("r", &[("g:q", 1, "v")]))), ErrorKind::FamilyNotFound);
    use_table(&engine, "t").unwrap();
}

#[cfg(target_os = "linux")]
mod on_disk {
    use std::fs;
    use std::path::Path;
    use std::time::Instant;

    use hjall_engine::Options;

    use super::*;
    use crate::file_limit::{folder_of_child, in_child, limit_files};

    #[test]
    fn other_tables_are_read_while_a_change_fails() {
        if let Some(folder) = folder_of_child() {
            return fail_changes(&folder);
        }
        let folder = tempfile::tempdir().unwrap();
        in_child("ddl::full_disk::on_disk::other_tables_are_read_while_a_change_fails", folder.path(), "");
    }

    fn fail_changes(folder: &Path) {
        let engine = Engine::open(folder, Options::default()).unwrap();
        prepare(&engine);
        let other = engine.table(&name("other"));
        // Creating a table fails when its space is created, before the catalog is written.
        for (what, _, change) in [CHANGES[0], CHANGES[4], CHANGES[5], CHANGES[6]] {
            limit_files(&end_of_journal(folder).to_string());
            for _ in 0..3 {
                let error = change(&engine).unwrap_err();
                assert_eq!(error.kind(), ErrorKind::DiskFull, "{what}: {error}");
                assert_eq!(read(&other, "r"), ["f:q@1=v"], "{what}");
                engine.describe(&name("other")).unwrap();
                // The table in doubt is listed, and reading it does not reopen the database each time.
                let (began, reopened) = (Instant::now(), engine.statistics().unwrap().reopened);
                for _ in 0..50 {
                    assert!(engine.table_exists(&name("t")), "{what}");
                    assert!(engine.tables().iter().any(|(table, _)| table.name == name("t")), "{what}");
                    let _ = engine.describe(&name("t"));
                }
                let again = engine.statistics().unwrap().reopened - reopened;
                assert!(again <= 2 + began.elapsed().as_secs(), "{what}: reopened {again} times");
                // No write has room. It reopens the database.
                assert_eq!(kind(other.put(&put("w", &[("f:q", 1, "v")]))), ErrorKind::DiskFull, "{what}");
                assert_eq!(read(&other, "r"), ["f:q@1=v"], "{what}");
            }
            limit_files("unlimited");
            let began = Instant::now();
            // The database is reopened by a write, but not by each.
            while let Err(error) = change(&engine) {
                // The outcome of a failed change is unknown.
                let done = [ErrorKind::TableDisabled, ErrorKind::TableExists, ErrorKind::NamespaceExists];
                let is_done = done.contains(&error.kind());
                if is_done {
                    break;
                }
                assert_eq!(error.kind(), ErrorKind::DiskFull, "{what}: {error}");
                assert!(began.elapsed().as_secs() < 60, "{what}: there has been room for a minute");
            }
            use_table(&engine, "other").unwrap();
        }
        engine.enable_table(&name("t")).unwrap();
        let state = |engine: &Engine| (engine.tables(), engine.namespaces(), read(&engine.table(&name("t")), "r"));
        let before = state(&engine);
        engine.close().unwrap();
        let engine = Engine::open(folder, Options::default()).unwrap();
        assert_eq!(state(&engine), before);
        engine.close().unwrap();
    }

    /// The end of what has been written to the journal. The file is longer.
    fn end_of_journal(folder: &Path) -> usize {
        let journals = fs::read_dir(folder.join("data")).unwrap().map(|entry| entry.unwrap().path());
        let journals: Vec<_> = journals.filter(|path| path.extension().is_some_and(|e| e == "jnl")).collect();
        assert_eq!(journals.len(), 1, "{journals:?}");
        let bytes = fs::read(&journals[0]).unwrap();
        bytes.iter().rposition(|byte| *byte != 0).unwrap() + 1
    }
}
