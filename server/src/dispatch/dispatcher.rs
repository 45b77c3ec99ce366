//! Sends each call where it runs: on the connection's thread, or through the queue of its lane to a worker.

use std::io;
use std::sync::Arc;
use std::time::{Duration, Instant};

use arc_swap::Guard;
use bytes::Bytes;
use hjall_engine::clock::Clock;
use hjall_engine::read::Stop;
use tokio::sync::oneshot;

use super::call::{Call, Handler};
use super::caller::Caller;
use super::clock::Monotonic;
use super::identity::Identity;
use super::job::{Claim, Job};
use super::lane::{Lane, Permit};
use super::memory_quota::{MemoryClaim, MemoryQuota};
use super::queue::{self, Tuning};
use super::runner::{Live, Request, Runner};
use super::shutdown::Shutdown;
use super::worker_pool::WorkerPool;
use crate::observe::{LaneMetrics, Refusal};
use crate::settings::config::QueueOrder;
use crate::settings::lane_size::LaneSize;
use crate::wire::method::{LaneKind, Method};

/// The longest message of a call that may run on its connection's event loop, in bytes.
const SHORT_BYTES_MAX: usize = 4096;

/// What all connections share to have their calls run.
pub struct Dispatcher {
    /// Runs calls, on whatever thread.
    pub runner: Arc<Runner>,
    /// The lanes, by their number.
    pub lanes: [Arc<Lane>; LaneKind::ALL.len()],
    /// The threads that take calls out of the lanes' queues.
    pub workers: WorkerPool,
    /// The memory that messages and replies take.
    pub quota: Arc<MemoryQuota>,
    /// The calls under way, and whether the server stops.
    pub shutdown: Arc<Shutdown>,
    /// The queues' clock.
    clock: Arc<dyn Clock>,
}

/// The time that a running call has left once its client has hung up.
const HANG_UP_GRACE: Duration = Duration::from_secs(1);

/// Stops a call whose connection no longer waits for it.
struct StopOnDrop(Arc<Claim>);

impl Drop for StopOnDrop {
    fn drop(&mut self) {
        self.0.stopper().stop();
    }
}

/// What has become of a call that was submitted.
enum Submitted {
    /// It has its reply.
    Answered(Vec<u8>),
    /// It waits in its lane's queue.
    Queued { replied: oneshot::Receiver<Vec<u8>>, claim: Arc<Claim> },
}

impl Dispatcher {
    /// A dispatcher without a worker and with no call under way. [`Self::start_workers`] gives it workers.
    pub fn new(handler: Arc<dyn Handler>, identity: Identity, live: Arc<Live>) -> Self {
        let clock: Arc<dyn Clock> = Arc::new(Monotonic::default());
        let lanes = LaneKind::ALL.map(|kind| {
            let (settings, size) = (&live.config.queues, live.lanes.size(kind));
            let tuning = Tuning::new(settings, &size.unwrap_or(LaneSize::NONE));
            Arc::new(Lane::new(kind, queue::new(settings.order, tuning, clock.clone()), size))
        });
        let quota = Arc::new(MemoryQuota::new(live.config.limits.held_bytes_max));
        let runner = Arc::new(Runner::new(handler, identity, live, quota.clone()));
        let workers = WorkerPool::new(runner.clone(), lanes.clone());
        Self { runner, lanes, workers, quota, shutdown: Arc::new(Shutdown::new()), clock }
    }

    /// Starts as many workers as the settings in force say.
    ///
    /// # Errors
    /// The operating system gives no thread.
    pub fn start_workers(&self) -> io::Result<()> {
        self.workers.grow(&self.live().lanes)
    }

    /// The settings in force. Not to be kept over an await: they may change.
    pub fn live(&self) -> Guard<Arc<Live>> {
        self.runner.live()
    }

    /// Runs a call and appends its reply to `out`. Returns `None` if there will be no reply, because the client has
    /// gone or the server has stopped.
    ///
    /// `gone` ends when the client hangs up. A call that still waits then is not run. A call that runs already has a moment to finish,
    /// because a client that has only closed its own side may still listen; then it is stopped. It is stopped at once
    /// where the connection's task is dropped.
    pub async fn run(
        &self,
        call: Call,
        message: Bytes,
        out: Vec<u8>,
        caller: &Arc<Caller>,
        gone: impl Future<Output = ()>,
    ) -> Option<Vec<u8>> {
        let (mut replied, claim) = match self.submit(call, message, out, caller) {
            Submitted::Answered(out) => return Some(out),
            Submitted::Queued { replied, claim } => (replied, StopOnDrop(claim)),
        };
        tokio::select! {
            biased;
            reply = &mut replied => return reply.ok(),
            () = gone => {}
        }
        if claim.0.abandon() {
            return None;
        }
        if let Ok(reply) = tokio::time::timeout(HANG_UP_GRACE, &mut replied).await {
            return reply.ok();
        }
        claim.0.stopper().stop();
        replied.await.ok()
    }

    /// Chooses the path. A short read runs on this thread if its lane has a free handler and such reads are quick, up
    /// to a limit of work. Any other call is queued, and so is a read that reaches the limit.
    fn submit(&self, call: Call, message: Bytes, mut out: Vec<u8>, caller: &Arc<Caller>) -> Submitted {
        let request = Request { call: &call, message: &message, caller, stop: Stop::default() };
        let Some(method) = call.method else {
            self.runner.unknown(&request, &mut out);
            return Submitted::Answered(out);
        };
        let live = self.live();
        let kind = live.lanes.of_calls(method.info().kind);
        if self.quota.is_exceeded() {
            self.lane(kind).refused(Refusal::Bytes);
            self.runner.refuse(&request, &mut out, kind, Refusal::Bytes);
            return Submitted::Answered(out);
        }
        // A change of schema locks its table exclusively, and a read must not wait for that lock on an event loop.
        // Where writes and scans share the lane, a get takes its turn with them.
        let short = live.config.fast_path
            && method.info().short
            && kind == LaneKind::Read
            && message.len() <= SHORT_BYTES_MAX
            && self.lane(LaneKind::Admin).under_way() == 0;
        let mut entered = None;
        if let Some(permit) = short.then(|| self.lane(kind).enter_inline()).flatten() {
            match self.runner.run_inline(&request, &mut out, permit) {
                Ok(()) => return Submitted::Answered(out),
                Err(permit) => entered = Some(permit),
            }
        }
        let Some(permit) = entered.or_else(|| self.enter(method, kind)) else {
            self.runner.refuse(&request, &mut out, kind, Refusal::Length);
            return Submitted::Answered(out);
        };
        let fetches = match live.config.queues.order {
            QueueOrder::Deadline => self.fetches(&call, &message),
            QueueOrder::Fifo | QueueOrder::Codel => 0,
        };
        let (reply, replied) = oneshot::channel();
        let claim = Arc::<Claim>::default();
        let queue = permit.lane().queue().clone();
        queue.put(Job {
            call,
            message,
            out,
            permit,
            caller: caller.clone(),
            arrived: Instant::now(),
            received_ms: self.clock.now_ms(),
            fetches,
            claim: claim.clone(),
            reply,
        });
        Submitted::Queued { replied, claim }
    }

    /// Takes a permit of a lane. If the settings have just removed that lane, the call moves to the lane that
    /// replaces it. Returns
    /// `None`, and counts the refusal, if the lane is full.
    fn enter(&self, method: Method, mut kind: LaneKind) -> Option<Permit> {
        loop {
            if let Some(permit) = self.lane(kind).enter() {
                return Some(permit);
            }
            let now = self.live().lanes.of_calls(method.info().kind);
            if now == kind {
                self.lane(kind).refused(Refusal::Length);
                return None;
            }
            kind = now;
        }
    }

    fn fetches(&self, call: &Call, message: &[u8]) -> u64 {
        call.scanner(message).map_or(0, |id| self.runner.handler.fetches(call.service, id))
    }

    /// How long a message or a reply may make no progress.
    pub fn stall_max(&self) -> Duration {
        self.live().config.limits.stall_max
    }

    /// A lane.
    pub fn lane(&self, kind: LaneKind) -> &Arc<Lane> {
        &self.lanes[kind as usize]
    }

    /// The figures of the lanes that the settings have.
    pub fn lane_metrics(&self) -> Vec<LaneMetrics> {
        self.live().lanes.iter().map(|(kind, _)| self.lane(kind).metrics()).collect()
    }

    /// An empty claim on memory, for a message or a reply.
    pub fn claim_memory(&self) -> MemoryClaim {
        self.quota.claim()
    }
}
