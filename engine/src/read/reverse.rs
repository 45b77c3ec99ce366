//! Rows in descending order: a descending cursor finds them, then each is read in ascending order.

use std::sync::Arc;

use bytes::Bytes;

use super::family_scan::Reader;
use super::pairs::{self, Pairs};
use super::work_limit;
use crate::error::Result;
use crate::key;
use crate::store::{Cursor, Order, Pair, SpaceId};

/// Limits in pairs and bytes up to which a row is reversed in memory. A larger row is read by a separate cursor.
const HELD_MAX: usize = 64;
const HELD_BYTES_MAX: usize = 256 * 1024;
/// Rows between two yields to other threads.
const PAUSE_INTERVAL: u32 = 32;

/// The largest batch that is fetched from the store at once.
const BATCH_MAX: usize = 32;

/// The rows of one family in descending order.
pub(super) struct ReverseRows {
    reader: Arc<Reader>,
    space: SpaceId,
    cursor: Box<dyn Cursor>,
    /// Fetched pairs, descending. Those before `at` have been consumed.
    held: Vec<Pair>,
    at: usize,
    /// Pairs fetched since the last seek. The next batch is half as large.
    run: usize,
    since_pause: u32,
}

impl ReverseRows {
    pub(super) fn open(reader: &Arc<Reader>, space: SpaceId, from: &[u8], to: &[u8]) -> Result<Self> {
        work_limit::charge_seeks(1)?;
        let cursor = reader.snapshot.scan(space, from, to, Order::Descending, 1)?;
        Ok(Self { reader: reader.clone(), space, cursor, held: Vec::new(), at: 0, run: 0, since_pause: 0 })
    }

    /// The memory of the fetched pairs, in bytes.
    pub(super) fn held_bytes(&self) -> usize {
        pairs::memory_bytes(&self.held)
    }

    fn head(&mut self) -> Result<Option<&Pair>> {
        if self.at >= self.held.len() {
            self.held.clear();
            self.at = 0;
            pairs::next_many(&mut *self.cursor, (self.run / 2).clamp(1, BATCH_MAX), &mut self.held)?;
            self.run += self.held.len();
        }
        Ok(self.held.get(self.at))
    }

    /// The prefix and key of the next row.
    pub(super) fn row(&mut self) -> Result<Option<(Bytes, Bytes)>> {
        self.head()?.map(|(head, _)| key::row_at(head)).transpose()
    }

    /// Consumes the next row, which has this prefix, and returns its pairs in ascending order.
    pub(super) fn open_row(&mut self, prefix: &Bytes) -> Result<Pairs> {
        self.since_pause += 1;
        if self.since_pause < PAUSE_INTERVAL {
            self.reader.stop.check()?;
        } else {
            self.since_pause = 0;
            self.reader.stop.pause()?;
        }
        let (mut held, mut bytes) = (Vec::new(), 0);
        while self.head()?.is_some_and(|(head, _)| head.starts_with(prefix)) {
            let Some(pair) = self.held.get_mut(self.at).map(std::mem::take) else { break };
            self.at += 1;
            bytes += pair.0.len() + pair.1.len();
            held.push(pair);
            if held.len() > HELD_MAX || bytes > HELD_BYTES_MAX {
                self.go_below(prefix)?;
                let end = key::row_end(prefix);
                return Pairs::open(&self.reader.snapshot, self.space, (prefix, &end), HELD_MAX, &self.reader.stop);
            }
        }
        held.reverse();
        Ok(Pairs::buffer(held, &self.reader.stop))
    }

    /// Advances to the first key less than `key`; never goes back.
    pub(super) fn go_below(&mut self, key: &[u8]) -> Result<()> {
        let rest = self.held.get(self.at..).unwrap_or_default();
        let above = rest.partition_point(|(k, _)| k[..] >= *key);
        let within = above < rest.len();
        self.at += above;
        if within {
            return Ok(());
        }
        self.held.clear();
        (self.at, self.run) = (0, 0);
        work_limit::charge_seeks(1)?;
        self.cursor.seek(key)
    }
}
