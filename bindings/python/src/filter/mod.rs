//! Filters as Python values, which compose with `&` and `|`.

mod chain;
mod comparator;

use std::sync::{Arc, OnceLock};

use bytes::Bytes;
use hjall_engine::filter::{
    ColumnCheck, Comparator as EngineComparator, FilterSpec, FuzzyPair, ListOperator, RowRange, check_depth,
};
use hjall_engine::mutation::CompareOp;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use chain::{Chain, Operand};
pub use comparator::Comparator;
use comparator::comparator;

use crate::convert;
use crate::error::{self, Place};

/// A filter: selects the rows and cells that a read returns. The functions of `hjall.filters` create filters.
/// ``a & b`` keeps what both filters keep; ``a | b`` keeps what at least one of them keeps. Filters are immutable.
#[pyclass(frozen, module = "hjall.filters", eq)]
pub struct Filter {
    form: Form,
    /// The Python expression for the filter, as far as it is known. That of a chain is set when it is needed.
    expression: OnceLock<String>,
}

enum Form {
    Spec(Arc<FilterSpec>),
    /// `&` or `|` made the filter. `spec` is set when it is needed.
    Chain {
        chain: Chain,
        spec: OnceLock<Arc<FilterSpec>>,
    },
}

impl PartialEq for Filter {
    fn eq(&self, other: &Self) -> bool {
        self.spec() == other.spec()
    }
}

impl Filter {
    /// The engine's representation of the filter.
    pub fn spec(&self) -> Arc<FilterSpec> {
        Arc::clone(match &self.form {
            Form::Spec(spec) => spec,
            Form::Chain { chain, spec } => spec.get_or_init(|| Arc::new(chain.spec())),
        })
    }

    fn chain(&self) -> Option<&Chain> {
        match &self.form {
            Form::Spec(_) => None,
            Form::Chain { chain, .. } => Some(chain),
        }
    }

    fn expression(&self) -> Option<&str> {
        if self.expression.get().is_none()
            && let Some(text) = self.chain().and_then(Chain::expression)
        {
            let _ = self.expression.set(text);
        }
        self.expression.get().map(String::as_str)
    }

    fn of(spec: FilterSpec) -> Self {
        Self { form: Form::Spec(Arc::new(spec)), expression: OnceLock::new() }
    }

    fn depth(&self) -> usize {
        self.chain().map_or_else(|| self.spec().depth(), Chain::depth)
    }

    /// The filter as an operand of an operator.
    fn operand(&self, operator: ListOperator) -> Operand {
        let spec = FilterSpec::clone(&self.spec());
        // The operand of another operator needs parentheses.
        let is_other = spec.as_list().is_some_and(|(own, _)| own != operator);
        let text = self.expression().map(|text| match is_other && text.contains(' ') {
            true => format!("({text})"),
            false => text.to_owned(),
        });
        Operand { spec, text, depth: self.depth() }
    }

    fn join(&self, other: &Self, operator: ListOperator) -> PyResult<Self> {
        let operand = other.operand(operator);
        let chain = match self.chain() {
            Some(chain) if chain.operator() == operator => chain.with(operand),
            _ => Chain::new(operator, self.operand(operator)).with(operand),
        };
        engine_result(check_depth(chain.depth()))?;
        Ok(Self { form: Form::Chain { chain, spec: OnceLock::new() }, expression: OnceLock::new() })
    }
}

fn engine_result<T>(result: hjall_engine::Result<T>) -> PyResult<T> {
    result.map_err(|e| error::from_engine(&e))
}

/// The argument `filter` of a call: a `Filter`, or text in HBase's filter language.
///
/// # Errors
/// `TypeError` for any other type, `InvalidArgument` for text that does not parse, which begins with the place.
pub fn argument(value: Option<&Bound<'_, PyAny>>, place: Place<'_>) -> PyResult<Option<Arc<FilterSpec>>> {
    let Some(value) = value else { return Ok(None) };
    if let Ok(filter) = value.cast::<Filter>() {
        return Ok(Some(filter.get().spec()));
    }
    let spec = FilterSpec::parse(&convert::name(value, "filter")?).map_err(|e| error::from_call(&e, place))?;
    Ok(Some(Arc::new(spec)))
}

/// A filter that accepts the rows with a prefix that another filter accepts.
pub fn within_prefix(prefix: Bytes, filter: Option<Arc<FilterSpec>>) -> Arc<FilterSpec> {
    let prefix = FilterSpec::prefix(prefix);
    Arc::new(match filter.as_deref() {
        None => prefix,
        Some(filter) => match filter.as_list() {
            Some((ListOperator::All, members)) => {
                FilterSpec::all(std::iter::once(prefix).chain(members.iter().cloned()).collect())
            }
            _ => FilterSpec::all(vec![prefix, filter.clone()]),
        },
    })
}

/// Makes a filter, unless it is nested too deeply.
fn checked(spec: FilterSpec) -> PyResult<Filter> {
    engine_result(check_depth(spec.depth()))?;
    Ok(Filter::of(spec))
}

fn bytes(value: &Bound<'_, PyAny>) -> PyResult<Bytes> {
    convert::only_bytes(value, "a filter argument")
}

fn bound(value: Option<&Bound<'_, PyAny>>) -> PyResult<Option<Bytes>> {
    value.map(bytes).transpose()
}

fn all_bytes(values: &Bound<'_, PyAny>) -> PyResult<Vec<Bytes>> {
    values.try_iter()?.map(|value| bytes(&value?)).collect()
}

/// A comparison of one part of a cell.
fn comparison(compare: &str, with: &Bound<'_, PyAny>) -> PyResult<(CompareOp, EngineComparator)> {
    Ok((convert::compare(compare)?, comparator(with)?))
}

fn column_check(
    family: &Bound<'_, PyAny>,
    qualifier: &Bound<'_, PyAny>,
    compare: &str,
    with: &Bound<'_, PyAny>,
) -> PyResult<ColumnCheck> {
    Ok(ColumnCheck::new(bytes(family)?, bytes(qualifier)?, convert::compare(compare)?, comparator(with)?))
}

fn specs(filters: Vec<PyRef<'_, Filter>>) -> Vec<FilterSpec> {
    filters.iter().map(|filter| FilterSpec::clone(&filter.spec())).collect()
}

#[pymethods]
impl Filter {
    fn __and__(&self, other: &Bound<'_, Self>) -> PyResult<Self> {
        self.join(other.get(), ListOperator::All)
    }

    fn __or__(&self, other: &Bound<'_, Self>) -> PyResult<Self> {
        self.join(other.get(), ListOperator::One)
    }

    /// Sets the expression that `repr` returns, once.
    fn _describe(&self, expression: String) {
        let _ = self.expression.set(expression);
    }

    fn __repr__(&self) -> String {
        self.expression().map_or_else(|| format!("{:?}", self.spec()), ToOwned::to_owned)
    }

    /// The filter in HBase's serialized form (protobuf), as HBase's Java client sends it.
    fn to_bytes<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.spec().to_bytes())
    }

    /// Parses HBase's serialized form.
    #[staticmethod]
    fn from_bytes(data: &Bound<'_, PyAny>) -> PyResult<Self> {
        Ok(Self::of(engine_result(FilterSpec::from_bytes(&bytes(data)?))?))
    }

    /// Parses a filter in HBase's filter language.
    #[staticmethod]
    fn parse(text: &Bound<'_, PyAny>) -> PyResult<Self> {
        Ok(Self::of(engine_result(FilterSpec::parse(&convert::name(text, "filter")?))?))
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
        checked(FilterSpec::skip(FilterSpec::clone(&inner.get().spec())))
    }

    #[staticmethod]
    fn while_match(inner: &Bound<'_, Self>) -> PyResult<Self> {
        checked(FilterSpec::while_match(FilterSpec::clone(&inner.get().spec())))
    }

    #[staticmethod]
    fn key_only(length_as_value: bool) -> Self {
        Self::of(FilterSpec::key_only(length_as_value))
    }

    #[staticmethod]
    fn first_key_only() -> Self {
        Self::of(FilterSpec::first_key_only())
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
        Ok(Self::of(engine_result(FilterSpec::multiple_column_prefix(all_bytes(prefixes)?))?))
    }

    #[staticmethod]
    fn column_count_get(limit: i32) -> PyResult<Self> {
        Ok(Self::of(engine_result(FilterSpec::column_count_get(limit))?))
    }

    #[staticmethod]
    fn page(size: i64) -> PyResult<Self> {
        Ok(Self::of(engine_result(FilterSpec::page(size))?))
    }

    #[staticmethod]
    fn column_pagination(limit: i32, offset: i32, column_offset: Option<&Bound<'_, PyAny>>) -> PyResult<Self> {
        let spec = match column_offset {
            None => FilterSpec::column_pagination(limit, offset),
            Some(column_offset) => FilterSpec::column_pagination_from(limit, bytes(column_offset)?),
        };
        Ok(Self::of(engine_result(spec)?))
    }

    #[staticmethod]
    fn inclusive_stop(row: &Bound<'_, PyAny>) -> PyResult<Self> {
        Ok(Self::of(FilterSpec::inclusive_stop(bytes(row)?)))
    }

    #[staticmethod]
    fn timestamps(timestamps: Vec<i64>, can_hint: bool) -> PyResult<Self> {
        Ok(Self::of(engine_result(FilterSpec::timestamps(timestamps, can_hint))?))
    }

    #[staticmethod]
    fn row(compare: &str, with: &Bound<'_, PyAny>) -> PyResult<Self> {
        let (op, comparator) = comparison(compare, with)?;
        Ok(Self::of(FilterSpec::row(op, comparator)))
    }

    #[staticmethod]
    fn family(compare: &str, with: &Bound<'_, PyAny>) -> PyResult<Self> {
        let (op, comparator) = comparison(compare, with)?;
        Ok(Self::of(FilterSpec::family(op, comparator)))
    }

    #[staticmethod]
    fn qualifier(compare: &str, with: &Bound<'_, PyAny>) -> PyResult<Self> {
        let (op, comparator) = comparison(compare, with)?;
        Ok(Self::of(FilterSpec::qualifier(op, comparator)))
    }

    #[staticmethod]
    fn value(compare: &str, with: &Bound<'_, PyAny>) -> PyResult<Self> {
        let (op, comparator) = comparison(compare, with)?;
        Ok(Self::of(FilterSpec::value(op, comparator)))
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

    #[staticmethod]
    fn single_column_value(
        family: &Bound<'_, PyAny>,
        qualifier: &Bound<'_, PyAny>,
        compare: &str,
        with: &Bound<'_, PyAny>,
        filter_if_missing: bool,
        latest_version_only: bool,
    ) -> PyResult<Self> {
        let check = column_check(family, qualifier, compare, with)?;
        let check = ColumnCheck { filter_if_missing, latest_version_only, ..check };
        Ok(Self::of(FilterSpec::single_column_value(check)))
    }

    #[staticmethod]
    fn single_column_value_exclude(
        family: &Bound<'_, PyAny>,
        qualifier: &Bound<'_, PyAny>,
        compare: &str,
        with: &Bound<'_, PyAny>,
        filter_if_missing: bool,
        latest_version_only: bool,
    ) -> PyResult<Self> {
        let check = column_check(family, qualifier, compare, with)?;
        let check = ColumnCheck { filter_if_missing, latest_version_only, ..check };
        Ok(Self::of(FilterSpec::single_column_value_exclude(check)))
    }

    #[staticmethod]
    fn column_value(
        family: &Bound<'_, PyAny>,
        qualifier: &Bound<'_, PyAny>,
        compare: &str,
        with: &Bound<'_, PyAny>,
    ) -> PyResult<Self> {
        let (family, qualifier) = (bytes(family)?, bytes(qualifier)?);
        let (op, comparator) = comparison(compare, with)?;
        Ok(Self::of(FilterSpec::column_value(family, qualifier, op, comparator)))
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
            _ => return Err(error::invalid("compare and value must be given together")),
        };
        Ok(Self::of(FilterSpec::dependent(bytes(family)?, bytes(qualifier)?, drop_column, compare)))
    }

    #[staticmethod]
    fn random_row(chance: f32) -> Self {
        Self::of(FilterSpec::random_row(chance))
    }

    #[staticmethod]
    fn fuzzy_row(pairs: Vec<(Bound<'_, PyAny>, Bound<'_, PyAny>)>) -> PyResult<Self> {
        let pair =
            |(key, mask): &(Bound<'_, PyAny>, Bound<'_, PyAny>)| Ok(FuzzyPair { key: bytes(key)?, mask: bytes(mask)? });
        let pairs = pairs.iter().map(pair).collect::<PyResult<Vec<_>>>()?;
        Ok(Self::of(engine_result(FilterSpec::fuzzy_row(pairs))?))
    }

    #[staticmethod]
    fn multi_row_range(ranges: Vec<(Bound<'_, PyAny>, Bound<'_, PyAny>, bool, bool)>) -> PyResult<Self> {
        let range =
            |(start, stop, start_inclusive, stop_inclusive): &(Bound<'_, PyAny>, Bound<'_, PyAny>, bool, bool)| {
                let (start_inclusive, stop_inclusive) = (*start_inclusive, *stop_inclusive);
                Ok(RowRange { start_inclusive, stop_inclusive, ..RowRange::new(bytes(start)?, bytes(stop)?) })
            };
        let ranges = ranges.iter().map(range).collect::<PyResult<Vec<_>>>()?;
        Ok(Self::of(engine_result(FilterSpec::multi_row_range(ranges))?))
    }
}
