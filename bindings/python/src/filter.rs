//! Filters as values of Python, which compose with `&` and `|`.

use std::sync::Arc;

use bytes::Bytes;
use hjall_engine::filter::*;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::convert;
use crate::error;

/// A filter: what a read keeps. Functions of `hjall.filters` make one, ``a & b`` keeps what both keep, ``a | b`` what either keeps. Never changes.
#[pyclass(frozen, module = "hjall.filters", eq)]
#[derive(PartialEq)]
pub struct Filter(Arc<FilterSpec>);

impl Filter {
    /// The engine's words for it.
    pub fn spec(&self) -> Arc<FilterSpec> {
        Arc::clone(&self.0)
    }

    fn of(spec: FilterSpec) -> Self {
        Self(Arc::new(spec))
    }

    fn join(&self, other: &Self, operator: ListOperator) -> PyResult<Self> {
        // A chain of the same operator is one list, as in the filter language.
        let mut members = match &*self.0 {
            FilterSpec::List { operator: own, members } if *own == operator => members.clone(),
            single => vec![single.clone()],
        };
        members.push((*other.0).clone());
        checked(FilterSpec::List { operator, members })
    }
}

fn raised<T>(result: hjall_engine::Result<T>) -> PyResult<T> {
    result.map_err(|e| error::raised(&e))
}

/// A filter that is not too deep.
fn checked(spec: FilterSpec) -> PyResult<Filter> {
    if spec.depth() > DEPTH_MAX {
        return Err(PyValueError::new_err(format!("at most {DEPTH_MAX} filters may lie inside each other")));
    }
    Ok(Filter::of(spec))
}

fn bytes(value: &Bound<'_, PyAny>) -> PyResult<Bytes> {
    convert::bytes(value, "an argument of a filter", None)
}

fn bound(value: Option<&Bound<'_, PyAny>>) -> PyResult<Option<Bytes>> {
    value.map(bytes).transpose()
}

fn all_bytes(values: &Bound<'_, PyAny>) -> PyResult<Vec<Bytes>> {
    values.try_iter()?.map(|value| bytes(&value?)).collect()
}

fn specs(filters: Vec<PyRef<'_, Filter>>) -> Vec<FilterSpec> {
    filters.iter().map(|filter| (*filter.0).clone()).collect()
}

/// A part of a cell, a comparison, and what to compare with.
fn comparing(compare: &str, with: &Bound<'_, PyAny>) -> PyResult<Compare> {
    Ok(Compare::new(convert::compare(compare)?, comparator(with)?))
}

/// A comparator; bytes are compared as a whole.
fn comparator(with: &Bound<'_, PyAny>) -> PyResult<hjall_engine::filter::Comparator> {
    match with.cast::<Comparator>() {
        Ok(comparator) => Ok(comparator.get().0.clone()),
        Err(_) => Ok(hjall_engine::filter::Comparator::Binary(bytes(with)?)),
    }
}

/// What a part of a cell is compared with; functions of `hjall.filters` make one. Bytes stand for `BinaryComparator`.
#[pyclass(frozen, module = "hjall.filters", eq)]
#[derive(PartialEq)]
pub struct Comparator(hjall_engine::filter::Comparator);

#[pymethods]
impl Comparator {
    #[staticmethod]
    fn binary(value: &Bound<'_, PyAny>) -> PyResult<Self> {
        Ok(Self(hjall_engine::filter::Comparator::Binary(bytes(value)?)))
    }

    #[staticmethod]
    fn binary_prefix(value: &Bound<'_, PyAny>) -> PyResult<Self> {
        Ok(Self(hjall_engine::filter::Comparator::BinaryPrefix(bytes(value)?)))
    }

    #[staticmethod]
    fn binary_component(value: &Bound<'_, PyAny>, offset: u32) -> PyResult<Self> {
        Ok(Self(hjall_engine::filter::Comparator::BinaryComponent { value: bytes(value)?, offset }))
    }

    #[staticmethod]
    fn regex(pattern: &str) -> PyResult<Self> {
        Ok(Self(hjall_engine::filter::Comparator::Regex(raised(RegexComparator::dotall(pattern))?)))
    }

    #[staticmethod]
    fn substring(text: &str) -> Self {
        Self(hjall_engine::filter::Comparator::Substring(Substring::new(text)))
    }

    #[staticmethod]
    fn bit(value: &Bound<'_, PyAny>, op: &str) -> PyResult<Self> {
        let op = match op {
            "and" => BitwiseOp::And,
            "or" => BitwiseOp::Or,
            "xor" => BitwiseOp::Xor,
            _ => return Err(PyValueError::new_err(format!("bits are combined by and, or, xor, not {op:?}"))),
        };
        Ok(Self(hjall_engine::filter::Comparator::Bit { value: bytes(value)?, op }))
    }

    #[staticmethod]
    fn null() -> Self {
        Self(hjall_engine::filter::Comparator::Null)
    }

    #[staticmethod]
    fn long(value: i64) -> Self {
        Self(hjall_engine::filter::Comparator::Long(value))
    }

    fn __repr__(&self) -> String {
        format!("{:?}", self.0)
    }
}

#[pymethods]
impl Filter {
    fn __and__(&self, other: &Bound<'_, Self>) -> PyResult<Self> {
        self.join(other.get(), ListOperator::All)
    }

    fn __or__(&self, other: &Bound<'_, Self>) -> PyResult<Self> {
        self.join(other.get(), ListOperator::One)
    }

    fn __repr__(&self) -> String {
        format!("{:?}", self.0)
    }

    /// HBase's serialised form, as its Java clients send it.
    fn to_bytes<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.0.to_bytes())
    }

    /// A filter from HBase's serialised form.
    #[staticmethod]
    fn from_bytes(data: &Bound<'_, PyAny>) -> PyResult<Self> {
        Ok(Self::of(raised(FilterSpec::from_bytes(&bytes(data)?))?))
    }

    /// A filter from a text in HBase's filter language.
    #[staticmethod]
    fn parse(text: &Bound<'_, PyAny>) -> PyResult<Self> {
        Ok(Self::of(raised(FilterSpec::parse(&convert::name(text, "filter")?))?))
    }

    #[staticmethod]
    fn all(filters: Vec<PyRef<'_, Self>>) -> PyResult<Self> {
        checked(FilterSpec::all(specs(filters)))
    }

    #[staticmethod]
    fn one(filters: Vec<PyRef<'_, Self>>) -> PyResult<Self> {
        checked(FilterSpec::one(specs(filters)))
    }

    #[staticmethod]
    fn skip(inner: &Bound<'_, Self>) -> PyResult<Self> {
        checked(FilterSpec::skip((*inner.get().0).clone()))
    }

    #[staticmethod]
    fn while_match(inner: &Bound<'_, Self>) -> PyResult<Self> {
        checked(FilterSpec::while_match((*inner.get().0).clone()))
    }

    #[staticmethod]
    fn key_only(length_as_value: bool) -> Self {
        Self::of(FilterSpec::key_only(length_as_value))
    }

    #[staticmethod]
    fn first_key_only() -> Self {
        Self::of(FilterSpec::FirstKeyOnly)
    }

    #[staticmethod]
    fn first_key_value_matching_qualifiers(qualifiers: &Bound<'_, PyAny>) -> PyResult<Self> {
        Ok(Self::of(FilterSpec::first_key_value_matching_qualifiers(all_bytes(qualifiers)?)))
    }

    #[staticmethod]
    fn prefix(prefix: &Bound<'_, PyAny>) -> PyResult<Self> {
        Ok(Self::of(FilterSpec::prefix(bytes(prefix)?)))
    }

    #[staticmethod]
    fn column_prefix(prefix: &Bound<'_, PyAny>) -> PyResult<Self> {
        Ok(Self::of(FilterSpec::column_prefix(bytes(prefix)?)))
    }

    #[staticmethod]
    fn multiple_column_prefix(prefixes: &Bound<'_, PyAny>) -> PyResult<Self> {
        Ok(Self::of(raised(FilterSpec::multiple_column_prefix(all_bytes(prefixes)?))?))
    }

    #[staticmethod]
    fn column_count_get(limit: i32) -> PyResult<Self> {
        Ok(Self::of(raised(FilterSpec::column_count_get(limit))?))
    }

    #[staticmethod]
    fn page(size: i64) -> PyResult<Self> {
        Ok(Self::of(raised(FilterSpec::page(size))?))
    }

    #[staticmethod]
    fn column_pagination(limit: i32, offset: i32, column_offset: Option<&Bound<'_, PyAny>>) -> PyResult<Self> {
        let spec = match column_offset {
            None => FilterSpec::column_pagination(limit, offset),
            Some(column_offset) => FilterSpec::column_pagination_from(limit, bytes(column_offset)?),
        };
        Ok(Self::of(raised(spec)?))
    }

    #[staticmethod]
    fn inclusive_stop(row: &Bound<'_, PyAny>) -> PyResult<Self> {
        Ok(Self::of(FilterSpec::inclusive_stop(bytes(row)?)))
    }

    #[staticmethod]
    fn timestamps(timestamps: Vec<i64>, can_hint: bool) -> PyResult<Self> {
        Ok(Self::of(raised(FilterSpec::timestamps(timestamps, can_hint))?))
    }

    #[staticmethod]
    fn row(compare: &str, with: &Bound<'_, PyAny>) -> PyResult<Self> {
        Ok(Self::of(FilterSpec::Row(comparing(compare, with)?)))
    }

    #[staticmethod]
    fn family(compare: &str, with: &Bound<'_, PyAny>) -> PyResult<Self> {
        Ok(Self::of(FilterSpec::Family(comparing(compare, with)?)))
    }

    #[staticmethod]
    fn qualifier(compare: &str, with: &Bound<'_, PyAny>) -> PyResult<Self> {
        Ok(Self::of(FilterSpec::Qualifier(comparing(compare, with)?)))
    }

    #[staticmethod]
    fn value(compare: &str, with: &Bound<'_, PyAny>) -> PyResult<Self> {
        Ok(Self::of(FilterSpec::Value(comparing(compare, with)?)))
    }

    #[staticmethod]
    fn column_range(
        min: Option<&Bound<'_, PyAny>>,
        min_inclusive: bool,
        max: Option<&Bound<'_, PyAny>>,
        max_inclusive: bool,
    ) -> PyResult<Self> {
        Ok(Self::of(FilterSpec::column_range(bound(min)?, min_inclusive, bound(max)?, max_inclusive)))
    }

    /// The three filters that look at the value of one column, by how they are called.
    #[staticmethod]
    #[allow(clippy::too_many_arguments)]
    fn of_column(
        which: &str,
        family: &Bound<'_, PyAny>,
        qualifier: &Bound<'_, PyAny>,
        compare: &str,
        with: &Bound<'_, PyAny>,
        filter_if_missing: bool,
        latest_version_only: bool,
    ) -> PyResult<Self> {
        let check = ColumnCheck::new(bytes(family)?, bytes(qualifier)?, convert::compare(compare)?, comparator(with)?);
        let check = ColumnCheck { filter_if_missing, latest_version_only, ..check };
        Ok(Self::of(match which {
            "single" => FilterSpec::SingleColumnValue(check),
            "exclude" => FilterSpec::SingleColumnValueExclude(check),
            _ => FilterSpec::ColumnValue(check),
        }))
    }

    #[staticmethod]
    fn dependent(
        family: &Bound<'_, PyAny>,
        qualifier: &Bound<'_, PyAny>,
        drop_column: bool,
        compare: Option<&str>,
        with: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let compare = match (compare, with) {
            (Some(compare), Some(with)) => Some((convert::compare(compare)?, comparator(with)?)),
            (None, None) => None,
            _ => return Err(PyValueError::new_err("a comparison and what to compare with go together")),
        };
        Ok(Self::of(FilterSpec::dependent(bytes(family)?, bytes(qualifier)?, drop_column, compare)))
    }

    #[staticmethod]
    fn random_row(chance: f32) -> Self {
        Self::of(FilterSpec::RandomRow { chance })
    }

    #[staticmethod]
    fn fuzzy_row(pairs: Vec<(Bound<'_, PyAny>, Bound<'_, PyAny>)>) -> PyResult<Self> {
        let pair =
            |(key, mask): &(Bound<'_, PyAny>, Bound<'_, PyAny>)| Ok(FuzzyPair { key: bytes(key)?, mask: bytes(mask)? });
        let pairs = pairs.iter().map(pair).collect::<PyResult<Vec<_>>>()?;
        Ok(Self::of(FilterSpec::FuzzyRow(raised(FuzzyRows::new(pairs))?)))
    }

    #[staticmethod]
    fn multi_row_range(ranges: Vec<(Bound<'_, PyAny>, Bound<'_, PyAny>, bool, bool)>) -> PyResult<Self> {
        let range =
            |(start, stop, start_inclusive, stop_inclusive): &(Bound<'_, PyAny>, Bound<'_, PyAny>, bool, bool)| {
                let (start_inclusive, stop_inclusive) = (*start_inclusive, *stop_inclusive);
                Ok(RowRange { start_inclusive, stop_inclusive, ..RowRange::new(bytes(start)?, bytes(stop)?) })
            };
        let ranges = ranges.iter().map(range).collect::<PyResult<Vec<_>>>()?;
        Ok(Self::of(FilterSpec::MultiRowRange(raised(RowRanges::new(ranges))?)))
    }
}
