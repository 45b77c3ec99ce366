//! SubstringComparator: a text that a part contains, regardless of case.

use std::cmp::Ordering;

use prost::Message;

use super::{Build, Comparator, Kind, matched};
use crate::error::Result;
use crate::filter::regex::decode_utf8;
use crate::filter::serialised::{message, required};

/// The text in lower case, by Unicode's full mapping: `İ` becomes two characters, `ß` stays.
#[derive(Debug, PartialEq)]
pub(super) struct Substring(String);

impl Comparator {
    /// SubstringComparator: matches parts, read as UTF-8 by Java's rules, that contain the text regardless of case.
    pub fn substring(text: &str) -> Self {
        Self::of(Substring(text.to_lowercase()))
    }
}

/// HBase's SubstringComparator.
#[derive(Clone, PartialEq, Message)]
struct Body {
    #[prost(string, optional, tag = "1")]
    substr: Option<String>,
}

impl Kind for Substring {
    const CLASS: &'static str = "SubstringComparator";
    const TYPES: &'static [(&'static str, Build)] =
        &[("substring", |value| Ok(Comparator::substring(&decode_utf8(&value))))];
    const IS_EQUALITY_ONLY: bool = true;

    fn decode(body: &[u8]) -> Result<Comparator> {
        let body: Body = message(body)?;
        Ok(Comparator::substring(&required(body.substr, "substr")?))
    }

    fn encode(&self) -> Vec<u8> {
        Body { substr: Some(self.0.clone()) }.encode_to_vec()
    }

    fn order(&self, part: &[u8]) -> Result<Ordering> {
        Ok(matched(decode_utf8(part).to_lowercase().contains(&self.0)))
    }
}
