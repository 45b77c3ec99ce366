//! SingleColumnValueFilter: rows by the value of one column.

use prost::Message;

use super::{Kind, Parse};
use crate::cell::Cell;
use crate::compare_op::CompareOp;
use crate::error::{Error, ErrorKind, Result};
use crate::filter::serialised::message;
use crate::filter::{Code, ColumnCheck, Filter, FilterSpec};

#[derive(Debug, PartialEq)]
pub(super) struct SingleColumnValue(ColumnCheck);

impl FilterSpec {
    /// SingleColumnValueFilter: keeps rows by the value of one column, which must be among the columns that are read.
    pub fn single_column_value(check: ColumnCheck) -> Self {
        Self::of(SingleColumnValue(check))
    }
}

impl Kind for SingleColumnValue {
    const CLASS: &'static str = "SingleColumnValueFilter";
    const PARSE: Option<Parse> = Some(|arguments| Ok(FilterSpec::single_column_value(ColumnCheck::parse(arguments)?)));

    fn decode(body: &[u8], _depth: usize) -> Result<FilterSpec> {
        Ok(FilterSpec::single_column_value(ColumnCheck::from_message(message(body)?)?))
    }

    fn encode(&self) -> Vec<u8> {
        self.0.to_message().encode_to_vec()
    }

    fn start(&self, _reversed: bool) -> Box<dyn Filter> {
        Box::new(Running::new(self.0.clone(), false))
    }
}

/// The running form of SingleColumnValueFilter and of SingleColumnValueExcludeFilter.
pub(super) struct Running {
    check: ColumnCheck,
    /// Whether the column is removed from the rows.
    exclude: bool,
    found: bool,
    matched: bool,
}

impl Running {
    pub(super) fn new(check: ColumnCheck, exclude: bool) -> Self {
        Self { check, exclude, found: false, matched: false }
    }
}

impl Filter for Running {
    fn reset(&mut self) -> Result<()> {
        self.found = false;
        self.matched = false;
        Ok(())
    }

    fn filter_cell(&mut self, cell: &Cell) -> Result<Code> {
        if self.matched {
            return Ok(Code::Include);
        }
        if self.check.latest_version_only && self.found {
            return Ok(Code::NextRow);
        }
        if !self.check.is_of(cell) {
            return Ok(Code::Include);
        }
        self.found = true;
        if self.check.compare.op == CompareOp::NoOp {
            return Err(Error::new(
                ErrorKind::Unprocessable,
                "SingleColumnValueFilter cannot compare with NO_OP: use another operator",
            ));
        }
        self.matched = self.check.compare.keeps(&cell.value)?;
        Ok(if self.matched || !self.check.latest_version_only { Code::Include } else { Code::NextRow })
    }

    fn has_filter_row(&self) -> bool {
        true
    }

    fn filter_row_cells(&mut self, cells: &mut Vec<Cell>) -> Result<()> {
        if self.exclude {
            cells.retain(|cell| !self.check.is_of(cell));
        }
        Ok(())
    }

    fn filter_row(&mut self) -> Result<bool> {
        Ok(if self.found { !self.matched } else { self.check.filter_if_missing })
    }

    fn is_family_essential(&self, family: &[u8]) -> bool {
        !self.check.filter_if_missing || self.check.family == family
    }
}
