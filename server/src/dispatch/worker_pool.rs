//! The threads that run calls: as many in each lane as may run there at once, also after that number has changed.

use std::io;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{Builder, JoinHandle};

use crate::dispatch::lane::{Dropped, Lane};
use crate::dispatch::lane_size::Lanes;
use crate::dispatch::queue::Taken;
use crate::dispatch::runner::Runner;
use crate::wire::method::LaneKind;

/// The workers of all lanes, `hjall-read-0` and so on.
pub struct Crew {
    runner: Arc<Runner>,
    lanes: [Arc<Lane>; LaneKind::ALL.len()],
    roster: Mutex<Roster>,
}

#[derive(Default)]
struct Roster {
    /// Workers of each lane that were not told to leave.
    working: [usize; LaneKind::ALL.len()],
    threads: Vec<JoinHandle<()>>,
}

impl Crew {
    /// Nobody yet.
    pub fn new(runner: Arc<Runner>, lanes: [Arc<Lane>; LaneKind::ALL.len()]) -> Self {
        Self { runner, lanes, roster: Mutex::default() }
    }

    /// Has at least as many workers in each lane as these sizes say.
    ///
    /// # Errors
    /// The operating system gives no thread; those that it gave stay.
    pub fn grow(&self, sizes: &Lanes) -> io::Result<()> {
        let mut roster = self.roster.lock().unwrap_or_else(PoisonError::into_inner);
        roster.threads.retain(|thread| !thread.is_finished());
        for (kind, size) in sizes.iter() {
            while roster.working[kind as usize] < size.running_max {
                let thread = self.hire(kind, roster.working[kind as usize])?;
                roster.threads.push(thread);
                roster.working[kind as usize] += 1;
            }
        }
        Ok(())
    }

    /// Lets go whom these sizes do not need, once they have run what waits. A lane that is no longer there keeps one worker, for a call
    /// that was on its way there.
    pub fn shrink(&self, sizes: &Lanes) {
        let mut roster = self.roster.lock().unwrap_or_else(PoisonError::into_inner);
        for kind in LaneKind::ALL {
            let needed = sizes.size(kind).map_or(1, |size| size.running_max);
            let working = &mut roster.working[kind as usize];
            let spare = working.saturating_sub(needed);
            self.lanes[kind as usize].queue().retire(spare);
            *working -= spare;
        }
    }

    /// Lets everyone go, once they have run what waits; returns their threads.
    pub fn dismiss(&self) -> Vec<JoinHandle<()>> {
        let mut roster = self.roster.lock().unwrap_or_else(PoisonError::into_inner);
        for (lane, working) in self.lanes.iter().zip(roster.working) {
            lane.queue().retire(working);
        }
        roster.working = Default::default();
        std::mem::take(&mut roster.threads)
    }

    fn hire(&self, kind: LaneKind, number: usize) -> io::Result<JoinHandle<()>> {
        let (runner, queue) = (self.runner.clone(), self.lanes[kind as usize].queue().clone());
        Builder::new().name(format!("hjall-{}-{number}", kind.name())).spawn(move || {
            give_way(kind);
            loop {
                if !queue.is_empty() {
                    // Between two calls the event loops come first: they may have a get to answer.
                    std::thread::yield_now();
                }
                match queue.take() {
                    Taken::Run(job) => runner.run_job(job),
                    Taken::Drop(job) => runner.drop_job(job, Dropped::Overloaded),
                    Taken::Retire => return,
                }
            }
        })
    }
}

/// Lets gets go first where processors are short: a scan or a write that is under way would otherwise keep a processor to the end of its time
/// slice while a get waits for it. With processors to spare it changes nothing. Only Linux has priorities of single threads; a system that
/// refuses one leaves the thread as it is.
fn give_way(kind: LaneKind) {
    #[cfg(target_os = "linux")]
    if let Some(nice) = niceness(kind) {
        let _ = rustix::process::setpriority_process(None, nice);
    }
    #[cfg(not(target_os = "linux"))]
    let _ = kind;
}

/// How nice a lane's threads are; `None`: as the process is. Writes less than scans: others may wait for a commit that is under way.
#[cfg(target_os = "linux")]
fn niceness(kind: LaneKind) -> Option<i32> {
    match kind {
        LaneKind::Scan => Some(19),
        LaneKind::Write => Some(15),
        _ => None,
    }
}
