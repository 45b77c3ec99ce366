//! What all connections of a server share.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Instant;

use bytes::Bytes;

use crate::call::{Call, Handler};
use crate::config::Config;
use crate::context::Identity;
use crate::fault::Fault;
use crate::method::LaneKind;
use crate::metrics::LaneMetrics;
use crate::queue::Queues;
use crate::tls::Acceptor;

/// A longer message never runs on a connection's loop, in bytes.
const SHORT_BYTES_MAX: usize = 4096;

/// The server, as its connections see it.
pub struct Shared {
    /// The settings.
    pub config: Config,
    /// What runs the methods.
    pub handler: Arc<dyn Handler>,
    /// The lanes.
    pub queues: Queues,
    /// The server's name.
    pub identity: Identity,
    /// Takes TLS connections.
    pub tls: Option<Acceptor>,
    held_bytes: AtomicUsize,
    busy: AtomicUsize,
    stopping: AtomicBool,
    stop: tokio::sync::watch::Sender<bool>,
}

impl Shared {
    pub(crate) fn new(
        config: Config,
        handler: Arc<dyn Handler>,
        queues: Queues,
        identity: Identity,
        tls: Option<Acceptor>,
    ) -> Self {
        Self {
            config,
            handler,
            queues,
            identity,
            tls,
            held_bytes: AtomicUsize::new(0),
            busy: AtomicUsize::new(0),
            stopping: AtomicBool::new(false),
            stop: tokio::sync::watch::Sender::new(false),
        }
    }

    /// Runs a call and appends its reply to `out`; `None`: the server has stopped.
    ///
    /// Chooses the path: a short read runs right here while its lane has a handler free and is quick, anything else goes to its lane.
    pub async fn run(&self, call: Call, message: Bytes, mut out: Vec<u8>) -> Option<Vec<u8>> {
        let Some(method) = call.method else {
            call.refuse(&Fault::UnknownMethod, &message, &mut out);
            return Some(out);
        };
        let kind = self.queues.of_calls(method.lane);
        let lane = self.queues.lane(kind);
        // A change of schema holds its table alone, and a read that waits for it must not wait on an event loop.
        let short = self.config.fast_path
            && method.short
            && message.len() <= SHORT_BYTES_MAX
            && self.queues.lane(LaneKind::Admin).under_way() == 0;
        if let Some(permit) = short.then(|| lane.enter_quick()).flatten() {
            let started = Instant::now();
            call.run(&*self.handler, &message, &mut out, self.config.limits.reply_bytes_max);
            permit.ran(started.elapsed());
            return Some(out);
        }
        let Some(permit) = lane.enter() else {
            call.refuse(&Fault::queue_full(&self.identity), &message, &mut out);
            return Some(out);
        };
        self.queues.run(kind, call, message, out, permit).await
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

    /// Waits until the server stops.
    pub async fn stopped(&self) {
        // Fails only without a sender, which is ours.
        drop(self.stop.subscribe().wait_for(|stopping| *stopping).await);
    }

    /// Whether no call is under way.
    pub fn is_quiet(&self) -> bool {
        self.busy.load(Ordering::SeqCst) == 0
    }

    /// What the lanes count.
    pub fn lanes(&self) -> [LaneMetrics; LaneKind::ALL.len()] {
        LaneKind::ALL.map(|kind| LaneMetrics::of(kind, self.queues.lane(kind)))
    }

    /// A claim on memory for a message that arrives; begins with none.
    pub fn hold(self: &Arc<Self>) -> Held {
        Held { shared: self.clone(), bytes: 0 }
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

/// Memory that a connection's unfinished message takes, counted over all connections.
pub struct Held {
    shared: Arc<Shared>,
    bytes: usize,
}

/// A message that is smaller is not counted: the limit on connections bounds them all.
const UNCOUNTED_BYTES: usize = 8 << 10;

impl Held {
    /// Changes the claim; `false`: all connections together would hold too much.
    pub fn resize(&mut self, bytes: usize) -> bool {
        let bytes = if bytes <= UNCOUNTED_BYTES { 0 } else { bytes };
        if bytes > self.bytes {
            let more = bytes - self.bytes;
            let max = self.shared.config.limits.held_bytes_max;
            let fits = |held: usize| held.checked_add(more).filter(|all| *all <= max);
            if self.shared.held_bytes.fetch_update(Ordering::Relaxed, Ordering::Relaxed, fits).is_err() {
                return false;
            }
        } else if bytes < self.bytes {
            self.shared.held_bytes.fetch_sub(self.bytes - bytes, Ordering::Relaxed);
        }
        self.bytes = bytes;
        true
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        self.resize(0);
    }
}
