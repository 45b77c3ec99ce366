//! The base class of `hjall.Table`: the verbs that are called for single rows.

mod read;
mod write;

use std::fmt::Display;
use std::sync::Arc;

use bytes::Bytes;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::convert;
use crate::database::Database;
use crate::error::{self, Place};
use crate::mutation;
use crate::row::ColumnNames;
use crate::table_handle::TableHandle;

/// The base class of `hjall.Table`.
#[pyclass(frozen, subclass, module = "hjall._native")]
pub struct Table {
    handle: Arc<TableHandle>,
    names: ColumnNames,
}

impl Table {
    /// The handle that scanners and batches of the table share.
    pub fn handle(&self) -> &Arc<TableHandle> {
        &self.handle
    }

    /// The subject of a call of a method.
    fn place<'a>(&'a self, method: &'a str, row: &'a Bytes) -> Place<'a> {
        Place { method, table: self.handle.name(), row: Some(row) }
    }

    fn bytes(&self, value: &Bound<'_, PyAny>, what: impl Display) -> PyResult<Bytes> {
        convert::bytes(value, what, self.handle.encoding())
    }

    fn column(&self, value: &Bound<'_, PyAny>) -> PyResult<(Bytes, Bytes)> {
        match convert::column(self.bytes(value, "a column")?) {
            (family, Some(qualifier)) => Ok((family, qualifier)),
            (family, None) => Err(error::from_engine(&mutation::no_qualifier(&family))),
        }
    }
}

#[pymethods]
impl Table {
    #[new]
    fn new(database: &Bound<'_, Database>, name: &Bound<'_, PyAny>) -> PyResult<Self> {
        let database = Arc::clone(database.get().handle());
        Ok(Self {
            handle: Arc::new(TableHandle::new(database, convert::name(name, "a table name")?)),
            names: ColumnNames::default(),
        })
    }

    /// The table's name, including its prefix.
    #[getter]
    fn name<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, self.handle.name())
    }
}
