//! A whole server over the real engine: the effect of its limits on calls through a socket, and the state after a stop.

mod client;
mod pages;
mod scanners;
mod stopping;
