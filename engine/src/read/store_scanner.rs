//! One family of a read, filtered.

use std::cmp::Ordering;

use bytes::Bytes;

use super::family_cursor::{ColumnPosition, FamilyCursor};
use super::reused_row::{CellSink, RowSink};
use crate::cell::Cell;
use crate::error::Result;
use crate::filter::{Code, Filter, Hint};
use crate::key;
use crate::store::Order;

/// The cells of a family's row that a get returns, by position (HBase's storeLimit and storeOffset).
#[derive(Debug, Clone, Copy)]
pub(super) struct Window {
    pub(super) offset: i32,
    /// `None`: no limit.
    pub(super) limit: Option<i32>,
}

impl Window {
    pub(super) const ALL: Self = Self { offset: 0, limit: None };

    fn is_all(self) -> bool {
        self.offset <= 0 && self.limit.is_none()
    }
}

/// The cells of one family that pass the filter and the window.
pub(super) struct StoreScanner {
    cursor: FamilyCursor,
    order: Order,
    window: Window,
    /// The filter has reported that nothing further can pass.
    closed: bool,
    /// The prefix and key of the next row, once known; `Some(None)`: there are no more rows.
    ahead: Option<Option<(Bytes, Bytes)>>,
    in_row: bool,
    /// Cells of this row that passed the filter, including those before the window.
    passed: i32,
    /// The column of the last cell that passed, and how many of its cells have passed.
    column: Option<Bytes>,
    kept: i32,
}

/// The position at which to continue after a cell.
#[derive(PartialEq, Eq)]
enum Onward {
    Cell,
    Column,
    Row,
    Hint,
}

impl StoreScanner {
    pub(super) fn new(cursor: FamilyCursor, order: Order, window: Window) -> Self {
        Self { cursor, order, window, closed: false, ahead: None, in_row: false, passed: 0, column: None, kept: 0 }
    }

    /// Whether the filter has reported that nothing further of this family can pass.
    pub(super) fn is_closed(&self) -> bool {
        self.closed
    }

    /// Returns no further rows.
    pub(super) fn close(&mut self) {
        self.closed = true;
    }

    /// The name of the family.
    pub(super) fn family(&self) -> &Bytes {
        &self.cursor.plan().family.name
    }

    /// The prefix and key of the next row, without opening it.
    pub(super) fn next_row(&mut self) -> Result<Option<&(Bytes, Bytes)>> {
        if self.closed {
            return Ok(None);
        }
        if self.ahead.is_none() {
            self.ahead = Some(self.cursor.next_row()?);
        }
        Ok(self.ahead.as_ref().and_then(Option::as_ref))
    }

    /// Opens the next row if it has this prefix and key.
    pub(super) fn open_row(&mut self, prefix: &Bytes, key: &Bytes) -> Result<()> {
        if self.next_row()?.is_some_and(|(ahead, _)| ahead == prefix) {
            self.ahead = None;
            self.cursor.open_row(prefix, key)?;
            self.in_row = true;
            self.passed = 0;
            self.column = None;
        }
        Ok(())
    }

    /// Seeks forward to a row and opens it if it exists.
    pub(super) fn seek_row(&mut self, prefix: &Bytes, key: &Bytes) -> Result<()> {
        if self.next_row()?.is_some_and(|(ahead, _)| ahead < prefix) {
            self.ahead = None;
            self.cursor.go_to_row(prefix.clone(), false, None)?;
        }
        self.open_row(prefix, key)
    }

    /// Seeks behind the next row, in the order of the scan, if it has this prefix.
    pub(super) fn pass_row(&mut self, prefix: &Bytes) -> Result<()> {
        if self.next_row()?.is_some_and(|(ahead, _)| ahead == prefix) {
            self.ahead = None;
            self.cursor.go_to_row(prefix.clone(), true, None)?;
        }
        Ok(())
    }

    /// The next cell of the open row that passes; `None` if the row has no more.
    pub(super) fn next(&mut self, filter: &mut Option<Box<dyn Filter>>) -> Result<Option<Cell>> {
        while self.in_row {
            // Checked even if the row has no more cells: HBase does so, and may close the family for the rest of the
            // scan.
            if let Some(filter) = filter
                && filter.filter_all_remaining()?
            {
                self.closed = true;
                self.in_row = false;
                break;
            }
            let Some(cell) = self.cursor.next_cell()? else {
                self.leave_row();
                break;
            };
            let Some(cell) = self.pass(cell, filter)? else { continue };
            self.passed += 1;
            let Window { offset, limit } = self.window;
            if self.passed > offset {
                // HBase checks the limit after it has taken a cell, so one cell passes a limit of 0, regardless of the
                // offset.
                if limit.is_some_and(|limit| self.passed >= limit.saturating_add(offset)) {
                    self.leave_row();
                }
                return Ok(Some(cell));
            }
        }
        Ok(None)
    }

    /// An estimate of the number of cells of the next row, without reading.
    pub(super) fn buffered(&self) -> usize {
        self.cursor.buffered()
    }

    /// The memory of what has been fetched from the store, in bytes.
    pub(super) fn held_bytes(&self) -> usize {
        self.cursor.held_bytes()
    }

    /// See [`Pairs::plan_ahead`](super::pairs::Pairs::plan_ahead).
    pub(super) fn plan_ahead(&mut self, least: usize) -> bool {
        self.cursor.plan_ahead(least)
    }

    /// See [`Pairs::read_ahead`](super::pairs::Pairs::read_ahead).
    pub(super) fn read_ahead(&mut self, bytes: usize, goes_on: &dyn Fn() -> bool) {
        self.cursor.read_ahead(bytes, goes_on);
    }

    /// The bytes of the garbage that was encountered since the last call.
    pub(super) fn take_garbage_bytes(&mut self) -> u64 {
        self.cursor.take_garbage_bytes()
    }

    /// Passes the rest of the open row to `sink`. Only for reads without a filter.
    pub(super) fn rest_of_row(&mut self, sink: &mut impl CellSink) -> Result<()> {
        if self.in_row && self.window.is_all() {
            self.cursor.rest_of_row(sink)?;
            self.leave_row();
            return Ok(());
        }
        while let Some(cell) = self.next(&mut None)? {
            sink.cell(cell)?;
        }
        Ok(())
    }

    /// Reads the next row into `sink`, as [`FamilyCursor::next_row_into`] does. Only for reads of whole rows without a
    /// filter and a window.
    pub(super) fn next_row_into(&mut self, sink: &mut impl RowSink) -> Result<Option<bool>> {
        if self.closed || matches!(self.ahead, Some(None)) {
            return Ok(None);
        }
        // The row is still the next one of the cursor.
        self.ahead = None;
        self.cursor.next_row_into(sink)
    }

    /// The last row that [`Self::next_row_into`] has read.
    pub(super) fn last_row(&self) -> Bytes {
        self.cursor.last_row()
    }

    /// Whether anything is stored ahead in the open row, from where the filter's last answer led.
    pub(super) fn has_more_stored(&mut self) -> Result<bool> {
        Ok(self.in_row && self.cursor.has_more_stored()?)
    }

    fn leave_row(&mut self) {
        self.cursor.close_row();
        self.in_row = false;
    }

    /// Applies the filter to a cell and continues where it says.
    fn pass(&mut self, cell: Cell, filter: &mut Option<Box<dyn Filter>>) -> Result<Option<Cell>> {
        let Some(filter) = filter else { return Ok(Some(cell)) };
        let (mut keep, mut onward) = match filter.filter_cell(&cell)? {
            Code::Include => (true, Onward::Cell),
            Code::IncludeAndNextCol => (true, Onward::Column),
            Code::IncludeAndSeekNextRow => (true, Onward::Row),
            Code::Skip => (false, Onward::Cell),
            Code::NextCol => (false, Onward::Column),
            Code::NextRow => (false, Onward::Row),
            Code::SeekNextUsingHint => (false, Onward::Hint),
        };
        if keep && !self.has_room(&cell) {
            keep = false;
            if onward == Onward::Cell {
                onward = Onward::Column;
            }
        }
        match onward {
            Onward::Cell => {}
            // HBase expects family markers in this column (HBASE-18471) and goes through it cell by cell, so the filter
            // sees its older versions.
            Onward::Column if cell.qualifier.is_empty() && self.cursor.plan().wanted.is_none() => {}
            Onward::Column => self.cursor.next_column()?,
            Onward::Row => self.cursor.close_row(),
            Onward::Hint => {
                if let Some(hint) = filter.next_hint(&cell)? {
                    self.follow(hint, &cell)?;
                }
            }
        }
        if keep { filter.transform(cell).map(Some) } else { Ok(None) }
    }

    /// Counts a cell of its column. Returns `false` if the column already has the requested number.
    fn has_room(&mut self, cell: &Cell) -> bool {
        if self.column.as_ref() != Some(&cell.qualifier) {
            self.column = Some(cell.qualifier.clone());
            self.kept = 0;
        }
        self.kept += 1;
        self.kept <= self.cursor.plan().keep
    }

    /// Seeks to the hint if it lies ahead; otherwise continues at the next cell.
    fn follow(&mut self, hint: Hint, cell: &Cell) -> Result<()> {
        let family = if hint.family.is_empty() { Ordering::Less } else { hint.family.cmp(&cell.family) };
        let place = ColumnPosition { qualifier: hint.qualifier, newest: hint.timestamp };
        match (hint.row.cmp(&cell.row), self.order) {
            (Ordering::Greater, Order::Ascending) | (Ordering::Less, Order::Descending) => {
                let place = (family == Ordering::Equal).then_some(place);
                self.cursor.go_to_row(key::row_prefix(&hint.row), family == Ordering::Greater, place)
            }
            (Ordering::Equal, Order::Ascending) if family == Ordering::Greater => {
                self.cursor.close_row();
                Ok(())
            }
            (Ordering::Equal, Order::Ascending) if family == Ordering::Equal => {
                let ahead = match place.qualifier.cmp(&cell.qualifier) {
                    Ordering::Less => false,
                    Ordering::Equal => place.newest < cell.timestamp,
                    Ordering::Greater => true,
                };
                if ahead { self.cursor.go_to(place) } else { Ok(()) }
            }
            _ => Ok(()),
        }
    }
}
