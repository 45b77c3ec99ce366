//! A walk over stored pairs with a look at the next one, which steps over a few unwanted pairs and seeks past many.

use std::sync::Arc;

use bytes::Bytes;

use super::stop::Stop;
use crate::error::Result;
use crate::store::{Cursor, Order, Pair, Snapshot, SpaceId};

/// Unwanted pairs to step over before seeking: a seek costs about as much as this many steps.
const STEPS: usize = 8;
/// Pairs between two looks at the stop flag.
const STOP_INTERVAL: usize = 256;
/// Pairs brought in at once, at most: few enough to stay near the processor.
const BATCH_MAX: usize = 32;

/// The pairs of a part of a space, ascending.
pub(super) struct Pairs {
    /// `None`: all that is left is at hand.
    cursor: Option<Box<dyn Cursor>>,
    /// What was brought in; those before `at` are done with.
    held: Vec<Pair>,
    at: usize,
    /// Pairs brought in since the last seek. Half as many come next: who walks a long way is not slowed down by asking for each pair, and
    /// who seeks at once has brought in little for nothing.
    run: usize,
    stop: Stop,
    since_stop: usize,
}

impl Pairs {
    /// The pairs with `from <= key < to`; an empty `to`: to the end. `expected`: how many are likely to be taken.
    pub(super) fn open(
        snapshot: &Arc<dyn Snapshot>,
        space: SpaceId,
        (from, to): (&[u8], &[u8]),
        expected: usize,
        stop: &Stop,
    ) -> Result<Self> {
        let cursor = Some(snapshot.scan(space, from, to, Order::Ascending, expected)?);
        Ok(Self { cursor, held: Vec::new(), at: 0, run: expected * 2, stop: stop.clone(), since_stop: 0 })
    }

    /// Pairs at hand, ascending.
    pub(super) fn held(held: Vec<Pair>, stop: &Stop) -> Self {
        Self { cursor: None, held, at: 0, run: 0, stop: stop.clone(), since_stop: 0 }
    }

    /// The next pair; stays where it is.
    #[inline]
    pub(super) fn head(&mut self) -> Result<Option<&Pair>> {
        if self.at >= self.held.len() {
            self.bring()?;
        }
        Ok(self.held.get(self.at))
    }

    /// Steps over the next pair, which was looked at.
    #[inline]
    pub(super) fn step(&mut self) {
        self.at += 1;
    }

    /// The next pair, which was looked at, and steps over it.
    #[inline]
    pub(super) fn take(&mut self) -> Option<Pair> {
        let pair = self.held.get_mut(self.at).map(std::mem::take);
        self.at += 1;
        pair
    }

    /// How many are at hand.
    pub(super) fn at_hand(&self) -> usize {
        self.held.len().saturating_sub(self.at)
    }

    /// Brings in the next pairs, if there are any.
    fn bring(&mut self) -> Result<()> {
        self.held.clear();
        self.at = 0;
        let Some(cursor) = &mut self.cursor else { return Ok(()) };
        let batch = (self.run / 2).clamp(1, BATCH_MAX);
        self.since_stop += batch;
        if self.since_stop >= STOP_INTERVAL {
            self.since_stop = 0;
            self.stop.pause()?;
        }
        self.held.reserve(batch);
        cursor.next_many(batch, &mut self.held)?;
        self.run += self.held.len();
        if self.held.is_empty() {
            self.cursor = None;
        }
        Ok(())
    }

    /// Goes on at the first key `>= key`; never back.
    pub(super) fn skip_to(&mut self, key: &[u8]) -> Result<()> {
        for _ in 0..STEPS {
            match self.head()? {
                Some((head, _)) if head[..] < *key => self.step(),
                _ => return Ok(()),
            }
        }
        self.jump_to(key)
    }

    /// Goes behind all keys with this prefix of a row, a column or a row's family markers; `end` is the first key behind them.
    pub(super) fn skip_over(&mut self, prefix: &[u8], end: fn(&[u8]) -> Bytes) -> Result<()> {
        for _ in 0..STEPS {
            match self.head()? {
                Some((head, _)) if head.starts_with(prefix) => self.step(),
                _ => return Ok(()),
            }
        }
        self.jump_to(&end(prefix))
    }

    /// Goes on at the first key `>= key`, which is likely to be far.
    pub(super) fn jump_to(&mut self, key: &[u8]) -> Result<()> {
        let rest = self.held.get(self.at..).unwrap_or_default();
        let before = rest.partition_point(|(k, _)| k[..] < *key);
        let within = before < rest.len();
        self.at += before;
        match &mut self.cursor {
            Some(cursor) if !within => {
                self.held.clear();
                (self.at, self.run) = (0, 0);
                cursor.seek(key)
            }
            _ => Ok(()),
        }
    }

    /// The value of the next pair if its key is `key` exactly; goes to that place.
    pub(super) fn find(&mut self, key: &[u8]) -> Result<Option<Bytes>> {
        self.skip_to(key)?;
        Ok(self.head()?.filter(|(k, _)| k[..] == *key).map(|(_, value)| value.clone()))
    }
}
