//! LongComparator: eight bytes as a signed big-endian number.

use std::cmp::Ordering;

use super::{Comparable, Comparator, Kind, too_short};
use crate::error::Result;
use crate::filter::serialised::{DESERIALIZATION, refused};

#[derive(Debug, PartialEq)]
pub(super) struct Long(i64);

impl Comparator {
    /// LongComparator: compares with the first eight bytes of a part, a signed big-endian number.
    pub fn long(value: i64) -> Self {
        Self::of(Long(value))
    }
}

impl Kind for Long {
    const CLASS: &'static str = "LongComparator";

    fn decode(body: &[u8]) -> Result<Comparator> {
        let value = Comparable::decode(body)?;
        match value.first_chunk::<8>() {
            Some(number) => Ok(Comparator::long(i64::from_be_bytes(*number))),
            None => refused(DESERIALIZATION, format!("LongComparator needs 8 bytes, it has {}", value.len())),
        }
    }

    fn encode(&self) -> Vec<u8> {
        Comparable::encode(&self.0.to_be_bytes())
    }

    fn order(&self, part: &[u8]) -> Result<Ordering> {
        match part.first_chunk::<8>() {
            Some(number) => Ok(self.0.cmp(&i64::from_be_bytes(*number))),
            None => Err(too_short(Self::CLASS, "8 bytes", part)),
        }
    }
}
