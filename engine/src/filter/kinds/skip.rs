//! SkipFilter: excludes rows of which a filter does not keep every cell.

use super::Kind;
use crate::cell::Cell;
use crate::error::Result;
use crate::filter::{Code, Filter, FilterSpec};

#[derive(Debug, PartialEq)]
pub(super) struct Skip(FilterSpec);

impl FilterSpec {
    /// SkipFilter: excludes a row if the inner filter answers anything but `Include` about one of its cells.
    pub fn skip(inner: FilterSpec) -> Self {
        Self::of(Skip(inner))
    }
}

impl Kind for Skip {
    const CLASS: &'static str = "SkipFilter";

    fn decode(body: &[u8], depth: usize) -> Result<FilterSpec> {
        Ok(FilterSpec::skip(FilterSpec::decode_inner(body, depth)?))
    }

    fn encode(&self) -> Vec<u8> {
        self.0.encode_inner()
    }

    fn start(&self, _reversed: bool) -> Box<dyn Filter> {
        Box::new(Running { inner: self.0.start_inner(), refused: false })
    }

    fn members(&self) -> &[FilterSpec] {
        std::slice::from_ref(&self.0)
    }
}

/// It passes on neither row keys nor hints.
struct Running {
    inner: Box<dyn Filter>,
    refused: bool,
}

impl Filter for Running {
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
