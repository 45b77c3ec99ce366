//! The budget of a call: what its reads take and release, and scans that end because it is used up.

use std::cell::Cell as Counter;

use hjall_engine::mutation::MarkerKind as M;
use hjall_engine::read::{Budget, FetchedPage, Stop};
use hjall_engine::request::{Columns, Get, Scan};
use hjall_engine::{Error, ErrorKind, Result, Table};

use crate::fixture::{Database, delete, put};
use crate::world::bytes;

/// A budget of a number of bytes.
struct Bytes {
    left: Counter<usize>,
    failed: Counter<bool>,
    stop: Stop,
}

impl Bytes {
    fn new(bytes: usize) -> Self {
        Self { left: Counter::new(bytes), failed: Counter::new(false), stop: Stop::default() }
    }

    fn refused() -> Error {
        Error::new(ErrorKind::Busy, "the budget is used up")
    }
}

impl Budget for Bytes {
    fn take(&self, cells: usize, bytes: usize) -> Result<()> {
        assert!(cells > 0);
        match self.left.get().checked_sub(bytes).filter(|_| !self.failed.get()) {
            Some(left) => self.left.set(left),
            None => self.failed.set(true),
        }
        if self.failed.get() { Err(Self::refused()) } else { Ok(()) }
    }

    fn release(&self, _cells: usize, bytes: usize) {
        self.left.set(self.left.get() + bytes);
    }

    fn check(&self) -> Result<()> {
        match (self.stop.is_stopped(), self.failed.get()) {
            (true, _) => Err(Error::new(ErrorKind::Cancelled, "stopped")),
            (false, true) => Err(Self::refused()),
            (false, false) => Ok(()),
        }
    }

    fn stop(&self) -> Stop {
        self.stop.clone()
    }
}

/// Bytes that a row of [`ten_rows`] takes.
const ROW: usize = 1 + 1 + 100;

fn ten_rows(db: &Database) -> Table {
    let t = db.table("t", &["f"]);
    let value = "v".repeat(100);
    for row in 0..10 {
        t.put(&put(&format!("r{row}"), &[("f:a", 1, &value)])).unwrap();
    }
    t
}

fn gets() -> Vec<Get> {
    (0..10).map(|row| Get::new(bytes(&format!("r{row}")))).collect()
}

#[test]
fn gets_share_one_budget_whether_their_rows_are_cached_or_not() {
    for db in Database::all() {
        let t = ten_rows(&db);
        for _ in 0..3 {
            let budget = Bytes::new(10 * ROW);
            assert_eq!(t.get_many_for(&gets(), &budget).unwrap().len(), 10, "{}", db.kind);
            assert_eq!(budget.left.get(), 0);
            let error = t.get_many_for(&gets(), &Bytes::new(10 * ROW - 1)).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Busy);
        }
        let budget = Bytes::new(0);
        let exist = t.exists_many_for(&gets(), &budget).unwrap();
        assert!(exist.into_iter().all(|exists| exists.unwrap()), "a test for existence takes nothing");
    }
}

#[test]
fn a_row_that_a_filter_rejects_takes_nothing() {
    let db = Database::memory();
    let t = ten_rows(&db);
    let filter = "SingleColumnValueFilter('f', 'a', =, 'binary:other')";
    let filter = std::sync::Arc::new(hjall_engine::filter::FilterSpec::parse(filter.as_bytes()).unwrap());
    // Large enough to be taken in steps.
    let long = "v".repeat(100 << 10);
    t.put(&put("r5", &[("f:a", 1, &long), ("f:b", 1, &long)])).unwrap();
    let budget = Bytes::new(1 << 20);
    let mut scanner = t.scan(Scan { filter: Some(filter), ..Scan::default() }).unwrap();
    assert_eq!(scanner.next_for(10, usize::MAX, &budget).unwrap(), []);
    assert_eq!(budget.left.get(), 1 << 20);
}

#[test]
fn a_scan_returns_what_fits_and_continues_after_it() {
    for db in Database::all() {
        let t = ten_rows(&db);
        for caching in [0, 1, 3] {
            let mut scanner = t.scan(Scan { caching, ..Scan::default() }).unwrap();
            let mut pages = Vec::new();
            loop {
                let page = scanner.next_for(100, usize::MAX, &Bytes::new(4 * ROW + 1)).unwrap();
                if page.is_empty() {
                    break;
                }
                pages.push(page.iter().map(|row| row.key.escape_ascii().to_string()).collect::<Vec<_>>().join(" "));
            }
            assert_eq!(pages, ["r0 r1 r2 r3", "r4 r5 r6 r7", "r8 r9"], "{}, caching {caching}", db.kind);
        }
        // Not even one row fits: the fetch fails, and the next one starts with that row.
        let mut scanner = t.scan(Scan::default()).unwrap();
        for _ in 0..2 {
            assert_eq!(scanner.next_for(1, 1, &Bytes::new(ROW - 1)).unwrap_err().kind(), ErrorKind::Busy);
        }
        assert_eq!(scanner.next(100).unwrap().len(), 10);
    }
}

#[test]
fn a_page_has_what_fits_and_the_next_one_continues_after_it() {
    for db in Database::all() {
        let t = ten_rows(&db);
        let page = |scanner: &mut hjall_engine::Scanner, budget: &Bytes| match scanner.fetch_page_for(
            100,
            usize::MAX,
            budget,
        )? {
            FetchedPage::Page(page) => Ok(page.into_rows()),
            FetchedPage::Rows(rows) => Ok::<_, Error>(rows),
            FetchedPage::Paused => panic!("nothing else waits"),
        };
        for caching in [0, 1, 3] {
            let mut scanner = t.scan(Scan { caching, ..Scan::default() }).unwrap();
            let mut pages = Vec::new();
            loop {
                let page = page(&mut scanner, &Bytes::new(4 * ROW + 1)).unwrap();
                if page.is_empty() {
                    break;
                }
                pages.push(page.iter().map(|row| row.key.escape_ascii().to_string()).collect::<Vec<_>>().join(" "));
            }
            assert_eq!(pages, ["r0 r1 r2 r3", "r4 r5 r6 r7", "r8 r9"], "{}, caching {caching}", db.kind);
        }
        let mut scanner = t.scan(Scan::default()).unwrap();
        assert_eq!(page(&mut scanner, &Bytes::new(ROW - 1)).unwrap_err().kind(), ErrorKind::Busy);
        let budget = Bytes::new(100 * ROW);
        budget.stop.stop();
        assert_eq!(page(&mut scanner, &budget).unwrap_err().kind(), ErrorKind::Cancelled);
        let all = Bytes::new(10 * ROW);
        assert_eq!(page(&mut scanner, &all).unwrap().len(), 10, "{}", db.kind);
        assert_eq!(all.left.get(), 0);
    }
}

#[test]
fn a_stopped_call_ends_its_reads_but_not_the_scan() {
    for db in Database::all() {
        let t = ten_rows(&db);
        let budget = Bytes::new(usize::MAX / 2);
        let mut scanner = t.scan(Scan { caching: 3, ..Scan::default() }).unwrap();
        assert_eq!(scanner.next_for(2, usize::MAX, &budget).unwrap().len(), 2);
        budget.stop.stop();
        assert_eq!(scanner.next_for(5, usize::MAX, &budget).unwrap_err().kind(), ErrorKind::Cancelled);
        assert_eq!(t.get_many_for(&gets(), &budget).unwrap_err().kind(), ErrorKind::Cancelled);
        assert_eq!(scanner.next(100).unwrap().len(), 8, "{}: another call continues after the last row", db.kind);
    }
}

#[test]
fn a_delete_of_many_versions_reads_only_their_timestamps() {
    let db = Database::memory();
    let t = db.table("t", &["f VERSIONS=100"]);
    for time in 1..=100 {
        t.put(&put("r", &[("f:a", time, "value")])).unwrap();
    }
    t.delete(&delete("r", &[(M::Version, "f:a", hjall_engine::LATEST); 99])).unwrap();
    let mut columns = Columns::all();
    columns.add_family("f");
    let row = t.get(&Get { columns, max_versions: 100, ..Get::new("r") }).unwrap();
    assert_eq!(row.cells.iter().map(|cell| cell.timestamp).collect::<Vec<_>>(), [1]);
}
