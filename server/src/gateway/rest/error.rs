//! Failures of requests, with the statuses and texts of HBase's gateway.
//!
//! HBase's gateway answers with the text of the Java exception. Where it answers 500 or 503 to a mistake in a request,
//! the answer here is 400 with a text.

use std::fmt;

use hjall_engine::error::MESSAGE_MAX;
use hjall_engine::quote;
use hjall_engine::read::Budget;
use hjall_engine::{Error, ErrorKind};

use super::Response;
use super::body::Body;
use crate::dispatch::call_scope::CallScope;
use crate::gateway::scanners::paused;
use crate::wire::fault::Fault;
use crate::wire::rest::Request;
use crate::wire::rest::answer::text_of;

/// The result of a request.
pub(super) type Answer<T = Response> = Result<T, Failure>;

/// The failure for a request without the body that it needs.
pub(super) fn empty_body() -> Failure {
    Failure::bad("the body is empty: send what the request is to write")
}

/// Why a request has no result.
pub(super) enum Failure {
    /// A status and a text.
    Text(u16, String),
    /// The web server's answer, a page if the request accepts one, and the reason.
    Page(u16, String),
    /// The fetch was paused.
    Paused,
    /// A fault of another layer, such as a limit.
    Fault(Fault),
}

impl Failure {
    /// A status and the reason for it.
    pub(super) fn new(status: u16, reason: impl fmt::Display) -> Self {
        Self::Text(status, text_of(status, &quote::shortened(MESSAGE_MAX, &reason)))
    }

    /// A mistake of the client. The text names it.
    pub(super) fn bad(reason: impl fmt::Display) -> Self {
        Self::new(400, reason)
    }

    /// A mistake of the client, in the words of HBase's gateway.
    pub(super) fn bad_in(text: &str) -> Self {
        Self::Text(400, format!("{text}\r\n"))
    }

    /// The object that the request names does not exist.
    pub(super) fn not_found() -> Self {
        Self::new(404, "")
    }

    /// The body has no declared type.
    pub(super) fn undeclared_body(types: &str) -> Self {
        Self::Page(415, format!("the body has no Content-Type; use {types}"))
    }

    /// The failure for an error of the engine.
    pub(super) fn of(error: &Error) -> Self {
        match error.kind() {
            ErrorKind::InvalidArgument
            | ErrorKind::RowMismatch
            | ErrorKind::FilterMalformed
            | ErrorKind::FilterRejected(_)
            | ErrorKind::ClassNotFound
            | ErrorKind::Refused
            | ErrorKind::NotALong
            | ErrorKind::CellTooLarge
            | ErrorKind::RowTooLarge
            | ErrorKind::InvalidDescriptor
            | ErrorKind::Unprocessable
            | ErrorKind::SystemTable
            | ErrorKind::Constraint
            | ErrorKind::FamilyOperation
            | ErrorKind::NamespaceExists
            | ErrorKind::NamespaceNotFound => Self::with_class(400, error),
            ErrorKind::ReadOnly => Self::with_class(403, error),
            ErrorKind::TableNotFound | ErrorKind::FamilyNotFound => Self::with_class(404, error),
            ErrorKind::Busy => {
                Self::Fault(Fault::io(format!("{}: {}", error.kind().java_class(), error.plain()), true))
            }
            ErrorKind::Cancelled => Self::Fault(Fault::io(error.message(), false)),
            _ => Self::with_class(503, error),
        }
    }

    /// An answer with the Java class, which clients search for, and the reason.
    pub(super) fn with_class(status: u16, error: &Error) -> Self {
        Self::new(status, format_args!("{}: {}", error.kind().java_class(), error.plain()))
    }

    /// The failure of a request that takes more memory than its call may have.
    pub(super) fn of_memory(error: &Error) -> Self {
        match error.kind() {
            ErrorKind::Refused => Self::new(413, error.plain()),
            _ => Self::of(error),
        }
    }

    /// The failure of a call that has been refused memory or stopped. For any other call, `other`.
    pub(super) fn of_memory_or(scope: &CallScope<'_>, other: impl FnOnce() -> Self) -> Self {
        match scope.check() {
            Err(exceeded) => Self::of_memory(&exceeded),
            Ok(()) => other(),
        }
    }

    /// The failure of a read for which HBase answers 500 if the client made a mistake: it answers 400 to all of them.
    pub(super) fn of_read(error: &Error) -> Self {
        match error.kind() {
            ErrorKind::TableNotFound | ErrorKind::FamilyNotFound | ErrorKind::TableDisabled | ErrorKind::NotServing => {
                Self::with_class(400, error)
            }
            _ => Self::of(error),
        }
    }

    /// The failure of a read of one row. HBase's gateway takes a missing table or family for a missing row.
    pub(super) fn of_get(error: &Error) -> Self {
        match error.kind() {
            ErrorKind::TableNotFound | ErrorKind::FamilyNotFound | ErrorKind::TableDisabled | ErrorKind::NotServing => {
                Self::with_class(404, error)
            }
            _ => Self::of(error),
        }
    }

    /// The reason alone, for the text of another failure and for logs.
    pub(super) fn reason(&self) -> String {
        match self {
            Self::Text(_, text) => {
                let (first, rest) = text.trim_end().split_once("\r\n").unwrap_or((text.trim_end(), ""));
                if rest.is_empty() { first.to_owned() } else { rest.to_owned() }
            }
            Self::Page(_, reason) => reason.clone(),
            Self::Paused => "paused".to_owned(),
            Self::Fault(fault) => fault.to_string(),
        }
    }

    /// The answer, or the fault that another layer answers.
    pub(super) fn response(self, request: &Request) -> Result<Response, Fault> {
        match self {
            Self::Text(status, text) => Ok(Response::text(status, text)),
            Self::Page(status, reason) => {
                let refusal = request.page(status, &reason);
                let head = refusal.head();
                let body = refusal.page.map_or(Body::Empty, |(_, text)| Body::Bytes(text.into_bytes()));
                Ok(Response { head, body })
            }
            Self::Paused => Err(paused()),
            Self::Fault(fault) => Err(fault),
        }
    }
}
