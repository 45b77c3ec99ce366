//! DependentColumnFilter: cells that share a timestamp with a reference column of their row.

use std::collections::HashSet;

use bytes::Bytes;

use super::compare::Compare;
use super::{Code, Filter};
use crate::cell::Cell;
use crate::error::Result;

/// DependentColumnFilter.
pub(super) struct Dependent {
    pub(super) family: Bytes,
    pub(super) qualifier: Bytes,
    /// The reference column's own cells are left out.
    pub(super) drop_column: bool,
    /// Which cells of the reference column count; without a comparator all of them, whatever the operator.
    pub(super) compare: Compare,
    pub(super) timestamps: HashSet<i64>,
}

impl Filter for Dependent {
    fn reset(&mut self) -> Result<()> {
        self.timestamps.clear();
        Ok(())
    }

    fn filter_cell(&mut self, cell: &Cell) -> Result<Code> {
        if cell.family != self.family || cell.qualifier != self.qualifier {
            return Ok(Code::Include);
        }
        if self.compare.comparator.is_some() && !self.compare.keeps(&cell.value)? {
            return Ok(Code::Skip);
        }
        self.timestamps.insert(cell.timestamp);
        Ok(if self.drop_column { Code::Skip } else { Code::Include })
    }

    fn has_filter_row(&self) -> bool {
        true
    }

    fn filter_row_cells(&mut self, cells: &mut Vec<Cell>) -> Result<()> {
        cells.retain(|cell| self.timestamps.contains(&cell.timestamp));
        Ok(())
    }
}
