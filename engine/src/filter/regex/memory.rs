//! The memory of compiled patterns: its limits, and where it is claimed.
//!
//! The size of a pattern is estimated before it is compiled, because a few characters can make a program of many
//! megabytes: `\p{L}{100}` repeats an automaton for 650 ranges of characters.

use std::cell::RefCell;
use std::rc::Rc;

use crate::error::{Error, Result};

/// The most memory of one compiled pattern, in bytes.
pub const PATTERN_MEMORY_MAX: usize = 16 << 20;

/// The most memory of all compiled patterns of one filter, in bytes.
pub const FILTER_MEMORY_MAX: usize = 32 << 20;

/// Sets the memory that the patterns of a filter claim, in bytes: before a pattern is compiled, all that they use
/// while it is, and afterwards what they keep. With an error the pattern is not compiled.
pub type Claim = Rc<dyn Fn(usize) -> Result<()>>;

/// The most memory while a pattern is compiled, as a multiple of the estimate for the compiled one: regex-automata
/// keeps the syntax tree, an intermediate form and two programs at a time.
const COMPILING_FACTOR: usize = 5;

/// A filter that is being built on this thread.
struct Building {
    /// The memory of its patterns.
    bytes: usize,
    claim: Option<Claim>,
}

thread_local! {
    static BUILDING: RefCell<Option<Building>> = const { RefCell::new(None) };
}

/// Restores the enclosing filter, also if the closure panics.
struct Restore(Option<Building>);

impl Drop for Restore {
    fn drop(&mut self) {
        BUILDING.replace(self.0.take());
    }
}

/// Builds one filter. `claim` is called for each of its patterns before it is compiled, and afterwards.
pub fn claiming<T>(claim: Claim, build: impl FnOnce() -> T) -> T {
    let _restore = Restore(BUILDING.replace(Some(Building { bytes: 0, claim: Some(claim) })));
    build()
}

/// Builds one filter, or the part of a filter that is being built already.
pub(in crate::filter) fn of_filter<T>(build: impl FnOnce() -> T) -> T {
    if BUILDING.with_borrow(Option::is_some) {
        return build();
    }
    let _restore = Restore(BUILDING.replace(Some(Building { bytes: 0, claim: None })));
    build()
}

/// Compiles a pattern whose compiled form is estimated to use this many bytes.
///
/// # Errors
/// `InvalidArgument` if the filter exceeds [`FILTER_MEMORY_MAX`]; those of the claim and of the compilation.
pub(super) fn compiling<T>(bytes: usize, compile: impl FnOnce() -> Result<T>) -> Result<T> {
    let Some((claim, before)) = take(bytes)? else { return compile() };
    claim(before.saturating_add(bytes.saturating_mul(COMPILING_FACTOR)))?;
    let compiled = compile()?;
    claim(before.saturating_add(bytes))?;
    Ok(compiled)
}

/// The length of a translation whose memory need not be claimed while it is made, in bytes.
pub(super) const CLAIM_STEP: usize = 16 << 10;

/// The copies of a translation while it is made: parts, groups and alternatives are joined from their own.
const TRANSLATION_COPIES: usize = 6;

/// Claims the memory of a translation that has this length so far.
///
/// # Errors
/// That of the claim.
pub(super) fn translating(length: usize) -> Result<()> {
    let claim = BUILDING.with_borrow(|building| {
        let building = building.as_ref()?;
        Some((building.claim.clone()?, building.bytes))
    });
    claim.map_or(Ok(()), |(claim, before)| claim(before.saturating_add(length.saturating_mul(TRANSLATION_COPIES))))
}

/// Adds the bytes of a pattern to those of its filter. Returns the claim of the filter, if it has one, and the bytes of
/// its earlier patterns.
fn take(bytes: usize) -> Result<Option<(Claim, usize)>> {
    BUILDING.with_borrow_mut(|building| {
        let Some(building) = building else { return Ok(None) };
        let before = building.bytes;
        building.bytes = before.saturating_add(bytes);
        if building.bytes > FILTER_MEMORY_MAX {
            return Err(Error::invalid(format!(
                "the regular expressions of the filter need more than {} MiB of memory when they are compiled: use \
                 fewer, smaller character classes, or fewer repetitions",
                FILTER_MEMORY_MAX >> 20
            )));
        }
        Ok(building.claim.clone().map(|claim| (claim, before)))
    })
}

/// The error of a pattern that exceeds [`PATTERN_MEMORY_MAX`].
pub(super) fn too_large() -> Error {
    Error::invalid(format!(
        "a regular expression needs more than {} MiB of memory when it is compiled: use smaller character classes, fewer \
         repetitions, or several filters",
        PATTERN_MEMORY_MAX >> 20
    ))
}

/// The memory of a separate automaton, in bytes: each look-around, atomic group and back reference separates two.
pub(super) const AUTOMATON: usize = 8 << 10;

/// How many look-arounds, atomic groups and back references a translation has. They are searched by backtracking.
fn backtracking(translated: &str) -> usize {
    let groups = ["(?=", "(?!", "(?<", "(?>"].iter().map(|open| translated.matches(open).count()).sum::<usize>();
    let is_number = |rest: &&str| rest.starts_with(|c: char| c.is_ascii_digit());
    let references = |open: &str| translated.split(open).skip(1).filter(is_number).count();
    groups + references(r"(?:\") + references(r"(?i:\")
}

/// An estimate of the memory of a part that is not repeated, in bytes, by its translation. Measured for programs of
/// regex-automata: 50 bytes for a literal character, 4 for each character of a class of many ranges, and about 1,000
/// for a class that contains most of Unicode.
pub(super) fn of_part(translated: &str) -> usize {
    let base = if is_ascii(translated) { 64 } else { 1 << 10 };
    base + translated.len() * 8 + backtracking(translated) * AUTOMATON
}

/// Whether a part matches ASCII characters alone.
fn is_ascii(translated: &str) -> bool {
    let mut escapes = translated.split(r"\x{").skip(1);
    let ascii =
        |escape: &str| escape.split('}').next().is_some_and(|hex| hex.len() == 1 || hex.len() == 2 && hex < "80");
    !translated.contains("(?s:.)") && !translated.contains("[^") && escapes.all(ascii)
}

/// Whether a part is searched by backtracking. Its repetitions are then counted, and make it no larger.
pub(super) fn backtracks(translated: &str) -> bool {
    backtracking(translated) > 0
}

/// The memory of a translation itself, of which there are copies, in bytes.
pub(super) fn of_text(translated: &str) -> usize {
    translated.len() * 4
}

/// A lower bound of [`of_pattern`] for a translation of this length.
pub(super) fn at_least(length: usize) -> usize {
    length.saturating_mul(12)
}

/// An estimate of the memory of a pattern whose parts use `parts` bytes.
pub(super) fn of_pattern(parts: usize, translated: &str) -> usize {
    (2 * AUTOMATON).saturating_add(parts).saturating_add(of_text(translated))
}

/// The most memory for the states that an automaton adds while it searches, in bytes.
pub(super) fn state_cache(pattern: usize) -> usize {
    (pattern / 2).clamp(256 << 10, 2 << 20)
}
