//! Filters around another one: SkipFilter, WhileMatchFilter, FilterWrapper.

use super::{Code, Filter, Hint};
use crate::cell::Cell;
use crate::error::Result;

/// SkipFilter: drops a row as soon as its filter answers anything but plain `Include` about a cell. It passes on neither row keys nor hints.
pub(super) struct Skip {
    pub(super) inner: Box<dyn Filter>,
    pub(super) refused: bool,
}

impl Filter for Skip {
    fn reset(&mut self) -> Result<()> {
        self.refused = false;
        self.inner.reset()
    }

    fn filter_cell(&mut self, cell: &Cell) -> Result<Code> {
        let code = self.inner.filter_cell(cell)?;
        self.refused |= code != Code::Include;
        Ok(code)
    }

    fn transform(&mut self, cell: Cell) -> Result<Cell> {
        self.inner.transform(cell)
    }

    fn has_filter_row(&self) -> bool {
        true
    }

    fn filter_row(&mut self) -> Result<bool> {
        Ok(self.refused)
    }

    fn is_family_essential(&self, family: &[u8]) -> bool {
        self.inner.is_family_essential(family)
    }

    fn is_memoryless(&self) -> bool {
        self.inner.is_memoryless()
    }
}

/// WhileMatchFilter: ends the scan as soon as its filter refuses a row or answers anything but plain `Include` about a cell.
pub(super) struct While {
    pub(super) inner: Box<dyn Filter>,
    pub(super) done: bool,
}

impl Filter for While {
    fn reset(&mut self) -> Result<()> {
        self.inner.reset()
    }

    fn filter_all_remaining(&mut self) -> Result<bool> {
        Ok(self.done || self.inner.filter_all_remaining()?)
    }

    fn filter_row_key(&mut self, row: &[u8]) -> Result<bool> {
        let refused = self.inner.filter_row_key(row)?;
        self.done |= refused;
        Ok(refused)
    }

    fn filter_cell(&mut self, cell: &Cell) -> Result<Code> {
        let code = self.inner.filter_cell(cell)?;
        self.done |= code != Code::Include;
        Ok(code)
    }

    fn transform(&mut self, cell: Cell) -> Result<Cell> {
        self.inner.transform(cell)
    }

    fn has_filter_row(&self) -> bool {
        true
    }

    fn filter_row(&mut self) -> Result<bool> {
        let refused = self.inner.filter_row()?;
        self.done |= refused;
        Ok(refused)
    }

    fn is_family_essential(&self, family: &[u8]) -> bool {
        self.inner.is_family_essential(family)
    }

    fn is_memoryless(&self) -> bool {
        false
    }
}

/// FilterWrapper: HBase's own wrapper around every filter, which a client may name too. Its row methods then run twice a row, which filters
/// that count rows notice.
pub(super) struct Wrapper(pub(super) Box<dyn Filter>);

impl Filter for Wrapper {
    fn reset(&mut self) -> Result<()> {
        self.0.reset()
    }

    fn filter_all_remaining(&mut self) -> Result<bool> {
        self.0.filter_all_remaining()
    }

    fn filter_row_key(&mut self, row: &[u8]) -> Result<bool> {
        Ok(self.0.filter_all_remaining()? || self.0.filter_row_key(row)?)
    }

    fn filter_cell(&mut self, cell: &Cell) -> Result<Code> {
        self.0.filter_cell(cell)
    }

    fn next_hint(&mut self, cell: &Cell) -> Result<Option<Hint>> {
        self.0.next_hint(cell)
    }

    fn transform(&mut self, cell: Cell) -> Result<Cell> {
        self.0.transform(cell)
    }

    fn has_filter_row(&self) -> bool {
        self.0.has_filter_row()
    }

    fn filter_row_cells(&mut self, cells: &mut Vec<Cell>) -> Result<()> {
        self.0.filter_row_cells(cells)?;
        if !cells.is_empty() && self.0.filter_row()? {
            cells.clear();
        }
        Ok(())
    }

    fn filter_row(&mut self) -> Result<bool> {
        self.0.filter_row()
    }

    fn is_family_essential(&self, family: &[u8]) -> bool {
        self.0.is_family_essential(family)
    }

    // What it holds is not told the direction of the scan, so its first and last row may be the wrong way round.
    fn is_memoryless(&self) -> bool {
        false
    }
}
