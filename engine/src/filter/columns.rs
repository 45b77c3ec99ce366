//! Filters that decide by family and qualifier: FamilyFilter, QualifierFilter, ColumnPrefixFilter, MultipleColumnPrefixFilter,
//! ColumnRangeFilter; and by value: ValueFilter.

use std::cmp::Ordering;
use std::collections::BTreeSet;
use std::ops::Bound;

use bytes::Bytes;

use super::compare::Compare;
use super::{Code, Filter, Hint};
use crate::cell::Cell;
use crate::error::Result;

/// FamilyFilter: compares the family's name.
pub(super) struct Family(pub(super) Compare);

impl Filter for Family {
    fn filter_cell(&mut self, cell: &Cell) -> Result<Code> {
        Ok(if self.0.keeps(&cell.family)? { Code::Include } else { Code::NextRow })
    }
}

/// QualifierFilter: compares the qualifier.
pub(super) struct Qualifier(pub(super) Compare);

impl Filter for Qualifier {
    fn filter_cell(&mut self, cell: &Cell) -> Result<Code> {
        Ok(if self.0.keeps(&cell.qualifier)? { Code::Include } else { Code::Skip })
    }
}

/// ValueFilter: compares the value of each version by itself.
pub(super) struct Value(pub(super) Compare);

impl Filter for Value {
    fn filter_cell(&mut self, cell: &Cell) -> Result<Code> {
        Ok(if self.0.keeps(&cell.value)? { Code::Include } else { Code::Skip })
    }
}

/// ColumnPrefixFilter: qualifiers that start with some bytes.
pub(super) struct ColumnPrefix(pub(super) Bytes);

impl Filter for ColumnPrefix {
    fn filter_cell(&mut self, cell: &Cell) -> Result<Code> {
        Ok(if cell.qualifier.starts_with(&self.0) {
            Code::Include
        } else if cell.qualifier < self.0 {
            Code::SeekNextUsingHint
        } else {
            Code::NextRow
        })
    }

    fn next_hint(&mut self, cell: &Cell) -> Result<Option<Hint>> {
        Ok(Some(Hint::column(cell, self.0.clone())))
    }

    fn is_hinting(&self) -> bool {
        true
    }
}

/// MultipleColumnPrefixFilter: qualifiers that start with one of several prefixes; no prefix at all keeps everything.
pub(super) struct MultipleColumnPrefix {
    prefixes: BTreeSet<Bytes>,
    hint: Option<Bytes>,
}

impl MultipleColumnPrefix {
    pub(super) fn new(prefixes: BTreeSet<Bytes>) -> Self {
        Self { prefixes, hint: None }
    }
}

impl Filter for MultipleColumnPrefix {
    fn filter_cell(&mut self, cell: &Cell) -> Result<Code> {
        if self.prefixes.is_empty() {
            return Ok(Code::Include);
        }
        // Only the greatest prefix at or below the qualifier is tried: of `a` and `ab`, `ac` matches neither.
        let below = self.prefixes.range::<Bytes, _>(..=&cell.qualifier).next_back();
        let next = match below {
            Some(prefix) if cell.qualifier.starts_with(prefix) => return Ok(Code::Include),
            Some(prefix) => self.prefixes.range::<Bytes, _>((Bound::Excluded(prefix), Bound::Unbounded)).next(),
            None => self.prefixes.first(),
        };
        Ok(match next {
            None => Code::NextRow,
            Some(prefix) => {
                self.hint = Some(prefix.clone());
                Code::SeekNextUsingHint
            }
        })
    }

    fn next_hint(&mut self, cell: &Cell) -> Result<Option<Hint>> {
        Ok(self.hint.clone().map(|prefix| Hint::column(cell, prefix)))
    }

    fn is_hinting(&self) -> bool {
        true
    }
}

/// ColumnRangeFilter: qualifiers between two bounds.
pub(super) struct ColumnRange {
    pub(super) min: Option<Bytes>,
    pub(super) min_inclusive: bool,
    pub(super) max: Option<Bytes>,
    pub(super) max_inclusive: bool,
}

impl Filter for ColumnRange {
    fn filter_cell(&mut self, cell: &Cell) -> Result<Code> {
        if let Some(min) = &self.min {
            match cell.qualifier.cmp(min) {
                Ordering::Less => return Ok(Code::SeekNextUsingHint),
                Ordering::Equal if !self.min_inclusive => return Ok(Code::NextCol),
                _ => {}
            }
        }
        let inside = match &self.max {
            None => true,
            Some(max) if self.max_inclusive => cell.qualifier <= max,
            Some(max) => cell.qualifier < max,
        };
        Ok(if inside { Code::Include } else { Code::NextRow })
    }

    fn next_hint(&mut self, cell: &Cell) -> Result<Option<Hint>> {
        Ok(self.min.clone().map(|min| Hint::column(cell, min)))
    }

    fn is_hinting(&self) -> bool {
        true
    }
}
