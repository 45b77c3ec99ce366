//! Reads of a few pairs of one row, from the memtables and only the files that may have the row.
//!
//! fjall's ranges search every sorted run. A read here asks the [filters](super::row_filters) of the files first, and
//! merges what it finds itself. It gives up, and the caller opens a range, if no super version covers the snapshot. Of
//! a row that has many pairs, it takes the first ones; a range follows if the others are needed.

use std::collections::VecDeque;
use std::ops::Bound;
use std::sync::Arc;

use bytes::Bytes;
use lsm_tree::{InternalValue, Slice, ValueType};

use super::cursor::Seen;
use super::database::Database;
use super::failure::failed;
use super::row_filters::RowFilters;
use crate::error::Result;
use crate::store::active_transaction::KEY_BYTES_MAX;
use crate::store::{CATALOG_SPACE, Cursor, Order, Pair, SpaceId};

/// The number of versions of pairs that are taken from a memtable or a file.
const VERSIONS_MAX: usize = 64;

/// The number of keys that are taken from a memtable or a file for each pair that is wanted at first.
const KEYS_WANTED: usize = 4;

/// The size of all versions that are taken, in bytes.
const BYTES_MAX: usize = 64 << 10;

/// The pairs with `from <= key < to`, ascending; `None` if the read has given up. `wanted` is the number of pairs that
/// are likely to be consumed.
///
/// # Errors
/// `Io`, `Corrupt`; `Stale`: the space does not exist.
pub(super) fn read(
    database: &Arc<Database>,
    seen: &Arc<Seen>,
    space: SpaceId,
    (from, to): (&[u8], &[u8]),
    wanted: usize,
) -> Result<Option<RowPairs>> {
    let maker = &database.filter_maker;
    let Some(prefix) = maker.prefix_of(from).filter(|prefix| to.starts_with(prefix)) else { return Ok(None) };
    if space == CATALOG_SPACE || from >= to || from.len() > KEY_BYTES_MAX {
        return Ok(None);
    }
    let seqno = seen.seqno();
    let Some(at) = database.space_for_row(space, seqno)? else { return Ok(None) };
    let filters = &at.row_filters;
    if !filters.expects_narrow() {
        return Ok(None);
    }
    let Some(version) = at.super_version(seqno) else { return Ok(None) };

    let hash = maker.hash(prefix);
    let mut found = Found::new(wanted.saturating_mul(KEYS_WANTED).clamp(1, VERSIONS_MAX));
    for memtable in version.memtables() {
        if memtable.is_empty() || filters.memtable_lacks(memtable, hash) {
            continue;
        }
        let first = InternalValue::from_components(from, Slice::new(b""), u64::MAX, ValueType::Tombstone).key;
        let items = memtable.items.range(first..).take_while(|item| &item.key().user_key[..] < to);
        let visible = items.filter(|item| item.key().seqno < seqno);
        let versions = visible.map(|item| Ok(InternalValue { key: item.key().clone(), value: item.value().clone() }));
        if !found.add(versions)? {
            filters.note_wide();
            return Ok(None);
        }
    }
    let lower = Slice::from(from);
    let mut needs_filter = false;
    let mut searched = 0;
    for (run, known) in version.runs.iter().zip(version.rows.runs()) {
        let first = run.partition_point(|table| table.metadata.key_range.max()[..] < *from);
        for (table, rows) in run.iter().zip(known).skip(first) {
            if table.metadata.key_range.min()[..] >= *to {
                break;
            }
            if rows.lack(hash) {
                continue;
            }
            searched += 1;
            needs_filter |= rows.count_search(table);
            // Without an upper bound, which would be searched for. The end is known from the first key past it.
            let items = table.range((Bound::Included(lower.clone()), Bound::Unbounded));
            let items = items.take_while(|item| item.as_ref().map_or(true, |item| &item.key.user_key[..] < to));
            let visible = items.filter(|item| item.as_ref().map_or(true, |item| item.key.seqno < seqno));
            if !found.add(visible)? {
                filters.note_wide();
                return Ok(None);
            }
        }
    }
    if needs_filter {
        maker.request(database, space, filters);
    }
    if searched > 1 {
        // Filters have not helped, so the runs may have to be merged.
        at.run_reads.count();
    }
    let rest = match &found.end {
        Some(from) => {
            Some(Rest { seen: Arc::clone(seen), space, from: from.to_vec(), to: to.to_vec(), filters: filters.clone() })
        }
        None => {
            filters.note_narrow();
            None
        }
    };
    Ok(Some(RowPairs { pairs: found.into_newest(), rest, cursor: None }))
}

/// The versions of pairs that have been found.
struct Found {
    versions: Vec<InternalValue>,
    /// The number of memtables and files that have any.
    sources: usize,
    bytes: usize,
    /// The number of keys that are taken from each.
    keys_max: usize,
    /// The smallest key of those that were not taken.
    end: Option<Slice>,
}

impl Found {
    fn new(keys_max: usize) -> Self {
        Self { versions: Vec::new(), sources: 0, bytes: 0, keys_max, end: None }
    }

    /// Adds the versions of a memtable or a file, which are ordered by key, up to the largest number of keys. Returns
    /// `false` if they are too many.
    fn add(&mut self, versions: impl Iterator<Item = lsm_tree::Result<InternalValue>>) -> Result<bool> {
        let before = self.versions.len();
        let mut keys = 0;
        for version in versions {
            let version = version.map_err(|error| failed("reading", fjall::Error::from(error)))?;
            let key = &version.key.user_key;
            if self.end.as_ref().is_some_and(|end| key >= end) {
                break;
            }
            if self.versions[before..].last().is_none_or(|last| last.key.user_key != *key) {
                if keys == self.keys_max {
                    self.end = Some(version.key.user_key);
                    break;
                }
                keys += 1;
            }
            self.bytes += key.len() + version.value.len();
            self.versions.push(version);
            if self.versions.len() - before > VERSIONS_MAX || self.bytes > BYTES_MAX {
                return Ok(false);
            }
        }
        self.sources += usize::from(self.versions.len() > before);
        Ok(true)
    }

    /// The newest version of each key, unless that is a tombstone.
    fn into_newest(mut self) -> VecDeque<Pair> {
        if self.sources > 1 {
            // By key, and then from the newest to the oldest.
            self.versions.sort_unstable_by(|a, b| a.key.cmp(&b.key));
        }
        let mut pairs = VecDeque::with_capacity(self.versions.len());
        let mut last: Option<Slice> = None;
        for InternalValue { key, value } in self.versions {
            // Another memtable or file may have a newer version of a key past the end.
            if self.end.as_ref().is_some_and(|end| key.user_key >= *end) {
                break;
            }
            if last.as_ref() == Some(&key.user_key) {
                continue;
            }
            if !key.is_tombstone() {
                pairs.push_back((Bytes::from(key.user_key.clone()), Bytes::from(value)));
            }
            last = Some(key.user_key);
        }
        pairs
    }
}

/// The pairs of a row, ascending. The first ones have been read.
pub(super) struct RowPairs {
    pairs: VecDeque<Pair>,
    /// The range of those that have not been read, if there may be any.
    rest: Option<Rest>,
    /// The cursor over that range, after it has been opened.
    cursor: Option<Box<dyn Cursor>>,
}

/// A range that has not been read.
struct Rest {
    seen: Arc<Seen>,
    space: SpaceId,
    from: Vec<u8>,
    to: Vec<u8>,
    filters: Arc<RowFilters>,
}

impl RowPairs {
    /// Moves the first pairs to `out`, as [`Cursor::next_many`] does. Returns a cursor for the others.
    pub(super) fn take(mut self, (n, bytes): (usize, usize), out: &mut Vec<Pair>) -> Result<Option<Box<dyn Cursor>>> {
        self.next_many(n, bytes, out)?;
        let is_read = self.pairs.is_empty() && self.rest.is_none() && self.cursor.is_none();
        Ok(if is_read { None } else { Some(Box::new(self)) })
    }
}

impl Cursor for RowPairs {
    fn next(&mut self) -> Result<Option<Pair>> {
        if let Some(pair) = self.pairs.pop_front() {
            return Ok(Some(pair));
        }
        if let Some(Rest { seen, space, from, to, filters }) = self.rest.take() {
            filters.note_wide();
            self.cursor = Some(seen.scan(space, &from, &to, Order::Ascending)?);
        }
        self.cursor.as_mut().map_or(Ok(None), |cursor| cursor.next())
    }

    fn seek(&mut self, key: &[u8]) -> Result<()> {
        let before = self.pairs.partition_point(|(found, _)| found[..] < *key);
        self.pairs.drain(..before);
        match (&mut self.rest, &mut self.cursor) {
            (Some(rest), _) if *key > rest.from[..] => key.clone_into(&mut rest.from),
            (_, Some(cursor)) => cursor.seek(key)?,
            _ => {}
        }
        Ok(())
    }
}
