//! FamilyFilter: compares the family's name.

use super::{Kind, Parse};
use crate::cell::Cell;
use crate::compare_op::CompareOp;
use crate::error::Result;
use crate::filter::{Code, Comparator, Compare, Filter, FilterSpec};

#[derive(Debug, Clone, PartialEq)]
pub(super) struct Family(Compare);

impl FilterSpec {
    /// FamilyFilter: keeps the cells whose family passes the comparison.
    pub fn family(op: CompareOp, comparator: Comparator) -> Self {
        Self::of(Family(Compare::new(op, comparator)))
    }
}

impl Kind for Family {
    const CLASS: &'static str = "FamilyFilter";
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

impl Filter for Family {
    fn filter_cell(&mut self, cell: &Cell) -> Result<Code> {
        Ok(if self.0.keeps(&cell.family)? { Code::Include } else { Code::NextRow })
    }
}
