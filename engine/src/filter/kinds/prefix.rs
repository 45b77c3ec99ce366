//! PrefixFilter: rows that start with certain bytes.

use bytes::Bytes;
use prost::Message;

use super::{Kind, Parse};
use crate::cell::Cell;
use crate::error::Result;
use crate::filter::serialised::{OneBytes, message};
use crate::filter::{Code, Filter, FilterSpec};

#[derive(Debug, PartialEq)]
pub(super) struct Prefix {
    /// `None` occurs in HBase's serialised form only, and excludes every row.
    prefix: Option<Bytes>,
}

impl FilterSpec {
    /// PrefixFilter: keeps rows that start with the prefix.
    pub fn prefix(prefix: impl Into<Bytes>) -> Self {
        Self::of(Prefix { prefix: Some(prefix.into()) })
    }
}

impl Kind for Prefix {
    const CLASS: &'static str = "PrefixFilter";
    const PARSE: Option<Parse> = Some(|arguments| {
        arguments.count(&[1], "1: the prefix")?;
        Ok(FilterSpec::prefix(arguments.string(0)?))
    });

    fn decode(body: &[u8], _depth: usize) -> Result<FilterSpec> {
        Ok(FilterSpec::of(Self { prefix: message::<OneBytes>(body)?.bytes }))
    }

    fn encode(&self) -> Vec<u8> {
        OneBytes { bytes: self.prefix.clone() }.encode_to_vec()
    }

    fn start(&self, reversed: bool) -> Box<dyn Filter> {
        Box::new(Running { prefix: self.prefix.clone(), reversed, refused: true, passed: false })
    }
}

struct Running {
    prefix: Option<Bytes>,
    reversed: bool,
    /// True until a row key has matched. SkipFilter does not pass on row keys, so inside it every cell is excluded.
    refused: bool,
    /// Whether the scan is past all rows with the prefix.
    passed: bool,
}

impl Filter for Running {
    fn reset(&mut self) -> Result<()> {
        self.refused = true;
        Ok(())
    }

    fn filter_all_remaining(&mut self) -> Result<bool> {
        Ok(self.passed)
    }

    fn filter_row_key(&mut self, row: &[u8]) -> Result<bool> {
        let Some(prefix) = &self.prefix else { return Ok(true) };
        if self.passed {
            return Ok(true);
        }
        // A row shorter than the prefix never ends the scan, even if it is past the prefix.
        let Some(head) = row.get(..prefix.len()) else { return Ok(true) };
        let order = head.cmp(prefix);
        if if self.reversed { order.is_lt() } else { order.is_gt() } {
            self.passed = true;
        }
        self.refused = order.is_ne();
        Ok(self.refused)
    }

    fn filter_cell(&mut self, _cell: &Cell) -> Result<Code> {
        Ok(if self.refused { Code::NextRow } else { Code::Include })
    }

    fn filter_row(&mut self) -> Result<bool> {
        Ok(self.refused)
    }

    fn first_row(&self) -> Option<Bytes> {
        let prefix = self.prefix.as_ref().filter(|prefix| !prefix.is_empty())?;
        if self.reversed { successor(prefix) } else { Some(prefix.clone()) }
    }

    fn last_row(&self) -> Option<Bytes> {
        let prefix = self.prefix.as_ref().filter(|prefix| !prefix.is_empty())?;
        if self.reversed { Some(prefix.clone()) } else { successor(prefix) }
    }
}

/// The smallest byte string that is greater than all with the prefix, if there is one.
fn successor(prefix: &[u8]) -> Option<Bytes> {
    let kept = prefix.iter().rposition(|b| *b != 0xff)?;
    let mut bytes = prefix[..=kept].to_vec();
    bytes[kept] += 1;
    Some(bytes.into())
}
