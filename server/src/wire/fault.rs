//! How a call fails, in the words of the wire.

use std::fmt;
use std::time::Duration;

/// Why a call gives no result.
///
/// The first three are *declared*: the gateway writes them into the method's result struct where the contract of that method has a
/// place for them. The others become a `TApplicationException`, whatever the method.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fault {
    /// `IOError` of Thrift1, `TIOError` of Thrift2.
    Io {
        /// The text clients match on; `None` only where Java's exception has none.
        message: Option<String>,
        /// Whether the same call may succeed later.
        can_retry: bool,
    },
    /// `IllegalArgument` of Thrift1, `TIllegalArgument` of Thrift2.
    IllegalArgument(String),
    /// `AlreadyExists` of Thrift1.
    AlreadyExists(String),
    /// Type 6; the client reads only `Internal error processing <method>`, the reason goes to the log.
    Internal(String),
    /// Type 7: the arguments cannot be read as the contract has them; the text is for the client.
    Protocol(String),
    /// Type 1: no such method in this service.
    UnknownMethod,
}

impl Fault {
    /// An `IOError`/`TIOError` with a text.
    pub fn io(message: impl Into<String>, can_retry: bool) -> Self {
        Self::Io { message: Some(message.into()), can_retry }
    }

    /// A failure whose reason only the log tells.
    pub fn internal(reason: impl Into<String>) -> Self {
        Self::Internal(reason.into())
    }

    /// Arguments that do not follow the contract.
    pub fn protocol(message: impl Into<String>) -> Self {
        Self::Protocol(message.into())
    }

    /// No handler and no queue place is free in a lane of this server (`host,port,startcode`); HBase's clients wait and try again.
    pub fn queue_full(server: &dyn fmt::Display) -> Self {
        Self::io(
            format!(
                "org.apache.hadoop.hbase.CallQueueTooBigException: Call queue is full on {server}, too many items queued ?"
            ),
            true,
        )
    }

    /// A call has waited for too long in an overloaded queue of this server, and was not run.
    pub fn dropped(server: &dyn fmt::Display) -> Self {
        Self::io(
            format!(
                "org.apache.hadoop.hbase.CallDroppedException: Call dropped, server {server} is overloaded, please retry."
            ),
            true,
        )
    }

    /// A call has waited for longer than a client awaits an answer, and was not run.
    pub fn late(waited: Duration) -> Self {
        Self::io(
            format!(
                "org.apache.hadoop.hbase.ipc.CallTimeoutException: the call waited for {} ms and was not run \
                 (hbase.rpc.timeout); the server is overloaded",
                waited.as_millis()
            ),
            true,
        )
    }

    /// The calls under way hold more bytes than allowed.
    pub fn queue_bytes_full(server: &dyn fmt::Display) -> Self {
        Self::io(
            format!(
                "org.apache.hadoop.hbase.CallQueueTooBigException: Call queue is full on {server}, is \
                 hbase.ipc.server.max.callqueue.size too small?"
            ),
            true,
        )
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Io { message, .. } => f.write_str(message.as_deref().unwrap_or("no message")),
            Self::IllegalArgument(m) | Self::AlreadyExists(m) | Self::Internal(m) | Self::Protocol(m) => f.write_str(m),
            Self::UnknownMethod => f.write_str("unknown method"),
        }
    }
}

impl std::error::Error for Fault {}

/// Reading arguments fails for what the client sent; writing fails only when the reply grows beyond its limit.
impl From<thrift::Error> for Fault {
    fn from(error: thrift::Error) -> Self {
        match error {
            thrift::Error::Protocol(e) => Self::Protocol(e.message),
            thrift::Error::Transport(e) => {
                Self::io(format!("org.apache.hadoop.hbase.DoNotRetryIOException: {}", e.message), false)
            }
            other => Self::Protocol(other.to_string()),
        }
    }
}
