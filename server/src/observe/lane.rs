//! The figures that a lane reports.

use super::histogram::Snapshot;
use crate::wire::method::LaneKind;

/// The figures of one lane. Counters count from the server's start.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LaneMetrics {
    /// The lane.
    pub kind: LaneKind,
    /// Number of handlers by HBase's arithmetic; 0 if the settings have no such lane.
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
    /// Calls refused because no handler and no queue slot was free.
    pub refused_length: u64,
    /// Calls that gave their place in the queue to a client with fewer calls.
    pub refused_share: u64,
    /// Calls refused because the calls in flight held too many bytes.
    pub refused_bytes: u64,
    /// Calls dropped because their clients had disconnected.
    pub dropped_gone: u64,
    /// Calls dropped because their queue was overloaded (codel).
    pub dropped_overloaded: u64,
    /// Calls dropped because they had waited for longer than `queues.wait`.
    pub dropped_late: u64,
    /// Times the queue switched to running the newest call first (codel).
    pub lifo_switches: u64,
    /// Wait times of calls before they ran, in nanoseconds; 0 for calls that ran on the connection's event loop.
    pub wait: Snapshot,
}
