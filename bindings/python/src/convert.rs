//! Between Python's values and the engine's.

use bytes::Bytes;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyByteArray, PyBytes, PyMemoryView, PyString};

/// Bytes of any bytes-like object. A `str` is encoded if the database was opened with an encoding, and refused otherwise.
///
/// # Errors
/// `TypeError` that names the argument and the remedy.
pub fn bytes(value: &Bound<'_, PyAny>, what: &str, encoding: Option<&str>) -> PyResult<Bytes> {
    if let Ok(bytes) = value.cast::<PyBytes>() {
        return Ok(Bytes::copy_from_slice(bytes.as_bytes()));
    }
    if value.is_instance_of::<PyString>() {
        return match encoding {
            Some(encoding) => {
                Ok(Bytes::copy_from_slice(value.call_method1("encode", (encoding,))?.cast::<PyBytes>()?.as_bytes()))
            }
            None => Err(PyTypeError::new_err(format!(
                "{what} must be bytes, not str: write {}.encode(), or open the database with encoding=\"utf-8\"",
                value.repr()?
            ))),
        };
    }
    if let Ok(bytes) = value.cast::<PyByteArray>() {
        return Ok(Bytes::from(bytes.to_vec()));
    }
    let Ok(view) = PyMemoryView::from(value) else {
        return Err(PyTypeError::new_err(format!(
            "{what} must be bytes, bytearray or memoryview, not {}",
            value.get_type().name()?
        )));
    };
    Ok(Bytes::copy_from_slice(view.call_method0("tobytes")?.cast::<PyBytes>()?.as_bytes()))
}
