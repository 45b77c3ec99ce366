//! Steps that need bytes which may not be there yet, and the numbers they read.

use super::Endless;
use crate::wire::header::varint32;

/// A step that cannot be taken yet needs the message to have this many bytes.
pub(super) struct Short(pub(super) usize);

pub(super) type Step<T> = Result<Result<T, Short>, Endless>;

/// Returns from the step with what it needs, unless it is there.
macro_rules! there {
    ($step:expr) => {
        match $step {
            Ok(Ok(value)) => value,
            Ok(Err(short)) => return Ok(Err(short)),
            Err(endless) => return Err(endless),
        }
    };
}

pub(super) use there;

/// Lengths are 31 bits wide.
pub(super) fn count(size: usize) -> u32 {
    u32::try_from(size).unwrap_or(u32::MAX)
}

pub(super) fn byte(bytes: &[u8], at: usize) -> Step<u8> {
    Ok(bytes.get(at).copied().ok_or(Short(at + 1)))
}

pub(super) fn varint(bytes: &[u8], at: usize) -> Step<(u32, usize)> {
    match varint32(bytes.get(at..).unwrap_or_default()) {
        Ok(Some(found)) => Ok(Ok(found)),
        Ok(None) => Ok(Err(Short(bytes.len().max(at) + 1))),
        Err(_) => Err(Endless::NumberTooLong),
    }
}

/// How many bytes a number takes, of at most `widest`.
pub(super) fn long_varint(bytes: &[u8], at: usize, widest: usize) -> Step<usize> {
    let rest = bytes.get(at..).unwrap_or_default();
    match rest.iter().take(widest).position(|b| b & 0x80 == 0) {
        Some(last) => Ok(Ok(last + 1)),
        None if rest.len() < widest => Ok(Err(Short(bytes.len().max(at) + 1))),
        None => Err(Endless::NumberTooLong),
    }
}
