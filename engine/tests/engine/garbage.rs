//! The garbage that reads meet, by which the server decides which tables to compact.

use hjall_engine::mutation::MarkerKind;
use hjall_engine::request::{Get, Scan};

use crate::fixture::{Database, SERVER, delete, descriptor, name, put};

/// Rows of a table that are deleted in some way.
const ROWS: usize = 100;

fn garbage_read(db: &Database) -> u64 {
    match db.engine.garbage_read().as_slice() {
        [] => 0,
        [(table, bytes)] if *table == name("t") => *bytes,
        other => panic!("{other:?}"),
    }
}

#[test]
fn reads_count_the_deleted_and_expired_cells_that_they_meet() {
    let kinds = [
        ("f", Some((MarkerKind::Column, "f:q"))),
        ("f", Some((MarkerKind::Version, "f:q"))),
        ("f", Some((MarkerKind::Family, "f:"))),
        ("f", Some((MarkerKind::FamilyVersion, "f:"))),
        ("f TTL=10", None),
    ];
    for (number, (family, marker)) in kinds.into_iter().enumerate() {
        for db in Database::all() {
            let table = db.table("t", &[family]);
            let other = db.table("other", &["f"]);
            for row in 0..ROWS {
                let row = format!("{row:03}");
                table.put(&put(&row, &[("f:q", 1_700_000_000_000, "value")])).unwrap();
                other.put(&put(&row, &[("f:q", SERVER, "value")])).unwrap();
                if let Some((kind, column)) = marker {
                    table.delete(&delete(&row, &[(kind, column, 1_700_000_000_000)])).unwrap();
                }
            }
            assert_eq!(garbage_read(&db), 0, "kind {number}: nothing has been read");
            db.clock.advance(10_001);
            assert_eq!(other.scan(Scan::default()).unwrap().next(1000).unwrap().len(), ROWS);
            assert_eq!(garbage_read(&db), 0, "kind {number}: all of the other table is in use");
            let mut last = 0;
            for reversed in [false, true] {
                let scan = Scan { reversed, ..Scan::default() };
                assert!(table.scan(scan).unwrap().next(1000).unwrap().is_empty());
                let each = (garbage_read(&db) - last) / ROWS as u64;
                assert!((15..200).contains(&each), "kind {number}, {}: {each} bytes of each row", db.kind);
                last = garbage_read(&db);
            }
            assert!(table.get(&Get::new("007")).unwrap().cells.is_empty());
            let read = garbage_read(&db);
            assert!((15..200).contains(&(read - last)), "kind {number}, {}: {} bytes", db.kind, read - last);
            db.engine.modify_table(descriptor("t", &[family, "g"])).unwrap();
            assert_eq!(garbage_read(&db), read, "the counter survives a change of the table");
            db.engine.compact(&name("t"), true).unwrap();
            assert_eq!(garbage_read(&db), 0, "it begins at zero with a major compaction");
            if db.kind == "folder" {
                assert!(table.scan(Scan::default()).unwrap().next(1000).unwrap().is_empty());
                assert_eq!(garbage_read(&db), 0, "kind {number}: nothing is left");
            }
        }
    }
}
