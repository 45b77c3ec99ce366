//! Filters: what they are to whoever builds one, and what they are to the read path.

use bytes::Bytes;

use crate::cell::Cell;
use crate::error::Result;

/// A filter as a value: built from text, from HBase's serialised form, or by constructors; makes its running form for each region scan.
#[derive(Debug, Clone, PartialEq)]
pub struct FilterSpec;

impl FilterSpec {
    /// A fresh running filter. `reversed`: the scan goes downwards.
    pub fn start(&self, _reversed: bool) -> Result<Box<dyn Filter>> {
        Err(crate::Error::invalid("filters are not built yet"))
    }
}

/// A filter's answer about a cell (HBase's `Filter.ReturnCode`; filters.md §4).
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

/// Where a filter wants to go on: the first cell at or after this place of the table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hint {
    /// The row.
    pub row: Bytes,
    /// The family; empty: the first one of the row.
    pub family: Bytes,
    /// The qualifier; empty: the first one of the family.
    pub qualifier: Bytes,
    /// The newest timestamp of interest in that column; `i64::MAX`: from its first cell.
    pub timestamp: i64,
}

/// A running filter; its state is that of one region scan. The order of calls is that of filters.md §4.
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
        Ok(false)
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
}
