//! Parses a pattern by Java's rules: characters, flags, alternatives, quantifiers.

use std::collections::BTreeMap;

use super::case;
use super::piece::{Greed, Piece, Quantifier};
use super::quote;
use super::set;
use super::{COMMENTS, LITERAL, MULTILINE, PATTERN_MEMORY_MAX, UNIX_LINES, memory};
use crate::error::{Error, Result};
use crate::quote::Quoted;

/// The maximum depth of nested groups and classes.
const DEPTH_MAX: usize = 50;

/// A pattern for fancy-regex.
pub(super) struct Translation {
    pub(super) text: String,
    /// Java's flags at the end of the pattern.
    pub(super) flags_at_end: u32,
    /// An estimate of the memory of the compiled pattern, in bytes.
    pub(super) bytes: usize,
}

/// Translates a pattern for fancy-regex.
pub(super) fn translate(pattern: &str, flags: u32) -> Result<Translation> {
    let flags = with_implied(flags);
    if flags & LITERAL != 0 {
        let text: String = pattern.chars().map(|c| set::write(&case::of_char(c, flags))).collect();
        let bytes = memory::of_pattern(memory::of_part(&text), &text);
        return Ok(Translation { text, flags_at_end: flags, bytes });
    }
    let mut parser = Parser::new(quote::unquote(pattern), flags);
    let whole = parser.alternatives()?;
    match parser.raw() {
        None => {
            let bytes = memory::of_pattern(whole.bytes, &whole.text);
            Ok(Translation { text: whole.text, flags_at_end: parser.flags, bytes })
        }
        Some(')') => parser.fail("Unmatched closing ')'"),
        Some(_) => parser.fail("Unexpected internal error"),
    }
}

fn with_implied(flags: u32) -> u32 {
    if flags & super::UNICODE_CHARACTER_CLASS != 0 { flags | super::UNICODE_CASE } else { flags }
}

/// A pattern that is being parsed.
pub(super) struct Parser {
    chars: Vec<char>,
    pub(super) at: usize,
    /// The flags in force at this point.
    pub(super) flags: u32,
    /// Capturing groups opened so far.
    pub(super) groups: u32,
    pub(super) names: BTreeMap<String, u32>,
    depth: usize,
    /// The length of the translation of all parts so far, in all groups. Each enclosing group holds what precedes its
    /// inner ones, so a limit for each would be no limit for all.
    translated: usize,
    /// The part of it whose memory has been claimed.
    claimed: usize,
}

impl Parser {
    fn new(chars: Vec<char>, flags: u32) -> Self {
        Self { chars, at: 0, flags, groups: 0, names: BTreeMap::new(), depth: 0, translated: 0, claimed: 0 }
    }

    pub(super) fn has(&self, flag: u32) -> bool {
        self.flags & flag != 0
    }

    /// The next character, even if it is a comment.
    pub(super) fn raw(&self) -> Option<char> {
        self.chars.get(self.at).copied()
    }

    /// The character `n` positions ahead, even if it is a comment.
    pub(super) fn raw_after(&self, n: usize) -> Option<char> {
        self.chars.get(self.at + n).copied()
    }

    /// Consumes the next character, even if it is a comment.
    pub(super) fn take_raw(&mut self) -> Option<char> {
        let c = self.raw();
        self.at += usize::from(c.is_some());
        c
    }

    /// The next character that is not part of a comment. Skips comments.
    pub(super) fn peek(&mut self) -> Option<char> {
        while self.has(COMMENTS) {
            match self.raw() {
                Some('\t'..='\r' | ' ') => self.at += 1,
                Some('#') => {
                    while self.raw().is_some_and(|c| !self.ends_line(c)) {
                        self.at += 1;
                    }
                }
                _ => break,
            }
        }
        self.raw()
    }

    fn ends_line(&self, c: char) -> bool {
        c == '\n' || (!self.has(UNIX_LINES) && matches!(c, '\r' | '\u{85}' | '\u{2028}' | '\u{2029}'))
    }

    /// Consumes the next character that is not part of a comment.
    pub(super) fn take(&mut self) -> Option<char> {
        self.peek();
        self.take_raw()
    }

    /// An error with Java's message and the position in the pattern, in which quoted parts (`\Q…\E`) count as the
    /// escapes they stand for.
    pub(super) fn fail<T>(&self, what: &str) -> Result<T> {
        let pattern: String = self.chars.iter().collect();
        let pattern = Quoted(format_args!("{pattern:?}")).to_string();
        Err(Error::invalid(format!("{what} near index {} of the regular expression {pattern}", self.at)))
    }

    /// Parses a group or a class, one level deeper.
    pub(super) fn nested<T>(&mut self, read: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        self.depth += 1;
        if self.depth > DEPTH_MAX {
            return self.fail(&format!("groups and classes are nested more than {DEPTH_MAX} levels deep"));
        }
        let result = read(self);
        self.depth -= 1;
        result
    }

    /// Alternatives up to a `)` or the end.
    pub(super) fn alternatives(&mut self) -> Result<Piece> {
        let first = self.sequence()?;
        if self.peek() != Some('|') {
            return Ok(first);
        }
        let mut pieces = vec![first];
        while self.peek() == Some('|') {
            self.take();
            pieces.push(self.sequence()?);
        }
        let texts: Vec<&str> = pieces.iter().map(|piece| &*piece.text).collect();
        Ok(Piece {
            text: format!("(?:{})", texts.join("|")),
            is_unit: true,
            is_char: false,
            is_empty: pieces.iter().all(|piece| piece.is_empty),
            is_ambiguous: true,
            is_bounded: pieces.iter().all(|piece| piece.is_bounded),
            length_max: pieces.iter().map(|piece| piece.length_max).max().unwrap_or(0),
            is_checked: false,
            bytes: pieces.iter().fold(0, |sum, piece| sum.saturating_add(piece.bytes)),
        })
    }

    fn sequence(&mut self) -> Result<Piece> {
        let mut whole = Piece::nothing();
        while let Some(c) = self.peek() {
            let is_group = c == '(';
            let piece = match c {
                '|' | ')' => break,
                '(' => match self.group()? {
                    Some(group) => group,
                    None => continue,
                },
                '[' => {
                    self.take();
                    let set = self.nested(|parser| parser.class(true))?;
                    self.quantified(Piece::char(set::write(&set)), false)?
                }
                '^' => {
                    self.take();
                    let text = self.line_start();
                    self.quantified(Piece::assertion(text), false)?
                }
                '$' => {
                    self.take();
                    let text = self.line_end(self.has(MULTILINE));
                    self.quantified(Piece::assertion(text), false)?
                }
                '.' => {
                    self.take();
                    let text = self.dot();
                    self.quantified(Piece::char(text), false)?
                }
                '?' | '*' | '+' => return self.fail(&format!("Dangling meta character '{c}'")),
                // Java reads an empty sequence before the brace, and repeats that: `a{2}{3}` is `a{2}`.
                '{' => self.quantified(Piece::nothing(), false)?,
                '\\' => {
                    let atom = self.escaped()?;
                    self.quantified(atom, false)?
                }
                _ => {
                    self.take();
                    let set = case::of_char(c, self.flags);
                    self.quantified(Piece::char(set::write(&set)), false)?
                }
            };
            if !is_group {
                self.count(piece.text.len())?;
            }
            whole.push(&piece);
            if whole.bytes.saturating_add(memory::of_text(&whole.text)) > PATTERN_MEMORY_MAX {
                return Err(memory::too_large());
            }
        }
        Ok(whole)
    }

    /// Counts the translation of a part that is no group.
    fn count(&mut self, length: usize) -> Result<()> {
        self.translated = self.translated.saturating_add(length);
        if memory::at_least(self.translated) > PATTERN_MEMORY_MAX {
            return Err(memory::too_large());
        }
        if self.translated - self.claimed >= memory::CLAIM_STEP {
            memory::translating(self.translated)?;
            self.claimed = self.translated;
        }
        Ok(())
    }

    /// Applies the quantifier that follows, if there is one.
    pub(super) fn quantified(&mut self, piece: Piece, is_group: bool) -> Result<Piece> {
        let (min, max, is_short) = match self.peek() {
            Some('?') => (0, Some(1), true),
            Some('*') => (0, None, true),
            Some('+') => (1, None, true),
            Some('{') => {
                if !self.raw_after(1).is_some_and(|c| c.is_ascii_digit()) {
                    return self.fail("Illegal repetition");
                }
                self.take();
                let (min, max) = self.braces()?;
                (min, max, false)
            }
            _ => return Ok(piece),
        };
        if is_short {
            self.take();
        }
        let greed = match self.peek() {
            Some('?') => Greed::Lazy,
            Some('+') => Greed::Possessive,
            _ => Greed::Greedy,
        };
        if greed != Greed::Greedy {
            self.take();
        }
        Ok(piece.repeat(Quantifier { min, max, greed, is_short }, is_group))
    }

    fn braces(&mut self) -> Result<(u32, Option<u32>)> {
        let min = self.number()?;
        let max = match self.raw() {
            Some(',') => {
                self.take_raw();
                match self.raw() {
                    Some('}') => None,
                    _ => Some(self.number()?),
                }
            }
            _ => Some(min),
        };
        if self.take_raw() != Some('}') {
            return self.fail("Unclosed counted closure");
        }
        if max.is_some_and(|max| max < min) {
            return self.fail("Illegal repetition range");
        }
        Ok((min, max))
    }

    fn number(&mut self) -> Result<u32> {
        let mut number = 0u32;
        while let Some(digit) = self.raw().and_then(|c| c.to_digit(10)) {
            number = match number.checked_mul(10).and_then(|n| n.checked_add(digit)) {
                Some(n) if n <= i32::MAX as u32 => n,
                _ => return self.fail("Illegal repetition range"),
            };
            self.at += 1;
        }
        Ok(number)
    }
}
