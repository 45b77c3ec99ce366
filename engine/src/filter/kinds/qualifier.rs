//! QualifierFilter: compares the qualifier.

use super::{Kind, Parse};
use crate::cell::Cell;
use crate::compare_op::CompareOp;
use crate::error::Result;
use crate::filter::{Code, Comparator, Compare, Filter, FilterSpec};

#[derive(Debug, Clone, PartialEq)]
pub(super) struct Qualifier(Compare);

impl FilterSpec {
    /// QualifierFilter: keeps the cells whose qualifier passes the comparison.
    pub fn qualifier(op: CompareOp, comparator: Comparator) -> Self {
        Self::of(Qualifier(Compare::new(op, comparator)))
    }
}

impl Kind for Qualifier {
    const CLASS: &'static str = "QualifierFilter";
    const PARSE: Option<Parse> = Some(|arguments| Ok(FilterSpec::of(Self(Compare::parse(arguments)?))));

    fn decode(body: &[u8], _depth: usize) -> Result<FilterSpec> {
        Ok(FilterSpec::of(Self(Compare::decode(body)?)))
    }

    fn encode(&self) -> Vec<u8> {
        self.0.encode()
    }

    fn start(&self, _reversed: bool) -> Box<dyn Filter> {
        Box::new(self.clone())
    }
}

impl Filter for Qualifier {
    fn filter_cell(&mut self, cell: &Cell) -> Result<Code> {
        Ok(if self.0.keeps(&cell.qualifier)? { Code::Include } else { Code::Skip })
    }
}
