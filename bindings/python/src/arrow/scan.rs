//! A scan whose rows come as Arrow data.

use std::sync::{Arc, OnceLock};

use arrow_array::{RecordBatch, RecordBatchReader};
use arrow_schema::{ArrowError, SchemaRef};
use hjall_engine::read::Stop;
use hjall_engine::request::Scan;
use parking_lot::Mutex;
use pyo3::exceptions::PyStopIteration;
use pyo3::prelude::*;
use pyo3::types::PyCapsule;

use super::batch::Batches;
use super::capsule;
use super::discover::{self, Asked, Discovery};
use super::fault::Fault;
use super::layout::{Key, Layout};
use super::table::ArrowTable;
use crate::access::Access;
use crate::call::Interrupt;
use crate::fork::Owned;

/// A scan whose rows come as Arrow data. It is a description: each use of it scans anew.
#[pyclass(frozen, module = "hjall._native")]
pub struct ArrowScan {
    access: Arc<Access>,
    scan: Scan,
    wish: Wish,
    /// Known once the columns are.
    shape: OnceLock<Shape>,
}

/// What was asked for, besides the scan itself.
pub struct Wish {
    /// The row key as a column.
    pub key: Key,
    /// The columns; `None`: cells are rows.
    pub columns: Option<Vec<Asked>>,
    /// The decoder of values, where cells are rows.
    pub values: super::kind::Kind,
    /// Whether columns are followed by their timestamps.
    pub timestamps: bool,
    /// Rows of a batch, positive.
    pub batch_rows: usize,
    /// Whether what a decoder cannot read is a null.
    pub lenient: bool,
}

/// Layout and schema of the batches.
#[derive(Clone)]
struct Shape {
    layout: Layout,
    schema: SchemaRef,
}

impl ArrowScan {
    /// A scan of that table. Which columns the scan reads is set here.
    pub fn new(access: Arc<Access>, mut scan: Scan, wish: Wish) -> Self {
        if let Some(columns) = &wish.columns {
            scan.columns = discover::columns_of(columns);
        }
        Self { access, scan, wish, shape: OnceLock::new() }
    }

    /// Layout and schema; columns that were not named are looked for the first time.
    fn shape(&self, py: Python<'_>) -> PyResult<Shape> {
        if let Some(shape) = self.shape.get() {
            return Ok(shape.clone());
        }
        let timestamps = self.wish.timestamps;
        let layout = match &self.wish.columns {
            None => Layout::Cells { values: self.wish.values },
            Some(asked) => match discover::named(asked) {
                Some(columns) if !columns.is_empty() => Layout::Rows { columns, timestamps },
                _ => {
                    let interrupt = Interrupt::new();
                    let table = self.access.table()?;
                    let mut discovery = Discovery::begin(table.get()?, &self.scan, interrupt.watch())?;
                    while interrupt.outcome(py.detach(|| discovery.step()))? {}
                    Layout::Rows { columns: discovery.finish(asked), timestamps }
                }
            },
        };
        let schema = layout.schema(&self.wish.key).map_err(|name| {
            Fault::Argument(format!("two columns of the result would be called {name:?}: give the row key another name with row=, or leave one out"))
        })?;
        Ok(self.shape.get_or_init(|| Shape { layout, schema }).clone())
    }

    fn begin(&self, py: Python<'_>) -> PyResult<Batches> {
        let Shape { layout, schema } = self.shape(py)?;
        let table = self.access.table()?;
        let scanner = table.get()?.scan(self.scan.clone()).map_err(Fault::from)?;
        let Wish { key, batch_rows, lenient, .. } = &self.wish;
        Ok(Batches::new(scanner, schema, key, &layout, *batch_rows, *lenient))
    }
}

#[pymethods]
impl ArrowScan {
    /// The columns' names; those that were not named are looked for.
    #[getter]
    fn column_names(&self, py: Python<'_>) -> PyResult<Vec<String>> {
        Ok(self.shape(py)?.schema.fields().iter().map(|field| field.name().clone()).collect())
    }

    /// Scans, and keeps everything in memory.
    fn collect(&self, py: Python<'_>) -> PyResult<ArrowTable> {
        self.__iter__(py)?.collect(py)
    }

    fn __iter__(&self, py: Python<'_>) -> PyResult<ArrowBatches> {
        let mut batches = self.begin(py)?;
        let interrupt = Interrupt::new();
        batches.watch(interrupt.watch());
        Ok(ArrowBatches { stop: batches.stopper(), interrupt, batches: Owned::new(Mutex::new(batches)) })
    }

    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        capsule::schema(py, &self.shape(py)?.schema)
    }

    /// `requested_schema` is a wish which the protocol allows to leave unmet; it is.
    #[pyo3(signature = (requested_schema = None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        drop(requested_schema);
        let batches = self.begin(py)?;
        let schema = Arc::clone(batches.schema());
        capsule::stream(py, Box::new(Stream { batches: Owned::new(Mutex::new(batches)), schema }))
    }
}

/// The batches of one scan, one after the other.
#[pyclass(frozen, module = "hjall._native")]
pub struct ArrowBatches {
    batches: Owned<Mutex<Batches>>,
    stop: Stop,
    interrupt: Arc<Interrupt>,
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
            Ok::<_, Fault>((batches.next()?, Arc::clone(batches.schema())))
        });
        let (batch, schema) = self.interrupt.outcome(next)?;
        let batch = batch.ok_or_else(|| PyStopIteration::new_err(()))?;
        Ok(ArrowTable::new(schema, vec![batch]))
    }

    /// Takes all that is left, and keeps it in memory.
    fn collect(&self, py: Python<'_>) -> PyResult<ArrowTable> {
        let batches = self.batches.get()?;
        let (mut all, mut schema) = (Vec::new(), None);
        loop {
            let next = py.detach(|| {
                let mut batches = batches.lock();
                Ok::<_, Fault>((batches.next()?, Arc::clone(batches.schema())))
            });
            let (batch, same) = self.interrupt.outcome(next)?;
            let schema = schema.get_or_insert(same);
            match batch {
                Some(batch) => all.push(batch),
                None => return Ok(ArrowTable::new(Arc::clone(schema), all)),
            }
        }
    }

    /// Ends the scan, from whatever thread: a step that is under way fails with `Cancelled`.
    fn stop(&self) {
        self.stop.stop();
    }
}

/// The same for whoever takes Arrow's C stream.
struct Stream {
    batches: Owned<Mutex<Batches>>,
    schema: SchemaRef,
}

impl Iterator for Stream {
    type Item = Result<RecordBatch, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        // Whoever takes the stream may hold the GIL or not, so nothing of Python is asked here.
        if !self.batches.is_here() {
            let message = "this stream belongs to the process from which this one was forked: scan again here";
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
