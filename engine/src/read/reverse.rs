//! Rows downwards: a descending cursor finds them, each is then read upwards.

use std::sync::Arc;

use bytes::Bytes;

use super::family_scan::Reader;
use super::pairs::Pairs;
use crate::error::Result;
use crate::key;
use crate::store::{Cursor, Order, Pair, SpaceId};

/// Rows of up to so many pairs, and bytes, are turned round in memory; a larger one is read by a cursor of its own.
const HELD_MAX: usize = 64;
const HELD_BYTES_MAX: usize = 256 * 1024;
/// After so many rows other threads are let go first.
const PAUSE_INTERVAL: u32 = 32;

/// Pairs brought in at once, at most.
const BATCH_MAX: usize = 32;

/// The rows of one family, the last one first.
pub(super) struct ReverseRows {
    reader: Arc<Reader>,
    space: SpaceId,
    cursor: Box<dyn Cursor>,
    /// What was brought in, descending; those before `at` are done with.
    held: Vec<Pair>,
    at: usize,
    /// Pairs brought in since the last seek: half as many come next.
    run: usize,
    since_pause: u32,
}

impl ReverseRows {
    pub(super) fn open(reader: &Arc<Reader>, space: SpaceId, from: &[u8], to: &[u8]) -> Result<Self> {
        let cursor = reader.snapshot.scan(space, from, to, Order::Descending, 1)?;
        Ok(Self { reader: reader.clone(), space, cursor, held: Vec::new(), at: 0, run: 0, since_pause: 0 })
    }

    fn head(&mut self) -> Result<Option<&Pair>> {
        if self.at >= self.held.len() {
            self.held.clear();
            self.at = 0;
            self.cursor.next_many((self.run / 2).clamp(1, BATCH_MAX), &mut self.held)?;
            self.run += self.held.len();
        }
        Ok(self.held.get(self.at))
    }

    /// The prefix and key of the next row.
    pub(super) fn row(&mut self) -> Result<Option<(Bytes, Bytes)>> {
        self.head()?.map(|(head, _)| key::row_at(head)).transpose()
    }

    /// The pairs of the next row, which has that prefix, ascending; goes behind it.
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
        Ok(Pairs::held(held, &self.reader.stop))
    }

    /// Goes on at the first key below that one; never back.
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
        self.cursor.seek(key)
    }
}
