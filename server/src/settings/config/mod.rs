//! How a server is set up. Every queue, buffer and count has its bound here.
//!
//! What says so of itself can change while the server runs, with [`crate::Server::reconfigure`].

mod compaction;
mod http;
mod limits;
mod queues;
mod tls;

use std::net::SocketAddr;
use std::sync::Arc;

pub use compaction::{CompactionSettings, OffPeak};
pub use http::HttpSettings;
pub use limits::{Limits, WhenFull};
pub use queues::{QueueOrder, QueueSettings, cores};
pub use tls::{PlainText, TlsSettings};

use crate::observe::{Observer, SlowSettings};
use crate::wire::method::Service;

/// A server's settings. [`Config::default`] serves both services on 127.0.0.1:9090.
#[derive(Debug, Clone)]
pub struct Config {
    /// Where to listen; the first is the one that the server names itself by. Port 0: any free one. Fixed at the start.
    pub listen: Vec<Listen>,
    /// The host in region locations and error texts; `None`: the first address listened on. Fixed at the start.
    pub host: Option<String>,
    /// Event loops that connections are spread over. Fixed at the start.
    pub loops: usize,
    /// How calls wait. Can change while running, but for their order.
    pub queues: QueueSettings,
    /// What clients may take. Can change while running.
    pub limits: Limits,
    /// Whether short reads run on the connection's own loop while their lane is idle and quick. Can change while running.
    pub fast_path: bool,
    /// Which calls are slow. Can change while running, but for the ring's size.
    pub slow: SlowSettings,
    /// TLS on all ports, or `None` if it is not offered. Can change while running: new connections see it, open ones keep what they
    /// have.
    pub tls: Option<TlsSettings>,
    /// Exceptions to the rules that keep web pages out. Can change while running.
    pub http: HttpSettings,
    /// When and how fast the server compacts tables. Fixed at the start.
    pub compaction: CompactionSettings,
    /// Settings that change what a call does. Fixed at the start.
    pub calls: CallOptions,
    /// Who is told of each call; fixed at the start.
    pub observer: Option<Arc<dyn Observer>>,
}

/// Settings that change what a call does.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct CallOptions {
    /// Thrift2 refuses data mutations (`hbase.thrift.readonly`); as in HBase, Thrift1 and the administration do not.
    pub read_only: bool,
}

/// An address to listen on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Listen {
    /// The address.
    pub addr: SocketAddr,
    /// The only service of this port; `None`: both, and Thrift1 where a call does not tell.
    pub only: Option<Service>,
}

impl Config {
    /// The default settings, listening on one address for both services.
    pub fn on(addr: SocketAddr) -> Self {
        Self { listen: vec![Listen { addr, only: None }], ..Self::default() }
    }
}

impl Default for Config {
    fn default() -> Self {
        Self {
            listen: vec![Listen { addr: SocketAddr::from(([127, 0, 0, 1], 9090)), only: None }],
            host: None,
            // On two cores two loops only take turns with each other.
            loops: (cores() / 2).clamp(1, 8),
            queues: QueueSettings::default(),
            limits: Limits::default(),
            fast_path: true,
            slow: SlowSettings::default(),
            tls: None,
            compaction: CompactionSettings::default(),
            http: HttpSettings::default(),
            calls: CallOptions::default(),
            observer: None,
        }
    }
}
