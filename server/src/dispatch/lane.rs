//! One lane: its permits, its queue and its metrics.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::Duration;

use super::inline_speed::InlineSpeed;
use super::job::Job;
use super::queue::Queue;
use crate::observe::{Dropped, Histogram, LaneMetrics, Refusal};
use crate::settings::lane_size::LaneSize;
use crate::wire::method::LaneKind;

/// A lane: calls of one kind, with threads of their own.
///
/// A call holds a permit from before it is queued until its reply is complete. There is one permit for each
/// handler and each queue slot, so the queue itself needs no limit. A lane that becomes smaller keeps its
/// calls, and accepts new ones when it has room.
pub struct Lane {
    kind: LaneKind,
    queue: Arc<dyn Queue<Job>>,
    handlers: AtomicUsize,
    running_max: AtomicUsize,
    calls_max: AtomicUsize,
    under_way: AtomicUsize,
    running: AtomicUsize,
    /// The calls that have been run and wait for the commit or the sync of their writes.
    committing: AtomicUsize,
    inline_speed: InlineSpeed,
    finished: AtomicU64,
    /// Indexed by [`Refusal`].
    refused: [AtomicU64; 3],
    /// Indexed by [`Dropped`].
    dropped: [AtomicU64; 3],
    wait: Histogram,
}

impl Lane {
    /// A lane without calls. A lane without a size accepts none.
    pub fn new(kind: LaneKind, queue: Arc<dyn Queue<Job>>, size: Option<LaneSize>) -> Self {
        let lane = Self {
            kind,
            queue,
            handlers: AtomicUsize::new(0),
            running_max: AtomicUsize::new(0),
            calls_max: AtomicUsize::new(0),
            under_way: AtomicUsize::new(0),
            running: AtomicUsize::new(0),
            committing: AtomicUsize::new(0),
            inline_speed: InlineSpeed::default(),
            finished: AtomicU64::new(0),
            refused: Default::default(),
            dropped: Default::default(),
            wait: Histogram::default(),
        };
        lane.resize(size);
        lane
    }

    /// The kind of its calls.
    pub fn kind(&self) -> LaneKind {
        self.kind
    }

    /// The queue in which its calls wait.
    pub fn queue(&self) -> &Arc<dyn Queue<Job>> {
        &self.queue
    }

    /// Changes the number of permits, and of calls that run at once.
    pub fn resize(&self, size: Option<LaneSize>) {
        if let Some(size) = size {
            self.queue.limit(size.concurrency(self.kind));
        }
        self.handlers.store(size.map_or(0, |s| s.handlers), Ordering::Relaxed);
        self.running_max.store(size.map_or(0, |s| s.running_max), Ordering::Relaxed);
        self.calls_max.store(size.map_or(0, |s| s.calls_max()), Ordering::Relaxed);
    }

    /// A permit for a handler or a queue slot; `None` if all are in use.
    pub fn enter(self: &Arc<Self>) -> Option<Permit> {
        self.permit(self.calls_max.load(Ordering::Relaxed))
    }

    /// A permit for a call that runs on its event loop; `None` while all handlers are busy or, unless `always` is set,
    /// short calls are slow. Calls that wait for a commit or a sync do not occupy handlers, since one serves all of
    /// them.
    pub fn enter_inline(self: &Arc<Self>, always: bool) -> Option<Permit> {
        if !always && !self.inline_speed.admits() {
            return None;
        }
        let busy_max = self.running_max.load(Ordering::Relaxed).saturating_add(self.committing.load(Ordering::Relaxed));
        self.permit(busy_max.min(self.calls_max.load(Ordering::Relaxed)))
    }

    /// The durations of calls on event loops.
    pub fn inline_speed(&self) -> &InlineSpeed {
        &self.inline_speed
    }

    /// The number of calls running or waiting.
    pub fn under_way(&self) -> usize {
        self.under_way.load(Ordering::Relaxed)
    }

    /// Whether a call runs now, on a worker or an event loop.
    pub fn is_running(&self) -> bool {
        self.running.load(Ordering::Relaxed) > 0
    }

    /// Counts a call that was refused.
    pub fn refused(&self, why: Refusal) {
        self.refused[why as usize].fetch_add(1, Ordering::Relaxed);
    }

    /// Counts a call as finished, and records how long it waited in the queue.
    pub fn ended(&self, waited: Duration) {
        self.wait.record(u64::try_from(waited.as_nanos()).unwrap_or(u64::MAX));
        self.finished.fetch_add(1, Ordering::Relaxed);
    }

    /// Counts a call that waited and was not run.
    pub fn dropped(&self, why: Dropped) {
        self.dropped[why as usize].fetch_add(1, Ordering::Relaxed);
    }

    /// The metrics of this lane.
    pub fn metrics(&self) -> LaneMetrics {
        let refused = |why: Refusal| self.refused[why as usize].load(Ordering::Relaxed);
        let dropped = |why: Dropped| self.dropped[why as usize].load(Ordering::Relaxed);
        LaneMetrics {
            kind: self.kind,
            handlers: self.handlers.load(Ordering::Relaxed),
            running_max: self.running_max.load(Ordering::Relaxed),
            calls_max: self.calls_max.load(Ordering::Relaxed),
            under_way: self.under_way(),
            waiting: self.queue.len(),
            running: self.running.load(Ordering::Relaxed) + self.committing.load(Ordering::Relaxed),
            finished: self.finished.load(Ordering::Relaxed),
            refused_length: refused(Refusal::Length),
            refused_bytes: refused(Refusal::Bytes),
            refused_share: refused(Refusal::Share),
            dropped_gone: dropped(Dropped::Gone),
            dropped_overloaded: dropped(Dropped::Overloaded),
            dropped_late: dropped(Dropped::Late),
            lifo_switches: self.queue.lifo_switches(),
            wait: self.wait.read(),
        }
    }

    /// The number of calls in this state, if it is counted.
    fn count_of(&self, state: CallState) -> Option<&AtomicUsize> {
        match state {
            CallState::Waiting => None,
            CallState::Running => Some(&self.running),
            CallState::Committing => Some(&self.committing),
        }
    }

    fn permit(self: &Arc<Self>, limit: usize) -> Option<Permit> {
        let more = |under_way| (under_way < limit).then_some(under_way + 1);
        self.under_way.fetch_update(Ordering::Relaxed, Ordering::Relaxed, more).ok()?;
        Some(Permit { lane: self.clone(), state: CallState::Waiting })
    }
}

/// The right of one call to run or wait in a lane.
pub struct Permit {
    lane: Arc<Lane>,
    state: CallState,
}

#[derive(Clone, Copy)]
enum CallState {
    Waiting,
    Running,
    /// The call has been run, and its writes wait for a commit or a sync.
    Committing,
}

impl Permit {
    /// The lane.
    pub fn lane(&self) -> &Lane {
        &self.lane
    }

    /// The lane, for its owners.
    pub fn shared_lane(&self) -> &Arc<Lane> {
        &self.lane
    }

    /// Counts the call as running.
    pub fn begins(&mut self) {
        self.enter(CallState::Running);
    }

    /// Counts the call as waiting for the commit or the sync of its writes.
    pub fn waits_for_commit(&mut self) {
        self.enter(CallState::Committing);
    }

    /// Reverses [`Self::begins`]: the call returns to the queue.
    pub fn waits_again(&mut self) {
        self.enter(CallState::Waiting);
    }

    fn enter(&mut self, state: CallState) {
        if let Some(count) = self.lane.count_of(state) {
            count.fetch_add(1, Ordering::Relaxed);
        }
        self.leave();
        self.state = state;
    }

    fn leave(&self) {
        if let Some(count) = self.lane.count_of(self.state) {
            count.fetch_sub(1, Ordering::Relaxed);
        }
    }
}

impl Drop for Permit {
    fn drop(&mut self) {
        self.leave();
        self.lane.under_way.fetch_sub(1, Ordering::Relaxed);
    }
}
