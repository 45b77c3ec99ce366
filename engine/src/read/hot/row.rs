//! One row as it is stored, in memory of its own: a snapshot of that row and nothing else.

use std::sync::Arc;

use bytes::{Bytes, BytesMut};

use crate::error::Result;
use crate::store::{Cursor, Order, Pair, Snapshot, SpaceId};

/// A larger row is not kept.
const BYTES_MAX: usize = 16 * 1024;
/// What a pair takes besides its bytes.
const PAIR_BYTES: usize = 2 * size_of::<Bytes>();

/// A row's pairs, family by family, ascending.
pub(crate) struct HotRow {
    families: Vec<(SpaceId, Arc<[Pair]>)>,
    bytes: usize,
}

impl HotRow {
    /// Reads the row whose keys lie in `from <= key < to` in these spaces; `None`: it is too large to be kept.
    ///
    /// # Errors
    /// Those of the store.
    pub(crate) fn read(
        snapshot: &Arc<dyn Snapshot>,
        spaces: impl Iterator<Item = SpaceId>,
        from: &[u8],
        to: &[u8],
    ) -> Result<Option<Self>> {
        let mut found = Vec::new();
        let mut bytes = 0;
        for space in spaces {
            let mut pairs = Vec::new();
            let mut cursor = snapshot.scan(space, from, to, Order::Ascending, 1)?;
            while let Some((key, value)) = cursor.next()? {
                bytes += key.len() + value.len() + PAIR_BYTES;
                if bytes > BYTES_MAX {
                    return Ok(None);
                }
                pairs.push((key, value));
            }
            found.push((space, pairs));
        }
        // Memory of its own: the pairs as they came hold whole blocks of files.
        let mut all = BytesMut::with_capacity(bytes);
        for (key, value) in found.iter().flat_map(|(_, pairs)| pairs) {
            all.extend_from_slice(key);
            all.extend_from_slice(value);
        }
        let mut all = all.freeze();
        let mut own = |(key, value): Pair| (all.split_to(key.len()), all.split_to(value.len()));
        let families =
            found.into_iter().map(|(space, pairs)| (space, pairs.into_iter().map(&mut own).collect())).collect();
        Ok(Some(Self { families, bytes: bytes + size_of::<Self>() }))
    }

    /// Whether it has what is stored in exactly these spaces.
    pub(crate) fn is_of(&self, spaces: impl ExactSizeIterator<Item = SpaceId>) -> bool {
        spaces.len() == self.families.len() && spaces.zip(&self.families).all(|(space, (own, _))| space == *own)
    }

    /// The memory it takes.
    pub(crate) fn bytes(&self) -> usize {
        self.bytes
    }

    fn pairs(&self, space: SpaceId) -> Arc<[Pair]> {
        self.families
            .iter()
            .find(|(own, _)| *own == space)
            .map_or_else(|| Arc::from([]), |(_, pairs)| Arc::clone(pairs))
    }
}

impl Snapshot for HotRow {
    fn get(&self, space: SpaceId, key: &[u8]) -> Result<Option<Bytes>> {
        let pairs = self.pairs(space);
        Ok(pairs.binary_search_by(|(own, _)| own[..].cmp(key)).ok().map(|at| pairs[at].1.clone()))
    }

    fn scan(&self, space: SpaceId, from: &[u8], to: &[u8], order: Order, _fetch: usize) -> Result<Box<dyn Cursor>> {
        let pairs = self.pairs(space);
        // Mostly the whole row is asked for: a look at its ends tells.
        let first = pairs.first().is_none_or(|(key, _)| key[..] >= *from);
        let from = if first { 0 } else { pairs.partition_point(|(key, _)| key[..] < *from) };
        let last = to.is_empty() || pairs.last().is_none_or(|(key, _)| key[..] < *to);
        let to = if last { pairs.len() } else { pairs.partition_point(|(key, _)| key[..] < *to).max(from) };
        Ok(Box::new(HotCursor { pairs, from, to, order }))
    }
}

/// What is left of a walk over a row's pairs: those from `from` to before `to`.
struct HotCursor {
    pairs: Arc<[Pair]>,
    from: usize,
    to: usize,
    order: Order,
}

impl Cursor for HotCursor {
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
