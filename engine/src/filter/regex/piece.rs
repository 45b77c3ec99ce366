//! Parts of a pattern, translated for fancy-regex.

use super::memory;

/// A translated part, with the properties that Java computes for it.
#[derive(Debug, Clone)]
pub(super) struct Piece {
    /// The pattern for fancy-regex. Alternatives are always in a group, so that pieces can be concatenated.
    pub(super) text: String,
    /// Whether a quantifier may follow it directly.
    pub(super) is_unit: bool,
    /// Whether it matches exactly one character (Java's `CharProperty`). Java has its own repetition for these.
    pub(super) is_char: bool,
    /// Whether it matches no characters (an assertion).
    pub(super) is_empty: bool,
    /// Whether it can match in several ways, like repetitions and alternatives. Java calls groups around it
    /// non-deterministic.
    pub(super) is_ambiguous: bool,
    /// Whether Java finds a maximum length, which look-behind requires.
    pub(super) is_bounded: bool,
    /// The maximum length that Java computes, in 32 bits that wrap around. A repetition is unbounded to Java only
    /// where it notices the overflow.
    pub(super) length_max: i32,
    /// Whether Java notices that the sum of the length before it and its own overflows.
    pub(super) is_checked: bool,
    /// An estimate of the memory of the compiled part, in bytes.
    pub(super) bytes: usize,
}

impl Piece {
    /// One character: a literal or one of a set.
    pub(super) fn char(text: String) -> Self {
        let (is_ambiguous, is_bounded, is_checked) = (false, true, false);
        let bytes = memory::of_part(&text);
        Self {
            text,
            is_unit: true,
            is_char: true,
            is_empty: false,
            is_ambiguous,
            is_bounded,
            length_max: 1,
            is_checked,
            bytes,
        }
    }

    /// A piece that a quantifier may follow directly.
    pub(super) fn unit(text: String) -> Self {
        Self { is_char: false, ..Self::char(text) }
    }

    /// An assertion.
    pub(super) fn assertion(text: String) -> Self {
        Self { is_char: false, is_empty: true, length_max: 0, ..Self::char(text) }
    }

    /// An empty sequence.
    pub(super) fn nothing() -> Self {
        Self { is_unit: false, ..Self::assertion(String::new()) }
    }

    /// Appends a piece.
    pub(super) fn push(&mut self, next: &Self) {
        let bytes = self.bytes.saturating_add(next.bytes);
        if self.text.is_empty() {
            *self = Self { bytes, ..next.clone() };
            return;
        }
        self.bytes = bytes;
        self.text.push_str(&next.text);
        self.is_unit = false;
        self.is_char = false;
        self.is_empty &= next.is_empty;
        self.is_ambiguous |= next.is_ambiguous;
        let length_max = self.length_max.wrapping_add(next.length_max);
        self.is_bounded &= next.is_bounded && !(next.is_checked && length_max < self.length_max);
        self.length_max = length_max;
        self.is_checked &= next.is_checked;
    }
}

/// The kind of a quantifier.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Greed {
    Greedy,
    Lazy,
    Possessive,
}

/// A quantifier.
#[derive(Debug, Clone, Copy)]
pub(super) struct Quantifier {
    pub(super) min: u32,
    pub(super) max: Option<u32>,
    pub(super) greed: Greed,
    /// Written as `?`, `*` or `+` rather than in braces.
    pub(super) is_short: bool,
}

impl Piece {
    /// Repeats the piece. `is_group`: it is a plain or capturing group. Java has its own repetition for these.
    pub(super) fn repeat(self, by: Quantifier, is_group: bool) -> Self {
        let loops = is_group && self.is_ambiguous && by.greed != Greed::Possessive;
        let most = by.max.map_or(i32::MAX, |max| i32::try_from(max).unwrap_or(i32::MAX));
        let (is_bounded, length_max, is_checked) = match by {
            Quantifier { min: 0, max: Some(1), is_short: true, .. } => (self.is_bounded, self.length_max, false),
            // Java does not check the length for `*` and `+` after a single character.
            Quantifier { max: None, is_short: true, greed: Greed::Greedy, .. } if self.is_char => {
                (self.is_bounded, i32::MAX, false)
            }
            _ => {
                let length_max = self.length_max.wrapping_mul(most);
                (self.is_bounded && !loops && length_max >= 0, length_max, true)
            }
        };
        let is_ambiguous = self.is_ambiguous || by.max != Some(by.min);
        let bytes = match memory::backtracks(&self.text) {
            true => self.bytes,
            false => self.bytes.saturating_mul(by.max.unwrap_or(by.min.saturating_add(1)).max(1) as usize),
        };
        let bytes = match by.greed {
            Greed::Possessive => bytes.saturating_add(memory::AUTOMATON),
            Greed::Greedy | Greed::Lazy => bytes,
        };
        let text = self.repeated(by);
        Self {
            text,
            is_unit: false,
            is_char: false,
            is_empty: self.is_empty,
            is_ambiguous,
            is_bounded,
            length_max,
            is_checked,
            bytes,
        }
    }

    fn repeated(&self, by: Quantifier) -> String {
        let Self { text, is_unit, is_empty, .. } = self;
        if *is_empty {
            return match (by.min, by.greed) {
                (1.., _) => text.clone(),
                (0, _) if text.is_empty() => String::new(),
                (0, Greed::Greedy) => format!("(?:{text}|)"),
                (0, Greed::Lazy) => format!("(?:|{text})"),
                (0, Greed::Possessive) => format!("(?>{text}|)"),
            };
        }
        let times = match (by.min, by.max) {
            (0, Some(1)) => "?".to_owned(),
            (0, None) => "*".to_owned(),
            (1, None) => "+".to_owned(),
            (min, None) => format!("{{{min},}}"),
            (min, Some(max)) if min == max => format!("{{{min}}}"),
            (min, Some(max)) => format!("{{{min},{max}}}"),
        };
        let body = if *is_unit { text.clone() } else { format!("(?:{text})") };
        match by.greed {
            Greed::Greedy => body + &times,
            Greed::Lazy => body + &times + "?",
            Greed::Possessive => format!("(?>{body}{times})"),
        }
    }
}
