//! HBase's filters: as values ([`FilterSpec`]), and running in a scan ([`Filter`]).
//!
//! A filter is one file of `kinds/`, with its arguments in the filter language (`language/`), its serialised form
//! (`serialised/`) and its running form. A comparator is one file of `comparators/`.
//!
//! Running filters give the answers of HBase's classes, call by call: the return codes, the end of a scan, the state
//! that outlives a row. Programs depend on the oddities too. Oddities that clients can observe are kept, and a
//! comment at the place names them.

mod column_check;
mod comparators;
mod compare;
mod hint;
mod kinds;
mod language;
pub mod regex;
mod serialised;
mod spec;
pub(crate) mod work;

use bytes::Bytes;

use crate::cell::Cell;
use crate::error::Result;

pub use column_check::ColumnCheck;
pub use comparators::{BitwiseOp, Comparator};
pub use compare::Compare;
pub use hint::Hint;
pub use kinds::{FuzzyPair, ListOperator, RowRange};
pub use spec::{DEPTH_MAX, FilterSpec, LENGTH_MAX, check_depth};

/// A filter's answer about a cell (HBase's `Filter.ReturnCode`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Code {
    /// Keep the cell.
    Include,
    /// Keep the cell, and go to the next column.
    IncludeAndNextCol,
    /// Keep the cell, and leave this family of the row.
    IncludeAndSeekNextRow,
    /// Drop the cell.
    Skip,
    /// Drop the cell, and go to the next column.
    NextCol,
    /// Drop the cell, and leave this family of the row.
    NextRow,
    /// Drop the cell, and continue at the filter's hint.
    SeekNextUsingHint,
}

impl Code {
    /// Whether the cell is kept.
    pub fn keeps(self) -> bool {
        matches!(self, Self::Include | Self::IncludeAndNextCol | Self::IncludeAndSeekNextRow)
    }
}

/// A running filter. Its state covers the scan of one region.
///
/// The calls for each candidate row, in the order of the scan:
///
/// 1. `reset`, then `filter_row_key`.
/// 2. For each family in order and each of its cells: `filter_all_remaining`, then `filter_cell`, and `transform` if
///    the cell is kept.
/// 3. If `has_filter_row`: `filter_row_cells` if a cell was kept, then `filter_row` if a cell is left. Otherwise
///    `filter_row` alone.
///
/// `filter_all_remaining` also ends the scan of the region after a returned row and after a row that its key excluded.
pub trait Filter: Send {
    /// A new row begins.
    fn reset(&mut self) -> Result<()> {
        Ok(())
    }

    /// Whether the filter excludes everything that follows.
    fn filter_all_remaining(&mut self) -> Result<bool> {
        Ok(false)
    }

    /// Whether to exclude the row without reading its cells.
    fn filter_row_key(&mut self, _row: &[u8]) -> Result<bool> {
        self.filter_all_remaining()
    }

    /// The answer about a cell.
    fn filter_cell(&mut self, cell: &Cell) -> Result<Code>;

    /// Where to continue after `SeekNextUsingHint`; `None`: at the next cell.
    fn next_hint(&mut self, _cell: &Cell) -> Result<Option<Hint>> {
        Ok(None)
    }

    /// A kept cell as it is to be returned.
    fn transform(&mut self, cell: Cell) -> Result<Cell> {
        Ok(cell)
    }

    /// Whether the filter decides about whole rows. Scans with such a filter refuse a batch size.
    fn has_filter_row(&self) -> bool {
        false
    }

    /// May remove cells from the finished row.
    fn filter_row_cells(&mut self, _cells: &mut Vec<Cell>) -> Result<()> {
        Ok(())
    }

    /// Whether to exclude the finished row.
    fn filter_row(&mut self) -> Result<bool> {
        Ok(false)
    }

    /// Whether the filter decides about rows by the cells of this family. Rows without cells in any such family are
    /// skipped, and other families are read for kept rows only.
    fn is_family_essential(&self, _family: &[u8]) -> bool {
        true
    }

    /// The smallest row (in reversed scans: the largest) that can pass, if the filter knows one. Asked before the
    /// scan, which may begin there.
    fn first_row(&self) -> Option<Bytes> {
        None
    }

    /// The largest row (in reversed scans: the smallest) that can pass, if the filter knows one. Asked before the
    /// scan, which may end there.
    fn last_row(&self) -> Option<Bytes> {
        None
    }

    /// Whether the answers about a row do not depend on the rows before it. Only then may the `first_row` and
    /// `last_row` of other filters withhold rows from this one.
    fn is_memoryless(&self) -> bool {
        true
    }

    /// Whether lists ask the filter for a hint even if another member has excluded the row or cell (HBase's
    /// `HintingFilter`).
    fn is_hinting(&self) -> bool {
        false
    }
}
