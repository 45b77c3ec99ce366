//! A scan under way: fetches rows portion by portion, region by region.

use std::collections::VecDeque;
use std::fmt;
use std::sync::Arc;

use super::family_scan::{FamilyScan, Reader, Wish};
use super::key_range::{KeyRange, Progress};
use super::region_scanner::{RegionScan, RegionScanner};
use super::stop::{Stop, Watch};
use super::store_scanner::Window;
use crate::catalog::TableState;
use crate::cell::{Cell, Row};
use crate::core::{Core, Handle};
use crate::error::Result;
use crate::name::TableName;
use crate::request::Scan;
use crate::store::Order;

/// How much one fetch brings in at most, if one row is not larger (HBase's `hbase.client.scanner.max.result.size`).
const PORTION_BYTES: usize = 2 << 20;

/// A scan under way.
///
/// Opening it looks at nothing. The first fetch takes a snapshot, which all later ones read: what is written meanwhile is not seen. A fetch
/// brings in up to `caching` rows of one region, or 2 MiB; they are delivered even if the table goes away. Each fetch looks at the table again:
/// a failed one does not end the scan, the next tries again behind the last row brought in, with a new snapshot. At the end it stays ended.
pub struct Scanner {
    handle: Arc<Handle>,
    name: TableName,
    scan: Scan,
    stop: Stop,
    waiting: VecDeque<Row>,
    progress: Progress,
    /// Rows still allowed by the limit; `None`: any number.
    rows_left: Option<usize>,
    open: Option<TableView>,
    ended: bool,
}

/// One state of the table, as far as it is read.
struct TableView {
    /// A table that was disabled, altered, truncated or made anew in between has another state: HBase's regions are opened again then, and
    /// scans go on with what is there now.
    table: Arc<TableState>,
    reader: Arc<Reader>,
    /// What is left of the regions, the next one last.
    regions: Vec<KeyRange>,
    rows: RegionScanner,
}

/// What one fetch brought in.
#[derive(Default)]
struct Portion {
    results: Vec<Row>,
    /// Rows of which all was brought in, by this portion or by earlier ones with this.
    rows: usize,
    bytes: usize,
    /// The region has no more.
    region_ended: bool,
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
            stop: Stop::default(),
            waiting: VecDeque::new(),
            progress: Progress::Start,
            rows_left,
            open: None,
            ended: false,
        }
    }

    /// Up to `n` results; fewer, at last none, at the end. A result is a row, or with a batch size a piece of one.
    ///
    /// # Errors
    /// Those of the table (missing, disabled), of the request (unknown family, a filter that does not go with it), of the store; `Cancelled` once
    /// stopped. Nothing is lost by an error: the next call goes on where this one would have.
    #[allow(clippy::should_implement_trait)]
    pub fn next(&mut self, n: usize) -> Result<Vec<Row>> {
        while self.waiting.len() < n && !self.ended {
            self.fetch()?;
        }
        Ok(self.waiting.drain(..n.min(self.waiting.len())).collect())
    }

    /// The same, but ends with the result that makes all of them together so many bytes or more. Fewer than `n` results say nothing
    /// about the end then; none do.
    ///
    /// # Errors
    /// Those of [`Self::next`].
    pub fn next_within(&mut self, n: usize, bytes: usize) -> Result<Vec<Row>> {
        let (mut results, mut sum) = (Vec::new(), 0);
        while results.len() < n && sum < bytes {
            match self.waiting.pop_front() {
                Some(row) => {
                    sum += row.cells.iter().map(size_of).sum::<usize>();
                    results.push(row);
                }
                None if self.ended => break,
                None => {
                    if let Err(error) = self.fetch() {
                        self.waiting.extend(results);
                        return Err(error);
                    }
                }
            }
        }
        Ok(results)
    }

    /// A flag by which another thread ends this scan.
    pub fn stopper(&self) -> Stop {
        self.stop.clone()
    }

    /// From the next fetch on, this is asked as well, as often as the flag is looked at: for whoever learns only by asking that the scan is to end
    /// (a signal that waits for its interpreter, say). A fetch that it ends can be made again.
    pub fn watch(&mut self, watch: Watch) {
        self.stop = self.stop.watched(watch);
        // What is being read from holds the flag as it was.
        self.open = None;
    }

    /// An iterator over the remaining results, one by one. After an error it ends; the scanner itself goes on as after an error of
    /// [`Self::next`].
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

    /// Brings in one portion, or learns that there is none.
    fn fetch(&mut self) -> Result<()> {
        self.stop.check()?;
        let portion = match self.bring() {
            Ok(portion) => portion,
            Err(error) => {
                self.open = None;
                return Err(error);
            }
        };
        if let Some(last) = portion.results.last() {
            self.progress = match last.cells.last() {
                Some(cell) if last.partial => Progress::Within(cell.clone()),
                _ => Progress::Behind(last.key.clone()),
            };
        }
        if let (true, Progress::Within(cell)) = (portion.region_ended, &self.progress) {
            // Rows do not reach over regions.
            self.progress = Progress::Behind(cell.row.clone());
        }
        if let Some(left) = &mut self.rows_left {
            *left -= portion.rows.min(*left);
            self.ended |= *left == 0;
        }
        self.ended |= self.scan.limit == 0;
        self.waiting.extend(portion.results);
        if self.ended {
            // What was read from need not be held any longer.
            self.open = None;
        }
        Ok(())
    }

    /// One portion of one region; then, if that is done with, goes to the next.
    fn bring(&mut self) -> Result<Portion> {
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
        let portion = self.read(&mut open.rows)?;
        if !portion.region_ended {
            self.open = Some(open);
            return Ok(portion);
        }
        // HBase's client goes on to the next region with a fresh filter, unless the last fetch in this one brought nothing since the filter is done.
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

    fn read(&self, rows: &mut RegionScanner) -> Result<Portion> {
        let caching = usize::try_from(self.scan.caching).ok().filter(|caching| *caching > 0).unwrap_or(usize::MAX);
        let rows_left = self.rows_left.unwrap_or(usize::MAX);
        let mut portion = Portion::default();
        let mut unfinished = match &self.progress {
            Progress::Within(cell) => Some(cell.row.clone()),
            _ => None,
        };
        while portion.results.len() < caching && portion.rows < rows_left && portion.bytes < PORTION_BYTES {
            let Some(mut row) = rows.next()? else {
                portion.region_ended = true;
                portion.rows += usize::from(unfinished.is_some());
                // Nothing came of what lay ahead of the last piece, so HBase takes back that more follows.
                if let Some(last) = portion.results.last_mut() {
                    last.partial = false;
                }
                return Ok(portion);
            };
            // A piece may be called partial although nothing follows it: another row tells.
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
            portion.bytes += row.cells.iter().map(size_of).sum::<usize>();
            portion.results.push(row);
        }
        portion.region_ended = rows.is_over()?;
        Ok(portion)
    }

    /// Begins with the table as it is now, behind what was brought in.
    fn open(&self, core: &Core, table: &Arc<TableState>) -> Result<TableView> {
        let (snapshot, now) = (core.store.snapshot()?, core.store.now_ms());
        let reader = Reader { snapshot, now, stop: self.stop.clone() };
        let reader = Arc::new(reader);
        let mut regions = KeyRange::of_scan(&self.scan, &self.progress).in_regions(table.regions(), self.scan.reversed);
        regions.reverse();
        // A range in which nothing lies is still asked for, so that its request is checked.
        let first = regions.pop().unwrap_or_else(KeyRange::nothing);
        let rows = self.region(table, &reader, &first)?;
        Ok(TableView { table: Arc::clone(table), reader, regions, rows })
    }

    fn region(&self, table: &TableState, reader: &Arc<Reader>, extent: &KeyRange) -> Result<RegionScanner> {
        let scan = &self.scan;
        let filter = scan.filter.as_ref().map(|spec| spec.start(scan.reversed)).transpose()?;
        let wish =
            Wish { columns: &scan.columns, max_versions: scan.max_versions, filtered: filter.is_some(), raw: scan.raw };
        let range = |family: &_| scan.family_time_ranges.get(family).copied().unwrap_or(scan.time_range);
        let plans = FamilyScan::all(table.families(), &wish, range, &|family| table.no_family(family, &scan.start))?;
        let order = if scan.reversed { Order::Descending } else { Order::Ascending };
        let (first, last) = filter.as_ref().map_or((None, None), |f| (f.first_row(), f.last_row()));
        let extent = first.map_or_else(|| extent.clone(), |row| extent.beginning_at(&row, scan.reversed));
        let KeyRange { from, to } = last.map_or_else(|| extent.clone(), |row| extent.ending_at(&row, scan.reversed));
        let batch = usize::try_from(scan.batch).ok().filter(|batch| *batch > 0);
        RegionScanner::open(plans, reader, RegionScan { order, from, to, batch, window: Window::ALL, filter })
    }
}

/// The order of cells inside a row.
fn order_of(cell: &Cell) -> impl Ord + '_ {
    use std::cmp::Reverse;
    (&cell.family, &cell.qualifier, Reverse(cell.timestamp), Reverse(cell.kind))
}

fn size_of(cell: &Cell) -> usize {
    cell.row.len() + cell.family.len() + cell.qualifier.len() + cell.value.len()
}
