//! What can go wrong, told by who has to act.

use std::fmt;

/// The result of every engine call.
pub type Result<T> = std::result::Result<T, Error>;

/// An error of the engine: what kind it is, what happened to which thing, and what lay beneath it.
///
/// The message names the thing and what is allowed; it never starts with a class name, the skins add the one of their world.
#[derive(Debug)]
pub struct Error {
    kind: ErrorKind,
    message: String,
    /// The same for programs, where the message is worded as HBase's clients look for it.
    plain: Option<Box<str>>,
    source: Option<Box<dyn std::error::Error + Send + Sync>>,
}

/// Who must act, and how. Exhaustive inside the workspace: each skin maps it in one `match`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ErrorKind {
    // -- the caller: fix the request
    /// An argument is malformed before any table is looked at (Java: `IllegalArgumentException`).
    InvalidArgument,
    /// The request is well formed, yet no server could ever carry it out; HBase tries it again in vain
    /// (Java: `RetriesExhaustedException`).
    Unprocessable,
    /// Refused for good for a reason that the message gives (Java: `DoNotRetryIOException`).
    Refused,
    /// An increment met a value that is not 8 bytes long.
    NotALong,
    /// A cell is larger than the limit.
    CellTooLarge,
    /// One row read is larger than the limit.
    RowTooLarge,
    /// The table's READONLY attribute is set.
    ReadOnly,
    /// A mutation names another row than the operation it belongs to.
    RowMismatch,
    /// A descriptor that the catalog does not accept.
    InvalidDescriptor,
    /// A class that an attribute names is none that can be loaded (Java: `RuntimeException`).
    ClassNotFound,
    /// A system table cannot be treated so (Java: `IOException`).
    SystemTable,
    /// Serialised filter bytes that are not a message at all.
    FilterMalformed,
    /// Serialised filter bytes that name or hold something impossible; the Java class that HBase's text names.
    FilterRejected(&'static str),
    // -- the caller: create it, or name another
    /// No such table.
    TableNotFound,
    /// A table of that name is there already.
    TableExists,
    /// The operation needs an enabled table.
    TableDisabled,
    /// The operation needs a disabled table.
    TableNotDisabled,
    /// No such namespace.
    NamespaceNotFound,
    /// A namespace of that name is there already.
    NamespaceExists,
    /// A rule about namespaces or system tables forbids it (Java: `ConstraintException`).
    Constraint,
    /// A read or write names a family which the table does not have.
    FamilyNotFound,
    /// A family cannot be added, modified or deleted (Java: `InvalidFamilyOperationException`).
    FamilyOperation,
    // -- the caller: retry
    /// The region asked for is not being served (its table is disabled).
    NotServing,
    /// Too much is under way; try again later.
    Busy,
    /// A cursor or scanner outlived what it reads from.
    Stale,
    /// The caller asked to stop.
    Cancelled,
    // -- the operator
    /// Another process holds the data folder.
    Locked,
    /// The data folder was written by a newer version.
    NewerFormat,
    /// No space left where the data lives.
    DiskFull,
    /// What is stored cannot be understood.
    Corrupt,
    /// Reading or writing failed.
    Io,
    /// The database has been closed.
    Closed,
}

impl Error {
    /// An error of that kind; the message names the thing and what is allowed.
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into(), plain: None, source: None }
    }

    /// The same, with what lay beneath it.
    pub fn with_source(mut self, source: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Self {
        self.source = Some(source.into());
        self
    }

    /// The same, and in plain words what happened to which thing and what to do: for skins that owe HBase's clients nothing.
    pub fn with_plain(mut self, plain: impl Into<String>) -> Self {
        self.plain = Some(plain.into().into_boxed_str());
        self
    }

    /// The same for another of those whom one failure concerns; what lay beneath it stays with the first.
    pub(crate) fn again(&self) -> Self {
        Self { kind: self.kind, message: self.message.clone(), plain: self.plain.clone(), source: None }
    }

    /// Shorthand for the commonest kind.
    pub fn invalid(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::InvalidArgument, message)
    }

    /// Who must act.
    pub fn kind(&self) -> ErrorKind {
        self.kind
    }

    /// What happened, without a class name.
    pub fn message(&self) -> &str {
        &self.message
    }
}

impl Error {
    /// What happened in plain words; the message where it says so already.
    pub fn plain(&self) -> &str {
        self.plain.as_deref().unwrap_or(&self.message)
    }
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
