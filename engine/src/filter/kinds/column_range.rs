//! ColumnRangeFilter: columns between two qualifiers.

use std::cmp::Ordering;

use bytes::Bytes;
use prost::Message;

use super::{Kind, Parse};
use crate::cell::Cell;
use crate::error::Result;
use crate::filter::serialised::message;
use crate::filter::{Code, Filter, FilterSpec, Hint};

#[derive(Debug, Clone, PartialEq)]
pub(super) struct ColumnRange {
    min: Option<Bytes>,
    min_inclusive: bool,
    max: Option<Bytes>,
    max_inclusive: bool,
}

impl FilterSpec {
    /// ColumnRangeFilter: keeps columns between two qualifiers; `None` is no bound.
    pub fn column_range(min: Option<Bytes>, min_inclusive: bool, max: Option<Bytes>, max_inclusive: bool) -> Self {
        Self::of(ColumnRange { min, min_inclusive, max, max_inclusive })
    }
}

/// HBase's ColumnRangeFilter.
#[derive(Clone, PartialEq, Message)]
struct Body {
    #[prost(bytes = "bytes", optional, tag = "1")]
    min_column: Option<Bytes>,
    #[prost(bool, optional, tag = "2")]
    min_column_inclusive: Option<bool>,
    #[prost(bytes = "bytes", optional, tag = "3")]
    max_column: Option<Bytes>,
    #[prost(bool, optional, tag = "4")]
    max_column_inclusive: Option<bool>,
}

impl Kind for ColumnRange {
    const CLASS: &'static str = "ColumnRangeFilter";
    const PARSE: Option<Parse> = Some(|arguments| {
        arguments.count(&[4], "4: min, minInclusive, max, maxInclusive")?;
        let (min, min_inclusive) = (arguments.bound(0)?, arguments.truth(1)?);
        let (max, max_inclusive) = (arguments.bound(2)?, arguments.truth(3)?);
        Ok(FilterSpec::column_range(min, min_inclusive, max, max_inclusive))
    });

    fn decode(body: &[u8], _depth: usize) -> Result<FilterSpec> {
        let body: Body = message(body)?;
        Ok(FilterSpec::column_range(
            body.min_column,
            body.min_column_inclusive.unwrap_or(false),
            body.max_column,
            body.max_column_inclusive.unwrap_or(false),
        ))
    }

    fn encode(&self) -> Vec<u8> {
        let body = Body {
            min_column: self.min.clone(),
            min_column_inclusive: Some(self.min_inclusive),
            max_column: self.max.clone(),
            max_column_inclusive: Some(self.max_inclusive),
        };
        body.encode_to_vec()
    }

    fn start(&self, _reversed: bool) -> Box<dyn Filter> {
        Box::new(self.clone())
    }
}

impl Filter for ColumnRange {
    fn filter_cell(&mut self, cell: &Cell) -> Result<Code> {
        if let Some(min) = &self.min {
            match cell.qualifier.cmp(min) {
                Ordering::Less => return Ok(Code::SeekNextUsingHint),
                Ordering::Equal if !self.min_inclusive => return Ok(Code::NextCol),
                _ => {}
            }
        }
        let inside = match &self.max {
            None => true,
            Some(max) if self.max_inclusive => cell.qualifier <= max,
            Some(max) => cell.qualifier < max,
        };
        Ok(if inside { Code::Include } else { Code::NextRow })
    }

    fn next_hint(&mut self, cell: &Cell) -> Result<Option<Hint>> {
        Ok(self.min.clone().map(|min| Hint::column(cell, min)))
    }

    fn is_hinting(&self) -> bool {
        true
    }
}
