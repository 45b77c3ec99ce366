//! Bulk loads: the implementation of `Table.bulk_load`, and the writer that `Table.load_arrow` shares with it.

use bytes::Bytes;
use hjall_engine::mutation::{Durability, Put};
use hjall_engine::{BulkLoad, Error, Table as EngineTable};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyTuple;

use crate::call::call_named;
use crate::convert;
use crate::error::{self, Place};
use crate::fork::ForkGuard;
use crate::mutation::{self, Columns, RowContext};
use crate::table::Table;

const METHOD: &str = "bulk_load";

/// Rows that are converted while the GIL is held, before they are handed to the engine without it.
const ROWS_PER_CALL: usize = 1_000;

/// Bytes of values after which rows are handed to the engine, too.
const BYTES_PER_CALL: usize = 1 << 20;

/// A bulk load of the engine. A forked child leaks it instead of waiting for its thread.
pub struct Loader(ForkGuard<BulkLoad>);

/// A row that could not be loaded, and the reason.
pub struct Refused {
    /// The error.
    pub error: Error,
    /// The row.
    pub row: Bytes,
}

impl Loader {
    /// Begins a load.
    ///
    /// # Errors
    /// Those of [`EngineTable::bulk_load`].
    pub fn begin(py: Python<'_>, table: &EngineTable, method: &str) -> PyResult<Self> {
        Ok(Self(ForkGuard::new(call_named(py, method, || table.bulk_load())?)))
    }

    /// Adds rows. To be called without the GIL.
    ///
    /// # Errors
    /// The error of the first row that is refused.
    pub fn add(&mut self, puts: &[Put]) -> Result<(), Refused> {
        let Some(load) = self.0.get_mut() else { return Ok(()) };
        puts.iter().try_for_each(|put| load.add(put).map_err(|error| Refused { error, row: put.row.clone() }))
    }

    /// Completes the load and returns the number of rows.
    ///
    /// # Errors
    /// Those of [`BulkLoad::finish`], and `hjall.ForkError` in a forked child.
    pub fn finish(self, py: Python<'_>, method: &str) -> PyResult<u64> {
        let load = self.0.into_inner().ok_or_else(error::forked)?;
        Ok(call_named(py, method, move || load.finish())?.rows)
    }

    /// Discards the load, without the GIL: removing its files takes a while.
    pub fn discard(self, py: Python<'_>) {
        py.detach(|| drop(self));
    }
}

/// An iterator over the argument `rows` of a bulk load.
///
/// # Errors
/// `TypeError` with the remedy.
fn iterate_rows<'py>(rows: &Bound<'py, PyAny>, place: Place<'_>) -> PyResult<Bound<'py, PyAny>> {
    let wrong = |remedy| {
        let given = convert::type_name(rows)?;
        Ok(format!("{}rows must be an iterable of (row, data) tuples, not {given}{remedy}", place.prefix("")))
    };
    // The items of a mapping are its keys alone.
    if rows.hasattr("items")? {
        return Err(PyTypeError::new_err(wrong(": write sorted(rows.items())")?));
    }
    convert::iterate(rows, || wrong(""))
}

/// The row key and the data of an item of `rows`, given its number, which begins at 1.
///
/// # Errors
/// `TypeError` unless it is a tuple of two items.
pub fn row_and_data<'py>(
    item: &Bound<'py, PyAny>,
    number: u64,
    place: Place<'_>,
) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyAny>)> {
    let given = match item.cast::<PyTuple>() {
        Ok(pair) if pair.len() == 2 => return Ok((pair.get_item(0)?, pair.get_item(1)?)),
        Ok(other) => format!("a tuple of {}", other.len()),
        Err(_) => convert::type_name(item)?,
    };
    Err(PyTypeError::new_err(format!(
        "{}item {number} of rows must be a tuple (row, data), not {given}",
        place.prefix("")
    )))
}

#[pymethods]
impl Table {
    /// Loads sorted rows; the implementation of `bulk_load`.
    fn _bulk_load(
        &self,
        py: Python<'_>,
        rows: &Bound<'_, PyAny>,
        timestamp: Option<&Bound<'_, PyAny>>,
        ttl_ms: Option<&Bound<'_, PyAny>>,
        progress: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<u64> {
        let of_all = Place { method: METHOD, table: self.handle().name(), row: None };
        let (timestamp, ttl_ms) = (convert::write_time(timestamp, of_all)?, convert::ttl(ttl_ms)?);
        let rows = iterate_rows(rows, of_all)?;
        let rows = rows.try_iter()?;
        let table = self.handle().table()?;
        let mut loader = Loader::begin(py, table.get()?, METHOD)?;
        match self.add_all(py, rows, &mut loader, (timestamp, ttl_ms), progress) {
            Ok(()) => loader.finish(py, METHOD),
            Err(error) => {
                loader.discard(py);
                Err(error)
            }
        }
    }
}

impl Table {
    fn add_all<'py>(
        &self,
        py: Python<'py>,
        rows: impl Iterator<Item = PyResult<Bound<'py, PyAny>>>,
        loader: &mut Loader,
        (timestamp, ttl_ms): (i64, Option<i64>),
        progress: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<()> {
        let encoding = self.handle().encoding();
        let (mut columns, mut puts, mut bytes, mut added) = (Columns::default(), Vec::new(), 0, 0_u64);
        let mut read = 0;
        let mut rows = rows.fuse();
        loop {
            let row = rows.next().transpose()?;
            let is_last = row.is_none();
            if let Some(row) = row {
                read += 1;
                let of_all = Place { method: METHOD, table: self.handle().name(), row: None };
                let (key, data) = row_and_data(&row, read, of_all)?;
                let key = convert::bytes(&key, "the row key", encoding)?;
                let context = RowContext { row: &key, encoding };
                let values = mutation::column_values_like(&data, context, &mut columns)?;
                let place = Place { method: METHOD, table: self.handle().name(), row: Some(&key) };
                let cells = values.into_iter().map(|value| value.cell(timestamp, place));
                let cells: Vec<_> = cells.collect::<PyResult<_>>()?;
                bytes += cells.iter().map(|cell| cell.value.len()).sum::<usize>();
                puts.push(Put { row: key, cells, ttl_ms, durability: Durability::UseDefault });
            }
            if is_last || puts.len() >= ROWS_PER_CALL || bytes >= BYTES_PER_CALL {
                let refused = |Refused { error, row }: Refused| {
                    let place = Place { method: METHOD, table: self.handle().name(), row: Some(&row) };
                    error::from_call(&error, place)
                };
                py.detach(|| loader.add(&puts)).map_err(refused)?;
                added += puts.len() as u64;
                puts.clear();
                bytes = 0;
                py.check_signals()?;
                if is_last {
                    return Ok(());
                }
                if let Some(progress) = progress {
                    progress.call1((added,))?;
                }
            }
        }
    }
}
