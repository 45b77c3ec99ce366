//! Waiting for a condition.

use std::time::{Duration, Instant};

/// A condition that does not hold after this time never will.
const WAIT_MAX: Duration = Duration::from_secs(60);

/// Waits until a condition holds, and fails if that takes too long. `what` names the condition.
pub fn eventually(what: &str, mut holds: impl FnMut() -> bool) {
    let began = Instant::now();
    while !holds() {
        assert!(began.elapsed() < WAIT_MAX, "{what}: not within {WAIT_MAX:?}");
        std::thread::yield_now();
    }
}
