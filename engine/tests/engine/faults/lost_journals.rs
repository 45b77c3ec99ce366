//! Journals that are removed or replaced while the database is open. Closing it writes all data to files, after which
//! nothing is lost.
#![cfg(unix)]

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use hjall_engine::mutation::{Durability, Put};
use hjall_engine::request::{Columns, Scan};
use hjall_engine::{Engine, ErrorKind, Options, Table};

use crate::fixture::{descriptor, name, put};
use crate::folder_copy::{copy_crashed, copy_folder};

type Change = fn(&Path);

const REPLACE: Change = |journal| {
    let copy = journal.with_extension("copy");
    fs::copy(journal, &copy).unwrap();
    fs::rename(copy, journal).unwrap();
};

const REMOVE: Change = |journal| fs::remove_file(journal).unwrap();

fn create(folder: &Path, options: Options) -> (Engine, Table) {
    let engine = Engine::open(folder, options).unwrap();
    engine.create_table(descriptor("t", &["f", "g"]), vec![]).unwrap();
    let table = engine.table(&name("t"));
    (engine, table)
}

/// The number of rows with cells of the first family.
fn rows(engine: &Engine) -> usize {
    let mut columns = Columns::all();
    columns.add_family("f");
    let mut scanner = engine.table(&name("t")).scan(Scan { columns, ..Scan::default() }).unwrap();
    scanner.rows().map(Result::unwrap).count()
}

/// The journals of a folder, the oldest first.
fn journals(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder.join("data")).unwrap().map(|entry| entry.unwrap().path());
    let mut journals: Vec<_> =
        entries.filter(|path| path.extension().is_some_and(|extension| extension == "jnl")).collect();
    journals.sort_by_key(|path| path.file_stem().unwrap().to_str().unwrap().parse::<u64>().unwrap());
    journals
}

/// Opens a folder twice, with a write in between. Nothing may have to be repaired.
fn check_opens(folder: &Path, expected: usize) {
    assert_eq!(Engine::repair(folder, false).unwrap(), []);
    let engine = Engine::open(folder, Options::default()).unwrap();
    assert_eq!(rows(&engine), expected);
    let again = Put { durability: Durability::FsyncWal, ..put("again", &[("f:q", 1, "v")]) };
    engine.table(&name("t")).put(&again).unwrap();
    let crashed = tempfile::tempdir().unwrap();
    copy_crashed(folder, crashed.path());
    engine.close().unwrap();
    assert_eq!(journals(folder).len(), 1);
    for folder in [folder, crashed.path()] {
        assert_eq!(rows(&Engine::open(folder, Options::default()).unwrap()), expected + 1);
    }
}

fn small(table: &Table, row: &str, durability: Durability) -> hjall_engine::Result<()> {
    table.put(&Put { durability, ..put(row, &[("f:q", 1, "v")]) })
}

/// Reopening it would drop the writes that only the process has.
#[test]
fn a_database_whose_journal_is_lost_refuses_writes_until_it_is_closed_and_opened() {
    for change in [REPLACE, REMOVE] {
        let (folder, crashed) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let options = Options { sync_interval: Some(Duration::ZERO), ..Options::default() };
        let (engine, table) = create(folder.path(), options);
        small(&table, "a", Durability::FsyncWal).unwrap();
        change(&journals(folder.path())[0]);
        small(&table, "b", Durability::SyncWal).unwrap();
        small(&table, "c", Durability::FsyncWal).unwrap_err();
        for _ in 0..3 {
            let error = small(&table, "d", Durability::SyncWal).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Io);
            assert!(error.message().contains("was removed or replaced"), "{error}");
            assert!(rows(&engine) >= 2, "what was acknowledged is still returned");
        }
        let left = rows(&engine);
        copy_crashed(folder.path(), crashed.path());
        engine.close().unwrap();
        check_opens(folder.path(), left);
        // A crash loses what only the process had.
        if change as usize == REMOVE as usize {
            let error = Engine::open(crashed.path(), Options::default()).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Corrupt, "{error}");
        }
    }
}

/// Nothing has been written since the loss.
#[test]
fn a_lost_journal_is_not_missed_after_a_close() {
    for durability in [Durability::AsyncWal, Durability::SyncWal, Durability::FsyncWal] {
        for change in [REPLACE, REMOVE] {
            let folder = tempfile::tempdir().unwrap();
            let (engine, table) = create(folder.path(), Options::default());
            (0..10).for_each(|n| small(&table, &format!("row {n}"), durability).unwrap());
            change(&journals(folder.path())[0]);
            engine.close().unwrap();
            check_opens(folder.path(), 10);
        }
    }
}

/// What a close leaves that is interrupted after it has written all data to files.
#[test]
fn the_end_of_a_close_without_a_journal_may_be_interrupted() {
    let folder = tempfile::tempdir().unwrap();
    let (engine, table) = create(folder.path(), Options::default());
    (0..10).for_each(|n| small(&table, &format!("row {n}"), Durability::FsyncWal).unwrap());
    let synced = folder.path().join("data/synced");
    let before = fs::read(&synced).unwrap();
    REMOVE(&journals(folder.path())[0]);
    engine.close().unwrap();
    assert!(!synced.exists());
    fs::write(&synced, before).unwrap();
    for was_closed in [true, false] {
        let left = tempfile::tempdir().unwrap();
        copy_folder(folder.path(), left.path()).unwrap();
        if !was_closed {
            fs::remove_file(left.path().join("CLOSED")).unwrap();
        }
        check_opens(left.path(), 10);
    }
}

/// fjall begins a journal when the one before has 64 MB, and keeps those with data that is only in memory.
#[test]
fn one_of_several_journals_may_be_lost_before_a_close() {
    // Incompressible.
    let mut state = 1_u64;
    let mut random = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        char::from(b'a' + (state >> 60) as u8)
    };
    let value: String = (0..1_000_000).map(|_| random()).collect();
    for lost in 0..3 {
        let (folder, crashed) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let (engine, table) = create(folder.path(), Options::default());
        let mut count = 0;
        while journals(folder.path()).len() < 3 {
            small(&table, &format!("row {count:04}"), Durability::SyncWal).unwrap();
            table.put(&put("large", &[("g:a", count, &value)])).unwrap();
            count += 1;
            assert!(count < 1_000, "no third journal was begun");
        }
        small(&table, "synced", Durability::FsyncWal).unwrap();
        REMOVE(&journals(folder.path())[lost]);
        copy_crashed(folder.path(), crashed.path());
        // fjall fails when it removes a journal that is missing. Then all data of that journal is in files.
        let closed = engine.close();
        assert!(closed.is_ok() || lost < 2, "{closed:?}");
        check_opens(folder.path(), count as usize + 1);
        if lost > 0 {
            let error = Engine::open(crashed.path(), Options::default()).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Corrupt, "{error}");
        }
    }
}
