//! What all connections of a server share.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use arc_swap::{ArcSwapOption, Guard};
use bytes::Bytes;
use hjall_engine::clock::Clock;
use tokio::sync::oneshot;

use crate::dispatch::call::{Call, Handler};
use crate::dispatch::caller::Caller;
use crate::dispatch::job::{Claim, Job};
use crate::dispatch::lane::{Lane, Permit, Refusal};
use crate::dispatch::lane_size::LaneSize;
use crate::dispatch::memory_quota::Held;
use crate::dispatch::queue::{self, Tuning};
use crate::dispatch::runner::{Asked, Live, Runner};
use crate::gateway::context::Identity;
use crate::gateway::scanners::Monotonic;
use crate::net::tls::Acceptor;
use crate::settings::config::QueueOrder;
use crate::wire::method::{LaneKind, Method};

/// A longer message never runs on a connection's loop, in bytes.
const SHORT_BYTES_MAX: usize = 4096;

/// The server, as its connections see it.
pub struct Shared {
    /// What runs calls.
    pub runner: Arc<Runner>,
    /// The lanes, by their number.
    pub lanes: [Arc<Lane>; LaneKind::ALL.len()],
    /// Takes TLS connections.
    pub tls: ArcSwapOption<Acceptor>,
    /// Memory that messages and replies take.
    pub held: AtomicUsize,
    /// The queues' clock.
    clock: Arc<dyn Clock>,
    busy: AtomicUsize,
    stopping: AtomicBool,
    stop: tokio::sync::watch::Sender<bool>,
}

/// Where a call has got to.
enum Begun {
    /// It is answered.
    Done(Vec<u8>),
    /// It is in its lane's queue.
    Queued { replied: oneshot::Receiver<Vec<u8>>, claim: Arc<Claim> },
}

impl Shared {
    /// With nothing under way.
    pub fn new(handler: Arc<dyn Handler>, identity: Identity, live: Arc<Live>, tls: Option<Acceptor>) -> Self {
        let clock: Arc<dyn Clock> = Arc::new(Monotonic::default());
        let lanes = LaneKind::ALL.map(|kind| {
            let (settings, size) = (&live.config.queues, live.lanes.size(kind));
            let tuning = Tuning::new(settings, &size.unwrap_or(LaneSize::NONE));
            Arc::new(Lane::new(kind, queue::new(settings.order, tuning, clock.clone()), size))
        });
        Self {
            runner: Arc::new(Runner::new(handler, identity, live)),
            lanes,
            tls: ArcSwapOption::new(tls.map(Arc::new)),
            held: AtomicUsize::new(0),
            clock,
            busy: AtomicUsize::new(0),
            stopping: AtomicBool::new(false),
            stop: tokio::sync::watch::Sender::new(false),
        }
    }

    /// The settings in force. Not to be kept over an await: they may change.
    pub fn live(&self) -> Guard<Arc<Live>> {
        self.runner.live()
    }

    /// Runs a call and appends its reply to `out`; `None`: nobody will answer it, since the client has gone or the server has stopped.
    ///
    /// `gone` ends when the client hangs up: a call that still waits then is not run. One that runs already is answered, for who has
    /// only closed its own side may still listen.
    pub async fn run(
        &self,
        call: Call,
        message: Bytes,
        out: Vec<u8>,
        caller: &Arc<Caller>,
        gone: impl Future<Output = ()>,
    ) -> Option<Vec<u8>> {
        let (mut replied, claim) = match self.begin_call(call, message, out, caller) {
            Begun::Done(out) => return Some(out),
            Begun::Queued { replied, claim } => (replied, claim),
        };
        tokio::select! {
            biased;
            reply = &mut replied => return reply.ok(),
            () = gone => {}
        }
        if claim.abandon() { None } else { replied.await.ok() }
    }

    /// Chooses the path: a short read runs right here while its lane has a handler free and is quick, anything else goes to its lane.
    fn begin_call(&self, call: Call, message: Bytes, mut out: Vec<u8>, caller: &Arc<Caller>) -> Begun {
        let asked = Asked { call: &call, message: &message, caller };
        let Some(method) = call.method else {
            self.runner.unknown(&asked, &mut out);
            return Begun::Done(out);
        };
        let live = self.live();
        let kind = live.lanes.of_calls(method.lane);
        if self.held.load(Ordering::Relaxed) > live.config.limits.held_bytes_max {
            self.lane(kind).refused(Refusal::Bytes);
            self.runner.refuse(&asked, &mut out, kind, Refusal::Bytes);
            return Begun::Done(out);
        }
        // A change of schema holds its table alone, and a read that waits for it must not wait on an event loop.
        // Where writes and scans share the lane, a get waits for its turn like them.
        let short = live.config.fast_path
            && method.short
            && kind == LaneKind::Read
            && message.len() <= SHORT_BYTES_MAX
            && self.lane(LaneKind::Admin).under_way() == 0;
        if let Some(permit) = short.then(|| self.lane(kind).enter_quick()).flatten() {
            self.runner.run(&asked, &mut out, permit, None);
            return Begun::Done(out);
        }
        let Ok(permit) = self.enter(method, kind) else {
            self.runner.refuse(&asked, &mut out, kind, Refusal::Length);
            return Begun::Done(out);
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
        Begun::Queued { replied, claim }
    }

    /// A place in a lane. While settings change, a lane may be gone that was there a moment ago: then the call goes to the next one.
    fn enter(&self, method: Method, mut kind: LaneKind) -> Result<Permit, ()> {
        loop {
            if let Some(permit) = self.lane(kind).enter() {
                return Ok(permit);
            }
            let now = self.live().lanes.of_calls(method.lane);
            if now == kind {
                self.lane(kind).refused(Refusal::Length);
                return Err(());
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

    /// How long nothing may come: between messages as long as connections may idle, within one it must not stall.
    pub fn silent_max(&self, between_messages: bool) -> Option<Duration> {
        let limits = &self.live().config.limits;
        if between_messages { limits.idle_max } else { Some(limits.stall_max) }
    }

    /// A lane.
    pub fn lane(&self, kind: LaneKind) -> &Arc<Lane> {
        &self.lanes[kind as usize]
    }

    /// Says that a call is under way until the guard is dropped; `None`: the server is stopping and takes none.
    pub fn begin(self: &Arc<Self>) -> Option<Busy> {
        // Counted first, looked second: shutdown does it the other way round, so one of the two sees the other.
        self.busy.fetch_add(1, Ordering::SeqCst);
        let busy = Busy { shared: self.clone() };
        (!self.stopping.load(Ordering::SeqCst)).then_some(busy)
    }

    /// Makes [`Self::begin`] refuse, and tells those who listen.
    pub fn stop(&self) {
        self.stopping.store(true, Ordering::SeqCst);
        self.stop.send_replace(true);
    }

    /// Whether the server takes no more calls.
    pub fn is_stopping(&self) -> bool {
        self.stopping.load(Ordering::SeqCst)
    }

    /// Waits until the server stops.
    pub async fn stopped(&self) {
        // Fails only without a sender, which is ours.
        drop(self.stop.subscribe().wait_for(|stopping| *stopping).await);
    }

    /// Whether no call is under way.
    pub fn is_quiet(&self) -> bool {
        self.busy.load(Ordering::SeqCst) == 0
    }

    /// A claim on memory for a message or a reply; begins with none.
    pub fn hold(self: &Arc<Self>) -> Held {
        Held::new(self.clone())
    }
}

/// A call is under way.
pub struct Busy {
    shared: Arc<Shared>,
}

impl Drop for Busy {
    fn drop(&mut self) {
        self.shared.busy.fetch_sub(1, Ordering::SeqCst);
    }
}
