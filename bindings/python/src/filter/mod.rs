//! Filters as values of Python, which compose with `&` and `|`.

mod comparator;
mod made;

use std::sync::Arc;

use bytes::Bytes;
use hjall_engine::filter::*;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

pub use comparator::Comparator;

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
}
