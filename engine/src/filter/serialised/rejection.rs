//! Refusals of serialised filters: the Java exception class that HBase names, and how nesting changes it.

use std::fmt::Display;

use super::wire;
use crate::error::{Error, ErrorKind, Result};

pub(in crate::filter) const CLASS_NOT_FOUND: &str = "java.lang.ClassNotFoundException";
pub(in crate::filter) const NO_SUCH_METHOD: &str = "java.lang.NoSuchMethodException";
pub(in crate::filter) const CLASS_CAST: &str = "java.lang.ClassCastException";
pub(in crate::filter) const INVOCATION_TARGET: &str = "java.lang.reflect.InvocationTargetException";
pub(in crate::filter) const ILLEGAL_ARGUMENT: &str = "java.lang.IllegalArgumentException";
pub(in crate::filter) const DESERIALIZATION: &str = "org.apache.hadoop.hbase.exceptions.DeserializationException";

/// A rejection with that exception class.
pub(in crate::filter) fn refused<T>(class: &'static str, message: impl Display) -> Result<T> {
    Err(Error::new(ErrorKind::FilterRejected(class), message))
}

/// The remedy for bytes that are not a serialised filter.
pub(super) const SERIALISE: &str =
    "send the bytes of a FilterProtos.Filter with one of HBase's filters, or a filterString";

/// A rejection of a class that is not the filter or comparator that it should be.
pub(super) fn refused_class<T>(class: &'static str, message: impl Display) -> Result<T> {
    refused(class, message).map_err(|error: Error| {
        error.with_remedy("use one of HBase's filters and comparators; other classes cannot be loaded")
    })
}

/// The value of a field that HBase requires.
pub(in crate::filter) fn required<T>(field: Option<T>, name: &str) -> Result<T> {
    match field {
        Some(value) => Ok(value),
        None => refused(DESERIALIZATION, format!("Message missing required fields: {name}"))
            .map_err(|error: Error| error.with_remedy(SERIALISE)),
    }
}

/// Decodes a class's own message. HBase reports a malformed one as a DeserializationException.
pub(in crate::filter) fn message<M: prost::Message + Default>(bytes: &[u8]) -> Result<M> {
    wire::decode(bytes).or_else(|error| {
        refused(DESERIALIZATION, format!("a part of the filter is malformed: {error}"))
            .map_err(|error: Error| error.with_remedy(SERIALISE))
    })
}

/// The rejection of a filter whose constructor failed.
pub(in crate::filter) fn argument(error: Error) -> Error {
    error.as_kind(ErrorKind::FilterRejected(ILLEGAL_ARGUMENT))
}

/// The rejection of a filter or comparator inside another filter, which HBase wraps in a DeserializationException.
pub(in crate::filter) fn nested(error: Error) -> Error {
    match error.kind() {
        ErrorKind::FilterRejected(class) if class != DESERIALIZATION => {
            let outer = Error::new(ErrorKind::FilterRejected(DESERIALIZATION), format!("{class}: {}", error.message()));
            match error.remedy() {
                Some(remedy) => outer.with_remedy(remedy),
                None => outer,
            }
        }
        _ => error,
    }
}
