//! Which cells a flush drops.
//!
//! A flush of HBase drops values as a minor compaction of the memstore would. It keeps delete markers, except for those
//! that it does not reach: as soon as a value is dropped with all older ones, it continues with the next column. There,
//! markers are among the values, ordered by their timestamps.

use bytes::Bytes;

use super::cell_filter::{CellFilter, Fate};
use crate::cell::CellKind;
use crate::key;
use crate::schema::FamilyRules;
use crate::store::Pair;
use crate::value;

/// The keys that a flush of these pairs drops at `now`, in milliseconds. The pairs are those of a memstore, in key
/// order.
pub(super) fn garbage(rules: FamilyRules, now: i64, pairs: &[Pair]) -> Vec<Bytes> {
    let mut filter = CellFilter::new(rules, false, now);
    let mut garbage = Vec::new();
    let mut column = Column::default();
    for (key, stored) in pairs {
        let Some((prefix, kind, timestamp)) = parts(key) else { continue };
        if column.prefix != prefix {
            column = Column { prefix, markers: Vec::new(), is_ended: false };
        }
        let Some(fate) = filter.fate(key, stored) else { continue };
        if kind != CellKind::Put {
            if filter.is_out_of_date(timestamp) || value::is_expired(stored, timestamp, now).unwrap_or(false) {
                garbage.push(key.clone());
            } else if !kind.is_family_marker() {
                column.markers.push((timestamp, key));
            }
            continue;
        }
        if fate != Fate::Kept {
            garbage.push(key.clone());
        }
        if fate == Fate::DroppedWithOlder && !column.is_ended {
            column.is_ended = true;
            // A marker with the timestamp of the value is before it.
            let unreached = column.markers.iter().filter(|(marker, _)| *marker < timestamp);
            garbage.extend(unreached.map(|(_, key)| Bytes::clone(key)));
        }
    }
    garbage
}

/// The column of the last pair.
#[derive(Default)]
struct Column<'a> {
    prefix: &'a [u8],
    /// The timestamps and the keys of its markers.
    markers: Vec<(i64, &'a Bytes)>,
    /// Whether a value was dropped with all older ones.
    is_ended: bool,
}

/// The prefix of a key's column, or of its row for a family marker; its kind and its timestamp.
fn parts(key: &[u8]) -> Option<(&[u8], CellKind, i64)> {
    let row_len = key::row_prefix_len(key).ok()?;
    let column_len = key::column_prefix_len(key, row_len).ok()?;
    let (kind, timestamp) = key::kind_and_time(key, column_len.unwrap_or(row_len + 1)).ok()?;
    Some((&key[..column_len.unwrap_or(row_len)], kind, timestamp))
}
