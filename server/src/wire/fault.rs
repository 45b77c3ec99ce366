//! The ways in which a call fails, as the wire can express them.

use std::fmt;
use std::time::Duration;

use hjall_engine::quote;
use hjall_idl::REMEDY_LINE;

/// The longest text of an answer to a call that failed, in bytes.
pub const TEXT_MAX: usize = 256 << 10;

/// The reason why a call has no result.
///
/// The first three are *declared* exceptions: the gateway writes them into the result struct if the method declares
/// them. The others become a `TApplicationException`, for every method.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fault {
    /// `IOError` of Thrift1, `TIOError` of Thrift2.
    Io {
        /// The text, which clients match on. `None` only where Java's exception has none.
        message: Option<String>,
        /// Whether the same call may succeed later.
        can_retry: bool,
    },
    /// `IllegalArgument` of Thrift1, `TIllegalArgument` of Thrift2.
    IllegalArgument(String),
    /// `AlreadyExists` of Thrift1.
    AlreadyExists(String),
    /// `TApplicationException` of type 6, for a request that HBase's gateway refuses with a Java exception that the
    /// method does not declare. The client receives `Internal error processing <method>: <class>: <reason>`. HBase
    /// sends the part before the first colon.
    Undeclared(String),
    /// `TApplicationException` of type 6, for a defect of the server. The client only receives `Internal error
    /// processing <method>`; the reason is logged.
    Internal(String),
    /// `TApplicationException` of type 7: the arguments do not match the contract. The text is sent to the client.
    Protocol(String),
    /// `TApplicationException` of type 1: the service has no such method.
    UnknownMethod,
}

impl Fault {
    /// An `IOError`/`TIOError` with a text.
    pub fn io(message: impl Into<String>, can_retry: bool) -> Self {
        Self::Io { message: Some(message.into()), can_retry }
    }

    /// A request that HBase's gateway refuses with an undeclared exception of this Java class.
    pub fn undeclared(class: &str, reason: impl fmt::Display) -> Self {
        Self::Undeclared(format!("{class}: {reason}"))
    }

    /// A failure whose reason is only logged.
    pub fn internal(reason: impl Into<String>) -> Self {
        Self::Internal(reason.into())
    }

    /// Arguments that do not match the contract.
    pub fn protocol(message: impl Into<String>) -> Self {
        Self::Protocol(message.into())
    }

    /// A lane of this server (`host,port,startcode`) has no free handler and no room in its queue. HBase's clients wait
    /// and retry.
    pub fn queue_full(server: &dyn fmt::Display) -> Self {
        Self::io(
            format!(
                "org.apache.hadoop.hbase.CallQueueTooBigException: Call queue is full on {server}, too many items queued ?{REMEDY_LINE}try again \
                 later, or have the operator raise queues.waiting or the handlers of the lane"
            ),
            true,
        )
    }

    /// The call waited too long in an overloaded queue of this server and was not run.
    pub fn dropped(server: &dyn fmt::Display) -> Self {
        Self::io(
            format!(
                "org.apache.hadoop.hbase.CallDroppedException: Call dropped, server {server} is overloaded, please retry."
            ),
            true,
        )
    }

    /// The call waited longer than clients wait for an answer and was not run.
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

    /// The calls in flight leave no memory for the arguments of this one. `reason` names the limit.
    pub fn no_memory(reason: &str) -> Self {
        Self::io(format!("org.apache.hadoop.hbase.RegionTooBusyException: {reason}"), true)
    }

    /// The call alone takes more memory than a connection may have, which is `max` bytes. Trying again does not help.
    pub fn more_than_share(max: usize) -> Self {
        Self::io(format!("org.apache.hadoop.hbase.DoNotRetryIOException: {}", Self::more_than_share_text(max)), false)
    }

    /// The reason in [`Self::more_than_share`].
    pub fn more_than_share_text(max: usize) -> String {
        format!(
            "the call takes more memory than the {max} bytes that a connection may have (two thirds of \
             limits.bytes_in_flight); send or request less at once, or have the operator raise the limit"
        )
    }

    /// The calls in flight hold more bytes than allowed.
    pub fn queue_bytes_full(server: &dyn fmt::Display) -> Self {
        Self::io(
            format!(
                "org.apache.hadoop.hbase.CallQueueTooBigException: Call queue is full on {server}, is \
                 hbase.ipc.server.max.callqueue.size too small? (limits.bytes_in_flight; try again later, or send less at \
                 once)"
            ),
            true,
        )
    }
}

impl Fault {
    /// The fault with a text of at most [`TEXT_MAX`] bytes. Texts are built of shortened parts; this bound applies if a
    /// part was not shortened by mistake.
    #[must_use]
    pub fn shortened(mut self) -> Self {
        let text = match &mut self {
            Self::Io { message: Some(text), .. }
            | Self::IllegalArgument(text)
            | Self::AlreadyExists(text)
            | Self::Undeclared(text)
            | Self::Internal(text)
            | Self::Protocol(text) => text,
            Self::Io { message: None, .. } | Self::UnknownMethod => return self,
        };
        if text.len() > TEXT_MAX {
            *text = quote::shortened(TEXT_MAX, text);
        }
        self
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Io { message, .. } => f.write_str(message.as_deref().unwrap_or("no message")),
            Self::IllegalArgument(m)
            | Self::AlreadyExists(m)
            | Self::Undeclared(m)
            | Self::Internal(m)
            | Self::Protocol(m) => f.write_str(m),
            Self::UnknownMethod => f.write_str("unknown method"),
        }
    }
}

impl std::error::Error for Fault {}

/// Reading arguments fails because of what the client sent. Writing fails only if the reply exceeds its limit.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_texts_are_cut() {
        let long = "x".repeat(2 * TEXT_MAX);
        for fault in [Fault::io(&*long, true), Fault::undeclared("c", &long), Fault::IllegalArgument(long.clone())] {
            assert_eq!(fault.shortened().to_string().len(), TEXT_MAX + '…'.len_utf8());
        }
        let short = Fault::io("short", true);
        assert_eq!(short.clone().shortened(), short);
    }
}
