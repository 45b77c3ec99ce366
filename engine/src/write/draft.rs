//! Converts puts and deletes to stored cells.

use std::collections::HashMap;

use bytes::Bytes;
use smallvec::SmallVec;

use super::pair_buffer::{NewCell, PairBuffer};
use crate::catalog::{Family, TableState};
use crate::cell::{CellKind, LATEST};
use crate::error::Result;
use crate::key;
use crate::mutation::{Delete, Marker, MarkerKind, Mutation, PutCellOf, PutOf};
use crate::read::{ColumnRead, WorkLimit, newest_times, read_in_transaction};
use crate::store::{SpaceId, Transaction};
use crate::value;

/// The work of reading a marker: one seek.
const MARKER_WORK: WorkLimit = WorkLimit { pairs: 8, bytes: 0 };

/// The timestamps of cells for which the caller gave none, in milliseconds.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Time {
    /// The clock, which determines which TTLs have expired.
    pub clock_ms: i64,
    /// The timestamp of puts.
    pub put_ms: i64,
    /// The timestamp of delete markers.
    pub delete_ms: i64,
}

impl Time {
    /// The timestamps of a transaction.
    pub(super) fn of(tx: &dyn Transaction) -> Self {
        Self { clock_ms: tx.clock_ms(), put_ms: tx.now_ms(), delete_ms: tx.now_ms() }
    }
}

/// The TTL of a mutation. As in HBase, 2^63-1 milliseconds mean that the cell does not expire.
pub(super) fn ttl(given: Option<i64>) -> Option<i64> {
    given.filter(|t| *t != i64::MAX)
}

/// A cell that is to be written.
pub(super) struct Draft<'a> {
    pub family: &'a Family,
    pub qualifier: &'a [u8],
    pub timestamp: i64,
    pub kind: CellKind,
    pub bytes: &'a [u8],
}

/// The number of cells of a mutation up to which their conversion does not allocate.
const INLINE_CELLS: usize = 4;

/// Writes the cells of a mutation. If it fails, it has written none of them.
pub(super) fn draft(
    tx: &mut dyn Transaction,
    table: &TableState,
    mutation: &Mutation,
    time: Time,
    buffer: &mut PairBuffer,
) -> Result<()> {
    match mutation {
        Mutation::Put(put) => draft_put(tx, table, put, time, buffer),
        Mutation::Delete(delete) => draft_delete(tx, table, delete, time),
    }
}

/// The bytes that the cells of a put take at least when they are encoded.
pub(super) fn encoded_bytes<B: AsRef<[u8]>>(put: &PutOf<B>) -> usize {
    let row = put.row.as_ref();
    let of_cell = |cell: &PutCellOf<B>| {
        // A key that is too long is an error of its put.
        let key_len = key::cell_key_len(row, cell.qualifier.as_ref(), CellKind::Put).unwrap_or_default();
        key_len + value::encoded_len(put.ttl_ms, None, cell.value.as_ref())
    };
    put.cells.iter().map(of_cell).sum()
}

/// The target of encoded cells: a transaction or a bulk load.
pub(super) trait CellSink {
    /// The position in the write order, for families with NEW_VERSION_BEHAVIOR.
    fn sequence(&self) -> u64;
    /// Writes a pair.
    fn put(&mut self, space: SpaceId, key: Bytes, value: Bytes);
}

impl CellSink for dyn Transaction + '_ {
    fn sequence(&self) -> u64 {
        Transaction::sequence(self)
    }

    fn put(&mut self, space: SpaceId, key: Bytes, value: Bytes) {
        Transaction::put(self, space, key, value);
    }
}

/// Writes the cells of a put. If it fails, it has written none of them.
///
/// As in [`write`], a cell that has already expired is not written.
pub(super) fn draft_put<B: AsRef<[u8]>>(
    tx: &mut dyn Transaction,
    table: &TableState,
    put: &PutOf<B>,
    time: Time,
    buffer: &mut PairBuffer,
) -> Result<()> {
    if encode_put(tx, table, put, time, buffer)? {
        tx.assigned(time.put_ms, false);
    }
    Ok(())
}

/// Encodes the cells of a put, as [`draft_put`] does. Returns whether one of them got the timestamp `time.put_ms`
/// because the caller gave none.
pub(super) fn encode_put<B: AsRef<[u8]>, S: CellSink + ?Sized>(
    sink: &mut S,
    table: &TableState,
    put: &PutOf<B>,
    time: Time,
    buffer: &mut PairBuffer,
) -> Result<bool> {
    let (row, ttl_ms) = (put.row.as_ref(), ttl(put.ttl_ms));
    // All that may fail comes first. A put mostly has cells of one family.
    let mut families = SmallVec::<[&Family; INLINE_CELLS]>::with_capacity(put.cells.len());
    for PutCellOf { family, .. } in &put.cells {
        let name = family.as_ref();
        families.push(match families.last() {
            Some(family) if family.name == name => *family,
            _ => table.family(name, row)?,
        });
    }
    let mut bytes = 0;
    for PutCellOf { qualifier, value, .. } in &put.cells {
        bytes += key::cell_key_len(row, qualifier.as_ref(), CellKind::Put)?;
        bytes += value::encoded_len(ttl_ms, None, value.as_ref());
    }
    buffer.begin_row(row, put.cells.len(), bytes);
    let mut is_assigned = false;
    for (PutCellOf { qualifier, timestamp, value, .. }, family) in put.cells.iter().zip(families) {
        is_assigned |= *timestamp == LATEST;
        let timestamp = if *timestamp == LATEST { time.put_ms } else { *timestamp };
        if value::end(timestamp, ttl_ms).is_some_and(|end| end < time.clock_ms) {
            continue;
        }
        let sequence = family.sequence(|| sink.sequence());
        let (qualifier, value) = (qualifier.as_ref(), value.as_ref());
        let space = family.space;
        let (key, value) = buffer.pair(&NewCell { space, qualifier, timestamp, ttl_ms, sequence, value });
        sink.put(space, key, value);
    }
    Ok(is_assigned)
}

/// Writes the markers of a delete. If it fails, it has written none of them.
pub(super) fn draft_delete(tx: &mut dyn Transaction, table: &TableState, delete: &Delete, time: Time) -> Result<()> {
    let at = |timestamp| if timestamp == LATEST { time.delete_ms } else { timestamp };
    let mut drafts = Vec::with_capacity(delete.markers.len().max(table.families().len()));
    if delete.markers.is_empty() {
        drafts.extend(table.families().iter().map(|family| Draft {
            family,
            qualifier: &[],
            timestamp: at(delete.timestamp),
            kind: CellKind::DeleteFamily,
            bytes: &[],
        }));
    }
    let mut versions = ResolvedVersions::of(delete);
    // The timestamps of markers for which the caller gave none.
    let mut chosen = Vec::new();
    for marker in &delete.markers {
        let family = table.family(&marker.family, &delete.row)?;
        let timestamp = if marker.kind == MarkerKind::Version && marker.timestamp == LATEST {
            let version_ms = versions.next(tx, delete, family, marker, time)?;
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
        drafts.push(Draft { family, qualifier, timestamp, kind, bytes: &[] });
    }
    // The next write of the row must have a later timestamp, or a marker with the timestamp of this transaction would
    // hide it.
    if drafts.iter().any(|d| d.timestamp == time.delete_ms) {
        chosen.push(time.delete_ms);
    }
    write(tx, &delete.row, ttl(delete.ttl_ms), &drafts, time.clock_ms)?;
    for timestamp in chosen {
        tx.assigned(timestamp, true);
    }
    Ok(())
}

/// Writes cells of a row. If it fails, it has written none of them.
///
/// HBase keeps cells that differ only in their TTL side by side, and never reads one whose TTL has expired. A space has
/// a single pair for all of them. Therefore a cell that has already expired is not written, and of two markers the one
/// that expires later is kept.
pub(super) fn write(
    tx: &mut dyn Transaction,
    row: &[u8],
    ttl_ms: Option<i64>,
    drafts: &[Draft<'_>],
    clock_ms: i64,
) -> Result<()> {
    // All keys are encoded first, so that nothing has been written if one of them is too long.
    let mut keys = SmallVec::<[_; INLINE_CELLS]>::with_capacity(drafts.len());
    for draft in drafts {
        keys.push(key::cell_key(row, draft.qualifier, draft.timestamp, draft.kind)?);
    }
    for (draft, key) in drafts.iter().zip(keys) {
        if let Some(stored) = stored(tx, &key, ttl_ms, draft, clock_ms)? {
            // A marker that is kept is written again, so that it becomes as durable as this mutation requires.
            tx.put(draft.family.space, key, stored);
        }
    }
    Ok(())
}

/// Writes the new value of a cell, as [`write`] does. Returns the stored value, which shares the memory of the pair;
/// `None` if the cell has expired already.
pub(super) fn write_value(
    tx: &mut dyn Transaction,
    row: &[u8],
    ttl_ms: Option<i64>,
    draft: &Draft<'_>,
    clock_ms: i64,
) -> Result<Option<Bytes>> {
    let key = key::cell_key(row, draft.qualifier, draft.timestamp, draft.kind)?;
    let Some(stored) = stored(tx, &key, ttl_ms, draft, clock_ms)? else { return Ok(None) };
    let value = stored.slice(stored.len().saturating_sub(draft.bytes.len())..);
    tx.put(draft.family.space, key, stored);
    Ok(Some(value))
}

/// The value that is stored for a cell; `None` if the cell has expired already.
fn stored(
    tx: &mut dyn Transaction,
    key: &Bytes,
    ttl_ms: Option<i64>,
    draft: &Draft<'_>,
    clock_ms: i64,
) -> Result<Option<Bytes>> {
    let end = value::end(draft.timestamp, ttl_ms);
    if end.is_some_and(|end| end < clock_ms) {
        return Ok(None);
    }
    if let Some(end) = end.filter(|_| draft.kind.is_marker()) {
        let longer = longer_lasting(tx, draft.family.space, key, draft.timestamp, end)?;
        if longer.is_some() {
            return Ok(longer);
        }
    }
    let sequence = draft.family.sequence(|| tx.sequence());
    Ok(Some(value::encode(ttl_ms, sequence, draft.bytes)))
}

/// The stored value of the marker under a key, if that marker expires after `end` or never.
fn longer_lasting(
    tx: &mut dyn Transaction,
    space: SpaceId,
    key: &Bytes,
    timestamp: i64,
    end: i64,
) -> Result<Option<Bytes>> {
    let stored = match tx.written(space, key) {
        Some(written) => Some(written),
        None => read_in_transaction(MARKER_WORK, || tx.snapshot().get(space, key))?,
    };
    let Some(stored) = stored else { return Ok(None) };
    let lasts = value::end(timestamp, value::ttl_of(&stored)?).is_none_or(|other| other > end);
    Ok(lasts.then_some(stored))
}

/// The versions to which markers of a version without a timestamp apply. As in HBase, the k-th such marker of a column
/// applies to the k-th newest version that existed before the delete.
struct ResolvedVersions<'a>(HashMap<(&'a [u8], &'a [u8]), Versions>);

/// The versions of one column.
struct Versions {
    /// The number of markers that need a version.
    wanted: usize,
    /// The timestamps of the versions, newest first; `None` until they are read.
    times: Option<std::vec::IntoIter<i64>>,
}

impl<'a> ResolvedVersions<'a> {
    /// Counts the markers of each column. Does not read anything.
    fn of(delete: &'a Delete) -> Self {
        let mut columns = HashMap::<_, Versions>::new();
        for marker in delete.markers.iter().filter(|m| m.kind == MarkerKind::Version && m.timestamp == LATEST) {
            let column = (&marker.family[..], &marker.qualifier[..]);
            columns.entry(column).or_insert(Versions { wanted: 0, times: None }).wanted += 1;
        }
        Self(columns)
    }

    /// The timestamp of the version to which a marker applies; that of the delete if the column has no further version.
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
        let times = match &mut versions.times {
            Some(times) => times,
            none => {
                let (row, qualifier, count, now) = (&delete.row, &marker.qualifier, versions.wanted, time.clock_ms);
                let found = newest_times(tx.snapshot(), &ColumnRead { family, row, qualifier, count, now })?;
                none.insert(found.into_iter())
            }
        };
        Ok(times.next().unwrap_or(time.delete_ms))
    }
}
