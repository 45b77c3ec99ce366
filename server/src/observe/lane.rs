//! The figures that a lane reports.

use super::histogram::Snapshot;
use crate::wire::method::LaneKind;

/// The figures of one lane. Counters count from the server's start.
#[derive(Debug, Clone, PartialEq, Eq)]
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
    /// How long calls waited before they ran, in nanoseconds; 0 for those that ran on the connection's thread.
    pub wait: Snapshot,
}
