//! A store in a data folder.

use std::path::Path;
use std::sync::Arc;

use bytes::Bytes;
use fjall::PersistMode;

use super::clock_mark::{Beginning, ClockMark};
use super::cursor::FjallSnapshot;
use super::database::Database;
use super::holder::Holder;
use super::options::StoreOptions;
use super::statistics;
use crate::durability::Durability;
use crate::error::Result;
use crate::store::folder::Folder;
use crate::store::rows::Rows;
use crate::store::running::{Done, Running};
use crate::store::time::{Sequence, Time};
use crate::store::{
    self, CompactionControl, CompactionFilterFactory, Snapshot, SpaceFiles, SpaceId, SpaceOptions, Statistics, Store,
    Transaction,
};

/// A store in a data folder, which it has to itself.
pub struct FjallStore {
    holder: Holder,
    rows: Rows,
    time: Time,
    sequence: Sequence,
    mark: ClockMark,
}

impl FjallStore {
    /// Opens the store in a folder, creating it if necessary.
    ///
    /// # Errors
    /// `Locked`: the folder is open already, in this process or another. `NewerFormat`: a newer version wrote it. `InvalidArgument`: the folder
    /// holds other things. `Io`, `Corrupt`.
    pub fn open(path: &Path, options: StoreOptions) -> Result<Arc<dyn Store>> {
        let clock = options.clock();
        let holder = Holder::open(Folder::open(path)?, options)?;
        let beginning = holder.database()?.beginning()?;
        Ok(Arc::new(Self {
            holder,
            rows: Rows::new(),
            time: Time::new(clock, beginning.time_ms),
            sequence: Sequence::from(beginning.sequence),
            mark: ClockMark::at(beginning),
        }))
    }

    /// Everything into files, and the mark exactly where it is needed.
    fn write_out(&self, database: &Database) -> Result<()> {
        database
            .set_beginning(Beginning { time_ms: self.time.newest_assigned_ms(), sequence: self.sequence.upcoming() })?;
        database.sync()?;
        database.flush_all()
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
        {
            let database = self.holder.writable()?;
            database.pressure.ease(&database.inner)?;
        }
        let mut held = self.rows.take(rows, &self.time)?;
        let mut running = Running::new(self.snapshot()?, held.now_ms(), &self.sequence);
        body(&mut running)?;
        let Done { writes, newest } = running.finish()?;
        if let Some(newest) = newest {
            let time_ms = held.assign(newest);
            let needed = Beginning { time_ms, sequence: self.sequence.upcoming() };
            self.mark.cover(needed, |next| self.holder.writable()?.set_beginning(next))?;
        }
        if writes.is_empty() {
            return Ok(());
        }
        let mode = if durability == Durability::FsyncWal { PersistMode::SyncAll } else { PersistMode::Buffer };
        self.holder.writable()?.commit(writes, mode)
    }

    fn now_ms(&self) -> i64 {
        self.time.now_ms()
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
            ..statistics::of(&database)
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
