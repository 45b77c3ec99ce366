//! When a sync waits for more writers.
//!
//! Writers that write again and again arrive one after the other when a sync has ended. If the next sync began with the
//! first of them, the others would wait for that one and for another one: eight writers would be served one and seven
//! at a time. So a sync waits for the writers of the previous one, for a part of the time that a sync takes. Writers
//! that do not return, since their programs do other work in between, are not waited for again and again.

use std::time::{Duration, Instant};

/// For how long a sync waits after the previous one, as a part of the time that one took.
const PART: u32 = 2;

/// The longest wait, for disks that stall.
const WAIT_MAX: Duration = Duration::from_millis(5);

/// After this many attempts in vain in a row, the number of syncs between two attempts no longer grows.
const FAILURES_MAX: u32 = 6;

/// What the last syncs tell about the next one.
#[derive(Debug, Default)]
pub(super) struct Gathering {
    /// The number of requests for a sync, from the first one, when all writers of the last sync have returned.
    expected: u64,
    /// When the wait for them ends. `None` before the first sync.
    until: Option<Instant>,
    /// The attempts in a row for which less than half of the writers returned.
    failures: u32,
    /// The number of syncs that do not wait.
    skipped: u32,
}

impl Gathering {
    /// Registers that a sync for `writers` writers ended. `requested` is the number of requests so far.
    pub fn synced(&mut self, writers: u64, requested: u64, took: Duration, now: Instant) {
        self.expected = requested + writers;
        self.until = Some(now + (took / PART).min(WAIT_MAX));
    }

    /// The number of requests to wait for, and until when. `None` if the sync should begin at once.
    pub fn begin(&mut self, requested: u64, now: Instant) -> Option<(u64, Instant)> {
        let until = self.until.filter(|until| *until > now && requested < self.expected)?;
        if self.skipped > 0 {
            self.skipped -= 1;
            return None;
        }
        Some((self.expected, until))
    }

    /// Registers the end of a wait, with the numbers of requests before and after it.
    pub fn end(&mut self, before: u64, requested: u64) {
        let missing = self.expected.saturating_sub(requested);
        if missing * 2 > self.expected - before {
            self.failures = (self.failures + 1).min(FAILURES_MAX);
            self.skipped = 1 << self.failures;
        } else {
            self.failures = 0;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SYNC: Duration = Duration::from_millis(2);

    #[test]
    fn a_sync_waits_for_the_writers_of_the_previous_one() {
        let (mut gathering, now) = (Gathering::default(), Instant::now());
        assert_eq!(gathering.begin(1, now), None, "no sync has ended yet");
        // Eight requests, of which the sync served seven.
        gathering.synced(7, 8, SYNC, now);
        assert_eq!(gathering.begin(8, now), Some((15, now + SYNC / 2)));
        gathering.end(8, 15);
        assert_eq!(gathering.begin(15, now), None, "all have returned");
        gathering.synced(8, 15, SYNC, now);
        assert_eq!(gathering.begin(16, now + SYNC), None, "too late");
    }

    #[test]
    fn a_single_writer_never_waits() {
        let (mut gathering, now) = (Gathering::default(), Instant::now());
        gathering.synced(1, 1, SYNC, now);
        assert_eq!(gathering.begin(2, now), None);
    }

    #[test]
    fn writers_that_do_not_return_are_seldom_waited_for() {
        let (mut gathering, now) = (Gathering::default(), Instant::now());
        let (mut requested, mut waits) = (8, 0);
        for _ in 0..1000 {
            gathering.synced(8, requested, SYNC, now);
            requested += 1;
            if gathering.begin(requested, now).is_some() {
                waits += 1;
                gathering.end(requested, requested + 1);
            }
        }
        assert!(waits < 25, "{waits} of 1000 syncs waited");
        // Once they return, every sync waits again after the next attempt.
        let mut attempts = (0..=1 << FAILURES_MAX).map(|_| {
            gathering.synced(8, requested, SYNC, now);
            gathering.begin(requested, now)
        });
        assert!(attempts.any(|attempt| attempt.is_some()));
        gathering.end(requested, requested + 8);
        gathering.synced(8, requested, SYNC, now);
        assert!(gathering.begin(requested, now).is_some());
    }
}
