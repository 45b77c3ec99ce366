//! Attributes: a map from byte strings to byte strings, parsed as Java parses them.

use std::borrow::Cow;
use std::collections::BTreeMap;

use bytes::Bytes;

use crate::error::{Error, ErrorKind, Result};
use crate::quote::Quoted;

/// Attributes of a table or family, unparsed.
pub type Attributes = BTreeMap<Bytes, Bytes>;

/// The text of a value.
pub(super) fn text<'a>(attributes: &'a Attributes, key: &str) -> Option<Cow<'a, str>> {
    attributes.get(key.as_bytes()).map(|v| String::from_utf8_lossy(v))
}

/// Parses a whole number as Java's `Integer.parseInt` and `Long.parseLong` do: an optional sign and decimal digits,
/// nothing else.
///
/// # Errors
/// `Unprocessable`: HBase's master fails with a `NumberFormatException` however often it retries.
pub(super) fn number<T: std::str::FromStr>(attributes: &Attributes, key: &str, default: T) -> Result<T> {
    let Some(text) = text(attributes, key) else { return Ok(default) };
    text.parse().map_err(|_| not_a_number(key, &text))
}

fn not_a_number(key: &str, text: &str) -> Error {
    Error::new(
        ErrorKind::Unprocessable,
        format!("{key} must be a whole number in range, not \"{}\" (NumberFormatException)", Quoted(text)),
    )
}

/// Parses a number as HBase's configuration does: without the spaces around it, also hexadecimal after `0x`.
///
/// # Errors
/// As [`number`].
pub(super) fn setting_number(attributes: &Attributes, key: &str, default: i64) -> Result<i64> {
    let Some(text) = text(attributes, key) else { return Ok(default) };
    let trimmed = text.trim();
    let (sign, digits) = trimmed.strip_prefix('-').map_or((1, trimmed), |digits| (-1, digits));
    let hexadecimal = digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X"));
    let parsed = match hexadecimal {
        Some(digits) => i64::from_str_radix(digits, 16).ok().map(|number| sign * number),
        None => trimmed.parse().ok(),
    };
    if trimmed.is_empty() { Ok(default) } else { parsed.ok_or_else(|| not_a_number(key, &text)) }
}

/// Parses a boolean as Java's `Boolean.parseBoolean` does: `true` in any letter case is true, everything else is false.
pub(super) fn truth(attributes: &Attributes, key: &str, default: bool) -> bool {
    text(attributes, key).map_or(default, |t| t.eq_ignore_ascii_case("true"))
}
