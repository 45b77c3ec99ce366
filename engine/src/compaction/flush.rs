//! Which cells a flush drops.
//!
//! A flush of HBase drops values as a minor compaction of the memstore would, except that a cell or a marker with a TTL
//! of its own counts as any other until it expires. The flush keeps delete markers, except for those that it does not
//! reach: as soon as a value is dropped with all older ones, it continues with the next column. There, markers are
//! among the values, ordered by their timestamps. It reaches all cells of a column with an empty qualifier.
//!
//! Three kinds of pairs that a flush of HBase drops are kept here:
//! * A marker that hides something that remains. In HBase, what such a marker hides in files reappears.
//! * A value of a column that has a recent version which an older marker of this exact version hides. HBase counts it
//!   among VERSIONS, and drops visible ones.
//! * A pair that replaced one which is not recent, and which HBase still has in a file. Giving back that one would be a
//!   new write, which a compaction in progress does not see: it may drop a marker that hides it.

use bytes::Bytes;

use super::cell_filter::{CellFilter, Fate};
use crate::cell::CellKind;
use crate::error::Result;
use crate::key;
use crate::schema::FamilyRules;
use crate::store::{Order, Pair, RECENT_PAIR_BYTES, Snapshot, SpaceId, recent_bytes};
use crate::value;

/// The number of pairs that are read to find out what a marker hides, and which markers a column has. If there are
/// more, what depends on that is kept.
const HIDDEN_MAX: usize = 16;

/// What a flush of a space sees.
pub(super) struct Flush<'a> {
    pub rules: FamilyRules,
    /// The time in milliseconds.
    pub now: i64,
    pub space: SpaceId,
    /// The state of the store.
    pub snapshot: &'a dyn Snapshot,
    /// Whether a key had a value before it became recent. What is read is charged to the budget.
    pub replaces: &'a dyn Fn(&Bytes, &mut u64) -> Result<bool>,
    /// Whether delete markers are kept: they may hide cells of a bulk load in progress.
    pub keeps_markers: bool,
}

/// A value or a marker that a flush of HBase drops.
struct Dropped<'a> {
    key: &'a Bytes,
    kind: CellKind,
    timestamp: i64,
    row_len: usize,
    /// The prefix of its column, or of its row for a family marker.
    prefix: &'a [u8],
}

/// The column that was examined last, and whether older markers of exact versions hide, or may hide, recent versions.
#[derive(Default)]
struct Examined<'a> {
    row: &'a [u8],
    /// The timestamps of older markers of exact versions of the family; `None` if they are not known.
    of_row: Option<Vec<i64>>,
    column: &'a [u8],
    has_hidden: bool,
}

impl Flush<'_> {
    /// The keys of the pairs that the flush drops of these recent ones, which are in key order. What is read in
    /// addition is charged to `budget`; when it is used up, the other pairs are kept.
    ///
    /// # Errors
    /// Those of the store.
    pub fn garbage(&self, recent: &[Pair], budget: &mut u64) -> Result<Vec<Bytes>> {
        let (values, markers) = self.dropped_by_hbase(recent);
        let mut garbage = Vec::new();
        let mut examined = Examined::default();
        for value in values {
            let Some(left) = budget.checked_sub(RECENT_PAIR_BYTES) else { return Ok(garbage) };
            *budget = left;
            if !self.has_hidden(&value, recent, &mut examined, budget)? && !(self.replaces)(value.key, budget)? {
                garbage.push(value.key.clone());
            }
        }
        if self.keeps_markers {
            return Ok(garbage);
        }
        let mut unneeded = Vec::new();
        for marker in markers {
            let Some(left) = budget.checked_sub(RECENT_PAIR_BYTES) else { break };
            *budget = left;
            if !self.hides_any(&marker, &garbage, budget)? && !(self.replaces)(marker.key, budget)? {
                unneeded.push(marker.key.clone());
            }
        }
        garbage.extend(unneeded);
        Ok(garbage)
    }

    /// The values and the markers that a flush of HBase drops.
    fn dropped_by_hbase<'a>(&self, recent: &'a [Pair]) -> (Vec<Dropped<'a>>, Vec<Dropped<'a>>) {
        let mut filter = CellFilter::of_flush(self.rules, self.now);
        let (mut values, mut markers) = (Vec::new(), Vec::new());
        let mut column = Column::default();
        for (key, stored) in recent {
            let Some((row_len, prefix, kind, timestamp)) = parts(key) else { continue };
            if column.prefix != prefix {
                let is_skipped = prefix.len() > row_len && !key::is_of_qualifier(prefix, row_len, b"");
                column = Column { prefix, markers: Vec::new(), is_skipped };
            }
            let Some(fate) = filter.fate(key, stored) else { continue };
            let pair = Dropped { key, kind, timestamp, row_len, prefix };
            if kind != CellKind::Put {
                if filter.is_out_of_date(timestamp) || value::is_expired(stored, timestamp, self.now).unwrap_or(false) {
                    markers.push(pair);
                } else {
                    column.markers.push(pair);
                }
                continue;
            }
            if fate != Fate::Kept {
                values.push(pair);
            }
            if fate == Fate::DroppedWithOlder && column.is_skipped {
                column.is_skipped = false;
                // A marker with the timestamp of the value is before it.
                markers.extend(column.markers.drain(..).filter(|marker| marker.timestamp < timestamp));
            }
        }
        (values, markers)
    }

    /// Whether older markers of exact versions hide, or may hide, recent versions of a value's column.
    fn has_hidden<'a>(
        &self,
        value: &Dropped<'a>,
        recent: &[Pair],
        examined: &mut Examined<'a>,
        budget: &mut u64,
    ) -> Result<bool> {
        let row = &value.prefix[..value.row_len];
        if examined.row != row {
            let family = key::family_prefix(row);
            examined.of_row = self.older_markers(&family, CellKind::DeleteFamilyVersion, recent, budget)?;
            examined.row = row;
        }
        if examined.column != value.prefix {
            let of_column = self.older_markers(value.prefix, CellKind::Delete, recent, budget)?;
            let is_recent = |timestamp: &i64| has_key(recent, &key::at(value.prefix, CellKind::Put, *timestamp));
            let hides = |markers: &Option<Vec<i64>>| markers.as_ref().is_none_or(|all| all.iter().any(is_recent));
            examined.has_hidden = hides(&examined.of_row) || hides(&of_column);
            examined.column = value.prefix;
        }
        Ok(examined.has_hidden)
    }

    /// The timestamps of the markers of a kind with this prefix that are not recent; `None` if there are too many
    /// markers to find out.
    fn older_markers(
        &self,
        prefix: &[u8],
        kind: CellKind,
        recent: &[Pair],
        budget: &mut u64,
    ) -> Result<Option<Vec<i64>>> {
        let (from, to) = (key::at(prefix, kind, i64::MAX), key::kind_end(prefix, kind));
        let mut cursor = self.snapshot.scan(self.space, &from, &to, Order::Ascending, HIDDEN_MAX)?;
        let mut older = Vec::new();
        for _ in 0..HIDDEN_MAX {
            let Some((key, stored)) = cursor.next()? else { return Ok(Some(older)) };
            if !charge(budget, &key, &stored) {
                break;
            }
            if !has_key(recent, &key) {
                let Some((_, _, _, timestamp)) = parts(&key) else { break };
                older.push(timestamp);
            }
        }
        Ok(None)
    }

    /// Whether a marker hides, or may hide, a value that remains after the flush has dropped `garbage`, which is in key
    /// order.
    fn hides_any(&self, marker: &Dropped<'_>, garbage: &[Bytes], budget: &mut u64) -> Result<bool> {
        let is_family = marker.kind.is_family_marker();
        let is_exact = matches!(marker.kind, CellKind::Delete | CellKind::DeleteFamilyVersion);
        let (from, to) = match is_family {
            true => (key::columns_start(marker.prefix), key::row_end(marker.prefix)),
            false => (key::at(marker.prefix, CellKind::Put, marker.timestamp), key::prefix_end(marker.prefix)),
        };
        let mut cursor = self.snapshot.scan(self.space, &from, &to, Order::Ascending, HIDDEN_MAX)?;
        for _ in 0..HIDDEN_MAX {
            let Some((key, stored)) = cursor.next()? else { return Ok(false) };
            let Some((_, _, kind, timestamp)) = parts(&key) else { return Ok(true) };
            let is_hidden = match is_exact {
                true => timestamp == marker.timestamp,
                false => timestamp <= marker.timestamp,
            };
            if !charge(budget, &key, &stored)
                || (kind == CellKind::Put && is_hidden && garbage.binary_search(&key).is_err())
            {
                return Ok(true);
            }
            if is_exact && !is_family && timestamp < marker.timestamp {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

/// Whether pairs in key order have a key.
fn has_key(pairs: &[Pair], key: &Bytes) -> bool {
    pairs.binary_search_by(|(found, _)| found.cmp(key)).is_ok()
}

/// Charges a pair that has been read to the budget. Returns whether it suffices.
fn charge(budget: &mut u64, key: &[u8], stored: &[u8]) -> bool {
    let left = budget.checked_sub(recent_bytes(key, stored));
    *budget = left.unwrap_or(0);
    left.is_some()
}

/// The column of the last pair.
#[derive(Default)]
struct Column<'a> {
    prefix: &'a [u8],
    /// Its markers.
    markers: Vec<Dropped<'a>>,
    /// Whether a flush of HBase skips the rest of the column after a value that is dropped with all older ones.
    is_skipped: bool,
}

/// The length of the prefix of a key's row; the prefix of its column, or of its row for a family marker; its kind and
/// its timestamp.
fn parts(key: &[u8]) -> Option<(usize, &[u8], CellKind, i64)> {
    let row_len = key::row_prefix_len(key).ok()?;
    let column_len = key::column_prefix_len(key, row_len).ok()?;
    let (kind, timestamp) = key::kind_and_time(key, column_len.unwrap_or(row_len + 1)).ok()?;
    Some((row_len, &key[..column_len.unwrap_or(row_len)], kind, timestamp))
}
