//! Scanners, and the arguments of scans.

use std::sync::Arc;

use bytes::Bytes;
use hjall_engine::read::Stop;
use hjall_engine::request::{Scan, after_prefix};
use hjall_engine::{Error, ErrorKind, Row, Scanner as EngineScanner};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyBytes, PyList, PyType};

use crate::call::{SignalWatcher, call_at};
use crate::convert::{self, argument};
use crate::error::{self, Place};
use crate::exclusive::Exclusive;
use crate::fork::ForkGuard;
use crate::row::{self, CellFields, ColumnNames, RowFormat};
use crate::table_handle::TableHandle;

/// A running scan. It is safe to use from several threads, each of which gets different rows.
#[pyclass(frozen, module = "hjall._native")]
pub struct Scanner {
    /// `None` once the scan is closed.
    scanner: ForkGuard<Exclusive<Option<EngineScanner>>>,
    stop: Stop,
    signals: Arc<SignalWatcher>,
    names: ColumnNames,
    /// The method that began the scan, for messages.
    method: String,
    table: Bytes,
}

/// The fields of `hjall.RowCells`, with the cells as tuples: key, cells, partial.
type RowCellsFields<'py> = (Bound<'py, PyBytes>, Vec<CellFields<'py>>, bool);

/// The attributes of `hjall.scan.ScanArguments`.
#[derive(FromPyObject)]
pub struct ScanArguments<'py> {
    row_start: Option<Bound<'py, PyAny>>,
    row_stop: Option<Bound<'py, PyAny>>,
    row_prefix: Option<Bound<'py, PyAny>>,
    columns: Option<Bound<'py, PyAny>>,
    filter: Option<Bound<'py, PyAny>>,
    timestamp: Option<Bound<'py, PyAny>>,
    time_range: Option<Bound<'py, PyAny>>,
    /// `None` for all versions.
    versions: Option<i32>,
    /// The most cells per result; `None` for no limit.
    scan_batching: Option<i32>,
    /// The most rows; `None` for no limit.
    limit: Option<i32>,
    /// The rows fetched at once; 0 leaves it to the engine.
    batch_size: i32,
    reverse: bool,
    raw: bool,
}

impl ScanArguments<'_> {
    /// The scan for the engine, of a method, which the messages of errors name.
    ///
    /// # Errors
    /// `TypeError` and `InvalidArgument` for invalid arguments.
    pub fn scan(&self, handle: &TableHandle, method: &str) -> PyResult<Scan> {
        let place = Place { method, table: handle.name(), row: None };
        let row = |value: &Option<Bound<'_, PyAny>>, what: &str| {
            value.as_ref().map_or(Ok(Bytes::new()), |value| convert::bytes(value, what, handle.encoding()))
        };
        let (mut start, mut stop) = (row(&self.row_start, "row_start")?, row(&self.row_stop, "row_stop")?);
        let mut filter = crate::filter::argument(self.filter.as_ref(), place)?;
        if self.row_prefix.is_some() {
            let prefix = row(&self.row_prefix, "row_prefix")?;
            let successor = after_prefix(&prefix).into();
            if !self.reverse {
                (start, stop) = (prefix, successor);
            } else if !prefix.is_empty() {
                // The start is included and the stop is not, so that no bounds are exactly the rows with the prefix.
                start = successor;
                filter = Some(crate::filter::within_prefix(prefix, filter));
            }
        }
        Ok(Scan {
            start,
            stop,
            columns: convert::columns(self.columns.as_ref(), handle.encoding())?,
            time_range: convert::time_range(self.timestamp.as_ref(), self.time_range.as_ref(), place)?,
            max_versions: self.versions.unwrap_or(i32::MAX),
            batch: self.scan_batching.unwrap_or(0),
            limit: self.limit.unwrap_or(-1),
            caching: self.batch_size,
            reversed: self.reverse,
            filter,
            raw: self.raw,
            ..Scan::default()
        })
    }
}

impl Scanner {
    /// Opens a scan for a method of a table. Nothing is read yet. `expected`: the number of results after which the
    /// caller ends the scan, if it knows that.
    ///
    /// # Errors
    /// `hjall.Closed`, `hjall.ForkError`, and those of the engine for the arguments.
    pub fn open(
        py: Python<'_>,
        handle: &TableHandle,
        scan: Scan,
        method: String,
        expected: Option<usize>,
    ) -> PyResult<Self> {
        let table = handle.table()?;
        let table = table.get()?;
        let signals = SignalWatcher::new();
        let place = Place { method: &method, table: handle.name(), row: None };
        let mut scanner = call_at(py, place, || table.scan(scan))?;
        scanner.watch(signals.watch());
        scanner.expect(expected.unwrap_or_default());
        let (stop, names) = (scanner.stopper(), ColumnNames::default());
        let scanner = ForkGuard::new(Exclusive::new(Some(scanner)));
        Ok(Self { scanner, stop, signals, names, method, table: handle.name().clone() })
    }

    /// The next `n` results at most, as many as [`hjall_engine::Scanner::next_block`] returns; none at the end of the
    /// scan.
    ///
    /// # Errors
    /// The engine's errors, the exception of a signal handler that ran during the call, and `ValueError` in such a
    /// handler.
    pub fn fetch(&self, py: Python<'_>, n: usize) -> PyResult<Vec<Row>> {
        let scanner = self.scanner.get()?;
        let fetched = py.detach(|| {
            scanner.with(|scanner| match scanner {
                Some(scanner) => scanner.next_block(n),
                None => Err(Error::new(ErrorKind::Cancelled, "the scan was closed")),
            })
        })?;
        let place = Place { method: &self.method, table: &self.table, row: None };
        self.signals.outcome(fetched.map_err(|error| error::from_call(&error, place)))
    }
}

#[pymethods]
impl Scanner {
    /// The next `n` rows at most, as `(key, dict)`; none at the end of the scan. With `include_timestamp`, values are
    /// `(value, timestamp)`. With `sorted_columns`, the dicts are `OrderedDict`s.
    #[pyo3(signature = (n, include_timestamp=false, sorted_columns=false))]
    fn rows<'py>(
        &self,
        py: Python<'py>,
        n: usize,
        #[pyo3(from_py_with = argument::include_timestamp)] include_timestamp: bool,
        #[pyo3(from_py_with = argument::sorted_columns)] sorted_columns: bool,
    ) -> PyResult<Bound<'py, PyList>> {
        let rows = self.fetch(py, n)?;
        let format = RowFormat { include_timestamp };
        let list = PyList::empty(py);
        for row in &rows {
            let data = if sorted_columns {
                ordered_dict(py)?.call1((self.names.items(py, row, format)?,))?
            } else {
                self.names.row(py, row, format)?.into_any()
            };
            list.append(row::pair(py, row, data)?)?;
        }
        Ok(list)
    }

    /// The next `n` results at most, as `(key, cells, partial)`; none at the end of the scan.
    fn cells<'py>(&self, py: Python<'py>, n: usize) -> PyResult<Vec<RowCellsFields<'py>>> {
        let rows = self.fetch(py, n)?;
        rows.iter().map(|row| Ok((PyBytes::new(py, &row.key), row::cells(py, row)?, row.partial))).collect()
    }

    /// Reads the next `n` rows at most and returns their number; 0 at the end of the scan.
    fn skip(&self, py: Python<'_>, n: usize) -> PyResult<usize> {
        Ok(self.fetch(py, n)?.len())
    }

    /// The keys of the next `n` rows at most; none at the end of the scan.
    fn keys<'py>(&self, py: Python<'py>, n: usize) -> PyResult<Vec<Bound<'py, PyBytes>>> {
        Ok(self.fetch(py, n)?.iter().map(|row| PyBytes::new(py, &row.key)).collect())
    }

    /// Stops the scan from any thread. A fetch that is running raises `hjall.Cancelled`.
    fn stop(&self) {
        self.stop.stop();
    }

    /// Stops the scan and releases its snapshot.
    fn close(&self, py: Python<'_>) {
        if let Ok(scanner) = self.scanner.get() {
            self.stop.stop();
            // If a signal handler has interrupted a fetch, that ends, and the snapshot is released with the scanner.
            let _ = py.detach(|| scanner.with(|scanner| drop(scanner.take())));
        }
    }
}

fn ordered_dict(py: Python<'_>) -> PyResult<&Bound<'_, PyType>> {
    static CLASS: PyOnceLock<Py<PyType>> = PyOnceLock::new();
    CLASS.import(py, "collections", "OrderedDict")
}
