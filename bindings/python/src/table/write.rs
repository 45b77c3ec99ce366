//! Writes: puts, deletes, and atomic operations on one row.

use hjall_engine::mutation::{Append, Check, CompareOp, Delete, Durability, Increment, Put};
use hjall_engine::request::check_row;
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::types::PyList;

use super::Table;
use crate::batch::Failures;
use crate::call::{call, call_at};
use crate::convert::{self, argument};
use crate::error::{self, Place, Shown};
use crate::load::row_and_data;
use crate::mutation::{self, MutationArgument, RowContext, ValueIn};
use crate::row::{self, CellFields};

fn counter_amount(value: &Bound<'_, PyAny>) -> PyResult<i64> {
    convert::integer(value, "value")
}

#[pymethods]
impl Table {
    /// Writes columns of one row atomically.
    ///
    /// `data`: a dict from column to value, or an iterable of ``(column, value)`` and ``(column, value, timestamp)``; a
    /// value may be ``(value, timestamp)``. `timestamp`: the timestamp of cells without one, in milliseconds since
    /// 1970; `None` stands for the time of the write. `wal`: ``False`` stands for the durability ``SKIP_WAL``, and
    /// ``True`` for ``SYNC_WAL``. `ttl_ms`: how long the cells live, in milliseconds; at least 1. `durability`: one of
    /// HBase's levels, which overrides `wal`: ``USE_DEFAULT`` (the table's); ``SKIP_WAL``, ``ASYNC_WAL`` and
    /// ``SYNC_WAL``, with which the write survives the end of the process, but a power failure can lose the writes of
    /// the last second; ``FSYNC_WAL``, with which it survives a power failure as well.
    ///
    /// Raises `TypeError` and `ValueError` for invalid arguments, `TableNotFound`, `TableDisabled`, `FamilyNotFound`,
    /// `TooLarge`, `ReadOnly`.
    ///
    /// >>> import hjall
    /// >>> db = hjall.memory()
    /// >>> db.create_table("t", {"f": {}})
    /// >>> db.table("t").put(b"r", {b"f:a": b"1", b"f:b": bytearray(b"2")})
    /// >>> db.table("t").row(b"r")
    /// {b'f:a': b'1', b'f:b': b'2'}
    #[pyo3(signature = (row, data, timestamp=None, wal=Some(true), *, ttl_ms=None, durability=None))]
    #[allow(clippy::too_many_arguments, reason = "arguments of Python, by name")]
    fn put(
        &self,
        py: Python<'_>,
        row: &Bound<'_, PyAny>,
        data: &Bound<'_, PyAny>,
        timestamp: Option<&Bound<'_, PyAny>>,
        #[pyo3(from_py_with = argument::wal)] wal: Option<bool>,
        ttl_ms: Option<&Bound<'_, PyAny>>,
        #[pyo3(from_py_with = argument::durability)] durability: Option<Durability>,
    ) -> PyResult<()> {
        let durability = convert::level(durability, wal);
        self.write(py, "put", row, data, WriteOptions { timestamp, ttl_ms, durability })
    }

    /// Puts the stored form of a counter; the implementation of `counter_set`.
    fn _counter_set(
        &self,
        py: Python<'_>,
        row: &Bound<'_, PyAny>,
        column: &Bound<'_, PyAny>,
        stored: &Bound<'_, PyAny>,
    ) -> PyResult<()> {
        let data = PyList::new(py, [(column, stored)])?;
        let options = WriteOptions { timestamp: None, ttl_ms: None, durability: Durability::SyncWal };
        self.write(py, "counter_set", row, &data, options)
    }

    /// Writes several rows independently and returns an exception or `None` for each; the implementation of `put_many`.
    fn _put_many<'py>(
        &self,
        py: Python<'py>,
        rows: &Bound<'py, PyList>,
        timestamp: Option<&Bound<'py, PyAny>>,
        ttl_ms: Option<&Bound<'_, PyAny>>,
        #[pyo3(from_py_with = argument::durability)] durability: Option<Durability>,
    ) -> PyResult<Vec<Option<PyErr>>> {
        let of_all = Place { method: "put_many", table: self.handle.name(), row: None };
        let timestamp = convert::write_time(timestamp, of_all)?;
        let (durability, ttl_ms) = (convert::level(durability, None), convert::ttl(ttl_ms)?);
        let mut puts = Vec::with_capacity(rows.len());
        for (item, number) in rows.iter().zip(1..) {
            let (row, data) = row_and_data(&item, number, of_all)?;
            let row = self.bytes(&row, "the row key")?;
            let values = mutation::column_values(&data, RowContext { row: &row, encoding: self.handle.encoding() })?;
            let place = self.place("put_many", &row);
            let cells = values.into_iter().map(|value| value.cell(timestamp, place)).collect::<PyResult<_>>()?;
            puts.push(Put { row, cells, ttl_ms, durability });
        }
        let table = self.handle.table()?;
        let table = table.get()?;
        let results = call(py, || Ok(table.put_many(&puts)))?;
        let failure = |(result, put): (hjall_engine::Result<()>, &Put)| {
            result.err().map(|error| error::from_call(&error, self.place("put_many", &put.row)))
        };
        Ok(results.into_iter().zip(&puts).map(failure).collect())
    }

    /// Deletes a row, or some of its columns and families, atomically.
    ///
    /// `columns`: an iterable of columns, families and `hjall.Marker`s, which can delete single versions; `None`
    /// deletes the whole row. `timestamp`: deletes cells up to and including this timestamp, in milliseconds since
    /// 1970; `None` stands for the time of the delete. The other arguments and the errors are those of `put`.
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
    #[allow(clippy::too_many_arguments, reason = "arguments of Python, by name")]
    fn delete(
        &self,
        py: Python<'_>,
        row: &Bound<'_, PyAny>,
        columns: Option<&Bound<'_, PyAny>>,
        timestamp: Option<&Bound<'_, PyAny>>,
        #[pyo3(from_py_with = argument::wal)] wal: Option<bool>,
        ttl_ms: Option<&Bound<'_, PyAny>>,
        #[pyo3(from_py_with = argument::durability)] durability: Option<Durability>,
    ) -> PyResult<()> {
        let row = self.bytes(row, "the row key")?;
        let timestamp = convert::write_time(timestamp, self.place("delete", &row))?;
        let (durability, ttl_ms) = (convert::level(durability, wal), convert::ttl(ttl_ms)?);
        let markers = match columns {
            None => Vec::new(),
            Some(columns) => {
                let (markers, _) = mutation::markers(columns, timestamp, self.handle.encoding())?;
                if markers.is_empty() {
                    return check_row(&row).map_err(|e| error::from_call(&e, self.place("delete", &row)));
                }
                markers
            }
        };
        let delete = Delete { row, markers, timestamp, ttl_ms, durability };
        let table = self.handle.table()?;
        let table = table.get()?;
        call_at(py, self.place("delete", &delete.row), || table.delete(&delete))
    }

    /// Deletes whole rows independently; a part of the implementation of `delete_rows`.
    fn _delete_rows(
        &self,
        py: Python<'_>,
        keys: Vec<Bound<'_, PyAny>>,
        #[pyo3(from_py_with = argument::durability)] durability: Option<Durability>,
    ) -> PyResult<()> {
        let durability = convert::level(durability, None);
        let delete = |key: &Bound<'_, PyAny>| Ok(Delete { durability, ..Delete::row(self.bytes(key, "the row key")?) });
        let deletes = keys.iter().map(delete).collect::<PyResult<Vec<_>>>()?;
        let table = self.handle.table()?;
        let table = table.get()?;
        let mut failures = Failures::default();
        failures.add(call(py, || Ok(table.delete_many(&deletes)))?, deletes.iter().map(|delete| &delete.row));
        failures.into_result(|row| self.place("delete_rows", row), "", [])
    }

    /// Applies puts and deletes of one row atomically; the implementation of `mutate_row`.
    fn _mutate_row(
        &self,
        py: Python<'_>,
        row: &Bound<'_, PyAny>,
        mutations: Vec<MutationArgument<'_>>,
    ) -> PyResult<()> {
        let row = self.bytes(row, "the row key")?;
        let mutations = mutations
            .iter()
            .map(|argument| argument.mutation(&row, self.handle.encoding(), self.place("mutate_row", &row)))
            .collect::<PyResult<Vec<_>>>()?;
        let table = self.handle.table()?;
        let table = table.get()?;
        call_at(py, self.place("mutate_row", &row), || table.mutate_row(&row, &mutations))
    }

    /// Applies mutations if `value <compare> stored value` holds; the implementation of `check_and_mutate` and
    /// `check_and_put`. `method`: the one that the program calls, for messages.
    #[allow(clippy::too_many_arguments, reason = "arguments of Python, by name")]
    fn _check_and_mutate(
        &self,
        py: Python<'_>,
        row: &Bound<'_, PyAny>,
        column: &Bound<'_, PyAny>,
        #[pyo3(from_py_with = argument::compare)] compare: CompareOp,
        value: Option<&Bound<'_, PyAny>>,
        mutations: Vec<MutationArgument<'_>>,
        method: &str,
    ) -> PyResult<bool> {
        let row = self.bytes(row, "the row key")?;
        let (family, qualifier) = self.column(column)?;
        let value = value.map(|value| self.bytes(value, "value")).transpose()?;
        let mutations = mutations
            .iter()
            .map(|argument| argument.mutation(&row, self.handle.encoding(), self.place(method, &row)))
            .collect::<PyResult<Vec<_>>>()?;
        let check = Check { row, family, qualifier, op: compare, value };
        let table = self.handle.table()?;
        let table = table.get()?;
        call_at(py, self.place(method, &check.row), || table.check_and_mutate(&check, &mutations))
    }

    /// Adds `value` to a counter atomically and returns the new count. A counter is a column whose value is a signed
    /// 64-bit integer, 8 bytes, big-endian. A missing counter starts at 0.
    ///
    /// Raises `NotACounter` if the stored value is not 8 bytes long, and the errors of `put`.
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
        #[pyo3(from_py_with = counter_amount)] value: i64,
    ) -> PyResult<i64> {
        self._count(py, row, column, value, "counter_inc")
    }

    /// The implementation of `counter_inc`, `counter_dec` and `counter_get`. `method`: the one that the program calls,
    /// for messages.
    fn _count(
        &self,
        py: Python<'_>,
        row: &Bound<'_, PyAny>,
        column: &Bound<'_, PyAny>,
        #[pyo3(from_py_with = counter_amount)] value: i64,
        method: &str,
    ) -> PyResult<i64> {
        let (family, qualifier) = convert::column(self.bytes(column, "column")?);
        let columns = vec![(family, qualifier.unwrap_or_default(), value)];
        let increment = Increment {
            row: self.bytes(row, "the row key")?,
            columns,
            durability: Durability::SyncWal,
            ..Increment::default()
        };
        let table = self.handle.table()?;
        let table = table.get()?;
        let result = call_at(py, self.place(method, &increment.row), || table.increment(&increment))?;
        let value = result.cells.first().and_then(|cell| cell.value[..].try_into().ok()).map(i64::from_be_bytes);
        value.ok_or_else(|| PyRuntimeError::new_err("the increment returned no count"))
    }

    /// Adds to counters and returns their new cells as tuples; the implementation of `increment`.
    fn _increment<'py>(
        &self,
        py: Python<'py>,
        row: &Bound<'py, PyAny>,
        amounts: Vec<(Bound<'py, PyAny>, Bound<'py, PyAny>)>,
        ttl_ms: Option<&Bound<'_, PyAny>>,
        #[pyo3(from_py_with = argument::durability)] durability: Option<Durability>,
    ) -> PyResult<Vec<CellFields<'py>>> {
        let mut columns = Vec::with_capacity(amounts.len());
        for (column, amount) in amounts {
            let (family, qualifier) = self.column(&column)?;
            let column = [&family[..], &qualifier].join(&b':');
            let amount = convert::integer(&amount, format_args!("the amount for {}", Shown(&column)))?;
            columns.push((family, qualifier, amount));
        }
        let (durability, ttl_ms) = (convert::level(durability, None), convert::ttl(ttl_ms)?);
        let increment = Increment { row: self.bytes(row, "the row key")?, columns, ttl_ms, durability };
        let table = self.handle.table()?;
        let table = table.get()?;
        row::cells(py, &call_at(py, self.place("increment", &increment.row), || table.increment(&increment))?)
    }

    /// Appends to values and returns the new cells as tuples; the implementation of `append`.
    fn _append<'py>(
        &self,
        py: Python<'py>,
        row: &Bound<'py, PyAny>,
        suffixes: Vec<(Bound<'py, PyAny>, Bound<'py, PyAny>)>,
        ttl_ms: Option<&Bound<'_, PyAny>>,
        #[pyo3(from_py_with = argument::durability)] durability: Option<Durability>,
    ) -> PyResult<Vec<CellFields<'py>>> {
        let row = self.bytes(row, "the row key")?;
        let mut columns = Vec::with_capacity(suffixes.len());
        for (column, suffix) in suffixes {
            let (family, qualifier) = self.column(&column)?;
            let what = ValueIn { row: &row, family: &family, qualifier: Some(&qualifier) };
            let suffix = self.bytes(&suffix, what)?;
            columns.push((family, qualifier, suffix));
        }
        let (durability, ttl_ms) = (convert::level(durability, None), convert::ttl(ttl_ms)?);
        let append = Append { row, columns, ttl_ms, durability };
        let table = self.handle.table()?;
        let table = table.get()?;
        row::cells(py, &call_at(py, self.place("append", &append.row), || table.append(&append))?)
    }
}

/// The arguments of a put, apart from its data.
struct WriteOptions<'a, 'py> {
    timestamp: Option<&'a Bound<'py, PyAny>>,
    ttl_ms: Option<&'a Bound<'py, PyAny>>,
    durability: Durability,
}

impl Table {
    /// Writes columns of one row, for a method, which the messages of errors name.
    fn write(
        &self,
        py: Python<'_>,
        method: &str,
        row: &Bound<'_, PyAny>,
        data: &Bound<'_, PyAny>,
        options: WriteOptions<'_, '_>,
    ) -> PyResult<()> {
        let row = self.bytes(row, "the row key")?;
        let timestamp = convert::write_time(options.timestamp, self.place(method, &row))?;
        let (durability, ttl_ms) = (options.durability, convert::ttl(options.ttl_ms)?);
        let values = mutation::column_values(data, RowContext { row: &row, encoding: self.handle.encoding() })?;
        let place = self.place(method, &row);
        let cells = values.into_iter().map(|value| value.cell(timestamp, place)).collect::<PyResult<_>>()?;
        let put = Put { row, cells, ttl_ms, durability };
        if put.cells.is_empty() {
            // A put without columns is accepted and has no effect, as in HappyBase.
            return check_row(&put.row).map_err(|e| error::from_call(&e, self.place(method, &put.row)));
        }
        let table = self.handle.table()?;
        let table = table.get()?;
        call_at(py, self.place(method, &put.row), || table.put(&put))
    }
}
