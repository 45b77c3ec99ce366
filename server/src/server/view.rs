//! A running server as whoever watches it sees it: figures of one moment, without holding anything that would keep it from stopping.

use std::sync::atomic::Ordering;
use std::sync::{Arc, Weak};

use hjall_engine::store::Statistics;

use crate::dispatch::shared::Shared;
use crate::gateway::context::{Context, Identity};
use crate::net::connection_permits::Places;
use crate::observe::Watch;
use crate::observe::metrics::LaneMetrics;

/// Sees a server, also while it stops and when it has gone.
#[derive(Clone)]
pub struct View {
    shared: Weak<Shared>,
    places: Weak<Places>,
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
    /// Its store; the text says why nothing can be told of it.
    pub store: Result<Statistics, String>,
}

impl View {
    pub(crate) fn new(shared: &Arc<Shared>, places: &Arc<Places>, context: &Arc<Context>) -> Self {
        Self {
            shared: Arc::downgrade(shared),
            places: Arc::downgrade(places),
            context: Arc::downgrade(context),
            identity: context.identity.clone(),
            watch: context.watch.clone(),
        }
    }

    /// The server now.
    pub fn figures(&self) -> Figures {
        let (shared, context) = (self.shared.upgrade(), self.context.upgrade());
        let live = shared.as_ref().map(|shared| shared.runner.live());
        let limits = live.as_ref().map(|live| live.config.limits.clone()).unwrap_or_default();
        let lanes = shared.iter().zip(&live).flat_map(|(shared, live)| {
            live.lanes.iter().map(|(kind, _)| shared.lane(kind).metrics()).collect::<Vec<_>>()
        });
        Figures {
            stopping: shared.as_ref().is_none_or(|shared| shared.is_stopping()),
            lanes: lanes.collect(),
            connections: self.places.upgrade().map_or(0, |places| places.taken()),
            connections_max: limits.connections_max,
            held_bytes: shared.as_ref().map_or(0, |shared| shared.held.load(Ordering::Relaxed)),
            held_bytes_max: limits.held_bytes_max,
            scanners: context.as_ref().map_or(0, |context| context.scanners.len()),
            scanners_max: limits.scanners_max,
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
