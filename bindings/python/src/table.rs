//! A table's reads and writes: what `hjall.Table` is built on.

use std::sync::Arc;

use bytes::Bytes;
use hjall_engine::mutation::{Append, Check, Delete, Durability, Increment, Put};
use hjall_engine::request::{Get, check_row};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList};

use crate::access::Access;
use crate::call::call;
use crate::convert;
use crate::database::Database;
use crate::error;
use crate::mutation::{self, Told};
use crate::row::{self, Names, Shape};
use crate::scanner::{Scanner, Wanted};

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
        let get = Get {
            columns: convert::columns(columns, self.access.encoding())?,
            time_range: convert::times(timestamp, time_range)?,
            filter: convert::filter(filter)?,
            ..Get::new(self.bytes(row, "row")?)
        };
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
        let found = call(py, || table.get_many(&gets).into_iter().collect::<hjall_engine::Result<Vec<_>>>())?;
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
        let columns = PyList::new(py, [column])?;
        let get = Get {
            columns: convert::columns(Some(&columns), self.access.encoding())?,
            time_range: convert::times(timestamp, time_range)?,
            max_versions,
            filter: convert::filter(filter)?,
            ..Get::new(self.bytes(row, "row")?)
        };
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
            columns: convert::columns(columns, self.access.encoding())?,
            time_range: convert::times(None, time_range)?,
            max_versions: versions.unwrap_or(i32::MAX),
            store_limit: limit.unwrap_or(-1),
            store_offset: offset,
            filter: convert::filter(filter)?,
            raw,
            ..Get::new(self.bytes(row, "row")?)
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
        let get = Get {
            columns: convert::columns(columns, self.access.encoding())?,
            time_range: convert::times(timestamp, time_range)?,
            filter: convert::filter(filter)?,
            ..Get::new(self.bytes(row, "row")?)
        };
        let table = self.access.table()?;
        let table = table.get()?;
        call(py, || table.exists(&get))
    }

    /// Begins a scan.
    fn _scanner(&self, py: Python<'_>, wanted: Wanted<'_>) -> PyResult<Scanner> {
        Scanner::open(py, &self.access, wanted.scan(&self.access)?)
    }

    /// Writes the columns of one row, all at once.
    ///
    /// `data`: a dict from column to value, or an iterable of ``(column, value)`` and ``(column, value, timestamp)``; a value in a dict may be
    /// ``(value, timestamp)``. `timestamp`: milliseconds since 1970; `None`: when it is written. `wal`: whether it is written ahead; without,
    /// it may be lost if the process ends. `ttl_ms`: how long the cells live, in milliseconds. `durability`: HBase's name of a level, instead
    /// of `wal`: ``USE_DEFAULT`` (the table's), ``SKIP_WAL``, ``ASYNC_WAL``, ``SYNC_WAL`` (survives the process), ``FSYNC_WAL`` (survives the machine).
    ///
    /// Raises `TypeError` and `ValueError` for arguments that cannot be, `TableNotFound`, `TableDisabled`, `FamilyNotFound`, `TooLarge`, `ReadOnly`.
    ///
    /// >>> import hjall
    /// >>> db = hjall.memory()
    /// >>> db.create_table("t", {"f": {}})
    /// >>> db.table("t").put(b"r", {b"f:a": b"1", b"f:b": bytearray(b"2")})
    /// >>> db.table("t").row(b"r")
    /// {b'f:a': b'1', b'f:b': b'2'}
    #[pyo3(signature = (row, data, timestamp=None, wal=Some(true), *, ttl_ms=None, durability=None))]
    #[allow(clippy::too_many_arguments)]
    fn put(
        &self,
        py: Python<'_>,
        row: &Bound<'_, PyAny>,
        data: &Bound<'_, PyAny>,
        timestamp: Option<&Bound<'_, PyAny>>,
        wal: Option<bool>,
        ttl_ms: Option<i64>,
        durability: Option<&str>,
    ) -> PyResult<()> {
        let timestamp = convert::write_time(timestamp)?;
        let durability = convert::durability(durability, wal)?;
        let row = self.bytes(row, "row")?;
        let cells = mutation::changes(data, self.access.encoding())?.into_iter().map(|change| change.cell(timestamp));
        let put = Put { row, cells: cells.collect::<PyResult<_>>()?, ttl_ms, durability };
        if put.cells.is_empty() {
            // Nothing to write is nothing wrong, as in HappyBase.
            return check_row(&put.row).map_err(|e| error::raised(&e));
        }
        let table = self.access.table()?;
        let table = table.get()?;
        call(py, || table.put(&put))
    }

    /// Deletes a row, or some of its columns and families, all at once.
    ///
    /// `columns`: which, as a list or tuple: columns, families, and `hjall.Marker`s for a single version; `None`: the whole row. `timestamp`: what is not
    /// newer than this, in milliseconds since 1970; `None`: everything up to now. The other arguments and errors as for `put`.
    ///
    /// >>> import hjall
    /// >>> db = hjall.memory()
    /// >>> db.create_table("t", {"f": {}})
    /// >>> table = db.table("t")
    /// >>> table.put(b"r", {b"f:a": b"1", b"f:b": b"2"})
    /// >>> table.delete(b"r", [b"f:a"])
    /// >>> table.row(b"r")
    /// {b'f:b': b'2'}
    #[pyo3(signature = (row, columns=None, timestamp=None, wal=Some(true), *, ttl_ms=None, durability=None))]
    #[allow(clippy::too_many_arguments)]
    fn delete(
        &self,
        py: Python<'_>,
        row: &Bound<'_, PyAny>,
        columns: Option<&Bound<'_, PyAny>>,
        timestamp: Option<&Bound<'_, PyAny>>,
        wal: Option<bool>,
        ttl_ms: Option<i64>,
        durability: Option<&str>,
    ) -> PyResult<()> {
        let timestamp = convert::write_time(timestamp)?;
        let durability = convert::durability(durability, wal)?;
        let row = self.bytes(row, "row")?;
        let markers = match columns {
            None => Vec::new(),
            Some(columns) => {
                let markers =
                    mutation::markers(convert::listed(columns, "columns")?, timestamp, self.access.encoding())?;
                if markers.is_empty() {
                    return check_row(&row).map_err(|e| error::raised(&e));
                }
                markers
            }
        };
        let delete = Delete { row, markers, timestamp, ttl_ms, durability };
        let table = self.access.table()?;
        let table = table.get()?;
        call(py, || table.delete(&delete))
    }

    /// Puts and deletes of one row, all at once.
    fn _mutate(&self, py: Python<'_>, row: &Bound<'_, PyAny>, mutations: Vec<Told<'_>>) -> PyResult<()> {
        let row = self.bytes(row, "row")?;
        let mutations =
            mutations.iter().map(|told| told.mutation(&row, self.access.encoding())).collect::<PyResult<Vec<_>>>()?;
        let table = self.access.table()?;
        let table = table.get()?;
        call(py, || table.mutate_row(&row, &mutations))
    }

    /// The same if `value compare stored` holds.
    fn _check(
        &self,
        py: Python<'_>,
        row: &Bound<'_, PyAny>,
        column: &Bound<'_, PyAny>,
        compare: &str,
        value: Option<&Bound<'_, PyAny>>,
        mutations: Vec<Told<'_>>,
    ) -> PyResult<bool> {
        let row = self.bytes(row, "row")?;
        let (family, qualifier) = self.column(column)?;
        let value = value.map(|value| self.bytes(value, "value")).transpose()?;
        let mutations =
            mutations.iter().map(|told| told.mutation(&row, self.access.encoding())).collect::<PyResult<Vec<_>>>()?;
        let check = Check { row, family, qualifier, op: convert::compare(compare)?, value };
        let table = self.access.table()?;
        let table = table.get()?;
        call(py, || table.check_and_mutate(&check, &mutations))
    }

    /// Adds to a counter and returns its new value, at once: none that is added elsewhere meanwhile gets lost. A counter is a column with a value of
    /// eight bytes, a signed big-endian number; one that is not there counts from 0.
    ///
    /// Raises `NotACounter` if the value is not eight bytes long, and what `put` raises.
    ///
    /// >>> import hjall
    /// >>> db = hjall.memory()
    /// >>> db.create_table("t", {"f": {}})
    /// >>> db.table("t").counter_inc(b"r", b"f:visits"), db.table("t").counter_inc(b"r", b"f:visits", 41)
    /// (1, 42)
    #[pyo3(signature = (row, column, value=1))]
    fn counter_inc(
        &self,
        py: Python<'_>,
        row: &Bound<'_, PyAny>,
        column: &Bound<'_, PyAny>,
        value: i64,
    ) -> PyResult<i64> {
        let (family, qualifier) = convert::column(self.bytes(column, "column")?);
        let columns = vec![(family, qualifier.unwrap_or_default(), value)];
        let increment = Increment {
            row: self.bytes(row, "row")?,
            columns,
            durability: Durability::SyncWal,
            ..Increment::default()
        };
        let table = self.access.table()?;
        let table = table.get()?;
        let counted = call(py, || table.increment(&increment))?;
        let value = counted.cells.first().and_then(|cell| cell.value[..].try_into().ok()).map(i64::from_be_bytes);
        value.ok_or_else(|| PyValueError::new_err("an increment gave back no number"))
    }

    /// Adds to counters; their new cells as tuples.
    fn _increment<'py>(
        &self,
        py: Python<'py>,
        row: &Bound<'py, PyAny>,
        amounts: Vec<(Bound<'py, PyAny>, i64)>,
        ttl_ms: Option<i64>,
        durability: Option<&str>,
    ) -> PyResult<Vec<CellParts<'py>>> {
        let mut columns = Vec::with_capacity(amounts.len());
        for (column, amount) in amounts {
            let (family, qualifier) = self.column(&column)?;
            columns.push((family, qualifier, amount));
        }
        let durability = convert::durability(durability, None)?;
        let increment = Increment { row: self.bytes(row, "row")?, columns, ttl_ms, durability };
        let table = self.access.table()?;
        let table = table.get()?;
        let counted = call(py, || table.increment(&increment))?;
        row::cells(py, &counted)
    }

    /// Appends to values; their new cells as tuples.
    fn _append<'py>(
        &self,
        py: Python<'py>,
        row: &Bound<'py, PyAny>,
        suffixes: Vec<(Bound<'py, PyAny>, Bound<'py, PyAny>)>,
        ttl_ms: Option<i64>,
        durability: Option<&str>,
    ) -> PyResult<Vec<CellParts<'py>>> {
        let mut columns = Vec::with_capacity(suffixes.len());
        for (column, suffix) in suffixes {
            let (family, qualifier) = self.column(&column)?;
            columns.push((family, qualifier, self.bytes(&suffix, "a value")?));
        }
        let durability = convert::durability(durability, None)?;
        let append = Append { row: self.bytes(row, "row")?, columns, ttl_ms, durability };
        let table = self.access.table()?;
        let table = table.get()?;
        let appended = call(py, || table.append(&append))?;
        row::cells(py, &appended)
    }
}
