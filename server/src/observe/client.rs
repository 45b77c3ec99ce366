//! The figures that are reported for each client.

use std::sync::Arc;
use std::time::Duration;

/// The figures of one client: a user after a login, otherwise an address. Counters count from the server's start.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClientMetrics {
    /// The client, or `other` for all clients that are not counted separately.
    pub client: Arc<str>,
    /// Calls that ran.
    pub calls: u64,
    /// Calls and messages that were refused, and calls that waited and were not run.
    pub refused: u64,
    /// Run time of its calls.
    pub run: Duration,
    /// Bytes of messages of calls that ran.
    pub received_bytes: u64,
    /// Bytes of their replies.
    pub sent_bytes: u64,
    /// Bytes of messages and replies in flight that count towards `limits.bytes_in_flight`.
    pub held_bytes: usize,
}
