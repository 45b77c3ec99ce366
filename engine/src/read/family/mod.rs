//! The visible cells of one family, row after row, upwards or downwards.

mod enter;
mod names;
mod plain;

use std::sync::Arc;

use bytes::Bytes;

use self::enter::Entered;
use self::names::Names;
use super::column::{Column, Version};
use super::down::Down;
use super::marks::Marks;
use super::pairs::Pairs;
use super::plan::{Plan, Reader};
use super::prefix::Prefix;
use super::raw;
use super::sequence::{self, Mark};
use crate::cell::Cell;
use crate::error::Result;
use crate::key;
use crate::store::Order;

/// Pairs that a read of whole rows is likely to take, at the least.
const EXPECTED: usize = 8;

/// A walk over one family.
pub(super) struct FamilyWalk {
    plan: Plan,
    reader: Arc<Reader>,
    /// The columns of the plan, as they stand in keys.
    wanted: Vec<Bytes>,
    names: Names,
    /// Upwards: all rows. Downwards: the open row.
    pairs: Pairs,
    down: Option<Down>,
    row: Option<OpenRow>,
    /// The row left last, while `pairs` may still be in it: whoever reads one row only need not go behind it.
    left: Option<Bytes>,
    /// Where a filter's hint wants to enter a later row.
    entry: Option<(Bytes, Place)>,
}

/// A place inside a row's family: a column, and the newest timestamp of interest in it; a negative one: behind the column.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Place {
    pub(super) qualifier: Bytes,
    pub(super) newest: i64,
}

struct OpenRow {
    prefix: Bytes,
    key: Bytes,
    marks: Hiding,
    column: Option<(Prefix, Column)>,
    /// How many of the wanted columns are done with.
    wanted: usize,
    /// Applies when its column is entered.
    place: Option<Place>,
}

/// What the family markers of a row do, by the family's way of reading.
enum Hiding {
    Now(Marks),
    Ordered(Vec<Mark>),
    /// Shown themselves, with the column of the empty qualifier.
    Shown(Option<Vec<Version>>),
}

impl FamilyWalk {
    /// Begins over the rows whose keys lie in `from <= key < to` (an empty `to`: no end).
    pub(super) fn open(plan: Plan, reader: &Arc<Reader>, from: &[u8], to: &[u8], order: Order) -> Result<Self> {
        let space = plan.family.space;
        let empty = !to.is_empty() && from >= to;
        let (pairs, down) = match order {
            _ if empty => (Pairs::held(Vec::new(), &reader.stop), None),
            Order::Ascending => {
                let expected = if plan.wanted.is_none() { EXPECTED } else { 1 };
                (Pairs::open(&reader.snapshot, space, (from, to), expected, &reader.stop)?, None)
            }
            Order::Descending => (Pairs::held(Vec::new(), &reader.stop), Some(Down::open(reader, space, from, to)?)),
        };
        let wanted = plan.wanted.iter().flatten().map(|qualifier| key::as_part(qualifier)).collect();
        let (reader, names) = (reader.clone(), Names::default());
        Ok(Self { plan, reader, wanted, names, pairs, down, row: None, left: None, entry: None })
    }

    pub(super) fn plan(&self) -> &Plan {
        &self.plan
    }

    /// About how many cells the next row has, as far as can be told for nothing.
    pub(super) fn at_hand(&self) -> usize {
        self.pairs.at_hand()
    }

    /// The prefix and key of the next row; no row may be open. Its cells may all be hidden.
    pub(super) fn next_row(&mut self) -> Result<Option<(Bytes, Bytes)>> {
        match &mut self.down {
            Some(down) => down.row(),
            None => {
                if let Some(left) = self.left.take() {
                    self.pairs.skip_over(&left, key::row_end)?;
                }
                self.pairs.head()?.map(|(head, _)| key::row_at(head)).transpose()
            }
        }
    }

    /// Opens the next row, which has that prefix and key.
    pub(super) fn open_row(&mut self, prefix: &Bytes, key: &Bytes) -> Result<()> {
        if let Some(down) = &mut self.down {
            self.pairs = down.open_row(prefix)?;
        }
        let (pairs, plan, reader) = (&mut self.pairs, &self.plan, &self.reader);
        let marked = pairs.head()?.is_some_and(|(head, _)| !key::is_of_column(head, prefix));
        let marks = if !marked || plan.is_empty() {
            // A plan that wants no time has nothing to hide; and no key stands for the times between.
            match (plan.raw, plan.family.rules.new_version_behavior) {
                (true, _) => Hiding::Shown(None),
                (_, true) => Hiding::Ordered(Vec::new()),
                _ => Hiding::Now(Marks::nothing()),
            }
        } else {
            let family = key::family_prefix(prefix);
            match (plan.raw, plan.family.rules.new_version_behavior) {
                (true, _) => Hiding::Shown(Some(raw::stored(pairs, plan, reader, &family)?)),
                (_, true) => Hiding::Ordered(sequence::family_marks(pairs, plan, reader, &family)?),
                _ => Hiding::Now(Marks::of_family(pairs, plan, reader, &family)?),
            }
        };
        if marked {
            pairs.skip_to(&key::columns_start(prefix))?;
        }
        self.names.begin_row();
        self.row =
            Some(OpenRow { prefix: prefix.clone(), key: key.clone(), marks, column: None, wanted: 0, place: None });
        match self.entry.take() {
            Some((row, place)) if row == *prefix => self.go_to(place),
            _ => Ok(()),
        }
    }

    /// Leaves the open row.
    pub(super) fn close_row(&mut self) {
        if let Some(row) = self.row.take() {
            self.left = Some(row.prefix);
        }
    }

    /// Leaves the open column.
    pub(super) fn next_column(&mut self) -> Result<()> {
        let Some(row) = &mut self.row else { return Ok(()) };
        let Some((prefix, _)) = row.column.take() else { return Ok(()) };
        row.wanted += 1;
        // Named columns are sought one by one anyway.
        if self.plan.wanted.is_none() { self.pairs.skip_over(&prefix, key::prefix_end) } else { Ok(()) }
    }

    /// The next visible version of the open row, of the column that is open then; `None`: the row has no more.
    pub(super) fn next_version(&mut self) -> Result<Option<Version>> {
        if self.plan.is_empty() {
            return Ok(None);
        }
        loop {
            let Some(row) = &mut self.row else { return Ok(None) };
            if let Some((prefix, column)) = &mut row.column {
                let nothing = &mut Marks::nothing();
                let marks = if let Hiding::Now(marks) = &mut row.marks { marks } else { nothing };
                if let Some(version) = column.next(&mut self.pairs, (&self.plan, &self.reader), prefix, marks)? {
                    return Ok(Some(version));
                }
                self.next_column()?;
            } else {
                match self.open_column()? {
                    Entered::Nothing => return Ok(None),
                    Entered::Column => {}
                    Entered::Version(version) => return Ok(Some(version)),
                }
            }
        }
    }

    /// The next visible cell of the open row; `None`: the row has no more.
    pub(super) fn next_cell(&mut self) -> Result<Option<Cell>> {
        let Some(version) = self.next_version()? else { return Ok(None) };
        let Some(row) = &self.row else { return Ok(None) };
        let qualifier = match (&self.plan.wanted, &row.column) {
            (Some(wanted), _) => wanted.get(row.wanted).cloned().unwrap_or_default(),
            (None, Some((prefix, _))) => self.names.of(prefix, row.prefix.len()),
            (None, None) => Bytes::new(),
        };
        let (row, family) = (row.key.clone(), self.plan.family.name.clone());
        let Version { timestamp, kind, value, .. } = version;
        Ok(Some(Cell { row, family, qualifier, timestamp, kind, value }))
    }

    /// Goes on at that place of the open row, which lies ahead.
    pub(super) fn go_to(&mut self, place: Place) -> Result<()> {
        let Some(row) = &mut self.row else { return Ok(()) };
        let wanted = key::column_prefix(&row.prefix, &place.qualifier);
        let behind = place.newest < 0;
        if let Some((_, column)) = row.column.as_mut().filter(|(prefix, _)| **prefix == wanted[..]) {
            return if behind {
                self.next_column()
            } else {
                column.skip_to_time(&mut self.pairs, &wanted, place.newest)
            };
        }
        row.column = None;
        match &self.plan.wanted {
            Some(columns) => {
                row.wanted = columns.partition_point(|q| *q < place.qualifier || (behind && *q == place.qualifier));
            }
            None => {
                // The family markers of a raw read belong to the column of the empty qualifier.
                if let Hiding::Shown(markers) = &mut row.marks {
                    *markers = None;
                }
                self.pairs.skip_to(&if behind { key::prefix_end(&wanted) } else { wanted })?;
            }
        }
        row.place = (!behind).then_some(place);
        Ok(())
    }

    /// Goes on at a later row of the direction: the first one at or behind the prefix (`beyond`: only behind it), at that place if it is this row.
    pub(super) fn go_to_row(&mut self, prefix: Bytes, beyond: bool, place: Option<Place>) -> Result<()> {
        (self.row, self.left) = (None, None);
        match &mut self.down {
            Some(down) if beyond => down.go_below(&prefix)?,
            Some(down) => down.go_below(&key::row_end(&prefix))?,
            None if beyond => self.pairs.skip_to(&key::row_end(&prefix))?,
            None => self.pairs.skip_to(&prefix)?,
        }
        self.entry = place.map(|place| (prefix, place));
        Ok(())
    }

    /// Whether anything is stored ahead in the open row: also what is hidden, too old or not asked for, but not what lies behind the last named
    /// column, or in a column that has been looked at as far as it will be.
    pub(super) fn has_more_stored(&mut self) -> Result<bool> {
        if self.row.as_ref().and_then(|row| row.column.as_ref()).is_some_and(|(_, column)| column.is_full(&self.plan)) {
            self.next_column()?;
        }
        let Some(row) = &self.row else { return Ok(false) };
        if matches!(&row.column, Some((_, Column::Known(_)))) {
            return Ok(true);
        }
        let place = match &self.plan.wanted {
            None => row.prefix.clone(),
            Some(_) if row.column.is_some() => row.prefix.clone(),
            Some(wanted) => match wanted.get(row.wanted) {
                None => return Ok(false),
                Some(qualifier) => key::column_prefix(&row.prefix, qualifier),
            },
        };
        self.pairs.skip_to(&place)?;
        Ok(self.pairs.head()?.is_some_and(|(head, _)| head.starts_with(&row.prefix)))
    }
}
