//! Writing to a table: puts and deletes.

use hjall_engine::mutation::{Delete, Put};
use hjall_engine::request::check_row;
use pyo3::prelude::*;

use super::Table;
use crate::call::call;
use crate::convert;
use crate::error;
use crate::mutation;

#[pymethods]
impl Table {
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

    /// Puts several rows, each by itself; an exception, or none, for each.
    fn _put_many<'py>(
        &self,
        py: Python<'py>,
        rows: Vec<(Bound<'py, PyAny>, Bound<'py, PyAny>)>,
        timestamp: Option<&Bound<'py, PyAny>>,
        ttl_ms: Option<i64>,
        durability: Option<&str>,
    ) -> PyResult<Vec<Option<PyErr>>> {
        let timestamp = convert::write_time(timestamp)?;
        let durability = convert::durability(durability, None)?;
        let mut puts = Vec::with_capacity(rows.len());
        for (row, data) in rows {
            let cells =
                mutation::changes(&data, self.access.encoding())?.into_iter().map(|change| change.cell(timestamp));
            puts.push(Put {
                row: self.bytes(&row, "row")?,
                cells: cells.collect::<PyResult<_>>()?,
                ttl_ms,
                durability,
            });
        }
        let table = self.access.table()?;
        let table = table.get()?;
        let done = call(py, || Ok(table.put_many(&puts)))?;
        Ok(done.into_iter().map(|done| done.err().map(|error| error::raised(&error))).collect())
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
}
