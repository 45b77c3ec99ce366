//! ColumnPaginationFilter: some columns of each row after leaving out others.

use bytes::Bytes;
use prost::Message;

use super::{Kind, Parse};
use crate::cell::Cell;
use crate::error::{Error, Result};
use crate::filter::serialised::{argument, message, required};
use crate::filter::{Code, Filter, FilterSpec, Hint};

#[derive(Debug, Clone, PartialEq)]
pub(super) struct ColumnPagination {
    limit: i32,
    offset: i32,
    /// The qualifier to begin at, instead of an offset.
    column_offset: Option<Bytes>,
}

impl FilterSpec {
    /// ColumnPaginationFilter: keeps `limit` columns of each row after leaving out `offset`, counted over all families.
    ///
    /// # Errors
    /// `InvalidArgument` for a negative limit or offset.
    pub fn column_pagination(limit: i32, offset: i32) -> Result<Self> {
        check_limit(limit)?;
        if offset < 0 {
            return Err(Error::invalid(format!(
                "offset must be positive {offset} (ColumnPaginationFilter takes 0 or more)"
            )));
        }
        Ok(Self::of(ColumnPagination { limit, offset, column_offset: None }))
    }

    /// ColumnPaginationFilter that begins at a qualifier. Smaller qualifiers are left out until a column has been kept.
    ///
    /// # Errors
    /// `InvalidArgument` for a negative limit.
    pub fn column_pagination_from(limit: i32, column_offset: impl Into<Bytes>) -> Result<Self> {
        check_limit(limit)?;
        Ok(Self::of(ColumnPagination { limit, offset: 0, column_offset: Some(column_offset.into()) }))
    }
}

fn check_limit(limit: i32) -> Result<()> {
    if limit < 0 {
        return Err(Error::invalid(format!("limit must be positive {limit} (ColumnPaginationFilter takes 0 or more)")));
    }
    Ok(())
}

/// HBase's ColumnPaginationFilter.
#[derive(Clone, PartialEq, Message)]
struct Body {
    #[prost(int32, optional, tag = "1")]
    limit: Option<i32>,
    #[prost(int32, optional, tag = "2")]
    offset: Option<i32>,
    #[prost(bytes = "bytes", optional, tag = "3")]
    column_offset: Option<Bytes>,
}

impl Kind for ColumnPagination {
    const CLASS: &'static str = "ColumnPaginationFilter";
    const PARSE: Option<Parse> = Some(|arguments| {
        arguments.count(&[2], "2: limit, offset")?;
        arguments.built(FilterSpec::column_pagination(arguments.int(0)?, arguments.int(1)?))
    });

    fn decode(body: &[u8], _depth: usize) -> Result<FilterSpec> {
        let body: Body = message(body)?;
        let limit = required(body.limit, "limit")?;
        match body.column_offset {
            Some(from) => FilterSpec::column_pagination_from(limit, from),
            None => FilterSpec::column_pagination(limit, body.offset.unwrap_or(0)),
        }
        .map_err(argument)
    }

    fn encode(&self) -> Vec<u8> {
        let offset = self.column_offset.is_none().then_some(self.offset);
        Body { limit: Some(self.limit), offset, column_offset: self.column_offset.clone() }.encode_to_vec()
    }

    fn start(&self, _reversed: bool) -> Box<dyn Filter> {
        Box::new(Running { spec: self.clone(), count: 0 })
    }
}

struct Running {
    spec: ColumnPagination,
    count: i32,
}

impl Filter for Running {
    fn reset(&mut self) -> Result<()> {
        self.count = 0;
        Ok(())
    }

    fn filter_cell(&mut self, cell: &Cell) -> Result<Code> {
        let ColumnPagination { limit, offset, column_offset } = &self.spec;
        if let Some(from) = column_offset {
            if self.count >= *limit {
                return Ok(Code::NextRow);
            }
            if self.count == 0 && cell.qualifier < from {
                return Ok(Code::SeekNextUsingHint);
            }
            self.count += 1;
            return Ok(Code::IncludeAndNextCol);
        }
        // HBase's sum wraps around: a limit of 2^31-1 with an offset keeps nothing.
        if self.count >= offset.wrapping_add(*limit) {
            return Ok(Code::NextRow);
        }
        let code = if self.count < *offset { Code::NextCol } else { Code::IncludeAndNextCol };
        self.count += 1;
        Ok(code)
    }

    fn next_hint(&mut self, cell: &Cell) -> Result<Option<Hint>> {
        Ok(self.spec.column_offset.clone().map(|from| Hint::column(cell, from)))
    }
}
