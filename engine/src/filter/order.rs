//! HBase's order of cells, between a hint and a cell or another hint.

use std::cmp::Ordering;

use super::Hint;
use crate::cell::Cell;

impl Hint {
    /// The first place of a row.
    pub(super) fn row(row: impl Into<bytes::Bytes>) -> Self {
        Self { row: row.into(), family: Default::default(), qualifier: Default::default(), timestamp: i64::MAX }
    }

    /// The first place of another column in the family of this cell.
    pub(super) fn column(cell: &Cell, qualifier: bytes::Bytes) -> Self {
        Self { row: cell.row.clone(), family: cell.family.clone(), qualifier, timestamp: i64::MAX }
    }

    /// Where this cell lies as seen from the hint: `Less` if a scan upwards still has to go on to reach it. A cell exactly at the hint
    /// lies behind it.
    pub fn locate(&self, cell: &Cell) -> Ordering {
        cell.row
            .cmp(&self.row)
            .then_with(|| cell.family.cmp(&self.family))
            .then_with(|| cell.qualifier.cmp(&self.qualifier))
            .then_with(|| self.timestamp.cmp(&cell.timestamp))
            .then(Ordering::Greater)
    }

    /// Which of two hints comes first in the table.
    pub(super) fn order(&self, other: &Self) -> Ordering {
        self.row
            .cmp(&other.row)
            .then_with(|| self.family.cmp(&other.family))
            .then_with(|| self.qualifier.cmp(&other.qualifier))
            .then_with(|| other.timestamp.cmp(&self.timestamp))
    }
}
