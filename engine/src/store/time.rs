//! The timestamps and sequence numbers of transactions, for all stores.
//!
//! [`Time`] is the clock of a database. [`RowTime`] has the rules by which a transaction derives its timestamps from
//! the clock. docs/storage-layout.md proves that with these rules the acknowledged writes of a row take effect in their
//! order.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use parking_lot::Mutex;

use crate::blocking;
use crate::clock::Clock;

/// How far the timestamps assigned in a row may be ahead of the clock, in milliseconds.
pub(super) const LEAD_MAX_MS: i64 = 1_000;

/// While the machine's clock is behind by at most this, in milliseconds, the time of the database stands still. That is
/// enough for threads that read the clock concurrently, and for small corrections of the clock.
const STAND_STILL_MAX_MS: i64 = 100;

/// How long a wait for the clock lasts without any advance of the clock, in real time, before it fails.
pub(super) const STALL_MAX: Duration = Duration::from_secs(1);

/// The longest sleep before a waiting transaction reads the clock again.
const WAIT_STEP_MAX: Duration = Duration::from_millis(50);

/// The timestamps of one transaction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct RowTime {
    /// The clock when the rows had been locked.
    pub clock_ms: i64,
    /// The timestamp of the transaction's writes: no earlier than the clock, and no earlier than each of the rows
    /// requires.
    pub now_ms: i64,
}

impl RowTime {
    /// Whether a transaction may run with these timestamps. If not, it has to wait for the clock.
    pub fn is_within_lead(self) -> bool {
        self.now_ms <= self.bound_ms()
    }

    /// Whether later transactions of the row must have timestamps after one that this transaction assigned. A timestamp
    /// beyond the bound was derived from a caller's, and would hold the row in the future.
    pub fn is_followed(self, timestamp_ms: i64) -> bool {
        timestamp_ms <= self.bound_ms()
    }

    /// The timestamp of a new version of a cell whose newest version has the timestamp `old_ms`. As in HBase, it is
    /// max(old + 1, now). At the bound, it is `old_ms`, and the new version replaces the old one. An `old_ms` beyond
    /// the bound comes from a caller, and HBase's rule applies. A version at the largest timestamp is replaced, too; in
    /// HBase the sum wraps, so that the new version is older than the one that stays.
    pub fn version_after(self, old_ms: i64) -> i64 {
        let next = old_ms.saturating_add(1).max(self.now_ms);
        if next > self.bound_ms() && old_ms <= self.bound_ms() { old_ms } else { next }
    }

    fn bound_ms(self) -> i64 {
        self.clock_ms.saturating_add(LEAD_MAX_MS)
    }
}

/// The clock of a database. It never goes back while the database is open, even if the machine's clock is set back.
///
/// While the machine's clock is behind, the time advances at half speed, measured by a clock that cannot be set. Writes
/// that wait for the time therefore make progress, and the machine's clock catches up.
pub(super) struct Time {
    clock: Arc<dyn Clock>,
    /// The latest time returned.
    latest_ms: AtomicI64,
    /// A lower bound of the timestamps of all transactions. It is ahead of the time by at most [`LEAD_MAX_MS`], and 1
    /// ms more after a delete.
    floor_ms: AtomicI64,
    /// The smallest timestamp that is later than every assigned timestamp of a delete marker, and no earlier than any
    /// other.
    safe_ms: AtomicI64,
    /// The time at which the machine's clock was first seen to be behind.
    anchor: Mutex<Option<Anchor>>,
}

#[derive(Clone, Copy)]
struct Anchor {
    time_ms: i64,
    steady: Duration,
}

/// The outcome of a wait for the clock.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Waited {
    /// The clock has reached the target.
    Reached,
    /// The clock does not advance.
    Stalled,
    /// The deadline has passed.
    TimedOut,
}

impl Time {
    /// The time of a store whose clock last showed `latest_ms`, and for all of whose rows `safe_ms` is a valid
    /// timestamp of the next transaction. Both are `i64::MIN` for a new store.
    pub fn new(clock: Arc<dyn Clock>, latest_ms: i64, safe_ms: i64) -> Self {
        // Keeps `safe_ms` within the bound of the lead, even if the stored values do not.
        let latest_ms = latest_ms.max(safe_ms.saturating_sub(LEAD_MAX_MS));
        Self {
            clock,
            latest_ms: AtomicI64::new(latest_ms),
            floor_ms: AtomicI64::new(safe_ms),
            safe_ms: AtomicI64::new(safe_ms),
            anchor: Mutex::new(None),
        }
    }

    /// The time, in milliseconds since 1970. It never decreases.
    pub fn now_ms(&self) -> i64 {
        let clock = self.clock.now_ms();
        let latest = self.latest_ms.load(Ordering::Acquire);
        // Most calls are in the same millisecond as an earlier call, and write no shared memory.
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
            // The anchor belongs to an earlier period in which the clock was behind.
        }
        *anchor = Some(Anchor { time_ms: latest, steady });
        latest
    }

    /// The earliest timestamp of a transaction whose rows have no entries.
    pub fn earliest_ms(&self) -> i64 {
        self.earliest_ms_at(self.now_ms())
    }

    /// As [`Self::earliest_ms`], with the time already read.
    pub fn earliest_ms_at(&self, now_ms: i64) -> i64 {
        now_ms.max(self.floor_ms.load(Ordering::Acquire))
    }

    /// Raises the lower bound of the timestamps of all later transactions.
    pub fn raise_floor(&self, floor_ms: i64) {
        self.floor_ms.fetch_max(floor_ms, Ordering::AcqRel);
    }

    /// Records that later transactions of some row must not have timestamps before `next_ms`.
    pub fn assigned(&self, next_ms: i64) {
        self.safe_ms.fetch_max(next_ms, Ordering::AcqRel);
    }

    /// The timestamp of a bulk load that begins now, whose rows are not known yet. It is valid for every row, and all
    /// later timestamps are no earlier. It is ahead of the time by at most [`LEAD_MAX_MS`], and 1 ms more after a
    /// delete.
    pub fn begin_load(&self) -> i64 {
        let time_ms = self.earliest_ms().max(self.safe_ms());
        self.raise_floor(time_ms);
        self.assigned(time_ms);
        time_ms
    }

    /// A timestamp that is valid for the next transaction of every row.
    pub fn safe_ms(&self) -> i64 {
        self.safe_ms.load(Ordering::Acquire)
    }

    /// How far the time is ahead of the machine's clock, in milliseconds.
    pub fn ahead_of_machine_ms(&self) -> i64 {
        self.now_ms().saturating_sub(self.clock.now_ms())
    }

    /// Waits until the time is at least `target_ms`.
    pub fn wait_until(&self, target_ms: i64, deadline: Instant) -> Waited {
        blocking::may_wait();
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

/// A counter whose numbers rise in the order of the transactions of a row.
pub(super) struct Sequence(AtomicU64);

impl Sequence {
    /// A counter that begins with `first`.
    pub fn from(first: u64) -> Self {
        Self(AtomicU64::new(first))
    }

    /// Returns the next number, and counts it as used.
    pub fn draw(&self) -> u64 {
        self.0.fetch_add(1, Ordering::AcqRel)
    }

    /// The number that [`Self::draw`] would return next.
    pub fn upcoming(&self) -> u64 {
        self.0.load(Ordering::Acquire)
    }
}
