//! What reads and writes a row in one step, or changes it in several at once.

use hjall_engine::mutation::{Append, Check, Durability, Increment};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use super::{CellParts, Table};
use crate::call::call;
use crate::convert;
use crate::mutation::Told;
use crate::row;

#[pymethods]
impl Table {
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
