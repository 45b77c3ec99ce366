//! Counters of connections.

use std::sync::atomic::{AtomicU64, Ordering};

/// Why a connection was refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ConnectionRefusal {
    /// `limits.connections` was reached.
    Limit,
    /// `limits.connections_per_address` was reached.
    AddressLimit,
    /// The store needs the remaining file descriptors, or its address has its share of those of connections.
    Descriptors,
    /// The connection does not use TLS, which the server requires.
    PlainText,
}

impl ConnectionRefusal {
    /// All reasons.
    pub const ALL: [Self; 4] = [Self::Limit, Self::AddressLimit, Self::Descriptors, Self::PlainText];

    /// The name in metrics.
    pub fn name(self) -> &'static str {
        match self {
            Self::Limit => "limit",
            Self::AddressLimit => "address_limit",
            Self::Descriptors => "descriptors",
            Self::PlainText => "plain_text",
        }
    }
}

/// Counts the connections of all listeners.
#[derive(Debug, Default)]
pub struct ConnectionCounters {
    accepted: AtomicU64,
    refused: [AtomicU64; ConnectionRefusal::ALL.len()],
    handshakes: AtomicU64,
    handshakes_failed: AtomicU64,
}

/// The values of [`ConnectionCounters`] at one moment.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ConnectionFigures {
    /// Connections that were accepted, including those that were refused afterwards.
    pub accepted: u64,
    /// Connections that were refused, by reason.
    pub refused: [(&'static str, u64); ConnectionRefusal::ALL.len()],
    /// TLS handshakes that were completed.
    pub handshakes: u64,
    /// TLS handshakes that failed or took too long.
    pub handshakes_failed: u64,
}

impl ConnectionCounters {
    /// Counts an accepted connection.
    pub fn accepted(&self) {
        self.accepted.fetch_add(1, Ordering::Relaxed);
    }

    /// Counts a refused connection.
    pub fn refused(&self, why: ConnectionRefusal) {
        self.refused[why as usize].fetch_add(1, Ordering::Relaxed);
    }

    /// Counts a TLS handshake.
    pub fn handshake(&self, completed: bool) {
        let count = if completed { &self.handshakes } else { &self.handshakes_failed };
        count.fetch_add(1, Ordering::Relaxed);
    }

    /// The current values.
    pub fn read(&self) -> ConnectionFigures {
        ConnectionFigures {
            accepted: self.accepted.load(Ordering::Relaxed),
            refused: ConnectionRefusal::ALL.map(|why| (why.name(), self.refused[why as usize].load(Ordering::Relaxed))),
            handshakes: self.handshakes.load(Ordering::Relaxed),
            handshakes_failed: self.handshakes_failed.load(Ordering::Relaxed),
        }
    }
}
