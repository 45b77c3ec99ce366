//! Which Java class HBase names when it refuses serialised bytes, and how that changes inside other filters.

use crate::error::{Error, ErrorKind, Result};

pub(super) const CLASS_NOT_FOUND: &str = "java.lang.ClassNotFoundException";
pub(super) const NO_SUCH_METHOD: &str = "java.lang.NoSuchMethodException";
pub(super) const CLASS_CAST: &str = "java.lang.ClassCastException";
pub(super) const INVOCATION_TARGET: &str = "java.lang.reflect.InvocationTargetException";
pub(super) const ILLEGAL_ARGUMENT: &str = "java.lang.IllegalArgumentException";
pub(super) const DESERIALIZATION: &str = "org.apache.hadoop.hbase.exceptions.DeserializationException";

/// A refusal under that class.
pub(super) fn refused<T>(class: &'static str, message: impl Into<String>) -> Result<T> {
    Err(Error::new(ErrorKind::FilterRejected(class), message))
}

/// A field that HBase requires.
pub(super) fn required<T>(field: Option<T>, name: &str) -> Result<T> {
    match field {
        Some(value) => Ok(value),
        None => refused(DESERIALIZATION, format!("Message missing required fields: {name}")),
    }
}

/// A message of its own; what is malformed in it is HBase's DeserializationException.
pub(super) fn message<M: prost::Message + Default>(bytes: &[u8]) -> Result<M> {
    M::decode(bytes).or_else(|error| refused(DESERIALIZATION, format!("a part of the filter is malformed: {error}")))
}

/// What a filter's constructor refuses.
pub(super) fn argument(error: Error) -> Error {
    Error::new(ErrorKind::FilterRejected(ILLEGAL_ARGUMENT), error.message().to_owned())
}

/// Inside another filter HBase wraps every refusal.
pub(super) fn nested(error: Error) -> Error {
    match error.kind() {
        ErrorKind::FilterRejected(class) if class != DESERIALIZATION => {
            Error::new(ErrorKind::FilterRejected(DESERIALIZATION), format!("{class}: {}", error.message()))
        }
        _ => error,
    }
}
