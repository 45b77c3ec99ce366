//! Literals with text: strings, characters, regular expressions, lists of words; escapes and `#{…}` in them.

use super::{Lexer, Result};
use crate::language::token::{Kind, Part, Place, SyntaxError};

/// Which escapes a literal has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Escapes {
    /// `\\` and the quote alone.
    Single,
    /// All escapes and `#{…}`.
    Double,
    /// `#{…}` and the escaped slash; everything else is left to the regular expression.
    Regex,
}

impl Lexer<'_> {
    pub(super) fn quoted(&mut self, quote: u8, at: Place, spaced: bool) -> Result<()> {
        if quote == b'`' {
            return Err(SyntaxError::new(at, "commands of the operating system are not part of this shell"));
        }
        self.bump();
        let escapes = if quote == b'\'' { Escapes::Single } else { Escapes::Double };
        let parts = parts(self, None, quote, escapes)?;
        let key = self.peek(0) == Some(b':') && self.peek(1) != Some(b':');
        let in_list =
            self.tokens.last().is_some_and(|last| matches!(last.kind, Kind::Op("{" | "," | "(") | Kind::Newline));
        if key && in_list && !self.is_ternary_colon() {
            self.bump();
            self.push(Kind::TextLabel(parts), at, spaced);
        } else {
            self.push(Kind::Str(parts), at, spaced);
        }
        Ok(())
    }

    /// Reads `%w[…]` and its relatives. Returns false if this is not one.
    pub(super) fn percent(&mut self, at: Place, spaced: bool) -> Result<bool> {
        let (kind, skip) = match (self.peek(1), self.peek(2)) {
            (Some(kind @ (b'w' | b'W' | b'i' | b'I' | b'q' | b'Q' | b'r' | b's')), Some(open))
                if open.is_ascii_punctuation() =>
            {
                (kind, 3)
            }
            (Some(b'(' | b'[' | b'{' | b'<' | b'|' | b'!'), _) => (b'Q', 2),
            _ => return Ok(false),
        };
        let open = self.peek(skip - 1).unwrap_or(b'(');
        self.skip(skip);
        let close = match open {
            b'(' => b')',
            b'[' => b']',
            b'{' => b'}',
            b'<' => b'>',
            other => other,
        };
        let nested = (open != close).then_some(open);
        let token = match kind {
            b'w' | b'W' | b'i' | b'I' => {
                let words = words(self, nested, close)?;
                if matches!(kind, b'w' | b'W') { Kind::Words(words) } else { Kind::Symbols(words) }
            }
            b'q' => Kind::Str(parts(self, nested, close, Escapes::Single)?),
            b's' => Kind::Symbol(parts(self, nested, close, Escapes::Single)?),
            b'r' => Kind::Regex(parts(self, nested, close, Escapes::Regex)?, String::new()),
            _ => Kind::Str(parts(self, nested, close, Escapes::Double)?),
        };
        self.push(token, at, spaced);
        Ok(true)
    }

    /// Reads a regular expression and its flags.
    pub(super) fn regex(&mut self, at: Place, spaced: bool) -> Result<()> {
        self.bump();
        let parts = parts(self, None, b'/', Escapes::Regex)?;
        let mut flags = String::new();
        while let Some(flag @ b'a'..=b'z') = self.peek(0) {
            flags.push(char::from(flag));
            self.bump();
        }
        self.push(Kind::Regex(parts, flags), at, spaced);
        Ok(())
    }

    /// Whether `?` here begins a character literal such as `?a`.
    pub(super) fn is_character(&self, spaced: bool) -> bool {
        let last = self.tokens.last();
        let operand = last.is_none_or(|last| !last.ends_value() || (matches!(last.kind, Kind::Ident(_)) && spaced));
        let Some(next) = self.peek(1) else { return false };
        let after = self.peek(if next == b'\\' { 3 } else { 2 });
        let alone = !after.is_some_and(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
        operand && !next.is_ascii_whitespace() && (alone || next >= 0x80)
    }

    /// Reads a character such as `?a`.
    pub(super) fn character(&mut self, at: Place, spaced: bool) -> Result<()> {
        self.bump();
        let mut bytes = Vec::new();
        if self.peek(0) == Some(b'\\') {
            self.bump();
            escape(self, &mut bytes, Some('\''))?;
        } else if let Some(byte) = self.bump() {
            bytes.push(byte);
            while self.peek(0).is_some_and(|byte| (0x80..0xC0).contains(&byte)) {
                bytes.extend(self.bump());
            }
        }
        self.push(Kind::Str(vec![Part::Bytes(bytes)]), at, spaced);
        Ok(())
    }
}

/// Reads the parts of a literal up to its closing character. Brackets of the kind `nested` are counted.
pub fn parts(lexer: &mut Lexer<'_>, nested: Option<u8>, close: u8, escapes: Escapes) -> Result<Vec<Part>> {
    read(lexer, nested, Some(close), escapes)
}

/// Reads the parts of a text up to the end of the source.
pub fn parts_to_end(lexer: &mut Lexer<'_>) -> Result<Vec<Part>> {
    read(lexer, None, None, Escapes::Double)
}

fn read(lexer: &mut Lexer<'_>, nested: Option<u8>, close: Option<u8>, escapes: Escapes) -> Result<Vec<Part>> {
    let (mut parts, mut text, mut depth) = (Vec::new(), Vec::new(), 0_usize);
    let quote = Some(if close == Some(b'\'') { '\'' } else { '"' });
    loop {
        let Some(byte) = lexer.bump() else {
            if close.is_some() {
                return Err(lexer.incomplete(quote));
            }
            break;
        };
        if Some(byte) == close && depth == 0 {
            break;
        }
        match byte {
            _ if Some(byte) == nested => {
                depth += 1;
                text.push(byte);
            }
            _ if Some(byte) == close => {
                depth -= 1;
                text.push(byte);
            }
            b'\\' if escapes == Escapes::Double => escape(lexer, &mut text, quote)?,
            b'\\' => match lexer.bump() {
                None => return Err(lexer.incomplete(quote)),
                Some(next) if escapes == Escapes::Single && (next == b'\\' || Some(next) == close) => text.push(next),
                Some(b'/') if escapes == Escapes::Regex => text.push(b'/'),
                Some(next) => text.extend([b'\\', next]),
            },
            b'#' if escapes != Escapes::Single && lexer.peek(0) == Some(b'{') => {
                lexer.bump();
                if !text.is_empty() {
                    parts.push(Part::Bytes(std::mem::take(&mut text)));
                }
                parts.push(Part::Code(lexer.interpolated()?));
            }
            _ => text.push(byte),
        }
    }
    if !text.is_empty() || parts.is_empty() {
        parts.push(Part::Bytes(text));
    }
    Ok(parts)
}

/// Reads one escape of a double-quoted text, after its backslash.
pub fn escape(lexer: &mut Lexer<'_>, text: &mut Vec<u8>, quote: Option<char>) -> Result<()> {
    let at = lexer.place;
    let wrong = |message: &str| SyntaxError::new(at, message);
    let Some(byte) = lexer.bump() else { return Err(lexer.incomplete(quote)) };
    match byte {
        b'n' => text.push(b'\n'),
        b't' => text.push(b'\t'),
        b'r' => text.push(b'\r'),
        b'e' => text.push(0x1B),
        b'a' => text.push(7),
        b'b' => text.push(8),
        b'f' => text.push(0x0C),
        b'v' => text.push(0x0B),
        b's' => text.push(b' '),
        b'\n' => {}
        b'0'..=b'7' => {
            let mut value = u32::from(byte - b'0');
            for _ in 0..2 {
                match lexer.peek(0) {
                    Some(digit @ b'0'..=b'7') => value = value * 8 + u32::from(digit - b'0'),
                    _ => break,
                }
                lexer.bump();
            }
            text.push((value & 0xFF) as u8);
        }
        b'x' => {
            let value = hex(lexer, 2).ok_or_else(|| wrong("\\x needs one or two hexadecimal digits"))?;
            text.push((value & 0xFF) as u8);
        }
        b'u' if lexer.peek(0) == Some(b'{') => {
            lexer.bump();
            loop {
                match lexer.peek(0) {
                    None => return Err(lexer.incomplete(quote)),
                    Some(b'}') => break,
                    Some(b' ' | b'\t') => {}
                    Some(_) => {
                        let code = hex(lexer, 6).ok_or_else(|| wrong("\\u{…} needs hexadecimal digits"))?;
                        push_code_point(text, code).ok_or_else(|| wrong("\\u names no character"))?;
                        continue;
                    }
                }
                lexer.bump();
            }
            lexer.bump();
        }
        b'u' => {
            let begin = lexer.at;
            let code = hex(lexer, 4).filter(|_| lexer.at == begin + 4);
            let code = code.ok_or_else(|| wrong("\\u needs four hexadecimal digits"))?;
            push_code_point(text, code).ok_or_else(|| wrong("\\u names no character"))?;
        }
        b'c' | b'C' | b'M' => return Err(wrong("control and meta escapes are not part of this shell")),
        other => text.push(other),
    }
    Ok(())
}

fn push_code_point(text: &mut Vec<u8>, code: u32) -> Option<()> {
    let character = char::from_u32(code)?;
    text.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
    Some(())
}

/// Reads up to `max` hexadecimal digits.
fn hex(lexer: &mut Lexer<'_>, max: usize) -> Option<u32> {
    let (mut value, mut count) = (0_u32, 0);
    while count < max {
        let Some(digit) = lexer.peek(0).and_then(|byte| char::from(byte).to_digit(16)) else { break };
        value = value * 16 + digit;
        count += 1;
        lexer.bump();
    }
    (count > 0).then_some(value)
}

/// Reads the words of `%w[…]`.
pub fn words(lexer: &mut Lexer<'_>, nested: Option<u8>, close: u8) -> Result<Vec<Vec<u8>>> {
    let (mut words, mut word, mut depth) = (Vec::new(), Vec::new(), 0_usize);
    loop {
        let Some(byte) = lexer.bump() else { return Err(lexer.incomplete(Some('"'))) };
        if byte == close && depth == 0 {
            break;
        }
        if byte.is_ascii_whitespace() {
            if !word.is_empty() {
                words.push(std::mem::take(&mut word));
            }
            continue;
        }
        if Some(byte) == nested {
            depth += 1;
        } else if byte == close {
            depth -= 1;
        }
        if byte == b'\\' {
            word.extend(lexer.bump());
        } else {
            word.push(byte);
        }
    }
    if !word.is_empty() {
        words.push(word);
    }
    Ok(words)
}
