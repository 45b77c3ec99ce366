//! MultiRowRangeFilter: rows in one of several ranges.

use std::fmt::Write;

use bytes::Bytes;
use prost::Message;

use super::Kind;
use crate::cell::Cell;
use crate::error::{Error, ErrorKind, MESSAGE_MAX, Result};
use crate::filter::serialised::{argument, message};
use crate::filter::{Code, Filter, FilterSpec, Hint};
use crate::quote;

/// A range of rows; an empty row is no bound.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RowRange {
    /// The first row.
    pub start: Bytes,
    /// Whether the first row is in the range.
    pub start_inclusive: bool,
    /// The last row.
    pub stop: Bytes,
    /// Whether the last row is in the range.
    pub stop_inclusive: bool,
}

impl RowRange {
    /// A range from `start`, included, to `stop`, excluded, as by default in HBase.
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

    fn contains(&self, row: &[u8]) -> bool {
        !self.begins_above(row) && !self.ends_below(row)
    }

    /// Whether a range that does not start below this one overlaps or touches it.
    fn reaches(&self, next: &Self) -> bool {
        self.stop.is_empty()
            || self.stop > next.start
            || (self.stop == next.start && (self.stop_inclusive || next.start_inclusive))
    }

    /// Merges a range that it reaches. As in HBase, `start_inclusive` stays as it is, even if the other range
    /// includes the same start; and once another range has moved the end (`moved`), the end is included if a further
    /// range includes its own, wherever that is.
    fn absorb(&mut self, next: Self, moved: &mut bool) {
        if self.stop.is_empty() {
            return;
        }
        if next.stop.is_empty() || next.stop > self.stop {
            self.stop = next.stop;
            self.stop_inclusive = next.stop_inclusive;
            *moved = true;
        } else if *moved || next.stop == self.stop {
            self.stop_inclusive |= next.stop_inclusive;
        }
    }
}

/// At least one range; sorted, neither overlapping nor touching.
#[derive(Debug, PartialEq)]
pub(super) struct MultiRowRange {
    ranges: Vec<RowRange>,
}

impl FilterSpec {
    /// MultiRowRangeFilter: keeps rows in one of the ranges. Ranges that overlap or touch are merged, as in HBase.
    ///
    /// # Errors
    /// `InvalidArgument` if there is no range, or a range cannot contain a row.
    pub fn multi_row_range(mut ranges: Vec<RowRange>) -> Result<Self> {
        if ranges.is_empty() {
            return Err(Error::invalid("No ranges found. MultiRowRangeFilter needs at least one range of rows"));
        }
        ranges.sort_by(|a, b| a.start.cmp(&b.start));
        let invalid: Vec<_> = ranges.iter().filter(|range| !range.is_valid()).collect();
        if !invalid.is_empty() {
            let mut message = format!("{} invaild ranges.\n", invalid.len());
            for range in invalid {
                if message.len() > MESSAGE_MAX {
                    break;
                }
                let (start, stop) = (quote::escaped(&range.start), quote::escaped(&range.stop));
                let _ = writeln!(message, "Invalid range: start row => {start}, stop row => {stop}");
            }
            return Err(
                Error::invalid(message).with_remedy("a range must start before it stops, or contain its one row")
            );
        }
        let mut merged: Vec<RowRange> = Vec::with_capacity(ranges.len());
        let mut moved = false;
        for range in ranges {
            match merged.last_mut() {
                Some(last) if last.reaches(&range) => last.absorb(range, &mut moved),
                _ => {
                    merged.push(range);
                    moved = false;
                }
            }
        }
        Ok(Self::of(MultiRowRange { ranges: merged }))
    }
}

/// HBase's MultiRowRangeFilter.
#[derive(Clone, PartialEq, Message)]
struct Body {
    #[prost(message, repeated, tag = "1")]
    row_range_list: Vec<RowRangeMessage>,
}

/// HBase's RowRange.
#[derive(Clone, PartialEq, Message)]
struct RowRangeMessage {
    #[prost(bytes = "bytes", optional, tag = "1")]
    start_row: Option<Bytes>,
    #[prost(bool, optional, tag = "2")]
    start_row_inclusive: Option<bool>,
    #[prost(bytes = "bytes", optional, tag = "3")]
    stop_row: Option<Bytes>,
    #[prost(bool, optional, tag = "4")]
    stop_row_inclusive: Option<bool>,
}

impl Kind for MultiRowRange {
    const CLASS: &'static str = "MultiRowRangeFilter";

    fn decode(body: &[u8], _depth: usize) -> Result<FilterSpec> {
        let body: Body = message(body)?;
        let ranges = body.row_range_list.into_iter().map(|range| RowRange {
            start: range.start_row.unwrap_or_default(),
            start_inclusive: range.start_row_inclusive.unwrap_or(false),
            stop: range.stop_row.unwrap_or_default(),
            stop_inclusive: range.stop_row_inclusive.unwrap_or(false),
        });
        FilterSpec::multi_row_range(ranges.collect()).map_err(argument)
    }

    fn encode(&self) -> Vec<u8> {
        let ranges = self.ranges.iter().map(|range| RowRangeMessage {
            start_row: Some(range.start.clone()),
            start_row_inclusive: Some(range.start_inclusive),
            stop_row: Some(range.stop.clone()),
            stop_row_inclusive: Some(range.stop_inclusive),
        });
        Body { row_range_list: ranges.collect() }.encode_to_vec()
    }

    fn start(&self, reversed: bool) -> Box<dyn Filter> {
        let misled = reversed && self.ranges.last().is_some_and(|last| last.stop.is_empty());
        Box::new(Running {
            ranges: self.ranges.clone(),
            reversed,
            misled,
            current: None,
            done: false,
            code: None,
            hint: None,
        })
    }
}

struct Running {
    ranges: Vec<RowRange>,
    reversed: bool,
    /// In a reversed scan, HBase searches for a row by the ends of the ranges, and takes the end of a range without one
    /// for the least row of all: [`Self::misled_search`].
    misled: bool,
    /// The range of the row before, if `misled`.
    current: Option<usize>,
    done: bool,
    /// The answer about the row's cells, from the row key. SkipFilter does not pass on row keys, so inside it there
    /// is none.
    code: Option<Code>,
    hint: Option<Bytes>,
}

/// The result of HBase's binary search.
enum Found {
    /// A range that contains the row, or that it proceeds to.
    Range(usize),
    /// The row is the excluded end of a range.
    Excluded,
    /// The row is before all ranges, in the direction of the scan.
    Before,
    /// The row is behind all ranges.
    Behind,
}

impl Running {
    /// HBase's search in a reversed scan, if the last range has no end. The ranges are in descending order. The search
    /// takes the first of them for one behind every row, and therefore may miss those that follow it.
    fn misled_search(&self, row: &[u8]) -> Found {
        let count = self.ranges.len();
        let range = |index: usize| &self.ranges[count - 1 - index];
        let (mut low, mut high) = (0, count);
        while low < high {
            // `high` is exclusive, and HBase's is not: (low + (high - 1)) / 2.
            let middle = (low + high - 1) / 2;
            let end = &range(middle).stop;
            if end.is_empty() || row > &end[..] {
                high = middle;
            } else if row < &end[..] {
                low = middle + 1;
            } else {
                return if range(middle).stop_inclusive { Found::Range(count - 1 - middle) } else { Found::Excluded };
            }
        }
        if low > 0 && range(low - 1).contains(row) {
            return Found::Range(count - low);
        }
        match low {
            0 if !range(0).contains(row) => Found::Before,
            _ if low == count => Found::Behind,
            _ => Found::Range(count - 1 - low),
        }
    }

    /// The answer about a row with [`Self::misled_search`], and the row to seek.
    fn misled(&mut self, row: &[u8]) -> (Code, Option<Bytes>) {
        if self.current.is_none_or(|current| !self.ranges[current].contains(row)) {
            match self.misled_search(row) {
                Found::Range(index) => self.current = Some(index),
                Found::Before => self.current = Some(self.ranges.len() - 1),
                Found::Excluded => return (Code::NextRow, None),
                Found::Behind => {
                    self.done = true;
                    return (Code::NextRow, None);
                }
            }
        }
        match self.current.map(|current| &self.ranges[current]) {
            Some(range) if range.contains(row) => (Code::Include, None),
            // If this range has no end, the scan seeks the empty row, which ends it in this region.
            Some(range) => (Code::SeekNextUsingHint, Some(range.stop.clone())),
            None => (Code::NextRow, None),
        }
    }

    /// The nearest range that contains the row or lies ahead of it.
    fn range_at(&self, row: &[u8]) -> Option<&RowRange> {
        if self.reversed {
            let ahead = self.ranges.partition_point(|range| !range.begins_above(row));
            ahead.checked_sub(1).map(|i| &self.ranges[i])
        } else {
            self.ranges.get(self.ranges.partition_point(|range| range.ends_below(row)))
        }
    }
}

impl Filter for Running {
    fn filter_all_remaining(&mut self) -> Result<bool> {
        Ok(self.done)
    }

    fn filter_row_key(&mut self, row: &[u8]) -> Result<bool> {
        if self.done {
            return Ok(true);
        }
        if self.misled {
            let (code, hint) = self.misled(row);
            (self.code, self.hint) = (Some(code), hint);
            return Ok(false);
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
                    // A hint to the same row would not advance the scan.
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
