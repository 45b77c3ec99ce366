//! Puts and deletes as the cells that they come to.

use std::collections::HashMap;

use bytes::Bytes;

use crate::catalog::{Family, TableState};
use crate::cell::{CellKind, LATEST};
use crate::error::Result;
use crate::key;
use crate::mutation::{Delete, Marker, MarkerKind, Mutation, Put};
use crate::read::newest_times;
use crate::store::{SpaceId, Transaction};
use crate::value::{self, Value};

/// The timestamps of a write's cells that come without one.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Time {
    /// The clock, by which TTLs expire.
    pub clock_ms: i64,
    /// For puts.
    pub put_ms: i64,
    /// For delete markers.
    pub delete_ms: i64,
}

impl Time {
    /// The time of a transaction.
    pub(super) fn of(tx: &dyn Transaction) -> Self {
        Self { clock_ms: tx.clock_ms(), put_ms: tx.now_ms(), delete_ms: tx.now_ms() }
    }
}

/// 2^63-1 milliseconds are no TTL.
pub(super) fn ttl(given: Option<i64>) -> Option<i64> {
    given.filter(|t| *t != i64::MAX)
}

/// A cell that is to be written: where, when, what.
pub(super) struct Draft<'a> {
    pub family: &'a Family,
    pub qualifier: &'a [u8],
    pub timestamp: i64,
    pub kind: CellKind,
    pub bytes: Bytes,
}

/// Writes a mutation's cells, or none of them.
pub(super) fn draft(tx: &mut dyn Transaction, table: &TableState, mutation: &Mutation, time: Time) -> Result<()> {
    match mutation {
        Mutation::Put(put) => draft_put(tx, table, put, time),
        Mutation::Delete(delete) => draft_delete(tx, table, delete, time),
    }
}

/// Writes a put's cells, or none of them.
pub(super) fn draft_put(tx: &mut dyn Transaction, table: &TableState, put: &Put, time: Time) -> Result<()> {
    let drafts = put.cells.iter().map(|cell| {
        let timestamp = if cell.timestamp == LATEST { time.put_ms } else { cell.timestamp };
        let family = table.family(&cell.family, &put.row)?;
        Ok(Draft { family, qualifier: &cell.qualifier, timestamp, kind: CellKind::Put, bytes: cell.value.clone() })
    });
    let drafts = drafts.collect::<Result<Vec<_>>>()?;
    write(tx, &put.row, ttl(put.ttl_ms), drafts, time.clock_ms)?;
    if put.cells.iter().any(|c| c.timestamp == LATEST) {
        tx.assigned(time.put_ms, false);
    }
    Ok(())
}

/// Writes a delete's markers, or none of them.
pub(super) fn draft_delete(tx: &mut dyn Transaction, table: &TableState, delete: &Delete, time: Time) -> Result<()> {
    let at = |timestamp| if timestamp == LATEST { time.delete_ms } else { timestamp };
    let mut drafts = Vec::with_capacity(delete.markers.len().max(table.families().len()));
    if delete.markers.is_empty() {
        drafts.extend(table.families().iter().map(|family| Draft {
            family,
            qualifier: &[],
            timestamp: at(delete.timestamp),
            kind: CellKind::DeleteFamily,
            bytes: Bytes::new(),
        }));
    }
    let mut found = ResolvedVersions::of(delete);
    // The timestamps of markers that come without one.
    let mut chosen = Vec::new();
    for marker in &delete.markers {
        let family = table.family(&marker.family, &delete.row)?;
        let timestamp = if marker.kind == MarkerKind::Version && marker.timestamp == LATEST {
            let version_ms = found.next(tx, delete, family, marker, time)?;
            chosen.push(version_ms);
            version_ms
        } else {
            at(marker.timestamp)
        };
        let (kind, qualifier): (_, &[u8]) = match marker.kind {
            MarkerKind::Version => (CellKind::Delete, &marker.qualifier),
            MarkerKind::Column => (CellKind::DeleteColumn, &marker.qualifier),
            MarkerKind::Family => (CellKind::DeleteFamily, &[]),
            MarkerKind::FamilyVersion => (CellKind::DeleteFamilyVersion, &[]),
        };
        drafts.push(Draft { family, qualifier, timestamp, kind, bytes: Bytes::new() });
    }
    // A marker at the transaction's own time would hide what the row's next write puts there, unless that write comes later.
    if drafts.iter().any(|d| d.timestamp == time.delete_ms) {
        chosen.push(time.delete_ms);
    }
    write(tx, &delete.row, ttl(delete.ttl_ms), drafts, time.clock_ms)?;
    for timestamp in chosen {
        tx.assigned(timestamp, true);
    }
    Ok(())
}

/// Writes a row's cells, or none of them.
///
/// In HBase, cells that are alike but for their TTL are kept side by side, and one whose TTL has run out is never read. A space has one pair
/// for all of them, so a cell that has run out already is not written, and of two markers the one that lasts longer is kept.
pub(super) fn write(
    tx: &mut dyn Transaction,
    row: &[u8],
    ttl_ms: Option<i64>,
    drafts: Vec<Draft<'_>>,
    clock_ms: i64,
) -> Result<()> {
    // All keys first, so that one that cannot be leaves nothing of the mutation in the transaction.
    let keys =
        drafts.iter().map(|d| key::cell_key(row, d.qualifier, d.timestamp, d.kind)).collect::<Result<Vec<_>>>()?;
    for (draft, key) in drafts.into_iter().zip(keys) {
        let end = value::end(draft.timestamp, ttl_ms);
        if end.is_some_and(|end| end < clock_ms) {
            continue;
        }
        let space = draft.family.space;
        let longer = match end {
            Some(end) if draft.kind.is_marker() => longer_lasting(tx, space, &key, draft.timestamp, end)?,
            _ => None,
        };
        let stored = longer.unwrap_or_else(|| {
            let sequence = draft.family.rules.new_version_behavior.then(|| tx.sequence());
            Value { ttl_ms, sequence, bytes: draft.bytes }.encode()
        });
        // A longer-lasting marker is written again, so that it is as durable as this mutation asks for.
        tx.put(space, key, stored);
    }
    Ok(())
}

/// The stored value of the marker under a key, if that marker lasts beyond `end`.
fn longer_lasting(
    tx: &mut dyn Transaction,
    space: SpaceId,
    key: &Bytes,
    timestamp: i64,
    end: i64,
) -> Result<Option<Bytes>> {
    let stored = match tx.written(space, key) {
        Some(written) => Some(written),
        None => tx.snapshot().get(space, key)?,
    };
    let Some(stored) = stored else { return Ok(None) };
    let lasts = value::end(timestamp, value::ttl_of(&stored)?).is_none_or(|other| other > end);
    Ok(lasts.then_some(stored))
}

/// The versions that markers without a timestamp stand for: the k-th marker of a column takes its k-th newest version, among those
/// that existed before the delete.
struct ResolvedVersions<'a>(HashMap<(&'a [u8], &'a [u8]), Versions>);

/// The versions of one column.
struct Versions {
    /// The number of markers that each take one of them.
    wanted: usize,
    /// Their timestamps, newest first, once they have been read.
    found: Option<std::vec::IntoIter<i64>>,
}

impl<'a> ResolvedVersions<'a> {
    /// Counts the markers of each column; nothing is read yet.
    fn of(delete: &'a Delete) -> Self {
        let mut columns = HashMap::<_, Versions>::new();
        for marker in delete.markers.iter().filter(|m| m.kind == MarkerKind::Version && m.timestamp == LATEST) {
            let column = (&marker.family[..], &marker.qualifier[..]);
            columns.entry(column).or_insert(Versions { wanted: 0, found: None }).wanted += 1;
        }
        Self(columns)
    }

    /// The timestamp of the version that a marker takes; the time of the delete if the column has no further version.
    fn next(
        &mut self,
        tx: &dyn Transaction,
        delete: &Delete,
        family: &Family,
        marker: &'a Marker,
        time: Time,
    ) -> Result<i64> {
        let Some(versions) = self.0.get_mut(&(&marker.family[..], &marker.qualifier[..])) else {
            return Ok(time.delete_ms);
        };
        let found = match &mut versions.found {
            Some(found) => found,
            none => {
                let wanted = versions.wanted;
                let (row, qualifier) = (&delete.row, &marker.qualifier);
                none.insert(newest_times(tx.snapshot(), family, row, qualifier, wanted, time.clock_ms)?.into_iter())
            }
        };
        Ok(found.next().unwrap_or(time.delete_ms))
    }
}
