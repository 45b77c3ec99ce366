//! One lane: permits for its handlers and its queue's places, and how quick it has lately been.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::Duration;

use crate::arithmetic::LaneSize;

/// Short reads leave their lane only while a call of it takes less than this on average: an event loop has other connections.
const QUICK: Duration = Duration::from_micros(200);

/// Counts what is under way in a lane.
///
/// A call holds a permit from before it is queued until its reply is made. With as many permits as handlers and places there are, the
/// queue itself needs no bound.
pub struct Lane {
    size: LaneSize,
    under_way: AtomicUsize,
    /// Moving average of what a call takes.
    pace_ns: AtomicU64,
    finished: AtomicU64,
    refused: AtomicU64,
}

impl Lane {
    /// A lane with nothing under way.
    pub fn new(size: LaneSize) -> Self {
        Self {
            size,
            under_way: AtomicUsize::new(0),
            pace_ns: AtomicU64::new(0),
            finished: AtomicU64::new(0),
            refused: AtomicU64::new(0),
        }
    }

    /// A handler or a place in the queue; `None`: all are taken.
    pub fn enter(self: &Arc<Self>) -> Option<Permit> {
        let permit = self.permit(self.size.calls_max());
        if permit.is_none() {
            self.refused.fetch_add(1, Ordering::Relaxed);
        }
        permit
    }

    /// A handler for a call that would run at once where it is; `None` while all are taken or calls have lately been slow.
    pub fn enter_quick(self: &Arc<Self>) -> Option<Permit> {
        let quick = u64::try_from(QUICK.as_nanos()).unwrap_or(u64::MAX);
        if self.pace_ns.load(Ordering::Relaxed) > quick {
            None
        } else {
            self.permit(self.size.running_max.min(self.size.calls_max()))
        }
    }

    /// Calls running or waiting.
    pub fn under_way(&self) -> usize {
        self.under_way.load(Ordering::Relaxed)
    }

    /// Calls finished since the start.
    pub fn finished(&self) -> u64 {
        self.finished.load(Ordering::Relaxed)
    }

    /// Calls refused since the start because nothing was free.
    pub fn refused(&self) -> u64 {
        self.refused.load(Ordering::Relaxed)
    }

    fn permit(self: &Arc<Self>, limit: usize) -> Option<Permit> {
        let more = |under_way| (under_way < limit).then_some(under_way + 1);
        self.under_way.fetch_update(Ordering::Relaxed, Ordering::Relaxed, more).ok()?;
        Some(Permit { lane: self.clone() })
    }
}

/// One call's right to run or wait in a lane.
pub struct Permit {
    lane: Arc<Lane>,
}

impl Permit {
    /// Tells the lane how long the call ran.
    pub fn ran(&self, took: Duration) {
        let took = u64::try_from(took.as_nanos()).unwrap_or(u64::MAX);
        // Two that write at once lose one sample, which an average can bear.
        let pace = self.lane.pace_ns.load(Ordering::Relaxed);
        self.lane.pace_ns.store(pace - pace / 8 + took / 8, Ordering::Relaxed);
        self.lane.finished.fetch_add(1, Ordering::Relaxed);
    }
}

impl Drop for Permit {
    fn drop(&mut self) {
        self.lane.under_way.fetch_sub(1, Ordering::Relaxed);
    }
}
