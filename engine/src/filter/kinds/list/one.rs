//! A running list of which one member must pass (HBase's `FilterListWithOR`).

use bytes::Bytes;

use crate::cell::Cell;
use crate::error::Result;
use crate::filter::work::{self, MEMBER};
use crate::filter::{Code, Filter, Hint};

pub(super) struct One {
    members: Vec<Member>,
    reversed: bool,
}

struct Member {
    filter: Box<dyn Filter>,
    /// Whether it kept the last cell.
    kept: bool,
    /// The last cell about which it gave another answer than `Include` or `Skip`, with the answer.
    last: Option<(Cell, Code)>,
}

impl One {
    pub(super) fn new(members: Vec<Box<dyn Filter>>, reversed: bool) -> Self {
        let members = members.into_iter().map(|filter| Member { filter, kept: false, last: None }).collect();
        Self { members, reversed }
    }

    /// The largest of the rows that members know, or the smallest. None if a member knows no row.
    fn bound(&self, of: impl Fn(&dyn Filter) -> Option<Bytes>, want_larger: bool) -> Option<Bytes> {
        let rows: Option<Vec<_>> = self.members.iter().map(|member| of(&*member.filter)).collect();
        let rows = rows.filter(|_| self.is_memoryless())?.into_iter();
        if want_larger { rows.max() } else { rows.min() }
    }
}

impl Member {
    /// The member's earlier answer, if it applies to this cell too. The answers of other members may have led the
    /// scan to a cell that this member has already skipped.
    fn recall(&mut self, cell: &Cell, reversed: bool) -> Result<Option<Code>> {
        let Some((last, code)) = &self.last else { return Ok(None) };
        let same_family = last.family == cell.family;
        Ok(match code {
            Code::Include | Code::Skip => None,
            Code::NextCol | Code::IncludeAndNextCol => {
                (same_family && last.qualifier == cell.qualifier).then_some(Code::NextCol)
            }
            Code::NextRow | Code::IncludeAndSeekNextRow => same_family.then_some(Code::NextRow),
            Code::SeekNextUsingHint => {
                let hint = self.filter.next_hint(last)?;
                let waits = hint.is_some_and(|hint| {
                    let order = hint.locate(cell);
                    // In a reversed scan HBase reverses the whole order, inside rows too, although cells of a row are
                    // still read in ascending order.
                    if reversed { order.is_gt() } else { order.is_lt() }
                });
                waits.then_some(Code::SeekNextUsingHint)
            }
        })
    }
}

/// The list's answer after one more member: the smallest step of all members.
fn merge(so_far: Code, next: Code) -> Code {
    use Code::{Include, IncludeAndNextCol, IncludeAndSeekNextRow, NextCol, NextRow, SeekNextUsingHint, Skip};
    let keeps = so_far.keeps() || next.keeps();
    let step = |code| match code {
        Include | Skip | SeekNextUsingHint => 0,
        IncludeAndNextCol | NextCol => 1,
        IncludeAndSeekNextRow | NextRow => 2,
    };
    match (keeps, step(so_far).min(step(next))) {
        _ if so_far == SeekNextUsingHint && next == SeekNextUsingHint => SeekNextUsingHint,
        (true, 0) => Include,
        (true, 1) => IncludeAndNextCol,
        (true, _) => IncludeAndSeekNextRow,
        (false, 0) => Skip,
        (false, 1) => NextCol,
        (false, _) => NextRow,
    }
}

impl Filter for One {
    fn reset(&mut self) -> Result<()> {
        work::count(self.members.len() * MEMBER);
        for member in &mut self.members {
            member.filter.reset()?;
            member.kept = false;
            member.last = None;
        }
        Ok(())
    }

    fn filter_all_remaining(&mut self) -> Result<bool> {
        for member in &mut self.members {
            if !member.filter.filter_all_remaining()? {
                return Ok(false);
            }
        }
        Ok(!self.members.is_empty())
    }

    fn filter_row_key(&mut self, row: &[u8]) -> Result<bool> {
        // Every member sees the row key, even if an earlier one has kept the row: some filters take their decision
        // from it.
        work::charge(self.members.len() * MEMBER)?;
        let mut passed = self.members.is_empty();
        for member in &mut self.members {
            passed |= !member.filter.filter_all_remaining()? && !member.filter.filter_row_key(row)?;
        }
        Ok(!passed)
    }

    fn filter_cell(&mut self, cell: &Cell) -> Result<Code> {
        if self.members.is_empty() {
            return Ok(Code::Include);
        }
        work::charge(self.members.len() * MEMBER)?;
        let mut merged = None;
        for member in &mut self.members {
            member.kept = false;
            if member.filter.filter_all_remaining()? {
                continue;
            }
            let code = match member.recall(cell, self.reversed)? {
                Some(code) => code,
                None => member.filter.filter_cell(cell)?,
            };
            member.last = (!matches!(code, Code::Include | Code::Skip)).then(|| (cell.clone(), code));
            member.kept = code.keeps();
            merged = Some(merged.map_or(code, |so_far| merge(so_far, code)));
        }
        Ok(merged.unwrap_or(Code::Skip))
    }

    fn next_hint(&mut self, cell: &Cell) -> Result<Option<Hint>> {
        let mut nearest: Option<Hint> = None;
        for member in &mut self.members {
            if member.filter.filter_all_remaining()? {
                continue;
            }
            let Some(hint) = member.filter.next_hint(cell)? else { return Ok(None) };
            let nearer = nearest.as_ref().is_none_or(|known| {
                let order = known.order(&hint);
                if self.reversed { order.is_lt() } else { order.is_gt() }
            });
            if nearer {
                nearest = Some(hint);
            }
        }
        Ok(nearest)
    }

    fn transform(&mut self, cell: Cell) -> Result<Cell> {
        let mut kept = self.members.iter_mut().filter(|member| member.kept);
        kept.try_fold(cell, |cell, member| member.filter.transform(cell))
    }

    fn has_filter_row(&self) -> bool {
        self.members.iter().any(|member| member.filter.has_filter_row())
    }

    fn filter_row_cells(&mut self, cells: &mut Vec<Cell>) -> Result<()> {
        self.members.iter_mut().try_for_each(|member| member.filter.filter_row_cells(cells))
    }

    fn filter_row(&mut self) -> Result<bool> {
        for member in &mut self.members {
            if !member.filter.filter_row()? {
                return Ok(false);
            }
        }
        Ok(!self.members.is_empty())
    }

    fn is_family_essential(&self, family: &[u8]) -> bool {
        self.members.is_empty() || self.members.iter().any(|member| member.filter.is_family_essential(family))
    }

    fn first_row(&self) -> Option<Bytes> {
        self.bound(|member| member.first_row(), self.reversed)
    }

    fn last_row(&self) -> Option<Bytes> {
        self.bound(|member| member.last_row(), !self.reversed)
    }

    fn is_memoryless(&self) -> bool {
        self.members.iter().all(|member| member.filter.is_memoryless())
    }
}
