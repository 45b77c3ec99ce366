//! Filters about the value of one column: SingleColumnValueFilter, SingleColumnValueExcludeFilter, ColumnValueFilter.

use super::compare::ColumnCheck;
use super::{Code, Filter};
use crate::cell::Cell;
use crate::compare_op::CompareOp;
use crate::error::{Error, ErrorKind, Result};

/// SingleColumnValueFilter: rows by the value of one column; with `exclude` the column itself is left out of them.
pub(super) struct SingleColumnValue {
    pub(super) check: ColumnCheck,
    pub(super) exclude: bool,
    pub(super) found: bool,
    pub(super) matched: bool,
}

impl SingleColumnValue {
    pub(super) fn new(check: ColumnCheck, exclude: bool) -> Self {
        Self { check, exclude, found: false, matched: false }
    }
}

impl Filter for SingleColumnValue {
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
            return Err(Error::new(ErrorKind::Unprocessable, "SingleColumnValueFilter cannot compare with NO_OP"));
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

/// ColumnValueFilter: only the cells of one column, and of those the ones that pass.
pub(super) struct ColumnValue {
    pub(super) check: ColumnCheck,
    pub(super) found: bool,
}

impl Filter for ColumnValue {
    fn reset(&mut self) -> Result<()> {
        self.found = false;
        Ok(())
    }

    fn filter_cell(&mut self, cell: &Cell) -> Result<Code> {
        if !self.check.is_of(cell) {
            return Ok(if self.found { Code::NextRow } else { Code::NextCol });
        }
        self.found = true;
        Ok(if self.check.compare.keeps(&cell.value)? { Code::Include } else { Code::Skip })
    }

    fn is_family_essential(&self, family: &[u8]) -> bool {
        self.check.family == family
    }
}
