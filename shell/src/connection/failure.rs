//! Failures of a connection, as the shell words them.

use std::fmt;

use hjall_engine::{Error, ErrorKind};

/// The reasons of failures, as far as commands distinguish them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reason {
    /// The table does not exist.
    TableMissing,
    /// The table is disabled.
    TableDisabled,
    /// The table is enabled.
    TableEnabled,
    /// The table exists.
    TableExists,
    /// The namespace does not exist.
    NamespaceMissing,
    /// An argument is illegal. Found before any request was sent.
    Illegal,
    /// The server or the engine refused.
    Refused,
    /// The server cannot be reached, or the connection was lost.
    Connection,
    /// The server has no such method.
    Unsupported,
    /// The user ended the call.
    Interrupted,
}

/// A failure: what it is about, the Java class that HBase raises, and the message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    /// What it is about.
    pub reason: Reason,
    /// The full name of the class. Empty if the message has none.
    pub class: String,
    /// The message, without the class.
    pub text: String,
    /// Text that completes HBase's message: the thing, the reason or the remedy.
    pub remedy: Option<String>,
}

const IO: &str = "java.io.IOException";

impl Failure {
    /// A failure whose message has no class.
    pub fn plain(reason: Reason, text: impl Into<String>) -> Self {
        Self { reason, class: String::new(), text: text.into(), remedy: None }
    }

    /// An illegal argument.
    pub fn illegal(text: impl Into<String>) -> Self {
        Self::plain(Reason::Illegal, text)
    }

    /// The failure for an exception with this class.
    pub fn of_class(class: &str, text: impl Into<String>) -> Self {
        let text = text.into();
        let reason = match class.rsplit('.').next().unwrap_or(class) {
            "TableNotFoundException" => Reason::TableMissing,
            "TableNotEnabledException" => Reason::TableDisabled,
            "TableNotDisabledException" => Reason::TableEnabled,
            "TableExistsException" => Reason::TableExists,
            "NamespaceNotFoundException" => Reason::NamespaceMissing,
            _ => Reason::Refused,
        };
        Self { reason, class: class.to_owned(), text, remedy: None }
    }

    /// Adds what the message lacks.
    pub fn with_remedy(mut self, remedy: Option<impl Into<String>>) -> Self {
        self.remedy = remedy.map(Into::into);
        self
    }
}

/// The class and the message, as HBase shows an exception of a server.
impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.class.is_empty() {
            return f.write_str(&self.text);
        }
        write!(f, "{}: {}", self.class, self.text)
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        let class = match error.kind() {
            ErrorKind::InvalidArgument => return Self::illegal(error.message()).with_remedy(error.remedy()),
            ErrorKind::Cancelled => return Self::plain(Reason::Interrupted, error.message()),
            // The shell does not retry.
            ErrorKind::Unprocessable => IO,
            kind => kind.java_class(),
        };
        Self::of_class(class, error.message()).with_remedy(error.remedy())
    }
}
