//! A cached row: the families of one row that have been requested, in separately allocated memory, as a minor
//! compaction would leave them in the store.

use std::sync::{Arc, OnceLock};

use bytes::{Bytes, BytesMut};

use crate::catalog::Family;
use crate::cell::{Cell, CellKind, Row};
use crate::compaction::CellFilter;
use crate::error::Result;
use crate::key;
use crate::store::{CompactionFilter, Cursor, Order, Pair, Snapshot, SpaceId, Verdict};
use crate::value;

/// A family that has more bytes in a row is not cached.
const FAMILY_BYTES_MAX: usize = 20 * 1024;
/// A family that has more bytes to examine, including versions that no get returns, is not cached.
const EXAMINED_BYTES_MAX: usize = 4 * FAMILY_BYTES_MAX;
/// The pairs, and their bytes, after which a cursor reads the rest of a family. Most families of a row have fewer.
const FIRST_PAIRS: usize = 8;
const FIRST_BYTES: usize = 4 << 10;
/// After this number of such versions of a column, the next column is sought instead.
const STEPS_MAX: usize = 4;
/// Families are added to a cached row while it is smaller than this.
const ROW_BYTES_MAX: usize = 112 * 1024;
/// If a row has at most this number of pairs, all of them are read, even if a get requests only some.
const SMALL_PAIRS_MAX: usize = 16;
/// The list of families counts towards each row if it is longer than this. Rows of a table share it, but a row may be
/// the last that refers to it, after the table has been altered or dropped.
const FEW_FAMILIES: usize = 4;
/// Memory that a pair takes in addition to its bytes, including its cell in the remembered answer. The last term is for
/// the headers and the rounding of allocations, measured as resident memory.
const PAIR_BYTES: usize = 2 * size_of::<Bytes>() + size_of::<Cell>() + 40;

/// One row, with those of its families that have been read.
pub(crate) struct CachedRow {
    /// The table's families when the row was read.
    families: Arc<[Family]>,
    /// The cached part of each family, in the order of `families`.
    slots: Vec<Slot>,
    bytes: usize,
    /// Whether no cell of the row expires: the same cells stay visible until the row is written.
    timeless: bool,
    /// The answer to a get of the whole row, if it is timeless and all families are cached.
    answer: OnceLock<Arc<Row>>,
}

/// The cached part of one family of a row.
#[derive(Clone)]
enum Slot {
    /// Nothing is cached, because the family has not been requested.
    Unread,
    /// Nothing is cached, because the family has too many bytes or a delete marker.
    TooLarge,
    /// The pairs that a get of the newest versions may return, now or later, in ascending order.
    Pairs(Arc<[Pair]>),
}

impl CachedRow {
    /// A row of which nothing is cached.
    pub(crate) fn unread(families: &Arc<[Family]>) -> Self {
        Self {
            families: Arc::clone(families),
            slots: vec![Slot::Unread; families.len()],
            bytes: size_of::<Self>() + families.len() * size_of::<Slot>() + families_bytes(families),
            timeless: families.iter().all(|family| family.rules.ttl_ms == i64::MAX),
            answer: OnceLock::new(),
        }
    }

    /// A row that has these pairs in its families.
    pub(super) fn of(families: &Arc<[Family]>, pairs: Vec<Vec<Pair>>) -> Self {
        let mut row = Self::unread(families);
        for (slot, pairs) in row.slots.iter_mut().zip(pairs) {
            let (bytes, added) = pairs_bytes(&pairs);
            row.bytes += bytes + added;
            row.timeless &= pairs.iter().all(|(_, value)| value::is_plain(value));
            *slot = Slot::Pairs(own(pairs));
        }
        row
    }

    /// Whether no cell of the row expires.
    pub(super) fn is_timeless(&self) -> bool {
        self.timeless
    }

    /// The families, with the pairs of those that are cached.
    pub(super) fn whole_families(&self) -> impl Iterator<Item = (&Family, Option<&[Pair]>)> {
        self.families.iter().zip(&self.slots).map(|(family, slot)| match slot {
            Slot::Pairs(pairs) => (family, Some(&pairs[..])),
            Slot::Unread | Slot::TooLarge => (family, None),
        })
    }

    /// This row with the families that `wanted` selects, unless they are too large. `None` if that would change
    /// nothing.
    ///
    /// # Errors
    /// Those of the source.
    pub(crate) fn with(&self, wanted: impl Fn(SpaceId) -> bool, source: &RowSource<'_>) -> Result<Option<Self>> {
        let mut row: Option<Self> = None;
        for (at, family) in self.families.iter().enumerate() {
            if !matches!(self.slots[at], Slot::Unread) || !wanted(family.space) {
                continue;
            }
            let row = row.get_or_insert_with(|| self.without_answer());
            row.slots[at] = match read_family(family, source)? {
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

    /// This row after a transaction that has written these pairs, at the time `now_ms`. `None` if the new state is
    /// unknown or too large.
    ///
    /// A put adds to the cached pairs. A delete may uncover a version that they do not contain.
    pub(crate) fn after(&self, writes: &[(SpaceId, Pair)], now_ms: i64) -> Option<Self> {
        let mut row = self.without_answer();
        row.timeless = true;
        for (family, slot) in self.families.iter().zip(&mut row.slots) {
            row.timeless &= family.rules.ttl_ms == i64::MAX;
            let Slot::Pairs(old) = slot else { continue };
            let mut new = writes.iter().filter(|(space, _)| *space == family.space).map(|(_, pair)| pair).peekable();
            if new.peek().is_some() {
                let (pairs, bytes) = merge(family, old, new, now_ms)?;
                let (before, added) = pairs_bytes(old);
                row.bytes = row.bytes - before - added + bytes;
                *old = pairs;
            }
            row.timeless &= old.iter().all(|(_, value)| value::is_plain(value));
        }
        (row.bytes <= ROW_BYTES_MAX).then_some(row)
    }

    fn without_answer(&self) -> Self {
        Self {
            families: Arc::clone(&self.families),
            slots: self.slots.clone(),
            bytes: self.bytes,
            timeless: self.timeless,
            answer: OnceLock::new(),
        }
    }

    /// Whether all families that `wanted` selects are cached.
    pub(crate) fn has(&self, wanted: impl Fn(SpaceId) -> bool) -> bool {
        let mut slots = self.families.iter().zip(&self.slots);
        slots.all(|(family, slot)| matches!(slot, Slot::Pairs(_)) || !wanted(family.space))
    }

    /// Whether every family is too large to be cached.
    pub(crate) fn is_too_large(&self) -> bool {
        self.slots.iter().all(|slot| matches!(slot, Slot::TooLarge))
    }

    /// The table's families when the row was read.
    pub(super) fn families(&self) -> &Arc<[Family]> {
        &self.families
    }

    /// The remembered answer to a get of the newest versions of the whole row.
    pub(crate) fn answer(&self) -> Option<&Arc<Row>> {
        self.answer.get()
    }

    /// Remembers the answer to such a get, unless cells of it expire.
    pub(crate) fn remember(&self, answer: &Row) {
        if self.timeless && self.has(|_| true) {
            // Concurrent readers compute the same answer, so the first one may stay.
            let _ = self.answer.set(Arc::new(answer.clone()));
        }
    }

    /// Whether the answer can be remembered, is not remembered yet, and takes little time to compute.
    pub(crate) fn is_small(&self) -> bool {
        let pairs = |slot: &Slot| if let Slot::Pairs(pairs) = slot { Some(pairs.len()) } else { None };
        let all = self.slots.iter().map(pairs).sum::<Option<usize>>();
        self.timeless && self.answer.get().is_none() && all.is_some_and(|all| all <= SMALL_PAIRS_MAX)
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

/// Where a row is read from to be cached.
pub(crate) struct RowSource<'a> {
    /// Must show the row as it was when it was looked up.
    pub(crate) snapshot: &'a Arc<dyn Snapshot>,
    /// The bounds of the row's keys: `from <= key < to`.
    pub(crate) from: &'a [u8],
    pub(crate) to: &'a [u8],
    /// The time of the database, in milliseconds. Reads of the cached row are at this time or later.
    pub(crate) now_ms: i64,
    /// Called with numbers of seeks and of pairs left out. Fails if they exceed the caller's limit on work.
    pub(crate) charge: &'a dyn Fn(usize, usize) -> Result<()>,
    /// The bytes of the expired values that have been read.
    pub(crate) garbage: &'a std::cell::Cell<u64>,
}

/// The memory of a list of families that counts towards each row, in bytes.
fn families_bytes(families: &[Family]) -> usize {
    if families.len() <= FEW_FAMILIES {
        return 0;
    }
    families.iter().map(|family| size_of::<Family>() + family.name.len()).sum()
}

/// The memory that a cached pair takes, in bytes. The remembered answer has a copy of the names in the key.
fn pair_bytes((key, value): &Pair) -> usize {
    2 * key.len() + value.len() + PAIR_BYTES
}

/// The memory that the cached pairs of a family take, in bytes: the sum of [`pair_bytes`], and what the allocator adds,
/// since their keys and values are in one allocation.
fn pairs_bytes(pairs: &[Pair]) -> (usize, usize) {
    let sum = pairs.iter().map(pair_bytes).sum();
    let content = pairs.iter().map(|(key, value)| key.len() + value.len()).sum();
    (sum, allocated(content) - content)
}

/// The memory of an allocation with jemalloc, in bytes: it has four sizes for each doubling, and those above 14 KiB
/// take a page more.
pub(super) fn allocated(bytes: usize) -> usize {
    const SMALL_MAX: usize = 14 << 10;
    const PAGE: usize = 4 << 10;
    if bytes <= 64 {
        return bytes;
    }
    let rounded = bytes.next_multiple_of(1 << ((bytes - 1).ilog2() - 2));
    if rounded > SMALL_MAX { rounded + PAGE } else { rounded }
}

/// The pairs of one family of a row that have to be cached, and their size in bytes. `None` if they are too large.
///
/// Values that a compaction may drop are left out. Otherwise a row that is written often would soon be too large.
///
/// A family with a delete marker in the row is not cached, as if it were too large. A major compaction drops the
/// marker, and a value with an older timestamp that is not part of the compaction, because it was put meanwhile,
/// becomes visible then.
fn read_family(family: &Family, source: &RowSource<'_>) -> Result<Option<(Arc<[Pair]>, usize)>> {
    let mut pairs = Vec::new();
    let (mut bytes, mut examined, mut steps) = (0, 0, 0);
    let mut filter = CellFilter::new(family.rules, false, source.now_ms);
    let mut first = Vec::new();
    let range = (source.from, source.to);
    let mut cursor = source.snapshot.read(family.space, range, (FIRST_PAIRS, FIRST_BYTES), &mut first)?;
    let mut first = first.into_iter().peekable();
    loop {
        let next = match (first.next(), &mut cursor) {
            (None, Some(cursor)) => cursor.next()?,
            (next, _) => next,
        };
        let Some(pair) = next else { break };
        examined += pair_bytes(&pair);
        if filter.filter(&pair.0, &pair.1) == Verdict::Drop {
            if is_expired(family, &pair, source.now_ms) {
                source.garbage.set(source.garbage.get() + (pair.0.len() + pair.1.len()) as u64);
            }
            if examined > EXAMINED_BYTES_MAX {
                return Ok(None);
            }
            (source.charge)(0, 1)?;
            steps += 1;
            if steps >= STEPS_MAX
                && let Some(column) = filter.full_column()
            {
                (source.charge)(1, 0)?;
                let next = key::prefix_end(column);
                while first.next_if(|(key, _)| key[..] < next[..]).is_some() {}
                if let (None, Some(cursor)) = (first.peek(), &mut cursor) {
                    cursor.seek(&next)?;
                }
                steps = 0;
            }
            continue;
        }
        if !is_put(&pair.0).unwrap_or(false) {
            return Ok(None);
        }
        steps = 0;
        bytes += pair_bytes(&pair);
        if bytes > FAMILY_BYTES_MAX {
            return Ok(None);
        }
        pairs.push(pair);
    }
    let (bytes, added) = pairs_bytes(&pairs);
    Ok(Some((own(pairs), bytes + added)))
}

/// The cached pairs of one family of a row after `new` has been written, and the bytes that they take. `None`: too
/// many, or a version may become visible, now or later, that the cached pairs do not contain, because of a delete
/// marker or of a value that expires in place of one that does not.
fn merge<'a>(
    family: &Family,
    old: &[Pair],
    new: impl Iterator<Item = &'a Pair>,
    now_ms: i64,
) -> Option<(Arc<[Pair]>, usize)> {
    let mut all = old.to_vec();
    for pair in new {
        if !is_put(&pair.0).unwrap_or(false) {
            return None;
        }
        match all.binary_search_by(|(key, _)| key.cmp(&pair.0)) {
            Ok(at) if value::is_plain(&pair.1) => all[at] = pair.clone(),
            Ok(_) => return None,
            Err(at) => all.insert(at, pair.clone()),
        }
    }
    let mut filter = CellFilter::new(family.rules, false, now_ms);
    all.retain(|(key, value)| filter.filter(key, value) == Verdict::Keep);
    let (bytes, added) = pairs_bytes(&all);
    (bytes <= FAMILY_BYTES_MAX).then(|| (own(all), bytes + added))
}

/// Whether a pair is a value that has expired.
fn is_expired(family: &Family, (key, stored): &Pair, now_ms: i64) -> bool {
    let Ok(Some((CellKind::Put, timestamp))) = key::row_prefix_len(key).map(|row| key::version_of_column(key, row))
    else {
        return false;
    };
    family.rules.is_expired(timestamp, now_ms) || value::is_expired(stored, timestamp, now_ms).unwrap_or(false)
}

fn is_put(key: &[u8]) -> Result<bool> {
    let row = key::row_prefix_len(key)?;
    let Some(column) = key::column_prefix_len(key, row)? else { return Ok(false) };
    Ok(key::kind_and_time(key, column)?.0 == CellKind::Put)
}

/// Copies of these pairs. A pair from the store keeps a whole block of a file in memory.
fn own(pairs: Vec<Pair>) -> Arc<[Pair]> {
    let mut all = BytesMut::with_capacity(pairs.iter().map(|(key, value)| key.len() + value.len()).sum());
    for (key, value) in &pairs {
        all.extend_from_slice(key);
        all.extend_from_slice(value);
    }
    let mut all = all.freeze();
    pairs.into_iter().map(|(key, value)| (all.split_to(key.len()), all.split_to(value.len()))).collect()
}

/// A row that is read partly from the cache and partly, where families are not cached, from a snapshot of the same
/// state.
pub(crate) struct PartlyCachedRow {
    /// The cached families.
    pub(crate) row: Arc<CachedRow>,
    /// The source of the other families.
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
