//! Scans: fetch rows in portions, region by region.

use std::collections::VecDeque;
use std::fmt;
use std::sync::Arc;

use super::budget::{Budget, Unlimited, take_row};
use super::family_scan::{FamilyScan, Reader, Selection};
use super::key_range::{KeyRange, Progress};
use super::region_scanner::{RegionScan, RegionScanner};
use super::stop::{Stop, Watch};
use super::store_scanner::Window;
use crate::catalog::TableState;
use crate::cell::{Cell, Row};
use crate::core::{Core, Handle};
use crate::error::{ErrorKind, Result};
use crate::name::TableName;
use crate::request::Scan;
use crate::store::Order;

/// A fetch ends with the row that reaches this size (HBase's `hbase.client.scanner.max.result.size`).
const PORTION_BYTES: usize = 2 << 20;

/// An open scan.
///
/// Opening it reads nothing. The first fetch takes a snapshot, which later fetches use, so later writes are not seen. A
/// fetch reads up to `caching` rows of one region, or 2 MiB; they are delivered even if the table is dropped. Each
/// fetch checks the table again. A failed fetch does not end the scan: the next one continues after the last row
/// fetched, with a new snapshot. A scan that has reached its end stays there.
pub struct Scanner {
    handle: Arc<Handle>,
    name: TableName,
    scan: Scan,
    stop: Stop,
    waiting: VecDeque<Row>,
    progress: Progress,
    /// Rows that the limit still allows; `None`: no limit.
    rows_left: Option<usize>,
    open: Option<TableView>,
    ended: bool,
}

/// A state of the table and how far it has been read.
struct TableView {
    /// A table that is disabled, altered, truncated or recreated gets another state. In HBase its regions are reopened
    /// then, and scans continue with the current data.
    table: Arc<TableState>,
    reader: Arc<Reader>,
    /// The remaining regions, in reverse order.
    regions: Vec<KeyRange>,
    rows: RegionScanner,
}

/// The result of one fetch.
#[derive(Default)]
struct Portion {
    results: Vec<Row>,
    /// Rows whose last piece is in this portion.
    rows: usize,
    bytes: usize,
    /// The region has no more rows.
    region_ended: bool,
    /// The budget was used up within the row after these.
    cut: bool,
}

impl fmt::Debug for Scanner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Scanner")
            .field("table", &self.name)
            .field("scan", &self.scan)
            .field("ended", &(self.ended && self.waiting.is_empty()))
            .finish_non_exhaustive()
    }
}

impl Scanner {
    pub(crate) fn new(handle: Arc<Handle>, name: TableName, scan: Scan) -> Self {
        let rows_left = usize::try_from(scan.limit).ok().filter(|limit| *limit > 0);
        Self {
            handle,
            name,
            scan,
            stop: Stop::of_scan(),
            waiting: VecDeque::new(),
            progress: Progress::Start,
            rows_left,
            open: None,
            ended: false,
        }
    }

    /// Up to `n` results; fewer or none at the end of the scan. A result is a row, or with a batch size a piece of one.
    ///
    /// # Errors
    /// Those of the table (missing, disabled), of the request (unknown family, a filter that cannot be used with it)
    /// and of the store; `Cancelled` once stopped. An error loses no results: the next call continues where this one
    /// would have.
    #[allow(clippy::should_implement_trait)]
    pub fn next(&mut self, n: usize) -> Result<Vec<Row>> {
        self.stop.join(&Stop::default());
        while self.waiting.len() < n && !self.ended {
            self.fetch(&Unlimited)?;
        }
        Ok(self.waiting.drain(..n.min(self.waiting.len())).collect())
    }

    /// Like [`Self::next`], but ends with the result at which the total size reaches `bytes`. Only an empty list means
    /// the end of the scan.
    ///
    /// # Errors
    /// Those of [`Self::next`].
    pub fn next_within(&mut self, n: usize, bytes: usize) -> Result<Vec<Row>> {
        self.next_for(n, bytes, &Unlimited)
    }

    /// Like [`Self::next_within`], within the budget of a call: the results end where the budget is used up.
    ///
    /// # Errors
    /// Those of [`Self::next`], and that of the budget if it is used up by the first result.
    pub fn next_for(&mut self, n: usize, bytes: usize, budget: &dyn Budget) -> Result<Vec<Row>> {
        self.stop.join(&budget.stop());
        let (mut results, mut sum) = (Vec::new(), 0);
        // Results that an earlier call fetched, which this call's budget does not contain yet.
        let mut earlier = self.waiting.len();
        while results.len() < n && sum < bytes {
            let failed = match self.waiting.front() {
                Some(row) if earlier > 0 => take_row(budget, row).err(),
                None if self.ended => break,
                None => self.fetch(budget).err(),
                Some(_) => None,
            };
            if let Some(error) = failed {
                if error.kind() != ErrorKind::Cancelled && budget.check().is_err() && !results.is_empty() {
                    break;
                }
                results.into_iter().rev().for_each(|row| self.waiting.push_front(row));
                return Err(error);
            }
            if let Some(row) = self.waiting.pop_front() {
                earlier = earlier.saturating_sub(1);
                sum += row.bytes();
                results.push(row);
            }
        }
        Ok(results)
    }

    /// A flag with which another thread can stop this scan.
    pub fn stopper(&self) -> Stop {
        self.stop.clone()
    }

    /// Sets a callback that is called whenever the stop flag is checked, from the next fetch on. It stops the scan by
    /// returning true, as the handler of a pending signal does. A fetch that it stopped can be repeated.
    pub fn watch(&mut self, watch: Watch) {
        self.stop = self.stop.watched(watch);
        // Open scanners hold the previous flag.
        self.open = None;
    }

    /// An iterator over the remaining results. It ends after an error; the scanner itself can continue, as after an
    /// error of [`Self::next`].
    pub fn rows(&mut self) -> impl Iterator<Item = Result<Row>> + '_ {
        let mut failed = false;
        std::iter::from_fn(move || {
            if failed {
                return None;
            }
            let row = self.next(1).map(|mut rows| rows.pop()).transpose();
            failed = matches!(row, Some(Err(_)));
            row
        })
    }

    /// Fetches one portion, which is empty at the end of the scan.
    fn fetch(&mut self, budget: &dyn Budget) -> Result<()> {
        self.stop.check()?;
        budget.check()?;
        let portion = match self.next_portion(budget) {
            Ok(portion) => portion,
            Err(error) => {
                self.open = None;
                return Err(error);
            }
        };
        if let Some(last) = portion.results.last() {
            self.progress = match last.cells.last() {
                Some(cell) if last.partial => Progress::Within(cell.clone()),
                _ => Progress::After(last.key.clone()),
            };
        }
        if let (true, Progress::Within(cell)) = (portion.region_ended, &self.progress) {
            // A row lies in one region.
            self.progress = Progress::After(cell.row.clone());
        }
        if let Some(left) = &mut self.rows_left {
            *left -= portion.rows.min(*left);
            self.ended |= *left == 0;
        }
        self.ended |= self.scan.limit == 0;
        self.waiting.extend(portion.results);
        if self.ended {
            // Releases the snapshot.
            self.open = None;
        }
        Ok(())
    }

    /// Reads one portion of the current region, and moves on to the next region at the end of it.
    fn next_portion(&mut self, budget: &dyn Budget) -> Result<Portion> {
        let handle = Arc::clone(&self.handle);
        let core = handle.live()?;
        let open = self.open.take();
        let mut open = core.catalog.hold(&self.name, |table| {
            table.check_readable()?;
            match open {
                Some(open) if Arc::ptr_eq(&open.table, table) => Ok(open),
                _ => self.open(core, table),
            }
        })?;
        let portion = self.read(&mut open.rows, budget)?;
        if let Some(first) = portion.results.first() {
            open.table.count_reads(&first.key, portion.results.len(), portion.bytes);
        }
        if portion.cut {
            // The row after the portion has been read in part: the next fetch opens the region again and reads the row
            // from its start.
            return Ok(portion);
        }
        if !portion.region_ended {
            self.open = Some(open);
            return Ok(portion);
        }
        // HBase's client continues in the next region with a new filter, unless the last fetch was empty because the
        // filter is done.
        let done = portion.results.is_empty() && open.rows.is_filter_done()?;
        match open.regions.pop() {
            Some(extent) if !done => {
                open.rows = self.region(&open.table, &open.reader, &extent)?;
                self.open = Some(open);
            }
            _ => self.ended = true,
        }
        Ok(portion)
    }

    fn read(&self, rows: &mut RegionScanner, budget: &dyn Budget) -> Result<Portion> {
        let caching = usize::try_from(self.scan.caching).ok().filter(|caching| *caching > 0).unwrap_or(usize::MAX);
        let rows_left = self.rows_left.unwrap_or(usize::MAX);
        let mut portion = Portion::default();
        let mut unfinished = match &self.progress {
            Progress::Within(cell) => Some(cell.row.clone()),
            _ => None,
        };
        while portion.results.len() < caching && portion.rows < rows_left && portion.bytes < PORTION_BYTES {
            let next = match rows.next(budget) {
                Err(error) if error.kind() != ErrorKind::Cancelled => match budget.check() {
                    Err(_) if !portion.results.is_empty() => {
                        portion.cut = true;
                        return Ok(portion);
                    }
                    _ => return Err(error),
                },
                next => next?,
            };
            let Some(mut row) = next else {
                portion.region_ended = true;
                portion.rows += usize::from(unfinished.is_some());
                // Nothing visible followed the last piece, so HBase does not call it partial after all.
                if let Some(last) = portion.results.last_mut() {
                    last.partial = false;
                }
                return Ok(portion);
            };
            // A piece may be called partial although nothing follows it. Only the next row shows that it was the last
            // one.
            if unfinished.as_ref().is_some_and(|last| *last != row.key) {
                unfinished = None;
                portion.rows += 1;
                if portion.rows == rows_left {
                    return Ok(portion);
                }
            }
            if let Progress::Within(last) = &self.progress
                && row.key == last.row
            {
                row.cells.retain(|cell| order_of(cell) > order_of(last));
                if row.cells.is_empty() {
                    continue;
                }
            }
            if row.partial {
                unfinished = Some(row.key.clone());
            } else {
                unfinished = None;
                portion.rows += 1;
            }
            portion.bytes += row.bytes();
            portion.results.push(row);
        }
        portion.region_ended = rows.is_over()?;
        Ok(portion)
    }

    /// Opens the current state of the table after the rows that have been fetched.
    fn open(&self, core: &Core, table: &Arc<TableState>) -> Result<TableView> {
        let (snapshot, now) = (core.store.snapshot()?, core.store.now_ms());
        let reader = Reader { snapshot, now, stop: self.stop.clone() };
        let reader = Arc::new(reader);
        let mut regions = KeyRange::of_scan(&self.scan, &self.progress).in_regions(table.regions(), self.scan.reversed);
        regions.reverse();
        // An empty range is opened too, so that the request is validated.
        let first = regions.pop().unwrap_or_else(KeyRange::empty);
        let rows = self.region(table, &reader, &first)?;
        Ok(TableView { table: Arc::clone(table), reader, regions, rows })
    }

    fn region(&self, table: &TableState, reader: &Arc<Reader>, extent: &KeyRange) -> Result<RegionScanner> {
        let scan = &self.scan;
        let filter = scan.filter.as_ref().map(|spec| spec.start(scan.reversed)).transpose()?;
        let selection = Selection {
            columns: &scan.columns,
            max_versions: scan.max_versions,
            filtered: filter.is_some(),
            raw: scan.raw,
        };
        let range = |family: &_| scan.family_time_ranges.get(family).copied().unwrap_or(scan.time_range);
        let plans =
            FamilyScan::all(table.families(), &selection, range, &|family| table.no_family(family, &scan.start))?;
        let order = if scan.reversed { Order::Descending } else { Order::Ascending };
        let (first, last) = filter.as_ref().map_or((None, None), |f| (f.first_row(), f.last_row()));
        let extent = first.map_or_else(|| extent.clone(), |row| extent.beginning_at(&row, scan.reversed));
        let KeyRange { from, to } = last.map_or_else(|| extent.clone(), |row| extent.ending_at(&row, scan.reversed));
        let batch = usize::try_from(scan.batch).ok().filter(|batch| *batch > 0);
        RegionScanner::open(plans, reader, RegionScan { order, from, to, batch, window: Window::ALL, filter })
    }
}

/// The order of cells within a row.
fn order_of(cell: &Cell) -> impl Ord + '_ {
    use std::cmp::Reverse;
    (&cell.family, &cell.qualifier, Reverse(cell.timestamp), Reverse(cell.kind))
}
