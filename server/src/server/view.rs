//! A running server as monitoring sees it: figures of one moment. A view holds nothing that would keep the server from stopping.

use std::sync::{Arc, Weak};

use hjall_engine::store::Statistics;

use crate::dispatch::identity::Identity;
pub use crate::gateway::compactor::CompactionFigures;
use crate::gateway::context::Context;
use crate::net::endpoint::Endpoint;
use crate::observe::{LaneMetrics, Watch};

/// A view of a server. It stays usable while the server stops, and afterwards.
#[derive(Clone)]
pub struct View {
    endpoint: Weak<Endpoint>,
    context: Weak<Context>,
    /// Who the server is.
    pub identity: Identity,
    /// What was seen of its calls.
    pub watch: Arc<Watch>,
}

/// A server at one moment.
#[derive(Debug, Clone)]
pub struct Figures {
    /// Whether it takes no more calls.
    pub stopping: bool,
    /// Its lanes, those that the settings have.
    pub lanes: Vec<LaneMetrics>,
    /// Connections open.
    pub connections: usize,
    /// Connections that may be open.
    pub connections_max: usize,
    /// Bytes of messages and replies under way.
    pub held_bytes: usize,
    /// Those that may be.
    pub held_bytes_max: usize,
    /// Scanners open.
    pub scanners: usize,
    /// Scanners that may be open.
    pub scanners_max: usize,
    /// Requested and scheduled compactions.
    pub compactions: CompactionFigures,
    /// Its store; the text says why nothing can be told of it.
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

    /// The server now.
    pub fn figures(&self) -> Figures {
        let (endpoint, context) = (self.endpoint.upgrade(), self.context.upgrade());
        let dispatcher = endpoint.as_ref().map(|endpoint| &endpoint.dispatcher);
        let limits = dispatcher.map(|dispatcher| dispatcher.live().config.limits.clone()).unwrap_or_default();
        Figures {
            stopping: dispatcher.is_none_or(|dispatcher| dispatcher.shutdown.is_stopping()),
            lanes: dispatcher.map_or_else(Vec::new, |dispatcher| dispatcher.lane_metrics()),
            connections: endpoint.as_ref().map_or(0, |endpoint| endpoint.permits.in_use()),
            connections_max: limits.connections_max,
            held_bytes: dispatcher.map_or(0, |dispatcher| dispatcher.quota.used()),
            held_bytes_max: limits.held_bytes_max,
            scanners: context.as_ref().map_or(0, |context| context.scanners.len()),
            scanners_max: limits.scanners_max,
            compactions: context.as_ref().map(|context| context.compactor.figures()).unwrap_or_default(),
            store: match context {
                Some(context) => context.engine.statistics().map_err(|error| error.to_string()),
                None => Err("the server has stopped".to_owned()),
            },
        }
    }
}

impl Figures {
    /// Whether clients should be sent here.
    ///
    /// # Errors
    /// Why not.
    pub fn ready(&self) -> Result<(), String> {
        if self.stopping {
            return Err("the server is stopping".to_owned());
        }
        match &self.store {
            Err(error) => Err(format!("the store cannot be used: {error}")),
            Ok(Statistics { failure: Some(why), .. }) => Err(format!("the store refuses writes: {why}")),
            Ok(_) => Ok(()),
        }
    }
}
