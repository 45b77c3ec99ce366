//! What a running server counts, and what it tells of each call.

use std::net::SocketAddr;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use crate::dispatch::lane::{Dropped, Refusal};
use crate::wire::fault::Fault;
use crate::wire::method::{LaneKind, Service};
use crate::wire::{Encoding, Transport};

/// One lane's counts. What only grows counts from the start.
#[derive(Debug, Clone, PartialEq)]
pub struct LaneMetrics {
    /// Which lane.
    pub kind: LaneKind,
    /// Handlers by HBase's arithmetic; 0: the settings have no such lane.
    pub handlers: usize,
    /// Calls that may run at once.
    pub running_max: usize,
    /// Calls that may run or wait.
    pub calls_max: usize,
    /// Calls running or waiting.
    pub under_way: usize,
    /// Calls waiting.
    pub waiting: usize,
    /// Calls running.
    pub running: usize,
    /// Calls finished.
    pub finished: u64,
    /// Calls refused because no handler and no place was free.
    pub refused_length: u64,
    /// Calls refused because those under way held too many bytes.
    pub refused_bytes: u64,
    /// Calls not run because their clients had hung up.
    pub dropped_gone: u64,
    /// Calls not run because their queue was overloaded (codel).
    pub dropped_overloaded: u64,
    /// Calls not run because they had waited for longer than clients do.
    pub dropped_late: u64,
    /// How often the queue began to take the newest first (codel).
    pub lifo_switches: u64,
    /// How long calls waited before they ran; those that ran where they arrived did not wait.
    pub wait: Distribution,
}

/// Upper bounds of a histogram's buckets; one bucket more is for what is longer.
pub const BOUNDS: [Duration; 16] = [
    Duration::from_micros(50),
    Duration::from_micros(100),
    Duration::from_micros(250),
    Duration::from_micros(500),
    Duration::from_millis(1),
    Duration::from_micros(2500),
    Duration::from_millis(5),
    Duration::from_millis(10),
    Duration::from_millis(25),
    Duration::from_millis(50),
    Duration::from_millis(100),
    Duration::from_millis(250),
    Duration::from_millis(500),
    Duration::from_secs(1),
    Duration::from_secs(5),
    Duration::from_secs(10),
];

/// Counts durations by size. Any number of threads may record.
#[derive(Debug, Default)]
pub struct Histogram {
    counts: [AtomicU64; BOUNDS.len() + 1],
    sum_ns: AtomicU64,
}

/// What a histogram has counted.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Distribution {
    /// By bucket, not cumulative; as long as [`BOUNDS`] and one more.
    pub counts: [u64; BOUNDS.len() + 1],
    /// The sum of all.
    pub sum: Duration,
}

impl Histogram {
    /// Counts one duration.
    pub fn record(&self, time: Duration) {
        let bucket = if time.is_zero() { 0 } else { BOUNDS.partition_point(|bound| *bound < time) };
        self.counts[bucket].fetch_add(1, Ordering::Relaxed);
        if !time.is_zero() {
            self.sum_ns.fetch_add(u64::try_from(time.as_nanos()).unwrap_or(u64::MAX), Ordering::Relaxed);
        }
    }

    /// What was counted so far.
    pub fn snapshot(&self) -> Distribution {
        Distribution {
            counts: std::array::from_fn(|i| self.counts[i].load(Ordering::Relaxed)),
            sum: Duration::from_nanos(self.sum_ns.load(Ordering::Relaxed)),
        }
    }
}

/// Is told of each call once it has ended. Called on the thread that the call ran on, before the reply goes out: it must be quick and
/// never wait.
pub trait Observer: std::fmt::Debug + Send + Sync {
    /// A call has ended.
    fn call_ended(&self, call: &CallReport<'_>);
}

/// What is told of a call.
#[derive(Debug)]
pub struct CallReport<'a> {
    /// The method's name.
    pub method: &'a str,
    /// Of which service.
    pub service: Service,
    /// How it was written.
    pub encoding: Encoding,
    /// How it came in.
    pub transport: Transport,
    /// Whether it reads on in a scanner.
    pub fetches: bool,
    /// The lane that it ran in.
    pub lane: LaneKind,
    /// Who called.
    pub peer: SocketAddr,
    /// How long it waited before it ran, or until it was dropped.
    pub waited: Duration,
    /// How long it ran; nothing for a call that did not.
    pub took: Duration,
    /// The length of its message, in bytes.
    pub message_bytes: usize,
    /// Its arguments, as they came.
    pub arguments: &'a [u8],
    /// Its reply, as it goes.
    pub reply: &'a [u8],
    /// How it ended.
    pub end: CallEnd<'a>,
}

/// How a call ended.
#[derive(Debug, Clone, Copy)]
pub enum CallEnd<'a> {
    /// With the method's result, which may be an exception that the method declares.
    Answered,
    /// With this fault.
    Failed(&'a Fault),
    /// It was not taken.
    Refused(Refusal),
    /// It was taken and not run.
    Dropped(Dropped),
}
