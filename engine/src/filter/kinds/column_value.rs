//! ColumnValueFilter: the cells of one column whose value passes a comparison.

use bytes::Bytes;
use prost::Message;

use super::{Kind, Parse};
use crate::cell::Cell;
use crate::compare_op::CompareOp;
use crate::error::Result;
use crate::filter::compare::operator;
use crate::filter::serialised::{Named, message, required};
use crate::filter::{Code, Comparator, Compare, Filter, FilterSpec};

#[derive(Debug, Clone, PartialEq)]
pub(super) struct ColumnValue {
    family: Bytes,
    qualifier: Bytes,
    compare: Compare,
}

impl FilterSpec {
    /// ColumnValueFilter: keeps the cells of one column whose value passes the comparison, and no other cells.
    pub fn column_value(
        family: impl Into<Bytes>,
        qualifier: impl Into<Bytes>,
        op: CompareOp,
        comparator: Comparator,
    ) -> Self {
        let compare = Compare::new(op, comparator);
        Self::of(ColumnValue { family: family.into(), qualifier: qualifier.into(), compare })
    }
}

/// HBase's ColumnValueFilter.
#[derive(Clone, PartialEq, Message)]
struct Body {
    #[prost(bytes = "bytes", optional, tag = "1")]
    family: Option<Bytes>,
    #[prost(bytes = "bytes", optional, tag = "2")]
    qualifier: Option<Bytes>,
    #[prost(int32, optional, tag = "3")]
    compare_op: Option<i32>,
    #[prost(message, optional, tag = "4")]
    comparator: Option<Named>,
}

impl Kind for ColumnValue {
    const CLASS: &'static str = "ColumnValueFilter";
    const PARSE: Option<Parse> = Some(|arguments| {
        arguments.count(&[4], "4: family, qualifier, operator, comparator")?;
        let (family, qualifier) = (arguments.string(0)?, arguments.string(1)?);
        let (op, comparator) = arguments.compare(2)?;
        Ok(FilterSpec::column_value(family, qualifier, op, comparator))
    });

    fn decode(body: &[u8], _depth: usize) -> Result<FilterSpec> {
        let body: Body = message(body)?;
        let (family, qualifier) = required(body.family.zip(body.qualifier), "family, qualifier")?;
        let op = operator(body.compare_op)?;
        let comparator = Comparator::from_named(required(body.comparator, "comparator")?)?;
        Ok(FilterSpec::column_value(family, qualifier, op, comparator))
    }

    fn encode(&self) -> Vec<u8> {
        let body = Body {
            family: Some(self.family.clone()),
            qualifier: Some(self.qualifier.clone()),
            compare_op: Some(self.compare.op as i32),
            comparator: self.compare.comparator.as_ref().map(Comparator::to_named),
        };
        body.encode_to_vec()
    }

    fn start(&self, _reversed: bool) -> Box<dyn Filter> {
        Box::new(Running { spec: self.clone(), found: false })
    }
}

struct Running {
    spec: ColumnValue,
    found: bool,
}

impl Filter for Running {
    fn reset(&mut self) -> Result<()> {
        self.found = false;
        Ok(())
    }

    fn filter_cell(&mut self, cell: &Cell) -> Result<Code> {
        if self.spec.family != cell.family || self.spec.qualifier != cell.qualifier {
            return Ok(if self.found { Code::NextRow } else { Code::NextCol });
        }
        self.found = true;
        Ok(if self.spec.compare.keeps(&cell.value)? { Code::Include } else { Code::Skip })
    }

    fn is_family_essential(&self, family: &[u8]) -> bool {
        self.spec.family == family
    }
}
