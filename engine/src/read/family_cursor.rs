//! The visible cells of one family, row by row, in ascending or descending order.

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
use super::reused_row::{CellPlace, CellSink, RowSink};
use super::reverse::ReverseRows;
use super::sequence::{self, OrderedMarker};
use crate::cell::{Cell, CellKind};
use crate::error::Result;
use crate::key;
use crate::store::Order;
use crate::value;

/// Pairs that a read of whole rows is likely to consume at least.
const EXPECTED: usize = 8;

/// A cursor over the rows of one family.
pub(super) struct FamilyCursor {
    plan: FamilyScan,
    reader: Arc<Reader>,
    /// The selected columns in the encoding of keys.
    wanted: Vec<Bytes>,
    names: Qualifiers,
    /// Ascending: all rows. Descending: the open row.
    pairs: Pairs,
    reverse: Option<ReverseRows>,
    row: Option<OpenRow>,
    /// The row closed last, while `pairs` may still be inside it. A read of one row need not skip the rest.
    left: Option<Bytes>,
    /// The position at which to enter a later row, from a filter's hint.
    entry: Option<(Bytes, ColumnPosition)>,
    /// The garbage of rows read before the open one, in bytes. Only in descending order.
    garbage_bytes: u64,
    /// The prefix of the row that [`Self::next_row_into`] reads.
    prefix: Vec<u8>,
}

/// A position in a row: a column and the newest timestamp to consider. A negative timestamp is the position after the
/// column.
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
    /// The number of selected columns that have been read.
    wanted: usize,
    /// Applies when its column is opened.
    place: Option<ColumnPosition>,
}

/// The effect of the family markers of a row.
enum FamilyMarkers {
    Applied(DeleteTracker),
    Ordered(Vec<OrderedMarker>),
    /// Returned, with the column of the empty qualifier (raw reads).
    Shown(Option<Vec<Version>>),
}

impl FamilyCursor {
    /// Opens a cursor over the keys in `from <= key < to` (an empty `to`: no end).
    pub(super) fn open(plan: FamilyScan, reader: &Arc<Reader>, from: &[u8], to: &[u8], order: Order) -> Result<Self> {
        let space = plan.family.space;
        let empty = !to.is_empty() && from >= to;
        let (pairs, reverse) = match order {
            _ if empty => (Pairs::buffer(Vec::new(), &reader.stop), None),
            Order::Ascending => {
                let expected = if plan.wanted.is_none() { EXPECTED } else { 1 };
                (Pairs::open(&reader.snapshot, space, (from, to), expected, &reader.stop)?, None)
            }
            Order::Descending => {
                (Pairs::buffer(Vec::new(), &reader.stop), Some(ReverseRows::open(reader, space, from, to)?))
            }
        };
        Ok(Self { reverse, ..Self::over(plan, reader, pairs) })
    }

    /// Opens a cursor over these pairs, ascending, which must be all of the family in a range of rows.
    pub(super) fn over(plan: FamilyScan, reader: &Arc<Reader>, pairs: Pairs) -> Self {
        Self {
            wanted: plan.wanted_parts(),
            plan,
            reader: Arc::clone(reader),
            names: Qualifiers::default(),
            pairs,
            reverse: None,
            row: None,
            left: None,
            entry: None,
            garbage_bytes: 0,
            prefix: Vec::new(),
        }
    }

    pub(super) fn plan(&self) -> &FamilyScan {
        &self.plan
    }

    /// An estimate of the number of cells of the next row, without reading.
    pub(super) fn buffered(&self) -> usize {
        self.pairs.buffered()
    }

    /// The memory of the pairs that have been fetched, in bytes.
    pub(super) fn held_bytes(&self) -> usize {
        self.pairs.held_bytes() + self.reverse.as_ref().map_or(0, ReverseRows::held_bytes)
    }

    /// See [`Pairs::plan_ahead`]. Nothing is read ahead if the rows are read in descending order.
    pub(super) fn plan_ahead(&mut self, least: usize) -> bool {
        self.reverse.is_none() && self.pairs.plan_ahead(least)
    }

    /// See [`Pairs::read_ahead`].
    pub(super) fn read_ahead(&mut self, bytes: usize, goes_on: &dyn Fn() -> bool) {
        if self.reverse.is_none() {
            self.pairs.read_ahead(bytes, goes_on);
        }
    }

    /// The bytes of the markers and of the deleted and expired cells that were encountered since the last call. Cells
    /// that were skipped without being examined are not counted.
    pub(super) fn take_garbage_bytes(&mut self) -> u64 {
        std::mem::take(&mut self.garbage_bytes) + self.pairs.take_garbage_bytes()
    }

    /// The prefix and key of the next row; no row may be open. Its cells may all be hidden.
    pub(super) fn next_row(&mut self) -> Result<Option<(Bytes, Bytes)>> {
        match &mut self.reverse {
            Some(reverse) => reverse.row(),
            None => {
                if let Some(left) = self.left.take() {
                    self.pairs.skip_over(&left, key::row_end)?;
                }
                self.pairs.head()?.map(|(head, _)| key::row_at(head)).transpose()
            }
        }
    }

    /// Opens the next row, which has this prefix and key.
    pub(super) fn open_row(&mut self, prefix: &Bytes, key: &Bytes) -> Result<()> {
        if let Some(reverse) = &mut self.reverse {
            self.garbage_bytes += self.pairs.take_garbage_bytes();
            self.pairs = reverse.open_row(prefix)?;
        }
        let (pairs, plan, reader) = (&mut self.pairs, &self.plan, &self.reader);
        let marked = pairs.head()?.is_some_and(|(head, _)| !key::is_of_column(head, prefix));
        let marks = if !marked || plan.is_empty() {
            // An empty time range has no cells that could be hidden.
            match (plan.raw, plan.family.rules.new_version_behavior) {
                (true, _) => FamilyMarkers::Shown(None),
                (_, true) => FamilyMarkers::Ordered(Vec::new()),
                _ => FamilyMarkers::Applied(DeleteTracker::empty()),
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

    /// Closes the open row.
    pub(super) fn close_row(&mut self) {
        if let Some(row) = self.row.take() {
            self.left = Some(row.prefix);
        }
    }

    /// Closes the open column.
    pub(super) fn next_column(&mut self) -> Result<()> {
        let Some(row) = &mut self.row else { return Ok(()) };
        let Some((prefix, _)) = row.column.take() else { return Ok(()) };
        row.wanted += 1;
        // Selected columns are sought one by one anyway.
        if self.plan.wanted.is_none() { self.pairs.skip_over(&prefix, key::prefix_end) } else { Ok(()) }
    }

    /// The next visible version of the open row; `None` if the row has no more. Its column is open afterwards.
    pub(super) fn next_version(&mut self) -> Result<Option<Version>> {
        if self.plan.is_empty() {
            return Ok(None);
        }
        loop {
            let Some(row) = &mut self.row else { return Ok(None) };
            if let Some((prefix, column)) = &mut row.column {
                let no_markers = &mut DeleteTracker::empty();
                let marks = if let FamilyMarkers::Applied(marks) = &mut row.marks { marks } else { no_markers };
                if let Some(version) = column.next(&mut self.pairs, (&self.plan, &self.reader), prefix, marks)? {
                    return Ok(Some(version));
                }
                self.next_column()?;
            } else {
                match self.open_column()? {
                    Opened::Nothing => return Ok(None),
                    Opened::Column => {}
                    Opened::Version(version) => return Ok(Some(version)),
                }
            }
        }
    }

    /// The next visible cell of the open row; `None` if the row has no more.
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

    /// Seeks to a position ahead in the open row.
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
                // Raw reads return family markers with the column of the empty qualifier, which is skipped.
                if let FamilyMarkers::Shown(markers) = &mut row.marks {
                    *markers = None;
                }
                self.pairs.skip_to(&if behind { key::prefix_end(&wanted) } else { wanted })?;
            }
        }
        row.place = (!behind).then_some(place);
        Ok(())
    }

    /// Seeks to a later row in scan order: the first one at or after the prefix (`beyond`: after it). If it is the row
    /// with this prefix, it is entered at `place`.
    pub(super) fn go_to_row(&mut self, prefix: Bytes, beyond: bool, place: Option<ColumnPosition>) -> Result<()> {
        (self.row, self.left) = (None, None);
        match &mut self.reverse {
            Some(reverse) if beyond => reverse.go_below(&prefix)?,
            Some(reverse) => reverse.go_below(&key::row_end(&prefix))?,
            None if beyond => self.pairs.skip_to(&key::row_end(&prefix))?,
            None => self.pairs.skip_to(&prefix)?,
        }
        self.entry = place.map(|place| (prefix, place));
        Ok(())
    }

    /// Whether anything is stored ahead in the open row, including cells that are hidden, expired or not selected.
    /// Cells after the last selected column do not count, nor does the rest of a selected column whose versions have
    /// been examined. HBase seeks behind these, but not behind the excess versions of a column that it came across, nor
    /// behind the empty qualifier, unless that is the last selected column: a family marker may follow (HBASE-18471).
    pub(super) fn has_more_stored(&mut self) -> Result<bool> {
        if let Some(OpenRow { prefix: row, column: Some((prefix, column)), wanted: examined, .. }) = &self.row
            && column.is_full(&self.plan)
        {
            let seeks_behind = match &self.plan.wanted {
                Some(wanted) => wanted.len() == examined + 1 || prefix[..] != key::column_prefix(row, b"")[..],
                None => matches!(column, Column::Known(_)),
            };
            if seeks_behind {
                self.next_column()?;
            }
        }
        let Some(row) = &self.row else { return Ok(false) };
        if matches!(&row.column, Some((_, Column::Known(_)))) {
            return Ok(true);
        }
        // Before the first selected column, HBase's reader stands at the first cell of the row.
        let untouched = row.wanted == 0 && row.place.is_none();
        let place = match &self.plan.wanted {
            None => row.prefix.clone(),
            Some(_) if row.column.is_some() || untouched => row.prefix.clone(),
            Some(wanted) => match wanted.get(row.wanted) {
                None => return Ok(false),
                Some(qualifier) => key::column_prefix(&row.prefix, qualifier),
            },
        };
        self.pairs.skip_to(&place)?;
        self.pairs.is_in(&row.prefix)
    }
}

/// The result of opening the next column.
enum Opened {
    /// The row has no more columns.
    Nothing,
    /// A column is open.
    Column,
    /// A column is open, and this is its first version.
    Version(Version),
}

impl FamilyCursor {
    /// Opens the next column of the open row.
    fn open_column(&mut self) -> Result<Opened> {
        let Some(row) = &mut self.row else { return Ok(Opened::Nothing) };
        let (pairs, plan, reader) = (&mut self.pairs, &self.plan, &*self.reader);
        let prefix = match next_column(pairs, plan, row)? {
            None => return Ok(Opened::Nothing),
            Some(Ahead::Markers) => key::column_prefix(&row.prefix, b""),
            Some(Ahead::Keys(len)) => {
                if row.place.is_none()
                    && let FamilyMarkers::Applied(marks) = &mut row.marks
                    && let Some((prefix, column, version)) = Walked::open_at_value(pairs, (plan, reader), len, marks)?
                {
                    row.column = Some((prefix, Column::Walked(column)));
                    return Ok(Opened::Version(version));
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
        Ok(Opened::Column)
    }
}

/// The position of the next column.
enum Ahead {
    /// At the next pair. The column's prefix is this many bytes of its key.
    Keys(usize),
    /// At the column of the empty qualifier, with which raw reads return family markers.
    Markers,
}

/// Advances to the next selected column.
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
    /// Passes the remaining visible cells of the open row to `sink`, in order.
    ///
    /// # Errors
    /// Those of the store, and of `sink`.
    pub(super) fn rest_of_row(&mut self, sink: &mut impl CellSink) -> Result<()> {
        let plain = self.plan.examine == 1
            && matches!(&self.row, Some(row) if matches!(&row.marks, FamilyMarkers::Applied(marks) if marks.is_empty()) && row.place.is_none());
        if !plain {
            while let Some(cell) = self.next_cell()? {
                sink.cell(cell)?;
            }
            return Ok(());
        }
        loop {
            self.plain_cells(sink)?;
            let Some(cell) = self.next_cell()? else { return Ok(()) };
            sink.cell(cell)?;
            self.next_column()?;
        }
    }

    /// Fast path of [`Self::rest_of_row`] for columns whose first pair is a plain visible value. Stops at the end of
    /// the row or before any other column. No column may be open, and none is open afterwards.
    fn plain_cells(&mut self, sink: &mut impl CellSink) -> Result<()> {
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
            let place = CellPlace { row: &row.key, family: &plan.family.name, encoded: &key[row_len + 1..len] };
            let qualifier = || match &plan.wanted {
                Some(wanted) => wanted[row.wanted].clone(),
                None => names.of(&key[..len], row_len),
            };
            sink.value(place, qualifier, timestamp, value::of_plain(stored))?;
            row.wanted += 1;
            if plan.wanted.is_none() && pairs.is_in(&key[..len])? {
                pairs.skip_over(&key[..len], key::prefix_end)?;
            }
        }
        Ok(())
    }
}

impl FamilyCursor {
    /// Reads the next row into `sink`, and ends it there. Returns whether it has visible cells; `None` if there are no
    /// more rows. No row may be open.
    ///
    /// # Errors
    /// Those of the store, and of `sink`.
    pub(super) fn next_row_into(&mut self, sink: &mut impl RowSink) -> Result<Option<bool>> {
        if self.reverse.is_none() {
            if let Some(left) = self.left.take() {
                self.pairs.skip_over(&left, key::row_end)?;
            }
            if self.entry.is_none() && self.plan.wanted.is_none() && self.plan.is_of_newest() {
                return self.plain_row_into(sink);
            }
        }
        let Some((prefix, key)) = self.next_row()? else { return Ok(None) };
        prefix[..].clone_into(&mut self.prefix);
        sink.begin_row(&prefix);
        self.open_row(&prefix, &key)?;
        self.rest_of_row(sink)?;
        self.close_row();
        sink.end_row().map(Some)
    }

    /// The last row that [`Self::next_row_into`] has read.
    pub(super) fn last_row(&self) -> Bytes {
        key::part(&self.prefix)
    }

    /// Fast path of [`Self::next_row_into`]: allocates nothing for the row and its cells while the first pair of each
    /// column is a plain visible value.
    fn plain_row_into(&mut self, sink: &mut impl RowSink) -> Result<Option<bool>> {
        let Self { pairs, plan, reader, prefix, .. } = self;
        let Some((head, _)) = pairs.head()? else { return Ok(None) };
        let row_len = key::row_prefix_len(head)?;
        prefix.clear();
        prefix.extend_from_slice(&head[..row_len]);
        sink.begin_row(prefix);
        let mut is_in_row = true;
        while is_in_row && let Some((head, stored)) = pairs.head()? {
            let column_len = key::column_prefix_len(head, row_len)?;
            let version = column_len.map(|len| key::kind_and_time(head, len)).transpose()?;
            let (Some(len), Some((CellKind::Put, timestamp))) = (column_len, version) else {
                return self.unusual_row_into(sink);
            };
            let inside = timestamp >= plan.oldest && timestamp <= plan.newest;
            if !inside || !value::is_plain(stored) || plan.is_expired(timestamp, reader.now) {
                return self.unusual_row_into(sink);
            }
            let Some((key, stored)) = pairs.take() else { break };
            sink.plain_value(&plan.family.name, &key[row_len + 1..len], timestamp, value::of_plain(stored))?;
            is_in_row = pairs.is_in(prefix)?;
            if is_in_row && pairs.is_in(&key[..len])? {
                pairs.skip_over(&key[..len], key::prefix_end)?;
                is_in_row = pairs.is_in(prefix)?;
            }
        }
        sink.end_row().map(Some)
    }

    /// Reads the rest of the row that [`Self::plain_row_into`] has begun, from the start of a column or of the family
    /// markers.
    fn unusual_row_into(&mut self, sink: &mut impl RowSink) -> Result<Option<bool>> {
        let (prefix, key) = key::row_at(&self.prefix)?;
        self.open_row(&prefix, &key)?;
        self.rest_of_row(sink)?;
        self.close_row();
        sink.end_row().map(Some)
    }
}
