//! The inside of string literals: escapes, `#{…}`, words, here-documents.

use super::lexer::Lexer;
use super::token::{Part, SyntaxError};

type Result<T> = std::result::Result<T, SyntaxError>;

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

/// Removes the indentation that all lines share.
pub fn dedent(lines: &mut [Vec<u8>]) {
    let indent = |line: &[u8]| line.iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
    let shared = lines.iter().filter(|line| !line.trim_ascii().is_empty()).map(|line| indent(line)).min().unwrap_or(0);
    for line in lines {
        line.drain(..shared.min(indent(line)));
    }
}
