//! Figures of a running server for monitoring. A view does not keep the server from stopping.

use std::sync::{Arc, Weak};
use std::time::Duration;

use hjall_engine::TableTraffic;
use hjall_engine::store::Statistics;

use crate::dispatch::identity::Identity;
pub use crate::gateway::compactor::CompactionFigures;
use crate::gateway::context::Context;
use crate::net::descriptors::Connectable;
use crate::net::endpoint::Endpoint;
use crate::observe::{ClientMetrics, ConnectionFigures, LaneMetrics, ReloadFigures, Watch};
use crate::settings::config::HttpSettings;

/// A view of a server. It stays usable while the server stops, and afterwards.
#[derive(Clone)]
pub struct View {
    endpoint: Weak<Endpoint>,
    context: Weak<Context>,
    /// The name of the server.
    pub identity: Identity,
    /// The counters of its calls.
    pub watch: Arc<Watch>,
}

/// The figures of a server at one moment.
#[derive(Debug, Clone)]
pub struct Figures {
    /// Whether it takes no more calls, or will stop soon.
    pub stopping: bool,
    /// The lanes that the settings have.
    pub lanes: Vec<LaneMetrics>,
    /// Event loops that get connections.
    pub loops: usize,
    /// How long event loops have looked for calls without finding any, added up.
    pub polled: Duration,
    /// Open connections.
    pub connections: usize,
    /// Maximum number of connections: `limits.connections`, or what the process's limit on open files allows if that is
    /// less.
    pub connections_max: usize,
    /// Bytes of messages and replies in flight.
    pub held_bytes: usize,
    /// Maximum number of these bytes.
    pub held_bytes_max: usize,
    /// Connections since the start.
    pub connection_counters: ConnectionFigures,
    /// When the certificate of the server expires, in seconds since 1970, or `None` without TLS.
    pub tls_expires: Option<i64>,
    /// The figures of each client.
    pub clients: Vec<ClientMetrics>,
    /// Open scanners.
    pub scanners: usize,
    /// Scanners whose lease has ended since the start.
    pub scanners_expired: u64,
    /// Maximum number of scanners.
    pub scanners_max: usize,
    /// Requested and scheduled compactions.
    pub compactions: CompactionFigures,
    /// The outcome of the last reload of the settings.
    pub reloads: ReloadFigures,
    /// Errors that clients caused, by kind.
    pub client_errors: Vec<(&'static str, u64)>,
    /// Reads and writes by table, in the order of creation.
    pub traffic: Vec<TableTraffic>,
    /// The figures of the store, or the reason why there are none.
    pub store: Result<Statistics, String>,
}

impl View {
    pub(super) fn new(endpoint: &Arc<Endpoint>, context: &Arc<Context>) -> Self {
        Self {
            endpoint: Arc::downgrade(endpoint),
            context: Arc::downgrade(context),
            identity: context.identity.clone(),
            watch: context.watch.clone(),
        }
    }

    /// Stops the running compaction, and starts no other.
    pub(super) fn stop_compactions(&self) {
        if let Some(context) = self.context.upgrade() {
            context.compactor.stop();
        }
    }

    /// Whether clients should be sent here. Queries the store, and may wait as long as the store is locked.
    ///
    /// # Errors
    /// The reason why clients should not be sent here.
    pub fn ready(&self) -> Result<(), String> {
        if self.is_stopping() {
            return Err(STOPPING.to_owned());
        }
        readiness(&self.store())
    }

    /// Whether the server has stopped, takes no more calls, or will stop soon. Answers at once.
    pub fn is_stopping(&self) -> bool {
        self.endpoint.upgrade().is_none_or(|endpoint| endpoint.dispatcher.shutdown.is_draining())
    }

    /// The settings for requests over HTTP, and the host name that the server was given. The defaults, which allow no
    /// web pages, if the server has stopped.
    pub fn http(&self) -> (HttpSettings, Option<String>) {
        let live = self.endpoint.upgrade().map(|endpoint| endpoint.dispatcher.live());
        live.map(|live| (live.config.http.clone(), live.config.host.clone())).unwrap_or_default()
    }

    fn store(&self) -> Result<Statistics, String> {
        match self.context.upgrade() {
            Some(context) => context.engine.statistics().map_err(|error| error.to_string()),
            None => Err("the server has stopped".to_owned()),
        }
    }

    /// Collects the figures. May wait for locks of the store.
    pub fn figures(&self) -> Figures {
        let (endpoint, context) = (self.endpoint.upgrade(), self.context.upgrade());
        let dispatcher = endpoint.as_ref().map(|endpoint| &endpoint.dispatcher);
        let limits = dispatcher.map(|dispatcher| dispatcher.live().config.limits.clone()).unwrap_or_default();
        Figures {
            stopping: dispatcher.is_none_or(|dispatcher| dispatcher.shutdown.is_draining()),
            lanes: dispatcher.map_or_else(Vec::new, |dispatcher| dispatcher.lane_metrics()),
            loops: endpoint.as_ref().map_or(0, |endpoint| endpoint.loops.in_use()),
            polled: endpoint.as_ref().map_or(Duration::ZERO, |endpoint| endpoint.loops.polled()),
            connections: endpoint.as_ref().map_or(0, |endpoint| endpoint.permits.in_use()),
            connections_max: dispatcher
                .and_then(|dispatcher| Connectable::beside(dispatcher.runner.services.store_files()))
                .map_or(limits.connections_max, |allowed| allowed.all.min(limits.connections_max)),
            reloads: endpoint.as_ref().map(|endpoint| endpoint.reloads.read()).unwrap_or_default(),
            connection_counters: endpoint.as_ref().map(|endpoint| endpoint.counters.read()).unwrap_or_default(),
            tls_expires: endpoint.as_ref().and_then(|endpoint| endpoint.tls.load().as_ref()?.expires()),
            held_bytes: dispatcher.map_or(0, |dispatcher| dispatcher.quota.used()),
            held_bytes_max: limits.held_bytes_max,
            clients: dispatcher.map_or_else(Vec::new, |dispatcher| dispatcher.accounts.metrics()),
            scanners: context.as_ref().map_or(0, |context| context.scanners.len()),
            scanners_max: limits.scanners_max,
            scanners_expired: context.as_ref().map_or(0, |context| context.scanners.expired()),
            traffic: context.as_ref().map(|context| context.engine.traffic()).unwrap_or_default(),
            compactions: context.as_ref().map(|context| context.compactor.figures()).unwrap_or_default(),
            store: self.store(),
            client_errors: dispatcher
                .map(|dispatcher| dispatcher.runner.client_errors.counts().to_vec())
                .unwrap_or_default(),
        }
    }
}

impl Figures {
    /// Whether clients should be sent here.
    ///
    /// # Errors
    /// The reason why clients should not be sent here.
    pub fn ready(&self) -> Result<(), String> {
        if self.stopping { Err(STOPPING.to_owned()) } else { readiness(&self.store) }
    }
}

/// The reason why a server that stops or will stop soon is not ready.
pub const STOPPING: &str = "the server is stopping";

fn readiness(store: &Result<Statistics, String>) -> Result<(), String> {
    match store {
        Err(error) => Err(format!("the store cannot be used: {error}")),
        Ok(Statistics { failure: Some(why), .. }) => Err(format!("the store refuses writes: {why}")),
        Ok(_) => Ok(()),
    }
}
