//! The recent past of a histogram. Percentiles since the start of the process would hide what happens now.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::histogram::Snapshot;

/// The period of Hadoop's metrics system.
const PERIOD: Duration = Duration::from_secs(10);

/// Keeps the snapshot at which the window begins. Only readers take its lock; recording does not.
#[derive(Default)]
pub struct Window(Mutex<Option<Baselines>>);

/// Snapshots that later ones are compared with.
struct Baselines {
    /// The start of the window.
    since: Snapshot,
    /// The start of the next window.
    next: Snapshot,
    next_taken_at: Instant,
}

impl Window {
    /// Returns the values of the last one to two periods if it is called at least once per period; otherwise those
    /// since the previous call. The first call returns all values.
    pub fn recent(&self, now: &Snapshot) -> Snapshot {
        let mut baselines = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let baselines = baselines.get_or_insert_with(|| Baselines {
            since: Snapshot::default(),
            next: now.clone(),
            next_taken_at: Instant::now(),
        });
        if baselines.next_taken_at.elapsed() >= PERIOD {
            baselines.since = std::mem::replace(&mut baselines.next, now.clone());
            baselines.next_taken_at = Instant::now();
        }
        now.since(&baselines.since)
    }
}
