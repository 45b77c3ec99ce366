//! The Arrow PyCapsule interface: Python capsules that hold Arrow's C structures.
#![allow(unsafe_code, reason = "a capsule holds a pointer to a C structure, whose type only the protocol guarantees")]

use std::ffi::CStr;

use arrow_array::ffi::{FFI_ArrowArray, FFI_ArrowSchema, from_ffi};
use arrow_array::ffi_stream::{FFI_ArrowArrayStream, RecordBatchStreamReader};
use arrow_array::{RecordBatch, RecordBatchIterator, RecordBatchReader, StructArray};
use arrow_schema::Schema;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyCapsule;

use super::error::TransferError;

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

/// The batches of an object that exports Arrow data, as a stream or as a single array.
///
/// # Errors
/// `TypeError` if the object exports neither, `ValueError` if the exported data are not valid batches.
pub fn batches(data: &Bound<'_, PyAny>) -> PyResult<Box<dyn RecordBatchReader + Send>> {
    if let Ok(method) = data.getattr("__arrow_c_stream__") {
        let capsule = method.call0()?;
        let stream = capsule.cast::<PyCapsule>()?.pointer_checked(Some(STREAM))?.cast::<FFI_ArrowArrayStream>();
        // SAFETY: The protocol guarantees that a capsule of this name, which was checked, holds a valid structure. The
        // consumer may move the structure out: `from_raw` leaves a structure marked as released in its place.
        let stream = unsafe { FFI_ArrowArrayStream::from_raw(stream.as_ptr()) };
        return Ok(Box::new(RecordBatchStreamReader::try_new(stream).map_err(TransferError::from)?));
    }
    if let Ok(method) = data.getattr("__arrow_c_array__") {
        let (schema, array): (Bound<'_, PyCapsule>, Bound<'_, PyCapsule>) = method.call0()?.extract()?;
        let schema = schema.pointer_checked(Some(SCHEMA))?.cast::<FFI_ArrowSchema>();
        let array = array.pointer_checked(Some(ARRAY))?.cast::<FFI_ArrowArray>();
        // SAFETY: The names of both capsules were checked, and the array may be moved out as above. The schema is only
        // borrowed, and its capsule lives until the end of this block.
        let data = unsafe { from_ffi(FFI_ArrowArray::from_raw(array.as_ptr()), schema.as_ref()) }
            .map_err(TransferError::from)?;
        if !matches!(data.data_type(), arrow_schema::DataType::Struct(_)) {
            return Err(PyTypeError::new_err("data must be a table or a record batch, not a single column"));
        }
        let batch = RecordBatch::from(StructArray::from(data));
        let schema = batch.schema();
        return Ok(Box::new(RecordBatchIterator::new([Ok(batch)], schema)));
    }
    // A polars.LazyFrame, for example.
    let remedy = if data.hasattr("collect")? { ": call its method collect() first" } else { "" };
    Err(PyTypeError::new_err(format!(
        "data must be Arrow data (from pyarrow, polars, pandas, DuckDB or any object with __arrow_c_stream__ or \
         __arrow_c_array__), not {}{remedy}",
        data.get_type().name()?
    )))
}
