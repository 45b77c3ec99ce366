//! Connections: accepts them, recognises their protocol, receives messages and sends replies.
//!
//! ```text
//! acceptor ─► connection ─► (TLS) ─► session | http ─► (rest) ─► dispatch
//! ```

pub(crate) mod acceptor;
mod authorization;
mod buffered_stream;
mod busy_poll;
mod call_threshold;
mod connection;
mod connection_permits;
pub(crate) mod descriptors;
pub(crate) mod endpoint;
mod handshakes;
mod http;
mod http_stream;
#[cfg(test)]
mod idle_tests;
mod lingering_close;
pub(crate) mod loop_turn;
pub(crate) mod loops;
mod moving;
mod pace;
mod refusal;
mod reply_body;
mod rest;
mod rewind;
mod rotation;
mod sasl;
mod session;
pub(crate) mod tls;
mod tls_failure;
mod tls_stream;
mod turn;
pub(crate) mod web_pages;
