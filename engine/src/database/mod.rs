//! The database: opening, closing, namespaces and tables.

mod backup;
mod backup_staging;
mod families;
mod maintenance;
mod namespaces;
mod regions;
mod tables;
mod traffic;

use std::fmt;
use std::path::Path;
use std::sync::Arc;

use crate::catalog::Catalog;
pub use crate::catalog::Traffic;
use crate::config::{Limits, Options};
use crate::core::{Core, Handle};
use crate::error::Result;
use crate::name::TableName;
use crate::stop::Stop;
use crate::store::{Statistics, Store};
use crate::table::Table;
pub use backup::{Damage, FamilyProgress};
pub use maintenance::TableFiles;
pub use traffic::TableTraffic;

/// A database. Cheap to clone; all clones refer to the same database.
#[derive(Clone)]
pub struct Engine {
    handle: Arc<Handle>,
    /// The flag that stops changes of tables and namespaces.
    stop: Stop,
}

impl fmt::Debug for Engine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Engine")
            .field("cluster_id", &self.cluster_id())
            .field("closed", &self.handle.is_closed())
            .finish_non_exhaustive()
    }
}

impl Engine {
    /// Opens the database in a folder, creating it if necessary. If this process already has the folder open, the
    /// result shares that database. See [`Options::read_only`] for opening one that another process has open.
    ///
    /// # Errors
    /// `Locked` if another process has it open, `NewerFormat` if a newer version wrote it, `InvalidArgument` if this
    /// process has it open with other options, `Io`, `Corrupt`. For reading only: `InvalidArgument` if there is no
    /// database in the folder; `Busy` if it is being created, or changed too often to be copied.
    pub fn open(path: &Path, options: Options) -> Result<Self> {
        let reads_only = options.read_only;
        let opened = Self::open_backup(path, options)?;
        if !reads_only {
            backup::unmark(path)?;
        }
        Ok(opened)
    }

    /// Opens the database in a folder as [`Self::open`] does, to read it: to verify it, or to copy it. If it is an
    /// incremental backup, a later one can still replace it.
    ///
    /// # Errors
    /// Those of [`Self::open`].
    pub fn open_backup(path: &Path, options: Options) -> Result<Self> {
        Handle::open(path, options).map(Self::of)
    }

    /// Opens an empty database in memory.
    ///
    /// # Errors
    /// `InvalidArgument`: an option is out of range.
    pub fn memory(options: Options) -> Result<Self> {
        Handle::memory(options).map(Self::of)
    }

    /// Opens the database in a store, with HBase's default limits.
    ///
    /// # Errors
    /// Those of the store, `Corrupt` if its catalog cannot be read.
    pub fn with_store(store: Arc<dyn Store>) -> Result<Self> {
        Handle::with_store(store).map(Self::of)
    }

    fn of(handle: Arc<Handle>) -> Self {
        Self { handle, stop: Stop::never() }
    }

    /// The same database. Changes of tables and namespaces that are made through this value fail with `Cancelled` once
    /// `stop` is set: while they wait for another change, and before each space that they create. They have no effect
    /// then.
    pub fn stopped_by(&self, stop: Stop) -> Self {
        Self { stop, ..self.clone() }
    }

    /// Closes this opening. The last one to close writes everything to disk and releases the folder. Idempotent.
    /// Dropping the last clone, with the last table and scanner created from it, closes too, but cannot report errors.
    ///
    /// # Errors
    /// `Io` if something could not be written.
    pub fn close(&self) -> Result<()> {
        self.handle.close()
    }

    /// The UUID that was generated with the data folder.
    pub fn cluster_id(&self) -> &str {
        self.core().catalog.cluster_id()
    }

    /// The timestamp that writes get now, in milliseconds since 1970.
    pub fn now_ms(&self) -> i64 {
        self.core().store.now_ms()
    }

    /// How far the time of the database is ahead of the machine's clock, in milliseconds, or 0 after it was closed.
    /// Neither waits nor reopens the database after a failure.
    pub fn clock_ahead_ms(&self) -> i64 {
        self.handle.live().map_or(0, |core| core.store.clock_ahead_ms())
    }

    /// Figures of the store for monitoring. Cheap enough to be read every second.
    ///
    /// # Errors
    /// `Closed`, `Io`.
    pub fn statistics(&self) -> Result<Statistics> {
        let core = self.handle.live()?;
        let mut statistics = core.store.statistics()?;
        core.row_cache.add_to(&mut statistics);
        statistics.damaged_calls = core.damage.calls();
        Ok(statistics)
    }

    /// Makes a database that has refused writes since a failed one writable again, if its folder can be written.
    /// Returns whether it was reopened. Each write tries the same, so this is for databases that are written rarely.
    ///
    /// # Errors
    /// `Io`, `DiskFull`: the folder still cannot be written. `Corrupt`, `Closed`.
    pub fn recover(&self) -> Result<bool> {
        self.handle.live()?.store.recover()
    }

    /// The limits on the size of cells.
    pub fn limits(&self) -> Limits {
        self.core().limits
    }

    /// Returns a handle of a table. Each use of the handle checks whether the table exists.
    pub fn table(&self, name: &TableName) -> Table {
        self.table_named(name.clone())
    }

    /// As [`Self::table`], but takes ownership of the name.
    pub fn table_named(&self, name: TableName) -> Table {
        Table::new(Arc::clone(&self.handle), name)
    }

    fn core(&self) -> &Core {
        self.handle.core()
    }

    fn catalog(&self) -> &Catalog {
        &self.core().catalog
    }
}
