//! The store on disk: fjall, an LSM tree with a journal, behind the seam.
//!
//! What fjall does not do is done here: rows are locked and told the time, dropped spaces are refused, writes wait for the disk before they
//! take rows, all memtables together have a bound, and after a failed write the database is opened anew in place.
//!
//! A folder can be open once: [`FjallStore::open`] refuses one that is open, in this process or another. Engines that open one folder in one
//! process share a store; see `core`.

mod clock_mark;
mod compaction_filter;
mod cursor;
mod cursors;
mod database;
mod failure;
mod holder;
mod options;
mod pressure;
mod requested_compaction;
mod space;
mod statistics;
mod store;
mod syncer;
mod tombstones;

pub(crate) use self::failure::failed_io;
pub use self::options::{SYNC_INTERVAL, StoreOptions};
pub use self::store::FjallStore;
