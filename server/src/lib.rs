//! HBase's Thrift gateways over the hjall engine: connections, call queues and the two services.
//!
//! As a library the server installs no signal handler and no global subscriber; only the binary does.

pub mod call;
pub mod context;
pub mod error;
pub mod fault;
pub mod method;
pub mod scanners;
mod thrift1;
mod thrift2;
pub mod wire;
