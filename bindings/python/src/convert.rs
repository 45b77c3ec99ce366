//! Converts arguments from Python's types to the engine's.

use std::cell::RefCell;
use std::fmt::Display;

use bytes::Bytes;
use hjall_engine::LATEST;

use hjall_engine::mutation::{CompareOp, Durability, check_timestamp};
use hjall_engine::request::{Columns, TimeRange};
use pyo3::exceptions::{PyOverflowError, PyTypeError, PyUnicodeEncodeError};
use pyo3::prelude::*;
use pyo3::types::{PyByteArray, PyBytes, PyDict, PyFloat, PyInt, PyList, PyMemoryView, PySequence, PyString, PyTuple};

use crate::error::{self, Place};

/// The encoding of `str` arguments; `None` rejects them.
pub type Encoding<'a> = Option<&'a str>;

/// The bytes of a bytes-like object. A `str` is encoded if the database was opened with an encoding, and rejected
/// otherwise.
///
/// # Errors
/// `TypeError` that names the argument (`what`) and the remedy, `InvalidArgument` for a `str` that cannot be encoded.
pub fn bytes(value: &Bound<'_, PyAny>, what: impl Display, encoding: Encoding<'_>) -> PyResult<Bytes> {
    if let Ok(bytes) = value.cast::<PyBytes>() {
        return Ok(Bytes::copy_from_slice(bytes.as_bytes()));
    }
    if let Ok(text) = value.cast::<PyString>() {
        let Some(encoding) = encoding else {
            return Err(PyTypeError::new_err(format!(
                "{what} must be bytes, not str: write {}.encode(), or open the database with encoding=\"utf-8\"",
                value.repr()?
            )));
        };
        return encoded(text, encoding, what);
    }
    if let Ok(bytes) = value.cast::<PyByteArray>() {
        return Ok(Bytes::from(bytes.to_vec()));
    }
    let given = || value.get_type().fully_qualified_name();
    let Ok(view) = PyMemoryView::from(value) else {
        let remedy = if value.is_instance_of::<PyInt>() || value.is_instance_of::<PyFloat>() {
            ": encode it, for example a counter with struct.pack(\">q\", value) or text with str(value).encode()"
        } else {
            ""
        };
        let given = given()?;
        return Err(PyTypeError::new_err(format!(
            "{what} must be bytes, bytearray or memoryview, not {given}{remedy}"
        )));
    };
    let has_byte_items = matches!(view.getattr("format")?.extract::<String>()?.as_str(), "B" | "b" | "c");
    if !has_byte_items || view.getattr("ndim")?.extract::<usize>()? == 0 || is_numpy_time(value)? {
        // The memory of numbers has the order of the machine, but HBase's numbers are big-endian.
        return Err(PyTypeError::new_err(format!(
            "{what} must be bytes, bytearray or memoryview, not {}, whose memory is in the machine's byte order: encode \
             it, for example a counter with struct.pack(\">q\", value) or text with str(value).encode()",
            given()?
        )));
    }
    Ok(Bytes::copy_from_slice(view.call_method0("tobytes")?.cast::<PyBytes>()?.as_bytes()))
}

/// The bytes of a `str`. The method of `str` encodes it, and not one that a subclass has in its place, which might
/// return anything.
fn encoded(text: &Bound<'_, PyString>, encoding: &str, what: impl Display) -> PyResult<Bytes> {
    let py = text.py();
    let encoded = py.get_type::<PyString>().call_method1("encode", (text, encoding)).map_err(|error| {
        if !error.is_instance_of::<PyUnicodeEncodeError>(py) {
            return error;
        }
        let refused = error::invalid(format!("{what} cannot be encoded: {}: pass bytes", error.value(py)));
        refused.set_cause(py, Some(error));
        refused
    })?;
    Ok(Bytes::copy_from_slice(encoded.cast::<PyBytes>()?.as_bytes()))
}

/// The name of the type of a value, for messages.
///
/// # Errors
/// Those of a metaclass of the program.
pub fn type_name(value: &Bound<'_, PyAny>) -> PyResult<String> {
    Ok(if value.is_none() { "None".to_owned() } else { value.get_type().name()?.to_string() })
}

/// Text that is a name or a constant. `what` names the argument in messages.
///
/// # Errors
/// `TypeError` if the value is not a `str`, `InvalidArgument` if it is not Unicode text.
pub fn text(value: &Bound<'_, PyAny>, what: impl Display) -> PyResult<String> {
    let Ok(text) = value.cast::<PyString>() else {
        return Err(PyTypeError::new_err(format!("{what} must be str, not {}", type_name(value)?)));
    };
    let utf8 = encoded(text, "utf-8", &what)?;
    String::from_utf8(utf8.into()).map_err(|_| error::invalid(format!("{what} must be Unicode text")))
}

/// A truth value. `what` names it in messages.
///
/// # Errors
/// `TypeError` unless it is a `bool`.
pub fn flag(value: &Bound<'_, PyAny>, what: &str) -> PyResult<bool> {
    let wrong = |_| type_name(value).map_or_else(|error| error, |given| must_be_bool(what, &given));
    value.extract::<bool>().map_err(wrong)
}

fn must_be_bool(what: &str, given: &str) -> PyErr {
    PyTypeError::new_err(format!("{what} must be True or False, not {given}"))
}

/// The items of a dict, as they are at one moment. The conversion of an item can run code of the program, or let other
/// threads run, and an iteration over a dict that changes meanwhile panics.
///
/// # Errors
/// None in practice.
pub fn items<'py>(dict: &Bound<'py, PyDict>) -> PyResult<Vec<(Bound<'py, PyAny>, Bound<'py, PyAny>)>> {
    let items = RefCell::new(Vec::with_capacity(dict.len()));
    dict.locked_for_each(|key, value| {
        items.borrow_mut().push((key, value));
        Ok(())
    })?;
    Ok(items.into_inner())
}

/// An iterator over an argument. `wrong` is the message for a value that is not iterable, or that is text or bytes,
/// whose items are not meant.
///
/// # Errors
/// `TypeError`, and those of the program's `__iter__`.
pub fn iterate<'py>(
    value: &Bound<'py, PyAny>,
    wrong: impl FnOnce() -> PyResult<String>,
) -> PyResult<Bound<'py, PyAny>> {
    let not_meant = value.is_instance_of::<PyString>()
        || value.is_instance_of::<PyBytes>()
        || value.is_instance_of::<PyByteArray>()
        || value.is_instance_of::<PyMemoryView>();
    let refuse = || wrong().map_or_else(|error| error, PyTypeError::new_err);
    if not_meant {
        return Err(refuse());
    }
    match value.try_iter() {
        Ok(iterator) => Ok(iterator.into_any()),
        Err(error) if error.is_instance_of::<PyTypeError>(value.py()) => Err(refuse()),
        Err(error) => Err(error),
    }
}

/// Converters of arguments that PyO3 extracts. Its own messages do not name the argument.
pub mod argument {
    use hjall_engine::mutation::{CompareOp, Durability};
    use pyo3::prelude::*;

    macro_rules! flags {
        ($($name:ident)*) => {
            $(
                /// The argument of this name; see [`super::flag`].
                pub fn $name(value: &Bound<'_, PyAny>) -> PyResult<bool> {
                    super::flag(value, stringify!($name))
                }
            )*
        };
    }

    flags! { include_timestamp sorted_columns raw transaction major incremental preserve_splits }

    /// The argument `wal`; `None` if it is not given.
    pub fn wal(value: &Bound<'_, PyAny>) -> PyResult<Option<bool>> {
        if value.is_none() { Ok(None) } else { super::flag(value, "wal").map(Some) }
    }

    /// The argument `durability`; `None` if it is not given.
    pub fn durability(value: &Bound<'_, PyAny>) -> PyResult<Option<Durability>> {
        if value.is_none() {
            return Ok(None);
        }
        super::durability_level(&super::text(value, "durability")?, "durability").map(Some)
    }

    /// The argument `compare`.
    pub fn compare(value: &Bound<'_, PyAny>) -> PyResult<CompareOp> {
        super::compare(&super::text(value, "compare")?)
    }
}

/// The bytes of a bytes-like object, for an argument that belongs to no database and so has no encoding.
///
/// # Errors
/// `TypeError` that names the argument (`what`) and the remedy.
pub fn only_bytes(value: &Bound<'_, PyAny>, what: &str) -> PyResult<Bytes> {
    if value.is_instance_of::<PyString>() {
        return Err(PyTypeError::new_err(format!("{what} must be bytes, not str: write {}.encode()", value.repr()?)));
    }
    bytes(value, what, None)
}

/// Whether a value is a `datetime64` or `timedelta64` of numpy, whose memory numpy shows as bytes.
fn is_numpy_time(value: &Bound<'_, PyAny>) -> PyResult<bool> {
    let Some(dtype) = value.getattr_opt("dtype")? else { return Ok(false) };
    Ok(dtype.getattr_opt("kind")?.is_some_and(|kind| matches!(kind.extract::<&str>(), Ok("m" | "M"))))
}

/// The bytes of a name or of a filter's text, for which `str` is always accepted, as UTF-8.
///
/// # Errors
/// `TypeError` that names the argument.
pub fn name(value: &Bound<'_, PyAny>, what: &str) -> PyResult<Bytes> {
    bytes(value, what, Some("utf-8"))
}

/// Splits a column at its first colon into family and qualifier. Without a colon it names a family.
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

/// Checks for a list or tuple, which is what HappyBase accepts for columns.
///
/// # Errors
/// `TypeError` for any other type.
pub fn list_or_tuple<'a, 'py>(value: &'a Bound<'py, PyAny>, what: &str) -> PyResult<&'a Bound<'py, PyAny>> {
    if value.is_instance_of::<PyList>() || value.is_instance_of::<PyTuple>() {
        return Ok(value);
    }
    Err(PyTypeError::new_err(format!("{what} must be a list or tuple, not {}", value.get_type().name()?)))
}

/// The columns to read; `None` or an empty list selects all.
///
/// # Errors
/// `TypeError` unless the value is a list or tuple of bytes.
pub fn columns(value: Option<&Bound<'_, PyAny>>, encoding: Encoding<'_>) -> PyResult<Columns> {
    let mut columns = Columns::all();
    if let Some(value) = value {
        for item in list_or_tuple(value, "columns")?.try_iter()? {
            match column(bytes(&item?, "a column", encoding)?) {
                (family, Some(qualifier)) => columns.add_column(family, qualifier),
                (family, None) => columns.add_family(family),
            };
        }
    }
    Ok(columns)
}

/// A timestamp in milliseconds since 1970.
///
/// # Errors
/// `TypeError` if the value is not an integer, `OverflowError` if it does not fit into 64 bits.
pub fn timestamp(value: &Bound<'_, PyAny>) -> PyResult<i64> {
    integer_or(value, "timestamp", || "timestamp must be an integer: milliseconds since 1970".to_owned())
}

/// An integer. `what` names it in messages.
///
/// # Errors
/// `TypeError` if the value is not an integer, `OverflowError` if it does not fit into 64 bits.
pub fn integer(value: &Bound<'_, PyAny>, what: impl Display) -> PyResult<i64> {
    integer_or(value, &what, || {
        let given = value.get_type().name().map_or_else(|_| String::new(), |name| format!(", not {name}"));
        format!("{what} must be an integer{given}")
    })
}

/// An integer, as [`integer`] returns it. `no_integer` is the message of the `TypeError`.
fn integer_or(value: &Bound<'_, PyAny>, what: impl Display, no_integer: impl FnOnce() -> String) -> PyResult<i64> {
    value.extract::<i64>().map_err(|error| {
        if error.is_instance_of::<PyTypeError>(value.py()) {
            PyTypeError::new_err(no_integer())
        } else if error.is_instance_of::<PyOverflowError>(value.py()) {
            PyOverflowError::new_err(format!("{what} must be an integer from -2**63 to 2**63 - 1"))
        } else {
            error
        }
    })
}

/// An integer of 32 bits. `what` names it in messages.
///
/// # Errors
/// `TypeError` if the value is not an integer, `OverflowError` if it does not fit into 32 bits.
pub fn integer32(value: &Bound<'_, PyAny>, what: &str) -> PyResult<i32> {
    let too_large = |_| PyOverflowError::new_err(format!("{what} must be an integer from -2**31 to 2**31 - 1"));
    i32::try_from(integer(value, what)?).map_err(too_large)
}

/// A largest number of versions; `None` for all. The largest `i32` stands for all, and for larger numbers.
///
/// # Errors
/// Those of [`integer`], and `InvalidArgument` unless it is at least 1.
pub fn versions(value: Option<&Bound<'_, PyAny>>) -> PyResult<i32> {
    let Some(value) = value else { return Ok(i32::MAX) };
    let no_integer = || "versions must be an integer, or None for all versions".to_owned();
    let versions = integer_or(value, "versions", no_integer)?;
    if versions < 1 {
        return Err(error::invalid("versions must be at least 1, or None for all versions"));
    }
    Ok(i32::try_from(versions).unwrap_or(i32::MAX))
}

/// The timestamp of a mutation; `None` stands for the time at which it is applied.
///
/// # Errors
/// Those of [`timestamp`], and `InvalidArgument` if the value is negative, which begins with the place.
pub fn write_time(value: Option<&Bound<'_, PyAny>>, place: Place<'_>) -> PyResult<i64> {
    let time = value.map_or(Ok(LATEST), timestamp)?;
    check_timestamp(time).map_err(|e| error::from_call(&e, place))?;
    Ok(time)
}

/// The timestamps to read: those before `before`, or those in the half-open range `(min, max)`.
///
/// # Errors
/// `TypeError` if both are given, or if a range is not a sequence of two integers, `InvalidArgument` for an invalid
/// range, which begins with the place.
pub fn time_range(
    before: Option<&Bound<'_, PyAny>>,
    range: Option<&Bound<'_, PyAny>>,
    place: Place<'_>,
) -> PyResult<TimeRange> {
    let range = match (before, range) {
        (None, None) => return Ok(TimeRange::ALL),
        (Some(before), None) => TimeRange::before(timestamp(before)?),
        (None, Some(range)) => {
            const WRONG: &str = "time_range must be (min, max): two integers, in milliseconds since 1970";
            let wrong = || PyTypeError::new_err(WRONG);
            let sequence = range.cast::<PySequence>().map_err(|_| wrong())?;
            if sequence.len()? != 2 {
                return Err(wrong());
            }
            let end = |index| integer_or(&sequence.get_item(index)?, "time_range", || WRONG.to_owned());
            TimeRange::new(end(0)?, end(1)?)
        }
        (Some(_), Some(_)) => {
            return Err(PyTypeError::new_err(
                "timestamp and time_range cannot be combined: timestamp=t is time_range=(0, t)",
            ));
        }
    };
    range.map_err(|e| error::from_call(&e, place))
}

/// The durability of a mutation, from HBase's name of a level or from HappyBase's flag `wal`.
///
/// # Errors
/// `InvalidArgument` for an unknown name.
pub fn durability(name: Option<&str>, wal: Option<bool>) -> PyResult<Durability> {
    Ok(level(name.map(|name| durability_level(name, "durability")).transpose()?, wal))
}

/// The durability of a mutation, from a level or from HappyBase's flag `wal`.
pub fn level(given: Option<Durability>, wal: Option<bool>) -> Durability {
    given.unwrap_or(if wal == Some(false) { Durability::SkipWal } else { Durability::SyncWal })
}

/// A level of durability by HBase's name. `what` names the argument in messages.
///
/// # Errors
/// `InvalidArgument` for an unknown name.
pub fn durability_level(name: &str, what: impl Display) -> PyResult<Durability> {
    Durability::from_name(name).ok_or_else(|| {
        let names = Durability::ALL.map(Durability::name);
        // FSYNC stands for FSYNC_WAL, although SYNC_WAL is as similar to it.
        let upper = name.to_ascii_uppercase();
        let meant = (!upper.is_empty()).then(|| names.iter().find(|known| known.starts_with(&upper))).flatten();
        let hint = meant.map_or_else(String::new, |meant| format!(": did you mean {meant:?}?"));
        error::invalid(format!("{what} must be one of {}, not {name:?}{hint}", names.join(", ")))
    })
}

/// How long the cells of a mutation live, in milliseconds.
///
/// # Errors
/// Those of [`integer`], and `InvalidArgument` unless it is at least 1.
pub fn ttl(ttl_ms: Option<&Bound<'_, PyAny>>) -> PyResult<Option<i64>> {
    let ttl_ms = ttl_ms.map(|value| integer(value, "ttl_ms")).transpose()?;
    match ttl_ms {
        Some(ms) if ms < 1 => Err(error::invalid(format!(
            "ttl_ms must be at least 1 (milliseconds), not {ms}: leave it out for cells that do not expire"
        ))),
        _ => Ok(ttl_ms),
    }
}

/// A comparison operator, as a symbol or by HBase's name.
///
/// # Errors
/// `InvalidArgument` for an unknown operator.
pub fn compare(text: &str) -> PyResult<CompareOp> {
    let symbol = if text == "==" { "=" } else { text };
    CompareOp::from_symbol(symbol)
        .or_else(|| CompareOp::from_name(text))
        .ok_or_else(|| error::invalid(format!("compare must be one of <, <=, =, !=, >=, > (or NO_OP), not {text:?}")))
}
