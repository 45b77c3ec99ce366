//! Threads of a database's own, few and bounded, made when there is work: Node's pool of four belongs to the host program too.
//!
//! A lane for each sort of call, so that gets do not wait behind scans nor anything behind a compaction.

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::thread::{Builder, available_parallelism};
use std::time::{Duration, Instant};

use parking_lot::{Condvar, Mutex};

/// A thread without work for so long ends.
const IDLE: Duration = Duration::from_secs(10);

/// Something to do.
pub type Job = Box<dyn FnOnce() + Send>;

/// Which threads a call runs on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LaneKind {
    /// Gets.
    Read,
    /// Everything that changes rows.
    Write,
    /// Blocks of scans.
    Scan,
    /// Tables, namespaces, upkeep, opening and closing.
    Admin,
}

/// The lanes of one database.
pub struct Lanes([Lane; 4]);

struct Lane {
    name: &'static str,
    threads_max: usize,
    shared: Arc<Shared>,
}

#[derive(Default)]
struct Shared {
    state: Mutex<State>,
    /// There is work, or the lane stops.
    work: Condvar,
    /// A thread has finished a job.
    quiet: Condvar,
}

#[derive(Default)]
struct State {
    queue: VecDeque<Job>,
    threads: usize,
    idle: usize,
    running: usize,
    stopped: bool,
}

impl Lanes {
    /// Without threads as yet.
    pub fn new() -> Self {
        let cores = available_parallelism().map_or(2, usize::from);
        let lane = |name, threads_max| Lane { name, threads_max, shared: Arc::default() };
        Self([
            lane("hjall-read", cores.clamp(2, 8)),
            // Writers wait for one another's journal writes and gather them, so more than cores.
            lane("hjall-write", 8),
            lane("hjall-scan", cores.saturating_sub(1).clamp(1, 8)),
            lane("hjall-admin", 4),
        ])
    }

    fn lane(&self, kind: LaneKind) -> &Lane {
        &self.0[kind as usize]
    }

    /// Hands a job to a lane.
    ///
    /// # Errors
    /// The job, if the lane has stopped or the operating system gives it no thread at all.
    pub fn run(&self, kind: LaneKind, job: Job) -> Result<(), Job> {
        self.lane(kind).run(job)
    }

    /// Waits until no job waits or runs, but for `besides` that run in the admin lane (whoever asks); at most so long.
    pub fn wait_quiet(&self, besides: usize, limit: Option<Duration>) -> bool {
        let until = limit.map(|limit| Instant::now() + limit);
        self.0.iter().enumerate().all(|(i, lane)| {
            let besides = if i == LaneKind::Admin as usize { besides } else { 0 };
            lane.wait_quiet(besides, until)
        })
    }

    /// Forgets what waits, and lets threads end when they have finished what they do.
    pub fn stop(&self) {
        for lane in &self.0 {
            let forgotten = {
                let mut state = lane.shared.state.lock();
                state.stopped = true;
                std::mem::take(&mut state.queue)
            };
            lane.shared.work.notify_all();
            drop(forgotten);
        }
    }
}

impl Drop for Lanes {
    fn drop(&mut self) {
        self.stop();
    }
}

impl Lane {
    fn run(&self, job: Job) -> Result<(), Job> {
        let mut state = self.shared.state.lock();
        if state.stopped {
            return Err(job);
        }
        state.queue.push_back(job);
        if state.queue.len() <= state.idle {
            drop(state);
            self.shared.work.notify_one();
            return Ok(());
        }
        if state.threads < self.threads_max {
            let shared = Arc::clone(&self.shared);
            let name = format!("{}-{}", self.name, state.threads);
            state.threads += 1;
            if Builder::new().name(name).spawn(move || shared.work()).is_err() {
                state.threads -= 1;
                if state.threads == 0 {
                    return state.queue.pop_back().map_or(Ok(()), Err);
                }
            }
        }
        drop(state);
        self.shared.work.notify_one();
        Ok(())
    }

    fn wait_quiet(&self, besides: usize, until: Option<Instant>) -> bool {
        let mut state = self.shared.state.lock();
        while !state.queue.is_empty() || state.running > besides {
            match until {
                None => self.shared.quiet.wait(&mut state),
                Some(until) => {
                    if self.shared.quiet.wait_until(&mut state, until).timed_out() {
                        return state.queue.is_empty() && state.running <= besides;
                    }
                }
            }
        }
        true
    }
}

impl Shared {
    fn work(&self) {
        let mut state = self.state.lock();
        loop {
            if let Some(job) = state.queue.pop_front() {
                state.running += 1;
                drop(state);
                // A job answers for itself, its panics too; should one still come through, the thread and its count stay whole.
                let _ = catch_unwind(AssertUnwindSafe(job));
                state = self.state.lock();
                state.running -= 1;
                self.quiet.notify_all();
                continue;
            }
            if state.stopped {
                break;
            }
            state.idle += 1;
            let waited = self.work.wait_for(&mut state, IDLE);
            state.idle -= 1;
            if waited.timed_out() && state.queue.is_empty() {
                break;
            }
        }
        state.threads -= 1;
    }
}
