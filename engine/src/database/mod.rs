//! The database: opening, closing, namespaces and tables.

mod families;
mod namespaces;
mod regions;
mod tables;
mod upkeep;

use std::fmt;
use std::path::Path;
use std::sync::Arc;

use crate::catalog::Catalog;
use crate::config::{Limits, Options};
use crate::core::{Core, Handle};
use crate::error::Result;
use crate::name::TableName;
use crate::store::{Statistics, Store};
use crate::table::Table;
pub use upkeep::TableFiles;

/// A database. Cheap to clone; all clones are the same one.
#[derive(Clone)]
pub struct Engine {
    handle: Arc<Handle>,
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
    /// Opens the database in a folder, making it if need be. A folder that this process has open already gives the same database.
    ///
    /// # Errors
    /// `Locked` if another process has it open, `NewerFormat` if a newer version wrote it, `InvalidArgument` if this process has it open
    /// with other options, `Io`, `Corrupt`.
    pub fn open(path: &Path, options: Options) -> Result<Self> {
        Ok(Self { handle: Handle::open(path, options)? })
    }

    /// A database without a disk.
    ///
    /// # Errors
    /// None that can be foreseen.
    pub fn memory(options: Options) -> Result<Self> {
        Ok(Self { handle: Handle::memory(options)? })
    }

    /// A database over any store, with HBase's default limits.
    ///
    /// # Errors
    /// Those of the store, `Corrupt` if its catalog cannot be read.
    pub fn with_store(store: Arc<dyn Store>) -> Result<Self> {
        Ok(Self { handle: Handle::with_store(store)? })
    }

    /// Writes everything to disk and lets go of the folder, when the last opener closes. Idempotent. Dropping the last clone (and the
    /// last table and scanner made from it) closes as well, but cannot tell of errors.
    ///
    /// # Errors
    /// `Io` if something could not be written.
    pub fn close(&self) -> Result<()> {
        self.handle.close()
    }

    /// A UUID made with the folder.
    pub fn cluster_id(&self) -> &str {
        self.core().catalog.cluster_id()
    }

    /// The time as writes see it, in milliseconds since 1970.
    pub fn now_ms(&self) -> i64 {
        self.core().store.now_ms()
    }

    /// How its store fares, for those who watch it; cheap enough to be asked every second.
    ///
    /// # Errors
    /// `Closed`, `Io`.
    pub fn statistics(&self) -> Result<Statistics> {
        self.handle.live()?.store.statistics()
    }

    /// How large cells may be.
    pub fn limits(&self) -> Limits {
        self.core().limits
    }

    /// A table by name; whether it exists shows when it is used.
    pub fn table(&self, name: &TableName) -> Table {
        Table::new(Arc::clone(&self.handle), name.clone())
    }

    fn core(&self) -> &Core {
        self.handle.core()
    }

    fn catalog(&self) -> &Catalog {
        &self.core().catalog
    }
}
