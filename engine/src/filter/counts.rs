//! Filters that count: FirstKeyOnlyFilter, FirstKeyValueMatchingQualifiersFilter, ColumnCountGetFilter, ColumnPaginationFilter, PageFilter;
//! and KeyOnlyFilter, which only changes what is kept.

use std::collections::BTreeSet;

use bytes::Bytes;

use super::{Code, Filter, Hint};
use crate::cell::Cell;
use crate::error::Result;

/// KeyOnlyFilter: empties values, or puts their lengths there.
pub(super) struct KeyOnly {
    pub(super) length_as_value: bool,
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

/// FirstKeyOnlyFilter and, with qualifiers, FirstKeyValueMatchingQualifiersFilter: the row's cells up to and including the first one that
/// counts.
pub(super) struct FirstKeys {
    /// Which qualifiers count; `None`: any.
    pub(super) until: Option<BTreeSet<Bytes>>,
    pub(super) found: bool,
}

impl Filter for FirstKeys {
    fn reset(&mut self) -> Result<()> {
        self.found = false;
        Ok(())
    }

    fn filter_cell(&mut self, cell: &Cell) -> Result<Code> {
        if self.found {
            return Ok(Code::NextRow);
        }
        self.found = self.until.as_ref().is_none_or(|qualifiers| qualifiers.contains(&cell.qualifier));
        Ok(Code::Include)
    }
}

/// ColumnCountGetFilter: the first columns of a row. Made for gets: in a scan, a row with more columns leaves `filter_all_remaining` true
/// until the next `reset`, which closes the families it is seen in.
pub(super) struct ColumnCountGet {
    pub(super) limit: i32,
    pub(super) count: i64,
}

impl Filter for ColumnCountGet {
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

/// ColumnPaginationFilter: some columns of a row after leaving out others, counted over all its families.
pub(super) struct ColumnPagination {
    pub(super) limit: i32,
    pub(super) offset: i32,
    /// Where to begin instead of an offset.
    pub(super) column_offset: Option<Bytes>,
    pub(super) count: i32,
}

impl Filter for ColumnPagination {
    fn reset(&mut self) -> Result<()> {
        self.count = 0;
        Ok(())
    }

    fn filter_cell(&mut self, cell: &Cell) -> Result<Code> {
        if let Some(from) = &self.column_offset {
            if self.count >= self.limit {
                return Ok(Code::NextRow);
            }
            if self.count == 0 && cell.qualifier < from {
                return Ok(Code::SeekNextUsingHint);
            }
            self.count += 1;
            return Ok(Code::IncludeAndNextCol);
        }
        // HBase's sum wraps: a limit of 2^31-1 with any offset keeps nothing.
        if self.count >= self.offset.wrapping_add(self.limit) {
            return Ok(Code::NextRow);
        }
        let code = if self.count < self.offset { Code::NextCol } else { Code::IncludeAndNextCol };
        self.count += 1;
        Ok(code)
    }

    fn next_hint(&mut self, cell: &Cell) -> Result<Option<Hint>> {
        Ok(self.column_offset.clone().map(|from| Hint::column(cell, from)))
    }
}

/// PageFilter: the first rows that come through everything else.
pub(super) struct Page {
    pub(super) size: i64,
    pub(super) accepted: i64,
}

impl Filter for Page {
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

    // Counts only rows that were kept so far, and those are the same whichever others it was spared.
    fn is_memoryless(&self) -> bool {
        true
    }
}
