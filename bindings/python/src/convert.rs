//! Between Python's values and the engine's.

use std::sync::Arc;

use bytes::Bytes;
use hjall_engine::LATEST;
use hjall_engine::filter::FilterSpec;
use hjall_engine::mutation::{CompareOp, Durability, check_timestamp};
use hjall_engine::request::{Columns, TimeRange};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyByteArray, PyBytes, PyList, PyMemoryView, PyString, PyTuple};

use crate::error;
use crate::filter::Filter;

/// What texts are encoded with; `None`: texts are refused.
pub type Encoding<'a> = Option<&'a str>;

/// Bytes of any bytes-like object. A `str` is encoded if the database was opened with an encoding, and refused otherwise.
///
/// # Errors
/// `TypeError` that names the argument and the remedy.
pub fn bytes(value: &Bound<'_, PyAny>, what: &str, encoding: Encoding<'_>) -> PyResult<Bytes> {
    if let Ok(bytes) = value.cast::<PyBytes>() {
        return Ok(Bytes::copy_from_slice(bytes.as_bytes()));
    }
    if value.is_instance_of::<PyString>() {
        let Some(encoding) = encoding else {
            return Err(PyTypeError::new_err(format!(
                "{what} must be bytes, not str: write {}.encode(), or open the database with encoding=\"utf-8\"",
                value.repr()?
            )));
        };
        let encoded = value.call_method1("encode", (encoding,))?;
        return Ok(Bytes::copy_from_slice(encoded.cast::<PyBytes>()?.as_bytes()));
    }
    if let Ok(bytes) = value.cast::<PyByteArray>() {
        return Ok(Bytes::from(bytes.to_vec()));
    }
    let Ok(view) = PyMemoryView::from(value) else {
        let given = value.get_type().name()?;
        return Err(PyTypeError::new_err(format!("{what} must be bytes, bytearray or memoryview, not {given}")));
    };
    Ok(Bytes::copy_from_slice(view.call_method0("tobytes")?.cast::<PyBytes>()?.as_bytes()))
}

/// Bytes of a name or a filter's text: there `str` is always taken, as UTF-8.
///
/// # Errors
/// `TypeError` that names the argument.
pub fn name(value: &Bound<'_, PyAny>, what: &str) -> PyResult<Bytes> {
    bytes(value, what, Some("utf-8"))
}

/// A column taken apart at its first colon; without one it is a family.
pub fn column(mut family: Bytes) -> (Bytes, Option<Bytes>) {
    match family.iter().position(|&b| b == b':') {
        None => (family, None),
        Some(colon) => {
            let qualifier = family.split_off(colon + 1);
            family.truncate(colon);
            (family, Some(qualifier))
        }
    }
}

/// A list or tuple, as HappyBase wants its columns.
///
/// # Errors
/// `TypeError` for anything else.
pub fn listed<'a, 'py>(value: &'a Bound<'py, PyAny>, what: &str) -> PyResult<&'a Bound<'py, PyAny>> {
    if value.is_instance_of::<PyList>() || value.is_instance_of::<PyTuple>() {
        return Ok(value);
    }
    Err(PyTypeError::new_err(format!("{what} must be a list or tuple, not {}", value.get_type().name()?)))
}

/// Which columns are wanted: `None` or an empty list: all.
///
/// # Errors
/// `TypeError` unless it is a list or tuple of bytes.
pub fn columns(value: Option<&Bound<'_, PyAny>>, encoding: Encoding<'_>) -> PyResult<Columns> {
    let mut columns = Columns::all();
    if let Some(value) = value {
        for wanted in listed(value, "columns")?.try_iter()? {
            match column(bytes(&wanted?, "a column", encoding)?) {
                (family, Some(qualifier)) => columns.add_column(family, qualifier),
                (family, None) => columns.add_family(family),
            };
        }
    }
    Ok(columns)
}

/// A timestamp in milliseconds.
///
/// # Errors
/// `TypeError` for what is no integer, `OverflowError` for what does not fit into 64 bits.
pub fn timestamp(value: &Bound<'_, PyAny>) -> PyResult<i64> {
    value.extract::<i64>().map_err(|error| {
        if error.is_instance_of::<PyTypeError>(value.py()) {
            PyTypeError::new_err("timestamp must be an integer: milliseconds since 1970")
        } else {
            error
        }
    })
}

/// The time of a mutation; `None`: when it is applied.
///
/// # Errors
/// As [`timestamp`]; `InvalidArgument` if it is negative.
pub fn write_time(value: Option<&Bound<'_, PyAny>>) -> PyResult<i64> {
    let time = value.map_or(Ok(LATEST), timestamp)?;
    check_timestamp(time).map_err(|e| error::raised(&e))?;
    Ok(time)
}

/// Which timestamps are wanted: those before one, or those in `(min, max)`.
///
/// # Errors
/// `TypeError` if both are given, `InvalidArgument` for a range that cannot be.
pub fn times(before: Option<&Bound<'_, PyAny>>, range: Option<(i64, i64)>) -> PyResult<TimeRange> {
    let range = match (before, range) {
        (None, None) => return Ok(TimeRange::ALL),
        (Some(before), None) => TimeRange::before(timestamp(before)?),
        (None, Some((min, max))) => TimeRange::new(min, max),
        (Some(_), Some(_)) => {
            return Err(PyTypeError::new_err(
                "timestamp and time_range cannot be combined: timestamp=t is time_range=(0, t)",
            ));
        }
    };
    range.map_err(|e| error::raised(&e))
}

/// A filter: one of `hjall.filters`, or a text in HBase's filter language.
///
/// # Errors
/// `TypeError` for anything else, `InvalidArgument` for a text that is no filter.
pub fn filter(value: Option<&Bound<'_, PyAny>>) -> PyResult<Option<Arc<FilterSpec>>> {
    let Some(value) = value else { return Ok(None) };
    if let Ok(filter) = value.cast::<Filter>() {
        return Ok(Some(filter.get().spec()));
    }
    let spec = FilterSpec::parse(&name(value, "filter")?).map_err(|e| error::raised(&e))?;
    Ok(Some(Arc::new(spec)))
}

/// When a mutation counts as done: HBase's name for it, or `wal` as HappyBase says it.
///
/// # Errors
/// `ValueError` for a name that is none.
pub fn durability(name: Option<&str>, wal: Option<bool>) -> PyResult<Durability> {
    match (name, wal) {
        (None, Some(false)) => Ok(Durability::SkipWal),
        (None, _) => Ok(Durability::SyncWal),
        (Some(name), _) => Durability::from_name(name).ok_or_else(|| {
            let names: Vec<_> = Durability::ALL.iter().map(|d| d.name()).collect();
            PyValueError::new_err(format!("durability must be one of {}, not {name:?}", names.join(", ")))
        }),
    }
}

/// A comparison, as an operator or by HBase's name.
///
/// # Errors
/// `ValueError` for one that is none.
pub fn compare(text: &str) -> PyResult<CompareOp> {
    Ok(match text {
        "<" | "LESS" => CompareOp::Less,
        "<=" | "LESS_OR_EQUAL" => CompareOp::LessOrEqual,
        "=" | "==" | "EQUAL" => CompareOp::Equal,
        "!=" | "NOT_EQUAL" => CompareOp::NotEqual,
        ">=" | "GREATER_OR_EQUAL" => CompareOp::GreaterOrEqual,
        ">" | "GREATER" => CompareOp::Greater,
        "NO_OP" => CompareOp::NoOp,
        _ => {
            return Err(PyValueError::new_err(format!(
                "a comparison is one of <, <=, =, !=, >=, > (or NO_OP), not {text:?}"
            )));
        }
    })
}
