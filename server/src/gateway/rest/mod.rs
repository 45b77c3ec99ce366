//! The REST gateway: requests in, engine calls, answers out.
//!
//! HBase's gateway is a client of HBase. Its peculiarities, and those of the libraries that read and write its
//! representations, belong here.

mod atomic;
mod body;
mod cell_set;
mod cell_writer;
mod error;
#[cfg(test)]
mod fixtures;
mod get;
mod java_order;
mod json;
mod mutate;
mod namespace;
pub mod openapi;
mod page;
mod protobuf;
mod region;
mod row_spec;
mod scan;
mod scanner;
mod scanner_filter;
mod schema;
mod schema_model;
mod server;
mod status;
mod xml;

use std::borrow::Cow;
use std::io::Write;

use hjall_engine::name::TableName;

use super::permission::{self, Subject};
use crate::gateway::context::CallContext;
use crate::wire::fault::Fault;
use crate::wire::method::{Method, Rest};
use crate::wire::reply::Buffer;
use crate::wire::rest::Request;
use crate::wire::rest::address::Place;
use crate::wire::rest::answer::{Head, text_of};
use error::{Answer, Failure};

use page::Stream;
use scanner::Cursor;

/// The state that an open scanner of the gateway keeps between two calls.
pub enum State {
    /// An answer that is being sent.
    Stream(Box<Stream>),
    /// The scanner of a client.
    Cursor(Cursor),
}

impl State {
    /// The memory that it uses between two calls, beside that of the engine's scanner, in bytes.
    pub fn held_bytes(&self) -> usize {
        match self {
            Self::Stream(stream) => stream.held_bytes(),
            Self::Cursor(cursor) => cursor.held_bytes(),
        }
    }

    /// Whether the scanner ends with the connection that opened it.
    pub fn ends_with_connection(&self) -> bool {
        matches!(self, Self::Stream(_))
    }
}

impl From<Stream> for State {
    fn from(stream: Stream) -> Self {
        Self::Stream(Box::new(stream))
    }
}

impl From<Cursor> for State {
    fn from(cursor: Cursor) -> Self {
        Self::Cursor(cursor)
    }
}

/// The answer to a request.
struct Response {
    head: Head,
    body: body::Body,
}

impl Response {
    /// An answer without a body.
    fn empty(status: u16) -> Self {
        Self { head: Head::new(status), body: body::Body::Empty }
    }

    /// A text.
    fn text(status: u16, text: impl Into<String>) -> Self {
        let head = Head::new(status).with("Content-Type", "text/plain");
        Self { head, body: body::Body::Bytes(text.into().into_bytes()) }
    }

    /// Adds a header.
    fn with(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.head = self.head.with(name, value);
        self
    }

    /// Tells caches to ask again.
    fn uncached(self) -> Self {
        self.with("Cache-Control", "no-cache")
    }
}

/// The memory of the rows and columns of an address, for each of its bytes. The shortest names of families take the
/// most.
const MEMORY_PER_ADDRESS_BYTE: usize = 128;

/// Runs a request and writes its answer.
///
/// # Errors
/// A fault for which nothing has been written.
pub fn call(context: &CallContext<'_>, request: &Request, body: &[u8], out: &mut Buffer<'_>) -> Result<(), Fault> {
    let method = Method::Rest(request.method);
    let response = match permission::check(context, method, request) {
        Ok(()) => {
            let change = permission::Change::of(method, request);
            let answer = run(context, request, body);
            if let Some(change) = change {
                let failure = match &answer {
                    Ok(response) if response.head.status < 400 => None,
                    Ok(response) => Some(Fault::internal(format!("status {}", response.head.status))),
                    Err(failure) => Some(Fault::internal(failure.reason())),
                };
                change.log(context, failure.as_ref());
            }
            answer.or_else(|failure| failure.response(request))?
        }
        // Read-only mode or a role forbids it.
        Err(fault) => Response::text(403, text_of(403, &fault.to_string())),
    };
    write(request, response, out)
}

fn run(context: &CallContext<'_>, request: &Request, body: &[u8]) -> Answer {
    let address_bytes = request.address_bytes.saturating_mul(MEMORY_PER_ADDRESS_BYTE);
    context.scope.claim_request(address_bytes).map_err(|error| Failure::of_memory(&error))?;
    let unpacked = body::unpacked(context, request, body)?;
    let body = &unpacked[..];
    match request.method {
        Rest::ListTables => server::list_tables(context, request),
        Rest::GetVersion => server::version(request),
        Rest::GetClusterVersion => server::cluster_version(request),
        Rest::GetStatus => status::get(context, request),
        Rest::ListNamespaces => namespace::list(context, request),
        Rest::GetNamespace => namespace::get(context, request),
        Rest::CreateNamespace => namespace::create(context, request, body),
        Rest::ModifyNamespace => namespace::modify(context, request, body),
        Rest::DeleteNamespace => namespace::delete(context, request),
        Rest::ListNamespaceTables => namespace::tables(context, request),
        Rest::GetSchema => schema::get(context, request),
        Rest::ReplaceSchema => schema::replace(context, request, body),
        Rest::UpdateSchema => schema::update(context, request, body),
        Rest::DeleteTable => schema::delete(context, request),
        Rest::TableExists => region::exists(context, request),
        Rest::GetRegions => region::list(context, request),
        Rest::GetRow => get::row(context, request),
        Rest::GetRows => get::rows(context, request),
        Rest::ScanRows => match request.place {
            Place::Row { .. } => get::row(context, request),
            _ => scan::scan(context, request),
        },
        Rest::ContinueScan => page::next(context, request),
        Rest::PutRows => mutate::put(context, request, body),
        Rest::DeleteRow => mutate::delete(context, request),
        Rest::CheckAndPut => atomic::check_and_put(context, request, body),
        Rest::CheckAndDelete => atomic::check_and_delete(context, request, body),
        Rest::Append => atomic::append(context, request, body),
        Rest::Increment => atomic::increment(context, request, body),
        Rest::OpenScanner => scanner::open(context, request, body),
        Rest::GetScannerCells => scanner::next(context, request),
        Rest::CloseScanner => scanner::close(context, request),
    }
}

fn write(request: &Request, response: Response, out: &mut Buffer<'_>) -> Result<(), Fault> {
    let Response { mut head, body } = response;
    let compressed =
        request.gzip && head.status == 200 && !body.is_empty() && head.header("Content-Encoding").is_none();
    if compressed {
        head = head.with("Content-Encoding", "gzip");
    }
    let written = head.write(out).and_then(|()| {
        if !compressed {
            return body.write(out);
        }
        let mut gzip = flate2::write::GzEncoder::new(&mut *out, flate2::Compression::fast());
        body.write(&mut gzip)?;
        gzip.finish()?.flush()
    });
    // Writing to memory fails only at the limit on replies.
    written.map_err(|error| Fault::IllegalArgument(error.to_string()))
}

/// The name of the table that the address has.
fn table_name(request: &Request) -> Result<TableName, Failure> {
    TableName::parse(request.place.table().unwrap_or_default().as_bytes()).map_err(|error| Failure::of(&error))
}

impl Subject for Request {
    fn tables(&self) -> Vec<Option<TableName>> {
        vec![self.place.table().and_then(|table| TableName::parse(table.as_bytes()).ok())]
    }

    fn namespace(&self) -> Option<Cow<'_, str>> {
        self.place.namespace().map(Cow::Borrowed)
    }

    fn scanner(&self) -> Option<i32> {
        self.continues.or_else(|| scanner::number(self))
    }

    fn shown(&self) -> String {
        self.place.namespace().or_else(|| self.place.table()).unwrap_or_default().to_owned()
    }
}
