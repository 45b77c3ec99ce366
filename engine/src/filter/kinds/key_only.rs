//! KeyOnlyFilter: returns cells without their values.

use bytes::Bytes;
use prost::Message;

use super::{Kind, Parse};
use crate::cell::Cell;
use crate::error::Result;
use crate::filter::serialised::{message, required};
use crate::filter::{Code, Filter, FilterSpec};

#[derive(Debug, Clone, PartialEq)]
pub(super) struct KeyOnly {
    length_as_value: bool,
}

impl FilterSpec {
    /// KeyOnlyFilter: returns cells without their values. `length_as_value`: the new value is the old value's length,
    /// in four big-endian bytes.
    pub fn key_only(length_as_value: bool) -> Self {
        Self::of(KeyOnly { length_as_value })
    }
}

/// HBase's KeyOnlyFilter.
#[derive(Clone, PartialEq, Message)]
struct Body {
    #[prost(bool, optional, tag = "1")]
    len_as_val: Option<bool>,
}

impl Kind for KeyOnly {
    const CLASS: &'static str = "KeyOnlyFilter";
    const PARSE: Option<Parse> = Some(|arguments| {
        arguments.count(&[0, 1], "0 or 1: lenAsVal")?;
        Ok(FilterSpec::key_only(arguments.len() == 1 && arguments.truth(0)?))
    });

    fn decode(body: &[u8], _depth: usize) -> Result<FilterSpec> {
        let body: Body = message(body)?;
        Ok(FilterSpec::key_only(required(body.len_as_val, "len_as_val")?))
    }

    fn encode(&self) -> Vec<u8> {
        Body { len_as_val: Some(self.length_as_value) }.encode_to_vec()
    }

    fn start(&self, _reversed: bool) -> Box<dyn Filter> {
        Box::new(self.clone())
    }
}

impl Filter for KeyOnly {
    fn filter_cell(&mut self, _cell: &Cell) -> Result<Code> {
        Ok(Code::Include)
    }

    fn transform(&mut self, mut cell: Cell) -> Result<Cell> {
        cell.value = if self.length_as_value {
            let length = u32::try_from(cell.value.len()).unwrap_or(u32::MAX);
            Bytes::copy_from_slice(&length.to_be_bytes())
        } else {
            Bytes::new()
        };
        Ok(cell)
    }
}
