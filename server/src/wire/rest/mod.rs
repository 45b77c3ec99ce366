//! Requests to the REST gateway and their answers, without the protocol that carries them.
//!
//! ```text
//! head of a request ─► address ─► resource ─► media ─► Request ─► the gateway ─► answer
//!                      (parts of  (which       (types)             (bytes: a head
//!                       the path)  operation)                       and the body)
//! ```
//!
//! The order of the checks is that of Jersey, HBase's web framework: address (404), method (405), type of the body
//! (415), types of the answer (406).

pub mod address;
pub mod answer;
pub mod media;
pub mod page;
pub mod resource;

use std::sync::Arc;

use super::recognise::Names;
use crate::wire::method::Rest;
use address::{Place, Query};
use answer::Head;
use media::{Accept, Kind, Output};
use resource::{Operation, Verb};

/// What the connection knows of a request before its body. Header values that are not ASCII are absent.
#[derive(Debug, Clone, Copy, Default)]
pub struct RequestHead<'a> {
    /// The HTTP method.
    pub verb: &'a str,
    /// The path, as it was sent.
    pub path: &'a str,
    /// The query, as it was sent.
    pub query: Option<&'a str>,
    /// `http` or `https`.
    pub scheme: &'a str,
    /// The host, with its port.
    pub host: &'a str,
    /// All values of `Accept`, joined by commas.
    pub accept: Option<&'a str>,
    /// `Accept-Encoding`.
    pub accept_encoding: Option<&'a str>,
    /// `Content-Type`.
    pub content_type: Option<&'a str>,
    /// `Content-Encoding`.
    pub content_encoding: Option<&'a str>,
    /// `Encoding`: how the row and the columns of the address are written.
    pub key_encoding: Option<&'a str>,
    /// `X-Timestamp`.
    pub timestamp: Option<&'a str>,
}

/// A request for an operation that exists.
#[derive(Debug)]
pub struct Request {
    /// The method that answers it.
    pub method: Rest,
    /// The HTTP method and the path as they were sent, and `Accept`, for the web server's pages.
    pub sent: (String, String, Option<String>),
    /// What the address names.
    pub place: Place,
    /// The query.
    pub query: Query,
    /// The type of the body; `None` if it was not declared.
    pub input: Option<Kind>,
    /// The type of the answer; `None` if the operation has only one, or none.
    pub output: Option<Output>,
    /// The address of the request without its query, for `Location`.
    pub location: String,
    /// `Encoding`.
    pub key_encoding: Option<String>,
    /// `X-Timestamp`.
    pub timestamp: Option<String>,
    /// Whether the answer is to be compressed with gzip.
    pub gzip: bool,
    /// Whether the body is compressed with gzip.
    pub body_gzip: bool,
    /// The table and the row, for logs.
    pub names: Names,
    /// For the next page of an answer that is being sent: its scanner.
    pub continues: Option<i32>,
}

impl Request {
    /// Decides which operation a request is for.
    ///
    /// # Errors
    /// The answer to a request that is for none.
    pub fn recognise(head: &RequestHead<'_>) -> Result<Arc<Self>, Refusal> {
        let refuse = |status| Refusal::page(status, head);
        if head.verb == "TRACE" {
            return Err(Refusal::bare(403));
        }
        let place = match address::place(head.path) {
            Ok(Some(place)) => place,
            Ok(None) => return Err(refuse(404)),
            Err(address::Malformed::Encoding) => return Err(Refusal::bad_message()),
            Err(address::Malformed::Dots) => {
                return Err(Refusal::text(400, "the path has a segment . or .., which names no resource"));
            }
        };
        let resource = place.resource();
        let Some(verb) = Verb::parse(head.verb).filter(|verb| resource.operations().any(|one| one.verb == *verb))
        else {
            let allow = resource.allow();
            if head.verb == "OPTIONS" {
                return Err(Refusal { allow: Some(allow), ..Refusal::bare(204) });
            }
            return Err(Refusal { allow: Some(allow), ..refuse(405) });
        };
        let query = Query::parse(head.query.unwrap_or_default());
        let input = match head.content_type {
            // Browsers send a POST without a type for any page, without asking first.
            None if verb == Verb::Post => return Err(refuse(415)),
            None => None,
            Some(_) if !verb.has_body() => None,
            Some(text) => match media::parse(text) {
                None => return Err(refuse(400)),
                Some(declared) => match Kind::of(&declared) {
                    Some(kind) if resource.reads(verb, kind) => Some(kind),
                    _ => return Err(refuse(415)),
                },
            },
        };
        let operation: &Operation = resource.operation(verb, input, query.first("check"));
        let accept = Accept::parse(head.accept);
        let output = match operation.produces {
            [] => None,
            produces if operation.must_accept => match accept.choose(produces, operation.preferred) {
                Some(output) => Some(output),
                None => return Err(refuse(406)),
            },
            produces => accept.choose(produces, operation.preferred),
        };
        let names = Names {
            table: place.table().map(|table| table.as_bytes().to_vec()),
            row: place.row().map(|row| row.as_bytes().to_vec()),
        };
        // A range of rows or a prefix is a scan.
        let is_scan = |row: &str| row.contains([',', '*']) || row.to_ascii_uppercase().contains("%2A");
        let method = match operation.method {
            Rest::GetRow if place.row().is_some_and(is_scan) => Rest::ScanRows,
            method => method,
        };
        Ok(Arc::new(Self {
            method,
            sent: (head.verb.to_owned(), head.path.to_owned(), head.accept.map(str::to_owned)),
            place,
            query,
            input,
            output,
            location: format!("{}://{}{}", head.scheme, head.host, head.path),
            key_encoding: head.key_encoding.map(str::to_owned),
            timestamp: head.timestamp.map(str::to_owned),
            gzip: media::accepts_gzip(head.accept_encoding),
            body_gzip: media::accepts_gzip(head.content_encoding),
            names,
            continues: None,
        }))
    }

    /// The web server's answer with this status.
    pub fn page(&self, status: u16) -> Refusal {
        let (verb, path, accept) = &self.sent;
        Refusal::page(status, &RequestHead { verb, path, accept: accept.as_deref(), ..RequestHead::default() })
    }

    /// The request for the next page of an answer that is being sent.
    pub fn next_page(&self, scanner: i32) -> Arc<Self> {
        Arc::new(Self {
            method: Rest::ContinueScan,
            sent: <(String, String, Option<String>)>::default(),
            place: self.place.clone(),
            query: Query::default(),
            input: None,
            output: self.output.clone(),
            location: String::new(),
            key_encoding: None,
            timestamp: None,
            gzip: self.gzip,
            body_gzip: false,
            names: self.names.clone(),
            continues: Some(scanner),
        })
    }
}

/// The answer to a request that no operation answers.
#[derive(Debug, Clone)]
pub struct Refusal {
    /// The status.
    pub status: u16,
    /// The methods that the resource has.
    pub allow: Option<String>,
    /// The type and the text of the body.
    pub page: Option<(String, String)>,
    /// Whether caches are told to keep nothing.
    pub no_cache: bool,
}

impl Refusal {
    /// An answer without a body.
    pub fn bare(status: u16) -> Self {
        Self { status, allow: None, page: None, no_cache: false }
    }

    /// The web server's page, in the type that the request asks for. Only GET, POST and HEAD get one.
    pub fn page(status: u16, head: &RequestHead<'_>) -> Self {
        if !matches!(head.verb, "GET" | "POST" | "HEAD") {
            return Self::bare(status);
        }
        Self { page: page::page(status, head.path, head.accept), no_cache: true, ..Self::bare(status) }
    }

    /// A client's mistake, in plain text.
    pub fn text(status: u16, message: &str) -> Self {
        Self { page: Some(("text/plain".to_owned(), format!("Bad request\r\n{message}\r\n"))), ..Self::bare(status) }
    }

    /// The answer to a path that is not percent-encoded UTF-8.
    fn bad_message() -> Self {
        let page = ("text/html;charset=iso-8859-1".to_owned(), page::BAD_MESSAGE.to_owned());
        Self { page: Some(page), ..Self::bare(400) }
    }

    /// The head of the answer.
    pub fn head(&self) -> Head {
        let mut head = Head::new(self.status);
        if self.no_cache {
            head = head.with("Cache-Control", "must-revalidate,no-cache,no-store");
        }
        if let Some(allow) = &self.allow {
            head = head.with("Allow", allow.clone());
        }
        if let Some((kind, _)) = &self.page {
            head = head.with("Content-Type", kind.clone());
        }
        head
    }
}
