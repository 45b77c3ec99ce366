//! The database: opening, closing, namespaces and tables.

mod backup;
mod families;
mod maintenance;
mod namespaces;
mod regions;
mod tables;

use std::fmt;
use std::path::Path;
use std::sync::Arc;

pub use crate::catalog::Traffic;
use crate::catalog::{Catalog, TableState};
use crate::config::{Limits, Options};
use crate::core::{Core, Handle};
use crate::error::Result;
use crate::name::TableName;
use crate::region::Region;
use crate::schema::TableDescriptor;
use crate::stop::Stop;
use crate::store::{Statistics, Store};
use crate::table::Table;
pub use backup::{Damage, FamilyProgress};
pub use maintenance::TableFiles;

/// The reads and writes of one table since the database was opened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TableTraffic {
    /// Distinguishes the table from all others, including those that had its name before. Tables created later have
    /// greater numbers; truncating a table gives it a new one.
    pub number: u64,
    /// The name.
    pub table: TableName,
    /// The regions in order, with the traffic of each.
    pub regions: Vec<(Region, Traffic)>,
}

/// A database. Cheap to clone; all clones are the same one.
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
    /// result shares that database.
    ///
    /// # Errors
    /// `Locked` if another process has it open, `NewerFormat` if a newer version wrote it, `InvalidArgument` if this
    /// process has it open with other options, `Io`, `Corrupt`.
    pub fn open(path: &Path, options: Options) -> Result<Self> {
        Handle::open(path, options).map(Self::of)
    }

    /// Opens an empty database in memory.
    ///
    /// # Errors
    /// None in practice.
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

    /// Figures of the store for monitoring. Cheap enough to be read every second.
    ///
    /// # Errors
    /// `Closed`, `Io`.
    pub fn statistics(&self) -> Result<Statistics> {
        let core = self.handle.live()?;
        let mut statistics = core.store.statistics()?;
        core.row_cache.add_to(&mut statistics);
        Ok(statistics)
    }

    /// The reads and writes of all tables since the database was opened, in the order in which the tables were created.
    /// System tables are left out.
    pub fn traffic(&self) -> Vec<TableTraffic> {
        let traffic = self.user_tables().into_iter().map(|table| TableTraffic {
            number: table.number(),
            table: table.name().clone(),
            regions: table.regions().iter().cloned().zip(table.traffic().read()).collect(),
        });
        traffic.collect()
    }

    /// Passes each region of all tables with its traffic to a function, in the order of [`Self::traffic`]. The first
    /// error of the function ends the visit.
    ///
    /// # Errors
    /// That of the function.
    pub fn visit_traffic<E>(
        &self,
        mut visit: impl FnMut(&TableDescriptor, &Region, Traffic) -> std::result::Result<(), E>,
    ) -> std::result::Result<(), E> {
        self.user_tables().iter().try_for_each(|table| {
            let mut regions = table.regions().iter().zip(table.traffic().read());
            regions.try_for_each(|(region, traffic)| visit(table.descriptor(), region, traffic))
        })
    }

    /// All tables but `hbase:meta`, in the order in which they were created.
    fn user_tables(&self) -> Vec<Arc<TableState>> {
        let mut tables = self.core().catalog.tables();
        tables.retain(|table| !table.is_system());
        tables.sort_by_key(|table| table.number());
        tables
    }

    /// The limits on the size of cells.
    pub fn limits(&self) -> Limits {
        self.core().limits
    }

    /// Returns a handle of a table. Each use of the handle checks whether the table exists.
    pub fn table(&self, name: &TableName) -> Table {
        self.table_named(name.clone())
    }

    /// As [`Self::table`], for a name that is not needed any more.
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
