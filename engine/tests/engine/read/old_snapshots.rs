//! Compactions while an older snapshot is open. It keeps versions of pairs in the files that a flush has deleted, and
//! the compactions must not take them for pairs of the newest state.

use hjall_engine::mutation::MarkerKind::{self, Column, Family, Version};
use hjall_engine::request::Scan;
use hjall_engine::{Row, Scanner, Table};
use proptest::collection::vec;
use proptest::prelude::*;

use crate::fixture::{Database, delete, name, put, read, show};

/// Opens a snapshot that is older than everything that is written afterwards.
fn open_snapshot(db: &Database) -> Scanner {
    let other = db.table("other", &["f"]);
    let value = "v".repeat(2_000);
    let puts: Vec<_> = (0..400).map(|row| put(&format!("r{row:03}"), &[("f:q", 1, &*value)])).collect();
    assert!(other.put_many(&puts).iter().all(Result::is_ok));
    let mut scanner = other.scan(Scan::default()).unwrap();
    assert_eq!(scanner.next(1).unwrap().len(), 1);
    scanner
}

enum Step {
    Put(i64),
    Delete(MarkerKind, i64),
    Flush,
    /// Changes VERSIONS.
    Alter(u32),
}
use Step::{Alter, Flush, Put};

fn run(db: &Database, table: &Table, steps: &[Step]) {
    for step in steps {
        match step {
            Put(timestamp) => table.put(&put("r", &[("f:c", *timestamp, "v")])).unwrap(),
            Step::Delete(kind, timestamp) => table.delete(&delete("r", &[(*kind, "f:c", *timestamp)])).unwrap(),
            Flush => db.engine.flush(table.name()).unwrap(),
            Alter(versions) => {
                let family = crate::fixture::family(&format!("f VERSIONS={versions}"));
                db.engine.modify_family(table.name(), family).unwrap();
            }
        }
    }
}

#[test]
fn a_compaction_does_not_count_what_a_flush_has_deleted() {
    let exact = |timestamp| Step::Delete(Version, timestamp);
    let cases: [(&[Step], &[i64]); 4] = [
        (&[Put(100), Put(200), Put(300), Alter(3), Put(50), Put(40)], &[300, 50, 40]),
        (&[Put(200), Put(300), Flush, exact(300), Put(100)], &[100]),
        (&[Put(100), Step::Delete(Column, 150), Put(200), Put(300), Alter(3), Put(120)], &[300, 120]),
        (&[Put(100), Step::Delete(Column, 150), Put(200), Put(300), Flush, exact(300), Put(120)], &[120]),
    ];
    for (n, (steps, expected)) in cases.iter().enumerate() {
        for (major, has_snapshot) in [(true, true), (false, true), (true, false)] {
            let db = Database::folder();
            let snapshot = has_snapshot.then(|| open_snapshot(&db));
            let table = db.table("t", &["f VERSIONS=1"]);
            run(&db, &table, steps);
            let expected: Vec<_> = expected.iter().map(|timestamp| format!("f:c@{timestamp}=v")).collect();
            assert_eq!(read(&table, "r"), expected, "case {n}");
            for _ in 0..2 {
                db.engine.compact(&name("t"), major).unwrap();
                assert_eq!(read(&table, "r"), expected, "case {n}, major: {major}, snapshot: {has_snapshot}");
            }
            drop(snapshot);
            db.engine.compact(&name("t"), true).unwrap();
            assert_eq!(read(&table, "r"), expected, "case {n}, without the snapshot");
        }
    }
}

/// Everything that a table shows, with all versions.
fn dump(table: &Table) -> Vec<String> {
    let mut rows = table.scan(Scan { max_versions: 99, ..Scan::default() }).unwrap();
    let row = |row: Row| show(&row.cells).into_iter().map(move |cell| format!("{:?} {cell}", row.key));
    rows.rows().flat_map(|read| row(read.unwrap())).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 8, ..Default::default() })]

    #[test]
    fn compactions_drop_the_same_with_an_older_snapshot(
        (versions, keep) in (1..4_u32, prop_oneof![4 => Just("FALSE"), 1 => Just("TRUE")]),
        phases in vec((vec((0..20_u8, 0..10_u8, 1..9_i64), 20..60), 0..3_u8), 6..9),
    ) {
        let databases = [Database::folder(), Database::folder()];
        let snapshot = open_snapshot(&databases[0]);
        let family = format!("f VERSIONS={versions} KEEP_DELETED_CELLS={keep}");
        let tables = databases.each_ref().map(|db| db.table("t", &[&family]));
        for (n, (writes, end)) in phases.iter().enumerate() {
            for (db, table) in databases.iter().zip(&tables) {
                for (row, kind, timestamp) in writes {
                    let (row, timestamp) = (format!("r{row:02}"), *timestamp);
                    let marker = |kind| table.delete(&delete(&row, &[(kind, "f:c", timestamp)])).unwrap();
                    match kind {
                        0..6 => table.put(&put(&row, &[("f:c", timestamp, "v")])).unwrap(),
                        6 | 7 => marker(Version),
                        8 => marker(Column),
                        _ => marker(Family),
                    }
                }
                match end {
                    0 => db.engine.flush(table.name()).unwrap(),
                    _ => db.engine.compact(table.name(), *end == 1).unwrap(),
                }
            }
            prop_assert_eq!(dump(&tables[0]), dump(&tables[1]), "after phase {}", n);
        }
        drop(snapshot);
    }
}
