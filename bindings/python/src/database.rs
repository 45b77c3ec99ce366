//! An open database.

use std::path::PathBuf;

use hjall_engine::name::TableName;
use hjall_engine::schema::{FamilyDescriptor, TableDescriptor};
use hjall_engine::{Engine, Options};
use pyo3::prelude::*;

use crate::call::call;
use crate::error;
use crate::fork::Owned;

/// An open database; `hjall.Database` holds one.
#[pyclass(frozen, module = "hjall._native")]
pub struct Database {
    engine: Owned<Engine>,
}

impl Database {
    /// The engine.
    ///
    /// # Errors
    /// `hjall.ForkError` in a forked child.
    pub fn engine(&self) -> PyResult<&Engine> {
        self.engine.get()
    }
}

#[pymethods]
impl Database {
    /// Opens a folder, or without one a database in memory.
    #[new]
    fn new(py: Python<'_>, path: Option<PathBuf>) -> PyResult<Self> {
        let engine = call(py, || match path {
            Some(path) => Engine::open(&path, Options::default()),
            None => Engine::memory(Options::default()),
        })?;
        Ok(Self { engine: Owned::new(engine) })
    }

    fn close(&self, py: Python<'_>) -> PyResult<()> {
        let engine = self.engine()?;
        call(py, || engine.close())
    }

    fn create_table(&self, py: Python<'_>, name: Vec<u8>, families: Vec<Vec<u8>>) -> PyResult<()> {
        let engine = self.engine()?;
        let name = TableName::parse(&name).map_err(|e| error::raised(&e))?;
        call(py, || {
            let mut table = TableDescriptor::new(name);
            for family in families {
                table.add_family(FamilyDescriptor::new(family)?)?;
            }
            engine.create_table(table, Vec::new())
        })
    }
}
