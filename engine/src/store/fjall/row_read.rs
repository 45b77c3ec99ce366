//! Reads of a few pairs of one row, from the memtable and only the files that may have the row.
//!
//! fjall's ranges search every sorted run. A read here asks the [filters](super::row_filters) of the files first, and
//! merges what it finds itself. It gives up, and the caller opens a range of fjall, if a memtable is being flushed, if
//! the snapshot is not the newest one, or if the row has many pairs.

use std::collections::VecDeque;
use std::ops::Bound;
use std::sync::Arc;

use bytes::Bytes;
use fjall::AbstractTree;
use lsm_tree::{InternalValue, Slice, ValueType};

use super::cursor::Seen;
use super::database::Database;
use super::failure::failed;
use super::space::Space;
use crate::error::Result;
use crate::store::active_transaction::KEY_BYTES_MAX;
use crate::store::{CATALOG_SPACE, Cursor, Pair, SpaceId};

/// The number of versions of pairs that are taken from a memtable or a file.
const VERSIONS_MAX: usize = 64;

/// The size of all versions that are taken, in bytes.
const BYTES_MAX: usize = 64 << 10;

/// All pairs with `from <= key < to`, ascending; `None` if the read has given up.
///
/// # Errors
/// `Io`, `Corrupt`; `Stale`: the space does not exist.
pub(super) fn read(
    database: &Arc<Database>,
    seen: &Seen,
    space: SpaceId,
    (from, to): (&[u8], &[u8]),
) -> Result<Option<VecDeque<Pair>>> {
    let maker = &database.filter_maker;
    let Some(prefix) = maker.prefix_of(from).filter(|prefix| to.starts_with(prefix)) else { return Ok(None) };
    if space == CATALOG_SPACE || from >= to || from.len() > KEY_BYTES_MAX {
        return Ok(None);
    }
    let Some(Space { keyspace, run_reads, row_filters: filters, .. }) = database.space_for_row(space, seen.seqno())?
    else {
        return Ok(None);
    };
    if !filters.expects_narrow() {
        return Ok(None);
    }
    let tree = &keyspace.tree;
    // No memtable is sealed, and none has been sealed since this was found if the same one is still active at the end.
    // So everything that is not in the memtable is in the files of the version.
    let memtable = tree.active_memtable();
    if tree.sealed_memtable_count() > 0 {
        return Ok(None);
    }
    let version = tree.current_version();
    if tree.active_memtable().id() != memtable.id() {
        return Ok(None);
    }
    // Flushes and compactions drop versions of which later ones exist, even if older snapshots see them: fjall reads
    // those from the files of an older version. Therefore this is examined after the version has been found.
    if !seen.is_newest(database) {
        return Ok(None);
    }
    let runs = || version.iter_levels().flat_map(|level| level.iter());
    let Some(files) = filters.files(version.id(), runs()) else { return Ok(None) };

    let seqno = seen.seqno();
    let hash = maker.hash(prefix);
    let mut found = Found::default();
    if !memtable.is_empty() && !filters.memtable_lacks(&memtable, hash) {
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
    for (run_at, run) in runs().enumerate() {
        let bounds = (Bound::Included(from), Bound::Excluded(to));
        let Some((first, last)) = run.range_overlap_indexes::<&[u8], _>(&bounds) else { continue };
        for at in first..=last {
            let Some(table) = run.get(at) else { continue };
            let Some(rows) = files.rows_of(run_at, at, table.id()) else { return Ok(None) };
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
    filters.note_narrow();
    if needs_filter {
        maker.request(database, space, &filters);
    }
    if searched > 1 {
        // Filters have not helped, so the runs may have to be merged.
        run_reads.count();
    }
    Ok(Some(found.into_newest()))
}

/// The versions of pairs that have been found.
#[derive(Default)]
struct Found {
    versions: Vec<InternalValue>,
    /// The number of memtables and files that have any.
    sources: usize,
    bytes: usize,
}

impl Found {
    /// Adds the versions of a memtable or a file. Returns `false` if they are too many.
    fn add(&mut self, versions: impl Iterator<Item = lsm_tree::Result<InternalValue>>) -> Result<bool> {
        let before = self.versions.len();
        for version in versions {
            let version = version.map_err(|error| failed("reading", fjall::Error::from(error)))?;
            self.bytes += version.key.user_key.len() + version.value.len();
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

/// Moves the first pairs to `out`, as many as [`Cursor::next_many`] does. Returns a cursor for the others.
pub(super) fn take(
    pairs: VecDeque<Pair>,
    (n, bytes): (usize, usize),
    out: &mut Vec<Pair>,
) -> Result<Option<Box<dyn Cursor>>> {
    let mut cursor = PairCursor(pairs);
    cursor.next_many(n, bytes, out)?;
    Ok(if cursor.0.is_empty() { None } else { Some(Box::new(cursor)) })
}

/// A cursor over pairs in memory, ascending.
struct PairCursor(VecDeque<Pair>);

impl Cursor for PairCursor {
    fn next(&mut self) -> Result<Option<Pair>> {
        Ok(self.0.pop_front())
    }

    fn seek(&mut self, key: &[u8]) -> Result<()> {
        let before = self.0.partition_point(|(found, _)| found[..] < *key);
        self.0.drain(..before);
        Ok(())
    }
}
