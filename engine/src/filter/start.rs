//! From a filter as a value to one that runs.

use super::spec::{DEPTH_MAX, FilterSpec, ListOperator};
use super::{
    Filter, columns, counts, dependent, fuzzy, list_all, list_one, ranges, rows, single_column, times, wrappers,
};
use crate::error::{Error, Result};

impl FilterSpec {
    /// A fresh running filter for the scan of one region. `reversed`: the scan goes downwards.
    ///
    /// # Errors
    /// `InvalidArgument` if filters lie inside each other more deeply than [`DEPTH_MAX`].
    pub fn start(&self, reversed: bool) -> Result<Box<dyn Filter>> {
        let depth = self.depth();
        if depth > DEPTH_MAX {
            return Err(Error::invalid(format!("filters lie {depth} deep inside each other, at most {DEPTH_MAX} may")));
        }
        Ok(self.begin(reversed))
    }

    fn begin(&self, reversed: bool) -> Box<dyn Filter> {
        match self {
            Self::List { operator, members } => {
                let running = members.iter().map(|member| member.begin(reversed)).collect();
                match operator {
                    ListOperator::All => Box::new(list_all::All::new(running, reversed)),
                    ListOperator::One => Box::new(list_one::One::new(running, reversed)),
                }
            }
            // HBase hands the direction on to members of lists only: what SKIP and WHILE hold works as if forwards.
            Self::Skip(inner) => Box::new(wrappers::Skip { inner: inner.begin(false), refused: false }),
            Self::WhileMatch(inner) => Box::new(wrappers::While { inner: inner.begin(false), done: false }),
            Self::Wrapper(inner) => Box::new(wrappers::Wrapper(inner.begin(false))),
            _ => self.begin_simple(reversed),
        }
    }

    /// A filter without others inside. Apart from those with, so that nesting takes little stack.
    fn begin_simple(&self, reversed: bool) -> Box<dyn Filter> {
        match self {
            Self::KeyOnly { length_as_value } => Box::new(counts::KeyOnly { length_as_value: *length_as_value }),
            Self::FirstKeyOnly => Box::new(counts::FirstKeys { until: None, found: false }),
            Self::FirstKeyValueMatchingQualifiers { qualifiers } => {
                Box::new(counts::FirstKeys { until: Some(qualifiers.clone()), found: false })
            }
            Self::Prefix { prefix } => Box::new(rows::Prefix::new(prefix.clone(), reversed)),
            Self::ColumnPrefix { prefix } => Box::new(columns::ColumnPrefix(prefix.clone())),
            Self::MultipleColumnPrefix { prefixes } => Box::new(columns::MultipleColumnPrefix::new(prefixes.clone())),
            Self::ColumnCountGet { limit } => Box::new(counts::ColumnCountGet { limit: *limit, count: 0 }),
            Self::Page { size } => Box::new(counts::Page { size: *size, accepted: 0 }),
            Self::ColumnPagination { limit, offset, column_offset } => Box::new(counts::ColumnPagination {
                limit: *limit,
                offset: *offset,
                column_offset: column_offset.clone(),
                count: 0,
            }),
            Self::InclusiveStop { row } => Box::new(rows::InclusiveStop::new(row.clone(), reversed)),
            Self::Timestamps { timestamps, can_hint } => {
                Box::new(times::Timestamps { wanted: timestamps.clone(), can_hint: *can_hint })
            }
            Self::Row(compare) => Box::new(rows::Row::new(compare.clone())),
            Self::Family(compare) => Box::new(columns::Family(compare.clone())),
            Self::Qualifier(compare) => Box::new(columns::Qualifier(compare.clone())),
            Self::Value(compare) => Box::new(columns::Value(compare.clone())),
            Self::ColumnRange { min, min_inclusive, max, max_inclusive } => Box::new(columns::ColumnRange {
                min: min.clone(),
                min_inclusive: *min_inclusive,
                max: max.clone(),
                max_inclusive: *max_inclusive,
            }),
            Self::SingleColumnValue(check) => Box::new(single_column::SingleColumnValue::new(check.clone(), false)),
            Self::SingleColumnValueExclude(check) => {
                Box::new(single_column::SingleColumnValue::new(check.clone(), true))
            }
            Self::Dependent { family, qualifier, drop_column, compare } => Box::new(dependent::Dependent {
                family: family.clone(),
                qualifier: qualifier.clone(),
                drop_column: *drop_column,
                compare: compare.clone(),
                timestamps: Default::default(),
            }),
            Self::ColumnValue(check) => Box::new(single_column::ColumnValue { check: check.clone(), found: false }),
            Self::RandomRow { chance } => Box::new(rows::RandomRow::new(*chance)),
            Self::FuzzyRow(rows) => Box::new(fuzzy::Fuzzy::new(rows, reversed)),
            Self::MultiRowRange(ranges) => Box::new(ranges::MultiRowRange::new(ranges, reversed)),
            // Begun by `begin`, which hands on nothing with filters inside.
            Self::List { .. } | Self::Skip(_) | Self::WhileMatch(_) | Self::Wrapper(_) => self.begin(reversed),
        }
    }
}
