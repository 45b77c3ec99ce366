//! One family of a read as its filter leaves it.

use std::cmp::Ordering;

use bytes::Bytes;

use super::family_cursor::{ColumnPosition, FamilyCursor};
use crate::cell::Cell;
use crate::error::Result;
use crate::filter::{Code, Filter, Hint};
use crate::key;
use crate::store::Order;

/// How many cells of a family a Get returns of each row (HBase's storeLimit and storeOffset).
#[derive(Debug, Clone, Copy)]
pub(super) struct Window {
    pub(super) offset: i32,
    /// `None`: all.
    pub(super) limit: Option<i32>,
}

impl Window {
    pub(super) const ALL: Self = Self { offset: 0, limit: None };

    fn is_all(self) -> bool {
        self.offset <= 0 && self.limit.is_none()
    }
}

/// One family's cells, filtered and counted.
pub(super) struct StoreScanner {
    walk: FamilyCursor,
    order: Order,
    window: Window,
    /// The filter said that nothing further can pass.
    closed: bool,
    /// The prefix and key of the next row, once looked up; `Some(None)`: there is none.
    ahead: Option<Option<(Bytes, Bytes)>>,
    in_row: bool,
    /// Cells of this row that passed, those before the window included.
    passed: i32,
    /// The column last kept from, and how many of its cells were.
    column: Option<Bytes>,
    kept: i32,
}

/// Where to go on after a cell.
#[derive(PartialEq, Eq)]
enum Onward {
    Cell,
    Column,
    Row,
    Hint,
}

impl StoreScanner {
    pub(super) fn new(walk: FamilyCursor, order: Order, window: Window) -> Self {
        Self { walk, order, window, closed: false, ahead: None, in_row: false, passed: 0, column: None, kept: 0 }
    }

    /// The prefix and key of the next row, without opening it.
    pub(super) fn next_row(&mut self) -> Result<Option<&(Bytes, Bytes)>> {
        if self.closed {
            return Ok(None);
        }
        if self.ahead.is_none() {
            self.ahead = Some(self.walk.next_row()?);
        }
        Ok(self.ahead.as_ref().and_then(Option::as_ref))
    }

    /// Opens the next row if it is that one.
    pub(super) fn open_row(&mut self, prefix: &Bytes, key: &Bytes) -> Result<()> {
        if self.next_row()?.is_some_and(|(ahead, _)| ahead == prefix) {
            self.ahead = None;
            self.walk.open_row(prefix, key)?;
            self.in_row = true;
            self.passed = 0;
            self.column = None;
        }
        Ok(())
    }

    /// Goes upwards to a row and opens it if it is there.
    pub(super) fn seek_row(&mut self, prefix: &Bytes, key: &Bytes) -> Result<()> {
        if self.next_row()?.is_some_and(|(ahead, _)| ahead < prefix) {
            self.ahead = None;
            self.walk.go_to_row(prefix.clone(), false, None)?;
        }
        self.open_row(prefix, key)
    }

    /// The next cell of the open row that the filter keeps; `None`: the row is done with.
    pub(super) fn next(&mut self, filter: &mut Option<Box<dyn Filter>>) -> Result<Option<Cell>> {
        while self.in_row {
            // Also before the cell that would end the row: HBase looks at it and may close the family for good.
            if let Some(filter) = filter
                && filter.filter_all_remaining()?
            {
                self.closed = true;
                self.in_row = false;
                break;
            }
            let Some(cell) = self.walk.next_cell()? else {
                self.leave_row();
                break;
            };
            let Some(cell) = self.pass(cell, filter)? else { continue };
            self.passed += 1;
            let Window { offset, limit } = self.window;
            if self.passed > offset {
                // HBase looks at the limit after it took a cell, so a limit of 0 lets one through, whatever the offset.
                if limit.is_some_and(|limit| self.passed >= limit.saturating_add(offset)) {
                    self.leave_row();
                }
                return Ok(Some(cell));
            }
        }
        Ok(None)
    }

    /// About how many cells the next row has, as far as can be told for nothing.
    pub(super) fn at_hand(&self) -> usize {
        self.walk.at_hand()
    }

    /// All that is left of the open row, when no filter is asked.
    pub(super) fn rest_of_row(&mut self, take: &mut impl FnMut(Cell) -> Result<()>) -> Result<()> {
        if self.in_row && self.window.is_all() {
            self.walk.rest_of_row(take)?;
            self.leave_row();
            return Ok(());
        }
        while let Some(cell) = self.next(&mut None)? {
            take(cell)?;
        }
        Ok(())
    }

    /// Whether anything is stored ahead in the open row, where the last cell's answer has led.
    pub(super) fn has_more_stored(&mut self) -> Result<bool> {
        Ok(self.in_row && self.walk.has_more_stored()?)
    }

    fn leave_row(&mut self) {
        self.walk.close_row();
        self.in_row = false;
    }

    /// Asks the filter about a cell and goes where it wants.
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
            // HBase expects family markers there (HBASE-18471) and leaves this column cell by cell, so the filter sees its older versions.
            Onward::Column if cell.qualifier.is_empty() && self.walk.plan().wanted.is_none() => {}
            Onward::Column => self.walk.next_column()?,
            Onward::Row => self.walk.close_row(),
            Onward::Hint => {
                if let Some(hint) = filter.next_hint(&cell)? {
                    self.follow(hint, &cell)?;
                }
            }
        }
        if keep { filter.transform(cell).map(Some) } else { Ok(None) }
    }

    /// Counts one more cell of its column; `false`: the request wants no more of it.
    fn has_room(&mut self, cell: &Cell) -> bool {
        if self.column.as_ref() != Some(&cell.qualifier) {
            self.column = Some(cell.qualifier.clone());
            self.kept = 0;
        }
        self.kept += 1;
        self.kept <= self.walk.plan().keep
    }

    /// Goes on at the hint if it lies ahead; else at the next cell.
    fn follow(&mut self, hint: Hint, cell: &Cell) -> Result<()> {
        let family = if hint.family.is_empty() { Ordering::Less } else { hint.family.cmp(&cell.family) };
        let place = ColumnPosition { qualifier: hint.qualifier, newest: hint.timestamp };
        match (hint.row.cmp(&cell.row), self.order) {
            (Ordering::Greater, Order::Ascending) | (Ordering::Less, Order::Descending) => {
                let place = (family == Ordering::Equal).then_some(place);
                self.walk.go_to_row(key::row_prefix(&hint.row), family == Ordering::Greater, place)
            }
            (Ordering::Equal, Order::Ascending) if family == Ordering::Greater => {
                self.walk.close_row();
                Ok(())
            }
            (Ordering::Equal, Order::Ascending) if family == Ordering::Equal => {
                let ahead = match place.qualifier.cmp(&cell.qualifier) {
                    Ordering::Less => false,
                    Ordering::Equal => place.newest < cell.timestamp,
                    Ordering::Greater => true,
                };
                if ahead { self.walk.go_to(place) } else { Ok(()) }
            }
            _ => Ok(()),
        }
    }
}
