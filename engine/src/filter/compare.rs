//! What the comparing filters share: an operator with a comparator, and a column with both.

use std::cmp::Ordering;

use bytes::Bytes;

use super::comparator::Comparator;
use crate::cell::Cell;
use crate::compare_op::CompareOp;
use crate::error::{Error, ErrorKind, Result};

/// An operator and what to compare with: a part of a cell is kept if `part op comparator`.
#[derive(Debug, Clone, PartialEq)]
pub struct Compare {
    /// The operator; `NoOp` keeps nothing.
    pub op: CompareOp,
    /// What to compare with. `None` can only come from HBase's serialised form and fails when it is used.
    pub comparator: Option<Comparator>,
}

impl Compare {
    /// An operator with a comparator.
    pub fn new(op: CompareOp, comparator: Comparator) -> Self {
        Self { op, comparator: Some(comparator) }
    }

    /// Whether a part of a cell passes.
    pub(super) fn keeps(&self, part: &[u8]) -> Result<bool> {
        if self.op == CompareOp::NoOp {
            return Ok(false);
        }
        let Some(comparator) = &self.comparator else {
            return Err(Error::new(
                ErrorKind::Unprocessable,
                format!("a filter compares with operator {:?} but has no comparator", self.op),
            ));
        };
        Ok(holds(self.op, comparator.order(part)?))
    }

    /// The one byte string that can pass, if there is just one and it is not empty.
    pub(super) fn only(&self) -> Option<&Bytes> {
        match (self.op, &self.comparator) {
            (CompareOp::Equal, Some(Comparator::Binary(value))) if !value.is_empty() => Some(value),
            _ => None,
        }
    }
}

/// Whether `part op comparator` holds, given how the comparator lies to the part.
fn holds(op: CompareOp, comparator_to_part: Ordering) -> bool {
    match op {
        CompareOp::Less => comparator_to_part.is_gt(),
        CompareOp::LessOrEqual => comparator_to_part.is_ge(),
        CompareOp::Equal => comparator_to_part.is_eq(),
        CompareOp::NotEqual => comparator_to_part.is_ne(),
        CompareOp::GreaterOrEqual => comparator_to_part.is_le(),
        CompareOp::Greater => comparator_to_part.is_lt(),
        CompareOp::NoOp => false,
    }
}

/// A column and a comparison of its value; for the filters that decide about rows also what a missing column means.
#[derive(Debug, Clone, PartialEq)]
pub struct ColumnCheck {
    /// The family's name.
    pub family: Bytes,
    /// The qualifier.
    pub qualifier: Bytes,
    /// The comparison of the value.
    pub compare: Compare,
    /// Rows without the column are dropped.
    pub filter_if_missing: bool,
    /// Only the newest version counts.
    pub latest_version_only: bool,
}

impl ColumnCheck {
    /// A column with a comparison; rows without the column pass, and only the newest version counts, as in HBase's constructors.
    pub fn new(family: impl Into<Bytes>, qualifier: impl Into<Bytes>, op: CompareOp, comparator: Comparator) -> Self {
        Self {
            family: family.into(),
            qualifier: qualifier.into(),
            compare: Compare::new(op, comparator),
            filter_if_missing: false,
            latest_version_only: true,
        }
    }

    /// Whether a cell is of the column.
    pub(super) fn is_of(&self, cell: &Cell) -> bool {
        self.family == cell.family && self.qualifier == cell.qualifier
    }
}
