//! Errors that clients cause. All are counted. Only the first of each kind in a period is logged above debug level, so
//! that no client can flood the log.

use std::fmt::Write;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// How long one summary covers, in seconds.
pub const SUMMARY_SECONDS: u64 = 60;

/// A kind of error that a client causes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ClientError {
    /// A connection above a limit.
    ConnectionRefused,
    /// A TLS handshake that failed or took too long.
    TlsHandshake,
    /// A connection that speaks another protocol.
    ForeignProtocol,
    /// A login that failed. The audit log has lines about them.
    LoginFailed,
    /// A connection or an HTTP request without a login, which would need one. The audit log has lines about them.
    LoginMissing,
    /// A message that cannot be read or exceeds a limit.
    InvalidMessage,
    /// A request to the REST gateway that is for no operation, or has no type that the operation knows.
    RestRefused,
    /// A call whose arguments the gateway refuses with an exception that the method does not declare, such as a
    /// malformed filter or an illegal name of a table.
    InvalidRequest,
    /// A call that ended in an internal error.
    FailedCall,
}

impl ClientError {
    /// All kinds.
    pub const ALL: [Self; 9] = [
        Self::ConnectionRefused,
        Self::TlsHandshake,
        Self::ForeignProtocol,
        Self::LoginFailed,
        Self::LoginMissing,
        Self::InvalidMessage,
        Self::RestRefused,
        Self::InvalidRequest,
        Self::FailedCall,
    ];

    /// The name in the log and in metrics.
    pub fn name(self) -> &'static str {
        match self {
            Self::ConnectionRefused => "connection_refused",
            Self::TlsHandshake => "tls_handshake",
            Self::ForeignProtocol => "foreign_protocol",
            Self::LoginFailed => "login_failed",
            Self::LoginMissing => "login_missing",
            Self::InvalidMessage => "invalid_message",
            Self::RestRefused => "rest_refused",
            Self::InvalidRequest => "invalid_request",
            Self::FailedCall => "failed_call",
        }
    }
}

/// Counts the errors of all clients.
#[derive(Debug, Default)]
pub struct ClientErrors([Count; ClientError::ALL.len()]);

#[derive(Debug, Default)]
struct Count {
    all: AtomicU64,
    /// Errors of this period that were logged at debug level only.
    hidden: AtomicU64,
    /// Whether one of this period has been logged in full.
    shown: AtomicBool,
}

impl ClientErrors {
    /// Counts an error that is logged elsewhere.
    pub fn count(&self, kind: ClientError) {
        self.0[kind as usize].all.fetch_add(1, Ordering::Relaxed);
    }

    /// Counts an error. Returns whether it is the first of its kind in this period, which is logged in full.
    pub fn record(&self, kind: ClientError) -> bool {
        let count = &self.0[kind as usize];
        count.all.fetch_add(1, Ordering::Relaxed);
        let first = !count.shown.swap(true, Ordering::Relaxed);
        if !first {
            count.hidden.fetch_add(1, Ordering::Relaxed);
        }
        first
    }

    /// The kinds with the number of their errors since the start.
    pub fn counts(&self) -> [(&'static str, u64); ClientError::ALL.len()] {
        ClientError::ALL.map(|kind| (kind.name(), self.0[kind as usize].all.load(Ordering::Relaxed)))
    }

    /// Begins a new period. Logs one line about the errors of the last one that were not logged in full, if there were
    /// any.
    pub fn summarise(&self) {
        let mut kinds = String::new();
        for kind in ClientError::ALL {
            let count = &self.0[kind as usize];
            count.shown.store(false, Ordering::Relaxed);
            let hidden = count.hidden.swap(0, Ordering::Relaxed);
            if hidden > 0 {
                let comma = if kinds.is_empty() { "" } else { ", " };
                let _ = write!(kinds, "{comma}{} {hidden}", kind.name());
            }
        }
        if !kinds.is_empty() {
            tracing::info!("further client errors: {kinds}; --log info,hjall_server=debug logs each");
        }
    }
}

/// Counts a client's error and logs it: at the given level if it is the first of its kind in this period, otherwise at
/// debug level.
macro_rules! client_error {
    ($errors:expr, $kind:ident, $level:ident, $($line:tt)*) => {
        if $errors.record($crate::observe::ClientError::$kind) {
            tracing::$level!($($line)*);
        } else {
            tracing::debug!($($line)*);
        }
    };
}
pub(crate) use client_error;
