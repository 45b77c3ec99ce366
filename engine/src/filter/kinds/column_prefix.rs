//! ColumnPrefixFilter: columns whose qualifier starts with certain bytes.

use bytes::Bytes;
use prost::Message;

use super::{Kind, Parse};
use crate::cell::Cell;
use crate::error::Result;
use crate::filter::serialised::{OneBytes, message, required};
use crate::filter::{Code, Filter, FilterSpec, Hint};

#[derive(Debug, Clone, PartialEq)]
pub(super) struct ColumnPrefix {
    prefix: Bytes,
}

impl FilterSpec {
    /// ColumnPrefixFilter: keeps columns whose qualifier starts with the prefix.
    pub fn column_prefix(prefix: impl Into<Bytes>) -> Self {
        Self::of(ColumnPrefix { prefix: prefix.into() })
    }
}

impl Kind for ColumnPrefix {
    const CLASS: &'static str = "ColumnPrefixFilter";
    const PARSE: Option<Parse> = Some(|arguments| {
        arguments.count(&[1], "1: the prefix")?;
        Ok(FilterSpec::column_prefix(arguments.string(0)?))
    });

    fn decode(body: &[u8], _depth: usize) -> Result<FilterSpec> {
        Ok(FilterSpec::column_prefix(required(message::<OneBytes>(body)?.bytes, "prefix")?))
    }

    fn encode(&self) -> Vec<u8> {
        OneBytes { bytes: Some(self.prefix.clone()) }.encode_to_vec()
    }

    fn start(&self, _reversed: bool) -> Box<dyn Filter> {
        Box::new(self.clone())
    }
}

impl Filter for ColumnPrefix {
    fn filter_cell(&mut self, cell: &Cell) -> Result<Code> {
        Ok(if cell.qualifier.starts_with(&self.prefix) {
            Code::Include
        } else if cell.qualifier < self.prefix {
            Code::SeekNextUsingHint
        } else {
            Code::NextRow
        })
    }

    fn next_hint(&mut self, cell: &Cell) -> Result<Option<Hint>> {
        Ok(Some(Hint::column(cell, self.prefix.clone())))
    }

    fn is_hinting(&self) -> bool {
        true
    }
}
