//! A cached row: a snapshot of one row as it is stored, in memory of its own.

use std::sync::{Arc, OnceLock};

use bytes::{Bytes, BytesMut};

use crate::catalog::Family;
use crate::cell::{Cell, Row};
use crate::error::Result;
use crate::store::{Cursor, Order, Pair, Snapshot, SpaceId};
use crate::value;

/// A larger row is not cached.
const BYTES_MAX: usize = 16 * 1024;
/// Memory that a pair takes besides its bytes, including its cell in the remembered answer.
const PAIR_BYTES: usize = 2 * size_of::<Bytes>() + size_of::<Cell>();

/// One row as it is stored: its pairs by family, ascending.
pub(crate) struct CachedRow {
    /// The table's families when the row was read.
    families: Arc<[Family]>,
    /// The pairs of each family, in the order of `families`.
    pairs: Vec<Arc<[Pair]>>,
    bytes: usize,
    /// No cell of it expires: the same cells stay visible until it is written.
    timeless: bool,
    /// The answer to a get of the whole row, if it is timeless.
    answer: OnceLock<Row>,
}

impl CachedRow {
    /// Reads the row whose keys lie in `from <= key < to` in these families. `None`: it is too large to be cached.
    ///
    /// # Errors
    /// Those of the store.
    pub(crate) fn read(
        snapshot: &Arc<dyn Snapshot>,
        families: &Arc<[Family]>,
        from: &[u8],
        to: &[u8],
    ) -> Result<Option<Self>> {
        let mut found = Vec::new();
        let mut bytes = 0;
        let mut timeless = true;
        for family in families.iter() {
            timeless &= family.rules.ttl_ms == i64::MAX;
            let mut pairs = Vec::new();
            let mut cursor = snapshot.scan(family.space, from, to, Order::Ascending, 1)?;
            while let Some((key, value)) = cursor.next()? {
                bytes += key.len() + value.len() + PAIR_BYTES;
                if bytes > BYTES_MAX {
                    return Ok(None);
                }
                timeless &= value::is_plain(&value);
                pairs.push((key, value));
            }
            found.push(pairs);
        }
        // Copied, because a pair from the store keeps a whole block of a file in memory.
        let mut all = BytesMut::with_capacity(bytes);
        for (key, value) in found.iter().flatten() {
            all.extend_from_slice(key);
            all.extend_from_slice(value);
        }
        let mut all = all.freeze();
        let mut own = |(key, value): Pair| (all.split_to(key.len()), all.split_to(value.len()));
        let pairs = found.into_iter().map(|pairs| pairs.into_iter().map(&mut own).collect()).collect();
        let bytes = bytes + size_of::<Self>();
        Ok(Some(Self { families: Arc::clone(families), pairs, bytes, timeless, answer: OnceLock::new() }))
    }

    /// Whether it was read with these families. Compares identity: every change of a table makes new ones.
    pub(crate) fn is_of(&self, families: &Arc<[Family]>) -> bool {
        Arc::ptr_eq(&self.families, families)
    }

    /// The remembered answer to a get of the newest versions of the whole row.
    pub(crate) fn answer(&self) -> Option<&Row> {
        self.answer.get()
    }

    /// Remembers the answer to such a get, unless cells of it expire.
    pub(crate) fn remember(&self, answer: &Row) {
        if self.timeless {
            // Concurrent readers compute the same answer, so the first one may stay.
            let _ = self.answer.set(answer.clone());
        }
    }

    /// The memory that it takes, in bytes.
    pub(crate) fn bytes(&self) -> usize {
        self.bytes
    }

    fn pairs(&self, space: SpaceId) -> Arc<[Pair]> {
        let at = self.families.iter().position(|own| own.space == space);
        at.map_or_else(|| Arc::from([]), |at| Arc::clone(&self.pairs[at]))
    }
}

impl Snapshot for CachedRow {
    fn get(&self, space: SpaceId, key: &[u8]) -> Result<Option<Bytes>> {
        let pairs = self.pairs(space);
        Ok(pairs.binary_search_by(|(own, _)| own[..].cmp(key)).ok().map(|at| pairs[at].1.clone()))
    }

    fn scan(&self, space: SpaceId, from: &[u8], to: &[u8], order: Order, _fetch: usize) -> Result<Box<dyn Cursor>> {
        let pairs = self.pairs(space);
        // Fast path: the range usually covers the whole row, which its first and last key show.
        let first = pairs.first().is_none_or(|(key, _)| key[..] >= *from);
        let from = if first { 0 } else { pairs.partition_point(|(key, _)| key[..] < *from) };
        let last = to.is_empty() || pairs.last().is_none_or(|(key, _)| key[..] < *to);
        let to = if last { pairs.len() } else { pairs.partition_point(|(key, _)| key[..] < *to).max(from) };
        Ok(Box::new(CachedRowCursor { pairs, from, to, order }))
    }
}

/// A cursor over a cached row. The pairs in `from..to` are left.
struct CachedRowCursor {
    pairs: Arc<[Pair]>,
    from: usize,
    to: usize,
    order: Order,
}

impl Cursor for CachedRowCursor {
    fn next(&mut self) -> Result<Option<Pair>> {
        if self.from >= self.to {
            return Ok(None);
        }
        let at = match self.order {
            Order::Ascending => {
                self.from += 1;
                self.from - 1
            }
            Order::Descending => {
                self.to -= 1;
                self.to
            }
        };
        Ok(Some(self.pairs[at].clone()))
    }

    fn seek(&mut self, key: &[u8]) -> Result<()> {
        let ahead = &self.pairs[self.from..self.to];
        let at = self.from + ahead.partition_point(|(own, _)| own[..] < *key);
        match self.order {
            Order::Ascending => self.from = at,
            Order::Descending => self.to = at,
        }
        Ok(())
    }
}
