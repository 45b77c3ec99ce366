//! A walk over stored pairs with a look at the next one, which steps over a few unwanted pairs and seeks past many.

use std::sync::Arc;

use bytes::Bytes;

use super::stop::Stop;
use crate::error::Result;
use crate::store::{Cursor, Order, Pair, Snapshot, SpaceId};

/// Unwanted pairs to step over before seeking: a seek costs about as much as this many steps.
const STEPS: usize = 8;
/// Pairs between two looks at the stop flag.
const STOP_INTERVAL: u32 = 256;

/// The pairs of a part of a space, ascending.
pub(super) struct Pairs {
    source: Source,
    /// `None`: not looked at yet.
    head: Option<Option<Pair>>,
    stop: Stop,
    since_stop: u32,
}

enum Source {
    Stored(Box<dyn Cursor>),
    /// Pairs at hand, the next one last.
    Held(Vec<Pair>),
}

impl Pairs {
    /// The pairs with `from <= key < to`; an empty `to`: to the end.
    pub(super) fn open(
        snapshot: &Arc<dyn Snapshot>,
        space: SpaceId,
        from: &[u8],
        to: &[u8],
        stop: &Stop,
    ) -> Result<Self> {
        let cursor = snapshot.scan(space, from, to, Order::Ascending, 1)?;
        Ok(Self { source: Source::Stored(cursor), head: None, stop: stop.clone(), since_stop: 0 })
    }

    /// Pairs at hand, in **descending** order.
    pub(super) fn held(descending: Vec<Pair>, stop: &Stop) -> Self {
        Self { source: Source::Held(descending), head: None, stop: stop.clone(), since_stop: 0 }
    }

    /// The next pair; stays where it is.
    pub(super) fn head(&mut self) -> Result<Option<&Pair>> {
        if self.head.is_none() {
            self.since_stop += 1;
            if self.since_stop >= STOP_INTERVAL {
                self.since_stop = 0;
                self.stop.pause()?;
            }
            self.head = Some(match &mut self.source {
                Source::Stored(cursor) => cursor.next()?,
                Source::Held(pairs) => pairs.pop(),
            });
        }
        Ok(self.head.as_ref().and_then(Option::as_ref))
    }

    /// Steps over the next pair.
    pub(super) fn step(&mut self) {
        if matches!(self.head, Some(Some(_))) {
            self.head = None;
        }
    }

    /// The next pair, and steps over it. `None` unless it has been looked at.
    pub(super) fn take(&mut self) -> Option<Pair> {
        match self.head.take() {
            Some(Some(pair)) => Some(pair),
            other => {
                self.head = other;
                None
            }
        }
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

    /// Goes on at the first key `>= key`, which is known to be far.
    pub(super) fn jump_to(&mut self, key: &[u8]) -> Result<()> {
        self.head = None;
        match &mut self.source {
            Source::Stored(cursor) => cursor.seek(key),
            Source::Held(pairs) => {
                let wanted = pairs.partition_point(|(k, _)| k[..] >= *key);
                pairs.truncate(wanted);
                Ok(())
            }
        }
    }

    /// The value of the next pair if its key is `key` exactly; goes to that place.
    pub(super) fn find(&mut self, key: &[u8]) -> Result<Option<Bytes>> {
        self.skip_to(key)?;
        Ok(self.head()?.filter(|(k, _)| k[..] == *key).map(|(_, value)| value.clone()))
    }
}
