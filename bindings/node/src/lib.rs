//! The engine as a module of Node. Glue only: requests come in as bytes, answers go out as bytes, `node/lib/embedded/` writes and reads them.
//!
//! ```text
//! JavaScript ─► run_sync ─────────────────────────► operation ─► engine      on the calling thread
//!            ─► submit ─► lanes (read write scan admin) ─► operation ─► engine      on hjall's threads
//!            ◄─ take ◄─ completions ◄─ (one wake-up for all that is done)
//! ```
//!
//! An object of Node costs a call into V8 for each of its parts; bytes cost one for all. So nothing else passes.

mod answer;
mod clock;
mod columns;
mod completions;
mod convert;
mod database;
mod error;
mod lanes;
mod operation;
mod parting;
mod request;
mod scanners;
mod serve;
#[cfg(debug_assertions)]
mod stalling;
mod state;
mod tables;
