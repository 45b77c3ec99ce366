//! A whole server over the real engine: what its limits do to calls that come through a socket, and what stopping leaves.

#![allow(clippy::unwrap_used, clippy::panic)]

mod client;
mod pages;
mod scanners;
mod stopping;
