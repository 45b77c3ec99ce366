//! The visible cells of one family, row after row, upwards or downwards.

use std::cmp::Ordering;
use std::sync::Arc;

use bytes::Bytes;

use super::column::{Column, Version, Walked};
use super::delete_tracker::DeleteTracker;
use super::family_scan::{FamilyScan, Reader};
use super::pairs::Pairs;
use super::prefix::Prefix;
use super::qualifiers::Qualifiers;
use super::raw;
use super::reverse::ReverseRows;
use super::sequence::{self, OrderedMarker};
use crate::cell::{Cell, CellKind};
use crate::error::Result;
use crate::key;
use crate::store::Order;
use crate::value;

/// Pairs that a read of whole rows is likely to take, at the least.
const EXPECTED: usize = 8;

/// A walk over one family.
pub(super) struct FamilyCursor {
    plan: FamilyScan,
    reader: Arc<Reader>,
    /// The columns of the plan, as they stand in keys.
    wanted: Vec<Bytes>,
    names: Qualifiers,
    /// Upwards: all rows. Downwards: the open row.
    pairs: Pairs,
    down: Option<ReverseRows>,
    row: Option<OpenRow>,
    /// The row left last, while `pairs` may still be in it: whoever reads one row only need not go behind it.
    left: Option<Bytes>,
    /// Where a filter's hint wants to enter a later row.
    entry: Option<(Bytes, ColumnPosition)>,
}

/// A place inside a row's family: a column, and the newest timestamp of interest in it; a negative one: behind the column.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ColumnPosition {
    pub(super) qualifier: Bytes,
    pub(super) newest: i64,
}

struct OpenRow {
    prefix: Bytes,
    key: Bytes,
    marks: FamilyMarkers,
    column: Option<(Prefix, Column)>,
    /// How many of the wanted columns are done with.
    wanted: usize,
    /// Applies when its column is entered.
    place: Option<ColumnPosition>,
}

/// What the family markers of a row do, by the family's way of reading.
enum FamilyMarkers {
    Applied(DeleteTracker),
    Ordered(Vec<OrderedMarker>),
    /// Shown themselves, with the column of the empty qualifier.
    Shown(Option<Vec<Version>>),
}

impl FamilyCursor {
    /// Begins over the rows whose keys lie in `from <= key < to` (an empty `to`: no end).
    pub(super) fn open(plan: FamilyScan, reader: &Arc<Reader>, from: &[u8], to: &[u8], order: Order) -> Result<Self> {
        let space = plan.family.space;
        let empty = !to.is_empty() && from >= to;
        let (pairs, down) = match order {
            _ if empty => (Pairs::held(Vec::new(), &reader.stop), None),
            Order::Ascending => {
                let expected = if plan.wanted.is_none() { EXPECTED } else { 1 };
                (Pairs::open(&reader.snapshot, space, (from, to), expected, &reader.stop)?, None)
            }
            Order::Descending => {
                (Pairs::held(Vec::new(), &reader.stop), Some(ReverseRows::open(reader, space, from, to)?))
            }
        };
        let wanted = plan.wanted.iter().flatten().map(|qualifier| key::as_part(qualifier)).collect();
        let (reader, names) = (reader.clone(), Qualifiers::default());
        Ok(Self { plan, reader, wanted, names, pairs, down, row: None, left: None, entry: None })
    }

    pub(super) fn plan(&self) -> &FamilyScan {
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
                (true, _) => FamilyMarkers::Shown(None),
                (_, true) => FamilyMarkers::Ordered(Vec::new()),
                _ => FamilyMarkers::Applied(DeleteTracker::nothing()),
            }
        } else {
            let family = key::family_prefix(prefix);
            match (plan.raw, plan.family.rules.new_version_behavior) {
                (true, _) => FamilyMarkers::Shown(Some(raw::stored(pairs, plan, reader, &family)?)),
                (_, true) => FamilyMarkers::Ordered(sequence::family_marks(pairs, plan, reader, &family)?),
                _ => FamilyMarkers::Applied(DeleteTracker::of_family(pairs, plan, reader, &family)?),
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
                let nothing = &mut DeleteTracker::nothing();
                let marks = if let FamilyMarkers::Applied(marks) = &mut row.marks { marks } else { nothing };
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
    pub(super) fn go_to(&mut self, place: ColumnPosition) -> Result<()> {
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
                if let FamilyMarkers::Shown(markers) = &mut row.marks {
                    *markers = None;
                }
                self.pairs.skip_to(&if behind { key::prefix_end(&wanted) } else { wanted })?;
            }
        }
        row.place = (!behind).then_some(place);
        Ok(())
    }

    /// Goes on at a later row of the direction: the first one at or behind the prefix (`beyond`: only behind it), at that place if it is this row.
    pub(super) fn go_to_row(&mut self, prefix: Bytes, beyond: bool, place: Option<ColumnPosition>) -> Result<()> {
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

/// What entering the next column led to.
enum Entered {
    /// The row has no more.
    Nothing,
    Column,
    /// A column, and its first version at once.
    Version(Version),
}

impl FamilyCursor {
    /// Enters the next column there is.
    fn open_column(&mut self) -> Result<Entered> {
        let Some(row) = &mut self.row else { return Ok(Entered::Nothing) };
        let (pairs, plan, reader) = (&mut self.pairs, &self.plan, &*self.reader);
        let prefix = match next_column(pairs, plan, row)? {
            None => return Ok(Entered::Nothing),
            Some(Ahead::Markers) => key::column_prefix(&row.prefix, b""),
            Some(Ahead::Keys(len)) => {
                if row.place.is_none()
                    && let FamilyMarkers::Applied(marks) = &mut row.marks
                    && let Some((prefix, column, version)) = Walked::open_at_value(pairs, (plan, reader), len, marks)?
                {
                    row.column = Some((prefix, Column::Walked(column)));
                    return Ok(Entered::Version(version));
                }
                pairs.head()?.map(|(head, _)| Bytes::copy_from_slice(&head[..len])).unwrap_or_default()
            }
        };
        let mut column = match &mut row.marks {
            FamilyMarkers::Applied(marks) => Column::Walked(Walked::open(pairs, plan, reader, &prefix, marks)?),
            FamilyMarkers::Ordered(marks) => {
                Column::Known(sequence::versions(pairs, plan, reader, &prefix, marks)?.into_iter())
            }
            FamilyMarkers::Shown(markers) => {
                let mut versions = markers.take().unwrap_or_default();
                versions.extend(raw::stored(pairs, plan, reader, &prefix)?);
                Column::Known(raw::mix(versions, plan).into_iter())
            }
        };
        if let Some(place) = row.place.take().filter(|p| p.qualifier == key::qualifier_of(&prefix, row.prefix.len())) {
            column.skip_to_time(pairs, &prefix, place.newest)?;
        }
        row.column = Some((prefix.into(), column));
        Ok(Entered::Column)
    }
}

/// Where the next column to look at begins.
enum Ahead {
    /// At the next pair, whose key begins with the column's prefix, which is so long.
    Keys(usize),
    /// It is the one of the empty qualifier, which the markers of a raw read belong to.
    Markers,
}

/// Goes to the next column to look at.
fn next_column(pairs: &mut Pairs, plan: &FamilyScan, row: &mut OpenRow) -> Result<Option<Ahead>> {
    let Some(wanted) = &plan.wanted else {
        if matches!(&row.marks, FamilyMarkers::Shown(Some(markers)) if !markers.is_empty()) {
            return Ok(Some(Ahead::Markers));
        }
        let Some((head, _)) = pairs.head()?.filter(|(k, _)| k.starts_with(&row.prefix)) else { return Ok(None) };
        let len = key::column_prefix_len(head, row.prefix.len())?.ok_or_else(|| key::damaged(head))?;
        return Ok(Some(Ahead::Keys(len)));
    };
    while let Some(qualifier) = wanted.get(row.wanted) {
        let prefix = key::column_prefix(&row.prefix, qualifier);
        pairs.skip_to(&prefix)?;
        match pairs.head()? {
            Some((head, _)) if head.starts_with(&prefix) => return Ok(Some(Ahead::Keys(prefix.len()))),
            Some((head, _)) if head.starts_with(&row.prefix) => row.wanted += 1,
            _ => return Ok(None),
        }
    }
    Ok(None)
}

impl FamilyCursor {
    /// Gives `take` each visible cell that is left of the open row, in order.
    ///
    /// # Errors
    /// Those of the store, and of `take`.
    pub(super) fn rest_of_row(&mut self, take: &mut impl FnMut(Cell) -> Result<()>) -> Result<()> {
        let plain = self.plan.examine == 1
            && matches!(&self.row, Some(row) if matches!(&row.marks, FamilyMarkers::Applied(marks) if marks.are_nothing()) && row.place.is_none());
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
