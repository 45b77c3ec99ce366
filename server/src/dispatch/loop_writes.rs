//! The short writes of the connections of one event loop, which run on that loop and are committed together.
//!
//! While the loop serves the connections whose calls have arrived, their writes are staged. A task that is scheduled
//! behind those connections commits them, and answers the calls. Nothing of this waits: a call that would have to, and
//! those whose commit would have to, are put into the queue of the write lane.

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::sync::Arc;

use tokio::sync::Notify;

use super::job::Job;
use super::lane::{Lane, Permit};
use super::runner::Runner;
use super::write_group::WriteGroup;

/// The largest number of calls whose writes are committed together.
const CALLS_MAX: usize = 128;

/// The writes of the event loop of the current thread.
pub struct LoopWrites {
    group: WriteGroup,
    lane: Arc<Lane>,
    /// Whether calls have run since the last commit.
    is_due: Cell<bool>,
    due: Arc<Notify>,
}

thread_local! {
    static CURRENT: RefCell<Option<Rc<LoopWrites>>> = const { RefCell::new(None) };
}

/// The right of the current thread to stage writes. When it is dropped, staged writes are committed.
pub struct LoopWritesGuard(());

impl Drop for LoopWritesGuard {
    fn drop(&mut self) {
        if let Some(writes) = CURRENT.take() {
            writes.commit();
        }
    }
}

impl LoopWrites {
    /// Lets calls of the write lane run on the event loop of the current thread. The loop has to run the future, which
    /// does not end.
    pub fn enter(runner: Arc<Runner>, lane: Arc<Lane>) -> (LoopWritesGuard, impl Future<Output = ()> + Send) {
        let due = Arc::<Notify>::default();
        let group = WriteGroup::on_event_loop(runner);
        CURRENT.set(Some(Rc::new(Self { group, lane, is_due: Cell::new(false), due: due.clone() })));
        let commits = async move {
            loop {
                due.notified().await;
                if let Some(writes) = Self::current() {
                    writes.commit();
                }
            }
        };
        (LoopWritesGuard(()), commits)
    }

    /// Those of the current thread, if it may stage writes.
    pub fn current() -> Option<Rc<Self>> {
        CURRENT.with_borrow(Clone::clone)
    }

    /// A permit for a call that runs on this loop; `None` if it has to be queued. Staged calls are committed if they
    /// use all handlers. `always`: see [`Lane::enter_inline`].
    pub fn permit(&self, always: bool) -> Option<Permit> {
        if !self.group.is_possible() {
            return None;
        }
        self.lane.enter_inline(always).or_else(|| {
            if self.group.staged() == 0 {
                return None;
            }
            self.commit();
            self.lane.enter_inline(always)
        })
    }

    /// Runs a job, whose call must be short. Its reply follows, at the latest after the next commit.
    pub fn run(&self, job: Job) {
        self.group.stage(job);
        if self.group.staged() >= CALLS_MAX {
            self.commit();
        } else if !self.is_due.replace(true) {
            self.due.notify_one();
        }
    }

    fn commit(&self) {
        if !self.is_due.replace(false) {
            return;
        }
        let calls = u32::try_from(self.group.staged()).unwrap_or(u32::MAX);
        let stopwatch = self.lane.inline_speed().start();
        self.group.commit_without_waiting();
        if calls > 0 {
            self.lane.inline_speed().record(&stopwatch, calls);
        }
    }
}
