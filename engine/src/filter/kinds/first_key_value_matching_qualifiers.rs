//! FirstKeyValueMatchingQualifiersFilter: the cells of each row up to the first one with certain qualifiers.

use std::collections::BTreeSet;

use bytes::Bytes;
use prost::Message;

use super::Kind;
use crate::cell::Cell;
use crate::error::Result;
use crate::filter::serialised::{ManyBytes, message};
use crate::filter::{Code, Filter, FilterSpec};

#[derive(Debug, PartialEq)]
pub(super) struct FirstKeyValueMatchingQualifiers {
    qualifiers: BTreeSet<Bytes>,
}

impl FilterSpec {
    /// FirstKeyValueMatchingQualifiersFilter: keeps the cells of each row up to and including the first one with one
    /// of the qualifiers.
    pub fn first_key_value_matching_qualifiers(qualifiers: impl IntoIterator<Item = Bytes>) -> Self {
        Self::of(FirstKeyValueMatchingQualifiers { qualifiers: qualifiers.into_iter().collect() })
    }
}

impl Kind for FirstKeyValueMatchingQualifiers {
    const CLASS: &'static str = "FirstKeyValueMatchingQualifiersFilter";

    fn decode(body: &[u8], _depth: usize) -> Result<FilterSpec> {
        Ok(FilterSpec::first_key_value_matching_qualifiers(message::<ManyBytes>(body)?.bytes))
    }

    fn encode(&self) -> Vec<u8> {
        ManyBytes { bytes: self.qualifiers.iter().cloned().collect() }.encode_to_vec()
    }

    fn start(&self, _reversed: bool) -> Box<dyn Filter> {
        Box::new(Running { qualifiers: self.qualifiers.clone(), found: false })
    }
}

struct Running {
    qualifiers: BTreeSet<Bytes>,
    found: bool,
}

impl Filter for Running {
    fn reset(&mut self) -> Result<()> {
        self.found = false;
        Ok(())
    }

    fn filter_cell(&mut self, cell: &Cell) -> Result<Code> {
        if self.found {
            return Ok(Code::NextRow);
        }
        self.found = self.qualifiers.contains(&cell.qualifier);
        Ok(Code::Include)
    }
}
