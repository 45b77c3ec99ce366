//! Scans that are interrupted at every point: by a pause, by a budget that is used up, by a stop, and by the release of
//! their snapshot. No row may mix two writes, be lost or be returned twice.

use std::cell::Cell as Counter;
use std::collections::BTreeMap;
use std::sync::Arc;

use hjall_engine::filter::FilterSpec;
use hjall_engine::read::{Budget, Fetched, Stop};
use hjall_engine::request::Scan;
use hjall_engine::{Error, ErrorKind, Result, Row, Table};

use crate::fixture::{Database, put};

/// The number of columns of each row.
type Columns = [usize; 5];
const NARROW: Columns = [3, 1, 4, 2, 3];
/// A reversed scan reads a row of more than 64 cells with a cursor of its own.
const WIDE: Columns = [1, 70, 2, 1, 1];

/// What an interruption does.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Kind {
    Pause,
    UsedUp,
    Stop,
}

/// A budget that interrupts its call at one point: the n-th time that the scan asks it.
struct Point {
    kind: Kind,
    left: Counter<usize>,
    used_up: Counter<bool>,
    stop: Stop,
}

impl Point {
    fn new(kind: Kind, at: usize) -> Self {
        Self { kind, left: Counter::new(at), used_up: Counter::new(false), stop: Stop::default() }
    }

    fn is_reached(&self) -> bool {
        let left = self.left.get();
        self.left.set(left.saturating_sub(1));
        left == 1
    }

    fn refused() -> Error {
        Error::new(ErrorKind::Busy, "the budget is used up")
    }
}

impl Budget for Point {
    fn take(&self, _: usize, _: usize) -> Result<()> {
        if self.kind != Kind::Pause && self.is_reached() {
            match self.kind {
                Kind::Stop => self.stop.stop(),
                _ => self.used_up.set(true),
            }
        }
        if self.used_up.get() { Err(Self::refused()) } else { Ok(()) }
    }

    fn release(&self, _: usize, _: usize) {}

    fn check(&self) -> Result<()> {
        match (self.stop.is_stopped(), self.used_up.get()) {
            (true, _) => Err(Error::new(ErrorKind::Cancelled, "stopped")),
            (false, true) => Err(Self::refused()),
            (false, false) => Ok(()),
        }
    }

    fn stop(&self) -> Stop {
        self.stop.clone()
    }

    fn must_pause(&self, _: u32) -> bool {
        self.kind == Kind::Pause && self.is_reached()
    }
}

/// A table whose rows are written again and again.
struct Fixture {
    table: Table,
    columns: Columns,
    generation: i64,
}

impl Fixture {
    fn new(db: &Database, columns: Columns) -> Self {
        Self { table: db.table("t", &["f", "g"]), columns, generation: 0 }
    }

    /// Replaces every value of every row, each row in one write.
    fn write_all(&mut self) {
        self.generation += 1;
        let value = format!("v{}", self.generation);
        for (row, columns) in self.columns.iter().enumerate() {
            let names: Vec<String> =
                (0..*columns).map(|n| format!("{}:{n:02}", if n % 3 == 2 { "g" } else { "f" })).collect();
            let cells: Vec<_> = names.iter().map(|name| (name.as_str(), self.generation, value.as_str())).collect();
            self.table.put(&put(&format!("r{row}"), &cells)).unwrap();
        }
    }

    fn check(&self, found: &[Row], expected: &[usize], what: &str) {
        let mut rows = BTreeMap::<String, (Vec<String>, Vec<String>)>::new();
        for cell in found.iter().flat_map(|row| &row.cells) {
            let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
            let (columns, values) = rows.entry(text(&cell.row)).or_default();
            columns.push(format!("{}:{}", text(&cell.family), text(&cell.qualifier)));
            values.push(text(&cell.value));
        }
        assert_eq!(rows.len(), expected.len(), "{what}: {:?}", rows.keys());
        for row in expected {
            let (columns, mut values) = rows.remove(&format!("r{row}")).unwrap();
            assert!(columns.is_sorted_by(|a, b| a < b), "{what}, row {row} repeats or mixes up cells: {columns:?}");
            assert_eq!(columns.len(), self.columns[*row], "{what}, row {row}");
            values.dedup();
            assert_eq!(values.len(), 1, "{what}: row {row} mixes writes: {values:?}");
        }
    }
}

/// Reads a scan whose calls are interrupted at the `at`-th point. After each call, all rows are written again and the
/// snapshot is released.
fn read(fixture: &mut Fixture, scan: &Scan, (kind, at): (Kind, usize), n: usize) -> Vec<Row> {
    fixture.write_all();
    let mut scanner = fixture.table.scan(scan.clone()).unwrap();
    let mut all = Vec::new();
    // Every other call is not interrupted, so that the scan ends.
    for call in 0.. {
        assert!(call < 10_000, "the scan does not end");
        let budget = Point::new(kind, if call % 2 == 0 { at } else { 0 });
        let end = match scanner.fetch_for(n, usize::MAX, &budget) {
            Ok(Fetched::Rows(rows)) => {
                let end = rows.is_empty();
                all.extend(rows);
                end
            }
            Ok(Fetched::Paused) => false,
            Err(error) => {
                assert!(matches!(error.kind(), ErrorKind::Busy | ErrorKind::Cancelled), "{error}");
                false
            }
        };
        if end {
            break;
        }
        fixture.write_all();
        scanner.release_snapshot();
    }
    all
}

#[test]
fn a_row_is_whole_wherever_a_scan_is_interrupted() {
    let filters = [None, Some("RowFilter(!=, 'binary:r3')"), Some("RowFilter(=, 'regexstring:[0-4]')")];
    for (db, columns, points) in [
        (Database::memory(), NARROW, 1..14),
        (Database::memory(), WIDE, 1..5),
        (Database::folder(), NARROW, 3..5),
        (Database::folder(), WIDE, 2..4),
    ] {
        let mut fixture = Fixture::new(&db, columns);
        for (reversed, batch) in [(false, 0), (true, 0), (false, 1), (true, 1), (false, 2), (true, 2)] {
            for (filter, caching) in [(filters[0], 0), (filters[0], 2), (filters[1], 0), (filters[2], 3)] {
                let spec = filter.map(|text| Arc::new(FilterSpec::parse(text.as_bytes()).unwrap()));
                let scan = Scan { reversed, batch, caching, filter: spec, ..Scan::default() };
                let expected: &[usize] = if filter == filters[1] { &[0, 1, 2, 4] } else { &[0, 1, 2, 3, 4] };
                for (kind, n) in [(Kind::Pause, 2), (Kind::UsedUp, 1), (Kind::UsedUp, 100), (Kind::Stop, 3)] {
                    for at in points.clone() {
                        let found = read(&mut fixture, &scan, (kind, at), n);
                        let what = format!("{} {reversed} {batch} {filter:?} {caching} {kind:?} {at} {n}", db.kind);
                        fixture.check(&found, expected, &what);
                    }
                }
            }
        }
    }
}

#[test]
fn a_filter_goes_on_counting_after_a_call_whose_budget_was_used_up() {
    for db in Database::all() {
        let mut fixture = Fixture::new(&db, NARROW);
        for kind in [Kind::Pause, Kind::UsedUp, Kind::Stop] {
            for at in 1..4 {
                let filter = Some(Arc::new(FilterSpec::parse(b"PageFilter(3)").unwrap()));
                let found = read(&mut fixture, &Scan { filter, ..Scan::default() }, (kind, at), 2);
                fixture.check(&found, &[0, 1, 2], &format!("{} {kind:?} {at}", db.kind));
            }
        }
    }
}
