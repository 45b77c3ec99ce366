//! Runs calls: chooses the lane, queues the call, and runs it on a thread of the lane or on the event loop.
//!
//! ```text
//! connection ─► inline (a short call), or lane ─► queue ─► worker pool
//!                        └─────────── call ◄───────────────────┘
//! ```

pub(crate) mod account;
pub mod call;
pub mod call_scope;
pub mod caller;
pub(crate) mod clock;
pub(crate) mod dispatcher;
pub mod identity;
mod inline_speed;
pub(crate) mod inline_write;
pub(crate) mod job;
pub(crate) mod lane;
#[cfg(test)]
mod loop_write_tests;
pub(crate) mod loop_writes;
pub(crate) mod mailbox;
pub(crate) mod memory_quota;
pub mod queue;
pub mod reconfigure;
pub(crate) mod runner;
pub(crate) mod shutdown;
pub(crate) mod worker_pool;
mod write_group;

pub(crate) use memory_quota::largest_message;
