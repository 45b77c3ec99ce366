//! PageFilter: the first rows of each region.

use prost::Message;

use super::{Kind, Parse};
use crate::cell::Cell;
use crate::error::{Error, Result};
use crate::filter::serialised::{argument, message, required};
use crate::filter::{Code, Filter, FilterSpec};

#[derive(Debug, PartialEq)]
pub(super) struct Page {
    size: i64,
}

impl FilterSpec {
    /// PageFilter: keeps the first `size` rows of each region.
    ///
    /// # Errors
    /// `InvalidArgument` for a negative size.
    pub fn page(size: i64) -> Result<Self> {
        if size < 0 {
            return Err(Error::invalid(format!("must be positive {size} (PageFilter takes 0 or more)")));
        }
        Ok(Self::of(Page { size }))
    }
}

/// HBase's PageFilter.
#[derive(Clone, PartialEq, Message)]
struct Body {
    #[prost(int64, optional, tag = "1")]
    page_size: Option<i64>,
}

impl Kind for Page {
    const CLASS: &'static str = "PageFilter";
    const PARSE: Option<Parse> = Some(|arguments| {
        arguments.count(&[1], "1: the number of rows")?;
        arguments.built(FilterSpec::page(arguments.long(0)?))
    });

    fn decode(body: &[u8], _depth: usize) -> Result<FilterSpec> {
        let body: Body = message(body)?;
        FilterSpec::page(required(body.page_size, "page_size")?).map_err(argument)
    }

    fn encode(&self) -> Vec<u8> {
        Body { page_size: Some(self.size) }.encode_to_vec()
    }

    fn start(&self, _reversed: bool) -> Box<dyn Filter> {
        Box::new(Running { size: self.size, accepted: 0 })
    }
}

struct Running {
    size: i64,
    /// Rows kept so far.
    accepted: i64,
}

impl Filter for Running {
    fn filter_all_remaining(&mut self) -> Result<bool> {
        Ok(self.accepted >= self.size)
    }

    fn filter_cell(&mut self, _cell: &Cell) -> Result<Code> {
        Ok(Code::Include)
    }

    fn has_filter_row(&self) -> bool {
        true
    }

    fn filter_row(&mut self) -> Result<bool> {
        self.accepted += 1;
        Ok(self.accepted > self.size)
    }

    // Only kept rows are counted. Rows that other filters withhold would not have been kept.
    fn is_memoryless(&self) -> bool {
        true
    }
}
