//! Decides where each call runs: on its connection's event loop, or in a worker, after the queue of its lane.

use std::convert::Infallible;
use std::io;
use std::sync::Arc;
use std::time::{Duration, Instant};

use arc_swap::Guard;
use bytes::Bytes;
use hjall_engine::clock::Clock;
use hjall_engine::read::Stop;
use tokio::sync::oneshot;

use super::account::Accounts;
use super::call::{Call, Services};
use super::caller::Caller;
use super::clock::Monotonic;
use super::identity::Identity;
use super::inline_write::{InlineWrite, StagedCall, UndoneWrite};
use super::job::{Job, Ownership, Progress, Reply, Rerun};
use super::lane::{Lane, Permit};
use super::loop_writes::{LoopWrites, count_call};
use super::mailbox::Mailbox;
use super::memory_quota::{MemoryClaim, MemoryHolder, MemoryQuota};
use super::queue::{self, Tuning};
use super::runner::{ActiveSettings, Request, Runner};
use super::shutdown::Shutdown;
use super::worker_pool::WorkerPool;
use crate::observe::{Dropped, LaneMetrics, Refusal};
use crate::settings::config::{FastPath, QueueOrder};
use crate::settings::lane_size::LaneSize;
use crate::wire::method::{LaneKind, Method};

/// The longest message of a call that may run on its connection's event loop, in bytes.
const SHORT_BYTES_MAX: usize = 4096;

/// Runs the calls of all connections.
pub struct Dispatcher {
    /// Runs calls on the current thread.
    pub runner: Arc<Runner>,
    /// The lanes, indexed by kind.
    pub lanes: [Arc<Lane>; LaneKind::ALL.len()],
    /// The threads that take calls from the queues of the lanes.
    pub workers: WorkerPool,
    /// The memory of messages and replies.
    pub quota: Arc<MemoryQuota>,
    /// The accounts of clients.
    pub accounts: Accounts,
    /// The number of calls in flight, and whether the server is stopping.
    pub shutdown: Arc<Shutdown>,
    /// The clock of the queues.
    clock: Arc<dyn Clock>,
}

/// How long a call may still run after its client has disconnected.
const HANG_UP_GRACE: Duration = Duration::from_secs(1);

/// The time after the longest wait of a call at which it is answered even if no handler is free.
const LATE_MARGIN: Duration = Duration::from_millis(100);

/// Stops a call when it is dropped, because its connection no longer waits for it.
struct StopOnDrop(Arc<Ownership>);

impl Drop for StopOnDrop {
    fn drop(&mut self) {
        self.0.stopper().stop();
    }
}

/// The state of a call after an attempt to run it on the event loop of its connection.
pub enum AtOnce {
    /// The call has been answered. Contains the memory of its reply, unless the reply is small.
    Answered(Option<MemoryClaim>),
    /// The call has to be completed with [`Dispatcher::finish`].
    Staged(StagedWrite),
    /// The call has to be run with [`Dispatcher::run_queued`].
    Queue(ToQueue),
}

/// A write that was run on an event loop and is answered when its commit has ended, or queued if that did not succeed.
pub struct StagedWrite {
    method: Method,
    call: StagedCall,
}

/// A call that was tried on an event loop and has to be queued.
pub struct ToQueue {
    method: Method,
    /// The permit of the attempt.
    permit: Option<Permit>,
    /// For a write that was run without an effect: how long it ran, and how it has to be run again.
    undone: Option<(Duration, Rerun)>,
}

impl ToQueue {
    /// A write that was run without an effect.
    fn undone(method: Method, UndoneWrite { permit, took, rerun }: UndoneWrite) -> Self {
        Self { method, permit, undone: Some((took, rerun)) }
    }
}

#[cfg(test)]
impl ToQueue {
    /// Whether the commit of the call has failed.
    pub fn has_failed(&self) -> bool {
        matches!(self.undone, Some((_, Rerun::Failed(_))))
    }
}

/// The state of a call that was submitted.
enum Submitted {
    /// The call has ended with this reply.
    Answered(Reply),
    /// The call waits in the queue of its lane.
    Queued { replied: oneshot::Receiver<Reply>, ownership: Arc<Ownership>, lane: Arc<Lane> },
}

impl Dispatcher {
    /// A dispatcher without workers; see [`Self::start_workers`].
    pub fn new(services: Arc<dyn Services>, identity: Identity, live: Arc<ActiveSettings>) -> Self {
        let clock: Arc<dyn Clock> = Arc::new(Monotonic::default());
        let lanes = LaneKind::ALL.map(|kind| {
            let (settings, size) = (&live.config.queues, live.lanes.size(kind));
            let known = size.unwrap_or(LaneSize::NONE);
            let (concurrency, tuning) = (known.concurrency(kind), Tuning::new(settings, &known));
            Arc::new(Lane::new(kind, queue::new(settings.order, concurrency, tuning, clock.clone()), size))
        });
        let quota = Arc::new(MemoryQuota::new(live.config.limits.held_bytes_max));
        let runner = Arc::new(Runner::new(services, identity, live));
        let workers = WorkerPool::new(runner.clone(), lanes.clone());
        let (accounts, shutdown) = (Accounts::default(), Arc::new(Shutdown::new()));
        Self { runner, lanes, workers, quota, accounts, shutdown, clock }
    }

    /// Starts the workers that the current settings require.
    ///
    /// # Errors
    /// The operating system cannot start a thread.
    pub fn start_workers(&self) -> io::Result<()> {
        self.workers.grow(&self.live().lanes)
    }

    /// The current settings. Must not be held across an await, because they may change.
    pub fn live(&self) -> Guard<Arc<ActiveSettings>> {
        self.runner.live()
    }

    /// Runs a call and appends its reply to `out`. Returns `None` if there is no reply, because the client has
    /// disconnected or the server has stopped.
    ///
    /// `gone` completes when the client disconnects. A call that is still waiting then is not run. A running
    /// call may go on for [`HANG_UP_GRACE`], because a client that has closed only its sending side still
    /// reads; then it is stopped. If this future is dropped, the call is stopped at once.
    pub async fn run(
        &self,
        call: Call,
        message: Bytes,
        mut out: Vec<u8>,
        caller: &Arc<Caller>,
        gone: impl Future<Output = ()>,
    ) -> Option<Reply> {
        let tried = self.try_at_once(&self.live(), &call, &message, &mut out, caller);
        let ended = match tried {
            AtOnce::Answered(claim) => Ok(claim),
            AtOnce::Staged(staged) => self.finish(staged, &call, &message, &mut out, caller).await,
            AtOnce::Queue(tried) => Err(tried),
        };
        match ended {
            Ok(claim) => Some(Reply { bytes: out, claim }),
            Err(tried) => self.run_queued(tried, call, message, out, caller, gone).await,
        }
    }

    /// Runs a call on this thread if it is short, its lane has a free handler and such calls are quick: a read up to a
    /// limit of work, a write if it need not wait. Appends the reply to `out`; leaves `out` unchanged if the call has
    /// to be queued. A call whose method no service has is answered at once.
    pub fn try_at_once(
        &self,
        live: &ActiveSettings,
        call: &Call,
        message: &[u8],
        out: &mut Vec<u8>,
        caller: &Arc<Caller>,
    ) -> AtOnce {
        count_call();
        // Such a call is not stopped.
        let request = || Request { call, message, caller, memory: self.memory(caller), stop: Stop::never() };
        let Some(method) = call.method else {
            self.runner.unknown(&request(), out);
            return AtOnce::Answered(None);
        };
        let queue = |permit| AtOnce::Queue(ToQueue { method, permit, undone: None });
        if !self.is_short(live, method, message) {
            return queue(None);
        }
        let (always, limit) = (live.config.fast_path == FastPath::Always, live.config.limits.reply_bytes_max);
        match live.lanes.of_calls(method.info().kind) {
            LaneKind::Read => {
                let Some(permit) = self.lane(LaneKind::Read).enter_inline(always) else { return queue(None) };
                match self.runner.run_inline(&request(), out, limit, permit) {
                    Ok(claim) => AtOnce::Answered(claim),
                    Err(permit) => queue(Some(permit)),
                }
            }
            LaneKind::Write => {
                let Some(writes) = LoopWrites::current() else { return queue(None) };
                let Some(permit) = writes.permit(always) else { return queue(None) };
                match self.runner.run_write_inline(&request(), out, limit, permit, &writes) {
                    InlineWrite::Answered(claim) => AtOnce::Answered(claim),
                    InlineWrite::Staged(call) => AtOnce::Staged(StagedWrite { method, call }),
                    InlineWrite::Undone(undone) => AtOnce::Queue(ToQueue::undone(method, undone)),
                }
            }
            _ => queue(None),
        }
    }

    /// Waits until the writes of a staged call have been committed, and answers the call. Returns the memory of the
    /// reply, or the call if it has to be run with [`Self::run_queued`]. If the future is dropped, the writes are still
    /// committed.
    pub async fn finish(
        &self,
        staged: StagedWrite,
        call: &Call,
        message: &[u8],
        out: &mut Vec<u8>,
        caller: &Arc<Caller>,
    ) -> Result<Option<MemoryClaim>, ToQueue> {
        let request = Request { call, message, caller, memory: self.memory(caller), stop: Stop::never() };
        let ended = self.runner.finish_write(staged.call, request, out).await;
        ended.map_err(|undone| ToQueue::undone(staged.method, undone))
    }

    /// Runs a call as [`Self::run`] does, after [`Self::try_at_once`] has not answered it.
    pub async fn run_queued(
        &self,
        tried: ToQueue,
        call: Call,
        message: Bytes,
        out: Vec<u8>,
        caller: &Arc<Caller>,
        gone: impl Future<Output = ()>,
    ) -> Option<Reply> {
        let (mut replied, ownership, lane) = match self.submit(tried, call, message, out, caller) {
            Submitted::Answered(reply) => return Some(reply),
            Submitted::Queued { replied, ownership, lane } => (replied, StopOnDrop(ownership), lane),
        };
        tokio::select! {
            biased;
            reply = &mut replied => return reply.ok(),
            () = gone => {}
            never = self.drop_late(&lane) => match never {},
        }
        if ownership.0.abandon() {
            return None;
        }
        if let Ok(reply) = tokio::time::timeout(HANG_UP_GRACE, &mut replied).await {
            return reply.ok();
        }
        ownership.0.stopper().stop();
        replied.await.ok()
    }

    /// Waits for the longest time that calls may wait, and answers the calls of a lane that have waited for longer.
    /// Then starts over, and never returns. Handlers drop such calls, too, but only when they become free.
    async fn drop_late(&self, lane: &Lane) -> Infallible {
        loop {
            let Some(wait_max) = self.live().config.queues.wait_max else { return std::future::pending().await };
            tokio::time::sleep(wait_max + LATE_MARGIN).await;
            while let Some(job) = lane.queue().take_late(wait_max) {
                self.runner.drop_job(job, Dropped::Late);
            }
        }
    }

    /// How long an event loop should look for the next call before it sleeps. `None` while calls run on workers, which
    /// may need the core.
    pub fn busy_poll_window(&self) -> Option<Duration> {
        let window = self.live().config.busy_poll;
        (window.is_zero() || !self.lanes.iter().any(|lane| lane.is_running())).then_some(window)
    }

    /// Whether a call may run on the event loop of its connection, which must not wait. A change of schema locks its
    /// table exclusively, so that calls may have to wait for it. If all kinds of calls share a lane, none may.
    fn is_short(&self, live: &ActiveSettings, method: Method, message: &[u8]) -> bool {
        live.config.fast_path != FastPath::Never
            && method.info().short
            && message.len() <= SHORT_BYTES_MAX
            && self.lane(LaneKind::Admin).under_way() == 0
    }

    /// Queues a call, with its permit if it has one.
    fn submit(&self, tried: ToQueue, call: Call, message: Bytes, mut out: Vec<u8>, caller: &Arc<Caller>) -> Submitted {
        let ToQueue { method, permit: entered, undone } = tried;
        let memory = self.memory(caller);
        let live = self.live();
        let kind = live.lanes.of_calls(method.info().kind);
        let client = memory.account.number;
        let Some(permit) = entered.or_else(|| self.enter(method, kind, client)) else {
            let request = Request { call: &call, message: &message, caller, memory, stop: Stop::never() };
            self.runner.refuse(&request, &mut out, kind, Refusal::Length);
            return Submitted::Answered(Reply { bytes: out, claim: None });
        };
        let fetches = match live.config.queues.order {
            QueueOrder::Deadline => self.fetches(&call, &message),
            QueueOrder::Fifo | QueueOrder::Codel => 0,
        };
        let (reply, replied) = oneshot::channel();
        let ownership = Arc::<Ownership>::default();
        let (mut progress, mut rerun) = (None, Rerun::default());
        if let Some((took, again)) = undone {
            // The call has been started, and is run again even if its client disconnects.
            ownership.start();
            (progress, rerun) = (Some(Progress { took, ..Progress::default() }), again);
        }
        let lane = permit.shared_lane().clone();
        let job = Job {
            call,
            message,
            out,
            permit,
            caller: caller.clone(),
            memory: memory.clone(),
            arrived: Instant::now(),
            received_ms: self.clock.now_ms(),
            fetches,
            ownership: ownership.clone(),
            progress,
            rerun,
            reply,
            mailbox: Mailbox::current(),
        };
        lane.queue().put(job);
        Submitted::Queued { replied, ownership, lane }
    }

    /// Takes a permit of a lane, or of the lane that replaces it if the settings have just removed it. If the lane is
    /// full, and another client has more calls waiting in it than this one, one of those is refused instead. Returns
    /// `None`, and counts the refusal, if there is no permit.
    fn enter(&self, method: Method, mut kind: LaneKind, client: u64) -> Option<Permit> {
        loop {
            let lane = self.lane(kind);
            if let Some(permit) = lane.enter() {
                return Some(permit);
            }
            if let Some(job) = lane.queue().evict_for(client) {
                return Some(self.runner.displace(job));
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
        call.scanner(message).map_or(0, |id| self.runner.services.fetches(call.service, id))
    }

    /// How long a message or a reply may go without progress.
    pub fn stall_max(&self) -> Duration {
        self.live().config.limits.stall_max
    }

    /// A lane.
    pub fn lane(&self, kind: LaneKind) -> &Arc<Lane> {
        &self.lanes[kind as usize]
    }

    /// The lane of writes, unless all kinds of calls share one.
    pub fn write_lane(&self) -> &Arc<Lane> {
        self.lane(LaneKind::Write)
    }

    /// The metrics of the lanes of the current settings.
    pub fn lane_metrics(&self) -> Vec<LaneMetrics> {
        self.live().lanes.iter().map(|(kind, _)| self.lane(kind).metrics()).collect()
    }

    /// An empty claim on memory for the messages of a client.
    pub fn claim_memory(&self, caller: &Caller) -> MemoryClaim {
        self.memory(caller).claim()
    }

    /// The connection of a client as a holder of memory.
    fn memory<'a>(&self, caller: &'a Caller) -> &'a Arc<MemoryHolder> {
        caller.memory.get_or_init(|| {
            let account = self.accounts.of(caller.principal(), caller.has_series());
            MemoryHolder::new(self.quota.clone(), account)
        })
    }
}
