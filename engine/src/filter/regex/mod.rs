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
mod memory;
mod parser;
mod piece;
mod property;
mod quote;
mod set;

use fancy_regex::{Regex, RegexBuilder};

use crate::error::{Error, ErrorKind, Result};
use crate::quote::Quoted;
use parser::Translation;

pub(super) use charset::{Charset, decode_utf8};
pub(super) use memory::of_filter;
pub use memory::{Claim, FILTER_MEMORY_MAX, PATTERN_MEMORY_MAX, claiming};

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

/// A compiled Java regular expression.
#[derive(Debug)]
pub struct JavaRegex(Regex);

impl JavaRegex {
    /// Compiles a pattern with Java's flags (a sum of the constants of this module), to be found in texts.
    ///
    /// # Errors
    /// `InvalidArgument` for patterns that Java refuses, with the position in the pattern, for unsupported ones, and
    /// for those that need more memory than [`PATTERN_MEMORY_MAX`].
    pub fn new(pattern: &str, flags: u32) -> Result<Self> {
        let Translation { text, bytes, .. } = translate(pattern, flags)?;
        compile(&text, bytes, pattern).map(Self)
    }

    /// Compiles a pattern that has to match whole texts.
    ///
    /// # Errors
    /// Those of [`Self::new`].
    pub fn whole(pattern: &str, flags: u32) -> Result<Self> {
        let Translation { text, bytes, .. } = translate(pattern, flags)?;
        compile(&format!(r"\A(?:{text})\z"), bytes, pattern).map(Self)
    }

    /// Whether the text contains a match, or is one if the pattern has to match whole texts.
    ///
    /// # Errors
    /// `Unprocessable` if the search exceeds the limit on backtracking.
    pub fn is_match(&self, text: &str) -> Result<bool> {
        self.0.is_match(text).map_err(|error| {
            let bytes = text.len();
            Error::new(
                ErrorKind::Unprocessable,
                format!("a regular expression gave up on a text of {bytes} bytes ({error}): make it backtrack less"),
            )
        })
    }
}

/// The result of Java's `Pattern.flags`: the flags at the end of the pattern, which flags inside the pattern may have
/// changed.
///
/// # Errors
/// Those of [`JavaRegex::new`] that are found before the pattern is compiled.
pub(super) fn flags_at_end(pattern: &str, flags: u32) -> Result<u32> {
    translate(pattern, flags).map(|translation| translation.flags_at_end)
}

fn translate(pattern: &str, flags: u32) -> Result<Translation> {
    if flags & !ALL_FLAGS != 0 {
        return Err(Error::invalid(format!(
            "Unknown flag 0x{:x}: flags of regular expressions are sums of 1 to 256",
            flags
        )));
    }
    if flags & CANON_EQ != 0 {
        return Err(Error::invalid("the flag CANON_EQ (128) of regular expressions is not supported: leave it out"));
    }
    if pattern.len() > PATTERN_MAX {
        return Err(Error::invalid(format!(
            "a regular expression has {} bytes, the maximum is {PATTERN_MAX}: shorten it",
            pattern.len()
        )));
    }
    let translation = parser::translate(pattern, flags)?;
    if translation.bytes > PATTERN_MEMORY_MAX { Err(memory::too_large()) } else { Ok(translation) }
}

fn compile(translated: &str, bytes: usize, pattern: &str) -> Result<Regex> {
    let mut builder = RegexBuilder::new(translated);
    builder.backtrack_limit(BACKTRACKS_MAX);
    // The estimate is the limit; this is the limit on a mistake in it.
    builder.delegate_size_limit(PATTERN_MEMORY_MAX).delegate_dfa_size_limit(memory::state_cache(bytes));
    memory::compiling(bytes, || {
        builder.build().map_err(|error| {
            let pattern = Quoted(format_args!("{pattern:?}")).to_string();
            Error::invalid(format!("the regular expression {pattern} is too large or not supported: {error}"))
                .with_source(error)
        })
    })
}
