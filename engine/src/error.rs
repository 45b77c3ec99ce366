//! Errors and their kinds, grouped by who must act.

use std::fmt;

/// The result of every engine call.
pub type Result<T> = std::result::Result<T, Error>;

/// An error of the engine: its kind, a message and, if known, its source.
///
/// The message names the thing and what is allowed; it never starts with a class name, since gateways and bindings add
/// their own.
#[derive(Debug)]
pub struct Error {
    kind: ErrorKind,
    message: String,
    /// The message in plain words, if `message` has the wording that HBase's clients look for.
    plain: Option<Box<str>>,
    source: Option<Box<dyn std::error::Error + Send + Sync>>,
}

/// The kind of an error: who must act, and how. Exhaustive inside the workspace: each gateway and binding maps it in
/// one `match`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ErrorKind {
    // -- the caller: fix the request
    /// A malformed argument, found before any table is looked up (Java: `IllegalArgumentException`).
    InvalidArgument,
    /// The request is well formed, but no server can carry it out; HBase retries it until its retries are exhausted
    /// (Java: `RetriesExhaustedException`).
    Unprocessable,
    /// Refused for the reason in the message; a retry cannot succeed (Java: `DoNotRetryIOException`).
    Refused,
    /// An increment met a value that is not 8 bytes long.
    NotALong,
    /// A cell is larger than the limit.
    CellTooLarge,
    /// One row read is larger than the limit.
    RowTooLarge,
    /// The table's READONLY attribute is set, or the database was opened for reading only.
    ReadOnly,
    /// A mutation names another row than the operation it belongs to.
    RowMismatch,
    /// A descriptor that the catalog does not accept.
    InvalidDescriptor,
    /// An attribute names a class that cannot be loaded (Java: `RuntimeException`).
    ClassNotFound,
    /// The operation is not allowed on a system table (Java: `IOException`).
    SystemTable,
    /// A serialised filter is not a valid message.
    FilterMalformed,
    /// A serialised filter names or contains something invalid. Holds the Java class that HBase's text names.
    FilterRejected(&'static str),
    // -- the caller: create it, or name another
    /// The table does not exist.
    TableNotFound,
    /// A table with this name already exists.
    TableExists,
    /// The operation needs an enabled table.
    TableDisabled,
    /// The operation needs a disabled table.
    TableNotDisabled,
    /// The namespace does not exist.
    NamespaceNotFound,
    /// A namespace with this name already exists.
    NamespaceExists,
    /// A rule about namespaces or system tables forbids it (Java: `ConstraintException`).
    Constraint,
    /// A read or write names a family that the table does not have.
    FamilyNotFound,
    /// A family cannot be added, modified or deleted (Java: `InvalidFamilyOperationException`).
    FamilyOperation,
    // -- the caller: retry
    /// The requested region is not being served (its table is disabled).
    NotServing,
    /// Too many operations are in progress; try again later.
    Busy,
    /// The data that a cursor or scanner reads from no longer exists.
    Stale,
    /// Stopped at the caller's request.
    Cancelled,
    // -- the operator
    /// Another process has the data folder open.
    Locked,
    /// The data folder was written by a newer version.
    NewerFormat,
    /// No space is left on the disk of the data folder.
    DiskFull,
    /// Stored data cannot be decoded.
    Corrupt,
    /// Reading or writing failed.
    Io,
    /// The database has been closed.
    Closed,
}

/// The class of failures that have no more specific one.
const IO: &str = "java.io.IOException";
const DO_NOT_RETRY: &str = "org.apache.hadoop.hbase.DoNotRetryIOException";

impl ErrorKind {
    /// The full name of the Java class that HBase raises for an error of this kind.
    pub fn java_class(self) -> &'static str {
        match self {
            Self::InvalidArgument => "java.lang.IllegalArgumentException",
            Self::Unprocessable => "org.apache.hadoop.hbase.client.RetriesExhaustedException",
            Self::Refused | Self::NotALong | Self::CellTooLarge | Self::ReadOnly | Self::InvalidDescriptor => {
                DO_NOT_RETRY
            }
            Self::RowTooLarge => "org.apache.hadoop.hbase.client.RowTooBigException",
            Self::RowMismatch => "org.apache.hadoop.hbase.client.WrongRowIOException",
            Self::ClassNotFound => "java.lang.RuntimeException",
            Self::FilterMalformed => "org.apache.hadoop.hbase.exceptions.DeserializationException",
            Self::FilterRejected(class) => class,
            Self::TableNotFound => "org.apache.hadoop.hbase.TableNotFoundException",
            Self::TableExists => "org.apache.hadoop.hbase.TableExistsException",
            Self::TableDisabled => "org.apache.hadoop.hbase.TableNotEnabledException",
            Self::TableNotDisabled => "org.apache.hadoop.hbase.TableNotDisabledException",
            Self::NamespaceNotFound => "org.apache.hadoop.hbase.NamespaceNotFoundException",
            Self::NamespaceExists => "org.apache.hadoop.hbase.NamespaceExistException",
            Self::Constraint => "org.apache.hadoop.hbase.constraint.ConstraintException",
            Self::FamilyNotFound => "org.apache.hadoop.hbase.regionserver.NoSuchColumnFamilyException",
            Self::FamilyOperation => "org.apache.hadoop.hbase.InvalidFamilyOperationException",
            Self::NotServing => "org.apache.hadoop.hbase.NotServingRegionException",
            Self::Busy => "org.apache.hadoop.hbase.RegionTooBusyException",
            Self::SystemTable
            | Self::Stale
            | Self::Cancelled
            | Self::Locked
            | Self::NewerFormat
            | Self::DiskFull
            | Self::Corrupt
            | Self::Io
            | Self::Closed => IO,
        }
    }
}

impl Error {
    /// Creates an error. The message names the thing and what is allowed.
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into(), plain: None, source: None }
    }

    /// Adds the underlying error as the source.
    pub fn with_source(mut self, source: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Self {
        self.source = Some(source.into());
        self
    }

    /// Adds a message in plain words with the remedy, for callers that do not need HBase's wording.
    pub fn with_plain(mut self, plain: impl Into<String>) -> Self {
        self.plain = Some(plain.into().into_boxed_str());
        self
    }

    /// Adds what HBase's message lacks: the thing, the reason or the remedy. It follows the message in [`Self::plain`].
    pub fn with_remedy(self, remedy: impl fmt::Display) -> Self {
        let plain = format!("{}: {remedy}", without_end(&self.message));
        self.with_plain(plain)
    }

    /// A copy without the source, for another operation that failed for the same reason.
    pub fn again(&self) -> Self {
        self.as_kind(self.kind)
    }

    /// A copy of another kind, without the source.
    pub fn as_kind(&self, kind: ErrorKind) -> Self {
        Self { kind, message: self.message.clone(), plain: self.plain.clone(), source: None }
    }

    /// Shorthand for an error of the kind `InvalidArgument`.
    pub fn invalid(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::InvalidArgument, message)
    }

    /// The error of a call that needs an enabled table.
    pub fn table_disabled(name: &dyn fmt::Display) -> Self {
        Self::new(ErrorKind::TableDisabled, format!("{name} is disabled."))
            .with_plain(format!("table {name} is disabled: enable it first"))
    }

    /// The error for a namespace that does not exist.
    pub fn namespace_not_found(name: &str) -> Self {
        Self::new(ErrorKind::NamespaceNotFound, name)
            .with_plain(format!("namespace {name} does not exist: create it, or choose another name"))
    }

    /// The kind, which says who must act.
    pub fn kind(&self) -> ErrorKind {
        self.kind
    }

    /// The message, without a class name.
    pub fn message(&self) -> &str {
        &self.message
    }
}

impl Error {
    /// The message in plain words: that of [`Self::with_plain`], else [`Self::message`].
    pub fn plain(&self) -> &str {
        self.plain.as_deref().unwrap_or(&self.message)
    }

    /// What [`Self::plain`] says beyond the message; `None` if the message has no addition.
    pub fn remedy(&self) -> Option<&str> {
        let plain = self.plain.as_deref()?;
        // A message that is only a name can begin other words, too.
        let rest = plain.strip_prefix(without_end(&self.message)).and_then(|rest| rest.strip_prefix(": "));
        Some(rest.unwrap_or(plain))
    }
}

/// A message without its full stop, so that more can follow a colon.
fn without_end(message: &str) -> &str {
    message.trim_end_matches(['.', ' ', '\n'])
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.source.as_ref().map(|s| &**s as _)
    }
}
