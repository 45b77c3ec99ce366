//! Reads: rows, cells, scans.

use hjall_engine::request::{Get, check_row};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList, PyString};

use super::Table;
use crate::call::call_at;
use crate::convert::{self, argument};
use crate::error;
use crate::error::Place;
use crate::row::{self, CellFields, RowFormat};
use crate::scanner::{ScanArguments, Scanner};

/// Rows read per call of the engine. Signals are checked between calls.
const ROWS_PER_CALL: usize = 8192;

#[pymethods]
impl Table {
    /// Returns the newest cells of one row, as a dict from column (``b"family:qualifier"``) to value. The dict is empty
    /// if the row does not exist.
    ///
    /// `columns`: a list or tuple of the columns and families to return; `None` returns all. `timestamp`: only cells
    /// older than this, in milliseconds since 1970. `include_timestamp`: return ``(value, timestamp)`` instead of
    /// values. `time_range`: only cells with ``min <= timestamp < max``, as ``(min, max)`` in milliseconds since 1970;
    /// it cannot be combined with `timestamp`. `filter`: a filter from `hjall.filters`, or text in HBase's filter
    /// language.
    ///
    /// Raises `TypeError` and `ValueError` for invalid arguments, `TableNotFound`, `TableDisabled`, `FamilyNotFound`.
    ///
    /// >>> import hjall
    /// >>> db = hjall.memory()
    /// >>> db.create_table("users", {"info": {}})
    /// >>> users = db.table("users")
    /// >>> users.put(b"ann", {b"info:name": b"Ann", b"info:city": b"Oslo"}, timestamp=5)
    /// >>> users.row(b"ann")
    /// {b'info:city': b'Oslo', b'info:name': b'Ann'}
    /// >>> users.row(b"ann", columns=[b"info:city"], include_timestamp=True)
    /// {b'info:city': (b'Oslo', 5)}
    #[pyo3(signature = (row, columns=None, timestamp=None, include_timestamp=false, *, time_range=None, filter=None))]
    #[allow(clippy::too_many_arguments, reason = "arguments of Python, by name")]
    fn row<'py>(
        &self,
        py: Python<'py>,
        row: &Bound<'py, PyAny>,
        columns: Option<&Bound<'py, PyAny>>,
        timestamp: Option<&Bound<'py, PyAny>>,
        #[pyo3(from_py_with = argument::include_timestamp)] include_timestamp: bool,
        time_range: Option<&Bound<'py, PyAny>>,
        filter: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyDict>> {
        let get = self.get_request(row, columns, timestamp, time_range, filter, "row")?;
        let table = self.handle.table()?;
        let table = table.get()?;
        let found = call_at(py, self.place("row", &get.row), || table.get(&get))?;
        self.names.row(py, &found, RowFormat { include_timestamp })
    }

    /// Returns several rows, as a list of ``(key, dict)`` in the order of `rows`. Rows that do not exist are left out.
    /// If `rows` is empty, the result is an empty dict, as in HappyBase.
    ///
    /// The other arguments and the errors are those of `row`.
    ///
    /// >>> import hjall
    /// >>> db = hjall.memory()
    /// >>> db.create_table("t", {"f": {}})
    /// >>> table = db.table("t")
    /// >>> table.put(b"a", {b"f:x": b"1"})
    /// >>> table.rows([b"b", b"a"])
    /// [(b'a', {b'f:x': b'1'})]
    #[pyo3(signature = (rows, columns=None, timestamp=None, include_timestamp=false, *, time_range=None, filter=None))]
    #[allow(clippy::too_many_arguments, reason = "arguments of Python, by name")]
    fn rows<'py>(
        &self,
        py: Python<'py>,
        rows: &Bound<'py, PyAny>,
        columns: Option<&Bound<'py, PyAny>>,
        timestamp: Option<&Bound<'py, PyAny>>,
        #[pyo3(from_py_with = argument::include_timestamp)] include_timestamp: bool,
        time_range: Option<&Bound<'py, PyAny>>,
        filter: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let columns = convert::columns(columns, self.handle.encoding())?;
        if !rows.is_truthy()? {
            return Ok(PyDict::new(py).into_any());
        }
        let of_all = Place { method: "rows", table: self.handle.name(), row: None };
        let template = Get {
            columns,
            time_range: convert::time_range(timestamp, time_range, of_all)?,
            filter: crate::filter::argument(filter, of_all)?,
            ..Get::new("")
        };
        let wrong = || {
            let is_one = rows.is_instance_of::<PyBytes>() || rows.is_instance_of::<PyString>();
            let remedy = if is_one { format!(": write [{}]", rows.repr()?) } else { String::new() };
            Ok(format!("rows must be an iterable of row keys, not {}{remedy}", convert::type_name(rows)?))
        };
        let mut gets = Vec::new();
        for row in convert::iterate(rows, wrong)?.try_iter()? {
            let row = self.bytes(&row?, "a row key")?;
            check_row(&row).map_err(|e| error::from_call(&e, self.place("rows", &row)))?;
            gets.push(Get { row, ..template.clone() });
        }
        let table = self.handle.table()?;
        let table = table.get()?;
        let mut found = Vec::with_capacity(gets.len());
        for gets in gets.chunks(ROWS_PER_CALL) {
            let read = || table.get_many(gets).into_iter().collect::<hjall_engine::Result<Vec<_>>>();
            found.extend(call_at(py, of_all, read)?);
            py.check_signals()?;
        }
        let list = PyList::empty(py);
        for found in found.iter().filter(|found| !found.cells.is_empty()) {
            let data = self.names.row(py, found, RowFormat { include_timestamp })?;
            list.append(row::pair(py, found, data.into_any())?)?;
        }
        Ok(list.into_any())
    }

    /// Returns the versions of one column of a row, newest first, as a list of values, or of ``(value, timestamp)``
    /// with `include_timestamp`. For a family, returns the versions of all its columns.
    ///
    /// `versions`: the largest number of versions per column; `None` returns all that the family keeps. The other
    /// arguments and the errors are those of `row`.
    ///
    /// >>> import hjall
    /// >>> db = hjall.memory()
    /// >>> db.create_table("t", {"f": {"max_versions": 2}})
    /// >>> table = db.table("t")
    /// >>> for n in range(1, 4):
    /// ...     table.put(b"r", {b"f:x": b"v%d" % n}, timestamp=n)
    /// >>> table.cells(b"r", b"f:x", include_timestamp=True)
    /// [(b'v3', 3), (b'v2', 2)]
    #[pyo3(signature = (row, column, versions=None, timestamp=None, include_timestamp=false, *, time_range=None,
    filter=None))]
    #[allow(clippy::too_many_arguments, reason = "arguments of Python, by name")]
    fn cells<'py>(
        &self,
        py: Python<'py>,
        row: &Bound<'py, PyAny>,
        column: &Bound<'py, PyAny>,
        versions: Option<&Bound<'py, PyAny>>,
        timestamp: Option<&Bound<'py, PyAny>>,
        #[pyo3(from_py_with = argument::include_timestamp)] include_timestamp: bool,
        time_range: Option<&Bound<'py, PyAny>>,
        filter: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyList>> {
        let max_versions = convert::versions(versions)?;
        let columns = PyList::new(py, [column])?.into_any();
        let get =
            Get { max_versions, ..self.get_request(row, Some(&columns), timestamp, time_range, filter, "cells")? };
        let table = self.handle.table()?;
        let table = table.get()?;
        let found = call_at(py, self.place("cells", &get.row), || table.get(&get))?;
        row::values(py, &found, RowFormat { include_timestamp })
    }

    /// The cells of a row, as tuples; the implementation of `row_cells`.
    #[pyo3(signature = (row, columns, versions, time_range, filter, limit, offset, raw))]
    #[allow(clippy::too_many_arguments, reason = "arguments of Python, by name")]
    fn _row_cells<'py>(
        &self,
        py: Python<'py>,
        row: &Bound<'py, PyAny>,
        columns: Option<&Bound<'py, PyAny>>,
        versions: Option<&Bound<'py, PyAny>>,
        time_range: Option<&Bound<'py, PyAny>>,
        filter: Option<&Bound<'py, PyAny>>,
        limit: Option<&Bound<'py, PyAny>>,
        offset: &Bound<'py, PyAny>,
        #[pyo3(from_py_with = argument::raw)] raw: bool,
    ) -> PyResult<Vec<CellFields<'py>>> {
        let get = Get {
            max_versions: versions.map_or(Ok(i32::MAX), |value| convert::integer32(value, "versions"))?,
            store_limit: limit.map_or(Ok(-1), |value| convert::integer32(value, "limit"))?,
            store_offset: convert::integer32(offset, "offset")?,
            raw,
            ..self.get_request(row, columns, None, time_range, filter, "row_cells")?
        };
        let table = self.handle.table()?;
        let table = table.get()?;
        let found = call_at(py, self.place("row_cells", &get.row), || table.get(&get))?;
        row::cells(py, &found)
    }

    /// Returns whether a row has any cell, or any cell of the given columns. The arguments and the errors are those of
    /// `row`.
    ///
    /// >>> import hjall
    /// >>> db = hjall.memory()
    /// >>> db.create_table("t", {"f": {}})
    /// >>> db.table("t").exists(b"r")
    /// False
    #[pyo3(signature = (row, columns=None, timestamp=None, *, time_range=None, filter=None))]
    fn exists(
        &self,
        py: Python<'_>,
        row: &Bound<'_, PyAny>,
        columns: Option<&Bound<'_, PyAny>>,
        timestamp: Option<&Bound<'_, PyAny>>,
        time_range: Option<&Bound<'_, PyAny>>,
        filter: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<bool> {
        let get = self.get_request(row, columns, timestamp, time_range, filter, "exists")?;
        let table = self.handle.table()?;
        let table = table.get()?;
        call_at(py, self.place("exists", &get.row), || table.exists(&get))
    }

    /// Opens a scan for a method, which the messages of errors name. `expected`: the number of results after which the
    /// caller ends the scan, if it knows that.
    #[pyo3(signature = (arguments, method="scan", expected=None))]
    fn _scanner(
        &self,
        py: Python<'_>,
        arguments: ScanArguments<'_>,
        method: &str,
        expected: Option<usize>,
    ) -> PyResult<Scanner> {
        Scanner::open(py, &self.handle, arguments.scan(&self.handle, method)?, method.to_owned(), expected)
    }
}

impl Table {
    /// The request for the newest version of each column, from the arguments that all reads of one row share. Messages
    /// name the method.
    #[allow(clippy::too_many_arguments, reason = "arguments of Python, by name")]
    fn get_request(
        &self,
        row: &Bound<'_, PyAny>,
        columns: Option<&Bound<'_, PyAny>>,
        timestamp: Option<&Bound<'_, PyAny>>,
        time_range: Option<&Bound<'_, PyAny>>,
        filter: Option<&Bound<'_, PyAny>>,
        method: &str,
    ) -> PyResult<Get> {
        let row = self.bytes(row, "the row key")?;
        let place = self.place(method, &row);
        let (time_range, filter) =
            (convert::time_range(timestamp, time_range, place)?, crate::filter::argument(filter, place)?);
        Ok(Get { columns: convert::columns(columns, self.handle.encoding())?, time_range, filter, ..Get::new(row) })
    }
}
