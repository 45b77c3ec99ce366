//! The substring comparator: contained regardless of case.

use super::regex::decode_utf8;

/// A text that is looked for regardless of case: both sides are lower-cased by Unicode's full mapping (`İ` becomes two characters, `ß` stays).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Substring(String);

impl Substring {
    /// Lower-cases the text once.
    pub fn new(text: &str) -> Self {
        Self(text.to_lowercase())
    }

    /// The text, in lower case.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether a part of a cell, read as Java reads UTF-8, contains it.
    pub fn is_in(&self, part: &[u8]) -> bool {
        decode_utf8(part).to_lowercase().contains(&self.0)
    }
}
