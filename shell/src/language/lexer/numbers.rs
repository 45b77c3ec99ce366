//! Numbers.

use num_bigint::BigInt;

use super::{Lexer, Result};
use crate::language::token::{Kind, Place, SyntaxError};

impl Lexer<'_> {
    pub(super) fn number(&mut self, at: Place) -> Result<Kind> {
        let wrong = |message: &str| SyntaxError::new(at, message);
        let mut digits = String::new();
        let radix = match (self.peek(0), self.peek(1)) {
            (Some(b'0'), Some(b'x' | b'X')) => 16,
            (Some(b'0'), Some(b'b' | b'B')) => 2,
            (Some(b'0'), Some(b'o' | b'O')) => 8,
            (Some(b'0'), Some(b'0'..=b'9' | b'_')) => 7,
            _ => 10,
        };
        if matches!(radix, 2 | 8 | 16) {
            self.skip(2);
        }
        let radix = if radix == 7 { 8 } else { radix };
        let mut is_float = false;
        while let Some(byte) = self.peek(0) {
            match byte {
                b'_' if self.peek(1).is_some_and(|next| next.is_ascii_hexdigit()) => {}
                b'.' if radix == 10 && !is_float && self.peek(1).is_some_and(|next| next.is_ascii_digit()) => {
                    is_float = true;
                    digits.push('.');
                }
                b'e' | b'E' if radix == 10 => {
                    let sign = matches!(self.peek(1), Some(b'+' | b'-'));
                    if !self.peek(1 + usize::from(sign)).is_some_and(|next| next.is_ascii_digit()) {
                        return Err(wrong("a number is followed by a letter"));
                    }
                    is_float = true;
                    digits.push('e');
                    if sign {
                        self.bump();
                        digits.extend(self.peek(0).map(char::from));
                    }
                }
                _ if byte.is_ascii_alphanumeric() => digits.push(char::from(byte)),
                _ => break,
            }
            self.bump();
            if digits.len() > 10_000 {
                return Err(wrong("a number has more than 10000 digits"));
            }
        }
        if is_float {
            return digits.parse().map(Kind::Float).map_err(|_| wrong("not a number"));
        }
        BigInt::parse_bytes(digits.as_bytes(), radix)
            .map(Kind::Int)
            .ok_or_else(|| wrong("a number has a digit that it cannot have"))
    }
}
