//! Scans that return Arrow data.

use std::collections::VecDeque;
use std::sync::{Arc, OnceLock};

use arrow_array::{RecordBatch, RecordBatchReader};
use arrow_schema::{ArrowError, SchemaRef};
use hjall_engine::read::Stop;
use hjall_engine::request::Scan;
use pyo3::exceptions::PyStopIteration;
use pyo3::prelude::*;
use pyo3::types::PyCapsule;

use super::batch::{BatchForm, Batches, FilledBatch};
use super::capsule;
use super::discover::{self, ColumnRequest};
use super::error::TransferError;
use super::layout::{ColumnSpec, KeyColumn, Layout};
use super::table::ArrowTable;
use crate::call::SignalWatcher;
use crate::exclusive::Exclusive;
use crate::fork::ForkGuard;
use crate::table_handle::TableHandle;

/// The size of a result with discovered columns, in bytes, up to which a stream reads it once.
const KEPT_BYTES_MAX: usize = 128 << 20;

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
        Ok(self.shape_and_batches(py, 0)?.0)
    }

    /// The layout and schema. If the columns had to be discovered, the result of the scan too, unless it takes more
    /// than `keep` bytes.
    fn shape_and_batches(&self, py: Python<'_>, keep: usize) -> PyResult<(Shape, Option<Vec<RecordBatch>>)> {
        if let Some(shape) = self.shape.get() {
            return Ok((shape.clone(), None));
        }
        let timestamps = self.options.timestamps;
        let (layout, discovered) = match &self.options.columns {
            None => (Layout::Cells { values: self.options.values }, None),
            Some(requested) => match discover::all_named(requested) {
                Some(columns) if !columns.is_empty() => (Layout::Rows { columns, timestamps }, None),
                _ => {
                    let (found, kept) = self.discover(py, requested, keep)?;
                    let columns = discover::in_order(found.clone(), requested);
                    (Layout::Rows { columns, timestamps }, kept.map(|kept| (found, kept)))
                }
            },
        };
        let schema = layout.schema(&self.options.key).map_err(|name| {
            let remedy = if self.options.key.name.as_ref() == Some(&name) {
                "rename the column of row keys with row=, or leave one out"
            } else {
                "leave one out with columns=, or use layout=\"cells\""
            };
            TransferError::Argument(format!("two columns of the result are named {name:?}: {remedy}"))
        })?;
        // If another thread was faster, its columns hold.
        let shape = self.shape.get_or_init(|| Shape { layout, schema }).clone();
        let (Some((found, kept)), Layout::Rows { columns, .. }) = (discovered, &shape.layout) else {
            return Ok((shape, None));
        };
        let position = |column: &ColumnSpec| {
            found.iter().position(|met| (&met.family, &met.qualifier) == (&column.family, &column.qualifier))
        };
        let columns: Vec<_> = columns.iter().map(|column| (column.clone(), position(column))).collect();
        let batches = kept.iter().map(|batch| batch.with_columns(&shape.schema, &columns, timestamps));
        let batches = batches.collect::<Result<_, _>>()?;
        Ok((shape, Some(batches)))
    }

    /// Runs the scan to discover its columns, which are returned in the order of the positions in the batches. The
    /// batches are kept unless they take more than `keep` bytes.
    fn discover(
        &self,
        py: Python<'_>,
        requested: &[ColumnRequest],
        keep: usize,
    ) -> PyResult<(Vec<ColumnSpec>, Option<Vec<FilledBatch>>)> {
        let BatchOptions { key, timestamps, batch_rows, null_on_error, .. } = &self.options;
        let table = self.handle.table()?;
        let scanner = table.get()?.scan(self.scan.clone()).map_err(TransferError::from)?;
        let mut batches =
            Batches::discovering(scanner, key, requested.to_vec(), *timestamps, *batch_rows, *null_on_error);
        let signals = SignalWatcher::new();
        batches.watch(signals.watch());
        let (mut kept, mut bytes) = (Vec::new(), 0);
        while bytes < keep {
            let Some(batch) = signals.outcome(py.detach(|| batches.next()))? else {
                return Ok((batches.columns(), Some(kept)));
            };
            bytes += batch.memory_bytes();
            kept.push(batch);
        }
        drop(kept);
        while signals.outcome(py.detach(|| batches.learn()))? {}
        Ok((batches.columns(), None))
    }

    fn begin(&self, py: Python<'_>) -> PyResult<Source> {
        let (Shape { layout, schema }, kept) = self.shape_and_batches(py, KEPT_BYTES_MAX)?;
        if let Some(kept) = kept {
            return Ok(Source { schema, kept: kept.into(), batches: None });
        }
        let table = self.handle.table()?;
        let scanner = table.get()?.scan(self.scan.clone()).map_err(TransferError::from)?;
        let BatchOptions { key, batch_rows: rows_max, null_on_error, .. } = &self.options;
        let form = BatchForm { key, layout: &layout, rows_max: *rows_max, null_on_error: *null_on_error };
        let batches = Some(Batches::new(scanner, &form));
        Ok(Source { schema, kept: VecDeque::new(), batches })
    }
}

/// The batches of one scan, whose schema is known.
struct Source {
    schema: SchemaRef,
    /// Batches that have been read.
    kept: VecDeque<RecordBatch>,
    /// The further ones.
    batches: Option<Batches>,
}

impl Source {
    /// The next batch, or `None` at the end.
    ///
    /// # Errors
    /// Those of [`Batches::next`].
    fn next(&mut self) -> Result<Option<RecordBatch>, TransferError> {
        if let Some(batch) = self.kept.pop_front() {
            return Ok(Some(batch));
        }
        let next = self.batches.as_mut().map_or(Ok(None), Batches::next)?;
        next.map(|batch| batch.with_schema(&self.schema)).transpose()
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
        match self.shape_and_batches(py, usize::MAX)? {
            (Shape { schema, .. }, Some(batches)) => Ok(ArrowTable::new(schema, batches)),
            (_, None) => self.__iter__(py)?.collect(py),
        }
    }

    fn __iter__(&self, py: Python<'_>) -> PyResult<ArrowBatches> {
        let mut source = self.begin(py)?;
        let signals = SignalWatcher::new();
        let stop = source.batches.as_mut().map_or_else(Stop::default, |batches| {
            batches.watch(signals.watch());
            batches.stopper()
        });
        Ok(ArrowBatches { stop, signals, source: ForkGuard::new(Exclusive::new(source)) })
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
        let source = self.begin(py)?;
        let schema = Arc::clone(&source.schema);
        capsule::stream(py, Box::new(Stream { source: ForkGuard::new(Exclusive::new(source)), schema }))
    }
}

/// An iterator over the batches of one scan.
#[pyclass(frozen, module = "hjall._native")]
pub struct ArrowBatches {
    source: ForkGuard<Exclusive<Source>>,
    stop: Stop,
    signals: Arc<SignalWatcher>,
}

impl ArrowBatches {
    /// The next batch, or `None` at the end, and the schema.
    ///
    /// # Errors
    /// Those of [`Source::next`], the exception of a signal handler that ran during the call, and `ValueError` in such
    /// a handler.
    fn next(&self, py: Python<'_>) -> PyResult<(Option<RecordBatch>, SchemaRef)> {
        let source = self.source.get()?;
        let next =
            py.detach(|| source.with(|source| Ok::<_, TransferError>((source.next()?, Arc::clone(&source.schema)))))?;
        self.signals.outcome(next)
    }
}

#[pymethods]
impl ArrowBatches {
    fn __iter__(slf: Bound<'_, Self>) -> Bound<'_, Self> {
        slf
    }

    fn __next__(&self, py: Python<'_>) -> PyResult<ArrowTable> {
        let (batch, schema) = self.next(py)?;
        let batch = batch.ok_or_else(|| PyStopIteration::new_err(()))?;
        Ok(ArrowTable::new(schema, vec![batch]))
    }

    /// Reads all remaining batches into memory.
    fn collect(&self, py: Python<'_>) -> PyResult<ArrowTable> {
        let mut all = Vec::new();
        loop {
            match self.next(py)? {
                (Some(batch), _) => all.push(batch),
                (None, schema) => return Ok(ArrowTable::new(schema, all)),
            }
        }
    }

    /// Whether threads have read as far ahead as they may, and wait. For tests.
    fn _is_ahead(&self, py: Python<'_>) -> PyResult<bool> {
        let source = self.source.get()?;
        Ok(py.detach(|| source.with(|source| source.batches.as_ref().is_some_and(Batches::is_ahead)))?)
    }

    /// Stops the scan from any thread. A step that is running raises `Cancelled`.
    fn stop(&self) {
        self.stop.stop();
    }
}

/// The batches of one scan for a consumer of Arrow's C stream.
struct Stream {
    source: ForkGuard<Exclusive<Source>>,
    schema: SchemaRef,
}

impl Iterator for Stream {
    type Item = Result<RecordBatch, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        // The consumer may or may not hold the GIL, so this must not call Python.
        if !self.source.is_owner() {
            let message = "the stream was opened by the parent of this forked process: start a new scan here";
            return Some(Err(ArrowError::InvalidArgumentError(String::from(message))));
        }
        let source = self.source.get().ok()?;
        // No signal handler runs during a step of the stream, so none can be in use by this thread.
        match source.with(Source::next).ok()? {
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
