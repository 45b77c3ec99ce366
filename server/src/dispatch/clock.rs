//! The clock of queues and leases.

use std::time::Instant;

use hjall_engine::clock::Clock;

/// A monotonic clock: a change of the system time must not end leases or reorder queues.
pub struct Monotonic(Instant);

impl Default for Monotonic {
    fn default() -> Self {
        Self(Instant::now())
    }
}

impl Clock for Monotonic {
    fn now_ms(&self) -> i64 {
        i64::try_from(self.0.elapsed().as_millis()).unwrap_or(i64::MAX)
    }
}
