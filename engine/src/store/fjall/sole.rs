//! The store over a data folder that it has to itself.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use fjall::PersistMode;
use parking_lot::{Mutex, RwLock};

use super::cursor::FjallSnapshot;
use super::database::{CommitError, Database};
use super::failure::{self, failed};
use super::forgetter::LateRetainer;
use super::mark::{Beginning, Mark};
use super::options::StoreOptions;
use crate::error::Result;
use crate::mutation::Durability;
use crate::store::folder::Folder;
use crate::store::rows::Rows;
use crate::store::running::{Done, Running};
use crate::store::time::{Sequence, Time};
use crate::store::{self, Retainer, Snapshot, SpaceId, SpaceOptions, Store, Transaction};

/// How often closing looks whether all calls under way have ended.
const CLOSE_STEP: Duration = Duration::from_micros(200);

/// A store in a data folder of its own.
pub(super) struct SoleStore {
    path: PathBuf,
    options: StoreOptions,
    retainer: Arc<LateRetainer>,
    /// Locked for reading only to copy the pointer: who has a copy keeps the database open as long.
    slot: RwLock<Slot>,
    /// Held while the database is closed or opened anew.
    turning: Mutex<Option<Folder>>,
    rows: Rows,
    time: Time,
    sequence: Sequence,
    mark: Mark,
}

enum Slot {
    Open(Arc<Database>),
    /// Writes had failed, and opening anew failed too; the next call tries again.
    Broken,
    Closed,
}

impl SoleStore {
    /// Opens the folder, which nobody else may have open.
    pub fn open(path: &Path, options: StoreOptions) -> Result<Self> {
        let folder = Folder::open(path)?;
        let retainer = Arc::new(LateRetainer::default());
        let database = Database::open(&folder.data(), &options, &retainer)?;
        let beginning = database.beginning()?;
        Ok(Self {
            path: path.to_owned(),
            retainer,
            slot: RwLock::new(Slot::Open(Arc::new(database))),
            turning: Mutex::new(Some(folder)),
            rows: Rows::new(),
            time: Time::new(options.clock(), beginning.time_ms),
            sequence: Sequence::from(beginning.sequence),
            mark: Mark::at(beginning),
            options,
        })
    }

    /// The options that it was opened with.
    pub fn options(&self) -> &StoreOptions {
        &self.options
    }

    fn database(&self) -> Result<Arc<Database>> {
        match &*self.slot.read() {
            Slot::Open(database) => return Ok(Arc::clone(database)),
            Slot::Closed => return Err(store::closed()),
            Slot::Broken => {}
        }
        self.turn_on()
    }

    /// Opens the database again that could not be opened anew before.
    fn turn_on(&self) -> Result<Arc<Database>> {
        let turning = self.turning.lock();
        let folder = turning.as_ref().ok_or_else(store::closed)?;
        match &*self.slot.read() {
            Slot::Open(database) => return Ok(Arc::clone(database)),
            Slot::Closed => return Err(store::closed()),
            Slot::Broken => {}
        }
        let database = Arc::new(Database::open(&folder.data(), &self.options, &self.retainer)?);
        tracing::warn!(folder = %self.path.display(), "the database was opened anew after a failed write");
        *self.slot.write() = Slot::Open(Arc::clone(&database));
        Ok(database)
    }

    /// Lets go of a database that refuses writes, and opens it anew. Cursors from before end as stale.
    fn turn_over(&self, failed: Arc<Database>) -> Result<()> {
        // Who waits here for another to let go of it must not have it in hand.
        let failed = {
            let weak = Arc::downgrade(&failed);
            drop(failed);
            weak
        };
        {
            let _turning = self.turning.lock();
            let mut slot = self.slot.write();
            if !matches!(&*slot, Slot::Open(present) if Arc::as_ptr(present) == failed.as_ptr()) {
                // Somebody else has done it, or closed the store.
                return Ok(());
            }
            let broken = std::mem::replace(&mut *slot, Slot::Broken);
            drop(slot);
            if let Slot::Open(database) = broken {
                when_alone(database).cursors.end();
            }
        }
        self.turn_on().map(drop)
    }

    /// Commits, and sees to it that later writes can go on if this one failed half-way.
    fn commit(&self, write: impl FnOnce(&Database) -> std::result::Result<(), CommitError>) -> Result<()> {
        let database = self.database()?;
        match write(&database) {
            Ok(()) => Ok(()),
            Err(CommitError::Refused(error)) => Err(error),
            Err(CommitError::Failed(cause)) => {
                // What failed earlier has not touched this write; what fails now may show after all.
                let doing = if failure::is_poisoned(&cause) { "writing (nothing was written)" } else { "writing" };
                let error = failed(doing, cause);
                tracing::error!(%error, "a write failed; opening the database anew");
                if let Err(error) = self.turn_over(database) {
                    tracing::error!(%error, "the database could not be opened anew; the next call tries again");
                }
                Err(error)
            }
        }
    }

    fn cover(&self, needed: Beginning) -> Result<()> {
        self.mark.cover(needed, |next| self.commit(|database| database.set_beginning(next)))
    }
}

/// Waits until nobody else has the database in hand: calls that are under way end, new ones do not get it any more.
fn when_alone(mut database: Arc<Database>) -> Database {
    loop {
        match Arc::try_unwrap(database) {
            Ok(alone) => return alone,
            Err(shared) => database = shared,
        }
        std::thread::sleep(CLOSE_STEP);
    }
}

impl Store for SoleStore {
    fn create_space(&self, space: SpaceId, options: &SpaceOptions) -> Result<()> {
        self.database()?.create(space, options)
    }

    fn drop_space(&self, space: SpaceId) -> Result<()> {
        store::refuse_to_drop_catalog(space)?;
        self.database()?.remove(space)
    }

    fn spaces(&self) -> Result<Vec<SpaceId>> {
        Ok(self.database()?.space_ids())
    }

    fn snapshot(&self) -> Result<Arc<dyn Snapshot>> {
        Ok(Arc::new(FjallSnapshot::new(&self.database()?)))
    }

    fn transact(
        &self,
        rows: &[Bytes],
        durability: Durability,
        body: &mut dyn FnMut(&mut dyn Transaction) -> Result<()>,
    ) -> Result<()> {
        store::refuse_default(durability)?;
        let database = self.database()?;
        database.pressure.ease(&database)?;
        drop(database);
        let mut held = self.rows.take(rows, &self.time)?;
        let mut running = Running::new(self.snapshot()?, held.now_ms(), &self.sequence);
        body(&mut running)?;
        let Done { writes, newest } = running.finish()?;
        if let Some(newest) = newest {
            let time_ms = held.assign(newest);
            self.cover(Beginning { time_ms, sequence: self.sequence.upcoming() })?;
        }
        if writes.is_empty() {
            return Ok(());
        }
        let mode = if durability == Durability::FsyncWal { PersistMode::SyncAll } else { PersistMode::Buffer };
        self.commit(|database| database.commit(writes, mode))
    }

    fn now_ms(&self) -> i64 {
        self.time.now_ms()
    }

    fn flush(&self, space: SpaceId) -> Result<()> {
        let database = self.database()?;
        database.flush(&database.keyspace(space)?)
    }

    fn compact(&self, space: SpaceId, major: bool) -> Result<()> {
        let database = self.database()?;
        database.compact(&database.keyspace(space)?, major)
    }

    fn set_retainer(&self, retainer: Arc<dyn Retainer>) {
        self.retainer.set(Some(retainer));
    }

    fn close(&self) -> Result<()> {
        let mut turning = self.turning.lock();
        let Some(folder) = turning.take() else { return Ok(()) };
        let slot = std::mem::replace(&mut *self.slot.write(), Slot::Closed);
        // It may well hold this store.
        self.retainer.set(None);
        let Slot::Open(database) = slot else { return Ok(()) };
        let database = when_alone(database);
        database.cursors.end();
        let written = self.write_out(&database);
        drop(database);
        written?;
        if let Err(error) = folder.empty_journal() {
            tracing::warn!(%error, "the journal could not be emptied; the next start reads it");
        }
        Ok(())
    }
}

impl SoleStore {
    /// Everything into files, and the mark exactly where it is needed.
    fn write_out(&self, database: &Database) -> Result<()> {
        let exact = Beginning { time_ms: self.time.newest_assigned_ms(), sequence: self.sequence.upcoming() };
        match database.set_beginning(exact) {
            Ok(()) => {}
            Err(CommitError::Refused(error)) => return Err(error),
            Err(CommitError::Failed(error)) => return Err(failed("closing", error)),
        }
        database.sync()?;
        database.flush_all()
    }
}

impl Drop for SoleStore {
    fn drop(&mut self) {
        if let Err(error) = self.close() {
            tracing::error!(%error, folder = %self.path.display(), "closing the data folder failed");
        }
    }
}
