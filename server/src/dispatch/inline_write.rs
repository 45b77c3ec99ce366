//! Short writes that run on the event loop of their connection, and are answered when they have been committed.

use std::sync::Arc;
use std::time::{Duration, Instant};

use tracing::Span;

use super::job::Rerun;
use super::lane::{Lane, Permit};
use super::loop_writes::{LoopWrite, LoopWrites, StagedWrites};
use super::memory_quota::MemoryClaim;
use super::runner::{CallTimes, Ended, Request, Resources, Runner, span};
use crate::wire::fault::Fault;

/// The state of a write after it was run on an event loop.
pub enum InlineWrite {
    /// The call has been answered. Contains the memory of its reply, unless the reply is small.
    Answered(Option<MemoryClaim>),
    /// The call is answered when its writes have been committed.
    Staged(StagedCall),
    /// The call has had no effect, and has to be queued.
    Undone(UndoneWrite),
}

/// A write that was run on an event loop without an effect, and has to be queued.
pub struct UndoneWrite {
    /// Its permit; `None` if the event loop has ended.
    pub permit: Option<Permit>,
    /// How long it ran.
    pub took: Duration,
    /// How the call has to be run again.
    pub rerun: Rerun,
}

/// A call that was run on an event loop, and whose writes are staged.
pub struct StagedCall {
    writes: StagedWrites,
    run: Run,
}

/// A run of a call that has not been answered.
struct Run {
    lane: Arc<Lane>,
    span: Span,
    started: Instant,
    resources: Resources,
    outcome: Result<(), Fault>,
    /// Where the reply begins.
    begin: usize,
}

impl Run {
    fn answer(self, ended: Instant, runner: &Runner, request: &Request<'_>, out: &mut Vec<u8>) -> Option<MemoryClaim> {
        let Self { lane, span, started, resources, outcome, begin } = self;
        let times = CallTimes { waited: Duration::ZERO, took: ended.saturating_duration_since(started) };
        runner.ended(request, &lane, &span, times, Ended { resources, outcome, out, begin })
    }

    /// Discards the reply.
    fn undo(self, out: &mut Vec<u8>, permit: Option<Permit>, rerun: Rerun) -> UndoneWrite {
        out.truncate(self.begin);
        let permit = permit.map(|mut permit| {
            permit.waits_again();
            permit
        });
        UndoneWrite { permit, took: self.started.elapsed(), rerun }
    }
}

impl Runner {
    /// Runs a short write on the event loop of its connection, and appends its reply to `out`, which may grow to
    /// `limit` bytes. If the call has to be queued, `out` is unchanged.
    pub fn run_write_inline(
        &self,
        request: &Request<'_>,
        out: &mut Vec<u8>,
        limit: usize,
        mut permit: Permit,
        writes: &LoopWrites,
    ) -> InlineWrite {
        permit.begins();
        let span = span(request, permit.lane().kind());
        let (started, begin) = (Instant::now(), out.len());
        let scope = self.scope(request, limit);
        let run = || span.in_scope(|| request.call.run_whole(&*self.services, &scope, request.message, out, limit));
        let (outcome, write) = writes.run(permit, run);
        let run = Run { lane: writes.lane().clone(), span, started, resources: scope.into(), outcome, begin };
        match write {
            LoopWrite::Done(_permit) => InlineWrite::Answered(run.answer(Instant::now(), self, request, out)),
            LoopWrite::Staged(writes) => InlineWrite::Staged(StagedCall { writes, run }),
            LoopWrite::Undone(permit, rerun) => InlineWrite::Undone(run.undo(out, Some(permit), rerun)),
        }
    }

    /// Waits until the other connections whose calls have arrived have run. Then commits the writes of a call, unless
    /// another call of the same commit has done so, waits for their sync if they need one, and answers the call.
    /// Returns the memory of the reply.
    ///
    /// If the future is dropped, the writes are still committed.
    ///
    /// # Errors
    /// The writes have not been committed, and `out` is as before the call.
    pub async fn finish_write(
        &self,
        staged: StagedCall,
        request: Request<'_>,
        out: &mut Vec<u8>,
    ) -> Result<Option<MemoryClaim>, UndoneWrite> {
        let unanswered = Unanswered { runner: self, request, out, staged: Some(staged) };
        unanswered.committed().await;
        unanswered.answer()
    }
}

/// A staged call. If it is dropped, it is completed and reported, although no client receives its reply.
struct Unanswered<'a> {
    runner: &'a Runner,
    request: Request<'a>,
    out: &'a mut Vec<u8>,
    staged: Option<StagedCall>,
}

impl Unanswered<'_> {
    async fn committed(&self) {
        if let Some(StagedCall { writes, .. }) = &self.staged {
            writes.gathered().await;
            writes.commit().await;
        }
    }

    fn answer(mut self) -> Result<Option<MemoryClaim>, UndoneWrite> {
        self.end()
    }

    fn end(&mut self) -> Result<Option<MemoryClaim>, UndoneWrite> {
        let Some(StagedCall { mut writes, run }) = self.staged.take() else { return Ok(None) };
        match writes.finish() {
            Ok(ended) => Ok(run.answer(ended, self.runner, &self.request, self.out)),
            Err((permit, rerun)) => Err(run.undo(self.out, permit, rerun)),
        }
    }
}

impl Drop for Unanswered<'_> {
    fn drop(&mut self) {
        if let Err(UndoneWrite { permit: Some(permit), took, .. }) = self.end() {
            self.runner.abandoned(&self.request, permit.lane(), CallTimes { waited: Duration::ZERO, took });
        }
    }
}
