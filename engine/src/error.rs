//! Errors and their kinds, grouped by who must act.

use std::any::Any;
use std::collections::HashSet;
use std::fmt;
use std::sync::Arc;

use crate::quote;

/// The result of every engine call.
pub type Result<T> = std::result::Result<T, Error>;

/// The message of a panic that was caught, if it is a text.
pub fn panic_text(panic: &(dyn Any + Send)) -> Option<&str> {
    panic.downcast_ref::<String>().map(String::as_str).or_else(|| panic.downcast_ref::<&str>().copied())
}

/// An error of the engine: its kind, a message and, if known, its source.
///
/// The message names the thing and what is allowed; it never starts with a class name, since gateways and bindings add
/// their own.
#[derive(Debug)]
pub struct Error {
    kind: ErrorKind,
    /// Shared by the errors of several operations that failed for the same reason.
    message: Arc<str>,
    /// A readable message with the remedy, if `message` has the wording that HBase's clients look for.
    plain: Option<Arc<str>>,
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
    /// An increment found a value that is not 8 bytes long.
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
    /// No space is left on the disk of the folder that was written.
    DiskFull,
    /// Stored data cannot be decoded.
    Corrupt,
    /// Reading or writing failed.
    Io,
    /// The database has been closed.
    Closed,
}

/// The length at which a message is cut, in bytes. The descriptor of a table with a hundred families is shorter.
pub const MESSAGE_MAX: usize = 64 << 10;

/// The Java class of failures that have no more specific class.
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
    /// Creates an error. The message names the thing and what is allowed. It shows what the caller has sent as a
    /// [`quote::Quoted`], and is cut at [`MESSAGE_MAX`] bytes.
    pub fn new(kind: ErrorKind, message: impl fmt::Display) -> Self {
        Self { kind, message: quote::shortened(MESSAGE_MAX, &message).into(), plain: None, source: None }
    }

    /// Adds the underlying error as the source.
    pub fn with_source(mut self, source: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Self {
        self.source = Some(source.into());
        self
    }

    /// Adds a readable message with the remedy, for callers that do not need HBase's wording.
    pub fn with_plain(mut self, plain: impl fmt::Display) -> Self {
        self.plain = Some(quote::shortened(2 * MESSAGE_MAX, &plain).into());
        self
    }

    /// Adds what HBase's message lacks: the thing, the reason or the remedy. It follows the message in [`Self::plain`].
    pub fn with_remedy(self, remedy: impl fmt::Display) -> Self {
        let message = Arc::clone(&self.message);
        self.with_plain(format_args!("{}: {remedy}", without_end(&message)))
    }

    /// A copy without the source, for another operation that failed for the same reason.
    pub fn again(&self) -> Self {
        self.as_kind(self.kind)
    }

    /// A copy of another kind, without the source.
    pub fn as_kind(&self, kind: ErrorKind) -> Self {
        Self { kind, message: Arc::clone(&self.message), plain: self.plain.clone(), source: None }
    }

    /// Shorthand for an error of the kind `InvalidArgument`.
    pub fn invalid(message: impl fmt::Display) -> Self {
        Self::new(ErrorKind::InvalidArgument, message)
    }

    /// The error of a call that needs an enabled table.
    pub fn table_disabled(name: &dyn fmt::Display) -> Self {
        let name = quote::Quoted(name);
        Self::new(ErrorKind::TableDisabled, format_args!("{name} is disabled."))
            .with_plain(format_args!("table {name} is disabled: enable it first"))
    }

    /// The error for a namespace that does not exist.
    pub fn namespace_not_found(name: impl fmt::Display) -> Self {
        let name = quote::Quoted(name);
        Self::new(ErrorKind::NamespaceNotFound, &name)
            .with_plain(format_args!("namespace {name} does not exist: create it, or choose another name"))
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
    /// The readable message: that of [`Self::with_plain`], else [`Self::message`].
    pub fn plain(&self) -> &str {
        self.plain.as_deref().unwrap_or(&self.message)
    }

    /// The addition of [`Self::plain`] to the message; `None` if there is none.
    pub fn remedy(&self) -> Option<&str> {
        let plain = self.plain.as_deref()?;
        // A message that is only a name can begin other words, too.
        let rest = plain.strip_prefix(without_end(&self.message)).and_then(|rest| rest.strip_prefix(": "));
        Some(rest.unwrap_or(plain))
    }
}

/// The bytes of the messages that the errors of a list of operations have. Errors beyond that have a short one.
const LIST_MESSAGES_MAX: usize = 1 << 20;

/// The errors of a list of operations, each of which succeeds or fails independently. Equal messages share their
/// memory, and the memory of different ones is bounded, however long the list is.
#[derive(Debug, Default)]
pub(crate) struct ListErrors {
    texts: HashSet<Arc<str>>,
    bytes: usize,
    without_message: Option<Arc<str>>,
}

impl ListErrors {
    /// The result of an operation of the list, whose error has the memory of an equal one.
    pub(crate) fn keep<T>(&mut self, result: Result<T>) -> Result<T> {
        result.map_err(|error| self.shared(error))
    }

    fn shared(&mut self, mut error: Error) -> Error {
        let plain = error.plain.take().map(|plain| self.text(plain));
        match (self.text(error.message), plain) {
            (Some(message), None) => Error { message, plain: None, ..error },
            (Some(message), Some(Some(plain))) => Error { message, plain: Some(plain), ..error },
            _ => {
                let message = self.without_message.get_or_insert_with(|| {
                    format!(
                        "one of further failures, whose messages are left out: those of this call have more than {} KiB; \
                         send fewer operations at once",
                        LIST_MESSAGES_MAX >> 10
                    )
                    .into()
                });
                Error { kind: error.kind, message: Arc::clone(message), plain: None, source: None }
            }
        }
    }

    /// The text as the list has it. `None` if there is no room for it.
    fn text(&mut self, text: Arc<str>) -> Option<Arc<str>> {
        if let Some(known) = self.texts.get(&text) {
            return Some(Arc::clone(known));
        }
        if self.bytes.saturating_add(text.len()) > LIST_MESSAGES_MAX {
            return None;
        }
        self.bytes += text.len();
        self.texts.insert(Arc::clone(&text));
        Some(text)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_cut() {
        let error = Error::invalid("x".repeat(10 * MESSAGE_MAX)).with_remedy("shorten it");
        assert_eq!(error.message().len(), MESSAGE_MAX + '…'.len_utf8());
        assert_eq!(error.remedy(), Some("shorten it"));
    }

    #[test]
    fn names_in_messages_are_cut() {
        let error = Error::namespace_not_found("n".repeat(90 << 20));
        assert!(error.message().len() < 5_000 && error.plain().len() < 5_000);
        assert_eq!(Error::namespace_not_found("n").message(), "n");
        assert!(error.remedy().is_some_and(|remedy| remedy.contains("create it")));
    }

    #[test]
    fn errors_of_a_list_share_equal_messages_and_their_number_does_not_matter() {
        let mut errors = ListErrors::default();
        let mut keep = |text: &str| errors.keep::<()>(Err(Error::invalid(text).with_remedy("r"))).unwrap_err();
        let long = "x".repeat(MESSAGE_MAX / 2);
        let first = keep(&long);
        let all: Vec<_> = (0..1000).map(|_| keep(&long)).collect();
        assert!(all.iter().all(|error| Arc::ptr_eq(&error.message, &first.message)));
        let others: Vec<_> = (0..1000).map(|number| keep(&format!("{number}{long}"))).collect();
        let distinct: HashSet<_> = others.iter().map(|error| Arc::as_ptr(&error.message)).collect();
        assert!(distinct.len() <= 17, "{}", distinct.len());
        assert_eq!(others[0].message(), format!("0{long}"));
        assert!(others[999].message().contains("further failures"));
        assert_eq!(keep(&long).message(), long);
    }
}
