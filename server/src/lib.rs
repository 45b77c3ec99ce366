//! HBase's Thrift gateways over the hjall engine: connections, call queues and the two services.
//!
//! ```text
//! listener ─► connection ─► session | http ─► shared: inline, or lane ─► queue ─► worker
//!                (wire: dialect, measure, header)              └──────── call ◄──────┘
//!                                                                  thrift1 | thrift2 ─► engine
//! ```
//!
//! As a library the server installs no signal handler and no global subscriber; only the binary does.

pub mod arithmetic;
mod attributes;
pub mod call;
pub mod compactor;
pub mod config;
mod connection;
pub mod context;
pub mod error;
pub mod fault;
mod http;
mod inbox;
mod lane;
mod lease;
mod listener;
pub mod method;
pub mod metrics;
mod queue;
mod region_batch;
mod rewind;
pub mod scanners;
mod server;
mod session;
pub mod settings;
mod shared;
mod thrift1;
mod thrift2;
mod tls;
pub mod wire;
mod worker;

pub use config::Config;
pub use server::{Server, StartError};
pub use tls::TlsError;
