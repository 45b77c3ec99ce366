//! The engine as a native module for Node. Glue only: `node/lib/embedded/` writes requests as bytes and reads answers
//! as bytes.
//!
//! ```text
//! JavaScript ─► run_sync ─► dispatch ─► operation ─► engine                                on the calling thread
//!            ─► submit ───► dispatch ─► lanes (read write scan admin) ─► operation ─► engine    on hjall's threads
//!            ◄─ take_answers ◄─ completions ◄──────┘  one wake-up for all that have been completed
//! ```
//!
//! Passing an object costs a call into V8 for each of its fields; passing bytes costs one call. Therefore everything
//! that is exchanged for each row is bytes.

mod answer;
mod cleanup;
mod clock;
mod columns;
mod compacting;
mod completions;
mod convert;
mod copying;
mod database;
mod dispatch;
mod lanes;
mod loads;
mod operation;
mod origin;
mod read_pace;
mod request;
mod scanners;
mod serve;
mod session;
#[cfg(debug_assertions)]
mod stalling;
mod statistics;
mod tables;
mod vocabulary;
