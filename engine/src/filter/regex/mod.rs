//! Java's regular expressions.
//!
//! HBase's clients write them for `java.util.regex`, whose syntax and defaults differ from every Rust crate's: classes nest and intersect,
//! `\w` is ASCII, `\h` is blank space, `$` looks past a last line terminator. So a pattern is read here by Java's rules (`parser`) and
//! written anew for fancy-regex with every class spelt out, so that nothing is left to that crate's own meaning of it.

mod atom;
mod case;
mod charset;
mod class;
mod comparator;
mod escape;
mod group;
mod parser;
mod piece;
mod property;
mod quote;
mod set;

use fancy_regex::{Regex, RegexBuilder};

use crate::error::{Error, ErrorKind, Result};

pub use charset::{Charset, decode_utf8};
pub use comparator::RegexComparator;

/// Java's `Pattern.UNIX_LINES`: only `\n` ends a line.
pub const UNIX_LINES: u32 = 1;
/// Java's `Pattern.CASE_INSENSITIVE`, for ASCII unless [`UNICODE_CASE`] is set too.
pub const CASE_INSENSITIVE: u32 = 2;
/// Java's `Pattern.COMMENTS`: white space and `#` comments mean nothing.
pub const COMMENTS: u32 = 4;
/// Java's `Pattern.MULTILINE`: `^` and `$` at every line.
pub const MULTILINE: u32 = 8;
/// Java's `Pattern.LITERAL`: no character means anything but itself.
pub const LITERAL: u32 = 16;
/// Java's `Pattern.DOTALL`: `.` matches line terminators too.
pub const DOTALL: u32 = 32;
/// Java's `Pattern.UNICODE_CASE`.
pub const UNICODE_CASE: u32 = 64;
/// Java's `Pattern.CANON_EQ`, which is refused here.
pub const CANON_EQ: u32 = 128;
/// Java's `Pattern.UNICODE_CHARACTER_CLASS`, which brings [`UNICODE_CASE`] with it.
pub const UNICODE_CHARACTER_CLASS: u32 = 256;

const ALL_FLAGS: u32 = 511;

/// The longest pattern, in characters.
const PATTERN_MAX: usize = 1 << 16;

/// Steps of backtracking after which a search gives up.
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
    /// `InvalidArgument` for what Java refuses, with the position in the pattern, and for what is not supported here.
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
                "a regular expression has {} bytes, at most {PATTERN_MAX} are taken",
                pattern.len()
            )));
        }
        let (written, flags_at_end) = parser::translate(pattern, flags)?;
        Ok(Self {
            find: compile(&written, pattern)?,
            whole: compile(&format!(r"\A(?:{written})\z"), pattern)?,
            flags_at_end,
        })
    }

    /// What Java's `Pattern.flags` says: the flags given, as changed by those inside the pattern that hold up to its end.
    pub fn flags(&self) -> u32 {
        self.flags_at_end
    }

    /// Whether it is found anywhere in the text.
    ///
    /// # Errors
    /// `Unprocessable` if the search backtracks without end.
    pub fn find(&self, text: &str) -> Result<bool> {
        search(&self.find, text)
    }

    /// Whether it matches the whole text.
    ///
    /// # Errors
    /// `Unprocessable` if the search backtracks without end.
    pub fn matches_whole(&self, text: &str) -> Result<bool> {
        search(&self.whole, text)
    }
}

fn compile(written: &str, pattern: &str) -> Result<Regex> {
    RegexBuilder::new(written).backtrack_limit(BACKTRACKS_MAX).build().map_err(|error| {
        Error::invalid(format!("the regular expression {pattern:?} is too large or not supported: {error}"))
            .with_source(error)
    })
}

fn search(regex: &Regex, text: &str) -> Result<bool> {
    regex.is_match(text).map_err(|error| {
        Error::new(
            ErrorKind::Unprocessable,
            format!("a regular expression gave up on a text of {} bytes: make it backtrack less ({error})", text.len()),
        )
    })
}
