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

use hjall_engine::quote;

use super::recognise::Names;
use crate::wire::method::Rest;
use address::{Place, Query};
use answer::Head;
use media::{Accept, Kind, Output};
use resource::{Operation, Resource, Verb};

/// Why an address names nothing.
const NO_RESOURCE: &str = "the address names no resource; a row is /TABLE/ROW, the rows with a prefix /TABLE/PREFIX*";
/// Why a request in the name of another user is refused.
pub const NO_IMPERSONATION: &str = "doAs is not supported; log in as the user whose rights the request needs";

/// The parts of a request that are known before its body. Header values that are not ASCII are absent.
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
    /// Whether a body follows.
    pub has_body: bool,
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
    /// The resource that the address names.
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
    /// The length of the address that was sent, with the query, in bytes.
    pub address_bytes: usize,
    /// For the next page of an answer that is being sent: its scanner.
    pub continues: Option<i32>,
}

/// The copies of an address that a request has: as it was sent, decoded, for logs and in `Location`.
const ADDRESS_COPIES: usize = 8;

impl Request {
    /// Decides which operation a request is for.
    ///
    /// # Errors
    /// The answer to a request that is for none.
    pub fn recognise(head: &RequestHead<'_>) -> Result<Arc<Self>, Refusal> {
        let refuse = |status, why: &str| Refusal::new(status, head, why);
        if head.verb == "TRACE" {
            return Err(Refusal::bare(403));
        }
        if head.verb == "OPTIONS" && head.path == "*" {
            return Err(Refusal { allow: Some("DELETE,POST,GET,OPTIONS,PUT".to_owned()), ..Refusal::bare(204) });
        }
        let place = match address::place(head.path) {
            Ok(Some(place)) => place,
            Ok(None) => return Err(refuse(404, NO_RESOURCE)),
            Err(address::Malformed::Encoding) => return Err(Refusal::bad_message()),
            Err(address::Malformed::Dots) => {
                return Err(Refusal::text(400, "the path has a segment . or .., which names no resource"));
            }
        };
        let resource = place.resource();
        let found = Verb::parse(head.verb).filter(|verb| {
            resource.operations().any(|one| one.verb == *verb && (head.verb != "HEAD" || one.is_safe()))
        });
        let Some(verb) = found else {
            let allow = resource.allow();
            if head.verb == "OPTIONS" {
                return Err(Refusal { allow: Some(allow), ..Refusal::bare(204) });
            }
            let why = match head.content_type {
                Some(kind) if kind.starts_with("application/x-thrift") => {
                    "this port is for REST alone; Thrift has another one".to_owned()
                }
                _ if head.path == "/" => {
                    format!(
                        "the list of tables has {allow}; messages of Thrift need the Content-Type application/x-thrift"
                    )
                }
                _ => format!("{} is not possible here; the resource has {allow}", quote::escaped_text(head.verb)),
            };
            return Err(Refusal { allow: Some(allow), ..refuse(405, &why) });
        };
        let query = Query::parse(head.query.unwrap_or_default());
        if query.first("doAs").is_some() {
            return Err(Refusal::text(400, NO_IMPERSONATION));
        }
        let input = Self::input(head, resource, verb)?;
        let body_gzip = media::is_gzip(head.content_encoding.filter(|_| verb.has_body())).map_err(|why| {
            let accepted = Some("gzip".to_owned());
            Refusal { accept_encoding: accepted, ..refuse(415, &why) }
        })?;
        let operation: &Operation = resource.operation(verb, input, query.first("check"));
        let accept = Accept::parse(head.accept);
        let output = match operation.produces {
            [] => None,
            produces if operation.must_accept => match accept.choose(produces, operation.preferred) {
                Some(output) => Some(output),
                None => {
                    let why = format!("the answer exists as {}, which Accept does not name", media::names(produces));
                    return Err(refuse(406, &why));
                }
            },
            produces => accept.choose(produces, operation.preferred),
        };
        let names = Names {
            table: place.table().map(|table| table.as_bytes().to_vec()),
            row: place.row().map(|row| address::unescape(row).unwrap_or_else(|| row.into())),
            namespace: place.namespace().map(Into::into),
            ..Names::default()
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
            body_gzip,
            names,
            address_bytes: head.path.len() + head.query.map_or(0, str::len),
            continues: None,
        }))
    }

    /// The memory of the request without its body, in bytes.
    pub fn memory_bytes(&self) -> usize {
        self.address_bytes.saturating_mul(ADDRESS_COPIES).saturating_add(self.query.memory_bytes())
    }

    /// The type of the body, if it is declared.
    fn input(head: &RequestHead<'_>, resource: Resource, verb: Verb) -> Result<Option<Kind>, Refusal> {
        let refuse = |status, why: &str| Err(Refusal::new(status, head, why));
        match head.content_type {
            // Old browsers send a POST without a type for any page, without asking first.
            None if verb == Verb::Post && head.has_body => {
                let why = format!("the body has no Content-Type; use {}", media::names(&resource.types(verb)));
                refuse(415, &why)
            }
            None => Ok(None),
            Some(_) if !verb.has_body() => Ok(None),
            Some(text) => match media::parse(text) {
                None => refuse(400, &format!("the Content-Type \"{}\" is not a media type", quote::escaped_text(text))),
                Some(declared) => match Kind::of(&declared) {
                    Some(kind) if resource.reads(verb, kind) => Ok(Some(kind)),
                    _ => {
                        let (sent, types) = (declared.name, media::names(&resource.types(verb)));
                        let value = match resource.reads(verb, Kind::Binary) {
                            true => "; for a value, send Content-Type: application/octet-stream",
                            false => "",
                        };
                        refuse(415, &format!("the body has the Content-Type {sent}; the resource reads {types}{value}"))
                    }
                },
            },
        }
    }

    /// The web server's answer with this status.
    pub fn page(&self, status: u16, why: &str) -> Refusal {
        let (verb, path, accept) = &self.sent;
        Refusal::new(status, &RequestHead { verb, path, accept: accept.as_deref(), ..RequestHead::default() }, why)
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
            address_bytes: 0,
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
    /// The codings of bodies that the server decodes.
    pub accept_encoding: Option<String>,
    /// The type and the text of the body.
    pub page: Option<(String, String)>,
    /// Whether caches are told to keep nothing.
    pub no_cache: bool,
}

impl Refusal {
    /// An answer without a body.
    pub fn bare(status: u16) -> Self {
        Self { status, allow: None, accept_encoding: None, page: None, no_cache: false }
    }

    /// The web server's page, in the type that the request asks for. Where HBase's has no page, this is a text.
    pub fn new(status: u16, head: &RequestHead<'_>, why: &str) -> Self {
        let has_page = matches!(head.verb, "GET" | "POST" | "HEAD");
        match has_page.then(|| page::page(status, head.path, head.accept, why)).flatten() {
            Some(page) => Self { page: Some(page), no_cache: true, ..Self::bare(status) },
            None => Self { no_cache: has_page, ..Self::text(status, why) },
        }
    }

    /// A reason in plain text.
    pub fn text(status: u16, why: &str) -> Self {
        Self { page: Some(("text/plain".to_owned(), answer::text_of(status, why))), ..Self::bare(status) }
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
        if let Some(codings) = &self.accept_encoding {
            head = head.with("Accept-Encoding", codings.clone());
        }
        if let Some((kind, _)) = &self.page {
            head = head.with("Content-Type", kind.clone());
        }
        head
    }
}
