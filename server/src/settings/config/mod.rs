//! The configuration of a server, including the limit of every queue, buffer and count.
//!
//! [`crate::Server::reconfigure`] changes it while the server runs, except for the fields documented as fixed at the
//! start.

mod auth;
mod compaction;
mod http;
mod limits;
mod queues;
mod tls;

use std::fmt;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

pub use auth::{AuthSettings, WithoutTls};
pub use compaction::{CompactionSettings, OffPeak};
pub use http::HttpSettings;
pub use limits::{Limits, WhenFull};
pub use queues::{QueueOrder, QueueSettings, cores};
pub use tls::{ClientCertificates, PlainText, TlsSettings};

use crate::observe::{Observer, SlowSettings};
use crate::wire::method::Service;

/// The default of [`Config::busy_poll`] on several cores.
const BUSY_POLL: Duration = Duration::from_micros(50);

/// Whether short calls run on the event loop of their connection while their lane has a free handler.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FastPath {
    /// They always go to the workers.
    Never,
    /// While such calls have been fast lately.
    WhileFast,
    /// Even if they have been slow lately.
    Always,
}

/// A server's settings. [`Config::default`] serves all services on 127.0.0.1:9090.
#[derive(Debug, Clone)]
pub struct Config {
    /// The addresses to listen on. The first one becomes part of the server's name. Port 0 chooses a free port. Fixed
    /// at the start.
    pub listen: Vec<Listen>,
    /// The host name in region locations and error messages. `None`: the host of the first address. Fixed at the start.
    pub host: Option<String>,
    /// Number of event loops that always share the connections. Fixed at the start.
    pub loops: usize,
    /// Number of event loops, including those that share the connections only while that helps. Fixed at the start.
    pub loops_max: usize,
    /// Call queues. Their order is fixed at the start.
    pub queues: QueueSettings,
    /// Limits on clients.
    pub limits: Limits,
    /// Whether short calls run on the connection's event loop.
    pub fast_path: FastPath,
    /// How long an event loop looks for the next call before it sleeps.
    pub busy_poll: Duration,
    /// Thresholds of the slow-call log. The size of its ring is fixed at the start.
    pub slow: SlowSettings,
    /// TLS on all ports, or `None` if TLS is not offered. A change applies to new connections.
    pub tls: Option<TlsSettings>,
    /// The users of the server.
    pub auth: AuthSettings,
    /// HTTP: Thrift over it, and REST.
    pub http: HttpSettings,
    /// Schedule and rate of compactions. Fixed at the start.
    pub compaction: CompactionSettings,
    /// Settings that change the effect of calls. Fixed at the start.
    pub calls: CallOptions,
    /// Receives a report of each call. Fixed at the start.
    pub observer: Option<Arc<dyn Observer>>,
}

/// Settings that change the effect of calls.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct CallOptions {
    /// The changes that clients may make.
    pub read_only: ReadOnly,
}

/// The changes that read-only mode refuses.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum ReadOnly {
    /// Nothing.
    #[default]
    Off,
    /// Changes of data through Thrift2, as HBase's `hbase.thrift.readonly`, and every change through REST, as its
    /// `hbase.rest.readonly`.
    AsHBase,
    /// Every change of data, tables and namespaces, through all services.
    All,
}

/// An address to listen on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Listen {
    /// The address.
    pub addr: SocketAddr,
    /// The only service of this port. `None`: all services, and Thrift1 for calls that do not identify theirs.
    pub only: Option<Service>,
}

impl fmt::Display for Listen {
    /// The address, and the service if there is only one.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let service = match self.only {
            None => return write!(f, "{}", self.addr),
            Some(Service::Thrift1) => "Thrift1",
            Some(Service::Thrift2) => "Thrift2",
            Some(Service::Rest) => "REST",
        };
        write!(f, "{} ({service})", self.addr)
    }
}

impl Config {
    /// The host name by which the server refers to itself: the configured one, or the host of the first address. If the
    /// server listens on all interfaces, it is the name of the machine, as in HBase, so that clients on other machines
    /// can use it. `None` if the configuration has neither a host name nor an address.
    pub fn host_in_force(&self) -> Option<String> {
        self.host.clone().or_else(|| Some(reachable(self.listen.first()?.addr)))
    }

    /// The default settings, listening on one address for all services.
    pub fn on(addr: SocketAddr) -> Self {
        Self { listen: vec![Listen { addr, only: None }], ..Self::default() }
    }
}

/// The host by which clients reach an address.
fn reachable(addr: SocketAddr) -> String {
    if addr.ip().is_unspecified() {
        host_name().unwrap_or_else(|| "localhost".to_owned())
    } else {
        addr.ip().to_string()
    }
}

/// The name of this machine, if it has one.
fn host_name() -> Option<String> {
    #[cfg(unix)]
    let name = rustix::system::uname().nodename().to_str().ok().map(str::to_owned);
    #[cfg(not(unix))]
    let name = std::env::var("COMPUTERNAME").ok();
    name.filter(|name| !name.is_empty() && name != "(none)")
}

impl Default for Config {
    fn default() -> Self {
        Self {
            listen: vec![Listen { addr: SocketAddr::from(([127, 0, 0, 1], 9090)), only: None }],
            host: None,
            // The clients may be on this machine, and need the other cores.
            loops: (cores() / 2).clamp(1, 8),
            // Other systems do not tell how busy threads are.
            loops_max: if cfg!(target_os = "linux") { cores().clamp(1, 16) } else { 1 },
            queues: QueueSettings::default(),
            limits: Limits::default(),
            fast_path: FastPath::WhileFast,
            busy_poll: if cores() > 1 { BUSY_POLL } else { Duration::ZERO },
            slow: SlowSettings::default(),
            tls: None,
            compaction: CompactionSettings::default(),
            auth: AuthSettings::default(),
            http: HttpSettings::default(),
            calls: CallOptions::default(),
            observer: None,
        }
    }
}
