//! The port for whoever watches the server: metrics for Prometheus and for HBase's dashboards, and health.
//!
//! It has a thread of its own, so that it answers while everything else is busy, and while the server stops.

mod exposition;
mod jmx;
mod page;
mod process;
mod prometheus;
mod query;
mod serving;

pub use process::Process;
pub use serving::Info;
