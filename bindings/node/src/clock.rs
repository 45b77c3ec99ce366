//! A clock that the program sets.

use std::sync::Arc;

use napi_derive::napi;

/// A clock for a database that advances only on request. Times are milliseconds since the Unix epoch.
#[napi]
pub struct ManualClock {
    clock: Arc<hjall_engine::clock::ManualClock>,
}

#[napi]
impl ManualClock {
    /// Creates a clock that shows `ms`.
    #[napi(constructor)]
    pub fn new(ms: i64) -> Self {
        Self { clock: Arc::new(hjall_engine::clock::ManualClock::at(ms)) }
    }

    /// Advances the clock by `ms` milliseconds.
    #[napi]
    pub fn advance(&self, ms: i64) {
        self.clock.advance(ms);
    }

    /// Sets the time, which may be earlier than the current one.
    #[napi]
    pub fn set(&self, ms: i64) {
        self.clock.set(ms);
    }

    /// The current time.
    #[napi]
    pub fn now(&self) -> i64 {
        hjall_engine::clock::Clock::now_ms(&*self.clock)
    }

    /// The engine's clock behind it.
    pub(crate) fn shared(&self) -> Arc<hjall_engine::clock::ManualClock> {
        Arc::clone(&self.clock)
    }
}
