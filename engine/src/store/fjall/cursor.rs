//! Snapshots of a database, and cursors over them.
//!
//! They hold no handle that keeps the database open; closing the database ends them. But the iterator of a cursor holds
//! files, and deletes those that compactions have replaced when it is dropped. If it lived longer than the database, it
//! could delete a new file of the same name. Therefore closing removes the iterators from their cursors.

use std::ops::Bound;
use std::sync::{Arc, Weak};

use bytes::Bytes;
use fjall::{Keyspace, Readable};
use parking_lot::{Mutex, MutexGuard};

use super::clock_mark::RESERVED;
use super::cursors::CursorState;
use super::database::Database;
use super::failure::failed;
use super::fence::FENCE_KEY;
use super::range_merge::RangeMerge;
use super::row_read;
use crate::error::{Error, ErrorKind, Result};
use crate::store::active_transaction::KEY_BYTES_MAX;
use crate::store::{CATALOG_SPACE, Cursor, Order, Pair, Snapshot, SpaceId};

pub(super) fn stale() -> Error {
    Error::new(ErrorKind::Stale, "the database was closed or reopened during this read; repeat the read")
}

/// The committed state at one moment.
#[derive(Clone)]
pub(super) struct Seen {
    pub database: Weak<Database>,
    view: Arc<fjall::Snapshot>,
}

impl Seen {
    /// The current state.
    pub fn now(database: &Arc<Database>) -> Self {
        Self { database: Arc::downgrade(database), view: database.view() }
    }

    /// The sequence number from which on writes are not seen.
    pub fn seqno(&self) -> u64 {
        self.view.seqno()
    }

    /// A cursor over the pairs with `from <= key < to`; see [`Snapshot::scan`].
    pub fn scan(self: &Arc<Self>, space: SpaceId, from: &[u8], to: &[u8], order: Order) -> Result<Box<dyn Cursor>> {
        let database = self.database.upgrade().ok_or_else(stale)?;
        let to = if space == CATALOG_SPACE && (to.is_empty() || to > RESERVED) { RESERVED } else { to };
        let mut cursor = FjallCursor {
            seen: Arc::clone(self),
            space,
            from: from.to_vec(),
            to: to.to_vec(),
            order,
            state: Arc::new(Mutex::new(CursorState::Ended)),
            id: 0,
        };
        *cursor.state.lock() = cursor.open_range(&database)?;
        cursor.id = database.cursors.add(&cursor.state);
        Ok(Box::new(cursor))
    }

    /// The error of a failed read of a space. The files of a space that has been dropped are deleted.
    fn read_error(&self, space: SpaceId, error: Error) -> Error {
        match self.database.upgrade().map(|database| database.keyspace(space)) {
            Some(Err(dropped)) => dropped,
            _ => error,
        }
    }

    /// A snapshot of this state.
    pub fn into_snapshot(self) -> Arc<dyn Snapshot> {
        Arc::new(FjallSnapshot(Arc::new(self)))
    }
}

/// A snapshot, which shares what it has seen with its cursors. Each snapshot has its own, so that its cursors write to
/// the reference counts of the database and of the view, which all reads share, as seldom as possible.
struct FjallSnapshot(Arc<Seen>);

impl Snapshot for FjallSnapshot {
    fn get(&self, space: SpaceId, key: &[u8]) -> Result<Option<Bytes>> {
        let Seen { database, view } = &*self.0;
        if space != CATALOG_SPACE {
            let (end, mut found) = ([key, &[0]].concat(), Vec::new());
            self.read(space, (key, &end), (1, usize::MAX), &mut found)?;
            return Ok(found.pop().map(|(_, value)| value));
        }
        let database = database.upgrade().ok_or_else(stale)?;
        // fjall panics at empty and too long keys.
        if key == FENCE_KEY || key >= RESERVED || key.is_empty() || key.len() > KEY_BYTES_MAX {
            return database.keyspace(space).map(|_| None);
        }
        let keyspace = database.keyspace_at(space, view.seqno())?;
        let value = view.get(&keyspace, key).map_err(|error| failed("reading", error))?;
        Ok(value.map(Bytes::from))
    }

    fn scan(&self, space: SpaceId, from: &[u8], to: &[u8], order: Order, _fetch: usize) -> Result<Box<dyn Cursor>> {
        self.0.scan(space, from, to, order)
    }

    fn read(
        &self,
        space: SpaceId,
        (from, to): (&[u8], &[u8]),
        wanted: (usize, usize),
        out: &mut Vec<Pair>,
    ) -> Result<Option<Box<dyn Cursor>>> {
        if space == CATALOG_SPACE {
            let mut cursor = self.scan(space, from, to, Order::Ascending, wanted.0)?;
            cursor.next_many(wanted.0, wanted.1, out)?;
            return Ok(Some(cursor));
        }
        // The handle keeps the database open while the iterator exists, so the iterator need not be registered. The
        // iterator is dropped first.
        let database = self.0.database.upgrade().ok_or_else(stale)?;
        if let Some(pairs) = row_read::read(&database, &self.0, space, (from, to), wanted.0)? {
            return pairs.take(wanted, out);
        }
        let range = Range { space, from, to, order: Order::Ascending };
        let Some(mut iter) = range.open(&self.0, &database)? else { return Ok(None) };
        let before = out.len();
        let taken = take_from(&mut iter, Order::Ascending, to, wanted, out);
        if !taken.map_err(|error| self.0.read_error(space, error))? {
            return Ok(None);
        }
        let last = out[before..].last().map_or(from, |(key, _)| &key[..]);
        let mut cursor = FjallCursor {
            seen: Arc::clone(&self.0),
            space,
            from: last.to_vec(),
            to: to.to_vec(),
            order: Order::Ascending,
            state: Arc::new(Mutex::new(CursorState::Active(iter))),
            id: 0,
        };
        cursor.id = database.cursors.add(&cursor.state);
        Ok(Some(Box::new(cursor)))
    }
}

/// An iterator over a range.
pub(super) enum RangeIter {
    Fjall(fjall::Iter),
    Merge(RangeMerge),
}

impl RangeIter {
    /// The next pair; in ascending order, only one below `to` unless that is empty.
    #[inline]
    fn next(&mut self, order: Order, to: &[u8]) -> Result<Option<Pair>> {
        let iter = match self {
            Self::Merge(merge) => return merge.next(),
            Self::Fjall(iter) => iter,
        };
        let item = match order {
            Order::Ascending => iter.next(),
            Order::Descending => iter.next_back(),
        };
        let Some(item) = item else { return Ok(None) };
        let (key, value) = item.into_inner().map_err(|error| failed("reading", error))?;
        let is_past_end = order == Order::Ascending && !to.is_empty() && &key[..] >= to;
        Ok((!is_past_end).then(|| (Bytes::from(key), Bytes::from(value))))
    }
}

/// A range of keys to iterate over.
struct Range<'a> {
    space: SpaceId,
    from: &'a [u8],
    to: &'a [u8],
    order: Order,
}

impl Range<'_> {
    /// An iterator over the range; `None` if the range is empty.
    fn open(&self, seen: &Seen, database: &Database) -> Result<Option<RangeIter>> {
        let Self { space, from, to, order } = *self;
        // fjall panics at upside-down bounds, and the key of fences is excluded as the lower one.
        if !to.is_empty() && (from >= to || to <= FENCE_KEY) {
            return Ok(None);
        }
        let (keyspace, reads, version) = database.keyspace_for_range(space, seen.view.seqno())?;
        reads.count();
        let lower = lower_bound(from);
        if order == Order::Ascending
            && space != CATALOG_SPACE
            && let Some(version) = version
        {
            return Ok(Some(RangeIter::Merge(RangeMerge::open(&version, &reads, seen.seqno(), (lower, to))?)));
        }
        let upper = match to.get(..KEY_BYTES_MAX) {
            _ if to.is_empty() || self.ends_itself(seen, database, &keyspace) => Bound::Unbounded,
            Some(longest) if longest.len() < to.len() => Bound::Included(longest),
            _ => Bound::Excluded(to),
        };
        Ok(Some(RangeIter::Fjall(seen.view.range::<&[u8], _>(&keyspace, (lower, upper)))))
    }

    /// Whether the iterator is opened without an upper bound, which is faster, because the cursor stops at the first
    /// key past it. fjall steps over tombstones and over what the snapshot does not see until it finds that key, so
    /// there must be none of them.
    fn ends_itself(&self, seen: &Seen, database: &Database, keyspace: &Keyspace) -> bool {
        // The catalog's reserved keys end its range, its keys are deleted and rewritten, and it is rarely read.
        self.order == Order::Ascending
            && self.space != CATALOG_SPACE
            && !database.tombstones.are_in(self.space, keyspace)
            && database.is_newest(&seen.view)
    }
}

/// The lower bound of a range from this key on.
fn lower_bound(from: &[u8]) -> Bound<&[u8]> {
    // fjall panics at a bound that is longer than the longest key. Such a bound sorts directly after its longest valid
    // prefix.
    match from.get(..KEY_BYTES_MAX) {
        Some(longest) if longest.len() < from.len() => Bound::Excluded(longest),
        _ if from <= FENCE_KEY => Bound::Excluded(FENCE_KEY),
        _ => Bound::Included(from),
    }
}

struct FjallCursor {
    seen: Arc<Seen>,
    space: SpaceId,
    /// The lower bound of the remaining range. In ascending order, after the first pair it is the last key returned.
    from: Vec<u8>,
    to: Vec<u8>,
    order: Order,
    state: Arc<Mutex<CursorState>>,
    id: u64,
}

impl FjallCursor {
    fn open_range(&self, database: &Database) -> Result<CursorState> {
        let range = Range { space: self.space, from: &self.from, to: &self.to, order: self.order };
        Ok(range.open(&self.seen, database)?.map_or(CursorState::Ended, CursorState::Active))
    }

    /// Makes all later calls fail. Returns the error of this one.
    fn fail(&self, mut state: MutexGuard<'_, CursorState>, error: Error) -> Error {
        *state = CursorState::Failed(error.again());
        drop(state);
        self.seen.read_error(self.space, error)
    }
}

impl Cursor for FjallCursor {
    fn next(&mut self) -> Result<Option<Pair>> {
        let mut out = Vec::with_capacity(1);
        self.next_many(1, usize::MAX, &mut out)?;
        Ok(out.pop())
    }

    fn next_many(&mut self, n: usize, bytes: usize, out: &mut Vec<Pair>) -> Result<()> {
        let mut state = self.state.lock();
        let iter = match &mut *state {
            CursorState::Active(iter) => iter,
            CursorState::Ended => return Ok(()),
            CursorState::Failed(error) => return Err(error.again()),
            CursorState::Stale => return Err(stale()),
        };
        let before = out.len();
        let taken = take_from(iter, self.order, &self.to, (n, bytes), out);
        if let Some((last, _)) = out[before..].last() {
            match self.order {
                Order::Ascending => last[..].clone_into(&mut self.from),
                Order::Descending => last[..].clone_into(&mut self.to),
            }
        }
        match taken {
            Ok(true) => Ok(()),
            Ok(false) => {
                *state = CursorState::Ended;
                Ok(())
            }
            Err(error) => Err(self.fail(state, error)),
        }
    }

    fn seek(&mut self, key: &[u8]) -> Result<()> {
        let mut state = self.state.lock();
        let iter = match &mut *state {
            CursorState::Active(iter) => iter,
            CursorState::Ended => return Ok(()),
            CursorState::Failed(error) => return Err(error.again()),
            CursorState::Stale => return Err(stale()),
        };
        let onward = match self.order {
            Order::Ascending => key > &self.from[..],
            Order::Descending => self.to.is_empty() || key < &self.to[..],
        };
        if !onward {
            return Ok(());
        }
        match self.order {
            Order::Ascending => key.clone_into(&mut self.from),
            Order::Descending if key.is_empty() => {
                // No key is before the empty one, which as an upper bound would mean no bound.
                *state = CursorState::Ended;
                return Ok(());
            }
            Order::Descending => key.clone_into(&mut self.to),
        }
        if let RangeIter::Merge(merge) = iter {
            let moved = merge.seek(lower_bound(&self.from));
            return moved.map_err(|error| self.fail(state, error));
        }
        // A database that is being closed waits for the lock of `state`. One that has been closed has set it to
        // `Stale`.
        let database = self.seen.database.upgrade().ok_or_else(stale)?;
        match self.open_range(&database) {
            Ok(opened) => *state = opened,
            Err(error) => return Err(self.fail(state, error)),
        }
        Ok(())
    }
}

/// Appends up to `n` pairs to `out`, the last one being that at which their size reaches `bytes`; in ascending order,
/// only pairs below `to` unless that is empty. Returns `false` at the end.
fn take_from(
    iter: &mut RangeIter,
    order: Order,
    to: &[u8],
    (n, bytes): (usize, usize),
    out: &mut Vec<Pair>,
) -> Result<bool> {
    let mut sum = 0;
    for _ in 0..n {
        let Some(pair) = iter.next(order, to)? else { return Ok(false) };
        sum += pair.0.len() + pair.1.len();
        out.push(pair);
        if sum >= bytes {
            break;
        }
    }
    Ok(true)
}

impl Drop for FjallCursor {
    fn drop(&mut self) {
        if let Some(database) = self.seen.database.upgrade() {
            database.cursors.remove(self.id);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::SpaceOptions;
    use crate::store::active_transaction::Write;
    use crate::store::fjall::StoreOptions;
    use crate::store::fjall::database::Patience;
    use crate::store::fjall::reopenable_database::ReopenableDatabase;
    use crate::store::folder::Folder;

    /// A transaction that reads many columns one by one would otherwise step over all rows that others write meanwhile,
    /// for each column.
    #[test]
    fn iterators_of_old_snapshots_have_an_upper_bound() {
        const SPACE: SpaceId = 7;
        let folder = tempfile::tempdir().unwrap();
        let holder =
            ReopenableDatabase::open(Folder::open(&folder.path().join("db")).unwrap(), StoreOptions::default())
                .unwrap();
        let database = holder.database().unwrap();
        database.create(SPACE, &SpaceOptions::default()).unwrap();
        let write = |key: &'static str| {
            let key = Bytes::from_static(key.as_bytes());
            let mut writes = vec![Write { space: SPACE, key, value: Some(Bytes::new()) }];
            database.commit(&mut writes, 1, Patience::Unlimited).unwrap();
        };
        let ends_itself = |seen: &Arc<Seen>| {
            let range = Range { space: SPACE, from: b"a", to: b"b", order: Order::Ascending };
            range.ends_itself(seen, &database, &database.keyspace(SPACE).unwrap())
        };
        write("c");
        let seen = Arc::new(Seen::now(&database));
        assert!(ends_itself(&seen));
        {
            let _committing = database.committing.lock();
            assert!(!ends_itself(&seen), "a commit is being applied");
        }
        write("d");
        assert!(!ends_itself(&seen), "the snapshot is old");
        assert!(ends_itself(&Arc::new(Seen::now(&database))));
    }
}
