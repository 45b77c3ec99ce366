//! Comparators: the right-hand sides of filters' comparisons.

use std::sync::OnceLock;

use bytes::Bytes;
use hjall_engine::filter::{BitwiseOp, Comparator as EngineComparator};
use pyo3::prelude::*;

use crate::convert;
use crate::error;

fn bytes(value: &Bound<'_, PyAny>) -> PyResult<Bytes> {
    convert::only_bytes(value, "a comparator argument")
}

/// A comparator argument. Plain bytes stand for `BinaryComparator`.
pub(super) fn comparator(with: &Bound<'_, PyAny>) -> PyResult<EngineComparator> {
    match with.cast::<Comparator>() {
        Ok(comparator) => Ok(comparator.get().0.clone()),
        Err(_) => Ok(EngineComparator::binary(bytes(with)?)),
    }
}

/// The right-hand side of a filter's comparison. The functions of `hjall.filters` create comparators; plain bytes
/// stand for `BinaryComparator`.
#[pyclass(frozen, module = "hjall.filters", eq)]
pub struct Comparator(EngineComparator, OnceLock<String>);

impl PartialEq for Comparator {
    fn eq(&self, other: &Self) -> bool {
        self.0 == other.0
    }
}

impl Comparator {
    fn of(comparator: EngineComparator) -> Self {
        Self(comparator, OnceLock::new())
    }
}

#[pymethods]
impl Comparator {
    #[staticmethod]
    fn binary(value: &Bound<'_, PyAny>) -> PyResult<Self> {
        Ok(Self::of(EngineComparator::binary(bytes(value)?)))
    }

    #[staticmethod]
    fn binary_prefix(value: &Bound<'_, PyAny>) -> PyResult<Self> {
        Ok(Self::of(EngineComparator::binary_prefix(bytes(value)?)))
    }

    #[staticmethod]
    fn binary_component(value: &Bound<'_, PyAny>, offset: u32) -> PyResult<Self> {
        Ok(Self::of(EngineComparator::binary_component(bytes(value)?, offset)))
    }

    #[staticmethod]
    fn regex(pattern: &str) -> PyResult<Self> {
        EngineComparator::regex_string(pattern).map(Self::of).map_err(|e| error::from_engine(&e))
    }

    #[staticmethod]
    fn substring(text: &str) -> Self {
        Self::of(EngineComparator::substring(text))
    }

    #[staticmethod]
    fn bit(value: &Bound<'_, PyAny>, op: &str) -> PyResult<Self> {
        let op = match op {
            "and" => BitwiseOp::And,
            "or" => BitwiseOp::Or,
            "xor" => BitwiseOp::Xor,
            _ => return Err(error::invalid(format!("op must be \"and\", \"or\" or \"xor\", not {op:?}"))),
        };
        Ok(Self::of(EngineComparator::bit(bytes(value)?, op)))
    }

    #[staticmethod]
    fn null() -> Self {
        Self::of(EngineComparator::null())
    }

    #[staticmethod]
    fn long(value: i64) -> Self {
        Self::of(EngineComparator::long(value))
    }

    /// Sets the expression that `repr` returns, once.
    fn _describe(&self, expression: String) {
        let _ = self.1.set(expression);
    }

    fn __repr__(&self) -> String {
        self.1.get().cloned().unwrap_or_else(|| format!("{:?}", self.0))
    }
}
