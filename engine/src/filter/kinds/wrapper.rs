//! FilterWrapper: HBase's internal wrapper around every filter, which clients may send too.

use super::Kind;
use crate::cell::Cell;
use crate::error::Result;
use crate::filter::{Code, Filter, FilterSpec, Hint};

#[derive(Debug, PartialEq)]
pub(super) struct Wrapper(FilterSpec);

impl FilterSpec {
    /// FilterWrapper: HBase's internal wrapper around every filter. The inner filter's row methods run twice a row.
    pub fn wrapper(inner: FilterSpec) -> Self {
        Self::of(Wrapper(inner))
    }
}

impl Kind for Wrapper {
    const CLASS: &'static str = "FilterWrapper";

    fn decode(body: &[u8], depth: usize) -> Result<FilterSpec> {
        Ok(FilterSpec::wrapper(FilterSpec::decode_inner(body, depth)?))
    }

    fn encode(&self) -> Vec<u8> {
        self.0.encode_inner()
    }

    fn start(&self, _reversed: bool) -> Box<dyn Filter> {
        Box::new(Running { inner: self.0.start_inner() })
    }

    fn members(&self) -> &[FilterSpec] {
        std::slice::from_ref(&self.0)
    }
}

/// The row methods of the inner filter run twice a row. Filters that count rows notice this.
struct Running {
    inner: Box<dyn Filter>,
}

impl Filter for Running {
    fn reset(&mut self) -> Result<()> {
        self.inner.reset()
    }

    fn filter_all_remaining(&mut self) -> Result<bool> {
        self.inner.filter_all_remaining()
    }

    fn filter_row_key(&mut self, row: &[u8]) -> Result<bool> {
        Ok(self.inner.filter_all_remaining()? || self.inner.filter_row_key(row)?)
    }

    fn filter_cell(&mut self, cell: &Cell) -> Result<Code> {
        self.inner.filter_cell(cell)
    }

    fn next_hint(&mut self, cell: &Cell) -> Result<Option<Hint>> {
        self.inner.next_hint(cell)
    }

    fn transform(&mut self, cell: Cell) -> Result<Cell> {
        self.inner.transform(cell)
    }

    fn has_filter_row(&self) -> bool {
        self.inner.has_filter_row()
    }

    fn filter_row_cells(&mut self, cells: &mut Vec<Cell>) -> Result<()> {
        self.inner.filter_row_cells(cells)?;
        if !cells.is_empty() && self.inner.filter_row()? {
            cells.clear();
        }
        Ok(())
    }

    fn filter_row(&mut self) -> Result<bool> {
        self.inner.filter_row()
    }

    fn is_family_essential(&self, family: &[u8]) -> bool {
        self.inner.is_family_essential(family)
    }

    // The inner filter does not know the direction of the scan, so its first and last row may be swapped.
    fn is_memoryless(&self) -> bool {
        false
    }
}
