//! Failures of requests, with the statuses and texts of HBase's gateway.
//!
//! HBase's gateway answers with the text of the Java exception. Where it answers 500 or 503 to a mistake in a request,
//! the answer here is 400 with a text.

use std::fmt;

use hjall_engine::{Error, ErrorKind};

use super::Response;
use super::body::Body;
use crate::gateway::error::Raised;
use crate::gateway::scanners::paused;
use crate::wire::fault::Fault;
use crate::wire::rest::Request;

/// The result of a request.
pub(super) type Answer<T = Response> = Result<T, Failure>;

/// Why a request has no result.
pub(super) enum Failure {
    /// A status and a text.
    Text(u16, String),
    /// The web server's answer: a page, or no body.
    Page(u16),
    /// The fetch was paused.
    Paused,
    /// A fault of another layer, such as a limit.
    Fault(Fault),
}

impl Failure {
    /// A mistake of the client. The text names it.
    pub(super) fn bad(reason: impl fmt::Display) -> Self {
        Self::Text(400, format!("Bad request\r\n{reason}\r\n"))
    }

    /// A mistake of the client, in the words of HBase's gateway.
    pub(super) fn bad_in(text: &str) -> Self {
        Self::Text(400, format!("{text}\r\n"))
    }

    /// What the request names does not exist.
    pub(super) fn not_found() -> Self {
        Self::Text(404, "Not found\r\n".to_owned())
    }

    /// The failure for an error of the engine.
    pub(super) fn of(error: &Error) -> Self {
        let text = |first: &str| format!("{first}\r\n{}", Raised::of(error).stack_trace());
        match error.kind() {
            ErrorKind::InvalidArgument
            | ErrorKind::RowMismatch
            | ErrorKind::FilterMalformed
            | ErrorKind::FilterRejected(_)
            | ErrorKind::ClassNotFound
            | ErrorKind::Refused
            | ErrorKind::CellTooLarge
            | ErrorKind::InvalidDescriptor
            | ErrorKind::Unprocessable
            | ErrorKind::NamespaceNotFound => Self::Text(400, text("Bad request")),
            ErrorKind::TableNotFound | ErrorKind::FamilyNotFound => Self::Text(404, text("Not found")),
            ErrorKind::Busy => Self::Fault(Fault::io(Raised::of(error).bare(), true)),
            ErrorKind::Cancelled => Self::Fault(Fault::io(error.message(), false)),
            _ => Self::Text(503, text("Unavailable")),
        }
    }

    /// The failure of a request that takes more memory than its call may have.
    pub(super) fn of_memory(error: &Error) -> Self {
        match error.kind() {
            ErrorKind::Refused => {
                let reason =
                    "the request takes more memory than one call may have (limits.reply); send several smaller ones";
                Self::Text(413, format!("Bad request\r\n{reason}\r\n"))
            }
            _ => Self::of(error),
        }
    }

    /// The failure of a read for which HBase answers 500 if the client made a mistake: it answers 400 to all of them.
    pub(super) fn of_read(error: &Error) -> Self {
        match error.kind() {
            ErrorKind::TableNotFound | ErrorKind::FamilyNotFound | ErrorKind::TableDisabled | ErrorKind::NotServing => {
                Self::Text(400, format!("Bad request\r\n{}", Raised::of(error).stack_trace()))
            }
            _ => Self::of(error),
        }
    }

    /// The failure of a read of one row. HBase's gateway takes a missing table or family for a missing row.
    pub(super) fn of_get(error: &Error) -> Self {
        match error.kind() {
            ErrorKind::TableNotFound | ErrorKind::FamilyNotFound | ErrorKind::TableDisabled | ErrorKind::NotServing => {
                Self::not_found()
            }
            _ => Self::of(error),
        }
    }

    /// The answer, or the fault that another layer answers.
    pub(super) fn response(self, request: &Request) -> Result<Response, Fault> {
        match self {
            Self::Text(status, text) => Ok(Response::text(status, text)),
            Self::Page(status) => {
                let refusal = request.page(status);
                let head = refusal.head();
                let body = refusal.page.map_or(Body::Empty, |(_, text)| Body::Bytes(text.into_bytes()));
                Ok(Response { head, body })
            }
            Self::Paused => Err(paused()),
            Self::Fault(fault) => Err(fault),
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text(status, text) => write!(f, "status {status}: {}", text.trim_end().replace("\r\n", ": ")),
            Self::Page(status) => write!(f, "status {status}"),
            Self::Paused => f.write_str("paused"),
            Self::Fault(fault) => fault.fmt(f),
        }
    }
}
