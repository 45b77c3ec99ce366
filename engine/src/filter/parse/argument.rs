//! Arguments of the language: quoted byte strings, numbers, truth values, operators, comparators.

use bytes::Bytes;

use crate::compare_op::CompareOp;
use crate::filter::{Comparator, RegexComparator, Substring};

/// An argument as it stands in the text.
pub(super) struct Argument {
    /// Where it begins in the whole text.
    pub(super) at: usize,
    /// Its bytes; a quoted one with its outer quotes, doubled quotes inside made single.
    pub(super) bytes: Vec<u8>,
}

/// Why a filter refuses its arguments.
pub(super) struct Wrong {
    /// Which argument, from 0; `None`: all together.
    pub(super) argument: Option<usize>,
    /// What was expected.
    pub(super) message: String,
}

impl Wrong {
    pub(super) fn all(message: impl Into<String>) -> Self {
        Self { argument: None, message: message.into() }
    }
}

/// The arguments of one filter, typed by whoever reads them.
pub(super) struct Arguments<'a>(pub(super) &'a [Argument]);

type Read<T> = Result<T, Wrong>;

impl Arguments<'_> {
    fn read<T>(&self, n: usize, expected: &str, read: impl Fn(&[u8]) -> Option<T>) -> Read<T> {
        let bytes = self.0.get(n).map_or(&[][..], |argument| &argument.bytes);
        read(bytes).ok_or_else(|| Wrong {
            argument: Some(n),
            message: format!("expected {expected}, found {}", bytes.escape_ascii()),
        })
    }

    /// A quoted byte string.
    pub(super) fn string(&self, n: usize) -> Read<Bytes> {
        self.read(n, "text in single quotes", |bytes| {
            let inner = bytes.strip_prefix(b"'")?.strip_suffix(b"'")?;
            Some(Bytes::copy_from_slice(inner))
        })
    }

    /// A quoted byte string of which an empty one means none.
    pub(super) fn bound(&self, n: usize) -> Read<Option<Bytes>> {
        Ok(Some(self.string(n)?).filter(|bytes| !bytes.is_empty()))
    }

    /// A 64-bit number.
    pub(super) fn long(&self, n: usize) -> Read<i64> {
        self.read(n, "a whole number without quotes, at most 9223372036854775807", long)
    }

    /// A 32-bit number.
    pub(super) fn int(&self, n: usize) -> Read<i32> {
        self.read(n, "a whole number without quotes, at most 2147483647", |bytes| i32::try_from(long(bytes)?).ok())
    }

    /// A truth value, in any case.
    pub(super) fn truth(&self, n: usize) -> Read<bool> {
        self.read(n, "true or false without quotes", |bytes| {
            if bytes.eq_ignore_ascii_case(b"true") {
                Some(true)
            } else {
                bytes.eq_ignore_ascii_case(b"false").then_some(false)
            }
        })
    }

    /// A comparison operator.
    pub(super) fn operator(&self, n: usize) -> Read<CompareOp> {
        self.read(n, "one of < <= = != > >= without quotes", |bytes| {
            Some(match bytes {
                b"<" => CompareOp::Less,
                b"<=" => CompareOp::LessOrEqual,
                b"=" => CompareOp::Equal,
                b"!=" => CompareOp::NotEqual,
                b">" => CompareOp::Greater,
                b">=" => CompareOp::GreaterOrEqual,
                _ => return None,
            })
        })
    }

    /// A quoted comparator: type, colon, value.
    pub(super) fn comparator(&self, n: usize) -> Read<Comparator> {
        let text = self.string(n)?;
        let types = "binary, binaryprefix, regexstring, regexstringnocase or substring";
        let wrong = |message: String| Wrong { argument: Some(n), message };
        let Some(colon) = text.iter().position(|b| *b == b':') else {
            return Err(wrong(format!("Incorrect comparator: expected '{types}', a colon and a value")));
        };
        let value = text.slice(colon + 1..);
        let regex = |flags| {
            let pattern = super::super::regex::decode_utf8(&value);
            RegexComparator::new(&pattern, flags).map(Comparator::Regex).map_err(|e| wrong(e.message().to_owned()))
        };
        match &text[..colon] {
            b"binary" => Ok(Comparator::Binary(value)),
            b"binaryprefix" => Ok(Comparator::BinaryPrefix(value)),
            b"regexstring" => regex(super::super::regex::DOTALL),
            b"regexstringnocase" => regex(super::super::regex::CASE_INSENSITIVE | super::super::regex::DOTALL),
            b"substring" => Ok(Comparator::Substring(Substring::new(&super::super::regex::decode_utf8(&value)))),
            other => Err(wrong(format!("Incorrect comparatorType {}: expected {types}", other.escape_ascii()))),
        }
    }

    /// An operator and a comparator that go together.
    pub(super) fn compare(&self, n: usize) -> Read<(CompareOp, Comparator)> {
        let (op, comparator) = (self.operator(n)?, self.comparator(n + 1)?);
        if comparator.only_matches() && !matches!(op, CompareOp::Equal | CompareOp::NotEqual) {
            let message =
                "A regexstring comparator and substring comparator can only be used with EQUAL and NOT_EQUAL: \
                           expected = or !="
                    .to_owned();
            return Err(Wrong { argument: Some(n), message });
        }
        Ok((op, comparator))
    }
}

/// Digits with an optional minus. HBase adds them up in 64 bits and notices only when the sum is negative in between: what wraps around
/// to a positive number is taken.
fn long(bytes: &[u8]) -> Option<i64> {
    let (digits, negative) = match bytes {
        [] => return None,
        [b'-', rest @ ..] => (rest, true),
        _ => (bytes, false),
    };
    let mut sum = 0i64;
    for digit in digits {
        if !digit.is_ascii_digit() {
            return None;
        }
        sum = sum.wrapping_mul(10).wrapping_add(i64::from(digit - b'0'));
        if sum < 0 {
            return None;
        }
    }
    Some(if negative { -sum } else { sum })
}
