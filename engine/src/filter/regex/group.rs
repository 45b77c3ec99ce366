//! Groups: capturing, named and atomic groups, look-around, and groups that only set flags.

use super::memory;
use super::parser::Parser;
use super::piece::Piece;
use super::{
    CANON_EQ, CASE_INSENSITIVE, COMMENTS, DOTALL, MULTILINE, UNICODE_CASE, UNICODE_CHARACTER_CLASS, UNIX_LINES,
};
use crate::error::Result;

impl Parser {
    /// The group that begins here, with its quantifier; `None` for a group that only sets flags.
    pub(super) fn group(&mut self) -> Result<Option<Piece>> {
        let saved = self.flags;
        self.take();
        if self.peek() != Some('?') {
            self.groups += 1;
            return self.group_body(saved, "(", true).map(Some);
        }
        self.take();
        match self.take_raw() {
            Some(':') => self.group_body(saved, "(?:", true).map(Some),
            Some('=') => self.look(saved, "(?=", false).map(Some),
            Some('!') => self.look(saved, "(?!", false).map(Some),
            Some('>') => self.group_body(saved, "(?>", false).map(Some),
            Some('<') => match self.raw() {
                Some('=') => {
                    self.at += 1;
                    self.look(saved, "(?<=", true).map(Some)
                }
                Some('!') => {
                    self.at += 1;
                    self.look(saved, "(?<!", true).map(Some)
                }
                _ => {
                    let name = self.group_name()?;
                    if self.names.contains_key(&name) {
                        return self.fail(&format!("Named capturing group <{name}> is already defined"));
                    }
                    self.groups += 1;
                    self.names.insert(name, self.groups);
                    self.group_body(saved, "(", true).map(Some)
                }
            },
            Some('$' | '@') => self.fail("Unknown group type"),
            _ => {
                self.at -= 1;
                self.inline_flags()?;
                match self.take() {
                    Some(')') => Ok(None),
                    Some(':') => self.group_body(saved, "(?:", true).map(Some),
                    _ => self.fail("Unknown inline modifier"),
                }
            }
        }
    }

    fn group_body(&mut self, saved: u32, open: &str, is_group: bool) -> Result<Piece> {
        let inner = self.group_inner(saved)?;
        let bytes = if open == "(?>" { inner.bytes.saturating_add(memory::AUTOMATON) } else { inner.bytes };
        let piece = Piece { text: format!("{open}{})", inner.text), is_unit: true, is_char: false, bytes, ..inner };
        self.quantified(piece, is_group)
    }

    fn look(&mut self, saved: u32, open: &str, behind: bool) -> Result<Piece> {
        let inner = self.group_inner(saved)?;
        if behind && !inner.is_bounded {
            return self.fail("Look-behind group does not have an obvious maximum length");
        }
        let bytes = inner.bytes.saturating_add(memory::AUTOMATON);
        self.quantified(Piece { bytes, ..Piece::assertion(format!("{open}{})", inner.text)) }, false)
    }

    fn group_inner(&mut self, saved: u32) -> Result<Piece> {
        let inner = self.nested(Self::alternatives)?;
        if self.take() != Some(')') {
            return self.fail("Unclosed group");
        }
        self.flags = saved;
        Ok(inner)
    }

    /// A group's name and the `>` after it.
    pub(super) fn group_name(&mut self) -> Result<String> {
        if !self.raw().is_some_and(|c| c.is_ascii_alphabetic()) {
            return self.fail("capturing group name does not start with a Latin letter");
        }
        let mut name = String::new();
        while let Some(c) = self.take_raw() {
            match c {
                '>' => return Ok(name),
                c if c.is_ascii_alphanumeric() => name.push(c),
                _ => break,
            }
        }
        self.fail("named capturing group is missing trailing '>'")
    }

    fn inline_flags(&mut self) -> Result<()> {
        let mut on = true;
        loop {
            let flag = match self.peek() {
                Some('i') => CASE_INSENSITIVE,
                Some('m') => MULTILINE,
                Some('s') => DOTALL,
                Some('d') => UNIX_LINES,
                Some('u') => UNICODE_CASE,
                Some('c') if on => return self.fail("the flag c (CANON_EQ) is not supported"),
                Some('c') => CANON_EQ,
                Some('x') => COMMENTS,
                Some('U') if on => UNICODE_CHARACTER_CLASS | UNICODE_CASE,
                Some('U') => UNICODE_CHARACTER_CLASS,
                Some('-') if on => {
                    on = false;
                    self.at += 1;
                    continue;
                }
                _ => return Ok(()),
            };
            if on {
                self.flags |= flag;
            } else {
                self.flags &= !flag;
            }
            self.at += 1;
        }
    }
}
