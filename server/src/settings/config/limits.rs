//! What clients may take of a server. Every one of these can change while it runs.

use std::time::Duration;

/// Bounds, each with a default that docs/operations.md argues for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Limits {
    /// Connections at once. Default 16,000.
    pub connections_max: usize,
    /// Connections at once from one address. Default 12,000.
    pub connections_per_address_max: usize,
    /// What one connection more than [`Self::connections_max`] meets. Default: it is refused.
    pub when_full: WhenFull,
    /// A longer message without frame or as HTTP body is refused, in bytes. Default 100 MiB.
    pub message_bytes_max: usize,
    /// A longer frame is refused, in bytes. Default 100 MiB.
    pub frame_bytes_max: usize,
    /// A longer reply is answered with an error instead, in bytes. Default 256 MiB.
    pub reply_bytes_max: usize,
    /// A fetch of a scanner ends with the row that makes it so long, in bytes of rows, and the next one goes on behind it. Default
    /// 64 MiB.
    pub page_bytes_max: usize,
    /// Bytes of messages and replies that are under way in all connections (`hbase.ipc.server.max.callqueue.size`); while there are
    /// more, calls are refused. Default 1 GiB.
    pub held_bytes_max: usize,
    /// Scanners open at once. Default 65,536.
    pub scanners_max: usize,
    /// Scanners open at once that one connection opened. Default 4,096.
    pub scanners_per_connection_max: usize,
    /// Maximum number of open scanners that the connections from one address opened. Default 49,152.
    pub scanners_per_address_max: usize,
    /// A scanner that nobody uses for so long ends, twice that in Thrift1 (`hbase.client.scanner.timeout.period`). Default 60 s.
    pub scanner_timeout: Duration,
    /// A scanner whose connection has closed is closed if it is not used for this long. Default 10 s.
    pub scanner_orphan_timeout: Duration,
    /// A connection without a call for so long is closed (`hbase.thrift.server.socket.read.timeout`, there 60 s); `None`: kept, the
    /// default.
    pub idle_max: Option<Duration>,
    /// How long a new connection may be silent before it sends anything; `None`: without a limit. Default 120 s.
    pub first_call_max: Option<Duration>,
    /// A message or a reply that makes no progress for so long ends its connection. Default 60 s.
    pub stall_max: Duration,
    /// Bytes per second that a message or a reply has to make on average over [`Self::stall_max`] while it waits for its client; `None`:
    /// any progress is enough. Default 1 KiB.
    pub min_rate: Option<u64>,
    /// How long running calls may take to finish at the end (`hbase.thrift.stop.timeout.seconds`). Default 60 s.
    pub grace: Duration,
}

/// What a connection over the limit meets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WhenFull {
    /// It waits in the operating system's backlog until another ends.
    Wait,
    /// Its first call is answered with an error, and it is closed.
    Refuse,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            connections_max: 16_000,
            connections_per_address_max: 12_000,
            when_full: WhenFull::Refuse,
            message_bytes_max: 100 << 20,
            frame_bytes_max: 100 << 20,
            reply_bytes_max: 256 << 20,
            page_bytes_max: 64 << 20,
            held_bytes_max: 1 << 30,
            scanners_max: 65_536,
            scanners_per_connection_max: 4096,
            scanners_per_address_max: 49_152,
            scanner_timeout: Duration::from_secs(60),
            scanner_orphan_timeout: Duration::from_secs(10),
            idle_max: None,
            first_call_max: Some(Duration::from_secs(120)),
            stall_max: Duration::from_secs(60),
            min_rate: Some(1 << 10),
            grace: Duration::from_secs(60),
        }
    }
}
