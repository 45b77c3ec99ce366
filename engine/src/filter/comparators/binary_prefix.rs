//! BinaryPrefixComparator: the first bytes of a part, as many as the comparator has.

use std::cmp::Ordering;

use bytes::Bytes;

use super::{Build, Comparable, Comparator, Kind};
use crate::error::Result;

#[derive(Debug, PartialEq)]
pub(super) struct BinaryPrefix(Bytes);

impl Comparator {
    /// BinaryPrefixComparator: compares with the first bytes of a part, as many as `value` has.
    pub fn binary_prefix(value: impl Into<Bytes>) -> Self {
        Self::of(BinaryPrefix(value.into()))
    }
}

impl Kind for BinaryPrefix {
    const CLASS: &'static str = "BinaryPrefixComparator";
    const TYPES: &'static [(&'static str, Build)] = &[("binaryprefix", |value| Ok(Comparator::binary_prefix(value)))];

    fn decode(body: &[u8]) -> Result<Comparator> {
        Ok(Comparator::binary_prefix(Comparable::decode(body)?))
    }

    fn encode(&self) -> Vec<u8> {
        Comparable::encode(&self.0)
    }

    fn order(&self, part: &[u8]) -> Result<Ordering> {
        Ok(self.0[..].cmp(&part[..part.len().min(self.0.len())]))
    }
}
