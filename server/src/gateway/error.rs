//! Engine errors as the Java exceptions that HBase raises for them: clients look for the class names in an error's text.

use std::collections::HashMap;

use hjall_engine::name::TableName;
use hjall_engine::{Engine, Error, ErrorKind};

use crate::dispatch::identity::Identity;

/// A Java exception as far as a client sees it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Raised {
    class: &'static str,
    text: String,
    remote: bool,
}

/// `java.lang.IllegalArgumentException`, which no gateway method declares as an `IOError`.
pub const ILLEGAL_ARGUMENT: &str = "java.lang.IllegalArgumentException";
/// Every failure without a class of its own.
pub const IO: &str = "java.io.IOException";
const DO_NOT_RETRY: &str = "org.apache.hadoop.hbase.DoNotRetryIOException";
const NOT_SERVING: &str = "org.apache.hadoop.hbase.NotServingRegionException";
const RETRIES_EXHAUSTED: &str = "org.apache.hadoop.hbase.client.RetriesExhaustedException";
const BATCH: &str = "org.apache.hadoop.hbase.client.RetriesExhaustedWithDetailsException";

/// What trying again may help with; all other classes here are HBase's `DoNotRetryIOException` and its children.
const CAN_RETRY: [&str; 8] = [
    IO,
    NOT_SERVING,
    RETRIES_EXHAUSTED,
    BATCH,
    "org.apache.hadoop.hbase.RegionTooBusyException",
    "org.apache.hadoop.hbase.client.WrongRowIOException",
    "org.apache.hadoop.hbase.exceptions.DeserializationException",
    "java.lang.RuntimeException",
];

impl Raised {
    /// An exception of HBase's client side, whose text is as given.
    pub fn new(class: &'static str, text: impl Into<String>) -> Self {
        Self { class, text: text.into(), remote: false }
    }

    /// What HBase raises where the engine fails so.
    pub fn of(error: &Error) -> Self {
        let text = match error.kind() {
            ErrorKind::Unprocessable => format!("Failed after attempts=1, exceptions:\n{IO}: {error}"),
            _ => error.to_string(),
        };
        Self { class: java_class(error.kind()), text, remote: is_remote(error.kind()) }
    }

    /// What a batch of calls raises when some of them fail, whatever the cause: a summary that counts equal causes.
    pub fn batch<'a>(failures: impl IntoIterator<Item = &'a Error>, server: &Identity) -> Self {
        let (mut total, mut causes, mut located) = (0, Vec::<(String, usize)>::new(), true);
        let mut places = HashMap::<String, usize>::new();
        for error in failures {
            total += 1;
            located &= error.kind() != ErrorKind::TableNotFound;
            let cause = Self::of(error).into_cause(error.kind());
            let place = *places.entry(cause.clone()).or_insert(causes.len());
            match causes.get_mut(place) {
                Some((_, count)) => *count += 1,
                None => causes.push((cause, 1)),
            }
        }
        let plural = |n: usize| if n == 1 { "" } else { "s" };
        let listed: String = causes.iter().map(|(text, n)| format!("{text}: {n} time{}, ", plural(*n))).collect();
        let server = if located { server.to_string() } else { "null".to_owned() };
        Self::new(BATCH, format!("Failed {total} action{}: {listed}servers with issues: {server}", plural(total)))
    }

    /// How a batch's summary calls this cause: what is final by its text, the rest by its class.
    fn into_cause(self, kind: ErrorKind) -> String {
        let class = match kind {
            // A batch learns it from the region, not from the table.
            ErrorKind::TableDisabled => NOT_SERVING,
            ErrorKind::Unprocessable => IO,
            _ => self.class,
        };
        if CAN_RETRY.contains(&class) && kind != ErrorKind::Busy {
            class.rsplit('.').next().unwrap_or(class).to_owned()
        } else {
            self.bare()
        }
    }

    /// This exception as it arrives from HBase's master or a region server: its text repeats the class.
    pub fn remote(mut self) -> Self {
        self.remote = true;
        self
    }

    /// This exception as HBase's client library raises it.
    pub fn local(mut self) -> Self {
        self.remote = false;
        self
    }

    /// Whether HBase says that the same call may succeed later.
    pub fn can_retry(&self) -> bool {
        CAN_RETRY.contains(&self.class)
    }

    /// The exception's message: what Thrift2 sends.
    pub fn bare(&self) -> String {
        if self.remote { format!("{}: {}\n{FRAME}", self.class, self.text) } else { self.text.clone() }
    }

    /// The exception as Java prints it, class first: what Thrift1 sends. One frame stands for the stack.
    pub fn stack_trace(&self) -> String {
        let message = self.bare();
        format!("{}: {}\n{FRAME}", self.class, message.trim_end())
    }
}

const FRAME: &str = "\tat hjall.engine\n";

/// An error that only a region server would find, told after those that HBase's client finds on the way there: a missing or a
/// disabled table.
pub fn once_located(engine: &Engine, table: &TableName, refusal: Error) -> Error {
    match engine.is_table_enabled(table) {
        Ok(true) => refusal,
        Ok(false) => Error::new(ErrorKind::TableDisabled, format!("{table} is disabled.")),
        Err(before) => before,
    }
}

/// Whether HBase's client hears of it from another process.
fn is_remote(kind: ErrorKind) -> bool {
    !matches!(
        kind,
        ErrorKind::InvalidArgument
            | ErrorKind::Unprocessable
            | ErrorKind::TableNotFound
            | ErrorKind::TableDisabled
            | ErrorKind::RowMismatch
            | ErrorKind::FilterMalformed
    )
}

/// The full name of the Java class that HBase raises in such a case.
fn java_class(kind: ErrorKind) -> &'static str {
    match kind {
        ErrorKind::InvalidArgument => ILLEGAL_ARGUMENT,
        ErrorKind::Unprocessable => RETRIES_EXHAUSTED,
        ErrorKind::Refused
        | ErrorKind::NotALong
        | ErrorKind::CellTooLarge
        | ErrorKind::ReadOnly
        | ErrorKind::InvalidDescriptor => DO_NOT_RETRY,
        ErrorKind::RowTooLarge => "org.apache.hadoop.hbase.client.RowTooBigException",
        ErrorKind::RowMismatch => "org.apache.hadoop.hbase.client.WrongRowIOException",
        ErrorKind::ClassNotFound => "java.lang.RuntimeException",
        ErrorKind::SystemTable => IO,
        ErrorKind::FilterMalformed => "org.apache.hadoop.hbase.exceptions.DeserializationException",
        ErrorKind::FilterRejected(class) => class,
        ErrorKind::TableNotFound => "org.apache.hadoop.hbase.TableNotFoundException",
        ErrorKind::TableExists => "org.apache.hadoop.hbase.TableExistsException",
        ErrorKind::TableDisabled => "org.apache.hadoop.hbase.TableNotEnabledException",
        ErrorKind::TableNotDisabled => "org.apache.hadoop.hbase.TableNotDisabledException",
        ErrorKind::NamespaceNotFound => "org.apache.hadoop.hbase.NamespaceNotFoundException",
        ErrorKind::NamespaceExists => "org.apache.hadoop.hbase.NamespaceExistException",
        ErrorKind::Constraint => "org.apache.hadoop.hbase.constraint.ConstraintException",
        ErrorKind::FamilyNotFound => "org.apache.hadoop.hbase.regionserver.NoSuchColumnFamilyException",
        ErrorKind::FamilyOperation => "org.apache.hadoop.hbase.InvalidFamilyOperationException",
        ErrorKind::NotServing => NOT_SERVING,
        ErrorKind::Busy => "org.apache.hadoop.hbase.RegionTooBusyException",
        ErrorKind::Stale
        | ErrorKind::Cancelled
        | ErrorKind::Locked
        | ErrorKind::NewerFormat
        | ErrorKind::DiskFull
        | ErrorKind::Corrupt
        | ErrorKind::Io
        | ErrorKind::Closed => IO,
    }
}
