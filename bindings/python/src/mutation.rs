//! Mutations, as Python says them: dicts of columns, lists of columns and markers.

use bytes::Bytes;
use hjall_engine::Error;
use hjall_engine::mutation::{Delete, Durability, Marker, MarkerKind, Mutation, Put, PutCell};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};

use crate::convert::{self, Encoding};
use crate::error;

/// A column and its value, and perhaps a time of its own.
pub struct Change {
    /// `family:qualifier`, not taken apart yet.
    pub column: Bytes,
    /// What to write.
    pub value: Bytes,
    /// Instead of the mutation's.
    pub timestamp: Option<i64>,
}

/// The items of a dict of columns, or of any iterable of `(column, value)` and `(column, value, timestamp)`. In a dict a value may be
/// `(value, timestamp)`, as `row(include_timestamp=True)` gives it.
///
/// # Errors
/// `TypeError` for anything else.
pub fn changes(data: &Bound<'_, PyAny>, encoding: Encoding<'_>) -> PyResult<Vec<Change>> {
    if let Ok(dict) = data.cast::<PyDict>() {
        let mut changes = Vec::with_capacity(dict.len());
        for (column, value) in dict {
            changes.push(change(&column, &value, None, encoding)?);
        }
        return Ok(changes);
    }
    if data.hasattr("items")? {
        return changes_of_items(&data.call_method0("items")?, encoding);
    }
    changes_of_items(data, encoding)
}

fn changes_of_items(items: &Bound<'_, PyAny>, encoding: Encoding<'_>) -> PyResult<Vec<Change>> {
    let wrong = || {
        PyTypeError::new_err("data must be a dict of columns, or (column, value) or (column, value, timestamp) tuples")
    };
    let mut changes = Vec::new();
    for item in items.try_iter().map_err(|_| wrong())? {
        let item = item?;
        let item = item.cast::<PyTuple>().map_err(|_| wrong())?;
        let timestamp = match item.len() {
            2 => None,
            3 => Some(convert::timestamp(&item.get_item(2)?)?),
            _ => return Err(wrong()),
        };
        changes.push(change(&item.get_item(0)?, &item.get_item(1)?, timestamp, encoding)?);
    }
    Ok(changes)
}

fn change(
    column: &Bound<'_, PyAny>,
    value: &Bound<'_, PyAny>,
    timestamp: Option<i64>,
    encoding: Encoding<'_>,
) -> PyResult<Change> {
    let column = convert::bytes(column, "a column", encoding)?;
    if let Ok(pair) = value.cast::<PyTuple>()
        && pair.len() == 2
    {
        let timestamp = Some(convert::timestamp(&pair.get_item(1)?)?);
        return Ok(Change { column, value: convert::bytes(&pair.get_item(0)?, "a value", encoding)?, timestamp });
    }
    Ok(Change { column, value: convert::bytes(value, "a value", encoding)?, timestamp })
}

impl Change {
    /// The cell to write at a time.
    ///
    /// # Errors
    /// `ValueError` for a column that names no qualifier.
    pub fn cell(self, timestamp: i64) -> PyResult<PutCell> {
        match convert::column(self.column) {
            (family, Some(qualifier)) => {
                Ok(PutCell { family, qualifier, timestamp: self.timestamp.unwrap_or(timestamp), value: self.value })
            }
            (family, None) => Err(no_qualifier(&family)),
        }
    }
}

/// For a family where a column is needed.
pub fn no_qualifier(family: &Bytes) -> PyErr {
    let shown = family.escape_ascii();
    error::raised(&Error::invalid(format!(
        "a column is b\"family:qualifier\", and b\"{shown}\" has no colon: b\"{shown}:\" is the one with the empty qualifier"
    )))
}

/// What a delete names: columns and families as HappyBase has them, and `hjall.Marker`s.
///
/// # Errors
/// `TypeError` for anything else, `ValueError` for a kind of marker that is none.
pub fn markers(columns: &Bound<'_, PyAny>, timestamp: i64, encoding: Encoding<'_>) -> PyResult<Vec<Marker>> {
    let mut markers = Vec::new();
    for item in columns.try_iter()? {
        let item = item?;
        match item.cast::<PyTuple>() {
            Ok(parts) => markers.push(marker(parts, timestamp, encoding)?),
            Err(_) => add(&mut markers, column_marker(convert::bytes(&item, "a column", encoding)?, timestamp)),
        }
    }
    Ok(markers)
}

fn marker(parts: &Bound<'_, PyTuple>, timestamp: i64, encoding: Encoding<'_>) -> PyResult<Marker> {
    let (kind, column, own): (String, Bound<'_, PyAny>, Option<i64>) = parts.extract()?;
    let kind = match &kind[..] {
        "version" => MarkerKind::Version,
        "column" => MarkerKind::Column,
        "family" => MarkerKind::Family,
        "family-version" => MarkerKind::FamilyVersion,
        _ => {
            return Err(PyValueError::new_err(format!(
                "a marker is version, column, family or family-version, not {kind:?}"
            )));
        }
    };
    let (family, qualifier) = convert::column(convert::bytes(&column, "a column", encoding)?);
    Ok(Marker { family, qualifier: qualifier.unwrap_or_default(), kind, timestamp: own.unwrap_or(timestamp) })
}

/// What deletes all versions of a column, or a whole family.
pub fn column_marker(column: Bytes, timestamp: i64) -> Marker {
    let (family, qualifier) = convert::column(column);
    let kind = if qualifier.is_some() { MarkerKind::Column } else { MarkerKind::Family };
    Marker { family, qualifier: qualifier.unwrap_or_default(), kind, timestamp }
}

/// As HBase's `Delete` gathers them: the same twice is once, and a family takes the place of what was named of it before.
pub fn add(markers: &mut Vec<Marker>, marker: Marker) {
    if marker.kind == MarkerKind::Family {
        markers.retain(|other| other.family != marker.family);
    }
    if !markers.contains(&marker) {
        markers.push(marker);
    }
}

/// A put or delete of one row, as `hjall.Put` and `hjall.Delete` hold it: kind, data or columns, timestamp, TTL in milliseconds, durability.
#[derive(FromPyObject)]
pub struct Told<'py> {
    #[pyo3(attribute("_put"))]
    put: bool,
    #[pyo3(attribute("_what"))]
    what: Option<Bound<'py, PyAny>>,
    timestamp: Option<Bound<'py, PyAny>>,
    ttl_ms: Option<i64>,
    durability: Option<String>,
}

impl Told<'_> {
    /// The mutation, of a row.
    ///
    /// # Errors
    /// `TypeError` and `ValueError` for what cannot be.
    pub fn mutation(&self, row: &Bytes, encoding: Encoding<'_>) -> PyResult<Mutation> {
        let timestamp = convert::write_time(self.timestamp.as_ref())?;
        let durability = match &self.durability {
            None => Durability::UseDefault,
            name => convert::durability(name.as_deref(), None)?,
        };
        Ok(match (&self.what, self.put) {
            (Some(data), true) => {
                let cells = changes(data, encoding)?.into_iter().map(|change| change.cell(timestamp));
                let cells = cells.collect::<PyResult<_>>()?;
                Mutation::Put(Put { row: row.clone(), cells, ttl_ms: self.ttl_ms, durability })
            }
            (columns, _) => {
                let markers =
                    columns.as_ref().map_or(Ok(Vec::new()), |columns| markers(columns, timestamp, encoding))?;
                Mutation::Delete(Delete { row: row.clone(), markers, timestamp, ttl_ms: self.ttl_ms, durability })
            }
        })
    }
}
