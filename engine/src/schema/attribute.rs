//! Attributes: byte strings by byte strings, read as Java reads them.

use std::collections::BTreeMap;

use bytes::Bytes;

use crate::error::{Error, ErrorKind, Result};

/// Attributes of a table or family, as they were given.
pub type Attributes = BTreeMap<Bytes, Bytes>;

/// The text of a value.
pub(super) fn text(attributes: &Attributes, key: &str) -> Option<String> {
    attributes.get(key.as_bytes()).map(|v| String::from_utf8_lossy(v).into_owned())
}

/// A whole number as Java's `Integer.parseInt` and `Long.parseLong` read it: a sign and decimal digits, nothing else.
///
/// # Errors
/// `Unprocessable`: HBase's master fails over it again and again with a `NumberFormatException`.
pub(super) fn number<T: std::str::FromStr>(attributes: &Attributes, key: &str, default: T) -> Result<T> {
    let Some(text) = text(attributes, key) else { return Ok(default) };
    text.parse().map_err(|_| {
        Error::new(
            ErrorKind::Unprocessable,
            format!("{key} must be a whole number in range, not \"{text}\" (NumberFormatException)"),
        )
    })
}

/// A truth value as Java's `Boolean.parseBoolean` reads it: `true` in any case is true, everything else false.
pub(super) fn truth(attributes: &Attributes, key: &str, default: bool) -> bool {
    text(attributes, key).map_or(default, |t| t.eq_ignore_ascii_case("true"))
}
