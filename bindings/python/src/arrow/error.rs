//! Errors of transfers between tables and Arrow data.

use arrow_schema::ArrowError;
use bytes::Bytes;
use hjall_engine::Error;
use pyo3::PyErr;

use super::codec::Codec;
use super::layout;
use crate::error::{self, Place};

/// The error of a transfer between a table and Arrow data.
#[derive(Debug)]
pub enum TransferError {
    /// A read of the engine failed.
    Engine(Error),
    /// A row could not be written.
    Write(Box<WriteError>),
    /// A row of a bulk load was refused, and nothing was written.
    Load(Box<WriteError>),
    /// A decoder cannot read the bytes of a value.
    Decode(String),
    /// An argument is invalid.
    Argument(String),
    /// The Arrow library failed.
    Arrow(ArrowError),
}

/// A row that could not be written.
#[derive(Debug)]
pub struct WriteError {
    /// The engine's error.
    pub error: Error,
    /// The name of the table.
    pub table: String,
    /// The row key.
    pub row: Bytes,
    /// The number of rows before it, which were written.
    pub written: usize,
}

/// The number of bytes of a key or value that a message shows.
const SHOWN_MAX: usize = 64;

fn shown(bytes: &[u8]) -> String {
    let head = bytes.get(..SHOWN_MAX).unwrap_or(bytes);
    format!("b\"{}\"{}", head.escape_ascii(), if head.len() < bytes.len() { "…" } else { "" })
}

fn invalid_data(error: &ArrowError) -> String {
    format!("invalid Arrow data: {error}")
}

impl TransferError {
    /// The error for a value that its decoder cannot read.
    pub fn value(row: &[u8], (family, qualifier): (&[u8], &[u8]), value: &[u8], codec: Codec) -> Self {
        let (name, row) = (layout::name(family, qualifier), shown(row));
        Self::Decode(format!(
            "column {name} of row {row}: {} ({}) cannot be read as {}, which requires {}: use another decoder \
             for the column, or errors=\"null\" to get a null instead",
            shown(value),
            error::counted(value.len(), "byte"),
            codec.name(),
            codec.expected(),
        ))
    }

    /// The error with the place at the beginning of its message, unless it names that already.
    #[must_use]
    pub fn at(self, place: Place<'_>) -> Self {
        match self {
            Self::Argument(message) => Self::Argument(format!("{}{message}", place.prefix(&message))),
            Self::Arrow(error) => Self::Argument(invalid_data(&error)).at(place),
            other => other,
        }
    }

    /// The error for a row key that its decoder cannot read.
    pub fn key(row: &[u8], codec: Codec) -> Self {
        let row = shown(row);
        Self::Decode(format!(
            "row key {row} cannot be read as {}, which requires {}: use row_type=\"binary\"",
            codec.name(),
            codec.expected()
        ))
    }
}

impl From<Error> for TransferError {
    fn from(error: Error) -> Self {
        Self::Engine(error)
    }
}

impl From<ArrowError> for TransferError {
    fn from(error: ArrowError) -> Self {
        Self::Arrow(error)
    }
}

impl From<TransferError> for PyErr {
    fn from(fault: TransferError) -> Self {
        match fault {
            TransferError::Engine(error) => error::from_method(&error, "scan_arrow"),
            TransferError::Write(write) => {
                let WriteError { error, table, row, written } = *write;
                let place = Place { method: "load_arrow", table: table.as_bytes(), row: Some(&row) };
                // Rows after it, which the same call of the engine has, may have been written, too.
                let rest = match written {
                    0 => " (it is the first row of the data; rows after it may have been written)".to_owned(),
                    1 => " (at least 1 row of the data was written)".to_owned(),
                    more => format!(" (at least {more} rows of the data were written)"),
                };
                error::from_part(&error, place, &rest)
            }
            TransferError::Load(write) => {
                let WriteError { error, table, row, .. } = *write;
                error::from_call(&error, Place { method: "load_arrow", table: table.as_bytes(), row: Some(&row) })
            }
            TransferError::Decode(message) => error::exception("DecodeError", message),
            TransferError::Argument(message) => error::invalid(message),
            TransferError::Arrow(error) => error::invalid(invalid_data(&error)),
        }
    }
}

impl From<TransferError> for ArrowError {
    fn from(fault: TransferError) -> Self {
        match fault {
            TransferError::Engine(error) => Self::ExternalError(error.plain().to_owned().into()),
            TransferError::Write(write) | TransferError::Load(write) => {
                Self::ExternalError(write.error.plain().to_owned().into())
            }
            TransferError::Decode(message) | TransferError::Argument(message) => Self::InvalidArgumentError(message),
            TransferError::Arrow(error) => error,
        }
    }
}
