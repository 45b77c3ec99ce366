//! The source of time. It is an argument, so that tests can set it.

use std::sync::LazyLock;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use parking_lot::{Condvar, Mutex};

/// A source of time. It may stand still and may be set back; the engine handles both.
pub trait Clock: Send + Sync + 'static {
    /// Milliseconds since 1970.
    fn now_ms(&self) -> i64;

    /// The time since an arbitrary moment, measured by a monotonic clock, or `None` if there is none. With it,
    /// the engine's time advances while [`Self::now_ms`] is behind; without it, the engine's time stands still until
    /// then.
    fn steady(&self) -> Option<Duration> {
        None
    }

    /// Blocks until the clock has changed, but no longer than `limit` of real time. May return early.
    fn wait(&self, limit: Duration) {
        std::thread::sleep(limit);
    }
}

/// The lead of a database's time over the machine's clock, in milliseconds, above which it is logged.
pub const AHEAD_WARN_MS: i64 = 10_000;

/// Logs that the time of a database is ahead of the machine's clock.
pub fn warn_of_lead(ahead_ms: i64) {
    tracing::warn!(
        "the database's time is {} s ahead of this machine's clock; was the clock set back? Until the clock has caught up, \
         the time of the database advances at half speed",
        ahead_ms / 1000
    );
}

/// The machine's clock.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    fn now_ms(&self) -> i64 {
        SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |d| i64::try_from(d.as_millis()).unwrap_or(i64::MAX))
    }

    fn steady(&self) -> Option<Duration> {
        static ORIGIN: LazyLock<Instant> = LazyLock::new(Instant::now);
        Some(ORIGIN.elapsed())
    }
}

/// A clock that moves only on request.
///
/// Deletes need it to move. A write that follows a delete of the same row is assigned a later timestamp, by 1 ms, and
/// the timestamps of a row are at most 1 s ahead of the clock. A row that has been deleted and written more than 1,000
/// times while the clock stood still is 1 s ahead. Its next write waits until the clock is advanced, from another
/// thread, and fails with [`Busy`](crate::ErrorKind::Busy) if that does not happen within one second of real time. To
/// avoid the wait, advance the clock by 1 ms after each delete. Writes never fail in this way with [`SystemClock`],
/// where they wait for at most the milliseconds by which the row is too far ahead.
#[derive(Debug)]
pub struct ManualClock {
    hands: Mutex<Hands>,
    moved: Condvar,
}

#[derive(Debug)]
struct Hands {
    now_ms: i64,
    /// The sum of all advances: what a monotonic clock would have measured.
    steady_ms: u64,
}

impl ManualClock {
    /// A clock that shows `now_ms` milliseconds since 1970.
    pub fn at(now_ms: i64) -> Self {
        Self { hands: Mutex::new(Hands { now_ms, steady_ms: 0 }), moved: Condvar::new() }
    }

    /// Lets `ms` milliseconds pass. A negative number sets the clock back.
    pub fn advance(&self, ms: i64) {
        let mut hands = self.hands.lock();
        hands.now_ms = hands.now_ms.saturating_add(ms);
        hands.steady_ms = hands.steady_ms.saturating_add(u64::try_from(ms).unwrap_or(0));
        self.moved.notify_all();
    }

    /// Sets the clock, forwards or backwards, without letting time pass.
    pub fn set(&self, now_ms: i64) {
        self.hands.lock().now_ms = now_ms;
        self.moved.notify_all();
    }
}

impl Clock for ManualClock {
    fn now_ms(&self) -> i64 {
        self.hands.lock().now_ms
    }

    fn steady(&self) -> Option<Duration> {
        Some(Duration::from_millis(self.hands.lock().steady_ms))
    }

    fn wait(&self, limit: Duration) {
        self.moved.wait_for(&mut self.hands.lock(), limit);
    }
}
