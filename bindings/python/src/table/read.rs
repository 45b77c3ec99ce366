//! Reading a table: rows, cells, scans.

use hjall_engine::request::{Get, check_row};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

use super::{CellParts, Table};
use crate::call::call;
use crate::convert;
use crate::error;
use crate::row::{self, Shape};
use crate::scanner::{Scanner, Wanted};

/// Rows read in one call: signals are looked for between them.
const ROWS_AT_ONCE: usize = 8192;

#[pymethods]
impl Table {
    /// The newest cells of one row, as a dict from column (``b"family:qualifier"``) to value; empty if there is no such row.
    ///
    /// `columns`: only these, a list or tuple of columns and families. `timestamp`: only what is older than this, in milliseconds since 1970.
    /// `include_timestamp`: values are ``(value, timestamp)``. `time_range`: ``(min, max)`` in milliseconds, the second one excluded.
    /// `filter`: one of `hjall.filters`, or a text in HBase's filter language.
    ///
    /// Raises `TypeError` and `ValueError` for arguments that cannot be, `TableNotFound`, `TableDisabled`, `FamilyNotFound`.
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
    #[allow(clippy::too_many_arguments)]
    fn row<'py>(
        &self,
        py: Python<'py>,
        row: &Bound<'py, PyAny>,
        columns: Option<&Bound<'py, PyAny>>,
        timestamp: Option<&Bound<'py, PyAny>>,
        include_timestamp: bool,
        time_range: Option<(i64, i64)>,
        filter: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyDict>> {
        let get = self.asked(row, columns, timestamp, time_range, filter)?;
        let table = self.access.table()?;
        let table = table.get()?;
        let found = call(py, || table.get(&get))?;
        self.names.row(py, &found, Shape { timestamps: include_timestamp })
    }

    /// Several rows, as ``(key, dict)`` in the order asked for; those that are not there are left out. Arguments and errors as for `row`. Without
    /// any row the answer is an empty dict, as in HappyBase.
    ///
    /// >>> import hjall
    /// >>> db = hjall.memory()
    /// >>> db.create_table("t", {"f": {}})
    /// >>> table = db.table("t")
    /// >>> table.put(b"a", {b"f:x": b"1"})
    /// >>> table.rows([b"b", b"a"])
    /// [(b'a', {b'f:x': b'1'})]
    #[pyo3(signature = (rows, columns=None, timestamp=None, include_timestamp=false, *, time_range=None, filter=None))]
    #[allow(clippy::too_many_arguments)]
    fn rows<'py>(
        &self,
        py: Python<'py>,
        rows: &Bound<'py, PyAny>,
        columns: Option<&Bound<'py, PyAny>>,
        timestamp: Option<&Bound<'py, PyAny>>,
        include_timestamp: bool,
        time_range: Option<(i64, i64)>,
        filter: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let columns = convert::columns(columns, self.access.encoding())?;
        if !rows.is_truthy()? {
            return Ok(PyDict::new(py).into_any());
        }
        let like = Get {
            columns,
            time_range: convert::times(timestamp, time_range)?,
            filter: convert::filter(filter)?,
            ..Get::new("")
        };
        let mut gets = Vec::new();
        for row in rows.try_iter()? {
            let row = self.bytes(&row?, "a row")?;
            check_row(&row).map_err(|e| error::raised(&e))?;
            gets.push(Get { row, ..like.clone() });
        }
        let table = self.access.table()?;
        let table = table.get()?;
        let mut found = Vec::with_capacity(gets.len());
        for gets in gets.chunks(ROWS_AT_ONCE) {
            found.extend(call(py, || table.get_many(gets).into_iter().collect::<hjall_engine::Result<Vec<_>>>())?);
            py.check_signals()?;
        }
        let list = PyList::empty(py);
        for found in found.iter().filter(|found| !found.cells.is_empty()) {
            let data = self.names.row(py, found, Shape { timestamps: include_timestamp })?;
            list.append(row::pair(py, found, data.into_any())?)?;
        }
        Ok(list.into_any())
    }

    /// The versions of one column of a row, newest first: a list of values, or of ``(value, timestamp)``. Of a family the versions of all its columns.
    ///
    /// `versions`: at most so many; `None`: all that the family keeps. The other arguments and errors as for `row`.
    ///
    /// >>> import hjall
    /// >>> db = hjall.memory()
    /// >>> db.create_table("t", {"f": {"max_versions": 2}})
    /// >>> table = db.table("t")
    /// >>> for n in range(1, 4):
    /// ...     table.put(b"r", {b"f:x": b"v%d" % n}, timestamp=n)
    /// >>> table.cells(b"r", b"f:x", include_timestamp=True)
    /// [(b'v3', 3), (b'v2', 2)]
    #[pyo3(signature = (row, column, versions=None, timestamp=None, include_timestamp=false, *, time_range=None, filter=None))]
    #[allow(clippy::too_many_arguments)]
    fn cells<'py>(
        &self,
        py: Python<'py>,
        row: &Bound<'py, PyAny>,
        column: &Bound<'py, PyAny>,
        versions: Option<&Bound<'py, PyAny>>,
        timestamp: Option<&Bound<'py, PyAny>>,
        include_timestamp: bool,
        time_range: Option<(i64, i64)>,
        filter: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyList>> {
        let max_versions = match versions {
            None => i32::MAX,
            Some(versions) => {
                let versions: i64 = versions
                    .extract()
                    .map_err(|_| PyTypeError::new_err("versions must be an integer, or None for all of them"))?;
                if versions < 1 {
                    return Err(PyValueError::new_err("versions must be at least 1, or None for all of them"));
                }
                i32::try_from(versions).unwrap_or(i32::MAX)
            }
        };
        let columns = PyList::new(py, [column])?.into_any();
        let get = Get { max_versions, ..self.asked(row, Some(&columns), timestamp, time_range, filter)? };
        let table = self.access.table()?;
        let table = table.get()?;
        let found = call(py, || table.get(&get))?;
        row::values(py, &found, Shape { timestamps: include_timestamp })
    }

    /// The cells of a row, as tuples.
    #[pyo3(signature = (row, columns, versions, time_range, filter, limit, offset, raw))]
    #[allow(clippy::too_many_arguments)]
    fn _read<'py>(
        &self,
        py: Python<'py>,
        row: &Bound<'py, PyAny>,
        columns: Option<&Bound<'py, PyAny>>,
        versions: Option<i32>,
        time_range: Option<(i64, i64)>,
        filter: Option<&Bound<'py, PyAny>>,
        limit: Option<i32>,
        offset: i32,
        raw: bool,
    ) -> PyResult<Vec<CellParts<'py>>> {
        let get = Get {
            max_versions: versions.unwrap_or(i32::MAX),
            store_limit: limit.unwrap_or(-1),
            store_offset: offset,
            raw,
            ..self.asked(row, columns, None, time_range, filter)?
        };
        let table = self.access.table()?;
        let table = table.get()?;
        let found = call(py, || table.get(&get))?;
        row::cells(py, &found)
    }

    /// Whether a row is there, or has any of some columns. Arguments and errors as for `row`.
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
        time_range: Option<(i64, i64)>,
        filter: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<bool> {
        let get = self.asked(row, columns, timestamp, time_range, filter)?;
        let table = self.access.table()?;
        let table = table.get()?;
        call(py, || table.exists(&get))
    }

    /// Begins a scan.
    fn _scanner(&self, py: Python<'_>, wanted: Wanted<'_>) -> PyResult<Scanner> {
        Scanner::open(py, &self.access, wanted.scan(&self.access)?)
    }
}

impl Table {
    /// What the arguments that all reads of one row share ask for: the newest version of each column.
    fn asked(
        &self,
        row: &Bound<'_, PyAny>,
        columns: Option<&Bound<'_, PyAny>>,
        timestamp: Option<&Bound<'_, PyAny>>,
        time_range: Option<(i64, i64)>,
        filter: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Get> {
        Ok(Get {
            columns: convert::columns(columns, self.access.encoding())?,
            time_range: convert::times(timestamp, time_range)?,
            filter: convert::filter(filter)?,
            ..Get::new(self.bytes(row, "row")?)
        })
    }
}
