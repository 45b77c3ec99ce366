//! A transaction while its body runs, the same for every store: it collects what is written and says what cannot be.

use std::cell::Cell;
use std::collections::HashMap;
use std::sync::Arc;

use bytes::Bytes;

use super::rows::Newest;
use super::time::{RowTime, Sequence};
use super::{Snapshot, SpaceId, Transaction};
use crate::error::{Error, Result};

/// The longest key that every store can hold, in bytes.
pub(super) const KEY_BYTES_MAX: usize = 65_535;

/// One change; no value: the key goes.
pub(super) struct Write {
    pub space: SpaceId,
    pub key: Bytes,
    pub value: Option<Bytes>,
}

/// What a body left to be committed.
pub(super) struct Done {
    /// In order of space and key, each key once.
    pub writes: Vec<Write>,
    /// The newest timestamp that it assigned and later transactions follow; `None`: it wrote nothing and assigned nothing.
    pub newest: Option<Newest>,
}

/// What [`super::Store::transact`] hands to its body.
pub(super) struct Running<'a> {
    snapshot: Arc<dyn Snapshot>,
    times: RowTime,
    sequence: &'a Sequence,
    drawn: Cell<Option<u64>>,
    writes: Vec<Write>,
    /// Where in `writes` each key was written last. Covers the first `indexed` writes: it is filled when it is first needed.
    index: HashMap<(SpaceId, Bytes), usize>,
    indexed: usize,
    newest: Option<Newest>,
    refused: Option<Error>,
}

impl<'a> Running<'a> {
    /// Nothing written yet. The rows are locked already: the snapshot is newer than everything committed in them.
    pub fn new(snapshot: Arc<dyn Snapshot>, times: RowTime, sequence: &'a Sequence) -> Self {
        Self {
            snapshot,
            times,
            sequence,
            drawn: Cell::new(None),
            writes: Vec::new(),
            index: HashMap::new(),
            indexed: 0,
            newest: None,
            refused: None,
        }
    }

    /// What it wrote, or why that cannot be.
    pub fn finish(mut self) -> Result<Done> {
        if let Some(refused) = self.refused {
            return Err(refused);
        }
        if self.writes.len() > 1 {
            // A stable sort: of several writes of one key the last one counts, and it comes first in the reversed list.
            self.writes.reverse();
            self.writes.sort_by(|a, b| (a.space, &a.key).cmp(&(b.space, &b.key)));
            self.writes.dedup_by(|next, kept| (next.space, &next.key) == (kept.space, &kept.key));
        }
        if !self.writes.is_empty() {
            let plain = Newest { timestamp_ms: self.times.now_ms, delete: false };
            self.newest.get_or_insert(plain).merge(plain);
        }
        Ok(Done { writes: self.writes, newest: self.newest })
    }

    fn write(&mut self, space: SpaceId, key: Bytes, value: Option<Bytes>) {
        if key.is_empty() || key.len() > KEY_BYTES_MAX {
            self.refused.get_or_insert_with(|| {
                Error::invalid(format!(
                    "a stored key must be 1 to {KEY_BYTES_MAX} bytes long; this one has {}",
                    key.len()
                ))
            });
            return;
        }
        self.writes.push(Write { space, key, value });
    }
}

impl Transaction for Running<'_> {
    fn snapshot(&self) -> &Arc<dyn Snapshot> {
        &self.snapshot
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
        let number = self.drawn.get().unwrap_or_else(|| self.sequence.draw());
        self.drawn.set(Some(number));
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

    fn put(&mut self, space: SpaceId, key: Bytes, value: Bytes) {
        self.write(space, key, Some(value));
    }

    fn delete(&mut self, space: SpaceId, key: Bytes) {
        self.write(space, key, None);
    }
}
