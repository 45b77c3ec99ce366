//! A peekable cursor over stored pairs that steps over a few unwanted pairs and seeks past many.

use std::sync::Arc;

use bytes::Bytes;

use super::work_limit;
use crate::error::{Error, Result};
use crate::stop::Stop;
use crate::store::{Cursor, Order, Pair, Snapshot, SpaceId};

/// Pairs to step over before seeking. A seek costs about as much as this many steps.
const STEPS: usize = 8;
/// Pairs between two checks of the stop flag.
const STOP_INTERVAL: usize = 256;
/// The largest batch that is fetched from the store at once; small enough to stay in the processor's caches.
const BATCH_MAX: usize = 32;
/// A batch ends with the pair that reaches this size, in bytes, so that open scans hold little.
const BATCH_BYTES: usize = 16 << 10;
/// Pairs that a read with a limit of work takes between two checks of it.
const LIMITED_BATCH: usize = 4;
/// Pairs that such a read takes with a seek.
const LIMITED_FIRST: usize = 8;

/// The pairs of a key range of a space, ascending.
pub(super) struct Pairs {
    /// `None` if all remaining pairs are buffered.
    cursor: Option<Box<dyn Cursor>>,
    /// Fetched pairs. Those before `at` have been consumed.
    fetched: Vec<Pair>,
    at: usize,
    /// Pairs fetched since the last seek. The next batch is half as large: long reads pay little per pair, and reads
    /// that seek soon fetch few pairs that they do not need.
    run: usize,
    stop: Stop,
    since_stop: usize,
    /// See [`Self::take_garbage_bytes`].
    garbage_bytes: u64,
    /// The number of pairs that had been consumed when [`Self::plan_ahead`] was last called; `None` after a seek.
    planned_at: Option<usize>,
    /// The number of pairs to read ahead.
    ahead: usize,
    /// The error of reading ahead, which the next fetch returns.
    failed: Option<Error>,
}

impl Pairs {
    /// The pairs with `from <= key < to` (an empty `to`: no end). `expected` is the number of pairs that are likely to
    /// be consumed.
    pub(super) fn open(
        snapshot: &Arc<dyn Snapshot>,
        space: SpaceId,
        (from, to): (&[u8], &[u8]),
        expected: usize,
        stop: &Stop,
    ) -> Result<Self> {
        work_limit::charge_seeks(1)?;
        let cursor = snapshot.scan(space, from, to, Order::Ascending, expected)?;
        Ok(Self::new(Some(cursor), Vec::new(), expected * 2, stop))
    }

    fn new(cursor: Option<Box<dyn Cursor>>, fetched: Vec<Pair>, run: usize, stop: &Stop) -> Self {
        Self {
            cursor,
            fetched,
            at: 0,
            run,
            stop: stop.clone(),
            since_stop: 0,
            garbage_bytes: 0,
            planned_at: None,
            ahead: 0,
            failed: None,
        }
    }

    /// As [`Self::open`], for a range that is likely to have at most `expected` pairs. Reads up to that number.
    pub(super) fn read(
        snapshot: &Arc<dyn Snapshot>,
        space: SpaceId,
        (from, to): (&[u8], &[u8]),
        expected: usize,
        stop: &Stop,
    ) -> Result<Self> {
        work_limit::charge_seeks(1)?;
        let is_limited = work_limit::is_limited();
        let first = if is_limited { expected.min(LIMITED_FIRST) } else { expected };
        let mut fetched = Vec::new();
        let cursor = snapshot.read(space, (from, to), (first, BATCH_BYTES), &mut fetched)?;
        if is_limited {
            charge(&fetched)?;
        }
        let run = fetched.len() * 2;
        Ok(Self::new(cursor, fetched, run, stop))
    }

    /// All pairs that are left, if they have been fetched.
    pub(super) fn all(&self) -> Option<&[Pair]> {
        if self.cursor.is_some() { None } else { Some(self.fetched.get(self.at..).unwrap_or_default()) }
    }

    /// The pairs that [`Self::all`] returns.
    pub(super) fn into_fetched(self) -> impl Iterator<Item = Pair> {
        self.fetched.into_iter().skip(self.at)
    }

    /// These pairs, ascending.
    pub(super) fn buffer(fetched: Vec<Pair>, stop: &Stop) -> Self {
        Self::new(None, fetched, 0, stop)
    }

    /// The next pair, without consuming it.
    #[inline]
    pub(super) fn head(&mut self) -> Result<Option<&Pair>> {
        if self.at >= self.fetched.len() {
            self.fetch()?;
        }
        Ok(self.fetched.get(self.at))
    }

    /// Whether the key of the next pair has this prefix.
    #[inline]
    pub(super) fn is_in(&mut self, prefix: &[u8]) -> Result<bool> {
        Ok(self.head()?.is_some_and(|(head, _)| head.starts_with(prefix)))
    }

    /// Consumes the pair that [`Self::head`] returned.
    #[inline]
    pub(super) fn step(&mut self) {
        self.at += 1;
    }

    /// Counts the pair that [`Self::head`] returned as garbage: a marker, or a value that is deleted or has expired.
    #[inline]
    pub(super) fn count_garbage(&mut self) {
        if let Some((key, value)) = self.fetched.get(self.at) {
            self.garbage_bytes += (key.len() + value.len()) as u64;
        }
    }

    /// The bytes of the garbage that was encountered since the last call.
    pub(super) fn take_garbage_bytes(&mut self) -> u64 {
        std::mem::take(&mut self.garbage_bytes)
    }

    /// Consumes and returns the pair that [`Self::head`] returned.
    #[inline]
    pub(super) fn take(&mut self) -> Option<Pair> {
        let pair = self.fetched.get_mut(self.at).map(std::mem::take);
        self.at += 1;
        pair
    }

    /// The number of buffered pairs.
    pub(super) fn buffered(&self) -> usize {
        self.fetched.len().saturating_sub(self.at)
    }

    /// The memory of the fetched pairs, in bytes.
    pub(super) fn held_bytes(&self) -> usize {
        memory_bytes(&self.fetched)
    }

    /// Plans to read ahead as many pairs as have been consumed since the last call, unless they are fewer than `least`,
    /// or the last call was before a seek: the next one may pass over what would be read. Returns whether there are
    /// any.
    pub(super) fn plan_ahead(&mut self, least: usize) -> bool {
        let consumed = self.run.saturating_sub(self.buffered());
        let before = self.planned_at.replace(consumed);
        let more = before.map_or(0, |before| consumed.saturating_sub(before));
        self.ahead = if more < least || self.cursor.is_none() { 0 } else { more };
        self.ahead > self.buffered()
    }

    /// Fetches the pairs that have been planned, until those that have not been consumed take this much memory, or
    /// `goes_on` returns false.
    pub(super) fn read_ahead(&mut self, bytes: usize, goes_on: &dyn Fn() -> bool) {
        let Some(cursor) = self.cursor.as_mut().filter(|_| self.ahead > 0) else { return };
        self.fetched.drain(..self.at.min(self.fetched.len()));
        self.at = 0;
        let mut held = memory_bytes(&self.fetched);
        while self.fetched.len() < self.ahead && held < bytes && self.failed.is_none() && goes_on() {
            let before = self.fetched.len();
            self.failed = cursor.next_many(BATCH_MAX, BATCH_BYTES, &mut self.fetched).err();
            if self.fetched.len() == before {
                // The next fetch finds the end, or returns the error.
                break;
            }
            self.run += self.fetched.len() - before;
            held += memory_bytes(&self.fetched[before..]);
        }
        self.ahead = 0;
    }

    /// Fetches the next batch.
    fn fetch(&mut self) -> Result<()> {
        self.fetched.clear();
        self.at = 0;
        if let Some(error) = self.failed.take() {
            return Err(error);
        }
        let Some(cursor) = &mut self.cursor else { return Ok(()) };
        let batch = (self.run / 2).clamp(1, BATCH_MAX);
        self.since_stop += batch;
        if self.since_stop >= STOP_INTERVAL {
            self.since_stop = 0;
            self.stop.pause()?;
        }
        self.fetched.reserve(batch);
        next_many(&mut **cursor, batch, &mut self.fetched)?;
        self.run += self.fetched.len();
        if self.fetched.is_empty() {
            self.cursor = None;
        }
        Ok(())
    }

    /// Advances to the first key `>= key`; never goes back.
    pub(super) fn skip_to(&mut self, key: &[u8]) -> Result<()> {
        for _ in 0..STEPS {
            match self.head()? {
                Some((head, _)) if head[..] < *key => self.step(),
                _ => return Ok(()),
            }
        }
        self.jump_to(key)
    }

    /// Advances past all keys with this prefix, which is that of a row, a column or a row's family markers. `end`
    /// computes the first key after them.
    pub(super) fn skip_over(&mut self, prefix: &[u8], end: fn(&[u8]) -> Bytes) -> Result<()> {
        for _ in 0..STEPS {
            match self.head()? {
                Some((head, _)) if head.starts_with(prefix) => self.step(),
                _ => return Ok(()),
            }
        }
        self.jump_to(&end(prefix))
    }

    /// Advances to the first key `>= key`, which is likely to be far ahead.
    pub(super) fn jump_to(&mut self, key: &[u8]) -> Result<()> {
        let rest = self.fetched.get(self.at..).unwrap_or_default();
        let before = rest.partition_point(|(k, _)| k[..] < *key);
        let within = before < rest.len();
        self.at += before;
        match &mut self.cursor {
            Some(cursor) if !within => {
                self.fetched.clear();
                (self.at, self.run) = (0, 0);
                (self.planned_at, self.ahead, self.failed) = (None, 0, None);
                work_limit::charge_seeks(1)?;
                cursor.seek(key)
            }
            _ => Ok(()),
        }
    }

    /// Advances to `key` and returns its value, if it exists.
    pub(super) fn find(&mut self, key: &[u8]) -> Result<Option<Bytes>> {
        self.skip_to(key)?;
        Ok(self.head()?.filter(|(k, _)| k[..] == *key).map(|(_, value)| value.clone()))
    }
}

/// The memory of pairs, in bytes.
pub(super) fn memory_bytes(pairs: &[Pair]) -> usize {
    pairs.iter().map(|(key, value)| size_of::<Pair>() + key.len() + value.len()).sum()
}

/// Appends the next `n` pairs to `out`, or fewer if they are large, within the limit of work.
pub(super) fn next_many(cursor: &mut dyn Cursor, n: usize, out: &mut Vec<Pair>) -> Result<()> {
    if !work_limit::is_limited() {
        return cursor.next_many(n, BATCH_BYTES, out);
    }
    let end = out.len() + n;
    while out.len() < end {
        let before = out.len();
        cursor.next_many(LIMITED_BATCH.min(end - before), BATCH_BYTES, out)?;
        let fetched = &out[before..];
        if fetched.is_empty() {
            break;
        }
        charge(fetched)?;
    }
    Ok(())
}

/// Counts fetched pairs as work of this thread.
fn charge(fetched: &[Pair]) -> Result<()> {
    work_limit::charge(fetched.len(), fetched.iter().map(|(key, value)| key.len() + value.len()).sum())
}
