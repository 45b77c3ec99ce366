//! DependentColumnFilter: cells that share a timestamp with a reference column of their row.

use std::collections::HashSet;

use bytes::Bytes;
use prost::Message;

use super::{Kind, Parse};
use crate::cell::Cell;
use crate::compare_op::CompareOp;
use crate::error::Result;
use crate::filter::compare::CompareMessage;
use crate::filter::serialised::message;
use crate::filter::{Code, Comparator, Compare, Filter, FilterSpec};

#[derive(Debug, Clone, PartialEq)]
pub(super) struct DependentColumn {
    family: Bytes,
    qualifier: Bytes,
    /// Whether the cells of the reference column are left out.
    drop_column: bool,
    /// The cells of the reference column that count. Without a comparator all of them count, regardless of the
    /// operator.
    compare: Compare,
}

impl FilterSpec {
    /// DependentColumnFilter: keeps the cells that share a timestamp with a cell of the reference column of their
    /// row. With `compare`, only those cells of the reference column count whose value passes the comparison.
    /// `drop_column` leaves the reference column out.
    pub fn dependent(
        family: impl Into<Bytes>,
        qualifier: impl Into<Bytes>,
        drop_column: bool,
        compare: Option<(CompareOp, Comparator)>,
    ) -> Self {
        let compare = match compare {
            Some((op, comparator)) => Compare::new(op, comparator),
            None => Compare { op: CompareOp::NoOp, comparator: None },
        };
        Self::of(DependentColumn { family: family.into(), qualifier: qualifier.into(), drop_column, compare })
    }
}

/// HBase's DependentColumnFilter.
#[derive(Clone, PartialEq, Message)]
struct Body {
    #[prost(message, optional, tag = "1")]
    compare_filter: Option<CompareMessage>,
    #[prost(bytes = "bytes", optional, tag = "2")]
    column_family: Option<Bytes>,
    #[prost(bytes = "bytes", optional, tag = "3")]
    column_qualifier: Option<Bytes>,
    #[prost(bool, optional, tag = "4")]
    drop_dependent_column: Option<bool>,
}

impl Kind for DependentColumn {
    const CLASS: &'static str = "DependentColumnFilter";
    const PARSE: Option<Parse> = Some(|arguments| {
        let signature = "2, 3 or 5: family, qualifier, dropDependentColumn, operator, comparator";
        arguments.count(&[2, 3, 5], signature)?;
        let (family, qualifier) = (arguments.string(0)?, arguments.string(1)?);
        let drop_column = arguments.len() > 2 && arguments.truth(2)?;
        // HBase does not restrict the operator of regexstring and substring comparators here.
        let compare = match arguments.len() {
            5 => Some((arguments.operator(3)?, arguments.comparator(4)?)),
            _ => None,
        };
        Ok(FilterSpec::dependent(family, qualifier, drop_column, compare))
    });

    fn decode(body: &[u8], _depth: usize) -> Result<FilterSpec> {
        let body: Body = message(body)?;
        Ok(FilterSpec::of(Self {
            compare: Compare::from_message(body.compare_filter)?,
            family: body.column_family.unwrap_or_default(),
            qualifier: body.column_qualifier.unwrap_or_default(),
            drop_column: body.drop_dependent_column.unwrap_or(false),
        }))
    }

    fn encode(&self) -> Vec<u8> {
        let body = Body {
            compare_filter: Some(self.compare.to_message()),
            column_family: Some(self.family.clone()),
            column_qualifier: Some(self.qualifier.clone()),
            drop_dependent_column: Some(self.drop_column),
        };
        body.encode_to_vec()
    }

    fn start(&self, _reversed: bool) -> Box<dyn Filter> {
        Box::new(Running { spec: self.clone(), timestamps: HashSet::new() })
    }
}

struct Running {
    spec: DependentColumn,
    /// The timestamps of the row's reference column.
    timestamps: HashSet<i64>,
}

impl Filter for Running {
    fn reset(&mut self) -> Result<()> {
        self.timestamps.clear();
        Ok(())
    }

    fn filter_cell(&mut self, cell: &Cell) -> Result<Code> {
        let DependentColumn { family, qualifier, drop_column, compare } = &self.spec;
        if cell.family != family || cell.qualifier != qualifier {
            return Ok(Code::Include);
        }
        if compare.comparator.is_some() && !compare.keeps(&cell.value)? {
            return Ok(Code::Skip);
        }
        self.timestamps.insert(cell.timestamp);
        Ok(if *drop_column { Code::Skip } else { Code::Include })
    }

    fn has_filter_row(&self) -> bool {
        true
    }

    fn filter_row_cells(&mut self, cells: &mut Vec<Cell>) -> Result<()> {
        cells.retain(|cell| self.timestamps.contains(&cell.timestamp));
        Ok(())
    }
}
