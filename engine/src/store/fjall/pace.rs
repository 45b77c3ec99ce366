//! Pauses of compactions on a busy machine.
//!
//! A compaction keeps a processor busy for a second and more. If there are not enough processors for it, it takes turns
//! of several milliseconds with the event loops, for which calls wait. A lower priority of its thread would not help:
//! fjall holds the lock that all reads and commits of a space take while it completes a compaction, and a thread with a
//! low priority would hold it for long.

use std::time::{Duration, Instant};

use crate::scheduling::delay_of_thread;

/// The number of bytes that are compacted between two looks at the time. This takes a millisecond or two.
const STEP_BYTES: usize = 256 << 10;

/// The longest pause.
const PAUSE_MAX: Duration = Duration::from_millis(10);

/// The work of one compaction since its last pause.
pub(super) struct Pace {
    bytes: usize,
    began: Instant,
    delay: Duration,
}

impl Pace {
    pub fn new() -> Self {
        Self { bytes: 0, began: Instant::now(), delay: delay_of_thread() }
    }

    /// Counts bytes that have been compacted. If the thread has had to wait for a processor meanwhile, it pauses for as
    /// long as it has worked, up to 10 ms. `is_urgent`: whether writes will wait for the compaction.
    pub fn step(&mut self, bytes: usize, is_urgent: impl FnOnce() -> bool) {
        self.bytes += bytes;
        if self.bytes < STEP_BYTES {
            return;
        }
        if let Some(pause) = pause(self.began.elapsed(), delay_of_thread().saturating_sub(self.delay))
            && !is_urgent()
        {
            std::thread::sleep(pause);
        }
        *self = Self::new();
    }
}

/// The pause after a step that took `elapsed`, for `waited` of which its thread had no processor; `None` if processors
/// are free.
fn pause(elapsed: Duration, waited: Duration) -> Option<Duration> {
    (waited > elapsed / 8).then(|| elapsed.saturating_sub(waited).min(PAUSE_MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn compactions_pause_only_if_they_compete_for_processors() {
        const MS: Duration = Duration::from_millis(1);
        assert_eq!(pause(2 * MS, Duration::ZERO), None);
        assert_eq!(pause(8 * MS, MS), None);
        assert_eq!(pause(9 * MS, 3 * MS), Some(6 * MS));
        assert_eq!(pause(200 * MS, 100 * MS), Some(PAUSE_MAX));
    }

    #[test]
    fn small_steps_are_counted_together() {
        let mut pace = Pace::new();
        pace.step(STEP_BYTES - 1, || unreachable!("the step is not complete"));
        assert_eq!(pace.bytes, STEP_BYTES - 1);
        pace.step(1, || true);
        assert_eq!(pace.bytes, 0);
    }
}
