//! Java's regular expressions.
//!
//! Patterns of HBase's clients follow `java.util.regex`, whose syntax and defaults differ from those of all Rust
//! crates: classes nest and intersect, `\w` is ASCII, `\h` is horizontal white space, and `$` matches before a final
//! line terminator. `parser` reads a pattern by Java's rules and translates it for fancy-regex, with all classes
//! written as explicit ranges. So the result does not depend on fancy-regex's own definition of a class.

mod atom;
mod automaton;
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
mod text;

use std::fmt::{self, Write};

use fancy_regex::{Regex, RegexBuilder};

use crate::error::{Error, ErrorKind, Result};
use crate::quote::Quoted;
use automaton::Automaton;
use parser::Translation;
use text::Ended;

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

/// The most that the length of a text and the size of a pattern may be, multiplied: an automaton may pass through all
/// of its states at each byte.
const AUTOMATON_WORK_MAX: u64 = 1 << 40;

/// The most that the length of a text and the states of an automaton inside a pattern that backtracks may be,
/// multiplied. Such an automaton cannot be stopped: it takes at most about half a minute.
const STEP_WORK_MAX: u64 = 1 << 32;

/// A compiled Java regular expression.
#[derive(Debug)]
pub struct JavaRegex {
    engine: Engine,
    /// The estimate for the memory of the compiled pattern, in bytes.
    bytes: usize,
}

/// What searches for a pattern.
#[derive(Debug)]
enum Engine {
    Automaton(Box<Automaton>),
    Fancy(Regex, Search),
}

/// How fancy-regex searches for a pattern.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Search {
    /// By one automaton.
    Automaton,
    /// By backtracking, in steps of a few characters.
    Steps,
    /// By backtracking, with automata that may read the rest of the text in one step. The largest of them has this
    /// number of states before they are combined, if that is known.
    Scans { states: Option<usize> },
}

impl JavaRegex {
    /// Compiles a pattern with Java's flags (a sum of the constants of this module), to be found in texts.
    ///
    /// # Errors
    /// `InvalidArgument` for patterns that Java refuses, with the position in the pattern, for unsupported ones, and
    /// for those that need more memory than [`PATTERN_MEMORY_MAX`].
    pub fn new(pattern: &str, flags: u32) -> Result<Self> {
        let Translation { text, bytes, .. } = translate(pattern, flags)?;
        Self::compile(&text, bytes, pattern)
    }

    /// Compiles a pattern that has to match whole texts.
    ///
    /// # Errors
    /// Those of [`Self::new`].
    pub fn whole(pattern: &str, flags: u32) -> Result<Self> {
        let Translation { text, bytes, .. } = translate(pattern, flags)?;
        Self::compile(&format!(r"\A(?:{text})\z"), bytes, pattern)
    }

    fn compile(translated: &str, bytes: usize, pattern: &str) -> Result<Self> {
        Ok(Self { engine: compile(translated, bytes, pattern)?, bytes })
    }

    /// Whether the text contains a match, or is one if the pattern has to match whole texts.
    ///
    /// # Errors
    /// `Unprocessable` if the search exceeds the limit on backtracking, or that on the work of its automata;
    /// `Cancelled` if the read for which it is made has been stopped.
    pub fn is_match(&self, text: &str) -> Result<bool> {
        let gave_up = |reason: &dyn fmt::Display, remedy: &str| {
            let bytes = text.len();
            let message = format!("a regular expression gave up on a text of {bytes} bytes ({reason}): {remedy}");
            Error::new(ErrorKind::Unprocessable, message)
        };
        let (size, work_max) = match self.engine {
            // In steps of a few characters, the size of the pattern does not matter.
            Engine::Fancy(_, Search::Steps) => (0, u64::MAX),
            Engine::Fancy(_, Search::Scans { states: Some(states) }) => (states, STEP_WORK_MAX),
            _ => (self.bytes, AUTOMATON_WORK_MAX),
        };
        if (text.len() as u64).saturating_mul(size as u64) > work_max {
            return Err(gave_up(&"it is too large for the text", "use fewer repetitions"));
        }
        let backtracks = "make it backtrack less";
        let found = match &self.engine {
            Engine::Automaton(automaton) => automaton.is_match(text).map(Ok),
            Engine::Fancy(regex, Search::Automaton) => Ok(regex.is_match(text)),
            Engine::Fancy(regex, search) => text::search(regex, text, matches!(search, Search::Scans { .. })),
        };
        match found {
            Ok(found) => found.map_err(|error| gave_up(&error, backtracks)),
            Err(Ended::Stopped(error)) => Err(error),
            Err(Ended::Exhausted) => Err(gave_up(&"it reads the text too often", backtracks)),
            Err(Ended::Failed) => Err(gave_up(&"its automaton has failed", "use another pattern")),
        }
    }
}

impl Search {
    /// How fancy-regex has decided to search for the pattern. It tells this by the text of its program alone, which
    /// names the pattern of each automaton.
    fn of(regex: &Regex) -> Self {
        struct Program<'a>(&'a Regex);
        impl fmt::Display for Program<'_> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.debug_print(f)
            }
        }
        let mut lines = Lines { line: String::new(), search: Self::Steps };
        // Fails at a line that decides.
        let _ = write!(lines, "{}", Program(regex));
        lines.search
    }
}

/// Reads the text of a program line by line.
struct Lines {
    line: String,
    search: Search,
}

impl Write for Lines {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.line.push_str(text);
        if self.line.starts_with("wrapped") {
            self.search = Search::Automaton;
            return Err(fmt::Error);
        }
        if text.ends_with('\n') {
            let line = std::mem::take(&mut self.line);
            if let Some(pattern) = automaton(&line).filter(|pattern| is_long(pattern)) {
                let states = unescaped(pattern).and_then(|pattern| automaton::states(&pattern));
                let before = if let Search::Scans { states } = self.search { states } else { Some(0) };
                self.search = Search::Scans { states: before.zip(states).map(|(a, b)| a.max(b)) };
            }
        }
        Ok(())
    }
}

/// The pattern of the automaton that a line of a program names, if it names one. It is escaped as Rust does.
fn automaton(line: &str) -> Option<&str> {
    let (_, rest) = line.split_once("{ pattern: ")?;
    rest.rsplit_once("\", ").map(|(pattern, _)| pattern)
}

/// A pattern without Rust's escapes; `None` if it has others than those of printable ASCII.
fn unescaped(pattern: &str) -> Option<String> {
    let mut plain = String::with_capacity(pattern.len());
    let mut chars = pattern.chars();
    while let Some(c) = chars.next() {
        match c {
            '\\' => plain.push(chars.next().filter(|c| matches!(c, '\\' | '"' | '\''))?),
            c => plain.push(c),
        }
    }
    Some(plain)
}

/// Whether a pattern has a repetition. Its characters may be written as `\x{…}` and `\u{…}`, and its classes have no
/// names.
fn is_long(pattern: &str) -> bool {
    let is_repetition = |(at, _): (usize, &str)| !pattern[..at].ends_with(r"\x") && !pattern[..at].ends_with(r"\u");
    pattern.contains(['*', '+']) || pattern.match_indices('{').any(is_repetition)
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

fn compile(translated: &str, bytes: usize, pattern: &str) -> Result<Engine> {
    let mut builder = RegexBuilder::new(translated);
    builder.backtrack_limit(BACKTRACKS_MAX);
    // The estimate is the limit; this is the limit on a mistake in it.
    builder.delegate_size_limit(PATTERN_MEMORY_MAX).delegate_dfa_size_limit(memory::state_cache(bytes));
    memory::compiling(bytes, || {
        let regex = builder.build().map_err(|error| {
            let pattern = Quoted(format_args!("{pattern:?}")).to_string();
            Error::invalid(format!("the regular expression {pattern} is too large or not supported: {error}"))
                .with_source(error)
        })?;
        let search = Search::of(&regex);
        let automaton = (search == Search::Automaton).then(|| Automaton::new(translated, bytes)).flatten();
        Ok(automaton.map_or(Engine::Fancy(regex, search), |automaton| Engine::Automaton(Box::new(automaton))))
    })
}
