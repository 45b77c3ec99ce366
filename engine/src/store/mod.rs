//! The store interface: ordered bytes, snapshots and row transactions. The data model is above it, storage is below it.
//!
//! A *space* is an ordered map from byte strings to byte strings, identified by a number. The engine keeps one for each
//! family of each table, and space 0 for the catalog. Numbers are never reused. Keys have 1 to 65,535 bytes, and values
//! are never empty. The key of a single zero byte is reserved for stores, and so are keys of space 0 that begin with
//! 0xff.
//!
//! Every store guarantees:
//! * **Order**: keys compare as unsigned bytes.
//! * **Atomicity**: a snapshot contains all writes of a `transact` call or none of them, and so does the store after a
//!   crash.
//! * **Isolation**: while `transact` runs its body, no other transaction that names one of the same rows runs. The body
//!   reads the latest committed state.
//! * **Durability**: when `transact` returns, its writes are as durable as its argument requires.
//! * **Lifetime**: a snapshot and its cursors read the state at which the snapshot was taken until they are dropped.
//!   After the store was closed or reopened, or the space dropped, a cursor either continues in that state or fails
//!   with `Stale`. It never mixes two states.

mod active_transaction;
mod bulk_load;
mod compaction_control;
mod contents;
mod copy;
mod corruption;
#[cfg(feature = "testing")]
pub mod fault;
mod file_manifest;
mod file_names;
mod fjall;
mod folder;
mod index_copy;
mod journal;
mod machine_memory;
mod memory;
mod prehashed;
mod private_copy;
pub(crate) mod private_folder;
mod row_locks;
mod statistics;
pub(crate) mod temporary_folder;
pub(crate) mod thread_shard;
mod time;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use bytes::Bytes;

pub use self::bulk_load::{BulkLoad, LoadedPair, LoadedSpace};
pub use self::compaction_control::CompactionControl;
pub(crate) use self::copy::{load_all, write_all};
pub(crate) use self::fjall::{CACHED_FILES_MAX, cached_files_max, failed_io};
pub use self::fjall::{FjallStore, SYNC_INTERVAL, StoreOptions};
pub(crate) use self::fjall::{held_by_compactions, memtables_in_use, row_filters_max};
pub use self::folder::FORMAT;
pub(crate) use self::folder::{FolderLock, is_at, is_data_folder, sync_folder};
pub use self::journal::JournalDamage;
pub(crate) use self::journal::repair as repair_journals;
pub(crate) use self::machine_memory::memory_bytes;
pub use self::memory::MemoryStore;
pub(crate) use self::prehashed::BuildPrehashed;
pub(crate) use self::row_locks::BusyRows;
pub use self::statistics::Statistics;
use crate::durability::Durability;
use crate::error::{Error, ErrorKind, Result};

/// The number of a space.
pub type SpaceId = u64;

/// The space of the catalog, which always exists.
pub const CATALOG_SPACE: SpaceId = 0;

/// A key and its value.
pub type Pair = (Bytes, Bytes);

/// Returns the length of the row at the beginning of a key, so that exactly the keys of that row begin with these
/// bytes; `None` if the key has no row.
pub type RowPrefix = fn(&[u8]) -> Option<usize>;

/// The direction of a cursor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    /// The smallest key first.
    Ascending,
    /// The largest key first.
    Descending,
}

/// How a space is stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SpaceOptions {
    /// Whether blocks are compressed.
    pub compress: bool,
    /// Whether files have Bloom filters for keys. Reads of rows do not depend on them.
    pub bloom: bool,
    /// The size of a data block, in bytes.
    pub block_bytes: u32,
}

impl Default for SpaceOptions {
    fn default() -> Self {
        Self { compress: false, bloom: true, block_bytes: 16 * 1024 }
    }
}

/// Lower bounds of the timestamps and sequence numbers of later transactions; see [`Store::upcoming`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Upcoming {
    /// The greatest timestamp that may have been assigned so far, in milliseconds since 1970.
    pub time_ms: i64,
    /// The smallest sequence number that has not been assigned.
    pub sequence: u64,
}

/// The files of a space; see [`Store::files`].
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SpaceFiles {
    /// Their total size in bytes.
    pub bytes: u64,
    /// When the oldest file was written. `None` if there are no files.
    pub oldest: Option<SystemTime>,
    /// The first key of each file, or one before it, in no particular order.
    pub first_keys: Vec<Bytes>,
}

/// The decision of a compaction about one pair; see [`CompactionFilter`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// The pair is kept.
    Keep,
    /// The pair is dropped, because no read can return it any more.
    Drop,
}

/// Decides which pairs a compaction of a space may drop. It gets only the pairs of that compaction, in key order.
pub trait CompactionFilter: Send {
    /// Decides about the next pair.
    fn filter(&mut self, key: &[u8], value: &[u8]) -> Verdict;
}

/// A pause of compaction filters, until it is dropped; see [`Store::pause_filters`].
pub type FilterPause = Box<dyn std::any::Any + Send>;

/// What [`Store::recent_garbage`] adds to the size of each pair that it reads: about the memory that it takes.
pub const RECENT_PAIR_BYTES: u64 = 100;

/// Creates a [`CompactionFilter`] for each compaction. It is set once the schema is known.
pub trait CompactionFilterFactory: Send + Sync + 'static {
    /// A filter for a compaction of `space`, or `None` to keep all pairs. `whole` tells whether the compaction covers
    /// every pair of the space (a major compaction), so that delete markers may be dropped too.
    fn make_filter(&self, space: SpaceId, whole: bool) -> Option<Box<dyn CompactionFilter>>;

    /// The keys of the pairs that a flush drops of these recent ones, which are in key order; see
    /// [`Store::recent_garbage`]. `replaces` tells whether a key had a value before it became recent. What is read in
    /// addition, also by this function, is charged to `budget`; when it is used up, the other pairs are kept.
    ///
    /// # Errors
    /// Those of the store.
    fn flush_garbage(
        &self,
        space: SpaceId,
        recent: &[Pair],
        replaces: &dyn Fn(&Bytes, &mut u64) -> Result<bool>,
        budget: &mut u64,
    ) -> Result<Vec<Bytes>> {
        let _ = (space, recent, replaces, budget);
        Ok(Vec::new())
    }
}

/// An ordered store.
pub trait Store: Send + Sync + 'static {
    /// Creates a space. Does nothing if the space exists.
    fn create_space(&self, space: SpaceId, options: &SpaceOptions) -> Result<()>;

    /// Drops a space and its data. Does nothing if the space does not exist.
    fn drop_space(&self, space: SpaceId) -> Result<()>;

    /// The numbers of all spaces in ascending order, including the catalog's.
    fn spaces(&self) -> Result<Vec<SpaceId>>;

    /// The number of times that the store has been reopened in place. Between two reopenings, a row is changed only by
    /// transactions that name it, and by bulk loads. A reopening may also reveal or discard the writes of a failed
    /// transaction, so no result of an earlier read may be kept. A snapshot that is taken after this number was read
    /// belongs to this generation or a later one.
    fn generation(&self) -> u64;

    /// A snapshot of everything committed so far.
    fn snapshot(&self) -> Result<Arc<dyn Snapshot>>;

    /// Locks the rows, runs `body`, and commits its writes atomically.
    ///
    /// `rows` are opaque lock names (table and row). They stay locked until the commit has ended, and are locked in an
    /// order that cannot deadlock. If a row is more than 1 s ahead of the clock, the transaction first waits for the
    /// clock, with no row locked. `body` may run more than once and must have no other effects. If it fails, nothing is
    /// written. `durability` must not be `UseDefault`.
    ///
    /// # Errors
    /// Those of `body`. `Busy`: for 30 s, the rows were locked or ahead of the clock, or the disk did not keep up; or a
    /// row is ahead of a clock that does not advance. `Stale`: `body` wrote to a space that does not exist.
    /// `InvalidArgument`: `body` wrote a key that is too long. Nothing has been written after any of these errors.
    /// `DiskFull`, `Io`: it is unknown whether the writes have been applied. The next transaction of these rows sees
    /// all of them or none, and its timestamp is later in both cases.
    fn transact(
        &self,
        rows: &[Bytes],
        durability: Durability,
        body: &mut dyn FnMut(&mut dyn Transaction) -> Result<()>,
    ) -> Result<()> {
        match self.transact_unsynced(rows, durability, body)? {
            // The rows have been unlocked, so other writes of them can share this sync.
            Some(sync) => sync.wait(),
            None => Ok(()),
        }
    }

    /// Runs a transaction as [`Self::transact`] does, without waiting for a sync. The writes have taken effect when it
    /// returns. They are as durable as required when the returned sync has ended successfully; at once if there is
    /// none.
    ///
    /// # Errors
    /// Those of [`Self::transact`].
    fn transact_unsynced(
        &self,
        rows: &[Bytes],
        durability: Durability,
        body: &mut dyn FnMut(&mut dyn Transaction) -> Result<()>,
    ) -> Result<Option<Arc<dyn JournalSync>>>;

    /// A group of transactions of the current thread that are committed together. `None` if the store has no groups.
    fn group(self: Arc<Self>) -> Option<Box<dyn TransactionGroup>> {
        None
    }

    /// Begins a bulk load into these spaces. Reads and writes continue.
    ///
    /// # Errors
    /// `Stale`: a space does not exist. `Busy`: the store is being closed or reopened. `Io`, `DiskFull`.
    fn begin_load(self: Arc<Self>, spaces: &[LoadedSpace]) -> Result<Box<dyn BulkLoad>>;

    /// The clock of the database, in milliseconds since 1970. It never goes back, except by at most the time
    /// since the last write after a crash.
    fn now_ms(&self) -> i64;

    /// The time and the sequence number from which a copy of this store has to continue.
    fn upcoming(&self) -> Upcoming;

    /// The bytes of keys and values that transactions have written since the store was opened or reopened. A store that
    /// does not count them returns 0.
    fn written_bytes(&self) -> u64 {
        0
    }

    /// Writes the memtable of a space to files. Returns when that is done.
    fn flush(&self, space: SpaceId) -> Result<()>;

    /// Compacts a space, and returns when that is done. A `major` compaction covers the whole space, so that delete
    /// markers may be dropped. Reads and writes continue. Minor compactions of the space wait for a major one, which is
    /// therefore aborted if writes create too many new files.
    ///
    /// # Errors
    /// `Cancelled`: it was stopped through `control`. `Busy`: it was aborted; try again later. `Stale`: the space does
    /// not exist. `Io`, `DiskFull`. The data is unchanged after all of these.
    fn compact_with(&self, space: SpaceId, major: bool, control: &Arc<CompactionControl>) -> Result<()>;

    /// Compacts a space without a limit on speed; see [`Self::compact_with`].
    fn compact(&self, space: SpaceId, major: bool) -> Result<()> {
        self.compact_with(space, major, &Arc::default())
    }

    /// Keeps the compactions of these spaces from dropping pairs, until the returned value is dropped. Waits until what
    /// they have dropped so far is not visible any more, or is given up. Requested major compactions begin again
    /// afterwards. `goes_on` is called while it waits.
    ///
    /// # Errors
    /// Those of `goes_on`, and `Closed`.
    fn pause_filters(&self, spaces: &[SpaceId], goes_on: &dyn Fn() -> Result<()>) -> Result<FilterPause> {
        let _ = (spaces, goes_on);
        Ok(Box::new(()))
    }

    /// The keys of the pairs that [`CompactionFilterFactory::flush_garbage`] selects among the recent ones: those that
    /// were written to a space since the last call of [`Self::end_recent`], or since the space was created or the store
    /// opened or reopened. In HBase, these are the pairs of the memstore. The caller must keep others from writing to
    /// the space. Compactions may have dropped some of the pairs.
    ///
    /// `budget` is the number of bytes that may be read in search of recent pairs, and is reduced by those that were:
    /// the sizes of keys and values, and [`RECENT_PAIR_BYTES`] for each. Other pairs that are still in memory count
    /// less. Returns none if it is too small, or if the store does not know all recent pairs.
    ///
    /// # Errors
    /// `Stale`: the space does not exist. `Closed`, `Io`, `Corrupt`.
    fn recent_garbage(&self, space: SpaceId, budget: &mut u64) -> Result<Vec<Bytes>>;

    /// From now on, the pairs of a space that have been written so far are not recent; see [`Self::recent_garbage`].
    /// The caller must keep others from writing to the space. Does nothing if the space does not exist.
    fn end_recent(&self, space: SpaceId);

    /// Whether reads of a space have searched so many sorted runs that a minor compaction is worth its work. Has to be
    /// called at intervals of about a second: it considers the reads since the last call.
    ///
    /// # Errors
    /// `Closed`.
    fn should_merge(&self, space: SpaceId) -> Result<bool> {
        let _ = space;
        Ok(false)
    }

    /// Changes the options of a space by rewriting all of its data. Does nothing if the space already has these
    /// options. Reads and writes continue. A store in memory has no options.
    ///
    /// # Errors
    /// `Cancelled`: it was stopped through `control`. `Busy`: the store is being closed or reopened. `Stale`: the space
    /// does not exist. The options are unchanged after these. `Io`, `DiskFull`: they may have been changed.
    fn change_options(&self, space: SpaceId, options: &SpaceOptions, control: &Arc<CompactionControl>) -> Result<()> {
        let _ = (space, options, control);
        Ok(())
    }

    /// The files of a space. A store in memory has none.
    ///
    /// # Errors
    /// `Stale`: the space does not exist. `Closed`.
    fn files(&self, space: SpaceId) -> Result<SpaceFiles>;

    /// Sets the factory of compaction filters. Compactions keep all pairs until it is set.
    fn set_compaction_filters(&self, filters: Arc<dyn CompactionFilterFactory>);

    /// Creates an empty folder on the file system of the data, so that [`Self::copy_files`] to it only makes links. The
    /// caller has to remove it; otherwise the next opening does. `None` if the store has no files.
    ///
    /// # Errors
    /// `Io`, `DiskFull`.
    fn scratch_folder(&self) -> Result<Option<PathBuf>> {
        Ok(None)
    }

    /// Copies the store's files to an empty folder, from which [`FjallStore::open`] opens the state at one moment of
    /// the call. Files that never change are linked where that is possible, or else taken from `earlier`, the folder of
    /// an earlier copy. `report` is called with the bytes of each file; an error from it ends the copy. Reads and
    /// writes continue. Returns `false` if this store has no files; nothing has been done then.
    ///
    /// # Errors
    /// `Io`, `DiskFull`, `Closed`, and those of `report`.
    fn copy_files(
        &self,
        folder: &Path,
        earlier: Option<&Path>,
        report: &mut dyn FnMut(u64) -> Result<()>,
    ) -> Result<bool> {
        let _ = (folder, earlier, report);
        Ok(false)
    }

    /// Makes a store that has refused writes since a failed one writable again, if its folder can be written. Returns
    /// whether it was reopened. A write does the same, so this is for a store that is written rarely.
    ///
    /// # Errors
    /// `Io`, `DiskFull`: the folder still cannot be written. `Corrupt`, `Closed`.
    fn recover(&self) -> Result<bool> {
        Ok(false)
    }

    /// Checks the data that is not in the files of spaces yet: the journals of a store on disk.
    ///
    /// # Errors
    /// `Corrupt`: something is damaged on disk. `Closed`, `Io`.
    fn check_journals(&self) -> Result<()> {
        Ok(())
    }

    /// How far the time of the store is ahead of the machine's clock, in milliseconds. Neither waits nor reopens the
    /// store after a failure.
    fn clock_ahead_ms(&self) -> i64 {
        0
    }

    /// Figures for monitoring. Cheap enough to be called every second.
    ///
    /// # Errors
    /// `Closed`. `Io` if the store could not be reopened after a failure.
    fn statistics(&self) -> Result<Statistics>;

    /// Fails unless changes of the data are possible.
    ///
    /// # Errors
    /// `ReadOnly`: the store was opened for reading only.
    fn check_writable(&self) -> Result<()> {
        Ok(())
    }

    /// Makes everything durable and closes the files. Later calls fail with `Closed`; closing again does nothing.
    fn close(&self) -> Result<()>;
}

/// The committed state at one moment.
///
/// A space that was created afterwards has no pairs in it. Reads of a space that has been dropped may fail with
/// `Stale`.
pub trait Snapshot: Send + Sync {
    /// The value of a key; `None` if the key does not exist.
    fn get(&self, space: SpaceId, key: &[u8]) -> Result<Option<Bytes>>;

    /// The pairs with `from <= key < to`, in the given order. An empty `to` means no upper bound. `fetch` is the number
    /// of pairs that the caller expects to take, as a hint for remote stores.
    fn scan(&self, space: SpaceId, from: &[u8], to: &[u8], order: Order, fetch: usize) -> Result<Box<dyn Cursor>>;

    /// Appends the first `n` pairs with `from <= key < to` to `out`, or fewer at the end, in ascending order. As in
    /// [`Cursor::next_many`], the pair that reaches `bytes` is the last one. Returns a cursor at the next pair, or
    /// `None` if there are no more. This is faster than [`Self::scan`] for ranges with a few pairs.
    fn read(
        &self,
        space: SpaceId,
        (from, to): (&[u8], &[u8]),
        (n, bytes): (usize, usize),
        out: &mut Vec<Pair>,
    ) -> Result<Option<Box<dyn Cursor>>> {
        let mut cursor = self.scan(space, from, to, Order::Ascending, n)?;
        cursor.next_many(n, bytes, out)?;
        Ok(Some(cursor))
    }
}

/// An iterator over pairs. It owns the pairs that it returns.
pub trait Cursor: Send {
    /// The next pair. After the last one, every call returns `None`; after an error, every call fails.
    fn next(&mut self) -> Result<Option<Pair>>;

    /// Appends the next `n` pairs to `out`, or fewer at the end. The pair at which their keys and values reach `bytes`
    /// is the last one. If it fails, the pairs before the failure have been appended.
    fn next_many(&mut self, n: usize, bytes: usize, out: &mut Vec<Pair>) -> Result<()> {
        let mut sum = 0;
        for _ in 0..n {
            let Some((key, value)) = self.next()? else { break };
            sum += key.len() + value.len();
            out.push((key, value));
            if sum >= bytes {
                break;
            }
        }
        Ok(())
    }

    /// Moves to the first key `>= key` (in descending order: `< key`) in the cursor's range. Never moves backwards.
    /// Fails after an error, as [`Self::next`] does.
    fn seek(&mut self, key: &[u8]) -> Result<()>;
}

/// A running transaction; see [`Store::transact`].
pub trait Transaction {
    /// The latest committed state, without the writes of this transaction.
    fn snapshot(&self) -> &Arc<dyn Snapshot>;

    /// The time at which all rows were locked, in milliseconds since 1970. It determines which TTLs have expired.
    /// Constant.
    fn clock_ms(&self) -> i64;

    /// The timestamp of this transaction's writes, in milliseconds since 1970. It is no earlier than the clock and no
    /// earlier than the newest timestamp assigned in any of its rows, and later than that if an earlier transaction
    /// assigned it to a delete marker. It is at most 1 s after the clock. Constant.
    fn now_ms(&self) -> i64;

    /// The timestamp of a new version of a cell whose newest visible version has the timestamp `old_ms`: the later of
    /// `old_ms` + 1 and [`Self::now_ms`]. It is `old_ms` if the next millisecond would be more than 1 s after the clock
    /// and `old_ms` is not, or if `old_ms` is the largest timestamp.
    fn version_after(&self, old_ms: i64) -> i64;

    /// Records a timestamp that this transaction chose for a cell of its rows (`delete`: for a delete marker), so that
    /// later transactions of these rows get later timestamps. Must not be called for a timestamp from a caller. A
    /// timestamp more than 1 s after the clock is ignored, because it was derived from a caller's.
    fn assigned(&mut self, timestamp: i64, delete: bool);

    /// A number larger than that of every transaction that was committed before in any of the same rows. Families with
    /// NEW_VERSION_BEHAVIOR store it.
    fn sequence(&self) -> u64;

    /// The value that this transaction has written under a key. `None` if it has not written the key, or has deleted
    /// it. Takes constant time on average.
    fn written(&mut self, space: SpaceId, key: &Bytes) -> Option<Bytes>;

    /// Calls `each` with every write so far, in order: the space, the key, and the value; `None` for a deletion.
    fn each_write(&self, each: &mut dyn FnMut(SpaceId, &Bytes, Option<&Bytes>));

    /// Announces a number of further writes. The transaction may have others.
    fn expect(&mut self, writes: usize);

    /// Writes a pair.
    fn put(&mut self, space: SpaceId, key: Bytes, value: Bytes);

    /// Deletes a pair.
    fn delete(&mut self, space: SpaceId, key: Bytes);
}

/// Transactions that are committed together, as one write to the journal. Each of them remains atomic, isolated and
/// durable as [`Store::transact`] describes, but takes effect with [`Self::commit`]. Until then, its rows stay locked.
/// Dropping a group discards what it holds.
pub trait TransactionGroup {
    /// Runs a transaction, and adds its writes to the group. Never waits: returns [`Staged::Refused`] if it would have
    /// to wait.
    ///
    /// # Errors
    /// Those of `body`, and those of [`Store::transact`] after which nothing has been written. The group is unchanged.
    fn stage(
        &mut self,
        rows: &[Bytes],
        durability: Durability,
        body: &mut dyn FnMut(&mut dyn Transaction) -> Result<()>,
    ) -> Result<Staged>;

    /// From now on, the group never waits for a disk, and waits for other threads only as long as commits usually take.
    /// [`Self::stage`] returns [`Staged::Refused`] if it would have to wait longer, and [`Self::commit`]
    /// [`GroupOutcome::NotWritten`].
    fn never_wait(&mut self);

    /// The approximate size of the writes that have been added since the last commit, in bytes.
    fn bytes(&self) -> u64;

    /// Commits the transactions that have been added since the last commit, and unlocks their rows. Does not wait for a
    /// sync. The group can be used again afterwards.
    fn commit(&mut self) -> GroupOutcome;

    /// Discards the transactions that have been added since the last commit, and unlocks their rows.
    fn discard(&mut self);
}

/// The result of adding a transaction to a group.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Staged {
    /// The transaction takes effect when the group is committed.
    Added {
        /// Whether the transaction has to be synced: it is as durable as required only after the sync of
        /// [`GroupOutcome::Written`].
        is_synced: bool,
    },
    /// The transaction has ended, and has written nothing.
    Unneeded,
    /// The transaction has not been run. It has to wait, or the group has to be committed first: one of the rows may
    /// belong to it.
    Refused,
}

/// Called with the outcome of a sync: `Io` or `DiskFull` if it is unknown whether the writes are durable. The function
/// must be short and must not call the engine.
pub type SyncEnded = Box<dyn FnOnce(Result<()>) + Send>;

/// A sync that makes committed writes durable.
pub trait JournalSync: Send + Sync {
    /// Waits until the writes are durable.
    ///
    /// # Errors
    /// `Io`, `DiskFull`: the sync failed, and it is unknown whether the writes are durable.
    fn wait(&self) -> Result<()>;

    /// Begins or joins a sync for a number of writes, and calls the function when the sync has ended: on another
    /// thread, or on this one if the store has failed or was closed. The number only decides when the sync begins.
    fn when_ended(&self, writes: usize, ended: SyncEnded);

    /// Syncs on this thread, unless another thread is syncing: `None` then. [`Self::when_ended`] has to be used in that
    /// case.
    fn sync_here(&self) -> Option<Result<()>> {
        None
    }
}

impl std::fmt::Debug for dyn JournalSync {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("JournalSync")
    }
}

/// The outcome of the commit of a group.
#[derive(Debug)]
pub enum GroupOutcome {
    /// The transactions have taken effect, and are as durable as required.
    Committed,
    /// The transactions have taken effect. Those that have to be synced are as durable as required when this sync has
    /// ended successfully; the others are so already.
    Written(Arc<dyn JournalSync>),
    /// The transactions have not taken effect. Each may succeed separately, when it can wait: their calls have to be
    /// run again, each without a group.
    NotWritten,
    /// It is unknown whether the transactions have taken effect: `Io`, `DiskFull`; see [`Store::transact`]. Their calls
    /// have failed with this error.
    Failed(Error),
}

fn closed() -> Error {
    Error::new(ErrorKind::Closed, "the database has been closed; open it again")
}

/// What a pair takes of the budget of [`Store::recent_garbage`].
pub(crate) fn recent_bytes(key: &[u8], value: &[u8]) -> u64 {
    RECENT_PAIR_BYTES + (key.len() + value.len()) as u64
}

fn no_such_space(space: SpaceId) -> Error {
    Error::new(
        ErrorKind::Stale,
        format!("space {space} does not exist: its table was changed or deleted; look up the table again"),
    )
}

fn refuse_to_drop_catalog(space: SpaceId) -> Result<()> {
    if space == CATALOG_SPACE { Err(Error::invalid("space 0 holds the catalog and cannot be dropped")) } else { Ok(()) }
}

fn refuse_default(durability: Durability) -> Result<()> {
    if durability == Durability::UseDefault {
        return Err(Error::invalid(
            "a transaction cannot have durability USE_DEFAULT; resolve the table's default first",
        ));
    }
    Ok(())
}
