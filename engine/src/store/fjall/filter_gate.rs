//! Pauses of the compaction filters of a space, while its rules change.
//!
//! What a compaction drops disappears at its end. If the rules changed meanwhile, so that reads show some of it, it
//! would disappear after the change. Therefore no filter may drop pairs while the rules change: a requested major
//! compaction is aborted and begins again afterwards, and the change waits for the end of every other one.

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use crate::store::SpaceId;

/// The compaction filters of one space, in all of its keyspaces.
#[derive(Default)]
struct Gate {
    /// Compactions that may have dropped pairs and have not replaced files yet.
    running: AtomicUsize,
    pauses: AtomicUsize,
}

/// The gates of all spaces. They outlive the fjall database, which may be reopened during a pause.
#[derive(Default)]
pub(super) struct FilterGates(Mutex<HashMap<SpaceId, Arc<Gate>>>);

impl FilterGates {
    fn gate(&self, space: SpaceId) -> Arc<Gate> {
        Arc::clone(self.0.lock().unwrap_or_else(PoisonError::into_inner).entry(space).or_default())
    }

    /// Notes a filter that is about to be made. The rules must be looked up afterwards, so that a change of them either
    /// waits for the filter or is seen by it. `None` during a pause, in which filters must keep all pairs.
    pub fn begin(&self, space: SpaceId) -> Option<RunningFilter> {
        let running = RunningFilter(self.gate(space));
        running.0.running.fetch_add(1, Ordering::SeqCst);
        (!running.is_paused()).then_some(running)
    }

    /// Begins a pause. New filters keep all pairs until it is dropped.
    pub fn pause(&self, spaces: &[SpaceId]) -> PausedFilters {
        let gates: Vec<_> = spaces.iter().map(|space| self.gate(*space)).collect();
        for gate in &gates {
            gate.pauses.fetch_add(1, Ordering::SeqCst);
        }
        PausedFilters(gates)
    }

    /// Whether there is a pause.
    pub fn are_paused(&self, space: SpaceId) -> bool {
        self.gate(space).pauses.load(Ordering::SeqCst) > 0
    }

    /// Forgets a space that has been dropped.
    pub fn forget(&self, space: SpaceId) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).remove(&space);
    }
}

/// A filter that drops pairs. Dropped when its compaction has replaced files, or has failed.
pub(super) struct RunningFilter(Arc<Gate>);

impl RunningFilter {
    /// Whether there is a pause.
    pub fn is_paused(&self) -> bool {
        self.0.pauses.load(Ordering::SeqCst) > 0
    }
}

impl Drop for RunningFilter {
    fn drop(&mut self) {
        self.0.running.fetch_sub(1, Ordering::SeqCst);
    }
}

/// A pause of the filters of some spaces, until this is dropped.
pub(super) struct PausedFilters(Vec<Arc<Gate>>);

impl PausedFilters {
    /// Whether no filter that began before the pause may still drop pairs.
    pub fn have_ended(&self) -> bool {
        self.0.iter().all(|gate| gate.running.load(Ordering::SeqCst) == 0)
    }
}

impl Drop for PausedFilters {
    fn drop(&mut self) {
        for gate in &self.0 {
            gate.pauses.fetch_sub(1, Ordering::SeqCst);
        }
    }
}
