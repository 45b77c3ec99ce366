//! WhileMatchFilter: ends the scan as soon as a filter excludes something.

use super::Kind;
use crate::cell::Cell;
use crate::error::Result;
use crate::filter::{Code, Filter, FilterSpec};

#[derive(Debug, PartialEq)]
pub(super) struct WhileMatch(FilterSpec);

impl FilterSpec {
    /// WhileMatchFilter: ends the scan as soon as the inner filter excludes a row or answers anything but `Include`
    /// about a cell.
    pub fn while_match(inner: FilterSpec) -> Self {
        Self::of(WhileMatch(inner))
    }
}

impl Kind for WhileMatch {
    const CLASS: &'static str = "WhileMatchFilter";

    fn decode(body: &[u8], depth: usize) -> Result<FilterSpec> {
        Ok(FilterSpec::while_match(FilterSpec::decode_inner(body, depth)?))
    }

    fn encode(&self) -> Vec<u8> {
        self.0.encode_inner()
    }

    fn start(&self, _reversed: bool) -> Box<dyn Filter> {
        Box::new(Running { inner: self.0.start_inner(), done: false })
    }

    fn members(&self) -> &[FilterSpec] {
        std::slice::from_ref(&self.0)
    }
}

struct Running {
    inner: Box<dyn Filter>,
    done: bool,
}

impl Filter for Running {
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
