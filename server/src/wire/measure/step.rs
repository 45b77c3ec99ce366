//! Reads numbers of which some bytes may not have arrived yet.

use super::Endless;
use crate::wire::header::varint32;

/// Why a step of a measurement was not taken.
pub(super) enum Unfinished {
    /// More bytes are needed: the message has at least this many.
    Short(usize),
    /// The end of the message cannot be found.
    Endless(Endless),
}

impl From<Endless> for Unfinished {
    fn from(endless: Endless) -> Self {
        Self::Endless(endless)
    }
}

pub(super) type Step<T> = Result<T, Unfinished>;

/// Lengths have 31 bits.
pub(super) fn count(size: usize) -> u32 {
    u32::try_from(size).unwrap_or(u32::MAX)
}

pub(super) fn byte(bytes: &[u8], at: usize) -> Step<u8> {
    bytes.get(at).copied().ok_or(Unfinished::Short(at + 1))
}

pub(super) fn varint(bytes: &[u8], at: usize) -> Step<(u32, usize)> {
    match varint32(bytes.get(at..).unwrap_or_default()) {
        Ok(Some(found)) => Ok(found),
        Ok(None) => Err(Unfinished::Short(bytes.len().max(at) + 1)),
        Err(_) => Err(Endless::NumberTooLong.into()),
    }
}

/// The length of a varint in bytes, at most `widest`.
pub(super) fn long_varint(bytes: &[u8], at: usize, widest: usize) -> Step<usize> {
    let rest = bytes.get(at..).unwrap_or_default();
    match rest.iter().take(widest).position(|b| b & 0x80 == 0) {
        Some(last) => Ok(last + 1),
        None if rest.len() < widest => Err(Unfinished::Short(bytes.len().max(at) + 1)),
        None => Err(Endless::NumberTooLong.into()),
    }
}
