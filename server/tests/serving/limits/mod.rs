//! A whole server over the real engine: what its limits do to calls that come through a socket, and what stopping leaves.

mod client;
mod pages;
mod scanners;
mod stopping;
