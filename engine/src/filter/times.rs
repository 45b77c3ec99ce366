//! TimestampsFilter: cells of exactly some timestamps.

use std::collections::BTreeSet;

use super::{Code, Filter, Hint};
use crate::cell::Cell;
use crate::error::Result;

/// TimestampsFilter.
pub(super) struct Timestamps {
    pub(super) wanted: BTreeSet<i64>,
    pub(super) can_hint: bool,
}

impl Filter for Timestamps {
    fn filter_cell(&mut self, cell: &Cell) -> Result<Code> {
        if self.wanted.contains(&cell.timestamp) {
            return Ok(Code::Include);
        }
        // Without any timestamp the least one counts as the largest there is.
        let least = self.wanted.first().copied().unwrap_or(i64::MAX);
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
        let next = self.wanted.range(..cell.timestamp).next_back().copied();
        Ok(Some(Hint { timestamp: next.unwrap_or(i64::MIN), ..Hint::column(cell, cell.qualifier.clone()) }))
    }

    fn is_hinting(&self) -> bool {
        true
    }
}
