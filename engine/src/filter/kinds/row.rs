//! RowFilter: compares the row key.

use bytes::Bytes;

use super::{Kind, Parse};
use crate::cell::Cell;
use crate::compare_op::CompareOp;
use crate::error::Result;
use crate::filter::{Code, Comparator, Compare, Filter, FilterSpec};

#[derive(Debug, PartialEq)]
pub(super) struct Row(Compare);

impl FilterSpec {
    /// RowFilter: keeps the rows whose key passes the comparison.
    pub fn row(op: CompareOp, comparator: Comparator) -> Self {
        Self::of(Row(Compare::new(op, comparator)))
    }
}

impl Kind for Row {
    const CLASS: &'static str = "RowFilter";
    const PARSE: Option<Parse> = Some(|arguments| Ok(FilterSpec::of(Self(Compare::parse(arguments)?))));

    fn decode(body: &[u8], _depth: usize) -> Result<FilterSpec> {
        Ok(FilterSpec::of(Self(Compare::decode(body)?)))
    }

    fn encode(&self) -> Vec<u8> {
        self.0.encode()
    }

    fn start(&self, _reversed: bool) -> Box<dyn Filter> {
        Box::new(Running { compare: self.0.clone(), refused: false })
    }
}

struct Running {
    compare: Compare,
    refused: bool,
}

impl Filter for Running {
    fn reset(&mut self) -> Result<()> {
        self.refused = false;
        Ok(())
    }

    fn filter_row_key(&mut self, row: &[u8]) -> Result<bool> {
        if !self.compare.keeps(row)? {
            self.refused = true;
        }
        Ok(self.refused)
    }

    fn filter_cell(&mut self, _cell: &Cell) -> Result<Code> {
        Ok(if self.refused { Code::NextRow } else { Code::Include })
    }

    fn filter_row(&mut self) -> Result<bool> {
        Ok(self.refused)
    }

    fn first_row(&self) -> Option<Bytes> {
        self.compare.only().cloned()
    }

    fn last_row(&self) -> Option<Bytes> {
        self.compare.only().cloned()
    }
}
