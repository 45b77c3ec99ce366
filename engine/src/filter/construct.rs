//! Building filters one by one, with the checks that HBase's constructors make.

use std::collections::BTreeSet;

use bytes::Bytes;

use super::comparator::Comparator;
use super::compare::{ColumnCheck, Compare};
use super::spec::{FilterSpec, ListOperator};
use crate::compare_op::CompareOp;
use crate::error::{Error, Result};

impl FilterSpec {
    /// KeyOnlyFilter.
    pub fn key_only(length_as_value: bool) -> Self {
        Self::KeyOnly { length_as_value }
    }

    /// FirstKeyValueMatchingQualifiersFilter.
    pub fn first_key_value_matching_qualifiers(qualifiers: impl IntoIterator<Item = Bytes>) -> Self {
        Self::FirstKeyValueMatchingQualifiers { qualifiers: qualifiers.into_iter().collect() }
    }

    /// PrefixFilter.
    pub fn prefix(prefix: impl Into<Bytes>) -> Self {
        Self::Prefix { prefix: Some(prefix.into()) }
    }

    /// ColumnPrefixFilter.
    pub fn column_prefix(prefix: impl Into<Bytes>) -> Self {
        Self::ColumnPrefix { prefix: prefix.into() }
    }

    /// MultipleColumnPrefixFilter.
    ///
    /// # Errors
    /// `InvalidArgument` if one prefix is given twice.
    pub fn multiple_column_prefix(prefixes: impl IntoIterator<Item = Bytes>) -> Result<Self> {
        let mut set = BTreeSet::new();
        for prefix in prefixes {
            if set.contains(&prefix) {
                return Err(Error::invalid(format!(
                    "prefixes must be distinct: MultipleColumnPrefixFilter has {} twice",
                    prefix.escape_ascii()
                )));
            }
            set.insert(prefix);
        }
        Ok(Self::MultipleColumnPrefix { prefixes: set })
    }

    /// ColumnCountGetFilter.
    ///
    /// # Errors
    /// `InvalidArgument` for a negative limit.
    pub fn column_count_get(limit: i32) -> Result<Self> {
        if limit < 0 {
            return Err(Error::invalid(format!("limit be positive {limit} (ColumnCountGetFilter takes 0 or more)")));
        }
        Ok(Self::ColumnCountGet { limit })
    }

    /// PageFilter.
    ///
    /// # Errors
    /// `InvalidArgument` for a negative size.
    pub fn page(size: i64) -> Result<Self> {
        if size < 0 {
            return Err(Error::invalid(format!("must be positive {size} (PageFilter takes 0 or more)")));
        }
        Ok(Self::Page { size })
    }

    /// ColumnPaginationFilter with a number of columns to leave out first.
    ///
    /// # Errors
    /// `InvalidArgument` for a negative limit or offset.
    pub fn column_pagination(limit: i32, offset: i32) -> Result<Self> {
        check_limit(limit)?;
        if offset < 0 {
            return Err(Error::invalid(format!(
                "offset must be positive {offset} (ColumnPaginationFilter takes 0 or more)"
            )));
        }
        Ok(Self::ColumnPagination { limit, offset, column_offset: None })
    }

    /// ColumnPaginationFilter with a qualifier to begin at.
    ///
    /// # Errors
    /// `InvalidArgument` for a negative limit.
    pub fn column_pagination_from(limit: i32, column_offset: impl Into<Bytes>) -> Result<Self> {
        check_limit(limit)?;
        Ok(Self::ColumnPagination { limit, offset: 0, column_offset: Some(column_offset.into()) })
    }

    /// InclusiveStopFilter.
    pub fn inclusive_stop(row: impl Into<Bytes>) -> Self {
        Self::InclusiveStop { row: Some(row.into()) }
    }

    /// TimestampsFilter.
    ///
    /// # Errors
    /// `InvalidArgument` for a negative timestamp.
    pub fn timestamps(timestamps: impl IntoIterator<Item = i64>, can_hint: bool) -> Result<Self> {
        let timestamps: BTreeSet<i64> = timestamps.into_iter().collect();
        match timestamps.first() {
            Some(least) if *least < 0 => {
                Err(Error::invalid(format!("must be positive {least} (TimestampsFilter takes 0 or more)")))
            }
            _ => Ok(Self::Timestamps { timestamps, can_hint }),
        }
    }

    /// RowFilter.
    pub fn row(op: CompareOp, comparator: Comparator) -> Self {
        Self::Row(Compare::new(op, comparator))
    }

    /// FamilyFilter.
    pub fn family(op: CompareOp, comparator: Comparator) -> Self {
        Self::Family(Compare::new(op, comparator))
    }

    /// QualifierFilter.
    pub fn qualifier(op: CompareOp, comparator: Comparator) -> Self {
        Self::Qualifier(Compare::new(op, comparator))
    }

    /// ValueFilter.
    pub fn value(op: CompareOp, comparator: Comparator) -> Self {
        Self::Value(Compare::new(op, comparator))
    }

    /// ColumnRangeFilter; `None` is no bound.
    pub fn column_range(min: Option<Bytes>, min_inclusive: bool, max: Option<Bytes>, max_inclusive: bool) -> Self {
        Self::ColumnRange { min, min_inclusive, max, max_inclusive }
    }

    /// SingleColumnValueFilter.
    pub fn single_column_value(check: ColumnCheck) -> Self {
        Self::SingleColumnValue(check)
    }

    /// SingleColumnValueExcludeFilter.
    pub fn single_column_value_exclude(check: ColumnCheck) -> Self {
        Self::SingleColumnValueExclude(check)
    }

    /// DependentColumnFilter; with a comparison only those cells of the reference column count that pass it.
    pub fn dependent(
        family: impl Into<Bytes>,
        qualifier: impl Into<Bytes>,
        drop_column: bool,
        compare: Option<(CompareOp, Comparator)>,
    ) -> Self {
        let compare = compare
            .map_or(Compare { op: CompareOp::NoOp, comparator: None }, |(op, comparator)| Compare::new(op, comparator));
        Self::Dependent { family: family.into(), qualifier: qualifier.into(), drop_column, compare }
    }

    /// ColumnValueFilter.
    pub fn column_value(
        family: impl Into<Bytes>,
        qualifier: impl Into<Bytes>,
        op: CompareOp,
        comparator: Comparator,
    ) -> Self {
        Self::ColumnValue(ColumnCheck::new(family, qualifier, op, comparator))
    }

    /// A list of which all must pass.
    pub fn all(members: Vec<FilterSpec>) -> Self {
        Self::List { operator: ListOperator::All, members }
    }

    /// A list of which one must pass.
    pub fn one(members: Vec<FilterSpec>) -> Self {
        Self::List { operator: ListOperator::One, members }
    }

    /// SkipFilter.
    pub fn skip(inner: FilterSpec) -> Self {
        Self::Skip(Box::new(inner))
    }

    /// WhileMatchFilter.
    pub fn while_match(inner: FilterSpec) -> Self {
        Self::WhileMatch(Box::new(inner))
    }
}

fn check_limit(limit: i32) -> Result<()> {
    if limit < 0 {
        return Err(Error::invalid(format!("limit must be positive {limit} (ColumnPaginationFilter takes 0 or more)")));
    }
    Ok(())
}
