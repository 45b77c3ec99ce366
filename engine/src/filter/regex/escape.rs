//! Escapes, such as `\d`, `\x41` and `\1`.

use super::CASE_INSENSITIVE;
use super::atom;
use super::case;
use super::parser::Parser;
use super::piece::Piece;
use super::property;
use super::set::{self, Set};
use crate::error::Result;
use crate::quote::Quoted;

/// The meaning of an escape that may stand in classes too.
pub(super) enum Escaped {
    /// One character; `None` for half of a surrogate pair, which a text cannot contain.
    Char(Option<char>),
    /// One of several characters.
    Set(Set),
}

impl Parser {
    /// The escape that begins here, outside classes.
    pub(super) fn escaped(&mut self) -> Result<Piece> {
        let Some(c) = self.raw_after(1) else {
            self.at += 1;
            return self.fail("Unexpected internal error: a pattern cannot end with a single \\");
        };
        let piece = match c {
            '1'..='9' => return self.reference(),
            'A' | 'G' => Piece::assertion(r"\A".to_owned()),
            'Z' => Piece::assertion(self.line_end(false)),
            'z' => Piece::assertion(r"\z".to_owned()),
            'b' if self.raw_after(2) == Some('{') && self.raw_after(3) == Some('g') => {
                return self.fail("\\b{g} is not supported");
            }
            'b' => Piece::assertion(self.word_boundary(false)),
            'B' => Piece::assertion(self.word_boundary(true)),
            'R' => {
                self.at += 2;
                // With a quantifier it never backtracks to `\r` alone.
                let repeated = matches!(self.peek(), Some('?' | '*' | '+' | '{'));
                let text =
                    if repeated { atom::LINE_BREAK.replacen("(?:", "(?>", 1) } else { atom::LINE_BREAK.to_owned() };
                return Ok(Piece { length_max: 2, ..Piece::unit(text) });
            }
            'X' => Piece { is_ambiguous: true, is_bounded: false, ..Piece::unit(atom::grapheme()) },
            'k' => return self.named_reference(),
            _ => {
                let set = match self.escaped_set(false)? {
                    Escaped::Char(Some(c)) => case::of_char(c, self.flags),
                    Escaped::Char(None) => Set::empty(),
                    Escaped::Set(set) => set,
                };
                return Ok(Piece::char(set::write(&set)));
            }
        };
        self.at += 2;
        Ok(piece)
    }

    /// The escape that begins here, if it may stand in a class too. `in_range`: at an end of a range, where `\v` is a
    /// single character.
    pub(super) fn escaped_set(&mut self, in_range: bool) -> Result<Escaped> {
        self.at += 1;
        let Some(c) = self.take_raw() else {
            return self.fail("Unexpected internal error: a pattern cannot end with \\");
        };
        let positive = |set: Set| Ok(Escaped::Set(set));
        Ok(Escaped::Char(match c {
            'd' => return positive(property::digit(self.flags)),
            'D' => return positive(set::inverted(property::digit(self.flags))),
            's' => return positive(property::space(self.flags)),
            'S' => return positive(set::inverted(property::space(self.flags))),
            'w' => return positive(property::word_for(self.flags)),
            'W' => return positive(set::inverted(property::word_for(self.flags))),
            'h' => return positive(atom::horizontal()),
            'H' => return positive(set::inverted(atom::horizontal())),
            'v' if in_range => Some('\x0b'),
            'v' => return positive(atom::vertical()),
            'V' => return positive(set::inverted(atom::vertical())),
            'p' | 'P' => {
                let set = self.property()?;
                return positive(if c == 'P' { set::inverted(set) } else { set });
            }
            'N' => Some(self.character_by_name()?),
            'a' => Some('\x07'),
            'e' => Some('\x1b'),
            'f' => Some('\x0c'),
            'n' => Some('\n'),
            'r' => Some('\r'),
            't' => Some('\t'),
            '0' => self.octal()?,
            'x' => self.hexadecimal()?,
            'u' => self.unicode_escape()?,
            'c' => match self.take_raw() {
                Some(c) => char::from_u32(u32::from(c) ^ 64),
                None => return self.fail("Illegal control escape sequence"),
            },
            c if c.is_ascii_alphanumeric() => {
                self.at -= 1;
                return self.fail("Illegal/unsupported escape sequence");
            }
            c => Some(c),
        }))
    }

    /// `\1`. Further digits belong to the number while a group of that number has been opened.
    fn reference(&mut self) -> Result<Piece> {
        self.at += 1;
        let mut group = 0;
        while let Some(digit) = self.raw().and_then(|c| c.to_digit(10)) {
            let longer = group * 10 + digit;
            if group > 0 && longer > self.groups {
                break;
            }
            group = longer;
            self.at += 1;
        }
        Ok(self.reference_to(group))
    }

    fn named_reference(&mut self) -> Result<Piece> {
        self.at += 2;
        if self.take_raw() != Some('<') {
            return self.fail("\\k is not followed by '<' for named capturing group");
        }
        let name = self.group_name()?;
        match self.names.get(&name).copied() {
            Some(group) => Ok(self.reference_to(group)),
            None => self.fail(&format!("named capturing group <{}> does not exist", Quoted(&name))),
        }
    }

    fn reference_to(&self, group: u32) -> Piece {
        let text = if group > self.groups {
            // Java accepts a reference to a group that does not exist. It never matches.
            set::write(&Set::empty())
        } else if self.has(CASE_INSENSITIVE) {
            format!(r"(?i:\{group})")
        } else {
            format!(r"(?:\{group})")
        };
        Piece { is_bounded: false, ..Piece::unit(text) }
    }

    /// `\0` and up to three octal digits, as far as the value stays below 256.
    fn octal(&mut self) -> Result<Option<char>> {
        let digit = |c: Option<char>| c.and_then(|c| c.to_digit(8));
        let Some(mut value) = digit(self.raw()) else { return self.fail("Illegal octal escape sequence") };
        self.at += 1;
        let length = if value <= 3 { 2 } else { 1 };
        for _ in 0..length {
            let Some(next) = digit(self.raw()) else { break };
            value = value * 8 + next;
            self.at += 1;
        }
        Ok(char::from_u32(value))
    }

    fn hex(&mut self, digits: usize) -> Option<u32> {
        let mut value = 0;
        for _ in 0..digits {
            value = value * 16 + self.raw()?.to_digit(16)?;
            self.at += 1;
        }
        Some(value)
    }

    fn hexadecimal(&mut self) -> Result<Option<char>> {
        if self.raw() != Some('{') {
            return match self.hex(2) {
                Some(value) => Ok(char::from_u32(value)),
                None => self.fail("Illegal hexadecimal escape sequence"),
            };
        }
        self.at += 1;
        let mut value = 0u32;
        let begin = self.at;
        while let Some(digit) = self.raw().and_then(|c| c.to_digit(16)) {
            value = value * 16 + digit;
            if value > 0x10_ffff {
                return self.fail("Hexadecimal codepoint is too big");
            }
            self.at += 1;
        }
        if self.at == begin || self.take_raw() != Some('}') {
            return self.fail("Unclosed hexadecimal escape sequence");
        }
        Ok(char::from_u32(value))
    }

    /// `\u` and four digits. Two halves of a surrogate pair make one character.
    fn unicode_escape(&mut self) -> Result<Option<char>> {
        let Some(value) = self.hex(4) else { return self.fail("Illegal Unicode escape sequence") };
        if (0xd800..0xdc00).contains(&value) && self.raw() == Some('\\') && self.raw_after(1) == Some('u') {
            let after_first = self.at;
            self.at += 2;
            if let Some(low @ 0xdc00..=0xdfff) = self.hex(4) {
                return Ok(char::from_u32(0x1_0000 + ((value - 0xd800) << 10) + (low - 0xdc00)));
            }
            self.at = after_first;
        }
        Ok(char::from_u32(value))
    }
}

impl Parser {
    /// `\N{…}`: a character by its Unicode name.
    fn character_by_name(&mut self) -> Result<char> {
        if self.take_raw() != Some('{') {
            return self.fail("Illegal character name escape sequence");
        }
        let mut name = String::new();
        loop {
            match self.take_raw() {
                None => return self.fail("Unclosed character name escape sequence"),
                Some('}') => break,
                Some(c) => name.push(c),
            }
        }
        match unicode_names2::character(name.trim()) {
            Some(c) => Ok(c),
            None => self.fail(&format!("Unknown character name [{}]", Quoted(&name))),
        }
    }
}
