//! Connections: accepting them, recognising what they speak, and carrying messages and replies.
//!
//! ```text
//! acceptor ─► connection ─► (TLS) ─► session | http ─► dispatch
//! ```

pub mod acceptor;
mod connection;
pub mod connection_permits;
pub mod endpoint;
mod http;
#[cfg(test)]
mod idle_hours;
mod inbox;
mod rewind;
mod session;
pub mod tls;
