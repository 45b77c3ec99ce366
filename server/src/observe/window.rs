//! The recent past of a spread: percentiles since the start would hide what happens now.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::histogram::Snapshot;

/// As long as Hadoop's metrics system keeps what it has told.
const PERIOD: Duration = Duration::from_secs(10);

/// Remembers where the window begins. Only who reads waits for it, never who records.
#[derive(Default)]
pub struct Window(Mutex<Option<Marks>>);

struct Marks {
    since: Snapshot,
    next: Snapshot,
    next_at: Instant,
}

impl Window {
    /// What came lately: since the reading before the last one that is ten seconds old or older, at first since the start.
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
