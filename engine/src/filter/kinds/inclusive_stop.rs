//! InclusiveStopFilter: ends the scan after a row.

use bytes::Bytes;
use prost::Message;

use super::{Kind, Parse};
use crate::cell::Cell;
use crate::error::{Error, ErrorKind, Result};
use crate::filter::serialised::{OneBytes, message};
use crate::filter::{Code, Filter, FilterSpec};

#[derive(Debug, PartialEq)]
pub(super) struct InclusiveStop {
    /// `None` occurs in HBase's serialised form only, and fails when it is used.
    row: Option<Bytes>,
}

impl FilterSpec {
    /// InclusiveStopFilter: ends the scan after the row.
    pub fn inclusive_stop(row: impl Into<Bytes>) -> Self {
        Self::of(InclusiveStop { row: Some(row.into()) })
    }
}

impl Kind for InclusiveStop {
    const CLASS: &'static str = "InclusiveStopFilter";
    const PARSE: Option<Parse> = Some(|arguments| {
        arguments.count(&[1], "1: the last row")?;
        Ok(FilterSpec::inclusive_stop(arguments.string(0)?))
    });

    fn decode(body: &[u8], _depth: usize) -> Result<FilterSpec> {
        Ok(FilterSpec::of(Self { row: message::<OneBytes>(body)?.bytes }))
    }

    fn encode(&self) -> Vec<u8> {
        OneBytes { bytes: self.row.clone() }.encode_to_vec()
    }

    fn start(&self, reversed: bool) -> Box<dyn Filter> {
        Box::new(Running { row: self.row.clone(), reversed, done: false })
    }
}

struct Running {
    row: Option<Bytes>,
    reversed: bool,
    done: bool,
}

impl Filter for Running {
    fn filter_all_remaining(&mut self) -> Result<bool> {
        Ok(self.done)
    }

    fn filter_row_key(&mut self, row: &[u8]) -> Result<bool> {
        if self.done {
            return Ok(true);
        }
        let Some(stop) = &self.row else {
            return Err(Error::new(ErrorKind::Unprocessable, "InclusiveStopFilter has no row to stop at: give it one"));
        };
        self.done = if self.reversed { row < &stop[..] } else { row > &stop[..] };
        Ok(self.done)
    }

    fn filter_cell(&mut self, _cell: &Cell) -> Result<Code> {
        Ok(if self.done { Code::NextRow } else { Code::Include })
    }

    fn last_row(&self) -> Option<Bytes> {
        self.row.clone().filter(|row| !row.is_empty())
    }
}
