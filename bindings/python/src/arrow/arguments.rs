//! The functions that Python calls, and their arguments. `hjall.arrow` has brought them into one form each.

use std::sync::Arc;

use bytes::Bytes;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;

use super::discover::Asked;
use super::kind::Kind;
use super::layout::Key;
use super::load::{Load, Target, Timestamp};
use super::scan::{ArrowScan, Wish};
use crate::convert;
use crate::scanner::Wanted;
use crate::table::Table;

/// Family, qualifier and decoder of a column to read; without a qualifier all of the family, without a family all.
type AskedColumn = (Option<Vec<u8>>, Option<Vec<u8>>, String);

/// Name in the data, family, qualifier and encoder of a column to write.
type TargetColumn = (String, Vec<u8>, Vec<u8>, Option<String>);

fn kind(name: &str) -> PyResult<Kind> {
    Kind::named(name)
        .ok_or_else(|| PyValueError::new_err(format!("there is no decoder {name:?}; there are: {}", Kind::all_names())))
}

/// The scan of a table as Arrow data. `columns` is `None` where each cell becomes a row.
///
/// # Errors
/// `ValueError` for a decoder that is not there, those of the scan's arguments.
#[pyfunction]
#[pyo3(signature = (table, wanted, *, columns, values, row, row_type, timestamps, batch_rows, lenient))]
#[allow(clippy::too_many_arguments, reason = "each is an argument of Table.scan_arrow, by name")]
pub fn scan_arrow(
    table: &Table,
    wanted: Wanted<'_>,
    columns: Option<Vec<AskedColumn>>,
    values: &str,
    row: Option<String>,
    row_type: &str,
    timestamps: bool,
    batch_rows: usize,
    lenient: bool,
) -> PyResult<ArrowScan> {
    let scan = wanted.scan(table.access())?;
    let asked = |(family, qualifier, decoder): AskedColumn| {
        let (family, qualifier) = (family.map(Bytes::from), qualifier.map(Bytes::from));
        Ok::<_, PyErr>(Asked { family, qualifier, kind: kind(&decoder)? })
    };
    let wish = Wish {
        key: Key { name: row, kind: kind(row_type)? },
        columns: columns.map(|columns| columns.into_iter().map(asked).collect()).transpose()?,
        values: kind(values)?,
        timestamps,
        batch_rows: batch_rows.max(1),
        lenient,
    };
    Ok(ArrowScan::new(Arc::clone(table.access()), scan, wish))
}

/// Writes Arrow data into a table; returns how many rows were written.
///
/// # Errors
/// `ValueError` for an encoder or durability that is not there, those of [`Load::run`].
#[pyfunction]
#[pyo3(signature = (table, data, *, row, columns, family, timestamp, ttl_ms, durability, batch_rows))]
#[allow(clippy::too_many_arguments, reason = "each is an argument of Table.load_arrow, by name")]
pub fn load_arrow(
    py: Python<'_>,
    table: &Table,
    data: &Bound<'_, PyAny>,
    row: String,
    columns: Option<Vec<TargetColumn>>,
    family: Option<Vec<u8>>,
    timestamp: Option<&Bound<'_, PyAny>>,
    ttl_ms: Option<i64>,
    durability: Option<&str>,
    batch_rows: usize,
) -> PyResult<usize> {
    let target = |(name, family, qualifier, encoder): TargetColumn| {
        let kind = encoder.map(|encoder| kind(&encoder)).transpose()?;
        Ok::<_, PyErr>(Target { name, family: family.into(), qualifier: qualifier.into(), kind })
    };
    let timestamp = match timestamp {
        None => Timestamp::Now,
        Some(value) => match (value.extract::<i64>(), value.extract::<String>()) {
            (Ok(time), _) => Timestamp::Fixed(time),
            (_, Ok(column)) => Timestamp::Column(column),
            _ => {
                return Err(PyTypeError::new_err(
                    "timestamp must be an int (milliseconds) or the name of a column of the data",
                ));
            }
        },
    };
    let durability = convert::durability(durability, None)?;
    let columns = columns.map(|columns| columns.into_iter().map(target).collect::<PyResult<_>>()).transpose()?;
    let family = family.map(Bytes::from);
    let load = Load { row, columns, family, timestamp, ttl_ms, durability, batch_rows: batch_rows.max(1) };
    let table = table.access().table()?;
    load.run(py, table.get()?, data)
}
