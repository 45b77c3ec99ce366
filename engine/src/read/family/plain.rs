//! The rest of a row in one go, for whoever wants all its cells and asks no filter.
//!
//! Mostly a column begins with the one value that is wanted of it: that is taken as it stands. Whatever else is met (a marker, a value with a TTL, one
//! beyond the family's or outside the time range) is left to the walk's usual way, column by column.

use std::cmp::Ordering;

use super::{FamilyWalk, Hiding};
use crate::cell::{Cell, CellKind};
use crate::error::Result;
use crate::key;
use crate::value;

impl FamilyWalk {
    /// Gives `take` each visible cell that is left of the open row, in order.
    ///
    /// # Errors
    /// Those of the store, and of `take`.
    pub(in crate::read) fn rest_of_row(&mut self, take: &mut impl FnMut(Cell) -> Result<()>) -> Result<()> {
        let plain = self.plan.examine == 1
            && matches!(&self.row, Some(row) if matches!(&row.marks, Hiding::Now(marks) if marks.are_nothing()) && row.place.is_none());
        if !plain {
            while let Some(cell) = self.next_cell()? {
                take(cell)?;
            }
            return Ok(());
        }
        loop {
            self.plain_cells(take)?;
            let Some(cell) = self.next_cell()? else { return Ok(()) };
            take(cell)?;
            self.next_column()?;
        }
    }

    /// The same up to the row's end, or to a column that has to be looked at more closely. Between columns before and after.
    fn plain_cells(&mut self, take: &mut impl FnMut(Cell) -> Result<()>) -> Result<()> {
        let Self { pairs, plan, reader, names, wanted, row: Some(row), .. } = self else { return Ok(()) };
        if row.column.is_some() {
            return Ok(());
        }
        let row_len = row.prefix.len();
        while let Some((head, stored)) = pairs.head()?.filter(|(head, _)| head.starts_with(&row.prefix)) {
            let Some(len) = key::column_prefix_len(head, row_len)? else { return Ok(()) };
            if plan.wanted.is_some() {
                let Some(next) = wanted.get(row.wanted) else { return Ok(()) };
                match head[row_len + 1..len].cmp(next) {
                    Ordering::Less => {
                        pairs.skip_to(&key::column_with(&row.prefix, next))?;
                        continue;
                    }
                    Ordering::Equal => {}
                    Ordering::Greater => {
                        row.wanted += 1;
                        continue;
                    }
                }
            }
            let (kind, timestamp) = key::kind_and_time(head, len)?;
            let inside = timestamp >= plan.oldest && timestamp <= plan.newest;
            if kind != CellKind::Put || !inside || !value::is_plain(stored) || plan.is_expired(timestamp, reader.now) {
                return Ok(());
            }
            let Some((key, stored)) = pairs.take() else { return Ok(()) };
            let qualifier = match &plan.wanted {
                Some(wanted) => wanted[row.wanted].clone(),
                None => names.of(&key[..len], row_len),
            };
            row.wanted += 1;
            let value = value::of_plain(stored);
            let family = plan.family.name.clone();
            take(Cell { row: row.key.clone(), family, qualifier, timestamp, kind, value })?;
            if plan.wanted.is_none() && pairs.head()?.is_some_and(|(next, _)| next.starts_with(&key[..len])) {
                pairs.skip_over(&key[..len], key::prefix_end)?;
            }
        }
        Ok(())
    }
}
