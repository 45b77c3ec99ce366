//! A scan under way.

use std::sync::Arc;

use bytes::Bytes;
use hjall_engine::read::Stop;
use hjall_engine::request::Scan;
use hjall_engine::{Error, ErrorKind, Row, Scanner as EngineScanner};
use parking_lot::Mutex;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyBytes, PyList, PyType};

use crate::access::Access;
use crate::call::{Interrupt, call};
use crate::convert;
use crate::fork::Owned;
use crate::row::{self, Names, Shape};

/// A scan under way; tables make one. Safe to use from several threads, each of which gets other rows.
#[pyclass(frozen, module = "hjall._native")]
pub struct Scanner {
    /// `None` once it is closed.
    scanner: Owned<Mutex<Option<EngineScanner>>>,
    stop: Stop,
    interrupt: Arc<Interrupt>,
    names: Names,
}

/// What a scan is asked for: the keys of a dict, all of them there.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub struct Wanted<'py> {
    start: Option<Bound<'py, PyAny>>,
    stop: Option<Bound<'py, PyAny>>,
    prefix: Option<Bound<'py, PyAny>>,
    columns: Option<Bound<'py, PyAny>>,
    filter: Option<Bound<'py, PyAny>>,
    timestamp: Option<Bound<'py, PyAny>>,
    time_range: Option<(i64, i64)>,
    versions: i32,
    batch: i32,
    limit: i32,
    caching: i32,
    reverse: bool,
    raw: bool,
}

impl Wanted<'_> {
    /// The engine's words for it.
    ///
    /// # Errors
    /// `TypeError` and `ValueError` for what cannot be.
    pub fn scan(&self, access: &Access) -> PyResult<Scan> {
        let row = |value: &Option<Bound<'_, PyAny>>, what: &str| {
            value.as_ref().map_or(Ok(Bytes::new()), |value| convert::bytes(value, what, access.encoding()))
        };
        let (mut start, mut stop) = (row(&self.start, "row_start")?, row(&self.stop, "row_stop")?);
        if self.prefix.is_some() {
            let prefix = row(&self.prefix, "row_prefix")?;
            let after = after(&prefix);
            // Downwards as HappyBase has it: a row that is just what follows the prefix is among them, one that is just the prefix is not.
            (start, stop) = if self.reverse { (after, prefix) } else { (prefix, after) };
        }
        Ok(Scan {
            start,
            stop,
            columns: convert::columns(self.columns.as_ref(), access.encoding())?,
            time_range: convert::times(self.timestamp.as_ref(), self.time_range)?,
            max_versions: self.versions,
            batch: self.batch,
            limit: self.limit,
            caching: self.caching,
            reversed: self.reverse,
            filter: convert::filter(self.filter.as_ref())?,
            raw: self.raw,
            ..Scan::default()
        })
    }
}

/// The least row behind all that begin so; empty: none is.
fn after(prefix: &Bytes) -> Bytes {
    let mut after = prefix.to_vec();
    while after.last() == Some(&u8::MAX) {
        after.pop();
    }
    if let Some(last) = after.last_mut() {
        *last += 1;
    }
    after.into()
}

impl Scanner {
    /// Begins a scan; nothing is looked at yet.
    ///
    /// # Errors
    /// Those of the arguments, `hjall.Closed`, `hjall.ForkError`.
    pub fn open(py: Python<'_>, access: &Access, scan: Scan) -> PyResult<Self> {
        let table = access.table()?;
        let table = table.get()?;
        let interrupt = Interrupt::new();
        let mut scanner = call(py, || table.scan(scan))?;
        scanner.watch(interrupt.watch());
        let stop = scanner.stopper();
        Ok(Self { scanner: Owned::new(Mutex::new(Some(scanner))), stop, interrupt, names: Names::default() })
    }

    /// The next results of the engine; none at the end.
    ///
    /// # Errors
    /// The engine's, and what a signal's handler raises meanwhile.
    pub fn fetch(&self, py: Python<'_>, n: usize) -> PyResult<Vec<Row>> {
        let scanner = self.scanner.get()?;
        // Locked without the GIL: whoever has the lock may wait for the GIL.
        let fetched = call(py, || match scanner.lock().as_mut() {
            Some(scanner) => scanner.next(n),
            None => Err(Error::new(ErrorKind::Cancelled, "the scan was closed")),
        });
        fetched.map_err(|error| self.interrupt.take().unwrap_or(error))
    }
}

#[pymethods]
impl Scanner {
    /// Up to so many `(key, dict)`; none at the end. With `include_timestamp` the values are `(value, timestamp)`, with `sorted_columns` the
    /// dicts are `OrderedDict`s.
    #[pyo3(signature = (n, include_timestamp=false, sorted_columns=false))]
    fn rows<'py>(
        &self,
        py: Python<'py>,
        n: usize,
        include_timestamp: bool,
        sorted_columns: bool,
    ) -> PyResult<Bound<'py, PyList>> {
        let rows = self.fetch(py, n)?;
        let shape = Shape { timestamps: include_timestamp };
        let list = PyList::empty(py);
        for row in &rows {
            let data = if sorted_columns {
                ordered_dict(py)?.call1((self.names.items(py, row, shape)?,))?
            } else {
                self.names.row(py, row, shape)?.into_any()
            };
            list.append(row::pair(py, row, data)?)?;
        }
        Ok(list)
    }

    /// Up to so many `(key, cells, partial)`; none at the end.
    #[allow(clippy::type_complexity)]
    fn cells<'py>(
        &self,
        py: Python<'py>,
        n: usize,
    ) -> PyResult<Vec<(Bound<'py, PyBytes>, Vec<(Bound<'py, PyBytes>, Bound<'py, PyBytes>, i64, &'static str)>, bool)>>
    {
        let rows = self.fetch(py, n)?;
        rows.iter().map(|row| Ok((PyBytes::new(py, &row.key), row::cells(py, row)?, row.partial))).collect()
    }

    /// Asks a fetch under way in another thread to end; it raises `hjall.Cancelled`.
    fn stop(&self) {
        self.stop.stop();
    }

    /// Ends the scan and lets go of what it reads from.
    fn close(&self, py: Python<'_>) {
        if let Ok(scanner) = self.scanner.get() {
            self.stop.stop();
            py.detach(|| drop(scanner.lock().take()));
        }
    }
}

fn ordered_dict(py: Python<'_>) -> PyResult<&Bound<'_, PyType>> {
    static CLASS: PyOnceLock<Py<PyType>> = PyOnceLock::new();
    CLASS.import(py, "collections", "OrderedDict")
}
