//! Reads with a work limit: narrow rows are read as without a limit, and long reads end early, whatever makes them
//! long.

use std::sync::Arc;

use crate::fixture::{Database, delete, kind, put};
use hjall_engine::filter::FilterSpec;
use hjall_engine::mutation::MarkerKind;
use hjall_engine::read::WorkLimit;
use hjall_engine::request::{Columns, Get, Scan};
use hjall_engine::{ErrorKind, Table};

const LIMIT: WorkLimit = WorkLimit { pairs: 100, bytes: 10_000 };

/// A row of `f` with this many cells of this many bytes.
fn wide(table: &Table, row: &str, cells: usize, bytes: usize) {
    let value = "v".repeat(bytes);
    let columns: Vec<String> = (0..cells).map(|n| format!("f:{n:05}")).collect();
    let cells: Vec<_> = columns.iter().map(|column| (column.as_str(), 1, value.as_str())).collect();
    table.put(&put(row, &cells)).unwrap();
}

/// Whether a get reaches the limit. It must fail then, and otherwise return what it returns without a limit.
fn exceeds(table: &Table, get: &Get) -> bool {
    let mut seen = None;
    let within = LIMIT.run(|| seen = Some(table.get(get))).is_some();
    match seen.unwrap() {
        Ok(row) => assert!(within && row.cells == table.get(get).unwrap().cells),
        Err(error) => assert!(!within && error.kind() == ErrorKind::Cancelled),
    }
    !within
}

#[test]
fn narrow_rows_are_read_and_wide_ones_are_not() {
    for database in Database::all() {
        let table = database.table("t", &["f"]);
        wide(&table, "narrow", 20, 10);
        wide(&table, "wide", 1_000, 1);
        wide(&table, "large", 20, 2_000);
        // Several times, so that the row cache takes part.
        for _ in 0..4 {
            assert!(!exceeds(&table, &Get::new("narrow")), "{}", database.kind);
            assert!(!exceeds(&table, &Get::new("missing")), "{}", database.kind);
            assert!(exceeds(&table, &Get::new("wide")), "{}", database.kind);
            assert!(exceeds(&table, &Get::new("large")), "{}", database.kind);
        }
        let mut columns = Columns::all();
        columns.add_column("f", "00700");
        assert!(!exceeds(&table, &Get { columns, ..Get::new("wide") }), "one column of a wide row: {}", database.kind);
    }
}

#[test]
fn cells_that_are_not_returned_count() {
    let database = Database::memory();
    let table = database.table("t", &["f VERSIONS=1000"]);
    wide(&table, "deleted", 1_000, 1);
    table.delete(&delete("deleted", &[(MarkerKind::Family, "f:", 1)])).unwrap();
    assert!(table.get(&Get::new("deleted")).unwrap().cells.is_empty());
    assert!(exceeds(&table, &Get::new("deleted")));
    assert!(LIMIT.run(|| table.exists(&Get::new("deleted"))).is_none(), "`exists` seeks a visible cell");

    let mut columns = Columns::all();
    for n in 0..1_000 {
        columns.add_column("f", format!("{n:05}x"));
    }
    wide(&table, "sought", 1_000, 1);
    assert!(exceeds(&table, &Get { columns, ..Get::new("sought") }), "seeks count");
}

#[test]
fn a_reverse_read_over_deleted_rows_ends() {
    let database = Database::memory();
    let table = database.table("t", &["f"]);
    for n in 0..200 {
        let row = format!("r{n:03}");
        table.put(&put(&row, &[("f:q", 1, "v")])).unwrap();
        table.delete(&delete(&row, &[(MarkerKind::Family, "f:", 1)])).unwrap();
    }
    let back = || {
        let scan = Scan { start: "r9".into(), reversed: true, limit: 1, caching: 1, ..Scan::default() };
        table.scan(scan).and_then(|mut scanner| scanner.next(1))
    };
    assert!(back().unwrap().is_empty());
    assert!(LIMIT.run(back).is_none());
}

#[test]
fn a_filter_exceeds_every_limit() {
    let database = Database::memory();
    let table = database.table("t", &["f"]);
    wide(&table, "narrow", 1, 1);
    let filter = Some(Arc::new(FilterSpec::first_key_only()));
    assert!(exceeds(&table, &Get { filter, ..Get::new("narrow") }));
}

#[test]
fn a_limit_ends_with_its_closure() {
    let database = Database::memory();
    let table = database.table("t", &["f"]);
    wide(&table, "wide", 1_000, 1);
    let failed =
        std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| LIMIT.run(|| panic!("as the test wants it"))));
    assert!(failed.is_err());
    assert_eq!(table.get(&Get::new("wide")).unwrap().cells.len(), 1_000);
    let inner = LIMIT.run(|| {
        let inner = LIMIT.run(|| kind(table.get(&Get::new("wide"))));
        (inner, table.get(&Get::new("missing")).is_ok())
    });
    assert_eq!(inner, Some((None, true)), "an inner limit does not use up the outer one");
}
