//! The engine's errors as exceptions of the package: one `match`, by who must act.

use hjall_engine::{Error, ErrorKind};
use pyo3::prelude::*;
use pyo3::types::PyType;

/// The class in `hjall.errors` for a kind of error.
fn class(kind: ErrorKind) -> &'static str {
    use ErrorKind as K;
    match kind {
        K::InvalidArgument | K::RowMismatch | K::FilterMalformed | K::FilterRejected(_) => "InvalidArgument",
        K::Unprocessable | K::Refused | K::ClassNotFound | K::SystemTable | K::Constraint => "Refused",
        K::InvalidDescriptor => "InvalidDescriptor",
        K::NotALong => "NotACounter",
        K::CellTooLarge | K::RowTooLarge => "TooLarge",
        K::ReadOnly => "ReadOnly",
        K::TableNotFound => "TableNotFound",
        K::TableExists => "TableExists",
        K::TableDisabled | K::NotServing => "TableDisabled",
        K::TableNotDisabled => "TableNotDisabled",
        K::NamespaceNotFound => "NamespaceNotFound",
        K::NamespaceExists => "NamespaceExists",
        K::FamilyNotFound => "FamilyNotFound",
        K::FamilyOperation => "FamilyError",
        K::Busy => "Busy",
        K::Stale => "Stale",
        K::Cancelled => "Cancelled",
        K::Locked => "Locked",
        K::NewerFormat => "NewerFormat",
        K::DiskFull => "DiskFull",
        K::Corrupt => "Corrupt",
        K::Io => "StorageError",
        K::Closed => "Closed",
    }
}

/// An exception of the package by the name of its class.
pub fn named(class: &'static str, message: String) -> PyErr {
    Python::attach(|py| {
        let found = py.import("hjall.errors").and_then(|module| module.getattr(class));
        match found.and_then(|class| Ok(class.cast_into::<PyType>()?)) {
            Ok(class) => PyErr::from_type(class, (message,)),
            Err(error) => error,
        }
    })
}

/// The exception for an engine's error.
pub fn raised(error: &Error) -> PyErr {
    named(class(error.kind()), error.message().to_owned())
}

/// For whatever a forked child finds of its parent's.
pub fn forked() -> PyErr {
    named(
        "ForkError",
        "this process was forked from the one that opened the database: open it anew here (another folder, or once the parent has closed \
         this one), or start child processes with multiprocessing's \"spawn\""
            .to_owned(),
    )
}
