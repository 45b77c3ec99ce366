//! The name of a server.

use std::fmt;

/// A server's name as HBase writes it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Identity {
    /// The host name that clients connect to.
    pub host: String,
    /// The port.
    pub port: u16,
    /// The time of its start, in milliseconds since 1970.
    pub start_code: i64,
}

impl fmt::Display for Identity {
    /// `host,port,startcode`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{},{},{}", self.host, self.port, self.start_code)
    }
}
