//! A filter to the bytes that HBase's Java clients would send.

use bytes::Bytes;
use prost::Message;

use super::messages::{self as m, PACKAGE};
use crate::filter::spec::FilterSpec;
use crate::filter::{ColumnCheck, Comparator, Compare};

impl FilterSpec {
    /// HBase's serialised form (`hbase.pb.Filter`). [`FilterSpec::from_bytes`] reads it back to an equal filter.
    pub fn to_bytes(&self) -> Vec<u8> {
        named(self).encode_to_vec()
    }
}

fn name(class: &str, message: &impl Message) -> m::Named {
    m::Named { name: Some(format!("{PACKAGE}{class}")), body: Some(message.encode_to_vec().into()) }
}

fn one(bytes: Option<&Bytes>) -> m::OneBytes {
    m::OneBytes { bytes: bytes.cloned() }
}

fn named(spec: &FilterSpec) -> m::Named {
    match spec {
        FilterSpec::List { operator, members } => {
            let members = members.iter().map(named).collect();
            name("FilterList", &m::List { operator: Some(*operator as i32), members })
        }
        FilterSpec::Skip(inner) => wrapping("SkipFilter", inner),
        FilterSpec::WhileMatch(inner) => wrapping("WhileMatchFilter", inner),
        FilterSpec::Wrapper(inner) => wrapping("FilterWrapper", inner),
        _ => simple(spec),
    }
}

fn wrapping(class: &str, inner: &FilterSpec) -> m::Named {
    name(class, &m::Wrapping { inner: Some(named(inner)) })
}

/// A filter without others inside. Apart from those with, so that nesting takes little stack.
fn simple(spec: &FilterSpec) -> m::Named {
    match spec {
        FilterSpec::KeyOnly { length_as_value } => {
            name("KeyOnlyFilter", &m::KeyOnly { length_as_value: Some(*length_as_value) })
        }
        FilterSpec::FirstKeyOnly => name("FirstKeyOnlyFilter", &m::Empty {}),
        FilterSpec::FirstKeyValueMatchingQualifiers { qualifiers } => {
            name("FirstKeyValueMatchingQualifiersFilter", &m::ManyBytes { bytes: qualifiers.iter().cloned().collect() })
        }
        FilterSpec::Prefix { prefix } => name("PrefixFilter", &one(prefix.as_ref())),
        FilterSpec::ColumnPrefix { prefix } => name("ColumnPrefixFilter", &one(Some(prefix))),
        FilterSpec::MultipleColumnPrefix { prefixes } => {
            name("MultipleColumnPrefixFilter", &m::ManyBytes { bytes: prefixes.iter().cloned().collect() })
        }
        FilterSpec::ColumnCountGet { limit } => name("ColumnCountGetFilter", &m::ColumnCount { limit: Some(*limit) }),
        FilterSpec::Page { size } => name("PageFilter", &m::Page { size: Some(*size) }),
        FilterSpec::ColumnPagination { limit, offset, column_offset } => name(
            "ColumnPaginationFilter",
            &m::ColumnPagination {
                limit: Some(*limit),
                offset: column_offset.is_none().then_some(*offset),
                column_offset: column_offset.clone(),
            },
        ),
        FilterSpec::InclusiveStop { row } => name("InclusiveStopFilter", &one(row.as_ref())),
        FilterSpec::Timestamps { timestamps, can_hint } => name(
            "TimestampsFilter",
            &m::Timestamps { timestamps: timestamps.iter().copied().collect(), can_hint: Some(*can_hint) },
        ),
        FilterSpec::Row(compared) => name("RowFilter", &comparing(compared)),
        FilterSpec::Family(compared) => name("FamilyFilter", &comparing(compared)),
        FilterSpec::Qualifier(compared) => name("QualifierFilter", &comparing(compared)),
        FilterSpec::Value(compared) => name("ValueFilter", &comparing(compared)),
        FilterSpec::ColumnRange { min, min_inclusive, max, max_inclusive } => name(
            "ColumnRangeFilter",
            &m::ColumnRange {
                min: min.clone(),
                min_inclusive: Some(*min_inclusive),
                max: max.clone(),
                max_inclusive: Some(*max_inclusive),
            },
        ),
        FilterSpec::SingleColumnValue(checked) => name("SingleColumnValueFilter", &check(checked)),
        FilterSpec::SingleColumnValueExclude(checked) => {
            name("SingleColumnValueExcludeFilter", &m::Excluding { inner: Some(check(checked)) })
        }
        FilterSpec::Dependent { family, qualifier, drop_column, compare: compared } => name(
            "DependentColumnFilter",
            &m::Comparing {
                compare: Some(compare(compared)),
                family: Some(family.clone()),
                qualifier: Some(qualifier.clone()),
                drop_column: Some(*drop_column),
            },
        ),
        FilterSpec::ColumnValue(checked) => name(
            "ColumnValueFilter",
            &m::ColumnCheck { filter_if_missing: None, latest_version_only: None, ..check(checked) },
        ),
        FilterSpec::RandomRow { chance } => name("RandomRowFilter", &m::RandomRow { chance: Some(*chance) }),
        FilterSpec::FuzzyRow(rows) => {
            let pair = |(key, mask): &(Vec<u8>, Vec<u8>)| m::BytesPair {
                first: Some(Bytes::copy_from_slice(key)),
                second: Some(Bytes::copy_from_slice(mask)),
            };
            let message = m::Fuzzy { pairs: rows.pairs().iter().map(pair).collect(), is_mask_v2: Some(rows.is_v2()) };
            name("FuzzyRowFilter", &message)
        }
        FilterSpec::MultiRowRange(ranges) => {
            let ranges = ranges.ranges().iter().map(|range| m::Range {
                start: Some(range.start.clone()),
                start_inclusive: Some(range.start_inclusive),
                stop: Some(range.stop.clone()),
                stop_inclusive: Some(range.stop_inclusive),
            });
            name("MultiRowRangeFilter", &m::Ranges { ranges: ranges.collect() })
        }
        // Written by `named`, which hands on nothing with filters inside.
        FilterSpec::List { .. } | FilterSpec::Skip(_) | FilterSpec::WhileMatch(_) | FilterSpec::Wrapper(_) => {
            named(spec)
        }
    }
}

fn compare(compare: &Compare) -> m::Compare {
    m::Compare { op: Some(compare.op as i32), comparator: compare.comparator.as_ref().map(comparator) }
}

fn comparing(compared: &Compare) -> m::Comparing {
    m::Comparing { compare: Some(compare(compared)), ..Default::default() }
}

fn check(check: &ColumnCheck) -> m::ColumnCheck {
    m::ColumnCheck {
        family: Some(check.family.clone()),
        qualifier: Some(check.qualifier.clone()),
        op: Some(check.compare.op as i32),
        comparator: check.compare.comparator.as_ref().map(comparator),
        filter_if_missing: Some(check.filter_if_missing),
        latest_version_only: Some(check.latest_version_only),
    }
}

fn comparator(comparator: &Comparator) -> m::Named {
    let comparable = |value: &[u8]| m::Comparable {
        comparable: Some(m::OneBytes { bytes: Some(Bytes::copy_from_slice(value)) }),
        bitwise_op: None,
    };
    match comparator {
        Comparator::Binary(value) => name("BinaryComparator", &comparable(value)),
        Comparator::BinaryPrefix(value) => name("BinaryPrefixComparator", &comparable(value)),
        Comparator::Regex(regex) => name(
            "RegexStringComparator",
            &m::RegexString {
                pattern: Some(regex.pattern().to_owned()),
                flags: Some(regex.flags().cast_signed()),
                charset: Some(regex.charset().name().to_owned()),
                engine: Some("JAVA".to_owned()),
            },
        ),
        Comparator::Substring(text) => {
            name("SubstringComparator", &m::SubstringText { text: Some(text.as_str().to_owned()) })
        }
        Comparator::Bit { value, op } => {
            name("BitComparator", &m::Comparable { bitwise_op: Some(*op as i32), ..comparable(value) })
        }
        Comparator::Null => name("NullComparator", &m::Empty {}),
        Comparator::Long(value) => name("LongComparator", &comparable(&value.to_be_bytes())),
        Comparator::Decimal(value) => name("BigDecimalComparator", &comparable(&value.to_bytes())),
        Comparator::BinaryComponent { value, offset } => {
            name("BinaryComponentComparator", &m::Component { value: Some(value.clone()), offset: Some(*offset) })
        }
    }
}
