//! Comparators: the right-hand sides of filters' comparisons.

use bytes::Bytes;
use hjall_engine::filter::{BitwiseOp, Comparator as EngineComparator};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::convert;
use crate::error;

fn bytes(value: &Bound<'_, PyAny>) -> PyResult<Bytes> {
    convert::bytes(value, "a comparator argument", None)
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
#[derive(PartialEq)]
pub struct Comparator(EngineComparator);

#[pymethods]
impl Comparator {
    #[staticmethod]
    fn binary(value: &Bound<'_, PyAny>) -> PyResult<Self> {
        Ok(Self(EngineComparator::binary(bytes(value)?)))
    }

    #[staticmethod]
    fn binary_prefix(value: &Bound<'_, PyAny>) -> PyResult<Self> {
        Ok(Self(EngineComparator::binary_prefix(bytes(value)?)))
    }

    #[staticmethod]
    fn binary_component(value: &Bound<'_, PyAny>, offset: u32) -> PyResult<Self> {
        Ok(Self(EngineComparator::binary_component(bytes(value)?, offset)))
    }

    #[staticmethod]
    fn regex(pattern: &str) -> PyResult<Self> {
        EngineComparator::regex_string(pattern).map(Self).map_err(|e| error::from_engine(&e))
    }

    #[staticmethod]
    fn substring(text: &str) -> Self {
        Self(EngineComparator::substring(text))
    }

    #[staticmethod]
    fn bit(value: &Bound<'_, PyAny>, op: &str) -> PyResult<Self> {
        let op = match op {
            "and" => BitwiseOp::And,
            "or" => BitwiseOp::Or,
            "xor" => BitwiseOp::Xor,
            _ => return Err(PyValueError::new_err(format!("op must be \"and\", \"or\" or \"xor\", not {op:?}"))),
        };
        Ok(Self(EngineComparator::bit(bytes(value)?, op)))
    }

    #[staticmethod]
    fn null() -> Self {
        Self(EngineComparator::null())
    }

    #[staticmethod]
    fn long(value: i64) -> Self {
        Self(EngineComparator::long(value))
    }

    fn __repr__(&self) -> String {
        format!("{:?}", self.0)
    }
}
