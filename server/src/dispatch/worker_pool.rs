//! The threads that run queued calls. Each lane has at least as many threads as it may run calls at once, which the
//! settings determine.

use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::rc::Rc;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{Builder, JoinHandle};

use hjall_engine::thread_priority;

use super::lane::Lane;
use super::queue::{Taken, Taker};
use super::runner::{Runner, log_panic};
use super::write_group::WriteGroup;
use crate::observe::Dropped;
use crate::settings::lane_size::Lanes;
use crate::wire::method::LaneKind;

/// The workers of all lanes. Their threads are named `hjall-read-0` and so on.
pub struct WorkerPool {
    runner: Arc<Runner>,
    lanes: [Arc<Lane>; LaneKind::ALL.len()],
    workers: Mutex<Workers>,
}

#[derive(Default)]
struct Workers {
    /// The number of workers of each lane that have not been told to retire.
    working: [usize; LaneKind::ALL.len()],
    threads: Vec<JoinHandle<()>>,
    /// Whether all have been told to retire.
    stopped: bool,
}

impl WorkerPool {
    /// A pool without threads.
    pub fn new(runner: Arc<Runner>, lanes: [Arc<Lane>; LaneKind::ALL.len()]) -> Self {
        Self { runner, lanes, workers: Mutex::default() }
    }

    /// Starts workers until each lane has the number that its size requires. Does nothing after [`Self::retire_all`].
    ///
    /// # Errors
    /// The operating system cannot start a thread. The workers started so far remain.
    pub fn grow(&self, sizes: &Lanes) -> io::Result<()> {
        let mut workers = self.workers.lock().unwrap_or_else(PoisonError::into_inner);
        if workers.stopped {
            return Ok(());
        }
        workers.threads.retain(|thread| !thread.is_finished());
        for (kind, size) in sizes.iter() {
            let missing = size.threads(kind).saturating_sub(workers.working[kind as usize]);
            workers.working[kind as usize] += self.lanes[kind as usize].queue().keep(missing);
            while workers.working[kind as usize] < size.threads(kind) {
                let thread = self.spawn(kind, workers.working[kind as usize])?;
                workers.threads.push(thread);
                workers.working[kind as usize] += 1;
            }
        }
        Ok(())
    }

    /// Whether each lane has a worker.
    pub fn serve(&self, sizes: &Lanes) -> bool {
        let workers = self.workers.lock().unwrap_or_else(PoisonError::into_inner);
        sizes.iter().all(|(kind, _)| workers.working[kind as usize] > 0)
    }

    /// Retires surplus workers after they have drained the queue and their calls have ended. A lane without a size
    /// keeps one worker, for calls that were routed there before the change.
    pub fn shrink(&self, sizes: &Lanes) {
        let mut workers = self.workers.lock().unwrap_or_else(PoisonError::into_inner);
        for kind in LaneKind::ALL {
            let needed = sizes.size(kind).map_or(1, |size| size.threads(kind));
            let working = &mut workers.working[kind as usize];
            let spare = working.saturating_sub(needed);
            self.lanes[kind as usize].queue().retire(spare, needed);
            *working -= spare;
        }
    }

    /// Retires all workers after they have drained the queues. Returns their threads.
    pub fn retire_all(&self) -> Vec<JoinHandle<()>> {
        let mut workers = self.workers.lock().unwrap_or_else(PoisonError::into_inner);
        for (lane, working) in self.lanes.iter().zip(workers.working) {
            lane.queue().retire(working, 0);
        }
        workers.working = Default::default();
        workers.stopped = true;
        std::mem::take(&mut workers.threads)
    }

    fn spawn(&self, kind: LaneKind, number: usize) -> io::Result<JoinHandle<()>> {
        let (runner, queue) = (self.runner.clone(), self.lanes[kind as usize].queue().clone());
        Builder::new().name(format!("hjall-{}-{number}", kind.name())).spawn(move || {
            lower_priority(kind);
            let taker = Rc::new(Taker::new());
            let (waiting_queue, waiting_taker) = (queue.clone(), taker.clone());
            hjall_engine::blocking::on_wait(move || waiting_queue.waits(&waiting_taker));
            let open_group = || (kind == LaneKind::Write).then(|| WriteGroup::new(runner.clone()));
            let mut group = open_group();
            loop {
                if matches!(kind, LaneKind::Scan | LaneKind::General) && !queue.is_empty() {
                    // Event loops and workers of gets run first between two long calls.
                    std::thread::yield_now();
                }
                let taken = queue.take(&taker);
                if matches!(taken, Taken::Retire) {
                    return;
                }
                let served = catch_unwind(AssertUnwindSafe(|| match (taken, &group) {
                    (Taken::Run(job), Some(group)) => group.run(job, &*queue, &taker),
                    (Taken::Run(job), None) => runner.run_job(job),
                    (Taken::Drop(job), _) => runner.drop_job(job, Dropped::Overloaded),
                    (Taken::Retire, _) => {}
                }));
                if let Err(panic) = served {
                    // The worker goes on: nothing would replace it.
                    log_panic("a worker could not complete a call", &*panic);
                    let _ = catch_unwind(AssertUnwindSafe(|| group.take().map(WriteGroup::abandon)));
                    group = open_group();
                }
            }
        })
    }
}

/// Lowers the priority of a worker of scans or writes, so that on a busy machine a get does not wait for the
/// end of its time slice. Has no effect while processors are idle. Only Linux has priorities of threads. If
/// it refuses, the thread keeps the priority of the process.
fn lower_priority(kind: LaneKind) {
    if let Some(nicer) = niceness(kind) {
        thread_priority::lower(nicer);
    }
}

/// By how much the niceness of the threads of a lane is greater than that of the process; `None` if it is the same.
/// Writes have a lower niceness than scans, because other calls may wait for their commit.
fn niceness(kind: LaneKind) -> Option<i32> {
    match kind {
        LaneKind::Scan => Some(10),
        LaneKind::Write => Some(5),
        _ => None,
    }
}
