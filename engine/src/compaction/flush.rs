//! Which cells a flush drops.
//!
//! A flush of HBase drops values as a minor compaction of the memstore would, except that a cell or a marker with a TTL
//! of its own counts as any other until it expires. The flush keeps delete markers, except for those that it does not
//! reach: as soon as a value is dropped with all older ones, it continues with the next column. There, markers are
//! among the values, ordered by their timestamps. It reaches all cells of a column with an empty qualifier.
//!
//! HBase also drops a marker that hides values in its files, and these reappear. Such a marker is kept here.

use std::collections::HashSet;

use bytes::Bytes;

use super::cell_filter::{CellFilter, Fate};
use crate::cell::CellKind;
use crate::error::Result;
use crate::key;
use crate::schema::FamilyRules;
use crate::store::{DroppedPair, Order, Pair, Snapshot, SpaceId};
use crate::value;

/// The number of markers of which a flush finds out whether they hide something. It keeps all others.
const MARKERS_MAX: usize = 1000;

/// The number of pairs that are read to find out whether a marker hides one of them. If there are more, it is kept.
const HIDDEN_MAX: usize = 100;

/// What a flush of a space sees.
pub(super) struct Flush<'a> {
    pub rules: FamilyRules,
    /// The time in milliseconds.
    pub now: i64,
    pub space: SpaceId,
    /// The state of the store.
    pub snapshot: &'a dyn Snapshot,
    /// The value that a key had before it became recent.
    pub older: &'a dyn Fn(&Bytes) -> Result<Option<Bytes>>,
}

/// A marker that a flush of HBase drops.
struct Marker<'a> {
    key: &'a Bytes,
    kind: CellKind,
    timestamp: i64,
    /// The prefix of its column, or of its row for a family marker.
    prefix: &'a [u8],
}

impl Flush<'_> {
    /// What the flush drops of these recent pairs, which are in key order.
    ///
    /// # Errors
    /// Those of the store.
    pub fn garbage(&self, recent: &[Pair]) -> Result<Vec<DroppedPair>> {
        let (values, markers) = self.dropped_by_hbase(recent);
        let mut garbage = Vec::with_capacity(values.len());
        for key in values {
            garbage.push(DroppedPair { key: key.clone(), older: (self.older)(key)? });
        }
        let gone: HashSet<Bytes> =
            garbage.iter().filter(|pair| pair.older.is_none()).map(|pair| pair.key.clone()).collect();
        for marker in markers.into_iter().take(MARKERS_MAX) {
            if (self.older)(marker.key)?.is_none() && !self.hides_any(&marker, &gone)? {
                garbage.push(DroppedPair { key: marker.key.clone(), older: None });
            }
        }
        Ok(garbage)
    }

    /// The keys of the values, and the markers.
    fn dropped_by_hbase<'a>(&self, recent: &'a [Pair]) -> (Vec<&'a Bytes>, Vec<Marker<'a>>) {
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
            if kind != CellKind::Put {
                let marker = Marker { key, kind, timestamp, prefix };
                if filter.is_out_of_date(timestamp) || value::is_expired(stored, timestamp, self.now).unwrap_or(false) {
                    markers.push(marker);
                } else {
                    column.markers.push(marker);
                }
                continue;
            }
            if fate != Fate::Kept {
                values.push(key);
            }
            if fate == Fate::DroppedWithOlder && column.is_skipped {
                column.is_skipped = false;
                // A marker with the timestamp of the value is before it.
                markers.extend(column.markers.drain(..).filter(|marker| marker.timestamp < timestamp));
            }
        }
        (values, markers)
    }

    /// Whether a marker hides, or may hide, a value other than those that are `gone` after the flush.
    fn hides_any(&self, marker: &Marker<'_>, gone: &HashSet<Bytes>) -> Result<bool> {
        let is_family = marker.kind.is_family_marker();
        let is_exact = matches!(marker.kind, CellKind::Delete | CellKind::DeleteFamilyVersion);
        let (from, to) = match is_family {
            true => (key::columns_start(marker.prefix), key::row_end(marker.prefix)),
            false => (key::at(marker.prefix, CellKind::Put, marker.timestamp), key::prefix_end(marker.prefix)),
        };
        let mut cursor = self.snapshot.scan(self.space, &from, &to, Order::Ascending, HIDDEN_MAX)?;
        for _ in 0..HIDDEN_MAX {
            let Some((key, _)) = cursor.next()? else { return Ok(false) };
            let Some((_, _, kind, timestamp)) = parts(&key) else { return Ok(true) };
            let is_hidden = match is_exact {
                true => timestamp == marker.timestamp,
                false => timestamp <= marker.timestamp,
            };
            if kind == CellKind::Put && is_hidden && !gone.contains(&key) {
                return Ok(true);
            }
            if is_exact && !is_family && timestamp < marker.timestamp {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

/// The column of the last pair.
#[derive(Default)]
struct Column<'a> {
    prefix: &'a [u8],
    /// Its markers.
    markers: Vec<Marker<'a>>,
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
