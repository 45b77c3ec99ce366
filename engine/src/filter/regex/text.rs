//! A text that is searched by backtracking. It counts the steps of the search, which fancy-regex cannot be told to end
//! early.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use fancy_regex::{Input, Regex};

use crate::error::Error;
use crate::filter::work;

/// The most bytes that the automata of one search may read.
const SCANNED_MAX: u64 = 1 << 34;

/// The work of a step of the search that reads one character.
const STEP: usize = 16;

/// How many bytes an automaton reads in one unit of work.
const SCANNED_BYTES: usize = 64;

/// Why a search has been ended.
pub(super) enum Ended {
    /// The read has been stopped.
    Stopped(Error),
    /// Its automata may have read more than [`SCANNED_MAX`] bytes.
    Exhausted,
    /// The automaton cannot search this text.
    Failed,
}

/// The result of a search, which may have exceeded the limit on backtracking.
pub(super) type Found = std::result::Result<std::result::Result<bool, fancy_regex::Error>, Ended>;

/// Searches a text with a pattern that is searched by backtracking. `scans`: one step may read the rest of the text.
pub(super) fn search(regex: &Regex, text: &str, scans: bool) -> Found {
    let step = if scans { STEP.max(text.len() / SCANNED_BYTES) } else { STEP };
    let steps_max = if scans { SCANNED_MAX / text.len().max(1) as u64 } else { u64::MAX };
    let text = Text { text, step, steps_left: Cell::new(steps_max) };
    // The search has no state of its own behind the unwinding: fancy-regex resets its memory before each search.
    catch_unwind(AssertUnwindSafe(|| regex.is_match(&text))).or_else(|payload| match payload.downcast() {
        Ok(ended) => Err(*ended),
        Err(panic) => resume_unwind(panic),
    })
}

struct Text<'a> {
    text: &'a str,
    /// The work of a step.
    step: usize,
    steps_left: Cell<u64>,
}

impl Text<'_> {
    /// Counts a step.
    fn count(&self) -> std::result::Result<(), Ended> {
        let left = self.steps_left.get().checked_sub(1).ok_or(Ended::Exhausted)?;
        self.steps_left.set(left);
        work::charge(self.step).map_err(Ended::Stopped)
    }
}

impl Input for Text<'_> {
    type Match<'t>
        = ()
    where
        Self: 't;

    fn len(&self) -> usize {
        self.text.len()
    }

    // Called before each literal and each automaton that is searched for.
    fn as_bytes(&self) -> &[u8] {
        if let Err(ended) = self.count() {
            // Not a panic: it runs no panic hook, and `search` catches it.
            resume_unwind(Box::new(ended));
        }
        self.text.as_bytes()
    }

    fn is_char_boundary(&self, at: usize) -> bool {
        self.text.is_char_boundary(at)
    }

    fn is_ascii(&self) -> bool {
        self.text.is_ascii()
    }

    fn prev_codepoint_ix(&self, at: usize) -> usize {
        Input::prev_codepoint_ix(self.text, at)
    }

    fn make_match<'t>(&'t self, _start: usize, _end: usize) -> Self::Match<'t> {}

    fn advance_position(&self, at: usize) -> usize {
        Input::advance_position(self.text, at)
    }
}
