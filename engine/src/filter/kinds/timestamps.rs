//! TimestampsFilter: cells with certain timestamps.

use std::collections::BTreeSet;

use prost::Message;

use super::{Kind, Parse};
use crate::cell::Cell;
use crate::error::{Error, Result};
use crate::filter::serialised::{argument, message};
use crate::filter::{Code, Filter, FilterSpec, Hint};

#[derive(Debug, Clone, PartialEq)]
pub(super) struct Timestamps {
    /// In milliseconds since 1970.
    timestamps: BTreeSet<i64>,
    can_hint: bool,
}

impl FilterSpec {
    /// TimestampsFilter: keeps cells with one of the timestamps, in milliseconds since 1970. `can_hint`: the scan
    /// seeks from one timestamp to the next.
    ///
    /// # Errors
    /// `InvalidArgument` for a negative timestamp.
    pub fn timestamps(timestamps: impl IntoIterator<Item = i64>, can_hint: bool) -> Result<Self> {
        let timestamps: BTreeSet<i64> = timestamps.into_iter().collect();
        match timestamps.first() {
            Some(least) if *least < 0 => {
                Err(Error::invalid(format!("must be positive {least} (TimestampsFilter takes 0 or more)")))
            }
            _ => Ok(Self::of(Timestamps { timestamps, can_hint })),
        }
    }
}

/// HBase's TimestampsFilter.
#[derive(Clone, PartialEq, Message)]
struct Body {
    #[prost(int64, repeated, packed = "true", tag = "1")]
    timestamps: Vec<i64>,
    #[prost(bool, optional, tag = "2")]
    can_hint: Option<bool>,
}

impl Kind for Timestamps {
    const CLASS: &'static str = "TimestampsFilter";
    const PARSE: Option<Parse> = Some(|arguments| {
        let timestamps = arguments.all(|arguments, n| arguments.long(n))?;
        arguments.built(FilterSpec::timestamps(timestamps, false))
    });

    fn decode(body: &[u8], _depth: usize) -> Result<FilterSpec> {
        let body: Body = message(body)?;
        FilterSpec::timestamps(body.timestamps, body.can_hint.unwrap_or(false)).map_err(argument)
    }

    fn encode(&self) -> Vec<u8> {
        let timestamps = self.timestamps.iter().copied().collect();
        Body { timestamps, can_hint: Some(self.can_hint) }.encode_to_vec()
    }

    fn start(&self, _reversed: bool) -> Box<dyn Filter> {
        Box::new(self.clone())
    }
}

impl Filter for Timestamps {
    fn filter_cell(&mut self, cell: &Cell) -> Result<Code> {
        if self.timestamps.contains(&cell.timestamp) {
            return Ok(Code::Include);
        }
        // HBase starts from the greatest possible timestamp when it looks for the least one.
        let least = self.timestamps.first().copied().unwrap_or(i64::MAX);
        Ok(if cell.timestamp < least {
            Code::NextCol
        } else if self.can_hint {
            Code::SeekNextUsingHint
        } else {
            Code::Skip
        })
    }

    fn next_hint(&mut self, cell: &Cell) -> Result<Option<Hint>> {
        if !self.can_hint {
            return Ok(None);
        }
        let next = self.timestamps.range(..cell.timestamp).next_back().copied();
        Ok(Some(Hint { timestamp: next.unwrap_or(i64::MIN), ..Hint::column(cell, cell.qualifier.clone()) }))
    }

    fn is_hinting(&self) -> bool {
        true
    }
}
