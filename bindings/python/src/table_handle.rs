//! A table by name, which remains valid while its database is closed and reopened.

use std::sync::Arc;

use bytes::Bytes;
use hjall_engine::Table;
use hjall_engine::name::TableName;
use parking_lot::RwLock;
use pyo3::prelude::*;

use crate::database::DatabaseHandle;
use crate::error;
use crate::fork::ForkGuard;

/// A table of a database that may be closed, be reopened, or belong to a parent process.
pub struct TableHandle {
    database: Arc<DatabaseHandle>,
    name: Bytes,
    /// The engine's table, as looked up most recently.
    cached: RwLock<Option<CachedTable>>,
}

struct CachedTable {
    /// The generation of the database from which the table was obtained.
    generation: u64,
    table: Arc<ForkGuard<Table>>,
}

impl TableHandle {
    /// Makes a handle without looking the table up.
    pub fn new(database: Arc<DatabaseHandle>, name: Bytes) -> Self {
        Self { database, name, cached: RwLock::new(None) }
    }

    /// The name, as passed to `new`.
    pub fn name(&self) -> &Bytes {
        &self.name
    }

    /// The encoding of `str` arguments.
    pub fn encoding(&self) -> Option<&str> {
        self.database.encoding()
    }

    /// The database.
    pub fn database(&self) -> &Arc<DatabaseHandle> {
        &self.database
    }

    /// The engine's table; [`ForkGuard::get`] gives access to it.
    ///
    /// # Errors
    /// `hjall.Closed`, `hjall.ForkError`, and `InvalidArgument` if the name is not a valid table name.
    pub fn table(&self) -> PyResult<Arc<ForkGuard<Table>>> {
        let generation = self.database.generation();
        if let Some(table) = self.cached_table(generation) {
            return Ok(table);
        }
        let engine = self.database.engine()?;
        let name = TableName::parse(&self.name).map_err(|e| error::from_engine(&e))?;
        let table = Arc::new(ForkGuard::new(engine.table(&name)));
        let old = self.cached.write().replace(CachedTable { generation, table: Arc::clone(&table) });
        // Without the lock, because the last reference to an engine closes it.
        drop(old);
        Ok(table)
    }

    fn cached_table(&self, generation: u64) -> Option<Arc<ForkGuard<Table>>> {
        let cached = self.cached.read();
        cached.as_ref().filter(|cached| cached.generation == generation).map(|cached| Arc::clone(&cached.table))
    }
}
