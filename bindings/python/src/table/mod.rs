//! A table: what `hjall.Table` is built on.

mod atomic;
mod read;
mod write;

use std::sync::Arc;

use bytes::Bytes;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::access::Access;
use crate::convert;
use crate::database::Database;
use crate::mutation;
use crate::row::Names;

/// The parts of `hjall.Cell`: column, value, timestamp, kind.
type CellParts<'py> = (Bound<'py, PyBytes>, Bound<'py, PyBytes>, i64, &'static str);

/// What `hjall.Table` is built on.
#[pyclass(frozen, subclass, module = "hjall._native")]
pub struct Table {
    access: Arc<Access>,
    names: Names,
}

impl Table {
    /// The table, for whatever else works on it.
    pub fn access(&self) -> &Arc<Access> {
        &self.access
    }

    fn bytes(&self, value: &Bound<'_, PyAny>, what: &str) -> PyResult<Bytes> {
        convert::bytes(value, what, self.access.encoding())
    }

    fn column(&self, value: &Bound<'_, PyAny>) -> PyResult<(Bytes, Bytes)> {
        match convert::column(self.bytes(value, "a column")?) {
            (family, Some(qualifier)) => Ok((family, qualifier)),
            (family, None) => Err(mutation::no_qualifier(&family)),
        }
    }
}

#[pymethods]
impl Table {
    #[new]
    fn new(database: &Bound<'_, Database>, name: &Bound<'_, PyAny>) -> PyResult<Self> {
        let shared = Arc::clone(database.get().shared());
        Ok(Self {
            access: Arc::new(Access::new(shared, convert::name(name, "the name of a table")?)),
            names: Names::default(),
        })
    }

    /// The table's name, with its prefix.
    #[getter]
    fn name<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, self.access.name())
    }
}
