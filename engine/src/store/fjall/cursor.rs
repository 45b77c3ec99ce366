//! Snapshots of a database and walks through them.
//!
//! They hold no handle that would keep the database open: closing ends them. A cursor's iterator does hold files, and drops those that
//! compactions have replaced; left alive over a reopening it could take away a new file of the same name. So closing takes the iterators
//! out of their cursors.

use std::ops::Bound;
use std::sync::{Arc, Weak};

use bytes::Bytes;
use fjall::{Keyspace, Readable};
use parking_lot::Mutex;

use super::clock_mark::RESERVED;
use super::cursors::Walk;
use super::database::Database;
use super::failure::failed;
use crate::error::{Error, ErrorKind, Result};
use crate::store::running::KEY_BYTES_MAX;
use crate::store::{CATALOG_SPACE, Cursor, Order, Pair, Snapshot, SpaceId};

pub(super) fn stale() -> Error {
    Error::new(ErrorKind::Stale, "the database was closed or reopened since this was begun; begin anew")
}

/// What was there at one moment.
pub(super) struct FjallSnapshot {
    database: Weak<Database>,
    view: Arc<fjall::Snapshot>,
}

impl FjallSnapshot {
    pub fn new(database: &Arc<Database>) -> Self {
        Self { database: Arc::downgrade(database), view: database.view() }
    }
}

impl Snapshot for FjallSnapshot {
    fn get(&self, space: SpaceId, key: &[u8]) -> Result<Option<Bytes>> {
        let database = self.database.upgrade().ok_or_else(stale)?;
        // fjall panics at keys that no store can hold.
        let hidden = space == CATALOG_SPACE && key >= RESERVED;
        if hidden || key.is_empty() || key.len() > KEY_BYTES_MAX {
            return database.keyspace(space).map(|_| None);
        }
        let keyspace = database.keyspace(space)?;
        let value = self.view.get(&keyspace, key).map_err(|error| failed("reading", error))?;
        Ok(value.map(Bytes::from))
    }

    fn scan(&self, space: SpaceId, from: &[u8], to: &[u8], order: Order, _fetch: usize) -> Result<Box<dyn Cursor>> {
        let database = self.database.upgrade().ok_or_else(stale)?;
        let to = if space == CATALOG_SPACE && (to.is_empty() || to > RESERVED) { RESERVED } else { to };
        let mut cursor = FjallCursor {
            database: Weak::clone(&self.database),
            view: Arc::clone(&self.view),
            space,
            from: from.to_vec(),
            to: to.to_vec(),
            order,
            walk: Arc::new(Mutex::new(Walk::Ended)),
            id: 0,
        };
        *cursor.walk.lock() = cursor.walk_on(&database)?;
        cursor.id = database.cursors.add(&cursor.walk);
        Ok(Box::new(cursor))
    }
}

struct FjallCursor {
    database: Weak<Database>,
    view: Arc<fjall::Snapshot>,
    space: SpaceId,
    /// The range that is left for a seek: `from` is included, or was the last key taken (seeking to it again is going back).
    from: Vec<u8>,
    to: Vec<u8>,
    order: Order,
    walk: Arc<Mutex<Walk>>,
    id: u64,
}

impl FjallCursor {
    fn walk_on(&self, database: &Database) -> Result<Walk> {
        if !self.to.is_empty() && self.from >= self.to {
            return Ok(Walk::Ended);
        }
        let keyspace = database.keyspace(self.space)?;
        // A bound longer than any key lies directly after the longest key that it begins with.
        let from = match self.from.get(..KEY_BYTES_MAX) {
            Some(longest) if longest.len() < self.from.len() => Bound::Excluded(longest),
            _ => Bound::Included(&self.from[..]),
        };
        let to = match self.to.get(..KEY_BYTES_MAX) {
            _ if self.to.is_empty() || self.ends_itself(database, &keyspace) => Bound::Unbounded,
            Some(longest) if longest.len() < self.to.len() => Bound::Included(longest),
            _ => Bound::Excluded(&self.to[..]),
        };
        Ok(Walk::Under(self.view.range::<&[u8], _>(&keyspace, (from, to))))
    }

    /// Whether the iterator is opened without an upper bound, because the cursor stops at the first key past it.
    fn ends_itself(&self, database: &Database, keyspace: &Keyspace) -> bool {
        // The keys of the catalog that this hides are deleted and rewritten, and its reads are rare.
        self.order == Order::Ascending
            && self.space != CATALOG_SPACE
            && !database.tombstones.are_in(self.space, keyspace)
    }
}

impl Cursor for FjallCursor {
    fn next(&mut self) -> Result<Option<Pair>> {
        let mut out = Vec::with_capacity(1);
        self.next_many(1, &mut out)?;
        Ok(out.pop())
    }

    fn next_many(&mut self, n: usize, out: &mut Vec<Pair>) -> Result<()> {
        let mut walk = self.walk.lock();
        let iter = match &mut *walk {
            Walk::Under(iter) => iter,
            Walk::Ended => return Ok(()),
            Walk::Stale => return Err(stale()),
        };
        let before = out.len();
        let taken = take_from(iter, self.order, &self.to, n, out);
        if let Some((last, _)) = out[before..].last() {
            match self.order {
                Order::Ascending => last[..].clone_into(&mut self.from),
                Order::Descending => last[..].clone_into(&mut self.to),
            }
        }
        if matches!(taken, Ok(false)) {
            *walk = Walk::Ended;
        }
        taken.map(|_| ())
    }

    fn seek(&mut self, key: &[u8]) -> Result<()> {
        let mut walk = self.walk.lock();
        match &*walk {
            Walk::Under(_) => {}
            Walk::Ended => return Ok(()),
            Walk::Stale => return Err(stale()),
        }
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
                // Nothing is before the empty key, and as a bound it would mean no bound.
                *walk = Walk::Ended;
                return Ok(());
            }
            Order::Descending => key.clone_into(&mut self.to),
        }
        // While this holds the walk, closing waits to take it out; and a database that is gone has taken it out already.
        let database = self.database.upgrade().ok_or_else(stale)?;
        *walk = self.walk_on(&database)?;
        Ok(())
    }
}

/// Moves up to `n` pairs to `out`, in ascending order only those below `to` (empty: all). `false`: there are no more.
fn take_from(iter: &mut fjall::Iter, order: Order, to: &[u8], n: usize, out: &mut Vec<Pair>) -> Result<bool> {
    for _ in 0..n {
        let item = match order {
            Order::Ascending => iter.next(),
            Order::Descending => iter.next_back(),
        };
        let Some(item) = item else { return Ok(false) };
        let (key, value) = item.into_inner().map_err(|error| failed("reading", error))?;
        if order == Order::Ascending && !to.is_empty() && &key[..] >= to {
            return Ok(false);
        }
        out.push((Bytes::from(key), Bytes::from(value)));
    }
    Ok(true)
}

impl Drop for FjallCursor {
    fn drop(&mut self) {
        if let Some(database) = self.database.upgrade() {
            database.cursors.remove(self.id);
        }
    }
}
