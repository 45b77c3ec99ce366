//! The rows of one region: merges its families and applies the filter, with HBase's order of calls to it.

use std::sync::Arc;

use bytes::Bytes;

use super::budget::{Budget, Gathered, Unlimited, Unpaused, release_row};
use super::family_cursor::FamilyCursor;
use super::family_scan::{FamilyScan, Reader};
use super::key_range::KeyRange;
use super::reused_row::{CellPlace, CellSink, RowSink};
use super::store_scanner::{StoreScanner, Window};
use crate::cell::{Cell, CellKind, Row};
use crate::error::{Error, ErrorKind, Result};
use crate::filter::{Filter, work};
use crate::store::Order;

/// The largest number of cells for which memory is reserved before a row is read.
const CAPACITY_MAX: usize = 64;

/// The part of a read of a region that is common to its families.
pub(super) struct RegionScan {
    pub(super) order: Order,
    pub(super) extent: KeyRange,
    /// Cells per result; `None`: whole rows.
    pub(super) batch: Option<usize>,
    pub(super) window: Window,
    /// A new filter, or the one of a scanner that this one continues.
    pub(super) filter: Option<Box<dyn Filter>>,
    /// Families that the filter has closed.
    pub(super) closed: Vec<Bytes>,
}

/// The state that is needed to continue the scan of a region.
pub(super) struct RegionProgress {
    /// The keys after the last row that was examined.
    pub(super) extent: KeyRange,
    pub(super) filter: Option<Box<dyn Filter>>,
    pub(super) closed: Vec<Bytes>,
}

/// The result of a step of a scan.
pub(super) enum Step {
    /// A row, or a piece of one.
    Row(Row),
    /// The region has no more rows.
    End,
    /// The scan was told to pause after a skipped row. The next step continues there.
    Paused,
}

/// The rows of one region.
pub(super) struct RegionScanner {
    /// Essential families, sorted by name. Their cells decide whether a row passes the filter.
    deciding: Vec<StoreScanner>,
    /// The other families, sorted by name. They are read for rows that have passed the filter.
    joining: Vec<StoreScanner>,
    filter: Option<Box<dyn Filter>>,
    whole_row_filter: bool,
    order: Order,
    extent: KeyRange,
    batch: Option<usize>,
    /// The row that is being returned in pieces.
    piece: Option<Piece>,
    ended: bool,
    /// The key of the row that was examined last.
    examined: Option<Bytes>,
    /// Whether [`Self::next_into`] has passed over a row without visible cells since it read one.
    passed_hidden: bool,
    /// Whether the filter has accepted a row that has not been returned yet.
    accepted: bool,
    /// The number of cells of the last row, as an estimate for the next one.
    width: Option<usize>,
}

struct Piece {
    prefix: Bytes,
    key: Bytes,
    /// The first cell of the next piece.
    first: Option<Cell>,
    joined: bool,
}

/// Checks that a filter allows a batch size. Precedes all checks of the table's families, as in HBase.
///
/// # Errors
/// `Unprocessable` for a filter that needs whole rows.
pub(super) fn check_batch(batch: Option<usize>, filter: Option<&dyn Filter>) -> Result<()> {
    if batch.is_none() || !filter.is_some_and(Filter::has_filter_row) {
        return Ok(());
    }
    let message = "Cannot set batch on a scan using a filter that returns true for filter.hasFilterRow";
    Err(Error::new(ErrorKind::Unprocessable, message)
        .with_remedy("leave out the batch size, or use a filter that decides about each cell"))
}

impl RegionScanner {
    /// Opens the scanner without reading.
    ///
    /// # Errors
    /// `Unprocessable` for a batch size with a filter that needs whole rows; `Refused` for a reverse scan with a filter
    /// to which a family is not essential.
    pub(super) fn open(plans: Vec<FamilyScan>, reader: &Arc<Reader>, task: RegionScan) -> Result<Self> {
        let RegionScan { order, extent, .. } = &task;
        let cursors = plans.into_iter().map(|plan| FamilyCursor::open(plan, reader, &extent.from, &extent.to, *order));
        let cursors = cursors.collect::<Result<_>>()?;
        Self::over(cursors, task)
    }

    /// Opens the scanner over these families, in the order of their names.
    ///
    /// # Errors
    /// Those of [`Self::open`].
    pub(super) fn over(cursors: Vec<FamilyCursor>, task: RegionScan) -> Result<Self> {
        let RegionScan { order, extent, batch, window, mut filter, closed } = task;
        let whole_row_filter = filter.as_ref().is_some_and(|f| f.has_filter_row());
        check_batch(batch, filter.as_deref())?;
        let (mut deciding, mut joining) = (Vec::new(), Vec::new());
        for cursor in cursors {
            let name = &cursor.plan().family.name;
            let decides = filter.as_ref().is_none_or(|f| f.is_family_essential(name));
            let is_closed = closed.contains(name);
            let mut scanner = StoreScanner::new(cursor, order, window);
            if is_closed {
                scanner.close();
            }
            if decides { deciding.push(scanner) } else { joining.push(scanner) }
        }
        if order == Order::Descending && !joining.is_empty() {
            let message = "Reverse scan with loading CFs on demand is not supported";
            return Err(Error::new(ErrorKind::Refused, message)
                .with_remedy("scan forward, or select only the families that the filter tests"));
        }
        if let Some(filter) = &mut filter {
            filter.reset()?;
        }
        Ok(Self {
            deciding,
            joining,
            filter,
            whole_row_filter,
            order,
            extent,
            batch,
            piece: None,
            ended: false,
            examined: None,
            passed_hidden: false,
            accepted: false,
            width: None,
        })
    }

    /// The next row, or the next piece of one; `None` if the region has no more rows.
    pub(super) fn next(&mut self, budget: &dyn Budget) -> Result<Option<Row>> {
        match self.next_step(&Unpaused(budget))? {
            Step::Row(row) => Ok(Some(row)),
            Step::End | Step::Paused => Ok(None),
        }
    }

    /// The next row or piece, unless the budget tells the scan to pause.
    pub(super) fn next_step(&mut self, budget: &dyn Budget) -> Result<Step> {
        match self.batch {
            Some(batch) => self.next_piece(batch, budget),
            None => self.next_whole(budget),
        }
    }

    /// Ends the scan of the region between two rows, so that it can be continued by another scanner.
    pub(super) fn into_progress(self) -> RegionProgress {
        let extent = self.remaining();
        let all = self.deciding.iter().chain(&self.joining);
        let closed = all.filter(|scanner| scanner.is_closed()).map(|scanner| scanner.family().clone()).collect();
        RegionProgress { extent, filter: self.filter, closed }
    }

    /// The keys after the last row that was examined.
    pub(super) fn remaining(&self) -> KeyRange {
        let reversed = self.order == Order::Descending;
        self.examined.as_ref().map_or_else(|| self.extent.clone(), |row| self.extent.after(row, reversed))
    }

    /// Whether a row and all rows before it have been returned completely or skipped.
    pub(super) fn has_examined(&self, row: &[u8]) -> bool {
        let reached = |examined: &Bytes| match self.order {
            Order::Ascending => &examined[..] >= row,
            Order::Descending => &examined[..] <= row,
        };
        self.examined.as_ref().is_some_and(reached)
    }

    /// The memory of what has been fetched from the store, in bytes.
    pub(super) fn held_bytes(&self) -> usize {
        self.deciding.iter().chain(&self.joining).map(StoreScanner::held_bytes).sum()
    }

    /// See [`Pairs::plan_ahead`](super::pairs::Pairs::plan_ahead).
    pub(super) fn plan_ahead(&mut self, least: usize) -> bool {
        let mut any = false;
        for scanner in &mut self.deciding {
            any |= scanner.plan_ahead(least);
        }
        any
    }

    /// Fetches what has been planned, while `goes_on` returns true, until it takes this much memory.
    pub(super) fn read_ahead(&mut self, bytes: usize, goes_on: &dyn Fn() -> bool) {
        let share = bytes / self.deciding.len().max(1);
        self.deciding.iter_mut().for_each(|scanner| scanner.read_ahead(share, goes_on));
    }

    /// The bytes of the garbage that was encountered since the last call.
    pub(super) fn take_garbage_bytes(&mut self) -> u64 {
        self.deciding.iter_mut().chain(&mut self.joining).map(StoreScanner::take_garbage_bytes).sum()
    }

    /// Whether the filter reports that nothing further can pass.
    pub(super) fn is_filter_done(&mut self) -> Result<bool> {
        self.filter.as_mut().map_or(Ok(false), |f| f.filter_all_remaining())
    }

    /// Whether the filter can continue if the row that is being read is read again from its start. It cannot if it has
    /// counted the row, or if what it has seen of the row has ended the scan.
    pub(super) fn filter_may_continue(&mut self) -> bool {
        !self.accepted && matches!(self.is_filter_done(), Ok(false))
    }

    /// Whether the region is known to have no more rows.
    pub(super) fn is_over(&mut self) -> Result<bool> {
        if self.ended || self.piece.is_some() {
            return Ok(self.ended);
        }
        for scanner in &mut self.deciding {
            if scanner.next_row()?.is_some() {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Whether a row has a visible cell. Reads no more than it needs to find one.
    pub(super) fn has_cell(&mut self, budget: &dyn Budget) -> Result<bool> {
        if self.filter.is_some() {
            let row = self.next(budget)?;
            row.iter().for_each(|row| release_row(budget, row));
            return Ok(row.is_some());
        }
        let Begun::Row { prefix, key } = self.begin_row(budget)? else { return Ok(false) };
        for scanner in &mut self.deciding {
            scanner.open_row(&prefix, &key)?;
            if scanner.next(&mut self.filter)?.is_some() {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Reads the next row into `sink`. `false` if the region has no more rows. Only for scans of whole rows without a
    /// filter. [`Self::set_examined`] has to be called when rows have been read.
    pub(super) fn next_into(&mut self, sink: &mut impl RowSink) -> Result<bool> {
        if let ([family], false) = (&mut self.deciding[..], self.ended) {
            loop {
                match family.next_row_into(sink)? {
                    Some(true) => {
                        self.passed_hidden = false;
                        return Ok(true);
                    }
                    Some(false) => {
                        self.examined = Some(family.last_row());
                        self.passed_hidden = true;
                    }
                    None => break,
                }
            }
            self.ended = true;
            return Ok(false);
        }
        while let Begun::Row { prefix, key } = self.begin_row(&Unlimited)? {
            sink.begin_row(&prefix);
            for scanner in &mut self.deciding {
                scanner.open_row(&prefix, &key)?;
                scanner.rest_of_row(sink)?;
            }
            if sink.end_row()? {
                self.passed_hidden = false;
                return Ok(true);
            }
            self.examined = Some(key);
            self.passed_hidden = true;
        }
        Ok(false)
    }

    /// Sets the last row that [`Self::next_into`] has read, unless it has passed over rows after that.
    pub(super) fn set_examined(&mut self, row: Bytes) {
        if !self.passed_hidden {
            self.examined = Some(row);
        }
    }

    fn next_whole(&mut self, budget: &dyn Budget) -> Result<Step> {
        loop {
            let (prefix, key) = match self.begin_row(budget)? {
                Begun::Row { prefix, key } => (prefix, key),
                Begun::End => return Ok(Step::End),
                Begun::Paused => return Ok(Step::Paused),
            };
            let capacity = self.width.unwrap_or_else(|| self.deciding.iter().map(StoreScanner::buffered).sum());
            let mut cells = Vec::with_capacity(capacity.min(CAPACITY_MAX));
            let mut gathered = Gathered::new(budget);
            for scanner in &mut self.deciding {
                scanner.open_row(&prefix, &key)?;
                collect(scanner, &mut self.filter, &mut cells, &mut gathered)?;
            }
            // Before the filter counts the row, which is read again if there is no room for it.
            gathered.settle()?;
            if !self.passes(&mut cells)? {
                gathered.release();
                self.reset()?;
                self.examined = Some(key);
                if budget.must_pause(passed_rows()) {
                    return Ok(Step::Paused);
                }
                continue;
            }
            if !self.joining.is_empty() {
                self.accepted = true;
                for scanner in &mut self.joining {
                    scanner.seek_row(&prefix, &key)?;
                    collect(scanner, &mut self.filter, &mut cells, &mut gathered)?;
                }
                gathered.settle()?;
                // The sort is stable and each family is in order already.
                cells.sort_by(|a, b| a.family.cmp(&b.family));
                self.accepted = false;
            }
            self.reset()?;
            self.examined = Some(key.clone());
            if cells.is_empty() {
                gathered.release();
                continue;
            }
            self.width = Some(cells.len());
            self.ended = self.is_filter_done()?;
            return Ok(Step::Row(Row { key, cells, partial: false }));
        }
    }

    /// Applies the filter to a finished row. Returns `false` if the row is skipped.
    fn passes(&mut self, cells: &mut Vec<Cell>) -> Result<bool> {
        let empty = cells.is_empty();
        let Some(filter) = &mut self.filter else { return Ok(!empty) };
        if self.whole_row_filter {
            filter.filter_row_cells(cells)?;
            let refused = !cells.is_empty() && filter.filter_row()?;
            return Ok(!empty && !refused);
        }
        Ok(!empty && !filter.filter_row()?)
    }

    fn next_piece(&mut self, batch: usize, budget: &dyn Budget) -> Result<Step> {
        loop {
            if self.piece.is_none() {
                let (prefix, key) = match self.begin_row(budget)? {
                    Begun::Row { prefix, key } => (prefix, key),
                    Begun::End => return Ok(Step::End),
                    Begun::Paused => return Ok(Step::Paused),
                };
                for scanner in &mut self.deciding {
                    scanner.open_row(&prefix, &key)?;
                }
                self.piece = Some(Piece { prefix, key, first: None, joined: false });
            }
            let Some(mut piece) = self.piece.take() else { return Ok(Step::End) };
            let mut cells = Vec::from_iter(piece.first.take());
            let mut gathered = Gathered::new(budget);
            cells.iter().try_for_each(|cell| gathered.add(cell))?;
            while let Some(cell) = self.next_in_row(&mut piece)? {
                if cells.len() >= batch {
                    gathered.settle()?;
                    let key = piece.key.clone();
                    self.piece = Some(Piece { first: Some(cell), ..piece });
                    return Ok(Step::Row(Row { key, cells, partial: true }));
                }
                gathered.add(&cell)?;
                cells.push(cell);
                if cells.len() == batch && self.has_more_stored()? {
                    gathered.settle()?;
                    let key = piece.key.clone();
                    self.piece = Some(piece);
                    return Ok(Step::Row(Row { key, cells, partial: true }));
                }
            }
            gathered.settle()?;
            let passes = self.passes(&mut cells)?;
            self.reset()?;
            self.examined = Some(piece.key.clone());
            if passes {
                self.ended = self.is_filter_done()?;
                return Ok(Step::Row(Row { key: piece.key, cells, partial: false }));
            }
            gathered.release();
            if budget.must_pause(passed_rows()) {
                return Ok(Step::Paused);
            }
        }
    }

    /// Whether anything is stored ahead in the open row, visible or not. HBase calls a full piece partial by that
    /// alone.
    fn has_more_stored(&mut self) -> Result<bool> {
        for scanner in &mut self.deciding {
            if scanner.has_more_stored()? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn next_in_row(&mut self, piece: &mut Piece) -> Result<Option<Cell>> {
        for scanner in &mut self.deciding {
            if let Some(cell) = scanner.next(&mut self.filter)? {
                return Ok(Some(cell));
            }
        }
        if !piece.joined {
            piece.joined = true;
            for scanner in &mut self.joining {
                scanner.seek_row(&piece.prefix, &piece.key)?;
            }
        }
        for scanner in &mut self.joining {
            if let Some(cell) = scanner.next(&mut self.filter)? {
                return Ok(Some(cell));
            }
        }
        Ok(None)
    }

    /// The next row whose key passes the filter.
    fn begin_row(&mut self, budget: &dyn Budget) -> Result<Begun> {
        while !self.ended {
            let mut next: Option<(Bytes, Bytes)> = None;
            for scanner in &mut self.deciding {
                if let Some(row) = scanner.next_row()?
                    && next.as_ref().is_none_or(|(next, _)| (row.0 < *next) == (self.order == Order::Ascending))
                {
                    next = Some(row.clone());
                }
            }
            let Some((prefix, key)) = next else { break };
            let Some(filter) = &mut self.filter else { return Ok(Begun::Row { prefix, key }) };
            // HBase checks this again before the key, because a skipped row may have ended the scan.
            if !filter.filter_all_remaining()? && !filter.filter_row_key(&key)? {
                return Ok(Begun::Row { prefix, key });
            }
            if filter.filter_all_remaining()? {
                break;
            }
            // In an ascending scan, HBase skips a rejected row by reading it: the filter sees its cells, counts them
            // and may give a hint. In a descending one, it seeks to the previous row.
            for scanner in &mut self.deciding {
                if self.order == Order::Descending {
                    scanner.pass_row(&prefix)?;
                    continue;
                }
                scanner.open_row(&prefix, &key)?;
                while scanner.next(&mut self.filter)?.is_some() {}
            }
            self.reset()?;
            self.examined = Some(key);
            if budget.must_pause(passed_rows()) {
                return Ok(Begun::Paused);
            }
        }
        self.ended = true;
        Ok(Begun::End)
    }

    fn reset(&mut self) -> Result<()> {
        self.filter.as_mut().map_or(Ok(()), |f| f.reset())
    }
}

/// A row that was passed over, with the work of its filter, in rows of a usual scan.
fn passed_rows() -> u32 {
    work::take_rows().saturating_add(1)
}

/// The result of looking for the next row.
enum Begun {
    Row { prefix: Bytes, key: Bytes },
    End,
    Paused,
}

/// Appends the cells of a family's open row.
fn collect(
    scanner: &mut StoreScanner,
    filter: &mut Option<Box<dyn Filter>>,
    cells: &mut Vec<Cell>,
    gathered: &mut Gathered<'_>,
) -> Result<()> {
    let mut gatherer = Gatherer { cells, gathered };
    if filter.is_none() {
        return scanner.rest_of_row(&mut gatherer);
    }
    while let Some(cell) = scanner.next(filter)? {
        gatherer.cell(cell)?;
    }
    Ok(())
}

/// Gathers cells within a budget.
struct Gatherer<'a, 'b> {
    cells: &'a mut Vec<Cell>,
    gathered: &'a mut Gathered<'b>,
}

impl CellSink for Gatherer<'_, '_> {
    #[inline]
    fn value(
        &mut self,
        CellPlace { row, family, .. }: CellPlace<'_>,
        qualifier: impl FnOnce() -> Bytes,
        timestamp: i64,
        value: Bytes,
    ) -> Result<()> {
        let (row, family, qualifier) = (row.clone(), family.clone(), qualifier());
        self.cell(Cell { row, family, qualifier, timestamp, kind: CellKind::Put, value })
    }

    #[inline]
    fn cell(&mut self, cell: Cell) -> Result<()> {
        self.gathered.add(&cell)?;
        self.cells.push(cell);
        Ok(())
    }
}
