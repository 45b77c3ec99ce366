//! A running list of which all members must pass (HBase's `FilterListWithAND`).

use bytes::Bytes;

use crate::cell::Cell;
use crate::error::{Error, ErrorKind, Result};
use crate::filter::work::{self, MEMBER};
use crate::filter::{Code, Filter, Hint};

pub(super) struct All {
    members: Vec<Box<dyn Filter>>,
    reversed: bool,
    /// The members that answered `SeekNextUsingHint` about the last cell.
    hinting: Vec<usize>,
}

impl All {
    pub(super) fn new(members: Vec<Box<dyn Filter>>, reversed: bool) -> Self {
        Self { members, reversed, hinting: Vec::new() }
    }

    /// The largest of the rows that members know, or the smallest.
    fn bound(&self, of: impl Fn(&dyn Filter) -> Option<Bytes>, want_larger: bool) -> Option<Bytes> {
        if !self.is_memoryless() {
            return None;
        }
        let rows = self.members.iter().filter_map(|member| of(&**member));
        if want_larger { rows.max() } else { rows.min() }
    }
}

/// The list's answer after one more member, if all members before it kept the cell.
fn merge(so_far: Code, next: Code) -> Code {
    use Code::{Include, IncludeAndNextCol, IncludeAndSeekNextRow, NextCol, NextRow, Skip};
    match (so_far, next) {
        (_, Include) => so_far,
        (IncludeAndSeekNextRow, IncludeAndNextCol) => IncludeAndSeekNextRow,
        (IncludeAndNextCol, Skip) => NextCol,
        (IncludeAndSeekNextRow, Skip | NextCol) => NextRow,
        (_, _) => next,
    }
}

impl Filter for All {
    fn reset(&mut self) -> Result<()> {
        self.hinting.clear();
        work::count(self.members.len() * MEMBER);
        self.members.iter_mut().try_for_each(|member| member.reset())
    }

    fn filter_all_remaining(&mut self) -> Result<bool> {
        work::count(self.members.len() * MEMBER);
        for member in &mut self.members {
            if member.filter_all_remaining()? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn filter_row_key(&mut self, row: &[u8]) -> Result<bool> {
        work::charge(self.members.len() * MEMBER)?;
        let (mut refused, mut hints_wanted) = (false, false);
        for member in &mut self.members {
            if member.filter_all_remaining()? {
                return Ok(true);
            }
            if member.filter_row_key(row)? {
                refused = true;
            } else {
                hints_wanted |= member.is_hinting();
            }
        }
        Ok(refused && !hints_wanted)
    }

    fn filter_cell(&mut self, cell: &Cell) -> Result<Code> {
        self.hinting.clear();
        work::charge(self.members.len() * MEMBER)?;
        let mut code = Code::Include;
        let mut members = self.members.iter_mut().enumerate();
        for (i, member) in members.by_ref() {
            if member.filter_all_remaining()? {
                code = Code::NextRow;
                break;
            }
            code = merge(code, member.filter_cell(cell)?);
            if code == Code::SeekNextUsingHint {
                self.hinting.push(i);
            }
            // Members that count cells must not see an excluded cell.
            if !code.keeps() {
                break;
            }
        }
        for (i, member) in members {
            if member.is_hinting() && member.filter_cell(cell)? == Code::SeekNextUsingHint {
                self.hinting.push(i);
            }
        }
        Ok(if self.hinting.is_empty() { code } else { Code::SeekNextUsingHint })
    }

    fn next_hint(&mut self, cell: &Cell) -> Result<Option<Hint>> {
        let mut furthest: Option<Hint> = None;
        for i in &self.hinting {
            if self.members[*i].filter_all_remaining()? {
                continue;
            }
            let hint = self.members[*i].next_hint(cell)?;
            let Some(known) = &furthest else {
                furthest = hint;
                continue;
            };
            let Some(hint) = hint else {
                // HBase's comparison of the hints fails with a NullPointerException.
                return Err(Error::new(
                    ErrorKind::Unprocessable,
                    "a member of a FilterList requests a seek without a hint: put it into a separate list",
                ));
            };
            // In a reversed scan HBase reverses the whole order, inside rows too, although cells of a row are still
            // read in ascending order.
            let order = known.order(&hint);
            if if self.reversed { order.is_gt() } else { order.is_lt() } {
                furthest = Some(hint);
            }
        }
        Ok(furthest)
    }

    fn transform(&mut self, cell: Cell) -> Result<Cell> {
        self.members.iter_mut().try_fold(cell, |cell, member| member.transform(cell))
    }

    fn has_filter_row(&self) -> bool {
        self.members.iter().any(|member| member.has_filter_row())
    }

    fn filter_row_cells(&mut self, cells: &mut Vec<Cell>) -> Result<()> {
        self.members.iter_mut().try_for_each(|member| member.filter_row_cells(cells))
    }

    fn filter_row(&mut self) -> Result<bool> {
        for member in &mut self.members {
            if member.filter_row()? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn is_family_essential(&self, family: &[u8]) -> bool {
        self.members.is_empty() || self.members.iter().any(|member| member.is_family_essential(family))
    }

    fn first_row(&self) -> Option<Bytes> {
        self.bound(|member| member.first_row(), !self.reversed)
    }

    fn last_row(&self) -> Option<Bytes> {
        self.bound(|member| member.last_row(), self.reversed)
    }

    fn is_memoryless(&self) -> bool {
        self.members.iter().all(|member| member.is_memoryless())
    }
}
