//! The time and the order of transactions, the same for every store.
//!
//! [`Time`] is the clock of a database, and [`RowTime`] the rule by which a transaction gets its timestamps from it. docs/data-model.md
//! proves that the rule makes the acknowledged writes of a row take effect in their order.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use parking_lot::Mutex;

use crate::clock::Clock;

/// How far the timestamps assigned in a row may be ahead of the clock, in milliseconds.
pub(super) const LEAD_MAX_MS: i64 = 1_000;

/// While the machine's clock is behind by no more than this, in milliseconds, the time stands still. Threads that read the clock at the
/// same time, and small corrections of it, need no more.
const STAND_STILL_MAX_MS: i64 = 100;

/// How long the clock may stand still, in real time, before a wait for it fails.
const STALL_MAX: Duration = Duration::from_secs(1);

/// The longest wait for the clock between two looks at it.
const WAIT_STEP_MAX: Duration = Duration::from_millis(50);

/// The timestamps of one transaction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct RowTime {
    /// The clock when the rows had been locked.
    pub clock_ms: i64,
    /// The timestamp of what the transaction writes: not before the clock, and not before what each of the rows requires.
    pub now_ms: i64,
}

impl RowTime {
    /// Whether a transaction may run with these timestamps, or has to wait for the clock.
    pub fn is_within_lead(self) -> bool {
        self.now_ms <= self.bound_ms()
    }

    /// Whether later transactions of the row follow a timestamp that this one assigned. One beyond the bound was derived from a timestamp
    /// that a caller gave: following it would hold the row in the future.
    pub fn is_followed(self, timestamp_ms: i64) -> bool {
        timestamp_ms <= self.bound_ms()
    }

    /// The timestamp of a new version of a cell whose newest version has the timestamp `old_ms`: HBase's max(old + 1, now). At the bound,
    /// the newest version is replaced instead. Beyond it, the version has its timestamp from a caller, and HBase's rule applies.
    pub fn version_after(self, old_ms: i64) -> i64 {
        // Wraps as in HBase.
        let next = old_ms.wrapping_add(1).max(self.now_ms);
        if next > self.bound_ms() && old_ms <= self.bound_ms() { old_ms } else { next }
    }

    fn bound_ms(self) -> i64 {
        self.clock_ms.saturating_add(LEAD_MAX_MS)
    }
}

/// The clock of a database. It never goes back while the database is open, whatever the machine's clock does.
///
/// While the machine's clock is behind, the time advances at half speed, measured by a clock that cannot be set: writes that wait for the
/// time go on, and the machine's clock catches up.
pub(super) struct Time {
    clock: Arc<dyn Clock>,
    /// The latest time returned.
    latest_ms: AtomicI64,
    /// No transaction has an earlier timestamp. At most [`LEAD_MAX_MS`] (and 1 ms, after a delete) ahead of the time.
    floor_ms: AtomicI64,
    /// The earliest timestamp that is later than every delete marker, and no earlier than any other timestamp, ever assigned.
    safe_ms: AtomicI64,
    /// Where the time was when the machine's clock was first seen to be behind.
    anchor: Mutex<Option<Anchor>>,
}

#[derive(Clone, Copy)]
struct Anchor {
    time_ms: i64,
    steady: Duration,
}

/// The outcome of waiting for the time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Waited {
    /// The time has come.
    Reached,
    /// The clock does not advance.
    Stalled,
    /// The deadline has passed.
    TimedOut,
}

impl Time {
    /// The time of a store whose clock was at `latest_ms`, and in which `safe_ms` is safe for every row. `i64::MIN` for a new store.
    pub fn new(clock: Arc<dyn Clock>, latest_ms: i64, safe_ms: i64) -> Self {
        // The bound of the lead holds from the start, whatever was stored.
        let latest_ms = latest_ms.max(safe_ms.saturating_sub(LEAD_MAX_MS));
        Self {
            clock,
            latest_ms: AtomicI64::new(latest_ms),
            floor_ms: AtomicI64::new(safe_ms),
            safe_ms: AtomicI64::new(safe_ms),
            anchor: Mutex::new(None),
        }
    }

    /// Milliseconds since 1970, never less than before.
    pub fn now_ms(&self) -> i64 {
        let clock = self.clock.now_ms();
        let latest = self.latest_ms.load(Ordering::Acquire);
        // Most calls are in a millisecond that another call has seen already: those write nothing shared.
        if clock > latest {
            self.latest_ms.fetch_max(clock, Ordering::AcqRel).max(clock)
        } else if latest.saturating_sub(clock) <= STAND_STILL_MAX_MS {
            latest
        } else {
            self.advance_slowly()
        }
    }

    /// The time while the machine's clock is behind.
    fn advance_slowly(&self) -> i64 {
        let mut anchor = self.anchor.lock();
        let latest = self.latest_ms.load(Ordering::Acquire);
        let Some(steady) = self.clock.steady() else { return latest };
        if let Some(anchor) = *anchor {
            let passed = i64::try_from(steady.saturating_sub(anchor.steady).as_millis() / 2).unwrap_or(i64::MAX);
            let now = anchor.time_ms.saturating_add(passed);
            if now >= latest {
                return self.latest_ms.fetch_max(now, Ordering::AcqRel).max(now);
            }
            // The anchor dates from an earlier time at which the clock was behind.
        }
        *anchor = Some(Anchor { time_ms: latest, steady });
        latest
    }

    /// The earliest timestamp of a transaction in rows about which nothing else is known.
    pub fn earliest_ms(&self) -> i64 {
        self.earliest_ms_at(self.now_ms())
    }

    /// As [`Self::earliest_ms`], with the time already read.
    pub fn earliest_ms_at(&self, now_ms: i64) -> i64 {
        now_ms.max(self.floor_ms.load(Ordering::Acquire))
    }

    /// From now on, no transaction has an earlier timestamp.
    pub fn raise_floor(&self, floor_ms: i64) {
        self.floor_ms.fetch_max(floor_ms, Ordering::AcqRel);
    }

    /// Records that later transactions of some row must not have timestamps before `next_ms`.
    pub fn assigned(&self, next_ms: i64) {
        self.safe_ms.fetch_max(next_ms, Ordering::AcqRel);
    }

    /// A timestamp that is safe for every row.
    pub fn safe_ms(&self) -> i64 {
        self.safe_ms.load(Ordering::Acquire)
    }

    /// How far the time is ahead of the machine's clock, in milliseconds.
    pub fn ahead_of_machine_ms(&self) -> i64 {
        self.now_ms().saturating_sub(self.clock.now_ms())
    }

    /// Waits until the time is at least `target_ms`.
    pub fn wait_until(&self, target_ms: i64, deadline: Instant) -> Waited {
        let mut now = self.now_ms();
        let mut changed = Instant::now();
        while now < target_ms {
            let instant = Instant::now();
            if instant >= deadline {
                return Waited::TimedOut;
            }
            if instant.saturating_duration_since(changed) >= STALL_MAX {
                return Waited::Stalled;
            }
            let missing = Duration::from_millis(u64::try_from(target_ms.saturating_sub(now)).unwrap_or(u64::MAX));
            self.clock.wait(missing.min(WAIT_STEP_MAX));
            let later = self.now_ms();
            if later > now {
                (now, changed) = (later, Instant::now());
            }
        }
        Waited::Reached
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
