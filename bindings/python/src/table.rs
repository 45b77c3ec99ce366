//! A table's reads and writes.

use bytes::Bytes;
use hjall_engine::mutation::{Put, PutCell};
use hjall_engine::name::TableName;
use hjall_engine::request::Get;
use hjall_engine::{LATEST, Table as EngineTable};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};

use crate::call::call;
use crate::convert;
use crate::database::Database;
use crate::error;
use crate::fork::Owned;

/// What `hjall.Table` is built on.
#[pyclass(frozen, subclass, module = "hjall._native")]
pub struct Table {
    table: Owned<EngineTable>,
}

#[pymethods]
impl Table {
    #[new]
    fn new(database: &Bound<'_, Database>, name: Vec<u8>) -> PyResult<Self> {
        let name = TableName::parse(&name).map_err(|e| error::raised(&e))?;
        Ok(Self { table: Owned::new(database.get().engine()?.table(&name)) })
    }

    /// One row as a dict of its columns.
    fn row<'py>(&self, py: Python<'py>, row: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyDict>> {
        let table = self.table.get()?;
        let get = Get::new(convert::bytes(row, "row", None)?);
        let row = call(py, || table.get(&get))?;
        let data = PyDict::new(py);
        for cell in &row.cells {
            let name = [&cell.family[..], b":", &cell.qualifier].concat();
            data.set_item(PyBytes::new(py, &name), PyBytes::new(py, &cell.value))?;
        }
        Ok(data)
    }

    /// Writes a dict of columns.
    fn put(&self, py: Python<'_>, row: &Bound<'_, PyAny>, data: &Bound<'_, PyDict>) -> PyResult<()> {
        let table = self.table.get()?;
        let mut put = Put { row: convert::bytes(row, "row", None)?, ..Put::default() };
        for (column, value) in data {
            let mut family: Bytes = convert::bytes(&column, "column", None)?;
            let Some(colon) = family.iter().position(|&b| b == b':') else {
                return Err(PyValueError::new_err("a column is family:qualifier"));
            };
            let qualifier = family.split_off(colon + 1);
            family.truncate(colon);
            let value = convert::bytes(&value, "value", None)?;
            put.cells.push(PutCell { family, qualifier, timestamp: LATEST, value });
        }
        call(py, || table.put(&put))
    }
}
