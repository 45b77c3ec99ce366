//! Arrow's C structures in the capsules in which Python programs hand them to each other (the Arrow PyCapsule interface).
#![allow(
    unsafe_code,
    reason = "a capsule holds a pointer to a C structure; what is behind it is promised by the protocol, not by a type"
)]

use std::ffi::CStr;

use arrow_array::ffi::{FFI_ArrowArray, FFI_ArrowSchema, from_ffi};
use arrow_array::ffi_stream::{FFI_ArrowArrayStream, RecordBatchStreamReader};
use arrow_array::{RecordBatch, RecordBatchIterator, RecordBatchReader, StructArray};
use arrow_schema::Schema;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyCapsule;

use super::fault::Fault;

const SCHEMA: &CStr = c"arrow_schema";
const ARRAY: &CStr = c"arrow_array";
const STREAM: &CStr = c"arrow_array_stream";

/// A schema as a capsule.
///
/// # Errors
/// `ValueError` if it cannot be said in C.
pub fn schema<'py>(py: Python<'py>, schema: &Schema) -> PyResult<Bound<'py, PyCapsule>> {
    PyCapsule::new_with_value(py, FFI_ArrowSchema::try_from(schema).map_err(Fault::from)?, SCHEMA)
}

/// A stream of batches as a capsule. If nobody takes them, the capsule lets go of the stream when it is dropped.
///
/// # Errors
/// None that can be foreseen.
pub fn stream<'py>(py: Python<'py>, reader: Box<dyn RecordBatchReader + Send>) -> PyResult<Bound<'py, PyCapsule>> {
    PyCapsule::new_with_value(py, FFI_ArrowArrayStream::new(reader), STREAM)
}

/// The batches of any object that hands out Arrow data: a stream of them, or one array.
///
/// # Errors
/// `TypeError` if it hands out neither, `ValueError` if what it hands out cannot be read as batches.
pub fn batches(data: &Bound<'_, PyAny>) -> PyResult<Box<dyn RecordBatchReader + Send>> {
    if let Ok(method) = data.getattr("__arrow_c_stream__") {
        let capsule = method.call0()?;
        let stream = capsule.cast::<PyCapsule>()?.pointer_checked(Some(STREAM))?.cast::<FFI_ArrowArrayStream>();
        // SAFETY: a capsule of that name holds such a structure (checked: the name), and it is ours to take: what is left behind is marked as taken.
        let stream = unsafe { FFI_ArrowArrayStream::from_raw(stream.as_ptr()) };
        return Ok(Box::new(RecordBatchStreamReader::try_new(stream).map_err(Fault::from)?));
    }
    if let Ok(method) = data.getattr("__arrow_c_array__") {
        let (schema, array): (Bound<'_, PyCapsule>, Bound<'_, PyCapsule>) = method.call0()?.extract()?;
        let schema = schema.pointer_checked(Some(SCHEMA))?.cast::<FFI_ArrowSchema>();
        let array = array.pointer_checked(Some(ARRAY))?.cast::<FFI_ArrowArray>();
        // SAFETY: as above; the schema is only looked at, and its capsule lives until the end of this block.
        let data =
            unsafe { from_ffi(FFI_ArrowArray::from_raw(array.as_ptr()), schema.as_ref()) }.map_err(Fault::from)?;
        if !matches!(data.data_type(), arrow_schema::DataType::Struct(_)) {
            return Err(PyTypeError::new_err("data must be a table or a batch of columns, not a single column"));
        }
        let batch = RecordBatch::from(StructArray::from(data));
        let schema = batch.schema();
        return Ok(Box::new(RecordBatchIterator::new([Ok(batch)], schema)));
    }
    Err(PyTypeError::new_err(format!(
        "data must be Arrow data (of pyarrow, polars, pandas, duckdb, …: anything with __arrow_c_stream__ or __arrow_c_array__), not {}",
        data.get_type().name()?
    )))
}
