//! Filters: what they are to whoever builds one ([`FilterSpec`], a value), and what they are to the read path ([`Filter`], running).
//!
//! Everything follows HBase's filter classes call by call: which codes they give, when they end a scan, what they keep between rows. Programs
//! depend on the oddities too, so an oddity that can be seen from outside is kept and said where it is.

mod columns;
mod comparator;
mod compare;
mod construct;
mod counts;
mod decimal;
mod dependent;
mod fuzzy;
mod list_all;
mod list_one;
mod order;
mod parse;
mod ranges;
pub mod regex;
mod rows;
mod single_column;
mod spec;
mod start;
mod substring;
mod times;
mod wire;
mod wrappers;

use bytes::Bytes;

use crate::cell::Cell;
use crate::error::Result;

pub use comparator::{BitwiseOp, Comparator};
pub use compare::{ColumnCheck, Compare};
pub use decimal::Decimal;
pub use fuzzy::{FuzzyPair, FuzzyRows};
pub use ranges::{RowRange, RowRanges};
pub use regex::{Charset, RegexComparator};
pub use spec::{DEPTH_MAX, FilterSpec, LENGTH_MAX, ListOperator};
pub use substring::Substring;

/// A filter's answer about a cell (HBase's `Filter.ReturnCode`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Code {
    /// Keep.
    Include,
    /// Keep, and go to the next column.
    IncludeAndNextCol,
    /// Keep, and leave this family of this row.
    IncludeAndSeekNextRow,
    /// Drop this cell only.
    Skip,
    /// Drop, and go to the next column.
    NextCol,
    /// Drop, and leave this family of this row.
    NextRow,
    /// Drop, and go on at the hint.
    SeekNextUsingHint,
}

impl Code {
    /// Whether the cell is kept.
    pub fn keeps(self) -> bool {
        matches!(self, Self::Include | Self::IncludeAndNextCol | Self::IncludeAndSeekNextRow)
    }
}

/// Where a filter wants to go on: the first cell at or after this place of the table. Holds for the family that is being read only: the others
/// go on by themselves, as HBase's stores do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hint {
    /// The row.
    pub row: Bytes,
    /// The family; empty: the first one of the row.
    pub family: Bytes,
    /// The qualifier; empty: the first one of the family.
    pub qualifier: Bytes,
    /// The newest timestamp of interest in that column; `i64::MAX`: from its first cell; `i64::MIN`: past its last one.
    pub timestamp: i64,
}

/// A running filter; its state is that of one region scan.
///
/// For each candidate row in scan order: `reset`; `filter_row_key`; then per family in order, for each cell, `filter_all_remaining` and
/// `filter_cell`, then `transform` if it is kept; at the end, with `has_filter_row`, `filter_row_cells` (if any cell was kept) and, if a
/// cell is left, `filter_row`; without it `filter_row` alone. `filter_all_remaining` ends the scan of the region after a returned row and after
/// a row refused by its key.
pub trait Filter: Send {
    /// A new row begins.
    fn reset(&mut self) -> Result<()> {
        Ok(())
    }

    /// Whether nothing further can pass.
    fn filter_all_remaining(&mut self) -> Result<bool> {
        Ok(false)
    }

    /// True: leave the row out without looking at its cells.
    fn filter_row_key(&mut self, _row: &[u8]) -> Result<bool> {
        self.filter_all_remaining()
    }

    /// The answer about a cell.
    fn filter_cell(&mut self, cell: &Cell) -> Result<Code>;

    /// After `SeekNextUsingHint`: where to go on. `None`: at the next cell.
    fn next_hint(&mut self, _cell: &Cell) -> Result<Option<Hint>> {
        Ok(None)
    }

    /// The cell as it is to be returned, once it is kept.
    fn transform(&mut self, cell: Cell) -> Result<Cell> {
        Ok(cell)
    }

    /// Whether it decides about whole rows (then scans refuse a batch size).
    fn has_filter_row(&self) -> bool {
        false
    }

    /// May take cells out of the finished row.
    fn filter_row_cells(&mut self, _cells: &mut Vec<Cell>) -> Result<()> {
        Ok(())
    }

    /// True: leave the finished row out.
    fn filter_row(&mut self) -> Result<bool> {
        Ok(false)
    }

    /// Whether rows without cells of this family can be passed over (false) or must be looked at (true).
    fn is_family_essential(&self, _family: &[u8]) -> bool {
        true
    }

    /// Before the scan: the smallest row (reversed: the largest) that can pass, if the filter knows one. A scan may begin there.
    fn first_row(&self) -> Option<Bytes> {
        None
    }

    /// Before the scan: the largest row (reversed: the smallest) that can pass, if the filter knows one. A scan may end behind it.
    fn last_row(&self) -> Option<Bytes> {
        None
    }

    /// Whether its answers about a row are the same whichever rows it was shown before. Only then may others' `first_row` and `last_row` keep
    /// rows from it.
    fn is_memoryless(&self) -> bool {
        true
    }

    /// Whether HBase's lists ask it for a hint even where another member has refused the row or cell (HBase's `HintingFilter`).
    fn is_hinting(&self) -> bool {
        false
    }
}
