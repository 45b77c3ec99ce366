//! How a server is set up. Every queue, buffer and count has its bound here.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::thread::available_parallelism;
use std::time::Duration;

use crate::context::CallOptions;
use crate::method::{LaneKind, Service};
use crate::scanners;

/// A server's settings. [`Config::default`] serves both services on 127.0.0.1:9090.
#[derive(Debug, Clone)]
pub struct Config {
    /// Where to listen; the first is the one that the server names itself by. Port 0: any free one.
    pub listen: Vec<Listen>,
    /// The host in region locations and error texts; `None`: the first address listened on.
    pub host: Option<String>,
    /// Handlers and queue places, by the lane's number.
    pub lanes: [LaneSize; 4],
    /// Event loops that connections are spread over.
    pub loops: usize,
    /// Whether short reads run on the connection's own loop while their lane is idle and quick.
    pub fast_path: bool,
    /// A longer message without frame or as HTTP body is refused, in bytes.
    pub message_bytes_max: usize,
    /// A longer frame is refused, in bytes.
    pub frame_bytes_max: usize,
    /// A longer reply becomes an internal error, in bytes.
    pub reply_bytes_max: usize,
    /// Bytes of all calls read and not finished (`hbase.ipc.server.max.callqueue.size`).
    pub held_bytes_max: usize,
    /// Connections at once.
    pub connections_max: usize,
    /// What one more connection meets.
    pub when_full: WhenFull,
    /// A connection without a call for so long is closed; `None`: kept.
    pub idle_max: Option<Duration>,
    /// A message or a reply that makes no progress for so long ends the connection.
    pub stall_max: Duration,
    /// How long running calls may take to finish at shutdown.
    pub grace: Duration,
    /// Scanners open at once.
    pub scanners_max: usize,
    /// `hbase.client.scanner.timeout.period`.
    pub scanner_timeout: Duration,
    /// TLS on the same ports, beside plain connections.
    pub tls: Option<TlsFiles>,
    /// Settings that change what a call does.
    pub calls: CallOptions,
}

/// An address to listen on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Listen {
    /// The address.
    pub addr: SocketAddr,
    /// The only service of this port; `None`: both, and Thrift1 where a call does not tell.
    pub only: Option<Service>,
}

/// The size of a lane.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LaneSize {
    /// Calls that run at once.
    pub handlers: usize,
    /// Calls that wait.
    pub places: usize,
}

/// What a connection over the limit meets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WhenFull {
    /// It waits in the operating system's backlog until another ends.
    Wait,
    /// It is closed at once.
    Refuse,
}

/// PEM files for TLS.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TlsFiles {
    /// The server's certificate chain.
    pub certificate: PathBuf,
    /// Its private key.
    pub key: PathBuf,
    /// Authorities that a client's certificate must come from; `None`: clients need none.
    pub client_authorities: Option<PathBuf>,
}

impl Config {
    /// The default settings, listening on one address for both services.
    pub fn on(addr: SocketAddr) -> Self {
        Self { listen: vec![Listen { addr, only: None }], ..Self::default() }
    }

    /// The size of one lane.
    pub fn lane(&self, kind: LaneKind) -> LaneSize {
        self.lanes[kind as usize]
    }
}

impl Default for Config {
    fn default() -> Self {
        let cores = available_parallelism().map_or(2, usize::from);
        let places = 1000;
        Self {
            listen: vec![Listen { addr: SocketAddr::from(([127, 0, 0, 1], 9090)), only: None }],
            host: None,
            lanes: [
                LaneSize { handlers: cores.max(2), places },
                // Writers wait for one another's journal writes and gather them, so more than cores.
                LaneSize { handlers: 16, places },
                // Scans keep a core each busy; one core is left to everything else.
                LaneSize { handlers: cores.saturating_sub(1).max(1), places },
                LaneSize { handlers: 2, places },
            ],
            // On two cores two loops only take turns with each other.
            loops: (cores / 2).clamp(1, 8),
            fast_path: true,
            message_bytes_max: 100 << 20,
            frame_bytes_max: 100 << 20,
            reply_bytes_max: 512 << 20,
            held_bytes_max: 1 << 30,
            connections_max: 10_000,
            when_full: WhenFull::Refuse,
            idle_max: None,
            stall_max: Duration::from_secs(60),
            grace: Duration::from_secs(60),
            scanners_max: scanners::SCANNERS_MAX,
            scanner_timeout: Duration::from_millis(scanners::TIMEOUT_MS as u64),
            tls: None,
            calls: CallOptions::default(),
        }
    }
}
