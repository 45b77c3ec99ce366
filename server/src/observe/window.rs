//! The recent past of a histogram. Percentiles since the start of the process would hide what happens now.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::histogram::Snapshot;

/// The period of Hadoop's metrics system.
const PERIOD: Duration = Duration::from_secs(10);

/// Remembers the snapshot at which the window begins. Only readers take its lock; recording does not.
#[derive(Default)]
pub struct Window(Mutex<Option<Marks>>);

struct Marks {
    since: Snapshot,
    next: Snapshot,
    next_at: Instant,
}

impl Window {
    /// Returns the values of the last one to two periods if it is called at least once per period; otherwise those since the
    /// previous call. The first call returns all values.
    pub fn recent(&self, now: &Snapshot) -> Snapshot {
        let mut marks = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let marks = marks.get_or_insert_with(|| Marks {
            since: Snapshot::default(),
            next: now.clone(),
            next_at: Instant::now(),
        });
        if marks.next_at.elapsed() >= PERIOD {
            marks.since = std::mem::replace(&mut marks.next, now.clone());
            marks.next_at = Instant::now();
        }
        now.since(&marks.since)
    }
}
