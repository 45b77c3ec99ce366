//! Maps the engine's errors to the exceptions of the package.

use std::fmt::{self, Write};

use hjall_engine::mutation::TOO_LARGE_FOR_CLIENT;
use hjall_engine::{Error, ErrorKind};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyBytes, PyDict, PyModule, PyTuple, PyType};

/// The subject of a call, for the message of its error.
#[derive(Clone, Copy)]
pub struct Place<'a> {
    /// The name of the method.
    pub method: &'a str,
    /// The name of the table.
    pub table: &'a [u8],
    /// The row key, if the call is about one row.
    pub row: Option<&'a [u8]>,
}

/// The longest row key or column that a message shows, in bytes.
const SHOWN_MAX: usize = 64;

/// A row key or column in a message, as Python writes it. A long one is cut.
#[derive(Clone, Copy)]
pub struct Shown<'a>(pub &'a [u8]);

impl fmt::Display for Shown<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(bytes) = self;
        write!(f, "b'{}'", bytes[..bytes.len().min(SHOWN_MAX)].escape_ascii())?;
        if bytes.len() > SHOWN_MAX { write!(f, "… ({} bytes)", bytes.len()) } else { Ok(()) }
    }
}

impl Place<'_> {
    /// `method: table t, row b'r': `, without the table if the text names it.
    pub fn prefix(&self, text: &str) -> String {
        let mut prefix = format!("{}: ", self.method);
        let table = String::from_utf8_lossy(self.table);
        let mut parts = Vec::new();
        if !text.contains(&format!("table {table}")) {
            parts.push(format!("table {table}"));
        }
        if let Some(row) = self.row {
            parts.push(format!("row {}", Shown(row)));
        }
        if !parts.is_empty() {
            let _ = write!(prefix, "{}: ", parts.join(", "));
        }
        prefix
    }
}

/// The name of the class in `hjall.errors` for an error.
fn class(error: &Error) -> &'static str {
    use ErrorKind as K;
    match error.kind() {
        K::InvalidArgument if error.message() == TOO_LARGE_FOR_CLIENT => "TooLarge",
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

/// A number and what it counts, as in `1 byte` and `2 bytes`.
pub fn counted(count: usize, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}

/// The text of the exception for an error of a method: the engine's readable message. Where it names what to call, the
/// package's own methods are named instead.
fn message(error: &Error, method: &str) -> String {
    use ErrorKind as K;
    let text = error.message();
    match error.kind() {
        K::TableNotFound => {
            format!("table {text} does not exist: create it with create_table, or list the tables with tables()")
        }
        K::TableExists => format!(
            "table {text} already exists: choose another name, delete it with delete_table, or pass if_not_exists=True to \
             leave it as it is"
        ),
        K::TableDisabled if method == "disable_table" => format!("the table is disabled already ({text})"),
        K::TableNotDisabled if method == "enable_table" => format!("the table is enabled already ({text})"),
        K::TableDisabled => format!("the table is disabled ({text}): enable it with enable_table"),
        K::TableNotDisabled => format!("the table is enabled ({text}): disable it first with disable_table"),
        K::NamespaceNotFound => format!("namespace {text} does not exist: create it with create_namespace"),
        K::NamespaceExists => format!("{text}: choose another name"),
        K::NotALong => format!("{text}: a counter is a value of exactly 8 bytes, as counter_set writes it"),
        _ => error.plain().to_owned(),
    }
}

/// Makes an exception of the package by the name of its class.
pub fn exception(class: &str, message: String) -> PyErr {
    Python::attach(|py| match raised_class(py, class) {
        Ok(class) => PyErr::from_type(class, (message,)),
        Err(error) => error,
    })
}

/// The class to raise, as `hjall.errors.raised_class` returns it. That is only called for the first exception of a
/// class in a process that has loaded HBase's Thrift types. Otherwise no bytecode may run here, nor when the exception
/// is made: when the interpreter exits, CPython before 3.14 ends other threads with `pthread_exit` between two
/// instructions, and that aborts the process if there are frames of Rust below. A daemon thread that repeats its calls
/// after the database was closed spends most of its time here.
fn raised_class<'py>(py: Python<'py>, class: &str) -> PyResult<Bound<'py, PyType>> {
    static ERRORS: PyOnceLock<Py<PyModule>> = PyOnceLock::new();
    let errors = ERRORS.get_or_try_init(py, || py.import("hjall.errors").map(Bound::unbind))?.bind(py);
    let plain = errors.getattr(class)?;
    let modules = py.import("sys")?.getattr("modules")?;
    let found = match modules.cast::<PyDict>()?.get_item("Hbase_thrift")? {
        None => plain,
        Some(thrift) => {
            let made = errors.getattr("_thrift_classes")?;
            match made.cast::<PyDict>()?.get_item((plain, thrift.as_ptr() as usize))? {
                Some(made) => made,
                None => errors.call_method1("raised_class", (class,))?,
            }
        }
    };
    Ok(found.cast_into()?)
}

/// Makes the exception for an argument that has an invalid value. It is also a `ValueError`.
pub fn invalid(message: impl Into<String>) -> PyErr {
    exception("InvalidArgument", message.into())
}

/// Makes the exception for an error of the engine. Its attribute `kind` is the engine's name of the error's kind,
/// `hbase_message` and `hbase_class` are the message and the Java class of HBase's exception, and `errno` the operating
/// system's number, if there is one.
pub fn from_engine(error: &Error) -> PyErr {
    with_attributes(error, message(error, ""))
}

/// Makes the exception for an error of a call. Its message begins with what the call is about.
pub fn from_call(error: &Error, place: Place<'_>) -> PyErr {
    from_part(error, place, "")
}

/// Makes the exception for the error of a part of a call, as [`from_call`] does. `rest` follows the message, and says
/// what happened to the other parts.
pub fn from_part(error: &Error, place: Place<'_>, rest: &str) -> PyErr {
    let text = message(error, place.method);
    with_attributes(error, format!("{}{text}{rest}", place.prefix(&text)))
}

/// Sets the attribute `failures` of an exception: the row keys and the exceptions of the rows that failed.
pub fn set_failures<'a>(exception: &PyErr, failures: impl IntoIterator<Item = (&'a [u8], PyErr)>) {
    Python::attach(|py| {
        let pairs = failures.into_iter().map(|(row, error)| (PyBytes::new(py, row), error)).collect::<Vec<_>>();
        // If the attribute cannot be set, the exception is still correct.
        let _ = PyTuple::new(py, pairs).and_then(|pairs| exception.value(py).setattr("failures", pairs));
    });
}

/// Makes the exception for an error of a method that concerns no row. Its message begins with the method's name.
pub fn from_method(error: &Error, method: &str) -> PyErr {
    with_attributes(error, format!("{method}: {}", message(error, method)))
}

/// Makes the exception for an error of opening a folder.
pub fn from_open(error: &Error) -> PyErr {
    let remedy = match error.kind() {
        ErrorKind::Locked => {
            ", or open it with read_only=True to read it, or, if that process is a server, connect to it with HappyBase"
        }
        _ => "",
    };
    with_attributes(error, format!("{}{remedy}", message(error, "")))
}

fn with_attributes(error: &Error, message: String) -> PyErr {
    let exception = exception(class(error), message);
    Python::attach(|py| {
        // If an attribute cannot be set, the exception is still correct.
        let value = exception.value(py);
        let _ = value.setattr("kind", format!("{:?}", error.kind()));
        let _ = value.setattr("hbase_message", error.message());
        let _ = value.setattr("hbase_class", error.kind().java_class());
        if let Some(errno) = errno(error) {
            let _ = value.setattr("errno", errno);
        } else if error.kind() == ErrorKind::DiskFull {
            // Once a write has failed, the engine refuses the next ones without asking the operating system.
            let _ = py.import("errno").and_then(|codes| value.setattr("errno", codes.getattr("ENOSPC")?));
        }
    });
    exception
}

/// The operating system's number of the failure that caused an error.
fn errno(error: &Error) -> Option<i32> {
    let mut source = std::error::Error::source(error);
    while let Some(cause) = source {
        if let Some(io) = cause.downcast_ref::<std::io::Error>() {
            return io.raw_os_error().or_else(|| {
                // An `io::Error` may wrap another one.
                io.get_ref().and_then(|inner| inner.downcast_ref::<std::io::Error>()?.raw_os_error())
            });
        }
        source = cause.source();
    }
    None
}

/// The exception for the use of a parent process's database in a forked child.
pub fn forked() -> PyErr {
    exception(
        "ForkError",
        "the database was opened by the parent of this forked process: open it here once the parent has closed it, open \
         another one here, or start processes with multiprocessing's \"spawn\" method"
            .to_owned(),
    )
}

/// The exception for the use of a database that is not open.
pub fn closed(message: &str) -> PyErr {
    exception("Closed", message.to_owned())
}
