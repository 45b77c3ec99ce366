//! Arguments of the filter language: quoted byte strings, numbers, truth values, operators, comparators.

use bytes::Bytes;

use crate::compare_op::CompareOp;
use crate::error::Error;
use crate::filter::comparators::{self, Comparator};
use crate::filter::spec::FilterSpec;
use crate::quote;

/// An argument as written in the text.
pub(super) struct Argument {
    /// Its position in the text, in bytes.
    pub(super) at: usize,
    /// Its bytes. A quoted string keeps its outer quotes; doubled quotes inside it are single here.
    pub(super) bytes: Vec<u8>,
}

/// The reason why a filter refuses its arguments.
pub(in crate::filter) struct ArgumentError {
    /// The argument, counted from 0; `None`: all arguments together.
    pub(super) argument: Option<usize>,
    /// The expected argument.
    pub(super) message: String,
}

/// The value to which an argument, or a filter with all its arguments, is parsed.
pub(in crate::filter) type Parsed<T> = Result<T, ArgumentError>;

/// The arguments of one filter.
pub(in crate::filter) struct Arguments<'a>(pub(super) &'a [Argument]);

impl Arguments<'_> {
    /// The number of arguments.
    pub(in crate::filter) fn len(&self) -> usize {
        self.0.len()
    }

    /// Refuses any other number of arguments. `signature` is the expected number, a colon and the names of the
    /// arguments.
    pub(in crate::filter) fn count(&self, allowed: &[usize], signature: &str) -> Parsed<()> {
        if allowed.contains(&self.len()) {
            return Ok(());
        }
        let (number, names) = signature.split_once(": ").unwrap_or((signature, ""));
        let plural = if number == "1" { "" } else { "s" };
        let names = if names.is_empty() { String::new() } else { format!(" ({names})") };
        let message = format!("expected {number} argument{plural}{names}, found {}", self.len());
        Err(ArgumentError { argument: None, message })
    }

    /// All arguments, each read by the same function.
    pub(in crate::filter) fn all<T>(&self, read: impl Fn(&Self, usize) -> Parsed<T>) -> Parsed<Vec<T>> {
        (0..self.len()).map(|n| read(self, n)).collect()
    }

    /// The filter that a constructor returned. A refusal is reported at the first argument.
    pub(in crate::filter) fn built(&self, filter: Result<FilterSpec, Error>) -> Parsed<FilterSpec> {
        filter.map_err(|error| ArgumentError { argument: Some(0), message: error.message().to_owned() })
    }

    fn read<T>(&self, n: usize, expected: &str, read: impl Fn(&[u8]) -> Option<T>) -> Parsed<T> {
        let bytes = self.0.get(n).map_or(&[][..], |argument| &argument.bytes);
        read(bytes).ok_or_else(|| ArgumentError {
            argument: Some(n),
            message: format!("expected {expected}, found {}", shown(bytes)),
        })
    }

    /// A quoted byte string.
    pub(in crate::filter) fn string(&self, n: usize) -> Parsed<Bytes> {
        self.read(n, "text in single quotes", |bytes| {
            let inner = bytes.strip_prefix(b"'")?.strip_suffix(b"'")?;
            Some(Bytes::copy_from_slice(inner))
        })
    }

    /// A quoted byte string; an empty one is no bound.
    pub(in crate::filter) fn bound(&self, n: usize) -> Parsed<Option<Bytes>> {
        Ok(Some(self.string(n)?).filter(|bytes| !bytes.is_empty()))
    }

    /// A 64-bit number.
    pub(in crate::filter) fn long(&self, n: usize) -> Parsed<i64> {
        self.read(n, "a whole number without quotes, at most 9223372036854775807", long)
    }

    /// A 32-bit number.
    pub(in crate::filter) fn int(&self, n: usize) -> Parsed<i32> {
        self.read(n, "a whole number without quotes, at most 2147483647", |bytes| i32::try_from(long(bytes)?).ok())
    }

    /// A truth value, in any case.
    pub(in crate::filter) fn truth(&self, n: usize) -> Parsed<bool> {
        self.read(n, "true or false without quotes", |bytes| {
            if bytes.eq_ignore_ascii_case(b"true") {
                Some(true)
            } else {
                bytes.eq_ignore_ascii_case(b"false").then_some(false)
            }
        })
    }

    /// A comparison operator.
    pub(in crate::filter) fn operator(&self, n: usize) -> Parsed<CompareOp> {
        self.read(n, "one of < <= = != > >= without quotes", |bytes| {
            CompareOp::from_symbol(std::str::from_utf8(bytes).ok()?)
        })
    }

    /// A quoted comparator: type, colon, value.
    pub(in crate::filter) fn comparator(&self, n: usize) -> Parsed<Comparator> {
        let text = self.string(n)?;
        let wrong = |message: String| ArgumentError { argument: Some(n), message };
        let Some(colon) = text.iter().position(|b| *b == b':') else {
            let types = comparators::type_names();
            return Err(wrong(format!("Incorrect comparator: expected a type ({types}), a colon and a value")));
        };
        match comparators::by_type(&text[..colon]) {
            Some(build) => build(text.slice(colon + 1..)).map_err(|error| wrong(error.message().to_owned())),
            None => Err(wrong(format!(
                "Incorrect comparatorType {}: expected {}",
                shown(&text[..colon]),
                comparators::type_names()
            ))),
        }
    }

    /// An operator and a comparator, in two arguments. Some comparators allow `=` and `!=` only.
    pub(in crate::filter) fn compare(&self, n: usize) -> Parsed<(CompareOp, Comparator)> {
        let (op, comparator) = (self.operator(n)?, self.comparator(n + 1)?);
        if comparator.is_equality_only() && !matches!(op, CompareOp::Equal | CompareOp::NotEqual) {
            let message = "A regexstring comparator and substring comparator can only be used with EQUAL and \
                           NOT_EQUAL: expected = or !="
                .to_owned();
            return Err(ArgumentError { argument: Some(n), message });
        }
        Ok((op, comparator))
    }
}

/// Bytes as text, with escapes for those that are not printable ASCII. Quotes, which delimit arguments, have none.
fn shown(bytes: &[u8]) -> String {
    quote::escaped(bytes).to_string().replace("\\'", "'").replace("\\\"", "\"")
}

/// Digits with an optional minus. As in HBase, a number that overflows 64 bits is refused only if a partial sum is
/// negative; a number that wraps around to a positive one is accepted.
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
