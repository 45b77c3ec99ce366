//! Changes of a table while its data is being compacted.

use std::sync::Arc;

use hjall_engine::request::{Get, Scan};
use hjall_engine::schema::FamilyDescriptor;
use hjall_engine::store::CompactionControl;

use crate::fixture::{Database, put};

/// What a compaction drops disappears at its end, so one that began under the old rules must not end after the change.
#[test]
fn an_alteration_shows_nothing_that_a_running_compaction_then_drops() {
    const ROWS: usize = 600;
    let rules = |key: &'static str, value: &'static str| {
        let mut family = FamilyDescriptor::new("f").unwrap();
        family.set("VERSIONS", "5");
        family.set(key, value);
        family
    };
    for (key, narrow, wide) in [("VERSIONS", "1", "5"), ("TTL", "1", "2147483647")] {
        for major in [true, false] {
            let db = Database::folder();
            let table = db.table("t", &["f"]);
            db.engine.modify_family(table.name(), rules(key, wide)).unwrap();
            for version in [1, 2] {
                let value = "v".repeat(1_000);
                let puts: Vec<_> =
                    (0..ROWS).map(|row| put(&format!("r{row:04}"), &[("f:q", version, &*value)])).collect();
                assert!(table.put_many(&puts).iter().all(Result::is_ok));
                db.engine.flush(table.name()).unwrap();
            }
            let cells = || {
                let rows = table.scan(Scan { max_versions: 9, ..Scan::default() }).unwrap().next(9_999).unwrap();
                let cells = rows.iter().map(|row| row.cells.len()).sum::<usize>();
                let got = (0..ROWS).map(|row| Get { max_versions: 9, ..Get::new(format!("r{row:04}")) });
                assert_eq!(got.map(|get| table.get(&get).unwrap().cells.len()).sum::<usize>(), cells, "{key} {major}");
                cells
            };
            let all = cells();
            db.engine.modify_family(table.name(), rules(key, narrow)).unwrap();
            let control = Arc::new(CompactionControl::default());
            control.set_pace(Some(2 << 20));
            std::thread::scope(|scope| {
                let compaction = scope.spawn(|| db.engine.compact_with(table.name(), major, &control));
                while control.read_bytes() == 0 && !compaction.is_finished() {
                    std::thread::yield_now();
                }
                db.engine.modify_family(table.name(), rules(key, wide)).unwrap();
                let after = cells();
                if major {
                    assert_eq!(after, all, "{key}");
                }
                control.set_pace(None);
                compaction.join().unwrap().unwrap();
                assert_eq!(cells(), after, "{key} {major}");
            });
        }
    }
}
