//! MultiRowRangeFilter: rows in one of several ranges.

use std::cmp::Ordering;
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
        let (mut merged, mut moved) = (Vec::<RowRange>::with_capacity(ranges.len()), false);
        let (mut invalid, mut follows_open) = (Vec::new(), false);
        for range in ranges {
            if !range.is_valid() {
                // HBase counts it twice directly behind a range without an end that does not continue another one.
                invalid.extend(std::iter::repeat_n(range.clone(), 1 + usize::from(follows_open)));
            }
            follows_open = false;
            match merged.last_mut() {
                Some(last) if last.reaches(&range) => last.absorb(range, &mut moved),
                _ => {
                    follows_open = range.stop.is_empty();
                    merged.push(range);
                    moved = false;
                }
            }
        }
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
        Box::new(Running {
            ranges: self.ranges.clone(),
            reversed,
            current: None,
            found: false,
            done: false,
            code: None,
            hint: None,
        })
    }
}

struct Running {
    ranges: Vec<RowRange>,
    reversed: bool,
    /// The range of the row before, in a reversed scan.
    current: Option<usize>,
    /// Whether HBase has found its first range, in a reversed scan.
    found: bool,
    done: bool,
    /// The answer about the row's cells, from the row key. SkipFilter does not pass on row keys, so inside it there
    /// is none.
    code: Option<Code>,
    hint: Option<Bytes>,
}

/// The result of HBase's binary search.
enum Found {
    /// The row is the end of a range.
    End(usize),
    /// A range that contains the row.
    Within(usize),
    /// A range that the scan proceeds to.
    Ahead(usize),
    /// The row is before all ranges, in the direction of the scan.
    Before,
    /// The row is behind all ranges.
    Behind,
}

impl Running {
    /// HBase's search in a reversed scan, by the ends of the ranges, which are in descending order. If the last range
    /// has no end, the search takes this one for one behind every row, and therefore may miss those that follow it.
    fn search(&self, row: &[u8]) -> Found {
        let count = self.ranges.len();
        let range = |index: usize| &self.ranges[count - 1 - index];
        let (mut low, mut high) = (0, count);
        while low < high {
            // `high` is exclusive, and HBase's is not: (low + (high - 1)) / 2.
            let middle = (low + high - 1) / 2;
            match row.cmp(&range(middle).stop) {
                Ordering::Greater => high = middle,
                Ordering::Less => low = middle + 1,
                Ordering::Equal => return Found::End(count - 1 - middle),
            }
        }
        if low > 0 && range(low - 1).contains(row) {
            return Found::Within(count - low);
        }
        match low {
            0 if !range(0).contains(row) => Found::Before,
            _ if low == count => Found::Behind,
            _ => Found::Ahead(count - 1 - low),
        }
    }

    /// The answer about a row of a reversed scan, and the row to seek.
    fn answer_reversed(&mut self, row: &[u8]) -> (Code, Option<Bytes>) {
        if !self.found || self.current.is_none_or(|current| !self.ranges[current].contains(row)) {
            let was_found = self.found;
            match self.search(row) {
                Found::End(index) => {
                    self.current = Some(index);
                    if !self.ranges[index].stop_inclusive {
                        return (Code::NextRow, None);
                    }
                    self.found = true;
                    if !was_found {
                        // Even if the range is (row, row], which does not contain it.
                        return (Code::Include, None);
                    }
                }
                Found::Within(index) | Found::Ahead(index) => self.current = Some(index),
                Found::Before => self.current = Some(self.ranges.len() - 1),
                Found::Behind => {
                    self.done = true;
                    return (Code::NextRow, None);
                }
            }
            self.found = true;
        }
        match self.current.map(|current| &self.ranges[current]) {
            Some(range) if range.contains(row) => (Code::Include, None),
            // A hint to the same row would not advance the scan.
            Some(range) if range.stop[..] == *row => (Code::NextRow, None),
            // If this range has no end, the scan seeks the empty row, which ends it in this region.
            Some(range) => (Code::SeekNextUsingHint, Some(range.stop.clone())),
            None => (Code::NextRow, None),
        }
    }

    /// The answer about a row of a forward scan, and the row to seek.
    fn answer(&mut self, row: &[u8]) -> (Code, Option<Bytes>) {
        match self.ranges.get(self.ranges.partition_point(|range| range.ends_below(row))) {
            None => {
                self.done = true;
                (Code::NextRow, None)
            }
            Some(range) if !range.begins_above(row) => (Code::Include, None),
            // A hint to the same row would not advance the scan.
            Some(range) if range.start[..] == *row => (Code::NextRow, None),
            Some(range) => (Code::SeekNextUsingHint, Some(range.start.clone())),
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
        let (code, hint) = if self.reversed { self.answer_reversed(row) } else { self.answer(row) };
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
        if self.reversed && self.ranges.iter().any(|range| !range.start_inclusive && range.start == range.stop) {
            // The rows before it decide whether the scan returns the row of such a range.
            return None;
        }
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
