//! The seam: ordered bytes, snapshots, row transactions. Everything above it is the data model, everything below it storage.
//!
//! A *space* is an ordered map of bytes with a number; the engine keeps one per table and family, and space 0 for the catalog. Numbers are
//! never used twice. Keys are 1 to 65,535 bytes (checked above the seam), values are never empty.
//!
//! What every store promises:
//! * **Order**: keys compare as unsigned bytes.
//! * **Atomicity**: what one `transact` wrote is seen by a snapshot whole or not at all, and after a crash is there whole or not at all.
//! * **Isolation**: while `transact` runs its body no other transaction that names one of the same rows does; the body reads the newest state.
//! * **Durability**: as its argument says, when `transact` returns.
//! * **Lifetime**: a snapshot and its cursors see what was there when it was taken until they are dropped. A cursor whose store was closed or
//!   reopened, or whose space was dropped, either goes on with what it saw or fails with `Stale`; it never mixes states.

mod closed_list;
mod compaction_control;
mod copy;
mod damage;
#[cfg(feature = "testing")]
pub mod fault;
mod fjall;
mod folder;
mod memory;
mod rows;
mod running;
mod statistics;
mod time;

use std::sync::Arc;
use std::time::SystemTime;

use bytes::Bytes;

pub use self::compaction_control::CompactionControl;
pub(crate) use self::copy::write_all;
pub(crate) use self::fjall::failed_io;
pub use self::fjall::{FjallStore, SYNC_INTERVAL, StoreOptions};
pub use self::folder::FORMAT;
pub(crate) use self::folder::sync_folder;
pub use self::memory::MemoryStore;
pub use self::statistics::Statistics;
use crate::durability::Durability;
use crate::error::{Error, ErrorKind, Result};

/// The number of a space.
pub type SpaceId = u64;

/// The space in which the catalog lives; always there.
pub const CATALOG_SPACE: SpaceId = 0;

/// A key and its value.
pub type Pair = (Bytes, Bytes);

/// Which way a cursor goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    /// Smallest key first.
    Ascending,
    /// Largest key first.
    Descending,
}

/// How a space is stored; fixed when it is made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SpaceOptions {
    /// Whether blocks are compressed.
    pub compress: bool,
    /// Whether point reads are helped by a filter.
    pub bloom: bool,
    /// Size of a block in bytes.
    pub block_bytes: u32,
}

impl Default for SpaceOptions {
    fn default() -> Self {
        Self { compress: false, bloom: true, block_bytes: 16 * 1024 }
    }
}

/// Lower bounds of what later transactions are given; see [`Store::upcoming`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Upcoming {
    /// No assigned timestamp is greater, in milliseconds since 1970.
    pub time_ms: i64,
    /// No number greater than or equal to this one has been drawn.
    pub sequence: u64,
}

/// The files of a space; see [`Store::files`].
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SpaceFiles {
    /// Their size in bytes.
    pub bytes: u64,
    /// When the oldest was written; `None`: there is none.
    pub oldest: Option<SystemTime>,
    /// The first key of each, in no particular order.
    pub first_keys: Vec<Bytes>,
}

/// What a compaction does with one pair; see [`CompactionFilter`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// Keep it.
    Keep,
    /// Drop it: no read can return it any more.
    Drop,
}

/// Decides which pairs one compaction of one space may drop. Sees the pairs of that compaction only, in key order.
pub trait CompactionFilter: Send {
    /// The verdict on the next pair.
    fn filter(&mut self, key: &[u8], value: &[u8]) -> Verdict;
}

/// Makes a [`CompactionFilter`] for each compaction. Set once the schema is known; `None` keeps everything.
pub trait CompactionFilterFactory: Send + Sync + 'static {
    /// `whole`: the compaction covers every pair of the space (a major compaction), so markers may go too.
    fn make_filter(&self, space: SpaceId, whole: bool) -> Option<Box<dyn CompactionFilter>>;
}

/// An ordered store.
pub trait Store: Send + Sync + 'static {
    /// Makes a space. Idempotent: one that is there already stays as it is.
    fn create_space(&self, space: SpaceId, options: &SpaceOptions) -> Result<()>;

    /// Drops a space and its data. Idempotent.
    fn drop_space(&self, space: SpaceId) -> Result<()>;

    /// All spaces there are, ascending, the catalog's included.
    fn spaces(&self) -> Result<Vec<SpaceId>>;

    /// How often the store has been reopened in place. Until the next reopening a row changes only by transactions that
    /// name it. A reopening may also reveal or discard what a failed transaction wrote, so nothing read before it may
    /// be kept. A snapshot taken after this number was read is of this generation or a later one.
    fn generation(&self) -> u64;

    /// What is there now.
    fn snapshot(&self) -> Result<Arc<dyn Snapshot>>;

    /// Locks the rows, runs `body`, commits what it wrote, all at once.
    ///
    /// `rows` are opaque lock names (table and row); they are locked in an order that cannot deadlock until the commit is done. If one of
    /// them is more than 1 s ahead of the clock, the transaction first waits for the clock, with no row locked.
    /// `body` may run more than once and must have no other effect; an error from it leaves nothing behind.
    /// `durability` is never `UseDefault` here.
    ///
    /// # Errors
    /// Those of `body`. `Busy`: the rows were locked or ahead of the clock, or the disk had not caught up, for 30 s; or a row is ahead of a
    /// clock that stands still. `Stale`: it wrote to a space that does not exist.
    /// `InvalidArgument`: a key that no store can hold. After all of these nothing was written. `DiskFull`, `Io`: whether it was written is
    /// open; the next transaction of these rows sees it whole or not at all, and its time is later either way.
    fn transact(
        &self,
        rows: &[Bytes],
        durability: Durability,
        body: &mut dyn FnMut(&mut dyn Transaction) -> Result<()>,
    ) -> Result<()>;

    /// The clock of the database, in milliseconds since 1970. It does not go back, except after a crash, by as much as passed since the
    /// last write.
    fn now_ms(&self) -> i64;

    /// The time and the sequence number at which a copy of this store has to begin, for everything committed so far.
    fn upcoming(&self) -> Upcoming;

    /// Writes the memory of a space to its files.
    fn flush(&self, space: SpaceId) -> Result<()>;

    /// Compacts a space; `major`: all of it, so that delete markers may be dropped. Returns when done. Readers and writers continue;
    /// minor compactions of the space wait for a major one, which therefore gives way to writers if too many files pile up.
    ///
    /// # Errors
    /// `Cancelled`: stopped through `control`. `Busy`: it gave way; try again later. `Stale`: there is no such space. `Io`, `DiskFull`. The
    /// data is unchanged after all of these.
    fn compact_with(&self, space: SpaceId, major: bool, control: &Arc<CompactionControl>) -> Result<()>;

    /// Compacts a space at full speed; see [`Self::compact_with`].
    fn compact(&self, space: SpaceId, major: bool) -> Result<()> {
        self.compact_with(space, major, &Arc::default())
    }

    /// The files of a space. A store without files reports none.
    ///
    /// # Errors
    /// `Stale`: there is no such space. `Closed`.
    fn files(&self, space: SpaceId) -> Result<SpaceFiles>;

    /// Sets the factory of compaction filters. Until then compactions keep everything.
    fn set_compaction_filters(&self, filters: Arc<dyn CompactionFilterFactory>);

    /// How it fares, for those who watch it: cheap enough to be asked every second.
    ///
    /// # Errors
    /// `Closed`; `Io` if it is broken so far that nothing can be told.
    fn statistics(&self) -> Result<Statistics>;

    /// Makes everything durable and lets go of the files; later calls fail with `Closed`. Idempotent.
    fn close(&self) -> Result<()>;
}

/// What was there at one moment.
pub trait Snapshot: Send + Sync {
    /// The value of a key.
    fn get(&self, space: SpaceId, key: &[u8]) -> Result<Option<Bytes>>;

    /// The pairs with `from <= key < to` (an empty `to`: no end), in that order. `fetch`: how many the caller expects to take, for stores
    /// that answer from afar.
    fn scan(&self, space: SpaceId, from: &[u8], to: &[u8], order: Order, fetch: usize) -> Result<Box<dyn Cursor>>;
}

/// A walk over pairs; owns what it reads.
pub trait Cursor: Send {
    /// The next pair, or `None` at the end (again and again).
    fn next(&mut self) -> Result<Option<Pair>>;

    /// Appends the next `n` pairs to `out`; fewer at the end. After an error those before it are there.
    fn next_many(&mut self, n: usize, out: &mut Vec<Pair>) -> Result<()> {
        for _ in 0..n {
            match self.next()? {
                Some(pair) => out.push(pair),
                None => break,
            }
        }
        Ok(())
    }

    /// Goes on at the first key `>= key` (descending: at the first key `< key`) inside the cursor's range, never back.
    fn seek(&mut self, key: &[u8]) -> Result<()>;
}

/// The inside of [`Store::transact`].
pub trait Transaction {
    /// The newest committed state; does not see this transaction's own writes.
    fn snapshot(&self) -> &Arc<dyn Snapshot>;

    /// The clock when the rows had been locked, in milliseconds: by it, TTLs expire. The same in every call.
    fn clock_ms(&self) -> i64;

    /// The timestamp for what this transaction writes, in milliseconds: not before the clock, not before the newest one assigned in any
    /// of its rows, and after it if that one was a delete of an earlier transaction. At most 1 s after the clock. The same in every call.
    fn now_ms(&self) -> i64;

    /// The timestamp of a new version of a cell whose newest visible version has the timestamp `old_ms`: the later of `old_ms` + 1 and
    /// [`Self::now_ms`]. It is `old_ms` if the next millisecond would be more than 1 s after the clock and `old_ms` is not.
    fn version_after(&self, old_ms: i64) -> i64;

    /// Records that this transaction chose a timestamp for a cell of its rows (`delete`: for a delete marker), so that later transactions
    /// of these rows come after it. Not for timestamps that a caller gave. One that is more than 1 s after the clock is ignored, since it
    /// was derived from a timestamp that a caller gave.
    fn assigned(&mut self, timestamp: i64, delete: bool);

    /// A number larger than that of every transaction committed before in any of the same rows; for families that need the order of writing.
    fn sequence(&self) -> u64;

    /// The value that this transaction has written under a key; `None` if it has written or removed none there. Takes no longer the more
    /// has been written.
    fn written(&mut self, space: SpaceId, key: &Bytes) -> Option<Bytes>;

    /// Writes a pair.
    fn put(&mut self, space: SpaceId, key: Bytes, value: Bytes);

    /// Removes a pair.
    fn delete(&mut self, space: SpaceId, key: Bytes);
}

fn closed() -> Error {
    Error::new(ErrorKind::Closed, "the database has been closed; open it again")
}

fn no_such_space(space: SpaceId) -> Error {
    Error::new(
        ErrorKind::Stale,
        format!("space {space} is not there: it was dropped, or never made; look the table up again"),
    )
}

fn refuse_to_drop_catalog(space: SpaceId) -> Result<()> {
    if space == CATALOG_SPACE { Err(Error::invalid("the catalog's space cannot be dropped")) } else { Ok(()) }
}

fn refuse_default(durability: Durability) -> Result<()> {
    if durability == Durability::UseDefault {
        return Err(Error::invalid("a transaction needs a durability of its own; resolve the table's default first"));
    }
    Ok(())
}
