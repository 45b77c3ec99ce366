//! What is seen of calls: counts, times, exceptions, and those that were slow.
//!
//! Everything a call costs here is a handful of additions without a lock; only a slow call, which has cost more already, takes one.

mod calls;
mod exceptions;
mod histogram;
mod lane;
mod report;
pub mod slow;
mod slow_settings;
mod window;

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

pub use calls::{Calls, Counted, Line};
pub use exceptions::Exceptions;
pub use histogram::{Histogram, Snapshot};
pub use lane::LaneMetrics;
pub use report::{CallEnd, CallReport, Dropped, Observer, Refusal};
pub use slow::{Judgement, SlowCall, SlowLog};
pub use slow_settings::SlowSettings;
pub use window::Window;

use crate::wire::method::{Effect, Method, Service, Thrift1};
use crate::wire::recognise::{self, Names};
use crate::wire::reply::declared;

/// Sees every call of a server.
pub struct Watch {
    /// By method.
    pub calls: Calls,
    /// By service.
    pub services: [PerService; 2],
    /// Slow ones.
    pub slow: SlowLog,
    /// Somebody else who wants to be told.
    also: Option<Arc<dyn Observer>>,
}

impl fmt::Debug for Watch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Watch").finish_non_exhaustive()
    }
}

/// What is counted of each service.
#[derive(Default)]
pub struct PerService {
    /// Exceptions by kind.
    pub exceptions: Exceptions,
    /// Calls that ran for longer than the settings say, in nanoseconds.
    pub slow_calls: Recorded,
    /// How long calls waited, in nanoseconds.
    pub waited: Recorded,
    /// Where the recent past of all running times begins; the times themselves are counted by method.
    pub took: Window,
    /// How long calls waited and ran, in nanoseconds.
    pub total: Recorded,
    /// Bytes of messages.
    pub received: Recorded,
    /// Bytes of replies.
    pub sent: Recorded,
    /// Rows that each call of Thrift1's `getRows` and its kind asked for.
    pub batch_get: Recorded,
    /// Mutations in each call of Thrift1's `mutateRow` and its kind.
    pub batch_mutate: Recorded,
}

/// A spread and its recent past.
#[derive(Default)]
pub struct Recorded {
    /// Everything.
    pub histogram: Histogram,
    /// Where the recent past begins.
    pub window: Window,
}

impl Recorded {
    /// Everything, and that of late.
    pub fn read(&self) -> (Snapshot, Snapshot) {
        let all = self.histogram.read();
        let recent = self.window.recent(&all);
        (all, recent)
    }
}

impl Watch {
    /// With these thresholds for slow calls; `also` is told of each call too.
    pub fn new(slow: SlowSettings, also: Option<Arc<dyn Observer>>) -> Self {
        Self { calls: Calls::default(), services: Default::default(), slow: SlowLog::new(slow), also }
    }

    /// The counts of a service.
    pub fn service(&self, service: Service) -> &PerService {
        &self.services[service as usize]
    }

    /// Counts an exception, if there is one; whether there was.
    fn exception(&self, call: &CallReport<'_>) -> bool {
        let exceptions = &self.service(call.service).exceptions;
        match call.end {
            CallEnd::Answered => match declared(call.encoding, call.reply) {
                Some(text) => exceptions.count(&text),
                None => return false,
            },
            CallEnd::Failed(fault) => exceptions.count(&fault.to_string()),
            CallEnd::Refused(_) => exceptions.count("CallQueueTooBigException"),
            CallEnd::Dropped(Dropped::Overloaded) => exceptions.count("CallDroppedException"),
            CallEnd::Dropped(Dropped::Late | Dropped::Gone) => exceptions.count("CallTimeoutException"),
        }
        true
    }

    /// Where a call's number of rows or mutations is counted, and in which of its fields they are.
    fn batches(&self, method: Method) -> Option<(&Recorded, i16)> {
        use Thrift1::{GetRows, GetRowsTs, GetRowsWithColumns, GetRowsWithColumnsTs, MutateRow, MutateRowTs};
        let of_service = self.service(method.service());
        match method {
            Method::Thrift1(GetRows | GetRowsTs | GetRowsWithColumns | GetRowsWithColumnsTs) => {
                Some((&of_service.batch_get, 2))
            }
            Method::Thrift1(MutateRow | MutateRowTs) => Some((&of_service.batch_mutate, 3)),
            _ => None,
        }
    }

    /// The rest of a call that is slow or large: rare enough to look at its arguments once more.
    fn slow_call(&self, method: Method, call: &CallReport<'_>, Judgement { slow, large, .. }: Judgement) {
        let Names { table, row } = recognise::names(call.service, call.encoding, call.arguments);
        let many = recognise::list_length(call.encoding, call.arguments, 2);
        let ms = |time: Duration| i64::try_from(time.as_millis()).unwrap_or(i64::MAX);
        self.slow.add(SlowCall {
            start_ms: slow::now_ms() - ms(call.took),
            took_ms: ms(call.took),
            waited_ms: ms(call.waited),
            reply_bytes: call.reply.len(),
            message_bytes: call.message_bytes,
            peer: call.peer,
            service: call.service.name(),
            method: method.name(),
            table: table.map(|table| String::from_utf8_lossy(&table).into_owned()),
            row,
            many: many.and_then(|many| many.try_into().ok()),
            writes: method.info().effect == Effect::Data,
            slow,
            large,
        });
    }
}

fn nanoseconds(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}

impl Observer for Watch {
    fn call_ended(&self, call: &CallReport<'_>) {
        if let Some(also) = &self.also {
            also.call_ended(call);
        }
        let of_service = self.service(call.service);
        let failed = self.exception(call);
        let Some(method) = call.method else {
            self.calls.unknown.fetch_add(1, Ordering::Relaxed);
            return;
        };
        let counted = self.calls.of(method, call.transport, call.encoding);
        counted.received.fetch_add(call.message_bytes as u64, Ordering::Relaxed);
        counted.sent.fetch_add(call.reply.len() as u64, Ordering::Relaxed);
        if failed {
            counted.failed.fetch_add(1, Ordering::Relaxed);
        }
        if matches!(call.end, CallEnd::Refused(_) | CallEnd::Dropped(_)) {
            return;
        }
        let took = nanoseconds(call.took);
        counted.took.record(took);
        of_service.waited.histogram.record(nanoseconds(call.waited));
        of_service.total.histogram.record(nanoseconds(call.waited + call.took));
        of_service.received.histogram.record(call.message_bytes as u64);
        of_service.sent.histogram.record(call.reply.len() as u64);
        let judgement = self.slow.judge(call);
        if judgement.thrift_call {
            of_service.slow_calls.histogram.record(took);
        }
        if let Some((batches, field)) = self.batches(method) {
            let rows = recognise::list_length(call.encoding, call.arguments, field);
            rows.into_iter().for_each(|rows| batches.histogram.record(rows));
        }
        if judgement.slow || judgement.large {
            self.slow_call(method, call, judgement);
        }
    }
}
