//! A whole server: what comes back through a socket, and how the binary behaves.

#![allow(clippy::unwrap_used, clippy::panic)]

#[cfg(unix)]
mod binary;
mod limits;
mod view;
mod wire;
