//! Threads for asynchronous calls: a database has its own, few and started on demand, since libuv's pool of four
//! threads belongs to the program.
//!
//! Calls are divided into lanes with separate threads, so that gets do not wait for scans, and nothing waits for a
//! compaction.

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::thread::{Builder, available_parallelism};
use std::time::{Duration, Instant};

use parking_lot::{Condvar, Mutex};

/// The time after which an idle thread ends.
const IDLE_TIMEOUT: Duration = Duration::from_secs(10);

/// A unit of work.
pub type Job = Box<dyn FnOnce() + Send>;

/// The lanes of a database.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LaneKind {
    /// Gets.
    Read,
    /// Changes to rows.
    Write,
    /// Blocks of scans.
    Scan,
    /// Tables, namespaces, maintenance, opening and closing.
    Admin,
}

/// The threads of one database.
pub struct Lanes {
    read: Lane,
    write: Lane,
    scan: Lane,
    admin: Lane,
}

struct Lane {
    thread_name: &'static str,
    threads_max: usize,
    pool: Arc<Pool>,
}

#[derive(Default)]
struct Pool {
    state: Mutex<PoolState>,
    /// Signals that a job was added or that the lane was stopped.
    work: Condvar,
    /// Signals that a job has ended.
    job_ended: Condvar,
}

#[derive(Default)]
struct PoolState {
    queue: VecDeque<Job>,
    threads: usize,
    idle: usize,
    running: usize,
    stopped: bool,
}

impl Lanes {
    /// Creates the lanes, without threads.
    pub fn new() -> Self {
        let cores = available_parallelism().map_or(2, usize::from);
        Self {
            read: Lane::new("hjall-read", cores.clamp(2, 8)),
            // More than there are cores: concurrent writers share the journal's writes.
            write: Lane::new("hjall-write", 8),
            scan: Lane::new("hjall-scan", cores.saturating_sub(1).clamp(1, 8)),
            admin: Lane::new("hjall-admin", 4),
        }
    }

    fn lane(&self, kind: LaneKind) -> &Lane {
        match kind {
            LaneKind::Read => &self.read,
            LaneKind::Write => &self.write,
            LaneKind::Scan => &self.scan,
            LaneKind::Admin => &self.admin,
        }
    }

    fn all(&self) -> [&Lane; 4] {
        [&self.read, &self.write, &self.scan, &self.admin]
    }

    /// Adds a job to a lane.
    ///
    /// # Errors
    /// The job, if the lane has stopped, or if it has no thread and the operating system cannot start one.
    pub fn run(&self, kind: LaneKind, job: Job) -> Result<(), Job> {
        self.lane(kind).run(job)
    }

    /// Waits until no job is queued or running, except `own_jobs` jobs of the admin lane (those that call this), for at
    /// most `timeout`. Returns whether that was reached.
    pub fn wait_idle(&self, own_jobs: usize, timeout: Option<Duration>) -> bool {
        let deadline = timeout.map(|timeout| Instant::now() + timeout);
        [&self.read, &self.write, &self.scan].into_iter().all(|lane| lane.wait_idle(0, deadline))
            && self.admin.wait_idle(own_jobs, deadline)
    }

    /// Discards queued jobs, and lets the threads end after their current job.
    pub fn stop(&self) {
        for lane in self.all() {
            let discarded = {
                let mut state = lane.pool.state.lock();
                state.stopped = true;
                std::mem::take(&mut state.queue)
            };
            lane.pool.work.notify_all();
            drop(discarded);
        }
    }
}

impl Drop for Lanes {
    fn drop(&mut self) {
        self.stop();
    }
}

impl Lane {
    fn new(thread_name: &'static str, threads_max: usize) -> Self {
        Self { thread_name, threads_max, pool: Arc::default() }
    }

    fn run(&self, job: Job) -> Result<(), Job> {
        let mut state = self.pool.state.lock();
        if state.stopped {
            return Err(job);
        }
        state.queue.push_back(job);
        if state.queue.len() <= state.idle {
            drop(state);
            self.pool.work.notify_one();
            return Ok(());
        }
        if state.threads < self.threads_max {
            let pool = Arc::clone(&self.pool);
            let name = format!("{}-{}", self.thread_name, state.threads);
            state.threads += 1;
            if Builder::new().name(name).spawn(move || pool.work()).is_err() {
                state.threads -= 1;
                if state.threads == 0 {
                    return state.queue.pop_back().map_or(Ok(()), Err);
                }
            }
        }
        drop(state);
        self.pool.work.notify_one();
        Ok(())
    }

    fn wait_idle(&self, own_jobs: usize, deadline: Option<Instant>) -> bool {
        let mut state = self.pool.state.lock();
        while !state.queue.is_empty() || state.running > own_jobs {
            match deadline {
                None => self.pool.job_ended.wait(&mut state),
                Some(deadline) => {
                    if self.pool.job_ended.wait_until(&mut state, deadline).timed_out() {
                        return state.queue.is_empty() && state.running <= own_jobs;
                    }
                }
            }
        }
        true
    }
}

impl Pool {
    /// Runs jobs until the lane stops or there has been none for [`IDLE_TIMEOUT`].
    fn work(&self) {
        let mut state = self.state.lock();
        loop {
            if let Some(job) = state.queue.pop_front() {
                state.running += 1;
                drop(state);
                // Jobs handle their own panics. If one still unwinds, the thread and its counts survive.
                let _ = catch_unwind(AssertUnwindSafe(job));
                state = self.state.lock();
                state.running -= 1;
                self.job_ended.notify_all();
                continue;
            }
            if state.stopped {
                break;
            }
            state.idle += 1;
            let waited = self.work.wait_for(&mut state, IDLE_TIMEOUT);
            state.idle -= 1;
            if waited.timed_out() && state.queue.is_empty() {
                break;
            }
        }
        state.threads -= 1;
    }
}
