//! BitComparator: combines two byte strings of the same length bit by bit.

use std::cmp::Ordering;

use bytes::Bytes;
use prost::Message;

use super::{Comparator, Kind, matched};
use crate::error::Result;
use crate::filter::serialised::{OneBytes, message, required};

/// How BitComparator combines its bytes with those of a cell. The numbers are HBase's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum BitwiseOp {
    /// Bits set in both.
    And = 1,
    /// Bits set in at least one.
    Or = 2,
    /// Bits set in exactly one.
    Xor = 3,
}

#[derive(Debug, PartialEq)]
pub(super) struct Bit {
    value: Bytes,
    op: BitwiseOp,
}

impl Comparator {
    /// BitComparator: matches if combining the bytes leaves a bit set. Byte strings of different lengths do not match.
    pub fn bit(value: impl Into<Bytes>, op: BitwiseOp) -> Self {
        Self::of(Bit { value: value.into(), op })
    }
}

/// HBase's BitComparator.
#[derive(Clone, PartialEq, Message)]
struct Body {
    #[prost(message, optional, tag = "1")]
    comparable: Option<OneBytes>,
    #[prost(int32, optional, tag = "2")]
    bitwise_op: Option<i32>,
}

impl Kind for Bit {
    const CLASS: &'static str = "BitComparator";

    fn decode(body: &[u8]) -> Result<Comparator> {
        let body: Body = message(body)?;
        let op = match body.bitwise_op {
            Some(1) => BitwiseOp::And,
            Some(2) => BitwiseOp::Or,
            Some(3) => BitwiseOp::Xor,
            _ => return required(None, "bitwise_op"),
        };
        Ok(Comparator::bit(required(body.comparable, "comparable")?.bytes.unwrap_or_default(), op))
    }

    fn encode(&self) -> Vec<u8> {
        let comparable = Some(OneBytes { bytes: Some(self.value.clone()) });
        Body { comparable, bitwise_op: Some(self.op as i32) }.encode_to_vec()
    }

    fn order(&self, part: &[u8]) -> Result<Ordering> {
        let is_left = |(a, b): (&u8, &u8)| match self.op {
            BitwiseOp::And => a & b != 0,
            BitwiseOp::Or => a | b != 0,
            BitwiseOp::Xor => a ^ b != 0,
        };
        Ok(matched(self.value.len() == part.len() && self.value.iter().zip(part).any(is_left)))
    }
}
