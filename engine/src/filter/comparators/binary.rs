//! BinaryComparator: whole byte strings, unsigned.

use std::cmp::Ordering;

use bytes::Bytes;

use super::{Build, Comparable, Comparator, Kind};
use crate::error::Result;

#[derive(Debug, PartialEq)]
pub(super) struct Binary(Bytes);

impl Comparator {
    /// BinaryComparator: compares whole byte strings, unsigned.
    pub fn binary(value: impl Into<Bytes>) -> Self {
        Self::of(Binary(value.into()))
    }
}

impl Kind for Binary {
    const CLASS: &'static str = "BinaryComparator";
    const TYPES: &'static [(&'static str, Build)] = &[("binary", |value| Ok(Comparator::binary(value)))];

    fn decode(body: &[u8]) -> Result<Comparator> {
        Ok(Comparator::binary(Comparable::decode(body)?))
    }

    fn encode(&self) -> Vec<u8> {
        Comparable::encode(&self.0)
    }

    fn order(&self, part: &[u8]) -> Result<Ordering> {
        Ok(self.0[..].cmp(part))
    }

    fn whole_value(&self) -> Option<&Bytes> {
        Some(&self.0)
    }
}
