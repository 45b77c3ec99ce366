//! Runs the calls that wait for a worker of the write lane one after the other, and commits their writes together.
//!
//! A call whose writes are staged is answered after the commit. If its writes have to be synced, the thread that syncs
//! them answers it, and the worker runs other calls meanwhile. Calls without staged writes are answered as soon as they
//! have been run.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;
use std::time::{Duration, Instant};

use hjall_engine::group::{CallWrites, Group, Outcome};

use super::job::{Job, Rerun};
use super::queue::{Queue, Taken, Taker};
use super::runner::{RunJob, Runner};
use crate::observe::Dropped;

/// The largest number of calls whose writes are committed together.
const CALLS_MAX: usize = 128;

/// The time after which writes are committed, even if more calls wait. The engine limits their size.
const TIME_MAX: Duration = Duration::from_millis(1);

/// A thread that commits the writes of several calls together.
pub struct WriteGroup {
    runner: Arc<Runner>,
    group: Group,
    pending: Rc<RefCell<Pending>>,
}

/// Calls that have been run and have not been answered.
#[derive(Default)]
struct Pending {
    /// Calls whose staged writes have to be synced.
    synced: Vec<RunJob>,
    /// Calls whose staged writes need no sync.
    unsynced: Vec<RunJob>,
    /// Calls whose writes have not been committed, or have failed.
    undone: Vec<(RunJob, Undone)>,
}

/// Why the result of a call is invalid.
enum Undone {
    NotWritten,
    Failed(hjall_engine::Error),
}

impl Undone {
    /// `None` if the commit has succeeded.
    fn of(outcome: &Outcome) -> Option<Self> {
        match outcome {
            Outcome::Committed | Outcome::Written(_) => None,
            Outcome::NotWritten => Some(Self::NotWritten),
            Outcome::Failed(error) => Some(Self::Failed(error.again())),
        }
    }
}

impl WriteGroup {
    /// The group of a worker. The current thread must not have one.
    pub fn new(runner: Arc<Runner>) -> Self {
        let pending = Rc::<RefCell<Pending>>::default();
        let (answering, ended) = (runner.clone(), pending.clone());
        let group = Group::open(move |outcome| {
            let Pending { synced, unsynced, undone } = &mut *ended.borrow_mut();
            match outcome {
                Outcome::Committed => {
                    unsynced.append(synced);
                    answering.answer_all(unsynced.drain(..));
                }
                Outcome::Written(sync) => {
                    answering.answer_all(unsynced.drain(..));
                    let (answering, mut runs) = (answering.clone(), std::mem::take(synced));
                    runs.iter_mut().for_each(RunJob::waits_for_sync);
                    let calls = runs.len();
                    sync.when_ended(
                        calls,
                        Box::new(move |synced| match synced {
                            Ok(()) => answering.answer_all(runs.into_iter()),
                            Err(error) => {
                                runs.into_iter().for_each(|run| answering.run_again(run, Rerun::Failed(error.again())));
                            }
                        }),
                    );
                }
                _ => {
                    unsynced.append(synced);
                    undone.extend(unsynced.drain(..).filter_map(|run| Some((run, Undone::of(outcome)?))));
                }
            }
        });
        Self { runner, group, pending }
    }

    /// Runs a job, and those that wait in the queue, within limits. When this returns, all of them have been answered,
    /// or returned to the queue, or their answer waits for a sync.
    pub fn run(&self, first: Job, queue: &dyn Queue<Job>, taker: &Taker) {
        let until = Instant::now() + TIME_MAX;
        let mut next = Some(Taken::Run(first));
        for count in 1.. {
            match next {
                None | Some(Taken::Retire) => break,
                Some(Taken::Drop(job)) => self.runner.drop_job(job, Dropped::Overloaded),
                Some(Taken::Run(job)) => self.run_job(job),
            }
            if count >= CALLS_MAX || Instant::now() >= until {
                break;
            }
            next = queue.take_next(taker);
        }
        self.finish();
    }

    /// Commits the writes of the calls that have been run, and answers these calls.
    fn finish(&self) {
        self.group.commit();
        self.finish_undone();
    }

    /// Ends the group after a panic. Calls that have not been answered get no answer, since it is unknown whether their
    /// writes have been made.
    pub fn abandon(self) {
        drop(std::mem::take(&mut *self.pending.borrow_mut()));
    }

    fn run_job(&self, mut job: Job) {
        let rerun = std::mem::take(&mut job.rerun);
        if let Rerun::Shared = rerun {
            return self.stage(job);
        }
        // Its writes may wait for a long time.
        self.finish();
        self.group.run_alone(|| match rerun {
            Rerun::Failed(error) => self.runner.fail(job, &error),
            Rerun::Shared | Rerun::Alone => self.runner.run_job(job),
        });
    }

    /// Runs a job. It is answered after the commit if its writes are staged.
    fn stage(&self, job: Job) {
        let (run, writes) = self.group.run(|| self.runner.attempt(job));
        // Without a result, the job was dropped or paused.
        let Some(run) = run else { return };
        match writes {
            CallWrites::Done => self.runner.answer(run),
            CallWrites::Staged { is_synced: true } => self.pending.borrow_mut().synced.push(run),
            CallWrites::Staged { is_synced: false } => self.pending.borrow_mut().unsynced.push(run),
            // Happens only on event loops.
            CallWrites::MustWait => self.runner.run_again(run, Rerun::Alone),
            CallWrites::Undone(outcome) => match Undone::of(&outcome) {
                None => self.runner.answer(run),
                Some(undone) => self.pending.borrow_mut().undone.push((run, undone)),
            },
        }
    }

    /// Queues each call whose writes were not committed, to be run alone, or answers it with the error of its commit.
    fn finish_undone(&self) {
        let undone = std::mem::take(&mut self.pending.borrow_mut().undone);
        for (run, undone) in undone {
            match undone {
                Undone::NotWritten => self.runner.run_again(run, Rerun::Alone),
                Undone::Failed(error) => self.runner.answer_failed(run, &error),
            }
        }
    }
}
