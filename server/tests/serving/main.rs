//! Tests of a whole server through a socket, and of the binary.

#![allow(clippy::unwrap_used, clippy::panic, reason = "tests fail by panics")]

#[cfg(unix)]
mod binary;
#[path = "../../../engine/tests/shared/eventually.rs"]
mod eventually;
mod limits;
mod rest_bodies;
mod view;
mod wire;
mod writes;
