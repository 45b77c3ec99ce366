//! HBase's gateways over the hjall engine: connections, call queues, the two services of Thrift, and REST.
//!
//! ```text
//! net: acceptor ─► connection ─► session | http ─► dispatch: inline, or lane ─► queue ─► workers
//!                 (wire: dialect, measure, header)                    └──────── call ◄──────┘
//!                                                        gateway: thrift1 | thrift2 | rest ─► engine
//! ```
//!
//! As a library the server installs no signal handler and no global subscriber; only [`cli`] does, which is the
//! binary's.

// The command line is written from outside, as a program that uses the library.
extern crate self as hjall_server;

pub mod access;
pub mod cli;
pub mod dispatch;
pub mod gateway;
pub mod info;
mod net;
pub mod observe;
mod server;
pub mod settings;
pub mod wire;

pub use net::tls::TlsError;
pub use server::view;
pub use server::{
    Connectable, PreparedServer, Reconfigured, Server, StartError, connectable, doubtful_settings, listen_failure,
};
pub use settings::config::Config;
