//! From a whole message to its reply: which lane a call runs in, how it waits, and which thread runs it.
//!
//! ```text
//! connection ─► inline (a short read), or lane ─► queue ─► worker pool
//!                        └─────────── call ◄───────────────────┘
//! ```

pub mod call;
pub mod caller;
pub mod clock;
pub mod dispatcher;
pub mod identity;
pub mod job;
pub mod lane;
pub mod lane_size;
pub mod memory_quota;
pub mod queue;
mod reconfigure;
pub mod runner;
pub mod shutdown;
pub mod worker_pool;
