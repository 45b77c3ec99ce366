//! The functions that Python calls. `hjall.arrow` has checked and normalized their arguments.

use std::sync::Arc;

use bytes::Bytes;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;

use super::codec::Codec;
use super::discover::ColumnRequest;
use super::layout::KeyColumn;
use super::load::{Load, Target, Timestamp};
use super::scan::{ArrowScan, BatchOptions};
use crate::convert;
use crate::error;
use crate::scanner::ScanArguments;
use crate::table::Table;

/// The attributes of `hjall.arrow.names.ColumnRequest`. `qualifier` is `None` for all columns of a family, and `family`
/// as well for all columns.
#[derive(FromPyObject)]
pub struct ColumnArgument {
    family: Option<Vec<u8>>,
    qualifier: Option<Vec<u8>>,
    decoder: String,
}

/// The attributes of `hjall.arrow.names.Target`.
#[derive(FromPyObject)]
pub struct TargetArgument {
    name: String,
    family: Vec<u8>,
    qualifier: Vec<u8>,
    encoder: Option<String>,
}

fn codec(name: &str) -> PyResult<Codec> {
    Codec::from_name(name)
        .ok_or_else(|| error::invalid(format!("unknown decoder {name:?}; the decoders are: {}", Codec::all_names())))
}

/// Scans a table as Arrow data. `columns` is `None` if each cell becomes a row.
///
/// # Errors
/// `ValueError` for an unknown decoder, and those of the scan's arguments.
#[pyfunction]
#[pyo3(signature = (table, arguments, *, columns, values, row, row_type, timestamps, batch_rows, null_on_error))]
#[allow(clippy::too_many_arguments, reason = "each is an argument of Table.scan_arrow, by name")]
pub fn scan_arrow(
    table: &Table,
    arguments: ScanArguments<'_>,
    columns: Option<Vec<ColumnArgument>>,
    values: &str,
    row: Option<String>,
    row_type: &str,
    timestamps: bool,
    batch_rows: usize,
    null_on_error: bool,
) -> PyResult<ArrowScan> {
    let scan = arguments.scan(table.handle(), "scan_arrow")?;
    let request = |column: ColumnArgument| {
        let (family, qualifier) = (column.family.map(Bytes::from), column.qualifier.map(Bytes::from));
        Ok::<_, PyErr>(ColumnRequest { family, qualifier, codec: codec(&column.decoder)? })
    };
    let options = BatchOptions {
        key: KeyColumn { name: row, codec: codec(row_type)? },
        columns: columns.map(|columns| columns.into_iter().map(request).collect()).transpose()?,
        values: codec(values)?,
        timestamps,
        batch_rows: batch_rows.max(1),
        null_on_error,
    };
    Ok(ArrowScan::new(Arc::clone(table.handle()), scan, options))
}

/// Writes Arrow data into a table and returns the number of rows written.
///
/// # Errors
/// `ValueError` for an unknown encoder or durability, and those of [`Load::run`].
#[pyfunction]
#[pyo3(signature = (table, data, *, row, columns, family, timestamp, ttl_ms, durability, batch_rows, progress, bulk))]
#[allow(clippy::too_many_arguments, reason = "each is an argument of Table.load_arrow, by name")]
pub fn load_arrow(
    py: Python<'_>,
    table: &Table,
    data: &Bound<'_, PyAny>,
    row: String,
    columns: Option<Vec<TargetArgument>>,
    family: Option<Vec<u8>>,
    timestamp: Option<&Bound<'_, PyAny>>,
    ttl_ms: Option<&Bound<'_, PyAny>>,
    durability: Option<&str>,
    batch_rows: usize,
    progress: Option<&Bound<'_, PyAny>>,
    bulk: bool,
) -> PyResult<usize> {
    let target = |argument: TargetArgument| {
        let codec = argument.encoder.map(|encoder| codec(&encoder)).transpose()?;
        let (family, qualifier) = (argument.family.into(), argument.qualifier.into());
        Ok::<_, PyErr>(Target { name: argument.name, family, qualifier, codec })
    };
    let timestamp = match timestamp {
        None => Timestamp::Now,
        Some(value) => match (value.extract::<i64>(), value.extract::<String>()) {
            (Ok(time), _) => Timestamp::Fixed(time),
            (_, Ok(column)) => Timestamp::Column(column),
            _ => {
                return Err(PyTypeError::new_err(
                    "timestamp must be an int (milliseconds since 1970) or the name of a column of the data",
                ));
            }
        },
    };
    if bulk && durability.is_some() {
        return Err(PyTypeError::new_err(
            "durability cannot be combined with bulk: a bulk load is durable when it returns",
        ));
    }
    let (durability, ttl_ms) = (convert::durability(durability, None)?, convert::ttl(ttl_ms)?);
    let columns = columns.map(|columns| columns.into_iter().map(target).collect::<PyResult<_>>()).transpose()?;
    let family = family.map(Bytes::from);
    let (batch_rows, handle) = (batch_rows.max(1), table.handle());
    let name = handle.name().clone();
    let load = Load { row, columns, family, timestamp, ttl_ms, durability, batch_rows, bulk, table: name };
    let table = handle.table()?;
    load.run(py, table.get()?, data, progress)
}
