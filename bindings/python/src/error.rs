//! Maps the engine's errors to the exceptions of the package.

use hjall_engine::{Error, ErrorKind};
use pyo3::prelude::*;
use pyo3::types::PyType;

/// The name of the class in `hjall.errors` for a kind of error.
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

/// The text of the exception. The engine's message is HBase's, which is often only a name, so the reason and the
/// remedy are added where they are missing.
fn message(error: &Error) -> String {
    use ErrorKind as K;
    let text = error.plain();
    match error.kind() {
        K::TableNotFound => {
            format!("table {text} does not exist: create it with create_table, or list the tables with tables()")
        }
        K::TableExists => format!("table {text} already exists: choose another name, or delete it with delete_table"),
        K::TableDisabled => format!("the table is disabled ({text}): enable it with enable_table"),
        K::TableNotDisabled => format!("the table is enabled ({text}): disable it first with disable_table"),
        K::NamespaceNotFound => format!("namespace {text} does not exist: create it with create_namespace"),
        K::NamespaceExists => format!("{text}: choose another name"),
        K::NotALong => format!("{text}: a counter is a value of exactly 8 bytes, as counter_set writes it"),
        _ => text.to_owned(),
    }
}

/// Makes an exception of the package by the name of its class.
pub fn exception(class: &str, message: String) -> PyErr {
    Python::attach(|py| {
        let found = py.import("hjall.errors").and_then(|module| module.getattr(class));
        match found.and_then(|class| Ok(class.cast_into::<PyType>()?)) {
            Ok(class) => PyErr::from_type(class, (message,)),
            Err(error) => error,
        }
    })
}

/// Makes the exception for an error of the engine. Its attribute `kind` is the engine's name of the error's kind, and
/// `hbase_message` is the message that HBase would send.
pub fn from_engine(error: &Error) -> PyErr {
    let exception = exception(class(error.kind()), message(error));
    Python::attach(|py| {
        // If an attribute cannot be set, the exception is still correct.
        let value = exception.value(py);
        let _ = value.setattr("kind", format!("{:?}", error.kind()));
        let _ = value.setattr("hbase_message", error.message());
    });
    exception
}

/// The exception for the use of a parent process's database in a forked child.
pub fn forked() -> PyErr {
    exception(
        "ForkError",
        "the database was opened by the parent of this forked process: open another folder here, or the same one once \
         the parent has closed it, or start processes with multiprocessing's \"spawn\" method"
            .to_owned(),
    )
}

/// The exception for the use of a database that is not open.
pub fn closed(message: &str) -> PyErr {
    exception("Closed", message.to_owned())
}
