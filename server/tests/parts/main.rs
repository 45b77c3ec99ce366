//! Tests of the server's parts through their public interfaces, without sockets.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests fail by panics")]

mod busy_rows;
mod compactions;
mod lane_size;
mod openapi;
mod protocol;
mod queues;
mod scanner_fetches;
mod scanners;
mod settings;
mod thrift1;
