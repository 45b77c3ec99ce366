//! A store in a data folder.

use std::path::Path;
use std::sync::Arc;

use super::clock_mark::{Beginning, ClockMark};
use super::cursor::FjallSnapshot;
use super::database::{Committed, Database, bytes_of};
use super::failure::refuses_writes;
use super::holder::Holder;
use super::options::StoreOptions;
use super::pressure::{WAIT_STEP, Wait, Waits};
use super::{statistics, syncer};
use crate::durability::Durability;
use crate::error::{Error, Result};
use crate::store::folder::Folder;
use crate::store::rows::Rows;
use crate::store::running::{Done, Running, Write};
use crate::store::time::{Sequence, Time};
use crate::store::{
    self, CATALOG_SPACE, CompactionControl, CompactionFilterFactory, Snapshot, SpaceFiles, SpaceId, SpaceOptions,
    Statistics, Store, Transaction, Upcoming,
};
use bytes::Bytes;

/// A database that is further ahead of the machine's clock than this when it is opened is worth a warning.
const AHEAD_WARN_MS: i64 = 10_000;

/// At least what writing the mark takes.
const MARK_BYTES_MAX: u64 = 256;

/// A store in a data folder, which it has to itself.
pub struct FjallStore {
    holder: Holder,
    rows: Rows,
    time: Time,
    sequence: Sequence,
    mark: ClockMark,
    waits: Waits,
    /// Whether SYNC_WAL means FSYNC_WAL.
    fsync: bool,
}

impl FjallStore {
    /// Opens the store in a folder, creating it if necessary.
    ///
    /// # Errors
    /// `Locked`: the folder is open already, in this process or another. `NewerFormat`: a newer version wrote it. `InvalidArgument`: the folder
    /// holds other things. `Io`, `Corrupt`.
    pub fn open(path: &Path, options: StoreOptions) -> Result<Arc<dyn Store>> {
        Self::open_at_least(path, options, Upcoming { time_ms: i64::MIN, sequence: 1 })
    }

    /// Opens a store that assigns no timestamp below `least` and no sequence number below it, whatever it has stored.
    ///
    /// # Errors
    /// Those of [`Self::open`].
    pub(crate) fn open_at_least(path: &Path, options: StoreOptions, least: Upcoming) -> Result<Arc<dyn Store>> {
        let (clock, fsync) = (options.clock(), options.fsync);
        let holder = Holder::open(Folder::open(path)?, options)?;
        let beginning = holder.database()?.beginning()?;
        let time = Time::new(clock, beginning.clock_ms, beginning.time_ms.max(least.time_ms));
        let ahead_ms = time.ahead_of_machine_ms();
        if ahead_ms > AHEAD_WARN_MS {
            tracing::warn!(
                ahead_ms,
                "the time of the database is ahead of this machine's clock, as if that had been set back; until the clock has caught up, \
                 the time of the database advances at half speed"
            );
        }
        Ok(Arc::new(Self {
            holder,
            rows: Rows::new(),
            time,
            sequence: Sequence::from(beginning.sequence.max(least.sequence)),
            mark: ClockMark::at(beginning),
            waits: Waits::default(),
            fsync,
        }))
    }

    /// Takes the rows, runs the body and commits what it wrote, if that can be done now.
    fn attempt(&self, rows: &[Bytes], body: &mut dyn FnMut(&mut dyn Transaction) -> Result<()>) -> Result<Attempt> {
        let mut held = self.rows.take(rows, &self.time)?;
        let database = self.holder.database()?;
        let snapshot = FjallSnapshot::new(&database);
        let seen = Arc::downgrade(&database);
        drop(database);
        let mut running = Running::new(Arc::new(snapshot), held.times(), &self.sequence);
        body(&mut running)?;
        let Done { writes, newest } = running.finish()?;
        if writes.is_empty() && newest.is_none() {
            return Ok(Attempt::Unneeded);
        }
        // What the body read is only good for the database that it read.
        let writable = || {
            let database = self.holder.writable()?;
            Ok(std::ptr::eq(Arc::as_ptr(&database), seen.as_ptr()).then_some(database))
        };
        let Some(database) = writable()? else { return Ok(Attempt::Moved) };
        let touched = database.spaces_of(&writes)?;
        let bytes = bytes_of(&writes);
        if !writes.is_empty() && !database.pressure.admits(&touched, bytes, || database.spaces()) {
            return Ok(Attempt::crowded(&writes, bytes));
        }
        drop((touched, database));
        if let Some(newest) = newest {
            let time_ms = held.assign(newest);
            let clock_ms = held.times().clock_ms;
            let needed = Beginning { time_ms, sequence: self.sequence.upcoming(), clock_ms };
            let mut ended = None;
            self.mark.cover(needed, |next| {
                match writable()? {
                    None => ended = Some(Attempt::Moved),
                    Some(database) => match database.set_beginning(next)? {
                        Committed::Whole => return Ok(true),
                        Committed::Refused(error) => ended = Some(Attempt::Refused(error)),
                        Committed::Crowded => ended = Some(Attempt::crowded_mark()),
                    },
                }
                Ok(false)
            })?;
            if let Some(ended) = ended {
                return Ok(ended);
            }
        }
        if writes.is_empty() {
            return Ok(Attempt::Unneeded);
        }
        let Some(database) = writable()? else { return Ok(Attempt::Moved) };
        let crowded = Attempt::crowded(&writes, bytes);
        Ok(match database.commit(writes)? {
            Committed::Whole => Attempt::Done(Arc::clone(database.syncer())),
            Committed::Crowded => crowded,
            Committed::Refused(error) => Attempt::Refused(error),
        })
    }

    /// Waits until these spaces admit a commit of `bytes`, with no row and no handle held; `Busy` if that takes too long.
    fn ease(&self, spaces: &[SpaceId], bytes: u64, wait: &Wait<'_>) -> Result<()> {
        loop {
            {
                let database = self.holder.database()?;
                let all = database.spaces();
                let touched: Vec<_> = spaces.iter().filter_map(|space| database.space(*space)).collect();
                // A database that refuses writes will not ease: let the commit find out.
                if database.pressure.admits(&touched, bytes, || all.clone()) || refuses_writes(&database.inner) {
                    return Ok(());
                }
                database.pressure.relieve(&database.inner, &touched, &all, wait.elapsed());
            }
            wait.check()?;
            std::thread::sleep(WAIT_STEP);
        }
    }

    /// Everything into files, and the mark exactly where it is needed.
    fn write_out(&self, database: &Database) -> Result<()> {
        let beginning = Beginning {
            time_ms: self.time.safe_ms(),
            sequence: self.sequence.upcoming(),
            clock_ms: self.time.now_ms(),
        };
        if let Committed::Refused(error) = database.set_beginning(beginning)? {
            return Err(error);
        }
        database.sync()?;
        database.flush_all()
    }
}

/// How one attempt at a transaction ended. Nothing was written, unless it is done.
enum Attempt {
    /// All is written, and handed to the operating system.
    Done(Arc<syncer::Shared>),
    /// There was nothing to write.
    Unneeded,
    /// The database was opened anew between what the body read and the commit.
    Moved,
    /// These spaces have too much to be written out or compacted for as many bytes.
    Crowded { spaces: Vec<SpaceId>, bytes: u64 },
    /// The database had failed before.
    Refused(Error),
}

impl Attempt {
    fn crowded(writes: &[Write], bytes: u64) -> Self {
        let mut spaces: Vec<SpaceId> = writes.iter().map(|write| write.space).collect();
        spaces.dedup();
        Self::Crowded { spaces, bytes }
    }

    /// The mark could not be written. The writes that it covers must not be committed without it.
    fn crowded_mark() -> Self {
        Self::Crowded { spaces: vec![CATALOG_SPACE], bytes: MARK_BYTES_MAX }
    }
}

impl Store for FjallStore {
    fn create_space(&self, space: SpaceId, options: &SpaceOptions) -> Result<()> {
        self.holder.database()?.create(space, options)
    }

    fn drop_space(&self, space: SpaceId) -> Result<()> {
        store::refuse_to_drop_catalog(space)?;
        self.holder.database()?.remove(space)
    }

    fn spaces(&self) -> Result<Vec<SpaceId>> {
        Ok(self.holder.database()?.space_ids())
    }

    fn generation(&self) -> u64 {
        self.holder.reopened()
    }

    fn snapshot(&self) -> Result<Arc<dyn Snapshot>> {
        Ok(Arc::new(FjallSnapshot::new(&self.holder.database()?)))
    }

    fn transact(
        &self,
        rows: &[Bytes],
        durability: Durability,
        body: &mut dyn FnMut(&mut dyn Transaction) -> Result<()>,
    ) -> Result<()> {
        store::refuse_default(durability)?;
        let durability =
            if self.fsync && durability == Durability::SyncWal { Durability::FsyncWal } else { durability };
        let mut refused = false;
        let mut wait = None;
        loop {
            match self.attempt(rows, body)? {
                Attempt::Unneeded => return Ok(()),
                // The rows are free again: who writes to them next and waits for a sync shares this one.
                Attempt::Done(syncer) if durability == Durability::FsyncWal => return syncer.wait(),
                Attempt::Done(syncer) => {
                    syncer.wrote();
                    return Ok(());
                }
                // Something failed in the background, and not by this write: once it is tried again with the database opened anew.
                Attempt::Refused(error) if refused => return Err(error),
                Attempt::Refused(_) => refused = true,
                Attempt::Moved => {}
                Attempt::Crowded { spaces, bytes } => {
                    self.ease(&spaces, bytes, wait.get_or_insert_with(|| self.waits.begin()))?
                }
            }
        }
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

    fn compact_with(&self, space: SpaceId, major: bool, control: &Arc<CompactionControl>) -> Result<()> {
        let database = self.holder.database()?;
        database.compact(&database.keyspace(space)?, major, control)
    }

    fn files(&self, space: SpaceId) -> Result<SpaceFiles> {
        let keyspace = self.holder.database()?.keyspace(space)?;
        Ok(statistics::files(&keyspace))
    }

    fn set_compaction_filters(&self, filters: Arc<dyn CompactionFilterFactory>) {
        self.holder.filters.set(Some(filters));
    }

    fn statistics(&self) -> Result<Statistics> {
        let database = self.holder.database()?;
        Ok(Statistics {
            reopened: self.holder.reopened(),
            disk_free_bytes: statistics::disk_free_bytes(self.holder.path()),
            ..statistics::of(&database, &self.waits)
        })
    }

    fn close(&self) -> Result<()> {
        self.holder.close(|database| self.write_out(database))
    }
}

impl Drop for FjallStore {
    fn drop(&mut self) {
        if let Err(error) = self.close() {
            tracing::error!(%error, "closing the data folder failed");
        }
    }
}
