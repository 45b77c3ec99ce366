//! Rows as Python dicts, and cells as tuples.

use hjall_engine::{Cell, CellKind, Row};
use parking_lot::Mutex;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList, PyTuple};

/// The capacity of the cache of column names.
const NAMES_MAX: usize = 64;
/// The number of cached names that are compared with a column before it counts as new.
const LOOKAHEAD: usize = 4;

/// The form in which cells are returned.
#[derive(Debug, Clone, Copy)]
pub struct RowFormat {
    /// Whether a cell becomes `(value, timestamp)` instead of the value alone.
    pub include_timestamp: bool,
}

/// A cache of recently used column names as Python bytes. The rows of a table mostly have the same columns in the same
/// order, and a cached name is neither allocated nor hashed again.
#[derive(Default)]
pub struct ColumnNames(Mutex<Vec<Py<PyBytes>>>);

impl ColumnNames {
    /// A row as a dict by column. Of several versions of a column, the last one is kept, as in HappyBase.
    ///
    /// # Errors
    /// `MemoryError`.
    pub fn row<'py>(&self, py: Python<'py>, row: &Row, format: RowFormat) -> PyResult<Bound<'py, PyDict>> {
        let data = PyDict::new(py);
        let mut fresh = Vec::new();
        // Does not wait: if another thread uses the cache, this row is converted without it.
        let mut cached = self.0.try_lock();
        let names = cached.as_deref_mut().unwrap_or(&mut fresh);
        let mut at = 0;
        for cell in &row.cells {
            let value = PyBytes::new(py, &cell.value);
            at = find_or_insert(py, names, at, cell)?;
            let name = names[at].bind(py);
            if format.include_timestamp {
                data.set_item(name, (value, cell.timestamp))?;
            } else {
                data.set_item(name, value)?;
            }
            at += 1;
        }
        Ok(data)
    }

    /// The items of a row as `(column, value)`, in order.
    ///
    /// # Errors
    /// `MemoryError`.
    pub fn items<'py>(&self, py: Python<'py>, row: &Row, format: RowFormat) -> PyResult<Bound<'py, PyList>> {
        let items = PyList::empty(py);
        for cell in &row.cells {
            let value = PyBytes::new(py, &cell.value);
            let name = name(py, cell)?;
            if format.include_timestamp {
                items.append((name, (value, cell.timestamp)))?;
            } else {
                items.append((name, value))?;
            }
        }
        Ok(items)
    }
}

/// The index of a cell's column among the cached names, searched from `at`. A new name is inserted at `at`.
fn find_or_insert(py: Python<'_>, names: &mut Vec<Py<PyBytes>>, at: usize, cell: &Cell) -> PyResult<usize> {
    for (ahead, kept) in names.iter().skip(at).take(LOOKAHEAD).enumerate() {
        if is_name(kept.bind(py).as_bytes(), cell) {
            return Ok(at + ahead);
        }
    }
    let new = name(py, cell)?.unbind();
    let at = at.min(NAMES_MAX - 1);
    if names.len() < NAMES_MAX {
        names.insert(at.min(names.len()), new);
    } else {
        names[at] = new;
    }
    Ok(at)
}

fn is_name(name: &[u8], cell: &Cell) -> bool {
    let family = cell.family.len();
    name.len() == family + 1 + cell.qualifier.len()
        && name[family + 1..] == cell.qualifier[..]
        && name[family] == b':'
        && name[..family] == cell.family[..]
}

/// `family:qualifier`.
pub fn name<'py>(py: Python<'py>, cell: &Cell) -> PyResult<Bound<'py, PyBytes>> {
    let family = cell.family.len();
    PyBytes::new_with(py, family + 1 + cell.qualifier.len(), |name| {
        name[..family].copy_from_slice(&cell.family);
        name[family] = b':';
        name[family + 1..].copy_from_slice(&cell.qualifier);
        Ok(())
    })
}

/// The values of a row's cells, or their `(value, timestamp)`, in order.
///
/// # Errors
/// `MemoryError`.
pub fn values<'py>(py: Python<'py>, row: &Row, format: RowFormat) -> PyResult<Bound<'py, PyList>> {
    if format.include_timestamp {
        PyList::new(py, row.cells.iter().map(|cell| (PyBytes::new(py, &cell.value), cell.timestamp)))
    } else {
        PyList::new(py, row.cells.iter().map(|cell| PyBytes::new(py, &cell.value)))
    }
}

/// The fields of `hjall.Cell`: column, value, timestamp, kind.
pub type CellFields<'py> = (Bound<'py, PyBytes>, Bound<'py, PyBytes>, i64, &'static str);

/// A row's cells as the tuples that `hjall.Cell` is constructed from.
///
/// # Errors
/// `MemoryError`.
pub fn cells<'py>(py: Python<'py>, row: &Row) -> PyResult<Vec<CellFields<'py>>> {
    let fields = |cell: &Cell| Ok((name(py, cell)?, PyBytes::new(py, &cell.value), cell.timestamp, kind(cell.kind)));
    row.cells.iter().map(fields).collect()
}

/// HBase's name for a kind of cell.
fn kind(kind: CellKind) -> &'static str {
    match kind {
        CellKind::Put => "Put",
        CellKind::Delete => "Delete",
        CellKind::DeleteFamilyVersion => "DeleteFamilyVersion",
        CellKind::DeleteColumn => "DeleteColumn",
        CellKind::DeleteFamily => "DeleteFamily",
    }
}

/// The tuple `(row key, data)`.
pub fn pair<'py>(py: Python<'py>, row: &Row, data: Bound<'py, PyAny>) -> PyResult<Bound<'py, PyTuple>> {
    PyTuple::new(py, [PyBytes::new(py, &row.key).into_any(), data])
}
