//! The outcome of a measurement.

use std::fmt;

use crate::wire::DEPTH_MAX;

/// How far a measurement has got.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Progress {
    /// The message has this many bytes, and all of them have been received.
    Whole(usize),
    /// The message has at least this many bytes, more than have been received.
    More(usize),
}

/// Why the end of a message cannot be found or exceeds a limit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Endless {
    /// The message announces more bytes than the limit allows.
    TooLarge(usize),
    /// Values are nested too deeply.
    TooDeep,
    /// A length is negative.
    Negative,
    /// A value has an unknown type.
    NoSuchType(u8),
    /// A number has more bits than its type.
    NumberTooLong,
    /// The header is malformed.
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
