//! Observing calls and clients: counters, times, exceptions, slow calls, clients' errors, and the writer of the log.
//!
//! Observing a call costs a few atomic additions and no lock. Only slow calls take a lock.

mod brief;
mod calls;
mod client;
mod client_errors;
mod connections;
mod exceptions;
mod histogram;
mod lane;
mod log_writer;
mod reloads;
mod report;
pub mod slow;
mod window;

use std::fmt;
use std::sync::atomic::Ordering;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

pub use brief::Brief;
pub use calls::{Calls, Counted, Line};
pub use client::ClientMetrics;
pub(crate) use client_errors::client_error;
pub use client_errors::{ClientError, ClientErrors, SUMMARY_SECONDS};
pub use connections::{ConnectionCounters, ConnectionFigures, ConnectionRefusal};
pub use exceptions::Exceptions;
pub use histogram::{Histogram, Snapshot};
pub use lane::LaneMetrics;
pub use log_writer::{LineFormat, LogWriter, dropped_log_lines};
pub use reloads::{ReloadFigures, Reloads};
pub use report::{CallEnd, CallReport, Dropped, Observer, Refusal};
pub use slow::{Judgement, SlowCall, SlowLog, SlowSettings};
pub use window::Window;

use crate::wire::method::{Effect, Method, Service, Thrift1};
use crate::wire::recognise::{self, Names};
use crate::wire::reply::declared;
use crate::wire::rest::answer;

/// Observes every call of a server.
pub struct Watch {
    /// Counters by method.
    pub calls: Calls,
    /// Counters by service.
    pub services: [PerService; Service::ALL.len()],
    /// The log of slow calls.
    pub slow: SlowLog,
    /// Finds the table of an open scanner.
    tables_of_scanners: OnceLock<TableOfScanner>,
    /// A further observer.
    also: Option<Arc<dyn Observer>>,
}

/// Finds the table of an open scanner by its service and number.
type TableOfScanner = Box<dyn Fn(Service, i32) -> Option<String> + Send + Sync>;

impl fmt::Debug for Watch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Watch").finish_non_exhaustive()
    }
}

/// The counters of one service.
#[derive(Default)]
pub struct PerService {
    /// Exceptions by kind.
    pub exceptions: Exceptions,
    /// Run times of calls that exceeded `slow.thrift_call`, in nanoseconds.
    pub slow_calls: Recorded,
    /// Wait times, in nanoseconds.
    pub waited: Recorded,
    /// The window of recent run times. The times themselves are counted by method.
    pub took: Window,
    /// Wait and run times together, in nanoseconds.
    pub total: Recorded,
    /// Sizes of messages, in bytes.
    pub received: Recorded,
    /// Sizes of replies, in bytes.
    pub sent: Recorded,
    /// Number of rows in each call of Thrift1's `getRows` and its variants.
    pub batch_get: Recorded,
    /// Number of mutations in each call of Thrift1's `mutateRow` and its variants.
    pub batch_mutate: Recorded,
}

/// A histogram and its recent past.
#[derive(Default)]
pub struct Recorded {
    /// All values.
    pub histogram: Histogram,
    /// The window of recent values.
    pub window: Window,
}

impl Recorded {
    /// Returns all values, and the recent ones.
    pub fn read(&self) -> (Snapshot, Snapshot) {
        let all = self.histogram.read();
        let recent = self.window.recent(&all);
        (all, recent)
    }
}

impl Watch {
    /// Creates a watch with these thresholds for slow calls. `also` receives each report as well.
    pub fn new(slow: SlowSettings, also: Option<Arc<dyn Observer>>) -> Self {
        Self {
            calls: Calls::default(),
            services: Default::default(),
            slow: SlowLog::new(slow),
            tables_of_scanners: OnceLock::new(),
            also,
        }
    }

    /// Sets how the log of slow calls finds the table of a scanner. Only the first call has an effect.
    pub fn find_tables_of_scanners(&self, find: impl Fn(Service, i32) -> Option<String> + Send + Sync + 'static) {
        let _ = self.tables_of_scanners.set(Box::new(find));
    }

    /// The counters of a service.
    pub fn service(&self, service: Service) -> &PerService {
        &self.services[service as usize]
    }

    /// Counts the exception that a call ended in. Returns whether there was one.
    fn exception(&self, call: &CallReport<'_>) -> bool {
        let exceptions = &self.service(call.service).exceptions;
        match call.end {
            CallEnd::Answered => match failure(call) {
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

    /// The counter for the size of a batch call, and the number of the argument that holds the batch.
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

    /// Records a slow or large call. Such calls are rare, so their arguments may be parsed again.
    fn slow_call(&self, method: Method, call: &CallReport<'_>, Judgement { slow, large, .. }: Judgement) {
        let names = call.names.cloned();
        let Names { mut table, row, namespace, scanner } =
            names.unwrap_or_else(|| recognise::names(method, call.encoding, call.arguments));
        if let (Some(id), Some(table_of)) = (scanner, self.tables_of_scanners.get()) {
            table = table_of(call.service, id).map(String::into_bytes);
        }
        let many = recognise::list_length(call.encoding, call.arguments, 2);
        let ms = |time: Duration| i64::try_from(time.as_millis()).unwrap_or(i64::MAX);
        self.slow.add(SlowCall {
            start_ms: slow::now_ms() - ms(call.took),
            took_ms: ms(call.took),
            waited_ms: ms(call.waited),
            reply_bytes: call.reply.len(),
            message_bytes: call.message_bytes,
            peer: call.peer,
            user: call.user.cloned(),
            service: call.service.name(),
            method: method.name(),
            table: table.map(|table| String::from_utf8_lossy(&table).into_owned()),
            row,
            namespace: namespace.map(|namespace| String::from_utf8_lossy(&namespace).into_owned()),
            scanner,
            many: many.and_then(|many| many.try_into().ok()),
            writes: method.info().effect == Effect::Data,
            slow,
            large,
        });
    }
}

/// The text of the exception or the error in a reply.
fn failure(call: &CallReport<'_>) -> Option<String> {
    match call.service {
        Service::Thrift1 | Service::Thrift2 => declared(call.encoding, call.reply),
        Service::Rest => answer::failure(call.reply),
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
