//! A cached row: the families of one row that have been requested, as they are stored, in separately allocated memory.

use std::sync::{Arc, OnceLock};

use bytes::{Bytes, BytesMut};

use crate::catalog::Family;
use crate::cell::{Cell, Row};
use crate::error::Result;
use crate::store::{Cursor, Order, Pair, Snapshot, SpaceId};
use crate::value;

/// A family with more bytes in a row is not cached.
const FAMILY_BYTES_MAX: usize = 16 * 1024;
/// Families are added to a cached row while it is smaller than this.
const ROW_BYTES_MAX: usize = 64 * 1024;
/// Memory that a pair takes in addition to its bytes, including its cell in the remembered answer.
const PAIR_BYTES: usize = 2 * size_of::<Bytes>() + size_of::<Cell>();

/// One row as it is stored, as far as its families have been read.
pub(crate) struct CachedRow {
    /// The table's families when the row was read.
    families: Arc<[Family]>,
    /// The cached part of each family, in the order of `families`.
    slots: Vec<Slot>,
    bytes: usize,
    /// No cell of it expires: the same cells stay visible until it is written.
    timeless: bool,
    /// The answer to a get of the whole row, if it is timeless and all families are cached.
    answer: OnceLock<Row>,
}

/// The cached part of one family of a row.
#[derive(Clone)]
enum Slot {
    /// Nothing: it has not been requested.
    Unread,
    /// Nothing: it has too many bytes.
    TooLarge,
    /// All of its pairs, ascending.
    Pairs(Arc<[Pair]>),
}

impl CachedRow {
    /// A row of which nothing is cached.
    pub(crate) fn unread(families: &Arc<[Family]>) -> Self {
        Self {
            families: Arc::clone(families),
            slots: vec![Slot::Unread; families.len()],
            bytes: size_of::<Self>() + families.len() * size_of::<Slot>(),
            timeless: families.iter().all(|family| family.rules.ttl_ms == i64::MAX),
            answer: OnceLock::new(),
        }
    }

    /// This row with those of its families cached that `wanted` names and that are not too large. `None`: it would be
    /// the same. The row's keys lie in `from <= key < to`, and the snapshot must show the row as it was when it was
    /// cached.
    ///
    /// # Errors
    /// Those of the store.
    pub(crate) fn with(
        &self,
        wanted: impl Fn(SpaceId) -> bool,
        snapshot: &Arc<dyn Snapshot>,
        from: &[u8],
        to: &[u8],
    ) -> Result<Option<Self>> {
        let mut row: Option<Self> = None;
        for (at, family) in self.families.iter().enumerate() {
            if !matches!(self.slots[at], Slot::Unread) || !wanted(family.space) {
                continue;
            }
            let row = row.get_or_insert_with(|| Self {
                families: Arc::clone(&self.families),
                slots: self.slots.clone(),
                bytes: self.bytes,
                timeless: self.timeless,
                answer: OnceLock::new(),
            });
            row.slots[at] = match read_family(snapshot, family.space, from, to)? {
                Some((pairs, bytes)) if row.bytes + bytes <= ROW_BYTES_MAX => {
                    row.bytes += bytes;
                    row.timeless &= pairs.iter().all(|(_, value)| value::is_plain(value));
                    Slot::Pairs(pairs)
                }
                _ => Slot::TooLarge,
            };
        }
        Ok(row)
    }

    /// Whether all families that `wanted` names are cached.
    pub(crate) fn has(&self, wanted: impl Fn(SpaceId) -> bool) -> bool {
        let mut slots = self.families.iter().zip(&self.slots);
        slots.all(|(family, slot)| matches!(slot, Slot::Pairs(_)) || !wanted(family.space))
    }

    /// Whether every family is too large to be cached.
    pub(crate) fn is_too_large(&self) -> bool {
        self.slots.iter().all(|slot| matches!(slot, Slot::TooLarge))
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
        if self.timeless && self.has(|_| true) {
            // Concurrent readers compute the same answer, so the first one may stay.
            let _ = self.answer.set(answer.clone());
        }
    }

    /// The memory that it takes, in bytes.
    pub(crate) fn bytes(&self) -> usize {
        self.bytes
    }

    fn pairs(&self, space: SpaceId) -> Option<&Arc<[Pair]>> {
        let at = self.families.iter().position(|own| own.space == space)?;
        if let Slot::Pairs(pairs) = &self.slots[at] { Some(pairs) } else { None }
    }
}

/// The pairs of one family of a row, in separately allocated memory, and the bytes that they take. `None`: too many.
fn read_family(
    snapshot: &Arc<dyn Snapshot>,
    space: SpaceId,
    from: &[u8],
    to: &[u8],
) -> Result<Option<(Arc<[Pair]>, usize)>> {
    let mut pairs = Vec::new();
    let mut bytes = 0;
    let mut cursor = snapshot.scan(space, from, to, Order::Ascending, 1)?;
    while let Some((key, value)) = cursor.next()? {
        bytes += key.len() + value.len() + PAIR_BYTES;
        if bytes > FAMILY_BYTES_MAX {
            return Ok(None);
        }
        pairs.push((key, value));
    }
    // Copied, because a pair from the store keeps a whole block of a file in memory.
    let mut all = BytesMut::with_capacity(bytes);
    for (key, value) in &pairs {
        all.extend_from_slice(key);
        all.extend_from_slice(value);
    }
    let mut all = all.freeze();
    let own = |(key, value): Pair| (all.split_to(key.len()), all.split_to(value.len()));
    Ok(Some((pairs.into_iter().map(own).collect(), bytes)))
}

/// A row that is read partly from the cache and partly, where families are not cached, from a snapshot of the same
/// state.
pub(crate) struct PartlyCachedRow {
    /// The cached families.
    pub(crate) row: Arc<CachedRow>,
    /// The source of the others.
    pub(crate) rest: Option<Arc<dyn Snapshot>>,
}

impl Snapshot for PartlyCachedRow {
    fn get(&self, space: SpaceId, key: &[u8]) -> Result<Option<Bytes>> {
        match (self.row.pairs(space), &self.rest) {
            (Some(pairs), _) => {
                Ok(pairs.binary_search_by(|(own, _)| own[..].cmp(key)).ok().map(|at| pairs[at].1.clone()))
            }
            (None, Some(rest)) => rest.get(space, key),
            (None, None) => Ok(None),
        }
    }

    fn scan(&self, space: SpaceId, from: &[u8], to: &[u8], order: Order, fetch: usize) -> Result<Box<dyn Cursor>> {
        let pairs = match (self.row.pairs(space), &self.rest) {
            (Some(pairs), _) => Arc::clone(pairs),
            (None, Some(rest)) => return rest.scan(space, from, to, order, fetch),
            (None, None) => Arc::from([]),
        };
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
