//! How far a scan has been read, and where the fetches of HBase's client would end.

use bytes::Bytes;

use super::budget::Budget;
use super::key_range::Progress;
use super::region_scanner::{RegionScanner, Step};
use super::reused_row::RowSink;
use crate::cell::{Cell, Row};
use crate::error::{Error, ErrorKind, Result};
use crate::filter::work;
use crate::request::Scan;

/// A fetch of HBase's client ends with the row that reaches this size (`hbase.client.scanner.max.result.size`).
const FETCH_BYTES: usize = 2 << 20;

/// How far a scan has been read.
///
/// HBase's client fetches up to `caching` results of one region, or 2 MiB. A caller of this engine usually reads less
/// at once, so one fetch is read in several portions. Clients can observe the limits of a fetch: a filter is reset for
/// the next region only if the fetch returned a result, a change of the table takes effect with the next fetch, and the
/// last result of a fetch is called partial even if its row may have ended.
pub(super) struct Position {
    pub(super) progress: Progress,
    /// Rows that the limit still allows; `None` without a limit.
    rows_left: Option<usize>,
    fetch: Fetch,
    /// The row of which only some pieces have been read.
    unfinished: Option<Bytes>,
    /// The piece of a row that was read last. Only what follows shows whether it is partial.
    held: Option<Row>,
    /// The last cell that was read before a failure, if the next read begins with the row of that cell.
    repeated: Option<Cell>,
}

/// A fetch of HBase's client.
#[derive(Default)]
struct Fetch {
    begun: bool,
    results: usize,
    bytes: usize,
}

/// The amount that a caller wants: a portion ends with the result that reaches one of the two.
#[derive(Clone, Copy)]
pub(super) struct Wanted {
    pub(super) results: usize,
    /// The size in bytes, as in [`Row::bytes`].
    pub(super) bytes: usize,
}

/// The results of one read.
pub(super) struct Portion {
    pub(super) results: Vec<Row>,
    /// The number and the bytes of the results that this read has taken from the region.
    pub(super) read: (usize, usize),
    pub(super) end: End,
}

/// Why a portion ended.
pub(super) enum End {
    /// The portion has the size that the caller wanted.
    Wanted,
    /// A fetch of HBase's client ends here.
    Fetch,
    /// The region has no more rows.
    Region,
    /// The scan has as many rows as its limit allows.
    Limit,
    /// The budget told the scan to pause.
    Paused,
    /// The next row could not be read.
    Failed(Error),
}

impl Position {
    /// The start of a scan.
    pub(super) fn start(scan: &Scan) -> Self {
        let rows_left = usize::try_from(scan.limit).ok().filter(|limit| *limit > 0);
        Self {
            progress: Progress::Start,
            rows_left,
            fetch: Fetch::default(),
            unfinished: None,
            held: None,
            repeated: None,
        }
    }

    /// Whether the current fetch of HBase's client has begun.
    pub(super) fn is_in_fetch(&self) -> bool {
        self.fetch.begun
    }

    /// The number of results of the current fetch.
    pub(super) fn fetched(&self) -> usize {
        self.fetch.results
    }

    /// Lets the next read begin a new fetch.
    pub(super) fn end_fetch(&mut self) {
        self.fetch = Fetch::default();
    }

    /// The next read begins with the first row of which not every piece has been read.
    pub(super) fn repeat_row(&mut self) {
        self.repeated = match &self.progress {
            Progress::Within(cell) => Some(cell.clone()),
            Progress::Start | Progress::After(_) => None,
        };
    }

    /// Whether the scan has as many rows as its limit allows.
    pub(super) fn is_at_limit(&self) -> bool {
        self.rows_left == Some(0)
    }

    /// The piece that has been read and not returned.
    pub(super) fn held(&self) -> Option<&Row> {
        self.held.as_ref()
    }

    /// Reads one portion of the current region.
    pub(super) fn read(
        &mut self,
        scan: &Scan,
        rows: &mut RegionScanner,
        wanted: Wanted,
        budget: &dyn Budget,
    ) -> Portion {
        self.fetch.begun = true;
        let results = Vec::from_iter(self.held.take());
        let mut portion = Portion { results, read: (0, 0), end: End::Wanted };
        portion.end = self.read_into(&mut portion, scan, rows, wanted, budget).unwrap_or_else(End::Failed);
        self.advance(&mut portion, budget);
        portion
    }

    fn read_into(
        &mut self,
        portion: &mut Portion,
        scan: &Scan,
        rows: &mut RegionScanner,
        wanted: Wanted,
        budget: &dyn Budget,
    ) -> Result<End> {
        loop {
            if self.is_fetch_full(scan) {
                return Ok(if rows.is_over()? { End::Region } else { End::Fetch });
            }
            if portion.returnable() >= wanted.results || portion.read.1 >= wanted.bytes {
                return Ok(End::Wanted);
            }
            // Not within a row, which is continued with the cells that follow.
            let is_between_rows = portion.results.last().is_some_and(|last| !last.partial);
            if is_between_rows && work::is_worth_a_row() && budget.must_pause(work::take_rows()) {
                return Ok(End::Paused);
            }
            let mut row = match rows.next_step(budget)? {
                Step::Row(row) => row,
                Step::Paused => return Ok(End::Paused),
                Step::End => {
                    if self.unfinished.take().is_some() {
                        self.count_row();
                    }
                    return Ok(End::Region);
                }
            };
            // A piece may be called partial although nothing follows it. Only the next row shows that it was the last
            // one.
            if self.unfinished.as_ref().is_some_and(|last| *last != row.key) {
                self.unfinished = None;
                if self.count_row() {
                    return Ok(End::Limit);
                }
            }
            if let Some(last) = self.repeated.take().filter(|last| last.row == row.key) {
                row.cells.retain(|cell| order_of(cell) > order_of(&last));
                if row.cells.is_empty() {
                    self.repeated = Some(last);
                    continue;
                }
            }
            let bytes = row.bytes();
            self.fetch.results += 1;
            self.fetch.bytes += bytes;
            portion.read = (portion.read.0 + 1, portion.read.1 + bytes);
            let partial = row.partial;
            self.unfinished = partial.then(|| row.key.clone());
            portion.results.push(row);
            if !partial && self.count_row() {
                return Ok(End::Limit);
            }
        }
    }

    /// Reads rows of the current region one by one into `sink`, until `wants_more` returns `false`. Only for scans of
    /// whole rows without a filter. The portion contains no results.
    pub(super) fn each_row<S: RowSink>(
        &mut self,
        scan: &Scan,
        rows: &mut RegionScanner,
        sink: &mut S,
        wants_more: impl FnMut(&mut S) -> bool,
    ) -> Portion {
        self.fetch.begun = true;
        let mut read = (0, 0);
        let end = self.each_row_into(&mut read, scan, rows, sink, wants_more).unwrap_or_else(End::Failed);
        if read.0 > 0 {
            let last = Bytes::copy_from_slice(sink.last_key());
            rows.set_examined(last.clone());
            self.progress = Progress::After(last);
        }
        Portion { results: Vec::new(), read, end }
    }

    fn each_row_into<S: RowSink>(
        &mut self,
        (results, bytes): &mut (usize, usize),
        scan: &Scan,
        rows: &mut RegionScanner,
        sink: &mut S,
        mut wants_more: impl FnMut(&mut S) -> bool,
    ) -> Result<End> {
        loop {
            if self.is_fetch_full(scan) {
                return Ok(if rows.is_over()? { End::Region } else { End::Fetch });
            }
            if !rows.next_into(sink)? {
                return Ok(End::Region);
            }
            let row_bytes = sink.last_bytes();
            self.fetch.results += 1;
            self.fetch.bytes += row_bytes;
            *results += 1;
            *bytes += row_bytes;
            let wants_more = wants_more(sink);
            if self.count_row() {
                return Ok(End::Limit);
            }
            if !wants_more {
                return Ok(End::Wanted);
            }
        }
    }

    /// Whether the current fetch of HBase's client ends here.
    fn is_fetch_full(&self, scan: &Scan) -> bool {
        let caching = usize::try_from(scan.caching).ok().filter(|caching| *caching > 0);
        caching.is_some_and(|caching| self.fetch.results >= caching) || self.fetch.bytes >= FETCH_BYTES
    }

    /// Counts a finished row. Returns whether it was the last one that the limit allows.
    fn count_row(&mut self) -> bool {
        match &mut self.rows_left {
            Some(left) => {
                *left = left.saturating_sub(1);
                *left == 0
            }
            None => false,
        }
    }

    /// Moves the progress to the end of a portion, whose last piece may have to be held back.
    fn advance(&mut self, portion: &mut Portion, budget: &dyn Budget) {
        if let (End::Region, Some(last)) = (&portion.end, portion.results.last_mut()) {
            // Nothing visible followed the last piece, so HBase does not call it partial after all.
            last.partial = false;
        }
        if let Some(last) = portion.results.last() {
            self.progress = match last.cells.last() {
                Some(cell) if last.partial => Progress::Within(cell.clone()),
                _ => Progress::After(last.key.clone()),
            };
        }
        if let (End::Region, Progress::Within(cell)) = (&portion.end, &self.progress) {
            // A row lies in one region.
            self.progress = Progress::After(cell.row.clone());
        }
        let holds_back = match &portion.end {
            End::Wanted | End::Paused => true,
            // A call whose budget is used up returns what it has.
            End::Failed(error) => error.kind() == ErrorKind::Cancelled || budget.check().is_ok(),
            End::Fetch | End::Region | End::Limit => false,
        };
        if holds_back && portion.results.last().is_some_and(|last| last.partial) {
            self.held = portion.results.pop();
        }
    }
}

impl Portion {
    /// The number of results of which it is known whether they are partial.
    fn returnable(&self) -> usize {
        self.results.len() - usize::from(self.results.last().is_some_and(|last| last.partial))
    }
}

/// The order of cells within a row.
fn order_of(cell: &Cell) -> impl Ord + '_ {
    use std::cmp::Reverse;
    (&cell.family, &cell.qualifier, Reverse(cell.timestamp), Reverse(cell.kind))
}
