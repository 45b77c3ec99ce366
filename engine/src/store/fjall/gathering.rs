//! The writes for which the thread that syncs the journal waits before a sync.
//!
//! When a sync ends, its writers are answered, and send their next writes a round trip later. If the next sync began at
//! once, it would serve only the writes that had arrived during the last one, and the others would have to wait until
//! it has ended: two groups of writers would take turns, and each write would take the time of up to two syncs. Waiting
//! for a round trip is better if that is shorter than a sync.

use std::time::{Duration, Instant};

/// The longest wait. The thread does not sleep meanwhile.
const WAIT_MAX: Duration = Duration::from_micros(200);

/// The largest number of syncs between two waits.
const PAUSE_MAX: u32 = 64;

/// The writes that are expected before the next sync.
#[derive(Default)]
pub(super) struct Gathering {
    /// The number of writes that had been handed over when the last sync began.
    began: u64,
    /// The number when all writers that were served then, or waited when it ended, have sent their next write.
    expected: u64,
    /// When waiting would take longer than another sync.
    until: Option<Instant>,
    /// The number of waits in a row that were in vain.
    failed: u32,
    /// The number of syncs, with the one that follows the last wait, until there may be another wait.
    pause: u32,
}

impl Gathering {
    /// The number of writes that have been handed over when all that are expected have been.
    pub fn expected(&self) -> u64 {
        self.expected
    }

    /// Notes a sync that ended at `now` and took a time, with the writes that had been handed over when it began and
    /// when it had ended.
    pub fn synced(&mut self, began: u64, ended: u64, now: Instant, took_ns: u64) {
        self.expected = ended + (began - self.began);
        self.began = began;
        self.until = Some(now + Duration::from_nanos(took_ns).min(WAIT_MAX));
        self.pause = self.pause.saturating_sub(1);
    }

    /// Notes whether all expected writes have arrived. After waits in vain, there are none for a number of syncs, which
    /// doubles with each of them.
    pub fn waited(&mut self, is_complete: bool) {
        if is_complete {
            self.failed = 0;
        } else {
            self.pause = 1_u32.checked_shl(self.failed).unwrap_or(PAUSE_MAX).min(PAUSE_MAX);
            self.failed = self.failed.saturating_add(1);
        }
    }

    /// The time until which a sync is delayed, after this number of writes has been handed over. `None` if it is not.
    pub fn until(&self, handed_over: u64, now: Instant) -> Option<Instant> {
        self.until.filter(|until| self.pause == 0 && handed_over < self.expected && now < *until)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sync_is_delayed_for_the_writers_that_the_last_one_has_served() {
        let now = Instant::now();
        let after = |micros| now + Duration::from_micros(micros);
        let mut gathering = Gathering::default();
        assert_eq!(gathering.until(1, now), None, "nothing has been synced");
        // Five writes were served, and three came meanwhile: eight writers.
        gathering.synced(5, 8, now, 100_000);
        assert_eq!(gathering.until(8, now), Some(after(100)));
        assert_eq!(gathering.until(12, after(99)), Some(after(100)));
        assert_eq!(gathering.until(13, after(99)), None, "all are there");
        assert_eq!(gathering.until(8, after(100)), None, "another sync would take no longer");
        // All eight writers wait for one sync.
        gathering.synced(13, 13, now, 1_000_000_000);
        assert_eq!(gathering.until(20, now), Some(now + WAIT_MAX));
        assert_eq!(gathering.until(21, now), None);
        // They have not come back.
        for (waits, pause) in [1, 2, 4, 8, 16, 32, 64, 64, 64].into_iter().enumerate() {
            gathering.waited(false);
            for sync in 0..pause {
                assert_eq!(gathering.until(0, now), None, "after {waits} waits and {sync} syncs");
                gathering.synced(13, 14, now, 100_000);
            }
            assert_eq!(gathering.until(13, now), Some(after(100)));
        }
        gathering.waited(true);
        assert_eq!(gathering.until(13, now), Some(after(100)));
        gathering.waited(false);
        gathering.synced(13, 14, now, 100_000);
        assert_eq!(gathering.until(13, now), Some(after(100)));
    }
}
