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

/// What the engine's message, which is HBase's and often no more than a name, leaves out: what it is about, and what to do.
fn message(error: &Error) -> String {
    use ErrorKind as K;
    let said = error.plain();
    match error.kind() {
        K::TableNotFound => {
            format!("there is no table {said}: create_table makes one, tables() lists those that are there")
        }
        K::TableExists => format!("there is a table {said} already: choose another name, or delete_table it first"),
        K::TableDisabled => format!("the table is disabled ({said}): enable_table brings it back"),
        K::TableNotDisabled => format!("the table must be disabled first ({said}): disable_table does so"),
        K::NamespaceNotFound => format!("there is no namespace {said}: create_namespace makes one"),
        K::NamespaceExists => format!("{said}: choose another name"),
        K::NotALong => format!("{said}: counters are values of 8 bytes, as counter_set writes them"),
        _ => said.to_owned(),
    }
}

/// An exception of the package by the name of its class.
pub fn named(class: &str, message: String) -> PyErr {
    Python::attach(|py| {
        let found = py.import("hjall.errors").and_then(|module| module.getattr(class));
        match found.and_then(|class| Ok(class.cast_into::<PyType>()?)) {
            Ok(class) => PyErr::from_type(class, (message,)),
            Err(error) => error,
        }
    })
}

/// The exception for an engine's error. Its attribute `kind` is the engine's own word for it, `hbase_message` what HBase would say.
pub fn raised(error: &Error) -> PyErr {
    let exception = named(class(error.kind()), message(error));
    Python::attach(|py| {
        // An exception without them is still the right one.
        let value = exception.value(py);
        let _ = value.setattr("kind", format!("{:?}", error.kind()));
        let _ = value.setattr("hbase_message", error.message());
    });
    exception
}

/// For whatever a forked child finds of its parent's.
pub fn forked() -> PyErr {
    named(
        "ForkError",
        "this process was forked from the one that opened the database: open one of its own here, in another folder or once the parent has \
         closed it, or start processes with multiprocessing's \"spawn\""
            .to_owned(),
    )
}

/// For a database that is not open.
pub fn closed(why: &str) -> PyErr {
    named("Closed", why.to_owned())
}
