//! The regular expression comparator.

use std::sync::Arc;

use super::charset::Charset;
use super::{DOTALL, JavaRegex};
use crate::error::{Error, Result};

/// A Java regular expression that is looked for in a part of a cell.
#[derive(Debug, Clone)]
pub struct RegexComparator {
    pattern: String,
    flags: u32,
    charset: Charset,
    regex: Arc<JavaRegex>,
}

/// What it is made of decides; the compiled form follows from it.
impl PartialEq for RegexComparator {
    fn eq(&self, other: &Self) -> bool {
        (&self.pattern, self.flags, self.charset) == (&other.pattern, other.flags, other.charset)
    }
}

impl RegexComparator {
    /// A pattern with Java's flags; cells are read as UTF-8.
    ///
    /// # Errors
    /// As [`JavaRegex::new`].
    pub fn new(pattern: &str, given: u32) -> Result<Self> {
        let compiled = |flags| {
            JavaRegex::new(pattern, flags)
                .map_err(|error| Error::invalid(format!("PatternSyntaxException: {}", error.message())))
        };
        // HBase's client sends the pattern with the flags as they are at its end, and the server compiles it anew with those:
        // `a(?i)b` ignores the case of the a as well.
        let mut regex = compiled(given)?;
        let flags = regex.flags();
        if flags != given {
            regex = compiled(flags)?;
        }
        Ok(Self { pattern: pattern.to_owned(), flags, charset: Charset::Utf8, regex: Arc::new(regex) })
    }

    /// HBase's default: `.` matches line terminators too.
    ///
    /// # Errors
    /// As [`JavaRegex::new`].
    pub fn dotall(pattern: &str) -> Result<Self> {
        Self::new(pattern, DOTALL)
    }

    /// Reads cells in another character set.
    pub fn with_charset(self, charset: Charset) -> Self {
        Self { charset, ..self }
    }

    /// The pattern.
    pub fn pattern(&self) -> &str {
        &self.pattern
    }

    /// Java's flags, as they are at the pattern's end.
    pub fn flags(&self) -> u32 {
        self.flags
    }

    /// How cells are read.
    pub fn charset(&self) -> Charset {
        self.charset
    }

    /// Whether it is found in a part of a cell.
    ///
    /// # Errors
    /// `Unprocessable` if the search backtracks without end.
    pub fn found_in(&self, part: &[u8]) -> Result<bool> {
        self.regex.find(&self.charset.decode(part))
    }
}
