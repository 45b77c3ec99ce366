//! What filters compare with.

use hjall_engine::filter::{BitwiseOp, Comparator as EngineComparator, Compare, RegexComparator, Substring};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use super::{bytes, raised};
use crate::convert;

/// A part of a cell, a comparison, and what to compare with.
pub(super) fn comparing(compare: &str, with: &Bound<'_, PyAny>) -> PyResult<Compare> {
    Ok(Compare::new(convert::compare(compare)?, comparator(with)?))
}

/// A comparator; bytes are compared as a whole.
pub(super) fn comparator(with: &Bound<'_, PyAny>) -> PyResult<EngineComparator> {
    match with.cast::<Comparator>() {
        Ok(comparator) => Ok(comparator.get().0.clone()),
        Err(_) => Ok(EngineComparator::Binary(bytes(with)?)),
    }
}

/// What a part of a cell is compared with; functions of `hjall.filters` make one. Bytes stand for `BinaryComparator`.
#[pyclass(frozen, module = "hjall.filters", eq)]
#[derive(PartialEq)]
pub struct Comparator(EngineComparator);

#[pymethods]
impl Comparator {
    #[staticmethod]
    fn binary(value: &Bound<'_, PyAny>) -> PyResult<Self> {
        Ok(Self(EngineComparator::Binary(bytes(value)?)))
    }

    #[staticmethod]
    fn binary_prefix(value: &Bound<'_, PyAny>) -> PyResult<Self> {
        Ok(Self(EngineComparator::BinaryPrefix(bytes(value)?)))
    }

    #[staticmethod]
    fn binary_component(value: &Bound<'_, PyAny>, offset: u32) -> PyResult<Self> {
        Ok(Self(EngineComparator::BinaryComponent { value: bytes(value)?, offset }))
    }

    #[staticmethod]
    fn regex(pattern: &str) -> PyResult<Self> {
        Ok(Self(EngineComparator::Regex(raised(RegexComparator::dotall(pattern))?)))
    }

    #[staticmethod]
    fn substring(text: &str) -> Self {
        Self(EngineComparator::Substring(Substring::new(text)))
    }

    #[staticmethod]
    fn bit(value: &Bound<'_, PyAny>, op: &str) -> PyResult<Self> {
        let op = match op {
            "and" => BitwiseOp::And,
            "or" => BitwiseOp::Or,
            "xor" => BitwiseOp::Xor,
            _ => return Err(PyValueError::new_err(format!("bits are combined by and, or, xor, not {op:?}"))),
        };
        Ok(Self(EngineComparator::Bit { value: bytes(value)?, op }))
    }

    #[staticmethod]
    fn null() -> Self {
        Self(EngineComparator::Null)
    }

    #[staticmethod]
    fn long(value: i64) -> Self {
        Self(EngineComparator::Long(value))
    }

    fn __repr__(&self) -> String {
        format!("{:?}", self.0)
    }
}
