//! What goes wrong between tables and batches.

use arrow_schema::ArrowError;
use hjall_engine::Cell;
use hjall_engine::Error;
use pyo3::PyErr;
use pyo3::exceptions::PyValueError;

use super::kind::Kind;
use super::layout;
use crate::error;

/// What goes wrong between tables and batches.
#[derive(Debug)]
pub enum Fault {
    /// The engine said so.
    Engine(Error),
    /// Bytes that a decoder cannot read.
    Unreadable(String),
    /// An argument that cannot be meant.
    Argument(String),
    /// Arrow data that cannot be read or made.
    Arrow(ArrowError),
}

/// So many bytes of a key or value are shown in a message.
const SHOWN: usize = 64;

fn shown(bytes: &[u8]) -> String {
    let head = bytes.get(..SHOWN).unwrap_or(bytes);
    format!("b\"{}\"{}", head.escape_ascii(), if head.len() < bytes.len() { "…" } else { "" })
}

impl Fault {
    /// A value that its decoder cannot read.
    pub fn value(cell: &Cell, kind: Kind) -> Self {
        let (name, row) = (layout::name(&cell.family, &cell.qualifier), shown(&cell.row));
        Self::Unreadable(format!(
            "column {name} of row {row}: {} ({} bytes) cannot be read as {}, which takes {}: give the column another decoder, or \
             errors=\"null\" to have a null instead",
            shown(&cell.value),
            cell.value.len(),
            kind.name(),
            kind.wants(),
        ))
    }

    /// A row key that its decoder cannot read.
    pub fn key(row: &[u8], kind: Kind) -> Self {
        let row = shown(row);
        Self::Unreadable(format!(
            "row key {row} cannot be read as {}, which takes {}: give row_type=\"binary\"",
            kind.name(),
            kind.wants()
        ))
    }
}

impl From<Error> for Fault {
    fn from(error: Error) -> Self {
        Self::Engine(error)
    }
}

impl From<ArrowError> for Fault {
    fn from(error: ArrowError) -> Self {
        Self::Arrow(error)
    }
}

impl From<Fault> for PyErr {
    fn from(fault: Fault) -> Self {
        match fault {
            Fault::Engine(error) => error::raised(&error),
            Fault::Unreadable(message) => error::named("DecodeError", message),
            Fault::Argument(message) => PyValueError::new_err(message),
            Fault::Arrow(error) => PyValueError::new_err(format!("the Arrow data cannot be used: {error}")),
        }
    }
}

impl From<Fault> for ArrowError {
    fn from(fault: Fault) -> Self {
        match fault {
            Fault::Engine(error) => Self::ExternalError(error.message().to_owned().into()),
            Fault::Unreadable(message) | Fault::Argument(message) => Self::InvalidArgumentError(message),
            Fault::Arrow(error) => error,
        }
    }
}
