//! ColumnCountGetFilter: the first columns of a row. Intended for gets.

use prost::Message;

use super::{Kind, Parse};
use crate::cell::Cell;
use crate::error::{Error, Result};
use crate::filter::serialised::{argument, message, required};
use crate::filter::{Code, Filter, FilterSpec};

#[derive(Debug, PartialEq)]
pub(super) struct ColumnCountGet {
    limit: i32,
}

impl FilterSpec {
    /// ColumnCountGetFilter: keeps the first `limit` columns of a row. Intended for gets.
    ///
    /// # Errors
    /// `InvalidArgument` for a negative limit.
    pub fn column_count_get(limit: i32) -> Result<Self> {
        if limit < 0 {
            return Err(Error::invalid(format!("limit be positive {limit} (ColumnCountGetFilter takes 0 or more)")));
        }
        Ok(Self::of(ColumnCountGet { limit }))
    }
}

/// HBase's ColumnCountGetFilter.
#[derive(Clone, PartialEq, Message)]
struct Body {
    #[prost(int32, optional, tag = "1")]
    limit: Option<i32>,
}

impl Kind for ColumnCountGet {
    const CLASS: &'static str = "ColumnCountGetFilter";
    const PARSE: Option<Parse> = Some(|arguments| {
        arguments.count(&[1], "1: the number of columns")?;
        arguments.built(FilterSpec::column_count_get(arguments.int(0)?))
    });

    fn decode(body: &[u8], _depth: usize) -> Result<FilterSpec> {
        let body: Body = message(body)?;
        FilterSpec::column_count_get(required(body.limit, "limit")?).map_err(argument)
    }

    fn encode(&self) -> Vec<u8> {
        Body { limit: Some(self.limit) }.encode_to_vec()
    }

    fn start(&self, _reversed: bool) -> Box<dyn Filter> {
        Box::new(Running { limit: self.limit, count: 0 })
    }
}

/// In a scan, a row with more columns leaves `filter_all_remaining` true until the next `reset`. This ends each
/// family in which it is called.
struct Running {
    limit: i32,
    count: i64,
}

impl Filter for Running {
    fn reset(&mut self) -> Result<()> {
        self.count = 0;
        Ok(())
    }

    fn filter_all_remaining(&mut self) -> Result<bool> {
        Ok(self.count > i64::from(self.limit))
    }

    fn filter_cell(&mut self, _cell: &Cell) -> Result<Code> {
        self.count += 1;
        Ok(if self.filter_all_remaining()? { Code::NextCol } else { Code::IncludeAndNextCol })
    }

    fn is_memoryless(&self) -> bool {
        false
    }
}
