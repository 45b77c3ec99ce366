//! Serialised bytes to a filter.

use bytes::Bytes;
use prost::Message;

use super::comparators;
use super::messages::{self as m, PACKAGE};
use super::refusal::{
    self, CLASS_CAST, CLASS_NOT_FOUND, DESERIALIZATION, INVOCATION_TARGET, NO_SUCH_METHOD, argument, message, refused,
    required,
};
use crate::compare_op::CompareOp;
use crate::error::{Error, ErrorKind, Result};
use crate::filter::spec::{DEPTH_MAX, FilterSpec, LENGTH_MAX, ListOperator};
use crate::filter::{ColumnCheck, Compare, FuzzyPair, FuzzyRows, RowRange, RowRanges};

impl FilterSpec {
    /// Reads HBase's serialised form (`hbase.pb.Filter`).
    ///
    /// # Errors
    /// `FilterMalformed` if the bytes are no such message; `FilterRejected` with the class that HBase names for everything else.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        if bytes.len() > LENGTH_MAX {
            return refused(
                DESERIALIZATION,
                format!("a serialised filter has {} bytes, at most {LENGTH_MAX} are read", bytes.len()),
            );
        }
        let malformed = |why: String| Error::new(ErrorKind::FilterMalformed, why);
        let outer =
            m::Named::decode(bytes).map_err(|error| malformed(format!("a serialised filter is malformed: {error}")))?;
        if outer.name.is_none() {
            return Err(malformed("Message missing required fields: name".to_owned()));
        }
        filter(outer, 1)
    }
}

fn filter(named: m::Named, depth: usize) -> Result<FilterSpec> {
    if depth > DEPTH_MAX {
        return refused(DESERIALIZATION, format!("filters lie more than {DEPTH_MAX} deep inside each other"));
    }
    let name = required(named.name, "name")?;
    let body = named.body.unwrap_or_default();
    match name.strip_prefix(PACKAGE) {
        None if comparators::is_java_class(&name) => refused(NO_SUCH_METHOD, format!("{name}.parseFrom([B)")),
        None => refused(CLASS_NOT_FOUND, name),
        Some("FilterList") => list(message(&body)?, depth),
        Some("SkipFilter") => Ok(FilterSpec::skip(wrapped(&body, depth)?)),
        Some("WhileMatchFilter") => Ok(FilterSpec::while_match(wrapped(&body, depth)?)),
        Some("FilterWrapper") => Ok(FilterSpec::Wrapper(Box::new(wrapped(&body, depth)?))),
        Some(class) => simple(&name, class, &body),
    }
}

fn list(message: m::List, depth: usize) -> Result<FilterSpec> {
    let operator = match message.operator {
        Some(1) => ListOperator::All,
        Some(2) => ListOperator::One,
        _ => return required(None, "operator"),
    };
    // HBase reads a message whole before it makes anything of its parts.
    if message.members.iter().any(|member| member.name.is_none()) {
        return required(None, "filters.name");
    }
    let mut members = Vec::with_capacity(message.members.len());
    for member in message.members {
        members.push(inner(member, depth)?);
    }
    Ok(FilterSpec::List { operator, members })
}

/// A filter without others inside. Apart from those with, so that nesting takes little stack.
fn simple(name: &str, class: &str, body: &Bytes) -> Result<FilterSpec> {
    Ok(match class {
        "ColumnCountGetFilter" => {
            let message: m::ColumnCount = message(body)?;
            FilterSpec::column_count_get(required(message.limit, "limit")?).map_err(argument)?
        }
        "ColumnPaginationFilter" => {
            let message: m::ColumnPagination = message(body)?;
            let limit = required(message.limit, "limit")?;
            match message.column_offset {
                Some(from) => FilterSpec::column_pagination_from(limit, from),
                None => FilterSpec::column_pagination(limit, message.offset.unwrap_or(0)),
            }
            .map_err(argument)?
        }
        "ColumnPrefixFilter" => {
            let message: m::OneBytes = message(body)?;
            FilterSpec::column_prefix(required(message.bytes, "prefix")?)
        }
        "ColumnRangeFilter" => {
            let message: m::ColumnRange = message(body)?;
            let inclusive = (message.min_inclusive.unwrap_or(false), message.max_inclusive.unwrap_or(false));
            FilterSpec::column_range(message.min, inclusive.0, message.max, inclusive.1)
        }
        "ColumnValueFilter" => FilterSpec::ColumnValue(check(message(body)?, true)?),
        "DependentColumnFilter" => {
            let message: m::Comparing = message(body)?;
            FilterSpec::Dependent {
                compare: compare(message.compare)?,
                family: message.family.unwrap_or_default(),
                qualifier: message.qualifier.unwrap_or_default(),
                drop_column: message.drop_column.unwrap_or(false),
            }
        }
        "FamilyFilter" => FilterSpec::Family(comparing(body)?),
        "QualifierFilter" => FilterSpec::Qualifier(comparing(body)?),
        "RowFilter" => FilterSpec::Row(comparing(body)?),
        "ValueFilter" => FilterSpec::Value(comparing(body)?),
        "FirstKeyOnlyFilter" => {
            let _: m::Empty = message(body)?;
            FilterSpec::FirstKeyOnly
        }
        "FirstKeyValueMatchingQualifiersFilter" => {
            let message: m::ManyBytes = message(body)?;
            FilterSpec::first_key_value_matching_qualifiers(message.bytes)
        }
        "FuzzyRowFilter" => fuzzy(message(body)?)?,
        "InclusiveStopFilter" => {
            let message: m::OneBytes = message(body)?;
            FilterSpec::InclusiveStop { row: message.bytes }
        }
        "KeyOnlyFilter" => {
            let message: m::KeyOnly = message(body)?;
            FilterSpec::key_only(required(message.length_as_value, "len_as_val")?)
        }
        "MultipleColumnPrefixFilter" => {
            let message: m::ManyBytes = message(body)?;
            FilterSpec::multiple_column_prefix(message.bytes).map_err(argument)?
        }
        "MultiRowRangeFilter" => ranges(message(body)?)?,
        "PageFilter" => {
            let message: m::Page = message(body)?;
            FilterSpec::page(required(message.size, "page_size")?).map_err(argument)?
        }
        "PrefixFilter" => {
            let message: m::OneBytes = message(body)?;
            FilterSpec::Prefix { prefix: message.bytes }
        }
        "RandomRowFilter" => {
            let message: m::RandomRow = message(body)?;
            FilterSpec::RandomRow { chance: required(message.chance, "chance")? }
        }
        "SingleColumnValueFilter" => FilterSpec::SingleColumnValue(check(message(body)?, false)?),
        "SingleColumnValueExcludeFilter" => {
            let message: m::Excluding = message(body)?;
            FilterSpec::SingleColumnValueExclude(check(required(message.inner, "single_column_value_filter")?, false)?)
        }
        "TimestampsFilter" => {
            let message: m::Timestamps = message(body)?;
            FilterSpec::timestamps(message.timestamps, message.can_hint.unwrap_or(false)).map_err(argument)?
        }
        "Filter" => {
            return refused(DESERIALIZATION, "parseFrom called on base Filter, but should be called on derived type");
        }
        "FilterBase" | "CompareFilter" | "FilterListBase" | "FilterListWithAND" | "FilterListWithOR" => {
            return refused(INVOCATION_TARGET, format!("{name} is a base of filters, not one itself"));
        }
        "ByteArrayComparable" => return refused(INVOCATION_TARGET, format!("{name} is no filter")),
        _ if comparators::is_comparator(class) => {
            return match comparators::comparator(class, body) {
                Ok(_) => refused(CLASS_CAST, format!("{name} is a comparator, not a filter")),
                Err(error) => refused(INVOCATION_TARGET, error.message()),
            };
        }
        _ if comparators::is_other_class(class) => return refused(NO_SUCH_METHOD, format!("{name}.parseFrom([B)")),
        _ => return refused(CLASS_NOT_FOUND, name),
    })
}

/// A filter inside another one.
fn inner(named: m::Named, depth: usize) -> Result<FilterSpec> {
    filter(named, depth + 1).map_err(refusal::nested)
}

fn wrapped(body: &Bytes, depth: usize) -> Result<FilterSpec> {
    let message: m::Wrapping = message(body)?;
    inner(required(message.inner, "filter")?, depth)
}

fn operator(number: Option<i32>) -> Result<CompareOp> {
    Ok(match number {
        Some(0) => CompareOp::Less,
        Some(1) => CompareOp::LessOrEqual,
        Some(2) => CompareOp::Equal,
        Some(3) => CompareOp::NotEqual,
        Some(4) => CompareOp::GreaterOrEqual,
        Some(5) => CompareOp::Greater,
        Some(6) => CompareOp::NoOp,
        _ => return required(None, "compare_op"),
    })
}

fn compare(message: Option<m::Compare>) -> Result<Compare> {
    let message = required(message, "compare_filter")?;
    Ok(Compare { op: operator(message.op)?, comparator: message.comparator.map(comparators::named).transpose()? })
}

fn comparing(body: &Bytes) -> Result<Compare> {
    compare(message::<m::Comparing>(body)?.compare)
}

/// `strict`: family and qualifier are required, as in ColumnValueFilter.
fn check(message: m::ColumnCheck, strict: bool) -> Result<ColumnCheck> {
    if strict && (message.family.is_none() || message.qualifier.is_none()) {
        return required(None, "family, qualifier");
    }
    let op = operator(message.op)?;
    let comparator = comparators::named(required(message.comparator, "comparator")?)?;
    Ok(ColumnCheck {
        family: message.family.unwrap_or_default(),
        qualifier: message.qualifier.unwrap_or_default(),
        compare: Compare { op, comparator: Some(comparator) },
        filter_if_missing: message.filter_if_missing.unwrap_or(false),
        latest_version_only: message.latest_version_only.unwrap_or(false),
    })
}

fn fuzzy(message: m::Fuzzy) -> Result<FilterSpec> {
    let pairs: Result<Vec<_>> = message
        .pairs
        .into_iter()
        .map(|pair| {
            Ok(FuzzyPair {
                key: required(pair.first, "fuzzy_keys_data.first")?,
                mask: required(pair.second, "fuzzy_keys_data.second")?,
            })
        })
        .collect();
    let rows = if message.is_mask_v2.unwrap_or(false) { FuzzyRows::new(pairs?) } else { FuzzyRows::new_v1(pairs?) };
    Ok(FilterSpec::FuzzyRow(rows.map_err(argument)?))
}

fn ranges(message: m::Ranges) -> Result<FilterSpec> {
    let ranges = message.ranges.into_iter().map(|range| RowRange {
        start: range.start.unwrap_or_default(),
        start_inclusive: range.start_inclusive.unwrap_or(false),
        stop: range.stop.unwrap_or_default(),
        stop_inclusive: range.stop_inclusive.unwrap_or(false),
    });
    Ok(FilterSpec::MultiRowRange(RowRanges::new(ranges.collect()).map_err(argument)?))
}
