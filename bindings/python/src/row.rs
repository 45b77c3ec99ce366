//! Rows as Python's dicts, and cells as tuples.

use hjall_engine::{Cell, CellKind, Row};
use parking_lot::Mutex;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList, PyTuple};

/// Names kept at most.
const NAMES_MAX: usize = 64;
/// Names looked at before a column counts as new.
const LOOKS: usize = 4;

/// How a row is to be shown.
#[derive(Debug, Clone, Copy)]
pub struct Shape {
    /// `(value, timestamp)` in the place of the value.
    pub timestamps: bool,
}

/// Names of columns that were met lately, as Python's bytes: rows of a table mostly have the same columns, in the same order. A name that is met again
/// is neither allocated nor hashed again.
#[derive(Default)]
pub struct Names(Mutex<Vec<Py<PyBytes>>>);

impl Names {
    /// A row as a dict of its columns; of several versions of one the last stays, as in HappyBase.
    ///
    /// # Errors
    /// Python has no memory.
    pub fn row<'py>(&self, py: Python<'py>, row: &Row, shape: Shape) -> PyResult<Bound<'py, PyDict>> {
        let data = PyDict::new(py);
        let mut fresh = Vec::new();
        // Whoever else uses them now is not waited for.
        let mut shared = self.0.try_lock();
        let names = shared.as_deref_mut().unwrap_or(&mut fresh);
        let mut at = 0;
        for cell in &row.cells {
            let value = PyBytes::new(py, &cell.value);
            at = place(py, names, at, cell)?;
            let name = names[at].bind(py);
            if shape.timestamps {
                data.set_item(name, (value, cell.timestamp))?;
            } else {
                data.set_item(name, value)?;
            }
            at += 1;
        }
        Ok(data)
    }

    /// The items of a row, in order.
    ///
    /// # Errors
    /// Python has no memory.
    pub fn items<'py>(&self, py: Python<'py>, row: &Row, shape: Shape) -> PyResult<Bound<'py, PyList>> {
        let items = PyList::empty(py);
        for cell in &row.cells {
            let value = PyBytes::new(py, &cell.value);
            let name = name(py, cell)?;
            if shape.timestamps {
                items.append((name, (value, cell.timestamp)))?;
            } else {
                items.append((name, value))?;
            }
        }
        Ok(items)
    }
}

/// Where the name of a cell's column is among those kept, from a place on; it is put there if it is not.
fn place(py: Python<'_>, names: &mut Vec<Py<PyBytes>>, at: usize, cell: &Cell) -> PyResult<usize> {
    for (ahead, kept) in names.iter().skip(at).take(LOOKS).enumerate() {
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

/// The values of cells, or `(value, timestamp)`, in order.
///
/// # Errors
/// Python has no memory.
pub fn values<'py>(py: Python<'py>, row: &Row, shape: Shape) -> PyResult<Bound<'py, PyList>> {
    if shape.timestamps {
        PyList::new(py, row.cells.iter().map(|cell| (PyBytes::new(py, &cell.value), cell.timestamp)))
    } else {
        PyList::new(py, row.cells.iter().map(|cell| PyBytes::new(py, &cell.value)))
    }
}

/// The parts of `hjall.Cell`: column, value, timestamp, kind.
type CellParts<'py> = (Bound<'py, PyBytes>, Bound<'py, PyBytes>, i64, &'static str);

/// Cells as the tuples that `hjall.Cell` is made from.
///
/// # Errors
/// Python has no memory.
pub fn cells<'py>(py: Python<'py>, row: &Row) -> PyResult<Vec<CellParts<'py>>> {
    let parts = |cell: &Cell| Ok((name(py, cell)?, PyBytes::new(py, &cell.value), cell.timestamp, kind(cell.kind)));
    row.cells.iter().map(parts).collect()
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

/// A row's key and what it holds.
pub fn pair<'py>(py: Python<'py>, row: &Row, data: Bound<'py, PyAny>) -> PyResult<Bound<'py, PyTuple>> {
    PyTuple::new(py, [PyBytes::new(py, &row.key).into_any(), data])
}
