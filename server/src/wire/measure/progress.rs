//! What measuring finds out.

use std::fmt;

use crate::wire::DEPTH_MAX;

/// How far a measurement has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Progress {
    /// The message is so many bytes long; all of them are there.
    Whole(usize),
    /// The message has at least so many bytes, more than are there.
    More(usize),
}

/// Why the end of a message cannot be found or exceeds a limit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Endless {
    /// It announces more bytes than are allowed.
    TooLarge(usize),
    /// Values nest too deep.
    TooDeep,
    /// A length is negative.
    Negative,
    /// There is no such type of value.
    NoSuchType(u8),
    /// A number is longer than its type.
    NumberTooLong,
    /// The header is none.
    Header(String),
}

impl fmt::Display for Endless {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooLarge(limit) => write!(f, "the message is longer than the {limit} bytes that are allowed"),
            Self::TooDeep => write!(f, "values nest deeper than {DEPTH_MAX} levels"),
            Self::Negative => f.write_str("a length is negative"),
            Self::NoSuchType(number) => write!(f, "there is no value type {number}"),
            Self::NumberTooLong => f.write_str("a number is longer than its type"),
            Self::Header(text) => f.write_str(text),
        }
    }
}
