//! Bulk loads: what they store, when it becomes visible, what they refuse, and what a failed or interrupted one leaves.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use hjall_engine::clock::{Clock as _, ManualClock};
use hjall_engine::mutation::{Delete, MarkerKind};
use hjall_engine::request::{Get, Scan};
use hjall_engine::store::fault::{Call, Counted, FaultStore, InjectedFault, When};
use hjall_engine::store::{FjallStore, MemoryStore, Store, StoreOptions};
use hjall_engine::{BulkLoad, Engine, ErrorKind, Loaded, Options, Result, Table};

use crate::fixture::{Database, NOW, SERVER, delete, descriptor, family, increment, kind, name, put, read, show};
use crate::folder_copy::copy_crashed;

type Cells<'a> = &'a [(&'a str, i64, &'a str)];

fn load(table: &Table, rows: &[(&str, Cells<'_>)]) -> Result<Loaded> {
    let mut load = table.bulk_load()?;
    for (row, cells) in rows {
        load.add(&put(row, cells))?;
    }
    load.finish()
}

/// All cells of a table that a scan shows.
fn scan(table: &Table) -> Vec<String> {
    let mut rows = table.scan(Scan::default()).unwrap();
    let row = |row: hjall_engine::Row| {
        let key = String::from_utf8_lossy(&row.key).into_owned();
        show(&row.cells).into_iter().map(move |cell| format!("{key} {cell}"))
    };
    rows.rows().flat_map(|read| row(read.unwrap())).collect()
}

/// The files of families in a data folder.
fn table_files(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for keyspace in std::fs::read_dir(folder.join("data/keyspaces")).unwrap() {
        let path = keyspace.unwrap().path();
        // Without the index and the catalog.
        if path.file_name().is_some_and(|name| name == "0" || name == "1") {
            continue;
        }
        let tables = std::fs::read_dir(path.join("tables"));
        files.extend(tables.into_iter().flatten().map(|file| file.unwrap().path()));
    }
    files.sort();
    files
}

#[test]
fn loaded_rows_are_read_as_put_rows_are() {
    for mut database in Database::all() {
        let table = database.table("t", &["f VERSIONS=3", "g"]);
        let rows: [(&str, Cells<'_>); 3] = [
            ("a", &[("g:z", 7, "late"), ("f:b", SERVER, "2"), ("f:a", 5, "old"), ("f:a", 6, "new"), ("f:", 1, "")]),
            ("b", &[("f:q", SERVER, "v")]),
            ("c", &[("g:q", SERVER, "w")]),
        ];
        let loaded = load(&table, &rows).unwrap();
        assert_eq!(loaded, Loaded { rows: 3, cells: 7 }, "{}", database.kind);
        let puts = database.table("p", &["f VERSIONS=3", "g"]);
        rows.iter().for_each(|(row, cells)| puts.put(&put(row, cells)).unwrap());
        for round in 0..3 {
            for row in ["a", "b", "c", "absent"] {
                let table = database.engine.table(&name("t"));
                let puts = database.engine.table(&name("p"));
                assert_eq!(read(&table, row), read(&puts, row), "{}, row {row}, round {round}", database.kind);
                assert_eq!(scan(&table), scan(&puts));
            }
            match round {
                0 => database.engine.compact(&name("t"), true).unwrap(),
                _ => database.reopen(),
            }
        }
    }
}

#[test]
fn many_rows_are_loaded_in_bounded_pieces() {
    let mut database = Database::folder();
    let table = database.table("t", &["f", "g"]);
    let mut load = table.bulk_load().unwrap();
    let value = "v".repeat(200);
    for n in 0..30_000 {
        load.add(&put(&format!("row {n:06}"), &[("f:q", SERVER, &value), ("g:q", SERVER, "x")])).unwrap();
    }
    assert_eq!(scan(&table), Vec::<String>::new(), "nothing is visible before the end");
    assert_eq!(load.finish().unwrap(), Loaded { rows: 30_000, cells: 60_000 });
    assert_eq!(scan(&table).len(), 60_000);
    database.reopen();
    let table = database.engine.table(&name("t"));
    assert_eq!(scan(&table).len(), 60_000);
    assert_eq!(read(&table, "row 029999").len(), 2);
}

#[test]
fn the_last_one_of_equal_cells_is_stored() {
    for database in Database::all() {
        let table = database.table("t", &["f"]);
        let loaded =
            load(&table, &[("a", &[("f:q", 5, "1"), ("f:p", 5, "x"), ("f:q", 5, "2")]), ("a", &[("f:q", 5, "3")])])
                .unwrap();
        assert_eq!(loaded, Loaded { rows: 1, cells: 2 });
        assert_eq!(read(&table, "a"), ["f:p@5=x", "f:q@5=3"], "{}", database.kind);
    }
}

#[test]
fn loads_merge_with_what_a_table_has() {
    for mut database in Database::all() {
        let table = database.table("t", &["f VERSIONS=5", "g"]);
        table.put(&put("a", &[("f:q", 5, "put"), ("f:r", 5, "put")])).unwrap();
        table.put(&put("c", &[("f:q", SERVER, "put")])).unwrap();
        for (text, times) in [("1", [4, 5]), ("2", [5, 6])] {
            let rows: [(&str, Cells<'_>); 2] =
                [("a", &[("f:q", times[0], text), ("f:q", times[1], text)]), ("b", &[("g:q", 1, text)])];
            load(&table, &rows).unwrap();
        }
        let expected = ["a f:q@6=2", "a f:r@5=put", "b g:q@1=2", &format!("c f:q@{NOW}=put")];
        for round in 0..3 {
            let table = database.engine.table(&name("t"));
            assert_eq!(scan(&table), expected, "{} round {round}", database.kind);
            assert_eq!(read(&table, "a"), ["f:q@6=2", "f:q@5=2", "f:q@4=1", "f:r@5=put"]);
            match round {
                0 => database.reopen(),
                _ => database.engine.compact(&name("t"), true).unwrap(),
            }
        }
        let table = database.engine.table(&name("t"));
        table.put(&put("a", &[("f:q", 6, "last")])).unwrap();
        assert_eq!(read(&table, "a")[0], "f:q@6=last");
    }
}

#[test]
fn writes_after_a_load_are_newer_and_deletes_hide_it() {
    for database in Database::all() {
        let table = database.table("t", &["f", "n NEW_VERSION_BEHAVIOR=true VERSIONS=3"]);
        // The clock stands still, so that only the rules for timestamps order the writes.
        table.delete(&Delete::row("a")).unwrap();
        table.delete(&Delete::row("b")).unwrap();
        load(&table, &[("a", &[("f:q", SERVER, "load"), ("n:q", SERVER, "load")]), ("b", &[("f:q", SERVER, "load")])])
            .unwrap();
        assert_eq!(read(&table, "a").len(), 2, "{}: the load follows the delete", database.kind);
        table.put(&put("a", &[("f:q", SERVER, "put"), ("n:q", SERVER, "put")])).unwrap();
        table.delete(&delete("b", &[(MarkerKind::Column, "f:q", SERVER)])).unwrap();
        let shown: Vec<String> = read(&table, "a").iter().map(|cell| cell.rsplit('=').next().unwrap().into()).collect();
        assert_eq!(shown[0], "put", "{}", database.kind);
        assert!(!shown.contains(&"load".to_owned()) || shown.len() == 3, "{shown:?}");
        assert_eq!(read(&table, "b"), Vec::<String>::new(), "{}: the delete follows the load", database.kind);
        table.put(&put("b", &[("f:q", SERVER, "again")])).unwrap();
        assert_eq!(read(&table, "b").len(), 1);
        assert_eq!(table.increment(&increment("c", "f:n", 1)).unwrap().cells.len(), 1);
    }
}

#[test]
fn a_write_during_a_load_is_newer_than_the_load() {
    for database in Database::all() {
        let table = database.table("t", &["f"]);
        let mut load = table.bulk_load().unwrap();
        database.clock.advance(5);
        table.put(&put("a", &[("f:q", SERVER, "put")])).unwrap();
        table.put(&put("b", &[("f:q", SERVER, "put")])).unwrap();
        table.delete(&Delete::row("b")).unwrap();
        for row in ["a", "b"] {
            load.add(&put(row, &[("f:q", SERVER, "load")])).unwrap();
        }
        load.finish().unwrap();
        assert_eq!(read(&table, "a")[0], format!("f:q@{}=put", NOW + 5), "{}", database.kind);
        assert_eq!(read(&table, "b"), Vec::<String>::new(), "{}", database.kind);
    }
}

#[test]
fn unsorted_rows_are_refused_by_name_and_leave_nothing() {
    for database in Database::all() {
        let table = database.table("t", &["f", "g"]);
        table.put(&put("k", &[("f:q", 1, "kept")])).unwrap();
        let mut load = table.bulk_load().unwrap();
        load.add(&put("b", &[("f:q", SERVER, "v"), ("g:q", SERVER, "v")])).unwrap();
        let error = load.add(&put("a\u{1}", &[("f:q", SERVER, "v")])).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidArgument);
        let text = error.to_string();
        assert!(text.contains("row \"a\\x01\" follows row \"b\""), "{text}");
        assert_eq!(load.add(&put("c", &[("f:q", SERVER, "v")])).unwrap_err().to_string(), text, "the load has failed");
        assert_eq!(load.finish().unwrap_err().to_string(), text);
        assert_eq!(scan(&table), ["k f:q@1=kept"]);
    }
}

#[test]
fn a_load_checks_what_a_put_checks() {
    let database = Database::memory();
    let table = database.table("t", &["f"]);
    let long = "r".repeat(32_768);
    let big = "v".repeat(11 << 20);
    let qualifier = format!("f:{}", "q".repeat(65_000));
    let bad: [(&str, Cells<'_>); 6] = [
        ("", &[("f:q", SERVER, "v")]),
        (&long, &[("f:q", SERVER, "v")]),
        ("r", &[("absent:q", SERVER, "v")]),
        ("r", &[("f:q", -5, "v")]),
        ("r", &[("f:q", SERVER, &big)]),
        ("r", &[(&qualifier, SERVER, "v")]),
    ];
    for (row, cells) in bad {
        let refused = table.put(&put(row, cells)).unwrap_err();
        let error = load(&table, &[(row, cells)]).unwrap_err();
        assert_eq!((error.kind(), error.to_string()), (refused.kind(), refused.to_string()));
    }
    assert_eq!(kind(load(&table, &[("r", &[])])), kind(table.put(&put("r", &[]))));
    let missing = database.engine.table(&name("missing"));
    assert_eq!(kind(missing.bulk_load()), ErrorKind::TableNotFound);
    assert_eq!(kind(database.engine.table(&name("hbase:meta")).bulk_load()), ErrorKind::SystemTable);
    database.engine.disable_table(&name("t")).unwrap();
    assert_eq!(kind(table.bulk_load()), ErrorKind::TableDisabled);
}

#[test]
fn an_empty_load_does_nothing() {
    for database in Database::all() {
        let table = database.table("t", &["f"]);
        assert_eq!(table.bulk_load().unwrap().finish().unwrap(), Loaded::default());
        let mut expired = put("r", &[("f:q", 1, "expired")]);
        expired.ttl_ms = Some(1);
        let mut load = table.bulk_load().unwrap();
        load.add(&expired).unwrap();
        assert_eq!(load.finish().unwrap(), Loaded::default());
        assert_eq!(scan(&table), Vec::<String>::new());
    }
}

#[test]
fn cached_rows_are_not_stale_after_a_load() {
    for database in Database::all() {
        let table = database.table("t", &["f", "g"]);
        table.put(&put("a", &[("f:q", 1, "old")])).unwrap();
        // Rows are cached on their second request, and their answers are remembered.
        for row in ["a", "b"] {
            (0..4).for_each(|_| drop(read(&table, row)));
            (0..4).for_each(|_| drop(table.get(&Get::new(row)).unwrap()));
        }
        load(&table, &[("a", &[("f:q", 2, "new")]), ("b", &[("g:q", 2, "new")])]).unwrap();
        for _ in 0..4 {
            assert_eq!(show(&table.get(&Get::new("a")).unwrap().cells), ["f:q@2=new"], "{}", database.kind);
            assert_eq!(show(&table.get(&Get::new("b")).unwrap().cells), ["g:q@2=new"], "{}", database.kind);
        }
    }
}

#[test]
fn an_open_scan_continues_in_its_snapshot() {
    for database in Database::all() {
        let table = database.table("t", &["f"]);
        (0..200).for_each(|n| table.put(&put(&format!("{n:03}"), &[("f:q", 1, "old")])).unwrap());
        let other = database.table("u", &["f"]);
        let mut scanner = table.scan(Scan { limit: 0, ..Scan::default() }).unwrap();
        let first = scanner.next(10).unwrap();
        assert_eq!(first.len(), 10);
        let rows: Vec<String> = (0..400).map(|n| format!("{n:03}")).collect();
        let mut loading = table.bulk_load().unwrap();
        rows.iter().for_each(|row| loading.add(&put(row, &[("f:q", 2, "new")])).unwrap());
        loading.finish().unwrap();
        let rest = scanner.next(1_000).unwrap();
        assert_eq!(rest.len(), 190, "{}", database.kind);
        assert!(rest.iter().all(|row| show(&row.cells) == ["f:q@1=old"]), "{}", database.kind);
        assert_eq!(scan(&table).len(), 400);
        assert_eq!(scan(&other), Vec::<String>::new());
    }
}

#[test]
fn a_changed_table_refuses_the_load() {
    for database in Database::all() {
        let engine = &database.engine;
        let begun = |table: &Table| -> BulkLoad {
            let mut load = table.bulk_load().unwrap();
            load.add(&put("r", &[("f:q", SERVER, "v")])).unwrap();
            load
        };
        let table = database.table("t", &["f", "g"]);
        let load = begun(&table);
        engine.disable_table(&name("t")).unwrap();
        assert_eq!(kind(load.finish()), ErrorKind::TableDisabled);
        engine.enable_table(&name("t")).unwrap();
        let load = begun(&table);
        engine.disable_table(&name("t")).unwrap();
        engine.truncate_table(&name("t"), true).unwrap();
        if !engine.is_table_enabled(&name("t")).unwrap() {
            engine.enable_table(&name("t")).unwrap();
        }
        assert_eq!(kind(load.finish()), ErrorKind::Busy, "{}", database.kind);
        let load = begun(&table);
        engine.delete_family(&name("t"), b"g").unwrap();
        assert_eq!(kind(load.finish()), ErrorKind::Busy);
        let load = begun(&table);
        engine.add_family(&name("t"), family("h TTL=100")).unwrap();
        engine.modify_family(&name("t"), family("f VERSIONS=7")).unwrap();
        assert_eq!(load.finish().unwrap(), Loaded { rows: 1, cells: 1 }, "families may be added and changed");
        let load = begun(&table);
        engine.disable_table(&name("t")).unwrap();
        engine.delete_table(&name("t")).unwrap();
        assert_eq!(kind(load.finish()), ErrorKind::TableNotFound);
        engine.create_table(descriptor("t", &["f"]), vec![]).unwrap();
        assert_eq!(scan(&table), Vec::<String>::new());
    }
}

#[test]
fn loads_of_one_table_at_once_are_all_stored() {
    for database in Database::all() {
        let table = database.table("t", &["f", "g"]);
        let mut loads: Vec<_> = (0..3).map(|_| table.bulk_load().unwrap()).collect();
        for (n, load) in loads.iter_mut().enumerate() {
            load.add(&put(&format!("row {n}"), &[("f:q", SERVER, "v"), ("g:q", SERVER, "v")])).unwrap();
            load.add(&put("same", &[("f:q", 5, &n.to_string())])).unwrap();
        }
        for load in loads {
            load.finish().unwrap();
        }
        assert_eq!(scan(&table).len(), 7, "{}", database.kind);
        assert_eq!(read(&table, "same"), ["f:q@5=2"], "the load that ends last is the last write");
    }
}

#[test]
fn an_abandoned_load_leaves_no_files() {
    let folder = tempfile::tempdir().unwrap();
    let engine = Engine::open(folder.path(), Options::default()).unwrap();
    engine.create_table(descriptor("t", &["f", "g"]), vec![]).unwrap();
    let table = engine.table(&name("t"));
    table.put(&put("r", &[("f:q", 1, "kept")])).unwrap();
    engine.flush(&name("t")).unwrap();
    let before = table_files(folder.path());
    let value = "v".repeat(1_000);
    for unsorted in [true, false] {
        let mut load = table.bulk_load().unwrap();
        for n in 0..5_000 {
            load.add(&put(&format!("row {n:05}"), &[("f:q", SERVER, &value), ("g:q", SERVER, "v")])).unwrap();
        }
        if unsorted {
            load.add(&put("row 00000", &[("f:q", SERVER, "v")])).unwrap_err();
        }
        drop(load);
        assert_eq!(table_files(folder.path()), before);
    }
    // One that is in progress when the database is closed.
    let mut load = table.bulk_load().unwrap();
    load.add(&put("row", &[("f:q", SERVER, &value)])).unwrap();
    engine.close().unwrap();
    assert_eq!(kind(load.add(&put("s", &[("f:q", SERVER, "v")]))), ErrorKind::Closed);
    assert_eq!(kind(load.finish()), ErrorKind::Closed);
    let engine = Engine::open(folder.path(), Options::default()).unwrap();
    assert_eq!(scan(&engine.table(&name("t"))), ["r f:q@1=kept"]);
    assert_eq!(table_files(folder.path()), before);
}

#[test]
fn a_read_only_database_refuses_loads() {
    let folder = tempfile::tempdir().unwrap();
    let engine = Engine::open(folder.path(), Options::default()).unwrap();
    engine.create_table(descriptor("t", &["f"]), vec![]).unwrap();
    engine.close().unwrap();
    let engine = Engine::open(folder.path(), Options { read_only: true, ..Options::default() }).unwrap();
    assert_eq!(kind(engine.table(&name("t")).bulk_load()), ErrorKind::ReadOnly);
}

#[test]
fn loads_are_counted_by_region() {
    let database = Database::memory();
    database.engine.create_table(descriptor("t", &["f"]), vec!["b".into(), "d".into()]).unwrap();
    let table = database.engine.table(&name("t"));
    load(
        &table,
        &[("a", &[("f:q", 1, "v")]), ("b", &[("f:q", 1, "v")]), ("e", &[("f:q", 1, "v")]), ("f", &[("f:q", 1, "v")])],
    )
    .unwrap();
    let traffic = database.engine.traffic_of(&name("t")).unwrap();
    let writes: Vec<u64> = traffic.regions().map(|(_, traffic)| traffic.writes).collect();
    assert_eq!(writes, [1, 1, 2]);
}

/// What a table may show after a load was interrupted.
fn assert_whole(table: &Table, before: &[String], after: &[String], when: &str) {
    let shown = scan(table);
    assert!(shown == before || shown == after, "{when}: {shown:?}");
}

/// One scenario of a table, loaded with [`LOADED`].
const LOADED: [(&str, Cells<'_>); 3] =
    [("a", &[("f:q", 9, "load"), ("g:q", 9, "load")]), ("b", &[("g:q", 9, "load")]), ("c", &[("f:q", 9, "load")])];

fn fill(table: &Table, family: &str) {
    for row in ["a", "z"] {
        table.put(&put(row, &[(&format!("{family}:q"), 3, "put")])).unwrap();
    }
}

/// The families that have rows before the load: both keyspaces are replaced, one is, or none.
const FILLED: [&[&str]; 3] = [&[], &["f"], &["f", "g"]];

#[test]
fn a_load_that_fails_at_any_call_is_whole_or_absent() {
    for filled in FILLED {
        for when in [When::Before, When::After] {
            for lasting in [false, true] {
                let mut struck = 0;
                for nth in 1.. {
                    let store = Arc::new(FaultStore::new(Arc::new(MemoryStore::new(Arc::new(ManualClock::at(NOW))))));
                    let engine = Engine::with_store(store.clone()).unwrap();
                    engine.create_table(descriptor("t", &["f", "g"]), vec![]).unwrap();
                    let table = engine.table(&name("t"));
                    filled.iter().for_each(|family| fill(&table, family));
                    let before = scan(&table);
                    (0..3).for_each(|_| drop(table.get(&Get::new("a")).unwrap()));
                    let fault = InjectedFault { counted: Counted::All, nth, when, kind: ErrorKind::Io, lasting };
                    store.fail(fault);
                    let done = load(&table, &LOADED);
                    if !store.heal() {
                        done.unwrap();
                        break;
                    }
                    struck += 1;
                    let mut expected = Database::memory();
                    let other = expected.table("t", &["f", "g"]);
                    filled.iter().for_each(|family| fill(&other, family));
                    LOADED.iter().for_each(|(row, cells)| other.put(&put(row, cells)).unwrap());
                    assert_whole(&table, &before, &scan(&other), &format!("{fault:?}"));
                    if done.is_ok() {
                        assert_eq!(scan(&table), scan(&other));
                    }
                    expected.reopen();
                    load(&table, &LOADED).unwrap();
                    assert_eq!(scan(&table), scan(&other), "the load can be repeated");
                    let cached = show(&table.get(&Get::new("a")).unwrap().cells);
                    assert_eq!(cached, show(&other.get(&Get::new("a")).unwrap().cells));
                }
                assert!(struck >= 4, "a load begins, adds, prepares and commits");
            }
        }
    }
}

#[test]
fn a_crash_between_the_steps_of_a_load_leaves_all_or_nothing() {
    for filled in FILLED {
        let folder = tempfile::tempdir().unwrap();
        let store: Arc<dyn Store> = FjallStore::open(folder.path(), StoreOptions::default()).unwrap();
        let engine = Engine::with_store(Arc::clone(&store)).unwrap();
        engine.create_table(descriptor("t", &["f", "g"]), vec![]).unwrap();
        let table = engine.table(&name("t"));
        filled.iter().for_each(|family| fill(&table, family));
        let before = scan(&table);
        let look = |after_load: bool, when: &str| {
            let copy = tempfile::tempdir().unwrap();
            let copied = copy.path().join("copy");
            copy_crashed(folder.path(), &copied);
            for read_only in [true, false, false] {
                let opened = Engine::open(&copied, Options { read_only, ..Options::default() }).unwrap();
                let shown = scan(&opened.table(&name("t")));
                assert_eq!(shown != before, after_load, "{filled:?}, {when}, read only {read_only}: {shown:?}");
                opened.close().unwrap();
            }
            // The table's two spaces and the catalog's, and the index.
            let keyspaces = std::fs::read_dir(copied.join("data/keyspaces")).unwrap().count();
            assert_eq!(keyspaces, 4, "{filled:?}, {when}");
        };
        let mut loading = table.bulk_load().unwrap();
        look(false, "begun");
        LOADED.iter().for_each(|(row, cells)| loading.add(&put(row, cells)).unwrap());
        look(false, "added");
        loading.finish().unwrap();
        look(true, "finished");
        table.put(&put("later", &[("f:q", 1, "v")])).unwrap();
        look(true, "written again");
        engine.close().unwrap();
    }
}

#[test]
fn a_backup_during_a_load_has_none_of_it() {
    let folder = tempfile::tempdir().unwrap();
    let engine = Engine::open(folder.path(), Options::default()).unwrap();
    engine.create_table(descriptor("t", &["f", "g"]), vec![]).unwrap();
    let table = engine.table(&name("t"));
    table.put(&put("r", &[("f:q", 1, "kept")])).unwrap();
    let mut loading = table.bulk_load().unwrap();
    loading.add(&put("s", &[("f:q", 1, "v"), ("g:q", 1, "v")])).unwrap();
    let backups = tempfile::tempdir().unwrap();
    for n in 0..3 {
        let copy = backups.path().join(n.to_string());
        match n {
            0 => engine.backup(&copy, &mut |_| Ok(())).unwrap(),
            _ => engine.backup_incremental(&copy, &mut |_| Ok(())).unwrap(),
        }
        let opened = Engine::open(&copy, Options::default()).unwrap();
        let rows = scan(&opened.table(&name("t")));
        assert_eq!(rows.len(), if n < 2 { 1 } else { 3 }, "copy {n}");
        // The copy can be loaded, too.
        load(&opened.table(&name("t")), &LOADED).unwrap();
        opened.close().unwrap();
        if n == 1 {
            std::mem::replace(&mut loading, table.bulk_load().unwrap()).finish().unwrap();
        }
    }
}

#[test]
fn aborted_loads_fail_with_the_reason_and_calls_are_counted() {
    let store = Arc::new(FaultStore::new(Arc::new(MemoryStore::new(Arc::new(ManualClock::at(NOW))))));
    let engine = Engine::with_store(store.clone()).unwrap();
    engine.create_table(descriptor("t", &["f"]), vec![]).unwrap();
    let table = engine.table(&name("t"));
    let fail = |call, kind| {
        let counted = Counted::Only(call);
        store.fail(InjectedFault { counted, nth: 1, when: When::Before, kind, lasting: false });
    };
    for (call, kind_of_error) in [
        (Call::BeginLoad, ErrorKind::DiskFull),
        (Call::PrepareLoad, ErrorKind::DiskFull),
        (Call::CommitLoad, ErrorKind::Io),
    ] {
        fail(call, kind_of_error);
        assert_eq!(kind(load(&table, &[("a", &[("f:q", 1, "v")])])), kind_of_error, "{call:?}");
        assert!(store.heal(), "{call:?}");
    }
    assert_eq!(scan(&table), Vec::<String>::new());
}

/// Nothing is below the marker until the load ends.
#[test]
fn compactions_and_flushes_keep_markers_that_hide_a_load_in_progress() {
    for database in Database::all() {
        for major in [true, false] {
            let table = database.table(&format!("t{major}"), &["f VERSIONS=1"]);
            table.put(&put("z", &[("f:q", 1, "v")])).unwrap();
            let mut load = table.bulk_load().unwrap();
            for row in ["a", "b", "c", "d"] {
                load.add(&put(row, &[("f:q", SERVER, "loaded")])).unwrap();
            }
            database.clock.advance(10);
            let now = database.clock.now_ms();
            table.delete(&Delete::row("a")).unwrap();
            table.delete(&delete("b", &[(MarkerKind::Column, "f:q", SERVER)])).unwrap();
            // The marker is older than a value beyond VERSIONS, and hides nothing yet.
            table.delete(&delete("c", &[(MarkerKind::Column, "f:q", now + 20)])).unwrap();
            table.put(&put("c", &[("f:q", now + 30, "1")])).unwrap();
            table.put(&put("c", &[("f:q", now + 40, "2")])).unwrap();
            if !major {
                database.engine.flush(table.name()).unwrap();
            }
            database.engine.compact(table.name(), major).unwrap();
            for timestamp in [now + 40, now + 30] {
                table.delete(&delete("c", &[(MarkerKind::Version, "f:q", timestamp)])).unwrap();
            }
            load.finish().unwrap();
            let context = format!("{}, major: {major}", database.kind);
            for _ in 0..2 {
                for row in ["a", "b", "c"] {
                    assert_eq!(read(&table, row), Vec::<String>::new(), "{context}, row {row}");
                }
                assert_eq!(read(&table, "d").len(), 1, "{context}");
                database.engine.compact(table.name(), true).unwrap();
            }
            table.put(&put("a", &[("f:q", 1, "below")])).unwrap();
            assert_eq!(read(&table, "a"), ["f:q@1=below"], "{context}: the marker is dropped after the load");
            database.clock.advance(1_000);
        }
    }
}
