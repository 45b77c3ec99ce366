//! Runs calls on the current thread, and reports how they ended.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use arc_swap::{ArcSwap, Cache, Guard};
use hjall_engine::error::panic_text;
use hjall_engine::group;
use hjall_engine::read::{Stop, WorkLimit};
use tracing::{Span, field};

use super::call::{Call, Services};
use super::call_scope::{AfterReply, CallScope, Remains, Slice};
use super::caller::Caller;
use super::identity::Identity;
use super::job::{Job, Progress, Reply, Rerun};
use super::lane::{Lane, Permit};
use super::mailbox::{Addressed, Mailbox, Replies};
use super::memory_quota::{MemoryClaim, MemoryHolder};
use crate::observe::{Brief, CallEnd, CallReport, ClientError, ClientErrors, Dropped, Observer, Refusal, client_error};
use crate::settings::config::Config;
use crate::settings::lane_size::Lanes;
use crate::wire::fault::Fault;
use crate::wire::method::{Effect, LaneKind};
use crate::wire::recognise;

/// The limit of work of a read on an event loop. Reading and encoding this much takes less than a millisecond.
const INLINE_WORK: WorkLimit = WorkLimit { pairs: 512, bytes: 128 << 10 };

/// Settings, and the lanes computed from them.
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

/// A task's view of the current settings. Loading unchanged settings again costs one comparison. While the task waits,
/// the view keeps the settings that it loaded last in memory.
pub type SettingsView<'a> = Cache<&'a ArcSwap<ActiveSettings>, Arc<ActiveSettings>>;

/// Runs calls. Its settings can change at any time.
pub struct Runner {
    /// Runs the methods.
    pub services: Arc<dyn Services>,
    /// The name of the server.
    pub identity: Identity,
    /// Counts errors that clients cause.
    pub client_errors: ClientErrors,
    observer: Option<Arc<dyn Observer>>,
    /// Whether the observer has panicked.
    observer_panicked: AtomicBool,
    live: ArcSwap<ActiveSettings>,
}

/// How long a call waited and ran.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct CallTimes {
    pub waited: Duration,
    pub took: Duration,
}

impl Job {
    fn times(&self) -> CallTimes {
        let before = self.progress.as_ref();
        let waited = before.map_or(Duration::ZERO, |progress| progress.waited) + self.arrived.elapsed();
        CallTimes { waited, took: before.map_or(Duration::ZERO, |progress| progress.took) }
    }

    /// Records the progress of a call that will be run again.
    fn pause(&mut self, CallTimes { waited, took }: CallTimes, remains: Remains) {
        self.permit.waits_again();
        self.progress = Some(Progress { waited, took, remains });
        let since = self.arrived.elapsed();
        self.arrived += since;
        self.received_ms += i64::try_from(since.as_millis()).unwrap_or(i64::MAX);
    }
}

impl RunJob {
    /// Counts the call as waiting for a sync of its writes.
    pub fn waits_for_sync(&mut self) {
        self.job.permit.waits_for_commit();
    }

    /// The job, prepared to be run from the beginning.
    fn begin_again(self) -> Job {
        let Self { mut job, mut times, started, begin, .. } = self;
        times.took += started.elapsed();
        job.out.truncate(begin);
        job.pause(times, Remains::default());
        job
    }
}

/// A call that was run.
pub(super) struct Ended<'a> {
    pub resources: Resources,
    pub outcome: Result<(), Fault>,
    pub out: &'a mut Vec<u8>,
    /// Where the reply begins.
    pub begin: usize,
}

/// The memory that a call has used.
pub(super) struct Resources {
    /// The memory of what the call has gathered.
    claim: Option<MemoryClaim>,
    /// The memory of its reply.
    reply: Option<MemoryClaim>,
    /// Whether the call was ended because the memory quota had no room.
    has_exceeded_quota: bool,
    after_reply: Option<AfterReply>,
    /// The scanner whose rows the reply has.
    scanner: Option<i32>,
}

impl From<CallScope<'_>> for Resources {
    fn from(scope: CallScope<'_>) -> Self {
        let (has_exceeded_quota, reply) = (scope.has_exceeded_quota(), scope.take_reply_claim());
        let (after_reply, scanner) = (scope.take_after_reply(), scope.scanner());
        Self { has_exceeded_quota, claim: scope.into_remains().claim, reply, after_reply, scanner }
    }
}

/// A job whose call has been run, and which has not been answered.
pub(super) struct RunJob {
    job: Job,
    span: Span,
    times: CallTimes,
    /// When the last run began, which is not counted in `times` yet.
    started: Instant,
    resources: Resources,
    outcome: Result<(), Fault>,
    /// Where the reply begins in the buffer of the job.
    begin: usize,
}

/// A call, its message, and the client that sent it.
pub struct Request<'a> {
    /// The call.
    pub call: &'a Call,
    /// Its message.
    pub message: &'a [u8],
    /// The client.
    pub caller: &'a Arc<Caller>,
    /// Where its reply claims memory.
    pub memory: &'a Arc<MemoryHolder>,
    /// The flag that stops it.
    pub stop: Stop,
}

impl<'a> Request<'a> {
    fn of(job: &'a Job) -> Self {
        let Job { call, message, caller, memory, ownership, .. } = job;
        Self { call, message, caller, memory, stop: ownership.stopper() }
    }
}

impl Runner {
    /// A runner with these settings.
    pub fn new(services: Arc<dyn Services>, identity: Identity, live: Arc<ActiveSettings>) -> Self {
        let observer = live.config.observer.clone();
        Self {
            services,
            identity,
            client_errors: ClientErrors::default(),
            observer,
            observer_panicked: AtomicBool::new(false),
            live: ArcSwap::new(live),
        }
    }

    /// The current settings. Must not be held across an await, because they may change.
    pub fn live(&self) -> Guard<Arc<ActiveSettings>> {
        self.live.load()
    }

    /// A view of the current settings, for a task that needs them often.
    pub fn view(&self) -> SettingsView<'_> {
        Cache::new(&self.live)
    }

    /// Replaces the settings.
    pub fn activate(&self, live: Arc<ActiveSettings>) {
        self.live.store(live);
    }

    /// Runs a job that a worker took from the queue, unless its client has disconnected or it has waited too long. A
    /// call that is paused returns to the queue.
    pub fn run_job(&self, job: Job) {
        let lane = job.permit.shared_lane().clone();
        let Some(mut run) = self.attempt(job) else { return };
        let after_reply = run.resources.after_reply.take();
        self.answer(run);
        if let Some(work) = after_reply {
            // Any failure is that of the next call.
            let _ = catch_unwind(AssertUnwindSafe(|| work(&|| lane.under_way() == 0)));
        }
    }

    /// Runs a job as [`Self::run_job`] does, but does not answer it. Returns `None` if there is nothing to answer.
    pub(super) fn attempt(&self, mut job: Job) -> Option<RunJob> {
        let started = Instant::now();
        let waited = started.saturating_duration_since(job.arrived);
        let live = self.live();
        if job.progress.is_none() && live.config.queues.wait_max.is_some_and(|max| waited > max) {
            self.drop_job(job, Dropped::Late);
            return None;
        }
        // The receiver is also closed if the connection has ended because the server is stopping.
        if !job.start() || job.reply.is_closed() {
            self.lost(&job);
            return None;
        }
        let (limit, slice) = (live.config.limits.reply_bytes_max, live.config.queues.scan_slice);
        drop(live);
        let (mut times, mut state) = (CallTimes { waited, took: Duration::ZERO }, None);
        if let Some(Progress { waited, took, remains }) = job.progress.take() {
            times = CallTimes { waited: times.waited + waited, took };
            state = remains.state;
            // The run claims the memory of what has been gathered again.
            drop(remains.claim);
        }
        job.permit.begins();
        let queue = job.permit.lane().queue().clone();
        let slice = slice.and_then(|slice| Some(Slice { until: started.checked_add(slice)?, queue: queue.clone() }));
        let mut out = std::mem::take(&mut job.out);
        let begin = out.len();
        let request = Request::of(&job);
        let span = span(&request, job.permit.lane().kind());
        let scope = self.scope(&request, limit).with_slice(slice, state);
        let outcome = span.in_scope(|| job.call.run(&*self.services, &scope, &job.message, &mut out, limit));
        let Some(outcome) = outcome else {
            let remains = scope.into_remains();
            job.out = out;
            times.took += started.elapsed();
            job.pause(times, remains);
            queue.put(job);
            return None;
        };
        let resources = scope.into();
        job.out = out;
        Some(RunJob { job, span, times, started, resources, outcome, begin })
    }

    /// Answers a job that has been run.
    pub(super) fn answer(&self, run: RunJob) {
        let Some((_, (reply, bytes))) = self.end(run) else { return };
        // Fails only if the connection has ended meanwhile.
        let _ = reply.send(bytes);
    }

    /// Answers jobs that have been run, and wakes each event loop once.
    pub(super) fn answer_all(&self, runs: impl ExactSizeIterator<Item = RunJob>) {
        if runs.len() == 1 {
            // A mailbox would only add a step.
            runs.for_each(|run| self.answer(run));
            return;
        }
        let mut replies = Replies::default();
        for run in runs {
            if let Some((mailbox, reply)) = self.end(run) {
                replies.add(mailbox, reply);
            }
        }
    }

    /// Records the end of a job that has been run. Returns its reply, and the mailbox for it. After a panic there is no
    /// reply, and its connection is closed. The thread goes on, since other jobs wait for it.
    fn end(&self, run: RunJob) -> Option<(Option<Arc<Mailbox>>, Addressed)> {
        let ended = catch_unwind(AssertUnwindSafe(|| self.try_end(run)));
        ended.inspect_err(|panic| log_panic("the end of a call could not be recorded", &**panic)).ok()
    }

    fn try_end(&self, run: RunJob) -> (Option<Arc<Mailbox>>, Addressed) {
        let RunJob { mut job, span, mut times, started, resources, outcome, begin } = run;
        times.took += started.elapsed();
        let mut out = std::mem::take(&mut job.out);
        let request = Request::of(&job);
        let claim =
            self.ended(&request, job.permit.lane(), &span, times, Ended { resources, outcome, out: &mut out, begin });
        let Job { message, permit, reply, mailbox, .. } = job;
        // Before the reply is sent, so that the connection can reuse the buffer of the message.
        drop((message, permit));
        (mailbox, (reply, Reply { bytes: out, claim }))
    }

    /// Puts a job whose call was run without an effect into the queue, to be run again as `rerun` says.
    pub(super) fn run_again(&self, run: RunJob, rerun: Rerun) {
        let mut job = run.begin_again();
        job.rerun = rerun;
        let queue = job.permit.lane().queue().clone();
        queue.put(job);
    }

    /// Answers a job whose writes failed after its call was run. The call is run again for its answer, and all its
    /// writes fail with this error.
    pub(super) fn answer_failed(&self, run: RunJob, error: &hjall_engine::Error) {
        self.fail(run.begin_again(), error);
    }

    /// Runs a job for its answer. All its writes fail with this error.
    pub(super) fn fail(&self, job: Job, error: &hjall_engine::Error) {
        if let Some(run) = group::failing(error, || self.attempt(job)) {
            self.answer(run);
        }
    }

    /// Runs a short read on the event loop of its connection, and appends its reply to `out`, which may grow to `limit`
    /// bytes. Returns the memory of the reply. If the read exceeds the limit of work, returns the permit and leaves
    /// `out` unchanged: the call then has to be queued, so that other connections do not wait for it.
    pub fn run_inline(
        &self,
        request: &Request<'_>,
        out: &mut Vec<u8>,
        limit: usize,
        mut permit: Permit,
    ) -> Result<Option<MemoryClaim>, Permit> {
        permit.begins();
        let span = span(request, permit.lane().kind());
        let begin = out.len();
        let stopwatch = permit.lane().inline_speed().start();
        let scope = self.scope(request, limit);
        let outcome = span
            .in_scope(|| request.call.run_within(INLINE_WORK, &*self.services, &scope, request.message, out, limit));
        // A read that has to be queued has occupied the event loop, too.
        let took = permit.lane().inline_speed().record(&stopwatch, 1);
        let Some(outcome) = outcome else {
            permit.waits_again();
            return Err(permit);
        };
        let times = CallTimes { waited: Duration::ZERO, took };
        let resources = scope.into();
        Ok(self.ended(request, permit.lane(), &span, times, Ended { resources, outcome, out, begin }))
    }

    pub(super) fn scope<'a>(&'a self, request: &Request<'a>, limit: usize) -> CallScope<'a> {
        CallScope::new(request.caller, limit, request.memory, request.stop.clone()).of_method(request.call.method)
    }

    /// Records and reports a call that was run. Returns the memory of its reply. The reply of a read is replaced by a
    /// refusal if there is no memory for it.
    pub(super) fn ended(
        &self,
        request: &Request<'_>,
        lane: &Lane,
        span: &Span,
        times: CallTimes,
        ended: Ended<'_>,
    ) -> Option<MemoryClaim> {
        let Ended { resources, outcome, out, begin } = ended;
        lane.ended(times.waited);
        if resources.has_exceeded_quota {
            request.caller.count_refused();
        }
        let scanner = resources.scanner;
        let claimed = claim_reply(request, resources, out, outcome.is_ok());
        if let Some(scanner) = scanner.filter(|_| claimed.is_err() || outcome.is_err()) {
            self.services.abandon(request.call.service, scanner);
        }
        let claim = match claimed {
            Ok(claim) => claim,
            Err(NoMemory { can_retry }) => {
                out.truncate(begin);
                out.shrink_to_fit();
                lane.refused(Refusal::Bytes);
                let fault = match can_retry {
                    true => Fault::queue_bytes_full(&self.identity),
                    false => Fault::more_than_share(request.memory.alone_max()),
                };
                self.refuse_with(request, out, lane.kind(), Refusal::Bytes, &fault);
                return None;
            }
        };
        let reply = &out[begin..];
        if !span.is_disabled() {
            let us = |time: Duration| u64::try_from(time.as_micros()).unwrap_or(u64::MAX);
            span.record("waited_us", us(times.waited)).record("took_us", us(times.took));
            span.record("reply_bytes", reply.len());
        }
        if let Err(fault) = &outcome
            && let Some(kind) = request.call.undeclared_error(fault)
        {
            let (peer, method) = (request.caller.peer, Brief(request.call.name(request.message)).to_string());
            let reason = Brief(fault).to_string();
            if kind == ClientError::InvalidRequest {
                let text = "call refused: its arguments are invalid";
                client_error!(self.client_errors, InvalidRequest, info, %peer, method, reason, "{text}");
            } else {
                let text = "call ended in an internal error";
                client_error!(self.client_errors, FailedCall, info, %peer, method, reason, "{text}");
            }
        }
        request.memory.account.ran(times.took, request.message.len(), reply.len());
        let end = outcome.as_ref().map_or_else(CallEnd::Failed, |()| CallEnd::Answered);
        self.report(request, lane.kind(), times, reply, end);
        claim
    }

    /// Answers a call of an unknown method.
    pub fn unknown(&self, request: &Request<'_>, out: &mut Vec<u8>) {
        let begin = out.len();
        request.call.refuse(&Fault::UnknownMethod, request.message, out);
        self.report(
            request,
            LaneKind::Admin,
            CallTimes::default(),
            &out[begin..],
            CallEnd::Failed(&Fault::UnknownMethod),
        );
    }

    /// Answers a call that is refused.
    pub fn refuse(&self, request: &Request<'_>, out: &mut Vec<u8>, lane: LaneKind, why: Refusal) {
        let fault = match why {
            Refusal::Length | Refusal::Share => Fault::queue_full(&self.identity),
            Refusal::Bytes => Fault::queue_bytes_full(&self.identity),
        };
        self.refuse_with(request, out, lane, why, &fault);
    }

    fn refuse_with(&self, request: &Request<'_>, out: &mut Vec<u8>, lane: LaneKind, why: Refusal, fault: &Fault) {
        request.caller.count_refused();
        let begin = out.len();
        request.call.refuse(fault, request.message, out);
        self.report(request, lane, CallTimes::default(), &out[begin..], CallEnd::Refused(why));
    }

    /// Answers a job that a worker took from the queue but does not run.
    pub fn drop_job(&self, job: Job, why: Dropped) {
        if let Rerun::Failed(error) = &job.rerun {
            // Its writes may have been applied, so it must not be answered as if it had not been run.
            let error = error.again();
            return self.fail(job, &error);
        }
        if !job.start() {
            return self.lost(&job);
        }
        let times = job.times();
        let fault = match why {
            Dropped::Late => Fault::late(times.waited),
            Dropped::Overloaded | Dropped::Gone => Fault::dropped(&self.identity),
        };
        job.caller.count_refused();
        let lane = job.permit.lane();
        lane.dropped(why);
        let mut out = job.out.clone();
        job.call.refuse(&fault, &job.message, &mut out);
        self.report(&Request::of(&job), lane.kind(), times, &out[job.out.len()..], CallEnd::Dropped(why));
        let Job { message, permit, reply, .. } = job;
        drop((message, permit));
        let _ = reply.send(Reply { bytes: out, claim: None });
    }

    /// Refuses a queued job in favour of another client, and returns its permit.
    pub fn displace(&self, job: Job) -> Permit {
        if !job.start() {
            self.lost(&job);
            return job.permit;
        }
        let lane = job.permit.lane();
        lane.refused(Refusal::Share);
        let mut out = job.out.clone();
        self.refuse(&Request::of(&job), &mut out, lane.kind(), Refusal::Share);
        let Job { permit, reply, .. } = job;
        let _ = reply.send(Reply { bytes: out, claim: None });
        permit
    }

    /// Counts and reports a job whose client has disconnected.
    fn lost(&self, job: &Job) {
        self.abandoned(&Request::of(job), job.permit.lane(), job.times());
    }

    /// Counts and reports a call that is not run, because its client has disconnected.
    pub(super) fn abandoned(&self, request: &Request<'_>, lane: &Lane, times: CallTimes) {
        lane.dropped(Dropped::Gone);
        self.report(request, lane.kind(), times, &[], CallEnd::Dropped(Dropped::Gone));
    }

    fn report(&self, request: &Request<'_>, lane: LaneKind, times: CallTimes, reply: &[u8], end: CallEnd<'_>) {
        let Some(observer) = &self.observer else { return };
        let report = CallReport {
            method: request.call.method,
            service: request.call.service,
            encoding: request.call.encoding(),
            transport: request.call.transport,
            lane,
            peer: request.caller.peer,
            user: request.caller.user(),
            waited: times.waited,
            took: times.took,
            message_bytes: request.message.len(),
            arguments: request.call.arguments(request.message),
            names: request.call.rest().map(|rest| &rest.names),
            reply,
            end,
        };
        // The thread has other calls, and the call has its answer.
        if let Err(panic) = catch_unwind(AssertUnwindSafe(|| observer.call_ended(&report)))
            && !self.observer_panicked.swap(true, Ordering::Relaxed)
        {
            log_panic("the observer of calls panicked; this is said only once", &*panic);
        }
    }
}

/// Logs a panic that was caught.
pub(super) fn log_panic(what: &str, panic: &(dyn std::any::Any + Send)) {
    tracing::error!(reason = panic_text(panic).unwrap_or("no message"), "{what}");
}

/// Claims the memory of a reply. The reply of a successful call that has changed something cannot be refused.
fn claim_reply(
    request: &Request<'_>,
    resources: Resources,
    out: &mut Vec<u8>,
    succeeded: bool,
) -> Result<Option<MemoryClaim>, NoMemory> {
    if !MemoryClaim::is_counted(out.capacity()) {
        return Ok(None);
    }
    // A buffer that grows has up to twice the capacity that it needs.
    out.shrink_to_fit();
    let Resources { claim: gathered, reply, .. } = resources;
    let mut claim = reply.or(gathered).unwrap_or_else(|| request.memory.claim());
    let changes = request.call.method.is_some_and(|method| method.info().effect != Effect::None);
    if changes || !succeeded {
        claim.resize(out.capacity());
    } else if !claim.try_resize(out.capacity()) {
        return Err(NoMemory { can_retry: claim.can_resize(out.capacity()) });
    }
    Ok(Some(claim))
}

/// The quota has no room for a reply, now or never.
struct NoMemory {
    can_retry: bool,
}

/// The span of a call, for logs at debug level and for traces. The empty fields are filled in when the call
/// has ended.
pub(super) fn span(request: &Request<'_>, lane: LaneKind) -> Span {
    let Request { call, message, caller, .. } = request;
    let span = tracing::debug_span!(
        target: "hjall_server::call",
        "call",
        method = Brief(call.name(message)).to_string(),
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
    let names = || match (call.rest(), call.method) {
        (Some(rest), _) => rest.names.clone(),
        (None, Some(method)) => recognise::names(method, call.encoding(), call.arguments(message)),
        (None, None) => recognise::Names::default(),
    };
    if !span.is_disabled()
        && let Some(table) = names().table
    {
        span.record("table", Brief(String::from_utf8_lossy(&table)).to_string());
    }
    span
}
