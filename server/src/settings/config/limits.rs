//! Limits on connections, messages, memory and scanners. All of them can change while the server runs.

use std::time::Duration;

/// The limits on clients. docs/operations.md gives the reason for each default.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Limits {
    /// Maximum number of open connections. Default 16,000.
    pub connections_max: usize,
    /// Maximum number of open connections from one address. Default 12,000.
    pub connections_per_address_max: usize,
    /// What happens to connections beyond [`Self::connections_max`]. Default: they are refused.
    pub when_full: WhenFull,
    /// Maximum size of an unframed message or of an HTTP body, in bytes. Larger ones are refused. Default 100 MiB.
    pub message_bytes_max: usize,
    /// Maximum size of a frame, in bytes. Larger ones are refused. Default 100 MiB.
    pub frame_bytes_max: usize,
    /// Maximum size of a reply, in bytes. A call with a larger reply fails. Default 256 MiB.
    pub reply_bytes_max: usize,
    /// A scanner fetch ends with the row at which the fetched rows reach this size, in bytes. The next fetch continues
    /// after that row. Default 64 MiB.
    pub page_bytes_max: usize,
    /// Maximum size of all messages and replies in flight together, in bytes (`hbase.ipc.server.max.callqueue.size`).
    /// Calls beyond it are refused. Default 1 GiB.
    pub held_bytes_max: usize,
    /// Maximum number of open scanners. Default 65,536.
    pub scanners_max: usize,
    /// Maximum number of open scanners that one connection opened. Default 4,096.
    pub scanners_per_connection_max: usize,
    /// Maximum number of open scanners that the connections from one address opened. Default 49,152.
    pub scanners_per_address_max: usize,
    /// A scanner is closed when it has not been used for this long, in Thrift1 for twice this long
    /// (`hbase.client.scanner.timeout.period`). Default 60 s.
    pub scanner_timeout: Duration,
    /// A scanner whose connection has closed is closed if it is not used for this long. Default 10 s.
    pub scanner_orphan_timeout: Duration,
    /// A scanner whose snapshot is older than this continues on a new one; `None`: it keeps its snapshot. Default 30 s.
    pub scanner_snapshot_max: Option<Duration>,
    /// A scanner continues on a new snapshot once this number of bytes has been written since its snapshot was taken;
    /// `None`: it keeps its snapshot. Default 128 MiB.
    pub scanner_snapshot_writes: Option<u64>,
    /// A connection is closed when it has made no call for this long (`hbase.thrift.server.socket.read.timeout`, 60 s
    /// in HBase). `None`: never. Default `None`.
    pub idle_max: Option<Duration>,
    /// A new connection is closed when it has sent nothing for this long. `None`: never. Default 120 s.
    pub first_call_max: Option<Duration>,
    /// A connection is closed when a message or a reply makes no progress for this long. Default 60 s.
    pub stall_max: Duration,
    /// Minimum rate of a message or a reply that waits for its client, in bytes per second, averaged over
    /// [`Self::stall_max`]. `None`: any progress is enough. Default 1 KiB.
    pub min_rate: Option<u64>,
    /// How long running calls may take to finish when the server stops (`hbase.thrift.stop.timeout.seconds`). Default
    /// 60 s.
    pub grace: Duration,
}

/// What happens to a connection beyond the limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WhenFull {
    /// It waits in the operating system's backlog until another connection closes.
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
            scanner_snapshot_max: Some(Duration::from_secs(30)),
            scanner_snapshot_writes: Some(128 << 20),
            idle_max: None,
            first_call_max: Some(Duration::from_secs(120)),
            stall_max: Duration::from_secs(60),
            min_rate: Some(1 << 10),
            grace: Duration::from_secs(60),
        }
    }
}
