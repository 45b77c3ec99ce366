//! The state that all listeners and connections of a server share.

use std::sync::Arc;

use arc_swap::ArcSwapOption;

use super::connection_permits::ConnectionPermits;
use super::handshakes::Handshakes;
use super::loops::Loops;
use super::tls::TlsAcceptor;
use crate::access::Access;
use crate::dispatch::dispatcher::Dispatcher;
use crate::observe::{ConnectionCounters, Reloads};

/// The server as its connections see it.
pub struct Endpoint {
    /// Runs the calls.
    pub dispatcher: Arc<Dispatcher>,
    /// The event loops of the connections.
    pub loops: Arc<Loops>,
    /// Accepts TLS connections. Empty if TLS is not offered. A change applies to new connections.
    pub tls: ArcSwapOption<TlsAcceptor>,
    /// Performs the handshakes of TLS connections.
    pub handshakes: Handshakes,
    /// The users who may connect.
    pub access: Arc<Access>,
    /// The limits on connections.
    pub permits: Arc<ConnectionPermits>,
    /// Counts connections.
    pub counters: ConnectionCounters,
    /// The outcome of reloads of the settings.
    pub reloads: Reloads,
}

impl Endpoint {
    /// An endpoint without connections.
    pub fn new(dispatcher: Arc<Dispatcher>, loops: Arc<Loops>, tls: Option<TlsAcceptor>, access: Arc<Access>) -> Self {
        Self {
            dispatcher,
            loops,
            tls: ArcSwapOption::new(tls.map(Arc::new)),
            handshakes: Handshakes::default(),
            access,
            permits: Arc::default(),
            counters: ConnectionCounters::default(),
            reloads: Reloads::default(),
        }
    }
}
