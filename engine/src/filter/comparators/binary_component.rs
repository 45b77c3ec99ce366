//! BinaryComponentComparator: the bytes at an offset of a part.

use std::cmp::Ordering;

use bytes::Bytes;
use prost::Message;

use super::{Comparator, Kind, too_short};
use crate::error::Result;
use crate::filter::serialised::{message, required};

#[derive(Debug, PartialEq)]
pub(super) struct BinaryComponent {
    value: Bytes,
    offset: u32,
}

impl Comparator {
    /// BinaryComponentComparator: compares with the bytes of a part from `offset` on, as many as `value` has.
    pub fn binary_component(value: impl Into<Bytes>, offset: u32) -> Self {
        Self::of(BinaryComponent { value: value.into(), offset })
    }
}

/// HBase's BinaryComponentComparator.
#[derive(Clone, PartialEq, Message)]
struct Body {
    #[prost(bytes = "bytes", optional, tag = "1")]
    value: Option<Bytes>,
    #[prost(uint32, optional, tag = "2")]
    offset: Option<u32>,
}

impl Kind for BinaryComponent {
    const CLASS: &'static str = "BinaryComponentComparator";

    fn decode(body: &[u8]) -> Result<Comparator> {
        let body: Body = message(body)?;
        Ok(Comparator::binary_component(required(body.value, "value")?, required(body.offset, "offset")?))
    }

    fn encode(&self) -> Vec<u8> {
        Body { value: Some(self.value.clone()), offset: Some(self.offset) }.encode_to_vec()
    }

    fn order(&self, part: &[u8]) -> Result<Ordering> {
        if self.value.is_empty() {
            // HBase compares no bytes, wherever they would be.
            return Ok(Ordering::Equal);
        }
        let at = usize::try_from(self.offset).unwrap_or(usize::MAX);
        match at.checked_add(self.value.len()).and_then(|end| part.get(at..end)) {
            Some(piece) => Ok(self.value[..].cmp(piece)),
            None => {
                let needed = format!("{} bytes from offset {} on", self.value.len(), self.offset);
                Err(too_short(Self::CLASS, &needed, part))
            }
        }
    }
}
