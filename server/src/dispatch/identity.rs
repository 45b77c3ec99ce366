//! The name of this server.

use std::fmt;

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
