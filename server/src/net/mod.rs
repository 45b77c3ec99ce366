//! Connections: accepting them, recognising what they speak, and carrying messages and replies.
//!
//! ```text
//! acceptor ─► connection ─► (TLS) ─► session | http ─► dispatch
//! ```

pub(crate) mod acceptor;
mod connection;
mod connection_permits;
pub(crate) mod endpoint;
mod http;
#[cfg(test)]
mod idle_hours;
mod inbox;
mod refusal;
mod rewind;
mod session;
pub(crate) mod tls;
mod web_pages;
