//! Java's regular expressions.
//!
//! Patterns of HBase's clients follow `java.util.regex`, whose syntax and defaults differ from those of all Rust
//! crates: classes nest and intersect, `\w` is ASCII, `\h` is horizontal white space, and `$` matches before a final
//! line terminator. `parser` reads a pattern by Java's rules and translates it for fancy-regex, with all classes
//! written as explicit ranges. So the result does not depend on fancy-regex's own definition of a class.

mod atom;
mod case;
mod charset;
mod class;
mod escape;
mod group;
mod parser;
mod piece;
mod property;
mod quote;
mod set;

use fancy_regex::{Regex, RegexBuilder};

use crate::error::{Error, ErrorKind, Result};

pub(super) use charset::{Charset, decode_utf8};

/// Java's `Pattern.UNIX_LINES`: only `\n` ends a line.
pub const UNIX_LINES: u32 = 1;
/// Java's `Pattern.CASE_INSENSITIVE`, for ASCII unless [`UNICODE_CASE`] is set too.
pub const CASE_INSENSITIVE: u32 = 2;
/// Java's `Pattern.COMMENTS`: white space and `#` comments are ignored.
pub const COMMENTS: u32 = 4;
/// Java's `Pattern.MULTILINE`: `^` and `$` match at every line.
pub const MULTILINE: u32 = 8;
/// Java's `Pattern.LITERAL`: every character stands for itself.
pub const LITERAL: u32 = 16;
/// Java's `Pattern.DOTALL`: `.` matches line terminators too.
pub const DOTALL: u32 = 32;
/// Java's `Pattern.UNICODE_CASE`.
pub const UNICODE_CASE: u32 = 64;
/// Java's `Pattern.CANON_EQ`. Not supported: patterns with this flag are refused.
pub const CANON_EQ: u32 = 128;
/// Java's `Pattern.UNICODE_CHARACTER_CLASS`, which implies [`UNICODE_CASE`].
pub const UNICODE_CHARACTER_CLASS: u32 = 256;

const ALL_FLAGS: u32 = 511;

/// The maximum length of a pattern, in bytes.
const PATTERN_MAX: usize = 1 << 16;

/// The maximum number of backtracking steps of a search.
const BACKTRACKS_MAX: usize = 1_000_000;

/// A compiled Java regular expression. Cheap to clone.
#[derive(Debug, Clone)]
pub struct JavaRegex {
    find: Regex,
    whole: Regex,
    flags_at_end: u32,
}

impl JavaRegex {
    /// Compiles a pattern with Java's flags (a sum of the constants of this module).
    ///
    /// # Errors
    /// `InvalidArgument` for patterns that Java refuses, with the position in the pattern, and for unsupported ones.
    pub fn new(pattern: &str, flags: u32) -> Result<Self> {
        if flags & !ALL_FLAGS != 0 {
            return Err(Error::invalid(format!(
                "Unknown flag 0x{:x}: flags of regular expressions are sums of 1 to 256",
                flags
            )));
        }
        if flags & CANON_EQ != 0 {
            return Err(Error::invalid(
                "the flag CANON_EQ (128) of regular expressions is not supported: leave it out",
            ));
        }
        if pattern.len() > PATTERN_MAX {
            return Err(Error::invalid(format!(
                "a regular expression has {} bytes, the maximum is {PATTERN_MAX}: shorten it",
                pattern.len()
            )));
        }
        let (translated, flags_at_end) = parser::translate(pattern, flags)?;
        Ok(Self {
            find: compile(&translated, pattern)?,
            whole: compile(&format!(r"\A(?:{translated})\z"), pattern)?,
            flags_at_end,
        })
    }

    /// The result of Java's `Pattern.flags`: the flags at the end of the pattern, which flags inside the pattern may
    /// have changed.
    pub fn flags(&self) -> u32 {
        self.flags_at_end
    }

    /// Whether the text contains a match.
    ///
    /// # Errors
    /// `Unprocessable` if the search exceeds the limit on backtracking.
    pub fn find(&self, text: &str) -> Result<bool> {
        search(&self.find, text)
    }

    /// Whether the whole text matches.
    ///
    /// # Errors
    /// `Unprocessable` if the search exceeds the limit on backtracking.
    pub fn matches_whole(&self, text: &str) -> Result<bool> {
        search(&self.whole, text)
    }
}

fn compile(translated: &str, pattern: &str) -> Result<Regex> {
    RegexBuilder::new(translated).backtrack_limit(BACKTRACKS_MAX).build().map_err(|error| {
        Error::invalid(format!("the regular expression {pattern:?} is too large or not supported: {error}"))
            .with_source(error)
    })
}

fn search(regex: &Regex, text: &str) -> Result<bool> {
    regex.is_match(text).map_err(|error| {
        Error::new(
            ErrorKind::Unprocessable,
            format!("a regular expression gave up on a text of {} bytes ({error}): make it backtrack less", text.len()),
        )
    })
}
