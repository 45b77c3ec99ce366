//! A clock that a program moves.

use std::sync::Arc;

use napi_derive::napi;

/// Tells a database the time; moves only when told to. Times are milliseconds since 1970.
#[napi]
pub struct ManualClock {
    clock: Arc<hjall_engine::clock::ManualClock>,
}

#[napi]
impl ManualClock {
    /// A clock that shows this time.
    #[napi(constructor)]
    pub fn new(ms: i64) -> Self {
        Self { clock: Arc::new(hjall_engine::clock::ManualClock::at(ms)) }
    }

    /// Moves it by so many milliseconds.
    #[napi]
    pub fn advance(&self, ms: i64) {
        self.clock.advance(ms);
    }

    /// Sets it, also backwards.
    #[napi]
    pub fn set(&self, ms: i64) {
        self.clock.set(ms);
    }

    /// What it shows.
    #[napi]
    pub fn now(&self) -> i64 {
        hjall_engine::clock::Clock::now_ms(&*self.clock)
    }

    pub(crate) fn shared(&self) -> Arc<hjall_engine::clock::ManualClock> {
        Arc::clone(&self.clock)
    }
}
