//! ValueFilter: compares the value of each version.

use super::{Kind, Parse};
use crate::cell::Cell;
use crate::compare_op::CompareOp;
use crate::error::Result;
use crate::filter::{Code, Comparator, Compare, Filter, FilterSpec};

#[derive(Debug, Clone, PartialEq)]
pub(super) struct Value(Compare);

impl FilterSpec {
    /// ValueFilter: keeps the cells whose value passes the comparison.
    pub fn value(op: CompareOp, comparator: Comparator) -> Self {
        Self::of(Value(Compare::new(op, comparator)))
    }
}

impl Kind for Value {
    const CLASS: &'static str = "ValueFilter";
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

impl Filter for Value {
    fn filter_cell(&mut self, cell: &Cell) -> Result<Code> {
        Ok(if self.0.keeps(&cell.value)? { Code::Include } else { Code::Skip })
    }
}
