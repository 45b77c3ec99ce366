//! The info port: metrics for Prometheus and for HBase's dashboards, and health checks.
//!
//! It has its own thread, so that it answers while the rest of the server is busy or stopping.

mod exposition;
mod jmx;
mod page;
mod process;
mod progress;
mod prometheus;
mod query;
mod serving;
mod traffic;
mod unsent;

pub use process::Process;
pub use serving::Info;
pub use traffic::SeriesLimits;
