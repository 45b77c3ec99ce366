//! Scans that return Arrow data.

use std::sync::{Arc, OnceLock};

use arrow_array::{RecordBatch, RecordBatchReader};
use arrow_schema::{ArrowError, SchemaRef};
use hjall_engine::Row;
use hjall_engine::read::Stop;
use hjall_engine::request::Scan;
use parking_lot::Mutex;
use pyo3::exceptions::PyStopIteration;
use pyo3::prelude::*;
use pyo3::types::PyCapsule;

use super::batch::Batches;
use super::capsule;
use super::discover::{self, ColumnRequest, Discovery};
use super::error::TransferError;
use super::layout::{KeyColumn, Layout};
use super::table::ArrowTable;
use crate::call::SignalWatcher;
use crate::fork::ForkGuard;
use crate::table_handle::TableHandle;

/// The description of a scan that returns Arrow data. Each use runs a new scan.
#[pyclass(frozen, module = "hjall._native")]
pub struct ArrowScan {
    handle: Arc<TableHandle>,
    scan: Scan,
    options: BatchOptions,
    /// Set once the columns are known.
    shape: OnceLock<Shape>,
}

/// The options of the result.
pub struct BatchOptions {
    /// The column of row keys.
    pub key: KeyColumn,
    /// The columns; `None` makes each cell a row.
    pub columns: Option<Vec<ColumnRequest>>,
    /// The decoder of values if each cell is a row.
    pub values: super::codec::Codec,
    /// Whether each column is followed by a column with the timestamps of its cells.
    pub timestamps: bool,
    /// The number of rows in a full batch; at least 1.
    pub batch_rows: usize,
    /// Whether a value that its decoder cannot read becomes a null instead of an error.
    pub null_on_error: bool,
}

/// The layout and schema of the batches.
#[derive(Clone)]
struct Shape {
    layout: Layout,
    schema: SchemaRef,
}

impl ArrowScan {
    /// Makes the description. Replaces the columns of `scan` by those in `options`.
    pub fn new(handle: Arc<TableHandle>, mut scan: Scan, options: BatchOptions) -> Self {
        if let Some(columns) = &options.columns {
            scan.columns = discover::columns_of(columns);
        }
        Self { handle, scan, options, shape: OnceLock::new() }
    }

    /// The layout and schema. The first call runs the discovery of columns that were not named.
    fn shape(&self, py: Python<'_>) -> PyResult<Shape> {
        Ok(self.shape_and_rows(py, false)?.0)
    }

    /// The layout and schema. If the columns had to be discovered, and with `keep`, the rows of the scan too, unless
    /// they are too large to be kept.
    fn shape_and_rows(&self, py: Python<'_>, keep: bool) -> PyResult<(Shape, Option<Vec<Row>>)> {
        if let Some(shape) = self.shape.get() {
            return Ok((shape.clone(), None));
        }
        let mut rows = None;
        let timestamps = self.options.timestamps;
        let layout = match &self.options.columns {
            None => Layout::Cells { values: self.options.values },
            Some(requested) => match discover::all_named(requested) {
                Some(columns) if !columns.is_empty() => Layout::Rows { columns, timestamps },
                _ => {
                    let signals = SignalWatcher::new();
                    let table = self.handle.table()?;
                    let mut discovery = Discovery::begin(table.get()?, &self.scan, signals.watch(), keep)?;
                    while signals.outcome(py.detach(|| discovery.step()))? {}
                    rows = discovery.take_rows();
                    Layout::Rows { columns: discovery.finish(requested), timestamps }
                }
            },
        };
        let schema = layout.schema(&self.options.key).map_err(|name| {
            TransferError::Argument(format!(
                "two columns of the result are named {name:?}: rename the column of row keys with row=, or leave one \
                 out"
            ))
        })?;
        let shape = Shape { layout, schema };
        if let Err(_other) = self.shape.set(shape.clone()) {
            // Another thread was faster, and its columns hold.
            rows = None;
        }
        Ok((self.shape.get().cloned().unwrap_or(shape), rows))
    }

    fn begin(&self, py: Python<'_>) -> PyResult<Batches> {
        let (Shape { layout, schema }, rows) = self.shape_and_rows(py, true)?;
        let table = self.handle.table()?;
        let scanner = table.get()?.scan(self.scan.clone()).map_err(TransferError::from)?;
        let BatchOptions { key, batch_rows, null_on_error, .. } = &self.options;
        let mut batches = Batches::new(scanner, schema, key, &layout, *batch_rows, *null_on_error);
        if let Some(rows) = rows {
            batches.use_rows(rows);
        }
        Ok(batches)
    }
}

#[pymethods]
impl ArrowScan {
    /// The names of the columns. The first call discovers columns that were not named.
    #[getter]
    fn column_names(&self, py: Python<'_>) -> PyResult<Vec<String>> {
        Ok(self.shape(py)?.schema.fields().iter().map(|field| field.name().clone()).collect())
    }

    /// Runs the scan and keeps the result in memory.
    fn collect(&self, py: Python<'_>) -> PyResult<ArrowTable> {
        self.__iter__(py)?.collect(py)
    }

    fn __iter__(&self, py: Python<'_>) -> PyResult<ArrowBatches> {
        let mut batches = self.begin(py)?;
        let signals = SignalWatcher::new();
        batches.watch(signals.watch());
        Ok(ArrowBatches { stop: batches.stopper(), signals, batches: ForkGuard::new(Mutex::new(batches)) })
    }

    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        capsule::schema(py, &self.shape(py)?.schema)
    }

    /// Ignores `requested_schema`, as the protocol allows.
    #[pyo3(signature = (requested_schema = None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        drop(requested_schema);
        let batches = self.begin(py)?;
        let schema = Arc::clone(batches.schema());
        capsule::stream(py, Box::new(Stream { batches: ForkGuard::new(Mutex::new(batches)), schema }))
    }
}

/// An iterator over the batches of one scan.
#[pyclass(frozen, module = "hjall._native")]
pub struct ArrowBatches {
    batches: ForkGuard<Mutex<Batches>>,
    stop: Stop,
    signals: Arc<SignalWatcher>,
}

#[pymethods]
impl ArrowBatches {
    fn __iter__(slf: Bound<'_, Self>) -> Bound<'_, Self> {
        slf
    }

    fn __next__(&self, py: Python<'_>) -> PyResult<ArrowTable> {
        let batches = self.batches.get()?;
        let next = py.detach(|| {
            let mut batches = batches.lock();
            Ok::<_, TransferError>((batches.next()?, Arc::clone(batches.schema())))
        });
        let (batch, schema) = self.signals.outcome(next)?;
        let batch = batch.ok_or_else(|| PyStopIteration::new_err(()))?;
        Ok(ArrowTable::new(schema, vec![batch]))
    }

    /// Reads all remaining batches into memory.
    fn collect(&self, py: Python<'_>) -> PyResult<ArrowTable> {
        let batches = self.batches.get()?;
        let (mut all, mut schema) = (Vec::new(), None);
        loop {
            let next = py.detach(|| {
                let mut batches = batches.lock();
                Ok::<_, TransferError>((batches.next()?, Arc::clone(batches.schema())))
            });
            let (batch, same) = self.signals.outcome(next)?;
            let schema = schema.get_or_insert(same);
            match batch {
                Some(batch) => all.push(batch),
                None => return Ok(ArrowTable::new(Arc::clone(schema), all)),
            }
        }
    }

    /// Stops the scan from any thread. A step that is running raises `Cancelled`.
    fn stop(&self) {
        self.stop.stop();
    }
}

/// The batches of one scan for a consumer of Arrow's C stream.
struct Stream {
    batches: ForkGuard<Mutex<Batches>>,
    schema: SchemaRef,
}

impl Iterator for Stream {
    type Item = Result<RecordBatch, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        // The consumer may or may not hold the GIL, so this must not call Python.
        if !self.batches.is_owner() {
            let message = "the stream was opened by the parent of this forked process: start a new scan here";
            return Some(Err(ArrowError::InvalidArgumentError(String::from(message))));
        }
        let batches = self.batches.get().ok()?;
        match batches.lock().next() {
            Ok(batch) => batch.map(Ok),
            Err(fault) => Some(Err(fault.into())),
        }
    }
}

impl RecordBatchReader for Stream {
    fn schema(&self) -> SchemaRef {
        Arc::clone(&self.schema)
    }
}
