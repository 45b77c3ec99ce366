//! What every call may use: the engine, the scanners of all connections, and who this server is.

use std::sync::Arc;

use hjall_engine::Engine;

use crate::dispatch::identity::Identity;
use crate::gateway::compactor::Compactor;
use crate::gateway::scanners::Scanners;
use crate::observe::Watch;
use crate::settings::config::CallOptions;

/// What the gateways run on. One for the whole server; calls borrow it.
pub struct Context {
    /// The database.
    pub engine: Engine,
    /// The scanners that are open, of both services and all connections.
    pub scanners: Scanners,
    /// What runs the compactions that clients ask for.
    pub compactor: Compactor,
    /// What this server calls itself in region locations and error texts.
    pub identity: Identity,
    /// Settings that change what a call does.
    pub options: CallOptions,
    /// What was seen of calls, the slow ones among them.
    pub watch: Arc<Watch>,
}
