//! Runs calls on the current thread, and reports how they ended.

use std::sync::Arc;
use std::time::{Duration, Instant};

use arc_swap::{ArcSwap, Guard};
use bytes::Bytes;
use hjall_engine::read::{Stop, WorkLimit};
use tracing::{Span, field};

use super::call::{Call, Handler};
use super::call_scope::CallScope;
use super::caller::Caller;
use super::identity::Identity;
use super::job::Job;
use super::lane::Permit;
use super::memory_quota::MemoryQuota;
use crate::observe::{Brief, CallEnd, CallReport, ClientErrors, Dropped, Observer, Refusal, client_error};
use crate::settings::config::Config;
use crate::settings::lane_size::Lanes;
use crate::wire::fault::Fault;
use crate::wire::method::LaneKind;
use crate::wire::recognise;

/// The limit of work of a read on an event loop. Reading and encoding this much takes less than a millisecond.
const INLINE_WORK: WorkLimit = WorkLimit { pairs: 512, bytes: 128 << 10 };

/// Settings, and the lanes that follow from them.
pub struct ActiveSettings {
    /// The settings.
    pub config: Config,
    /// The lanes.
    pub lanes: Lanes,
}

impl ActiveSettings {
    /// Computes the lanes of the settings.
    pub fn new(config: Config) -> Arc<Self> {
        let lanes = Lanes::of(&config.queues);
        Arc::new(Self { config, lanes })
    }
}

/// Runs calls. Its settings can change at any time.
pub struct Runner {
    /// Runs the methods.
    pub handler: Arc<dyn Handler>,
    /// The name of the server.
    pub identity: Identity,
    /// Counts errors that clients cause.
    pub client_errors: ClientErrors,
    observer: Option<Arc<dyn Observer>>,
    live: ArcSwap<ActiveSettings>,
    quota: Arc<MemoryQuota>,
}

/// How long a call waited and ran.
#[derive(Debug, Clone, Copy, Default)]
struct Times {
    waited: Duration,
    took: Duration,
}

/// A call, its message, and the client that sent it.
pub struct Request<'a> {
    /// The call.
    pub call: &'a Call,
    /// Its message.
    pub message: &'a Bytes,
    /// The client.
    pub caller: &'a Arc<Caller>,
    /// The flag that stops it.
    pub stop: Stop,
}

impl Runner {
    /// A runner with these settings.
    pub fn new(
        handler: Arc<dyn Handler>,
        identity: Identity,
        live: Arc<ActiveSettings>,
        quota: Arc<MemoryQuota>,
    ) -> Self {
        let observer = live.config.observer.clone();
        Self { handler, identity, client_errors: ClientErrors::default(), observer, live: ArcSwap::new(live), quota }
    }

    /// The current settings. Must not be held across an await, because they may change.
    pub fn live(&self) -> Guard<Arc<ActiveSettings>> {
        self.live.load()
    }

    /// Replaces the settings.
    pub fn activate(&self, live: Arc<ActiveSettings>) {
        self.live.store(live);
    }

    /// Runs a call that has waited in the queue of its lane, and appends its reply to `out`. Releases the
    /// permit when the reply is complete.
    pub fn run(&self, request: &Request<'_>, out: &mut Vec<u8>, mut permit: Permit, waited: Duration) {
        permit.begins();
        let limit = self.live().config.limits.reply_bytes_max;
        let span = span(request, permit.lane().kind());
        let (begin, started) = (out.len(), Instant::now());
        let scope = self.scope(request, limit);
        let outcome = span.in_scope(|| request.call.run(&*self.handler, &scope, request.message, out, limit));
        drop(scope);
        self.ended(request, &permit, &span, Times { waited, took: started.elapsed() }, &out[begin..], outcome);
    }

    /// Runs a short read on the event loop of its connection, and appends its reply to `out`. If the read
    /// exceeds the limit of work, returns the permit and leaves `out` unchanged: the call then has to be
    /// queued, so that other connections do not wait for it.
    pub fn run_inline(&self, request: &Request<'_>, out: &mut Vec<u8>, mut permit: Permit) -> Result<(), Permit> {
        permit.begins();
        let limit = self.live().config.limits.reply_bytes_max;
        let span = span(request, permit.lane().kind());
        let (begin, started) = (out.len(), Instant::now());
        let stopwatch = permit.lane().pace().start();
        let scope = self.scope(request, limit);
        let outcome =
            span.in_scope(|| request.call.run_within(INLINE_WORK, &*self.handler, &scope, request.message, out, limit));
        drop(scope);
        // A read that is queued now has occupied the event loop, too.
        permit.lane().pace().record(&stopwatch);
        let Some(outcome) = outcome else {
            permit.waits_again();
            return Err(permit);
        };
        let times = Times { waited: Duration::ZERO, took: started.elapsed() };
        self.ended(request, &permit, &span, times, &out[begin..], outcome);
        Ok(())
    }

    fn scope<'a>(&'a self, request: &Request<'a>, limit: usize) -> CallScope<'a> {
        CallScope::new(request.caller, limit, &self.quota, request.stop.clone())
    }

    /// Records and reports a call that was run.
    fn ended(
        &self,
        request: &Request<'_>,
        permit: &Permit,
        span: &Span,
        times: Times,
        reply: &[u8],
        outcome: Result<(), Fault>,
    ) {
        permit.ended(times.waited);
        if !span.is_disabled() {
            let us = |time: Duration| u64::try_from(time.as_micros()).unwrap_or(u64::MAX);
            span.record("waited_us", us(times.waited)).record("took_us", us(times.took));
            span.record("reply_bytes", reply.len());
        }
        if let Some(fault) = outcome.as_ref().err().filter(|fault| request.call.hides_reason(fault)) {
            let method = request.call.name(request.message);
            client_error!(
                self.client_errors,
                FailedCall,
                info,
                peer = %request.caller.peer,
                method = %Brief(method),
                reason = %Brief(fault),
                "call ended in an internal error"
            );
        }
        let end = outcome.as_ref().map_or_else(CallEnd::Failed, |()| CallEnd::Answered);
        self.report(request, permit.lane().kind(), times, reply, end);
    }

    /// Answers a call of an unknown method.
    pub fn unknown(&self, request: &Request<'_>, out: &mut Vec<u8>) {
        let begin = out.len();
        request.call.refuse(&Fault::UnknownMethod, request.message, out);
        self.report(request, LaneKind::Admin, Times::default(), &out[begin..], CallEnd::Failed(&Fault::UnknownMethod));
    }

    /// Answers a call that is refused.
    pub fn refuse(&self, request: &Request<'_>, out: &mut Vec<u8>, lane: LaneKind, why: Refusal) {
        let fault = match why {
            Refusal::Length => Fault::queue_full(&self.identity),
            Refusal::Bytes => Fault::queue_bytes_full(&self.identity),
        };
        let begin = out.len();
        request.call.refuse(&fault, request.message, out);
        self.report(request, lane, Times::default(), &out[begin..], CallEnd::Refused(why));
    }

    /// Runs a job that a worker took from the queue, unless its client has disconnected or it has waited too
    /// long.
    pub fn run_job(&self, job: Job) {
        let waited = job.arrived.elapsed();
        if self.live().config.queues.wait_max.is_some_and(|max| waited > max) {
            return self.drop_job(job, Dropped::Late);
        }
        // The receiver is also closed if the connection has ended because the server is stopping.
        if !job.claim.start() || job.reply.is_closed() {
            return self.lost(&job, waited);
        }
        let Job { call, message, mut out, permit, caller, claim, reply, .. } = job;
        let stop = claim.stopper();
        self.run(&Request { call: &call, message: &message, caller: &caller, stop }, &mut out, permit, waited);
        // Before the reply is sent, so that the connection can reuse the buffer of the message.
        drop(message);
        // Fails only if the connection has ended meanwhile.
        let _ = reply.send(out);
    }

    /// Answers a job that a worker took from the queue but does not run.
    pub fn drop_job(&self, job: Job, why: Dropped) {
        let waited = job.arrived.elapsed();
        if !job.claim.start() {
            return self.lost(&job, waited);
        }
        let fault = match why {
            Dropped::Late => Fault::late(waited),
            Dropped::Overloaded | Dropped::Gone => Fault::dropped(&self.identity),
        };
        let Job { call, message, mut out, permit, caller, reply, .. } = job;
        let lane = permit.lane();
        lane.dropped(why);
        let request = Request { call: &call, message: &message, caller: &caller, stop: Stop::default() };
        let begin = out.len();
        call.refuse(&fault, &message, &mut out);
        self.report(&request, lane.kind(), Times { waited, ..Times::default() }, &out[begin..], CallEnd::Dropped(why));
        drop((message, permit));
        let _ = reply.send(out);
    }

    /// Counts and reports a job whose client has disconnected.
    fn lost(&self, job: &Job, waited: Duration) {
        let lane = job.permit.lane();
        lane.dropped(Dropped::Gone);
        let request = Request { call: &job.call, message: &job.message, caller: &job.caller, stop: Stop::default() };
        self.report(&request, lane.kind(), Times { waited, ..Times::default() }, &[], CallEnd::Dropped(Dropped::Gone));
    }

    fn report(&self, request: &Request<'_>, lane: LaneKind, times: Times, reply: &[u8], end: CallEnd<'_>) {
        let Some(observer) = &self.observer else { return };
        observer.call_ended(&CallReport {
            method: request.call.method,
            service: request.call.service,
            encoding: request.call.encoding(),
            transport: request.call.transport,
            lane,
            peer: request.caller.peer,
            waited: times.waited,
            took: times.took,
            message_bytes: request.message.len(),
            arguments: request.call.arguments(request.message),
            reply,
            end,
        });
    }
}

/// The span of a call, for logs at debug level and for traces. The empty fields are filled in when the call
/// has ended.
fn span(request: &Request<'_>, lane: LaneKind) -> Span {
    let Request { call, message, caller, .. } = request;
    let span = tracing::debug_span!(
        target: "hjall_server::call",
        "call",
        method = %Brief(call.name(message)),
        service = call.service.name(),
        dialect = %call.dialect(),
        table = field::Empty,
        peer = %caller.peer,
        lane = lane.name(),
        message_bytes = message.len(),
        waited_us = field::Empty,
        took_us = field::Empty,
        reply_bytes = field::Empty,
    );
    if !span.is_disabled()
        && let Some(table) = recognise::names(call.service, call.encoding(), call.arguments(message)).table
    {
        span.record("table", tracing::field::display(Brief(String::from_utf8_lossy(&table))));
    }
    span
}
