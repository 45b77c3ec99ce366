//! Engine errors as the Java exceptions that HBase raises. Clients search error texts for the class names.

use std::collections::HashMap;
use std::rc::Rc;

use hjall_engine::name::TableName;
use hjall_engine::{Engine, Error, ErrorKind};
use hjall_idl::REMEDY_LINE;

use crate::dispatch::identity::Identity;
use crate::wire::fault::Fault;

/// The parts of a Java exception that clients see.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Raised {
    class: &'static str,
    text: String,
    /// Text that completes HBase's: the thing, the reason or the remedy.
    remedy: Option<String>,
    remote: bool,
}

/// Not declared as an `IOError` by any method of the gateways.
pub const ILLEGAL_ARGUMENT: &str = "java.lang.IllegalArgumentException";
/// The class of the exception for an argument that HBase's gateway uses without a check, although it is not set.
pub const NULL_POINTER: &str = "java.lang.NullPointerException";
/// The class of failures that have no more specific one.
pub const IO: &str = "java.io.IOException";
/// The refusal of a read of zero or fewer versions.
pub const VERSIONS_NOT_POSITIVE: &str = "versions must be positive: ask for 1 or more";
/// The reason why a scanner is unknown, and the remedy. Follows the scanner's id.
pub const CLOSED_SCANNER: &str =
    "was never opened, is closed, or has not been used for limits.scanner_timeout: open another scanner";
const NOT_SERVING: &str = "org.apache.hadoop.hbase.NotServingRegionException";
const RETRIES_EXHAUSTED: &str = "org.apache.hadoop.hbase.client.RetriesExhaustedException";
const BATCH: &str = "org.apache.hadoop.hbase.client.RetriesExhaustedWithDetailsException";

/// The number of causes that the summary of a batch names.
const CAUSES_MAX: usize = 100;
/// The length of the causes that the summary of a batch names, in bytes.
const CAUSES_BYTES_MAX: usize = 64 << 10;

/// Classes of failures after which a retry may succeed. All other classes here are HBase's
/// `DoNotRetryIOException` and its subclasses.
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
    /// An exception that HBase's client library raises.
    pub fn new(class: &'static str, text: impl Into<String>) -> Self {
        Self { class, text: text.into(), remedy: None, remote: false }
    }

    /// Adds a text that completes HBase's.
    pub fn with_remedy(mut self, remedy: impl Into<String>) -> Self {
        self.remedy = Some(remedy.into());
        self
    }

    /// The exception that HBase raises for an error of the engine.
    pub fn of(error: &Error) -> Self {
        let text = match error.kind() {
            ErrorKind::Unprocessable => format!("Failed after attempts=1, exceptions:\n{IO}: {error}"),
            _ => error.to_string(),
        };
        let remedy = error.remedy().map(str::to_owned);
        Self { class: error.kind().java_class(), text, remedy, remote: is_remote(error.kind()) }
    }

    /// The exception of a batch in which some calls failed: a summary that counts equal causes. It names the first
    /// [`CAUSES_MAX`] causes of at most [`CAUSES_BYTES_MAX`] bytes, and counts the failures with other ones. The remedy
    /// is that of the first failure, whose reason precedes it if the summary names only the class.
    pub fn batch<'a>(failures: impl IntoIterator<Item = &'a Error>, server: &Identity) -> Self {
        let (mut total, mut others, mut located) = (0, 0, true);
        let (mut causes, mut places, mut bytes) = (Vec::<(Rc<str>, usize)>::new(), HashMap::<Rc<str>, usize>::new(), 0);
        let mut remedy = None;
        for error in failures {
            total += 1;
            located &= error.kind() != ErrorKind::TableNotFound;
            let cause = Self::of(error).into_cause(error.kind());
            if total == 1 {
                remedy = if cause.contains(error.message()) { error.remedy() } else { Some(error.plain()) };
            }
            let is_first = causes.is_empty();
            let has_room = causes.len() < CAUSES_MAX && bytes + cause.len() <= CAUSES_BYTES_MAX;
            match places.get(&*cause).and_then(|place| causes.get_mut(*place)) {
                Some((_, count)) => *count += 1,
                None if is_first || has_room => {
                    let cause: Rc<str> = cause.into();
                    bytes += cause.len();
                    places.insert(Rc::clone(&cause), causes.len());
                    causes.push((cause, 1));
                }
                None => others += 1,
            }
        }
        causes.extend((others > 0).then(|| ("other causes".into(), others)));
        let plural = |n: usize| if n == 1 { "" } else { "s" };
        let listed: String = causes.iter().map(|(text, n)| format!("{text}: {n} time{}, ", plural(*n))).collect();
        let server = if located { server.to_string() } else { "null".to_owned() };
        let text = format!("Failed {total} action{}: {listed}servers with issues: {server}", plural(total));
        Self { remedy: remedy.map(str::to_owned), ..Self::new(BATCH, text) }
    }

    /// The name of this cause in the summary of a batch: the text of a final failure, the class of any other.
    fn into_cause(self, kind: ErrorKind) -> String {
        let class = match kind {
            // In a batch the region reports it, not the table.
            ErrorKind::TableDisabled => NOT_SERVING,
            ErrorKind::Unprocessable => IO,
            _ => self.class,
        };
        if CAN_RETRY.contains(&class) && kind != ErrorKind::Busy {
            class.rsplit('.').next().unwrap_or(class).to_owned()
        } else {
            Self { remedy: None, ..self }.bare()
        }
    }

    /// This exception as HBase's client receives it from the master or a region server: its text repeats the class.
    pub fn remote(mut self) -> Self {
        self.remote = true;
        self
    }

    /// This exception as HBase's client library raises it.
    pub fn local(mut self) -> Self {
        self.remote = false;
        self
    }

    /// Whether HBase reports that a retry of the call may succeed.
    pub fn can_retry(&self) -> bool {
        CAN_RETRY.contains(&self.class)
    }

    /// The message of the exception, which Thrift2 sends.
    pub fn bare(&self) -> String {
        let Self { class, text, remedy, remote } = self;
        let remedy = remedy.as_deref().map(|remedy| format!("{REMEDY_LINE}{remedy}")).unwrap_or_default();
        if *remote { format!("{class}: {text}{remedy}\n{FRAME}") } else { format!("{text}{remedy}") }
    }

    /// The class and the message, of an exception that HBase's server describes in another one.
    pub fn with_class(&self) -> String {
        format!("{}: {}", self.class, self.bare())
    }

    /// The exception as Java prints it, which Thrift1 sends: the class, the message, and one frame for the
    /// stack.
    pub fn stack_trace(&self) -> String {
        let message = self.bare();
        format!("{}: {}\n{FRAME}", self.class, message.trim_end())
    }
}

const FRAME: &str = "\tat hjall.engine\n";

/// The fault for an error of the request that HBase's gateway reports with an undeclared exception.
pub fn undeclared(error: &Error) -> Fault {
    Fault::undeclared(error.kind().java_class(), error.plain())
}

/// The error of a request that only a region server refuses. HBase's client reports a missing or disabled
/// table first.
pub fn once_located(engine: &Engine, table: &TableName, refusal: Error) -> Error {
    match engine.is_table_enabled(table) {
        Ok(true) => refusal,
        Ok(false) => Error::table_disabled(table),
        Err(before) => before,
    }
}

/// Whether HBase's client receives the error from another process.
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

#[cfg(test)]
mod tests {
    use hjall_engine::quote::Quoted;

    use super::*;

    fn summary(failures: &[Error]) -> String {
        let server = Identity { host: "h".into(), port: 1, start_code: 2 };
        Raised::batch(failures, &server).bare()
    }

    fn no_family(number: usize, padding: &str) -> Error {
        Error::new(ErrorKind::FamilyNotFound, format!("no family {number}{padding}")).with_remedy("name another")
    }

    #[test]
    fn usual_numbers_of_causes_are_listed() {
        let failures: Vec<_> =
            (0..CAUSES_MAX).flat_map(|number| [no_family(number, ""), no_family(number, "")]).collect();
        let text = summary(&failures);
        assert!(
            text.starts_with("Failed 200 actions: org.apache.hadoop.hbase.regionserver.NoSuchColumnFamilyException: ")
        );
        assert_eq!(text.matches(": 2 times, ").count(), CAUSES_MAX);
        assert!(text.contains("servers with issues: h,1,2") && !text.contains("other causes"), "{text}");
    }

    #[test]
    fn further_causes_are_counted() {
        let failures: Vec<_> = (0..CAUSES_MAX + 7).map(|number| no_family(number, "")).collect();
        let text = summary(&failures);
        assert!(text.contains("no family 99\n") && !text.contains("no family 100\n"), "{text}");
        assert!(text.contains(": 1 time, other causes: 7 times, servers with issues: "), "{text}");
        let failures: Vec<_> = (0..100).map(|number| no_family(number, &"x".repeat(10_000))).collect();
        let text = summary(&failures);
        assert!(
            text.len() < CAUSES_BYTES_MAX + 20_000 && text.contains("other causes: 94 times, "),
            "{}",
            Quoted(text)
        );
    }
}
