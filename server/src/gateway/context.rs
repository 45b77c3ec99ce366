//! What calls use: the engine, the scanners of all connections, the server's identity; and what one call has besides.

use std::ops::Deref;
use std::sync::Arc;

use hjall_engine::Engine;

use crate::dispatch::call_scope::CallScope;
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

/// The context of one call.
pub struct CallContext<'a> {
    /// What all calls share.
    pub shared: &'a Context,
    /// The client, and what the call may gather.
    pub scope: &'a CallScope<'a>,
}

impl Deref for CallContext<'_> {
    type Target = Context;

    fn deref(&self) -> &Context {
        self.shared
    }
}
