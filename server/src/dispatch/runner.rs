//! What it takes to run a call, on whatever thread.

use std::sync::Arc;
use std::time::{Duration, Instant};

use arc_swap::{ArcSwap, Guard};
use bytes::Bytes;
use tracing::{Span, field};

use crate::dispatch::call::{Call, Handler};
use crate::dispatch::caller::Caller;
use crate::dispatch::job::Job;
use crate::dispatch::lane::{Dropped, Permit, Refusal};
use crate::dispatch::lane_size::Lanes;
use crate::gateway::context::Identity;
use crate::observe::metrics::{CallEnd, CallReport, Observer};
use crate::settings::config::Config;
use crate::wire::fault::Fault;
use crate::wire::method::LaneKind;
use crate::wire::recognise;

/// The settings in force, and the lanes that follow from them.
pub struct Live {
    /// The settings.
    pub config: Config,
    /// The lanes.
    pub lanes: Lanes,
}

impl Live {
    /// What follows from settings.
    pub fn new(config: Config) -> Arc<Self> {
        let lanes = Lanes::of(&config.queues);
        Arc::new(Self { config, lanes })
    }
}

/// Runs calls: the handler, the server's name, and the settings, which may change meanwhile.
pub struct Runner {
    /// What runs the methods.
    pub handler: Arc<dyn Handler>,
    /// The server's name.
    pub identity: Identity,
    observer: Option<Arc<dyn Observer>>,
    live: ArcSwap<Live>,
}

/// A call with its message.
pub struct Asked<'a> {
    /// The call.
    pub call: &'a Call,
    /// Its message.
    pub message: &'a Bytes,
    /// Who asks.
    pub caller: &'a Arc<Caller>,
}

impl Runner {
    /// With these settings.
    pub fn new(handler: Arc<dyn Handler>, identity: Identity, live: Arc<Live>) -> Self {
        let observer = live.config.observer.clone();
        Self { handler, identity, observer, live: ArcSwap::new(live) }
    }

    /// The settings in force. Not to be kept over an await: they may change.
    pub fn live(&self) -> Guard<Arc<Live>> {
        self.live.load()
    }

    /// Puts settings into force.
    pub fn set_live(&self, live: Arc<Live>) {
        self.live.store(live);
    }

    /// Runs a call that has a handler. Its permit is given back, and then its reply is complete.
    pub fn run(&self, asked: &Asked<'_>, out: &mut Vec<u8>, mut permit: Permit, waited: Option<Duration>) {
        permit.begins(waited);
        let span = span(asked, permit.lane().kind());
        let inside = span.enter();
        let limit = self.live().config.limits.reply_bytes_max;
        let (begin, started) = (out.len(), Instant::now());
        let failed = asked.call.run(&*self.handler, asked.caller, asked.message, out, limit).err();
        let took = started.elapsed();
        permit.ran(took);
        drop(inside);
        if !span.is_disabled() {
            let us = |time: Duration| u64::try_from(time.as_micros()).unwrap_or(u64::MAX);
            span.record("waited_us", us(waited.unwrap_or_default())).record("took_us", us(took));
            span.record("reply_bytes", out.len() - begin);
        }
        let end = failed.as_ref().map_or(CallEnd::Answered, CallEnd::Failed);
        self.tell(asked, permit.lane().kind(), (waited.unwrap_or_default(), took), &out[begin..], end);
    }

    /// Answers a call of a name that its service does not have.
    pub fn unknown(&self, asked: &Asked<'_>, out: &mut Vec<u8>) {
        let begin = out.len();
        asked.call.refuse(&Fault::UnknownMethod, asked.message, out);
        self.tell(asked, LaneKind::Admin, Default::default(), &out[begin..], CallEnd::Failed(&Fault::UnknownMethod));
    }

    /// Answers a call that is not taken.
    pub fn refuse(&self, asked: &Asked<'_>, out: &mut Vec<u8>, lane: LaneKind, why: Refusal) {
        let fault = match why {
            Refusal::Length => Fault::queue_full(&self.identity),
            Refusal::Bytes => Fault::queue_bytes_full(&self.identity),
        };
        let begin = out.len();
        asked.call.refuse(&fault, asked.message, out);
        self.tell(asked, lane, Default::default(), &out[begin..], CallEnd::Refused(why));
    }

    /// Runs a job that a worker took, unless its client has gone or it has waited for too long.
    pub fn run_job(&self, job: Job) {
        let waited = job.arrived.elapsed();
        if self.live().config.queues.wait_max.is_some_and(|max| waited > max) {
            return self.drop_job(job, Dropped::Late);
        }
        // A connection that was ended by the server's stop awaits nothing either.
        if !job.claim.start() || job.reply.is_closed() {
            return self.lost(&job, waited);
        }
        let Job { call, message, mut out, permit, caller, reply, .. } = job;
        self.run(&Asked { call: &call, message: &message, caller: &caller }, &mut out, permit, Some(waited));
        // Before the reply goes out, so that the connection finds its buffer free.
        drop(message);
        // A connection that ended meanwhile needs no reply.
        let _ = reply.send(out);
    }

    /// Answers a job that waited in vain.
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
        let (asked, begin) = (Asked { call: &call, message: &message, caller: &caller }, out.len());
        call.refuse(&fault, &message, &mut out);
        self.tell(&asked, lane.kind(), (waited, Duration::ZERO), &out[begin..], CallEnd::Dropped(why));
        drop((message, permit));
        let _ = reply.send(out);
    }

    /// Counts a job whose client has gone.
    fn lost(&self, job: &Job, waited: Duration) {
        let lane = job.permit.lane();
        lane.dropped(Dropped::Gone);
        let asked = Asked { call: &job.call, message: &job.message, caller: &job.caller };
        self.tell(&asked, lane.kind(), (waited, Duration::ZERO), &[], CallEnd::Dropped(Dropped::Gone));
    }

    fn tell(
        &self,
        asked: &Asked<'_>,
        lane: LaneKind,
        (waited, took): (Duration, Duration),
        reply: &[u8],
        end: CallEnd<'_>,
    ) {
        let Some(observer) = &self.observer else { return };
        observer.call_ended(&CallReport {
            method: &asked.call.name(asked.message),
            service: asked.call.service,
            encoding: asked.call.encoding(),
            transport: asked.call.transport,
            fetches: asked.call.method.is_some_and(|method| method.fetches),
            lane,
            peer: asked.caller.peer,
            waited,
            took,
            message_bytes: asked.message.len(),
            arguments: asked.call.arguments(asked.message),
            reply,
            end,
        });
    }
}

/// A span of a call, for logs at debug level and for traces; nothing, at next to no cost, where nobody wants it. Its fields end with what is
/// known only afterwards.
fn span(asked: &Asked<'_>, lane: LaneKind) -> Span {
    let Asked { call, message, caller } = asked;
    let span = tracing::debug_span!(
        target: "hjall_server::call",
        "call",
        method = %call.name(message),
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
        span.record("table", String::from_utf8_lossy(&table).as_ref());
    }
    span
}
