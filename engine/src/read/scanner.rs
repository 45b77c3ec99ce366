//! Scans: read rows in portions, region by region.

use std::collections::VecDeque;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;

use super::budget::{Budget, Unlimited, Unpaused, take_row};
use super::division::{StoredRows, Stride};
use super::family_scan::{FamilyScan, Reader, Selection};
use super::key_range::{KeyRange, Progress};
use super::position::{End, Portion, Position, Wanted};
use super::region_scanner::{RegionProgress, RegionScan, RegionScanner, check_batch};
use super::reused_row::ReusedRow;
use super::row_page::{PageReader, RowPage};
use super::scan_snapshot::{Kept, SnapshotAge, View};
use super::store_scanner::Window;
use crate::catalog::TableState;
use crate::cell::Row;
use crate::core::{Core, Handle};
use crate::error::{Error, ErrorKind, Result};
use crate::filter::{Filter, work};
use crate::name::TableName;
use crate::request::Scan;
use crate::stop::{Stop, Watch};
use crate::store::Order;

/// The memory that the rows of a block may use, in bytes.
const BLOCK_MEMORY: usize = 64 << 10;
/// Each block has at most this many times as many rows as the previous one.
const BLOCK_GROWTH: usize = 4;
/// The most results that the first block has if the caller expects them.
const EXPECTED_MAX: usize = 64;

/// What the opening of a region counts in [`Budget::must_pause`], in rows.
const REGION_ROWS: u32 = 4;

/// An open scan.
///
/// Opening it reads nothing. The first fetch takes a snapshot, which later fetches use, so later writes are not seen,
/// unless the snapshot is released ([`Self::release_snapshot`]). A scan reads no more rows than it is asked for, except
/// one piece of a row if it has a batch size.
///
/// As in HBase, a scan checks the table again after `caching` results, after 2 MiB and at the end of a region. Rows
/// before that are returned even if the table has been disabled or changed meanwhile. If it has been altered, the scan
/// continues in its current state on the same snapshot; if it has been truncated or recreated, on a new one.
///
/// A failed read does not end the scan: the next one continues after the last row that was read. It uses a new snapshot
/// unless the read was ended by its call. A scan that has reached its end stays there.
pub struct Scanner {
    handle: Arc<Handle>,
    name: TableName,
    scan: Scan,
    stop: Stop,
    /// Rows that have been read and not returned.
    waiting: VecDeque<Row>,
    position: Position,
    open: Option<TableView>,
    suspended: Option<Suspended>,
    /// While `open` and `suspended` are `None`: the snapshot of a scan whose table has changed, or cannot be read now.
    kept: Option<Kept>,
    /// Rows in the next block.
    block_rows: usize,
    ended: bool,
    /// The flag of the scan of which this one is a part.
    whole: Option<Stop>,
}

/// The result of a fetch that may pause.
#[derive(Debug)]
pub enum Fetched {
    /// The results.
    Rows(Vec<Row>),
    /// The budget told the scan to pause. No result is lost: the next fetch continues there.
    Paused,
}

/// The result of a fetch that may be a page.
#[derive(Debug)]
pub enum FetchedPage {
    /// The results, in one piece of memory. Each is a whole row.
    Page(RowPage),
    /// The results.
    Rows(Vec<Row>),
    /// As [`Fetched::Paused`].
    Paused,
}

/// The state that a scan keeps while its cursors are closed, between two rows or in a row that it reads again from its
/// start.
struct Suspended {
    table: Arc<TableState>,
    /// `None` if the snapshot has been released.
    view: Option<View>,
    /// The region that is being read.
    region: RegionProgress,
    /// The regions after it, in reverse order.
    regions: Vec<KeyRange>,
}

/// A state of the table and how far it has been read.
struct TableView {
    /// A table that is disabled, altered, truncated or recreated gets another state. HBase reopens its regions in this
    /// case.
    table: Arc<TableState>,
    view: View,
    /// The remaining regions, in reverse order.
    regions: Vec<KeyRange>,
    rows: RegionScanner,
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
        Self {
            handle,
            name,
            stop: Stop::of_scan(),
            waiting: VecDeque::new(),
            position: Position::start(&scan),
            scan,
            open: None,
            suspended: None,
            kept: None,
            block_rows: 1,
            ended: false,
            whole: None,
        }
    }

    /// Up to `n` results; fewer or none at the end of the scan. A result is a row, or with a batch size a piece of one.
    ///
    /// # Errors
    /// Those of the table (missing, disabled), of the request (unknown family, a filter that cannot be used with it)
    /// and of the store; `Cancelled` once stopped. An error loses no results: the next call continues where this one
    /// would have.
    #[allow(clippy::should_implement_trait, reason = "it takes a number and can fail, and is no iterator")]
    pub fn next(&mut self, n: usize) -> Result<Vec<Row>> {
        self.stop.join(&Stop::never());
        while self.waiting.len() < n && !self.ended {
            let results = n - self.waiting.len();
            let _ = self.fetch(Wanted { results, bytes: usize::MAX }, &Unlimited)?;
        }
        Ok(self.waiting.drain(..n.min(self.waiting.len())).collect())
    }

    /// Up to `max` results. The first call returns one, and each later call at most four times as many as the previous
    /// one, while they use less than about 64 KiB of memory together. For callers that buffer results. Only an empty
    /// list means the end of the scan.
    ///
    /// # Errors
    /// Those of [`Self::next`].
    pub fn next_block(&mut self, max: usize) -> Result<Vec<Row>> {
        let rows = self.next_within(self.block_rows.min(max), BLOCK_MEMORY)?;
        self.grow_block(rows.len(), rows.iter().map(Row::memory_bytes).sum());
        Ok(rows)
    }

    /// Lets the first block of [`Self::next_block`] have up to `results` results, if the caller knows that it takes no
    /// more than these. Numbers above 64 have no effect, because the scan may be abandoned before.
    pub fn expect(&mut self, results: usize) {
        if results <= EXPECTED_MAX {
            self.block_rows = self.block_rows.max(results);
        }
    }

    /// Sizes the next block by the rows of one.
    fn grow_block(&mut self, rows: usize, memory: usize) {
        if let Some(row_memory) = memory.checked_div(rows) {
            let most = BLOCK_MEMORY / row_memory.max(1);
            self.block_rows = rows.saturating_mul(BLOCK_GROWTH).max(self.block_rows).min(most).max(1);
        }
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

    /// Like [`Self::next_for`], but may pause where the budget requests it ([`Budget::must_pause`]).
    ///
    /// # Errors
    /// Those of [`Self::next_for`].
    pub fn fetch_for(&mut self, n: usize, bytes: usize, budget: &dyn Budget) -> Result<Fetched> {
        self.stop.join(&budget.stop());
        // The results of this call are the first ones that wait.
        let mut results = Page { len: 0, bytes: 0 };
        // Earlier calls have read these, and this call's budget does not contain them yet.
        let earlier = self.waiting.len();
        while results.has_room(n, bytes) && results.len < earlier {
            match take_row(budget, &self.waiting[results.len]) {
                Ok(()) => results.add(&self.waiting[results.len]),
                Err(error) if !results.may_be_returned(&error, budget) => return Err(error),
                Err(_) => return Ok(self.page(&results)),
            }
        }
        if let Some(held) = self.position.held().filter(|_| results.has_room(n, bytes)) {
            match take_row(budget, held) {
                Err(error) if !results.may_be_returned(&error, budget) => return Err(error),
                Err(_) => return Ok(self.page(&results)),
                Ok(()) => {}
            }
        }
        while results.has_room(n, bytes) && !self.ended {
            let read = self.fetch(Wanted { results: n - results.len, bytes: bytes - results.bytes }, budget);
            while results.has_room(n, bytes)
                && let Some(row) = self.waiting.get(results.len)
            {
                results.add(row);
            }
            match read {
                Ok(true) => return Ok(Fetched::Paused),
                Ok(false) => {}
                Err(error) if !results.may_be_returned(&error, budget) => return Err(error),
                Err(_) => break,
            }
        }
        Ok(self.page(&results))
    }

    fn page(&mut self, page: &Page) -> Fetched {
        Fetched::Rows(self.waiting.drain(..page.len).collect())
    }

    /// The memory that the scan holds between two reads, in bytes: rows that have been read and not returned, and pairs
    /// that have been fetched from the store. Does not count what the store's cursors use.
    pub fn held_bytes(&self) -> usize {
        let rows = self.waiting.iter().chain(self.position.held()).map(Row::memory_bytes).sum::<usize>();
        rows + self.open.as_ref().map_or(0, |open| open.rows.held_bytes())
    }

    /// Plans to read ahead as many pairs of the store as the reads since the last call have consumed, unless they are
    /// fewer than `least`, or columns or rows have been skipped. Returns whether there are any.
    pub fn plan_ahead(&mut self, least: usize) -> bool {
        self.open.as_mut().is_some_and(|open| open.rows.plan_ahead(least))
    }

    /// Fetches the pairs of the store that have been planned, while `goes_on` returns true, until they take `bytes` of
    /// memory. It changes no result: rows are made of them by the next read, which also returns any error.
    pub fn read_ahead(&mut self, bytes: usize, goes_on: &dyn Fn() -> bool) {
        if let Some(open) = &mut self.open {
            open.rows.read_ahead(bytes, goes_on);
        }
    }

    /// How long this scan has been using its snapshot. `None` if it has none.
    pub fn snapshot_age(&self) -> Option<SnapshotAge> {
        let suspended = || self.suspended.as_ref().and_then(|suspended| suspended.view.as_ref());
        let kept = || self.kept.as_ref().map(|kept| &kept.view);
        let view = self.open.as_ref().map(|open| &open.view).or_else(suspended).or_else(kept)?;
        let store = &self.handle.live().ok()?.store;
        let time = Duration::from_millis(u64::try_from(store.now_ms() - view.reader.now).unwrap_or_default());
        Some(SnapshotAge { time, written_bytes: store.written_bytes().saturating_sub(view.written_bytes) })
    }

    /// Releases the snapshot. The next fetch continues with a new one, after the last row that was examined and with
    /// the state of the filter. In the middle of a row this has no effect: all pieces of a row come from one snapshot.
    pub fn release_snapshot(&mut self) {
        if let Progress::Within(cell) = &self.position.progress
            && !self.open.as_ref().is_some_and(|open| open.rows.has_examined(&cell.row))
        {
            return;
        }
        self.kept = None;
        if let Some(TableView { table, regions, rows, .. }) = self.open.take() {
            self.suspended = Some(Suspended { table, view: None, region: rows.into_progress(), regions });
        } else if let Some(suspended) = &mut self.suspended {
            suspended.view = None;
        }
    }

    /// A flag with which another thread can stop this scan.
    pub fn stopper(&self) -> Stop {
        self.stop.clone()
    }

    /// Sets a callback that is called whenever the stop flag is checked, from the next fetch on. It stops the scan by
    /// returning true, as the handler of a pending signal does. A fetch that it stopped can be repeated.
    pub fn watch(&mut self, watch: Watch) {
        let watch = match self.whole.clone() {
            Some(whole) => Arc::new(move || whole.is_stopped() || watch()),
            None => watch,
        };
        self.stop = self.stop.watched(watch);
        // Open scanners hold the previous flag.
        match &mut self.suspended {
            Some(Suspended { view: Some(view), .. }) if self.open.is_none() => *view = view.stopped_by(&self.stop),
            _ => {
                self.close_cursors();
                if let Some(kept) = &mut self.kept {
                    kept.view = kept.view.stopped_by(&self.stop);
                }
            }
        }
    }

    /// Whether [`Self::divide`] can divide this scan, if it has enough rows.
    pub fn is_divisible(&self) -> bool {
        let Scan { limit, batch, reversed, raw, ref filter, .. } = self.scan;
        !self.ended && limit < 0 && batch <= 0 && !reversed && !raw && filter.is_none()
    }

    /// Divides what is left of the scan into at most `most` consecutive scans for several threads, and leaves nothing
    /// to this one. They return exactly the rows that this one would have returned, in the same order, from the same
    /// snapshot and with the same time for TTLs. Each but the last covers about `times` the stride, and the last one
    /// the rest. Returns none, and changes nothing, if there are not two such parts, or if the scan has a filter, a
    /// limit or a batch size, is reversed or is raw.
    ///
    /// Each part checks the table on its own, as a scan does. The parts do not call the callback of this scan
    /// ([`Self::watch`]). Its flag ([`Self::stopper`]) stops all of them, and their parts.
    ///
    /// # Errors
    /// Those of [`Self::next`]. The scan can be continued.
    pub fn divide(&mut self, stride: &Stride, times: f64, most: usize) -> Result<Vec<Self>> {
        if most < 2 || !self.is_divisible() {
            return Ok(Vec::new());
        }
        self.stop.join(&Stop::never());
        self.stop.check()?;
        let handle = Arc::clone(&self.handle);
        let core = handle.live()?;
        let open = match self.open.take() {
            Some(open) => open,
            None => self.current()?,
        };
        let first_rows = self.first_rows_of_parts(&open, stride, times, most - 1);
        let first_rows = match first_rows {
            Ok(rows) if !rows.is_empty() => rows,
            undivided => {
                self.open = Some(open);
                return core.damage.watch(Some(&self.name), undivided.map(|_| Vec::new()));
            }
        };
        let TableView { table, view, regions, rows } = open;
        let mut extents = vec![rows.remaining()];
        extents.extend(regions.into_iter().rev());
        let mut parts: Vec<_> = (0..=first_rows.len())
            .map(|n: usize| {
                let start = n.checked_sub(1).map_or_else(|| self.scan.start.clone(), |n| first_rows[n].clone());
                let stop = first_rows.get(n).unwrap_or(&self.scan.stop).clone();
                self.part(Scan { start, stop, ..self.scan.clone() }, &extents, &table, &view)
            })
            .collect();
        parts[0].position.progress = self.position.progress.clone();
        parts[0].waiting = std::mem::take(&mut self.waiting);
        self.ended = true;
        Ok(parts)
    }

    /// The first rows of all parts but the first.
    fn first_rows_of_parts(&self, open: &TableView, stride: &Stride, times: f64, most: usize) -> Result<Vec<Bytes>> {
        // Regions follow each other without a gap.
        let remaining = open.rows.remaining();
        let to = open.regions.first().map_or_else(|| remaining.to.clone(), |last| last.to.clone());
        let spaces = self.families(&open.table, false)?.iter().map(|family| family.family.space).collect();
        let range = KeyRange { from: remaining.from, to };
        StoredRows { snapshot: &open.view.reader.snapshot, spaces, range }.at_steps(stride, times, most)
    }

    /// A scan of a part of this one, of which these extents are left.
    fn part(&self, scan: Scan, extents: &[KeyRange], table: &Arc<TableState>, view: &View) -> Self {
        let mut part = Self::new(Arc::clone(&self.handle), self.name.clone(), scan);
        let whole = self.whole.clone().unwrap_or_else(|| self.stop.clone());
        part.whole = Some(whole.clone());
        part.stop = part.stop.watched(Arc::new(move || whole.is_stopped()));
        let range = KeyRange::of_scan(&part.scan, &Progress::Start);
        let mut regions: Vec<_> =
            extents.iter().map(|extent| extent.intersect(&range)).filter(|extent| !extent.is_empty()).collect();
        regions.reverse();
        let extent = regions.pop().unwrap_or_else(KeyRange::empty);
        let region = RegionProgress { extent, filter: None, closed: Vec::new() };
        let view = Some(view.stopped_by(&part.stop));
        part.suspended = Some(Suspended { table: Arc::clone(table), view, region, regions });
        part
    }

    /// An iterator over the remaining results. It ends after an error; the scanner itself can continue, as after an
    /// error of [`Self::next`].
    pub fn rows(&mut self) -> impl Iterator<Item = Result<Row>> + '_ {
        let mut failed = false;
        std::iter::from_fn(move || {
            if failed {
                return None;
            }
            let row = self.next_row().transpose();
            failed = matches!(row, Some(Err(_)));
            row
        })
    }

    /// The next result. Reads blocks.
    fn next_row(&mut self) -> Result<Option<Row>> {
        self.stop.join(&Stop::never());
        while self.waiting.is_empty() && !self.ended {
            let _ = self.fetch(Wanted { results: self.block_rows, bytes: BLOCK_MEMORY }, &Unlimited)?;
            self.grow_block(self.waiting.len(), self.waiting.iter().map(Row::memory_bytes).sum());
        }
        Ok(self.waiting.pop_front())
    }

    /// Reads results one by one into `row`, and passes each to `take`, until that returns `false`. Returns whether the
    /// scan may have more results. This is faster than the other reads, which allocate each row and its cells.
    ///
    /// # Errors
    /// Those of [`Self::next`].
    pub fn each_row(&mut self, row: &mut ReusedRow, take: &mut dyn FnMut(&ReusedRow) -> bool) -> Result<bool> {
        self.stop.join(&Stop::never());
        let is_plain = self.scan.filter.is_none() && self.scan.batch <= 0;
        let mut wants_more = true;
        while wants_more {
            if let Some(waiting) = self.waiting.pop_front() {
                row.fill(waiting)?;
                wants_more = take(row);
            } else if self.ended {
                return Ok(false);
            } else if is_plain {
                let take = |row: &mut ReusedRow| {
                    wants_more = take(row);
                    wants_more
                };
                self.fetch_with(&Unlimited, |position, scan, rows| position.each_row(scan, rows, row, take))?;
            } else {
                let _ = self.fetch(Wanted { results: self.block_rows, bytes: BLOCK_MEMORY }, &Unlimited)?;
                self.grow_block(self.waiting.len(), self.waiting.iter().map(Row::memory_bytes).sum());
            }
        }
        Ok(true)
    }

    /// Like [`Self::fetch_for`], but the results are in one piece of memory if no result can be partial and no cell a
    /// marker. This is faster, because rows and cells are not allocated.
    ///
    /// # Errors
    /// Those of [`Self::next_for`].
    pub fn fetch_page_for(&mut self, n: usize, bytes: usize, budget: &dyn Budget) -> Result<FetchedPage> {
        let is_plain = self.scan.filter.is_none() && self.scan.batch <= 0 && !self.scan.raw;
        if !is_plain || !self.waiting.is_empty() || n <= 1 {
            return Ok(match self.fetch_for(n, bytes, budget)? {
                Fetched::Rows(rows) => FetchedPage::Rows(rows),
                Fetched::Paused => FetchedPage::Paused,
            });
        }
        self.stop.join(&budget.stop());
        let mut rows = PageReader::new(budget);
        while rows.page().len() < n && rows.page().bytes() < bytes && !self.ended {
            let read = self.fetch_with(budget, |position, scan, region| {
                let wants_more = |rows: &mut PageReader<'_>| rows.page().len() < n && rows.page().bytes() < bytes;
                position.each_row(scan, region, &mut rows, wants_more)
            });
            let page = rows.page();
            match read {
                Ok(false) => {}
                Ok(true) => {
                    self.waiting.extend(rows.finish().into_rows());
                    return Ok(FetchedPage::Paused);
                }
                Err(error) if !may_be_returned(page.len(), &error, budget) => {
                    self.waiting.extend(rows.finish().into_rows());
                    return Err(error);
                }
                Err(_) => break,
            }
        }
        Ok(FetchedPage::Page(rows.finish()))
    }

    /// Reads one portion, which may be empty, and adds it to the results that wait. Returns whether it was paused.
    fn fetch(&mut self, wanted: Wanted, budget: &dyn Budget) -> Result<bool> {
        self.fetch_with(budget, |position, scan, rows| position.read(scan, rows, wanted, budget))
    }

    /// [`Self::fetch`], of the portion that `read` reads.
    fn fetch_with(
        &mut self,
        budget: &dyn Budget,
        read: impl FnOnce(&mut Position, &Scan, &mut RegionScanner) -> Portion,
    ) -> Result<bool> {
        let fetched = self.fetch_portion(budget, read);
        if fetched.is_err()
            && let Ok(core) = self.handle.live()
        {
            return core.damage.watch(Some(&self.name), fetched);
        }
        fetched
    }

    fn fetch_portion(
        &mut self,
        budget: &dyn Budget,
        read: impl FnOnce(&mut Position, &Scan, &mut RegionScanner) -> Portion,
    ) -> Result<bool> {
        self.stop.check()?;
        budget.check()?;
        self.handle.live()?;
        let _stoppable = self.scan.filter.as_ref().map(|_| work::stopped_by(&self.stop));
        let in_fetch = self.position.is_in_fetch();
        let mut open = match self.open.take_if(|_| in_fetch) {
            Some(open) => open,
            None => self.current()?,
        };
        let portion = read(&mut self.position, &self.scan, &mut open.rows);
        open.table.count_garbage(open.rows.take_garbage_bytes());
        let (results, bytes) = portion.read;
        if let Some(last) = self.position.progress.last_row().filter(|_| results > 0) {
            open.table.count_reads(last, results, bytes);
        }
        self.waiting.extend(portion.results);
        let mut paused = false;
        match portion.end {
            End::Wanted => self.open = Some(open),
            End::Paused => {
                self.open = Some(open);
                paused = true;
            }
            End::Limit => self.ended = true,
            End::Fetch => {
                self.end_fetch();
                self.open = Some(open).filter(|_| !self.ended);
            }
            End::Region if self.position.is_at_limit() => self.ended = true,
            End::Region => {
                let (table, view) = (Arc::clone(&open.table), open.view.clone());
                if let Err(error) = self.next_region(open) {
                    self.fail(error, &table, view)?;
                }
                self.end_fetch();
                // A table may have any number of regions without a row.
                paused = !self.ended && budget.must_pause(work::take_rows().saturating_add(REGION_ROWS));
            }
            End::Failed(error) if is_of_call(&error, budget) => {
                self.suspend(open);
                return Err(error);
            }
            End::Failed(error) => self.fail(error, &open.table, open.view)?,
        }
        if self.ended {
            // Releases the snapshot.
            self.open = None;
        }
        Ok(paused)
    }

    fn end_fetch(&mut self) {
        self.position.end_fetch();
        // In HBase, a limit of 0 ends the scan after its first fetch.
        self.ended |= self.scan.limit == 0;
    }

    /// Moves on to the next region, or ends the scan.
    fn next_region(&mut self, mut open: TableView) -> Result<()> {
        // HBase's client continues in the next region with a new filter, unless the last fetch was empty because the
        // filter is done.
        let done = self.position.fetched() == 0 && open.rows.is_filter_done()?;
        match open.regions.pop() {
            Some(extent) if !done => {
                open.rows = self.region(&open.table, &open.view.reader, extent)?;
                self.open = Some(open);
            }
            _ => self.ended = true,
        }
        Ok(())
    }

    /// The snapshot that the next fetch would use, and the number of its table.
    fn snapshot_of_table(&self) -> Option<Kept> {
        let suspended = || {
            let Suspended { table, view, .. } = self.suspended.as_ref()?;
            Some(Kept::of(table, view.as_ref()?))
        };
        let open = self.open.as_ref().map(|open| Kept::of(&open.table, &open.view));
        open.or_else(suspended).or_else(|| self.kept.clone())
    }

    /// Lets the next fetch continue after the rows that have been read, with the same snapshot if the table can still
    /// be read in it, and a new filter.
    fn close_cursors(&mut self) {
        let kept = self.snapshot_of_table();
        self.reset_to_progress();
        self.kept = kept;
    }

    /// Lets the next fetch continue after the rows that have been read, with a new snapshot and a new filter.
    fn reset_to_progress(&mut self) {
        self.open = None;
        self.suspended = None;
        self.kept = None;
        self.position.end_fetch();
        self.position.repeat_row();
    }

    /// Handles a failure of the store or the filter. Fails unless the reason is that the table has changed: then the
    /// next fetch reads its current state, on the same snapshot if possible, or reports that it does not exist.
    fn fail(&mut self, error: Error, table: &Arc<TableState>, view: View) -> Result<()> {
        self.reset_to_progress();
        let has_changed = || {
            let current = self.handle.live().and_then(|core| core.catalog.table(&self.name));
            !current.is_ok_and(|current| Arc::ptr_eq(&current, table))
        };
        if error.kind() != ErrorKind::Stale || !has_changed() {
            return Err(error);
        }
        self.kept = Some(Kept { number: table.number(), view });
        Ok(())
    }

    /// Lets the next fetch continue on the same snapshot and with the same filter. The row that was being read is read
    /// again from its start.
    fn suspend(&mut self, mut open: TableView) {
        let filter_may_continue = open.rows.filter_may_continue();
        let TableView { table, view, regions, rows } = open;
        let mut region = rows.into_progress();
        if !filter_may_continue {
            match self.filter() {
                Ok(filter) => region = RegionProgress { filter, closed: Vec::new(), ..region },
                Err(_) => return self.reset_to_progress(),
            }
        }
        self.position.repeat_row();
        self.suspended = Some(Suspended { table, view: Some(view), region, regions });
    }

    /// The current state of the table, which the next fetch reads. If it cannot be read now, the next attempt uses the
    /// same snapshot.
    fn current(&mut self) -> Result<TableView> {
        let handle = Arc::clone(&self.handle);
        let core = handle.live()?;
        let name = self.name.clone();
        let current = core.catalog.with_shared_lock(&name, |table| {
            table.check_readable()?;
            match self.open.take_if(|open| Arc::ptr_eq(&open.table, table)) {
                Some(open) => Ok(open),
                None => self.open(core, table),
            }
        });
        if current.is_err() {
            self.close_cursors();
        }
        current
    }

    /// Opens the current state of the table after the rows that have been read or, if the scan was suspended, after
    /// those that have been examined.
    fn open(&mut self, core: &Core, table: &Arc<TableState>) -> Result<TableView> {
        // Until the table is open.
        self.kept = self.snapshot_of_table();
        let opened = match self.suspended.take().filter(|suspended| Arc::ptr_eq(&suspended.table, table)) {
            Some(suspended) => self.continue_in(core, table, suspended),
            None => {
                self.close_cursors();
                self.open_rest(core, table)
            }
        }?;
        self.kept = None;
        Ok(opened)
    }

    fn continue_in(&self, core: &Core, table: &Arc<TableState>, suspended: Suspended) -> Result<TableView> {
        let Suspended { view, region, regions, .. } = suspended;
        let view = view.map_or_else(|| View::now(core, &self.stop), Ok)?;
        let rows = self.continued_region(table, &view.reader, region)?;
        Ok(TableView { table: Arc::clone(table), view, regions, rows })
    }

    /// Opens what has not been read of a table, in the kept snapshot if it is one of this table.
    fn open_rest(&self, core: &Core, table: &Arc<TableState>) -> Result<TableView> {
        let remaining = KeyRange::of_scan(&self.scan, &self.position.progress);
        let mut regions = remaining.in_regions(table.regions(), self.scan.reversed);
        regions.reverse();
        // An empty range is opened too, so that the request is validated.
        let first = regions.pop().unwrap_or_else(KeyRange::empty);
        let on = |view: View, first: KeyRange, regions: Vec<KeyRange>| -> Result<TableView> {
            let rows = self.region(table, &view.reader, first)?;
            Ok(TableView { table: Arc::clone(table), view, regions, rows })
        };
        if let Some(Kept { view, .. }) = self.kept.as_ref().filter(|kept| kept.number == table.number()) {
            match on(view.clone(), first.clone(), regions.clone()) {
                // The store has been reopened.
                Err(error) if error.kind() == ErrorKind::Stale => {}
                opened => return opened,
            }
        }
        on(View::now(core, &self.stop)?, first, regions)
    }

    /// Opens a region with a new filter.
    fn region(&self, table: &TableState, reader: &Arc<Reader>, extent: KeyRange) -> Result<RegionScanner> {
        let reversed = self.scan.reversed;
        let filter = self.filter()?;
        let (first, last) = filter.as_ref().map_or((None, None), |f| (f.first_row(), f.last_row()));
        let extent = first.map_or_else(|| extent.clone(), |row| extent.beginning_at(&row, reversed));
        let extent = last.map_or_else(|| extent.clone(), |row| extent.ending_at(&row, reversed));
        self.continued_region(table, reader, RegionProgress { extent, filter, closed: Vec::new() })
    }

    /// A new filter.
    fn filter(&self) -> Result<Option<Box<dyn Filter>>> {
        self.scan.filter.as_ref().map(|spec| spec.start(self.scan.reversed)).transpose()
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
        let batch = usize::try_from(scan.batch).ok().filter(|batch| *batch > 0);
        check_batch(batch, filter.as_deref())?;
        let plans = self.families(table, filter.is_some())?;
        let order = if scan.reversed { Order::Descending } else { Order::Ascending };
        let task = RegionScan { order, extent, batch, window: Window::ALL, filter, closed };
        RegionScanner::open(plans, reader, task)
    }

    /// The selection in each family.
    fn families(&self, table: &TableState, filtered: bool) -> Result<Vec<FamilyScan>> {
        let scan = &self.scan;
        let Scan { ref columns, max_versions, raw, .. } = *scan;
        let selection = Selection { columns, max_versions, filtered, raw };
        let range = |family: &_| scan.family_time_ranges.get(family).copied().unwrap_or(scan.time_range);
        FamilyScan::all(table.families(), &selection, range, &|family| table.no_family(family, &scan.start))
    }
}

/// The first results that wait.
struct Page {
    len: usize,
    bytes: usize,
}

impl Page {
    fn has_room(&self, n: usize, bytes: usize) -> bool {
        self.len < n && self.bytes < bytes
    }

    fn add(&mut self, row: &Row) {
        self.len += 1;
        self.bytes += row.bytes();
    }

    fn may_be_returned(&self, error: &Error, budget: &dyn Budget) -> bool {
        may_be_returned(self.len, error, budget)
    }
}

/// Whether a call with this error returns the results that it has instead, because its budget is used up.
fn may_be_returned(results: usize, error: &Error, budget: &dyn Budget) -> bool {
    results > 0 && error.kind() != ErrorKind::Cancelled && budget.check().is_err()
}

/// Whether an error says that the call ended the read, not that the read failed.
fn is_of_call(error: &Error, budget: &dyn Budget) -> bool {
    error.kind() == ErrorKind::Cancelled || budget.check().is_err()
}
