//! How much a scan reads and holds: no more than it is asked for, whatever a fetch of HBase's client would contain.

use std::sync::Arc;

use bytes::Bytes;
use hjall_engine::clock::ManualClock;
use hjall_engine::filter::FilterSpec;
use hjall_engine::mutation::MarkerKind;
use hjall_engine::read::{FetchedPage, ReusedRow, RowPage, Unlimited, WorkLimit};
use hjall_engine::request::{Columns, Scan};
use hjall_engine::store::MemoryStore;
use hjall_engine::store::fault::{Call, Counted, FaultStore, InjectedFault, When};
use hjall_engine::{Cell, Engine, ErrorKind, Result, Row, Scanner, Table};

use crate::fixture::{Database, NOW, delete, descriptor, name, put};
use crate::world::World;

/// The memory that an open scan may hold.
const HELD_MAX: usize = 64 << 10;

fn table_of(db: &Database, rows: usize, value: &str) -> Table {
    let table = db.table("t", &["f"]);
    for row in 0..rows {
        table.put(&put(&format!("r{row:05}"), &[("f:a", 1, value), ("f:b", 1, value)])).unwrap();
    }
    table
}

fn scans() -> impl Iterator<Item = Scan> {
    let of = |(reversed, batch)| Scan { reversed, batch, ..Scan::default() };
    [(false, 0), (true, 0), (false, 1), (true, 1)].into_iter().map(of)
}

#[test]
fn an_open_scan_holds_little() {
    for (rows, bytes) in [(3000, 1), (200, 3000), (40, 50_000)] {
        for db in Database::all() {
            let table = table_of(&db, rows, &"v".repeat(bytes));
            for scan in scans() {
                let mut scanner = table.scan(scan.clone()).unwrap();
                let mut most = 0;
                let mut all = 0;
                for n in [1, 1, 7, 100, 1, 20] {
                    all += scanner.next(n).unwrap().len();
                    most = most.max(scanner.held_bytes());
                }
                loop {
                    let block = scanner.next_block(1000).unwrap();
                    most = most.max(scanner.held_bytes());
                    let memory = block.iter().map(Row::memory_bytes).sum::<usize>();
                    assert!(memory < HELD_MAX + 2 * bytes + 500, "{memory}");
                    if block.is_empty() {
                        break;
                    }
                    all += block.len();
                }
                assert_eq!(all, if scan.batch == 0 { rows } else { 2 * rows });
                assert!(most < HELD_MAX + 2 * bytes, "{}, {rows} rows, {scan:?}: {most}", db.kind);
            }
        }
    }
}

#[test]
fn the_first_result_of_a_scan_reads_few_pairs() {
    let db = Database::memory();
    let table = table_of(&db, 3000, "v");
    let few = WorkLimit { pairs: 60, bytes: 10_000 };
    for scan in scans() {
        let first: [fn(&mut Scanner) -> usize; 3] = [
            |scanner| scanner.next(1).unwrap().len(),
            |scanner| scanner.next_block(1000).unwrap().len(),
            |scanner| scanner.rows().next().unwrap().map(|_| 1).unwrap(),
        ];
        for first in first {
            let mut scanner = table.scan(scan.clone()).unwrap();
            assert_eq!(few.run(|| first(&mut scanner)), Some(1), "{scan:?}");
        }
    }
}

#[test]
fn blocks_grow() {
    let db = Database::memory();
    let table = table_of(&db, 3000, "v");
    let mut scanner = table.scan(Scan::default()).unwrap();
    let blocks: Vec<_> = (0..5).map(|_| scanner.next_block(1000).unwrap().len()).collect();
    assert_eq!(blocks[..4], [1, 4, 16, 64]);
    assert!(blocks[4] > 64, "{blocks:?}");
    assert_eq!(scanner.next_block(10).unwrap().len(), 10);
    assert_eq!(scanner.rows().count(), 3000 - blocks.iter().sum::<usize>() - 10);
}

#[test]
fn the_first_block_has_as_many_rows_as_are_expected() {
    let db = Database::memory();
    let table = table_of(&db, 3000, "v");
    for (expected, first) in [(0, 1), (1, 1), (10, 10), (64, 64), (65, 1), (usize::MAX, 1)] {
        let mut scanner = table.scan(Scan::default()).unwrap();
        scanner.expect(expected);
        assert_eq!(scanner.next_block(1000).unwrap().len(), first, "{expected}");
    }
}

/// Rows in three regions, the last cells of some of them hidden.
fn regions() -> World {
    let world = World::split(&["f", "g"], &["b", "c"]);
    for row in ["a1", "a2", "b1", "b2", "b3", "c1"] {
        for column in ["f:1", "f:2", "f:3", "g:1"] {
            world.put(row, column, 5, row);
        }
    }
    world.delete("a2", "g:", MarkerKind::Family, 9);
    world.delete("b3", "f:3", MarkerKind::Column, 9);
    world.delete("b3", "g:1", MarkerKind::Column, 9);
    world
}

#[test]
fn the_results_do_not_depend_on_how_many_are_read_at_once() {
    let world = regions();
    let filters =
        ["", "PageFilter(1)", "PageFilter(2)", "InclusiveStopFilter('b1')", "WHILE RowFilter(!=, 'binary:a2')"];
    for filter in filters {
        for (reversed, batch, limit, caching) in (0..2)
            .flat_map(|reversed| (0..4).map(move |batch| (reversed == 1, batch)))
            .flat_map(|(reversed, batch)| [-1, 1, 3].map(|limit| (reversed, batch, limit)))
            .flat_map(|(reversed, batch, limit)| [0, 1, 2, 3].map(|caching| (reversed, batch, limit, caching)))
        {
            let spec = (!filter.is_empty()).then(|| Arc::new(FilterSpec::parse(filter.as_bytes()).unwrap()));
            let scan = Scan { reversed, batch, limit, caching, filter: spec, ..Scan::default() };
            let open = || world.table.scan(scan.clone()).unwrap();
            let Ok(expected) = open().next(usize::MAX) else { continue };
            for n in 1..4 {
                let mut scanner = open();
                let mut found = Vec::new();
                loop {
                    let rows = scanner.next_within(n, if n == 3 { 1 } else { usize::MAX }).unwrap();
                    if rows.is_empty() {
                        break;
                    }
                    found.extend(rows);
                }
                assert_eq!(found, expected, "{n} at once, {scan:?}");
                assert_eq!(one_by_one(&mut open(), n), cells(&expected), "one by one, {n} at once, {scan:?}");
                assert_eq!(
                    by_page(&mut open(), n, usize::MAX, 200 * (n - 1)),
                    cells(&expected),
                    "pages of {n} rows, {scan:?}"
                );
            }
        }
    }
}

/// Key, family, qualifier, timestamp and value of each cell.
type CellParts = (Bytes, Bytes, Bytes, i64, Bytes);

fn cells(rows: &[Row]) -> Vec<CellParts> {
    let parts = |cell: &Cell| {
        let Cell { row, family, qualifier, timestamp, value, .. } = cell.clone();
        (row, family, qualifier, timestamp, value)
    };
    rows.iter().flat_map(|row| &row.cells).map(parts).collect()
}

/// The cells of a scan, read into a reused row, `n` rows at a time, after a first row that is read otherwise.
fn one_by_one(scanner: &mut Scanner, n: usize) -> Vec<CellParts> {
    let mut found = cells(&scanner.next(1).unwrap());
    let mut row = ReusedRow::default();
    loop {
        let mut left = n;
        let more = scanner.each_row(&mut row, &mut |row| {
            for cell in row.cells() {
                let (family, qualifier) = row.columns()[cell.column].clone();
                found.push((Bytes::copy_from_slice(row.key()), family, qualifier, cell.timestamp, cell.value.clone()));
            }
            left -= 1;
            left > 0
        });
        if !more.unwrap() {
            return found;
        }
        if n == 3 {
            row.forget_columns();
        }
    }
}

/// The rows of a page.
fn page_cells(page: &RowPage) -> Vec<CellParts> {
    let of_row = |row: hjall_engine::read::PageRow<'_>| {
        let key = Bytes::copy_from_slice(row.key());
        row.cells()
            .map(|cell| {
                let [family, qualifier] = [cell.family, cell.qualifier].map(Bytes::copy_from_slice);
                (key.clone(), family, qualifier, cell.timestamp, cell.value.clone())
            })
            .collect::<Vec<_>>()
    };
    page.rows().flat_map(of_row).collect()
}

/// The cells of a scan, read in pages of at most `n` rows and about `bytes` bytes, after a first row that is read
/// otherwise. Between two pages, it reads ahead up to `ahead` bytes.
fn by_page(scanner: &mut Scanner, n: usize, bytes: usize, ahead: usize) -> Vec<CellParts> {
    let mut found = cells(&scanner.next(1).unwrap());
    loop {
        let before = found.len();
        scanner.plan_ahead(1);
        scanner.read_ahead(ahead, &|| true);
        if ahead == 300 && before.is_multiple_of(5) {
            scanner.release_snapshot();
        }
        match scanner.fetch_page_for(n, bytes, &Unlimited).unwrap() {
            FetchedPage::Page(page) => {
                assert!(page.len() <= n);
                assert_eq!(
                    page.bytes(),
                    page_cells(&page)
                        .iter()
                        .map(|(r, f, q, _, v)| r.len() + f.len() + q.len() + v.len())
                        .sum::<usize>()
                );
                found.extend(page_cells(&page));
                assert_eq!(cells(&page.into_rows()), found[before..]);
            }
            FetchedPage::Rows(rows) => found.extend(cells(&rows)),
            FetchedPage::Paused => panic!("nothing else waits"),
        }
        if found.len() == before {
            return found;
        }
    }
}

/// Rows with different columns, several versions, markers and TTLs.
#[test]
fn rows_that_are_read_one_by_one_or_in_pages_are_the_same() {
    for db in Database::all() {
        let table = db.table("t", &["f VERSIONS=3", "g"]);
        for n in 1..300_i64 {
            let row = format!("r{:03}", n * 7 % 100);
            let (column, other) = (format!("f:{}", n % 5), format!("g:{}", n * n % 11));
            let mut written = put(&row, &[(&column, n, "v"), (&other, n, "w"), ("f:", n, "")]);
            written.ttl_ms = (n % 7 == 0).then_some(1 << 60);
            table.put(&written).unwrap();
            if n % 13 == 0 {
                table.delete(&delete(&row, &[(MarkerKind::Column, &column, n)])).unwrap();
                table.delete(&delete(&row, &[(MarkerKind::Family, "g:", n - 1)])).unwrap();
            }
        }
        let mut one_family = Columns::all();
        one_family.add_family("f");
        let mut one_column = Columns::all();
        one_column.add_column("f", "3");
        let selections = [Columns::all(), one_family, one_column];
        for (max_versions, columns) in [1, 2].into_iter().flat_map(|n| selections.clone().map(|columns| (n, columns))) {
            for scan in scans() {
                let scan = Scan { max_versions, columns: columns.clone(), ..scan };
                let expected = table.scan(scan.clone()).unwrap().next(usize::MAX).unwrap();
                for n in 1..4 {
                    let found = one_by_one(&mut table.scan(scan.clone()).unwrap(), n);
                    assert_eq!(found, cells(&expected), "{}, {scan:?}", db.kind);
                }
                for (n, bytes) in [(2, usize::MAX), (7, usize::MAX), (100, 40), (1000, usize::MAX)] {
                    for ahead in [0, 300, 2_000, 1 << 20] {
                        let found = by_page(&mut table.scan(scan.clone()).unwrap(), n, bytes, ahead);
                        assert_eq!(found, cells(&expected), "{}, {n} rows a page, {ahead} ahead, {scan:?}", db.kind);
                    }
                }
            }
        }
    }
}

#[test]
fn a_scan_of_a_dropped_table_says_so() {
    for db in Database::all() {
        for reversed in [false, true] {
            let splits = vec!["b".into(), "c".into()];
            db.engine.create_table(descriptor("t", &["f"]), splits).unwrap();
            let table = db.engine.table(&name("t"));
            for row in ["a", "b", "c"] {
                table.put(&put(row, &[("f:a", 1, "v")])).unwrap();
            }
            let mut scanner = table.scan(Scan { reversed, ..Scan::default() }).unwrap();
            assert_eq!(scanner.next(1).unwrap().len(), 1);
            db.engine.disable_table(&name("t")).unwrap();
            db.engine.delete_table(&name("t")).unwrap();
            assert_eq!(scanner.next(2).unwrap_err().kind(), ErrorKind::TableNotFound, "{}", db.kind);
        }
    }
}

/// A failure while reading ahead is that of a later read. No row is lost or returned twice.
#[test]
fn a_failure_of_reading_ahead_is_returned_by_a_later_read() {
    let store = Arc::new(FaultStore::new(Arc::new(MemoryStore::new(Arc::new(ManualClock::at(NOW))))));
    let engine = Engine::with_store(store.clone()).unwrap();
    engine.create_table(descriptor("t", &["f", "g"]), vec![]).unwrap();
    let table = engine.table(&name("t"));
    for n in 0..200 {
        table.put(&put(&format!("r{n:03}"), &[("f:a", 1, "v"), ("g:a", 1, "w")])).unwrap();
    }
    let expected = cells(&table.scan(Scan::default()).unwrap().next(usize::MAX).unwrap());
    for (nth, when) in (1..60).flat_map(|nth| [(nth, When::Before), (nth, When::After)]) {
        let mut scanner = table.scan(Scan::default()).unwrap();
        let mut found = Vec::new();
        let read = |scanner: &mut Scanner| -> Result<Option<Vec<CellParts>>> {
            Ok(match scanner.fetch_page_for(60, usize::MAX, &Unlimited)? {
                FetchedPage::Page(page) => Some(page_cells(&page)),
                FetchedPage::Rows(rows) => Some(cells(&rows)),
                FetchedPage::Paused => None,
            })
        };
        for expected in [false, true] {
            found.extend(read(&mut scanner).unwrap().unwrap());
            assert_eq!(scanner.plan_ahead(1), expected, "nothing is planned after the first page");
        }
        let counted = Counted::Only(Call::Next);
        store.fail(InjectedFault { counted, nth, when, kind: ErrorKind::Io, lasting: false });
        scanner.read_ahead(8 << 10, &|| true);
        let has_failed = store.heal();
        let mut failures = 0;
        loop {
            match read(&mut scanner) {
                Ok(Some(page)) if page.is_empty() => break,
                Ok(page) => found.extend(page.unwrap()),
                Err(error) => {
                    assert_eq!(error.kind(), ErrorKind::Io);
                    failures += 1;
                }
            }
        }
        assert_eq!(failures, usize::from(has_failed), "fault {nth}, {when:?}");
        assert_eq!(found, expected, "fault {nth}, {when:?}");
    }
}
