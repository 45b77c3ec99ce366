//! The Arrow PyCapsule interface: Python capsules that hold Arrow's C structures.
#![allow(unsafe_code, reason = "a capsule holds a pointer to a C structure, whose type only the protocol guarantees")]

use std::ffi::{CStr, c_char, c_void};
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::ffi::{FFI_ArrowArray, FFI_ArrowSchema, from_ffi};
use arrow_array::ffi_stream::{ArrayStreamReader, FFI_ArrowArrayStream};
use arrow_array::{Array, ArrayReader, ArrayRef, RecordBatch, RecordBatchOptions, RecordBatchReader, make_array};
use arrow_schema::{ArrowError, DataType, Schema, SchemaRef};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyCapsule;

use super::error::TransferError;
use crate::error::Place;

const SCHEMA: &CStr = c"arrow_schema";
const ARRAY: &CStr = c"arrow_array";
const STREAM: &CStr = c"arrow_array_stream";

/// Puts a schema into a capsule.
///
/// # Errors
/// `ValueError` if the C interface cannot represent it.
pub fn schema<'py>(py: Python<'py>, schema: &Schema) -> PyResult<Bound<'py, PyCapsule>> {
    PyCapsule::new_with_value(py, FFI_ArrowSchema::try_from(schema).map_err(TransferError::from)?, SCHEMA)
}

/// Puts a stream of batches into a capsule. If no consumer takes the stream, it is released with the capsule.
///
/// # Errors
/// `MemoryError`.
pub fn stream<'py>(py: Python<'py>, reader: Box<dyn RecordBatchReader + Send>) -> PyResult<Bound<'py, PyCapsule>> {
    PyCapsule::new_with_value(py, FFI_ArrowArrayStream::new(reader), STREAM)
}

/// The batches of imported data, whose rows are structs.
pub struct ImportedBatches {
    schema: SchemaRef,
    arrays: Box<dyn Iterator<Item = Result<ArrayRef, ArrowError>> + Send>,
    /// The rows of the batches that have been read.
    rows: usize,
}

impl ImportedBatches {
    fn new(
        rows: &DataType,
        arrays: impl Iterator<Item = Result<ArrayRef, ArrowError>> + Send + 'static,
    ) -> PyResult<Self> {
        let DataType::Struct(fields) = rows else {
            return Err(PyTypeError::new_err("data must be a table or a record batch, not a single column"));
        };
        let schema = Arc::new(Schema::new(fields.clone()));
        Ok(Self { schema, arrays: Box::new(arrays), rows: 0 })
    }

    /// The schema.
    pub fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    fn batch(&mut self, array: &dyn Array) -> Result<RecordBatch, TransferError> {
        // A batch has no place for null structs.
        let null = array.nulls().and_then(|nulls| (0..array.len()).find(|row| nulls.is_null(*row)));
        if let Some(row) = null {
            let row = self.rows + row;
            return Err(TransferError::Argument(format!(
                "row {row} of the data is null: leave it out, for example with drop_null()"
            )));
        }
        self.rows += array.len();
        let columns = array.as_struct().columns().to_vec();
        let options = RecordBatchOptions::new().with_row_count(Some(array.len()));
        Ok(RecordBatch::try_new_with_options(Arc::clone(&self.schema), columns, &options)?)
    }
}

impl Iterator for ImportedBatches {
    type Item = Result<RecordBatch, TransferError>;

    fn next(&mut self) -> Option<Self::Item> {
        match self.arrays.next()? {
            Ok(array) => Some(self.batch(&array)),
            Err(error) => Some(Err(error.into())),
        }
    }
}

/// The C structure of a schema, of which the Arrow library shows only a part.
#[repr(C)]
struct SchemaStructure {
    format: *const c_char,
    name: *const c_char,
    metadata: *const c_char,
    flags: i64,
    n_children: i64,
    children: *const *const Self,
    dictionary: *const Self,
    release: *const c_void,
    private_data: *const c_void,
}

fn consumed(place: Place<'_>) -> PyErr {
    let error = "the data were already consumed: their exporter must return new capsules each time".to_owned();
    TransferError::Argument(error).at(place).into()
}

/// The batches of an object that exports Arrow data, as a stream or as a single array. Messages begin with the place.
///
/// # Errors
/// `TypeError` if the object exports neither, `ValueError` if the exported data are not valid batches.
pub fn batches(data: &Bound<'_, PyAny>, place: Place<'_>) -> PyResult<ImportedBatches> {
    if let Ok(method) = data.getattr("__arrow_c_stream__") {
        let capsule = method.call0()?;
        let stream = capsule.cast::<PyCapsule>()?.pointer_checked(Some(STREAM))?.cast::<FFI_ArrowArrayStream>();
        // SAFETY: The protocol guarantees that a capsule of this name, which was checked, holds a valid structure. The
        // consumer may move the structure out: `from_raw` leaves a structure marked as released in its place.
        let stream = unsafe { FFI_ArrowArrayStream::from_raw(stream.as_ptr()) };
        if stream.release().is_none() {
            return Err(consumed(place));
        }
        if stream.get_next().is_none() {
            let error = ArrowError::CDataInterface("the stream has no get_next".to_owned());
            return Err(TransferError::from(error).at(place).into());
        }
        let reader = ArrayStreamReader::try_new(stream).map_err(|error| TransferError::from(error).at(place))?;
        let rows = reader.field().data_type().clone();
        return ImportedBatches::new(&rows, reader);
    }
    if let Ok(method) = data.getattr("__arrow_c_array__") {
        let (schema, array): (Bound<'_, PyCapsule>, Bound<'_, PyCapsule>) = method.call0()?.extract()?;
        let schema = schema.pointer_checked(Some(SCHEMA))?.cast::<FFI_ArrowSchema>();
        let array = array.pointer_checked(Some(ARRAY))?.cast::<FFI_ArrowArray>();
        // SAFETY: The names of both capsules were checked, and the array may be moved out as above.
        let array = unsafe { FFI_ArrowArray::from_raw(array.as_ptr()) };
        // SAFETY: Both types have the layout that the protocol defines, and so has a structure that was released.
        let is_released = unsafe { schema.cast::<SchemaStructure>().as_ref() }.release.is_null();
        if is_released || array.is_released() {
            return Err(consumed(place));
        }
        // SAFETY: The schema was not released. It is only borrowed, and its capsule lives until the end of this block.
        let data = unsafe { from_ffi(array, schema.as_ref()) }.map_err(|error| TransferError::from(error).at(place))?;
        let rows = data.data_type().clone();
        return ImportedBatches::new(&rows, std::iter::once(Ok(make_array(data))));
    }
    // A polars.LazyFrame, for example.
    let remedy = if data.hasattr("collect")? { ": call its method collect() first" } else { "" };
    Err(PyTypeError::new_err(format!(
        "data must be Arrow data (from pyarrow, polars, pandas, DuckDB or any object with __arrow_c_stream__ or \
         __arrow_c_array__), not {}{remedy}",
        data.get_type().name()?
    )))
}
