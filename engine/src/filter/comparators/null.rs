//! NullComparator: never matches, since every part of a cell exists.

use std::cmp::Ordering;

use prost::Message;

use super::{Comparator, Kind, matched};
use crate::error::Result;
use crate::filter::serialised::{Empty, message};

#[derive(Debug, PartialEq)]
pub(super) struct Null;

impl Comparator {
    /// NullComparator: matches no part of a cell.
    pub fn null() -> Self {
        Self::of(Null)
    }
}

impl Kind for Null {
    const CLASS: &'static str = "NullComparator";

    fn decode(body: &[u8]) -> Result<Comparator> {
        message::<Empty>(body).map(|_| Comparator::null())
    }

    fn encode(&self) -> Vec<u8> {
        Empty {}.encode_to_vec()
    }

    fn order(&self, _part: &[u8]) -> Result<Ordering> {
        Ok(matched(false))
    }
}
