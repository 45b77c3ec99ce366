//! What every call may use: the engine, the scanners of all connections, and who this server is.

use std::fmt;
use std::sync::Arc;

use hjall_engine::Engine;

use crate::gateway::compactor::Compactor;
use crate::gateway::scanners::Scanners;
use crate::observe::Watch;

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

/// A server's name as HBase writes it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Identity {
    /// The host that clients reach it by.
    pub host: String,
    /// The port it listens on.
    pub port: u16,
    /// When it started, in milliseconds since 1970.
    pub start_code: i64,
}

impl fmt::Display for Identity {
    /// `host,port,startcode`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{},{},{}", self.host, self.port, self.start_code)
    }
}

/// Settings that change what a call does.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct CallOptions {
    /// Thrift2 refuses data mutations (`hbase.thrift.readonly`); as in HBase, Thrift1 and the administration do not.
    pub read_only: bool,
}
