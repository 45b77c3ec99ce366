//! HBase's Thrift gateways over the hjall engine: connections, call queues and the two services.
//!
//! ```text
//! listener ─► connection ─► session | http ─► shared: inline, or lane ─► queue ─► crew
//!                (wire: dialect, measure, header)              └──────── call ◄──────┘
//!                                                                  thrift1 | thrift2 ─► engine
//! ```
//!
//! As a library the server installs no signal handler and no global subscriber; only [`cli`] does, which is the binary's.

// The command line is written from outside, as a program that uses the library.
extern crate self as hjall_server;

pub mod arithmetic;
mod attributes;
pub mod call;
pub mod caller;
pub mod cli;
pub mod compactor;
pub mod config;
mod connection;
pub mod context;
mod crew;
pub mod error;
pub mod fault;
mod held;
mod http;
#[cfg(test)]
mod idle_hours;
mod inbox;
pub mod info;
mod job;
pub mod lane;
mod lease;
mod listener;
pub mod method;
pub mod metrics;
pub mod observe;
mod places;
pub mod queue;
mod reconfigure;
mod region_batch;
mod rewind;
mod runner;
pub mod scanners;
mod server;
mod session;
pub mod settings;
mod shared;
mod thrift1;
mod thrift2;
mod tls;
pub mod view;
pub mod wire;

pub use config::Config;
pub use reconfigure::Reconfigured;
pub use server::{Server, StartError};
pub use tls::TlsError;
