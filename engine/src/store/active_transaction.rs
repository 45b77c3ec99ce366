//! A transaction whose body is running. All stores use it: it collects the writes and validates their keys.

use std::cell::{Cell, OnceCell};
use std::collections::HashMap;
use std::sync::Arc;

use bytes::Bytes;

use super::row_locks::Newest;
use super::time::{RowTime, Sequence};
use super::{Snapshot, SpaceId, Transaction};
use crate::error::{Error, Result};

/// The longest key that every store can hold, in bytes.
pub(super) const KEY_BYTES_MAX: usize = 65_535;

/// A key that stores keep for themselves. It is before all keys of cells.
pub(super) const RESERVED_KEY: &[u8] = &[0];

/// Lists with fewer writes are sorted as they are.
const SHORT_LIST: usize = 32;

/// A write of one key. Without a value, it deletes the key.
#[derive(Default)]
pub(super) struct Write {
    pub space: SpaceId,
    pub key: Bytes,
    pub value: Option<Bytes>,
}

/// The writes of a transaction.
pub(super) struct WriteSet {
    /// The writes, ordered by space and key; each key occurs once.
    pub writes: Vec<Write>,
    /// The newest timestamp that the transaction assigned within the bound of a row's lead. `None` if it wrote nothing
    /// and assigned nothing.
    pub newest: Option<Newest>,
}

/// The [`Transaction`] that [`super::Store::transact`] passes to its body.
pub(super) struct ActiveTransaction<'a> {
    /// Creates the snapshot, which most writes do not read.
    open: &'a dyn Fn() -> Arc<dyn Snapshot>,
    snapshot: OnceCell<Arc<dyn Snapshot>>,
    times: RowTime,
    sequence: &'a Sequence,
    assigned_sequence: Cell<Option<u64>>,
    writes: Vec<Write>,
    /// The position in `writes` of the last write of each key. Covers the first `indexed` writes; filled on demand.
    index: HashMap<(SpaceId, Bytes), usize>,
    indexed: usize,
    newest: Option<Newest>,
    /// The first invalid write.
    invalid: Option<Error>,
}
impl<'a> ActiveTransaction<'a> {
    /// A transaction without writes. `open` returns its snapshot, which must have been taken after its rows were
    /// locked.
    pub fn new(open: &'a dyn Fn() -> Arc<dyn Snapshot>, times: RowTime, sequence: &'a Sequence) -> Self {
        Self::with_buffer(open, times, sequence, Vec::new())
    }

    /// As [`Self::new`], with an empty vector for the writes.
    pub fn with_buffer(
        open: &'a dyn Fn() -> Arc<dyn Snapshot>,
        times: RowTime,
        sequence: &'a Sequence,
        writes: Vec<Write>,
    ) -> Self {
        Self {
            open,
            snapshot: OnceCell::new(),
            times,
            sequence,
            assigned_sequence: Cell::new(None),
            writes,
            index: HashMap::new(),
            indexed: 0,
            newest: None,
            invalid: None,
        }
    }

    /// The writes to commit.
    ///
    /// # Errors
    /// `InvalidArgument` if a key is empty or too long.
    pub fn finish(mut self) -> Result<WriteSet> {
        if let Some(error) = self.invalid {
            return Err(error);
        }
        sort(&mut self.writes);
        if !self.writes.is_empty() {
            let plain = Newest { timestamp_ms: self.times.now_ms, delete: false };
            self.newest.get_or_insert(plain).merge(plain);
        }
        Ok(WriteSet { writes: self.writes, newest: self.newest })
    }

    fn write(&mut self, space: SpaceId, key: Bytes, value: Option<Bytes>) {
        if key.is_empty() || key.len() > KEY_BYTES_MAX {
            self.invalid.get_or_insert_with(|| {
                Error::invalid(format!(
                    "a stored key has {} bytes, but must have 1 to {KEY_BYTES_MAX}; shorten the row or the qualifier",
                    key.len()
                ))
            });
            return;
        }
        if &key[..] == RESERVED_KEY {
            self.invalid.get_or_insert_with(|| Error::invalid("the key of one zero byte is reserved for the store"));
            return;
        }
        self.writes.push(Write { space, key, value });
    }
}

/// Sorts writes by space and key. Of several writes of a key, the last one takes effect, and the others are dropped.
fn sort(writes: &mut Vec<Write>) {
    if writes.is_sorted_by(|a, b| (a.space, &a.key) < (b.space, &b.key)) {
        return;
    }
    let is_short = writes.len() < SHORT_LIST || u32::try_from(writes.len()).is_err();
    let first = match &writes[..] {
        [first, others @ ..] if !is_short && others.iter().all(|other| other.space == first.space) => &first.key,
        _ => {
            // The last write comes first in the reversed list, and the sort is stable.
            writes.reverse();
            writes.sort_by(|a, b| (a.space, &a.key).cmp(&(b.space, &b.key)));
            writes.dedup_by(|next, kept| (next.space, &next.key) == (kept.space, &kept.key));
            return;
        }
    };
    // Sorting small elements by numbers takes a fraction of the time. The keys of a transaction mostly differ in the
    // eight bytes after their common prefix.
    let common = |key: &[u8]| key.iter().zip(first).take_while(|(a, b)| a == b).count();
    let prefix = writes.iter().map(|write| common(&write.key)).min().unwrap_or_default();
    let part = |key: &[u8]| {
        let mut bytes = [0; 8];
        let rest = &key[prefix..];
        let len = rest.len().min(8);
        bytes[..len].copy_from_slice(&rest[..len]);
        u64::from_be_bytes(bytes)
    };
    let mut order: Vec<_> = writes.iter().enumerate().map(|(at, write)| (part(&write.key), at as u32)).collect();
    order.sort_unstable_by(|(part, at), (other_part, other_at)| {
        let key = |at: u32| &writes[at as usize].key;
        // The last write of a key comes first.
        part.cmp(other_part).then_with(|| key(*at).cmp(key(*other_at))).then(other_at.cmp(at))
    });
    let mut sorted: Vec<Write> = Vec::with_capacity(writes.len());
    for (_, at) in order {
        let write = std::mem::take(&mut writes[at as usize]);
        if sorted.last().is_none_or(|last| last.key != write.key) {
            sorted.push(write);
        }
    }
    *writes = sorted;
}

impl Transaction for ActiveTransaction<'_> {
    fn snapshot(&self) -> &Arc<dyn Snapshot> {
        self.snapshot.get_or_init(self.open)
    }

    fn clock_ms(&self) -> i64 {
        self.times.clock_ms
    }

    fn now_ms(&self) -> i64 {
        self.times.now_ms
    }

    fn version_after(&self, old_ms: i64) -> i64 {
        self.times.version_after(old_ms)
    }

    fn assigned(&mut self, timestamp: i64, delete: bool) {
        if self.times.is_followed(timestamp) {
            let newest = Newest { timestamp_ms: timestamp, delete };
            self.newest.get_or_insert(newest).merge(newest);
        }
    }

    fn sequence(&self) -> u64 {
        let number = self.assigned_sequence.get().unwrap_or_else(|| self.sequence.draw());
        self.assigned_sequence.set(Some(number));
        number
    }

    fn written(&mut self, space: SpaceId, key: &Bytes) -> Option<Bytes> {
        for (at, write) in self.writes.iter().enumerate().skip(self.indexed) {
            self.index.insert((write.space, write.key.clone()), at);
        }
        self.indexed = self.writes.len();
        let at = self.index.get(&(space, key.clone()))?;
        self.writes.get(*at)?.value.clone()
    }

    fn each_write(&self, each: &mut dyn FnMut(SpaceId, &Bytes, Option<&Bytes>)) {
        self.writes.iter().for_each(|write| each(write.space, &write.key, write.value.as_ref()));
    }

    fn expect(&mut self, writes: usize) {
        self.writes.reserve(writes);
    }

    fn put(&mut self, space: SpaceId, key: Bytes, value: Bytes) {
        self.write(space, key, Some(value));
    }

    fn delete(&mut self, space: SpaceId, key: Bytes) {
        self.write(space, key, None);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Deterministic pseudo-random numbers.
    fn numbers(mut state: u64) -> impl FnMut(u64) -> u64 {
        move |below| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) % below
        }
    }

    /// The two ways to sort must agree with a map, for keys that are prefixes of each other, equal keys and spaces.
    #[test]
    fn the_last_write_of_each_key_is_kept_in_order() {
        let mut next = numbers(7);
        for round in 0..2_000_u64 {
            let (many, spaces, letters) = (next(100), 1 + next(2), 1 + next(4));
            let prefix = "x".repeat(next(12) as usize);
            let mut expected = std::collections::BTreeMap::new();
            let mut writes = Vec::new();
            for n in 0..many {
                let tail: String = (0..next(11)).map(|_| char::from(next(letters) as u8)).collect();
                let (space, key) = (next(spaces), Bytes::from(format!("{prefix}{tail}k")));
                let value = (next(8) > 0).then(|| Bytes::from(format!("{n}")));
                expected.insert((space, key.clone()), value.clone());
                writes.push(Write { space, key, value });
            }
            sort(&mut writes);
            let sorted: Vec<_> = writes.into_iter().map(|w| ((w.space, w.key), w.value)).collect();
            assert_eq!(sorted, expected.into_iter().collect::<Vec<_>>(), "round {round}");
        }
    }
}
