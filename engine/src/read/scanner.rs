//! Scans: fetch rows in portions, region by region.

use std::collections::VecDeque;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;

use super::budget::{Budget, Unlimited, Unpaused, take_row};
use super::family_scan::{FamilyScan, Reader, Selection};
use super::key_range::{KeyRange, Progress};
use super::region_scanner::{RegionProgress, RegionScan, RegionScanner, Step};
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
/// Opening it reads nothing. The first fetch takes a snapshot, which later fetches use, so later writes are not seen,
/// unless the snapshot is released ([`Self::release_snapshot`]). A fetch reads up to `caching` rows of one region, or 2
/// MiB; they are delivered even if the table is dropped. Each fetch checks the table again. A failed fetch does not end
/// the scan: the next one continues after the last row fetched, with a new snapshot. A scan that has reached its end
/// stays there.
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
    /// The fetch that was paused.
    paused: Option<Portion>,
    /// The filter of a snapshot that was released.
    released: Option<Released>,
    ended: bool,
}

/// The result of a fetch that may pause.
#[derive(Debug)]
pub enum Fetched {
    /// The results.
    Rows(Vec<Row>),
    /// The budget told the scan to pause. Nothing is lost: the next fetch continues there.
    Paused,
}

/// How long a scan has been using its present snapshot.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SnapshotAge {
    /// The time, by the clock of the database.
    pub time: Duration,
    /// The bytes that have been written to the database meanwhile. The store may have to keep what they replaced.
    pub written_bytes: u64,
}

/// What a scan keeps of a snapshot that was released.
struct Released {
    table: Arc<TableState>,
    /// The region that is being read.
    region: RegionProgress,
    /// The regions after it, in reverse order.
    regions: Vec<KeyRange>,
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
    /// [`Store::written_bytes`](crate::store::Store::written_bytes) when the snapshot was taken.
    written_bytes: u64,
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
    /// The row of which only some pieces have been fetched.
    unfinished: Option<Bytes>,
    /// The scan was told to pause.
    paused: bool,
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
            paused: None,
            released: None,
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
            let _ = self.fetch(&Unlimited)?;
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
        match self.fetch_for(n, bytes, &Unpaused(budget))? {
            Fetched::Rows(rows) => Ok(rows),
            Fetched::Paused => Ok(Vec::new()),
        }
    }

    /// Like [`Self::next_for`], but may pause where the budget says so ([`Budget::must_pause`]).
    ///
    /// # Errors
    /// Those of [`Self::next_for`].
    pub fn fetch_for(&mut self, n: usize, bytes: usize, budget: &dyn Budget) -> Result<Fetched> {
        self.stop.join(&budget.stop());
        if let Some(paused) = &self.paused {
            paused.results.iter().try_for_each(|row| take_row(budget, row))?;
        }
        let (mut results, mut sum) = (Vec::new(), 0);
        // Results that an earlier call fetched, which this call's budget does not contain yet.
        let mut earlier = self.waiting.len();
        while results.len() < n && sum < bytes {
            let mut paused = false;
            let failed = match self.waiting.front() {
                Some(row) if earlier > 0 => take_row(budget, row).err(),
                None if self.ended => break,
                None => match self.fetch(budget) {
                    Ok(is_paused) => {
                        paused = is_paused;
                        None
                    }
                    Err(error) => Some(error),
                },
                Some(_) => None,
            };
            if failed.as_ref().is_some_and(|error| error.kind() != ErrorKind::Cancelled)
                && budget.check().is_err()
                && !results.is_empty()
            {
                break;
            }
            if paused || failed.is_some() {
                results.into_iter().rev().for_each(|row| self.waiting.push_front(row));
                return failed.map_or(Ok(Fetched::Paused), Err);
            }
            if let Some(row) = self.waiting.pop_front() {
                earlier = earlier.saturating_sub(1);
                sum += row.bytes();
                results.push(row);
            }
        }
        Ok(Fetched::Rows(results))
    }

    /// How long this scan has been using its snapshot. `None` if it has none.
    pub fn snapshot_age(&self) -> Option<SnapshotAge> {
        let open = self.open.as_ref()?;
        let store = &self.handle.live().ok()?.store;
        let time = Duration::from_millis(u64::try_from(store.now_ms() - open.reader.now).unwrap_or_default());
        Some(SnapshotAge { time, written_bytes: store.written_bytes().saturating_sub(open.written_bytes) })
    }

    /// Releases the snapshot. The next fetch continues with a new one, after the last row that was examined and with
    /// the state of the filter. In the middle of a row this has no effect.
    pub fn release_snapshot(&mut self) {
        let in_row = matches!(self.progress, Progress::Within(_)) || self.paused.as_ref().is_some_and(Portion::in_row);
        if in_row {
            return;
        }
        if let Some(TableView { table, regions, rows, .. }) = self.open.take() {
            self.released = Some(Released { table, region: rows.into_progress(), regions });
        }
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
        self.reset_to_progress();
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

    /// Fetches one portion, which is empty at the end of the scan. Returns whether the fetch was paused.
    fn fetch(&mut self, budget: &dyn Budget) -> Result<bool> {
        self.stop.check()?;
        budget.check()?;
        let portion = match self.next_portion(budget) {
            Ok(portion) => portion,
            Err(error) => {
                self.reset_to_progress();
                return Err(error);
            }
        };
        if portion.paused {
            self.paused = Some(portion);
            return Ok(true);
        }
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
        Ok(false)
    }

    /// Lets the next fetch continue after the rows that have been fetched, with a new snapshot and a new filter.
    fn reset_to_progress(&mut self) {
        self.open = None;
        self.paused = None;
        self.released = None;
    }

    /// Reads one portion of the current region, and moves on to the next region at the end of it.
    fn next_portion(&mut self, budget: &dyn Budget) -> Result<Portion> {
        let handle = Arc::clone(&self.handle);
        let core = handle.live()?;
        let (open, released) = (self.open.take(), self.released.take());
        let name = self.name.clone();
        let mut open = core.catalog.with_shared_lock(&name, |table| {
            table.check_readable()?;
            match open {
                Some(open) if Arc::ptr_eq(&open.table, table) => Ok(open),
                _ => self.open(core, table, released),
            }
        })?;
        let before = self.paused.take().unwrap_or_default();
        let portion = self.read(&mut open.rows, before, budget)?;
        if let Some(first) = portion.results.first().filter(|_| !portion.paused) {
            open.table.count_reads(&first.key, portion.results.len(), portion.bytes);
        }
        if portion.cut {
            // The row after the portion has been read in part: the next fetch opens the region again and reads the row
            // from its start.
            self.reset_to_progress();
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
                open.rows = self.region(&open.table, &open.reader, extent)?;
                self.open = Some(open);
            }
            _ => self.ended = true,
        }
        Ok(portion)
    }

    /// Adds rows to a portion that was paused, or to a new one.
    fn read(&self, rows: &mut RegionScanner, mut portion: Portion, budget: &dyn Budget) -> Result<Portion> {
        let caching = usize::try_from(self.scan.caching).ok().filter(|caching| *caching > 0).unwrap_or(usize::MAX);
        let rows_left = self.rows_left.unwrap_or(usize::MAX);
        if !portion.paused
            && let Progress::Within(cell) = &self.progress
        {
            portion.unfinished = Some(cell.row.clone());
        }
        portion.paused = false;
        while portion.results.len() < caching && portion.rows < rows_left && portion.bytes < PORTION_BYTES {
            let next = match rows.next_step(budget) {
                Err(error) if error.kind() != ErrorKind::Cancelled => match budget.check() {
                    Err(_) if !portion.results.is_empty() => {
                        portion.cut = true;
                        return Ok(portion);
                    }
                    _ => return Err(error),
                },
                next => next?,
            };
            let mut row = match next {
                Step::Row(row) => row,
                Step::Paused => {
                    portion.paused = true;
                    return Ok(portion);
                }
                Step::End => {
                    portion.region_ended = true;
                    portion.rows += usize::from(portion.unfinished.is_some());
                    // Nothing visible followed the last piece, so HBase does not call it partial after all.
                    if let Some(last) = portion.results.last_mut() {
                        last.partial = false;
                    }
                    return Ok(portion);
                }
            };
            // A piece may be called partial although nothing follows it. Only the next row shows that it was the last
            // one.
            if portion.unfinished.as_ref().is_some_and(|last| *last != row.key) {
                portion.unfinished = None;
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
                portion.unfinished = Some(row.key.clone());
            } else {
                portion.unfinished = None;
                portion.rows += 1;
            }
            portion.bytes += row.bytes();
            portion.results.push(row);
        }
        portion.region_ended = rows.is_over()?;
        Ok(portion)
    }

    /// Opens the current state of the table after the rows that have been fetched or, with the filter of a snapshot
    /// that was released, after those that have been examined.
    fn open(&mut self, core: &Core, table: &Arc<TableState>, released: Option<Released>) -> Result<TableView> {
        let written_bytes = core.store.written_bytes();
        let (snapshot, now) = (core.store.snapshot()?, core.store.now_ms());
        let reader = Arc::new(Reader { snapshot, now, stop: self.stop.clone() });
        let (rows, regions) = match released.filter(|released| Arc::ptr_eq(&released.table, table)) {
            Some(Released { region, regions, .. }) => (self.continued_region(table, &reader, region)?, regions),
            None => {
                self.paused = None;
                let remaining = KeyRange::of_scan(&self.scan, &self.progress);
                let mut regions = remaining.in_regions(table.regions(), self.scan.reversed);
                regions.reverse();
                // An empty range is opened too, so that the request is validated.
                let first = regions.pop().unwrap_or_else(KeyRange::empty);
                (self.region(table, &reader, first)?, regions)
            }
        };
        Ok(TableView { table: Arc::clone(table), reader, regions, rows, written_bytes })
    }

    /// Opens a region with a new filter.
    fn region(&self, table: &TableState, reader: &Arc<Reader>, extent: KeyRange) -> Result<RegionScanner> {
        let reversed = self.scan.reversed;
        let filter = self.scan.filter.as_ref().map(|spec| spec.start(reversed)).transpose()?;
        let (first, last) = filter.as_ref().map_or((None, None), |f| (f.first_row(), f.last_row()));
        let extent = first.map_or_else(|| extent.clone(), |row| extent.beginning_at(&row, reversed));
        let extent = last.map_or_else(|| extent.clone(), |row| extent.ending_at(&row, reversed));
        self.continued_region(table, reader, RegionProgress { extent, filter, closed: Vec::new() })
    }

    /// Opens a region of which a part may have been read.
    fn continued_region(
        &self,
        table: &TableState,
        reader: &Arc<Reader>,
        region: RegionProgress,
    ) -> Result<RegionScanner> {
        let scan = &self.scan;
        let RegionProgress { extent, filter, closed } = region;
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
        let batch = usize::try_from(scan.batch).ok().filter(|batch| *batch > 0);
        let task = RegionScan { order, extent, batch, window: Window::ALL, filter, closed };
        RegionScanner::open(plans, reader, task)
    }
}

impl Portion {
    /// Whether the last result is a piece of a row.
    fn in_row(&self) -> bool {
        self.unfinished.is_some()
    }
}

/// The order of cells within a row.
fn order_of(cell: &Cell) -> impl Ord + '_ {
    use std::cmp::Reverse;
    (&cell.family, &cell.qualifier, Reverse(cell.timestamp), Reverse(cell.kind))
}
