//! Tests of a whole server through a socket, and of the binary.

#![allow(clippy::unwrap_used, clippy::panic)]

#[cfg(unix)]
mod binary;
mod limits;
mod rest_bodies;
mod view;
mod wire;
mod writes;
