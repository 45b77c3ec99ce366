//! The time and the order of transactions, as every store tells them.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};

use crate::clock::Clock;

/// The clock as transactions see it: it never goes back, neither when the machine's clock does nor, where a store keeps a mark, at a restart.
///
/// While the machine's clock is behind, the time stands still; what has to come later than something else in its row does so by
/// [`super::rows::Rows`].
pub(super) struct Time {
    clock: Arc<dyn Clock>,
    /// The latest time ever told.
    latest_ms: AtomicI64,
    /// The newest timestamp ever assigned; ahead of `latest_ms` when a row runs ahead of the clock.
    newest_assigned_ms: AtomicI64,
}

impl Time {
    /// A time that begins at `floor_ms`, or at the clock if that is later.
    pub fn new(clock: Arc<dyn Clock>, floor_ms: i64) -> Self {
        Self { clock, latest_ms: AtomicI64::new(floor_ms), newest_assigned_ms: AtomicI64::new(floor_ms) }
    }

    /// Milliseconds since 1970, never less than ever before.
    pub fn now_ms(&self) -> i64 {
        let clock = self.clock.now_ms();
        let latest = self.latest_ms.load(Ordering::Acquire);
        // Most calls fall into a millisecond that another call has told already: those write nothing shared.
        if clock > latest { self.latest_ms.fetch_max(clock, Ordering::AcqRel).max(clock) } else { latest }
    }

    /// From now on it is at least this late.
    pub fn raise(&self, floor_ms: i64) {
        self.latest_ms.fetch_max(floor_ms, Ordering::AcqRel);
    }

    /// Remembers a timestamp that a transaction assigned.
    pub fn assigned(&self, timestamp_ms: i64) {
        self.newest_assigned_ms.fetch_max(timestamp_ms, Ordering::AcqRel);
    }

    /// Not before this any transaction's time needs to be: the newest timestamp assigned, or the floor that this began with.
    pub fn newest_assigned_ms(&self) -> i64 {
        self.newest_assigned_ms.load(Ordering::Acquire)
    }
}

/// Numbers in the order in which transactions of one row follow each other.
pub(super) struct Sequence(AtomicU64);

impl Sequence {
    /// The first number drawn is this one.
    pub fn from(first: u64) -> Self {
        Self(AtomicU64::new(first))
    }

    /// The next number.
    pub fn draw(&self) -> u64 {
        self.0.fetch_add(1, Ordering::AcqRel)
    }

    /// The number that would be drawn next.
    pub fn upcoming(&self) -> u64 {
        self.0.load(Ordering::Acquire)
    }
}
