//! Comparators: what a part of a cell (row, family, qualifier, value) is compared with.

use std::cmp::Ordering;

use bytes::Bytes;

use super::decimal::Decimal;
use super::regex::RegexComparator;
use super::substring::Substring;
use crate::error::{Error, ErrorKind, Result};

/// How a bit comparator combines its bytes with a cell's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum BitwiseOp {
    /// Both.
    And = 1,
    /// Either.
    Or = 2,
    /// Exactly one.
    Xor = 3,
}

/// A comparator (HBase's `ByteArrayComparable`): each knows how it lies to a cell's bytes.
// A compiled expression is large; a filter has few comparators, and a box would cost every comparison a step.
#[allow(clippy::large_enum_variant)]
#[derive(Debug, Clone, PartialEq)]
pub enum Comparator {
    /// Whole byte strings, unsigned.
    Binary(Bytes),
    /// The first bytes only, as many as the comparator has.
    BinaryPrefix(Bytes),
    /// A Java regular expression that is found somewhere, or not.
    Regex(RegexComparator),
    /// A text that is contained regardless of case, or not.
    Substring(Substring),
    /// Matches if combining the two bytewise leaves a bit; byte strings of different lengths do not match.
    Bit {
        /// The comparator's bytes.
        value: Bytes,
        /// How to combine.
        op: BitwiseOp,
    },
    /// Matches what is not there: never, since every part of a cell is there.
    Null,
    /// Eight bytes as a big-endian number.
    Long(i64),
    /// Java's serialised decimal numbers, by value.
    Decimal(Decimal),
    /// Bytes at an offset, as many as the comparator has.
    BinaryComponent {
        /// What to compare.
        value: Bytes,
        /// Where in the cell's part it lies.
        offset: u32,
    },
}

impl Comparator {
    /// How the comparator lies to a part of a cell: `Less` if the comparator is the smaller one. Those that only match or not say `Equal` or
    /// `Greater`, as HBase's 0 and 1.
    ///
    /// # Errors
    /// `Unprocessable` where HBase's region server fails: a part too short for a number or offset, a regular expression that backtracks
    /// without end.
    pub fn order(&self, part: &[u8]) -> Result<Ordering> {
        Ok(match self {
            Self::Binary(value) => value[..].cmp(part),
            Self::BinaryPrefix(value) => value[..].cmp(&part[..part.len().min(value.len())]),
            Self::Regex(regex) => matched(regex.found_in(part)?),
            Self::Substring(text) => matched(text.is_in(part)),
            Self::Bit { value, op } => matched(bits_left(value, *op, part)),
            Self::Null => matched(false),
            Self::Long(value) => {
                let Some(bytes) = part.first_chunk::<8>() else {
                    return Err(too_short("LongComparator", "8 bytes", part));
                };
                value.cmp(&i64::from_be_bytes(*bytes))
            }
            Self::Decimal(value) => match Decimal::from_bytes(part) {
                Some(other) => value.order(&other),
                None => return Err(too_short("BigDecimalComparator", "at least 5 bytes", part)),
            },
            Self::BinaryComponent { value, offset } => {
                let at = usize::try_from(*offset).unwrap_or(usize::MAX);
                match at.checked_add(value.len()).and_then(|end| part.get(at..end)) {
                    Some(piece) => value[..].cmp(piece),
                    None => {
                        let want = format!("{} bytes from offset {offset} on", value.len());
                        return Err(too_short("BinaryComponentComparator", &want, part));
                    }
                }
            }
        })
    }

    /// Whether HBase's filter language allows it with `=` and `!=` only.
    pub(super) fn only_matches(&self) -> bool {
        matches!(self, Self::Regex(_) | Self::Substring(_))
    }
}

fn matched(yes: bool) -> Ordering {
    if yes { Ordering::Equal } else { Ordering::Greater }
}

fn bits_left(value: &[u8], op: BitwiseOp, part: &[u8]) -> bool {
    value.len() == part.len()
        && value.iter().zip(part).any(|(a, b)| match op {
            BitwiseOp::And => a & b != 0,
            BitwiseOp::Or => a | b != 0,
            BitwiseOp::Xor => a ^ b != 0,
        })
}

fn too_short(comparator: &str, want: &str, part: &[u8]) -> Error {
    Error::new(
        ErrorKind::Unprocessable,
        format!("{comparator} needs {want} to compare with, a cell has {} bytes there", part.len()),
    )
}
