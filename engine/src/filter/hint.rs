//! Hints: where a filter asks a scan to continue.

use std::cmp::Ordering;

use bytes::Bytes;

use crate::cell::Cell;

/// The place in a table where a filter asks the scan to continue: at the first cell at or after it. A hint applies to
/// the family that is being read. Other families advance by themselves, as HBase's stores do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hint {
    /// The row.
    pub row: Bytes,
    /// The family; empty: the first family of the row.
    pub family: Bytes,
    /// The qualifier; empty: the first column of the family.
    pub qualifier: Bytes,
    /// The newest timestamp wanted in the column; `i64::MAX`: the column's first cell; `i64::MIN`: after its last cell.
    pub timestamp: i64,
}

impl Hint {
    /// The beginning of a row.
    pub(super) fn row(row: impl Into<Bytes>) -> Self {
        Self { row: row.into(), family: Bytes::new(), qualifier: Bytes::new(), timestamp: i64::MAX }
    }

    /// The beginning of a column in the cell's row and family.
    pub(super) fn column(cell: &Cell, qualifier: Bytes) -> Self {
        Self { row: cell.row.clone(), family: cell.family.clone(), qualifier, timestamp: i64::MAX }
    }

    /// The position of a cell relative to the hint, in HBase's order of cells: `Less` if a forward scan has not
    /// reached the hint at this cell. A cell exactly at the hint counts as after it.
    pub fn locate(&self, cell: &Cell) -> Ordering {
        cell.row
            .cmp(&self.row)
            .then_with(|| cell.family.cmp(&self.family))
            .then_with(|| cell.qualifier.cmp(&self.qualifier))
            .then_with(|| self.timestamp.cmp(&cell.timestamp))
            .then(Ordering::Greater)
    }

    /// The order of two hints in the table.
    pub(super) fn order(&self, other: &Self) -> Ordering {
        self.row
            .cmp(&other.row)
            .then_with(|| self.family.cmp(&other.family))
            .then_with(|| self.qualifier.cmp(&other.qualifier))
            .then_with(|| other.timestamp.cmp(&self.timestamp))
    }
}
