//! Names, keys of hashes such as `name:`, variables with a sign, and symbols.

use super::{Lexer, Result, literals};
use crate::language::token::{Kind, Part, Place, SyntaxError, Token, WORDS};

impl Lexer<'_> {
    pub(super) fn name(&mut self, at: Place, spaced: bool) {
        let begin = self.at;
        while self.peek(0).is_some_and(is_name_byte) {
            self.bump();
        }
        let after_dot = self.tokens.last().is_some_and(|last| matches!(last.kind, Kind::Op("." | "&.")));
        // `a?b` is a call of `a?`; `a != b` is not one of `a!`.
        if matches!(self.peek(0), Some(b'?' | b'!')) && self.peek(1) != Some(b'=') {
            let colon = self.peek(0) == Some(b'?') && self.peek(1) == Some(b':') && self.peek(2) == Some(b':');
            if !colon {
                self.bump();
            }
        }
        let source = self.source;
        let text = String::from_utf8_lossy(&source[begin..self.at]).into_owned();
        let is_label = self.peek(0) == Some(b':')
            && self.peek(1) != Some(b':')
            && !after_dot
            && !self.tokens.last().is_some_and(|last| matches!(last.kind, Kind::Op("?")) && !spaced);
        // In `a ? b : c` the colon is spaced.
        if is_label && !self.is_ternary_colon() {
            self.bump();
            self.push(Kind::Label(text), at, spaced);
            return;
        }
        let after_def = self.tokens.last().is_some_and(|last| matches!(last.kind, Kind::Word("def")));
        let word = WORDS.iter().find(|word| **word == text).filter(|_| !after_dot && !after_def);
        let kind = match word {
            Some(word) => Kind::Word(word),
            None if text.starts_with(|first: char| first.is_uppercase()) => Kind::Const(text),
            None => Kind::Ident(text),
        };
        self.push(kind, at, spaced);
    }

    /// Whether the name before a colon is the middle of `a ? b :c`.
    pub(super) fn is_ternary_colon(&self) -> bool {
        let on_line = self.tokens.iter().rev().take_while(|token| token.kind != Kind::Newline);
        let mut depth = 0_usize;
        for token in on_line.take(64) {
            match token.kind {
                Kind::Op(")" | "]" | "}") => depth += 1,
                Kind::Op("(" | "[" | "{") if depth == 0 => return false,
                Kind::Op("(" | "[" | "{") => depth -= 1,
                Kind::Op(",") if depth == 0 => return false,
                Kind::Op("?") if depth == 0 => return true,
                _ => {}
            }
        }
        false
    }

    pub(super) fn sigil(&mut self, sign: u8, at: Place, spaced: bool) -> Result<()> {
        let begin = self.at;
        self.bump();
        if sign == b'@' && self.peek(0) == Some(b'@') {
            self.bump();
        }
        let named = self.at;
        while self.peek(0).is_some_and(is_name_byte) {
            self.bump();
        }
        if self.at == named && sign == b'$' {
            // `$!`, `$0` and the like.
            self.bump();
        }
        if self.at == named {
            return Err(SyntaxError::new(at, "a name must follow this sign"));
        }
        let source = self.source;
        let text = String::from_utf8_lossy(&source[begin..self.at]).into_owned();
        self.push(if sign == b'@' { Kind::Instance(text) } else { Kind::Global(text) }, at, spaced);
        Ok(())
    }

    pub(super) fn colon(&mut self, at: Place, spaced: bool) -> Result<()> {
        match self.peek(1) {
            Some(b':') => self.operator(at, spaced),
            Some(quote @ (b'"' | b'\'')) => {
                self.skip(2);
                let escapes = if quote == b'"' { literals::Escapes::Double } else { literals::Escapes::Single };
                let parts = literals::parts(self, None, quote, escapes)?;
                self.push(Kind::Symbol(parts), at, spaced);
                Ok(())
            }
            Some(next) if is_name_byte(next) && !next.is_ascii_digit() => {
                self.bump();
                let begin = self.at;
                while self.peek(0).is_some_and(is_name_byte) {
                    self.bump();
                }
                if matches!(self.peek(0), Some(b'?' | b'!')) && self.peek(1) != Some(b'=') {
                    self.bump();
                }
                let source = self.source;
                let name = source[begin..self.at].to_vec();
                self.push(Kind::Symbol(vec![Part::Bytes(name)]), at, spaced);
                Ok(())
            }
            Some(_) => {
                let rest = &self.source[self.at + 1..];
                let is_value = self.tokens.last().is_some_and(Token::ends_value);
                let named = [
                    "[]=", "[]", "<=>", "===", "==", "=~", "**", "+", "-", "*", "/", "%", "<<", ">>", "<=", ">=", "<",
                    ">", "!",
                ];
                match named.iter().find(|name| rest.starts_with(name.as_bytes())).filter(|_| !is_value) {
                    Some(name) => {
                        self.skip(1 + name.len());
                        self.push(Kind::Symbol(vec![Part::Bytes(name.as_bytes().to_vec())]), at, spaced);
                        Ok(())
                    }
                    None => self.operator(at, spaced),
                }
            }
            None => self.operator(at, spaced),
        }
    }
}

/// Whether a byte can be in a name.
pub fn is_name_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80
}
