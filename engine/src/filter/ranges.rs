//! MultiRowRangeFilter: rows inside any of several ranges.

use std::fmt::Write;

use bytes::Bytes;

use super::{Code, Filter, Hint};
use crate::cell::Cell;
use crate::error::{Error, ErrorKind, Result};

/// A range of rows; an empty bound is open.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RowRange {
    /// The first row.
    pub start: Bytes,
    /// Whether the first row itself is inside.
    pub start_inclusive: bool,
    /// The last row.
    pub stop: Bytes,
    /// Whether the last row itself is inside.
    pub stop_inclusive: bool,
}

impl RowRange {
    /// From a row, included, to another, not included: HBase's default.
    pub fn new(start: impl Into<Bytes>, stop: impl Into<Bytes>) -> Self {
        Self { start: start.into(), start_inclusive: true, stop: stop.into(), stop_inclusive: false }
    }

    fn is_valid(&self) -> bool {
        self.start.is_empty()
            || self.stop.is_empty()
            || self.start < self.stop
            || (self.start == self.stop && self.stop_inclusive)
    }

    fn begins_above(&self, row: &[u8]) -> bool {
        if self.start_inclusive { &self.start[..] > row } else { &self.start[..] >= row }
    }

    fn ends_below(&self, row: &[u8]) -> bool {
        !self.stop.is_empty() && if self.stop_inclusive { &self.stop[..] < row } else { &self.stop[..] <= row }
    }

    /// Whether another range that does not start below this one overlaps or touches it.
    fn reaches(&self, next: &Self) -> bool {
        self.stop.is_empty()
            || self.stop > next.start
            || (self.stop == next.start && (self.stop_inclusive || next.start_inclusive))
    }

    /// Takes in another that it reaches. The start's flag stays that of the first one, even where the other one includes the same start.
    fn absorb(&mut self, next: Self) {
        if self.stop.is_empty() {
            return;
        }
        if next.stop.is_empty() || next.stop > self.stop {
            self.stop = next.stop;
            self.stop_inclusive = next.stop_inclusive;
        } else if next.stop == self.stop {
            self.stop_inclusive |= next.stop_inclusive;
        }
    }
}

/// Ranges sorted and merged; at least one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RowRanges(Vec<RowRange>);

impl RowRanges {
    /// Sorts by start row and merges those that overlap or touch, as HBase does.
    ///
    /// # Errors
    /// `InvalidArgument` if there is none, or one cannot hold a row.
    pub fn new(mut ranges: Vec<RowRange>) -> Result<Self> {
        if ranges.is_empty() {
            return Err(Error::invalid("No ranges found. MultiRowRangeFilter needs at least one range of rows"));
        }
        ranges.sort_by(|a, b| a.start.cmp(&b.start));
        let invalid: Vec<_> = ranges.iter().filter(|range| !range.is_valid()).collect();
        if !invalid.is_empty() {
            let mut message = format!("{} invaild ranges.\n", invalid.len());
            for range in invalid {
                let (start, stop) = (range.start.escape_ascii(), range.stop.escape_ascii());
                let _ = writeln!(message, "Invalid range: start row => {start}, stop row => {stop}");
            }
            return Err(Error::invalid(message));
        }
        let mut merged: Vec<RowRange> = Vec::with_capacity(ranges.len());
        for range in ranges {
            match merged.last_mut() {
                Some(last) if last.reaches(&range) => last.absorb(range),
                _ => merged.push(range),
            }
        }
        Ok(Self(merged))
    }

    /// The ranges, ascending and apart.
    pub fn ranges(&self) -> &[RowRange] {
        &self.0
    }
}

/// MultiRowRangeFilter, running.
pub(super) struct MultiRowRange {
    ranges: Vec<RowRange>,
    reversed: bool,
    done: bool,
    /// What the row key has decided about the row's cells. It is never shown one inside SKIP.
    code: Option<Code>,
    hint: Option<Bytes>,
}

impl MultiRowRange {
    pub(super) fn new(ranges: &RowRanges, reversed: bool) -> Self {
        Self { ranges: ranges.0.clone(), reversed, done: false, code: None, hint: None }
    }

    /// The nearest range that does not lie wholly behind the row.
    fn range_at(&self, row: &[u8]) -> Option<&RowRange> {
        if self.reversed {
            let ahead = self.ranges.partition_point(|range| !range.begins_above(row));
            ahead.checked_sub(1).map(|i| &self.ranges[i])
        } else {
            self.ranges.get(self.ranges.partition_point(|range| range.ends_below(row)))
        }
    }
}

impl Filter for MultiRowRange {
    fn filter_all_remaining(&mut self) -> Result<bool> {
        Ok(self.done)
    }

    fn filter_row_key(&mut self, row: &[u8]) -> Result<bool> {
        if self.done {
            return Ok(true);
        }
        let (code, hint) = match self.range_at(row) {
            None => {
                self.done = true;
                (Code::NextRow, None)
            }
            Some(range) => {
                let (outside, edge) = if self.reversed {
                    (range.ends_below(row), &range.stop)
                } else {
                    (range.begins_above(row), &range.start)
                };
                match outside {
                    false => (Code::Include, None),
                    // On the edge itself a hint would not move.
                    true if edge == row => (Code::NextRow, None),
                    true => (Code::SeekNextUsingHint, Some(edge.clone())),
                }
            }
        };
        self.code = Some(code);
        self.hint = hint;
        Ok(false)
    }

    fn filter_cell(&mut self, _cell: &Cell) -> Result<Code> {
        self.code.ok_or_else(|| {
            Error::new(ErrorKind::Unprocessable, "MultiRowRangeFilter inside SKIP sees no row keys: use it beside SKIP")
        })
    }

    fn next_hint(&mut self, _cell: &Cell) -> Result<Option<Hint>> {
        Ok(self.hint.clone().map(Hint::row))
    }

    fn first_row(&self) -> Option<Bytes> {
        let edge = if self.reversed { &self.ranges.last()?.stop } else { &self.ranges.first()?.start };
        (!edge.is_empty()).then(|| edge.clone())
    }

    fn last_row(&self) -> Option<Bytes> {
        let edge = if self.reversed { &self.ranges.first()?.start } else { &self.ranges.last()?.stop };
        (!edge.is_empty()).then(|| edge.clone())
    }

    fn is_hinting(&self) -> bool {
        true
    }
}
