//! A check of one column's value. Shared by SingleColumnValueFilter and SingleColumnValueExcludeFilter.

use bytes::Bytes;
use prost::Message;

use super::comparators::Comparator;
use super::compare::{Compare, operator};
use super::language::{Arguments, Parsed};
use super::serialised::{Named, required};
use crate::cell::Cell;
use crate::compare_op::CompareOp;
use crate::error::Result;

/// A column and a comparison of its value.
#[derive(Debug, Clone, PartialEq)]
pub struct ColumnCheck {
    /// The family's name.
    pub family: Bytes,
    /// The qualifier.
    pub qualifier: Bytes,
    /// The comparison of the value.
    pub compare: Compare,
    /// Whether rows without the column are excluded.
    pub filter_if_missing: bool,
    /// Whether only the newest version of the column is compared.
    pub latest_version_only: bool,
}

impl ColumnCheck {
    /// A check with the defaults of HBase's constructors: rows without the column pass, and only the newest version
    /// is compared.
    pub fn new(family: impl Into<Bytes>, qualifier: impl Into<Bytes>, op: CompareOp, comparator: Comparator) -> Self {
        Self {
            family: family.into(),
            qualifier: qualifier.into(),
            compare: Compare::new(op, comparator),
            filter_if_missing: false,
            latest_version_only: true,
        }
    }

    /// Whether a cell belongs to the column.
    pub(super) fn is_of(&self, cell: &Cell) -> bool {
        self.family == cell.family && self.qualifier == cell.qualifier
    }

    pub(super) fn parse(arguments: &Arguments<'_>) -> Parsed<Self> {
        let signature = "4 or 6: family, qualifier, operator, comparator, filterIfMissing, latestVersionOnly";
        arguments.count(&[4, 6], signature)?;
        let (family, qualifier) = (arguments.string(0)?, arguments.string(1)?);
        let (op, comparator) = arguments.compare(2)?;
        let mut check = Self::new(family, qualifier, op, comparator);
        if arguments.len() == 6 {
            check.filter_if_missing = arguments.truth(4)?;
            check.latest_version_only = arguments.truth(5)?;
        }
        Ok(check)
    }

    pub(super) fn from_message(message: ColumnCheckMessage) -> Result<Self> {
        let op = operator(message.op)?;
        let comparator = Comparator::from_named(required(message.comparator, "comparator")?)?;
        Ok(Self {
            family: message.family.unwrap_or_default(),
            qualifier: message.qualifier.unwrap_or_default(),
            compare: Compare::new(op, comparator),
            filter_if_missing: message.filter_if_missing.unwrap_or(false),
            latest_version_only: message.latest_version_only.unwrap_or(false),
        })
    }

    pub(super) fn to_message(&self) -> ColumnCheckMessage {
        ColumnCheckMessage {
            family: Some(self.family.clone()),
            qualifier: Some(self.qualifier.clone()),
            op: Some(self.compare.op as i32),
            comparator: self.compare.comparator.as_ref().map(Comparator::to_named),
            filter_if_missing: Some(self.filter_if_missing),
            latest_version_only: Some(self.latest_version_only),
        }
    }
}

/// HBase's SingleColumnValueFilter.
#[derive(Clone, PartialEq, Message)]
pub(super) struct ColumnCheckMessage {
    #[prost(bytes = "bytes", optional, tag = "1")]
    family: Option<Bytes>,
    #[prost(bytes = "bytes", optional, tag = "2")]
    qualifier: Option<Bytes>,
    #[prost(int32, optional, tag = "3")]
    op: Option<i32>,
    #[prost(message, optional, tag = "4")]
    comparator: Option<Named>,
    #[prost(bool, optional, tag = "5")]
    filter_if_missing: Option<bool>,
    #[prost(bool, optional, tag = "6")]
    latest_version_only: Option<bool>,
}
