//! A store in a data folder.

use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;
use std::sync::{Arc, Weak};

use super::backpressure::{WAIT_STEP, Wait, Waits};
use super::clock_mark::HighWaterMark;
use super::cursor::Seen;
use super::database::{Committed, Database, Patience, bytes_of};
use super::failure::failed_io;
use super::group::FjallGroup;
use super::load::FjallLoad;
use super::long_calls::PAUSE_STEP;
use super::options::StoreOptions;
use super::pace::PacedWait;
use super::reopenable_database::ReopenableDatabase;
use super::{read_merge, statistics, syncer};
use crate::blocking;
use crate::clock::{AHEAD_WARN_MS, warn_of_lead};
use crate::durability::Durability;
use crate::error::{Error, ErrorKind, Result};
use crate::store::active_transaction::{ActiveTransaction, Write, WriteSet};
use crate::store::folder::Folder;
use crate::store::journal;
use crate::store::row_locks::RowLocks;
use crate::store::time::{Sequence, Time};
use crate::store::{
    self, BulkLoad, CATALOG_SPACE, CompactionControl, CompactionFilterFactory, FilterPause, JournalSync, LoadedSpace,
    Snapshot, SpaceFiles, SpaceId, SpaceOptions, Statistics, Store, Transaction, TransactionGroup, Upcoming,
};
use bytes::Bytes;

/// An upper bound of the size of a write of the mark, in bytes.
const MARK_BYTES_MAX: u64 = 256;

/// A store in a data folder. It has exclusive use of the folder.
pub struct FjallStore {
    pub(super) holder: ReopenableDatabase,
    pub(super) rows: RowLocks,
    pub(super) time: Time,
    pub(super) sequence: Sequence,
    pub(super) waits: Waits,
    /// Whether SYNC_WAL is treated as FSYNC_WAL.
    fsync: bool,
    /// The folder, if it was opened for reading only.
    read_only: Option<PathBuf>,
}

impl FjallStore {
    /// Opens the store in a folder, creating it if necessary. With `read_only`, opens a temporary copy of it, which
    /// contains everything that was committed before the call. The folder may be in use then, and is not changed; only
    /// the reading methods may be called.
    ///
    /// # Errors
    /// `Locked`: the folder is open, in this process or another. `NewerFormat`: a newer version wrote it.
    /// `InvalidArgument`: the folder contains other files, or with `read_only` is not a data folder. `Busy`: it is
    /// changed too often to be copied. `Io`, `Corrupt`.
    pub fn open(path: &Path, options: StoreOptions) -> Result<Arc<dyn Store>> {
        Self::open_at_least(path, options, Upcoming { time_ms: i64::MIN, sequence: 1 })
    }

    /// Opens a store whose timestamps and sequence numbers begin at `least`, or later if the stored mark is later.
    ///
    /// # Errors
    /// Those of [`Self::open`].
    pub(crate) fn open_at_least(path: &Path, options: StoreOptions, least: Upcoming) -> Result<Arc<dyn Store>> {
        let (clock, fsync) = (options.clock(), options.fsync);
        let folder = if options.read_only { Folder::open_copy(path)? } else { Folder::open(path)? };
        let read_only = options.read_only.then(|| folder.named().to_owned());
        let holder = ReopenableDatabase::open(folder, options)?;
        let mark = holder.database()?.mark.at_opening();
        let time = Time::new(clock, mark.clock_ms, mark.time_ms.max(least.time_ms));
        let ahead_ms = time.ahead_of_machine_ms();
        if ahead_ms > AHEAD_WARN_MS {
            warn_of_lead(ahead_ms);
        }
        Ok(Arc::new(Self {
            holder,
            rows: RowLocks::new(),
            time,
            sequence: Sequence::from(mark.sequence.max(least.sequence)),
            waits: Waits::default(),
            fsync,
            read_only,
        }))
    }

    /// The durability that a transaction gets for the one that it requests.
    ///
    /// # Errors
    /// `InvalidArgument` for `UseDefault`.
    pub(super) fn effective(&self, durability: Durability) -> Result<Durability> {
        store::refuse_default(durability)?;
        Ok(if self.fsync && durability == Durability::SyncWal { Durability::FsyncWal } else { durability })
    }

    /// Locks the rows, runs the body and commits its writes, unless it has to wait or the database has changed.
    fn attempt(&self, rows: &[Bytes], body: &mut dyn FnMut(&mut dyn Transaction) -> Result<()>) -> Result<Attempt> {
        let mut held = self.rows.lock_all(rows, &self.time)?;
        let database = self.holder.database()?;
        let seen = Seen::now(&database);
        drop(database);
        let open = || seen.clone().into_snapshot();
        let mut active = ActiveTransaction::new(&open, held.times(), &self.sequence);
        body(&mut active)?;
        let WriteSet { mut writes, newest } = active.finish()?;
        if writes.is_empty() && newest.is_none() {
            return Ok(Attempt::Unneeded);
        }
        let assign =
            || newest.map(|newest| AssignedTime { newest_ms: held.assign(newest), clock_ms: held.times().clock_ms });
        self.commit(&seen.database, &mut writes, assign, Patience::Unlimited)
    }

    /// Commits writes, and takes them out of the vector, unless the commit has to wait, or the database is no longer
    /// `seen`, from which the bodies of their transactions have read. The writes must be ordered by space. `assign` is
    /// called once the commit is likely, and returns the newest time that the transactions have assigned; `None` if
    /// they have assigned none.
    pub(super) fn commit(
        &self,
        seen: &Weak<Database>,
        writes: &mut Vec<Write>,
        assign: impl FnOnce() -> Option<AssignedTime>,
        patience: Patience,
    ) -> Result<Attempt> {
        let writable = || {
            let database = match patience {
                Patience::Unlimited => Some(self.holder.writable()?),
                Patience::Short => self.holder.ready(),
            };
            Ok(database.filter(|database| std::ptr::eq(Arc::as_ptr(database), seen.as_ptr())))
        };
        let Some(mut database) = writable()? else { return Ok(Attempt::Reopened) };
        let bytes = bytes_of(writes);
        // Keeps a transaction that will have to wait from assigning a time. A transaction that does not wait is run
        // again anyway, and the commit checks this again.
        if patience == Patience::Unlimited && !writes.is_empty() {
            let touched = database.spaces_of(writes)?;
            if !database.pressure.admits(&touched, bytes, || database.spaces()) {
                return Ok(Attempt::crowded(writes, bytes));
            }
        }
        let needed = assign().map(|AssignedTime { newest_ms, clock_ms }| HighWaterMark {
            time_ms: newest_ms,
            sequence: self.sequence.upcoming(),
            clock_ms,
        });
        if let Some(needed) = needed.filter(|needed| !database.mark.covers(*needed)) {
            let mark = Arc::clone(&database.mark);
            // Writing the mark may wait for another thread, and reopening waits for this handle.
            drop(database);
            let mut ended = None;
            let covered = mark.cover(needed, patience, |next| {
                match writable()? {
                    None => ended = Some(Attempt::Reopened),
                    Some(database) => match database.write_mark(next, patience)? {
                        Committed::Whole(_) => return Ok(true),
                        Committed::Refused(error) => ended = Some(Attempt::Refused(error)),
                        Committed::Crowded => ended = Some(Attempt::crowded_mark()),
                        Committed::Occupied => {}
                    },
                }
                Ok(false)
            })?;
            if !covered {
                return Ok(ended.unwrap_or(Attempt::Occupied));
            }
            match writable()? {
                Some(writable) => database = writable,
                None => return Ok(Attempt::Reopened),
            }
        }
        if writes.is_empty() {
            return Ok(Attempt::Unneeded);
        }
        Ok(match database.commit(writes, bytes, patience) {
            Ok(Committed::Whole(wait)) => Attempt::Done(Done { syncer: Arc::clone(database.syncer()), bytes, wait }),
            Ok(Committed::Crowded) => Attempt::crowded(writes, bytes),
            Ok(Committed::Occupied) => Attempt::Occupied,
            Ok(Committed::Refused(error)) => Attempt::Refused(error),
            Err(error) => Attempt::Failed(error),
        })
    }

    /// Waits until these spaces admit a commit of `bytes`, or the database has failed. The caller must hold no row lock
    /// and no handle.
    ///
    /// # Errors
    /// `Busy` if the wait takes too long.
    pub(super) fn wait_for_room(&self, spaces: &[SpaceId], bytes: u64, wait: &Wait<'_>) -> Result<()> {
        loop {
            {
                let database = self.holder.database()?;
                let all = database.spaces();
                let mut touched: Vec<_> = spaces.iter().filter_map(|space| database.space(*space)).collect();
                touched.extend(database.rewrites.target_of(spaces.iter().copied()));
                if database.pressure.admits(&touched, bytes, || all.clone()) {
                    return Ok(());
                }
                // The pressure on a database that refuses writes does not decrease, and no commit notes the failure,
                // because none is admitted. The next attempt reopens the database.
                if database.check_writable().is_err() {
                    return Ok(());
                }
                database.pressure.relieve(&touched, &all);
                database.compact_for_writes(&touched, wait.elapsed());
            }
            wait.check()?;
            blocking::may_wait();
            std::thread::sleep(WAIT_STEP);
        }
    }

    /// Waits after a commit, if it has to. The caller must hold no row lock and no handle.
    pub(super) fn keep_pace(&self, wait: Option<PacedWait>) {
        if let Some(wait) = wait {
            let _counted = self.waits.begin();
            wait.wait();
        }
    }

    /// Flushes all spaces, and stores the exact mark.
    fn write_out(&self, database: &Database) -> Result<()> {
        let mark = HighWaterMark {
            time_ms: self.time.safe_ms(),
            sequence: self.sequence.upcoming(),
            clock_ms: self.time.now_ms(),
        };
        if let Committed::Refused(error) = database.write_mark(mark, Patience::Unlimited)? {
            return Err(error);
        }
        database.sync()?;
        database.flush_all()
    }
}

/// The newest time that transactions have assigned, in milliseconds since 1970.
#[derive(Debug, Clone, Copy)]
pub(super) struct AssignedTime {
    /// The earliest timestamp that later transactions of the same rows may use.
    pub newest_ms: i64,
    /// The clock when the time was assigned.
    pub clock_ms: i64,
}

/// The outcome of one attempt at a transaction. Nothing has been written, except for `Done` and perhaps `Failed`.
pub(super) enum Attempt {
    /// Everything is written, and handed to the operating system.
    Done(Done),
    /// The transaction has written nothing.
    Unneeded,
    /// The database was reopened after the body had read it and before the commit.
    Reopened,
    /// The commit would have had to wait for longer than its patience.
    Occupied,
    /// These spaces have too many memtables to flush or files to compact to admit as many bytes.
    Crowded { spaces: Vec<SpaceId>, bytes: u64 },
    /// The database had failed before the commit.
    Refused(Error),
    /// The commit failed. Unless it is an error of the request, the writes may have been applied.
    Failed(Error),
}

/// A commit that has succeeded.
pub(super) struct Done {
    pub syncer: Arc<syncer::SyncQueue>,
    /// The approximate number of bytes.
    pub bytes: u64,
    /// A wait for the writer, after it has unlocked its rows.
    pub wait: Option<PacedWait>,
}

impl Attempt {
    fn crowded(writes: &[Write], bytes: u64) -> Self {
        let mut spaces: Vec<SpaceId> = writes.iter().map(|write| write.space).collect();
        spaces.dedup();
        Self::Crowded { spaces, bytes }
    }

    /// The space of the mark is crowded. The writes that the mark covers must not be committed without it.
    fn crowded_mark() -> Self {
        Self::Crowded { spaces: vec![CATALOG_SPACE], bytes: MARK_BYTES_MAX }
    }
}

impl Store for FjallStore {
    fn create_space(&self, space: SpaceId, options: &SpaceOptions) -> Result<()> {
        self.holder.writable()?.create(space, options)
    }

    fn drop_space(&self, space: SpaceId) -> Result<()> {
        store::refuse_to_drop_catalog(space)?;
        self.holder.writable()?.remove(space)?;
        self.holder.filters.gates.forget(space);
        Ok(())
    }

    fn spaces(&self) -> Result<Vec<SpaceId>> {
        Ok(self.holder.database()?.space_ids())
    }

    fn generation(&self) -> u64 {
        self.holder.reopened()
    }

    fn snapshot(&self) -> Result<Arc<dyn Snapshot>> {
        Ok(Seen::now(&self.holder.database()?).into_snapshot())
    }

    fn transact_unsynced(
        &self,
        rows: &[Bytes],
        durability: Durability,
        body: &mut dyn FnMut(&mut dyn Transaction) -> Result<()>,
    ) -> Result<Option<Arc<dyn JournalSync>>> {
        let durability = self.effective(durability)?;
        let mut refused = false;
        let mut wait = None;
        loop {
            match self.attempt(rows, body)? {
                Attempt::Unneeded => return Ok(None),
                Attempt::Done(Done { syncer, bytes, wait }) => {
                    self.keep_pace(wait);
                    if durability == Durability::FsyncWal {
                        return Ok(Some(syncer));
                    }
                    syncer.wrote(bytes);
                    return Ok(None);
                }
                // An earlier write or a worker failed, not this write. The transaction is tried once more with the
                // reopened database.
                Attempt::Failed(error) => return Err(error),
                Attempt::Refused(error) if refused => return Err(error),
                Attempt::Refused(_) => refused = true,
                Attempt::Reopened | Attempt::Occupied => {}
                Attempt::Crowded { spaces, bytes } => {
                    self.wait_for_room(&spaces, bytes, wait.get_or_insert_with(|| self.waits.begin()))?
                }
            }
        }
    }

    fn group(self: Arc<Self>) -> Option<Box<dyn TransactionGroup>> {
        Some(Box::new(FjallGroup::new(self)))
    }

    fn begin_load(self: Arc<Self>, spaces: &[LoadedSpace]) -> Result<Box<dyn BulkLoad>> {
        Ok(Box::new(FjallLoad::begin(self, spaces)?))
    }

    fn now_ms(&self) -> i64 {
        self.time.now_ms()
    }

    fn upcoming(&self) -> Upcoming {
        Upcoming { time_ms: self.time.safe_ms(), sequence: self.sequence.upcoming() }
    }

    fn flush(&self, space: SpaceId) -> Result<()> {
        let database = self.holder.database()?;
        database.flush(&database.keyspace(space)?)
    }

    fn written_bytes(&self) -> u64 {
        self.holder.database().map_or(0, |database| database.pressure.written_bytes.load(Ordering::Relaxed))
    }

    fn compact_with(&self, space: SpaceId, major: bool, control: &Arc<CompactionControl>) -> Result<()> {
        self.holder.database()?.compact(space, major, control)
    }

    fn pause_filters(&self, spaces: &[SpaceId], goes_on: &dyn Fn() -> Result<()>) -> Result<FilterPause> {
        let paused = self.holder.filters.gates.pause(spaces);
        while !paused.have_ended() {
            goes_on()?;
            // Otherwise the thread that follows changes finds out up to 5 ms later that a compaction has ended.
            self.holder.database()?.follow_changes();
            std::thread::sleep(PAUSE_STEP);
        }
        Ok(Box::new(paused))
    }

    fn recent_garbage(&self, space: SpaceId, budget: &mut u64) -> Result<Vec<Bytes>> {
        let Some(recent) = self.holder.database()?.recent(space)? else { return Ok(Vec::new()) };
        let Some(pairs) = recent.pairs(budget)? else { return Ok(Vec::new()) };
        self.holder.filters.flush_garbage(space, &pairs, &|key, budget| recent.replaces(key, budget), budget)
    }

    fn end_recent(&self, space: SpaceId) {
        if let Ok(database) = self.holder.database() {
            database.end_recent(space);
        }
    }

    fn should_merge(&self, space: SpaceId) -> Result<bool> {
        let database = self.holder.database()?;
        Ok(database.space(space).is_some_and(|space| read_merge::is_due(&space)))
    }

    fn change_options(&self, space: SpaceId, options: &SpaceOptions, control: &Arc<CompactionControl>) -> Result<()> {
        self.holder.database()?.change_options(space, options, control)
    }

    fn files(&self, space: SpaceId) -> Result<SpaceFiles> {
        let keyspace = self.holder.database()?.keyspace(space)?;
        Ok(statistics::files(&keyspace))
    }

    fn set_compaction_filters(&self, filters: Arc<dyn CompactionFilterFactory>) {
        self.holder.filters.set(Some(filters));
    }

    fn copy_files(
        &self,
        folder: &Path,
        earlier: Option<&Path>,
        report: &mut dyn FnMut(u64) -> Result<()>,
    ) -> Result<bool> {
        let database = self.holder.database()?;
        database.check_copyable()?;
        let to = Folder::prepare_copy(folder)?;
        database.copy_files(&to, earlier.map(Folder::data_of).as_deref(), report)?;
        Ok(true)
    }

    fn scratch_folder(&self) -> Result<Option<PathBuf>> {
        let data = self.holder.path();
        let folder = data.parent().unwrap_or(data);
        Folder::create_scratch(folder)
            .map(Some)
            .map_err(|error| failed_io(&format!("creating a folder in {}", folder.display()), error))
    }

    fn recover(&self) -> Result<bool> {
        if self.read_only.is_some() { Ok(false) } else { self.holder.recover() }
    }

    fn check_journals(&self) -> Result<()> {
        let _open = self.holder.database()?;
        journal::check_in_use(self.holder.path())
    }

    fn clock_ahead_ms(&self) -> i64 {
        self.time.ahead_of_machine_ms().max(0)
    }

    fn statistics(&self) -> Result<Statistics> {
        let database = self.holder.database()?;
        Ok(Statistics {
            reopened: self.holder.reopened(),
            disk_free_bytes: statistics::disk_free_bytes(self.holder.path()),
            clock_ahead_ms: self.clock_ahead_ms(),
            ..statistics::of(&database, &self.waits)
        })
    }

    fn check_writable(&self) -> Result<()> {
        let Some(folder) = &self.read_only else { return Ok(()) };
        Err(Error::new(
            ErrorKind::ReadOnly,
            format!(
                "the database in {} was opened for reading only, and nothing was changed; make changes through an \
                 opening for writing",
                folder.display()
            ),
        ))
    }

    fn close(&self) -> Result<()> {
        let is_copy = self.read_only.is_some();
        // A database that has failed cannot write out its memory. If it cannot be reopened either, its data is in the
        // journals, and the error of the close says why it stays there.
        if let Err(error) = self.recover() {
            tracing::debug!(%error, "the database could not be reopened before its close");
        }
        self.holder.close(|database| if is_copy { Ok(()) } else { self.write_out(database) })
    }
}

impl Drop for FjallStore {
    fn drop(&mut self) {
        if let Err(error) = self.close() {
            let folder = self.holder.path();
            let folder = folder.parent().unwrap_or(folder);
            tracing::error!(folder = %folder.display(), %error, "closing the data folder failed");
        }
    }
}
