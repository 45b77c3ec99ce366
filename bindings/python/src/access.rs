//! A table by name, in whatever opening of its database is the present one.

use std::sync::Arc;

use bytes::Bytes;
use hjall_engine::Table;
use hjall_engine::name::TableName;
use parking_lot::RwLock;
use pyo3::prelude::*;

use crate::database::Shared;
use crate::error;
use crate::fork::Owned;

/// A table of a database that may be closed, opened anew, or belong to a parent process.
pub struct Access {
    shared: Arc<Shared>,
    name: Bytes,
    /// The table, and the opening of the database that it belongs to.
    present: RwLock<Option<(u64, Arc<Owned<Table>>)>>,
}

impl Access {
    /// A table by name; nothing is looked at.
    pub fn new(shared: Arc<Shared>, name: Bytes) -> Self {
        Self { shared, name, present: RwLock::new(None) }
    }

    /// The name, as it was given.
    pub fn name(&self) -> &Bytes {
        &self.name
    }

    /// What texts are encoded with.
    pub fn encoding(&self) -> Option<&str> {
        self.shared.encoding()
    }

    /// The database.
    pub fn shared(&self) -> &Arc<Shared> {
        &self.shared
    }

    /// The table of the present opening; [`Owned::get`] gives it out.
    ///
    /// # Errors
    /// `hjall.Closed`, `hjall.ForkError`, `InvalidArgument` for a name that cannot be a table's.
    pub fn table(&self) -> PyResult<Arc<Owned<Table>>> {
        let openings = self.shared.openings();
        if let Some((of, table)) = &*self.present.read()
            && *of == openings
        {
            return Ok(Arc::clone(table));
        }
        let engine = self.shared.engine()?;
        let name = TableName::parse(&self.name).map_err(|e| error::raised(&e))?;
        let table = Arc::new(Owned::new(engine.table(&name)));
        *self.present.write() = Some((openings, Arc::clone(&table)));
        Ok(table)
    }
}
