//! The context of calls: the state that all calls share, and the state of one call.

use std::cell::Cell;
use std::ops::Deref;
use std::sync::Arc;

use hjall_engine::Engine;
use hjall_engine::read::Budget;

use crate::access::Access;
use crate::dispatch::call_scope::CallScope;
use crate::dispatch::identity::Identity;
use crate::gateway::compactor::Compactor;
use crate::gateway::scanners::Scanners;
use crate::observe::Watch;
use crate::settings::config::CallOptions;

/// The state that the calls of a server share.
pub struct Context {
    /// The users and their roles.
    pub access: Arc<Access>,
    /// The database.
    pub engine: Engine,
    /// The open scanners of all services and connections.
    pub scanners: Scanners,
    /// Runs the compactions that clients request.
    pub compactor: Compactor,
    /// The name of this server in region locations and error texts.
    pub identity: Identity,
    /// Settings that change the effect of calls.
    pub options: CallOptions,
    /// The metrics of calls, and the log of slow calls.
    pub watch: Arc<Watch>,
}

/// The context of one call.
pub struct CallContext<'a> {
    /// The state that all calls share.
    pub shared: &'a Context,
    /// The client and the limits of the call.
    pub scope: &'a CallScope<'a>,
    /// Whether the call was refused because of the user's roles.
    pub denied: Cell<bool>,
}

impl<'a> CallContext<'a> {
    /// The context of a call that has not been refused.
    pub fn new(shared: &'a Context, scope: &'a CallScope<'a>) -> Self {
        Self { shared, scope, denied: Cell::new(false) }
    }
    /// The database, for changes of tables and namespaces. They fail without an effect once the call has been stopped.
    pub fn changes(&self) -> Engine {
        self.engine.stopped_by(self.scope.stop())
    }
}

impl Deref for CallContext<'_> {
    type Target = Context;

    fn deref(&self) -> &Context {
        self.shared
    }
}
